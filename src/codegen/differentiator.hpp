#pragma once

#include <array>

#include "ulna/codegen/differentiate.hpp"

namespace ulna::codegen {

/// How y depends on x: the nodes that lead from one to the other, and derivatives along them.
class Differentiator {
 public:
  using Column = Tracer::Column;
  using Matrix = Tracer::Matrix;

  Differentiator(const Column& y, const Column& x);

  /// Where dy/dx may differ from zero.
  Sparsity dependence() const;

  /// The elements of dy/dx that are wanted, the others 0.
  Matrix jacobian(const Sparsity& wanted, Differentiation how);

 private:
  /// A node between x and y, with its operands that are so too and its derivatives by them.
  struct Step {
    std::int32_t node;
    struct Operand {
      std::size_t step;
      Expression partial;
    };
    std::vector<Operand> operands;
  };
  using Columns = std::vector<bool>;  ///< of x: those that something depends on

  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  Matrix forward(const Sparsity& wanted);
  Matrix reverse(const Sparsity& wanted);
  /// The number of steps taken in total by the forward and by the reverse mode.
  std::pair<std::size_t, std::size_t> steps_each_way() const;
  int length(const Matrix& results) const;  ///< in operations

  Graph* graph_ = nullptr;  ///< null if y is constant
  Eigen::Index rows_, columns_;
  std::vector<Step> steps_;          ///< operands first
  std::vector<Columns> depends_;     ///< of each step
  std::vector<std::size_t> places_;  ///< the step of a node, or nowhere
  std::vector<std::size_t> y_, x_;   ///< their steps, or nowhere
};

}  // namespace ulna::codegen
