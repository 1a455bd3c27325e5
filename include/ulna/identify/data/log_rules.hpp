#pragma once

#include "ulna/model/rule_list.hpp"

/// Every rule that a log can break, in one place: identifier, name, severity, meaning, remedy.
/// docs/identification.md explains them.
// clang-format off
#define ULNA_LOG_RULES(X) \
  /* the table */ \
  X(unreadable, "log-unreadable", error, "the table cannot be read", "give a CSV file with a header line of names and rows of numbers, or a file of another kind that docs/formats.md lists") \
  X(too_large, "log-too-large", error, "the log exceeds the limit on numbers", "give a part of it, or raise LogOptions::max_numbers") \
  X(columns, "log-columns", error, "a column that is needed is missing, given in part, given twice or unknown", "name the columns t, q_<joint>, qd_<joint>, tau_<joint>, or t, q1, q2, ..., see docs/formats.md") \
  X(container, "log-container", note, "a part of a bag or of a file of arrays is used", "none needed if it is the right one; otherwise write a file with this part alone") \
  X(joint_kind, "log-joint-kind", error, "a joint has several coordinates, which cannot be filtered separately", "lock the joint, or identify the arm without it") \
  X(too_short, "log-too-short", error, "too few rows are left", "record at least some seconds of motion") \
  X(mostly_lost, "log-mostly-lost", error, "so many rows had to be dropped that the rest cannot be trusted", "repair the recording; the other messages list what was dropped") \
  /* rows */ \
  X(row_corrupt, "log-row-corrupt", warning, "rows have cells that are not finite numbers, or too many or too few cells", "none needed if they are few; otherwise repair the logger") \
  X(outlier, "log-outlier", warning, "values are outliers: no motion can reach them", "none needed if they are few; otherwise repair the logger") \
  X(row_duplicate, "log-row-duplicate", warning, "rows occur twice, with the same time", "none needed if they are few; otherwise repair the logger") \
  X(row_held, "log-row-held", note, "measurements repeat the previous row at a later time", "log at the rate at which the robot measures") \
  X(wrapped, "log-wrapped", note, "an angle jumps by a full turn", "none needed") \
  X(jump, "log-jump", warning, "a position jumps farther than the joint can move", "cut the log there into separate files if these are several recordings") \
  /* the clock */ \
  X(time_backwards, "log-time-backwards", warning, "time goes backwards", "give each recording as a separate file") \
  X(time_stands, "log-time-stands", warning, "time does not advance while the robot moves", "log the time with more digits") \
  X(clock, "log-clock", note, "rate and jitter of the clock", "none needed") \
  X(gap, "log-gap", warning, "samples are missing", "none needed if they are few; otherwise repair the logger") \
  X(mixed_rates, "log-mixed-rates", warning, "parts of the log were sampled at different rates", "record at one rate, or give the parts as separate files") \
  X(rate_low, "log-rate-low", error, "the sampling rate is too low for the filter", "lower the cut-off, or sample faster; the clock must count seconds") \
  X(rate_scant, "log-rate-scant", warning, "the sampling rate is low for the filter: accelerations lose accuracy", "lower the cut-off, or sample faster") \
  /* the joints */ \
  X(still, "log-still", warning, "a joint never moves", "move it; otherwise its parameters stay at the prior") \
  X(no_motion, "log-no-motion", error, "no joint moves", "record a motion: ulna excite designs one") \
  X(constant, "log-constant", warning, "a measurement never changes", "check the sensor and the logger") \
  X(limits, "log-limits", warning, "positions lie outside the limits of the joint", "check the order of the columns, the units and the limits of the description") \
  X(far_outside, "log-far-outside", error, "positions lie far outside the limits of the joint", "check the order of the columns, the units and the zero positions; correct the limits if they are wrong") \
  X(units, "log-units", error, "positions, velocities or time are in other units than radians and seconds", "convert the columns to radians (metres), radians per second and seconds") \
  X(swapped, "log-swapped", error, "the velocity of a joint is that of another", "correct the order of the columns") \
  X(sign, "log-sign", error, "a velocity has the wrong sign", "correct the sign of the column") \
  X(velocity_unrelated, "log-velocity-unrelated", error, "a velocity is not the rate of its position", "correct the columns, or leave the velocities out") \
  X(velocity_differs, "log-velocity-differs", warning, "a velocity is only approximately the rate of its position", "check the units and the clock, or leave the velocities out") \
  X(motor_position, "log-motor-position", error, "the position of a motor is not near that of its joint", "give theta as it is seen at the joint: the angle of the motor divided by its gear ratio, zero where the joint's is") \
  X(no_torque, "log-no-torque", error, "all torques or currents are zero", "log the torques of the joints") \
  X(torque_swapped, "log-torque-swapped", warning, "the torque of a joint looks like that of another", "correct the order of the columns") \
  X(torque_limits, "log-torque-limits", warning, "torques are above the effort limit of the joint", "check that torques are in Nm (forces in N); correct the limit if it is wrong") \
  X(torque_saturated, "log-torque-saturated", warning, "torques stay at the effort limit of the joint", "log the torques that acted, not those that were asked for; make the motion slower") \
  X(torque_double, "log-torque-double", note, "both torques and currents are given", "give gains to use the currents") \
  X(contact, "log-contact", warning, "for a while torques are far from what explains all others: something touched the robot", "none needed if something touched it; otherwise look at the torques there") \
  X(repeated, "log-repeated", warning, "samples of a log also occur in another log", "give each recording once; validate on motion that is not fitted") \
  X(piece_short, "log-piece-short", warning, "a piece between gaps is too short to be filtered", "none needed")
// clang-format on

namespace ulna::identify::log_rules {
ULNA_DEFINE_RULES(ULNA_LOG_RULES)
}  // namespace ulna::identify::log_rules

#undef ULNA_LOG_RULES
