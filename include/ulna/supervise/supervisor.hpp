#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "ulna/supervise/events.hpp"
#include "ulna/supervise/limits.hpp"
#include "ulna/supervise/momentum_observer.hpp"

/// What stands between any controller and any robot: limits, plausibility of sensors, collisions.
namespace ulna::supervise {

struct Options {
  double rate_hz = 1000.0;  ///< how often filter() is called
  /// By default those of the model, with LimitDefaults for what it lacks.
  std::optional<Limits> limits = {};
  /// s from a torque that is sent to one that acts, at most: stopping distances allow for it.
  double drive_delay = 0.005;
  double rest_speed = 1e-3;  ///< rad/s or m/s: a joint that is not faster rests
  /// rad/s or m/s: by a velocity that is noisy, dry friction of a joint that is not faster may act either way.
  double friction_speed = 0.05;

  // --- readings ---
  double position_noise = 2e-4;  ///< rad or m: standard deviation, with quantization
  double late_after = 0.02;      ///< s: older readings are not used
  double patience = 0.02;        ///< s without a plausible reading that are bridged by prediction
  double blind_after = 0.5;      ///< s without one until it is a fault and drives are released
  double release = 0.2;          ///< s within which they are then released

  // --- torques and what the surroundings do ---
  TorqueSide torque_side = TorqueSide::motor;  ///< of the sensors
  double observer_gain = 150.0;                ///< 1/s
  Reaction reaction = Reaction::stop;
  /// Nm or N, nv: what the robot may push with against what resists it, and what may push it, at most: nine tenths of it are a
  /// collision. Empty: a share of the torque limits.
  Eigen::VectorXd collision_torque = {};
  double collision_share = 0.5;
  double collision_time = 0.005;  ///< s that they have to last
  double retreat_time = 0.3;      ///< s, of Reaction::retreat
  double retreat_share = 0.1;     ///< of the speed limit, at the collision torque

  // --- states ---
  double hold_hz = 4.0;       ///< natural frequency of the law that holds the robot
  double resume_after = 0.1;  ///< s without a cause before the robot goes on
};

/// Filters what a controller wants before it is sent to a robot. Whatever is wanted, measured and given as a plant, the
/// torques that it returns are finite, within the torque limits, and change no faster than allowed; with
/// truthful sensors and a plant that is about right, joints keep to their limits of speed and position too. What is
/// within all limits passes unchanged, bit for bit. See docs/supervisor.md.
///
///     Supervisor supervisor(model, {.rate_hz = 1000.0});
///     loop:
///       const auto& tau = supervisor.filter(plant, time, reading_time, q, v, tau_measured, tau_wanted);
///       send(tau);
///       if (supervisor.brake()) close_brakes();
///       if (supervisor.state() != State::run) log(supervisor.report());
///
/// Knows no planner. Made once, it allocates no more, throws nothing and prints nothing. For joints of one
/// coordinate, mimicking ones included.
class Supervisor {
 public:
  using Vector = Eigen::VectorXd;
  using In = const Eigen::Ref<const Vector>&;

  /// Throws std::invalid_argument for options that make no sense and robots that it cannot supervise.
  explicit Supervisor(const Model& model, const Options& options = {});
  ~Supervisor();
  Supervisor(Supervisor&&) noexcept;
  Supervisor& operator=(Supervisor&&) noexcept;

  /// The torques to send, once a period. `time` is now, `reading_time` when q, v and tau_measured were read; tau_measured
  /// is what acted until then, and may be empty where there are no sensors. `plant`: the robot as it is known now.
  const Vector& filter(const Plant<double>& plant, double time, double reading_time, In q, In v,
                       In tau_measured, In tau_wanted) noexcept;
  /// With the model's own numbers.
  const Vector& filter(double time, double reading_time, In q, In v, In tau_measured,
                       In tau_wanted) noexcept;

  /// After a fault, or a stop that does not end by itself: goes on by holding the robot. While its cause lasts, it is
  /// refused, and the cause returned; Cause::none: accepted.
  Cause reset() noexcept;
  /// Stops and holds the robot for as long as it is true.
  void request_hold(bool hold) noexcept;
  /// As new: for a robot that was moved elsewhere. Events stay.
  void restart() noexcept;

  State state() const;
  /// Why it is not running.
  Cause cause() const;
  /// Whether the mechanical brakes are to be closed: the robot's state is not known, or there is a fault.
  bool brake() const;
  /// Whether the torques of the last call are those that were wanted, bit for bit.
  bool unchanged() const;
  /// Whether there was a plausible reading within Options::patience.
  bool known() const;
  /// State, cause, joint and figures in one line; valid until the next call of a function that is not const.
  std::string_view report() const;

  const EventLog& events() const;
  /// How many times a cause has begun.
  std::int64_t count(Cause cause) const;
  bool active(Cause cause) const;
  /// Whether it is active for a coordinate.
  bool active(Cause cause, int i) const;

  /// What the surroundings exert, Nm or N.
  const Vector& external_torque() const;
  const Vector& collision_torque() const;
  /// Whether the torque sensor of a coordinate is used; if not, the commanded torque is.
  bool uses_torque_sensor(int i) const;
  /// The state that the limits were computed with: as read, or predicted.
  const Vector& q() const;
  const Vector& v() const;
  const Limits& limits() const;
  /// Of the drives, s, as found from how the robot moves: gains are lower with it.
  double drive_lag() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna::supervise
