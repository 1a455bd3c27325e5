#include "ulna/control/robot/robot_problem.hpp"

#include <algorithm>
#include <numeric>

#include "control/robot/holding.hpp"
#include "control/robot/stage_motion.hpp"
#include "simulate/step_impl.hpp"

namespace ulna {
namespace {

/// By how much loops may be open at the start, in m or rad, as measured states are.
constexpr double nearly_closed = 1e-3;

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

/// Where a list of 2 nv flags has this one; of an empty list, everywhere or nowhere.
std::vector<int> places(const Model& model, const char* what, const std::vector<bool>& flags,
                        bool flag) {
  if (!flags.empty())
    detail::require_size(what, static_cast<Eigen::Index>(flags.size()), 2 * model.nv(), model);
  std::vector<int> found;
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (flags[i] == flag) found.push_back(static_cast<int>(i));
  return found;
}
std::vector<int> free_at_start(const Model& model, const RobotProblemOptions& options) {
  return places(model, "initial_given", options.initial_given, false);
}
std::vector<int> fixed_at_end(const Model& model, const RobotProblemOptions& options) {
  return places(model, "final_given", options.final_given, true);
}

std::optional<Loops> loops_of(const Model& model, const RobotProblemOptions& options) {
  if (options.loops.empty()) return {};
  return Loops(model, options.loops,
               options.closed_at.size() > 0 ? options.closed_at : neutral(model));
}

/// How many of some degrees of freedom are positions, and the others velocities.
std::pair<int, int> kinds_of(const Model& model, const std::vector<int>& dofs) {
  const auto positions =
      std::count_if(dofs.begin(), dofs.end(), [&](int dof) { return dof < model.nv(); });
  return {static_cast<int>(positions), static_cast<int>(dofs.size()) - static_cast<int>(positions)};
}

/// Throws unless loops and what is given of the ends leave each other room.
void check_ends(const Model& model, const RobotProblemOptions& options, int rows) {
  const auto check = [&](const char* what, std::pair<int, int> count, auto wrong,
                         const std::string& rule) {
    for (const auto& [number, kind] :
         {std::pair{count.first, "positions"}, std::pair{count.second, "velocities"}})
      if (wrong(number))
        throw std::invalid_argument("robot problem: " + std::string(what) + " " +
                                    std::to_string(number) + " " + kind + "; with " +
                                    std::to_string(rows) + " rows of loops it must be " + rule);
  };
  const int most = model.nv() - rows;
  check(
      "final_given gives", kinds_of(model, fixed_at_end(model, options)),
      [&](int number) { return number > most; },
      std::to_string(most) + " at most, as the loops decide the others");
  check(
      "initial_given leaves free", kinds_of(model, free_at_start(model, options)),
      [&](int number) { return number > 0 && number < rows; },
      "none, or enough to close the loops");
}

/// The stage before the nodes, if there is one, and the nodes.
std::vector<StageSize> sizes_of(const Model& model, const RobotProblemOptions& options) {
  const int pairs = options.collisions ? Capsules(model, *options.collisions).size() : 0;
  const int n = model.nv(), steps = static_cast<int>(durations_of(options).size());
  const int time = options.final_time ? 1 : 0;
  const int free = static_cast<int>(free_at_start(model, options).size());
  const bool flat = detail::flat(model);
  int rows = 0;
  if (const auto loops = loops_of(model, options)) {
    rows = loops->size();
    check_ends(model, options, rows);
  }
  const int free_v = kinds_of(model, free_at_start(model, options)).second;
  std::vector<StageSize> sizes;
  if (free + time > 0) sizes.push_back({0, free + time, 0});
  for (int k = 0; k <= steps; ++k) {
    StageSize s{2 * n + time, k < steps ? n + 2 * rows : 0, 0};
    if (options.transcription == Transcription::inverse_dynamics && k < steps) s.g += n;
    if (k > 0 || free > 0) s.g += (flat ? 0 : 2 * n) + pairs;
    s.g += k > 0 || free_v > 0 ? 2 * rows : rows;
    if (!flat && k == steps) s.g += static_cast<int>(fixed_at_end(model, options).size());
    sizes.push_back(s);
  }
  return sizes;
}

}  // namespace

RobotProblem::RobotProblem(Plant<double> plant, const RobotProblemOptions& options)
    : OptimalControlProblem(sizes_of(plant.model(), options)),
      plant_(std::move(plant)),
      durations_(durations_of(options)),
      whole_(std::accumulate(durations_.begin(), durations_.end(), 0.0)),
      steps_(static_cast<int>(durations_.size())),
      timed_(options.final_time.has_value()),
      free_(free_at_start(model(), options)),
      end_(fixed_at_end(model(), options)),
      leading_(stage_count() - 1 - steps_),
      loops_(loops_of(model(), options)),
      flat_(detail::flat(model())),
      weights_(model()),
      limits_(model()),
      tasks_(options.frames),
      hold_(std::make_unique<detail::Holding>(model(), loops_)),
      at_(model()),
      error_(Vector::Zero(model().nv())),
      along_(Vector::Zero(2 * model().nv())),
      slope_(Eigen::MatrixXd::Identity(model().nv(), model().nv())),
      along_slope_(Eigen::MatrixXd::Zero(model().nv(), 2 * model().nv())),
      q_slope_(along_slope_) {
  const int n = model().nv(), inputs = size(leading_).u;
  J_.setZero(6, n);
  weighted_.setZero(n, inputs + 2 * n);
  Q_.setZero(model().nq(), steps_), V_.setZero(n, steps_), U_.setZero(inputs, steps_);
  h_ = Eigen::Map<const Vector>(durations_.data(), steps_);
  along_slope_.rightCols(n).setIdentity();
  if (options.transcription == Transcription::forward_dynamics)
    motion_ = loops_ ? detail::looped_forward_motion(model(), *loops_, options.integrator, timed_)
                     : detail::forward_motion(model(), options.integrator, timed_, steps_,
                                              options.threads);
  else
    motion_ = loops_ ? detail::looped_inverse_motion(model(), *loops_, timed_)
                     : detail::inverse_motion(model(), timed_);
  if (motion_->tau_slope() && flat_ && !timed_ && tasks_.empty() && !options.collisions && !loops_)
    curve_.emplace(model());
  for (const FrameTask& task : tasks_) {
    if (!(task.position >= 0.0 && task.orientation >= 0.0))
      throw std::invalid_argument("robot problem: the task of frame '" + task.frame +
                                  "' has a negative weight");
    frames_.push_back(&at_.model().frame(task.frame));
  }
  if (options.collisions) capsules_.emplace(model(), *options.collisions);
  for (int k = stage(free_.empty() ? 1 : 0); capsules_ && k < stage_count(); ++k) {
    // the last rows but for those of the end
    Bounds& b = bounds(k);
    const int pairs = capsules_->size(),
              after = k + 1 < stage_count() || flat_ ? 0 : static_cast<int>(end_.size());
    const auto row = b.lower.size() - after - pairs;
    b.lower.segment(row, pairs).setConstant(capsules_->required());
    b.price.segment(row, pairs).setConstant(options.collision_price);
    b.price_squared.segment(row, pairs).setConstant(options.collision_price_squared);
  }
  if (loops_) bind_loops();
  references_.resize(static_cast<std::size_t>(steps_ + 1));
  for (Reference& r : references_) {
    r.tau.setZero(n);
    r.frames.resize(tasks_.size());
  }
  if (timed_) {
    const auto& [least, most] = *options.final_time;
    if (!(least > 0.0) || !(least <= most) || !std::isfinite(most))
      throw std::invalid_argument("robot problem: a final time from " + std::to_string(least) +
                                  " to " + std::to_string(most) +
                                  " s; it must be positive, finite and in order");
    bounds(0).lower.tail(1)(0) = least, bounds(0).upper.tail(1)(0) = most;
  }
  set_initial(neutral(model()), error_);
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
  set_gravity_torques();
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
  if (loops_) set_gravity_torques();
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
  if (loops_) set_gravity_torques();
  for (int i = 0; i <= steps_; ++i) {
    Bounds& b = bounds(stage(i));
    const StageSize& s = size(stage(i));
    const bool follows = motion_->tau_slope() != nullptr;
    const int torques = follows ? s.variables() : 0;
    if (i < steps_) {
      b.lower.segment(torques, n) = -limits.torque;
      b.upper.segment(torques, n) = limits.torque;
    }
    // what is given at the start is not limited
    const int states = flat_ ? s.u : s.variables() + (follows && i < steps_ ? n : 0);
    const auto limit = [&](int dof) {
      const int row = states + dof, at = dof % n;
      b.lower(row) = dof < n ? limits.lower(at) : -limits.velocity(at);
      b.upper(row) = dof < n ? limits.upper(at) : limits.velocity(at);
      b.price(row) = limits.price, b.price_squared(row) = limits.price_squared;
    };
    if (i == 0)
      for (const int dof : free_) limit(dof);
    else
      for (int dof = 0; dof < 2 * n; ++dof) limit(dof);
  }
  bind_end();
}

/// What is given of the last state: equations.
void RobotProblem::bind_end() {
  Bounds& b = bounds(stage(steps_));
  const Reference& r = references_.back();
  const int n = model().nv();
  int row = static_cast<int>(b.lower.size() - static_cast<Eigen::Index>(end_.size()));
  for (const int dof : end_) {
    const double value = !flat_ ? 0.0 : dof < n ? r.q(dof) : r.v(dof - n);
    const int at = flat_ ? dof : row++;
    b.lower(at) = b.upper(at) = value;
    b.price(at) = unbounded;
  }
}

/// That loops are closed: equations, but where positions are given.
void RobotProblem::bind_loops() {
  const auto [free_q, free_v] = kinds_of(model(), free_);
  for (int i = 0; i <= steps_; ++i) {
    const int k = stage(i), torques = motion_->tau_slope() && i < steps_ ? model().nv() : 0,
              limits = (i > 0 || !free_.empty()) && !flat_ ? 2 * model().nv() : 0,
              row = size(k).variables() + torques + limits, m = loops_->size();
    Bounds& b = bounds(k);
    const double give = i > 0 || free_q > 0 ? 0.0 : nearly_closed;
    b.lower.segment(row, m).setConstant(-give), b.upper.segment(row, m).setConstant(give);
    if (i > 0 || free_v > 0)
      b.lower.segment(row + m, m).setZero(), b.upper.segment(row + m, m).setZero();
  }
}

void RobotProblem::require_node(int node, int last) const {
  if (node < 0 || node > last)
    throw std::out_of_range("robot problem: node " + std::to_string(node) + " is not among 0 to " +
                            std::to_string(last));
}

void RobotProblem::set_gravity_torque(Reference& r) {
  (*hold_)(plant_, r.q, weights_, limits_);
  r.tau = hold_->tau;
  r.against_gravity = true;
}

void RobotProblem::set_gravity_torques() {
  for (Reference& r : references_)
    if (r.against_gravity) set_gravity_torque(r);
}

void RobotProblem::set_initial(In q, In v) {
  detail::require<double>("q of the start", q, model().nq(), model());
  detail::require<double>("v of the start", v, model().nv(), model());
  initial_.resize(model().nq() + model().nv());
  initial_ << q, v;
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
  if (node == steps_) bind_end();
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

void RobotProblem::set_obstacle(int i, const Rod& obstacle) {
  if (!capsules_)
    throw std::logic_error(
        "robot problem: it knows of no obstacles; name them in options.collisions first");
  capsules_->set_obstacle(i, obstacle);
}

// --- states ---

int RobotProblem::numbers(int k) const {
  return k < leading_ ? 0 : model().nq() + model().nv() + (timed_ ? 1 : 0);
}

RobotProblem::Vector RobotProblem::state(In q, In v) const { return state(q, v, whole_); }

RobotProblem::Vector RobotProblem::state(In q, In v, double final_time) const {
  detail::require_size("q", q.size(), model().nq(), model());
  detail::require_size("v", v.size(), model().nv(), model());
  Vector x(numbers(leading_));
  x.head(q.size()) = q, x.segment(q.size(), v.size()) = v;
  if (timed_) x.tail(1)(0) = final_time;
  return x;
}

void RobotProblem::move(int k, In x, In dx, Out moved) const {
  if (k < leading_) return;
  const Eigen::Index nq = model().nq(), nv = model().nv(), rest = dx.size() - nv;
  moved.tail(rest) = x.tail(rest) + dx.tail(rest);
  integrate<double>(model(), x.head(nq), dx.head(nv), moved.head(nq));
}

void RobotProblem::difference(int k, In from, In to, Out dx) const {
  if (k < leading_) return;
  const Eigen::Index nq = model().nq(), nv = model().nv(), rest = dx.size() - nv;
  dx.tail(rest) = to.tail(rest) - from.tail(rest);
  ulna::difference<double>(model(), from.head(nq), to.head(nq), dx.head(nv));
}

Trajectory RobotProblem::guess(In q, In v) const {
  if (loops_) loops_->require_closed(q, v, nearly_closed);
  Trajectory t = trajectory_of(*this);
  double final_time = whole_;
  if (timed_) {
    const Bounds& b = bounds(0);
    final_time = std::clamp(whole_, b.lower.tail(1)(0), b.upper.tail(1)(0));
    t.u[0].tail(1)(0) = final_time;
  }
  const Vector start = state(q, v, final_time);
  const Reference& goal = references_.back();
  Vector way(size(leading_).x);
  if (!free_.empty()) {
    difference(leading_, state(q_of(initial_), v_of(initial_), final_time), start, way);
    for (std::size_t i = 0; i < free_.size(); ++i)
      t.u[0](static_cast<Eigen::Index>(i)) = way(free_[i]);
  }
  difference(leading_, start, state(goal.q, goal.v, final_time), way);
  double time = 0.0;
  detail::Holding hold = *hold_;
  for (int i = 0; i <= steps_; ++i) {
    const auto k = static_cast<std::size_t>(stage(i));
    move(stage(i), start, (time / whole_) * way, t.x[k]);
    // where they do not close, the guess is as straight as without
    if (Vector closed = q_of(t.x[k]); loops_ && i > 0 && loops_->close(closed))
      t.x[k].head(model().nq()) = closed;
    if (i == steps_) break;
    hold(plant_, q_of(t.x[k]), weights_, limits_);
    motion_->rest(hold.tau, hold.lambda, t.u[k]);
    time += durations_[static_cast<std::size_t>(i)];
  }
  return t;
}

}  // namespace ulna
