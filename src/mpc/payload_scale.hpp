#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "ulna/identify/online/online_estimator.hpp"
#include "ulna/mpc/controller.hpp"

namespace ulna::mpc {

/// For how many samples errors of torques are alike, as those of friction are: by their means over half a second, whose variance is so
/// many times that of as many independent errors [method of batch means; Law, Kelton].
class ErrorCorrelation {
 public:
  using Vector = Eigen::VectorXd;

  /// `least`: samples, over which a filter makes errors alike; it counts as what one batch has shown.
  ErrorCorrelation(Eigen::Index joints, double rate_hz, double least)
      : length_(std::lround(seconds * rate_hz)),
        least_(least),
        sum_(Vector::Zero(joints)),
        single_(double(joints) * double(length_)),
        batch_(least * single_) {}

  /// Errors in deviations, zero of joints that show nothing.
  void sample(const Vector& errors) {
    sum_ += errors, squares_ += errors.squaredNorm();
    if (++samples_ < length_) return;
    ++batches_;
    const double share = std::max(1.0 / (1.0 + double(batches_)), 1.0 / most_batches);
    single_ += share * (squares_ - single_);
    batch_ += share * (sum_.squaredNorm() - batch_);
    sum_.setZero(), squares_ = 0.0, samples_ = 0;
  }

  double samples() const {
    return single_ > 0.0 ? std::clamp(batch_ / single_, least_, std::max(least_, double(length_)))
                         : least_;
  }

 private:
  static constexpr double seconds = 0.5, most_batches = 20.0;
  long length_, samples_ = 0, batches_ = 0;
  double least_;
  Vector sum_;
  double squares_ = 0.0;
  double single_, batch_;  ///< means of sums of squares, and of squares of sums
};

/// At least one.
inline long periods(double seconds, double rate_hz) {
  return std::max(1L, std::lround(seconds * rate_hz));
}

/// Weighs what a body carries: what was added to it since a moment before the robot changed. What was known of all else at that
/// moment, and how well, counts (`AddedBody`); numbers that were learned since have taken part of the payload.
class PayloadScale {
 public:
  using Vector = Eigen::VectorXd;

  /// `correlated`: samples over which the filter makes noise alike.
  PayloadScale(const identify::TorqueModel& torques, identify::OnlineEstimator& online, int body,
               double rate_hz, double correlated)
      : unknowns_(torques.unknowns()),
        rate_(rate_hz),
        every_(std::max(1L, std::lround(correlated / 5.0))),
        gravity_(torques.model().gravity()),
        errors_(Vector::Zero(torques.model().nv())),
        correlation_(errors_.size(), rate_hz, correlated),
        load_(online),
        load_before_(load_),
        moment_(online, 0.5),
        longer_(online, 1.5),
        added_(online.z().size(), body) {}

  /// After each sample that the estimator has taken, what it has learned from or not. True: something was found to be carried.
  bool sample(identify::OnlineEstimator& online, bool learned) {
    ++samples_;
    if (learned) {
      online.errors(errors_);
      correlation_.sample(errors_);
    }
    if (samples_ % every_ == 0) {
      // a robot that rests shows nothing, and nothing is forgotten
      if (learned && !errors_.isZero(0.0)) {
        load_.since.forget(std::min(1.0, double(every_) / (memory * rate_)));
        online.add_evidence(load_.since);
      }
      if (load_.is_known)
        online.wander(load_.without.belief, samples_ / every_, double(every_) / rate_);
    }
    for (Past* each : {&moment_, &longer_}) each->pass(online, samples_, rate_);
    return samples_ % periods(looked_at, rate_) == 0 && finds(online);
  }

  /// The robot has changed, as the estimator noticed at its last sample.
  void change() {
    load_before_ = load_;
    // what was learned in the last moments may be of the robot that has changed already
    if (!load_.is_known) load_.without = moment_.older;
    load_.since.clear();
    load_.is_known = true;
  }
  /// The last change was none, or is over: what is carried is what it was.
  void undo_change() { load_ = load_before_; }

  /// Not known before something has changed.
  Payload payload() { return load_.is_known ? weigh(load_.without) : Payload{}; }

 private:
  /// What was known at a moment.
  struct Reference {
    explicit Reference(identify::OnlineEstimator& online) : belief(online.z().size()) {
      online.believe(belief);
    }
    identify::Belief belief;
    double learned_for = 0.0;  ///< s until then
  };
  /// What was known once to twice so many seconds ago, or at the beginning: then numbers change fast, and what is carried may be among
  /// them when it is noticed.
  struct Past {
    Past(identify::OnlineEstimator& online, double seconds)
        : older(online), recent(older), apart(seconds) {}
    void pass(identify::OnlineEstimator& online, long samples, double rate) {
      if (samples % periods(apart, rate) != 0 || double(samples) < at_first * rate) return;
      std::swap(older, recent);
      online.believe(recent.belief);
      recent.learned_for = double(samples) / rate;
    }
    Reference older, recent;
    double apart;
  };

  /// What a body carries: by what was known without it, and what was seen of it.
  struct Load {
    explicit Load(identify::OnlineEstimator& online) : without(online), since(online.z().size()) {}
    Reference without;
    identify::TorqueEvidence since;  ///< of the last moments
    bool is_known = false;
  };

  Payload weigh(const Reference& from) {
    added_.find(from.belief, load_.since, correlation_.samples() / double(every_));
    const double mass = added_.inertia()(0);
    // gravity's magnitude is hardly told from the masses of all bodies: by what it was found to differ, a mass may be off
    const Vector& z = from.belief.z;
    const double usual = gravity_.norm(),
                 g = z.size() > unknowns_ ? (gravity_ + z.tail<3>()).norm() : usual,
                 off = std::abs(g - usual) / std::max(g, 1e-3);
    return {mass, std::hypot(added_.mass_deviation(), std::hypot(share, off) * mass),
            added_.inertia().segment<3>(1)};
  }

  /// A payload that is too light to be noticed as a change is found by what it weighs.
  bool finds(const identify::OnlineEstimator& online) {
    const Reference& before = longer_.older;
    if (load_.is_known || before.learned_for < well_learned) return false;
    // where the numbers of before explain about as much as those of now, nothing weighs anything
    const double worse = load_.since.left(before.belief.z) - load_.since.left(online.z());
    if (worse * double(every_) < clear * clear * correlation_.samples()) return false;
    const Payload found = weigh(before);
    if (!(found.mass > clear * found.deviation)) return false;
    load_.without = before;
    return load_.is_known = true;
  }

  int unknowns_;  ///< unknowns without gravity
  double rate_;
  long every_;  ///< of so many samples, one is evidence: of these, five are alike by the filter
  long samples_ = 0;
  Vec3<double> gravity_;  ///< of the model
  Vector errors_;
  ErrorCorrelation correlation_;
  Load load_, load_before_;  ///< of now, and before the last change
  Past moment_, longer_;
  identify::AddedBody added_;

  static constexpr double memory = 1.5, looked_at = 0.1;       // s
  static constexpr double at_first = 1.0, well_learned = 2.0;  // s
  static constexpr double clear = 3.0;                         // deviations
  /// Of the mass, by which it is uncertain however long it is measured: bodies are never quite as modelled.
  static constexpr double share = 0.02;
};

}  // namespace ulna::mpc
