#include "constraints/cone_group.hpp"
#include "constraints/cone_local.hpp"
#include "ulna/model/description.hpp"

namespace ulna::detail {
namespace {

using Kind = ConeProblem::Kind;

/// Added to the diagonal of G, which is 1: of rows that depend on each other, all carry their share. It is the same before
/// scaling, so that no contact is preferred, unless masses differ by more than a hundred.
constexpr double least_share = 1e-2;
/// m/s: impulses that are farther from the law are not those of the last step.
constexpr double begun_anew = 1e-3;

}  // namespace

void ConeGroup::cone_equations(const Block& b, const Vector& lambda, const Vector& w, Vector F,
                               bool rows) {
  const int n = b.row;
  const double normal = lambda(n) - w(n);
  const double x[2] = {lambda(n + 1) - w(n + 1), lambda(n + 2) - w(n + 2)};
  const double t = length(x[0], x[1]), radius = b.coefficient * normal;
  if (normal <= 0.0) {  // open
    for (int k = 0; k < 3; ++k) {
      F(n + k) = lambda(n + k);
      if (rows) fix(n + k, F);
    }
    return;
  }
  F(n) = w(n);
  if (rows) still(n);
  if (b.coefficient == 0.0) {
    for (int k = 1; k < 3; ++k) {
      F(n + k) = lambda(n + k);
      if (rows) fix(n + k, F);
    }
    return;
  }
  if (t <= radius) {  // sticks
    for (int k = 1; k < 3; ++k) {
      F(n + k) = w(n + k);
      if (rows) still(n + k);
    }
    return;
  }
  for (int k = 0; k < 2; ++k) {  // slides
    const double way[2] = {x[0] / t, x[1] / t};
    F(n + 1 + k) = lambda(n + 1 + k) - radius * way[k];
    if (!rows) continue;
    NewtonRow r{n + 1 + k, 3, {n, n + 1, n + 2}, {}, {}};
    r.unit[0] = -b.coefficient * way[k], r.of_G[0] = -r.unit[0];
    for (int j = 0; j < 2; ++j) {
      r.of_G[1 + j] = radius / t * ((k == j) - way[k] * way[j]);
      r.unit[1 + j] = (k == j) - r.of_G[1 + j];
    }
    add_law(r);
  }
}

void ConeGroup::disc_equations(const Block& b, const Vector& lambda, const Vector& w, Vector F,
                               bool rows) {
  const double radius = b.coefficient * std::max(0.0, lambda(b.normal));
  double x[2] = {lambda(b.row) - w(b.row), 0.0};
  if (b.rows == 2) x[1] = lambda(b.row + 1) - w(b.row + 1);
  const double t = length(x[0], x[1]);
  for (int k = 0; k < b.rows; ++k) {
    const int i = b.row + k;
    if (t <= radius) {
      F(i) = w(i);
      if (rows) still(i);
      continue;
    }
    F(i) = lambda(i) - radius * x[k] / t;
    if (!rows) continue;
    NewtonRow r{i, 1 + b.rows, {b.normal, b.row, b.row + b.rows - 1}, {}, {}};
    r.unit[0] = lambda(b.normal) > 0.0 ? -b.coefficient * x[k] / t : 0.0;
    for (int j = 0; j < b.rows; ++j) {
      r.of_G[1 + j] = radius / t * ((k == j) - x[k] * x[j] / (t * t));
      r.unit[1 + j] = (k == j) - r.of_G[1 + j];
    }
    add_law(r);
  }
}

double ConeGroup::equations(const Vector& lambda, const Vector& w, Vector F, bool rows) {
  if (rows) newton_rows_.clear();
  double worst = 0.0;
  for (const Block& b : blocks_) {
    const int i = b.row;
    const double x = lambda(i) - w(i);
    double at = 0.0;
    bool held = false;  // by w = 0
    switch (b.kind) {
      case Kind::cone:
        cone_equations(b, lambda, w, F, rows);
        break;
      case Kind::disc:
        disc_equations(b, lambda, w, F, rows);
        break;
      case Kind::equality:
        held = true;
        break;
      case Kind::positive:
        held = x > 0.0;
        break;
      case Kind::box:
        held = x > b.lower && x < b.upper;
        at = x <= b.lower ? b.lower : b.upper;
        break;
    }
    if (b.kind != Kind::cone && b.kind != Kind::disc) {
      F(i) = held ? w(i) : lambda(i) - at;
      if (rows && held) still(i);
      if (rows && !held) fix(i, F);
    }
    for (int k = 0; k < b.rows; ++k) worst = std::max(worst, b.root * std::abs(F(i + k)));
  }
  return worst;
}

bool ConeGroup::newton_step(const Vector& F) {
  const int rows = static_cast<int>(newton_rows_.size());
  return prefers_rows(rows) ? step_by_rows(F) : step_by_velocities(F);
}

/// Solves the rows that are not fixed: those of G and of the identity that newton_rows_ lists.
bool ConeGroup::step_by_rows(const Vector& F) {
  const int n = static_cast<int>(newton_rows_.size());
  if (n == 0) return true;
  effort += n * static_cast<double>(n) * n / 3.0;
  Vector step = step_.vector(size_), rhs = rhs_.vector(n), moved = trial_.vector(size_);
  const Vector prox = proximal_.vector(size_);
  // what the fixed rows' steps do to the others
  bool any = false;
  for (int k = 0; k < size_; ++k) {
    if (law_[k] >= 0) step(k) = 0.0;
    any |= step(k) != 0.0;
  }
  if (any) {
    Vector v = v_.vector(velocities_);
    moved.setZero();
    add_impulses(step, v);
    add_rates(v, moved);
    v.setZero();
  }
  bool symmetric = true;
  for (const NewtonRow& r : newton_rows_) {
    for (int k = 0; k < r.terms; ++k) know(r.of[k]);
    symmetric &= r.terms == 1;
  }
  const Matrix M = G();
  double* const A = dense_.matrix(n);
  for (int i = 0; i < n; ++i) {
    const NewtonRow& r = newton_rows_[static_cast<std::size_t>(i)];
    rhs(i) = -F(r.row);
    if (symmetric) {
      const double* const first = &M(0, r.row);
      for (int j = i; j < n; ++j) A[j + i * n] = first[newton_rows_[j].row];
      A[i * (n + 1)] += prox(r.row);
      if (any) rhs(i) -= moved(r.row);
      continue;
    }
    // G is symmetric: by columns
    const double *first = &M(0, r.of[0]), *second = &M(0, r.of[1]), *third = &M(0, r.of[2]);
    const double a = r.of_G[0], b = r.of_G[1], c = r.of_G[2];
    if (r.terms == 1)
      for (int j = 0; j < n; ++j) A[i + j * n] = first[newton_rows_[j].row];
    else
      for (int j = 0; j < n; ++j) {
        const int column = newton_rows_[j].row;
        A[i + j * n] = a * first[column] + b * second[column] + c * third[column];
      }
    for (int k = 0; k < r.terms; ++k) {
      const double own = r.unit[k] + r.of_G[k] * prox(r.of[k]);
      if (any) rhs(i) -= r.of_G[k] * moved(r.of[k]);
      if (const int j = law_[r.of[k]]; j >= 0)
        A[i + j * n] += own;
      else
        rhs(i) -= (own + r.of_G[k] * R_.vector(size_)(r.of[k])) * step(r.of[k]);
    }
  }
  if (!(symmetric ? dense_.factor_symmetric() : dense_.factor())) return false;
  dense_.solve(rhs.data());
  for (int i = 0; i < n; ++i) step(newton_rows_[static_cast<std::size_t>(i)].row) = rhs(i);
  return rhs.allFinite();
}

/// D = E^-1 A and g = -E^-1 F of a unit, by rows exchanged.
bool ConeGroup::linearise(Unit& u, const Vector& F) {
  const int n = u.rows;
  const Vector prox = proximal_.vector(size_);
  double E[most_rows][2 * most_rows + 1] = {};
  u.still = true;
  for (int i = 0; i < n; ++i) {
    E[i][2 * n] = -F(u.row[i]);
    const int law = law_[u.row[i]];
    if (law < 0) {
      E[i][i] = 1.0;
      continue;
    }
    u.still = false;
    const NewtonRow& r = newton_rows_[static_cast<std::size_t>(law)];
    for (int k = 0; k < r.terms; ++k) {
      int c = 0;
      while (u.row[c] != r.of[k]) ++c;
      E[i][c] += r.unit[k] + r.of_G[k] * (prox(r.of[k]) + R_.vector(size_)(r.of[k]));
      E[i][n + c] += r.of_G[k];
    }
  }
  for (int k = 0; k < n; ++k) {
    int p = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(E[i][k]) > std::abs(E[p][k])) p = i;
    if (!(std::abs(E[p][k]) > 0.0)) return false;
    if (p != k) std::swap_ranges(E[k], E[k] + 2 * n + 1, E[p]);
    const double inverse = 1.0 / E[k][k];
    for (int j = k; j <= 2 * n; ++j) E[k][j] *= inverse;
    for (int i = 0; i < n; ++i)
      if (const double factor = E[i][k]; i != k && factor != 0.0)
        for (int j = k; j <= 2 * n; ++j) E[i][j] -= factor * E[k][j];
  }
  for (int i = 0; i < n; ++i) {
    u.g[i] = E[i][2 * n];
    for (int k = 0; k < n; ++k) u.D[i * most_rows + k] = E[i][n + k];
  }
  return true;
}

