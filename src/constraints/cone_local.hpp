#pragma once

#include <algorithm>
#include <array>
#include <cmath>

/// One contact by itself: projections, and Coulomb's law solved exactly.
namespace ulna::detail {

/// Without the care of std::hypot for numbers near the ends of their range, which cost most of a sweep.
inline double length(double x, double y) { return std::sqrt(x * x + y * y); }

/// The circular cone |t| <= mu n, projected on.
inline void project_on_cone(double mu, double& n, double& x, double& y) {
  const double t = length(x, y);
  if (t <= mu * n) return;
  if (mu * t <= -n) {
    n = x = y = 0.0;
    return;
  }
  const double normal = (n + mu * t) / (1.0 + mu * mu);
  n = normal;
  x *= mu * normal / t, y *= mu * normal / t;
}

/// The disc |x| <= radius, projected on.
inline void project_on_disc(double radius, int rows, double* x) {
  const double size = rows == 1 ? std::abs(x[0]) : length(x[0], x[1]);
  if (size <= radius) return;
  for (int i = 0; i < rows; ++i) x[i] *= radius / size;
}

/// w = G λ + b of two tangential rows, in the axes in which G is diagonal.
struct LocalDisc {
  double c = 1.0, s = 0.0;   ///< the axes
  double g[2] = {1.0, 1.0};  ///< G along them

  LocalDisc() = default;
  LocalDisc(double xx, double xy, double yy) {
    const double half = 0.5 * (xx - yy), radius = length(half, xy);
    const double mean = 0.5 * (xx + yy);
    // the eigenvector that is not lost in rounding
    double x = half >= 0.0 ? radius + half : xy, y = half >= 0.0 ? xy : radius - half;
    const double size = length(x, y);
    if (size > 0.0) c = x / size, s = y / size;
    g[0] = mean + radius, g[1] = mean - radius;
  }
  std::array<double, 2> in(double x, double y) const { return {c * x + s * y, c * y - s * x}; }
  std::array<double, 2> out(double x, double y) const { return {c * x - s * y, s * x + c * y}; }
};

/// The positive root of f, where f(0) > 0, f falls below zero, and f(s, slope) returns both: Newton's method
/// between bounds that close in.
template <class F>
double slip_root(F f, double scale) {
  double low = 0.0, high = scale, slope;
  double s = 0.0;
  while (f(high, slope) > 0.0 && high < 1e30 * scale) low = high, high *= 16.0;
  s = low;
  for (int i = 0; i < 80; ++i) {
    const double value = f(s, slope);
    (value > 0.0 ? low : high) = s;
    double next = s - value / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - s) <= 1e-15 * std::abs(next) || next == low || next == high) return next;
    s = next;
  }
  return s;
}

/// |λ| <= radius, against w = G λ + b: λ = -(G + s)^-1 b with the s >= 0 that keeps it within.
inline void solve_disc(const LocalDisc& local, double radius, const double* b, double* lambda) {
  if (!(radius > 0.0)) {
    lambda[0] = lambda[1] = 0.0;
    return;
  }
  const auto c = local.in(b[0], b[1]);
  const auto size = [&](double s, double& slope) {
    const double x = c[0] / (local.g[0] + s), y = c[1] / (local.g[1] + s);
    const double most = length(x, y);
    slope = most > 0.0 ? -(x * x / (local.g[0] + s) + y * y / (local.g[1] + s)) / most : -1.0;
    return most - radius;
  };
  double slope;
  const double s = size(0.0, slope) > 0.0 ? slip_root(size, local.g[0]) : 0.0;
  const auto l = local.out(-c[0] / (local.g[0] + s), -c[1] / (local.g[1] + s));
  lambda[0] = l[0], lambda[1] = l[1];
}

/// A contact: w = G λ + b of a normal and two tangential rows. The normal row is eliminated, so that what is left for
/// sliding is one equation in s, the ratio of speed and friction: wt = -s λt, wn = 0, |λt| = mu λn
/// [Bonnefon, Daviet 2011 write it as a quartic].
struct LocalCone {
  double nn = 1.0;         ///< G of the normal
  double tn[2] = {};       ///< of the tangents with it, divided by nn
  LocalDisc tangent;       ///< of the tangents, the normal eliminated
  double tn_axes[2] = {};  ///< tn in the axes of `tangent`

  LocalCone() = default;
  /// The lower triangle, row by row.
  explicit LocalCone(const std::array<double, 6>& G)
      : nn(G[0]),
        tn{G[1] / G[0], G[3] / G[0]},
        tangent(G[2] - G[1] * tn[0], G[4] - G[3] * tn[0], G[5] - G[3] * tn[1]) {
    const auto a = tangent.in(tn[0], tn[1]);
    tn_axes[0] = a[0], tn_axes[1] = a[1];
  }

  /// λ for b: none if it takes off, else what makes it stick if that is in the cone, else what
  /// slows it down.
  void solve(double mu, const double* b, double* lambda) const {
    lambda[0] = lambda[1] = lambda[2] = 0.0;
    if (b[0] >= 0.0) return;
    const double normal = -b[0] / nn;
    if (!(mu > 0.0)) {
      lambda[0] = normal;
      return;
    }
    const auto c = tangent.in(b[1] - tn[0] * b[0], b[2] - tn[1] * b[0]);
    double x, y, n;
    const auto excess = [&](double s, double& slope) {
      const double dx = 1.0 / (tangent.g[0] + s), dy = 1.0 / (tangent.g[1] + s);
      x = -c[0] * dx, y = -c[1] * dy;
      const double t = length(x, y);
      n = normal - tn_axes[0] * x - tn_axes[1] * y;
      slope = (t > 0.0 ? -(x * x * dx + y * y * dy) / t : 0.0) -
              mu * (tn_axes[0] * x * dx + tn_axes[1] * y * dy);
      return t - mu * n;
    };
    double slope;
    if (excess(0.0, slope) > 0.0) {
      excess(slip_root(excess, tangent.g[0]), slope);
      n = length(x, y) / mu;
    }
    const auto t = tangent.out(x, y);
    lambda[0] = n, lambda[1] = t[0], lambda[2] = t[1];
  }
};

}  // namespace ulna::detail
