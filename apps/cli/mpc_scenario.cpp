#include "mpc_scenario.hpp"

#include "states.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::cli {
namespace {

using Eigen::VectorXd;

/// Where a joint moves unless told otherwise: its range, of long ones the part about zero that a turning joint
/// needs for half a turn to each side and a sliding one for half a metre.
std::pair<double, double> usual_range(const Model& model, int i) {
  const double low = model.lower_limit()(i), high = model.upper_limit()(i);
  const double middle = std::clamp(0.0, low, high);
  const double most = model.joint_of_coordinate(i).type == JointType::prismatic ? 0.5 : 3.0;
  return {std::max(low, middle - most), std::min(high, middle + most)};
}

/// The motion of a robot whose loops are closed: that of the joints that move the others.
class ClosedMotion {
 public:
  explicit ClosedMotion(const Model& model)
      : closed_(Loops(model, model.description().loops, neutral(model))),
        y_(closed_.size()),
        home_(closed_.q()) {}

  const LoopCoordinates& coordinates() const { return closed_.coordinates(); }
  bool moves_others(int joint) const { return coordinates().is_independent(joint); }
  /// Those that move the others.
  std::string names(const Model& model) const {
    std::vector<std::string> list;
    for (const int i : coordinates().independent()) list.push_back(model.velocity_names()[i]);
    return fmt::format("{}", fmt::join(list, ", "));
  }
  /// Moves the joints that follow the others to where these have them. False if the loops do not reach so far.
  bool close(VectorXd& q) {
    coordinates().gather(q, y_);
    closed_.resume(home_);
    if (!closed_.set(y_)) return false;
    q = closed_.q();
    return true;
  }
  /// When the loops do not reach so far, s; negative: at no time. `lowest` and `highest` get the ranges of all joints.
  double unreachable_at(const MpcScenario& s, VectorXd& lowest, VectorXd& highest) {
    const MotionReference reference = reach_and_wave(s.start, s.goal, s.reach, s.amplitude, s.hz);
    VectorXd q = s.start, v = q;
    lowest = highest = q;
    closed_.resume(home_);
    constexpr int moments = 2000;
    for (int k = 0; k <= moments; ++k) {
      const double time = s.trial.duration * k / moments;
      reference(time, q, v);
      coordinates().gather(q, y_);
      if (!closed_.set(y_)) return time;
      lowest = lowest.cwiseMin(closed_.q()), highest = highest.cwiseMax(closed_.q());
    }
    return -1.0;
  }

