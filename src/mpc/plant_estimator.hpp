#pragma once

#include "mpc/friction_compensator.hpp"
#include "num/message.hpp"
#include "ulna/identify/data/filter.hpp"
#include "ulna/mpc/controller.hpp"

namespace ulna::mpc {

inline const Eigen::VectorXd& torque_noise(const Model& model, const ControllerOptions& options) {
  messages::require(options.torque_noise.size() == model.nv(),
                    "torque noise: ", options.torque_noise.size(), " numbers given, robot '",
                    model.name(), "' has ", model.nv(), " degrees of freedom");
  return options.torque_noise;
}

inline identify::OnlineOptions online_options(const ControllerOptions& options) {
  identify::OnlineOptions online = options.online;
  online.rate_hz = options.rate_hz;
  online.correlated = std::max(1.0, options.rate_hz / options.filter_hz);
  // what the estimator leaves out by default, a controller needs
  if (online.slow == 0.0) online.slow = friction_speed;
  if (online.wander == 0.0) online.wander = 0.2;
  if (online.noise_memory == 0.0) online.noise_memory = 2.0;
  if (online.least_change.size() == 0) online.least_change = 4.0 * options.torque_noise;
  return online;
}

inline std::vector<identify::Feature> default_features(const Plant<double>& plant) {
  if (plant.friction == plant.friction_negative)
    return {identify::Feature::viscous, identify::Feature::coulomb};
  return {identify::Feature::viscous, identify::Feature::coulomb_positive,
          identify::Feature::coulomb_negative};
}

/// Estimates a plant's parameters from samples as they are measured: a low-pass filter of motion and torques,
/// and the online estimator behind it.
class PlantEstimator {
 public:
  using In = const Eigen::Ref<const Eigen::VectorXd>&;
  using Outcome = identify::OnlineEstimator::Outcome;

  PlantEstimator(const Plant<double>& plant, const ControllerOptions& options)
      : torques_(plant.model(), options.features.value_or(default_features(plant))),
        online_(torques_, torque_noise(plant.model(), options), online_options(options)),
        filter_(plant.model().nv(), identify::LowPass(options.filter_hz, options.rate_hz, 2),
                identify::MotionFilter::Velocity::measured) {}

  /// Writes the parameters into the plant; false if the sample is no use yet, or not at all.
  bool update(In q, In v, In tau, Plant<double>& plant) {
    const Eigen::Index n = plant.model().nv();
    outcome_ = Outcome::ignored;
    if (q.size() != n || v.size() != n || tau.size() != n || !filter_.update(q, v, tau) ||
        !filter_.settled())
      return false;
    outcome_ =
        online_.update(filter_.q(), filter_.v(), filter_.a(), filter_.direction(), filter_.tau());
    torques_.set(online_.z(), plant);
    return true;
  }

  void update_wrench(int body, In q, In v, In a, In wrench, In noise) {
    const Model& model = torques_.model();
    const Eigen::Index n = model.nv();
    if (q.size() == n && v.size() == n && a.size() == n && wrench.size() == 6 &&
        noise.size() == 6 && body > 0 && body < model.body_count())
      online_.update_wrench(body, q, v, a, wrench, noise);
  }

  Outcome outcome() const { return outcome_; }
  const identify::OnlineEstimator& online() const { return online_; }

 private:
  identify::TorqueModel torques_;
  identify::OnlineEstimator online_;
  identify::MotionFilter filter_;
  Outcome outcome_ = Outcome::ignored;
};

}  // namespace ulna::mpc
