#include "ulna/mpc/controller.hpp"

#include <array>

#include "mpc/fallback.hpp"
#include "mpc/loop_response.hpp"
#include "mpc/model_watch.hpp"
#include "mpc/planner.hpp"
#include "mpc/plant_estimator.hpp"
#include "mpc/robot_scale.hpp"
#include "mpc/state_observer.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::mpc {
namespace {

using Vector = Eigen::VectorXd;
using Clock = std::chrono::steady_clock;

const Model& require_plain_joints(const Model& model) {
  // of a planar joint, q has as many coordinates as v, but v is in the moving frame
  const int compound = compound_joint(model);
  messages::require(compound == 0, "robot '", model.name(), "', joint '",
                    model.joint_name(compound),
                    "': it has several degrees of freedom; the controller supports only joints "
                    "with one");
  return model;
}

control::MotionWeights weights_of(const Model& model, const RobotScale& scale) {
  control::MotionWeights weights(model);
  weights.position.setConstant(5000.0), weights.velocity.setConstant(1.0);
  weights.torque = scale.torque.cwiseAbs2().cwiseInverse();
  weights.terminal = 0.1;
  return weights;
}

/// The options with what follows from the robot where they leave it open.
ControllerOptions completed(ControllerOptions options, const Model& model,
                            const RobotScale& scale) {
  if (!options.problem.weights) options.problem.weights = weights_of(model, scale);
  if (!options.problem.limits) {
    control::MotionLimits& limits = options.problem.limits.emplace(model);
    limits.price = limits.price_squared = 1e3;
  }
  messages::require(
      options.problem.loops.empty() || options.problem.loops == model.description().loops,
      "controller: the loops of a robot are those of its description; close others "
      "by Builder::loop");
  options.problem.loops = model.description().loops;
  if (!options.problem.loops.empty()) options.problem.loop_form = control::LoopForm::coordinates;
  if (options.torque_noise.size() == 0) options.torque_noise = 0.005 * scale.torque;
  return options;
}

GoalLimits goal_limits_of(const Model& model, const RobotScale& scale) {
  GoalLimits limits{0.5 * model.velocity_limit(),
                    0.25 * (scale.torque - scale.gravity).cwiseQuotient(scale.inertia)};
  for (double& v : limits.velocity)
    if (!(v > 0.0 && v < control::infinity)) v = 1.0;
  limits.acceleration = limits.acceleration.cwiseMax(0.5).cwiseMin(20.0);
  return limits;
}

double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

}  // namespace

const char* to_string(ActionKind kind) {
  return std::array{"planned", "older plan", "safe"}[int(kind)];
}

const char* to_string(ActionFault fault) {
  return std::array{"none", "not measured", "stale",       "not prepared",
                    "late", "not solved",   "no reference"}[int(fault)];
}

control::MotionWeights motion_weights(const Model& model) {
  return weights_of(model, scale_of(Plant<double>(model)));
}

struct IdentifyingController::Parts {
  Parts(const Model& model, const ControllerOptions& o)
      : plant(require_plain_joints(model)),
        scale(scale_of(plant)),
        options(completed(o, model, scale)),
        period(1.0 / options.rate_hz),
        estimator(plant, options),
        planner(plant, options),
        friction(model),
        observer(model, period, options.disturbance_rate * scale.torque),
        watch(plant, period, options.disturbance_rate * scale.torque),
        response(model, options.torque_noise, options.rate_hz, options.filter_hz),
        fallback(model, options.safe_damping),
        dynamics(model),
        tau(Vector::Zero(model.nv())) {}

  bool measured(In q, In v) const {
    if (q.size() != tau.size() || v.size() != tau.size()) return false;
    if (!dynamics.is_closed()) return is_plausible(q) && is_plausible(v);
    for (Eigen::Index i = 0; i < q.size(); ++i)
      if (dynamics.moves(i) && !(is_plausible(q(i)) && is_plausible(v(i)))) return false;
    return true;
  }
  /// Whether a reading is the last one; joints that follow others do not count.
  bool is_again(In q, In v) const {
    for (Eigen::Index i = 0; i < q.size(); ++i)
      if (dynamics.moves(i) && (q(i) != last_q(i) || v(i) != last_v(i))) return false;
    return true;
  }

