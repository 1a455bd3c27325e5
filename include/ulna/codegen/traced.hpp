#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "ulna/codegen/expression.hpp"

namespace ulna::codegen {

/// The elements of a matrix that may differ from zero, column by column: the rows of column c are
/// rows_of[column_starts[c]] up to rows_of[column_starts[c + 1]], in order.
struct Sparsity {
  int rows = 0, columns = 0;
  std::vector<int> column_starts{0};
  std::vector<int> rows_of = {};

  int nonzeros() const { return int(rows_of.size()); }
  bool contains(int row, int column) const {
    const auto begin = rows_of.begin();
    return std::binary_search(begin + column_starts[column], begin + column_starts[column + 1],
                              row);
  }

  bool operator==(const Sparsity&) const = default;
};

/// Calls f(row, column) with the elements, column by column.
template <class F>
void for_each(const Sparsity& sparsity, F f) {
  for (int c = 0; c < sparsity.columns; ++c)
    for (int k = sparsity.column_starts[c]; k < sparsity.column_starts[c + 1]; ++k)
      f(sparsity.rows_of[k], c);
}

/// A function as a straight line of elementary operations: named vectors in, named vectors out.
class Traced {
 public:
  struct Vector {
    std::string name;
    int size = 0;
    int columns = 1;                        ///< of a matrix that stands there column by column
    std::optional<Sparsity> sparsity = {};  ///< of one of which only these elements stand there

    int rows() const { return sparsity ? sparsity->rows : columns ? size / columns : 0; }
  };

  const std::string& name() const { return name_; }
  const std::vector<Vector>& inputs() const { return inputs_; }
  const std::vector<Vector>& outputs() const { return outputs_; }

  /// The line: operands stand before what is made of them, and nothing is computed in vain.
  const std::vector<Node>& nodes() const { return nodes_; }
  /// The nodes that the numbers of all outputs are, one output behind the other.
  const std::vector<std::int32_t>& results() const { return results_; }

  /// Elementary operations: nodes that are neither inputs nor constants.
  int operation_count() const;
  int operation_count(Operation operation) const;

 private:
  friend class Tracer;
  std::string name_;
  std::vector<Vector> inputs_, outputs_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> results_;
};

/// Traces a function:
///
///     Tracer tracer("norm");
///     const auto x = tracer.input("x", 2);
///     tracer.output("y", Tracer::Column::Constant(1, sqrt(x(0) * x(0) + x(1) * x(1))));
///     Traced norm = tracer.finish();
///
/// Names must be identifiers of C: letters, digits, underscores; else throws std::invalid_argument.
class Tracer {
 public:
  using Column = Eigen::Matrix<Expression, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<Expression, Eigen::Dynamic, Eigen::Dynamic>;

  explicit Tracer(std::string name);

  Column input(std::string name, int size);
  /// A matrix goes out column by column; with a pattern, only its elements.
  void output(std::string name, const Eigen::Ref<const Matrix>& numbers,
              const std::optional<Sparsity>& pattern = {});
  /// What another function yields for these inputs: it becomes part of this one. Throws
  /// std::invalid_argument unless there is one input per vector, of its size.
  std::vector<Column> call(const Traced& function, const std::vector<Column>& inputs);

  /// The function, and no more of what was traced than its outputs need.
  Traced finish() const;

 private:
  void require_new(const std::string& name) const;

  std::unique_ptr<Graph> graph_;
  std::string name_;
  std::vector<Traced::Vector> inputs_, outputs_;
  std::vector<std::int32_t> results_;
};

/// One span per vector of a function.
using Inputs = std::span<const std::span<const double>>;
using Outputs = std::span<const std::span<double>>;

/// Evaluates a traced function operation by operation: for tests, and as the measure of what
/// compiled code gains. Not for several threads at a time.
class Interpreter {
 public:
  explicit Interpreter(Traced function);

  /// One span per vector, of its size: throws std::invalid_argument where they are not.
  void operator()(Inputs inputs, Outputs outputs);

 private:
  Traced function_;
  std::vector<double> values_;
};

/// Whether a name can be one in C.
bool is_identifier(std::string_view name);
/// The nearest name that can: what is neither letter nor digit becomes an underscore.
std::string to_identifier(std::string_view name);

}  // namespace ulna::codegen
