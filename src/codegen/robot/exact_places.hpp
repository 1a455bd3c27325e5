#pragma once

#include "ulna/codegen/expression.hpp"
#include "ulna/dynamics/workspace.hpp"

/// How the bodies of a robot are placed in their parents, with as many zeros as can be.
///
/// Right angles are exact. A description gives them as rounded radians, and a cosine of 6e-17 instead
/// of 0 would put hundreds of needless products into a traced function. Elements of a rotation within
/// 1e-12 of -1, 0 or 1 become that, and elements of a vector within 1e-12 of its largest become 0.
namespace ulna::codegen {

inline constexpr double exact_within = 1e-12;

inline double exact(double x) {
  for (const double whole : {-1.0, 0.0, 1.0})
    if (std::abs(x - whole) <= exact_within) return whole;
  return x;
}

template <class Matrix>
Matrix without_dust(const Matrix& m) {
  const double dust = exact_within * m.cwiseAbs().maxCoeff();
  return m.unaryExpr([&](double x) { return std::abs(x) <= dust ? 0.0 : x; });
}

struct ExactPlace {
  Mat3<double> E;           ///< the canonical frame at q = 0 in the parent's
  Vec3<double> p;           ///< where it lies there
  double slide_from = 0.0;  ///< how far along its z it lies from the model's canonical frame
};

/// The frame of a body on a hinge lies where its axis is nearest to the parent's origin: then axes that
/// meet have one origin, and fewer lever arms.
inline std::vector<ExactPlace> exact_places(const Model& model) {
  std::vector<ExactPlace> places;
  std::vector<bool> may_slide(static_cast<std::size_t>(model.body_count()), true);
  // joints of several coordinates are placed by the model's own numbers
  for (const Joint& j : model.joints())
    if (velocity_size(j.type) > 1) may_slide[j.parent] = false;
  for (const Joint& j : model.joints()) {
    ExactPlace place{j.X_PJ.rotation().matrix().unaryExpr(&exact), j.X_PJ.translation()};
    const std::size_t b = places.size();
    if (b > 0) place.p.z() -= places[j.parent].slide_from;
    const Vec3<double> z = place.E.col(2);
    const double size = place.p.norm();
    if (may_slide[b] && (j.type == JointType::revolute || j.type == JointType::continuous))
      place.slide_from = -place.p.dot(z);
    place.p = without_dust(Vec3<double>(place.p + place.slide_from * z));
    if (place.p.norm() <= exact_within * size) place.p.setZero();
    places.push_back(place);
  }
  return places;
}

/// Puts these places into the workspace of an algorithm.
template <Scalar T>
void place_exactly(const Model& model, detail::Skeleton<T>& skeleton) {
  const std::vector<ExactPlace> places = exact_places(model);
  for (std::size_t b = 0; b < places.size(); ++b)
    skeleton.places[b] = {lanes::TurnAboutZ<T>(places[b].E),
                          lanes::V3<T>(Vec3<T>(places[b].p.cast<T>()))};
}

}  // namespace ulna::codegen
