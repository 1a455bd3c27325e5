#pragma once

#include "fields.hpp"
#include "ulna/supervise/supervisor.hpp"

namespace ulna::python {

ULNA_PYTHON_WORDS(supervise::State, run, hold, stop, fault)
ULNA_PYTHON_WORDS(supervise::Reaction, report, stop, compliant, retreat)
ULNA_PYTHON_WORDS(supervise::TorqueSide, motor, link)
ULNA_PYTHON_FIELDS(supervise::Limits, lower, upper, speed, acceleration, braking, torque,
                   torque_rate, weight)
ULNA_PYTHON_FIELDS(supervise::Options, rate_hz, drive_delay, rest_speed, friction_speed,
                   position_noise, late_after, patience, blind_after, release, torque_side,
                   observer_gain, reaction, collision_torque, collision_share, collision_time,
                   retreat_time, retreat_share, hold_hz, resume_after)

/// Causes are too many to list: their words are one way only.
inline py::object event_of(const supervise::Event& event) {
  return py::make_tuple(event.time, to_string(event.cause), event.ended, event.joint, event.value,
                        event.limit);
}

/// The key "limits" is a dict that begins as the robot has them.
supervise::Options supervision_options(const py::dict& given, const Model& model);

}  // namespace ulna::python
