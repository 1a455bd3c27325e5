#pragma once

#include "ulna/identify/estimate/estimate.hpp"

/// How much of a model the data can bear.
namespace ulna::identify {

/// The base parameters that matter: one after the other, the one that explains least is set to zero,
/// while that costs less than it saves by the Bayesian information criterion [Schwarz 1978; essential
/// parameters: Pham, Gautier 1991].
struct Essential {
  std::vector<int> kept;              ///< as positions among the base parameters
  std::vector<int> dropped;           ///< the least important first
  Eigen::VectorXd values, deviation;  ///< of those kept, with the others at zero
};
Essential essential_parameters(const TorqueModel& model, const BaseParameters& base,
                               const TorqueData& data);

/// How well an estimate explains motion that it was not made from: the data is cut into as many parts, in
/// time, and each is predicted by what was found from the others.
Fit cross_validate(const TorqueModel& model, const BaseParameters& base, const TorqueData& data,
                   const EstimateOptions& options, int parts = 5);

}  // namespace ulna::identify
