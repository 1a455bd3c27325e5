#include "ulna/control/sqp.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace ulna {

using Vector = Eigen::VectorXd;

namespace {

constexpr std::size_t largest_filter = 256;

QpOptions finer(QpOptions qp, double tolerance) {
  qp.tolerance = std::min(qp.tolerance, 0.1 * tolerance);
  return qp;
}

/// What a row y of a stage pays for standing where it does, and by how much it breaks a hard bound.
struct RowPrice {
  double paid = 0.0, broken = 0.0;

  RowPrice(const Bounds& bounds, Eigen::Index row, double y) {
    const double beyond = std::max({bounds.lower(row) - y, y - bounds.upper(row), 0.0});
    if (bounds.price(row) < unbounded && bounds.lower(row) < bounds.upper(row))
      paid = beyond * (bounds.price(row) + 0.5 * beyond * bounds.price_squared(row));
    else
      broken = beyond;
  }
};

/// The nearest matrix that is positive semidefinite.
void make_convex(Eigen::MatrixXd& H) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(H);
  if (eigen.eigenvalues().minCoeff() >= 0.0) return;
  H = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() *
      eigen.eigenvectors().transpose();
}

}  // namespace

Sqp::Sqp(OptimalControlProblem& problem, const SqpOptions& o)
    : options(o),
      trajectory(trajectory_of(problem)),
      problem_(&problem),
      solver_(problem.sizes(), finer(o.qp, o.tolerance)),
      stages_(qp_stages(problem.sizes())),
      values_(stage_values(problem)),
      trial_values_(values_),
      trial_(trajectory) {
  for (int k = 0; k < problem.stage_count(); ++k) {
    const StageSize& size = problem.size(k);
    step_.push_back(Vector::Zero(size.variables()));
    defects_.push_back(Vector::Zero(stages_[static_cast<std::size_t>(k)].f.size()));
    multipliers.next.push_back(defects_.back());
    multipliers.rows.push_back(Vector::Zero(size.rows()));
    const Bounds& bounds = problem.bounds(k);
    const auto x_rows = [&](const Vector& v) { return v.segment(size.u, size.x); };
    if (problem.numbers(k) != size.x && k > 0 &&
        (x_rows(bounds.lower).maxCoeff() > -unbounded ||
         x_rows(bounds.upper).minCoeff() < unbounded))
      throw std::invalid_argument(
          "stage " + std::to_string(k) +
          ": its state is told in more numbers than it has degrees of "
          "freedom, so it has no bounds of its own; state them as constraints");
  }
  scratch_ = kept_ = step_;
  dx0_.setZero(problem.size(0).x);
  filter_.reserve(largest_filter);
}

bool Sqp::linearise(bool exact) {
  return problem_->linearise(trajectory, exact ? &multipliers : nullptr, values_, stages_);
}

/// What the stages' derivatives do not tell: the rest of the program for a step from here.
void Sqp::set_program(double damping) {
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    QpStage& stage = stages_[k];
    const StageSize& size = stage.size;
    if (k + 1 < stages_.size())
      problem_->difference(static_cast<int>(k) + 1, trajectory.x[k + 1], values_[k].next, stage.f);
    stage.H.diagonal().array() += damping;
    const Bounds& bounds = problem_->bounds(static_cast<int>(k));
    stage.bounds.price = bounds.price, stage.bounds.price_squared = bounds.price_squared;
    const auto relative = [&](const Vector& bound, Vector& to) {
      to.head(size.u) = bound.head(size.u) - trajectory.u[k];
      if (trajectory.x[k].size() == size.x)
        to.segment(size.u, size.x) = bound.segment(size.u, size.x) - trajectory.x[k];
      else
        to.segment(size.u, size.x) = bound.segment(size.u, size.x);
      to.tail(size.g) = bound.tail(size.g) - values_[k].g;
    };
    relative(bounds.lower, stage.bounds.lower), relative(bounds.upper, stage.bounds.upper);
  }
}

