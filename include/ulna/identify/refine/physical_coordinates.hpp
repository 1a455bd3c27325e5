#pragma once

#include "ulna/identify/estimate/physical_prior.hpp"

namespace ulna::identify {

/// Coordinates without bounds: every θ is a z that the prior allows, θ = 0 its centre.
///
///     a body            P = U0 W W' U0'     P0 = U0 U0', U0 and W upper triangular
///     positive number   x = x0 exp(θ)
///     any other         x = x0 + s θ
///
/// A body's ten are the logarithms of W's diagonal, squared, and what stands above it: the log-Cholesky
/// coordinates of Rucker and Wensing [2022], seen from the centre, so that they depend on neither frame
/// nor unit. In them the prior is a sum of squares of single coordinates: with h(u) = exp(u) - u - 1,
///
///     tr(P P0^-1) - log det(P P0^-1) - 4 = Σ h(log w_ii²) + Σ w_ij²,    x/x0 - log(x/x0) - 1 = h(θ).
///
/// What pulls a body to where it could not exist, or to infinity, is met by it as by the prior.
class PhysicalCoordinates {
 public:
  /// Throws std::invalid_argument if nothing is believed of an unknown.
  explicit PhysicalCoordinates(const PhysicalPrior& prior);

  int size() const { return int(kinds_.size()); }

  /// Throws std::invalid_argument if z is not inside.
  Vector of(const Vector& z) const;
  Vector numbers(const Vector& theta) const;
  /// dz/dθ.
  Matrix slopes(const Vector& theta) const;
  /// r with r'r / 2 = prior(z), and dr_k / dθ_k.
  void residuals(const Vector& theta, Vector& r, Vector& slope) const;

 private:
  enum class Kind { none, logarithm, straight };
  struct Body {
    int at;
    Mat4<double> L;   ///< P0^-1 = L L'
    Mat4<double> U0;  ///< L'^-1
  };
  Mat4<double> factor(const Body& body, const Vector& theta) const;

  std::vector<Body> bodies_;
  std::vector<PhysicalPrior::Number> numbers_;
  std::vector<Kind> kinds_;
  Vector weight_;  ///< of the residuals
};

}  // namespace ulna::identify