  /// What is wrong with a reading. One that comes again, bit for bit or by its time, is no news of a robot that moves.
  ActionFault judge(double time, double measured_at, In q, In v) {
    const double periods = std::round((time - measured_at) / period);
    if (!measured(q, v) || !(periods >= 0.0)) return ActionFault::not_measured;
    const bool again = is_again(q, v) || measured_at == last_time;
    last_q = q, last_v = v, last_time = measured_at;
    if (!(observer.started() ? dynamics.close(last_q, last_v) : dynamics.begin(last_q, last_v)))
      return ActionFault::not_measured;
    const bool moves =
        observer.started() && observer.v().lpNorm<Eigen::Infinity>() > friction_speed;
    const int delay = int(std::min(periods, 1e3)) + response.reading_delay();
    if ((again && moves) || delay > StateObserver::most_late) return ActionFault::stale;
    late = delay;
    return ActionFault::none;
  }

  /// The state of now: what was expected from the torques that were sent, corrected by a reading.
  void observe(bool has_reading) {
    if (!observer.started()) {
      if (has_reading) observer.start(last_q, last_v);
      return;
    }
    explained = friction.dry();
    dynamics.reduce(observer.q(), explained);
    explained = exerted.col(now) - explained + planner.contact_torque();
    const bool predicted = observer.predict(plant_of_plans(), explained);
    if (has_reading && predicted && observer.is_near(last_q, late))
      observer.correct(last_q, last_v, late);
    else if (has_reading)
      observer.start(last_q, last_v);
    compare(has_reading && predicted);
  }

  /// What the model itself would have predicted of drives without lag, while something else was assumed; of trees.
  void compare(bool has_reading) {
    if (dynamics.is_closed()) return;
    const bool assumed = estimator.uses_estimates() || response.drive_lag() > 0.0;
    if (assumed && !planner.presses() && (!has_reading || watch.is_near(last_q, late)) &&
        watch.predict(sent.col(now), exerted.col(now), planner.planned_velocity())) {
      if (has_reading) watch.correct(last_q, last_v, late, observer);
    } else {
      watch.start(observer);
    }
  }

  /// Whether what was identified is withdrawn, because the model predicts the robot better.
  bool withdraw() {
    if (!watch.prefers_model()) return false;
    if (watch.prefers_no_lag()) response.withdraw_lag();
    (void)estimator.withdraw(plant);
    observer.take_over(watch.observer());
    watch.start(observer);
    return true;
  }

  /// Periods that were left out since the last action: what was sent then went on acting, and is no disturbance.
  void pass(double time) {
    constexpr double most = 20.0;
    const double left_out = acted ? std::round((time - acted_at) / period) - 1.0 : 0.0;
    for (double k = 0.0; k < std::min(left_out, most); ++k) {
      sample();
      fresh = false, unread += period;
      observe(false);
    }
  }

  /// What the robot is identified from: the reading of the period that is over, and the torques that were sent.
  void sample() {
    now = (now + 1) % int(sent.cols());
    sent.col(now) = tau;
    exerted.col(now) = response.send(tau);
    if (!observer.started()) return;
    // what a wall adds to the torques is planned, not measured
    if (unread > 3.0 * period || planner.presses()) return estimator.reset(), response.reset();
    const Vector &q = fresh ? last_q : observer.q(), &v = fresh ? last_v : observer.v();
    response.move(plant_of_plans(), plant, q, v, at_reading(sent));
    if (options.identify && options.torques == TorqueSource::commanded)
      estimator.sample(q, v, at_reading(exerted));
  }

  /// Half of what acted before the reading and half of what acted after it belong to its moment.
  const Vector& at_reading(const Eigen::MatrixXd& torques) {
    return explained = 0.5 * (torques.col(at(late + 1)) + torques.col(at(late)));
  }

  /// False: the plant stays as it is.
  bool learn() {
    needed(before);
    if (!estimator.update(plant)) return false;
    // what the plant explains now is not unexplained any more: torques do not jump
    needed(explained);
    before -= explained;
    if (before.allFinite()) observer.shift(before);
    return true;
  }

