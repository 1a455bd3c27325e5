#define ULNA_IMPORTS_NUMPY
#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "errors.hpp"
#include "function.hpp"
#include "parts.hpp"
#include "robot.hpp"

namespace {

int import_numpy() {
  import_array1(-1);
  return 0;
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  if (import_numpy() < 0) throw py::error_already_set();
  module.doc() = "The part of the package ulna that is written in C++.";
  module.attr("__version__") = ULNA_VERSION;
  module.attr("defaults") = py::dict();
  ulna::python::register_errors();
  ulna::python::register_function(module);
  ulna::python::register_engine(module);
  for (const auto part : {ulna::python::register_codegen, ulna::python::register_control,
                          ulna::python::register_controller, ulna::python::register_elastic,
                          ulna::python::register_equations, ulna::python::register_excitation,
                          ulna::python::register_formulations,
                          ulna::python::register_identification, ulna::python::register_loops,
                          ulna::python::register_online, ulna::python::register_robot_problem,
                          ulna::python::register_simulation, ulna::python::register_supervisor,
                          ulna::python::register_trial, ulna::python::register_viewer,
                          ulna::python::register_world})
    part(module);
}
