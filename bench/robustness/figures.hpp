#pragma once

#include "rows.hpp"

namespace robustness {

/// What came of a trial.
struct Figures {
  bool finished = false, supervised = false;
  double error = 0.0, error_later = 0.0;  ///< mrad, from the pick-up and a second after it on
  double largest = 0.0, final = 0.0;      ///< mrad, of a joint
  double after = 0.0;  ///< mrad, from half a second after a disturbance on; 0 where none ends
  double speed = 0.0, torque = 0.0, grip = 0.0;  ///< largest, over the limit
  double mass = 0.0, mass_deviation = 0.0;       ///< kg
  long changes = 0, safe = 0;
  long stops = 0;       ///< by the supervisor
  bool goes_on = true;  ///< at the end
  double named_ms =
      0.0;  ///< until what is wrong was named; infinite: never; 0: nothing was to be named
  std::string first_stop = {};
  double step_us = 0.0;
};

Figures figures_of(const Row& row, const Case& c, const ulna::mpc::TrialResult& result);

/// What is asked of a row and was not reached; empty: nothing.
std::string misses(const Row& row, const Figures& figures);

}  // namespace robustness
