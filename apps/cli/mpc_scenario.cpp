#include "mpc_scenario.hpp"

#include <fmt/format.h>

#include "allocation_count.hpp"
#include "console.hpp"
#include "ulna/dynamics/kinematics.hpp"

namespace ulna::cli {
namespace {

using Eigen::VectorXd;

/// A joint's range, where it has none a turn to both sides.
std::pair<double, double> range(const Model& model, int i) {
  const double low = model.lower_limit()(i), high = model.upper_limit()(i);
  return {std::isfinite(low) ? low : -3.0, std::isfinite(high) ? high : 3.0};
}

void require(const char* what, VectorXd& values, const VectorXd& otherwise, const Model& model) {
  if (values.size() == 0) values = otherwise;
  if (values.size() != model.nv())
    throw ScenarioError(what, fmt::format("{} numbers given, robot '{}' has {} joints",
                                          values.size(), model.name(), model.nv()));
  if (!values.allFinite()) throw ScenarioError(what, "a number is not finite");
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
  const Frame* last = nullptr;
  for (const Frame& frame : model.frames())
    if (!last || frame.body >= last->body) last = &frame;
  return *last;
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

/// What the frame's body carries beyond its model, as the controller has estimated.
PayloadFound payload_found(const Model& model, const Frame& frame, const ScenarioPayload& payload,
                           const Plant<double>& estimated) {
  PayloadFound found{std::string(frame.name), payload.mass, 0.0, payload.com};
  VectorXd now(estimated.inertial_size()), before(now.size());
  estimated.get_inertial(now), Plant<double>(model).get_inertial(before);
  const Eigen::Vector4d more = (now - before).segment<4>(10 * (frame.body - 1));
  found.found_mass = more(0);
  found.found_com = frame.X_BF.inverse_apply(Eigen::Vector3d(more.tail<3>() / more(0)));
  return found;
}

}  // namespace

MpcScenario demo_scenario(const Model& model) {
  MpcScenario s;
  s.title = fmt::format("{} picks up an unknown 2 kg while its friction grows", model.name());
  s.duration = 12.0;
  s.prior_deviation = 0.1;  // its own numbers are known well; what it picks up is not
  s.knowledge = {Knowledge::identified, Knowledge::fixed, Knowledge::perfect};
  if (model.name() == "panda") {
    s.start = VectorXd(7), s.goal = VectorXd(7);
    s.start << 0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785;
    s.goal << 0.5, -0.485, -0.4, -1.856, 0.3, 1.571, 1.185;
  }
  s.payload = ScenarioPayload{.com = {0.02, -0.03, 0.08}, .at = 4.0};
  s.friction = ScenarioFriction{.factor = 1.3, .from = 6.0, .to = 12.0};
  return s;
}

void complete(MpcScenario& s, const Model& model) {
  if (model.nq() != model.nv())
    throw UsageError(fmt::format(
        "robot '{}' has joints with more coordinates than degrees of freedom; mpc takes "
        "robots whose joints have one each",
        model.name()));
  if (!model.description().loops.empty())
    throw UsageError(fmt::format(
        "robot '{}' closes loops, which the controller does not support; remove the joints that "
        "close them",
        model.name()));
  const int n = model.nv();
  const std::vector<std::string> joints = model.velocity_names();
  VectorXd middle(n), goal(n), amplitude(n), hz(n);
  for (int i = 0; i < n; ++i) {
    const auto [low, high] = range(model, i);
    middle(i) = 0.5 * (low + high);
    goal(i) = middle(i) + 0.15 * (high - low) * (i % 2 ? 1.0 : -1.0);
    hz(i) = 0.23 + 0.041 * ((3 * i) % 7);
    const double fast = model.velocity_limit()(i);
    amplitude(i) =
        std::min(0.12 * (high - low), std::isfinite(fast) ? 0.5 * fast / (6.2832 * hz(i)) : 0.4);
  }
  require("start", s.start, middle, model), require("goal", s.goal, goal, model);
  require("amplitude", s.amplitude, amplitude, model), require("hz", s.hz, hz, model);
  for (int i = 0; i < n; ++i) {
    const auto [low, high] = range(model, i);
    const std::string& joint = joints[static_cast<std::size_t>(i)];
    const auto inside = [&](const char* what, double q, double swing) {
      if (q - swing < low || q + swing > high)
        throw ScenarioError(
            what, fmt::format(
                      "joint '{}' would go to {:.4g}, its range is {:.4g} to {:.4g}: out of reach",
                      joint, q - swing < low ? q - swing : q + swing, low, high));
    };
    inside("start", s.start(i), 0.0);
    inside("goal", s.goal(i), std::abs(s.amplitude(i)));
    const double fastest = std::abs(s.amplitude(i)) * 6.2832 * s.hz(i) * 1.2,
                 reaching = 1.875 * std::abs(s.goal(i) - s.start(i)) / s.reach;
    if (std::max(fastest, reaching) > model.velocity_limit()(i))
      throw ScenarioError(
          "reach",
          fmt::format("joint '{}' would turn at {:.4g} rad/s, its limit is {:.4g}; take longer "
                      "(reach), or wave less (amplitude, hz)",
                      joint, std::max(fastest, reaching), model.velocity_limit()(i)));
  }
  if (s.payload) payload_frame(model, *s.payload);
  for (const ScenarioWrench& sensor : s.wrenches) wrench_sensor(model, sensor);
}

MpcResults run_scenario(const Model& model, const MpcScenario& s,
                        const std::function<bool(double, std::string_view)>& progress) {
  MpcResults results{.model = model,
                     .title = s.title,
                     .period = 1.0 / s.rate_hz,
                     .runs = {},
                     .events = {},
                     .counted_from = 0.0,
                     .payload = {}};
  TrialOptions trial;
  trial.duration = s.duration;
  trial.law = s.law;
  trial.q0 = s.start;
  trial.faults = s.faults;
  if (allocation_count() >= 0) trial.allocations = allocation_count;

  ControllerOptions& controller = trial.control;
  controller.rate_hz = s.rate_hz;
  controller.problem.transcription = s.transcription;
  controller.problem.steps = s.steps, controller.problem.duration = s.step;
  control::MotionWeights weights(model);
  weights.position.setConstant(s.position), weights.velocity.setConstant(s.velocity);
  weights.torque.setConstant(s.torque), weights.terminal = s.terminal;
  controller.problem.weights = weights;
  control::MotionLimits limits(model);
  limits.price = limits.price_squared = 1e3;
  controller.problem.limits = limits;
  controller.filter_hz = s.filter_hz;
  controller.online.prior.deviation = s.prior_deviation;
  controller.online.patience = static_cast<int>(0.01 * s.rate_hz);
  controller.deadline = s.deadline;

  // the true robot: with friction that its model lacks, and other parameters
  VectorXd effort = model.effort_limit();
  for (double& e : effort)
    if (!std::isfinite(e)) e = 50.0;
  const Model& known = model;
  trial.changes.at(0.0, [&, effort](Plant<double>& plant) {
    plant.damping = known.damping() + s.viscous * effort;
    plant.friction = known.friction() + s.dry * effort;
    plant.friction_negative = known.friction_negative() + s.dry * effort;
    if (s.vary > 0.0) change_at_random(plant, {.inertia = s.vary}, s.seed);
  });
  if (s.friction) {
    Plant<double> usual(model);
    usual.damping += s.viscous * effort;
    usual.friction += s.dry * effort, usual.friction_negative += s.dry * effort;
    trial.changes.during(s.friction->from, s.friction->to,
                         [usual, factor = s.friction->factor](Plant<double>& plant, double share) {
                           scale_friction(plant, usual, 1.0 + share * (factor - 1.0));
                         });
    results.events.emplace_back(s.friction->from, fmt::format("friction begins to grow by {:.0f} %",
                                                              100.0 * (s.friction->factor - 1.0)));
  }
  if (s.payload) {
    const Frame& frame = payload_frame(model, *s.payload);
    trial.changes.at(s.payload->at, [&frame, load = box(*s.payload)](Plant<double>& plant) {
      add_payload(plant, frame, load);
    });
    results.events.emplace_back(s.payload->at, fmt::format("payload of {:g} kg", s.payload->mass));
    results.counted_from = s.payload->at;
  }
  std::sort(results.events.begin(), results.events.end());
  trial.sensors.position = {.noise = s.position_noise,
                            .delay = s.sensor_delay,
                            .dropout = s.sensor_dropout,
                            .not_a_number = s.sensor_nan};
  trial.sensors.velocity = {.noise = s.velocity_noise, .delay = s.sensor_delay};
  trial.sensors.torque = {.noise = s.torque_noise * effort.maxCoeff(), .delay = s.sensor_delay};
  trial.sensors.acceleration = {.noise = s.acceleration_noise, .delay = s.sensor_delay};
  trial.sensors.seed = s.seed;
  for (const ScenarioWrench& sensor : s.wrenches)
    trial.wrench_sensors.push_back(wrench_sensor(model, sensor));
  // errors are reported from the change on, and from a second after it, when it may be identified
  trial.count_from = {results.counted_from, results.counted_from + 1.0};

  const MotionReference reference = reach_and_wave(s.start, s.goal, s.reach, s.amplitude, s.hz);
  bool go_on = true;
  for (std::size_t i = 0; i < s.knowledge.size() && go_on; ++i) {
    trial.knowledge = s.knowledge[i];
    const char* const name = to_string(s.knowledge[i]);
    TrialResult result = run_trial(model, reference, trial, [&](double share) {
      go_on = progress((static_cast<double>(i) + share) / static_cast<double>(s.knowledge.size()),
                       name);
      return go_on;
    });
    if (s.payload && s.knowledge[i] == Knowledge::identified)
      results.payload =
          payload_found(model, payload_frame(model, *s.payload), *s.payload, result.estimated);
    results.runs.push_back({name, std::move(result)});
  }
  return results;
}

}  // namespace ulna::cli
