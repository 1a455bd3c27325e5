#pragma once

#include "ulna/mpc/trial.hpp"

namespace ulna::mpc {

/// Whether a fault of a kind is on at a time.
bool is_on(const std::vector<TrialFault>& faults, TrialFault::Kind kind, double time);

/// What a controller receives of a simulated robot: all sensors are read once a period, and spoilt by faults.
class TrialSensors {
 public:
  using Vector = Eigen::VectorXd;

  /// Throws std::invalid_argument for wrench sensors that cannot be.
  TrialSensors(const Model& model, const TrialOptions& options);

  /// The reading of a period, before its torque acts.
  void read(Simulation& robot, double time);
  /// Hands the wrenches of the reading to a controller.
  void update_wrenches(IdentifyingController& controller);

  Vector q, v, tau;  ///< as received; those of before where a reading is dropped

 private:
  std::vector<WrenchSensor> wrench_sensors_;
  std::vector<TrialFault> faults_;
  Sensors sensors_;
  Regressor<double> regressor_;
  RowMatX<double> W_;
  Vector inertial_, noise_ = Vector::Zero(6);
  Eigen::MatrixXd wrenches_;  ///< a column for each sensor
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  long readings_ = 0;
  bool dropped_ = false;
};

}  // namespace ulna::mpc
