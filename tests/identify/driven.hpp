#pragma once

#include <array>
#include <functional>

#include "support/random.hpp"
#include "ulna/dynamics/drive_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/identify/drives/drive_estimate.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/edit.hpp"
#include "ulna/simulate/simulation.hpp"

/// Logs of robots with drives.
namespace ulna::test {

using namespace identify;

/// Sums of sines in each joint: slow and wide ones, and fast ones that deflect springs.
struct Sines {
  struct Sine {
    double size, w, phase;
  };
  std::vector<std::vector<Sine>> of;

  Sines(const Model& robot, Random& random, double slow_share, const Eigen::VectorXd& fast_size,
        double fast_from, double fast_to, int fast_count = 4)
      : of(std::size_t(robot.nv())) {
    for (int i = 0; i < robot.nv(); ++i) {
      const double range = std::min(robot.upper_limit()(i) - robot.lower_limit()(i), 4.0);
      const auto add = [&](double size, double hz) {
        of[std::size_t(i)].push_back({size, 2.0 * M_PI * hz, random.real(-M_PI, M_PI)});
      };
      for (int k = 1; k <= 3; ++k) add(slow_share * range / 3.0, 0.1 * k + random.real(0.0, 0.08));
      for (int k = 0; k < fast_count; ++k)
        add(fast_size(i),
            fast_from + (fast_to - fast_from) * (k + random.real(0.0, 1.0)) / fast_count);
    }
  }
  /// q and its derivatives up to the fourth.
  std::array<Eigen::VectorXd, 5> at(double t) const {
    std::array<Eigen::VectorXd, 5> x;
    x.fill(Eigen::VectorXd::Zero(Eigen::Index(of.size())));
    for (std::size_t i = 0; i < of.size(); ++i)
      for (const Sine& s : of[i])
        for (int d = 0; d < 5; ++d)
          x[std::size_t(d)](Eigen::Index(i)) +=
              s.size * std::pow(s.w, d) * std::sin(s.w * t + s.phase + 0.5 * M_PI * d);
    return x;
  }
};

/// Standard deviations of white noise, per joint.
struct DriveNoise {
  double position = 0.0;  ///< of encoders, rad
  Eigen::VectorXd torque, link_torque;
};

/// What is measured of a robot with springs, simulated at 1 ms under the torques of a law, from a state.
inline Log recorded_log(
    const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v, double seconds,
    const DriveSensors& sensors, const DriveNoise& noise, std::uint64_t seed,
    const std::function<Eigen::VectorXd(Eigen::Index, const Simulation&)>& law) {
  const int n = model.nv();
  SimulationOptions options;
  options.substep = 2.5e-4;
  options.stops = false;
  Simulation robot(model, options);
  robot.set_state(q, v);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto noisy = [&](Eigen::VectorXd x, const auto& deviation) {
    for (int i = 0; i < n; ++i) x(i) += deviation(i) * normal(random);
    return x;
  };
  const Eigen::VectorXd encoder = Eigen::VectorXd::Constant(n, noise.position);

  const auto count = Eigen::Index(1000.0 * seconds);
  Log log;
  log.file = "simulated", log.joints = model.velocity_names();
  log.t.resize(count), log.tau.resize(n, count), log.theta = log.tau, log.q = log.tau;
  if (sensors.torque_sensors) log.link_tau = log.tau;
  log.link_encoders = sensors.link_encoders;
  for (Eigen::Index k = 0; k < count; ++k) {
    if (robot.hold(law(k, robot)) != SimulationStatus::moved) throw std::runtime_error("not moved");
    log.t(k) = 1e-3 * double(k);
    log.theta.col(k) = noisy(robot.theta(), encoder);
    log.q.col(k) = sensors.link_encoders ? noisy(robot.q(), encoder) : log.theta.col(k);
    log.tau.col(k) = noisy(robot.tau(), noise.torque);
    if (sensors.torque_sensors) log.link_tau.col(k) = noisy(robot.link_torque(), noise.link_torque);
    log.line.push_back(int(k) + 2);
    if (robot.step(1e-3) != SimulationStatus::moved) throw std::runtime_error("diverged");
  }
  log.rows = count;
  return log;
}

/// Feedback of the motors' positions, of the rotors alone.
inline Eigen::VectorXd motor_feedback(const Simulation& robot, const Eigen::VectorXd& theta,
                                      const Eigen::VectorXd& omega) {
  return robot.model().drives().rotor.cwiseMax(0.05).cwiseProduct(400.0 * (theta - robot.theta()) +
                                                                  20.0 * (omega - robot.omega()));
}

/// Of motors that follow sines.
inline Log simulated_log(const Model& model, const Sines& sines, double seconds,
                         const DriveSensors& sensors, const DriveNoise& noise, std::uint64_t seed) {
  const auto begin = sines.at(0.0);
  const Model rigid = with_plain_drives(model);
  const Plant<double> plant(rigid);
  Motion<double> motion(rigid);
  Workspace<double> ws(rigid);
  return recorded_log(model, begin[0], begin[1], seconds, sensors, noise, seed,
                      [&](Eigen::Index k, const Simulation& robot) -> Eigen::VectorXd {
                        const auto want = sines.at(1e-3 * double(k));
                        motion.set(want[0], want[1], want[2]);
                        Eigen::VectorXd tau(model.nv());
                        inverse_dynamics<double>(plant, motion, ws, tau);
                        return tau + motor_feedback(robot, want[0], want[1]);
                      });
}

/// Torques of the motors, at their shafts, along a motion, with noise; what they exert on the joints is in the log.
struct CoupledLog {
  Log log;
  Eigen::MatrixXd motor_tau;

