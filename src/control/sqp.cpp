#include "ulna/control/sqp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "convexify.hpp"
#include "merit.hpp"
#include "num/message.hpp"

namespace ulna::control {

using Vector = Eigen::VectorXd;
using detail::Merit, detail::RowPrice;

namespace {

constexpr std::size_t largest_filter = 256;
/// By how much the dynamics of a step may be off for it to be of use.
constexpr double followable = 1e-6;

QpOptions finer(QpOptions qp, double tolerance) {
  qp.tolerance = std::min(qp.tolerance, 0.1 * tolerance);
  return qp;
}

bool past(const Sqp::Deadline& deadline) { return deadline && Sqp::Clock::now() >= *deadline; }

}  // namespace

Sqp::Sqp(OptimalControlProblem& problem, const SqpOptions& o)
    : options(o),
      trajectory(trajectory_of(problem)),
      multipliers(detail::multipliers_of(problem)),
      problem_(&problem),
      solver_(problem.sizes(), finer(o.qp, o.tolerance)),
      stages_(qp_stages(problem.sizes())),
      values_(stage_values(problem)),
      trial_values_(values_),
      trial_(trajectory),
      defects_(multipliers.next) {
  for (int k = 0; k < problem.stage_count(); ++k) {
    const StageSize& size = problem.size(k);
    step_.push_back(Vector::Zero(size.variables()));
    added_.states.push_back(Eigen::MatrixXd::Zero(size.x, size.x));
    const Bounds& bounds = problem.bounds(k);
    const auto x_rows = [&](const Vector& v) { return v.segment(size.u, size.x); };
    messages::require(problem.numbers(k) == size.x || k == 0 ||
                          !(x_rows(bounds.lower).maxCoeff() > -infinity ||
                            x_rows(bounds.upper).minCoeff() < infinity),
                      "stage ", k,
                      ": its state has more coordinates than degrees of freedom, so it cannot have "
                      "bounds; state them as constraints");
  }
  slopes_ = scratch_ = kept_ = step_;
  added_.rows = multipliers.rows;
  dx0_.setZero(problem.size(0).x);
  filter_.reserve(largest_filter);
}

bool Sqp::linearise(bool exact) {
  if (!problem_->linearise(trajectory, exact ? &multipliers : nullptr, values_, stages_))
    return false;
  for (int k = 0; k < problem_->stage_count(); ++k) slopes_[k] = stages_[k].h;
  return true;
}

/// The rest of the program for a step from here: gaps and bounds.
void Sqp::set_program() {
  for (int k = 0; k < problem_->stage_count(); ++k) {
    QpStage& stage = stages_[k];
    const StageSize& size = stage.size;
    if (k + 1 < problem_->stage_count())
      problem_->difference(k + 1, trajectory.x[k + 1], values_[k].next, stage.f);
    const Bounds& bounds = problem_->bounds(k);
    stage.bounds.price = bounds.price, stage.bounds.price_squared = bounds.price_squared;
    const auto relative = [&](const Vector& bound, Vector& to) {
      to.head(size.u) = bound.head(size.u) - trajectory.u[k];
      to.segment(size.u, size.x) = bound.segment(size.u, size.x);
      if (trajectory.x[k].size() == size.x) to.segment(size.u, size.x) -= trajectory.x[k];
      to.tail(size.g) = bound.tail(size.g) - values_[k].g;
    };
    relative(bounds.lower, stage.bounds.lower), relative(bounds.upper, stage.bounds.upper);
  }
}

QpStatus Sqp::solve_program(const Deadline& deadline, QpStart start) {
  const QpReport& qp = std::exchange(prepared_, false)
                           ? solver_.solve(dx0_, deadline)
                           : solver_.solve(stages_, dx0_, begun_ ? start : QpStart::cold, deadline);
  report_.qp = qp.status;
  report_.qp_iterations += qp.iterations;
  begun_ = qp.status == QpStatus::solved || (qp.status == QpStatus::limited && !qp.interior);
  return qp.status;
}

/// The same; if the hard rows contradict each other, each may be broken at a price. Equations hold on.
QpStatus Sqp::solve_or_yield(const Deadline& deadline) {
  QpStatus qp = solve_program(deadline, QpStart::multipliers);
  // the solver does not detect equations that cannot be met, it only gets no nearer
  const bool stuck = (qp == QpStatus::limited || qp == QpStatus::failed) &&
                     solver_.report().iterations > 5 && solver_.report().breach > 1e-3 &&
                     !past(deadline);
  elastic_ = qp == QpStatus::infeasible || stuck;
  if (!elastic_) return qp;
  for (QpStage& stage : stages_)
    for (Eigen::Index row = 0; row < stage.bounds.price.size(); ++row) {
      double& price = stage.bounds.price(row);
      if (price == infinity && stage.bounds.lower(row) < stage.bounds.upper(row))
        price = 1.0, stage.bounds.price_squared(row) = options.elastic;
    }
  begun_ = false;
  return solve_program(deadline, QpStart::cold);
}

void Sqp::take_step() {
  for (int k = 0; k < problem_->stage_count(); ++k) step_[k] = solver_.z(k);
}

void Sqp::take_multipliers() {
  for (int k = 0; k < problem_->stage_count(); ++k) {
    multipliers.next[k] = solver_.multiplier(k);
    multipliers.rows[k] = solver_.row_multiplier(k);
  }
  if (convexified_)
    detail::restore_multipliers(stages_, added_, step_, multipliers.next, multipliers.rows);
}

/// The largest slope of the Lagrangian.
double Sqp::slope() {
  double most = 0.0;
  for (int k = 0; k < problem_->stage_count(); ++k) {
    const QpStage& stage = stages_[k];
    const Vector& rows = multipliers.rows[k];
    Vector& slope = scratch_[k];
    slope = slopes_[k] + rows.head(stage.size.variables());
    slope.noalias() += stage.F.transpose() * multipliers.next[k];
    slope.noalias() += stage.G.transpose() * rows.tail(stage.size.g);
    if (k > 0) slope.tail(stage.size.x) -= multipliers.next[k - 1];
    const auto free = slope.head(k > 0 ? slope.size() : stage.size.u);
    most = std::max(most, free.lpNorm<Eigen::Infinity>());
  }
  return most;
}

/// The largest product of a multiplier and how far its row is from where it could push.
double Sqp::gap() const {
  double most = 0.0;
  for (int k = 0; k < problem_->stage_count(); ++k) {
    const Bounds& bounds = problem_->bounds(k);
    detail::each_row(stages_[k].size, k, trajectory, values_[k], [&](int row, double y) {
      const double m = multipliers.rows[k](row);
      if (m == 0.0) return;
      double push = m, away = y - (m > 0.0 ? bounds.upper(row) : bounds.lower(row));
      if (detail::is_soft(bounds, row) && away * m > 0.0)
        push = std::abs(m) - bounds.price(row) - bounds.price_squared(row) * std::abs(away);
      most = std::max(most, std::abs(push * away));
    });
  }
  return most;
}

void Sqp::step_to(double length, Trajectory& to) {
  for (int k = 0; k < problem_->stage_count(); ++k) {
    const StageSize& size = stages_[k].size;
    scratch_[k] = length * step_[k];
    to.u[k] = trajectory.u[k] + scratch_[k].head(size.u);
    problem_->move(k, trajectory.x[k], scratch_[k].tail(size.x), to.x[k]);
  }
}

/// What the whole step makes of the cost, with what soft rows pay, and of breaches, to first order.
Sqp::Promise Sqp::promise() const {
  Promise promised;
  for (int k = 0; k < problem_->stage_count(); ++k) promised.change += slopes_[k].dot(step_[k]);
  for (int k = 0; k < problem_->stage_count(); ++k) {
    const Bounds& bounds = problem_->bounds(k);
    detail::each_row(stages_[k].size, k, trajectory, values_[k], [&](int row, double y) {
      const int g = row - stages_[k].size.variables();
      const double dy = g < 0 ? step_[k](row) : stages_[k].G.row(g).dot(step_[k]);
      const RowPrice now(bounds, row, y), then(bounds, row, y + dy);
      promised.change += then.paid - now.paid;
      promised.infeasible += then.broken;
    });
  }
  return promised;
}

/// Of costs: rounding, and what the program stays away from bounds.
double Sqp::noise() const {
  double sides = 0.0;
  for (const QpStage& stage : stages_) sides += 2.0 * stage.size.rows();
  const double gap = std::min(solver_.report().gap, solver_.options.tolerance);
  return 1e-13 * std::max(1.0, std::abs(report_.cost)) + sides * gap;
}

bool Sqp::passes_filter(const Merit& here, const Merit& there, double length,
                        const Promise& promised, bool descent) const {
  const bool known = std::any_of(filter_.begin(), filter_.end(), [&](const auto& entry) {
    return there.infeasible > (1.0 - 1e-5) * entry.first &&
           there.cost > entry.second - 1e-5 * entry.first;
  });
  if (known) return false;
  if (descent) return there.cost <= here.cost + 1e-4 * length * promised.change + noise();
  return there.infeasible <= (1.0 - 1e-5) * here.infeasible ||
         there.cost <= here.cost - 1e-5 * here.infeasible ||
         (there.infeasible <= options.tolerance && there.cost <= here.cost + noise());
}

/// cost + penalty · infeasible must fall [Nocedal, Wright 2006, ch. 18.3].
bool Sqp::lowers_merit(const Merit& here, const Merit& there, double length,
                       const Promise& promised) const {
  const double now = here.cost + penalty_ * here.infeasible,
               then = there.cost + penalty_ * there.infeasible;
  const double slope =
      promised.change - penalty_ * std::max(0.0, here.infeasible - promised.infeasible);
  return then <= now + 1e-4 * length * std::min(slope, 0.0) + noise();
}

/// After a whole step that the curvature of constraints has spoilt: the program again, with what the
/// constraints came to there.
bool Sqp::correct(const Deadline& deadline) {
  for (int k = 0; k < problem_->stage_count(); ++k) {
    QpStage& stage = stages_[k];
    if (k + 1 < problem_->stage_count()) {
      stage.f += defects_[k];
      if (convexified_) stage.h += stage.F.transpose() * (added_.states[k + 1] * defects_[k]);
    }
    for (Eigen::Index i = 0; i < stage.size.g; ++i) {
      const double curved = trial_values_[k].g(i) - values_[k].g(i) - stage.G.row(i).dot(step_[k]);
      stage.bounds.lower(stage.size.variables() + i) -= curved;
      stage.bounds.upper(stage.size.variables() + i) -= curved;
    }
  }
  return solve_program(deadline, QpStart::multipliers) == QpStatus::solved;
}

/// A part of the step that brings something; the trajectory is there then.
bool Sqp::search(const Merit& here, const Deadline& deadline) {
  const Promise promised = promise();
  const double relieved = here.infeasible - promised.infeasible;
  if (!filtering_ && relieved > 0.0)
    penalty_ = std::max(penalty_, 2.0 * promised.change / relieved);
  Merit there;
  const auto brings = [&](double length) {
    step_to(length, trial_);
    there.cost = std::nan("");
    if (!problem_->evaluate(trial_, trial_values_)) return false;
    there = detail::merit(*problem_, trial_, trial_values_, defects_);
    if (!there.finite()) return false;
    if (!filtering_) return lowers_merit(here, there, length, promised);
    const bool descent = promised.change < 0.0 && here.infeasible <= 1e-4 &&
                         length * std::pow(-promised.change, 2.3) > std::pow(here.infeasible, 1.1);
    if (!passes_filter(here, there, length, promised, descent)) return false;
    if (!descent && filter_.size() < largest_filter)
      filter_.emplace_back(here.infeasible, here.cost);
    return true;
  };
  const auto go = [&](double length) {
    length_ = length;
    std::swap(trajectory, trial_), std::swap(values_, trial_values_);
    report_.cost = there.cost, report_.defect = there.defect, report_.breach = there.breach;
    return true;
  };
  const double shortest = filtering_ ? 1e-2 : 1e-7;
  for (double length = 1.0; length > shortest; length *= 0.5) {
    if (brings(length)) return go(length);
    if (past(deadline)) return false;
    if (length == 1.0 && there.finite() && there.infeasible >= here.infeasible) {
      kept_ = step_;
      if (correct(deadline)) {
        take_step();
        if (brings(1.0)) return go(1.0);
      }
      step_ = kept_;
    }
  }
  return false;
}

/// The step from here and its multipliers, damped if need be; elastic if the hard rows leave none.
bool Sqp::find_step(bool exact, double damping, const Deadline& deadline) {
  set_program();
  for (QpStage& stage : stages_) stage.H.diagonal().array() += damping;
  if ((convexified_ = exact)) detail::convexify(stages_, multipliers.rows, added_);
  const QpStatus qp = solve_or_yield(deadline);
  if (qp == QpStatus::failed || qp == QpStatus::infeasible) return false;
  take_step();
  take_multipliers();
  return true;
}

/// Whether the step goes nowhere.
bool Sqp::settled() const {
  return std::all_of(step_.begin(), step_.end(), [&](const Vector& z) {
    return z.lpNorm<Eigen::Infinity>() <= std::sqrt(options.tolerance);
  });
}

const SqpReport& Sqp::solve(const Eigen::Ref<const Vector>& x0, Deadline deadline) {
  detail::require_shape(*problem_, trajectory, x0);
  report_ = {};
  filter_.clear();
  filtering_ = true, begun_ = prepared_ = false;
  penalty_ = 1.0, length_ = 0.0;
  solver_.options.exact = options.qp.exact;
  trajectory.x[0] = x0;
  dx0_.setZero();
  const auto end = [&](SqpStatus status) -> const SqpReport& {
    report_.status = status;
    return report_;
  };
  double damping = 0.0;
  for (;; ++report_.iterations) {
    // Gauss-Newton first, as the multipliers that an exact Hessian is made of are not known yet, and where
    // steps are cut short, as far away it leads better
    const bool exact = options.exact_hessian && problem_->has_exact_hessian() && length_ >= 0.25;
    if (!linearise(exact))
      return end(report_.iterations == 0 ? SqpStatus::failed : SqpStatus::stalled);
    const Merit here = detail::merit(*problem_, trajectory, values_, defects_);
    if (!here.finite()) return end(SqpStatus::failed);
    report_.cost = here.cost, report_.defect = here.defect, report_.breach = here.breach;
    if (report_.iterations > 0) {
      // by the multipliers of the last program: no other is needed to see that there is nothing to do
      report_.slope = slope();
      if (std::max({report_.slope, gap(), here.defect, here.breach}) <= options.tolerance)
        return end(SqpStatus::solved);
    }
    // near the end, what a program stays away from bounds would be taken for something to do
    const bool near = report_.iterations > 0 &&
                      std::max(report_.slope, here.infeasible) <= 100.0 * options.tolerance;
    solver_.options.tolerance =
        finer(options.qp, near ? 0.01 * options.tolerance : options.tolerance).tolerance;
    if (report_.iterations == options.iterations || past(deadline)) return end(SqpStatus::limited);

    if (find_step(exact, damping, deadline)) {
      if (elastic_ && here.infeasible - promise().infeasible <= options.tolerance && settled())
        return end(SqpStatus::infeasible);
      bool found = search(here, deadline);
      if (!found && filtering_ && !past(deadline)) {
        // a filter shuts out where it has been; a sum of cost and breaches leads out again
        filtering_ = false;
        found = search(here, deadline);
      }
      if (found) {
        damping = damping > 1e-6 ? 0.1 * damping : 0.0;
        continue;
      }
    }
    if (past(deadline)) return end(SqpStatus::limited);
    length_ = 0.0;
    damping = std::max(1e-4, 100.0 * damping);
    if (damping > 1e6)
      return end(elastic_ && here.infeasible > options.tolerance ? SqpStatus::infeasible
                                                                 : SqpStatus::stalled);
  }
}

bool Sqp::prepare() {
  convexified_ = false;
  solver_.options.tolerance = finer(options.qp, options.tolerance).tolerance;
  if (!linearise(false)) return false;
  set_program();
  solver_.prepare(stages_, begun_ ? QpStart::multipliers : QpStart::cold);
  prepared_ = true;
  return true;
}

const SqpReport& Sqp::feedback(const Eigen::Ref<const Vector>& x0, Deadline deadline) {
  report_ = {};
  if (x0.size() != trajectory.x[0].size() || !x0.allFinite()) return report_;
  problem_->difference(0, trajectory.x[0], x0, dx0_);
  // at a deadline, a plan that keeps the bounds is better than none
  solver_.options.exact = options.qp.exact && !deadline;
  const QpStatus qp = solve_or_yield(deadline);
  prepared_ = false;
  if (qp == QpStatus::failed) return report_;
  if (qp == QpStatus::limited && !(solver_.report().defect <= followable)) {
    report_.status = SqpStatus::stalled;
    return report_;
  }
  report_.iterations = 1;
  report_.status = qp == QpStatus::solved ? SqpStatus::solved : SqpStatus::limited;
  take_step();
  for (int k = 0; k < problem_->stage_count(); ++k) {
    report_.cost += values_[k].cost;
    report_.defect = std::max(report_.defect, stages_[k].f.lpNorm<Eigen::Infinity>());
  }
  take_multipliers();
  report_.slope = slope();
  step_to(1.0, trial_);
  std::swap(trajectory, trial_);
  return report_;
}

void Sqp::shift() {
  for (int k = 0; k + 1 < problem_->stage_count(); ++k) {
    if (trajectory.x[k].size() == trajectory.x[k + 1].size()) trajectory.x[k] = trajectory.x[k + 1];
    if (trajectory.u[k].size() == trajectory.u[k + 1].size()) trajectory.u[k] = trajectory.u[k + 1];
  }
  solver_.shift();
}

const char* to_string(SqpStatus status) {
  return std::array{"solved", "limited", "stalled", "infeasible", "failed"}[int(status)];
}

std::string SqpReport::str() const {
  char text[240];
  std::snprintf(text, sizeof text,
                "%s after %d iterations (%d of the programs): cost %.9g, slope %.1e, defect %.1e, "
                "breach %.1e",
                to_string(status), iterations, qp_iterations, cost, slope, defect, breach);
  return text;
}

}  // namespace ulna::control
