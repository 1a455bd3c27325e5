#include "ulna/mpc/reentry.hpp"

#include <algorithm>
#include <cmath>

#include "num/message.hpp"

namespace ulna::mpc {
namespace {

constexpr double shortest = 0.1, longest = 30.0, growth = 1.2;  // s, and from one try to the next
constexpr double use = 0.9;                                     // of the limits
constexpr int samples = 32;                                     // of a way, at least
constexpr double finest = 0.02;                                 // s between them

struct Distance {
  double off, rate, acceleration;
};

/// The polynomial of fifth degree with d = from, d' = speed, d'' = 0 at first and all zero after `seconds`.
Distance distance(double from, double speed, double seconds, double elapsed) {
  if (!(elapsed < seconds)) return {0.0, 0.0, 0.0};
  const double s = std::max(elapsed, 0.0) / seconds, w = speed * seconds;
  const double off = from * (1.0 + s * s * s * (-10.0 + s * (15.0 - 6.0 * s))) +
                     w * s * (1.0 + s * s * (-6.0 + s * (8.0 - 3.0 * s)));
  const double rate = from * s * s * (-30.0 + s * (60.0 - 30.0 * s)) +
                      w * (1.0 + s * s * (-18.0 + s * (32.0 - 15.0 * s)));
  const double bend =
      from * s * (-60.0 + s * (180.0 - 120.0 * s)) + w * s * (-36.0 + s * (96.0 - 60.0 * s));
  return {off, rate / seconds, bend / (seconds * seconds)};
}

/// The distance that is left goes down over the whole way, the difference of speeds at its beginning.
Distance distance(double from, double speed, double seconds, double settled, double elapsed) {
  const Distance a = distance(from, 0.0, seconds, elapsed),
                 b = distance(0.0, speed, std::min(settled, seconds), elapsed);
  return {a.off + b.off, a.rate + b.rate, a.acceleration + b.acceleration};
}

}  // namespace

Reentry::Reentry(MotionReference motion, Vector speed, Vector acceleration)
    : motion_(std::move(motion)),
      speed_(std::move(speed)),
      acceleration_(std::move(acceleration)),
      q_(Vector::Zero(speed_.size())),
      v_(q_),
      ways_(std::size_t(speed_.size())) {
  messages::require(motion_ != nullptr, "re-entry: there is no motion to go back to");
  messages::require(speed_.size() > 0 && speed_.size() == acceleration_.size() &&
                        speed_.minCoeff() > 0.0 && acceleration_.minCoeff() > 0.0,
                    "re-entry: ", speed_.size(), " limits of speed and ", acceleration_.size(),
                    " of acceleration; give one above 0 for each joint");
}

void Reentry::stay(In q) {
  if (q.size() == q_.size() && q.allFinite()) q_ = q;
  stays_ = true;
}

void Reentry::join(double time, In q, In v) {
  begins_ = time;
  stays_ = false;
  motion_(time, q_, v_);
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const auto joint = Eigen::Index(i);
    const double speed = v(joint) - v_(joint);
    // the polynomial's acceleration is 5.8 times the mean one, which is to be half of what is allowed
    const double settled = shortest + 12.0 * std::abs(speed) / acceleration_(joint);
    ways_[i] = {q(joint) - q_(joint), speed, shortest, settled};
  }
  for (std::size_t i = 0; i < ways_.size(); ++i)
    while (ways_[i].seconds < longest && !is_allowed(ways_[i], time, Eigen::Index(i)))
      ways_[i].seconds *= growth;
}

bool Reentry::is_allowed(const Way& way, double time, Eigen::Index joint) {
  const int count = std::max(samples, int(way.seconds / finest));
  for (int k = 1; k < count; ++k) {
    const double elapsed = way.seconds * k / count;
    const Distance d = distance(way.from, way.speed, way.seconds, way.settled, elapsed);
    motion_(time + elapsed, q_, v_);
    // the motion itself is not for us to judge
    const double fastest = std::max(use * speed_(joint), std::abs(v_(joint)));
    if (std::abs(v_(joint) + d.rate) > fastest ||
        std::abs(d.acceleration) > use * acceleration_(joint))
      return false;
  }
  return true;
}

double Reentry::joined_at() const {
  if (stays_) return infinity;
  double last = 0.0;
  for (const Way& way : ways_) last = std::max(last, way.seconds);
  return begins_ + last;
}

void Reentry::operator()(double time, Vector& q, Vector& v) const {
  if (stays_) {
    q = q_;
    v.setZero();
    return;
  }
  motion_(time, q, v);
  // of another size, it is refused by whoever asked for it
  if (q.size() != q_.size() || v.size() != v_.size()) return;
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const Way& way = ways_[i];
    const Distance d = distance(way.from, way.speed, way.seconds, way.settled, time - begins_);
    q(Eigen::Index(i)) += d.off, v(Eigen::Index(i)) += d.rate;
  }
}

}  // namespace ulna::mpc