  CoupledLog(const Model& model, const Sines& sines, double seconds, double rate_hz,
             const Eigen::VectorXd& noise, std::uint64_t seed) {
    const Plant<double> plant(model);
    DriveMotion<double> motion(model);
    DriveWorkspace<double> ws(model);
    DriveTorques<double> out(model);
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const auto count = Eigen::Index(seconds * rate_hz);
    log.file = "coupled", log.joints = model.velocity_names(), log.rows = count;
    log.t.resize(count), log.q.resize(model.nv(), count), log.v = log.q, motor_tau = log.q;
    for (Eigen::Index k = 0; k < count; ++k) {
      const auto at = sines.at(double(k) / rate_hz);
      motion.set(at[0], at[1], at[2], at[3], at[4]);
      drive_inverse_dynamics<double>(plant, motion, ws, out);
      log.t(k) = double(k) / rate_hz, log.q.col(k) = at[0], log.v.col(k) = at[1];
      motor_tau.col(k) = out.motor;
      for (int i = 0; i < model.nv(); ++i) motor_tau(i, k) += noise(i) * normal(random);
      log.line.push_back(int(k) + 2);
    }
    log.tau = Eigen::MatrixXd::Zero(model.nv(), count);
    for (const auto& [motor, joint, ratio] : model.drives().gears)
      log.tau.row(joint) += ratio * motor_tau.row(motor);
  }
};

/// The robot with another description.
inline Model edited(const Model& model, const std::function<void(Description&)>& edit) {
  Description d = model.description();
  edit(d);
  return Builder(std::move(d)).build();
}

/// The elastic iiwa with a tool of 5 kg, without which the wrist's springs have nothing to carry.
inline Model iiwa_with_tool() {
  return edited(load_robot("iiwa14_elastic").model, [](Description& d) {
    LinkDescription& last = d.links.back();
    last.inertial = Inertial(5.3, Vec3<double>(0.08, 0.03, 0.09),
                             Vec3<double>(0.04, 0.05, 0.03).asDiagonal().toDenseMatrix());
  });
}

/// As it is believed to be: springs, rotors and links are described wrongly.
inline Model believed(const Model& truth, Random& random, double off = 0.3) {
  return edited(truth, [&](Description& d) {
    const auto wrong = [&](double by) { return 1.0 + random.real(-by, by); };
    for (JointDescription& j : d.joints) {
      if (!j.spring) continue;
      j.spring->stiffness *= wrong(off), j.spring->damping *= wrong(1.5 * off);
      j.dynamics.armature *= wrong(off);
    }
    for (LinkDescription& l : d.links)
      if (l.inertial) {
        const double by = wrong(0.2);
        l.inertial->mass *= by, l.inertial->inertia *= by;
      }
  });
}

}  // namespace ulna::test
