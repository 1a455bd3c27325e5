#include "ulna/mpc/controller.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna {

namespace {

using Vector = Eigen::VectorXd;

/// rad/s at which the compensation of dry friction is three quarters of it: it must not chatter.
constexpr double friction_speed = 0.02;

Vector noise_of(const Model& model, const ControllerOptions& options) {
  if (options.torque_noise.size() == model.nv()) return options.torque_noise;
  if (options.torque_noise.size() != 0)
    throw std::invalid_argument("torque noise: " + std::to_string(options.torque_noise.size()) +
                                " numbers given, robot '" + model.name() + "' has " +
                                std::to_string(model.nv()) + " degrees of freedom");
  constexpr double share = 0.005, least = 0.02;
  Vector noise(model.nv());
  for (int i = 0; i < model.nv(); ++i) {
    const double effort = model.effort_limit()(i);
    noise(i) = std::isfinite(effort) ? std::max(share * effort, least) : least;
  }
  return noise;
}

OnlineOptions online_of(const ControllerOptions& options) {
  OnlineOptions online = options.online;
  online.rate_hz = options.rate_hz;
  online.correlated = std::max(1.0, options.rate_hz / options.filter_hz);
  // what the estimator leaves out unless it is asked for, a controller needs
  if (online.slow == 0.0) online.slow = friction_speed;
  if (online.wander == 0.0) online.wander = 0.2;
  if (online.noise_memory == 0.0) online.noise_memory = 2.0;
  return online;
}

void remove_dry_friction(Plant<double>& plant) {
  plant.friction.setZero(), plant.friction_negative.setZero();
}

Plant<double> without_dry_friction(Plant<double> plant) {
  remove_dry_friction(plant);
  return plant;
}

std::vector<Feature> features_of(const Plant<double>& plant) {
  if (plant.friction == plant.friction_negative) return {Feature::viscous, Feature::coulomb};
  return {Feature::viscous, Feature::coulomb_positive, Feature::coulomb_negative};
}

std::vector<double> node_times(const RobotProblemOptions& options) {
  std::vector<double> times{0.0};
  if (options.durations.empty())
    for (int k = 1; k <= options.steps; ++k) times.push_back(k * options.duration);
  else
    for (const double h : options.durations) times.push_back(times.back() + h);
  return times;
}

double microseconds_since(IdentifyingController::Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(IdentifyingController::Clock::now() - begin)
      .count();
}

}  // namespace

const char* to_string(ActionKind kind) {
  switch (kind) {
    case ActionKind::planned:
      return "planned";
    case ActionKind::older:
      return "older plan";
    case ActionKind::safe:
      return "safe";
  }
  return "";
}

const char* to_string(ActionFault fault) {
  switch (fault) {
    case ActionFault::none:
      return "none";
    case ActionFault::not_measured:
      return "not measured";
    case ActionFault::not_prepared:
      return "not prepared";
    case ActionFault::late:
      return "late";
    case ActionFault::not_solved:
      return "not solved";
    case ActionFault::no_reference:
      return "no reference";
  }
  return "";
}

IdentifyingController::IdentifyingController(const Model& model, const ControllerOptions& options)
    : model_(model),
      options_(options),
      plant_(model),
      planned_(without_dry_friction(plant_)),
      problem_(planned_, options.problem),
      sqp_(problem_),
      torques_(model, options.features.value_or(features_of(plant_))),
      estimator_(torques_, noise_of(model, options), online_of(options)),
      filter_(model.nv(), LowPass(options.filter_hz, options.rate_hz, 2),
              MotionFilter::Velocity::measured),
      ws_(model),
      times_(node_times(options.problem)) {
  if (model.nq() != model.nv())
    throw std::invalid_argument("robot '" + model.name() +
                                "' has joints told in more numbers than degrees of freedom; the "
                                "controller identifies robots whose joints have one each");
  const Eigen::Index n = model.nv();
  for (Vector* v : {&q_, &v_, &tau_, &gravity_, &q_reference_, &v_reference_, &stuck_for_, &push_})
    v->setZero(n);
  x_.setZero(2 * n);
  const auto nodes = static_cast<Eigen::Index>(times_.size());
  q_references_.setZero(n, nodes), v_references_.setZero(n, nodes);
  noise_ = estimator_.noise();
}

