#pragma once

#include "ulna/codegen/expression.hpp"
#include "ulna/dynamics/joint_kernels.hpp"
#include "ulna/dynamics/mass_matrix_impl.hpp"
#include "ulna/dynamics/workspace.hpp"

/// The robot's numbers, as few of them as its dynamics depends on, and as many zeros as can be.
///
/// Right angles are exact. A description gives them as rounded radians, and a cosine of 6e-17 instead
/// of 0 would put hundreds of needless products into a traced function. Elements of a rotation within
/// 1e-12 of -1, 0 or 1 become that, and elements of a vector within 1e-12 of its largest become 0.
namespace ulna::codegen {

using E = Expression;
using V3 = lanes::V3<E>;
using M3 = lanes::M3<E>;
using S3 = lanes::S3<E>;
using V6 = lanes::V6<E>;

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
  Mat3<double> R;           ///< the canonical frame at q = 0 in the parent's
  Vec3<double> p;           ///< where it lies there
  double slide_from = 0.0;  ///< how far along its z it lies from the model's canonical frame
};

/// The frame of a body on a hinge lies where its axis is nearest to the parent's origin: then axes that
/// meet have one origin, and fewer lever arms.
inline std::vector<ExactPlace> exact_places(const Model& model) {
  std::vector<ExactPlace> places;
  std::vector<bool> may_slide(std::size_t(model.body_count()), true);
  // joints of several coordinates are placed by the model's own numbers
  for (const Joint& j : model.joints())
    if (velocity_size(j.type) > 1) may_slide[j.parent] = false;
  for (const Joint& j : model.joints()) {
    ExactPlace place{j.X_PJ.rotation().matrix().unaryExpr(&exact), j.X_PJ.translation()};
    const std::size_t b = places.size();
    if (b > 0) place.p.z() -= places[j.parent].slide_from;
    const Vec3<double> z = place.R.col(2);
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
inline void place_exactly(const Model& model, detail::Skeleton<E>& skeleton) {
  const std::vector<ExactPlace> places = exact_places(model);
  for (std::size_t b = 0; b < places.size(); ++b)
    skeleton.places[b] = {lanes::TurnAboutZ<E>(places[b].R), V3(Vec3<E>(places[b].p.cast<E>()))};
}

/// A plant whose inertias, ten per moving body in the users' frames, are the expressions pi.
inline Plant<E> plant_with(const Model& model, const VecX<E>& pi) {
  Plant<E> plant(model);
  for (int b = 1; b < model.body_count(); ++b) {
    const Mat3<double> R_BC = model.joint(b).R_BC.matrix().unaryExpr(&exact);
    const auto X_CB =
        Transform<E>::from_rotation(Rotation<E>::from_matrix(R_BC.transpose().cast<E>()));
    const Inertia<E>::Parameters own = pi.segment<10>(10 * (b - 1));
    plant.set_body(b, Plant<E>::Body(X_CB * Inertia<E>(own)));
  }
  return plant;
}

/// Zeros for those that are not, but only by rounding.
template <class... Numbers>
void remove_dust(Numbers&... numbers) {
  if (!(numbers.is_constant() && ...)) return;
  double largest = 0.0;
  ((largest = std::max(largest, std::abs(numbers.constant()))), ...);
  const auto clean = [&](E& x) {
    if (std::abs(x.constant()) <= exact_within * largest) x = E(0);
  };
  (clean(numbers), ...);
}

/// Inertias that yield the same torques with more zeros [Gautier, Khalil 1990]. Mass on a hinge's axis
/// moves as if it belonged to the parent, so it is handed over to it: of a body on a hinge, its mass,
/// the first moment along the axis and the second moment along it. What slides turns as its parent
/// does, so it hands over its second moments. Wrenches through the joints would come out changed;
/// joint torques do not. The frames are those of exact_places.
inline Plant<E> light_plant(Plant<E> plant) {
  using Body = Plant<E>::Body;
  const Model& model = plant.model();
  const std::vector<ExactPlace> places = exact_places(model);
  /// The body seen from a frame in which its own is at R, p.
  const auto seen = [](const Body& B, const M3& R, const V3& p) {
    Body made;
    detail::carry_to_world(B, R, p, made);
    return made;
  };
  const M3 one(Mat3<E>(Mat3<E>::Identity()));
  std::vector<Body> bodies;
  for (int b = 0; b < model.body_count(); ++b)
    bodies.push_back(seen(plant.body(b), one, {E(0), E(0), E(-places[b].slide_from)}));
  for (std::size_t b = bodies.size() - 1; b > 0; --b) {
    const Joint& j = model.joint(int(b));
    Body &B = bodies[b], handed;
    if (detail::turns_only(j.type)) {
      std::swap(handed.mass, B.mass);
      std::swap(handed.first.z, B.first.z);
      std::swap(handed.second.zz, B.second.zz);
    } else if (j.type == JointType::prismatic) {
      std::swap(handed.second, B.second);
    }
    detail::add_body(
        seen(handed, M3(Mat3<E>(places[b].R.cast<E>())), V3(Vec3<E>(places[b].p.cast<E>()))),
        bodies[j.parent]);
  }
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    V3& h = bodies[b].first;
    S3& S = bodies[b].second;
    remove_dust(h.x, h.y, h.z);
    remove_dust(S.xx, S.xy, S.xz, S.yy, S.yz, S.zz);
    plant.set_body(int(b), bodies[b]);
  }
  return plant;
}

/// Whether the first joint turns all about the direction of gravity: nothing depends on its angle.
inline bool turns_with_gravity(const Model& model) {
  if (model.joint_count() == 0 || !detail::turns_only(model.joint(1).type)) return false;
  for (int b = 2; b < model.body_count(); ++b)
    if (model.joint(b).parent == 0 || model.joint(b).q == model.joint(1).q) return false;
  const Vec3<double> axis = model.joint(1).X_PJ.rotation().matrix().col(2);
  return cross(axis, model.gravity()).norm() <= exact_within * model.gravity().norm();
}

}  // namespace ulna::codegen
