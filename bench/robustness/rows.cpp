#include "rows.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "ulna/dynamics/kinematics.hpp"
#include "ulna/num/random.hpp"

namespace robustness {
namespace {

using Eigen::Vector3d;
using namespace ulna;
using rig::TorqueFault;
using supervise::Cause;

Vector3d random_direction(std::mt19937_64& random) {
  Vector3d x;
  do {
    for (double& y : x) y = 2.0 * uniform(random) - 1.0;
  } while (x.norm() > 1.0 || x.norm() < 0.1);
  return x.normalized();
}

/// Gravity of a base that is tilted about a horizontal axis, by chance.
void tilt(Case& c, double degrees) {
  const double heading = 2.0 * std::numbers::pi * uniform(c.random);
  const Vector3d axis(std::cos(heading), std::sin(heading), 0.0);
  const Eigen::AngleAxisd turn(degrees * std::numbers::pi / 180.0, axis);
  c.trial.reality.gravity = turn * c.model.gravity();
}

void delay(Case& c, int readings) {
  SensorsOptions& sensors = c.trial.sensors;
  sensors.position.delay = sensors.velocity.delay = sensors.torque.delay = readings;
}

void push(Case& c, double newtons) {
  const double from = c.about(7.0);
  c.trial.reality.pushes = {{newtons * random_direction(c.random), {from, c.disturb(from, 2.0)}}};
}

void hold_fast(Case& c, bool all) {
  const double from = c.about(7.0);
  const int one = int(uniform(c.random) * c.model.nv());
  c.trial.reality.grips = {{all ? -1 : one, {from, c.disturb(from, 1.0)}}};
}

void fail_torque(Case& c, TorqueFault::Kind kind) {
  c.disturbed_from = c.about(7.0);
  c.trial.reality.torque_faults = {{kind, -1, {c.disturbed_from, c.trial.duration + 1.0}}};
}

void command_with_lag(Case& c, double seconds) {
  c.trial.reality.commanded_torque = true;
  c.trial.reality.drive_lag = seconds;
}

/// A plane across the way on which the tip swings farthest, which it would pass by one to three centimetres; the start is in
/// front of it.
void stand_before_wall(Case& c) {
  Kinematics<double> at(c.model);
  const Frame& tip = rig::tip_frame(c.model);
  const mpc::MotionReference reference = c.task.reference();
  Eigen::VectorXd q(c.model.nq()), v(c.model.nv());
  const auto place = [&](double time) {
    reference(time, q, v);
    at.set(q);
    return Vector3d(at.pose(tip).translation());
  };
  const Vector3d start = place(0.0);
  Vector3d farthest = start;
  for (double time = 5.0; time < c.trial.duration; time += 0.01) {
    const Vector3d p = place(time);
    if ((p - start).norm() > (farthest - start).norm()) farthest = p;
  }
  const Vector3d out = (farthest - start).normalized();
  const double depth = 0.01 + 0.02 * uniform(c.random);
  c.trial.reality.wall = rig::Wall{.point = farthest - depth * out, .normal = -out};
}

std::vector<Row> make_rows() {
  const auto with = [](auto member, auto value) {
    return [=](Case& c) { c.trial.reality.*member = value; };
  };
  using R = rig::Reality;
  return {
      {"nothing", "nothing differs but friction", {}, [](Case& c) { c.payload = false; }},
      {"payload", "payload only", {}, [](Case&) {}},
      {"link_side", "torque sensors on the link side, friction 5 %", 0.6,
       [](Case& c) { c.dry = 0.05, c.trial.reality.link_side_torque = true; }},
      {"offset_2", "torque sensor offset 2 %", 0.6, with(&R::torque_offset, 0.02)},
      {"offset_5", "torque sensor offset 5 %", 0.6, with(&R::torque_offset, 0.05)},
      {"gain", "torque sensor gain 0.8", 0.6, with(&R::torque_gain, 0.8)},
      {"direction_1", "dry friction by direction 1 %", 0.4, with(&R::friction_by_direction, 0.01)},
      {"direction_5", "dry friction by direction 5 %", 0.8, with(&R::friction_by_direction, 0.05)},
      {"stribeck_2", "Stribeck friction 2 %", 0.6, with(&R::stribeck, 0.02)},
      {"stribeck_5", "Stribeck friction 5 %", 1.0, with(&R::stribeck, 0.05)},
      {"ripple_1", "torque ripple 1 %", 0.5, with(&R::ripple, 0.01)},
      {"ripple_3", "torque ripple 3 %", 1.0, with(&R::ripple, 0.03)},
      {"rotor_01", "rotor inertia 0.1 kg m²", 0.15, with(&R::rotor_inertia, 0.1)},
      {"rotor_03", "rotor inertia 0.3 kg m²", 0.15, with(&R::rotor_inertia, 0.3)},
      {"tilt_2", "base tilted by 2°", 0.4, [](Case& c) { tilt(c, 2.0); }},
      {"tilt_5", "base tilted by 5°", 0.4, [](Case& c) { tilt(c, 5.0); }},
      {"gravity", "gravity 0.9 g", 0.4,
       [](Case& c) { c.trial.reality.gravity = 0.9 * c.model.gravity(); }},
      {"moon", "on the moon", 0.4,
       [](Case& c) { c.trial.reality.gravity = 0.165 * c.model.gravity(); }},
      {"late_1", "measurements 1 ms late", 0.4, [](Case& c) { delay(c, 1); }},
      {"late_2", "measurements 2 ms late", 0.4, [](Case& c) { delay(c, 2); }},
      {"late_5", "measurements 5 ms late", 0.4, [](Case& c) { delay(c, 5); }},
      {"push_5", "pushed with 5 N for 2 s", {}, [](Case& c) { push(c, 5.0); }, Kind::push},
      {"push_20", "pushed with 20 N for 2 s", {}, [](Case& c) { push(c, 20.0); }, Kind::push},
      {"held_all",
       "held fast for 1 s, all joints",
       {},
       [](Case& c) { hold_fast(c, true); },
       Kind::held},
      {"held_one",
       "held fast for 1 s, one joint",
       {},
       [](Case& c) { hold_fast(c, false); },
       Kind::held},
      {"dead", "torque sensors dead", 5.0, [](Case& c) { fail_torque(c, TorqueFault::Kind::dead); },
       Kind::usual, Cause::torque_dead},
      {"frozen", "torque sensors frozen", 5.0,
       [](Case& c) { fail_torque(c, TorqueFault::Kind::frozen); }, Kind::usual,
       Cause::torque_frozen},
      {"negated", "torque sensors' sign wrong", 5.0,
       [](Case& c) { fail_torque(c, TorqueFault::Kind::negated); }, Kind::usual,
       Cause::torque_sign},
      {"silence", "no new measurement for 0.2 s", 20.0,
       [](Case& c) {
         const double from = c.about(7.0);
         c.trial.reality.silences = {{from, c.disturb(from, 0.2)}};
       },
       Kind::silence, Cause::reading_stale},
      {"friction_5", "friction 5 %, stiff", 0.3, [](Case& c) { c.dry = 0.05; }},
      {"friction_10", "friction 10 %, stiff", 0.3, [](Case& c) { c.dry = 0.10; }},
      {"creep_5", "friction 5 %, creeping", 0.3,
       [](Case& c) { c.dry = 0.05, c.trial.mujoco.creeping_friction = true; }},
      {"creep_10", "friction 10 %, creeping", 0.3,
       [](Case& c) { c.dry = 0.10, c.trial.mujoco.creeping_friction = true; }},
      {"noise", "velocity noise 0.03 rad/s", 0.5,
       [](Case& c) { c.trial.sensors.velocity.noise = 0.03; }},
      {"lag_5", "commanded torques read, drive lag 5 ms", 0.5,
       [](Case& c) { command_with_lag(c, 0.005); }},
      {"lag_10", "commanded torques read, drive lag 10 ms", 1.0,
       [](Case& c) { command_with_lag(c, 0.010); }},
      {"lag_20", "commanded torques read, drive lag 20 ms", 3.0,
       [](Case& c) { command_with_lag(c, 0.020); }},
      {"wall", "tip against a wall of 5 kN/m", {}, stand_before_wall, Kind::wall},
      {"skip_10", "update left out in 10 % of the steps", 0.3,
       [](Case& c) { c.trial.skipped_updates = 0.1; }},
      {"skip_50", "update left out in 50 % of the steps", 0.5,
       [](Case& c) { c.trial.skipped_updates = 0.5; }},
      {"late_action",
       "actions late by 1 ms in 20 % of the steps",
       {},
       [](Case& c) { c.trial.reality.late_share = 0.2; }},
  };
}

}  // namespace

const std::vector<Row>& rows() {
  static const std::vector<Row> all = make_rows();
  return all;
}

}  // namespace robustness
