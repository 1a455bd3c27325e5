#pragma once

#include "states.hpp"
#include "torque_source.hpp"
#include "ulna/constraints/loop_coordinates.hpp"

/// Robots with loops, for verbs that keep them closed.
namespace ulna::cli {

/// The dynamics of a robot whose loops are closed.
class ClosedRobot {
 public:
  /// Throws std::invalid_argument if they cannot be closed.
  explicit ClosedRobot(const Plant<double>& plant);

  /// The accelerations under torques. Throws Failure as require_closed.
  Eigen::VectorXd accelerations(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                                const Eigen::VectorXd& tau, const Robot::Wrenches& wrenches = {});
  /// The least torques, of all joints that have a drive, that make a motion. Throws Failure if there are none.
  Eigen::VectorXd torques(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                          const Eigen::VectorXd& qdd, const Robot::Wrenches& wrenches = {});

  /// Throws Failure where loops are open by more than a millimetre, or a milliradian.
  void require_closed(const Eigen::VectorXd& q) const;

  /// One line on standard error if the motion asked for last opens the loops.
  void mention_opening(Console& console) const;
  /// The forces through the loops of what was asked for last: as JSON, and as a table, with what all numbers mean.
  Json forces_json() const;
  std::string forces_text(const Stream& out) const;

 private:
  std::vector<ExternalWrench<double>> placed(const Robot::Wrenches& wrenches) const;

  const Plant<double>& plant_;
  Loops loops_;
  LoopWorkspace ws_;
  Eigen::VectorXd forces_;
  std::string meaning_;  ///< of the result asked for last
};

/// A column of the result for each state of a table; states that are refused are noted there.
void for_each_row(const TableBlock& in, Eigen::MatrixXd& out,
                  const std::function<Eigen::VectorXd(Eigen::Index)>& compute);

/// As print_per_joint, then the forces through the loops, if they are closed.
void print_per_joint(Console& console, const Model& model, const Json& before, const char* field,
                     const char* unit, const Eigen::VectorXd& values,
                     const std::optional<ClosedRobot>& closed);

/// 1 for joints that have a drive, otherwise 0.
Eigen::VectorXd driven(const Model& model);

/// The same torques on the closed robot by those joints that have a drive.
TorqueSource by_drives(TorqueSource law, const Loops& loops);

/// The configuration that an option gives by joints that move the others: a number for each of them, or some by name. None if it
/// gives other joints too. Throws UsageError if the loops do not reach so far.
std::optional<Eigen::VectorXd> by_moving_joints(const Model& model, const std::string& text,
                                                const std::string& option);

/// That the loops stay closed. Leaves the coordinates anywhere.
IkConstraint keep_closed(LoopCoordinates& coordinates);

/// Moves a configuration to where loops are closed, if the robot keeps them closed, and mentions it if it was not there.
/// Throws UsageError if there is none near.
void close_loops(Console& console, const Loops* loops, Eigen::VectorXd& q, const char* what);

}  // namespace ulna::cli
