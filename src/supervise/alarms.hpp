#pragma once

#include <vector>

#include "ulna/supervise/events.hpp"

namespace ulna::supervise {

/// What is found, sample by sample and coordinate by coordinate: an alarm lasts until it has not been raised for a
/// while. When one begins and when it ends is an event.
class Alarms {
 public:
  /// `linger`: in samples.
  Alarms(int coordinates, int linger)
      : columns_(coordinates + 1),
        linger_(linger),
        raised_(static_cast<std::size_t>(cause_count * columns_), never) {}

  void begin_sample(double time) {
    ++sample_;
    time_ = time;
  }
  /// `joint` -1: of none in particular.
  void raise(Cause cause, int joint, double value, double limit) {
    std::int64_t& at = raised_[index(cause, joint)];
    if (at == never) {
      ++active_[static_cast<std::size_t>(cause)];
      ++counts_[static_cast<std::size_t>(cause)];
      log_.add({time_, cause, false, joint, value, limit});
    }
    at = sample_;
  }
  void end_sample() {
    for (int c = 1; c < cause_count; ++c) {
      const auto cause = static_cast<Cause>(c);
      if (!active(cause)) continue;
      for (int joint = -1; joint + 1 < columns_; ++joint) {
        const std::int64_t at = raised_[index(cause, joint)];
        if (at != never && sample_ - at > linger_) end(cause, joint);
      }
    }
  }
  /// Ends all of a severity from `least` on.
  void clear(Severity least) {
    for (int c = 1; c < cause_count; ++c)
      if (const auto cause = static_cast<Cause>(c); active(cause) && severity(cause) >= least)
        for (int joint = -1; joint + 1 < columns_; ++joint)
          if (raised_[index(cause, joint)] != never) end(cause, joint);
  }

  bool active(Cause cause) const { return active_[static_cast<std::size_t>(cause)] > 0; }
  bool active(Cause cause, int joint) const { return raised_[index(cause, joint)] != never; }
  /// Whether it was raised in this sample.
  bool present(Cause cause) const {
    if (!active(cause)) return false;
    for (int joint = -1; joint + 1 < columns_; ++joint)
      if (raised_[index(cause, joint)] == sample_) return true;
    return false;
  }
  /// The active one that leads to most, none if there is none of `least` or above.
  Cause worst(Severity least) const {
    Cause found = Cause::none;
    for (int c = 1; c < cause_count; ++c)
      if (const auto cause = static_cast<Cause>(c);
          active(cause) && severity(cause) >= least &&
          (found == Cause::none || severity(cause) > severity(found)))
        found = cause;
    return found;
  }
  /// How many times it has begun.
  std::int64_t count(Cause cause) const { return counts_[static_cast<std::size_t>(cause)]; }
  const EventLog& log() const { return log_; }

 private:
  static constexpr std::int64_t never = -1;

  std::size_t index(Cause cause, int joint) const {
    return static_cast<std::size_t>(cause) * static_cast<std::size_t>(columns_) +
           static_cast<std::size_t>(joint + 1);
  }
  void end(Cause cause, int joint) {
    raised_[index(cause, joint)] = never;
    --active_[static_cast<std::size_t>(cause)];
    log_.add({time_, cause, true, joint, 0.0, 0.0});
  }

  int columns_;
  std::int64_t linger_;
  std::int64_t sample_ = 0;
  double time_ = 0.0;
  std::vector<std::int64_t> raised_;
  std::array<int, cause_count> active_{};
  std::array<std::int64_t, cause_count> counts_{};
  EventLog log_;
};

}  // namespace ulna::supervise