 private:
  ClosedDynamics closed_;
  VectorXd y_, home_;
};

void set_by_joint(const char* what, VectorXd& values, const MpcScenario& s, const Model& model,
                  const ClosedMotion* closed) {
  const auto given = s.by_joint.find(what);
  if (given == s.by_joint.end()) return;
  const std::vector<std::string> joints = model.velocity_names();
  const std::vector<std::string_view> known(joints.begin(), joints.end());
  for (const auto& [name, value] : given->second) {
    const auto joint = std::ranges::find(joints, name);
    if (joint == joints.end())
      throw ScenarioError(what, fmt::format("robot '{}' has no joint '{}'{}", model.name(), name,
                                            did_you_mean(name, known)));
    const auto at = joint - joints.begin();
    if (closed && !closed->moves_others(int(at)))
      throw ScenarioError(what, fmt::format("joint '{}' is where the loops have it: name {}", name,
                                            closed->names(model)));
    values(at) = value;
  }
}

/// With loops, numbers of the joints that move the others will do.
void require(const char* what, VectorXd& values, const VectorXd& otherwise, const MpcScenario& s,
             const Model& model, const ClosedMotion* closed) {
  if (values.size() == 0) {
    values = otherwise;
    set_by_joint(what, values, s, model, closed);
  } else if (closed && values.size() == closed->coordinates().size()) {
    const VectorXd moving = values;
    values = otherwise;
    closed->coordinates().scatter(moving, values);
  }
  if (values.size() != model.nv())
    throw ScenarioError(
        what,
        fmt::format(
            "{} given, robot '{}' has {}{}", counted(values.size(), "number"), model.name(),
            counted(model.nv(), "joint"),
            closed ? fmt::format(", of which {} move the others", closed->names(model)) : ""));
  if (!values.allFinite()) throw ScenarioError(what, "a number is not finite");
}

void require_places(const char* what, const VectorXd& values) {
  constexpr double farthest = 1e4;  // rad or m: farther away, angles lose their digits
  for (const double x : values)
    if (!(std::abs(x) <= farthest))
      throw ScenarioError(what,
                          fmt::format("{:g} is beyond {:g} rad or m: out of reach", x, farthest));
}

void require_frequencies(const VectorXd& hz) {
  constexpr double fastest = 1000.0;
  for (const double x : hz)
    if (!(x >= 0.0 && x <= fastest))
      throw ScenarioError("hz", fmt::format("{:g} is not from 0 to {:g} Hz", x, fastest));
}

/// The motion that the robot's ranges suggest, where none is given. Where a joint would be too fast, the way
/// takes longer, and where that is too long for the run, it becomes shorter.
void choose_motion(MpcScenario& s, const Model& model, const ClosedMotion* closed) {
  constexpr double use = 0.8;  // of the velocity limits
  const int n = model.nv();
  const bool any_goal = s.goal.size() == 0 && !s.by_joint.contains("goal"),
             any_time = !s.places.contains("reach");
  VectorXd middle(n), goal(n), amplitude(n), hz(n);
  for (int i = 0; i < n; ++i) {
    const auto [low, high] = usual_range(model, i);
    middle(i) = 0.5 * (low + high);
    goal(i) = middle(i) + 0.15 * (high - low) * (i % 2 ? 1.0 : -1.0);
    hz(i) = 0.23 + 0.041 * ((3 * i) % 7);
  }
  require("start", s.start, middle, s, model, closed);
  require("goal", s.goal, goal, s, model, closed);
  require("hz", s.hz, hz, s, model, closed);
  require_frequencies(s.hz);
  require_places("start", s.start), require_places("goal", s.goal);
  std::vector<std::string> less;
  for (int i = 0; i < n; ++i) {
    const auto [low, high] = usual_range(model, i);
    const double fast = model.velocity_limit()(i);
    const double usual =
        std::min(0.12 * (high - low),
                 std::isfinite(fast) && s.hz(i) > 0.0 ? 0.5 * fast / (6.2832 * s.hz(i)) : 0.4);
    // what is left between the goal and the limits
    const double room =
        std::min(s.goal(i) - model.lower_limit()(i), model.upper_limit()(i) - s.goal(i));
    amplitude(i) = std::clamp(room, 0.0, usual);
    if (room >= 0.0 && amplitude(i) < usual) less.push_back(model.velocity_names()[i]);
  }
  if (s.rest) s.amplitude.setZero(n);
  if (s.amplitude.size() == 0 && !less.empty())
    s.notes.push_back(
        fmt::format("waving is smaller where the goal is near a limit: {}", fmt::join(less, ", ")));
  require("amplitude", s.amplitude, amplitude, s, model, closed);
  if (!any_time) return;
  const double usual = s.reach;
  const double needed = (peak_of_reach(model) / use *
                         (s.goal - s.start).cwiseAbs().cwiseQuotient(model.velocity_limit()))
                            .maxCoeff();
  if (!(needed > usual)) return;
  constexpr double longest = 600.0;
  if (!any_goal && needed > longest)
    throw ScenarioError(
        "goal", fmt::format("the way there would take {:.3g} s, more than {:g} s: out of reach",
                            needed, longest));
  s.reach = any_goal ? std::min(needed, std::max(usual, s.trial.duration / 3.0)) : needed;
  std::string note = fmt::format("the way to the goal takes {:.3g} s", s.reach);
  if (const double share = s.reach / needed; share < 1.0) {
    s.goal = s.start + share * (s.goal - s.start);
    note += fmt::format(" and is {:.0f} % as long", 100.0 * share);
  }
  s.notes.push_back(note + ": the robot's velocity limits allow no faster motion");
}

/// Completes what is chosen or given for the joints that move the others by what these then do. Where the motion was not given and the
/// loops do not reach so far, it becomes smaller.
void close_motion(MpcScenario& s, const Model& model, ClosedMotion& closed) {
  VectorXd lowest, highest;
  const auto is_given = [&](const char* what) { return s.places.contains(what); };
  const bool chosen = !is_given("start") && !is_given("goal") && !is_given("amplitude");
  if (!is_given("start")) s.start = closed.coordinates().loops().closed_at();
  for (const int i : closed.coordinates().dependent()) s.amplitude(i) = 0.0;
  const auto possible = [&] {
    if (!closed.close(s.start) || !closed.close(s.goal)) return false;
    if (closed.unreachable_at(s, lowest, highest) >= 0.0) return false;
    return (lowest.array() >= model.lower_limit().array() - 1e-9).all() &&
           (highest.array() <= model.upper_limit().array() + 1e-9).all();
  };
  double share = 1.0;
  const VectorXd goal = s.goal, amplitude = s.amplitude;
  for (; !possible(); share *= 0.7) {
    if (!chosen || share < 0.05)
      throw Failure(
          "robot '{}': its loops cannot be closed all along the motion, or a joint leaves its "
          "range there; move less (goal, "
          "amplitude of {})",
          model.name(), closed.names(model));
    s.goal = s.start + 0.7 * share * (goal - s.start), s.amplitude = 0.7 * share * amplitude;
  }
  if (share < 1.0)
    s.notes.push_back(fmt::format(
        "the motion is {:.0f} % as large as usual: the loops reach no farther", 100.0 * share));
}

/// A note if the joints that follow are elsewhere than was given for them.
void mention_moved(MpcScenario& s, const std::string& what, const VectorXd& given) {
  if (given.size() == 0) return;
  const double moved = (given - (what == "goal" ? s.goal : s.start)).cwiseAbs().maxCoeff();
  constexpr double nearly = 1e-3;  // rad or m
  if (moved > nearly)
    s.notes.push_back(
        fmt::format("{}: joints that follow the others are where the loops have them, up to {:.3g} "
                    "rad or m from what was given",
                    what, moved));
}

/// Refuses what numbers_of() does not list.
void require_possible(const MpcScenario& s) {
  for (std::size_t i = 0; i < s.knowledge.size(); ++i)
    if (std::ranges::count(s.knowledge, s.knowledge[i]) > 1)
      throw ScenarioError("knowledge",
                          fmt::format("'{}' is given twice", to_string(s.knowledge[i])));
  if (s.payload && !(s.payload->com.cwiseAbs().maxCoeff() <= farthest_payload))
    throw ScenarioError("payload.com", fmt::format("it is beyond {:g} m", farthest_payload));
  for (const TrialFault& fault : s.trial.faults)
    if (!(fault.from >= 0.0 && fault.from < fault.to))
      throw ScenarioError("faults", fmt::format("from {:g} to {:g} s is not a period of time",
                                                fault.from, fault.to));
}

/// Refuses what would do nothing.
void require_effect(const MpcScenario& s) {
  const auto refuse = [](const char* key, const std::string& why) {
    throw ScenarioError(key, "has no effect " + why);
  };
  const std::string later = fmt::format("after the run, which ends at {:g} s", s.trial.duration);
  for (const TrialFault& fault : s.trial.faults)
    if (fault.from >= s.trial.duration) refuse("faults", later);
  if (s.friction && s.friction->from >= s.trial.duration) refuse("friction.from", later);
  if (s.places.contains("sensors.acceleration_noise") && s.wrenches.empty())
    refuse("sensors.acceleration_noise", "without sensors.wrenches");
  if (s.trial.law == ControlLaw::mpc) return;
  const std::string law = fmt::format("with law {}, which plans nothing", to_string(s.trial.law));
  for (const char* key : {"horizon.steps", "horizon.step", "weights", "transcription", "deadline"})
    if (s.places.contains(key)) refuse(key, law);
  for (const Knowledge k : {Knowledge::identified, Knowledge::offset_free})
    if (std::ranges::count(s.knowledge, k))
      throw ScenarioError("knowledge",
                          fmt::format("{} has no effect {}; take fixed", to_string(k), law));
}

/// Refuses a robot that MuJoCo cannot simulate, before anything moves.
void require_plant(const TrialOptions& trial, const Model& model) {
  if (trial.plant == rig::PlantKind::ulna) return;
  try {
    rig::make_mujoco_plant(model, trial.mujoco);
  } catch (const std::exception& e) {
    throw Failure("{}", e.what());
  }
}

/// Refuses a robot that cannot be supervised.
void require_supervision(const supervise::Options& options, const Model& model) {
  try {
    supervise::Supervisor(model, options);
  } catch (const std::exception& e) {
    throw Failure("{}", e.what());
  }
}

/// Where the robot's last link ends, or what a user calls it.
const Frame& payload_frame(const Model& model, const ScenarioPayload& payload) {
  if (!payload.frame.empty()) {
    if (!model.find_frame(payload.frame))
      throw ScenarioError("payload.frame",
                          fmt::format("robot '{}' has no frame '{}'; `ulna tree` lists them",
                                      model.name(), payload.frame));
    return model.frame(payload.frame);
  }
  return rig::tip_frame(model);
}

WrenchSensor wrench_sensor(const Model& model, const ScenarioWrench& sensor) {
  if (!model.find_frame(sensor.link) || model.frame(sensor.link).body == 0)
    throw ScenarioError("sensors.wrenches",
                        fmt::format("robot '{}' has no moving link '{}'; `ulna tree` lists them",
                                    model.name(), sensor.link));
  if (!(sensor.moment_noise > 0.0 && sensor.force_noise > 0.0))
    throw ScenarioError("sensors.wrenches", "noise must be above 0");
  return {model.frame(sensor.link).body, sensor.moment_noise, sensor.force_noise};
}

Inertia<double> box(const ScenarioPayload& payload) {
  const double I = payload.mass * payload.edge * payload.edge / 6.0;
  return Inertia<double>::about_com(payload.mass, payload.com, I * Eigen::Matrix3d::Identity());
}

/// Without what follows when a run has diverged.
void keep_finite(TrialRecord& r) {
  Eigen::Index k = 0;
  while (k < r.time.size() && std::isfinite(r.time(k)) && r.q.col(k).allFinite() &&
         r.q_reference.col(k).allFinite() && r.tau.col(k).allFinite() &&
         r.mass.col(k).allFinite() && r.dry.col(k).allFinite())
    ++k;
  r.time.conservativeResize(k), r.kind.conservativeResize(k);
  for (Eigen::MatrixXd* of : {&r.q, &r.q_reference, &r.tau, &r.q_measured, &r.tau_measured, &r.mass,
                              &r.true_mass, &r.dry, &r.true_dry})
    of->conservativeResize(Eigen::NoChange, k);
}

/// What the frame's body carries, as the controller has estimated.
PayloadFound payload_found(const Frame& frame, const ScenarioPayload& payload,
                           const TrialResult& result) {
  const Payload& estimated = result.payload;
  PayloadFound found{std::string(frame.name), payload.mass, estimated.mass, estimated.deviation,
                     payload.com};
  found.known = estimated.known() && !is_lost(result) && !is_saturated(result);
  // its place is known less well than its mass
  if (found.known && estimated.mass > 4.0 * estimated.deviation)
    found.found_com = frame.X_BF.inverse_apply(estimated.com());
  return found;
}

/// How much smaller errors are that others exceed by a factor: "3.2 times smaller", "1.5 times larger".
std::string compared(double factor) {
  return factor >= 1.0 ? fmt::format("{:.1f} times smaller", factor)
                       : fmt::format("{:.1f} times larger", 1.0 / factor);
}

}  // namespace

