#include "ulna/mpc/trial.hpp"
#include "callback.hpp"
#include "changes.hpp"
#include "mpc_fields.hpp"
#include "parts.hpp"
#include "supervise_fields.hpp"

/// Trials of controllers on simulated robots that are not what their models say.
namespace ulna::python {

using mpc::TrialOptions;
using mpc::TrialResult;

ULNA_PYTHON_WORDS(mpc::Knowledge, identified, offset_free, fixed, perfect)
ULNA_PYTHON_WORDS(mpc::ControlLaw, mpc, computed_torque, gravity_pd)
ULNA_PYTHON_WORDS(rig::PlantKind, ulna, mujoco)
ULNA_PYTHON_WORDS(rig::TorqueFault::Kind, dead, frozen, negated)
ULNA_PYTHON_FIELDS(rig::Interval, from, to)
ULNA_PYTHON_FIELDS(rig::Push, force, when)
ULNA_PYTHON_FIELDS(rig::Grip, coordinate, when)
ULNA_PYTHON_FIELDS(rig::Wall, point, normal, stiffness, damping)
ULNA_PYTHON_FIELDS(rig::TorqueFault, kind, coordinate, when)
ULNA_PYTHON_FIELDS(rig::Reality, seed, gravity, rotor_inertia, friction_by_direction,
                   friction_asymmetry, stribeck, stribeck_velocity, ripple, gear_ratio, drive_lag,
                   action_delay, late_share, late_by, pushes, grips, wall, link_side_torque,
                   commanded_torque, torque_offset, torque_gain, torque_faults, silences)
ULNA_PYTHON_FIELDS(mpc::TrackingError, rms, rms_from, largest, final, kept_away, rms_following)
ULNA_PYTHON_FIELDS(mpc::StepTimes, mean, p50, p95, p99, max, act_p50, identify_p50, deadline_misses)

ULNA_PYTHON_WORDS(rig::MujocoIntegrator, implicit, rk4)
ULNA_PYTHON_FIELDS(rig::MujocoOptions, integrator, step, creeping_friction, torque_limits, stops)
ULNA_PYTHON_WORDS(mpc::TrialFault::Kind, sensor_nan, sensor_dropped, deadline_missed, solver_failed)
ULNA_PYTHON_FIELDS(mpc::TrialFault, kind, from, to)
ULNA_PYTHON_FIELDS(mpc::WrenchSensor, body, moment_noise, force_noise)
ULNA_PYTHON_FIELDS(mpc::Vibration, joints, tip)
ULNA_PYTHON_FIELDS(TrialOptions, duration, law, knowledge, stiffness, drives, bandwidth, rests_from,
                   plant, simulation, mujoco, sensors, reality, wrench_sensors, reset_after, q0,
                   faults, late_actions, skipped_updates, count_from, record_hz)

namespace {

TrialOptions trial_options(const py::dict& given, const Engine& engine) {
  TrialOptions options;
  py::dict rest;
  for (const auto& [key, value] : items_of(given, "options")) {
    if (key == "control")
      options.control = controller_options(value, engine);
    else if (key == "supervision")
      options.supervision = supervision_options(value, engine.model);
    else if (key == "changes")
      options.changes = schedule_of(value, engine);
    else
      rest[key.c_str()] = value;
  }
  read_fields(rest, options);
  return options;
}

py::dict record_of(const mpc::TrialRecord& r) {
  py::dict d;
  d["t"] = r.time, d["kind"] = r.kind;
  d["q"] = rows_of(r.q), d["q_reference"] = rows_of(r.q_reference), d["tau"] = rows_of(r.tau);
  d["q_measured"] = rows_of(r.q_measured), d["tau_measured"] = rows_of(r.tau_measured);
  d["mass"] = rows_of(r.mass), d["true_mass"] = rows_of(r.true_mass);
  d["dry"] = rows_of(r.dry), d["true_dry"] = rows_of(r.true_dry);
  return d;
}

/// How many times each of some enumerators came up.
template <class E, std::size_t N>
py::dict counted(const std::array<long, N>& counts) {
  py::dict d;
  for (std::size_t i = 0; i < N; ++i)
    if (counts[i] > 0) d[python::written(static_cast<E>(i))] = counts[i];
  return d;
}

VectorXd inertial(const Plant<double>& plant) {
  VectorXd pi(plant.inertial_size());
  plant.get_inertial(pi);
  return pi;
}

py::dict written(const TrialResult& r) {
  py::dict d;
  d["finished"] = r.finished, d["status"] = python::written(r.status), d["steps"] = r.steps;
  d["error"] = python::written(r.error), d["times"] = python::written(r.times);
  d["vibration"] = python::written(r.vibration);
  d["actions"] = counted<mpc::ActionKind>(r.actions);
  d["faults"] = counted<mpc::ActionFault>(r.faults);
  d["supervised"] = counted<supervise::State>(r.supervised);
  py::dict causes;
  for (std::size_t i = 0; i < r.causes.size(); ++i)
    if (r.causes[i] > 0) causes[to_string(static_cast<supervise::Cause>(i))] = r.causes[i];
  d["causes"] = causes;
  py::list events;
  for (const supervise::Event& event : r.events) events.append(event_of(event));
  d["events"] = events;
  d["last_state"] = python::written(r.last_state), d["last_report"] = r.last_report;
  d["torque_breaches"] = r.torque_breaches, d["changes_noticed"] = r.changes_noticed;
  d["restarts"] = r.restarts, d["saturated"] = r.saturated;
  d["largest_grip"] = r.largest_grip, d["largest_speed"] = r.largest_speed;
  d["largest_torque"] = r.largest_torque;
  d["payload"] = python::written(r.payload);
  d["consistent_always"] = r.consistent_always;
  d["parameters"] = inertial(r.estimated), d["true_parameters"] = inertial(r.truth);
  d["z"] = r.z, d["record"] = record_of(r.record);
  return d;
}

py::dict run(const py::object& owner, const py::object& motion, const py::dict& given,
             const py::object& progress) {
  const Engine& engine = owner.cast<const Engine&>();
  const TrialOptions options = trial_options(given, engine);
  const auto errors = std::make_shared<KeptError>();
  // links on springs need a motion with four derivatives
  const bool springs = py::isinstance<SmoothHeld>(motion);
  const mpc::SmoothReference smooth =
      springs ? motion.cast<const SmoothHeld&>().at : mpc::SmoothReference();
  const mpc::MotionReference reference =
      springs ? mpc::MotionReference() : reference_of(motion, engine, errors);
  long calls = 0;
  const auto report = [&](double share) {
    bool go_on = true;
    if (calls++ % 100 == 0) {
      const py::gil_scoped_acquire gil;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress.is_none()) go_on = !progress(share).is(py::bool_(false));
    }
    return go_on;
  };
  std::optional<TrialResult> result;
  try {
    const py::gil_scoped_release free;
    result.emplace(springs ? mpc::run_elastic_trial(engine.model, smooth, options, report)
                           : mpc::run_trial(engine.model, reference, options, report));
  } catch (...) {
    errors->raise();
    throw;
  }
  errors->raise();
  return written(*result);
}

/// A motion that C++ computes.
HeldMotion reach_and_wave(const Engine& e, const VectorXd& from, const VectorXd& to, double seconds,
                          const VectorXd& amplitude, const VectorXd& hz) {
  mpc::MotionReference motion = mpc::reach_and_wave(from, to, seconds, amplitude, hz);
  return {mpc::keep_closed(e.model, std::move(motion)), e.model.nq(), e.model.nv()};
}

}  // namespace

void register_trial(py::module_& module) {
  add_defaults<TrialOptions>(module, "run_trial");
  module.def("run_trial", &run);
  module.def("reach_and_wave", &reach_and_wave);
  module.def("has_mujoco", &rig::has_mujoco);
}

}  // namespace ulna::python
