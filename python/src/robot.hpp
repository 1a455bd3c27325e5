#pragma once

#include "numpy.hpp"

namespace ulna::python {

/// Adds the type Engine to the module, and what reads descriptions.
void register_engine(py::module_& module);

}  // namespace ulna::python
