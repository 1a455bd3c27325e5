#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "ulna/identify/online/online_estimator.hpp"
#include "ulna/mpc/controller.hpp"

namespace ulna::mpc {

/// Weighs what a body carries. A body's mass alone is not determined by torques, only together with those of its neighbours;
/// what was added to it is, where all else is as it was before: bodies, gravity, and what joints resist with. Numbers that were learned
/// since have taken part of the payload, so that samples are compared with numbers of before it.
class PayloadScale {
 public:
  using Vector = Eigen::VectorXd;

  /// `z`: of the model.
  PayloadScale(const identify::TorqueModel& torques, const Vector& z, int body, double rate_hz)
      : features_at_(torques.inertial_size()),
        features_(torques.unknowns() - torques.inertial_size()),
        body_(body),
        rate_(rate_hz),
        gravity_(torques.model().gravity()),
        carried_(z, torques.model()),
        carried_before_(carried_),
        older_(carried_),
        recent_(carried_) {}

  /// After each sample that the estimator has taken, what it has learned from or not.
  void sample(const identify::OnlineEstimator& online, bool learned) {
    if (learned)
      for (Reference* each : {&carried_, &older_, &recent_}) {
        each->evidence.forget(1.0 / (memory * rate_));
        online.add_evidence(each->z, body_, each->evidence);
      }
    ++samples_;
    if (samples_ % std::lround(kept_for * rate_) == 0) {
      std::swap(older_, recent_);
      recent_.z = online.z();
      recent_.evidence.clear();
      recent_.learned_for = double(samples_) / rate_;
    }
    if (samples_ % std::lround(looked_at * rate_) == 0) look();
  }

  /// The robot has changed, as the estimator noticed at its last sample.
  void change(const identify::OnlineEstimator& online) {
    carried_before_ = carried_;
    if (!carries_) {
      carried_ = older_;
      // the model knows more of bodies than a moment's samples, but nothing of friction
      if (older_.learned_for == 0.0)
        carried_.z.segment(features_at_, features_) = online.z().segment(features_at_, features_);
    }
    carried_.evidence.clear();
    carried_before_carries_ = std::exchange(carries_, true);
  }
  /// The last change was none, or is over.
  void undo_change() {
    carried_ = carried_before_;
    carried_.evidence.clear();
    carries_ = carried_before_carries_;
  }

  /// Not known before something has changed.
  Payload payload() const { return carries_ ? weigh(carried_) : Payload{}; }

 private:
  /// Numbers of a moment, and what samples since show beyond them.
  struct Reference {
    Reference(const Vector& numbers, const Model& model) : z(numbers), evidence(model.nv()) {}
    Vector z;
    identify::BodyEvidence evidence;
    double learned_for = 0.0;  ///< s until then; 0: the model's
  };

  Payload weigh(const Reference& from) const {
    const identify::BodyEstimate found(from.evidence, from.evidence.count / independent, friction);
    // gravity's magnitude is hardly told from the masses of all bodies: by what it was found to differ, a mass may be off
    const bool estimated = from.z.size() > features_at_ + features_;
    const double usual = gravity_.norm(),
                 g = estimated ? (gravity_ + from.z.tail<3>()).norm() : usual,
                 off = std::abs(g - usual) / std::max(g, 1e-3);
    const double deviation = std::hypot(found.mass_deviation, std::hypot(share, off) * found.x(0));
    return {found.x(0), deviation, found.x.segment<3>(1)};
  }

  /// A payload that is too light to be noticed as a change is found by what it weighs.
  void look() {
    if (carries_ || older_.learned_for < well_learned) return;
    const Payload found = weigh(older_);
    if (!(found.mass > clear * found.deviation)) return;
    carried_ = older_;
    carries_ = true;
  }

  int features_at_, features_, body_;
  double rate_;
  long samples_ = 0;
  Vec3<double> gravity_;  ///< of the model
  Reference carried_, carried_before_;
  /// Of once to twice `kept_for` ago, and of less: a change that is noticed has been learned from already.
  Reference older_, recent_;
  bool carries_ = false, carried_before_carries_ = false;

  static constexpr double memory = 1.5, kept_for = 1.5, looked_at = 0.1;  // s
  static constexpr double well_learned = 2.0;                             // s
  static constexpr double clear = 3.0;                                    // deviations
  /// Of errors that are left, as of friction, which go on for as long as a joint moves in one direction.
  static constexpr double independent = 4.0;
  /// Of the mass, by which it is uncertain however long it is measured: friction and bodies are never quite as modelled.
  static constexpr double share = 0.02;
  /// Of what joints resist with, which may have changed since.
  static constexpr double friction = 0.5;
};

}  // namespace ulna::mpc
