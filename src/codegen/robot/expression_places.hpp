#pragma once

#include "ulna/codegen/expression.hpp"
#include "ulna/dynamics/workspace.hpp"

/// How bodies are placed, for expressions: right angles are exact. A description gives them as rounded
/// radians, and a cosine of 6e-17 instead of 0 would put hundreds of needless products into a traced
/// function. Elements of a rotation within 1e-12 of -1, 0 or 1 become that, and elements of a
/// translation within 1e-12 of its length become 0. All files that use Expression in dynamics include
/// this one first.
namespace ulna {
namespace detail {

inline constexpr double exact_within = 1e-12;

inline double exact(double x) {
  for (const double whole : {-1.0, 0.0, 1.0})
    if (std::abs(x - whole) <= exact_within) return whole;
  return x;
}

inline Vec3<double> without_dust(const Vec3<double>& v) {
  const double size = exact_within * v.cwiseAbs().maxCoeff();
  return v.unaryExpr([&](double x) { return std::abs(x) <= size ? 0.0 : x; });
}

}  // namespace detail

namespace lanes {

template <>
class TurnAboutZ<Expression> {
 public:
  TurnAboutZ() = default;
  explicit TurnAboutZ(const Mat3<double>& E) : E_(E.unaryExpr(&detail::exact)) {}
  M3<Expression> matrix(const Expression& s, const Expression& c) const {
    const V3<Expression> x = column(0), y = column(1);
    return {x * c + y * s, y * c - x * s, column(2)};
  }
  Turn<Expression> operator()(const Expression& s, const Expression& c) const {
    return {matrix(s, c)};
  }
  Turn<Expression> still() const { return {{column(0), column(1), column(2)}}; }

 private:
  V3<Expression> column(int k) const { return {E_(0, k), E_(1, k), E_(2, k)}; }
  Mat3<double> E_;
};

}  // namespace lanes

namespace detail {

template <>
struct Place<Expression> {
  lanes::TurnAboutZ<Expression> turn;
  lanes::V3<Expression> p;

  Place() = default;
  Place(const lanes::TurnAboutZ<Expression>& turn_, const lanes::V3<Expression>& p_) : turn(turn_) {
    const Vec3<double> kept = without_dust({p_.x.constant(), p_.y.constant(), p_.z.constant()});
    p = lanes::V3<Expression>(Vec3<Expression>(kept.cast<Expression>()));
  }
};

}  // namespace detail
}  // namespace ulna
