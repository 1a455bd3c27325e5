#pragma once

#include <optional>

#include "ulna/identify/estimate/estimate.hpp"

namespace ulna::identify {

/// Two degrees of freedom whose columns seem to stand in each other's place.
struct Exchange {
  int one = 0, other = 0;
  double before_percent = 0.0, after_percent = 0.0;  ///< torque unexplained: the mean of all joints
};

/// The exchange of two joints' columns (positions, velocities, torques) with which plain least squares
/// explain data best, if that leaves at most half of the error: data of a robot whose joints were
/// confused can be fitted, and badly. Looks at no more than a thousand samples of robots whose joints
/// all turn about or slide along one axis.
std::optional<Exchange> find_exchange(const TorqueModel& model, const BaseParameters& base,
                                      const TorqueData& data);

}  // namespace ulna::identify