QpStatus Sqp::solve_program(const Deadline& deadline, QpStart start) {
  const QpReport& qp = solver_.solve(stages_, dx0_, begun_ ? start : QpStart::cold, deadline);
  report_.qp = qp.status;
  report_.qp_iterations += qp.iterations;
  begun_ = qp.status == QpStatus::solved;
  return qp.status;
}

/// The same, where every hard row may be broken at a price.
QpStatus Sqp::solve_elastic(const Deadline& deadline) {
  for (QpStage& stage : stages_)
    for (Eigen::Index row = 0; row < stage.bounds.price.size(); ++row) {
      double& price = stage.bounds.price(row);
      if (price == unbounded && stage.bounds.lower(row) < stage.bounds.upper(row))
        price = options.elastic;
    }
  return solve_program(deadline, QpStart::cold);
}

void Sqp::step_to(double length, Trajectory& to) {
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    const StageSize& size = stages_[k].size;
    scratch_[k] = length * step_[k];
    to.u[k] = trajectory.u[k] + scratch_[k].head(size.u);
    problem_->move(static_cast<int>(k), trajectory.x[k], scratch_[k].tail(size.x), to.x[k]);
  }
}

Sqp::Merit Sqp::merit(const Trajectory& at, const std::vector<StageValue>& values) {
  Merit m;
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    const StageSize& size = stages_[k].size;
    m.cost += values[k].cost;
    if (k + 1 < stages_.size()) {
      problem_->difference(static_cast<int>(k) + 1, at.x[k + 1], values[k].next, defects_[k]);
      m.infeasible += defects_[k].lpNorm<1>();
      m.defect =
          std::max(m.defect, defects_[k].size() ? defects_[k].lpNorm<Eigen::Infinity>() : 0.0);
    }
    const Bounds& bounds = problem_->bounds(static_cast<int>(k));
    const auto count = [&](Eigen::Index row, double y) {
      const RowPrice price(bounds, row, y);
      m.cost += price.paid, m.infeasible += price.broken;
      m.breach = std::max(m.breach, price.broken);
    };
    for (Eigen::Index i = 0; i < size.u; ++i) count(i, at.u[k](i));
    if (k > 0 && at.x[k].size() == size.x)
      for (Eigen::Index i = 0; i < size.x; ++i) count(size.u + i, at.x[k](i));
    for (Eigen::Index i = 0; i < size.g; ++i) count(size.variables() + i, values[k].g(i));
  }
  return m;
}

/// Of the cost, with what soft rows pay, along the whole step to first order.
double Sqp::predicted_change() const {
  double change = 0.0;
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    const QpStage& stage = stages_[k];
    change += stage.h.dot(step_[k]);
    const Bounds& bounds = problem_->bounds(static_cast<int>(k));
    for (Eigen::Index row = 0; row < bounds.price.size(); ++row) {
      if (bounds.price(row) == unbounded) continue;
      const bool of_g = row >= stage.size.variables();
      if (!of_g && row >= stage.size.u && (k == 0 || trajectory.x[k].size() != stage.size.x))
        continue;
      const double y = of_g                 ? values_[k].g(row - stage.size.variables())
                       : row < stage.size.u ? trajectory.u[k](row)
                                            : trajectory.x[k](row - stage.size.u);
      const double dy =
          of_g ? stage.G.row(row - stage.size.variables()).dot(step_[k]) : step_[k](row);
      change += RowPrice(bounds, row, y + dy).paid - RowPrice(bounds, row, y).paid;
    }
  }
  return change;
}

bool Sqp::acceptable(const Merit& trial) const {
  return std::all_of(filter_.begin(), filter_.end(), [&](const auto& entry) {
    return trial.infeasible <= (1.0 - 1e-5) * entry.first ||
           trial.cost <= entry.second - 1e-5 * entry.first;
  });
}

void Sqp::keep_multipliers() {
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    multipliers.next[k] = solver_.multiplier(static_cast<int>(k));
    multipliers.rows[k] = solver_.row_multiplier(static_cast<int>(k));
  }
}

