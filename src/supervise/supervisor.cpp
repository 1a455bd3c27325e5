#include "ulna/supervise/supervisor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "num/message.hpp"
#include "supervise/drive_lag.hpp"
#include "supervise/laws.hpp"
#include "supervise/reading_check.hpp"
#include "supervise/torque_sensors.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::supervise {
namespace {

using Vector = Eigen::VectorXd;
using In = const Eigen::Ref<const Vector>&;

constexpr double over_speed_share = 1.1;  ///< of the speed limit
constexpr double slow_share = 0.05;       ///< of the speed limit: slow enough to be held
constexpr double slow_time = 0.02;        ///< s that it has to last
constexpr double over_speed_time = 0.005;
constexpr double carried_time = 0.5;  ///< s: what pushes for longer is carried
/// Of the collision torque: what is noticed, and ends; and what the robot pushes with at most, so that drives that are quick and
/// readings that are a period old do not exceed it.
constexpr double collision_begins = 0.8, collision_ends = 0.55, pushes_with = 0.88;
/// s from rest to the speed limit: no faster while readings are bridged for more than some samples.
constexpr double blind_speed_up = 0.1;
constexpr long bridged_freely = 2;
constexpr double longest_gap = 0.05;  ///< s between readings that are compared

void check(const Options& o) {
  const auto positive = [](double x, const char* name) {
    messages::require(std::isfinite(x) && x > 0.0, "supervisor: ", name, " is ", x,
                      "; it must be positive");
  };
  positive(o.rate_hz, "rate_hz"), positive(o.position_noise, "position_noise");
  positive(o.late_after, "late_after"), positive(o.patience, "patience");
  positive(o.release, "release"), positive(o.observer_gain, "observer_gain");
  positive(o.collision_share, "collision_share"), positive(o.hold_hz, "hold_hz");
  positive(o.retreat_time, "retreat_time"), positive(o.retreat_share, "retreat_share");
  messages::require(o.blind_after >= o.patience, "supervisor: blind_after is ", o.blind_after,
                    " s; it must not be shorter than patience, ", o.patience, " s");
  messages::require(o.drive_delay >= 0.0 && o.rest_speed >= 0.0 && o.friction_speed >= 0.0 &&
                        o.collision_time >= 0.0 && o.resume_after >= 0.0,
                    "supervisor: drive_delay, rest_speed, friction_speed, collision_time and "
                    "resume_after must not be negative");
}

Limits checked_limits(const Model& model, const Options& options) {
  Limits limits = options.limits ? *options.limits : Limits(model);
  for (const Vector* x : {&limits.lower, &limits.upper, &limits.speed, &limits.acceleration,
                          &limits.braking, &limits.torque, &limits.torque_rate, &limits.weight})
    messages::require(x->size() == model.nv(), "supervisor: limits have ", x->size(),
                      " numbers, robot '", model.name(), "' has ", model.nv(),
                      " coordinates; begin with Limits(model)");
  for (const Vector* x :
       {&limits.speed, &limits.acceleration, &limits.braking, &limits.torque, &limits.torque_rate})
    messages::require(x->allFinite() && x->minCoeff() > 0.0,
                      "supervisor: limits of speed, acceleration, braking, torque and torque rate "
                      "must be positive and finite; Limits(model) has defaults");
  return limits;
}

Vector collision_torques(const Limits& limits, const Options& options) {
  if (options.collision_torque.size() == 0) return options.collision_share * limits.torque;
  messages::require(options.collision_torque.size() == limits.torque.size() &&
                        options.collision_torque.minCoeff() > 0.0,
                    "supervisor: collision_torque has ", options.collision_torque.size(),
                    " numbers; give one positive torque for each of ", limits.torque.size(),
                    " coordinates");
  return options.collision_torque;
}

/// Whether a cause is about a single reading, which is bridged for a while.
bool about_reading(Cause cause) {
  return cause >= Cause::reading_size && cause <= Cause::position_jump;
}

/// Whether a plant is of a robot, and its vectors have not been resized.
bool is_of(const Plant<double>& plant, const Model& model) {
  const Eigen::Index n = model.nv();
  return same_tree(plant.model(), model) && plant.damping.size() == n &&
         plant.friction.size() == n && plant.friction_negative.size() == n &&
         plant.armature.size() == n;
}

}  // namespace