  /// The torques that the plan needs now, as the plant has it.
  void needed(Vector& torque) {
    if (!planner.has_plan() || !observer.started()) return torque.setZero(), void();
    dynamics.inverse(plant_of_plans(), observer.q(), observer.v(), planner.planned_acceleration(),
                     torque);
    friction.set_dry(plant, planner.planned_velocity());
    torque += friction.dry();
    dynamics.reduce(torque);
  }

  /// The plant without dry friction, which is compensated for.
  Plant<double>& plant_of_plans() {
    frictionless = plant;
    remove_dry_friction(frictionless);
    return frictionless;
  }

  Plant<double> plant;
  RobotScale scale;
  ControllerOptions options;
  double period;
  PlantEstimator estimator;
  Planner planner;
  FrictionCompensator friction;
  StateObserver observer;
  ModelWatch watch;
  LoopResponse response;
  Fallback fallback;
  DrivenDynamics dynamics;
  GoalLimits goal_limits = goal_limits_of(plant.model(), scale);

  /// The torques that are sent change no faster than the limits have it, from those of the last period.
  void limit_rate() {
    const Vector& rate = planner.problem().limits().torque_rate;
    tau = tau.cwiseMin(sent.col(now) + period * rate).cwiseMax(sent.col(now) - period * rate);
  }
  /// And plans know what acts now, without what is added to them.
  void tell_rate() {
    control::RobotProblem& problem = planner.problem();
    if (!acted || !(problem.limits().torque_rate.minCoeff() < control::infinity)) return;
    explained = tau - added;
    if (explained.allFinite()) problem.set_torque_before(explained, period);
  }
  /// The time to come.
  double next() const { return acted_at + period; }
  void require_acted() const {
    if (!acted)
      throw std::logic_error(
          "controller: a motion to a goal begins where the robot is, which is not known before the "
          "first act");
  }

  Plant<double> frictionless = plant;
  Kinematics<double> poses{plant.model()};
  Vector tau, explained = tau, before = tau;
  Vector planned = tau, added = tau;  ///< of the last action, and what it was sent with
  bool acted = false;
  double acted_at = 0.0;
  /// Torques that were sent, and those that drives exerted, of the last periods: column `now` of the one that is over.
  Eigen::MatrixXd sent = Eigen::MatrixXd::Zero(tau.size(), StateObserver::most_late + 2),
                  exerted = sent;
  int now = 0;
  int at(int ago) const { return (now + int(sent.cols()) - ago) % int(sent.cols()); }
  Vector last_q = tau, last_v = tau;  ///< the last reading
  Vector q_then = tau, v_then = tau;  ///< when the torques of now act
  double last_time = -infinity;
  int late = 0;        ///< periods, of the reading
  bool fresh = false;  ///< whether it is news
  bool learning = true;
  double unread = 0.0;  ///< s since a reading was
  ActionKind kind = ActionKind::safe;
  ActionFault fault = ActionFault::none;
  double act_us = 0.0, update_us = 0.0, identify_us = 0.0;
};

IdentifyingController::IdentifyingController(const Model& model, const ControllerOptions& options)
    : parts_(std::make_unique<Parts>(model, options)) {}
IdentifyingController::~IdentifyingController() = default;
IdentifyingController::IdentifyingController(IdentifyingController&&) noexcept = default;
IdentifyingController& IdentifyingController::operator=(IdentifyingController&&) noexcept = default;

void IdentifyingController::follow(MotionReference reference) {
  parts_->planner.follow(std::move(reference));
}

double IdentifyingController::go_to(In q_goal, const GoalLimits& limits) {
  Parts& p = *parts_;
  p.require_acted();
  const Model& model = p.plant.model();
  detail::require<double>("the goal", q_goal, model.nq(), model);
  const auto given = [&](const Vector& limit, const Vector& usual) -> const Vector& {
    if (limit.size() > 0)
      detail::require_size("a limit of a goal", limit.size(), model.nv(), model);
    return limit.size() > 0 ? limit : usual;
  };
  p.planner.go_to(p.next(), p.period, p.observer.q(), p.observer.v(), q_goal,
                  given(limits.velocity, p.goal_limits.velocity),
                  given(limits.acceleration, p.goal_limits.acceleration));
  return p.planner.goal_reached_at();
}

