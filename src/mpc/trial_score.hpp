#pragma once

#include "mpc/trial_sensors.hpp"

namespace ulna::mpc {

/// The record and the figures of a trial, in memory that is reserved at first.
class TrialScore {
 public:
  TrialScore(const Model& model, const TrialOptions& options);

  /// Once a period, when its torque acts. `reference`: where the robot should be.
  void add(double time, const Simulation& robot, const Eigen::VectorXd& reference,
           const TrialSensors& sensors, const IdentifyingController& controller);
  /// Writes error, times, actions, faults and record.
  void finish(TrialResult& result);

 private:
  void add_error(double time, const Simulation& robot, const Eigen::VectorXd& reference);
  void add_record(const Simulation& robot, const Eigen::VectorXd& reference,
                  const TrialSensors& sensors, const IdentifyingController& controller);

  double period_;
  long every_, steps_ = 0;  ///< steps from one column of the record to the next
  Eigen::Index columns_ = 0;
  TrialRecord record_;
  TrackingError error_;
  std::vector<double> from_, squares_;  ///< sums of squares from several times on
  std::vector<long> counts_;
  std::vector<double> step_us_, act_us_, identify_us_;
  decltype(TrialResult::actions) actions_ = {};
  decltype(TrialResult::faults) faults_ = {};
};

}  // namespace ulna::mpc
