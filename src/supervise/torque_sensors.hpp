#pragma once

#include <cmath>

#include "supervise/alarms.hpp"
#include "supervise/torque_check.hpp"
#include "ulna/supervise/limits.hpp"

namespace ulna::supervise {

/// The torque sensors of a robot, as far as they can be trusted.
class TorqueSensors {
 public:
  using Vector = Eigen::VectorXd;
  using In = const Eigen::Ref<const Vector>&;

  TorqueSensors(const Limits& limits, double period, TorqueSide side)
      : limits_(limits.torque),
        checks_(),
        acting_(Vector::Zero(limits_.size())),
        last_(acting_),
        used_(static_cast<std::size_t>(limits_.size()), false) {
    for (const double limit : limits_) checks_.emplace_back(limit, period, side);
  }

  /// With what was sent, what acted of it until now as far as drives are known, and what was measured, which may be nothing.
  void update(const Plant<double>& plant, const Vector& sent, const Vector& driven, In measured,
              const Vector& v, Alarms& alarms) {
    acting_ = driven;
    const bool there = measured.size() == acting_.size();
    if (!there && measured.size() != 0)
      alarms.raise(Cause::torque_not_finite, -1, static_cast<double>(measured.size()),
                   static_cast<double>(acting_.size()));
    repeated_ = there && measured == last_;
    if (there) last_ = measured;
    for (int i = 0; i < acting_.size(); ++i) {
      const auto n = static_cast<std::size_t>(i);
      if (there) check(plant, i, sent(i), measured(i), v(i), alarms);
      used_[n] = there && !checks_[n].suspects() && !distrusted(alarms, i);
      if (used_[n]) acting_(i) = measured(i);
    }
  }
  /// Where there is no new reading.
  void update(const Vector& driven) {
    acting_ = driven;
    std::fill(used_.begin(), used_.end(), false);
  }

  /// What acted until now, to the best of our knowledge.
  const Vector& acting() const { return acting_; }
  bool used(int i) const { return used_[static_cast<std::size_t>(i)]; }
  /// Whether what is read are the torques that were sent rather than what drives made of them, whichever was nearer of late.
  bool read_commands(const Vector& sent, const Vector& driven) {
    constexpr double share = 0.02;
    const double nearer = (last_ - driven).squaredNorm() - (last_ - sent).squaredNorm();
    if (std::isfinite(nearer)) nearer_ += share * (nearer - nearer_);
    return nearer_ > 0.0;
  }
  /// Whether all read the same as in the sample before.
  bool repeated() const { return repeated_; }

 private:
  void check(const Plant<double>& plant, int i, double sent, double measured, double v,
             Alarms& alarms) {
    const double friction = std::max(plant.friction(i), plant.friction_negative(i));
    const Cause found = checks_[static_cast<std::size_t>(i)].update(
        sent, measured, v, std::max(friction, 0.0), plant.armature(i));
    if (found != Cause::none) alarms.raise(found, i, measured, sent);
  }
  static bool distrusted(const Alarms& alarms, int i) {
    for (Cause c = Cause::torque_not_finite; c <= Cause::torque_implausible;
         c = static_cast<Cause>(static_cast<int>(c) + 1))
      if (alarms.active(c, i)) return true;
    return false;
  }

  Vector limits_;
  std::vector<TorqueCheck> checks_;
  Vector acting_, last_;
  std::vector<bool> used_;
  bool repeated_ = false;
  double nearer_ =
      0.0;  ///< mean square of what is read from what acted, less that from what was sent
};

}  // namespace ulna::supervise
