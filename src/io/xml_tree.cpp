#include "io/xml_tree.hpp"

#include <filesystem>
#include <fstream>
#include <map>

#include "ulna/model/rules.hpp"

namespace ulna::detail {
namespace {

std::string describe(tinyxml2::XMLError error) {
  using namespace tinyxml2;
  static const std::map<XMLError, const char*> texts{
      {XML_ERROR_MISMATCHED_ELEMENT,
       "this element is not closed, or another one is closed instead"},
      {XML_ERROR_PARSING_ELEMENT, "an element cannot be read here"},
      {XML_ERROR_PARSING_ATTRIBUTE,
       "an attribute of this element has no value or quotes, or occurs twice"},
      {XML_ERROR_PARSING_COMMENT, "this comment does not end"},
      {XML_ERROR_PARSING_CDATA, "this CDATA section does not end"},
      {XML_ERROR_PARSING_TEXT, "the text does not end in an element"},
      {XML_ERROR_PARSING_DECLARATION,
       "a declaration <?...?> does not end, or is in the wrong place"},
      {XML_ERROR_EMPTY_DOCUMENT, "there is no element in the file"}};
  const auto found = texts.find(error);
  return found == texts.end() ? XMLDocument::ErrorIDToName(error) : found->second;
}

std::unique_ptr<tinyxml2::XMLDocument> parse(const std::string& text, const auto& source,
                                             Diagnostics& out) {
  auto document = std::make_unique<tinyxml2::XMLDocument>();
  const tinyxml2::XMLError error = document->Parse(text.data(), text.size());
  const tinyxml2::XMLElement* root = document->RootElement();
  const auto refuse = [&](const Rule& rule, int line, std::string seen) {
    out.add(rule, source(line), "", std::move(seen));
    return nullptr;
  };
  if (error == tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED)
    return refuse(rules::xml_depth, document->ErrorLineNum(),
                  "elements are nested about 100 deep, the limit of the parser");
  if (error != tinyxml2::XML_SUCCESS)
    return refuse(
        error == tinyxml2::XML_ERROR_EMPTY_DOCUMENT ? rules::xml_empty : rules::xml_malformed,
        document->ErrorLineNum(), describe(error));
  if (!root) return refuse(rules::xml_empty, 1, "there is no element in the file");
  if (const tinyxml2::XMLElement* second = root->NextSiblingElement())
    return refuse(rules::xml_malformed, second->GetLineNum(), "a second element next to the root");
  return document;
}

void append_escaped(std::string_view s, std::string& text, bool in_attribute) {
  for (const char c : s) {
    if (c == '&')
      text += "&amp;";
    else if (c == '<')
      text += "&lt;";
    else if (c == '"' && in_attribute)
      text += "&quot;";
    else if (c == '\n')
      text += "&#10;";
    else
      text += c;
  }
}

}  // namespace

std::unique_ptr<tinyxml2::XMLDocument> parse_xml(std::string_view text, const std::string& file,
                                                 const ImportOptions& options, Diagnostics& out) {
  const std::size_t before = out.count(Severity::error);
  const std::string prepared = prepare_xml(text, file, options, out);
  if (out.count(Severity::error) > before) return nullptr;
  return parse(
      prepared,
      [&](int line) {
        return Source{file, line, 0};
      },
      out);
}

std::unique_ptr<tinyxml2::XMLDocument> parse_xml(const XmlText& text, const ImportOptions&,
                                                 Diagnostics& out) {
  return parse(
      text.text, [&](int line) { return text.lines->at(line); }, out);
}

const XmlFiles::File* XmlFiles::add(std::string_view text, const std::string& path) {
  bytes_ += text.size();
  auto document = parse_xml(text, path, options_, out_);
  if (!document) return nullptr;
  files_.push_back({lines_->add_file(path), path, std::move(document)});
  return &files_.back();
}

const XmlFiles::File* XmlFiles::open(const std::string& path, std::string& why) {
  namespace fs = std::filesystem;
  std::error_code error;
  constexpr std::size_t most_files = 1000;
  if (files_.size() == most_files) return why = "more than 1000 files are included", nullptr;
  // no pipes and devices, which may have no end
  if (!fs::is_regular_file(path, error))
    return why = fs::exists(path, error) ? "this is no file" : "there is no such file", nullptr;
  const auto size = fs::file_size(path, error);
  if (error || size > options_.max_bytes - std::min(bytes_, options_.max_bytes))
    return why =
               "all files together have more than " + std::to_string(options_.max_bytes) + " bytes",
           nullptr;
  std::string text(size, '\0');
  std::ifstream in(path, std::ios::binary);
  if (!in.read(text.data(), static_cast<std::streamsize>(size)))
    return why = "it cannot be read", nullptr;
  return add(text, path);
}

XmlText XmlFiles::write(const XmlNode& root) {
  XmlText made{{}, lines_};
  write(root, made.text);
  if (made.text.size() > options_.max_bytes)
    out_.add(rules::input_too_large, {lines_->file(0), 0, 0}, "",
             "expanded, the file is larger than " + std::to_string(options_.max_bytes) + " bytes");
  return made;
}

void XmlFiles::new_line(const Place& place, std::string& text) {
  lines_->add_line(place.file, place.line);
  if (!text.empty()) text += '\n';
}

void XmlFiles::write(const XmlNode& node, std::string& text) {
  if (text.size() > options_.max_bytes) return;
  if (node.name.empty()) return append_escaped(node.text, text, false);
  new_line(node.place, text);
  text += '<' + node.name;
  for (const XmlNode::Attribute& a : node.attributes) {
    if (a.place.line != node.place.line || a.place.file != node.place.file)
      new_line(a.place, text);
    else
      text += ' ';
    text += a.name + "=\"";
    append_escaped(a.value, text, true);
    text += '"';
  }
  if (node.children.empty()) {
    text += "/>";
    return;
  }
  text += '>';
  for (const XmlNode& child : node.children) write(child, text);
  text += "</" + node.name + ">";
}

}  // namespace ulna::detail
