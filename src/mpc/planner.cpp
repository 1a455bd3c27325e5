#include "mpc/planner.hpp"

#include <algorithm>
#include <utility>

#include "mpc/friction_compensator.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna::mpc {

using control::Sqp, control::SqpStatus;

Planner::Planner(const Plant<double>& plant, const ControllerOptions& options)
    : plant_(without_dry_friction(plant)),
      inputs_are_torques_(options.problem.transcription ==
                          control::Transcription::forward_dynamics),
      problem_(plant_, options.problem),
      sqp_(problem_),
      deadline_(options.deadline),
      motion_(plant.model()),
      ws_(plant.model()),
      times_{0.0} {
  for (const double h : problem_.durations()) times_.push_back(times_.back() + h);
  const Eigen::Index n = plant.model().nv(), nodes = static_cast<Eigen::Index>(times_.size());
  x_.setZero(2 * n);
  q_references_.setZero(n, nodes), v_references_.setZero(n, nodes);
}

void Planner::set_plant(const Plant<double>& plant) {
  plant_ = plant;
  remove_dry_friction(plant_);
  problem_.set_plant(plant_);
}

/// All of them or none: a function that fails in the middle of a horizon leaves the problem as it was.
bool Planner::set_references(double time) noexcept {
  const auto fail = [this] {
    reference_failed_ = true;
    return false;
  };
  const Eigen::Index n = q_references_.rows();
  if (!reference_) return fail();
  try {
    for (Eigen::Index k = 0; k < q_references_.cols(); ++k) {
      q_reference_.resize(n), v_reference_.resize(n);
      reference_(time + times_[static_cast<std::size_t>(k)], q_reference_, v_reference_);
      if (q_reference_.size() != n || v_reference_.size() != n || !q_reference_.allFinite() ||
          !v_reference_.allFinite())
        return fail();
      q_references_.col(k) = q_reference_, v_references_.col(k) = v_reference_;
    }
  } catch (...) {
    return fail();
  }
  for (Eigen::Index k = 0; k < q_references_.cols(); ++k)
    problem_.set_reference(static_cast<int>(k), q_references_.col(k), v_references_.col(k));
  return true;
}

void Planner::prepare(double time) noexcept {
  if (begun_) prepared_ = set_references(time) && sqp_.prepare();
}

bool Planner::plan(double time, const Vector& q, const Vector& v) noexcept {
  x_ << q, v;
  fault_ = ActionFault::none;
  // what failed in `prepare` may succeed now
  const bool failed_before = std::exchange(reference_failed_, false);
  bool planned = false;
  if (!prepared_ && !set_references(time)) {
    reference_failed_ = false;
    fault_ = ActionFault::no_reference;
  } else {
    planned = begun_ ? feedback() : begin(q, v);
    if (failed_before && planned) fault_ = ActionFault::no_reference;
  }
  if (planned) planned_at_ = time;
  prepared_ = false;
  return planned;
}

bool Planner::begin(const Vector& q, const Vector& v) {
  try {
    sqp_.trajectory = problem_.guess(q, v);
    const SqpStatus status = sqp_.solve(x_).status;
    begun_ = status == SqpStatus::solved || status == SqpStatus::limited;
  } catch (const std::exception&) {
    begun_ = false;  // loops that are open at q, say
  }
  if (!begun_) fault_ = ActionFault::not_solved;
  return begun_;
}

bool Planner::feedback() {
  if (!prepared_ && !sqp_.prepare()) {
    fault_ = ActionFault::not_prepared;
    return false;
  }
  Sqp::Deadline deadline;
  if (deadline_)
    deadline = Sqp::Clock::now() + std::chrono::duration_cast<Sqp::Clock::duration>(
                                       std::chrono::duration<double>(*deadline_));
  if (std::exchange(failing_, false)) {
    fault_ = ActionFault::not_solved;
    return false;
  }
  const control::SqpReport& report = sqp_.feedback(x_, deadline);
  if (report.status == SqpStatus::solved) return true;
  fault_ = report.qp == control::QpStatus::limited ? ActionFault::late : ActionFault::not_solved;
  return false;
}

void Planner::expected_state(double time, Vector& q, Vector& v) const {
  const double share = std::clamp((time - planned_at_) / times_[1], 0.0, 1.0);
  const Vector &from = sqp_.trajectory.x[0], &to = sqp_.trajectory.x[1];
  q = from.head(q.size()) + share * (to.head(q.size()) - from.head(q.size()));
  v = from.tail(v.size()) + share * (to.tail(v.size()) - from.tail(v.size()));
}

void Planner::torque(double time, Vector& tau) {
  const double passed = time - planned_at_;
  std::size_t k = 0;
  while (k + 2 < times_.size() && times_[k + 1] <= passed) ++k;
  const control::Trajectory& plan = sqp_.trajectory;
  const Eigen::Index n = tau.size();
  if (inputs_are_torques_) {
    tau = plan.u[k];
  } else {
    motion_.set(plan.x[k].head(n), plan.x[k].tail(n), plan.u[k]);
    inverse_dynamics<double>(plant_, motion_, ws_, tau);
  }
}

}  // namespace ulna::mpc
