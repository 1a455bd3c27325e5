#pragma once

#include "numpy.hpp"
#include "ulna/model/diagnostic.hpp"

namespace ulna::python {

/// A list of ulna.Diagnostic.
py::tuple diagnostics_of(const Diagnostics& diagnostics);

/// In a catch block: sets Python's error to what was caught, in the words of C++.
void set_error() noexcept;

/// The same for functions that pybind11 calls.
void register_errors();

}  // namespace ulna::python
