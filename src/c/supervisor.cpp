#include "ulna/supervise/supervisor.hpp"

#include "c/robot.hpp"

using namespace ulna;
using namespace ulna::c;

struct ulna_supervisor : Object {
  static constexpr auto is = Kind::supervisor;

  ulna_supervisor(const Model& of, const supervise::Options& options)
      : Object(is),
        model(of),
        now(of, options),
        own(of),
        q(Vector::Zero(of.nv())),
        v(q),
        measured(q),
        wanted(q) {}
  const Model& robot_model() const { return model; }

  Model model;
  supervise::Supervisor now;
  Plant<double> own;  ///< as it is described
  Vector q, v, measured, wanted, none;
  std::string report;
};

namespace ulna::c {
namespace {

using supervise::Reaction;
using supervise::State;
static_assert(int(State::run) == ULNA_RUN && int(State::hold) == ULNA_HOLD &&
              int(State::stop) == ULNA_STOP && int(State::fault) == ULNA_FAULT);
static_assert(int(Reaction::report) == ULNA_REACTION_REPORT &&
              int(Reaction::stop) == ULNA_REACTION_STOP &&
              int(Reaction::compliant) == ULNA_REACTION_COMPLIANT &&
              int(Reaction::retreat) == ULNA_REACTION_RETREAT);

ulna_supervisor_options supervisor_defaults() {
  const supervise::Options o;
  ulna_supervisor_options d{};
  d.rate_hz = o.rate_hz, d.drive_delay = o.drive_delay, d.position_noise = o.position_noise;
  d.late_after = o.late_after, d.patience = o.patience;
  d.blind_after = o.blind_after, d.release = o.release;
  d.torque_side = ULNA_TORQUE_OF_MOTOR, d.observer_gain = o.observer_gain;
  d.reaction = ULNA_REACTION_STOP, d.collision_share = o.collision_share;
  d.collision_time = o.collision_time, d.resume_after = o.resume_after;
  return d;
}

void check(Call& call, const ulna_supervisor_options& o, int n) {
  for (const double x :
       {o.rate_hz, o.drive_delay, o.position_noise, o.late_after, o.patience, o.blind_after,
        o.release, o.observer_gain, o.collision_share, o.collision_time, o.resume_after})
    call.finite("an option", x);
  if (o.collision_torque) call.finite("collision_torque", o.collision_torque, n);
  call.require(o.torque_side == ULNA_TORQUE_OF_MOTOR || o.torque_side == ULNA_TORQUE_OF_LINK,
               ULNA_ERROR_ARGUMENT, "torque_side is neither that of the motor nor of the link");
  call.require(int(o.reaction) >= ULNA_REACTION_REPORT && int(o.reaction) <= ULNA_REACTION_RETREAT,
               ULNA_ERROR_ARGUMENT, "there is no reaction of this number");
}

supervise::Options options_of(const ulna_supervisor_options& o, const Model& model) {
  supervise::Options options;
  options.rate_hz = o.rate_hz, options.drive_delay = o.drive_delay;
  options.position_noise = o.position_noise, options.late_after = o.late_after;
  options.patience = o.patience, options.blind_after = o.blind_after, options.release = o.release;
  options.torque_side = o.torque_side == ULNA_TORQUE_OF_LINK ? supervise::TorqueSide::link
                                                             : supervise::TorqueSide::motor;
  options.observer_gain = o.observer_gain, options.reaction = Reaction(int(o.reaction));
  if (o.collision_torque)
    options.collision_torque = Eigen::Map<const Vector>(o.collision_torque, model.nv());
  options.collision_share = o.collision_share, options.collision_time = o.collision_time;
  options.resume_after = o.resume_after;
  supervise::LimitDefaults defaults;
  defaults.trusted_planner = o.trusted_planner != 0;
  supervise::Limits& limits = options.limits.emplace(model, defaults);
  read_optional(o.lower, limits.lower), read_optional(o.upper, limits.upper);
  read_optional(o.speed, limits.speed), read_optional(o.acceleration, limits.acceleration);
  read_optional(o.braking, limits.braking), read_optional(o.torque, limits.torque);
  read_optional(o.torque_rate, limits.torque_rate);
  return options;
}

}  // namespace
}  // namespace ulna::c