/// After a whole step that the curvature of constraints has spoilt: the program again, with what the
/// constraints came to there.
bool Sqp::correct(const Deadline& deadline) {
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    QpStage& stage = stages_[k];
    if (k + 1 < stages_.size()) stage.f += defects_[k];
    for (Eigen::Index i = 0; i < stage.size.g; ++i) {
      const double curved = trial_values_[k].g(i) - values_[k].g(i) - stage.G.row(i).dot(step_[k]);
      stage.bounds.lower(stage.size.variables() + i) -= curved;
      stage.bounds.upper(stage.size.variables() + i) -= curved;
    }
  }
  if (solve_program(deadline, QpStart::multipliers) != QpStatus::solved) return false;
  for (std::size_t k = 0; k < stages_.size(); ++k) step_[k] = solver_.z(static_cast<int>(k));
  return true;
}

/// A part of the step that the filter takes; the trajectory is there then.
bool Sqp::search(const Merit& here, const Deadline& deadline) {
  const double change = predicted_change();
  const double rounding = 1e-13 * std::max(1.0, std::abs(here.cost));
  bool corrected = false;
  for (double length = 1.0; length > 1e-6; length *= 0.5) {
    step_to(length, trial_);
    Merit there;
    bool finite = problem_->evaluate(trial_, trial_values_);
    if (finite) {
      there = merit(trial_, trial_values_);
      finite = std::isfinite(there.cost) && std::isfinite(there.infeasible);
    }
    const bool descent = change < 0.0 && here.infeasible <= 1e-4 &&
                         length * std::pow(-change, 2.3) > std::pow(here.infeasible, 1.1);
    const auto taken = [&] {
      if (!finite || !acceptable(there)) return false;
      if (descent) return there.cost <= here.cost + 1e-4 * length * change + rounding;
      return there.infeasible <= (1.0 - 1e-5) * here.infeasible ||
             there.cost <= here.cost - 1e-5 * here.infeasible ||
             (there.infeasible <= options.tolerance && there.cost <= here.cost + rounding);
    };
    if (taken()) {
      if (!descent && filter_.size() < largest_filter)
        filter_.emplace_back(here.infeasible, here.cost);
      std::swap(trajectory, trial_), std::swap(values_, trial_values_);
      return true;
    }
    if (length == 1.0 && finite && !corrected && there.infeasible >= here.infeasible) {
      corrected = true;
      kept_ = step_;
      if (correct(deadline)) {
        step_to(1.0, trial_);
        finite = problem_->evaluate(trial_, trial_values_);
        if (finite) there = merit(trial_, trial_values_);
        if (taken()) {
          std::swap(trajectory, trial_), std::swap(values_, trial_values_);
          return true;
        }
      }
      step_ = kept_;
    }
  }
  return false;
}

