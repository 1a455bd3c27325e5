#pragma once

#include "ulna/model/plant.hpp"

namespace ulna::detail {

/// What separate motors need for themselves along a motion, seen at the joints: N'(J φ'' + friction(φ')), with φ' = N omega and
/// φ'' = N alpha. Allocates in its constructor only.
class MotorLoads {
 public:
  explicit MotorLoads(const Model& model)
      : gears_(model.drives().separate_gears),
        turning_(Eigen::VectorXd::Zero(model.nv())),
        load_(turning_) {}

  bool empty() const { return gears_.empty(); }

  /// Adds it to tau; friction(motor, rate) is that of a motor at its shaft.
  template <class Friction>
  void add(const DriveParameters<double>& drives, const Eigen::VectorXd& omega,
           const Eigen::VectorXd& alpha, Friction friction, Eigen::VectorXd& tau) {
    turning_.setZero(), load_.setZero();
    for (const auto& [motor, c, ratio] : gears_) {
      turning_(motor) += ratio * omega(c);
      load_(motor) += ratio * drives.inertia(motor) * alpha(c);
    }
    // gears of a motor stand side by side
    for (std::size_t i = 0; i < gears_.size(); ++i)
      if (const int m = gears_[i].motor; i == 0 || gears_[i - 1].motor != m)
        load_(m) += friction(m, turning_(m));
    for (const auto& [motor, c, ratio] : gears_) tau(c) += ratio * load_(motor);
  }

 private:
  std::vector<DriveTrain::Entry> gears_;
  Eigen::VectorXd turning_, load_;
};

}  // namespace ulna::detail
