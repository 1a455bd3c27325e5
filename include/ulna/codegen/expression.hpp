#pragma once

#include <Eigen/Core>

#include "ulna/codegen/graph.hpp"
#include "ulna/num/eigen.hpp"
#include "ulna/num/scalar.hpp"

namespace ulna {

class Expression;

/// What comparing expressions yields: true, false, or not known before the expression is evaluated.
class ExpressionMask {
 public:
  ExpressionMask(bool value) : value_(value) {}  // NOLINT: a truth value is a mask

  friend ExpressionMask operator&&(const ExpressionMask& a, const ExpressionMask& b);
  friend ExpressionMask operator||(const ExpressionMask& a, const ExpressionMask& b);
  friend ExpressionMask operator!(const ExpressionMask& a);

  // Algorithms ask these to turn back when they cannot succeed: a mass matrix that is not positive,
  // a number that is not finite. What is traced is the way that succeeds, so what is not known is
  // taken to hold; where it does not, the traced function yields infinities or no numbers.
  friend bool all(const ExpressionMask& a) { return a.graph_ || a.value_; }
  friend bool any(const ExpressionMask& a) { return a.graph_ || a.value_; }
  friend Expression select(const ExpressionMask& mask, const Expression& a, const Expression& b);

 private:
  friend class Expression;
  ExpressionMask(Graph* graph, std::int32_t node);
  std::int32_t in(Graph& graph) const;
  static ExpressionMask of(Operation operation, const ExpressionMask& a, const ExpressionMask& b);

  Graph* graph_ = nullptr;  ///< null if it is known
  std::int32_t node_ = 0;
  bool value_ = false;
};

/// A number that is not computed but written down: an algorithm run on expressions leaves behind, in
/// a Graph, the straight line of operations that computes the same from any inputs. The Tracer hands
/// out the inputs; constants need no graph.
class Expression {
 public:
  using Real = double;

  Expression() = default;
  Expression(double constant) : value_(constant) {}  // NOLINT: a constant is a number
  /// A node of a graph, which must outlive the expression.
  Expression(Graph& graph, std::int32_t node);

  bool is_constant() const { return !graph_; }
  double constant() const { return value_; }  ///< the value of a constant
  Graph* graph() const { return graph_; }     ///< null for a constant
  /// Its node in a graph, which must be its own unless it is a constant.
  std::int32_t in(Graph& graph) const;

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
  static Expression of(Operation operation, E x);
  static Expression of(Operation operation, E x, E y);
  static ExpressionMask compare(Operation operation, E x, E y);

  Graph* graph_ = nullptr;  ///< null for a constant
  std::int32_t node_ = 0;
  double value_ = 0.0;
};

}  // namespace ulna

template <>
struct Eigen::NumTraits<ulna::Expression> : ulna::detail::NumTraits<ulna::Expression> {};
