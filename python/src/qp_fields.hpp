#pragma once

#include "fields.hpp"
#include "ulna/control/qp.hpp"

namespace ulna::python {

ULNA_PYTHON_WORDS(control::QpStatus, solved, limited, infeasible, failed)
ULNA_PYTHON_FIELDS(control::QpOptions, tolerance, iterations, start, warm_start)

}  // namespace ulna::python
