#pragma once

#include "fields.hpp"
#include "ulna/simulate/changes.hpp"
#include "ulna/simulate/sensors.hpp"
#include "ulna/simulate/simulation.hpp"

namespace ulna::python {

ULNA_PYTHON_WORDS(Integrator, euler, semi_implicit_euler, midpoint, rk4)
ULNA_PYTHON_WORDS(SimulationStatus, moved, bad_argument, torque_not_finite, plant_not_physical,
                  diverged, gave_up, stopped)
ULNA_PYTHON_FIELDS(AdaptiveOptions, relative, absolute, order)
ULNA_PYTHON_FIELDS(SimulationOptions, integrator, substep, adaptive, torque_limits, stops, loops)
ULNA_PYTHON_FIELDS(SimulationWork, torques, wrenches, changes, damping, friction, stops,
                   corrections)
ULNA_PYTHON_FIELDS(SimulationCounts, steps, clamped, events, hits, crowds, divided, slowed)
ULNA_PYTHON_FIELDS(SensorOptions, noise, bias, quantum, delay, dropout, not_a_number)
ULNA_PYTHON_FIELDS(SensorsOptions, position, velocity, torque, acceleration, velocity_by_difference,
                   accelerations, seed)

}  // namespace ulna::python
