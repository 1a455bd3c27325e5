#pragma once

#include <Eigen/LU>
#include <IpIpoptApplication.hpp>
#include <IpTNLP.hpp>
#include <algorithm>
#include <cmath>

#include "merit.hpp"
#include "ulna/control/ipopt.hpp"

namespace ulna::control::detail {

/// An optimal control problem as Ipopt sees it: one vector of variables, one of constraints, and lists of
/// the places in their matrices that are not always zero.
///
/// Variables of a stage: u, by how much x leaves the guess (not of stage 0), what soft rows yield.
/// Constraints of a stage: (next ⊟ guess_next) - that of the next stage, its g and its soft rows.
class IpoptProgram : public Ipopt::TNLP {
 public:
  using Index = Ipopt::Index;
  using Number = Ipopt::Number;
  using Vector = Eigen::VectorXd;

  IpoptProgram(OptimalControlProblem& problem, const Trajectory& guess,
               const Eigen::Ref<const Vector>& x0, const IpoptOptions& options)
      : problem_(problem),
        options_(options),
        guess_(guess),
        exact_(options.exact_hessian && problem.has_exact_hessian()),
        places_(problem.sizes().size()),
        values_(stage_values(problem)),
        stages_(qp_stages(problem.sizes())),
        multipliers_(multipliers_of(problem)) {
    guess_.x[0] = x0;
    at_ = guess_;
    for (int k = 0; k < problem.stage_count(); ++k) {
      const StageSize& size = problem.size(k);
      const Bounds& bounds = problem.bounds(k);
      Place& place = places_[k];
      place.slopes = stages_[k];
      place.plain = is_plain(k);
      exact_ = exact_ && place.plain;
      place.free = k > 0 ? size.variables() : size.u;
      place.first = variables_, place.next = constraints_;
      variables_ += place.free;
      constraints_ += Index(multipliers_.next[k].size());
      for (int row = 0; row < size.rows(); ++row) {
        const double low = bounds.lower(row), high = bounds.upper(row);
        const bool of_g = row >= size.variables(), of_x = !of_g && row >= size.u;
        if ((low == -infinity && high == infinity) || (of_x && k == 0)) continue;
        const bool soft = is_soft(bounds, row);
        if (!of_g && !soft) continue;
        Row constrained{row, constraints_++};
        if (soft && low > -infinity) constrained.lower_slack = variables_++;
        if (soft && high < infinity) constrained.upper_slack = variables_++;
        place.constrained.push_back(constrained);
      }
      curvature_.push_back(place.slopes.H);
    }
  }

  int iterations = 0;
  bool ended = false;  ///< somewhere, and `trajectory` is there
  const Trajectory& trajectory() const { return at_; }

  bool get_nlp_info(Index& n, Index& m, Index& jacobian, Index& hessian,
                    IndexStyleEnum& style) override {
    n = variables_, m = constraints_;
    jacobian = hessian = 0;
    each_slope([&](Index, Index, double) { ++jacobian; });
    each_curvature(1.0, [&](Index, Index, double) { ++hessian; });
    style = C_STYLE;
    return true;
  }

  bool get_bounds_info(Index n, Number* low, Number* high, Index m, Number* g_low,
                       Number* g_high) override {
    constexpr double none = 1e20;
    const auto finite = [&](double bound) { return std::clamp(bound, -none, none); };
    std::fill_n(low, n, -none), std::fill_n(high, n, none);
    std::fill_n(g_low, m, 0.0), std::fill_n(g_high, m, 0.0);
    for (int k = 0; k < problem_.stage_count(); ++k) {
      const Place& place = places_[k];
      const Bounds& bounds = problem_.bounds(k);
      const int u = problem_.size(k).u;
      for (int i = 0; i < place.free; ++i) {
        if (is_soft(bounds, i)) continue;
        const double from = i < u || !place.plain ? 0.0 : guess_.x[k](i - u);
        const Index at = place.first + i;
        low[at] = finite(bounds.lower(i) - from), high[at] = finite(bounds.upper(i) - from);
      }
      for (const Row& each : place.constrained) {
        g_low[each.at] = finite(bounds.lower(each.row));
        g_high[each.at] = finite(bounds.upper(each.row));
      }
    }
    each_slack([&](Index slack, double, double) { low[slack] = 0.0; });
    return true;
  }

