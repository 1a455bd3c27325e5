#include "text.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

namespace ulna::cli {
namespace {

struct CodePoint {
  utf8proc_int32_t value = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// The code point at the front of a text that is not empty.
CodePoint first(std::string_view text) {
  CodePoint c;
  const utf8proc_ssize_t bytes =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                       static_cast<utf8proc_ssize_t>(text.size()), &c.value);
  return bytes > 0 ? CodePoint{c.value, static_cast<std::size_t>(bytes), true} : CodePoint{};
}

/// Controls, format marks such as those that turn the direction of writing, and line separators.
bool is_invisible(utf8proc_int32_t c) {
  const auto category = utf8proc_category(c);
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
         category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

}  // namespace

std::string visible(std::string_view text) {
  std::string shown;
  for (; !text.empty(); text.remove_prefix(first(text).bytes)) {
    const CodePoint c = first(text);
    if (!c.valid || (c.value < 0x80 && is_invisible(c.value)))
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else if (is_invisible(c.value))
      shown += fmt::format("\\u{:04x}", c.value);
    else
      shown += text.substr(0, c.bytes);
  }
  return shown;
}

int columns(std::string_view text) {
  int n = 0;
  for (; !text.empty(); text.remove_prefix(first(text).bytes)) {
    const CodePoint c = first(text);
    n += c.valid ? utf8proc_charwidth(c.value) : 1;
  }
  return n;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

std::vector<std::string> wrap(std::string_view text, int width) {
  std::vector<std::string> lines;
  std::string line;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    if (!line.empty() && columns(line) + 1 + columns(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string hanging(std::string before, std::size_t indent, std::string_view text, int width) {
  std::string lines;
  for (const std::string& line : wrap(text, width)) {
    lines += before + line + "\n";
    before.assign(indent, ' ');
  }
  return lines;
}

std::string counted(std::size_t n, std::string_view thing) {
  return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
}

}  // namespace ulna::cli