struct Supervisor::Parts {
  Parts(const Model& robot, const Options& o)
      : options(o),
        period(1.0 / o.rate_hz),
        limits(checked_limits(robot, o)),
        thresholds(collision_torques(limits, o)),
        gentle(
            (limits.speed / blind_speed_up).cwiseMax(limits.braking).cwiseMin(limits.acceleration)),
        own(robot),
        names(robot.velocity_names()),
        alarms(robot.nv(), static_cast<int>(std::lround(o.resume_after * o.rate_hz))),
        readings(limits, {period, o.late_after, o.position_noise, o.rest_speed}),
        sensors(limits, period, o.torque_side),
        observer(robot, {o.observer_gain, o.friction_speed, o.torque_side}),
        loop_observer(robot, {o.observer_gain, o.friction_speed, TorqueSide::motor}),
        drives(limits.torque, period),
        dynamics(robot, period),
        limiter(limits, period, o.drive_delay, o.friction_speed),
        laws(limits, period, o.hold_hz, o.retreat_share),
        q(neutral(robot)),
        v(Vector::Zero(robot.nv())),
        sent(v),
        average(v),
        tau(v),
        wanted(v),
        carried(v),
        acted(v),
        over_for(static_cast<std::size_t>(robot.nv()), 0),
        fast_for(over_for) {
    for (int i = 0; i < limits.torque.size(); ++i)
      if (limits.weight(i) > LimitDefaults{}.torque_share * limits.torque(i))
        alarms.raise(Cause::weak_drive, i, limits.weight(i), limits.torque(i));
  }

  void filter(const Plant<double>& given, double time, double reading_time, In q_read, In v_read,
              In measured, In asked) {
    alarms.begin_sample(std::isfinite(time) ? time : last_time);
    if (std::isfinite(time)) last_time = time;
    const bool fresh = read(given, time, reading_time, q_read, v_read);
    const Plant<double>& plant = started ? choose(given) : own;
    driven = drives.send(sent);
    if (fresh) {
      sensors.update(plant, sent, driven, measured, v, alarms);
      observe(plant);
      watch();
      acted.setZero(), acted_for = 0;
    } else {
      sensors.update(driven);
      acted += driven, ++acted_for;
    }
    take(asked);
    decide();
    act(plant, fresh);
    alarms.end_sample();
  }

  // --- what is known ---

  double seconds(long samples) const { return static_cast<double>(samples) * period; }
  bool known() const { return started && seconds(unknown_for) < options.patience; }