  bool get_starting_point(Index n, bool, Number* z, bool, Number*, Number*, Index, bool,
                          Number*) override {
    std::fill_n(z, n, 0.0);
    for (int k = 0; k < problem_.stage_count(); ++k)
      Eigen::Map<Vector>(z + places_[k].first, guess_.u[k].size()) = guess_.u[k];
    return true;
  }

  bool eval_f(Index, const Number* z, bool, Number& f) override {
    if (!value_at(z)) return false;
    f = 0.0;
    for (const StageValue& value : values_) f += value.cost;
    each_slack([&](Index slack, double price, double squared) {
      f += z[slack] * (price + 0.5 * squared * z[slack]);
    });
    return std::isfinite(f);
  }

  bool eval_grad_f(Index n, const Number* z, bool, Number* gradient) override {
    if (!slopes_at(z)) return false;
    std::fill_n(gradient, n, 0.0);
    for (const Place& place : places_)
      std::copy_n(place.slopes.h.data(), place.free, gradient + place.first);
    each_slack([&](Index slack, double price, double squared) {
      gradient[slack] = price + squared * z[slack];
    });
    return Eigen::Map<Vector>(gradient, n).allFinite();
  }

  bool eval_g(Index, const Number* z, bool, Index m, Number* g) override {
    if (!value_at(z)) return false;
    Vector way;
    for (int k = 0; k < problem_.stage_count(); ++k) {
      const Place& place = places_[k];
      const StageSize& size = problem_.size(k);
      if (k + 1 < problem_.stage_count()) {
        way.resize(problem_.size(k + 1).x);
        problem_.difference(k + 1, guess_.x[k + 1], values_[k].next, way);
        Eigen::Map<Vector>(g + place.next, way.size()) = way - displacement(z, k + 1);
      }
      for (const Row& each : place.constrained) {
        const int row = each.row;
        double y = row < size.u             ? at_.u[k](row)
                   : row < size.variables() ? at_.x[k](row - size.u)
                                            : values_[k].g(row - size.variables());
        if (each.lower_slack >= 0) y += z[each.lower_slack];
        if (each.upper_slack >= 0) y -= z[each.upper_slack];
        g[each.at] = y;
      }
    }
    return Eigen::Map<Vector>(g, m).allFinite();
  }

  bool eval_jac_g(Index, const Number* z, bool, Index, Index count, Index* row, Index* column,
                  Number* values) override {
    if (values && !slopes_at(z)) return false;
    return write(count, row, column, values, [&](auto entry) { each_slope(entry); });
  }

  bool eval_h(Index, const Number* z, bool, Number factor, Index, const Number* multipliers, bool,
              Index count, Index* row, Index* column, Number* values) override {
    if (values && !curve_at(z, factor, multipliers)) return false;
    return write(count, row, column, values, [&](auto entry) { each_curvature(factor, entry); });
  }

  void finalize_solution(Ipopt::SolverReturn, Index, const Number* z, const Number*, const Number*,
                         Index, const Number*, const Number*, Number, const Ipopt::IpoptData*,
                         Ipopt::IpoptCalculatedQuantities*) override {
    ended = go_to(z);
  }

  bool intermediate_callback(Ipopt::AlgorithmMode, Index iteration, Number cost, Number, Number,
                             Number, Number, Number, Number, Number, Index, const Ipopt::IpoptData*,
                             Ipopt::IpoptCalculatedQuantities*) override {
    iterations = iteration;
    return !options_.go_on || options_.go_on(iteration, cost);
  }