MpcScenario::MpcScenario() {
  trial.duration = 6.0;
  trial.sensors.position.noise = 1e-5;
  trial.sensors.velocity.noise = 2e-3;
  trial.sensors.torque.noise = 4e-4;
  trial.sensors.acceleration.noise = 0.05;
}

std::vector<ScenarioNumber> numbers_of(MpcScenario& s) {
  constexpr double above_0 = std::numeric_limits<double>::denorm_min();
  const auto below = [](double x) { return std::nextafter(x, -infinity); };
  ControllerOptions& control = s.trial.control;
  SensorsOptions& sensors = s.trial.sensors;
  const char *weight = "above 0, up to 1e9", *share = "from 0 to 10", *chance = "from 0 to below 1";
  std::vector<ScenarioNumber> list{
      // the period first: others are judged by it
      {"rate", control.rate_hz, 50.0, 10000.0, "from 50 to 10000 Hz"},
      {"duration", s.trial.duration, 1.0 / control.rate_hz, 600.0,
       "at least a period, up to 600 s"},
      {"horizon.step", control.problem.duration, above_0, 1.0, "above 0, up to 1 s"},
      {"reach", s.reach, above_0, 600.0, "above 0, up to 600 s"},
      {"weights.position", s.position, above_0, 1e9, weight},
      {"weights.velocity", s.velocity, above_0, 1e9, weight},
      {"weights.torque", s.torque, above_0, 1e9, weight},
      {"weights.terminal", s.terminal, above_0, 1e9, weight},
      {"friction.viscous", s.viscous, 0.0, 10.0, share},
      {"friction.dry", s.dry, 0.0, 10.0, share},
      {"sensors.position_noise", sensors.position.noise, 0.0, 10.0, share},
      {"sensors.velocity_noise", sensors.velocity.noise, 0.0, 10.0, share},
      {"sensors.torque_noise", sensors.torque.noise, 0.0, 10.0, share},
      {"sensors.acceleration_noise", sensors.acceleration.noise, 0.0, 10.0, share},
      {"sensors.dropout", sensors.position.dropout, 0.0, below(1.0), chance},
      {"sensors.nan", sensors.position.not_a_number, 0.0, below(1.0), chance},
      {"filter", control.filter_hz, above_0, below(0.5 * control.rate_hz),
       "above 0, below half the rate"},
      {"prior", control.online.prior.deviation, above_0, 100.0, "above 0, up to 100"}};
  if (s.trial.supervision) {
    list.push_back({"supervisor.collision_share", s.trial.supervision->collision_share, above_0,
                    1.0, "above 0, up to 1"});
    list.push_back({"supervisor.reset_after", s.trial.reset_after, 0.0, infinity, "0 s or more"});
  }
  if (control.deadline)
    list.push_back({"deadline", *control.deadline, above_0, infinity, "above 0"});
  if (s.friction) {
    list.push_back({"friction.factor", s.friction->factor, 0.0, 100.0, "from 0 to 100"});
    list.push_back(
        {"friction.from", s.friction->from, 0.0, s.friction->to, "0 or more, and before its end"});
  }
  if (s.payload) {
    list.push_back({"payload.mass", s.payload->mass, above_0, 1000.0, "above 0, up to 1000 kg"});
    list.push_back({"payload.edge", s.payload->edge, above_0, 10.0, "above 0, up to 10 m"});
    list.push_back(
        {"payload.at", s.payload->at, 0.0, below(s.trial.duration), "within the duration"});
  }
  return list;
}

