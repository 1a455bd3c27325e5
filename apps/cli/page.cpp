#include "page.hpp"

#include <cmath>

#include "../plot/svg.hpp"

namespace ulna::cli {

std::string_view asset(std::string_view file_name) {
  for (const EmbeddedFile& file : embedded_files())
    if (file.file_name == file_name) return file.text;
  throw std::out_of_range(fmt::format("there is no asset '{}'", file_name));
}

std::string html_page(const std::string& title, std::initializer_list<std::string_view> styles,
                      const std::string& body) {
  std::string style(asset("page.css"));
  for (const std::string_view more : styles) style += "\n" + std::string(asset(more));
  return fmt::format(fmt::runtime(asset("page.html")), fmt::arg("title", safe(title)),
                     fmt::arg("style", style), fmt::arg("body", body));
}

std::string safe(std::string_view text) { return plot::escaped(visible(text)); }

std::string percent(double x) { return std::isfinite(x) ? fmt::format("{:.2f} %", x) : "-"; }
std::string number(double x, int digits) {
  return std::isfinite(x) ? fmt::format("{:.{}g}", x, digits) : "-";
}

std::string card(const std::string& value, const std::string& what, std::string_view kind) {
  return fmt::format("<div class='card'><b class='{}'>{}</b><span>{}</span></div>\n", kind, value,
                     what);
}
std::string line_key(std::string_view colour, std::string_view what, bool dashed) {
  return fmt::format("<span class='key'><i style='border-color:var(--{}){}'></i>{}</span>", colour,
                     dashed ? ";border-top-style:dashed" : "", what);
}
std::string box_key(std::string_view colour, std::string_view what) {
  return fmt::format("<span class='key'><i class='box' style='background:var(--{})'></i>{}</span>",
                     colour, what);
}

std::string panel(const std::string& inside, std::string_view kind) {
  return fmt::format("<div class='panel{}{}'>{}</div>\n", kind.empty() ? "" : " ", kind, inside);
}

HtmlTable::HtmlTable(const std::vector<std::string>& titles) {
  if (titles.empty()) return;
  rows_ += "<tr>";
  for (const std::string& title : titles) {
    numbers_.push_back(title.starts_with('>'));
    rows_ += numbers_.back() ? "<th class='n'>" + title.substr(1) : "<th>" + title;
    rows_ += "</th>";
  }
  rows_ += "</tr>\n";
}

void HtmlTable::row(const Cells& cells, std::string_view kind) {
  rows_ += kind.empty() ? "<tr>" : fmt::format("<tr class='{}'>", kind);
  for (std::size_t i = 0; i < cells.size(); ++i)
    rows_ += fmt::format("<td{}>{}</td>",
                         i < numbers_.size() && numbers_[i]  ? " class='n'"
                         : cells[i].text.starts_with("Nm s") ? " class='u'"
                                                             : "",
                         cells[i].text);
  rows_ += "</tr>\n";
}

void HtmlTable::group(const std::string& title) {
  rows_ += fmt::format("<tr class='group'><td colspan='{}'>{}</td></tr>\n", numbers_.size(), title);
}

}  // namespace ulna::cli