  /// Whether there is a new state; if not, the last one is predicted on.
  bool read(const Plant<double>& given, double time, double reading_time, In q_read, In v_read) {
    ReadingCheck::Verdict verdict = readings.check(time, reading_time, q_read, v_read);
    if (verdict.kind == ReadingCheck::Kind::fresh && frozen_at_rest())
      verdict = {ReadingCheck::Kind::bad, {Cause::state_frozen, -1, readings.repeated_for(), 0.02}};
    if (verdict.kind == ReadingCheck::Kind::fresh) {
      q = readings.q(), v = readings.v();
      unknown_for = 0;
      begins = !started;
      started = true;
      return true;
    }
    ++unknown_for;
    if (started) predict(given);
    const Finding& f = verdict.finding;
    if (f.cause != Cause::none) {
      alarms.raise(f.cause, f.joint, f.value, f.limit);
      lost = f.cause;
      // a velocity that is wrong is no way to go on
      if (severity(f.cause) == Severity::fault && f.cause != Cause::position_frozen &&
          unknown_for == 1)
        v(f.joint) = readings.difference_speed(f.joint);
    } else if (seconds(unknown_for) >= options.patience) {
      alarms.raise(Cause::reading_stale, -1, seconds(unknown_for), options.patience);
      lost = Cause::reading_stale;
    }
    if (started && seconds(unknown_for) >= options.blind_after)
      alarms.raise(Cause::blind, -1, seconds(unknown_for), options.blind_after);
    return false;
  }
  /// All readings repeat, torques too, and seem to say that something holds the robot.
  bool frozen_at_rest() const {
    if (readings.repeated_for() < 0.02 || !sensors.repeated() || alarms.active(Cause::collision))
      return false;
    return ((observer.torque().cwiseAbs() - thresholds).array() > 0.0).any();
  }
  /// One period on under what was sent.
  void predict(const Plant<double>& given) {
    const Plant<double>& plant = is_of(given, own.model()) ? given : own;
    const Vector& a =
        limiter.predict({dynamics, plant, q, v, carried, sent, limits.acceleration}, sent);
    if (!a.allFinite()) return;
    for (int i = 0; i < v.size(); ++i) {
      const double most = limits.acceleration(i), fastest = 2.0 * limits.speed(i);
      v(i) = std::clamp(v(i) + period * std::clamp(a(i), -most, most), -fastest, fastest);
      q(i) = std::clamp(q(i) + period * v(i), limits.lower(i) - 1.0, limits.upper(i) + 1.0);
    }
  }
  /// The plant that was given if it is one, and the dynamics by it.
  const Plant<double>& choose(const Plant<double>& given) {
    if (is_of(given, own.model()) && dynamics.set(given, q, v)) return given;
    alarms.raise(Cause::plant_not_physical, -1, 0.0, 0.0);
    if (!dynamics.set(own, q, v)) alarms.raise(Cause::blind, -1, 0.0, 0.0);
    return own;
  }
  /// What acts on the robot beside its drives: by the torque sensors, as far as they are used, for collisions; by the
  /// torques that were sent for the limits, which an offset of a sensor is not to move.
  void observe(const Plant<double>& plant) {
    double dt = readings.time() - observed_at;
    if (begins || !(dt > 0.0) || dt > longest_gap) {
      observer.reset(!begins), loop_observer.reset(!begins);
      dt = period;
    }
    observed_at = readings.time();
    for (int i = 0; i < v.size(); ++i)
      observer.set_side(i, sensors.used(i) ? options.torque_side : TorqueSide::motor);
    const double samples = static_cast<double>(acted_for + 1);
    mean = (acted + sensors.acting()) / samples;
    // what is read may be what was sent and not what drives made of it
    if (drives.lag() > 0.0 && sensors.read_commands(sent, driven))
      mean = (acted + driven) / samples;
    observer.update(plant, q, v, mean, dt);
    mean = (acted + driven) / samples;
    loop_observer.update(plant, q, v, mean, dt);
    if (!observer.torque().allFinite()) observer.reset();
    if (!loop_observer.torque().allFinite()) loop_observer.reset();
    find_lag();
    // what is beyond is a collision, and not to be compensated for
    disturbance = loop_observer.torque().cwiseMax(-thresholds).cwiseMin(thresholds);
    // the mean of the last while; what the robot has met is not carried
    if (!latched && state != State::fault)
      carried += (disturbance - carried) /
                 std::min(static_cast<double>(++carried_for), carried_time / period);
  }
  void find_lag() {
    if (acted_for > 0) return drives.reset();
    mean += loop_observer.torque_of_period();
    if (!drives.move(mean)) return;
    limiter.set_lag(drives.lag()), laws.set_lag(drives.lag());
    alarms.raise(Cause::drive_lag, -1, drives.lag(), options.drive_delay);
  }
  void watch() {
    for (int i = 0; i < v.size(); ++i) {
      const auto n = static_cast<std::size_t>(i);
      const double r = observer.torque()(i), limit = thresholds(i);
      // a collision that is there ends below the torque it began at
      const double share = alarms.active(Cause::collision, i) ? collision_ends : collision_begins;
      const bool met = std::abs(r) > share * limit;
      over_for[n] = met ? over_for[n] + 1 : 0;
      if (met && seconds(over_for[n]) >= options.collision_time) collide(i, r, limit);

      const double fastest = over_speed_share * limits.speed(i);
      fast_for[n] = std::abs(v(i)) > fastest ? fast_for[n] + 1 : 0;
      if (fast_for[n] > 0 && seconds(fast_for[n]) >= over_speed_time)
        alarms.raise(Cause::over_speed, i, v(i), limits.speed(i));
      const double margin = std::min(0.02, 0.02 * (limits.upper(i) - limits.lower(i)));
      if (q(i) > limits.upper(i) + margin && v(i) > options.rest_speed)
        alarms.raise(Cause::over_position, i, q(i), limits.upper(i));
      if (q(i) < limits.lower(i) - margin && v(i) < -options.rest_speed)
        alarms.raise(Cause::over_position, i, q(i), limits.lower(i));
    }
  }
  void collide(int i, double r, double limit) {
    if (!alarms.active(Cause::collision)) {
      laws.set_retreat(observer.torque(), thresholds);
      retreat_for = 0;
    }
    alarms.raise(Cause::collision, i, r, limit);
  }
  /// What the controller wants; the last of it where it is no torque.
  void take(In asked) {
    asked_ok = asked.size() == wanted.size() && asked.allFinite();
    if (asked_ok) {
      wanted = asked;
      silent_for = 0;
    } else {
      if (seconds(++silent_for) >= options.patience || !heard)
        alarms.raise(Cause::command_not_finite, -1, static_cast<double>(asked.size()),
                     static_cast<double>(wanted.size()));
    }
    heard = heard || asked_ok;
    if (hold_requested) alarms.raise(Cause::requested, -1, 0.0, 0.0);
  }

