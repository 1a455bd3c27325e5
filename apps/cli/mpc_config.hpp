#pragma once

#include <map>

#include "mpc_scenario.hpp"

namespace ulna::cli {

/// A scenario and its robot's name from a file in YAML; docs/mpc.md lists its keys. Throws UsageError
/// with file and line.
struct MpcConfig {
  std::string robot;
  MpcScenario scenario;
  std::map<std::string, int> lines;  ///< of its keys, as ScenarioError names them
};
MpcConfig read_mpc_config(const std::string& path);

/// Whether a name on the command line is that of such a file.
bool is_mpc_config(std::string_view name);

}  // namespace ulna::cli
