#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "ulna/supervise/events.hpp"
#include "ulna/supervise/limits.hpp"

namespace ulna::supervise {

/// What is wrong with a reading, and where.
struct Finding {
  Cause cause = Cause::none;
  int joint = -1;
  double value = 0.0, limit = 0.0;
};

struct ReadingCheckOptions {
  double period = 0.001;
  double late_after = 0.02;
  double position_noise = 2e-4;
  double rest_speed = 1e-3;
};

/// Whether what is read can be the state of a robot: one reading by itself, against the last good one, and positions
/// against velocities over the last 50 ms.
class ReadingCheck {
 public:
  using Vector = Eigen::VectorXd;
  using In = const Eigen::Ref<const Vector>&;

  ReadingCheck(const Limits& limits, const ReadingCheckOptions& options)
      : limits_(limits), options_(options), q_(Vector::Zero(limits.torque.size())), v_(q_) {
    received_q_ = received_v_ = moved_ = integral_ = sum_ = q_;
    v_same_for_.assign(static_cast<std::size_t>(q_.size()), 0);
    q_same_for_ = v_same_for_;
  }

  enum class Kind {
    fresh,  ///< a state to go by
    none,   ///< nothing new
    bad,    ///< nothing to go by
  };
  struct Verdict {
    Kind kind = Kind::none;
    Finding finding{};
  };

  Verdict check(double time, double reading_time, In q, In v) {
    if (q.size() != q_.size() || v.size() != v_.size())
      return bad(
          {Cause::reading_size, -1, static_cast<double>(q.size()), static_cast<double>(q_.size())});
    if (const Finding f = clock(time, reading_time); f.cause != Cause::none) return bad(f);
    // two readings that are hardly apart say nothing of what happened in between
    if (received_ && reading_time - received_time_ < 0.2 * options_.period) return {};
    const double age = time - reading_time;
    if (age > options_.late_after) return bad({Cause::reading_late, -1, age, options_.late_after});
    if (const Finding f = range(q, v); f.cause != Cause::none) return bad(f);
    return follow(reading_time, q, v);
  }

  void restart() {
    received_ = started_ = jumped_ = false;
    repeated_ = agreeing_ = 0;
    forget();
  }
  /// Takes the last reading for good, whatever it was held against.
  void accept() {
    started_ = received_;
    q_ = received_q_, v_ = received_v_, time_ = distinct_time_;
    jumped_ = false;
    forget();
  }
  /// Whether readings agree with each other for `seconds`, if not with the last good one.
  bool agrees_for(double seconds) const {
    return options_.period * static_cast<double>(agreeing_) >= seconds;
  }
  /// For how long q and v have been the same to the last bit.
  double repeated_for() const { return options_.period * static_cast<double>(repeated_); }

  const Vector& q() const { return q_; }  ///< of the last good reading
  const Vector& v() const { return v_; }
  double time() const { return time_; }
  bool started() const { return started_; }
  /// The velocity of a joint by the positions of the last 50 ms.
  double difference_speed(int i) const { return elapsed_ > 0.0 ? moved_(i) / elapsed_ : 0.0; }

 private:
  static constexpr double window = 0.05;  ///< s
  static constexpr double repeated_at =
      0.02;  ///< s: a state that moves is not read twice for longer

  static constexpr double jump_memory = 0.03;  ///< s

  void forget() {
    moved_.setZero(), integral_.setZero(), sum_.setZero();
    elapsed_ = 0.0;
  }
  Verdict bad(const Finding& finding) {
    agreeing_ = 0;
    return {Kind::bad, finding};
  }
  Finding clock(double time, double reading_time) const {
    const bool usable = std::isfinite(time) && std::isfinite(reading_time) &&
                        reading_time <= time + options_.period &&
                        (!received_ || reading_time > received_time_ - 0.2 * options_.period);
    return usable
               ? Finding{}
               : Finding{Cause::reading_clock, -1, reading_time, received_ ? received_time_ : time};
  }
  Finding range(In q, In v) const {
    for (int i = 0; i < q_.size(); ++i) {
      if (!std::isfinite(q(i))) return {Cause::reading_not_finite, i, q(i), 0.0};
      if (!std::isfinite(v(i))) return {Cause::reading_not_finite, i, v(i), 0.0};
      const double fastest = 10.0 * limits_.speed(i);
      if (std::abs(v(i)) > fastest) return {Cause::reading_range, i, v(i), fastest};
      const double beyond = 1.0;  // rad or m; counters of joints without limits run far
      if (q(i) > std::min(limits_.upper(i) + beyond, 1e5))
        return {Cause::reading_range, i, q(i), limits_.upper(i)};
      if (q(i) < std::max(limits_.lower(i) - beyond, -1e5))
        return {Cause::reading_range, i, q(i), limits_.lower(i)};
    }
    return {};
  }

