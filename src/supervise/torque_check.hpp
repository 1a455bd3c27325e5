#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ulna/supervise/events.hpp"
#include "ulna/supervise/momentum_observer.hpp"

namespace ulna::supervise {

/// Compares the torque that a joint's sensor reads with the one that was sent to its drive: by their means, and by a
/// regression of the one on the other over the last 50 ms or so, at several lags, as drives are not immediate.
/// Offsets, gains and delays of healthy sensors and drives pass; so does friction between motor and sensor.
class TorqueCheck {
 public:
  TorqueCheck(double limit, double period, TorqueSide side)
      : limit_(limit),
        period_(period),
        side_(side),
        smooth_(1.0 - std::exp(-period / 0.01)),
        forget_(std::exp(-period / 0.025)) {
    for (std::size_t k = 0; k < lags.size(); ++k)
      lag_[k] = static_cast<std::size_t>(std::lround(lags[k] / period));
    ring_.resize(lag_.back() + 1, 0.0);
  }

  /// `sent` acted until now. `friction`: the dry friction of the model; `rotor`: its armature.
  Cause update(double sent, double measured, double v, double friction, double rotor) {
    if (!std::isfinite(measured)) return Cause::torque_not_finite;
    count_runs(sent, measured);
    // behind the gear, the rotor's share is not felt
    const double expected =
        side_ == TorqueSide::motor || !started_ ? sent : sent - rotor * (v - v_) / period_;
    v_ = v;
    // at first sensors show what acted before, and drives are on their way
    if (seconds(seen_) < settling) {
      sent_ = expected, measured_ = measured;
      started_ = true;
      return Cause::none;
    }
    sent_ += smooth_ * (expected - sent_);
    measured_ += smooth_ * (measured - measured_);
    allowance_ = side_ == TorqueSide::motor ? 0.0 : 0.1 * limit_ + friction;
    remember(v);
    started_ = true;
    const Cause found = suspicion();
    suspected_ = found == Cause::none ? 0 : suspected_ + 1;
    return static_cast<double>(suspected_) * period_ >= debounce ? found : Cause::none;
  }

  /// Whether something seems to be wrong, before it has lasted long enough to be said.
  bool suspects() const { return suspected_ > 0; }
  /// What the regression found last: measured = gain sent + offset.
  double gain() const { return gain_; }

 private:
  static constexpr std::array lags{0.0, 0.002, 0.005, 0.01, 0.02, 0.04};  ///< s
  static constexpr double debounce = 0.02, settling = 0.02;               ///< s
  static constexpr double latest = 0.03;  ///< s: what follows later is late

  struct Sums {
    double c = 0.0, cc = 0.0, cm = 0.0;
    void scale(double f) { c *= f, cc *= f, cm *= f; }
  };

  /// For how long it has read the same, what was sent meanwhile, and for how long about zero.
  void count_runs(double sent, double measured) {
    ++seen_;
    if (!started_ || std::abs(measured - same_) > 1e-9 * limit_) {
      if (suspected_ == 0) longest_same_ = std::max(longest_same_, same_for_);
      same_ = measured, same_for_ = 0;
      least_ = most_ = sent;
    }
    ++same_for_;
    least_ = std::min(least_, sent), most_ = std::max(most_, sent);
    zero_for_ = std::abs(measured) <= 0.005 * limit_ ? zero_for_ + 1 : 0;
  }
  /// Weighs the past down and adds the sample of now.
  void remember(double v) {
    // behind the gear, friction is an offset only as long as the joint keeps its direction
    const int direction = v > 0.0 ? 1 : -1;
    if (side_ == TorqueSide::link && direction != direction_) restart();
    direction_ = direction;
    next_ = (next_ + 1) % ring_.size();
    ring_[next_] = sent_;
    if (filled_ < ring_.size()) ++filled_;
    weight_ = forget_ * weight_ + 1.0;
    m_ = forget_ * m_ + measured_, mm_ = forget_ * mm_ + measured_ * measured_;
    ++samples_;
    for (std::size_t k = 0; k < lags.size(); ++k) {
      // what was sent before the first sample was the same
      const std::size_t back = std::min(lag_[k], filled_ - 1);
      const double c = ring_[(next_ + ring_.size() - back) % ring_.size()];
      sums_[k].scale(forget_);
      sums_[k].c += c, sums_[k].cc += c * c, sums_[k].cm += c * measured_;
    }
  }
  void restart() {
    weight_ = m_ = mm_ = 0.0;
    samples_ = 0;
    sums_ = {};
  }

