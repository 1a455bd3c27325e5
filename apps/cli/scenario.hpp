#pragma once

#include "states.hpp"

/// What happens to a simulated robot, as the command line gives it.
namespace ulna::cli {

/// "2,0,0,0.1@1.5..3": from 1.5 s to 3 s, a ball of 10 cm and 2 kg at a place in the frame of the last
/// link. Throws UsageError.
void schedule_payload(Schedule& schedule, const Model& model, const std::string& text);
/// "2@1..3": friction grows from what it usually is to twice that between 1 s and 3 s. Throws
/// UsageError.
void schedule_friction(Schedule& schedule, const Plant<double>& usual, const std::string& text);

/// Where torques come from. The controller knows the robot as its file describes it, not what happens
/// to it.
using TorqueSource = std::function<void(const Simulation& now, Eigen::VectorXd& tau)>;

/// "zero", "gravity", "pd" or the name of a table. Throws UsageError, CsvError, Failure. `target` and
/// `bandwidth` (rad/s) are those of "pd".
TorqueSource torque_source(const std::string& name, const Plant<double>& believed,
                           const Eigen::VectorXd& target, double bandwidth);

}  // namespace ulna::cli
