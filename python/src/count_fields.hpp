#pragma once

#include "fields.hpp"
#include "ulna/num/counted.hpp"

namespace ulna::python {

ULNA_PYTHON_FIELDS(OperationCount, multiplications, additions, divisions, square_roots,
                   trigonometric)

}  // namespace ulna::python
