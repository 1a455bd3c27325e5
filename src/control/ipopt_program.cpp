#if ULNA_WITH_IPOPT

#include "ipopt_program.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "merit.hpp"

namespace ulna::control::detail {

using Vector = Eigen::VectorXd;

IpoptProgram::IpoptProgram(OptimalControlProblem& problem, const Trajectory& guess,
                           const Eigen::Ref<const Vector>& x0, const IpoptOptions& options)
    : problem_(problem),
      options_(options),
      guess_(guess),
      exact_(options.exact_hessian && problem.has_exact_hessian()),
      places_(problem.sizes().size()),
      values_(stage_values(problem)),
      stages_(qp_stages(problem.sizes())) {
  guess_.x[0] = x0;
  at_ = guess_;
  multipliers_.next = defects_of(problem);
  for (int k = 0; k < problem.stage_count(); ++k) {
    const StageSize& size = problem.size(k);
    const Bounds& bounds = problem.bounds(k);
    Place& place = places_[static_cast<std::size_t>(k)];
    multipliers_.rows.push_back(Vector::Zero(size.rows()));
    place.size = size;
    place.plain = is_plain(k);
    exact_ = exact_ && place.plain;
    place.x_free = k > 0 ? size.x : 0;
    place.u = variables_, place.x = place.u + size.u;
    variables_ = place.x + place.x_free;
    place.next = constraints_;
    place.rows = constraints_ +=
        static_cast<Index>(multipliers_.next[static_cast<std::size_t>(k)].size());
    for (int row = 0; row < size.rows(); ++row) {
      const double low = bounds.lower(row), high = bounds.upper(row);
      const bool of_g = row >= size.variables(), of_x = !of_g && row >= size.u;
      if ((low == -infinity && high == infinity) || (of_x && k == 0)) continue;
      const bool soft = is_soft(bounds, row);
      if (!of_g && !soft) continue;
      Row constrained{row};
      if (soft && low > -infinity) constrained.lower_slack = variables_++;
      if (soft && high < infinity) constrained.upper_slack = variables_++;
      place.constrained.push_back(constrained);
      ++constraints_;
    }
    place.take(stages_[static_cast<std::size_t>(k)]);
    curvature_.push_back(place.H);
  }
}

/// Whether moving the state of a stage is adding to it, by a trial from the guess.
bool IpoptProgram::is_plain(int k) const {
  const int n = problem_.size(k).x;
  if (problem_.numbers(k) != n) return false;
  const Vector& x = guess_.x[static_cast<std::size_t>(k)];
  Vector dx(n), moved(n);
  for (int i = 0; i < n; ++i) dx(i) = 0.1 + 0.07 * (i % 5);
  problem_.move(k, x, dx, moved);
  return moved == x + dx;
}

template <class F>
void IpoptProgram::each_slope(F f) const {
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const Place& place = places_[k];
    for (int i = 0; i < place.F.rows(); ++i) {
      for (int j = 0; j < place.free(); ++j) f(place.next + i, place.variable(j), place.F(i, j));
      f(place.next + i, places_[k + 1].x + i, -1.0);
    }
    Index at = place.rows;
    for (const Row& each : place.constrained) {
      if (each.row < place.size.variables())
        f(at, place.variable(each.row), 1.0);
      else
        for (int j = 0; j < place.free(); ++j)
          f(at, place.variable(j), place.G(each.row - place.size.variables(), j));
      if (each.lower_slack >= 0) f(at, each.lower_slack, 1.0);
      if (each.upper_slack >= 0) f(at, each.upper_slack, -1.0);
      ++at;
    }
  }
}

template <class F>
void IpoptProgram::each_slack(F f) const {
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const Bounds& bounds = problem_.bounds(static_cast<int>(k));
    for (const Row& each : places_[k].constrained)
      for (const Index slack : {each.lower_slack, each.upper_slack})
        if (slack >= 0) f(slack, bounds.price(each.row), bounds.price_squared(each.row));
  }
}

template <class F>
void IpoptProgram::each_curvature(F f) const {
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const Place& place = places_[k];
    for (int i = 0; i < place.free(); ++i)
      for (int j = 0; j <= i; ++j) f(place.variable(i), place.variable(j), curvature_[k](i, j));
  }
}

bool IpoptProgram::get_nlp_info(Index& n, Index& m, Index& jacobian, Index& hessian,
                                IndexStyleEnum& style) {
  n = variables_, m = constraints_;
  jacobian = hessian = 0;
  each_slope([&](Index, Index, double) { ++jacobian; });
  each_curvature([&](Index, Index, double) { ++hessian; });
  each_slack([&](Index, double, double) { ++hessian; });
  style = C_STYLE;
  return true;
}

