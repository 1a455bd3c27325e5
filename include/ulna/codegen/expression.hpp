#pragma once

#include <Eigen/Core>

#include "ulna/codegen/graph.hpp"
#include "ulna/num/eigen.hpp"
#include "ulna/num/scalar.hpp"

namespace ulna::codegen {

/// A constant, or a node of a graph, which must outlive it.
class Operand {
 public:
  Operand() = default;
  Operand(double constant) : value_(constant) {}  // NOLINT: a constant is an operand
  Operand(Graph& graph, std::int32_t node);

  bool is_constant() const { return !graph_; }
  double constant() const { return value_; }  ///< the value of a constant
  Graph* graph() const { return graph_; }     ///< null for a constant
  /// Its node in a graph, which must be its own unless it is a constant.
  std::int32_t in(Graph& graph) const;

 protected:
  static Operand apply(Operation operation, const Operand& x) { return apply(operation, x, x); }
  static Operand apply(Operation operation, const Operand& x, const Operand& y);

 private:
  Graph* graph_ = nullptr;  ///< null for a constant
  std::int32_t node_ = 0;
  double value_ = 0.0;
};

class Expression;

/// The result of comparing expressions: true, false, or unknown until the expression is evaluated.
class ExpressionMask : public Operand {
 public:
  ExpressionMask(bool value) : Operand(value ? 1.0 : 0.0) {}  // NOLINT: a truth value is a mask
  explicit ExpressionMask(const Operand& truth) : Operand(truth) {}

  using Mask = const ExpressionMask&;
  friend ExpressionMask operator&&(Mask a, Mask b) { return of(Operation::conjunction, a, b); }
  friend ExpressionMask operator||(Mask a, Mask b) { return of(Operation::disjunction, a, b); }
  friend ExpressionMask operator!(Mask a) { return of(Operation::negation, a, a); }

  // Algorithms use these to give up when they cannot succeed: a mass matrix that is not positive, a
  // number that is not finite. The path that succeeds is traced, so an unknown mask is taken to hold;
  // where it does not, the traced function yields infinities or NaN.
  friend bool all(Mask a) { return !a.is_constant() || a.constant() != 0.0; }
  friend bool any(Mask a) { return all(a); }
  friend Expression select(Mask mask, const Expression& a, const Expression& b);

 private:
  static ExpressionMask of(Operation operation, Mask a, Mask b) {
    return ExpressionMask(apply(operation, a, b));
  }
};

/// A number that is not computed but recorded: an algorithm run on expressions leaves behind, in a
/// Graph, the straight line of operations that computes the same from any inputs. The Tracer hands
/// out the inputs; constants need no graph.
class Expression : public Operand {
 public:
  using Real = double;
  using Operand::Operand;

  Expression& operator+=(const Expression& y) { return *this = *this + y; }
  Expression& operator-=(const Expression& y) { return *this = *this - y; }
  Expression& operator*=(const Expression& y) { return *this = *this * y; }
  Expression& operator/=(const Expression& y) { return *this = *this / y; }

  using E = const Expression&;
  friend Expression operator-(E x) { return of(Operation::negate, x); }
  friend Expression operator+(E x, E y) { return of(Operation::add, x, y); }
  friend Expression operator-(E x, E y) { return of(Operation::subtract, x, y); }
  friend Expression operator*(E x, E y) { return of(Operation::multiply, x, y); }
  friend Expression operator/(E x, E y) { return of(Operation::divide, x, y); }

  friend ExpressionMask operator<(E x, E y) { return compare(Operation::less, x, y); }
  friend ExpressionMask operator>(E x, E y) { return compare(Operation::less, y, x); }
  friend ExpressionMask operator<=(E x, E y) { return compare(Operation::less_equal, x, y); }
  friend ExpressionMask operator>=(E x, E y) { return compare(Operation::less_equal, y, x); }
  friend ExpressionMask operator==(E x, E y) { return compare(Operation::equal, x, y); }
  friend ExpressionMask operator!=(E x, E y) { return !(x == y); }

  friend Expression sin(E x) { return of(Operation::sine, x); }
  friend Expression cos(E x) { return of(Operation::cosine, x); }
  friend Expression tan(E x) { return of(Operation::tangent, x); }
  friend Expression asin(E x) { return of(Operation::arc_sine, x); }
  friend Expression acos(E x) { return of(Operation::arc_cosine, x); }
  friend Expression atan(E x) { return of(Operation::arc_tangent, x); }
  friend Expression atan2(E y, E x) { return of(Operation::arc_tangent2, y, x); }
  friend Expression sqrt(E x) { return of(Operation::square_root, x); }
  friend Expression exp(E x) { return of(Operation::exponential, x); }
  friend Expression log(E x) { return of(Operation::logarithm, x); }
  friend Expression tanh(E x) { return of(Operation::hyperbolic_tangent, x); }
  friend Expression abs(E x) { return of(Operation::absolute, x); }
  friend ExpressionMask is_finite(E x) { return compare(Operation::finite, x, x); }
  friend Expression select(const ExpressionMask& mask, E a, E b);

 private:
  explicit Expression(const Operand& number) : Operand(number) {}
  template <class... Operands>
  static Expression of(Operation operation, const Operands&... operands) {
    return Expression(apply(operation, operands...));
  }
  static ExpressionMask compare(Operation operation, E x, E y) {
    return ExpressionMask(apply(operation, x, y));
  }
};

}  // namespace ulna::codegen

template <>
struct Eigen::NumTraits<ulna::codegen::Expression>
    : ulna::detail::NumTraits<ulna::codegen::Expression> {};
