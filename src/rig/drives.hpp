#pragma once

#include <array>
#include <cmath>
#include <random>

#include "ulna/num/random.hpp"
#include "ulna/rig/reality.hpp"

namespace ulna::rig {

/// What becomes of commanded torques: they come late, and drives follow them with a lag.
class Drives {
 public:
  using Vector = Eigen::VectorXd;

  Drives(const Model& model, const Reality& reality)
      : lag_(reality.drive_lag),
        delay_(reality.action_delay),
        late_share_(reality.late_share),
        late_by_(reality.late_by),
        random_(reality.seed + 0x5bd1e995u),
        torque_(Vector::Zero(model.nv())) {
    for (Command& command : queue_) command.tau = torque_;
  }

  /// Whether what is commanded acts already, and goes on to act.
  bool are_settled() const { return lag_ == 0.0 && count_ == 0; }

  /// Torques that act already.
  void preload(const Eigen::Ref<const Vector>& tau) {
    torque_ = target_ = commanded_ = tau;
    count_ = 0;
  }

  /// At a time, and so much later than usual.
  void command(double time, const Eigen::Ref<const Vector>& tau, double later) {
    commanded_ = tau;
    const bool late = late_share_ > 0.0 && uniform(random_) < late_share_;
    // when there is no room, the oldest is as good as in force
    if (count_ == int(queue_.size())) take_oldest();
    Command& last = queue_[std::size_t(first_ + count_) % queue_.size()];
    last.due = time + delay_ + later + (late ? late_by_ : 0.0), last.tau = tau;
    ++count_;
  }

  /// The torques for h seconds from a time on.
  const Vector& torque(double time, double h) {
    // in the order of commands: one that is late holds up those behind it
    while (count_ > 0 && queue_[std::size_t(first_)].due <= time + 1e-9) take_oldest();
    const double way = lag_ == 0.0 ? 1.0 : 1.0 - std::exp(-h / lag_);
    if (way == 1.0)
      torque_ = target_;
    else
      torque_ += way * (target_ - torque_);
    return torque_;
  }

  const Vector& commanded() const { return commanded_; }

 private:
  struct Command {
    double due = 0.0;
    Vector tau;
  };
  void take_oldest() {
    target_ = queue_[std::size_t(first_)].tau;
    first_ = (first_ + 1) % int(queue_.size());
    --count_;
  }

  double lag_, delay_, late_share_, late_by_;
  std::mt19937_64 random_;
  Vector torque_, target_ = torque_, commanded_ = torque_;
  std::array<Command, 64> queue_;  ///< on their way, from first_ on
  int first_ = 0, count_ = 0;
};

}  // namespace ulna::rig
