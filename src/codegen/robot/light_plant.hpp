#pragma once

#include "codegen/robot/exact_places.hpp"
#include "ulna/dynamics/joint_kernels.hpp"
#include "ulna/model/plant.hpp"

/// The robot's numbers, as few of them as its dynamics depends on.
namespace ulna::detail {

/// Inertias that yield the same torques with more zeros [Gautier, Khalil 1990]. Mass on a hinge's axis
/// moves as if it belonged to the parent, so it is handed over to it: of a body on a hinge, its mass,
/// the first moment along the axis and the second moment along it. What slides turns as its parent
/// does, so it hands over its second moments. Wrenches through the joints would come out changed;
/// joint torques do not. The frames are those of exact_places.
inline Plant<Expression> light_plant(const Model& model) {
  struct Body {
    double mass;
    Vec3<double> first;
    Mat3<double> second;
  };
  std::vector<Body> bodies;
  for (const Inertia<double>& inertia : model.canonical_inertias()) {
    const Mat4<double> J = pseudo_inertia(inertia);
    bodies.push_back({J(3, 3), J.topRightCorner<3, 1>(), Mat3<double>(J.topLeftCorner<3, 3>())});
  }
  const std::vector<ExactPlace> places = exact_places(model);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    Body& B = bodies[b];
    const Vec3<double> d(0.0, 0.0, -places[b].slide_from);
    const Mat3<double> hd = B.first * d.transpose();
    B.second += hd + hd.transpose() + B.mass * d * d.transpose();
    B.first += B.mass * d;
  }
  for (std::size_t b = bodies.size() - 1; b > 0; --b) {
    const Joint& j = model.joint(static_cast<int>(b));
    Body &B = bodies[b], &P = bodies[static_cast<std::size_t>(j.parent)];
    const auto& [E, p, slide_from] = places[b];
    if (turns_only(j.type)) {
      const Vec3<double> z = E.col(2);
      const Mat3<double> pz = p * z.transpose();
      P.mass += B.mass;
      P.first += B.mass * p + B.first.z() * z;
      P.second += B.mass * p * p.transpose() + B.first.z() * (pz + pz.transpose()) +
                  B.second(2, 2) * z * z.transpose();
      B.mass = B.first.z() = B.second(2, 2) = 0.0;
    } else if (j.type == JointType::prismatic) {
      P.second += E * B.second * E.transpose();
      B.second.setZero();
    }
  }

  Plant<Expression> plant(model);
  for (int b = 0; b < model.body_count(); ++b) {
    const Body& B = bodies[static_cast<std::size_t>(b)];
    Plant<Expression>::Body light;
    light.mass = B.mass;
    light.first = V3<Expression>(Vec3<Expression>(without_dust(B.first).cast<Expression>()));
    light.second =
        lanes::S3<Expression>(Mat3<Expression>(without_dust(B.second).cast<Expression>()));
    plant.set_body(b, light);
  }
  return plant;
}

/// Whether the first joint only turns the whole robot about the direction of gravity: then nothing
/// depends on its angle.
inline bool turns_with_gravity(const Model& model) {
  if (model.joint_count() == 0 || !turns_only(model.joint(1).type)) return false;
  for (int b = 2; b < model.body_count(); ++b)
    if (model.joint(b).parent == 0 || model.joint(b).q == model.joint(1).q) return false;
  const Vec3<double> axis = model.joint(1).X_PJ.rotation().matrix().col(2);
  return cross(axis, model.gravity()).norm() <= exact_within * model.gravity().norm();
}

}  // namespace ulna::detail