bool IpoptProgram::get_bounds_info(Index n, Number* low, Number* high, Index m, Number* g_low,
                                   Number* g_high) {
  constexpr double none = 1e20;
  const auto finite = [&](double bound) { return std::clamp(bound, -none, none); };
  std::fill_n(low, n, -none), std::fill_n(high, n, none);
  std::fill_n(g_low, m, 0.0), std::fill_n(g_high, m, 0.0);
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const Place& place = places_[k];
    const Bounds& bounds = problem_.bounds(static_cast<int>(k));
    for (int i = 0; i < place.free(); ++i) {
      if (is_soft(bounds, i)) continue;
      const double from = i < place.size.u || !place.plain ? 0.0 : guess_.x[k](i - place.size.u);
      const Index at = place.variable(i);
      low[at] = finite(bounds.lower(i) - from), high[at] = finite(bounds.upper(i) - from);
    }
    Index at = place.rows;
    for (const Row& each : place.constrained) {
      g_low[at] = finite(bounds.lower(each.row)), g_high[at] = finite(bounds.upper(each.row));
      ++at;
    }
  }
  each_slack([&](Index slack, double, double) { low[slack] = 0.0; });
  return true;
}

bool IpoptProgram::get_starting_point(Index n, bool, Number* z, bool, Number*, Number*, Index, bool,
                                      Number*) {
  std::fill_n(z, n, 0.0);
  for (std::size_t k = 0; k < places_.size(); ++k)
    Eigen::Map<Vector>(z + places_[k].u, guess_.u[k].size()) = guess_.u[k];
  return true;
}

/// Ipopt evaluates one function after another at the same point. False if it is not finite.
bool IpoptProgram::go_to(const Number* z) {
  const Eigen::Map<const Vector> point(z, variables_);
  if (point_.size() == point.size() && point_ == point) return true;
  if (!point.allFinite()) return false;
  point_ = point;
  valued_ = sloped_ = false;
  for (std::size_t k = 0; k < places_.size(); ++k) {
    at_.u[k] = point_.segment(places_[k].u, at_.u[k].size());
    if (k > 0)
      problem_.move(static_cast<int>(k), guess_.x[k],
                    point_.segment(places_[k].x, stages_[k].size.x), at_.x[k]);
  }
  return true;
}

bool IpoptProgram::value_at(const Number* z) {
  if (!go_to(z)) return false;
  if (!valued_) possible_ = problem_.evaluate(at_, values_);
  valued_ = true;
  return possible_;
}

bool IpoptProgram::slopes_at(const Number* z) {
  if (!go_to(z)) return false;
  if (sloped_) return possible_;
  possible_ = problem_.linearise(at_, nullptr, values_, stages_);
  valued_ = sloped_ = true;
  if (possible_) into_charts();
  return possible_;
}

/// How difference(guess, x) changes when x is moved, by five points: problems have no function for it.
void IpoptProgram::chart_slope(int k, const Vector& x, Eigen::MatrixXd& slope) const {
  const Vector& guess = guess_.x[static_cast<std::size_t>(k)];
  const int n = problem_.size(k).x;
  slope.resize(n, n);
  Vector dx = Vector::Zero(n), moved(x.size()), way(n);
  constexpr double h = 1e-3;
  for (int i = 0; i < n; ++i) {
    const auto there = [&](double by) -> const Vector& {
      dx(i) = by;
      problem_.move(k, x, dx, moved);
      problem_.difference(k, guess, moved, way);
      return way;
    };
    slope.col(i) = 8.0 * there(h);
    slope.col(i) -= 8.0 * there(-h);
    slope.col(i) -= there(2.0 * h);
    slope.col(i) += there(-2.0 * h);
    slope.col(i) /= 12.0 * h;
    dx(i) = 0.0;
  }
}

/// From slopes along the tangents of states to those by the variables.
void IpoptProgram::into_charts() {
  Eigen::MatrixXd slope;
  for (std::size_t k = 0; k < places_.size(); ++k) {
    Place& place = places_[k];
    const QpStage& stage = stages_[k];
    place.take(stage);
    if (k + 1 < places_.size() && !places_[k + 1].plain) {
      chart_slope(static_cast<int>(k) + 1, values_[k].next, slope);
      place.F = slope * stage.F;
    }
    if (place.plain || k == 0) continue;
    chart_slope(static_cast<int>(k), at_.x[k], slope);
    const Eigen::MatrixXd by_chart = slope.inverse();
    const int x = stage.size.x;
    place.h.tail(x) = by_chart.transpose() * stage.h.tail(x);
    for (Eigen::MatrixXd* each : {&place.F, &place.G, &place.H})
      each->rightCols(x) = (each->rightCols(x) * by_chart).eval();
    place.H.bottomRows(x) = (by_chart.transpose() * place.H.bottomRows(x)).eval();
  }
}

bool IpoptProgram::eval_f(Index, const Number* z, bool, Number& f) {
  if (!value_at(z)) return false;
  f = 0.0;
  for (const StageValue& value : values_) f += value.cost;
  each_slack([&](Index slack, double price, double squared) {
    f += z[slack] * (price + 0.5 * squared * z[slack]);
  });
  return std::isfinite(f);
}

