#define ULNA_IMPORTS_NUMPY
#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "errors.hpp"
#include "function.hpp"
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
  ulna::python::register_errors();
  ulna::python::register_function(module);
  ulna::python::register_engine(module);
}
