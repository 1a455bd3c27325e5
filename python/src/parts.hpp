#pragma once

#include "numpy.hpp"

/// The parts of the module beyond the functions of a robot, a file each. Every one adds its types and functions.
namespace ulna::python {

void register_codegen(py::module_& module);       ///< generated code, compiled
void register_loops(py::module_& module);         ///< robots whose loops are closed
void register_control(py::module_& module);       ///< optimal control problems in stages
void register_controller(py::module_& module);    ///< predictive control that identifies
void register_elastic(py::module_& module);       ///< predictive control of robots with springs
void register_equations(py::module_& module);     ///< in symbols
void register_excitation(py::module_& module);    ///< motions that identify
void register_formulations(py::module_& module);  ///< of the textbooks
void register_identification(py::module_& module);
void register_online(py::module_& module);         ///< the online estimator
void register_robot_problem(py::module_& module);  ///< optimal control of robots
void register_simulation(py::module_& module);
void register_supervisor(py::module_& module);
void register_trial(py::module_& module);  ///< trials of controllers
void register_viewer(py::module_& module);  ///< robots in a browser
void register_world(py::module_& module);  ///< scenes and contact

}  // namespace ulna::python
