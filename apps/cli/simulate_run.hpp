#pragma once

#include <sstream>

#include "states.hpp"
#include "torque_source.hpp"

/// A simulation of the command line: its options, its log, and what there is to report of it.
namespace ulna::cli {

struct SimulateOptions {
  States states;
  double duration = 5.0, period = 1e-3, tolerance = 1e-8, bandwidth = 10.0, vary = 0.0;
  std::string integrator = "rk4", torque = "zero", target, follow, friction_scale, out, plot,
              picture;
  std::vector<std::string> payloads;
  SimulationOptions how;
  SensorsOptions sensors;  ///< of the log; as of positions, delay and dropout are of the others too
  bool no_limits = false, force = false, ground = false;
  double ground_friction = 0.8;

  double step() const { return std::min(how.substep, period); }
  bool random() const {
    return vary > 0.0 || sensors.position.noise > 0.0 || sensors.velocity.noise > 0.0 ||
           sensors.torque.noise > 0.0 || sensors.position.dropout > 0.0;
  }
  bool sensed() const {
    const SensorOptions& p = sensors.position;
    return p.noise > 0.0 || sensors.velocity.noise > 0.0 || sensors.torque.noise > 0.0 ||
           p.quantum > 0.0 || p.dropout > 0.0 || p.delay > 0 || sensors.velocity_by_difference;
  }
};

/// A degree of freedom, and its place in q if its joint has no other.
struct Coordinate {
  std::string name;
  int v, q;
  bool single() const { return q >= 0; }
};

std::vector<Coordinate> coordinates(const Model& model);

/// The range of a coordinate over a run.
struct Extremes {
  double lowest = infinity, highest = -infinity, speed = 0.0, torque = 0.0;
  double stop = 0.0;  ///< the largest torque by which a stop held it
};

struct SimulatedRun {
  const Simulation& end;
  SimulationStatus status = SimulationStatus::moved;
  double energy_before = 0.0, energy_after = 0.0, energy_error = 0.0, error_share = 0.0;
  double largest_kinetic = 0.0;  ///< on the way
  double largest_gap = 0.0;      ///< of loops that are closed
  SimulationWork work = {};
  std::vector<Extremes> joints = {};
  /// Where nothing but weight acts from outside.
  std::optional<Wrench<double>> momentum_error = {};
  const Tracking* tracking = nullptr;  ///< of the motion that it follows
};

/// The log as it grows, and the samples to be drawn.
class SimulationLog {
 public:
  SimulationLog(const Model& model, const SimulateOptions& o);

  void add(Simulation& now);
  std::string text();
  long count() const { return count_; }

  std::vector<double> time;
  std::vector<Eigen::VectorXd> q, v, tau;

 private:
  bool sensed_;
  Sensors sensors_;
  std::vector<int> elastic_;  ///< coordinates
  std::ostringstream text_;
  std::optional<CsvWriter> writer_;
  std::vector<double> row_;
  long every_ = 0, count_ = 0;
};

/// A drawing of all joints over time (SVG).
std::string motion_plot(const Model& model, const SimulationLog& log);

/// Lets the robot move from the state that it is in.
SimulatedRun simulate_robot(Simulation& robot, const SimulateOptions& o, const TorqueSource& torque,
                            Schedule& schedule, bool momentum_stays, SimulationLog& log,
                            Progress& progress);

}  // namespace ulna::cli
