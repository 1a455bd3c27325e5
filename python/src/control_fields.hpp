#pragma once

#include "capsule_fields.hpp"
#include "engine.hpp"
#include "qp_fields.hpp"
#include "simulate_fields.hpp"
#include "ulna/control/robot/robot_problem.hpp"
#include "ulna/control/sqp.hpp"

namespace ulna::python {

ULNA_PYTHON_WORDS(control::Transcription, forward_dynamics, inverse_dynamics)
ULNA_PYTHON_WORDS(control::LoopForm, rows, coordinates)
ULNA_PYTHON_WORDS(control::SqpStatus, solved, limited, stalled, infeasible, failed)
ULNA_PYTHON_FIELDS(control::MotionWeights, position, velocity, torque, terminal, time)
ULNA_PYTHON_FIELDS(control::MotionLimits, lower, upper, velocity, torque, torque_rate, price,
                   price_squared)
ULNA_PYTHON_FIELDS(control::FrameTask, frame, position, orientation)
ULNA_PYTHON_FIELDS(control::ContactTask, frame, normal, friction, weight, most)
ULNA_PYTHON_FIELDS(control::RobotProblemOptions, transcription, integrator, threads, steps,
                   duration, durations, final_time, initial_given, final_given, frames, closed_at,
                   loop_form, contact, collisions, collision_price, collision_price_squared)
ULNA_PYTHON_FIELDS(control::SqpOptions, tolerance, iterations, exact_hessian, elastic, qp)
ULNA_PYTHON_FIELDS(control::SqpReport, status, iterations, qp_iterations, cost, slope, defect,
                   breach, qp)

/// Sets what a dict gives; weights and limits begin as the robot has them, and loops=True closes those of its file.
void read_problem(const py::dict& given, const Engine& engine,
                  control::RobotProblemOptions& options);

/// A time that is so many seconds from now, as solvers take it.
control::Sqp::Deadline deadline_in(const std::optional<double>& seconds);

}  // namespace ulna::python
