#pragma once

#include "table.hpp"

/// What the reports have in common: pages of HTML that need nothing else, in light and dark.
namespace ulna::cli {

/// A file of apps/cli/assets, compiled into the program.
struct EmbeddedFile {
  std::string_view name;       ///< "page"
  std::string_view file_name;  ///< "page.css"
  std::string_view text;
};

/// All of them, in the order of their file names.
std::span<const EmbeddedFile> embedded_files();

/// The text of one. Throws std::out_of_range if there is none of this name.
std::string_view asset(std::string_view file_name);

/// A whole page; its style is that of all pages and of the named assets.
std::string html_page(const std::string& title, std::initializer_list<std::string_view> styles,
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

/// A box on the page.
std::string panel(const std::string& inside, std::string_view kind = "");

/// A table. Titles that begin with '>' are of columns of numbers, which stand right.
class HtmlTable {
 public:
  explicit HtmlTable(const std::vector<std::string>& titles = {});
  void row(const Cells& cells, std::string_view kind = "");
  /// A title above the rows that follow.
  void group(const std::string& title);
  std::string str() const { return rows_ + "</table>"; }

 private:
  std::vector<bool> numbers_;
  std::string rows_ = "<table>";
};

}  // namespace ulna::cli
