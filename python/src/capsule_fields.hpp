#pragma once

#include "fields.hpp"
#include "ulna/constraints/capsules.hpp"

namespace ulna::python {

ULNA_PYTHON_FIELDS(PlacedCapsule, from, to, radius)
ULNA_PYTHON_FIELDS(BodyCapsule, body, capsule)
ULNA_PYTHON_FIELDS(Capsules::Options, radius, floor, distance, self, capsules, obstacles)

}  // namespace ulna::python
