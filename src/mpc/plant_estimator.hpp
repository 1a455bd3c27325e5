#pragma once

#include <utility>

#include "mpc/change_hypothesis.hpp"
#include "mpc/friction_compensator.hpp"
#include "mpc/payload_scale.hpp"
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
  if (online.gravity == 0.0) online.gravity = 0.3;
  if (online.least_change.size() == 0) online.least_change = 4.0 * options.torque_noise;
  return online;
}

inline std::vector<identify::Feature> default_features(const Plant<double>& plant) {
  using enum identify::Feature;
  if (plant.friction == plant.friction_negative) return {viscous, coulomb, armature};
  return {viscous, coulomb_positive, coulomb_negative, armature};
}

/// Estimates a plant's parameters from samples as they are measured: a low-pass filter of motion and torques,
/// the online estimator behind it, a scale for what is carried, and a choice of the parameters that are used. Those change to what was estimated
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
        shortest_wait_(int(0.25 * options.rate_hz)),
        model_{of_model()},
        used_(model_),
        before_(model_),
        change_(joints_of(online_.z()), int(probation * options.rate_hz)),
        scale_(torques_, online_,
               options.payload_body > 0 ? options.payload_body : plant.model().joint_count(),
               options.rate_hz, online_options(options).correlated) {}

  /// Takes a sample of a period.
  void sample(In q, In v, In tau) {
    const Eigen::Index n = torques_.model().nv();
    sampled_ = q.size() == n && v.size() == n && tau.size() == n && filter_.update(q, v, tau);
  }
  /// Periods are missing: motion begins anew.
  void reset() { filter_.reset(), sampled_ = false; }

  /// What may have changed is learned anew.
  void expect_change() { online_.forget_changing(), scale_.change(); }

  /// Learns from the last sample. True: other parameters than before are used, and written into the plant.
  bool update(Plant<double>& plant) {
    outcome_ = Outcome::ignored;
    if (!std::exchange(sampled_, false) || !filter_.settled()) return false;
    outcome_ =
        online_.update(filter_.q(), filter_.v(), filter_.a(), filter_.direction(), filter_.tau());
    if (outcome_ == Outcome::ignored) return false;
    if (outcome_ == Outcome::restored) change_.end(), scale_.undo_change();
    if (outcome_ == Outcome::changed) {
      // a payload that was learned a moment ago would still explain most of what is measured
      using enum ChangeHypothesis::Change;
      const auto change = change_.begin(
          joints_of(online_.z()), uses_estimates_ && estimated_.misfit < most * before_.misfit);
      if (change == rejects) return reject_change(plant);
      if (change == first) scale_.change(), before_ = used_;
    }
    // what was too light to be noticed would be learned as slowly as bodies are that do not change
    if (scale_.sample(online_, outcome_ == Outcome::learned)) online_.forget_changing();
    estimated_.z = online_.z();
    change_.sample(estimated_.z);
    for (Candidate* each : {&estimated_, &used_, &model_, &before_})
      each->misfit += share_ * (online_.misfit(each->z) - each->misfit);
    if (!change_.judge(estimated_.misfit, used_.misfit)) return reject_change(plant);
    if (uses_estimates_ && ++trusted_ > longest_wait_) wait_ = shortest_wait_;
    if (barred_ > 0 && --barred_ > 0) return false;
    const Candidate* best = choose();
    if (!best) return false;
    use(*best, plant);
    return true;
  }

  /// The parameters in use have failed: the model's own are used instead, for a while that is longer each time it happens again soon.
  /// False: those were in use.
  bool withdraw(Plant<double>& plant) {
    if (!uses_estimates_) return false;
    use(model_, plant);
    barred_ = std::exchange(wait_, std::min(2 * wait_, longest_wait_));
    trusted_ = 0;
    return true;
  }
  /// Whether the parameters in use are other ones than the model's.
  bool uses_estimates() const { return uses_estimates_; }

  void update_wrench(int body, In q, In v, In a, In wrench, In noise) {
    const Model& model = torques_.model();
    const Eigen::Index n = model.nv();
    if (q.size() == n && v.size() == n && a.size() == n && wrench.size() == 6 &&
        noise.size() == 6 && body > 0 && body < model.body_count())
      online_.update_wrench(body, q, v, a, wrench, noise);
  }

  Outcome outcome() const { return outcome_; }
  const identify::OnlineEstimator& online() const { return online_; }

  Payload payload() { return scale_.payload(); }

 private:
  struct Candidate {
    Vector z;
    double misfit = 0.0;  ///< mean square of errors of torques in deviations, of the last moments
  };

  Vector of_model() const {
    Vector z = Vector::Zero(online_.z().size());
    z.head(torques_.unknowns()) = torques_.nominal();
    return z;
  }

  /// All but the bodies: what joints resist with, and gravity.
  Eigen::VectorBlock<const Vector> joints_of(const Vector& z) const {
    return z.tail(z.size() - torques_.inertial_size());
  }

  void use(const Candidate& better_one, Plant<double>& plant) {
    uses_estimates_ = &better_one != &model_;
    used_ = better_one;
    online_.write(used_.z, plant);
  }

  /// The last change was a disturbance, from which nothing is learned: back to the numbers of before.
  bool reject_change(Plant<double>& plant) {
    online_.reject_change();
    change_.end(), scale_.undo_change();
    if (!uses_estimates_) return false;
    used_.z = online_.z();
    online_.write(used_.z, plant);
    return true;
  }

  /// Null: those in use.
  const Candidate* choose() const {
    // beside a disturbance no numbers explain torques, and that some explain more of it does not speak for them
    const bool usable = change_.is_usable() && !online_.is_disturbed();
    const Candidate& best = usable && estimated_.misfit < model_.misfit ? estimated_ : model_;
    return best.misfit < better * used_.misfit ? &best : nullptr;
  }

  identify::TorqueModel torques_;
  identify::OnlineEstimator online_;
  identify::MotionFilter filter_;
  bool sampled_ = false;
  Outcome outcome_ = Outcome::ignored;

  static constexpr double memory = 0.1, better = 0.95;  // s, share of the misfit of what is used
  static constexpr double probation = 1.0;              // s
  static constexpr double most = 0.5;  ///< share of the misfit of numbers of before a change
  double share_;
  bool uses_estimates_ = false;
  int shortest_wait_, longest_wait_ = 20 * shortest_wait_;  ///< samples
  int wait_ = shortest_wait_;        ///< after which estimates that have failed may be used again
  int barred_ = 0;                   ///< samples that are left of it
  int trusted_ = 0;                  ///< samples since then in which estimates were used
  Candidate model_, used_, before_;  ///< before_: used when the robot changed
  Candidate estimated_{online_.z()};
  ChangeHypothesis change_;
  PayloadScale scale_;
};

}  // namespace ulna::mpc