void IdentifyingController::set_weights(const control::MotionWeights& weights) {
  parts_->planner.problem().set_weights(weights);
}
void IdentifyingController::set_limits(const control::MotionLimits& limits) {
  parts_->planner.problem().set_limits(limits);
}
const control::MotionWeights& IdentifyingController::weights() const {
  return parts_->planner.problem().weights();
}
const control::MotionLimits& IdentifyingController::limits() const {
  return parts_->planner.problem().limits();
}
void IdentifyingController::set_target(int task, const Transform<double>& X_WF) {
  parts_->planner.targets().set(task, X_WF);
}
void IdentifyingController::follow_target(int task, FrameReference reference) {
  parts_->planner.targets().follow(task, std::move(reference));
}
void IdentifyingController::clear_target(int task) { parts_->planner.targets().clear(task); }
void IdentifyingController::set_obstacle(int i, const PlacedCapsule& obstacle) {
  parts_->planner.problem().set_obstacle(i, obstacle);
}

void IdentifyingController::press(double force) {
  parts_->planner.press(force);
  parts_->observer.freeze(force > 0.0);
}
double IdentifyingController::pressed() const {
  const Planner& planner = parts_->planner;
  return planner.has_plan() ? planner.problem().contact_force(planner.trajectory().u[0]) : 0.0;
}

void IdentifyingController::go_to_target(int task, const Transform<double>& X_WF,
                                         const PoseLimits& limits) {
  Parts& p = *parts_;
  p.require_acted();
  FrameTargets& targets = p.planner.targets();
  const double time = p.next();
  Transform<double> now, before;
  if (targets.is_set(task)) {
    now = targets.at(task, time), before = targets.at(task, time - p.period);
  } else {
    const Frame& frame = p.plant.model().frame(p.options.problem.frames[std::size_t(task)].frame);
    p.poses.set(p.observer.q()), now = p.poses.pose(frame);
    p.explained = p.observer.q() - p.period * p.observer.v();
    p.poses.set(p.explained), before = p.poses.pose(frame);
  }
  targets.go_to(task, time, p.period, now, before, X_WF, limits);
}

void IdentifyingController::set_plant(const Plant<double>& plant) {
  parts_->plant = plant;
  parts_->planner.set_plant(plant);
  parts_->watch.set_model(plant);
}

void IdentifyingController::set_deadline(std::optional<double> seconds) {
  parts_->planner.set_deadline(seconds);
}

void IdentifyingController::sent(In tau) noexcept {
  if (tau.size() == parts_->tau.size() && tau.allFinite()) parts_->tau = tau;
}

void IdentifyingController::learn(bool on) noexcept {
  if (!on) parts_->estimator.reset();
  parts_->learning = on;
}

void IdentifyingController::expect_change() noexcept { parts_->estimator.expect_change(); }

void IdentifyingController::reset() noexcept {
  Parts& p = *parts_;
  p.observer.stop(), p.planner.reset(), p.friction.reset(), p.estimator.reset();
  p.response.reset();
  p.tau.setZero(), p.sent.setZero(), p.exerted.setZero();
  p.fresh = p.acted = false, p.unread = 0.0;
}

void IdentifyingController::fail_next_plan() { parts_->planner.fail_next(); }

const Vector& IdentifyingController::act(double time, In q, In v) noexcept {
  return act(time, time, q, v);
}

