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
  if (rows) still(n, F);
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
      if (rows) still(n + k, F);
    }
    return;
  }
  // slides
  const double way[2] = {x[0] / t, x[1] / t}, across[2] = {-way[1], way[0]};
  for (int k = 0; k < 2; ++k) F(n + 1 + k) = lambda(n + 1 + k) - radius * way[k];
  if (!rows) return;
  // Along its way friction follows from the normal impulse, as the normal velocity is to vanish: two unknowns instead of three.
  NewtonRow& normal_law = newton_rows_.back();
  normal_law.terms = 3, normal_law.of[1] = n + 1, normal_law.of[2] = n + 2;
  const double share = radius / t, mu = b.coefficient;
  NewtonRow turn{n + 1, 2, {n + 1, n + 2, 0}, {}, {}, {}, 0.0}, follow = turn;
  for (int k = 0; k < 2; ++k) {
    normal_law.unknown[1 + k] = mu * way[k];
    turn.unit[k] = (1.0 - share) * across[k], turn.of_G[k] = share * across[k];
    turn.unknown[k] = across[k], turn.rhs -= across[k] * F(n + 1 + k);
    follow.unit[1 + k] = way[k], follow.rhs -= way[k] * F(n + 1 + k);
  }
  add_law(turn);
  follow.row = n + 2, follow.terms = 3, follow.unit[0] = -mu, follow.rhs += mu * F(n);
  for (int k = 0; k < 3; ++k) follow.of[k] = n + k;
  law_[n + 2] = static_cast<int>(newton_rows_.size());
  newton_rows_.push_back(follow);
  for (int k = 0; k < 2; ++k) step_.vector(size_)(n + 1 + k) = follow.rhs * way[k];
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
      if (rows) still(i, F);
      continue;
    }
    F(i) = lambda(i) - radius * x[k] / t;
    if (!rows) continue;
    NewtonRow r{i, 1 + b.rows, {b.normal, b.row, b.row + b.rows - 1}, {}, {}, {}, -F(i)};
    r.unknown[1 + k] = 1.0;
    r.unit[0] = lambda(b.normal) > 0.0 ? -b.coefficient * x[k] / t : 0.0;
    for (int j = 0; j < b.rows; ++j) {
      r.of_G[1 + j] = radius / t * ((k == j) - x[k] * x[j] / (t * t));
      r.unit[1 + j] = (k == j) - r.of_G[1 + j];
    }
    add_law(r);
  }
}

double ConeGroup::equations(const Vector& lambda, const Vector& w, Vector F, bool rows) {
  if (rows) newton_rows_.clear(), unknowns_ = 0;
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
      if (rows && held) still(i, F);
      if (rows && !held) fix(i, F);
    }
    for (int k = 0; k < b.rows; ++k) worst = std::max(worst, b.root * std::abs(F(i + k)));
  }
  return worst;
}

bool ConeGroup::newton_step(const Vector& F) {
  return prefers_rows(unknowns_) ? step_by_rows() : step_by_velocities(F);
}

/// Solves for the unknowns of newton_rows_. step_ holds what is known already.
bool ConeGroup::step_by_rows() {
  const int n = unknowns_;
  if (n == 0) return true;
  effort += n * static_cast<double>(n) * n / 3.0;
  Vector step = step_.vector(size_), rhs = rhs_.vector(n), moved = trial_.vector(size_);
  const Vector prox = proximal_.vector(size_), R = R_.vector(size_);
  // what is known already moves the others
  const bool any = step.squaredNorm() > 0.0;
  if (any) {
    Vector v = v_.vector(velocities_);
    moved.setZero();
    add_impulses(step, v);
    add_rates(v, moved);
    v.setZero();
  }
  bool symmetric = true;
  for (const NewtonRow& r : newton_rows_) {
    if (r.place < 0) continue;
    for (int k = 0; k < r.terms; ++k) know(r.of[k]);
    symmetric &= r.terms == 1;
    double& sum = rhs(r.place);
    sum = r.rhs;
    for (int k = 0; any && k < r.terms; ++k) {
      const int i = r.of[k];
      sum -= r.of_G[k] * moved(i) + (r.unit[k] + r.of_G[k] * (prox(i) + R(i))) * step(i);
    }
  }
  if (!(symmetric ? factor_rows_symmetric() : factor_rows())) return false;
  dense_.solve(rhs.data());
  for (const NewtonRow& r : newton_rows_)
    for (int k = 0; r.place >= 0 && k < r.terms; ++k) step(r.of[k]) += r.unknown[k] * rhs(r.place);
  return rhs.allFinite();
}

