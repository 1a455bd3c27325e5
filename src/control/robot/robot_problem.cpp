#include "ulna/control/robot/robot_problem.hpp"

#include <algorithm>

#include "control/robot/robot_stages.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::control {

using messages::message, messages::require;

const char* to_string(Transcription transcription) {
  return transcription == Transcription::forward_dynamics ? "forward_dynamics" : "inverse_dynamics";
}

MotionWeights::MotionWeights(const Model& model)
    : position(Eigen::VectorXd::Constant(model.nv(), 10.0)),
      velocity(Eigen::VectorXd::Constant(model.nv(), 0.1)),
      torque(model.nv()) {
  for (int i = 0; i < model.nv(); ++i) {
    const double most = model.effort_limit()(i);
    torque(i) = std::isfinite(most) && most > 0.0 ? 1.0 / (most * most) : 1e-4;
  }
}

MotionLimits::MotionLimits(const Model& model)
    : lower(Eigen::VectorXd::Constant(model.nv(), -infinity)),
      upper(Eigen::VectorXd::Constant(model.nv(), infinity)),
      velocity(model.velocity_limit()),
      torque(model.effort_limit()),
      torque_rate(Eigen::VectorXd::Constant(model.nv(), infinity)) {
  for (const Joint& j : model.joints())
    if (!j.mimics && velocity_size(j.type) == 1)
      lower(j.v) = model.lower_limit()(j.q), upper(j.v) = model.upper_limit()(j.q);
}

MotionLimits& MotionLimits::tighten(double share) {
  for (Eigen::Index i = 0; i < lower.size(); ++i) {
    const double range = upper(i) - lower(i);
    if (!std::isfinite(range)) continue;
    lower(i) += share * range, upper(i) -= share * range;
  }
  velocity *= 1.0 - 2.0 * share;
  torque *= 1.0 - 2.0 * share;
  return *this;
}

RobotProblem::RobotProblem(Plant<double> plant, const RobotProblemOptions& options)
    : RobotProblem(std::make_unique<detail::RobotStages>(std::move(plant), options)) {
  require_plain_drives(this->plant().model(), "robot problem");
  if (options.final_time) {
    const auto& [least, most] = *options.final_time;
    require(least > 0.0 && least <= most && std::isfinite(most),
            "robot problem: a final time from ", std::to_string(least), " to ",
            std::to_string(most), " s; it must be positive, finite and in order");
    bounds(0).lower.tail(1)(0) = least, bounds(0).upper.tail(1)(0) = most;
  }
  if (options.weights) set_weights(*options.weights);
  set_limits(options.limits.value_or(limits()));
}

RobotProblem::RobotProblem(std::unique_ptr<detail::RobotStages> stages)
    : OptimalControlProblem(stages->sizes()),
      stages_(std::move(stages)),
      leading_(stages_->leading()) {}

RobotProblem::~RobotProblem() = default;

const Plant<double>& RobotProblem::plant() const { return stages_->task.plant; }
const std::vector<double>& RobotProblem::durations() const { return stages_->task.durations; }
double RobotProblem::final_time() const { return stages_->task.total; }
const MotionWeights& RobotProblem::weights() const { return stages_->task.all_weights; }
const MotionLimits& RobotProblem::limits() const { return stages_->task.all_limits; }
Eigen::VectorXd RobotProblem::loop_forces(In u) const {
  return u.segment(stages_->task.nv(), stages_->task.loop_rows());
}
const Loops* RobotProblem::loops() const {
  if (coordinates()) return &coordinates()->loops();
  return stages_->task.loops ? &*stages_->task.loops : nullptr;
}
const LoopCoordinates* RobotProblem::coordinates() const {
  return stages_->task.closed ? &stages_->task.closed->coordinates() : nullptr;
}
bool RobotProblem::joints(int node, In x, Out q, Out v) {
  detail::Task& task = stages_->task;
  const int nq = task.nq(), nv = task.nv();
  if (!task.closed) {
    q = x.head(nq), v = x.segment(nq, nv);
    return true;
  }
  if (!task.place(node, x.head(nq))) return false;
  q = task.closed->q();
  v.noalias() = task.closed->N().lazyProduct(x.segment(nq, nv));
  return true;
}
const Capsules* RobotProblem::capsules() const {
  return stages_->task.capsules ? &*stages_->task.capsules : nullptr;
}

bool RobotProblem::evaluate(const Trajectory& at, std::vector<StageValue>& values) {
  return stages_->evaluate(at, values);
}
bool RobotProblem::linearise(const Trajectory& at, const Multipliers* multipliers,
                             std::vector<StageValue>& values, std::vector<QpStage>& stages) {
  return stages_->evaluate(at, values, &stages, multipliers);
}
bool RobotProblem::has_exact_hessian() const { return stages_->has_exact_hessian(); }