const SqpReport& Sqp::solve(const Eigen::Ref<const Vector>& x0, Deadline deadline) {
  report_ = {};
  filter_.clear();
  begun_ = false;
  trajectory.x[0] = x0;
  dx0_.setZero();
  double damping = 0.0;
  const bool exact = options.exact_hessian && problem_->has_exact_hessian();
  for (int k = 0; k < problem_->stage_count(); ++k) {
    multipliers.next[static_cast<std::size_t>(k)].setZero();
    multipliers.rows[static_cast<std::size_t>(k)].setZero();
  }
  while (true) {
    // Gauss-Newton first: the multipliers that an exact Hessian is made of are not known yet
    if (!linearise(exact && report_.iterations > 0)) {
      report_.status = report_.iterations == 0 ? SqpStatus::failed : SqpStatus::stalled;
      return report_;
    }
    if (exact && report_.iterations > 0)
      for (QpStage& stage : stages_) make_convex(stage.H);
    set_program(damping);
    const Merit here = merit(trajectory, values_);
    report_.cost = here.cost, report_.defect = here.defect, report_.breach = here.breach;
    report_.status = SqpStatus::limited;
    if (!std::isfinite(here.cost) || !std::isfinite(here.infeasible)) {
      report_.status = SqpStatus::failed;
      return report_;
    }
    if (report_.iterations == options.iterations || (deadline && Clock::now() >= *deadline))
      return report_;

    QpStatus qp = solve_program(deadline, QpStart::multipliers);
    const bool elastic = qp == QpStatus::infeasible;
    if (elastic) qp = solve_elastic(deadline);
    if (qp == QpStatus::failed) {
      damping = std::max(1e-6, 100.0 * damping);
      if (damping > 1e6) {
        report_.status = SqpStatus::stalled;
        return report_;
      }
      ++report_.iterations;
      continue;
    }
    report_.slope = 0.0;
    for (std::size_t k = 0; k < stages_.size(); ++k) {
      step_[k] = solver_.z(static_cast<int>(k));
      // the program's own slope vanishes, so the Lagrangian's here is H times the step
      if (step_[k].size() == 0) continue;
      scratch_[k].noalias() = stages_[k].H * step_[k];
      report_.slope = std::max(report_.slope, scratch_[k].lpNorm<Eigen::Infinity>());
    }
    keep_multipliers();
    const bool settled = std::max({report_.slope, here.defect, here.breach}) <= options.tolerance;
    ++report_.iterations;
    if (settled) {
      report_.status = SqpStatus::solved;
      // the last step is for nothing but a better end
      if (search(here, deadline)) {
        const Merit there = merit(trajectory, values_);
        report_.cost = there.cost, report_.defect = there.defect, report_.breach = there.breach;
      }
      return report_;
    }
    if (search(here, deadline)) {
      damping = damping > 1e-8 ? 0.1 * damping : 0.0;
      continue;
    }
    damping = std::max(1e-4, 100.0 * damping);
    if (damping > 1e6) {
      report_.status = here.infeasible > options.tolerance && elastic ? SqpStatus::infeasible
                                                                      : SqpStatus::stalled;
      return report_;
    }
  }
}

bool Sqp::prepare() {
  if (!linearise(false)) return false;
  set_program(0.0);
  return true;
}

const SqpReport& Sqp::feedback(const Eigen::Ref<const Vector>& x0, Deadline deadline) {
  report_ = {};
  problem_->difference(0, trajectory.x[0], x0, dx0_);
  QpStatus qp = solve_program(deadline, QpStart::multipliers);
  if (qp == QpStatus::infeasible) qp = solve_elastic(deadline);
  if (qp == QpStatus::failed) return report_;
  report_.iterations = 1;
  report_.status = qp == QpStatus::solved ? SqpStatus::solved : SqpStatus::limited;
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    step_[k] = solver_.z(static_cast<int>(k));
    report_.cost += values_[k].cost;
    if (k + 1 < stages_.size() && stages_[k].f.size() > 0)
      report_.defect = std::max(report_.defect, stages_[k].f.lpNorm<Eigen::Infinity>());
  }
  step_to(1.0, trial_);
  std::swap(trajectory, trial_);
  keep_multipliers();
  return report_;
}

void Sqp::shift() {
  for (std::size_t k = 0; k + 1 < stages_.size(); ++k) {
    if (trajectory.x[k].size() == trajectory.x[k + 1].size()) trajectory.x[k] = trajectory.x[k + 1];
    if (trajectory.u[k].size() == trajectory.u[k + 1].size()) trajectory.u[k] = trajectory.u[k + 1];
  }
  solver_.shift();
}

std::string SqpReport::str() const {
  const char* const words[] = {"solved", "limited", "stalled", "infeasible", "failed"};
  char text[240];
  std::snprintf(text, sizeof text,
                "%s after %d iterations (%d of the programs): cost %.9g, slope %.1e, defect %.1e, "
                "breach %.1e",
                words[static_cast<int>(status)], iterations, qp_iterations, cost, slope, defect,
                breach);
  return text;
}

}  // namespace ulna
