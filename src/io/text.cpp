#include "io/text.hpp"

#include <algorithm>

#include "ulna/model/rules.hpp"

namespace ulna::detail {
namespace {

std::size_t first_invalid_utf8(std::string_view s) {
  const auto continues = [](char c) { return (c & 0xC0) == 0x80; };
  for (std::size_t i = 0; i < s.size();) {
    const auto first = static_cast<unsigned char>(s[i]);
    const std::size_t n = first < 0x80   ? 1
                          : first < 0xC2 ? 0
                          : first < 0xE0 ? 2
                          : first < 0xF0 ? 3
                          : first < 0xF5 ? 4
                                         : 0;
    const std::string_view sequence = s.substr(i, n);
    if (n == 0 || sequence.size() < n ||
        !std::all_of(sequence.begin() + 1, sequence.end(), continues))
      return i;
    i += n;
  }
  return std::string_view::npos;
}

std::string from_latin1(std::string_view s) {
  std::string utf8;
  for (const char c : s) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) utf8 += static_cast<char>(0xC0 | (byte >> 6));
    utf8 += byte < 0x80 ? c : static_cast<char>(0x80 | (byte & 0x3F));
  }
  return utf8;
}

int line_of(std::string_view text, std::size_t position) {
  return 1 + static_cast<int>(std::count(
                 text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

/// The end of the comment or CDATA section that begins at i; i itself if none does.
std::size_t end_of_comment(std::string_view text, std::size_t i) {
  const std::string_view rest = text.substr(i);
  if (rest.starts_with("<!--")) return std::min(text.find("-->", i + 4), text.size());
  if (rest.starts_with("<![CDATA[")) return std::min(text.find("]]>", i + 9), text.size());
  return i;
}

/// Where a DOCTYPE or an entity is declared, comments and CDATA aside.
std::size_t find_declaration(std::string_view text) {
  for (std::size_t i = text.find("<!"); i != std::string_view::npos; i = text.find("<!", i)) {
    const std::size_t end = end_of_comment(text, i);
    if (end == i) return i;
    i = end;
  }
  return std::string_view::npos;
}

/// Where an element has too many attributes: the parser compares each with all before it.
std::size_t find_crowded_element(std::string_view text, int most) {
  for (std::size_t i = text.find('<'); i != std::string_view::npos; i = text.find('<', i)) {
    const std::size_t start = i;
    i = end_of_comment(text, i);
    if (i > start) continue;
    int attributes = 0;
    char quote = '\0';
    for (; i < text.size() && (quote || text[i] != '>'); ++i) {
      const char c = text[i];
      if (quote)
        quote = c == quote ? '\0' : quote;
      else if (c == '"' || c == '\'')
        quote = c;
      else if (c == '=' && ++attributes > most)
        return start;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::string to_utf8(std::string_view text, const std::string& file, Diagnostics& out) {
  const std::size_t bad = first_invalid_utf8(text);
  if (bad == std::string_view::npos) return std::string(text);
  out.add(rules::encoding, {file, line_of(text, bad), 0}, "", "the text is not UTF-8",
          "read as Latin-1");
  return from_latin1(text);
}

std::string prepare_xml(std::string_view text, const std::string& file,
                        const ImportOptions& options, Diagnostics& out) {
  const auto refuse = [&](const Rule& rule, std::size_t position, std::string seen) {
    out.add(rule, {file, line_of(text, position), 0}, "", std::move(seen));
    return std::string();
  };
  if (text.size() > options.max_bytes)
    return refuse(rules::input_too_large, 0,
                  "the file is larger than " + std::to_string(options.max_bytes) + " bytes");
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return refuse(rules::xml_malformed, 0, "the text is UTF-16");
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    return refuse(rules::xml_malformed, nul, "the file holds a NUL byte: it is binary, or cut off");
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return refuse(rules::xml_empty, 0, "the file is empty");
  if (const auto at = find_declaration(text); at != std::string_view::npos)
    return refuse(rules::xml_doctype, at, "a DOCTYPE or an entity is declared");
  const auto elements = static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return c == '<' || c == '='; }));
  if (elements > options.max_elements)
    return refuse(rules::input_too_large, 0,
                  std::to_string(elements) + " elements and attributes, the limit is " +
                      std::to_string(options.max_elements));
  constexpr int most_attributes = 1000;
  if (const auto at = find_crowded_element(text, most_attributes); at != std::string_view::npos)
    return refuse(rules::input_too_large, at,
                  "an element has more than " + std::to_string(most_attributes) + " attributes");
  return to_utf8(text, file, out);
}

}  // namespace ulna::detail
