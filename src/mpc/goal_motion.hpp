#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "num/message.hpp"
#include "ulna/spatial/transform.hpp"

namespace ulna::mpc {

/// From a moving state to rest at a goal, all coordinates in the same time: polynomials of fifth degree, whose
/// positions, velocities and accelerations begin where they were.
class GoalMotion {
 public:
  using Vector = Eigen::VectorXd;
  using In = const Eigen::Ref<const Vector>&;

  explicit GoalMotion(Eigen::Index n) : c_(Eigen::MatrixXd::Zero(n, 6)), q_(n), v_(n), a_(n) {}

  /// The shortest such motion, to a tenth, whose velocities and accelerations are within limits; where those at the
  /// beginning leave none, the one that exceeds them least.
  void set(double time, In q, In v, In a, In goal, In velocity, In acceleration) {
    double least = 0.02;
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      messages::require(velocity(i) > 0.0 && acceleration(i) > 0.0 && std::isfinite(goal(i)),
                        "goal: coordinate ", i,
                        " needs a finite goal, and limits of velocity and acceleration above 0");
      const double far = std::abs(goal(i) - q(i));
      least = std::max({least, far / velocity(i), std::sqrt(far / acceleration(i))});
    }
    begin_ = time;
    // one that begins faster than the limits, or speeding up, may have no duration within them: then the nearest to them
    double best = least, smallest = infinity;
    for (duration_ = least; duration_ < 30.0 * least && smallest > 1.0; duration_ *= 1.1) {
      set_coefficients(q, v, a, goal);
      const double excess = largest_share(velocity, acceleration);
      if (excess < smallest) smallest = excess, best = duration_;
    }
    duration_ = best;
    set_coefficients(q, v, a, goal);
  }

  /// Also before it begins, by going on backwards.
  void at(double time, Eigen::Ref<Vector> q, Eigen::Ref<Vector> v) const {
    const double t = std::min(time - begin_, duration_);
    q = c_.col(0) +
        t * (c_.col(1) + t * (c_.col(2) + t * (c_.col(3) + t * (c_.col(4) + t * c_.col(5)))));
    if (time - begin_ >= duration_) return v.setZero(), void();
    v = c_.col(1) +
        t * (2.0 * c_.col(2) + t * (3.0 * c_.col(3) + t * (4.0 * c_.col(4) + t * 5.0 * c_.col(5))));
  }
  double end() const { return begin_ + duration_; }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  void set_coefficients(In q, In v, In a, In goal) {
    const double T = duration_;
    c_.col(0) = q, c_.col(1) = v, c_.col(2) = 0.5 * a;
    c_.col(3) = (20.0 * (goal - q) - 12.0 * T * v - 3.0 * T * T * a) / (2.0 * T * T * T);
    c_.col(4) = (-30.0 * (goal - q) + 16.0 * T * v + 3.0 * T * T * a) / (2.0 * T * T * T * T);
    c_.col(5) = (12.0 * (goal - q) - 6.0 * T * v - T * T * a) / (2.0 * T * T * T * T * T);
  }

  /// Of its limits that is used, velocity or acceleration, at some samples.
  double largest_share(In velocity, In acceleration) {
    constexpr int samples = 24;
    double largest = 0.0;
    for (int k = 1; k < samples; ++k) {
      const double t = duration_ * k / samples;
      at(begin_ + t, q_, v_);
      a_ = 2.0 * c_.col(2) + t * (6.0 * c_.col(3) + t * (12.0 * c_.col(4) + t * 20.0 * c_.col(5)));
      largest = std::max({largest, v_.cwiseQuotient(velocity).lpNorm<Eigen::Infinity>(),
                          a_.cwiseQuotient(acceleration).lpNorm<Eigen::Infinity>()});
    }
    return largest;
  }

  double begin_ = 0.0, duration_ = 0.0;
  Eigen::MatrixXd c_;  ///< of powers of time: a row for each coordinate
  Vector q_, v_, a_;   ///< at a sample
};

}  // namespace ulna::mpc
