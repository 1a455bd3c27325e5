#include "callback.hpp"
#include "online_fields.hpp"
#include "parts.hpp"
#include "ulna/identify/data/filter.hpp"

/// Identification sample by sample.
namespace ulna::python {

namespace {

using identify::MotionFilter;
using identify::OnlineEstimator;
using identify::OnlineOptions;
using identify::TorqueModel;

constexpr Parameter parameter(const char* name) { return {name, Role::velocity}; }

/// An estimator with the filter that makes accelerations of what is measured.
struct Online {
  Online(py::object robot, const py::object& features, const VectorXd& noise, const py::dict& given,
         double filter_hz)
      : owner(std::move(robot)), engine(owner.cast<const Engine&>()) {
    std::vector<identify::Feature> terms;
    read(features, terms, "features");
    const auto options = options_of<OnlineOptions>(given);
    filter.emplace(engine.model.nv(), identify::LowPass(filter_hz, options.rate_hz, 4),
                   MotionFilter::Velocity::measured);
    estimator.emplace(TorqueModel(engine.model, terms), noise, options);
  }
  py::object owner;
  const Engine& engine;
  std::optional<MotionFilter> filter;
  std::optional<OnlineEstimator> estimator;
};

VectorXd vector(const Online& o, const char* name, const py::object& x) {
  return vector_of(parameter(name), x, o.engine);
}

/// Learns from a measurement: filters it, and predicts its torque before. Returns the outcome and the filtered measured and
/// predicted torques.
py::tuple learn(Online& o, const py::object& q, const py::object& v, const py::object& tau) {
  const VectorXd position = vector_of({"q", Role::configuration}, q, o.engine);
  const bool measured = o.filter->update(position, vector(o, "v", v), vector(o, "tau", tau));
  if (!measured || !o.filter->settled()) return py::make_tuple("ignored", py::none(), py::none());
  VectorXd predicted(o.engine.model.nv());
  const MotionFilter& f = *o.filter;
  o.estimator->predict(f.q(), f.v(), f.a(), f.direction(), predicted);
  const auto outcome = o.estimator->update(f.q(), f.v(), f.a(), f.direction(), f.tau());
  return py::make_tuple(written(outcome), f.tau(), predicted);
}

py::object update(Online& o, const py::object& q, const py::object& v, const py::object& a,
                  const py::object& tau) {
  return written(o.estimator->update(vector_of({"q", Role::configuration}, q, o.engine),
                                     vector(o, "v", v), vector(o, "a", a), vector(o, "tau", tau)));
}

VectorXd predict(Online& o, const py::object& q, const py::object& v, const py::object& a) {
  VectorXd tau(o.engine.model.nv());
  o.estimator->predict(vector_of({"q", Role::configuration}, q, o.engine), vector(o, "v", v),
                       vector(o, "a", a), tau);
  return tau;
}

VectorXd deviations(Online& o) {
  VectorXd d(o.estimator->z().size());
  o.estimator->deviations(d);
  return d;
}

}  // namespace

void register_online(py::module_& module) {
  py::class_<Online>(module, "OnlineEstimator")
      .def(py::init<py::object, py::object, VectorXd, py::dict, double>())
      .def("learn", &learn)
      .def("update", &update)
      .def("predict", &predict)
      .def("deviations", &deviations)
      .def("restart_filter", [](Online& o) { o.filter->reset(); })
      .def("expect_change", [](Online& o) { o.estimator->forget_changing(); })
      .def("forget",
           [](Online& o, const std::vector<int>& unknowns) { o.estimator->forget(unknowns); })
      .def("engine",
           [](const Online& o) {
             const OnlineEstimator& e = *o.estimator;
             const VectorXd z = e.z().head(e.model().unknowns());
             return std::make_unique<Engine>(e.model().identified(z));
           })
      .def_property_readonly("names", [](const Online& o) { return o.estimator->model().names(); })
      .def_property_readonly("units", [](const Online& o) { return o.estimator->model().units(); })
      .def_property_readonly("z", [](const Online& o) { return o.estimator->z(); })
      .def_property_readonly("noise", [](const Online& o) { return o.estimator->noise(); })
      .def_property_readonly("samples", [](const Online& o) { return o.estimator->samples(); })
      .def_property_readonly("changes", [](const Online& o) { return o.estimator->changes(); })
      .def_property_readonly("ignored", [](const Online& o) { return o.estimator->ignored(); });
}

}  // namespace ulna::python
