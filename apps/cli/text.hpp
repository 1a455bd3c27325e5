#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Text that people read on a terminal. Names come out of files, so they may hold anything.
namespace ulna::cli {

/// The text with everything shown as itself: control characters, terminal escapes and marks that
/// turn the direction of writing become \x1b or \u202e, and bytes that are not UTF-8 become \xff.
std::string visible(std::string_view text);

/// How many columns the text takes on a terminal. Expects visible text.
int columns(std::string_view text);

/// Broken at spaces into lines of at most so many columns; a longer word stands alone.
std::vector<std::string> wrap(std::string_view text, int width);

/// The parts between separators; of an empty text, one that is empty.
std::vector<std::string> split(std::string_view text, char separator);

/// `before` and the text behind it in lines of `width` columns, all but the first indented.
std::string hanging(std::string before, std::size_t indent, std::string_view text, int width);

/// "1 link", "2 links".
std::string counted(std::size_t n, std::string_view thing);

}  // namespace ulna::cli
