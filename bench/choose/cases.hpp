#pragma once

#include <string>
#include <vector>

#include "ulna/identify/identify.hpp"

/// Simulated robots whose torques have effects that their descriptions lack.
namespace bench {

struct ChooseCase {
  std::string name, what;
  ulna::Model described;
  std::string log;    ///< as recorded (CSV)
  std::string fresh;  ///< another motion without noise
  double late = 0.0;  ///< s
  ulna::identify::Effects effects = {};
};

std::vector<std::string> choose_cases();
/// Throws std::invalid_argument for another name. The log is `seconds` long.
ChooseCase choose_case(const std::string& name, unsigned seed, double seconds = 30.0);

}  // namespace bench