  Cause suspicion() {
    const double excited = 0.03 * limit_ + 2.0 * allowance_;
    if (seconds(same_for_) >= 0.03 && (most_ - least_ > excited || is_unusually_still()))
      return still();
    if (std::abs(measured_ - sent_) > 0.15 * limit_ + allowance_) {
      if (seconds(zero_for_) >= 0.01 || seconds(same_for_) >= 0.03) return still();
      return std::abs(measured_ + sent_) < 0.3 * std::abs(sent_) ? Cause::torque_sign
                                                                 : Cause::torque_implausible;
    }
    return seconds(samples_) >= 0.04 ? regress() : Cause::none;
  }
  /// Whether a sensor whose readings have always changed repeats one, though what is sent changes.
  bool is_unusually_still() const {
    return seconds(seen_) >= 0.5 && same_for_ > 20 * longest_same_ &&
           most_ - least_ > 1e-3 * limit_;
  }
  double seconds(long samples) const { return static_cast<double>(samples) * period_; }
  Cause still() const {
    return seconds(zero_for_) >= 0.01 ? Cause::torque_dead : Cause::torque_frozen;
  }
  /// By the lag that explains most.
  Cause regress() {
    const double least = side_ == TorqueSide::motor ? 0.3 : 0.1;
    const double variance_m = mm_ / weight_ - square(m_ / weight_);
    double most = -1.0;
    std::size_t best = 0;
    for (std::size_t k = 0; k < lags.size(); ++k) {
      const double c = sums_[k].c / weight_, variance = sums_[k].cc / weight_ - c * c;
      // which lag is the right one is known only if there is something to see at each
      if (!(variance > square(0.02 * limit_))) return Cause::none;
      const double covariance = sums_[k].cm / weight_ - c * m_ / weight_;
      const double explained = covariance * covariance / variance;
      if (explained <= most) continue;
      most = explained, best = k;
      gain_ = covariance / variance;
    }
    if (gain_ < -least && most > 0.5 * variance_m) return Cause::torque_sign;
    if (gain_ < least || gain_ > 3.0)
      return seconds(zero_for_) >= 0.01 || seconds(same_for_) >= 0.03 ? still()
                                                                      : Cause::torque_implausible;
    return lags[best] > latest && most > 0.8 * variance_m ? Cause::torque_late : Cause::none;
  }
  static double square(double x) { return x * x; }

  double limit_, period_;
  TorqueSide side_;
  double smooth_, forget_;
  std::array<std::size_t, lags.size()> lag_{};
  std::vector<double> ring_;
  std::size_t next_ = 0, filled_ = 0;
  bool started_ = false;
  double sent_ = 0.0, measured_ = 0.0, v_ = 0.0, allowance_ = 0.0;  ///< smooth
  double same_ = 0.0, least_ = 0.0, most_ = 0.0;
  long same_for_ = 0, zero_for_ = 0, samples_ = 0, suspected_ = 0;
  long seen_ = 0, longest_same_ = 0;  ///< samples, and repetitions of one before the present ones
  int direction_ = 0;
  double weight_ = 0.0, m_ = 0.0, mm_ = 0.0;
  std::array<Sums, lags.size()> sums_{};
  double gain_ = 1.0;
};

}  // namespace ulna::supervise
