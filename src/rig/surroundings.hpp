#pragma once

#include <cmath>
#include <numbers>
#include <random>

#include "ulna/dynamics/kinematics.hpp"
#include "ulna/num/random.hpp"
#include "ulna/rig/reality.hpp"
#include "ulna/rig/test_plant.hpp"

namespace ulna::rig {

/// -1 or 1, by chance.
inline double random_sign(std::mt19937_64& random) { return uniform(random) < 0.5 ? -1.0 : 1.0; }

/// Torques on the joints that are neither the drives' nor in the plant's own numbers: those of friction that a number cannot
/// describe, of gears, and of what the tip touches.
class Surroundings {
 public:
  using Vector = Eigen::VectorXd;

  Surroundings(const Model& model, const Reality& reality)
      : own_positive(Vector::Zero(model.nv())),
        reality_(reality),
        tip_(&tip_frame(model)),
        at_(model),
        effort_(nominal_efforts(model)),
        direction_(effort_),
        phase_(Eigen::MatrixXd(effort_.size(), 2)),
        J_(6, model.nv()) {
    std::mt19937_64 random(reality.seed);
    for (double& x : direction_) x = random_sign(random);
    for (double& x : phase_.reshaped()) x = 2.0 * std::numbers::pi * uniform(random);
  }

  bool has_forces() const {
    return reality_.ripple != 0.0 || !reality_.pushes.empty() || reality_.wall.has_value();
  }
  bool has_friction() const {
    return reality_.friction_by_direction > 0.0 || reality_.stribeck > 0.0 ||
           !reality_.grips.empty();
  }

  /// Torques of gears, pushes and the wall.
  const Vector& forces(double time, const TestPlant& robot) {
    torque_ = ripple(robot.q());
    force_.setZero();
    for (const Push& push : reality_.pushes)
      if (push.when.contains(time)) force_ += push.force;
    if (force_.isZero(0.0) && !reality_.wall) return torque_;
    at_.set(robot.q());
    frame_jacobian<double>(at_, *tip_, Axes::aligned, J_);
    if (reality_.wall) force_ += wall_force(*reality_.wall, robot.v());
    torque_.noalias() += J_.bottomRows<3>().transpose() * force_;
    return torque_;
  }

  /// Of the gear, at a place.
  const Vector& ripple(const Vector& q) {
    if (reality_.ripple == 0.0) return zero_;
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const double motor = reality_.gear_ratio * q(i);
      ripple_(i) =
          reality_.ripple / 3.0 * effort_(i) *
          (2.0 * std::sin(2.0 * motor + phase_(i, 0)) + std::sin(4.0 * motor + phase_(i, 1)));
    }
    return ripple_;
  }

  /// Dry friction, in both directions, of a robot that has `usual` friction without; and those that hold it fast.
  void friction(double time, const Vector& v, const Plant<double>& usual) {
    for (Eigen::Index i = 0; i < v.size(); ++i) {
      const double speed = v(i) / reality_.stribeck_velocity;
      const double more = reality_.stribeck * effort_(i) * (1.0 + std::exp(-speed * speed));
      const double uneven = reality_.friction_asymmetry * direction_(i);
      const double mean = reality_.friction_by_direction * effort_(i);
      own_positive(i) = usual.friction(i) + more + (1.0 + uneven) * mean;
      own_negative(i) = usual.friction_negative(i) + more + (1.0 - uneven) * mean;
    }
    positive = own_positive, negative = own_negative;
    for (const Grip& grip : reality_.grips)
      if (grip.when.contains(time))
        for (Eigen::Index i = 0; i < v.size(); ++i)
          if (grip.coordinate < 0 || grip.coordinate == i) hold_fast(i);
  }
  Vector own_positive, own_negative = own_positive;
  Vector positive = own_positive, negative = own_positive;  ///< with the hands that hold joints

 private:
  /// By more than all drives together can overcome.
  void hold_fast(Eigen::Index i) {
    const double hand = 100.0 * effort_.sum();
    positive(i) += hand, negative(i) += hand;
  }

  Eigen::Vector3d wall_force(const Wall& wall, const Vector& v) const {
    const Eigen::Vector3d normal = wall.normal.normalized();
    const double depth = -normal.dot(at_.pose(*tip_).translation() - wall.point);
    if (depth <= 0.0) return Eigen::Vector3d::Zero();
    const double outward = normal.dot(J_.bottomRows<3>() * v);
    return normal * std::max(0.0, wall.stiffness * depth - wall.damping * outward);
  }

  Reality reality_;
  const Frame* tip_;
  Kinematics<double> at_;
  Vector effort_, direction_;
  Eigen::MatrixXd phase_, J_;
  Eigen::Vector3d force_ = Eigen::Vector3d::Zero();
  Vector torque_ = Vector::Zero(effort_.size()), ripple_ = torque_, zero_ = torque_;
};

}  // namespace ulna::rig
