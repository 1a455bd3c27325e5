#include "callback.hpp"
#include "mpc_fields.hpp"
#include "parts.hpp"

/// Predictive control of robots with springs between motors and links.
namespace ulna::python {
namespace {

using mpc::ElasticController;

constexpr std::array<Parameter, 5> derivatives{Parameter{"q", Role::configuration},
                                               {"v", Role::velocity},
                                               {"a", Role::velocity},
                                               {"jerk", Role::velocity},
                                               {"snap", Role::velocity}};

struct Elastic {
  Elastic(py::object robot, const py::dict& control, const std::string& drives, double bandwidth)
      : owner(std::move(robot)), engine(owner.cast<const Engine&>()), reading(engine.model) {
    mpc::ElasticOptions options{controller_options(control, engine), {}, bandwidth};
    read(py::str(drives), options.drives, "drives");
    now.emplace(engine.model, options);
  }

  py::object owner;
  const Engine& engine;
  std::shared_ptr<KeptError> errors = std::make_shared<KeptError>();
  mpc::DriveReading reading;
  std::optional<ElasticController> now;
};

void follow(Elastic& e, const py::object& motion) {
  if (py::isinstance<SmoothHeld>(motion)) return e.now->follow(motion.cast<const SmoothHeld&>().at);
  if (!PyCallable_Check(motion.ptr()))
    throw std::invalid_argument(
        "the reference must be a function of time that returns q, v, a, jerk, snap");
  e.now->follow([function = shared_object(motion), &e](double time, mpc::SmoothMotion& to) {
    e.errors->guard([&] {
      const py::object at = (*function)(time);
      if (!py::isinstance<py::sequence>(at) || py::len(at) != derivatives.size())
        throw std::invalid_argument("the reference must return q, v, a, jerk, snap");
      VectorXd* x[] = {&to.q, &to.v, &to.a, &to.jerk, &to.snap};
      for (std::size_t i = 0; i < derivatives.size(); ++i)
        *x[i] = vector_of(derivatives[i], py::object(at[py::int_(i)]), e.engine);
    });
  });
}

void take(Elastic& e, const py::object& q, const py::object& v, const py::object& theta,
          const py::object& omega, const py::object& tau) {
  e.reading.q = vector_of(derivatives[0], q, e.engine);
  e.reading.v = vector_of(derivatives[1], v, e.engine);
  e.reading.theta = vector_of({"theta", Role::velocity}, theta, e.engine);
  e.reading.omega = vector_of({"omega", Role::velocity}, omega, e.engine);
  e.reading.tau = vector_of({"link_torque", Role::velocity}, tau, e.engine);
}

VectorXd act(Elastic& e, double time, const py::object& q, const py::object& v,
             const py::object& theta, const py::object& omega, const py::object& tau) {
  take(e, q, v, theta, omega, tau);
  VectorXd torque;
  {
    const py::gil_scoped_release free;
    torque = e.now->act(time, e.reading);
  }
  e.errors->raise();
  return torque;
}

/// With the reading of the last act.
void update(Elastic& e, double time) {
  {
    const py::gil_scoped_release free;
    e.now->update(time, e.reading);
  }
  e.errors->raise();
}

}  // namespace

void register_elastic(py::module_& module) {
  py::class_<SmoothHeld>(module, "SmoothMotion")
      .def("__call__", [](const SmoothHeld& m, double time) {
        mpc::SmoothMotion at(m.nv);
        m.at(time, at);
        return py::make_tuple(at.q, at.v, at.a, at.jerk, at.snap);
      });
  module.def("smooth_reach_and_wave", [](const VectorXd& from, const VectorXd& to, double seconds,
                                         const VectorXd& amplitude, const VectorXd& hz) {
    return SmoothHeld{mpc::smooth_reach_and_wave(from, to, seconds, amplitude, hz),
                      static_cast<int>(from.size())};
  });
  py::class_<Elastic>(module, "ElasticController")
      .def(py::init<py::object, py::dict, std::string, double>())
      .def("follow", &follow)
      .def("act", &act)
      .def("update", &update)
      .def_property_readonly("kind", [](const Elastic& e) { return written(e.now->kind()); })
      .def_property_readonly("fault", [](const Elastic& e) { return written(e.now->fault()); })
      .def_property_readonly("payload", [](const Elastic& e) { return written(e.now->payload()); })
      .def_property_readonly("act_us", [](const Elastic& e) { return e.now->act_us(); })
      .def_property_readonly("update_us", [](const Elastic& e) { return e.now->update_us(); })
      .def_property_readonly("identify_us", [](const Elastic& e) { return e.now->identify_us(); });
}

}  // namespace ulna::python