  // --- states ---

  /// What calls for another state than run.
  Cause trigger() const {
    Cause found = Cause::none;
    for (int c = 1; c < cause_count; ++c) {
      const auto cause = static_cast<Cause>(c);
      if (!alarms.active(cause) || severity(cause) == Severity::note) continue;
      if (about_reading(cause) && known()) continue;
      if (cause == Cause::collision && options.reaction == Reaction::report) continue;
      if (found == Cause::none || severity(cause) > severity(found)) found = cause;
    }
    return found;
  }
  void decide() {
    const Cause found = started ? trigger() : Cause::none;
    if (state == State::fault) return;
    if (severity(found) == Severity::fault) return enter(State::fault, found);
    if (severity(found) == Severity::latch) latched = true;
    switch (state) {
      case State::run:
        if (found != Cause::none) enter(State::stop, found);
        break;
      case State::stop:
        slow_for = known() && slow() ? slow_for + 1 : 0;
        if (seconds(slow_for) >= slow_time && !gives_way()) enter(State::hold, why);
        break;
      case State::hold:
        if (!started) break;
        if (found != Cause::none &&
            (!known() || alarms.present(Cause::over_speed) || severity(found) == Severity::latch) &&
            moved_on(found))
          enter(State::stop, found);
        else if (known() && !latched && !blocked())
          enter(State::run, Cause::none);
        break;
      case State::fault:
        break;
    }
  }
  /// A collision that lasts does not stop a robot again that is held already, unless it moves.
  bool moved_on(Cause found) const { return found != Cause::collision || !slow(); }
  /// Whether anything still speaks against going on.
  bool blocked() const {
    const Cause cause = alarms.worst(Severity::stop);
    if (cause != Cause::collision || options.reaction != Reaction::report)
      return cause != Cause::none;
    for (int c = 1; c < cause_count; ++c)
      if (const auto other = static_cast<Cause>(c);
          other != Cause::collision && severity(other) >= Severity::stop && alarms.active(other))
        return true;
    return false;
  }
  bool slow() const { return ((v.cwiseAbs() - slow_share * limits.speed).array() <= 0.0).all(); }
  /// Whether the robot yields or retreats, and is not to be held yet.
  bool gives_way() const {
    if (why != Cause::collision || !latched) return false;
    return options.reaction == Reaction::compliant || retreats();
  }
  bool retreats() const {
    return options.reaction == Reaction::retreat && seconds(retreat_for) < options.retreat_time;
  }
  void enter(State next, Cause cause) {
    state = next;
    why = cause;
    slow_for = 0;
    if (next == State::hold) laws.set_place(q);
  }

  // --- torques ---

