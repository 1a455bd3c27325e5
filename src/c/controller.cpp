#include "ulna/mpc/controller.hpp"

#include <fstream>

#include "c/robot.hpp"
#include "ulna/io/import.hpp"

using namespace ulna;
using namespace ulna::c;

struct ulna_controller : Object {
  static constexpr auto is = Kind::controller;

  ulna_controller(const Model& of, const mpc::ControllerOptions& options)
      : Object(is),
        model(of),
        now(of, options),
        names(now.estimator().model().names()),
        q(Vector::Zero(of.nq())),
        v(Vector::Zero(of.nv())),
        a(v),
        tau(v),
        unmeasured(Vector::Constant(of.nv(), std::nan(""))),
        limits(now.limits()),
        weights(now.weights()),
        goal{v, v},
        tasks(int(options.problem.frames.size())) {}
  const Model& robot_model() const { return model; }

  /// Nobody knows: no number is.
  void refer(double time, Vector& q_to, Vector& v_to) const {
    if (motion(user, time, int(v_to.size()), q_to.data(), v_to.data()) != 0) q_to = unmeasured;
  }

  Model model;
  mpc::IdentifyingController now;
  std::vector<std::string> names;
  Vector q, v, a, tau, unmeasured;
  Eigen::Matrix<double, 6, 1> wrench, noise;
  control::MotionLimits limits;
  control::MotionWeights weights;
  mpc::GoalLimits goal, usual_goal;
  int tasks;
  ulna_motion motion = nullptr;
  void* user = nullptr;
};

namespace ulna::c {
namespace {

using Outcome = identify::OnlineEstimator::Outcome;
static_assert(int(Outcome::learned) == ULNA_LEARNED && int(Outcome::doubted) == ULNA_DOUBTED &&
              int(Outcome::changed) == ULNA_CHANGED && int(Outcome::ignored) == ULNA_IGNORED &&
              int(Outcome::restored) == ULNA_RESTORED);
using mpc::ActionKind;
static_assert(int(ActionKind::planned) == ULNA_ACTION_PLANNED &&
              int(ActionKind::older) == ULNA_ACTION_OLDER &&
              int(ActionKind::safe) == ULNA_ACTION_SAFE);

ulna_controller_options controller_defaults() {
  const mpc::ControllerOptions o;
  ulna_controller_options d{};
  d.rate_hz = o.rate_hz, d.steps = o.problem.steps, d.step = o.problem.duration;
  d.identify = o.identify, d.observe_disturbance = o.observe_disturbance;
  d.disturbance_rate = o.disturbance_rate, d.torques = ULNA_TORQUES_COMMANDED;
  d.filter_hz = o.filter_hz, d.payload_body = o.payload_body, d.change_after = o.change_after;
  d.deadline = o.deadline.value_or(0.0), d.patience = o.patience, d.safe_damping = o.safe_damping;
  return d;
}

void check(Call& call, const ulna_controller_options& o, int n) {
  for (const auto& [name, x] : {std::pair("rate_hz", o.rate_hz),
                                {"step", o.step},
                                {"disturbance_rate", o.disturbance_rate},
                                {"filter_hz", o.filter_hz},
                                {"change_after", o.change_after},
                                {"patience", o.patience},
                                {"safe_damping", o.safe_damping},
                                {"deadline", o.deadline}})
    call.finite(name, x).require(x >= 0.0, ULNA_ERROR_ARGUMENT, "an option is negative");
  call.require(o.rate_hz > 0.0 && o.step > 0.0 && o.filter_hz > 0.0, ULNA_ERROR_ARGUMENT,
               "rate_hz, step and filter_hz must be positive");
  call.require(o.steps >= 1 && o.steps <= 1000, ULNA_ERROR_ARGUMENT, "steps must be 1 to 1000");
  call.require(o.torques == ULNA_TORQUES_COMMANDED || o.torques == ULNA_TORQUES_MEASURED,
               ULNA_ERROR_ARGUMENT, "torques is neither commanded nor measured");
  if (o.torque_noise) call.finite("torque_noise", o.torque_noise, n);
  call.require(o.task_count >= 0 && o.task_count <= 100 && (o.task_count == 0 || o.tasks),
               ULNA_ERROR_ARGUMENT, "task_count must be 0 to 100, and tasks that many");
  for (int i = 0; call.good() && i < o.task_count; ++i)
    call.given("the frame of a task", o.tasks[i].frame)
        .finite("the weight of a task", &o.tasks[i].position, 1)
        .finite("the weight of a task", &o.tasks[i].orientation, 1);
}

mpc::ControllerOptions options_of(const ulna_controller_options& o, const Model& model) {
  mpc::ControllerOptions options;
  options.rate_hz = o.rate_hz;
  options.problem.steps = o.steps, options.problem.duration = o.step;
  options.identify = o.identify != 0, options.observe_disturbance = o.observe_disturbance != 0;
  options.disturbance_rate = o.disturbance_rate;
  options.torques = o.torques == ULNA_TORQUES_MEASURED ? mpc::TorqueSource::measured
                                                       : mpc::TorqueSource::commanded;
  options.filter_hz = o.filter_hz;
  if (o.torque_noise) options.torque_noise = Eigen::Map<const Vector>(o.torque_noise, model.nv());
  options.payload_body = o.payload_body, options.change_after = o.change_after;
  if (o.deadline > 0.0) options.deadline = o.deadline;
  options.patience = o.patience, options.safe_damping = o.safe_damping;
  for (int i = 0; i < o.task_count; ++i)
    options.problem.frames.push_back(
        {o.tasks[i].frame, o.tasks[i].position, o.tasks[i].orientation});
  return options;
}

}  // namespace
}  // namespace ulna::c

