#pragma once

#include "ulna/identify/data/filter.hpp"
#include "ulna/mpc/controller.hpp"

namespace ulna::mpc {

/// Estimates a plant's parameters from samples as they are measured: a low-pass filter of motion and torques,
/// and the online estimator behind it.
class PlantEstimator {
 public:
  using In = const Eigen::Ref<const Eigen::VectorXd>&;
  using Outcome = identify::OnlineEstimator::Outcome;

  PlantEstimator(const Plant<double>& plant, const ControllerOptions& options);

  /// Writes the parameters into the plant; false if the sample is no use yet, or not at all.
  bool update(In q, In v, In tau, Plant<double>& plant);
  void update_wrench(int body, In q, In v, In a, In wrench, In noise);

  Outcome outcome() const { return outcome_; }
  const identify::OnlineEstimator& online() const { return online_; }

 private:
  identify::TorqueModel torques_;
  identify::OnlineEstimator online_;
  identify::MotionFilter filter_;
  Outcome outcome_ = Outcome::ignored;
};

}  // namespace ulna::mpc
