#include "callback.hpp"
#include "capsule_fields.hpp"
#include "identify_fields.hpp"
#include "parts.hpp"
#include "ulna/identify/excite/excite.hpp"
#include "ulna/identify/excite/spring_excitation.hpp"

/// Motions that identify a robot.
namespace ulna::python {

ULNA_PYTHON_WORDS(identify::MotionKind, fourier, bspline)
ULNA_PYTHON_WORDS(identify::ExciteStatus, converged, iteration_limit, time_limit, stalled,
                  random_search, stopped)
ULNA_PYTHON_FIELDS(identify::ExciteOptions, kind, duration, harmonics, share, acceleration, reserve,
                   rest, known, parameters, capsules, seed, starts, iterations, seconds)
ULNA_PYTHON_FIELDS(identify::DriveSensors, link_encoders, torque_sensors)
ULNA_PYTHON_FIELDS(identify::SpringExcitationOptions, sensors, share, fast_share, fastest_hz, seed)

namespace {

using identify::ElasticMotion;

using identify::ExciteOptions;
using identify::ExciteResult;
using identify::ExcitingMotion;
using identify::TorqueModel;

/// q, v, a, ... at times: (N, joints).
py::object sampled(const ExcitingMotion& motion, const VectorXd& t, int order) {
  return rows_of(motion.at(t, order));
}

py::dict figures(const ExciteResult& r) {
  py::dict d;
  d["status"] = written(r.status);
  d["log_det"] = r.log_det, d["log_det_start"] = r.log_det_start;
  d["excitation"] = written(r.excitation);
  d["base_parameters"] = r.base_parameters, d["iterations"] = r.iterations, d["seeds"] = r.seeds;
  d["position_use"] = r.position_use, d["velocity_use"] = r.velocity_use;
  d["acceleration"] = r.acceleration, d["effort_use"] = r.effort_use;
  d["distance"] = r.distance, d["nearest"] = r.nearest, d["pairs"] = r.pairs;
  d["pairs_ignored"] = r.pairs_ignored, d["radius"] = r.radius, d["notes"] = r.notes;
  return d;
}

py::tuple excited(const Engine& e, const py::object& features, const py::dict& given,
                  const py::object& progress) {
  std::vector<identify::Feature> terms;
  read(features, terms, "features");
  auto options = options_of<ExciteOptions>(given);
  KeptError error;
  options.progress = [&](int start, int iteration, double best) {
    bool go_on = true;
    try {
      error.guard([&] {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        if (!progress.is_none()) go_on = !progress(start, iteration, best).is(py::bool_(false));
      });
    } catch (const std::runtime_error&) {
      return false;  // a solver in between may not pass errors on
    }
    return go_on;
  };
  std::optional<ExciteResult> found;
  {
    const py::gil_scoped_release free;
    found.emplace(identify::excite(TorqueModel(e.model, terms), options));
  }
  error.raise();
  return py::make_tuple(found->motion, figures(*found));
}

/// Sines on top of a slow motion, and what they show.
py::tuple springs_excited(const Engine& e, const py::object& features, const ExcitingMotion& slow,
                          const py::dict& given) {
  std::vector<identify::Feature> terms;
  read(features, terms, "features");
  const auto options = options_of<identify::SpringExcitationOptions>(given);
  const TorqueModel model(e.model, terms,
                          identify::drive_unknowns(e.model, terms, options.sensors));
  identify::SpringExcitation found = [&] {
    const py::gil_scoped_release free;
    return identify::excite_springs(model, slow, options);
  }();
  const std::vector<std::string> names = model.names();
  py::dict d;
  d["filter_hz"] = found.filter_hz, d["link_hz"] = found.link_hz;
  d["motor_use"] = found.motor_use, d["spring_use"] = found.spring_use;
  d["velocity_use"] = found.velocity_use, d["deviation"] = found.deviation;
  d["drives"] = std::vector<std::string>(names.end() - Index(model.drives().size()), names.end());
  return py::make_tuple(std::move(found.motion), d);
}

/// What motors and springs do along a motion: rows of times.
py::dict driven(const Engine& e, const ElasticMotion& motion, const VectorXd& t) {
  const identify::DrivenSamples s = identify::drive_along(e.plant, motion, t);
  py::dict d;
  d["q"] = rows_of(s.q), d["v"] = rows_of(s.v), d["a"] = rows_of(s.a), d["tau"] = rows_of(s.tau);
  d["theta"] = rows_of(s.theta), d["omega"] = rows_of(s.omega), d["spring"] = rows_of(s.spring);
  return d;
}

}  // namespace

void register_excitation(py::module_& module) {
  add_defaults<ExciteOptions>(module, "excite");
  py::class_<ExcitingMotion>(module, "ExcitingMotion")
      .def("at", &sampled)
      .def("times", [](const ExcitingMotion& m, double rate_hz) { return m.times(rate_hz); })
      .def_property_readonly("duration", [](const ExcitingMotion& m) { return m.duration(); })
      .def_property_readonly("harmonics",
                             [](const ExcitingMotion& m) { return m.basis.harmonics(); })
      .def_property_readonly("kind",
                             [](const ExcitingMotion& m) { return written(m.basis.kind()); })
      .def_property_readonly("coefficients", [](const ExcitingMotion& m) { return m.coefficients; })
      .def(py::pickle(
          [](const ExcitingMotion& m) {
            return py::make_tuple(written(m.basis.kind()), m.basis.duration(), m.basis.harmonics(),
                                  m.basis.rest(), m.coefficients);
          },
          [](const py::tuple& t) {
            identify::MotionKind kind{};
            read(t[0], kind, "kind");
            return ExcitingMotion{identify::MotionBasis(kind, t[1].cast<double>(), t[2].cast<int>(),
                                                        t[3].cast<int>()),
                                  t[4].cast<MatrixXd>()};
          }));
  py::class_<ElasticMotion>(module, "ElasticMotion")
      .def("at", [](const ElasticMotion& m, const VectorXd& t,
                    int order) { return rows_of(m.at(t).at(static_cast<std::size_t>(order))); })
      .def("times", [](const ElasticMotion& m, double rate_hz) { return m.slow.times(rate_hz); })
      .def_property_readonly("duration", [](const ElasticMotion& m) { return m.duration(); })
      .def_property_readonly("slow", [](const ElasticMotion& m) { return m.slow; })
      .def(py::pickle(
          [](const ElasticMotion& m) {
            return py::make_tuple(m.slow, m.fast.duration, m.fast.ramp, m.fast.size, m.fast.hz,
                                  m.fast.phase);
          },
          [](const py::tuple& t) {
            return ElasticMotion{t[0].cast<ExcitingMotion>(),
                                 {t[1].cast<double>(), t[2].cast<double>(), t[3].cast<MatrixXd>(),
                                  t[4].cast<MatrixXd>(), t[5].cast<MatrixXd>()}};
          }));
  add_defaults<identify::SpringExcitationOptions>(module, "excite_springs");
  module.def("excite", &excited);
  module.def("excite_springs", &springs_excited);
  module.def("drive_along", &driven);
  module.def("excite_has_solver", &identify::excite_has_solver);
}

}  // namespace ulna::python
