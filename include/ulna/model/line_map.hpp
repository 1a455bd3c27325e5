#pragma once

#include <utility>

#include "ulna/model/diagnostic.hpp"

namespace ulna {

/// Where each line of a text is from that was put together from files, or expanded from them.
class LineMap {
 public:
  /// The number that lines refer to the file by.
  int add_file(std::string name) {
    files_.push_back(std::move(name));
    return static_cast<int>(files_.size()) - 1;
  }
  const std::string& file(int number) const { return files_[static_cast<std::size_t>(number)]; }
  /// The next line of the text is this one of a file.
  void add_line(int file, int line) { lines_.emplace_back(file, line); }

  /// The source of a line, counted from 1; of line 0 and of those that are unknown, the first file.
  Source at(int line) const {
    if (line < 1 || static_cast<std::size_t>(line) > lines_.size())
      return {files_.empty() ? std::string() : files_[0], 0, 0};
    const auto [file, from] = lines_[static_cast<std::size_t>(line) - 1];
    return {files_[static_cast<std::size_t>(file)], from, 0};
  }

 private:
  std::vector<std::string> files_;
  std::vector<std::pair<int, int>> lines_;
};

}  // namespace ulna