 private:
  /// A row (u, x, g) that is a constraint of Ipopt's; a bound of a plain variable is none.
  struct Row {
    int row;
    Index at;                                  ///< which of the constraints
    Index lower_slack = -1, upper_slack = -1;  ///< variables, where it is soft
  };
  /// A stage's places.
  struct Place {
    int free = 0;               ///< variables without slacks; the state of stage 0 is none
    Index first = 0, next = 0;  ///< the first of them, and of the constraints to the next stage
    std::vector<Row> constrained;
    bool plain = true;  ///< moving is adding
    QpStage slopes;     ///< those of the stage, by what x leaves the guess
  };

  /// By how much the state of a stage leaves the guess.
  Eigen::Map<const Vector> displacement(const Number* z, int k) const {
    return {z + places_[k].first + problem_.size(k).u, problem_.size(k).x};
  }

  /// The places of a matrix, or its numbers where there is room for them.
  template <class Entries>
  static bool write(Index count, Index* row, Index* column, Number* values, Entries each) {
    Number* to = values;
    each([&](Index i, Index j, double value) {
      if (values)
        *to++ = value;
      else
        *row++ = i, *column++ = j;
    });
    return !values || Eigen::Map<Vector>(values, count).allFinite();
  }

  /// Whether moving the state of a stage is adding to it, by a trial from the guess.
  bool is_plain(int k) const {
    const int n = problem_.size(k).x;
    if (problem_.numbers(k) != n) return false;
    const Vector& x = guess_.x[k];
    Vector dx(n), moved(n);
    for (int i = 0; i < n; ++i) dx(i) = 0.1 + 0.07 * (i % 5);
    problem_.move(k, x, dx, moved);
    return moved == x + dx;
  }

  /// Ipopt evaluates one function after another at the same point. False if it is not finite.
  bool go_to(const Number* z) {
    const Eigen::Map<const Vector> point(z, variables_);
    if (point_.size() == point.size() && point_ == point) return true;
    if (!point.allFinite()) return false;
    point_ = point;
    valued_ = sloped_ = false;
    for (int k = 0; k < problem_.stage_count(); ++k) {
      at_.u[k] = point_.segment(places_[k].first, at_.u[k].size());
      if (k > 0) problem_.move(k, guess_.x[k], displacement(z, k), at_.x[k]);
    }
    return true;
  }

  bool value_at(const Number* z) {
    if (!go_to(z)) return false;
    if (!valued_) possible_ = problem_.evaluate(at_, values_);
    valued_ = true;
    return possible_;
  }

  bool slopes_at(const Number* z) {
    if (!go_to(z)) return false;
    if (sloped_) return possible_;
    possible_ = problem_.linearise(at_, nullptr, values_, stages_);
    valued_ = sloped_ = true;
    if (possible_) into_charts();
    return possible_;
  }

