#pragma once

#include "fields.hpp"
#include "ulna/identify/identify.hpp"

namespace ulna::python {

ULNA_PYTHON_WORDS(identify::Feature, viscous, coulomb, coulomb_positive, coulomb_negative, load,
                  offset, armature)
ULNA_PYTHON_WORDS(identify::Method, ols, wls, irls, tls, ridge, consistent)
ULNA_PYTHON_WORDS(identify::RefineStatus, converged, iteration_limit, time_limit, stopped, failed)
ULNA_PYTHON_FIELDS(identify::PriorOptions, deviation, from_robot, rotors, friction)
ULNA_PYTHON_FIELDS(identify::PayloadOptions, friction_change, robot_deviation)
ULNA_PYTHON_FIELDS(identify::Options, split, filter_hz, features, rotors, torque_delay, choose,
                   gains, find_gains, prior, method, payload, weighing, known_payload, folds,
                   essential, refine, stribeck, delay, ratios, base_held)
ULNA_PYTHON_FIELDS(identify::LogFigures, rows, samples, corrupt, outliers, duplicates, held,
                   out_of_time, duration, rate_hz, jitter, shortest_step, longest_step, gaps,
                   pieces)
ULNA_PYTHON_FIELDS(identify::Fit, per_joint_percent, total_percent, rms)
ULNA_PYTHON_FIELDS(identify::Excitation, rank, condition, log_det, singular_values)
ULNA_PYTHON_FIELDS(identify::Estimate, z, prior, deviation, learned, base, base_deviation, noise,
                   correlated, excitation, consistent, steps, converged)
ULNA_PYTHON_FIELDS(identify::DriveGain, gain, deviation, viscous, coulomb, offset, found,
                   determined)
ULNA_PYTHON_FIELDS(identify::JointDelay, delay, deviation, gain, offset, correlation, found)
ULNA_PYTHON_FIELDS(identify::Delay, delay, deviation, found, left, joints)
ULNA_PYTHON_FIELDS(identify::OnlineFigures, delay, rate_hz, learned, doubted, changed, ignored, run,
                   second_half, prior_percent, always_consistent, median_us, percentile_99_us)
ULNA_PYTHON_FIELDS(identify::Found, value, deviation)
ULNA_PYTHON_FIELDS(identify::Coupling, motor, joint, sign, rotor, viscous, coulomb)
ULNA_PYTHON_FIELDS(identify::Effects, torque_delay, compliance, couplings)
ULNA_PYTHON_FIELDS(identify::Tried, model, percent, per_joint_percent, gain, deviation, taken)
ULNA_PYTHON_FIELDS(identify::Choice, filter_hz, features, effects, evenness, joint_weights, band_hz,
                   highest_hz, parts, part_seconds, period, percent, tried, stopped)
ULNA_PYTHON_FIELDS(identify::Pattern, against, x, mean, deviation, share, meaning)
ULNA_PYTHON_FIELDS(identify::JointResidual, rms, torque_density, density, autocorrelation,
                   correlated_seconds, patterns, meanings)
ULNA_PYTHON_FIELDS(identify::Residuals, hz, lag, joints)
ULNA_PYTHON_WORDS(identify::LinkPayload::State, found, none, unseen)
ULNA_PYTHON_FIELDS(identify::PayloadMotion, joint, low, high, mass_deviation, com_deviation)
ULNA_PYTHON_FIELDS(identify::LinkPayload, link, state, mass, mass_deviation, com, com_deviation,
                   rotational, rotational_deviation, added, unconstrained, deviation, percent,
                   without_percent, feature_changes, samples, samples_without, reasons, helpful)
ULNA_PYTHON_FIELDS(identify::Remark, finding, text)

}  // namespace ulna::python
