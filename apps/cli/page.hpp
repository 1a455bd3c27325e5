#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What the reports have in common: pages of HTML that need nothing else, in light and dark.
namespace ulna::cli {

/// A whole page; its style is that of all pages, and what it adds.
std::string html_page(const std::string& title, std::string_view more_style,
                      const std::string& body);

/// A name from a file as it may stand in a page.
std::string safe(std::string_view text);
std::string percent(double x);
std::string number(double x, int digits = 4);

/// A figure in large letters and what it is.
std::string card(const std::string& value, const std::string& what, std::string_view kind = "");

/// An entry of a legend, by the name of a colour of the style.
std::string line_key(std::string_view colour, std::string_view what, bool dashed = false);
std::string box_key(std::string_view colour, std::string_view what);

/// A table's row; cells that are numbers stand right.
struct Cell {
  std::string text;
  bool number = false;
};
std::string row(const std::vector<Cell>& cells, std::string_view kind = "", bool head = false);

}  // namespace ulna::cli
