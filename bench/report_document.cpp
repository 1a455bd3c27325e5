#include <fstream>
#include <iterator>
#include <stdexcept>

#include "report.hpp"

namespace report {
namespace {

/// Replaces what stands between "<!-- bench: NAME -->" and "<!-- end -->".
std::string filled(const std::string& document, const Sections& sections) {
  const std::string begin = "<!-- bench: ", close = " -->", end = "<!-- end -->";
  std::string out;
  std::size_t at = 0;
  for (std::size_t mark; (mark = document.find(begin, at)) != std::string::npos;) {
    const std::size_t name_end = document.find(close, mark);
    const std::size_t block_end = document.find(end, mark);
    if (name_end == std::string::npos || block_end == std::string::npos)
      throw std::runtime_error("a mark is not closed");
    const auto section =
        sections.find(document.substr(mark + begin.size(), name_end - mark - begin.size()));
    const std::size_t text_begin = name_end + close.size();
    out += document.substr(at, text_begin - at);
    out += section == sections.end() ? document.substr(text_begin, block_end - text_begin)
                                     : "\n\n" + section->second + "\n";
    at = block_end;
  }
  return out + document.substr(at);
}

}  // namespace

void write(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  if (!out.flush()) throw std::runtime_error(path + " cannot be written");
}

void fill(const std::string& document, const Sections& sections) {
  std::ifstream in(document);
  if (!in) throw std::runtime_error(document + " cannot be read");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  write(document, filled(text, sections));
}

}  // namespace report
