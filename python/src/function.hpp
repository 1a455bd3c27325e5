#pragma once

#include "numpy.hpp"
#include "spec.hpp"

namespace ulna::python {

/// Adds the type Function to the module.
void register_function(py::module_& module);

/// A function of a robot, to be called from Python; keeps `owner`, the engine's Python object, alive.
py::object make_function(const py::object& owner, Engine& engine, const Spec& spec);

}  // namespace ulna::python