  void act(const Plant<double>& plant, bool fresh) {
    if (begins) start();
    limiter.set_range(sent);
    unchanged = false;
    if (!started) {
      tau = sent;
    } else if (state == State::run) {
      tau = wanted;
      if (options.reaction != Reaction::report) yield_to_contact();
      limiter.cut(tau, alarms);
      if (!fresh) disturbance = carried;
      distrust_resistance();
      const Vector& most = unknown_for > bridged_freely ? gentle : limits.acceleration;
      limiter.limit({dynamics, plant, q, v, disturbance, sent, most}, tau, alarms);
      unchanged = asked_ok && tau == wanted;
    } else if (seconds(unknown_for) >= options.blind_after) {
      // the brakes have closed
      for (int i = 0; i < tau.size(); ++i) {
        const double step = limits.torque(i) * period / options.release;
        tau(i) = sent(i) - std::clamp(sent(i), -step, step);
      }
      limiter.cut(tau);
    } else {
      // a robot that gives way does not push against what it has met
      const Vector& external = fresh && !gives_way() ? disturbance : carried;
      limiter.follow({dynamics, plant, q, v, external, sent, limits.acceleration}, law(), tau,
                     alarms);
    }
    if (!tau.allFinite()) tau = sent;
    sent = tau;
    average += average_share * (sent - average);
  }
  /// What resists a joint that is fast may be inertia that the plant does not have, which pushes on as soon as the
  /// joint is slowed down: near the speed limit nothing is added to overcome it.
  void distrust_resistance() {
    for (int i = 0; i < v.size(); ++i) {
      if (v(i) * disturbance(i) >= 0.0) continue;
      const double share = std::abs(v(i)) / limits.speed(i);
      disturbance(i) *= 1.0 - std::clamp((share - 0.6) / 0.35, 0.0, 1.0);
    }
  }
  /// A joint that something holds feels every change of its torque at once, the observer only later: by what the torque
  /// differs from its mean as old as the observer's. Torques do not grow beyond the collision torque by that.
  void yield_to_contact() {
    for (int i = 0; i < tau.size(); ++i) {
      const double r = loop_observer.torque()(i), limit = pushes_with * thresholds(i),
                   asked = tau(i);
      tau(i) = std::clamp(asked, average(i) + std::min(r - limit, 0.0),
                          average(i) + std::max(r + limit, 0.0));
      if (tau(i) != asked) alarms.raise(Cause::contact_limit, i, asked, tau(i));
    }
  }
  /// At first the robot rests, so something holds it with the torque of its weight.
  void start() {
    begins = false;
    laws.set_place(q);
    sent = average = dynamics.bias.cwiseMax(-limits.torque).cwiseMin(limits.torque);
    drives.start(sent);
  }
  const Vector& law() {
    if (state == State::hold) return laws.hold(dynamics, q, v);
    if (state == State::fault && known()) return laws.slow(dynamics, v);
    if (state == State::stop && gives_way() && known()) {
      if (options.reaction == Reaction::compliant) return laws.comply(dynamics, v);
      ++retreat_for;
      return laws.retreat(dynamics, v);
    }
    return laws.brake(dynamics, v);
  }

  Cause reset() {
    if (state != State::fault && !latched) return Cause::none;
    for (int c = static_cast<int>(Cause::collision); c < cause_count; ++c)
      if (const auto cause = static_cast<Cause>(c); cause != Cause::blind && alarms.present(cause))
        return cause;
    if (!known()) {
      // positions that have jumped for good are those to go by from now on
      if (lost != Cause::position_jump || !readings.agrees_for(0.05)) return lost;
      readings.accept();
      q = readings.q(), v = readings.v();
      unknown_for = 0;
    }
    alarms.clear(Severity::latch);
    latched = false;
    if (state == State::fault) enter(State::hold, why);
    return Cause::none;
  }
  void restart() {
    readings.restart();
    observer.reset(), loop_observer.reset();
    alarms.clear(Severity::stop);
    state = State::hold, why = Cause::none;
    started = begins = latched = heard = false;
    unknown_for = silent_for = carried_for = 0;
    sent.setZero(), tau.setZero(), average.setZero(), carried.setZero(), acted.setZero(),
        v.setZero();
    acted_for = 0;
  }

