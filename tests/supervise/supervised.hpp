#pragma once

#include <numbers>

#include "support/random_model.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/io/import.hpp"
#include "ulna/simulate/simulation.hpp"
#include "ulna/supervise/supervisor.hpp"

/// Robots with a supervisor before them.
namespace ulna::test {

using supervise::Cause;
using supervise::Limits;
using supervise::Reaction;
using supervise::State;
using supervise::Supervisor;
using Vector = Eigen::VectorXd;

/// A robot of joints of one coordinate whose drives are as strong as those of real arms: they hold its weight twice over,
/// and can do so while all joints come to rest from full speed in a tenth of a second.
inline Model random_arm(std::uint64_t seed, int joints) {
  Random random(seed);
  Description d = random_description(
      random, {.joints = joints, .kinds = single_kinds, .branching = 0.0, .mimic = 0.0});
  const Model model = Builder(d).build();
  Vector speed = Limits(model).speed, effort = Vector::Zero(joints);
  Plant<double> plant(model);
  Kinematics<double> at(model);
  Workspace<double> ws(model);
  Eigen::MatrixXd M(joints, joints);
  Vector g(joints), h(joints);
  for (int n = 0; n < 50; ++n) {
    at.set(random_q(model, random), random_v(model, random).cwiseSign().cwiseProduct(speed));
    mass_matrix<double>(plant, at, ws, M);
    bias_torque<double>(plant, at, ws, h);
    gravity_torque<double>(plant, at, ws, g);
    effort = effort.cwiseMax(g.cwiseAbs() + 1.5 * h.cwiseAbs() + 10.0 * M.cwiseAbs() * speed);
  }
  for (JointDescription& j : d.joints)
    if (j.type != JointType::fixed)
      j.limits.effort = effort(model.joint(model.joint_index(j.name)).v) + j.dynamics.friction +
                        j.dynamics.friction_negative;
  return Builder(d).build();
}

/// A mass in the frame of the last body.
inline void add_payload(Plant<double>& plant, double mass, const Vec3<double>& at) {
  Vector pi(plant.inertial_size());
  plant.get_inertial(pi);
  const Inertia<double> load =
      Inertia<double>::about_com(mass, at, 1e-3 * mass * Mat3<double>::Identity());
  pi.tail<10>() += load.parameters();
  plant.set_inertial(pi);
}

/// The robot itself without stops, so that nothing but the supervisor keeps it within its limits.
struct Supervised {
  Simulation robot;
  Supervisor supervisor;
  Plant<double> known;  ///< what the supervisor is told
  double period;
  Vector tau_sent, gravity;
  Motion<double> motion;
  Workspace<double> ws;

  explicit Supervised(const Model& model, const supervise::Options& options = {})
      : robot(model, {.torque_limits = false, .stops = false}),
        supervisor(model, options),
        known(model),
        period(1.0 / options.rate_hz),
        tau_sent(Vector::Zero(model.nv())),
        gravity(tau_sent),
        motion(model),
        ws(model) {}

  const Limits& limits() const { return supervisor.limits(); }
  int nv() const { return static_cast<int>(tau_sent.size()); }

  const Vector& weight() {
    motion.set(robot.q());
    gravity_torque<double>(known, motion, ws, gravity);
    return gravity;
  }
  /// The torque of an acceleration, by the model.
  Vector accelerated(const Vector& a) {
    motion.set(robot.q(), robot.v(), a);
    inverse_dynamics<double>(known, motion, ws, gravity);
    return gravity;
  }
  /// A controller that is well-behaved: computed torque, to a place.
  Vector toward(const Vector& place, double hz = 2.0) {
    const double w = 2.0 * std::numbers::pi * hz;
    return accelerated(w * w * (place - robot.q()) - 2.0 * w * robot.v());
  }
  /// A period with what sensors read.
  const Vector& step(const Vector& q, const Vector& v, const Vector& measured,
                     const Vector& wanted) {
    return step(robot.time(), q, v, measured, wanted);
  }
  const Vector& step(double reading_time, const Vector& q, const Vector& v, const Vector& measured,
                     const Vector& wanted) {
    tau_sent = supervisor.filter(known, robot.time(), reading_time, q, v, measured, wanted);
    if (robot.step(tau_sent, period) != SimulationStatus::moved)
      ADD_FAILURE() << "the robot cannot be simulated";
    return tau_sent;
  }
  /// A period with sensors that are right.
  const Vector& step(const Vector& wanted) {
    return step(robot.q(), robot.v(), robot.tau(), wanted);
  }
};

}  // namespace ulna::test
