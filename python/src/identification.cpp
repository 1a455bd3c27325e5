#include <sstream>

#include "callback.hpp"
#include "errors.hpp"
#include "identify_fields.hpp"
#include "parts.hpp"
#include "ulna/identify/floating/floating_base.hpp"

/// From logs to an identified robot.
namespace ulna::python {
namespace {

using identify::Identification;
using identify::LogInput;
using identify::Matrix;
using identify::Options;

/// Logs as Python has them: (name, CSV text or None), None being a file of that name.
class Logs {
 public:
  explicit Logs(const py::list& fit, const py::list& validation = py::list(),
                const py::list& loaded = py::list()) {
    add(fit, inputs_.fit), add(validation, inputs_.validation), add(loaded, inputs_.loaded);
  }
  const identify::LogInputs& inputs() const { return inputs_; }

 private:
  void add(const py::list& list, std::vector<LogInput>& to) {
    for (const py::handle item : list) {
      const auto [name, text] = item.cast<std::pair<std::string, std::optional<std::string>>>();
      if (!text) {
        to.push_back({name});
        continue;
      }
      streams_.push_back(std::make_unique<std::istringstream>(*text));
      to.push_back({name, streams_.back().get()});
    }
  }
  std::vector<std::unique_ptr<std::istringstream>> streams_;
  identify::LogInputs inputs_;
};

identify::Log read(const LogInput& input, const Model& model, const identify::LogOptions& options,
                   Diagnostics& found) {
  return input.stream ? read_log(*input.stream, input.file, model, options, found)
                      : load_log(input.file, model, options, found);
}

/// What is found in logs before anything is concluded from them.
py::tuple screened(const Engine& e, const py::list& list, double filter_hz, bool torque_needed) {
  const Logs logs(list);
  Diagnostics found;
  py::list figures;
  for (const LogInput& input : logs.inputs().fit) {
    identify::LogFigures figure;
    {
      const py::gil_scoped_release free;
      const Model limbs = identify::limbs_of(e.model);
      identify::Log log = read(input, e.model, {.torque_needed = torque_needed}, found);
      if (!found.has_errors()) figure = screen(log, limbs, {.filter_hz = filter_hz}, found);
      if (!found.has_errors()) screen_efforts(log, limbs, found);
    }
    figures.append(written(figure));
  }
  return py::make_tuple(diagnostics_of(found), figures, !found.has_errors());
}

py::object assessment(const identify::Assessment& a) {
  py::dict d;
  d["estimate"] = written(a.estimate);
  d["fit"] = written(a.fit);
  d["validation"] = written(a.validation), d["reference"] = written(a.reference);
  py::list bodies;
  for (const Consistency& body : a.bodies) bodies.append(body.explanation());
  d["bodies"] = bodies;
  d["indefinite_percent"] = a.indefinite_percent;
  return d;
}

py::object assessment(const std::optional<identify::Assessment>& a) {
  return a ? assessment(*a) : py::none();
}

py::object refinement(const std::optional<identify::Refinement>& r) {
  if (!r) return py::none();
  py::dict d;
  d["status"] = written(r->status), d["report"] = r->str();
  d["stribeck_level"] = r->stribeck_level, d["stribeck_velocity"] = r->stribeck_velocity;
  d["delay"] = r->delay, d["delay_deviation"] = r->delay_deviation;
  d["position_before"] = r->position_before, d["position_after"] = r->position_after;
  d["velocity_before"] = r->velocity_before, d["velocity_after"] = r->velocity_after;
  d["covariance"] = r->covariance;
  return d;
}

py::list logs_of(const Identification& id) {
  py::list list;
  for (const identify::LogSummary& log : id.logs) {
    const py::object figures = written(log.figures);
    py::dict d;
    d["file"] = log.file, d["use"] = log.use, d["figures"] = figures;
    list.append(d);
  }
  return list;
}

py::list traces(const Identification& id) {
  py::list list;
  for (const identify::Trace& trace : id.traces) {
    py::dict d;
    d["file"] = trace.file, d["validation"] = trace.validation, d["t"] = trace.t;
    d["measured"] = rows_of(trace.measured), d["predicted"] = rows_of(trace.predicted);
    list.append(d);
  }
  return list;
}

py::list base_names(const Identification& id) {
  const std::vector<std::string> names = id.torques.names();
  py::list list;
  for (int i = 0; i < id.base.size(); ++i) list.append(id.base.name(i, names));
  return list;
}

py::dict result(const Identification& id) {
  py::dict d;
  d["engine"] = py::cast(std::make_unique<Engine>(id.model()));
  d["names"] = id.torques.names(), d["units"] = id.torques.units();
  py::list states;
  for (int i = 0; i < id.torques.unknowns(); ++i) states.append(std::string(id.state(i)));
  d["states"] = states;
  d["base_names"] = base_names(id);
  d["joints"] = id.torques.model().velocity_names();
  d["features"] = written(id.torques.features());
  d["filter"] = id.filter, d["filter_hz"] = id.filter_hz;
  d["logs"] = logs_of(id), d["traces"] = traces(id);
  d["samples"] = id.samples, d["validation_samples"] = id.validation_samples;
  d["chosen"] = assessment(id.chosen), d["plain"] = assessment(id.plain),
  d["start"] = assessment(id.start);
  d["refined"] = refinement(id.refined);
  d["online"] = written(id.online);
  d["cross_validation"] = written(id.cross_validation);
  d["gains"] = written(id.gains), d["delay"] = written(id.delay);
  d["choice"] = written(id.choice), d["effects"] = written(id.effects);
  d["effects_in_words"] = id.effects.in_words(id.torques.model());
  d["residuals"] = written(id.residuals);
  d["payload"] = written(id.payload);
  d["stopped"] = id.stopped;
  d["essential"] = id.essential ? py::cast(id.essential->kept) : py::none();
  py::list remarks;
  for (const identify::Remark& remark : id.remarks)
    remarks.append(py::make_tuple(remark.finding, remark.text));
  d["remarks"] = remarks;
  d["diagnostics"] = diagnostics_of(id.found);
  d["findings"] = id.has_findings();
  return d;
}

/// `progress`: a Python function of step, steps and name that returns False to stop, or None.
py::dict identified(const Engine& e, const py::list& fit, const py::list& validation,
                    const py::list& loaded, bool online, const py::dict& given,
                    const py::object& progress) {
  auto options = options_of<Options>(given);
  const Logs logs(fit, validation, loaded);
  KeptError error;
  options.progress = [&](int step, const std::string& name) {
    bool go_on = true;
    error.guard([&] {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress.is_none()) go_on = !progress(step, Options::steps, name).is(py::bool_(false));
    });
    return go_on;
  };
  std::optional<Identification> id;
  try {
    const py::gil_scoped_release free;
    id.emplace(online ? identify::online(e.model, logs.inputs(), options)
                      : identify::offline(e.model, logs.inputs(), options));
  } catch (...) {
    error.raise();
    throw;
  }
  return result(*id);
}

/// Names of the base parameters, and the unknowns that they are made of.
py::tuple base_parameters(const Engine& e, const py::object& features) {
  std::vector<identify::Feature> terms;
  python::read(features, terms, "features");
  const identify::TorqueModel model(e.model, terms);
  const identify::BaseParameters base = identify::find_base_parameters(model);
  const std::vector<std::string> names = model.names();
  std::vector<std::string> list;
  for (int i = 0; i < base.size(); ++i) list.push_back(base.name(i, names));
  return py::make_tuple(list, names, base.map(), base.independent, base.dependent, base.idle);
}

}  // namespace

void register_identification(py::module_& module) {
  add_defaults<Options>(module, "identify");
  module.def("screen", &screened);
  module.def("identify", &identified);
  module.def("base_parameters", &base_parameters);
  module.def("can_refine", &identify::can_refine);
  module.def("with_parameters_of", [](const Engine& robot, const Engine& other) {
    return std::make_unique<Engine>(identify::with_parameters_of(robot.model, other.model));
  });
  // "viscous,coulomb,offset,stribeck" as the command line takes it
  module.def(
      "friction", [](const Engine& e, const std::string& list, const std::optional<bool>& rotors) {
        const identify::Friction friction = identify::friction_from_string(list);
        identify::require_compatible(friction.features);
        return py::make_tuple(written(identify::with_rotors(friction.features, e.model, rotors)),
                              friction.stribeck);
      });
}

}  // namespace ulna::python
