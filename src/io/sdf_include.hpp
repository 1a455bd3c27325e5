#pragma once

#include <cstdlib>
#include <filesystem>

#include "io/reading.hpp"
#include "io/xml_include.hpp"
#include "ulna/model/packages.hpp"

namespace ulna::detail {

/// An <include> becomes the model that its file has.
class SdfIncluder : public XmlIncluder {
 public:
  using XmlIncluder::XmlIncluder;

 private:
  void include(const File& file, const XMLElement& e, XmlNode& to) override {
    const XMLElement* uri = e.FirstChildElement("uri");
    const std::string name = uri && uri->GetText() ? std::string(trimmed(uri->GetText())) : "";
    if (name.empty()) return refuse(file, e, "has no <uri>", rules::tag_missing);
    if (e.BoolAttribute("merge"))
      return refuse(file, e, "a model that is merged is not read", rules::element_refused);
    std::string why;
    const std::string path = path_of(name, file.path, why);
    if (path.empty()) {
      // scenery is often not installed where the robot is looked at
      if (to.name == "world")
        return out_.note(rules::include_unreadable, at(file, e), "<include>",
                         quoted("model", name) + " " + why, "left out");
      return refuse(file, e, quoted("model", name) + " " + why);
    }
    with_file(file, e, path, [&](const File& included) {
      const XMLElement* model = included.root().FirstChildElement("model");
      if (included.root().Name() != std::string_view("sdf") || !model)
        return refuse(file, e, quoted("file", path) + " has no SDF model");
      XmlNode made = copy(included, *model);
      adapt(file, e, made);
      to.children.push_back(std::move(made));
    });
  }

  /// What the include says in place of the model's own.
  void adapt(const File& file, const XMLElement& e, XmlNode& model) {
    for (const XMLElement* child = e.FirstChildElement(); child;
         child = child->NextSiblingElement()) {
      const std::string_view tag = child->Name();
      const std::string text = child->GetText() ? std::string(trimmed(child->GetText())) : "";
      const auto set = [&](const char* attribute) {
        std::erase_if(model.attributes, [&](const auto& a) { return a.name == attribute; });
        model.attributes.push_back({attribute, text, model.place});
      };
      if (tag == "name") {
        set("name");
      } else if (tag == "placement_frame") {
        set("placement_frame");
      } else if (tag == "pose" || tag == "static") {
        std::erase_if(model.children, [&](const XmlNode& n) { return n.name == tag; });
        model.children.insert(model.children.begin(), copy(file, *child));
      }
    }
  }

  /// "model://arm", a path to a folder or file; "" and why if there is none.
  std::string path_of(std::string_view uri, const std::string& from, std::string& why) const {
    namespace fs = std::filesystem;
    std::error_code none;
    fs::path path;
    for (const std::string_view scheme : {"model://", "package://"}) {
      if (!uri.starts_with(scheme)) continue;
      uri.remove_prefix(scheme.size());
      const std::string_view name = uri.substr(0, uri.find('/'));
      const fs::path rest(uri.substr(std::min(uri.size(), name.size() + 1)));
      auto folder = find_package(name, from, options_.packages);
      for (const char* variable :
           {"GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH", "GAZEBO_MODEL_PATH"})
        if (!folder) folder = find_beside(std::getenv(variable), name);
      if (!folder)
        return why = "is not found: give its folder by --package NAME=DIR or GZ_SIM_RESOURCE_PATH",
               "";
      path = rest.empty() ? *folder : *folder / rest;
    }
    if (uri.find("://") != uri.npos && !uri.starts_with("file://"))
      return why = "is not on this computer: nothing is loaded from elsewhere", "";
    if (path.empty()) {
      if (uri.starts_with("file://")) uri.remove_prefix(7);
      path = fs::absolute(from).parent_path() / uri;
    }
    if (fs::is_directory(path, none)) path /= model_of(path);
    if (!fs::is_regular_file(path, none))
      return why = "is not found: there is no file '" + path.string() + "'", "";
    return path.string();
  }
  static std::optional<std::filesystem::path> find_beside(const char* folders,
                                                          std::string_view name) {
    std::string_view rest = folders ? folders : "";
    std::error_code none;
    while (!rest.empty()) {
      const std::string_view folder = rest.substr(0, rest.find(':'));
      rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
      const std::filesystem::path path = std::filesystem::path(folder) / name;
      if (!folder.empty() && std::filesystem::is_directory(path, none)) return path;
    }
    return {};
  }
  /// The file that a model.config names last, which is that of the newest version.
  static std::string model_of(const std::filesystem::path& folder) {
    tinyxml2::XMLDocument config;
    std::error_code none;
    const auto path = folder / "model.config";
    if (!std::filesystem::is_regular_file(path, none) ||
        std::filesystem::file_size(path, none) > (1u << 20) ||
        config.LoadFile(path.string().c_str()) != tinyxml2::XML_SUCCESS || !config.RootElement())
      return "model.sdf";
    const XMLElement* last = config.RootElement()->LastChildElement("sdf");
    return last && last->GetText() ? last->GetText() : "model.sdf";
  }
};

}  // namespace ulna::detail
