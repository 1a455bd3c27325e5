#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "ulna/identify/online/online_estimator.hpp"

namespace ulna::mpc {

/// Whether numbers are those of a body that can be.
inline bool is_body(const Inertia<double>& inertia) {
  return Eigen::LLT<Mat4<double>>(pseudo_inertia(inertia)).info() == Eigen::Success;
}

/// A body that may have been picked up, as far as torques show it within moments: its mass and where it is. Ten numbers would explain
/// whatever acts at a moment, a push too; of a payload the inertia follows about from these four, as that of a ball as dense as
/// water. A mass that is negative was put down.
class PayloadHypothesis {
 public:
  using Vector10 = Eigen::Matrix<double, 10, 1>;

  /// `size`: m, about how far from its origin a body may well carry something.
  explicit PayloadHypothesis(double size) : size_(size) {}

  void clear() { moment_.setZero(); }

  /// Towards the four numbers that explain most: a Gauss-Newton step. Errors are alike over `correlated` samples.
  void step(const identify::BodyEvidence& evidence, double correlated) {
    if (!(evidence.R(0, 0) > 0.0)) return;
    // where it is along gravity shows only while it turns
    const double mass = std::max(std::abs(moment_(0)), least_mass);
    const double loose = correlated * std::max(1.0, left_) / (size_ * size_ * mass * mass);
    for (int pass = 0; pass < 2; ++pass) {
      const Eigen::Matrix<double, 10, 4> J = derivative();
      Eigen::Matrix4d H = J.transpose() * evidence.R * J;
      const Vector10 x = parameters();
      Eigen::Vector4d g = J.transpose() * (evidence.r - evidence.R * x);
      H.diagonal().tail<3>().array() += loose;
      g.tail<3>() -= loose * moment_.tail<3>();
      H.diagonal() *= 1.0 + 1e-9;
      const Eigen::LLT<Eigen::Matrix4d> factor(H);
      if (factor.info() != Eigen::Success) return clear();
      const Eigen::Vector4d more = factor.solve(g);
      if (!more.allFinite()) return clear();
      moment_ += more;
      // beyond, it is no body that is carried: inertia would grow with the square of it
      const double far = moment_.tail<3>().norm(), most = 5.0 * size_ * std::abs(moment_(0));
      if (far > most) moment_.tail<3>() *= most / far;
    }
    const Vector10 x = parameters();
    left_ = std::max(0.0, evidence.square - 2.0 * x.dot(evidence.r) + x.dot(evidence.R * x)) /
            evidence.count;
  }

  /// Its ten numbers.
  Vector10 parameters() const {
    const double m = moment_(0);
    if (std::abs(m) < least_mass) return Vector10::Zero();
    const Eigen::Vector3d com = moment_.tail<3>() / m;
    const Eigen::Matrix3d I = ball(m) * Eigen::Matrix3d::Identity();
    return Inertia<double>::about_com(m, com, I).parameters();
  }

 private:
  static constexpr double least_mass = 1e-3;  // kg

  /// 2/5 m r², r³ = 3 m / (4 π density)
  static double ball(double mass) {
    constexpr double density = 1000.0;
    const double r = std::cbrt(0.75 * std::abs(mass) / (double(EIGEN_PI) * density));
    return 0.4 * mass * r * r;
  }

  Eigen::Matrix<double, 10, 4> derivative() const {
    Eigen::Matrix<double, 10, 4> J = Eigen::Matrix<double, 10, 4>::Zero();
    J.topRows<4>().setIdentity();
    const double m = moment_(0);
    if (std::abs(m) < least_mass) return J;
    const Eigen::Vector3d c = moment_.tail<3>() / m;
    const auto rotational = [](const Eigen::Matrix3d& I) {
      return Eigen::Matrix<double, 6, 1>{I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)};
    };
    const Eigen::Matrix3d one = Eigen::Matrix3d::Identity();
    J.col(0).tail<6>() =
        rotational(5.0 / 3.0 * ball(m) / m * one - c.squaredNorm() * one + c * c.transpose());
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d e = Eigen::Vector3d::Unit(k);
      J.col(1 + k).tail<6>() = rotational(2.0 * c(k) * one - e * c.transpose() - c * e.transpose());
    }
    return J;
  }

  double size_;
  Eigen::Vector4d moment_ = Eigen::Vector4d::Zero();  ///< mass and first moment
  double left_ = 1.0;  ///< mean square of what it does not explain, in deviations
};

}  // namespace ulna::mpc
