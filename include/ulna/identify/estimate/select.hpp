#pragma once

#include <functional>
#include <optional>

#include "ulna/identify/estimate/estimate.hpp"

/// How much of a model the data can bear, and whether its joints are those of the data.
namespace ulna::identify {

/// The base parameters that matter: one after the other, the one that explains least is set to zero,
/// while that costs less than it saves by the Bayesian information criterion [Schwarz 1978; essential
/// parameters: Pham, Gautier 1991].
struct Essential {
  std::vector<int> kept;     ///< as positions among the base parameters
  std::vector<int> dropped;  ///< the least important first
  Vector values, deviation;  ///< of those kept, with the others at zero
};
Essential essential_parameters(const TorqueModel& model, const BaseParameters& base,
                               const TorqueData& data);

/// How well an estimate explains motion that it was not made from: the data is cut into as many parts, in
/// time, and each is predicted by what was found from the others. `go_on` is called with how many are done;
/// if it returns false, the fit is that of these.
Fit cross_validate(const TorqueModel& model, const BaseParameters& base, const TorqueData& data,
                   const EstimateOptions& options, int parts = 5,
                   const std::function<bool(int done)>& go_on = {});

/// Two degrees of freedom whose columns seem to stand in each other's place.
struct Exchange {
  int one = 0, other = 0;
  bool torques_only = false;  ///< of positions and velocities too, or of torques alone
  /// Torque unexplained: the mean of the joints whose torques are more than noise.
  double before_percent = 0.0, after_percent = 0.0;
};

/// The exchange of two joints' columns (positions, velocities and torques, or torques alone) with which plain least squares
/// explain data best, if that leaves at most half of the error: data of a robot whose joints were
/// confused can be fitted, and badly. Looks at no more than a thousand samples of robots whose joints
/// all turn about or slide along one axis.
std::optional<Exchange> find_exchange(const TorqueModel& model, const BaseParameters& base,
                                      const TorqueData& data);

/// Torques that seem to be measured with another sign or in another unit.
struct Rescaling {
  int joint = -1;       ///< degree of freedom; -1: all of them
  double factor = 1.0;  ///< that makes them right
  /// Torque unexplained: the mean of the joints whose torques are more than noise.
  double before_percent = 0.0, after_percent = 0.0;
};

/// The joint whose torque, multiplied by a number, lets plain least squares explain data best; or all
/// joints, if bodies that can exist explain the torques with the other sign, in thousands or thousandths.
/// Nothing unless that leaves at most half of the error. Looks at no more than a thousand samples.
std::optional<Rescaling> find_rescaling(const TorqueModel& model, const BaseParameters& base,
                                        const TorqueData& data, const PriorOptions& prior = {});

}  // namespace ulna::identify
