#pragma once

#include <array>
#include <cstdint>

/// What a supervisor notices, and its memory of it.
namespace ulna::supervise {

enum class State {
  run,    ///< the controller's torques are sent, within the limits
  hold,   ///< the robot is kept where it is
  stop,   ///< it is braked; then it is held
  fault,  ///< damped and held against gravity, or braked blindly, until reset() is accepted
};
const char* to_string(State state);

/// What is noticed. Coordinates that it is about are given with it.
enum class Cause : std::uint8_t {
  none,
  // what was wanted went beyond a limit and was cut
  torque_limit,
  torque_rate_limit,
  acceleration_limit,
  speed_limit,
  position_limit,  ///< it could not have been stopped before its limit
  drive_limit,     ///< drives could not follow at once
  contact_limit,   ///< it would have pushed harder than the collision torque against what resists
  // a torque sensor is not used
  torque_not_finite,
  torque_dead,         ///< it reads zero
  torque_frozen,       ///< it reads always the same
  torque_sign,         ///< it reads the opposite of what was sent
  torque_late,         ///< it follows what was sent too late
  torque_implausible,  ///< otherwise unlike what was sent
  // about the robot and its model
  plant_not_physical,  ///< the model's own numbers are used in place of the plant's
  weak_drive,  ///< gravity alone may take more than the share of the torque limit meant for it
  drive_lag,   ///< drives, or readings, follow late by a lag that was found: gains are lower
  // the robot stops, and goes on when it is over
  command_not_finite,
  reading_size,
  reading_not_finite,
  reading_range,  ///< a position or speed that the robot cannot have
  reading_stale,  ///< no new reading
  reading_late,   ///< it is new but old
  reading_clock,  ///< times go backwards, lie in the future or are not finite
  state_frozen,   ///< all readings repeat though the robot moves or is driven
  position_jump,
  over_speed,
  over_position,
  requested,  ///< by the user: request_hold()
  // the robot stops until reset() is accepted
  collision,
  // faults
  position_frozen,        ///< the position stands still while the velocity says otherwise
  velocity_frozen,        ///< the velocity stands still while positions change
  velocity_inconsistent,  ///< the velocity is not that of the positions
  blind,                  ///< there was no plausible reading for too long
};
inline constexpr int cause_count = static_cast<int>(Cause::blind) + 1;
const char* to_string(Cause cause);

/// What a cause leads to.
enum class Severity {
  note,   ///< nothing but the event: the limit was kept, or something else is used
  stop,   ///< State::stop; goes on by itself
  latch,  ///< State::stop; goes on after reset()
  fault,  ///< State::fault
};
const char* to_string(Severity severity);
Severity severity(Cause cause);

/// What is done about a collision.
enum class Reaction {
  report,     ///< nothing but the event
  stop,       ///< brake, then hold
  compliant,  ///< held against gravity and damped, so that it can be pushed away
  retreat,    ///< away from what it met for a while, then stop
};
const char* to_string(Reaction reaction);

struct Event {
  double time = 0.0;
  Cause cause = Cause::none;
  bool ended = false;  ///< whether it began or ended
  int joint = -1;      ///< coordinate, -1: of none in particular
  double value = 0.0;  ///< what was found, in the limit's unit
  double limit = 0.0;  ///< and what it was held against
};

/// The last events: a ring of fixed size.
class EventLog {
 public:
  static constexpr int capacity = 256;

  void add(const Event& event) {
    ring_[static_cast<std::size_t>(total_ % capacity)] = event;
    ++total_;
  }
  /// Of all events ever, also of those that were overwritten.
  std::int64_t total() const { return total_; }
  /// How many are kept.
  int size() const { return static_cast<int>(total_ < capacity ? total_ : capacity); }
  /// Kept ones, the oldest first.
  const Event& operator[](int i) const {
    return ring_[static_cast<std::size_t>((total_ - size() + i) % capacity)];
  }
  const Event& last() const { return (*this)[size() - 1]; }

 private:
  std::array<Event, capacity> ring_{};
  std::int64_t total_ = 0;
};

}  // namespace ulna::supervise
