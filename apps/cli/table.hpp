#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "console.hpp"

namespace ulna::cli {

/// A heading with its unit: "joint", ">mass [kg]". What begins with '>' is aligned right, as numbers are.
/// Spaces before it are the gap to the column before; without them it is 2, and 0 of the first column.
struct Column {
  std::string title, unit;
  bool right = false;
  int gap = -1;

  template <class Text>
  Column(const Text& heading) {  // NOLINT: from text
    parse(heading);
  }

 private:
  void parse(std::string_view heading);
};

/// Text, or a number as fmt writes it.
struct Cell {
  std::string text;
  template <class T>
  Cell(const T& x) : text(fmt::format("{}", x)) {}  // NOLINT: from anything that has a text
};
using Cells = std::vector<Cell>;

/// Rows under aligned headings. What does not fit goes on below, with the key columns repeated.
class Table {
 public:
  explicit Table(std::size_t key_columns, std::vector<Column> columns = {})
      : keys_(key_columns), columns_(std::move(columns)) {}

  /// All columns are added before the first row.
  void column(const Column& column) { columns_.push_back(column); }
  /// Cells may hold anything; they are made visible. There may be fewer than columns, or more.
  void row(const Cells& cells, Style style = Style::plain);
  std::string str(const Stream& stream) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Style style;
  };
  int gap(std::size_t c) const { return columns_[c].gap >= 0 ? columns_[c].gap : c == 0 ? 0 : 2; }
  std::string block(const Stream& stream, std::span<const std::size_t> which,
                    std::span<const int> widths) const;

  std::size_t keys_;
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

/// Numbers that stand under each other: all with the same decimals, as few as give each of them
/// within `relative` of itself or `absolute` of the largest.
class Figures {
 public:
  Figures(std::vector<double> values, double relative, double absolute = 0.0);
  /// The number as it stands in the column. Infinite ones mean that there is no limit.
  std::string operator()(double x, const Stream& stream) const;

 private:
  int decimals_ = -1;     ///< -1: too different in size for one number of decimals
  double nothing_ = 0.0;  ///< what is smaller is what rounding left of a zero
};

/// A number in a sentence: at most so many digits.
std::string figure(double x, int digits = 4);
/// With so many digits behind the point; what rounds to zero has no sign, and what is very large an exponent.
std::string fixed(double x, int digits);

/// Numbers with a name for each row: six digits of the largest, and as many decimals for the rest.
std::string matrix_text(const Stream& out, const Column& title,
                        const std::vector<std::string>& rows, const std::vector<Column>& columns,
                        const Eigen::MatrixXd& m);

}  // namespace ulna::cli