extern "C" {

ulna_status ulna_supervisor_options_init(ulna_supervisor_options* options, size_t size) {
  return init_options(__func__, options, size, supervisor_defaults());
}

ulna_status ulna_supervisor_create(const ulna_robot* robot, const ulna_supervisor_options* given,
                                   ulna_supervisor** supervisor) {
  Call call(__func__);
  ulna_supervisor_options options = supervisor_defaults();
  if (read_options(call.alive(robot), given, options).good())
    check(call, options, robot->robot_model().nv());
  return create(call, supervisor, [&] {
    const Model& model = robot->robot_model();
    return std::make_unique<ulna_supervisor>(model, options_of(options, model));
  });
}

ulna_status ulna_supervisor_destroy(ulna_supervisor* supervisor) {
  return destroy(__func__, supervisor);
}

ulna_status ulna_supervisor_filter(ulna_supervisor* supervisor, const ulna_robot* plant, int n,
                                   double time, double reading_time, const double* q,
                                   const double* v, const double* tau_measured,
                                   const double* tau_wanted, double* tau) {
  Call call(__func__);
  call.of(supervisor, n).given("q", q).given("v", v).given("tau_wanted", tau_wanted);
  call.given("tau", tau);
  if (plant && call.alive(plant).good())
    call.require(same_tree(supervisor->model, plant->robot_model()), ULNA_ERROR_ARGUMENT,
                 "the plant is of another robot");
  return call.run([&] {
    ulna_supervisor& s = *supervisor;
    c::read(q, s.q), c::read(v, s.v), c::read(tau_wanted, s.wanted);
    read_optional(tau_measured, s.measured);
    write(s.now.filter(plant ? plant->plant : s.own, time, reading_time, s.q, s.v,
                       tau_measured ? s.measured : s.none, s.wanted),
          tau);
  });
}

ulna_status ulna_supervisor_reset(ulna_supervisor* supervisor) {
  Call call(__func__);
  return call.alive(supervisor).run([&]() -> ulna_status {
    const supervise::Cause cause = supervisor->now.reset();
    return cause == supervise::Cause::none
               ? ULNA_OK
               : fail(ULNA_ERROR_ORDER, "%s: refused, as its cause lasts: %s", call.function(),
                      to_string(cause));
  });
}

ulna_status ulna_supervisor_request_hold(ulna_supervisor* supervisor, int hold) {
  return Call(__func__).alive(supervisor).run([&] { supervisor->now.request_hold(hold != 0); });
}
ulna_status ulna_supervisor_restart(ulna_supervisor* supervisor) {
  return Call(__func__).alive(supervisor).run([&] { supervisor->now.restart(); });
}

ulna_status ulna_supervisor_get_state(const ulna_supervisor* supervisor,
                                      ulna_supervisor_state* state, size_t size) {
  return Call(__func__).alive(supervisor).given("state", state).run([&] {
    const supervise::Supervisor& now = supervisor->now;
    ulna_supervisor_state s{};
    s.state = ulna_supervision(now.state());
    s.cause = now.cause() == supervise::Cause::none ? nullptr : to_string(now.cause());
    s.brake = now.brake(), s.unchanged = now.unchanged(), s.drive_lag = now.drive_lag();
    s.events = now.events().total();
    write_state(state, size, s);
  });
}

const char* ulna_supervisor_report(ulna_supervisor* supervisor) {
  const char* report = nullptr;
  (void)Call(__func__).alive(supervisor).run([&] {
    supervisor->report = supervisor->now.report();
    report = supervisor->report.c_str();
  });
  return report;
}

ulna_status ulna_supervisor_event(const ulna_supervisor* supervisor, int64_t number,
                                  ulna_event* event) {
  Call call(__func__);
  return call.alive(supervisor).given("event", event).run([&]() -> ulna_status {
    const supervise::EventLog& log = supervisor->now.events();
    const std::int64_t i = number - (log.total() - log.size());
    if (number < 0 || i < 0 || i >= log.size())
      return fail(ULNA_ERROR_ARGUMENT, "%s: event %lld is not kept: there are %lld to %lld",
                  call.function(), static_cast<long long>(number),
                  static_cast<long long>(log.total() - log.size()),
                  static_cast<long long>(log.total() - 1));
    const supervise::Event& e = log[int(i)];
    *event = {e.time, to_string(e.cause), e.ended, e.joint, e.value, e.limit};
    return ULNA_OK;
  });
}

ulna_status ulna_supervisor_external_torque(const ulna_supervisor* supervisor, int n, double* tau) {
  return Call(__func__).of(supervisor, n).given("tau", tau).run([&] {
    write(supervisor->now.external_torque(), tau);
  });
}

ulna_status ulna_supervisor_limits(const ulna_supervisor* supervisor, int n, double* lower,
                                   double* upper, double* speed, double* acceleration,
                                   double* torque, double* torque_rate) {
  return Call(__func__).of(supervisor, n).run([&] {
    const supervise::Limits& limits = supervisor->now.limits();
    write_optional(limits.lower, lower), write_optional(limits.upper, upper);
    write_optional(limits.speed, speed), write_optional(limits.acceleration, acceleration);
    write_optional(limits.torque, torque), write_optional(limits.torque_rate, torque_rate);
  });
}

}  // extern "C"
