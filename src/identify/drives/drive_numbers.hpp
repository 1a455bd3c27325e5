#pragma once

#include "ulna/identify/estimate/torque_model.hpp"

/// Unknowns of drives by name, and where a robot has them.
namespace ulna::identify::detail {

std::string name_of(const Model& model, const DriveUnknown& unknown);
std::string_view unit_of(const DriveUnknown& unknown);

/// The number that the robot's description has.
double described(const Model& model, const DriveUnknown& unknown);
/// Ratios, offsets and deflections are no numbers of a plant.
void set(const DriveUnknown& unknown, double value, Plant<double>& plant);
/// Motors as a plant has them, with the ratios of z.
void describe_motors(const TorqueModel& torques, const Vector& z, const Plant<double>& plant,
                     Description& description);

}  // namespace ulna::identify::detail