/// Of rows at rest, each of which is an unknown.
bool ConeGroup::factor_rows_symmetric() {
  const int n = unknowns_;
  const Matrix M = G();
  const Vector prox = proximal_.vector(size_);
  double* const A = dense_.matrix(n);
  for (int i = 0; i < n; ++i) {
    const double* const column = &M(0, newton_rows_[static_cast<std::size_t>(i)].row);
    for (int j = i; j < n; ++j) A[j + i * n] = column[newton_rows_[j].row];
    A[i * (n + 1)] += prox(newton_rows_[static_cast<std::size_t>(i)].row);
  }
  return dense_.factor_symmetric();
}

bool ConeGroup::factor_rows() {
  const int n = unknowns_;
  row_of_place_.resize(static_cast<std::size_t>(n)), mixed_.clear();
  for (const NewtonRow& r : newton_rows_) {
    if (r.place < 0) continue;
    row_of_place_[static_cast<std::size_t>(r.place)] = r.row;
    // what is no velocity by itself
    if (r.of_G[1] != 0.0 || r.of_G[2] != 0.0 || r.of_G[0] != 1.0)
      mixed_.push_back(static_cast<int>(&r - newton_rows_.data()));
  }
  const Matrix M = G();
  const Vector prox = proximal_.vector(size_);
  double* const A = dense_.matrix(n);
  for (const NewtonRow& u : newton_rows_) {
    if (u.place < 0) continue;
    // G is symmetric: its columns are in a row of memory
    const double *first = &M(0, u.of[0]), *second = &M(0, u.of[1]), *third = &M(0, u.of[2]);
    double* const to = A + u.place * n;
    Vector sum = z_.vector(size_);
    if (u.terms == 2) {
      for (int i = 0; i < size_; ++i) sum(i) = u.unknown[0] * first[i] + u.unknown[1] * second[i];
      first = sum.data();
    } else if (u.terms == 3) {
      for (int i = 0; i < size_; ++i)
        sum(i) = u.unknown[0] * first[i] + u.unknown[1] * second[i] + u.unknown[2] * third[i];
      first = sum.data();
    }
    for (int i = 0; i < n; ++i) to[i] = first[row_of_place_[static_cast<std::size_t>(i)]];
    for (const int law : mixed_) {
      const NewtonRow& r = newton_rows_[static_cast<std::size_t>(law)];
      to[r.place] = 0.0;
      for (int k = 0; k < r.terms; ++k) to[r.place] += r.of_G[k] * first[r.of[k]];
    }
    // the rows of its own unit
    const Unit& unit = units_[static_cast<std::size_t>(places_[static_cast<std::size_t>(u.row)])];
    for (int i = 0; i < unit.rows; ++i) {
      const int law = law_[unit.row[i]];
      if (law < 0 || newton_rows_[static_cast<std::size_t>(law)].place < 0) continue;
      const NewtonRow& r = newton_rows_[static_cast<std::size_t>(law)];
      for (int k = 0; k < r.terms; ++k)
        for (int c = 0; c < u.terms; ++c)
          if (r.of[k] == u.of[c])
            to[r.place] += (r.unit[k] + r.of_G[k] * prox(r.of[k])) * u.unknown[c];
    }
  }
  return dense_.factor();
}

/// D = E^-1 A and g = -E^-1 F of a unit, by rows exchanged.
bool ConeGroup::linearise(Unit& u, const Vector& F) {
  const int n = u.rows;
  const Vector prox = proximal_.vector(size_);
  double E[most_rows][2 * most_rows + 1] = {};
  u.still = true;
  for (int i = 0; i < n; ++i) {
    const int law = law_[u.row[i]];
    if (law < 0) {
      E[i][i] = 1.0, E[i][2 * n] = -F(u.row[i]);
      continue;
    }
    u.still = false;
    const NewtonRow& r = newton_rows_[static_cast<std::size_t>(law)];
    E[i][2 * n] = r.rhs;
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
