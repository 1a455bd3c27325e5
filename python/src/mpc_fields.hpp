#pragma once

#include "control_fields.hpp"
#include "online_fields.hpp"
#include "ulna/mpc/elastic_controller.hpp"

namespace ulna::python {

ULNA_PYTHON_WORDS(mpc::TorqueSource, commanded, measured)
ULNA_PYTHON_WORDS(mpc::DriveControl, plan, feedforward, ignore)
ULNA_PYTHON_WORDS(mpc::ActionKind, planned, older, safe)
ULNA_PYTHON_WORDS(mpc::ActionFault, none, not_measured, stale, not_prepared, late, not_solved,
                  no_reference)
ULNA_PYTHON_FIELDS(mpc::GoalLimits, velocity, acceleration)
ULNA_PYTHON_FIELDS(mpc::PoseLimits, linear_velocity, linear_acceleration, angular_velocity,
                   angular_acceleration)
ULNA_PYTHON_FIELDS(mpc::ControllerOptions, rate_hz, identify, observe_disturbance, disturbance_rate,
                   torques, features, filter_hz, torque_noise, online, payload_body, change_after,
                   deadline, patience, safe_damping)
ULNA_PYTHON_FIELDS(mpc::Payload, mass, deviation, first_moment)

/// Of a controller; the key "problem" is a dict for read_problem.
mpc::ControllerOptions controller_options(const py::dict& given, const Engine& engine);

/// A motion as C++ has it, or a Python function of time that returns q, or (q, v).
mpc::MotionReference reference_of(const py::object& motion, const Engine& engine,
                                  std::shared_ptr<class KeptError> errors);

/// Where a frame is to be: a Python function of time that returns a pose (4, 4).
mpc::FrameReference frame_reference_of(const py::object& motion,
                                       std::shared_ptr<class KeptError> errors);

/// A motion of C++ that Python holds: called with a time, it returns (q, v).
struct HeldMotion {
  mpc::MotionReference at;
  Index nq, nv;
};
/// The same of links on springs: it returns q and four derivatives.
struct SmoothHeld {
  mpc::SmoothReference at;
  int nv;
};

}  // namespace ulna::python
