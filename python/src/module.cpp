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
  namespace parts = ulna::python;
  for (const auto part : {parts::register_codegen,        parts::register_contact,
                          parts::register_control,        parts::register_controller,
                          parts::register_description,    parts::register_elastic,
                          parts::register_equations,      parts::register_excitation,
                          parts::register_formulations,   parts::register_geometry,
                          parts::register_identification, parts::register_loops,
                          parts::register_online,         parts::register_qp,
                          parts::register_robot_problem,  parts::register_simplified,
                          parts::register_simulation,     parts::register_steps,
                          parts::register_supervisor,     parts::register_trial,
                          parts::register_viewer,         parts::register_world})
    part(module);
}