void RobotProblem::set_plant(const Plant<double>& plant) {
  ulna::detail::require_size("the plant's damping", plant.damping.size(), model().nv(), model());
  require(plant.model().body_count() == model().body_count(),
          "robot problem: the plant is of robot '", plant.model().name(), "', the problem of '",
          model().name(), "'");
  stages_->task.plant = plant;
  stages_->task.outdate_torques();
}

void RobotProblem::set_weights(const MotionWeights& weights) {
  const auto check = [&](const char* what, const Vector& w) {
    ulna::detail::require<double>(what, w, model().nv(), model());
    require(!(w.array() < 0.0).any(), "robot problem: ", what,
            " has a negative element; the cost would have no minimum");
  };
  check("weights.position", weights.position);
  check("weights.velocity", weights.velocity);
  check("weights.torque", weights.torque);
  if (!(weights.terminal >= 0.0))
    throw std::invalid_argument("robot problem: weights.terminal is " +
                                std::to_string(weights.terminal) + "; it must not be negative");
  stages_->task.set_weights(weights);
  if (loops()) stages_->task.outdate_torques();
}

void RobotProblem::set_limits(const MotionLimits& limits) {
  const int n = model().nv();
  const auto check = [&](const char* what, const Vector& x) {
    ulna::detail::require_size(what, x.size(), n, model());
  };
  check("limits.lower", limits.lower), check("limits.upper", limits.upper);
  check("limits.velocity", limits.velocity), check("limits.torque", limits.torque);
  check("limits.torque_rate", limits.torque_rate);
  for (int i = 0; i < n; ++i)
    if (!(limits.lower(i) <= limits.upper(i)) || !(limits.velocity(i) >= 0.0) ||
        !(limits.torque(i) >= 0.0) || !(limits.torque_rate(i) > 0.0))
      throw std::invalid_argument(
          message("robot problem: the limits of '", model().velocity_names()[i],
                  "' leave no range: position ", std::to_string(limits.lower(i)), " to ",
                  std::to_string(limits.upper(i)), ", velocity ",
                  std::to_string(limits.velocity(i)), ", torque ", std::to_string(limits.torque(i)),
                  ", torque rate ", std::to_string(limits.torque_rate(i))));
  stages_->task.set_limits(limits);
  if (loops()) stages_->task.outdate_torques();
  for (int node = 0; node <= steps(); ++node) stages_->bound(node, bounds(stage(node)));
}

void RobotProblem::set_torque_before(In tau, double until_first) {
  ulna::detail::require<double>("the torque before the first node", tau, model().nv(), model());
  stages_->task.gather(tau, stages_->task.torque_before);
  stages_->task.until_first = until_first;
  for (int node = 0; node < steps(); ++node) stages_->bound_torques(node, bounds(stage(node)));
}

void RobotProblem::require_node(int node, int last) const {
  if (node < 0 || node > last)
    throw std::out_of_range(message("robot problem: node ", node, " is not among 0 to ", last));
}

void RobotProblem::set_initial(In q, In v) {
  ulna::detail::require<double>("q of the start", q, model().nq(), model());
  ulna::detail::require<double>("v of the start", v, model().nv(), model());
  stages_->task.gather(q, stages_->start_q), stages_->task.gather(v, stages_->start_v);
}

void RobotProblem::set_goal(In q) {
  for (int node = 0; node <= steps(); ++node) set_reference(node, q, stages_->task.all_at_rest);
}

void RobotProblem::set_reference(int node, In q, In v) {
  require_node(node, steps());
  ulna::detail::require<double>("q of a reference", q, model().nq(), model());
  ulna::detail::require<double>("v of a reference", v, model().nv(), model());
  detail::Task::Reference& r = stages_->task.reference(node);
  stages_->task.gather(q, r.q), stages_->task.gather(v, r.v);
  r.holds = true, r.current = r.contact_current = false;
  if (node == steps()) stages_->bound_end(bounds(stage(node)));
}

void RobotProblem::set_torque_reference(int node, In tau) {
  require_node(node, steps() - 1);
  ulna::detail::require<double>("tau of a reference", tau, model().nv(), model());
  detail::Task::Reference& r = stages_->task.reference(node);
  stages_->task.gather(tau, r.tau), r.holds = false;
}

void RobotProblem::set_target(int task, int node, const Transform<double>& X_WF) {
  require_node(node, steps());
  stages_->task.reference(node).frames.at(task) = X_WF;
}

void RobotProblem::set_target(int task, const Transform<double>& X_WF) {
  for (int k = 0; k <= steps(); ++k) set_target(task, k, X_WF);
}

void RobotProblem::clear_target(int task, int node) {
  require_node(node, steps());
  stages_->task.reference(node).frames.at(task).reset();
}

void RobotProblem::set_contact(int node, double force) {
  require_node(node, steps());
  if (!stages_->task.contact)
    throw std::logic_error("robot problem: it has no contact; give one in options.contact first");
  require(force >= 0.0 && std::isfinite(force), "robot problem: a contact is to press with ",
          std::to_string(force), " N; it must be 0 or more");
  stages_->task.reference(node).press = force;
  stages_->bound(node, bounds(stage(node)));
}

