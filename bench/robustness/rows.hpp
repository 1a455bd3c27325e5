#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ulna/mpc/trial.hpp"

/// What robots have that their models have not, and how well the controller does with it.
namespace robustness {

/// What a robot does in all rows: it reaches a place, waves, and picks up a box. As `ulna mpc --demo`.
struct Task {
  Eigen::VectorXd start, goal, amplitude, hz;
  double reach = 2.0, duration = 12.0;  ///< s
  double picks_up_at = 4.0;
  double mass = 2.0, edge = 0.1;  ///< kg, m, of the box
  Eigen::Vector3d com{0.02, -0.03, 0.08};

  explicit Task(const ulna::Model& model);
  ulna::mpc::MotionReference reference() const;
};

/// A robot with its task as a row changes them.
struct Case {
  const ulna::Model& model;
  Task task;
  ulna::mpc::TrialOptions trial;
  double viscous = 0.005, dry = 0.01;  ///< friction of the true robot, as shares of efforts
  bool payload = true;
  std::mt19937_64 random;  ///< for the row's details

  /// With what all rows have in common; by the seed, noise and the box's centre of mass.
  Case(const ulna::Model& robot, std::uint64_t seed);

  /// A time, by chance within half a second.
  double about(double time);
  /// The end of a disturbance, half a second after which errors are counted once more.
  double disturb(double from, double seconds);
  ulna::mpc::TrialResult run(const std::function<bool(double)>& progress = {});
};

struct Row {
  std::string name, what;
  std::optional<double> target;  ///< mrad
  std::function<void(Case&)> change;
  bool disturbance = false;  ///< what passes: within limits, estimates unharmed, and over soon
  std::string also = {};     ///< what else is asked for, and not measured
};

/// In the order of the table.
const std::vector<Row>& rows();

}  // namespace robustness