void IdentifyingController::set_plant(const Plant<double>& plant) {
  plant_ = plant;
  planned_ = plant;
  remove_dry_friction(planned_);
  problem_.set_plant(planned_);
}

/// All of them or none: what the user's function does in the middle of a horizon leaves the problem as it was.
bool IdentifyingController::set_references(double time) noexcept try {
  const Eigen::Index n = q_.size();
  for (std::size_t k = 0; k < times_.size(); ++k) {
    q_reference_.resize(n), v_reference_.resize(n);
    reference_(time + times_[k], q_reference_, v_reference_);
    if (q_reference_.size() != n || v_reference_.size() != n || !q_reference_.allFinite() ||
        !v_reference_.allFinite()) {
      reference_failed_ = true;
      return false;
    }
    const auto column = static_cast<Eigen::Index>(k);
    q_references_.col(column) = q_reference_, v_references_.col(column) = v_reference_;
  }
  for (Eigen::Index k = 0; k < q_references_.cols(); ++k)
    problem_.set_reference(static_cast<int>(k), q_references_.col(k), v_references_.col(k));
  return true;
} catch (...) {
  reference_failed_ = true;
  return false;
}

const Vector& IdentifyingController::act(double time, In q, In v) noexcept {
  const Clock::time_point begin = Clock::now();
  fault_ = std::exchange(reference_failed_, false) ? ActionFault::no_reference : ActionFault::none;
  if (q.size() == q_.size() && v.size() == v_.size() && q.allFinite() && v.allFinite()) {
    q_ = q, v_ = v;
  } else {
    // what the plan expected to be measured now
    fault_ = ActionFault::not_measured;
    if (begun_) {
      const double share = std::clamp((time - planned_at_) / times_[1], 0.0, 1.0);
      const Vector &from = sqp_.trajectory.x[0], &to = sqp_.trajectory.x[1];
      q_ = from.head(q_.size()) + share * (to.head(q_.size()) - from.head(q_.size()));
      v_ = from.tail(v_.size()) + share * (to.tail(v_.size()) - from.tail(v_.size()));
    }
  }
  if (plan(time)) {
    kind_ = ActionKind::planned;
    planned_at_ = time;
    take_torque(0);
  } else if (begun_ && time - planned_at_ <= options_.patience) {
    kind_ = ActionKind::older;
    take_older(time);
  } else {
    kind_ = ActionKind::safe;
    take_safe();
  }
  if (kind_ != ActionKind::safe) compensate_friction(), push_what_is_stuck();
  keep_limits();
  prepared_ = false;
  act_us_ = microseconds_since(begin);
  return tau_;
}

bool IdentifyingController::plan(double time) {
  x_ << q_, v_;
  if (!begun_ && fault_ == ActionFault::not_measured) return false;
  if (!reference_ || (!prepared_ && !set_references(time))) {
    fault_ = ActionFault::no_reference;
    reference_failed_ = false;
    return false;
  }
  if (!begun_) {
    sqp_.trajectory = problem_.guess(q_, v_);
    const SqpStatus status = sqp_.solve(x_).status;
    begun_ = status == SqpStatus::solved || status == SqpStatus::limited;
    if (!begun_) fault_ = ActionFault::not_solved;
    return begun_;
  }
  if (!prepared_) prepared_ = sqp_.prepare();
  if (!prepared_) {
    fault_ = ActionFault::not_prepared;
    return false;
  }
  Sqp::Deadline deadline;
  if (options_.deadline)
    deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(*options_.deadline));
  if (missed_) deadline = Clock::time_point::min();
  missed_ = false;
  if (std::exchange(failing_, false)) {
    fault_ = ActionFault::not_solved;
    return false;
  }
  const SqpReport& report = sqp_.feedback(x_, deadline);
  if (report.status == SqpStatus::solved) return true;
  fault_ = report.qp == QpStatus::limited ? ActionFault::late : ActionFault::not_solved;
  return false;
}

/// The torque that is planned at a node.
void IdentifyingController::take_torque(std::size_t node) {
  const Trajectory& plan = sqp_.trajectory;
  if (options_.problem.transcription == Transcription::forward_dynamics) {
    tau_ = plan.u[node];
  } else {
    const Eigen::Index n = tau_.size();
    inverse_dynamics<double>(planned_, plan.x[node].head(n), plan.x[node].tail(n), plan.u[node],
                             ws_, tau_);
  }
}