bool ConeGroup::step_by_velocities(const Vector& F) {
  for (Unit& u : units_)
    if (!linearise(u, F)) return false;
  if (!factor_velocities()) return false;
  Vector step = step_.vector(size_);
  solve_velocities(step);
  return step.allFinite();
}

int ConeGroup::newton(double tolerance, int most, double proximal) {
  Vector prox = proximal_.vector(size_);
  double least_root = infinity;
  for (const Block& b : blocks_) least_root = std::min(least_root, b.root);
  for (const Block& b : blocks_)
    prox.segment(b.row, b.rows)
        .setConstant(proximal * std::max(least_share, square(least_root / b.root)));
  Vector l = lambda(), w = w_.vector(size_), held = held_w_.vector(size_), F = F_.vector(size_);
  Vector step = step_.vector(size_), best = best_.vector(size_), centre = centre_.vector(size_);
  best = l;
  velocity_of(l, w);
  double least = residual_at(l, w);
  // begun anew, rows that depend on each other share evenly; what was solved a step ago shares as it did
  centre = l;
  if (least > begun_anew) centre.setZero();
  // w is that of `at`; the equations hold it with the proximal term
  const auto evaluate = [&](const Vector& at, bool rows) {
    held = w + prox.cwiseProduct(at - centre);
    return equations(at, held, F, rows);
  };
  int steps = 0, uphill = 0, rounds = 0;
  while (steps < most && effort < most_effort) {
    const double error = evaluate(l, true);
    if (error <= 0.1 * tolerance) {
      if (least <= (rounds++ ? 1.0 : 0.1) * tolerance || (centre - l).squaredNorm() == 0.0) break;
      centre = l;  // a step of the proximal point method
      evaluate(l, true);
    }
    const double merit = F.squaredNorm();
    ++steps;
    if (!newton_step(F)) break;
    const auto go = [&](double t) {
      Vector at = x_.vector(size_);
      at = l + t * step;
      velocity_of(at, w);
      evaluate(at, false);
      return F.squaredNorm() < (1.0 - 0.1 * t) * merit;
    };
    double t = 1.0;
    while (!go(t) && t >= 0.1) t *= 0.5;
    if (t < 0.1) {
      // no descent: two full steps may lead out of it, more do not
      if (++uphill > 2) break;
      go(t = 1.0);
    }
    l += t * step;
    const double now = residual_at(l, w);
    if (now < least) least = now, best = l;
    // rows at the very edge of sticking may change sides for ever: it is good enough
    if (least <= (steps < 4 ? 0.1 : 1.0) * tolerance) break;
  }
  l = best;
  project(l);
  return steps;
}

}  // namespace ulna::detail