MpcScenario demo_scenario(const Model& model, double duration) {
  MpcScenario s;
  s.trial.duration = duration;
  // its own numbers are known well; what it picks up is not
  s.trial.control.online.prior.deviation = 0.1;
  s.knowledge.assign(knowledges.begin(), knowledges.end());
  if (model.name() == "panda") {
    s.start = VectorXd(7), s.goal = VectorXd(7);
    s.start << 0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785;
    s.goal << 0.5, -0.485, -0.4, -1.856, 0.3, 1.571, 1.185;
  }
  s.payload = ScenarioPayload{.com = {0.02, -0.03, 0.08}, .at = duration / 3.0};
  s.friction = ScenarioFriction{.factor = 1.3, .from = duration / 2.0, .to = duration};
  return s;
}

void complete(MpcScenario& s, const Model& model) {
  const auto require_range = [](bool good, const char* key, double x, const char* rule) {
    if (!good) throw ScenarioError(key, fmt::format("{:g} is not {}", x, rule));
  };
  for (const ScenarioNumber& n : numbers_of(s))
    require_range(n.value >= n.low && n.value <= n.high, n.key, n.value, n.rule);
  const int steps = s.trial.control.problem.steps, delay = s.trial.sensors.position.delay;
  require_range(steps >= 2 && steps <= 200, "horizon.steps", steps, "from 2 to 200");
  require_range(delay <= 1000, "sensors.delay", delay, "up to 1000 readings");
  if (!(s.vary >= 0.0 && s.vary < 1.0))
    throw ScenarioError("vary", fmt::format("{:g} % is not from 0 to below 100 %", 100.0 * s.vary));
  require_possible(s);
  require_effect(s);
  if (model.nv() == 0) throw Failure("robot '{}' has no joint that moves", model.name());
  if (const int compound = compound_joint(model))
    throw Failure(
        "robot '{}', joint '{}': it has several degrees of freedom; mpc takes robots whose joints "
        "have one each",
        model.name(), model.joint_name(compound));
  complete_drives(s, model);
  require_plant(s.trial, model);
  std::optional<ClosedMotion> closed;
  if (!model.description().loops.empty()) closed.emplace(model);
  const auto all_given = [&](const VectorXd& q) { return closed && q.size() == model.nv(); };
  const std::array given{std::pair{"start", all_given(s.start) ? s.start : VectorXd()},
                         std::pair{"goal", all_given(s.goal) ? s.goal : VectorXd()}};
  choose_motion(s, model, closed ? &*closed : nullptr);
  if (closed) close_motion(s, model, *closed);
  for (const auto& [what, q] : given) mention_moved(s, what, q);
  const std::vector<std::string> joints = model.velocity_names();
  for (int i = 0; i < model.nv(); ++i) {
    const double low = model.lower_limit()(i), high = model.upper_limit()(i);
    const std::string& joint = joints[i];
    // a rounding error beyond is none
    const double slack = 1e-12 * std::max(1.0, std::abs(s.goal(i)));
    const auto inside = [&](const char* what, double q, double swing) {
      if (q - swing < low - slack || q + swing > high + slack)
        throw ScenarioError(
            what, fmt::format(
                      "joint '{}' would go to {:.4g}, its range is {:.4g} to {:.4g}: out of reach",
                      joint, q - swing < low ? q - swing : q + swing, low, high));
    };
    inside("start", s.start(i), 0.0);
    inside("goal", s.goal(i), 0.0);
    inside("amplitude", s.goal(i), std::abs(s.amplitude(i)));
    const double fastest = std::abs(s.amplitude(i)) * 6.2832 * s.hz(i) * 1.2,
                 reaching = peak_of_reach(model) * std::abs(s.goal(i) - s.start(i)) / s.reach;
    if (std::max(fastest, reaching) > model.velocity_limit()(i))
      throw ScenarioError(
          fastest > reaching ? "amplitude" : "reach",
          fmt::format("joint '{}' would move at {:.4g} rad/s or m/s, its limit is {:.4g}; {}",
                      joint, std::max(fastest, reaching), model.velocity_limit()(i),
                      fastest > reaching ? "wave less (amplitude, hz)" : "take longer (reach)"));
  }
  if (s.payload) payload_frame(model, *s.payload);
  if (s.trial.supervision && !model.description().loops.empty())
    throw Failure(
        "robot '{}' closes loops, which the supervisor does not support; leave --supervise out",
        model.name());
  if (s.trial.supervision) require_supervision(*s.trial.supervision, model);
  std::set<int> sensed;
  for (const ScenarioWrench& sensor : s.wrenches)
    if (!sensed.insert(wrench_sensor(model, sensor).body).second)
      throw ScenarioError("sensors.wrenches",
                          fmt::format("link '{}' has a sensor already", sensor.link));
}