  /// How difference(guess, x) changes when x is moved, by five points: problems have no function for it.
  void chart_slope(int k, const Vector& x, Eigen::MatrixXd& slope) const {
    const Vector& guess = guess_.x[k];
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
  void into_charts() {
    Eigen::MatrixXd slope;
    for (int k = 0; k < problem_.stage_count(); ++k) {
      QpStage& stage = places_[k].slopes = stages_[k];
      if (k + 1 < problem_.stage_count() && !places_[k + 1].plain) {
        chart_slope(k + 1, values_[k].next, slope);
        stage.F = slope * stages_[k].F;
      }
      if (places_[k].plain || k == 0) continue;
      chart_slope(k, at_.x[k], slope);
      const Eigen::MatrixXd by_chart = slope.inverse();
      const int x = stage.size.x;
      stage.h.tail(x) = by_chart.transpose() * stages_[k].h.tail(x);
      for (Eigen::MatrixXd* each : {&stage.F, &stage.G, &stage.H})
        each->rightCols(x) = (each->rightCols(x) * by_chart).eval();
      stage.H.bottomRows(x) = (by_chart.transpose() * stage.H.bottomRows(x)).eval();
    }
  }

  /// `factor` of the cost and the multipliers of constraints: with no factor, as where Ipopt looks for a
  /// feasible point, what the cost has to do with it is taken away again.
  bool curve_at(const Number* z, double factor, const Number* multipliers) {
    if (!slopes_at(z)) return false;
    if (!exact_) {
      for (int k = 0; k < problem_.stage_count(); ++k) curvature_[k] = factor * places_[k].slopes.H;
      return true;
    }
    const auto linearise = [&](double scale, double share) {
      for (int k = 0; k < problem_.stage_count(); ++k) {
        const Place& place = places_[k];
        Vector& next = multipliers_.next[k];
        next = scale * Eigen::Map<const Vector>(multipliers + place.next, next.size());
        multipliers_.rows[k].setZero();
        for (const Row& each : place.constrained)
          multipliers_.rows[k](each.row) = scale * multipliers[each.at];
      }
      if (!problem_.linearise(at_, &multipliers_, values_, stages_)) return false;
      for (int k = 0; k < problem_.stage_count(); ++k) curvature_[k] += share * stages_[k].H;
      return true;
    };
    for (Eigen::MatrixXd& H : curvature_) H.setZero();
    if (factor > 1e-8) return linearise(1.0 / factor, factor);
    return linearise(1.0, 1.0) && linearise(0.0, -1.0);
  }

  template <class F>
  void each_slope(F f) const {
    for (int k = 0; k < problem_.stage_count(); ++k) {
      const Place& place = places_[k];
      const QpStage& stage = place.slopes;
      for (int i = 0; i < stage.F.rows(); ++i) {
        for (int j = 0; j < place.free; ++j) f(place.next + i, place.first + j, stage.F(i, j));
        f(place.next + i, places_[k + 1].first + problem_.size(k + 1).u + i, -1.0);
      }
      for (const Row& each : place.constrained) {
        const int g = each.row - stage.size.variables();
        if (g < 0) f(each.at, place.first + each.row, 1.0);
        for (int j = 0; g >= 0 && j < place.free; ++j) f(each.at, place.first + j, stage.G(g, j));
        if (each.lower_slack >= 0) f(each.at, each.lower_slack, 1.0);
        if (each.upper_slack >= 0) f(each.at, each.upper_slack, -1.0);
      }
    }
  }

  template <class F>
  void each_curvature(double factor, F f) const {
    for (int k = 0; k < problem_.stage_count(); ++k) {
      const Index first = places_[k].first;
      for (int i = 0; i < places_[k].free; ++i)
        for (int j = 0; j <= i; ++j) f(first + i, first + j, curvature_[k](i, j));
    }
    each_slack([&](Index slack, double, double squared) { f(slack, slack, factor * squared); });
  }

  template <class F>
  void each_slack(F f) const {
    for (int k = 0; k < problem_.stage_count(); ++k) {
      const Bounds& bounds = problem_.bounds(k);
      for (const Row& each : places_[k].constrained)
        for (const Index slack : {each.lower_slack, each.upper_slack})
          if (slack >= 0) f(slack, bounds.price(each.row), bounds.price_squared(each.row));
    }
  }

  OptimalControlProblem& problem_;
  const IpoptOptions& options_;
  Trajectory guess_, at_;
  bool exact_;
  std::vector<Place> places_;
  Index variables_ = 0, constraints_ = 0;
  Vector point_;  ///< where at_ is
  bool valued_ = false, sloped_ = false, possible_ = false;
  std::vector<StageValue> values_;
  std::vector<QpStage> stages_;
  std::vector<Eigen::MatrixXd> curvature_;  ///< of the Lagrangian, by stage
  Multipliers multipliers_;
};

}  // namespace ulna::control::detail
