#include "control/robot/task.hpp"

#include <algorithm>
#include <numeric>

#include "simulate/step_impl.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/num/dual.hpp"

namespace ulna::control::detail {

Holding::Holding(const Model& model, const std::optional<Loops>& loops)
    : tau(Eigen::VectorXd::Zero(model.nv())), motion_(model), ws_(model), loops_(loops) {
  if (!loops_) return;
  const int n = model.nv(), m = loops_->size();
  lambda.setZero(m), weighted_.setZero(m, n), normal_.setZero(m, m);
  factor_ = Eigen::LDLT<Eigen::MatrixXd>(m);
}

void Holding::operator()(const Plant<double>& plant, In<double> q, const MotionWeights& weights,
                         const MotionLimits& limits) {
  motion_.set(q);
  gravity_torque<double>(plant, motion_, ws_, tau);
  if (!loops_) return;
  loops_->set(q);
  const Eigen::MatrixXd& J = loops_->J();
  const double most = std::max(weights.torque.maxCoeff(), 1e-12);
  for (Eigen::Index i = 0; i < tau.size(); ++i) {
    const double price =
        limits.torque(i) == 0.0 ? 1e8 * most : std::max(weights.torque(i), 1e-3 * most);
    weighted_.col(i) = price * J.col(i);
  }
  normal_.noalias() = weighted_.lazyProduct(J.transpose());
  lambda.noalias() = weighted_.lazyProduct(tau);
  factor_.compute(normal_);
  factor_.solveInPlace(lambda);
  if (!lambda.allFinite()) lambda.setZero();
  tau.noalias() -= J.transpose().lazyProduct(lambda);
}

namespace {

std::vector<double> step_durations(const RobotProblemOptions& options) {
  std::vector<double> durations = options.durations;
  if (durations.empty()) {
    messages::require(options.steps >= 1, "robot problem: ", options.steps,
                      " steps; there must be one at least");
    durations.assign(std::size_t(options.steps), options.duration);
  }
  for (const double h : durations)
    messages::require(h > 0.0 && std::isfinite(h), "robot problem: a step takes ",
                      std::to_string(h), " s; it must be positive and finite");
  return durations;
}

/// Where a list of 2 nv flags has this one; of an empty list, nowhere.
std::vector<int> places(const Model& model, const char* what, const std::vector<bool>& flags,
                        bool flag) {
  if (!flags.empty())
    ulna::detail::require_size(what, Eigen::Index(flags.size()), 2 * model.nv(), model);
  std::vector<int> found;
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (flags[i] == flag) found.push_back(int(i));
  return found;
}

Loops loops_of(const Model& model, const RobotProblemOptions& options) {
  return Loops(model, options.loops,
               options.closed_at.size() > 0 ? options.closed_at : neutral(model));
}

std::optional<Loops> closed_loops(const Model& model, const RobotProblemOptions& options) {
  if (options.loops.empty() || options.loop_form == LoopForm::coordinates) return {};
  return loops_of(model, options);
}

std::optional<ClosedDynamics> closed_dynamics(const Model& model,
                                              const RobotProblemOptions& options) {
  if (options.loops.empty() || options.loop_form == LoopForm::rows) return {};
  messages::require(options.transcription == Transcription::inverse_dynamics,
                    "robot problem: LoopForm::coordinates needs "
                    "Transcription::inverse_dynamics; of forward dynamics take LoopForm::rows");
  return ClosedDynamics(loops_of(model, options));
}

/// Degrees of freedom of all joints, (q, v), as those of the state.
std::vector<int> own_dofs(const Task& task, const std::vector<int>& all) {
  if (!task.closed) return all;
  const int n = task.model().nv();
  const std::vector<int>& independent = task.closed->coordinates().independent();
  std::vector<int> own;
  for (const int dof : all) {
    const auto at = std::ranges::find(independent, dof % n);
    if (at != independent.end())
      own.push_back(int(at - independent.begin()) + (dof < n ? 0 : task.nv()));
  }
  return own;
}

int count_positions(const Task& task, const std::vector<int>& dofs) {
  return int(std::ranges::count_if(dofs, [&](int dof) { return dof < task.nv(); }));
}

/// Throws unless loops and what is given of the ends leave each other room.
void check_ends(const Task& task) {
  const int rows = task.loop_rows(), most = task.model().nv() - rows;
  const auto check = [&](const char* what, const std::vector<int>& dofs, auto wrong,
                         const std::string& rule) {
    const int positions = count_positions(task, dofs);
    for (const auto& [number, kind] :
         {std::pair{positions, "positions"}, std::pair{int(dofs.size()) - positions, "velocities"}})
      messages::require(!wrong(number), "robot problem: ", what, " ", number, " ", kind, "; with ",
                        rows, " rows of loops it must be ", rule);
  };
  check(
      "final_given gives", task.given, [&](int number) { return number > most; },
      std::to_string(most) + " at most, as the loops determine the others");
  check(
      "initial_given leaves free", task.free,
      [&](int number) { return number > 0 && number < rows; },
      "none, or enough to close the loops");
}

}  // namespace

Task::Task(Plant<double> p, const RobotProblemOptions& options)
    : plant(std::move(p)),
      durations(step_durations(options)),
      total(std::accumulate(durations.begin(), durations.end(), 0.0)),
      steps(int(durations.size())),
      timed(options.final_time.has_value()),
      flat(ulna::detail::flat(model())),
      closed(closed_dynamics(model(), options)),
      loops(closed_loops(model(), options)),
      all_weights(model()),
      all_limits(model()),
      weights(all_weights),
      limits(all_limits),
      holding(model(), loops),
      all_at_rest(Eigen::VectorXd::Zero(model().nv())),
      at_rest(Eigen::VectorXd::Zero(nv())),
      references(std::size_t(steps + 1)) {
  free = own_dofs(*this, places(model(), "initial_given", options.initial_given, false));
  given = own_dofs(*this, places(model(), "final_given", options.final_given, true));
  free_positions = count_positions(*this, free);
  set_weights(all_weights), set_limits(all_limits);
  if (options.motors.size() > 0) {
    messages::require(options.transcription == Transcription::inverse_dynamics && !loops && !closed,
                      "robot problem: motors that move several joints need "
                      "Transcription::inverse_dynamics, and a robot without loops");
    messages::require(options.motors.rows() == model().nv() &&
                          options.motors.cols() == model().nv() && options.motors.allFinite(),
                      "robot problem: motors is no matrix of ", model().nv(), " by ", model().nv(),
                      " finite numbers");
    motors = options.motors;
  }
  if (options.contact) {
    const ContactTask& c = *options.contact;
    messages::require(options.transcription == Transcription::inverse_dynamics && !loops && !closed,
                      "robot problem: a contact needs Transcription::inverse_dynamics, and a robot "
                      "without loops");
    messages::require(std::abs(c.normal.norm() - 1.0) < 1e-6 && c.friction >= 0.0 &&
                          std::isfinite(c.friction) && c.weight > 0.0 && c.most >= 0.0,
                      "robot problem: a contact needs a normal of length 1, a friction coefficient "
                      "of 0 or more, a weight above 0 and a largest force of 0 or more");
    contact.emplace(model(), c);
  }
  if (options.collisions) capsules.emplace(model(), *options.collisions);
  if (loops) check_ends(*this);
  if (closed) closed_q = closed->q().replicate(1, steps + 1);
  const Eigen::VectorXd start = closed ? closed->q() : neutral(model());
  for (Reference& r : references) {
    gather(start, r.q);
    r.v = r.tau = r.along = at_rest;
    r.frames.resize(options.frames.size());
  }
}

void Task::gather(In<double> all, Eigen::VectorXd& own) const {
  if (!closed) {
    own = all;
    return;
  }
  own.resize(nv());
  closed->coordinates().gather(all, own);
}

void Task::set_weights(const MotionWeights& all) {
  all_weights = all;
  weights.terminal = all.terminal, weights.time = all.time;
  gather(all.position, weights.position), gather(all.velocity, weights.velocity);
  gather(all.torque, weights.torque);
}

void Task::set_limits(const MotionLimits& all) {
  all_limits = all;
  limits.price = all.price, limits.price_squared = all.price_squared;
  gather(all.lower, limits.lower), gather(all.upper, limits.upper);
  gather(all.velocity, limits.velocity), gather(all.torque, limits.torque);
  gather(all.torque_rate, limits.torque_rate);
}

bool Task::place(int node, In<double> q) {
  if (!closed) return true;
  // where a node is far from where it was, it is often near the one before
  for (const int near : {node, std::max(0, node - 1)}) {
    closed->resume(closed_q.col(near));
    if (!closed->set(q)) continue;
    closed_q.col(node) = closed->q();
    return true;
  }
  return false;
}

void Task::position_error(int node, In<double> q, Eigen::VectorXd& error, Eigen::MatrixXd* slope) {
  const Eigen::VectorXd& from = reference(node).q;
  if (closed) {
    error = q - from;
    return;
  }
  difference<double>(model(), from, q, error);
  if (!slope || flat) return;
  using D = Dual<double, 6>;
  for (const Joint& j : model().joints()) {
    if (!ulna::detail::curved(j)) continue;
    const int n = velocity_size(j.type);
    std::array<D, 7> start, end, moved;
    std::array<D, 6> along, way;
    for (int i = 0; i < configuration_size(j.type); ++i)
      start[i] = D(from(j.q + i)), end[i] = D(q(j.q + i));
    for (int i = 0; i < n; ++i) along[i] = D::variable(0.0, i);
    joint_integrate<D>(j.type, end.data(), along.data(), moved.data());
    joint_difference<D>(j.type, start.data(), moved.data(), way.data());
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) (*slope)(j.v + r, j.v + c) = way[r].gradient[c];
  }
}

