#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ulna/mpc/trial.hpp"

/// What robots have that their models have not, and how well the controller does with it.
namespace robustness {

/// Of the drives: their limits; of a robot whose file has none, twice what it needs against gravity and for 10 rad/s² or m/s².
Eigen::VectorXd efforts(const ulna::Model& model);

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
  double disturbed_from = 0.0;  ///< s: when a fault or disturbance begins; 0: there is none
  ulna::mpc::TrialResult run(const std::function<bool(double)>& progress = {});
};

/// What is asked of a row beside its target.
enum class Kind {
  usual,  ///< a healthy robot: the supervisor does not stop it
  push,  ///< the same; the payload's mass stays right, and errors are small again half a second later
  wall,  ///< the same, but that it may be stopped, and errors last as the wall does
  held,  ///< hands feel no more than the collision threshold, and the robot goes on when they let go
  silence,  ///< the robot stops, and goes on
};

struct Row {
  std::string name, what;
  std::optional<double> target;  ///< mrad
  std::function<void(Case&)> change;
  Kind kind = Kind::usual;
  /// What the supervisor is to find within a tenth of a second.
  ulna::supervise::Cause named = ulna::supervise::Cause::none;
};

/// In the order of the table.
const std::vector<Row>& rows();

}  // namespace robustness
