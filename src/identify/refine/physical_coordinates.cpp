#include "ulna/identify/refine/physical_coordinates.hpp"

#include <Eigen/Cholesky>
#include <array>
#include <cmath>

#include "identify/messages.hpp"

namespace ulna::identify {
namespace {

/// Where a body's ten coordinates stand in W: first the diagonal.
constexpr std::array<std::pair<int, int>, 10> places{
    {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

/// sign(u) sqrt(2 (exp(u) - u - 1)), about u, and its slope.
std::pair<double, double> root(double u) {
  if (std::abs(u) < 0.01) {
    const double shape =
        std::sqrt(1.0 + u * (1.0 / 3.0 + u * (1.0 / 12.0 + u * (1.0 / 60.0 + u / 360.0))));
    return {u * shape, (1.0 + u * (0.5 + u * (1.0 / 6.0 + u * (1.0 / 24.0 + u / 120.0)))) / shape};
  }
  const double r = std::copysign(std::sqrt(2.0 * (std::expm1(u) - u)), u);
  return {r, std::expm1(u) / r};
}

}  // namespace

PhysicalCoordinates::PhysicalCoordinates(const PhysicalPrior& prior)
    : numbers_(prior.numbers()),
      kinds_(std::size_t(prior.size()), Kind::none),
      weight_(Vector::Zero(prior.size())) {
  const auto set = [&](int at, Kind kind, double weight) {
    kinds_[at] = kind;
    weight_(at) = std::sqrt(weight);
  };
  for (const PhysicalPrior::Body& b : prior.bodies()) {
    const Eigen::LLT<Mat4<double>> factor(b.P0_inverse);
    const Mat4<double> L = factor.matrixL();
    bodies_.push_back({b.at, L, factor.matrixU().solve(Mat4<double>::Identity())});
    for (int k = 0; k < 10; ++k)
      set(b.at + k, k < 4 ? Kind::logarithm : Kind::straight, k < 4 ? b.weight : 2.0 * b.weight);
  }
  for (const PhysicalPrior::Number& x : numbers_)
    set(x.at, x.deviation > 0.0 ? Kind::straight : Kind::logarithm, x.weight);
  for (const Kind kind : kinds_)
    require(kind != Kind::none, "physical coordinates: an unknown has no prior");
}

Vector PhysicalCoordinates::of(const Vector& z) const {
  Vector theta(size());
  constexpr const char* not_physical = "physical coordinates: the parameters are not physical";
  for (const Body& b : bodies_) {
    const Mat4<double> Q =
        b.L.transpose() * pseudo_inertia(Inertia<double>(z.segment<10>(b.at))) * b.L;
    // the upper factor of Q is the lower one of Q turned round
    const Mat4<double> turned = Q.reverse();
    const Eigen::LLT<Mat4<double>> lower(turned);
    require(lower.info() == Eigen::Success && turned.allFinite(), not_physical);
    const Mat4<double> W = Mat4<double>(lower.matrixL()).reverse();
    for (int k = 0; k < 10; ++k) {
      const auto [r, c] = places[k];
      theta(b.at + k) = k < 4 ? 2.0 * std::log(W(r, c)) : W(r, c);
    }
  }
  for (const PhysicalPrior::Number& x : numbers_) {
    if (x.deviation > 0.0) {
      theta(x.at) = (z(x.at) - x.expected) / x.deviation;
    } else {
      require(z(x.at) > 0.0, not_physical);
      theta(x.at) = std::log(z(x.at) / x.expected);
    }
  }
  return theta;
}

Mat4<double> PhysicalCoordinates::factor(const Body& b, const Vector& theta) const {
  Mat4<double> W = Mat4<double>::Zero();
  for (int k = 0; k < 10; ++k) {
    const auto [r, c] = places[k];
    const double x = theta(b.at + k);
    W(r, c) = k < 4 ? std::exp(0.5 * x) : x;
  }
  return W;
}

Vector PhysicalCoordinates::numbers(const Vector& theta) const {
  Vector z(size());
  for (const Body& b : bodies_) {
    const Mat4<double> U = b.U0 * factor(b, theta);
    z.segment<10>(b.at) = inertia_from_pseudo<double>(Mat4<double>(U * U.transpose())).parameters();
  }
  for (const PhysicalPrior::Number& x : numbers_)
    z(x.at) = x.deviation > 0.0 ? x.expected + x.deviation * theta(x.at)
                                : x.expected * std::exp(theta(x.at));
  return z;
}

Matrix PhysicalCoordinates::slopes(const Vector& theta) const {
  Matrix dz = Matrix::Zero(size(), size());
  for (const Body& b : bodies_) {
    const Mat4<double> W = factor(b, theta), U = b.U0 * W;
    for (int k = 0; k < 10; ++k) {
      const auto [r, c] = places[k];
      const double dw = k < 4 ? 0.5 * W(r, c) : 1.0;
      const Mat4<double> half = (dw * b.U0.col(r)) * U.col(c).transpose();
      dz.block<10, 1>(b.at, b.at + k) =
          inertia_from_pseudo<double>(Mat4<double>(half + half.transpose())).parameters();
    }
  }
  for (const PhysicalPrior::Number& x : numbers_)
    dz(x.at, x.at) = x.deviation > 0.0 ? x.deviation : x.expected * std::exp(theta(x.at));
  return dz;
}

void PhysicalCoordinates::residuals(const Vector& theta, Vector& r, Vector& slope) const {
  r.resize(size()), slope.resize(size());
  for (int k = 0; k < size(); ++k) {
    const auto [value, rate] =
        kinds_[k] == Kind::logarithm ? root(theta(k)) : std::pair(theta(k), 1.0);
    r(k) = weight_(k) * value;
    slope(k) = weight_(k) * rate;
  }
}

}  // namespace ulna::identify