void Task::update_contacts() {
  // m/s at which friction has three quarters of its size: a direction must not jump
  constexpr double slow = 2e-3;
  if (!contact) return;
  for (Reference& r : references) {
    if (r.contact_current) continue;
    const ContactTask& c = contact->task;
    contact->at.set(r.q, r.v);
    const Vec3<double> u = frame_velocity<double>(contact->at, contact->frame, Axes::aligned)
                               .linear,
                       slip = u - c.normal.dot(u) * c.normal;
    const double speed = slip.norm();
    r.push = c.normal;
    if (speed > 0.0) r.push -= c.friction * std::tanh(speed / slow) / speed * slip;
    frame_jacobian<double>(contact->at, contact->frame, Axes::aligned, contact->J);
    r.along.noalias() = contact->J.bottomRows<3>().transpose().lazyProduct(c.normal);
    r.drift = c.normal.dot(frame_drift<double>(contact->at, contact->frame, Axes::aligned).linear);
    r.contact_current = true;
  }
}

void Task::outdate_torques() {
  for (Reference& r : references) r.current = false;
}

void Task::update_torques() {
  for (Reference& r : references) {
    if (!r.holds || r.current) continue;
    if (!closed) {
      holding(plant, r.q, weights, limits);
      r.tau = holding.tau;
    } else if (closed->set(r.q)) {
      closed->inverse_dynamics(plant, r.tau);
    } else {
      r.tau.setZero();
    }
    r.current = true;
  }
}

}  // namespace ulna::control::detail
