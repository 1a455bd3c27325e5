#pragma once

#include <Eigen/LU>
#include <cmath>

#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna::test {

/// robots/fourbar.urdf by plane geometry and by one coordinate, the angle of its crank: a witness that
/// knows nothing of loops, only of the tree. The bars' directions are e(alpha), e(beta), e(gamma) with
/// 0.1 e(alpha) + 0.3 e(beta) = (0.24, 0) + 0.28 e(gamma).
class Crank {
 public:
  explicit Crank(const Plant<double>& plant)
      : plant_(plant), motion_(plant.model()), ws_(plant.model()) {}

  struct Position {
    Eigen::VectorXd q, by_angle,
        by_square;  ///< v = by_angle rate, a = by_angle (d rate/dt) + by_square rate²
  };
  static Position position(double crank) {
    constexpr double l = 0.1, c = 0.3, r = 0.28, pi = 3.14159265358979323846;
    using Vec2 = Eigen::Vector2d;
    const auto e = [](double angle) { return Vec2(std::cos(angle), std::sin(angle)); };
    const auto normal = [](const Vec2& x) { return Vec2(-x.y(), x.x()); };
    const double alpha = crank + 0.5 * pi;
    const Vec2 B = l * e(alpha), D(0.24, 0.0), way = D - B;
    // C is where the circles about B and D meet, on the upper side
    const double d = way.norm(), along = (d * d + c * c - r * r) / (2.0 * d);
    const Vec2 C = B + along / d * way + std::sqrt(c * c - along * along) / d * normal(way);
    const double beta = std::atan2(C.y() - B.y(), C.x() - B.x()),
                 gamma = std::atan2(C.y() - D.y(), C.x() - D.x());
    // rates of beta and gamma per unit of alpha, and what squares of rates add
    Eigen::Matrix2d A;
    A << c * normal(e(beta)), -r * normal(e(gamma));
    const Vec2 rate = A.inverse() * (-l * normal(e(alpha)));
    const Vec2 square = A.inverse() * (l * e(alpha) + c * rate.x() * rate.x() * e(beta) -
                                       r * rate.y() * rate.y() * e(gamma));
    const double beta_0 = std::atan2(0.18, 0.24);
    return {Eigen::VectorXd{{crank, beta - alpha + 0.5 * pi - beta_0, gamma - 0.5 * pi}},
            Eigen::VectorXd{{1.0, rate.x() - 1.0, rate.y()}},
            Eigen::VectorXd{{0.0, square.x(), square.y()}}};
  }

  /// Of the crank, under torques of all joints.
  double acceleration(double crank, double rate, const Eigen::VectorXd& tau) {
    const Position at = position(crank);
    const Eigen::VectorXd v = at.by_angle * rate, a = at.by_square * rate * rate;
    const auto needs = [&](const Eigen::VectorXd& acceleration) {
      Eigen::VectorXd torque(3);
      motion_.set(at.q, v, acceleration);
      inverse_dynamics<double>(plant_, motion_, ws_, torque);
      return at.by_angle.dot(torque);
    };
    const double still = needs(a);
    return (at.by_angle.dot(tau) - still) / (needs(a + at.by_angle) - still);
  }

  /// Torques constant for a while.
  void go(double& crank, double& rate, const Eigen::VectorXd& tau, double duration) {
    constexpr int steps = 40;
    const double h = duration / steps;
    for (int i = 0; i < steps; ++i) {
      const double a1 = acceleration(crank, rate, tau), v2 = rate + 0.5 * h * a1,
                   a2 = acceleration(crank + 0.5 * h * rate, v2, tau), v3 = rate + 0.5 * h * a2,
                   a3 = acceleration(crank + 0.5 * h * v2, v3, tau), v4 = rate + h * a3,
                   a4 = acceleration(crank + h * v3, v4, tau);
      crank += h / 6.0 * (rate + 2.0 * v2 + 2.0 * v3 + v4);
      rate += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
  }

 private:
  const Plant<double>& plant_;
  Motion<double> motion_;
  Workspace<double> ws_;
};

}  // namespace ulna::test
