#include "ulna/control/robot/robot_problem.hpp"

#include "control/robot/stage_motion.hpp"
#include "control/robot/state_space.hpp"

namespace ulna {
namespace {

std::vector<double> durations_of(const RobotProblemOptions& options) {
  std::vector<double> durations = options.durations;
  if (durations.empty()) {
    if (options.steps < 1)
      throw std::invalid_argument("robot problem: " + std::to_string(options.steps) +
                                  " steps; there must be one at least");
    durations.assign(static_cast<std::size_t>(options.steps), options.duration);
  }
  for (const double h : durations)
    if (!(h > 0.0) || !std::isfinite(h))
      throw std::invalid_argument("robot problem: a step takes " + std::to_string(h) +
                                  " s; it must be positive and finite");
  return durations;
}

/// What is bounded beside u and x at a node.
int constraints(const Model& model, const RobotProblemOptions& options, int node, int steps) {
  const bool torques = options.transcription == Transcription::inverse_dynamics && node < steps;
  const bool states = !detail::is_flat(model) && node > 0;
  return (torques ? model.nv() : 0) + (states ? 2 * model.nv() : 0);
}

std::vector<StageSize> sizes_of(const Model& model, const RobotProblemOptions& options) {
  const int steps = static_cast<int>(durations_of(options).size());
  std::vector<StageSize> sizes;
  for (int k = 0; k <= steps; ++k)
    sizes.push_back(
        {2 * model.nv(), k < steps ? model.nv() : 0, constraints(model, options, k, steps)});
  return sizes;
}

}  // namespace

RobotProblem::RobotProblem(Plant<double> plant, const RobotProblemOptions& options)
    : OptimalControlProblem(sizes_of(plant.model(), options)),
      plant_(std::move(plant)),
      steps_(stage_count() - 1),
      durations_(durations_of(options)),
      flat_(detail::is_flat(model())),
      weights_(model()),
      limits_(model()),
      tasks_(options.frames),
      ws_(model()),
      at_(model()),
      error_(Vector::Zero(model().nv())),
      slope_(Eigen::MatrixXd::Zero(model().nv(), model().nv())),
      weighted_(Eigen::MatrixXd::Zero(model().nv(), 3 * model().nv())) {
  const int n = model().nv();
  J_.setZero(6, n);
  motion_ = options.transcription == Transcription::forward_dynamics
                ? detail::forward_motion(model(), options.integrator)
                : detail::inverse_motion(model());
  for (const FrameTask& task : tasks_) {
    if (!(task.position >= 0.0 && task.orientation >= 0.0))
      throw std::invalid_argument("robot problem: the task of frame '" + task.frame +
                                  "' has a negative weight");
    frames_.push_back(&model().frame(task.frame));
  }
  references_.resize(sizes().size());
  for (Reference& r : references_) {
    r.tau.setZero(n);
    r.frames.resize(tasks_.size());
  }
  set_goal(neutral(model()));
  if (options.weights) set_weights(*options.weights);
  set_limits(options.limits.value_or(limits_));
}

RobotProblem::~RobotProblem() = default;

// --- what may change between solves ---

void RobotProblem::set_plant(const Plant<double>& plant) {
  detail::require_size("the plant's damping", plant.damping.size(), model().nv(), model());
  if (plant.model().body_count() != model().body_count())
    throw std::invalid_argument("robot problem: the plant is of robot '" + plant.model().name() +
                                "', the problem of '" + model().name() + "'");
  plant_ = plant;
  for (Reference& r : references_)
    if (r.against_gravity) set_gravity_torque(r);
}

void RobotProblem::set_weights(const MotionWeights& weights) {
  const auto check = [&](const char* what, const Vector& w) {
    detail::require<double>(what, w, model().nv(), model());
    if ((w.array() < 0.0).any())
      throw std::invalid_argument(std::string("robot problem: ") + what +
                                  " holds a negative number; a cost has a least only without");
  };
  check("weights.position", weights.position);
  check("weights.velocity", weights.velocity);
  check("weights.torque", weights.torque);
  if (!(weights.terminal >= 0.0))
    throw std::invalid_argument("robot problem: weights.terminal is " +
                                std::to_string(weights.terminal) + "; it must not be negative");
  weights_ = weights;
}

void RobotProblem::set_limits(const MotionLimits& limits) {
  const int n = model().nv();
  const auto check = [&](const char* what, const Vector& x) {
    detail::require_size(what, x.size(), n, model());
  };
  check("limits.lower", limits.lower), check("limits.upper", limits.upper);
  check("limits.velocity", limits.velocity), check("limits.torque", limits.torque);
  for (int i = 0; i < n; ++i)
    if (!(limits.lower(i) <= limits.upper(i)) || !(limits.velocity(i) >= 0.0) ||
        !(limits.torque(i) >= 0.0))
      throw std::invalid_argument("robot problem: the limits of '" + model().velocity_names()[i] +
                                  "' leave nothing: position " + std::to_string(limits.lower(i)) +
                                  " to " + std::to_string(limits.upper(i)) + ", velocity " +
                                  std::to_string(limits.velocity(i)) + ", torque " +
                                  std::to_string(limits.torque(i)));
  limits_ = limits;
  for (int k = 0; k <= steps_; ++k) {
    Bounds& b = bounds(k);
    const StageSize& s = size(k);
    const int torques = motion_->tau_slope() ? s.variables() : 0;
    if (k < steps_)
      b.lower.segment(torques, n) = -limits.torque, b.upper.segment(torques, n) = limits.torque;
    if (k == 0) continue;
    const int states = flat_ ? s.u : s.rows() - 2 * n;
    b.lower.segment(states, n) = limits.lower, b.upper.segment(states, n) = limits.upper;
    b.lower.segment(states + n, n) = -limits.velocity;
    b.upper.segment(states + n, n) = limits.velocity;
    b.price.segment(states, 2 * n).setConstant(limits.price);
    b.price_squared.segment(states, 2 * n).setConstant(limits.price_squared);
  }
}

void RobotProblem::require_node(int node, int last) const {
  if (node < 0 || node > last)
    throw std::out_of_range("robot problem: node " + std::to_string(node) + " is not among 0 to " +
                            std::to_string(last));
}

void RobotProblem::set_gravity_torque(Reference& r) {
  static_torque<double>(plant_, r.q, ws_, r.tau);
  r.against_gravity = true;
}

void RobotProblem::set_goal(In q) {
  error_.setZero();
  for (int k = 0; k <= steps_; ++k) set_reference(k, q, error_);
}

void RobotProblem::set_reference(int node, In q, In v) {
  require_node(node, steps_);
  detail::require<double>("q of a reference", q, model().nq(), model());
  detail::require<double>("v of a reference", v, model().nv(), model());
  Reference& r = reference(node);
  r.q = q, r.v = v;
  set_gravity_torque(r);
}

void RobotProblem::set_torque_reference(int node, In tau) {
  require_node(node, steps_ - 1);
  detail::require<double>("tau of a reference", tau, model().nv(), model());
  reference(node).tau = tau, reference(node).against_gravity = false;
}

void RobotProblem::set_target(int task, int node, const Transform<double>& X_WF) {
  require_node(node, steps_);
  reference(node).frames.at(static_cast<std::size_t>(task)) = X_WF;
}

void RobotProblem::set_target(int task, const Transform<double>& X_WF) {
  for (int k = 0; k <= steps_; ++k) set_target(task, k, X_WF);
}

void RobotProblem::clear_target(int task, int node) {
  require_node(node, steps_);
  reference(node).frames.at(static_cast<std::size_t>(task)).reset();
}

// --- states ---

int RobotProblem::numbers(int) const { return model().nq() + model().nv(); }

RobotProblem::Vector RobotProblem::state(In q, In v) const {
  detail::require_size("q", q.size(), model().nq(), model());
  detail::require_size("v", v.size(), model().nv(), model());
  Vector x(numbers(0));
  x << q, v;
  return x;
}

void RobotProblem::move(int, In x, In dx, Out moved) const {
  const int nq = model().nq(), nv = model().nv();
  moved.tail(nv) = x.tail(nv) + dx.tail(nv);
  integrate<double>(model(), x.head(nq), dx.head(nv), moved.head(nq));
}

void RobotProblem::difference(int, In from, In to, Out dx) const {
  const int nq = model().nq(), nv = model().nv();
  dx.tail(nv) = to.tail(nv) - from.tail(nv);
  ulna::difference<double>(model(), from.head(nq), to.head(nq), dx.head(nv));
}

Trajectory RobotProblem::guess(In q, In v) const {
  Trajectory t = trajectory_of(*this);
  const Vector start = state(q, v);
  const Reference& goal = references_.back();
  Vector way(size(0).x), here(numbers(0));
  difference(0, start, state(goal.q, goal.v), way);
  double time = 0.0, whole = 0.0;
  for (const double h : durations_) whole += h;
  Workspace<double> ws(model());
  for (int k = 0; k <= steps_; ++k) {
    const auto i = static_cast<std::size_t>(k);
    move(k, start, (time / whole) * way, t.x[i]);
    if (k == steps_) break;
    motion_->rest(plant_, t.x[i].head(model().nq()), ws, t.u[i]);
    time += durations_[i];
  }
  return t;
}

}  // namespace ulna
