#pragma once

#include "ulna/identify/estimate/estimate.hpp"

/// From samples of a robot with drives to its parameters (docs/drives.md#identification).
namespace ulna::identify {

/// What was measured beside motors' positions and torques.
struct DriveSensors {
  bool link_encoders = false;   ///< positions of the links
  bool torque_sensors = false;  ///< torques of the springs
};

/// The numbers of drives that such measurements can show: rotors and friction of separate motors (those terms of friction that
/// the joints have), springs, and ratios of coupled motors if they are wanted.
std::vector<DriveUnknown> drive_unknowns(const Model& model, const std::vector<Feature>& features,
                                         const DriveSensors& sensors, bool ratios = false);

/// Samples in columns, each piece at an even rate.
struct DriveData {
  DriveSensors sensors;
  bool by_motors = false;          ///< links have no encoders: they are where springs leave them
  Matrix q, v, a;                  ///< of the links; without encoders, of the motors
  Matrix theta, omega, alpha;      ///< of the motors, as they are seen at the joints
  Matrix tau;                      ///< of the motors, each through its own gear
  Matrix link_tau;                 ///< of the springs; empty without sensors
  Matrix direction;                ///< signs of the links' velocities, filtered
  std::vector<Index> breaks;       ///< where a new piece begins, 0 first
  std::vector<Index> used;         ///< the samples that make equations
  std::vector<Index> used_breaks;  ///< where a new piece begins among them
  double rate_hz = 0.0;
  double filter_hz = 0.0;
  int filter_order = 0;
  double correlated = 1.0;  ///< used samples over which the filter makes noise alike

  Index size() const { return Index(used.size()); }
};
/// Sets which samples make equations, once all else is there: apart from ends, eight times as many a second as the cut-off has Hz.
void use_samples(DriveData& data);
/// Throws std::invalid_argument if pieces are of different sensors or rates.
DriveData gather_drives(const TorqueModel& model, const Prepared& prepared);

/// Unknowns of all, weighted and physically consistent. Where links have no encoders, they are where the springs' torques leave them, so
/// torques are not linear in stiffness and damping: they are linearised until nothing changes (Gauss, Newton), in compliance 1/K
/// and D/K², in which they nearly are. Deviations as those of `estimate`. Noise is that of the motors' torques.
Estimate estimate_drives(const TorqueModel& model, const BaseParameters& base,
                         const DriveData& data, const PriorOptions& prior = {});

/// How large deviations of all unknowns will be if white noise of these deviations is in the samples: of the motors' torques, then of the
/// springs' where they are measured, then of deflections where links have encoders. What is believed of drives counts hardly at all.
Vector expected_deviations(const TorqueModel& model, const BaseParameters& base,
                           const DriveData& data, const Vector& noise);

/// Base parameters of the links, and the unknowns of drives behind them.
BaseParameters drive_base_parameters(const TorqueModel& model);

/// At how many Hz a link would vibrate, about, if its motor and all others stood still: sqrt(K / M_cc), with the mean of M_cc of these
/// configurations, of the neutral one if there are none; infinite for rigid joints. Without encoders of the links, springs show in motion
/// that is not much slower than that: at a quarter of it they change the torque of the link's inertia by 1/16.
Vector link_frequencies(const Plant<double>& plant, const Matrix& Q = {});
/// The mean of the diagonal of the mass matrix.
Vector mean_inertias(const Plant<double>& plant, const Matrix& Q);

/// Torques of the motors that an estimate predicts for the used samples, each through its own gear; and those that were measured.
Matrix motor_torques(const TorqueModel& model, const Vector& z, const DriveData& data);
Matrix measured_torques(const DriveData& data);

}  // namespace ulna::identify
