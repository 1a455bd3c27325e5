#pragma once

#include "mpc/fallback.hpp"
#include "mpc/friction_compensator.hpp"
#include "mpc/planner.hpp"
#include "mpc/plant_estimator.hpp"

namespace ulna::mpc {

struct IdentifyingController::Parts {
  Parts(const Model& model, const ControllerOptions& options);

  ControllerOptions options;
  Plant<double> plant;
  PlantEstimator estimator;
  Planner planner;
  FrictionCompensator friction;
  Fallback fallback;

  Vector q, v;  ///< the state, measured or expected
  Vector tau;
  ActionKind kind = ActionKind::safe;
  ActionFault fault = ActionFault::none;
  double act_us = 0.0, update_us = 0.0, identify_us = 0.0;
};

}  // namespace ulna::mpc
