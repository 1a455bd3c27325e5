#pragma once

#include "ulna/simulate/step.hpp"

namespace ulna::detail {

/// Each stage starts from the beginning, goes `reach` of the step with the rates of the stage before
/// it, and counts with its weight [Hairer, Nørsett, Wanner 1993, sec. II.1].
struct Tableau {
  int stages;
  double reach[4], weight[4];
};

inline const Tableau& tableau(Integrator integrator) {
  static constexpr Tableau euler{1, {0.0}, {1.0}}, midpoint{2, {0.0, 0.5}, {0.0, 1.0}},
      rk4{4, {0.0, 0.5, 0.5, 1.0}, {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0}};
  switch (integrator) {
    case Integrator::euler:
    case Integrator::semi_implicit_euler:
      break;
    case Integrator::midpoint:
      return midpoint;
    case Integrator::rk4:
      return rk4;
  }
  return euler;
}

}  // namespace ulna::detail