  void write_report() const {
    const Event* about = nullptr;
    for (int i = 0; i < alarms.log().size(); ++i)
      if (const Event& e = alarms.log()[i]; e.cause == why && !e.ended) about = &e;
    const bool finds = why != Cause::none && about;
    const char* joint = finds && about->joint >= 0
                            ? names[static_cast<std::size_t>(about->joint)].c_str()
                            : nullptr;
    int length = std::snprintf(text, sizeof text, "%.4f s: %s", last_time, to_string(state));
    const auto add = [&](auto... parts) {
      if (length >= 0 && length < static_cast<int>(sizeof text))
        length +=
            std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), parts...);
    };
    if (finds) add("; %s", to_string(why));
    if (joint) add(" at joint '%s'", joint);
    if (finds) add(", %.4g against %.4g, since %.4f s", about->value, about->limit, about->time);
    if (state == State::fault || latched) add("; %s", "reset() is needed");
    if (brake()) add("; %s", "brakes are to be closed");
  }
  bool brake() const { return !known() || state == State::fault; }

  Options options;
  double period;
  Limits limits;
  Vector thresholds;
  Vector gentle;  ///< acceleration
  Plant<double> own;
  std::vector<std::string> names;
  Alarms alarms;
  ReadingCheck readings;
  TorqueSensors sensors;
  MomentumObserver observer, loop_observer;
  DriveLag drives;
  StateDynamics dynamics;
  Limiter limiter;
  Laws laws;

  State state = State::hold;
  Cause why = Cause::none;
  Cause lost = Cause::reading_stale;  ///< why there is no state
  bool started = false, begins = false, latched = false, hold_requested = false;
  bool asked_ok = false, heard = false, unchanged = false;
  double last_time = 0.0, observed_at = 0.0;
  long unknown_for = 0, silent_for = 0, slow_for = 0, retreat_for = 0, acted_for = 0,
       carried_for = 0;

  Vector q, v;     ///< as read, or predicted
  Vector sent;     ///< last
  Vector average;  ///< of what was sent, as the observers average
  double average_share = 1.0 - std::exp(-options.observer_gain * period);
  Vector tau;             ///< to be sent
  Vector wanted;          ///< last
  Vector carried;         ///< external torque that is there for long
  Vector acted;           ///< sum of torques since the last reading
  Vector driven = acted;  ///< what acted of those that were sent last
  Vector mean = acted, disturbance = acted;
  std::vector<long> over_for, fast_for;
  mutable char text[256] = "";
};

Supervisor::Supervisor(const Model& model, const Options& options) {
  require_plain_drives(model, "supervisor");
  check(options);
  parts_ = std::make_unique<Parts>(model, options);
}
Supervisor::~Supervisor() = default;
Supervisor::Supervisor(Supervisor&&) noexcept = default;
Supervisor& Supervisor::operator=(Supervisor&&) noexcept = default;

const Supervisor::Vector& Supervisor::filter(const Plant<double>& plant, double time,
                                             double reading_time, In q, In v, In tau_measured,
                                             In tau_wanted) noexcept {
  parts_->filter(plant, time, reading_time, q, v, tau_measured, tau_wanted);
  return parts_->tau;
}
const Supervisor::Vector& Supervisor::filter(double time, double reading_time, In q, In v,
                                             In tau_measured, In tau_wanted) noexcept {
  return filter(parts_->own, time, reading_time, q, v, tau_measured, tau_wanted);
}

Cause Supervisor::reset() noexcept { return parts_->reset(); }
void Supervisor::request_hold(bool hold) noexcept { parts_->hold_requested = hold; }
void Supervisor::restart() noexcept { parts_->restart(); }

State Supervisor::state() const { return parts_->state; }
Cause Supervisor::cause() const { return parts_->why; }
bool Supervisor::brake() const { return parts_->brake(); }
bool Supervisor::unchanged() const { return parts_->unchanged; }
bool Supervisor::known() const { return parts_->known(); }
std::string_view Supervisor::report() const {
  parts_->write_report();
  return parts_->text;
}
const EventLog& Supervisor::events() const { return parts_->alarms.log(); }
std::int64_t Supervisor::count(Cause cause) const { return parts_->alarms.count(cause); }
bool Supervisor::active(Cause cause) const { return parts_->alarms.active(cause); }
bool Supervisor::active(Cause cause, int i) const { return parts_->alarms.active(cause, i); }
const Supervisor::Vector& Supervisor::external_torque() const { return parts_->observer.torque(); }
const Supervisor::Vector& Supervisor::collision_torque() const { return parts_->thresholds; }
bool Supervisor::uses_torque_sensor(int i) const { return parts_->sensors.used(i); }
const Supervisor::Vector& Supervisor::q() const { return parts_->q; }
const Supervisor::Vector& Supervisor::v() const { return parts_->v; }
const Limits& Supervisor::limits() const { return parts_->limits; }
double Supervisor::drive_lag() const { return parts_->drives.lag(); }

}  // namespace ulna::supervise
