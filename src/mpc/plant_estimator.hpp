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
        rate_(options.rate_hz),
        payload_body_(options.payload_body > 0 ? options.payload_body
                                               : plant.model().joint_count()),
        share_(1.0 / (memory * options.rate_hz)),
        patience_(int(trial_time * options.rate_hz)),
        probation_(patience_),
        model_{of_model()},
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
    if (outcome_ == Outcome::restored) trial_ = 0, weigh_anew();
    if (outcome_ == Outcome::changed) {
      carried_before_ = carried_;
      carried_.evidence.clear();
      // of what it is at first, the model knows more than a moment's samples
      if (!std::exchange(carried_.changed, true) && double(samples_) > 2.0 * rate_)
        carried_.unloaded = older_;
      // a payload that was learned a moment ago would still explain what is measured
      if (std::exchange(since_change_, 0) < probation_) return reject_change(plant);
      trial_ = 1;
    }
    since_change_ = std::min(since_change_ + 1, probation_);
    if (outcome_ == Outcome::learned) weigh();
    if (++samples_ % std::lround(kept_for * rate_) == 0)
      older_.swap(recent_), recent_ = online_.z();
    estimated_.z = online_.z();
    resisting_.z = estimated_.z;
    resisting_.z.head(torques_.inertial_size()) = used_.z.head(torques_.inertial_size());
    for (Candidate* each : {&estimated_, &resisting_, &used_, &model_})
      each->misfit += share_ * (online_.misfit(each->z) - each->misfit);
    if (trial_ > 0 && estimated_.misfit < explains * used_.misfit) trial_ = 0;
    if (trial_ > 0 && ++trial_ > patience_) return reject_change(plant);
    const Candidate* best = choose();
    if (!best) return false;
    used_ = *best;
    online_.write(used_.z, plant);
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

  /// What the body has beyond what it had before the first change of the robot, or beyond the model.
  Payload payload() const {
    const identify::BodyEvidence& evidence = carried_.evidence;
    const identify::BodyEstimate found(evidence, evidence.count / payload_independent,
                                       payload_friction);
    const double deviation = std::hypot(found.mass_deviation, payload_share * found.x(0));
    return {found.x(0), deviation, found.x.segment<3>(1)};
  }

 private:
  struct Candidate {
    Vector z;
    double misfit = 0.0;  ///< mean square of errors of torques in deviations, of the last moments
  };

  /// What the last sample shows of the payload. A body's mass alone is not determined by torques, only together with those of its
  /// neighbours; what was added to it is, where the other bodies are those of before.
  void weigh() {
    weighed_ = carried_.unloaded;
    const int resisting = torques_.unknowns() - torques_.inertial_size();
    weighed_.segment(torques_.inertial_size(), resisting) =
        online_.z().segment(torques_.inertial_size(), resisting);
    carried_.evidence.forget(1.0 / (payload_memory * rate_));
    online_.add_evidence(weighed_, payload_body_, carried_.evidence);
  }

  /// After a change that was none, or is over.
  void weigh_anew() {
    carried_ = carried_before_;
    carried_.evidence.clear();
  }

  Vector of_model() const {
    Vector z = Vector::Zero(online_.z().size());
    z.head(torques_.unknowns()) = torques_.nominal();
    return z;
  }

  /// The last change was a disturbance, from which nothing is learned: back to the numbers of before.
  bool reject_change(Plant<double>& plant) {
    online_.reject_change();
    trial_ = 0, weigh_anew();
    used_.z = online_.z();
    online_.write(used_.z, plant);
    return true;
  }

  /// Null: those in use. After a sudden change, another payload is a hypothesis: it is used only if it explains nearly all of
  /// what was not explained.
  const Candidate* choose() const {
    const Candidate& learned = trial_ > 0 ? resisting_ : estimated_;
    const Candidate& best = learned.misfit < model_.misfit ? learned : model_;
    return best.misfit < better * used_.misfit ? &best : nullptr;
  }

  identify::TorqueModel torques_;
  identify::OnlineEstimator online_;
  identify::MotionFilter filter_;
  bool sampled_ = false;
  Outcome outcome_ = Outcome::ignored;

  static constexpr double memory = 0.1, better = 0.95;  // s, share of the misfit of what is used
  static constexpr double explains = 0.2, trial_time = 1.0;  // the same of a new payload; s
  double rate_;
  int payload_body_;
  double share_;
  int patience_, probation_;  ///< samples
  int trial_ = 0;             ///< samples that a new payload has not explained much; 0: none is
  int since_change_ = probation_;  ///< samples, at most those of the probation
  Candidate model_, used_, estimated_{online_.z()};
  long samples_ = 0;
  static constexpr double kept_for = 1.5;  // s
  /// Numbers of once to twice that ago, and of less: a change that is noticed has been learned from already.
  Vector older_ = model_.z, recent_ = older_;
  /// Of the payload: what samples show, and against which numbers, those of before it carried anything.
  struct Carried {
    Vector unloaded;
    identify::BodyEvidence evidence;
    bool changed = false;  ///< whether the robot has
  };
  Carried carried_{model_.z, identify::BodyEvidence(torques_.model().nv())},
      carried_before_ = carried_;
  Vector weighed_ = model_.z;
  static constexpr double payload_memory = 1.5;  // s
  /// Of errors that are left, as of friction, which go on for as long as a joint moves in one direction.
  static constexpr double payload_independent = 4.0;
  /// Of the mass, by which it is uncertain however long it is measured: friction and bodies are never quite as modelled.
  static constexpr double payload_share = 0.02;
  /// Of what joints resist with, which was learned together with the payload and may have taken part of it.
  static constexpr double payload_friction = 0.5;
  Candidate resisting_{online_.z()};  ///< used inertias, and what joints resist with as estimated
};

}  // namespace ulna::mpc
