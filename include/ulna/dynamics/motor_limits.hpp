#pragma once

#include <cmath>

#include "ulna/model/model.hpp"

namespace ulna::detail {

/// What motors can exert: each through its own gear, that to the joint whose number it has, as much as that joint's effort limit. Torques
/// are what motors exert on the joints, N' tau. Allocates in its constructor only.
class MotorLimits {
 public:
  explicit MotorLimits(const Model& model)
      : limit_(model.effort_limit()), motors_(Eigen::VectorXd::Zero(model.nv())) {
    const DriveTrain& train = model.drives();
    if (train.diagonal) return;
    Eigen::VectorXd own = Eigen::VectorXd::Ones(model.nv());
    for (const auto& [motor, c, ratio] : train.gears)
      if (motor == c) own(motor) = ratio;
    gears_ = train.gears, shares_ = train.shares;
    for (DriveTrain::Entry& e : gears_) e.ratio /= own(e.motor);
    for (DriveTrain::Entry& e : shares_) e.ratio *= own(e.motor);
  }

  /// Torques of the motors, each through its own gear.
  const Eigen::VectorXd& motors(const Eigen::VectorXd& tau) noexcept {
    if (shares_.empty()) return motors_ = tau;
    motors_.setZero();
    for (const auto& [motor, c, share] : shares_) motors_(motor) += share * tau(c);
    return motors_;
  }

  /// The same as a matrix, nv x nv; empty where each motor has one joint.
  Eigen::MatrixXd matrix() const {
    if (shares_.empty()) return {};
    Eigen::MatrixXd made = Eigen::MatrixXd::Zero(limit_.size(), limit_.size());
    for (const auto& [motor, c, share] : shares_) made(motor, c) = share;
    return made;
  }
  /// What all motors together can exert on each joint.
  Eigen::VectorXd together() const {
    if (gears_.empty()) return limit_;
    Eigen::VectorXd most = Eigen::VectorXd::Zero(limit_.size());
    for (const auto& [motor, c, ratio] : gears_) most(c) += std::abs(ratio) * limit_(motor);
    return most;
  }
  /// Of each motor, through its own gear.
  const Eigen::VectorXd& limit() const { return limit_; }

  /// Cuts torques off where motors cannot exert them; of how many motors.
  int clip(Eigen::VectorXd& tau) noexcept {
    motors(tau);
    int clipped = 0;
    for (Eigen::Index m = 0; m < motors_.size(); ++m) {
      if (std::abs(motors_(m)) <= limit_(m)) continue;
      motors_(m) = std::copysign(limit_(m), motors_(m));
      ++clipped;
    }
    if (clipped == 0) return 0;
    if (gears_.empty()) {
      tau = motors_;
    } else {
      tau.setZero();
      for (const auto& [motor, c, ratio] : gears_) tau(c) += ratio * motors_(motor);
    }
    return clipped;
  }

 private:
  Eigen::VectorXd limit_, motors_;
  std::vector<DriveTrain::Entry> gears_,
      shares_;  ///< through own gears; empty where each motor has one joint
};

}  // namespace ulna::detail