/// The torque that an older plan has for this moment.
void IdentifyingController::take_older(double time) {
  const double passed = time - planned_at_;
  std::size_t k = 0;
  while (k + 2 < times_.size() && times_[k + 1] <= passed) ++k;
  take_torque(k);
}

void IdentifyingController::take_safe() {
  static_torque(plant_, Eigen::Ref<const Vector>(q_), ws_, Eigen::Ref<Vector>(gravity_));
  const double strongest = model_.effort_limit().maxCoeff();
  for (Eigen::Index i = 0; i < tau_.size(); ++i) {
    const double effort = model_.effort_limit()(i);
    const double share = std::isfinite(strongest) ? effort / strongest : 1.0;
    tau_(i) = gravity_(i) - options_.safe_damping * share * v_(i);
  }
}

/// Plans know no dry friction: what it takes in the direction of the plan comes on top. Viscous friction
/// they know, by the velocity of now; taken for too large, it would drive a light joint that turns too
/// fast on and on, so that it is only made up for near the velocity that the plan goes to.
void IdentifyingController::compensate_friction() {
  for (Eigen::Index i = 0; i < tau_.size(); ++i) {
    const double planned = sqp_.trajectory.x[1](tau_.size() + i);
    const double dry = planned > 0.0 ? plant_.friction(i) : plant_.friction_negative(i);
    tau_(i) += dry * std::tanh(planned / friction_speed);
    const double near = 0.05 * std::min(model_.velocity_limit()(i), 4.0);
    tau_(i) += plant_.damping(i) * (std::clamp(v_(i), planned - near, planned + near) - v_(i));
  }
}

/// A plan that knows too little friction asks for too little torque, again and again.
void IdentifyingController::push_what_is_stuck() {
  constexpr double patience = 0.05, harder = 100.0, letting_go = 0.05;  // s, noises a second, s
  const double period = 1.0 / options_.rate_hz;
  for (Eigen::Index i = 0; i < tau_.size(); ++i) {
    const double planned = sqp_.trajectory.x[1](tau_.size() + i);
    const bool stuck = std::abs(v_(i)) < friction_speed && std::abs(planned) > friction_speed;
    stuck_for_(i) = stuck ? stuck_for_(i) + period : 0.0;
    if (stuck_for_(i) > patience)
      push_(i) += std::copysign(harder * noise_(i) * period, planned);
    else
      push_(i) *= 1.0 - std::min(1.0, period / letting_go);
    // a joint that nothing moves, as one at a stop, leaves nothing behind that is larger than its drive
    push_(i) = std::clamp(push_(i), -model_.effort_limit()(i), model_.effort_limit()(i));
    tau_(i) += push_(i);
  }
}

void IdentifyingController::keep_limits() {
  for (Eigen::Index i = 0; i < tau_.size(); ++i) {
    const double most = model_.effort_limit()(i);
    tau_(i) = std::isfinite(tau_(i)) ? std::clamp(tau_(i), -most, most) : 0.0;
  }
}

void IdentifyingController::feel(int body, In q, In v, In a, In wrench, In noise) noexcept {
  const Eigen::Index n = q_.size();
  if (options_.identify && q.size() == n && v.size() == n && a.size() == n && wrench.size() == 6 &&
      noise.size() == 6 && body > 0 && body < model_.body_count())
    estimator_.update_wrench(body, q, v, a, wrench, noise);
}

void IdentifyingController::think(double time, In q, In v, In tau) noexcept {
  const Clock::time_point begin = Clock::now();
  if (options_.identify) {
    const Eigen::Index n = q_.size();
    outcome_ = OnlineEstimator::Outcome::ignored;
    if (q.size() == n && v.size() == n && tau.size() == n && filter_.update(q, v, tau) &&
        filter_.settled()) {
      outcome_ = estimator_.update(filter_.q(), filter_.v(), filter_.a(), filter_.direction(),
                                   filter_.tau());
      torques_.set(estimator_.z(), plant_);
      torques_.set(estimator_.z(), planned_);
      remove_dry_friction(planned_);
      problem_.set_plant(planned_);
    }
  }
  identify_us_ = microseconds_since(begin);
  if (begun_ && reference_)
    prepared_ = set_references(time + 1.0 / options_.rate_hz) && sqp_.prepare();
  think_us_ = microseconds_since(begin);
}

}  // namespace ulna
