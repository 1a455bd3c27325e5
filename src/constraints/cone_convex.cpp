#include <algorithm>

#include "constraints/cone_group.hpp"
#include "constraints/cone_local.hpp"
#include "ulna/model/description.hpp"

namespace ulna::detail {
namespace {

using Kind = ConeProblem::Kind;

/// Of the proximal point method, against diagonals of 1; steps of Newton's method for one convex problem; of the energy, what is
/// no decrease.
constexpr double proximal = 1e-5;
constexpr int most_steps = 20;
constexpr double no_decrease = 1e-22;

/// The slope of the projection on a cone, 3 x 3 with rows of `stride`, where y is outside of it and of its polar cone.
void cone_slope(double mu, const double* y, double scale, int stride, double* D) {
  const double t = length(y[1], y[2]), share = scale / (1.0 + mu * mu);
  const double d[3] = {1.0, mu * y[1] / t, mu * y[2] / t};  // the direction projected on
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) D[i * stride + j] = share * d[i] * d[j];
  const double turn = share * mu * (y[0] + mu * t) / t;
  for (int i = 1; i < 3; ++i)
    for (int j = 1; j < 3; ++j) D[i * stride + j] += turn * ((i == j) - y[i] * y[j] / (t * t));
}

void disc_slope(double radius, int rows, const double* y, double scale, int stride, double* D) {
  if (rows == 1) return;  // beyond its bound: none
  const double t = length(y[0], y[1]);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      D[i * stride + j] = scale * radius / t * ((i == j) - y[i] * y[j] / (t * t));
}

}  // namespace

double ConeGroup::respond(double rho, const Vector& centre, const Vector& shift, const Vector& rate,
                          Vector to, bool slopes) {
  double energy = 0.0;
  if (slopes)
    for (Unit& u : units_) std::fill_n(u.D, most_rows * most_rows, 0.0), u.still = false;
  for (const Block& b : blocks_) {
    double y[3], *x = to.data() + b.row;
    // the normal of a cone gives way by R; along tangents R only damps the way from the centre
    const double give = rho + R_.vector(size_)(b.row);
    for (int k = 0; k < b.rows; ++k) {
      const int i = b.row + k;
      const double pulls = b.kind == Kind::cone && k > 0 ? give : rho;
      y[k] = x[k] = (pulls * centre(i) - rate(i)) / give;
    }
    if (b.kind == Kind::cone) y[0] = x[0] -= shift(b.row) / give;
    double* D = slopes ? units_[b.unit].D + b.at * (most_rows + 1) : nullptr;
    const auto all_free = [&] {
      for (int k = 0; D && k < b.rows; ++k) D[k * (most_rows + 1)] = 1.0 / give;
    };
    switch (b.kind) {
      case Kind::equality:
        all_free();
        break;
      case Kind::positive:
        x[0] = std::max(y[0], 0.0);
        if (y[0] > 0.0) all_free();
        break;
      case Kind::box:
        x[0] = std::clamp(y[0], b.lower, b.upper);
        if (x[0] == y[0]) all_free();
        break;
      case Kind::cone:
        project_on_cone(b.coefficient, x[0], x[1], x[2]);
        if (x[0] == y[0] && x[1] == y[1] && x[2] == y[2])
          all_free();
        else if (D && x[0] > 0.0)
          cone_slope(b.coefficient, y, 1.0 / give, most_rows, D);
        break;
      case Kind::disc: {
        const double radius = shift(b.row);
        project_on_disc(radius, b.rows, x);
        if (x[0] == y[0])
          all_free();
        else if (D)
          disc_slope(radius, b.rows, y, 1.0 / give, most_rows, D);
        break;
      }
    }
    for (int k = 0; k < b.rows; ++k)
      energy += 0.5 * give * (y[k] * y[k] - (y[k] - x[k]) * (y[k] - x[k]));
  }
  return energy;
}

/// min ½|v - v_free|² + ½ Σ (rho + R)(|y|² - |y - P(y)|²) by v, from where v is; λ = P(y).
int ConeGroup::minimise(double rho, const Vector& centre, const Vector& shift, Vector v) {
  Vector l = lambda(), rate = rate_.vector(size_), gradient = gradient_.vector(velocities_);
  Vector step = x_.vector(velocities_), trial = best_v_.vector(velocities_);
  const Vector free = free_.vector(velocities_);
  const auto energy = [&](const Vector& at, bool slopes) {
    rate = offset_.vector(size_);
    add_rates(at, rate);
    return 0.5 * (at - free).squaredNorm() + respond(rho, centre, shift, rate, l, slopes);
  };
  int steps = 0;
  double now = energy(v, true);
  while (steps < most_steps && effort < most_effort) {
    gradient = free - v;
    add_impulses(l, gradient);
    ++steps;
    if (!factor_velocities()) break;
    step = gradient;
    lu_.solve(step.data());
    const double slope = -gradient.dot(step);
    if (!(slope < -no_decrease * (1.0 + v.squaredNorm()))) break;
    // contacts that close on the way make the energy steeper by orders of magnitude: back by the parabola
    double t = 1.0, then = now;
    for (int tries = 0; tries < 20; ++tries) {
      trial = v + t * step;
      then = energy(trial, false);
      if (then <= now + 1e-4 * t * slope) break;
      t *= std::clamp(-0.5 * slope * t / (then - now - slope * t), 0.02, 0.5);
    }
    if (!(then < now)) break;
    v = trial;
    now = energy(v, true);
  }
  energy(v, false);
  return steps;
}

int ConeGroup::convex(double tolerance, int rounds) {
  if (!unit_) return 0;
  analyse();
  Vector l = lambda(), centre = centre_.vector(size_);
  Vector shift = shift_.vector(size_), w = z_.vector(size_), v = step_v_.vector(velocities_);
  // from what is asked of free velocities on: what led astray must not do so again
  l.setZero();
  v = free_.vector(velocities_);
  int steps = 0;
  for (int round = 0; round < rounds; ++round) {
    centre = l;
    velocity_of(l, w);
    if (round == 0) shift.setZero();
    for (const Block& b : blocks_) {
      if (b.kind == Kind::cone && !associated_ && round > 0)
        shift(b.row) += (round < 3 ? 1.0 : 0.5) *
                        (b.coefficient * length(w(b.row + 1), w(b.row + 2)) - shift(b.row));
      if (b.kind == Kind::disc) shift(b.row) = b.coefficient * std::max(0.0, l(b.normal));
    }
    steps += minimise(proximal, centre, shift, v);
    if (rounds > 1 && residual() <= tolerance) break;
  }
  return steps;
}

}  // namespace ulna::detail