void RobotProblem::set_contact(double force) {
  for (int node = 0; node <= steps(); ++node) set_contact(node, force);
}

double RobotProblem::contact_force(In u) const {
  return stages_->task.contact ? u(stages_->task.nv()) : 0.0;
}

void RobotProblem::contact_torque(int node, In q, In u, Out torque) {
  detail::Task& task = stages_->task;
  torque.setZero();
  if (!task.contact) return;
  task.update_contacts();
  task.contact->at.set(q);
  const Vec3<double> force = contact_force(u) * task.reference(node).push;
  add_wrench_torque<double>(task.contact->at,
                            {&task.contact->frame, {Vec3<double>::Zero(), force}, Axes::aligned},
                            torque);
}

void RobotProblem::set_obstacle(int i, const PlacedCapsule& obstacle) {
  if (!capsules())
    throw std::logic_error(
        "robot problem: it has no obstacles; give them in options.collisions first");
  stages_->task.capsules->set_obstacle(i, obstacle);
}

int RobotProblem::numbers(int k) const {
  const detail::Task& task = stages_->task;
  return k < leading_ ? 0 : task.nq() + task.nv() + (task.timed ? 1 : 0);
}

RobotProblem::Vector RobotProblem::state(In q, In v) const { return state(q, v, final_time()); }

RobotProblem::Vector RobotProblem::state(In q, In v, double final_time) const {
  ulna::detail::require_size("q", q.size(), model().nq(), model());
  ulna::detail::require_size("v", v.size(), model().nv(), model());
  Vector own_q, own_v, x(numbers(leading_));
  stages_->task.gather(q, own_q), stages_->task.gather(v, own_v);
  x.head(own_q.size()) = own_q, x.segment(own_q.size(), own_v.size()) = own_v;
  if (stages_->task.timed) x.tail(1)(0) = final_time;
  return x;
}

void RobotProblem::move(int k, In x, In dx, Out moved) const {
  if (k < leading_) return;
  if (stages_->task.closed) {
    moved = x + dx;
    return;
  }
  const Eigen::Index nq = model().nq(), nv = model().nv(), rest = dx.size() - nv;
  moved.tail(rest) = x.tail(rest) + dx.tail(rest);
  integrate<double>(model(), x.head(nq), dx.head(nv), moved.head(nq));
}

void RobotProblem::difference(int k, In from, In to, Out dx) const {
  if (k < leading_) return;
  if (stages_->task.closed) {
    dx = to - from;
    return;
  }
  const Eigen::Index nq = model().nq(), nv = model().nv(), rest = dx.size() - nv;
  dx.tail(rest) = to.tail(rest) - from.tail(rest);
  ulna::difference<double>(model(), from.head(nq), to.head(nq), dx.head(nv));
}

Trajectory RobotProblem::guess(In q, In v) const {
  detail::Task& task = stages_->task;
  if (task.loops) task.loops->require_closed(q, v, detail::nearly_closed);
  if (task.closed) {
    task.closed->coordinates().loops().require_closed(q, detail::nearly_closed);
    if (task.closed->start(q)) task.closed_q.colwise() = task.closed->q();
  }
  Trajectory t = trajectory_of(*this);
  double final_time = task.total;
  if (task.timed) {
    const Bounds& b = bounds(0);
    final_time = std::clamp(task.total, b.lower.tail(1)(0), b.upper.tail(1)(0));
    t.u[0].tail(1)(0) = final_time;
  }
  const Vector begin = state(q, v, final_time);
  const detail::Task::Reference& goal = task.references.back();
  const auto own_state = [&](const Vector& own_q, const Vector& own_v) {
    Vector x = begin;
    x.head(own_q.size()) = own_q, x.segment(own_q.size(), own_v.size()) = own_v;
    return x;
  };
  Vector way(task.states());
  if (!task.free.empty()) {
    difference(leading_, own_state(stages_->start_q, stages_->start_v), begin, way);
    for (Eigen::Index i = 0; i < std::ssize(task.free); ++i) t.u[0](i) = way(task.free[i]);
  }
  difference(leading_, begin, own_state(goal.q, goal.v), way);
  double time = 0.0;
  detail::Holding hold = task.holding;
  for (int node = 0; node <= task.steps; ++node) {
    const int k = stage(node);
    move(k, begin, (time / task.total) * way, t.x[k]);
    // where they do not close, the guess is as straight as without
    if (Vector closed = t.x[k].head(task.nq()); task.loops && node > 0 && task.loops->close(closed))
      t.x[k].head(q.size()) = closed;
    if (node == task.steps) break;
    if (task.closed) {
      t.u[k].setZero();
    } else {
      hold(task.plant, t.x[k].head(q.size()), task.weights, task.limits);
      stages_->rest(hold.tau, hold.lambda, t.u[k]);
    }
    time += task.duration(node);
  }
  return t;
}

}  // namespace ulna::control