extern "C" {

ulna_status ulna_controller_options_init(ulna_controller_options* options, size_t size) {
  return init_options(__func__, options, size, controller_defaults());
}

ulna_status ulna_controller_create(const ulna_robot* robot, const ulna_controller_options* given,
                                   ulna_controller** controller) {
  Call call(__func__);
  ulna_controller_options options = controller_defaults();
  if (read_options(call.alive(robot), given, options).good())
    check(call, options, robot->robot_model().nv());
  return create(call, controller, [&] {
    const Model& model = robot->robot_model();
    if (options.payload_body < 0 || options.payload_body > model.joint_count())
      throw std::invalid_argument("payload_body must be 0 to " +
                                  std::to_string(model.joint_count()));
    return std::make_unique<ulna_controller>(model, options_of(options, model));
  });
}

ulna_status ulna_controller_destroy(ulna_controller* controller) {
  return destroy(__func__, controller);
}

ulna_status ulna_controller_act(ulna_controller* controller, int n, double time, double measured_at,
                                const double* q, const double* v, double* tau) {
  Call call(__func__);
  call.of(controller, n).given("q", q).given("v", v).given("tau", tau).finite("time", time);
  return call.run([&] {
    ulna_controller& c = *controller;
    c::read(q, c.q), c::read(v, c.v);
    write(c.now.act(time, measured_at, c.q, c.v), tau);
  });
}

ulna_status ulna_controller_update(ulna_controller* controller, int n, double time, const double* q,
                                   const double* v, const double* tau_measured) {
  Call call(__func__);
  call.of(controller, n).given("q", q).given("v", v).finite("time", time);
  return call.run([&] {
    ulna_controller& c = *controller;
    c::read(q, c.q), c::read(v, c.v), read_optional(tau_measured, c.tau);
    c.now.update(time, c.q, c.v, tau_measured ? c.tau : c.unmeasured);
  });
}

ulna_status ulna_controller_sent(ulna_controller* controller, int n, const double* tau) {
  return Call(__func__).of(controller, n).v("tau", tau).run([&] {
    c::read(tau, controller->tau);
    controller->now.sent(controller->tau);
  });
}

ulna_status ulna_controller_update_wrench(ulna_controller* controller, int n, int body,
                                          const double* q, const double* v, const double* a,
                                          const double wrench[6], const double noise[6]) {
  Call call(__func__);
  call.of(controller, n).q("q", q).v("v", v).v("a", a);
  call.finite("wrench", wrench, 6).finite("noise", noise, 6);
  if (call.good())
    call.require(body >= 1 && body <= controller->model.joint_count(), ULNA_ERROR_ARGUMENT,
                 "there is no moving body of this number; ulna_robot_find_body finds them by name");
  for (int i = 0; call.good() && i < 6; ++i)
    call.require(noise[i] > 0.0, ULNA_ERROR_ARGUMENT, "noise must be positive");
  return call.run([&] {
    ulna_controller& c = *controller;
    c::read(q, c.q), c::read(v, c.v), c::read(a, c.a);
    std::memcpy(c.wrench.data(), wrench, sizeof(double) * 6);
    std::memcpy(c.noise.data(), noise, sizeof(double) * 6);
    c.now.update_wrench(body, c.q, c.v, c.a, c.wrench, c.noise);
  });
}

ulna_status ulna_controller_follow(ulna_controller* controller, ulna_motion motion, void* user) {
  Call call(__func__);
  call.alive(controller).require(motion != nullptr, ULNA_ERROR_ARGUMENT, "motion is NULL");
  return call.run([&] {
    controller->motion = motion, controller->user = user;
    controller->now.follow(
        [controller](double time, Vector& q, Vector& v) { controller->refer(time, q, v); });
  });
}

ulna_status ulna_controller_go_to(ulna_controller* controller, int n, const double* q_goal,
                                  const double* velocity, const double* acceleration,
                                  double* arrival) {
  Call call(__func__);
  call.of(controller, n).q("q_goal", q_goal).optional_v("velocity", velocity);
  call.optional_v("acceleration", acceleration);
  call.require(!velocity == !acceleration, ULNA_ERROR_ARGUMENT,
               "give limits of both velocity and acceleration, or of none");
  return call.run([&] {
    ulna_controller& c = *controller;
    c::read(q_goal, c.q);
    read_optional(velocity, c.goal.velocity), read_optional(acceleration, c.goal.acceleration);
    const double at = c.now.go_to(c.q, velocity ? c.goal : c.usual_goal);
    if (arrival) *arrival = at;
  });
}

ulna_status ulna_controller_set_target(ulna_controller* controller, int task,
                                       const double pose[16]) {
  return Call(__func__).alive(controller).finite("pose", pose, 16).run([&] {
    controller->now.set_target(task, read_pose(pose));
  });
}

ulna_status ulna_controller_go_to_target(ulna_controller* controller, int task,
                                         const double pose[16], double velocity,
                                         double acceleration, double angular_velocity,
                                         double angular_acceleration) {
  Call call(__func__);
  call.alive(controller).finite("pose", pose, 16);
  for (const double x : {velocity, acceleration, angular_velocity, angular_acceleration})
    call.finite("a limit", x).require(x >= 0.0, ULNA_ERROR_ARGUMENT, "a limit is negative");
  return call.run([&] {
    if (task < 0 || task >= controller->tasks) controller->now.clear_target(task);  // throws
    mpc::PoseLimits limits;
    if (velocity > 0.0) limits.linear_velocity = velocity;
    if (acceleration > 0.0) limits.linear_acceleration = acceleration;
    if (angular_velocity > 0.0) limits.angular_velocity = angular_velocity;
    if (angular_acceleration > 0.0) limits.angular_acceleration = angular_acceleration;
    controller->now.go_to_target(task, read_pose(pose), limits);
  });
}

ulna_status ulna_controller_clear_target(ulna_controller* controller, int task) {
  return Call(__func__).alive(controller).run([&] { controller->now.clear_target(task); });
}

ulna_status ulna_controller_limits(const ulna_controller* controller, int n, double* lower,
                                   double* upper, double* velocity, double* torque,
                                   double* torque_rate) {
  return Call(__func__).of(controller, n).run([&] {
    const control::MotionLimits& limits = controller->now.limits();
    write_optional(limits.lower, lower), write_optional(limits.upper, upper);
    write_optional(limits.velocity, velocity), write_optional(limits.torque, torque);
    write_optional(limits.torque_rate, torque_rate);
  });
}

ulna_status ulna_controller_set_limits(ulna_controller* controller, int n, const double* lower,
                                       const double* upper, const double* velocity,
                                       const double* torque, const double* torque_rate) {
  Call call(__func__);
  call.of(controller, n).limits("lower", lower).limits("upper", upper).limits("velocity", velocity);
  return call.limits("torque", torque).limits("torque_rate", torque_rate).run([&] {
    ulna_controller& c = *controller;
    c.limits = c.now.limits();
    read_optional(lower, c.limits.lower), read_optional(upper, c.limits.upper);
    read_optional(velocity, c.limits.velocity), read_optional(torque, c.limits.torque);
    read_optional(torque_rate, c.limits.torque_rate);
    c.now.set_limits(c.limits);
  });
}

ulna_status ulna_controller_weights(const ulna_controller* controller, int n, double* position,
                                    double* velocity, double* torque) {
  return Call(__func__).of(controller, n).run([&] {
    const control::MotionWeights& weights = controller->now.weights();
    write_optional(weights.position, position), write_optional(weights.velocity, velocity);
    write_optional(weights.torque, torque);
  });
}

ulna_status ulna_controller_set_weights(ulna_controller* controller, int n, const double* position,
                                        const double* velocity, const double* torque) {
  Call call(__func__);
  call.of(controller, n).optional_v("position", position).optional_v("velocity", velocity);
  return call.optional_v("torque", torque).run([&] {
    ulna_controller& c = *controller;
    c.weights = c.now.weights();
    read_optional(position, c.weights.position), read_optional(velocity, c.weights.velocity);
    read_optional(torque, c.weights.torque);
    c.now.set_weights(c.weights);
  });
}

ulna_status ulna_controller_set_deadline(ulna_controller* controller, double seconds) {
  Call call(__func__);
  call.alive(controller).finite("seconds", seconds);
  call.require(seconds >= 0.0, ULNA_ERROR_ARGUMENT, "a deadline must not be negative");
  return call.run(
      [&] { controller->now.set_deadline(seconds > 0.0 ? std::optional(seconds) : std::nullopt); });
}

ulna_status ulna_controller_set_plant(ulna_controller* controller, const ulna_robot* robot) {
  Call call(__func__);
  if (call.alive(controller).alive(robot).good())
    call.require(same_tree(controller->model, robot->robot_model()), ULNA_ERROR_ARGUMENT,
                 "the controller was made for another robot");
  return call.run([&] { controller->now.set_plant(robot->plant); });
}

ulna_status ulna_controller_learn(ulna_controller* controller, int on) {
  return Call(__func__).alive(controller).run([&] { controller->now.learn(on != 0); });
}
ulna_status ulna_controller_expect_change(ulna_controller* controller) {
  return Call(__func__).alive(controller).run([&] { controller->now.expect_change(); });
}
ulna_status ulna_controller_reset(ulna_controller* controller) {
  return Call(__func__).alive(controller).run([&] { controller->now.reset(); });
}

ulna_status ulna_controller_get_state(const ulna_controller* controller,
                                      ulna_controller_state* state, size_t size) {
  return Call(__func__).alive(controller).given("state", state).run([&] {
    const mpc::IdentifyingController& now = controller->now;
    const mpc::Payload payload = now.payload();
    ulna_controller_state s{};
    s.action = ulna_action(now.kind());
    s.fault = now.fault() == mpc::ActionFault::none ? nullptr : to_string(now.fault());
    s.outcome = ulna_outcome(now.outcome());
    s.payload_known = payload.known();
    s.payload_mass = payload.mass, s.payload_deviation = payload.deviation;
    for (int i = 0; i < 3 && payload.known(); ++i) s.payload_center[i] = payload.com()(i);
    s.reading_delay = now.reading_delay(), s.drive_lag = now.drive_lag();
    s.samples = now.estimator().samples(), s.changes = now.estimator().changes();
    s.act_us = now.act_us(), s.update_us = now.update_us();
    write_state(state, size, s);
  });
}

ulna_status ulna_controller_disturbance(const ulna_controller* controller, int n, double* tau) {
  return Call(__func__).of(controller, n).given("tau", tau).run([&] {
    write(controller->now.disturbance(), tau);
  });
}

int ulna_controller_estimate_count(const ulna_controller* controller) {
  return is_alive(__func__, controller) ? int(controller->names.size()) : 0;
}
const char* ulna_controller_estimate_name(const ulna_controller* controller, int i) {
  return is_alive(__func__, controller) ? name_at(controller->names, i) : nullptr;
}

ulna_status ulna_controller_estimates(const ulna_controller* controller, int count,
                                      double* values) {
  Call call(__func__);
  if (call.alive(controller).good())
    call.require_count(count, int(controller->names.size()), "the estimates");
  return call.given("values", values).run([&] {
    write(controller->now.estimator().z().head(count), values);
  });
}

ulna_status ulna_controller_write_plant(const ulna_controller* controller, ulna_robot* robot) {
  Call call(__func__);
  if (call.alive(controller).alive(robot).good())
    call.require(same_tree(controller->model, robot->robot_model()), ULNA_ERROR_ARGUMENT,
                 "the controller was made for another robot");
  return call.run([&] { robot->plant = controller->now.plant(); });
}

ulna_status ulna_controller_save_urdf(const ulna_controller* controller, const char* path) {
  return Call(__func__).alive(controller).given("path", path).run([&]() -> ulna_status {
    const identify::OnlineEstimator& e = controller->now.estimator();
    std::ofstream file(path);
    file << to_urdf(e.model().identified(e.z().head(e.model().unknowns()))) << std::flush;
    return file ? ULNA_OK : fail(ULNA_ERROR_NAME, "%s: '%.200s' cannot be written", __func__, path);
  });
}

}  // extern "C"
