#include "callback.hpp"
#include "parts.hpp"
#include "supervise_fields.hpp"
#include "ulna/supervise/momentum_observer.hpp"

/// What stands between any controller and any robot.
namespace ulna::python {

using supervise::Supervisor;

supervise::Options supervision_options(const py::dict& given, const Model& model) {
  supervise::Options options;
  py::dict rest;
  for (const auto& [key, value] : items_of(given, "options")) {
    if (key == "limits") {
      options.limits.emplace(model);
      read_fields(value, *options.limits, key);
    } else {
      rest[key.c_str()] = value;
    }
  }
  read_fields(rest, options);
  return options;
}

ULNA_PYTHON_FIELDS(supervise::MomentumObserverOptions, gain, rest_speed, side)

namespace {

/// A momentum observer with the robot that it observes.
struct Observed {
  Observed(py::object robot, const py::dict& given)
      : owner(std::move(robot)),
        engine(owner.cast<const Engine&>()),
        now(engine.model, options_of<supervise::MomentumObserverOptions>(given)) {}

  py::object owner;
  const Engine& engine;
  supervise::MomentumObserver now;
};

VectorXd update(Observed& o, const py::object& q, const py::object& v, const py::object& tau,
                double dt) {
  o.now.update(o.engine.plant, vector_of({"q", Role::configuration}, q, o.engine),
               vector_of({"v", Role::velocity}, v, o.engine),
               vector_of({"tau", Role::velocity}, tau, o.engine), dt);
  return o.now.torque();
}

struct Supervised {
  Supervised(py::object robot, const py::dict& given)
      : owner(std::move(robot)),
        engine(owner.cast<const Engine&>()),
        now(engine.model, supervision_options(given, engine.model)) {}

  py::object owner;
  const Engine& engine;
  Supervisor now;
};

/// Sizes are its own to judge: a reading of a wrong size is a cause to stop.
VectorXd filter(Supervised& s, double time, double reading_time, const VectorXd& q,
                const VectorXd& v, const VectorXd& measured, const VectorXd& wanted,
                const Engine* robot) {
  return robot ? s.now.filter(robot->plant, time, reading_time, q, v, measured, wanted)
               : s.now.filter(time, reading_time, q, v, measured, wanted);
}

py::list events(const Supervised& s) {
  py::list list;
  for (int i = 0; i < s.now.events().size(); ++i) list.append(event_of(s.now.events()[i]));
  return list;
}

py::dict counts(const Supervised& s) {
  py::dict d;
  for (int i = 1; i < supervise::cause_count; ++i) {
    const auto cause = static_cast<supervise::Cause>(i);
    if (s.now.count(cause) > 0) d[to_string(cause)] = s.now.count(cause);
  }
  return d;
}

}  // namespace

void register_supervisor(py::module_& module) {
  using S = Supervised;
  add_defaults<supervise::MomentumObserverOptions>(module, "MomentumObserver");
  py::class_<Observed>(module, "MomentumObserver")
      .def(py::init<py::object, py::dict>())
      .def("update", &update)
      .def("reset", [](Observed& o, bool keep) { o.now.reset(keep); })
      .def_property_readonly("torque", [](const Observed& o) { return o.now.torque(); })
      .def_property_readonly("torque_of_period",
                             [](const Observed& o) { return o.now.torque_of_period(); });
  add_defaults<supervise::Options>(module, "Supervisor");
  py::class_<S>(module, "Supervisor")
      .def(py::init<py::object, py::dict>())
      .def("filter", &filter)
      .def("reset", [](S& s) { return to_string(s.now.reset()); })
      .def("request_hold", [](S& s, bool hold) { s.now.request_hold(hold); })
      .def("restart", [](S& s) { s.now.restart(); })
      .def_property_readonly("state", [](const S& s) { return written(s.now.state()); })
      .def_property_readonly("cause", [](const S& s) { return to_string(s.now.cause()); })
      .def_property_readonly("brake", [](const S& s) { return s.now.brake(); })
      .def_property_readonly("report", [](const S& s) { return std::string(s.now.report()); })
      .def_property_readonly("events", &events)
      .def_property_readonly("counts", &counts)
      .def_property_readonly("external_torque", [](const S& s) { return s.now.external_torque(); })
      .def_property_readonly("q", [](const S& s) { return s.now.q(); })
      .def_property_readonly("v", [](const S& s) { return s.now.v(); })
      .def_property_readonly("limits", [](const S& s) { return written(s.now.limits()); })
      .def_property_readonly("drive_lag", [](const S& s) { return s.now.drive_lag(); });
}

}  // namespace ulna::python
