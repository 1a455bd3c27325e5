#pragma once

#include <functional>

#include "ulna/rig/simulated_robot.hpp"

namespace ulna::drive {

/// What a loop waits by. Seconds since a moment of the clock's own.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual double now() const noexcept = 0;
  /// Returns at a time, or later; at once if it is over.
  virtual void sleep_until(double time) noexcept = 0;
  /// Whether time passes by itself.
  virtual bool is_real() const noexcept = 0;
};

/// The machine's own: sleeps to absolute times (clock_nanosleep, CLOCK_MONOTONIC), so that delays do not add up.
class RealClock final : public Clock {
 public:
  double now() const noexcept override;
  void sleep_until(double time) noexcept override;
  bool is_real() const noexcept override { return true; }
};

/// Simulated time, which passes while the loop sleeps: the robot moves on.
class SimulatedClock final : public Clock {
 public:
  explicit SimulatedClock(rig::SimulatedRobot& robot);
  explicit SimulatedClock(rig::TestRig& rig);

  double now() const noexcept override { return rig_.now(); }
  void sleep_until(double time) noexcept override;
  bool is_real() const noexcept override { return false; }

 private:
  rig::Rig& rig_;
  std::function<void(double)> advance_;
};

}  // namespace ulna::drive