  /// Against what was read before.
  Verdict follow(double reading_time, In q, In v) {
    const bool again = received_ && q == received_q_ && v == received_v_;
    repeated_ = again ? repeated_ + 1 : 0;
    received_time_ = reading_time;
    if (again && moves(v)) return repeated(v);
    const double since = reading_time - distinct_time_;
    const Finding among = received_ ? jump(received_q_, received_v_, since, q) : Finding{};
    agreeing_ = among.cause == Cause::none ? agreeing_ + 1 : 0;
    if (received_) count_still(q, v, since);
    // a step that is a jump says nothing about velocities
    if (received_ && among.cause == Cause::none) compare(q, v, since);
    received_q_ = q, received_v_ = v, distinct_time_ = reading_time;
    received_ = true;

    Finding f = started_ ? from_last_good(reading_time - time_, q) : Finding{};
    if (f.cause == Cause::none) f = consistency();
    if (f.cause != Cause::none) return {Kind::bad, f};
    q_ = q, v_ = v, time_ = reading_time;
    started_ = true;
    return {Kind::fresh, {}};
  }
  bool moves(In v) const { return v.cwiseAbs().maxCoeff() > options_.rest_speed; }
  /// A state that moves and is read again is none to go by; for long, it is frozen.
  Verdict repeated(In v) const {
    const double way = v.cwiseAbs().maxCoeff() * repeated_for(),
                 limit = 5.0 * options_.position_noise;
    if (repeated_for() < repeated_at || way < limit) return {};
    return {Kind::bad, {Cause::state_frozen, -1, repeated_for(), repeated_at}};
  }
  /// Whether a joint can have come from one position to another, at about its speed.
  Finding jump(const Vector& from, const Vector& v, double dt, In q) const {
    for (int i = 0; i < q_.size(); ++i) {
      const double off = std::abs(q(i) - from(i) - v(i) * dt);
      // from one reading to the next a joint may have met something; for longer it is braked, as in a stop
      const double change = std::min(0.5 * limits_.speed(i) / 0.1 * dt, limits_.speed(i));
      const double possible =
          5.0 * options_.position_noise + 2.0 * limits_.speed(i) * options_.period + change * dt;
      if (off > possible) return {Cause::position_jump, i, q(i) - from(i), possible};
    }
    return {};
  }
  /// A jump stays one, though the robot could have come there by now.
  Finding from_last_good(double dt, In q) {
    const Finding f = jump(q_, v_, jumped_ ? std::min(dt, jump_memory) : dt, q);
    jumped_ = f.cause != Cause::none;
    return f;
  }
  /// For how long velocities have been the same, and positions have hardly moved for their velocities.
  void count_still(In q, In v, double dt) {
    for (int i = 0; i < q_.size(); ++i) {
      const auto n = static_cast<std::size_t>(i);
      v_same_for_[n] = v(i) == received_v_(i) ? v_same_for_[n] + 1 : 0;
      const bool still = std::abs(q(i) - received_q_(i)) <= 0.05 * std::abs(v(i)) * dt;
      q_same_for_[n] = still ? q_same_for_[n] + 1 : 0;
    }
  }
  /// Adds a step to what is known of the last 50 ms; after a gap, nothing is known.
  void compare(In q, In v, double dt) {
    if (dt > 5.5 * options_.period) return forget();
    const double keep = std::exp(-dt / window);
    elapsed_ = keep * elapsed_ + dt;
    for (int i = 0; i < q_.size(); ++i) {
      const double step = q(i) - received_q_(i), mean = 0.5 * (v(i) + received_v_(i));
      moved_(i) = keep * moved_(i) + step;
      integral_(i) = keep * integral_(i) + mean * dt;
      sum_(i) = keep * sum_(i) + std::abs(mean) * dt;
    }
  }
  /// Whether velocities are those of the positions.
  Finding consistency() const {
    for (int i = 0; i < q_.size(); ++i) {
      const double off = std::abs(moved_(i) - integral_(i));
      const double way = std::max(sum_(i), std::abs(moved_(i)));
      const double limit =
          10.0 * options_.position_noise + 0.02 * limits_.speed(i) * window + 0.3 * way;
      if (off <= limit) continue;
      const auto still = [&](const std::vector<long>& samples) {
        return options_.period * static_cast<double>(samples[static_cast<std::size_t>(i)]) >= 0.005;
      };
      const Cause cause = still(q_same_for_)   ? Cause::position_frozen
                          : still(v_same_for_) ? Cause::velocity_frozen
                                               : Cause::velocity_inconsistent;
      return {cause, i, off, limit};
    }
    return {};
  }

  Limits limits_;
  ReadingCheckOptions options_;
  bool started_ = false, received_ = false, jumped_ = false;
  Vector q_, v_;  ///< the last good ones
  double time_ = 0.0;
  Vector received_q_, received_v_;  ///< the last ones, good or not
  double received_time_ = 0.0,
         distinct_time_ = 0.0;  ///< of the last one, and of its first repetition
  long repeated_ = 0, agreeing_ = 0;
  std::vector<long> v_same_for_, q_same_for_;
  /// Of the last 50 ms: displacement by positions, displacement and path by velocities, and the time.
  Vector moved_, integral_, sum_;
  double elapsed_ = 0.0;
};

}  // namespace ulna::supervise
