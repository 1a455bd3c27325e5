#pragma once

#include "ulna/mpc/controller.hpp"

namespace ulna::view {

/// A motion whose aim can be changed while it is followed: the distance to the new one vanishes as a polynomial of fifth
/// degree in time, which begins with the velocity that there is. For joints of one coordinate.
class SmoothMotion {
 public:
  using Vector = Eigen::VectorXd;

  SmoothMotion(mpc::MotionReference usual, Vector fastest)
      : usual_(std::move(usual)),
        fastest_(std::move(fastest)),
        distance_(Vector::Zero(fastest_.size())),
        rate_(distance_) {}

  /// To rest at a place, from a time on; or without one, back to the usual motion.
  void go_to(double time, const std::optional<Vector>& place) {
    Vector q = distance_, v = distance_;
    (*this)(time, q, v);
    place_ = place;
    Vector aim = distance_, aim_rate = distance_;
    aim_at(time, aim, aim_rate);
    distance_ = q - aim, rate_ = v - aim_rate;
    constexpr double peak = 1.875;  // of such a polynomial's rate, over the mean
    begin_ = time;
    seconds_ = std::max(0.5, peak * distance_.cwiseAbs().cwiseQuotient(fastest_).maxCoeff());
  }

  void operator()(double time, Vector& q, Vector& v) const {
    aim_at(time, q, v);
    const double s = (time - begin_) / seconds_;
    if (!(s < 1.0)) return;
    const double s2 = s * s, s3 = s2 * s;
    q += (1.0 - 10.0 * s3 + 15.0 * s2 * s2 - 6.0 * s3 * s2) * distance_ +
         seconds_ * (s - 6.0 * s3 + 8.0 * s2 * s2 - 3.0 * s3 * s2) * rate_;
    v += (-30.0 * s2 + 60.0 * s3 - 30.0 * s2 * s2) / seconds_ * distance_ +
         (1.0 - 18.0 * s2 + 32.0 * s3 - 15.0 * s2 * s2) * rate_;
  }

 private:
  void aim_at(double time, Vector& q, Vector& v) const {
    if (!place_) return usual_(time, q, v);
    q = *place_;
    v.setZero(q.size());
  }

  mpc::MotionReference usual_;
  Vector fastest_;
  std::optional<Vector> place_;
  Vector distance_, rate_;
  double begin_ = -1.0, seconds_ = 1.0;
};

}  // namespace ulna::view
