#pragma once

#include <utility>

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
  online.patience = std::max(10, int(std::lround(options.change_after * options.rate_hz)));
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
/// the online estimator behind it, and a choice of the parameters that are used. Those change to what was estimated
/// last, or back to what the model has, only where that has explained the torques of the last moments better: what
/// the evidence does not support is not used.
class PlantEstimator {
 public:
  using Vector = Eigen::VectorXd;
  using In = const Eigen::Ref<const Vector>&;
  using Outcome = identify::OnlineEstimator::Outcome;

  PlantEstimator(const Plant<double>& plant, const ControllerOptions& options)
      : torques_(plant.model(), options.features.value_or(default_features(plant))),
        online_(torques_, torque_noise(plant.model(), options), online_options(options)),
        filter_(plant.model().nv(), identify::LowPass(options.filter_hz, options.rate_hz, 2),
                identify::MotionFilter::Velocity::measured),
        share_(1.0 / (memory * options.rate_hz)),
        model_{torques_.nominal()},
        used_(model_) {}

  /// Takes a sample of a period.
  void sample(In q, In v, In tau) {
    const Eigen::Index n = torques_.model().nv();
    sampled_ = q.size() == n && v.size() == n && tau.size() == n && filter_.update(q, v, tau);
  }
  /// Periods are missing: motion begins anew.
  void reset() { filter_.reset(), sampled_ = false; }

  /// What may have changed is learned anew.
  void expect_change() { online_.forget_changing(); }

  /// Learns from the last sample. True: other parameters than before are used, and written into the plant.
  bool update(Plant<double>& plant) {
    outcome_ = Outcome::ignored;
    if (!std::exchange(sampled_, false) || !filter_.settled()) return false;
    outcome_ =
        online_.update(filter_.q(), filter_.v(), filter_.a(), filter_.direction(), filter_.tau());
    if (outcome_ == Outcome::ignored) return false;
    estimated_.z = online_.z();
    for (Candidate* each : {&estimated_, &used_, &model_})
      each->misfit += share_ * (online_.misfit(each->z) - each->misfit);
    const Candidate& best = estimated_.misfit < model_.misfit ? estimated_ : model_;
    if (!(best.misfit < better * used_.misfit)) return false;
    used_ = best;
    torques_.set(used_.z, plant);
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
  bool sampled_ = false;
  Outcome outcome_ = Outcome::ignored;

  static constexpr double memory = 0.1, better = 0.95;  // s, share of the misfit of what is used
  struct Candidate {
    Vector z;
    double misfit = 0.0;  ///< mean square of errors of torques in deviations, of the last moments
  };
  double share_;
  Candidate model_, used_, estimated_{online_.z()};
};

}  // namespace ulna::mpc