const TrialResult* MpcResults::find(std::string_view name) const {
  for (const MpcRun& run : runs)
    if (run.name == name) return &run.result;
  return nullptr;
}

const TrialRecord& MpcResults::longest() const {
  const auto moments = [](const MpcRun& run) { return run.result.record.time.size(); };
  return std::ranges::max_element(runs, {}, moments)->result.record;
}

double MpcResults::end() const {
  const VectorXd& time = longest().time;
  return time.size() > 0 ? std::max(1e-9, time(time.size() - 1)) : 1e-9;
}

std::string MpcResults::gains() const {
  const TrialResult* mine = find("identified");
  const auto error = [](const TrialResult* r) { return r ? r->error.rms_from.front() : 0.0; };
  std::vector<std::string> parts;
  for (const auto& [name, than] :
       {std::pair{"offset_free",
                  "with offset-free MPC (a disturbance observer) and the fixed model"},
        {"fixed", "with the fixed model alone"}})
    if (error(mine) > 0.0 && error(find(name)) > 0.0)
      parts.push_back(compared(error(find(name)) / error(mine)) + " than " + than);
  if (error(mine) > 0.0 && error(find("perfect")) > 0.0)
    parts.push_back(fmt::format("{:.2f} times those with the true model",
                                error(mine) / error(find("perfect"))));
  if (parts.empty()) return "";
  return fmt::format("from {:.3g} s on, errors with identification are {}", counted_from,
                     fmt::join(parts, ", "));
}

