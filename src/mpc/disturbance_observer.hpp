#pragma once

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/identify/data/filter.hpp"

namespace ulna::mpc {

/// Estimates the torque of each joint that a plant does not explain, as a disturbance of the input that
/// stays as it is over the horizon: added to planned torques, it removes the steady error of a wrong
/// model. [Disturbance observer: Ohnishi 1987; offset-free MPC: Pannocchia, Rawlings 2003]
class DisturbanceObserver {
 public:
  using In = const Eigen::Ref<const Eigen::VectorXd>&;

  DisturbanceObserver(const Model& model, double filter_hz, double rate_hz)
      : filter_(model.nv(), identify::LowPass(filter_hz, rate_hz, 2),
                identify::MotionFilter::Velocity::measured),
        motion_(model),
        ws_(model),
        torque_(Eigen::VectorXd::Zero(model.nv())) {}

  /// With a sample as it is measured; one of a wrong size or with numbers that are not finite changes nothing.
  void update(const Plant<double>& plant, In q, In v, In tau) {
    const Eigen::Index n = torque_.size();
    if (q.size() != n || v.size() != n || tau.size() != n || !filter_.update(q, v, tau) ||
        !filter_.settled())
      return;
    // numbers near the largest overflow in the filter
    if (!filter_.q().allFinite() || !filter_.v().allFinite() || !filter_.a().allFinite() ||
        !filter_.tau().allFinite()) {
      filter_.reset();
      return;
    }
    motion_.set(filter_.q(), filter_.v(), filter_.a());
    inverse_dynamics<double>(plant, motion_, ws_, torque_);
    torque_ = filter_.tau() - torque_;
  }

  const Eigen::VectorXd& torque() const { return torque_; }

 private:
  identify::MotionFilter filter_;
  Motion<double> motion_;
  Workspace<double> ws_;
  Eigen::VectorXd torque_;
};

}  // namespace ulna::mpc
