#pragma once

#include "engine.hpp"
#include "fields.hpp"
#include "ulna/simulate/changes.hpp"

namespace ulna::python {

ULNA_PYTHON_FIELDS(RandomChange, inertia, friction, armature)

/// What a body is: {"frame": ..., "mass": kg, "com": (3,), "inertia": (3, 3) about it}.
struct PayloadOptions {
  std::string frame;
  double mass = 0.0;
  Vec3<double> com = Vec3<double>::Zero();
  Mat3<double> inertia = Mat3<double>::Zero();
};
ULNA_PYTHON_FIELDS(PayloadOptions, frame, mass, com, inertia)

/// What becomes of a simulated robot, from a list of dicts: {"at": s, "payload": {...}}, {"at": s, "drop": {...}},
/// {"at": s, "until": s, "friction": factor}, {"at": s, "gravity": (3,)}, {"at": s, "random": {...}, "seed": n}. Frames are
/// those of the engine, which must outlive the schedule.
Schedule schedule_of(const py::object& list, const Engine& engine);

}  // namespace ulna::python
