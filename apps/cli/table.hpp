#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "console.hpp"

namespace ulna::cli {

struct Column {
  std::string title;
  std::string unit = "";
  bool right = false;  ///< aligned right, as numbers are
  int gap = 2;         ///< spaces before it
};

/// Rows under aligned headings with units. What does not fit into the width goes on below, with the
/// key columns (as a rule number and name) repeated.
class Table {
 public:
  explicit Table(std::size_t key_columns, std::vector<Column> columns = {})
      : keys_(key_columns), columns_(std::move(columns)) {}

  /// All columns are added before the first row.
  void column(Column column) { columns_.push_back(std::move(column)); }
  /// Cells may hold anything; they are made visible.
  void row(std::vector<std::string> cells, Style style = Style::plain);
  std::string str(const Stream& stream) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Style style;
  };
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

/// Numbers with a name for each row: six digits of the largest, and as many decimals for the rest.
std::string matrix_text(const Stream& out, const Column& title,
                        const std::vector<std::string>& rows, const std::vector<Column>& columns,
                        const Eigen::MatrixXd& m);

}  // namespace ulna::cli
