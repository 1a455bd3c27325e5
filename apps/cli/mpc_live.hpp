#pragma once

#include "mpc_scenario.hpp"

namespace ulna::cli {

/// A playground with the robot of a scenario that is complete, and the other embedded robots, until Ctrl-C.
int play(Console& console, const Model& model, const MpcScenario& scenario, const Json& about,
         int port, bool open);

}  // namespace ulna::cli