MpcResults run_scenario(const Model& model, const MpcScenario& s,
                        const std::function<bool(double, std::string_view)>& progress) {
  MpcResults results{model, s.title, 1.0 / s.trial.control.rate_hz, s.trial.plant};
  results.supervised = s.trial.supervision.has_value();
  results.horizon = s.trial.control.problem.steps;
  TrialOptions trial = s.trial;
  trial.q0 = s.start;
  results.notes = s.notes;
  if (allocation_count() >= 0) trial.allocations = allocation_count;

  control::RobotProblemOptions& problem = trial.control.problem;
  // what is not given is the controller's own choice
  control::MotionWeights& weights = problem.weights.emplace(motion_weights(model));
  const auto given = [&](const char* key) { return s.places.contains(key); };
  if (given("weights.position")) weights.position.setConstant(s.position);
  if (given("weights.velocity")) weights.velocity.setConstant(s.velocity);
  if (given("weights.torque")) weights.torque.setConstant(s.torque);
  if (given("weights.terminal")) weights.terminal = s.terminal;

  // the true robot: with friction that its model lacks, and other parameters
  const VectorXd effort = rig::nominal_efforts(model);
  Plant<double> usual(model);
  add_friction(usual, s.viscous * effort, s.dry * effort);
  trial.changes.at(0.0, [=, vary = s.vary, seed = s.trial.sensors.seed](Plant<double>& plant) {
    scale_friction(plant, usual, 1.0);
    if (vary > 0.0) change_at_random(plant, {.inertia = vary}, seed);
  });
  if (s.friction) {
    trial.changes.during(s.friction->from, s.friction->to,
                         [usual, factor = s.friction->factor](Plant<double>& plant, double share) {
                           scale_friction(plant, usual, 1.0 + share * (factor - 1.0));
                         });
    results.events.emplace_back(s.friction->from, fmt::format("friction begins to grow by {:.0f} %",
                                                              100.0 * (s.friction->factor - 1.0)));
  }
  if (s.payload) {
    const Frame& frame = payload_frame(model, *s.payload);
    trial.control.payload_body = frame.body;
    trial.changes.at(s.payload->at, [&frame, load = box(*s.payload)](Plant<double>& plant) {
      add_payload(plant, frame, load);
    });
    results.events.emplace_back(s.payload->at, fmt::format("payload of {:g} kg", s.payload->mass));
    results.counted_from = s.payload->at;
  }
  std::ranges::sort(results.events);
  SensorsOptions& sensors = trial.sensors;
  sensors.torque.noise *= effort.maxCoeff();
  sensors.velocity.delay = sensors.torque.delay = sensors.acceleration.delay =
      sensors.position.delay;
  for (const ScenarioWrench& sensor : s.wrenches)
    trial.wrench_sensors.push_back(wrench_sensor(model, sensor));
  // errors are reported from the change on, and from a second after it, when it may be identified
  trial.count_from = {results.counted_from, results.counted_from + 1.0};

  if (s.amplitude.isZero()) results.rests_from = trial.rests_from = s.reach;
  if (!model.drives().elastic.empty()) trial.record_hz = 500.0;  // vibrations show
  bool go_on = true;
  const std::vector<MpcVariant> variants = variants_of(s);
  for (std::size_t i = 0; i < variants.size() && go_on; ++i) {
    const MpcVariant& variant = variants[i];
    trial.knowledge = variant.knowledge, trial.drives = variant.drives;
    TrialResult result = run_variant(model, s, trial, [&](double share) {
      go_on = progress((double(i) + share) / double(variants.size()), variant.name);
      return go_on;
    });
    const double end = double(result.steps) / trial.control.rate_hz;
    if (!results.payload && s.payload && end > s.payload->at &&
        variant.knowledge == Knowledge::identified)
      results.payload = payload_found(payload_frame(model, *s.payload), *s.payload, result);
    keep_finite(result.record);
    results.runs.push_back({variant.name, variant.colour, variant.knowledge, std::move(result)});
  }
  return results;
}

}  // namespace ulna::cli