bool IpoptProgram::eval_grad_f(Index n, const Number* z, bool, Number* gradient) {
  if (!slopes_at(z)) return false;
  std::fill_n(gradient, n, 0.0);
  for (const Place& place : places_)
    for (int i = 0; i < place.free(); ++i) gradient[place.variable(i)] = place.h(i);
  each_slack([&](Index slack, double price, double squared) {
    gradient[slack] = price + squared * z[slack];
  });
  return Eigen::Map<Vector>(gradient, n).allFinite();
}

bool IpoptProgram::eval_g(Index, const Number* z, bool, Index m, Number* g) {
  if (!value_at(z)) return false;
  Vector way;
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const Place& place = places_[k];
    const StageSize& size = stages_[k].size;
    if (k + 1 < places_.size()) {
      const Place& next = places_[k + 1];
      way.resize(next.x_free);
      problem_.difference(static_cast<int>(k) + 1, guess_.x[k + 1], values_[k].next, way);
      for (int i = 0; i < next.x_free; ++i) g[place.next + i] = way(i) - z[next.x + i];
    }
    Index at = place.rows;
    for (const Row& each : place.constrained) {
      const int row = each.row;
      double y = row < size.u             ? at_.u[k](row)
                 : row < size.variables() ? at_.x[k](row - size.u)
                                          : values_[k].g(row - size.variables());
      if (each.lower_slack >= 0) y += z[each.lower_slack];
      if (each.upper_slack >= 0) y -= z[each.upper_slack];
      g[at++] = y;
    }
  }
  return Eigen::Map<Vector>(g, m).allFinite();
}

bool IpoptProgram::eval_jac_g(Index, const Number* z, bool, Index, Index count, Index* row,
                              Index* column, Number* values) {
  if (!values) {
    each_slope([&](Index i, Index j, double) { *row++ = i, *column++ = j; });
    return true;
  }
  if (!slopes_at(z)) return false;
  Number* to = values;
  each_slope([&](Index, Index, double slope) { *to++ = slope; });
  return Eigen::Map<Vector>(values, count).allFinite();
}

/// `factor` of the cost and the multipliers of constraints: with no factor, as where Ipopt looks for a
/// feasible point, what the cost has to do with it is taken away again.
bool IpoptProgram::curve_at(const Number* z, double factor, const Number* multipliers) {
  if (!slopes_at(z)) return false;
  if (!exact_) {
    for (std::size_t k = 0; k < places_.size(); ++k) curvature_[k] = factor * places_[k].H;
    return true;
  }
  const auto linearise = [&](double scale, double share) {
    for (std::size_t k = 0; k < places_.size(); ++k) {
      const Place& place = places_[k];
      Vector& next = multipliers_.next[k];
      next = scale * Eigen::Map<const Vector>(multipliers + place.next, next.size());
      multipliers_.rows[k].setZero();
      for (std::size_t i = 0; i < place.constrained.size(); ++i)
        multipliers_.rows[k](place.constrained[i].row) =
            scale * multipliers[place.rows + static_cast<Index>(i)];
    }
    if (!problem_.linearise(at_, &multipliers_, values_, stages_)) return false;
    for (std::size_t k = 0; k < places_.size(); ++k) curvature_[k] += share * stages_[k].H;
    return true;
  };
  for (std::size_t k = 0; k < places_.size(); ++k)
    curvature_[k].setZero(places_[k].H.rows(), places_[k].H.cols());
  if (factor > 1e-8) return linearise(1.0 / factor, factor);
  return linearise(1.0, 1.0) && linearise(0.0, -1.0);
}

bool IpoptProgram::eval_h(Index, const Number* z, bool, Number factor, Index,
                          const Number* multipliers, bool, Index count, Index* row, Index* column,
                          Number* values) {
  if (!values) {
    each_curvature([&](Index i, Index j, double) { *row++ = i, *column++ = j; });
    each_slack([&](Index slack, double, double) { *row++ = slack, *column++ = slack; });
    return true;
  }
  if (!curve_at(z, factor, multipliers)) return false;
  Number* to = values;
  each_curvature([&](Index, Index, double curvature) { *to++ = curvature; });
  each_slack([&](Index, double, double squared) { *to++ = factor * squared; });
  return Eigen::Map<Vector>(values, count).allFinite();
}

void IpoptProgram::finalize_solution(Ipopt::SolverReturn, Index, const Number* z, const Number*,
                                     const Number*, Index, const Number*, const Number*, Number,
                                     const Ipopt::IpoptData*, Ipopt::IpoptCalculatedQuantities*) {
  ended = go_to(z);
}

bool IpoptProgram::intermediate_callback(Ipopt::AlgorithmMode, Index iteration, Number cost, Number,
                                         Number, Number, Number, Number, Number, Number, Index,
                                         const Ipopt::IpoptData*,
                                         Ipopt::IpoptCalculatedQuantities*) {
  iterations = iteration;
  return !options_.go_on || options_.go_on(iteration, cost);
}

}  // namespace ulna::control::detail

#endif