const Vector& IdentifyingController::act(double time, double measured_at, In q, In v) noexcept {
  const Clock::time_point begin = Clock::now();
  Parts& p = *parts_;
  p.pass(time);
  p.sample();
  p.fault = p.judge(time, measured_at, q, v);
  p.fresh = p.fault == ActionFault::none;
  p.unread = p.fresh ? 0.0 : p.unread + p.period;
  p.observe(p.fresh);

  bool planned = false;
  // what is sent now acts later
  const double acts_at = time + p.response.drive_lag();
  if (p.observer.started() && p.unread <= p.options.patience) {
    p.observer.look_ahead(p.response.drive_lag(), p.q_then, p.v_then);
    planned = p.planner.plan(acts_at, p.q_then, p.v_then);
    if (p.planner.fault() != ActionFault::none) p.fault = p.planner.fault();
  }
  const bool recent = p.planner.has_plan() && p.unread <= p.options.patience &&
                      acts_at - p.planner.planned_at() <= p.options.patience;
  p.kind = planned ? ActionKind::planned : recent ? ActionKind::older : ActionKind::safe;
  if (p.kind == ActionKind::safe) {
    p.friction.reset();
    p.tau.setZero();  // of a robot that was never seen, nothing is known that would hold it
    if (p.observer.started()) p.fallback.torque(p.plant, p.observer.q(), p.observer.v(), p.tau);
    p.planned = p.tau;
  } else {
    p.planner.torque(acts_at, p.tau);
    p.planned = p.tau;
    p.friction.compensate(p.plant, p.planner.planned_velocity(), p.observer.v(), p.tau);
    p.dynamics.reduce(p.observer.q(), p.tau);
  }
  if (p.options.observe_disturbance) p.tau += p.observer.disturbance();
  p.added = p.tau - p.planned;
  const Vector& limit = p.plant.model().effort_limit();
  p.tau = p.tau.array().isFinite().select(p.tau, 0.0).cwiseMin(limit).cwiseMax(-limit);
  if (p.acted) p.limit_rate();
  p.acted = p.observer.started(), p.acted_at = time;
  p.act_us = microseconds_since(begin);
  return p.tau;
}

void IdentifyingController::update_wrench(int body, In q, In v, In a, In wrench,
                                          In noise) noexcept {
  if (parts_->options.identify) parts_->estimator.update_wrench(body, q, v, a, wrench, noise);
}

void IdentifyingController::update(double time, In q, In v, In tau) noexcept {
  const Clock::time_point begin = Clock::now();
  Parts& p = *parts_;
  if (p.fresh) p.response.measure(tau);
  if (p.options.identify) {
    if (p.options.torques == TorqueSource::measured) {
      if (p.fresh && !p.planner.presses())
        p.dynamics.is_closed() ? p.estimator.sample(p.last_q, p.last_v, tau)
                               : p.estimator.sample(q, v, tau);
      else
        p.estimator.reset();
    }
    if (p.fresh && p.learning && !p.planner.presses() && p.learn()) p.planner.set_plant(p.plant);
  }
  if (p.withdraw()) p.planner.set_plant(p.plant);
  p.identify_us = microseconds_since(begin);
  p.tell_rate();
  p.planner.prepare(time + p.period + p.response.drive_lag());
  p.update_us = microseconds_since(begin);
}

ActionKind IdentifyingController::kind() const { return parts_->kind; }
ActionFault IdentifyingController::fault() const { return parts_->fault; }
identify::OnlineEstimator::Outcome IdentifyingController::outcome() const {
  return parts_->estimator.outcome();
}
const control::SqpReport& IdentifyingController::report() const { return parts_->planner.report(); }
const Plant<double>& IdentifyingController::plant() const { return parts_->plant; }
const identify::OnlineEstimator& IdentifyingController::estimator() const {
  return parts_->estimator.online();
}
const control::Trajectory& IdentifyingController::plan() const {
  return parts_->planner.trajectory();
}
const Vector& IdentifyingController::disturbance() const { return parts_->observer.disturbance(); }
Payload IdentifyingController::payload() const { return parts_->estimator.payload(); }
int IdentifyingController::reading_delay() const { return parts_->response.reading_delay(); }
double IdentifyingController::drive_lag() const { return parts_->response.drive_lag(); }
const Vector& IdentifyingController::planned_torque() const { return parts_->planned; }
double IdentifyingController::planned_at() const { return parts_->planner.planned_at(); }
double IdentifyingController::act_us() const { return parts_->act_us; }
double IdentifyingController::update_us() const { return parts_->update_us; }
double IdentifyingController::identify_us() const { return parts_->identify_us; }

}  // namespace ulna::mpc
