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

/// Where on its axis the frame of a body on a hinge lies: as far along the axis from the model's frame
/// that it is nearest to the parent's. Then axes that meet have one origin, and fewer lever arms.
struct Slides {
  std::vector<double> along;       ///< per body, by how much its frame is moved along its z
  std::vector<Vec3<double>> p_PB;  ///< where that puts it in the parent's

  explicit Slides(const Model& model)
      : along(static_cast<std::size_t>(model.body_count()), 0.0),
        p_PB(along.size(), Vec3<double>::Zero()) {
    std::vector<bool> may(along.size(), true);
    const auto turns = [&](int b) {
      const JointType t = model.joint(b).type;
      return t == JointType::revolute || t == JointType::continuous;
    };
    // other kinds of joints are placed by the model's own numbers
    for (int b = 1; b < model.body_count(); ++b)
      if (velocity_size(model.joint(b).type) > 1)
        may[static_cast<std::size_t>(model.joint(b).parent)] = false;
    for (int b = 1; b < model.body_count(); ++b) {
      const Joint& j = model.joint(b);
      const auto at = static_cast<std::size_t>(b);
      Vec3<double> p = j.X_PJ.translation();
      const Vec3<double> z = j.X_PJ.rotation().matrix().col(2).unaryExpr(&exact);
      p.z() -= along[static_cast<std::size_t>(j.parent)];
      if (turns(b) && may[at]) along[at] = -p.dot(z);
      p_PB[at] = without_dust(p + along[at] * z);
      if (p_PB[at].norm() <= exact_within * j.X_PJ.translation().norm()) p_PB[at].setZero();
    }
  }
};

template <>
struct Skeleton<Expression> {
  std::vector<Place<Expression>> places;
  std::vector<Expression> angle, sine, cosine;
  static constexpr int block = 1;

  explicit Skeleton(const Model& model)
      : places(static_cast<std::size_t>(model.body_count())),
        angle(places.size(), Expression(0)),
        sine(places.size()),
        cosine(places.size()) {
    const Slides slides(model);
    for (std::size_t b = 0; b < places.size(); ++b)
      places[b] = {
          lanes::TurnAboutZ<Expression>(model.joint(static_cast<int>(b)).X_PJ.rotation().matrix()),
          lanes::V3<Expression>(Vec3<Expression>(slides.p_PB[b].cast<Expression>()))};
  }
};

}  // namespace detail
}  // namespace ulna
