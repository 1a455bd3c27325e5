#pragma once

#include <tinyxml2.h>

#include <list>
#include <memory>

#include "io/reading.hpp"
#include "ulna/model/line_map.hpp"

/// XML that is put together from files before it is read.
namespace ulna::detail {

/// A line of a file.
struct Place {
  int file = 0, line = 0;
};

/// An element, or a text, which has no name.
struct XmlNode {
  struct Attribute {
    std::string name, value;
    Place place;
  };
  std::string name, text;
  Place place;
  std::vector<Attribute> attributes{};
  std::vector<XmlNode> children{};
};

/// A text with the source of each of its lines: one element or attribute a line.
struct XmlText {
  std::string text;
  std::shared_ptr<LineMap> lines;
};

/// Parses a text; nullptr, and reported, if that is impossible.
std::unique_ptr<tinyxml2::XMLDocument> parse_xml(std::string_view text, const std::string& file,
                                                 const ImportOptions& options, Diagnostics& out);
/// The same of a text that was put together.
std::unique_ptr<tinyxml2::XMLDocument> parse_xml(const XmlText& text, const ImportOptions& options,
                                                 Diagnostics& out);

/// The files that a description is put together from. Together they have limits, and none can include itself.
class XmlFiles {
 public:
  XmlFiles(const ImportOptions& options, Diagnostics& out)
      : options_(options), out_(out), lines_(std::make_shared<LineMap>()) {}

  struct File {
    int number = 0;
    std::string path;
    std::unique_ptr<tinyxml2::XMLDocument> document;
    const tinyxml2::XMLElement& root() const { return *document->RootElement(); }
  };

  /// The first file, as text. nullptr, and reported, if it cannot be read.
  const File* add(std::string_view text, const std::string& path);
  /// Another one, opened. `why` it could not be, if so.
  const File* open(const std::string& path, std::string& why);

  /// Where an element or attribute of a file is.
  static Place place(const File& file, const auto& node) {
    return {file.number, node.GetLineNum()};
  }
  Source at(const Place& place) const { return {lines_->file(place.file), place.line, 0}; }

  /// The text of a tree. Reported if it is too large.
  XmlText write(const XmlNode& root);

 private:
  void write(const XmlNode& node, std::string& text);
  void new_line(const Place& place, std::string& text);

  const ImportOptions& options_;
  Diagnostics& out_;
  std::shared_ptr<LineMap> lines_;
  std::list<File> files_;
  std::size_t bytes_ = 0;
};

}  // namespace ulna::detail
