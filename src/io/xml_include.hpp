#pragma once

#include <algorithm>
#include <filesystem>

#include "io/xml_tree.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::detail {

/// Copies a file with those that its <include> elements name.
class XmlIncluder {
 public:
  XmlIncluder(const ImportOptions& options, Diagnostics& out)
      : options_(options), out_(out), files_(options, out) {}
  virtual ~XmlIncluder() = default;

  /// Throws ModelError.
  XmlText run(std::string_view text, const std::string& path) {
    const XmlFiles::File* file = files_.add(text, path);
    out_.throw_if_errors();
    std::error_code none;
    home_ = std::filesystem::absolute(path).parent_path();
    open_.push_back(std::filesystem::weakly_canonical(path, none));
    XmlNode root = copy(*file, file->root());
    out_.throw_if_errors();
    XmlText made = files_.write(root);
    out_.throw_if_errors();
    return made;
  }

 protected:
  using File = XmlFiles::File;
  using Element = tinyxml2::XMLElement;

  /// Adds what an <include> stands for.
  virtual void include(const File& file, const Element& e, XmlNode& to) = 0;

  XmlNode copy(const File& file, const Element& e) {
    const Level level(depth_);
    XmlNode made{e.Name(), {}, files_.place(file, e)};
    count(made.place);
    for (const auto* a = e.FirstAttribute(); a; a = a->Next()) {
      count(made.place);
      made.attributes.push_back({a->Name(), a->Value(), files_.place(file, *a)});
    }
    inside(file, e, made);
    return made;
  }
  void inside(const File& file, const Element& e, XmlNode& to) {
    for (const auto* n = e.FirstChild(); n; n = n->NextSibling()) {
      if (const Element* child = n->ToElement())
        std::string_view(child->Name()) == "include" ? include(file, *child, to)
                                                     : to.children.push_back(copy(file, *child));
      else if (const auto* t = n->ToText(); t && !trimmed(t->Value()).empty())
        to.children.push_back({{}, t->Value(), files_.place(file, *t)});
    }
  }

  /// Calls use(file) with what an include names, unless it cannot be read or is being read already.
  template <class F>
  void with_file(const File& from, const Element& e, const std::string& path, F use) {
    std::error_code none;
    const auto canonical = std::filesystem::weakly_canonical(path, none);
    if (std::ranges::count(open_, canonical))
      return refuse(from, e, quoted("file", path) + " includes itself");
    std::string why;
    const File* included = files_.open(path, why);
    if (!included) {
      if (!why.empty()) refuse(from, e, quoted("file", path) + ": " + why);
      return;
    }
    open_.push_back(canonical);
    use(*included);
    open_.pop_back();
  }
  void refuse(const File& from, const Element& e, std::string seen,
              const Rule& rule = rules::include_unreadable) {
    out_.add(rule, at(from, e), "<include>", std::move(seen));
  }
  Source at(const File& file, const auto& node) const {
    return files_.at(files_.place(file, node));
  }

  const ImportOptions& options_;
  Diagnostics& out_;
  std::filesystem::path home_;  ///< the folder of the first file

 private:
  void count(const Place& place) {
    if (++elements_ > options_.max_elements)
      too_large(place, "has more than " + std::to_string(options_.max_elements) +
                           " elements and attributes");
    if (depth_ > deepest_elements)
      too_large(place, "is nested more than " + std::to_string(deepest_elements) + " deep");
  }
  void too_large(const Place& place, const std::string& how) {
    out_.add(rules::input_too_large, files_.at(place), "",
             "with all that it includes, the file " + how);
    out_.throw_if_errors();
  }

  XmlFiles files_;
  std::vector<std::filesystem::path> open_;
  std::size_t elements_ = 0;
  int depth_ = 0;
};

}  // namespace ulna::detail
