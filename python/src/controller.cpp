#include "callback.hpp"
#include "mpc_fields.hpp"
#include "parts.hpp"
#include "ulna/mpc/trial.hpp"

/// Predictive control that identifies the robot.
namespace ulna::python {

using mpc::ControllerOptions;
using mpc::IdentifyingController;

namespace {

constexpr Parameter q_parameter{"q", Role::configuration}, v_parameter{"v", Role::velocity},
    tau_parameter{"tau", Role::velocity};

}  // namespace

ControllerOptions controller_options(const py::dict& given, const Engine& engine) {
  ControllerOptions options;
  py::dict rest;
  for (const auto& [key, value] : items_of(given, "options")) {
    if (key == "problem")
      read_problem(value, engine, options.problem);
    else
      rest[key.c_str()] = value;
  }
  read_fields(rest, options);
  return options;
}

mpc::MotionReference reference_of(const py::object& motion, const Engine& engine,
                                  std::shared_ptr<KeptError> errors) {
  if (py::isinstance<HeldMotion>(motion)) return motion.cast<const HeldMotion&>().at;
  if (!PyCallable_Check(motion.ptr()))
    throw std::invalid_argument(
        "the reference must be a function of time that returns q, or (q, v)");
  return [function = shared_object(motion), &engine, errors = std::move(errors)](
             double time, VectorXd& q, VectorXd& v) {
    errors->guard([&] {
      const py::object at = (*function)(time);
      const bool both = py::isinstance<py::tuple>(at) && py::len(at) == 2;
      q = vector_of(q_parameter, both ? py::object(at[py::int_(0)]) : at, engine);
      if (both)
        v = vector_of(v_parameter, py::object(at[py::int_(1)]), engine);
      else
        v.setZero();
    });
  };
}

mpc::FrameReference frame_reference_of(const py::object& motion,
                                       std::shared_ptr<KeptError> errors) {
  return [function = shared_object(motion), errors = std::move(errors)](double time) {
    Transform<double> X;
    errors->guard([&] { X = transform_of((*function)(time).cast<Eigen::Matrix4d>(), "target"); });
    return X;
  };
}

namespace {

struct Controller {
  Controller(py::object robot, const py::dict& given)
      : owner(std::move(robot)),
        engine(owner.cast<const Engine&>()),
        now(engine.model, controller_options(given, engine)) {}

  VectorXd q(const py::object& x) const { return vector_of(q_parameter, x, engine); }
  VectorXd v(const py::object& x) const { return vector_of(v_parameter, x, engine); }
  VectorXd tau(const py::object& x) const { return vector_of(tau_parameter, x, engine); }

  py::object owner;
  const Engine& engine;
  std::shared_ptr<KeptError> errors = std::make_shared<KeptError>();
  IdentifyingController now;
};

/// With the GIL released; then raises what Python's references have raised.
template <class F>
void away(Controller& c, F f) {
  {
    const py::gil_scoped_release free;
    f();
  }
  c.errors->raise();
}

/// Numbers that are not finite are the controller's affair, wrong sizes are not.
VectorXd act(Controller& c, double time, const py::object& q, const py::object& v,
             const std::optional<double>& measured_at) {
  const VectorXd at = c.q(q), rate = c.v(v);
  VectorXd tau;
  away(c, [&] {
    tau = measured_at ? c.now.act(time, *measured_at, at, rate) : c.now.act(time, at, rate);
  });
  return tau;
}

void update(Controller& c, double time, const py::object& q, const py::object& v,
            const py::object& tau) {
  const VectorXd at = c.q(q), rate = c.v(v), measured = c.tau(tau);
  away(c, [&] { c.now.update(time, at, rate, measured); });
}

void update_wrench(Controller& c, int body, const py::object& q, const py::object& v,
                   const py::object& a, const VectorXd& wrench, const VectorXd& noise) {
  const VectorXd at = c.q(q), rate = c.v(v), acceleration = c.v(a);
  away(c, [&] { c.now.update_wrench(body, at, rate, acceleration, wrench, noise); });
}

py::tuple plan(const Controller& c) {
  return py::make_tuple(c.now.planned_at(), c.now.plan().x, c.now.plan().u);
}

}  // namespace

void register_controller(py::module_& module) {
  using C = Controller;
  add_defaults<ControllerOptions>(module, "IdentifyingController");
  py::class_<HeldMotion>(module, "Motion").def("__call__", [](const HeldMotion& m, double time) {
    VectorXd q = VectorXd::Zero(m.nq), v = VectorXd::Zero(m.nv);
    m.at(time, q, v);
    return py::make_tuple(q, v);
  });
  py::class_<C>(module, "IdentifyingController")
      .def(py::init<py::object, py::dict>())
      .def("follow",
           [](C& c, const py::object& motion) {
             c.now.follow(reference_of(motion, c.engine, c.errors));
           })
      .def("go_to",
           [](C& c, const py::object& q, const py::dict& limits) {
             const auto bounds = options_of<mpc::GoalLimits>(limits);
             const VectorXd goal = c.q(q);
             double arrival = 0.0;
             away(c, [&] { arrival = c.now.go_to(goal, bounds); });
             return arrival;
           })
      .def("act", &act)
      .def("update", &update)
      .def("update_wrench", &update_wrench)
      .def("sent", [](C& c, const py::object& tau) { c.now.sent(c.tau(tau)); })
      .def("set_weights",
           [](C& c, const py::dict& given) {
             control::MotionWeights weights = c.now.weights();
             read_fields(given, weights, "weights");
             c.now.set_weights(weights);
           })
      .def("set_limits",
           [](C& c, const py::dict& given) {
             control::MotionLimits limits = c.now.limits();
             read_fields(given, limits, "limits");
             c.now.set_limits(limits);
           })
      .def("set_target",
           [](C& c, int task, const Eigen::Matrix4d& X) {
             c.now.set_target(task, transform_of(X, "target"));
           })
      .def("follow_target",
           [](C& c, int task, const py::object& motion) {
             c.now.follow_target(task, frame_reference_of(motion, c.errors));
           })
      .def("go_to_target",
           [](C& c, int task, const Eigen::Matrix4d& X, const py::dict& limits) {
             c.now.go_to_target(task, transform_of(X, "target"),
                                options_of<mpc::PoseLimits>(limits));
           })
      .def("clear_target", [](C& c, int task) { c.now.clear_target(task); })
      .def("set_obstacle",
           [](C& c, int i, const Vec3<double>& from, const Vec3<double>& to, double radius) {
             c.now.set_obstacle(i, {from, to, radius});
           })
      .def("press", [](C& c, double force) { c.now.press(force); })
      .def("learn", [](C& c, bool on) { c.now.learn(on); })
      .def("expect_change", [](C& c) { c.now.expect_change(); })
      .def("reset", [](C& c) { c.now.reset(); })
      .def("set_plant", [](C& c, const Engine& robot) { c.now.set_plant(robot.plant); })
      .def("set_deadline", [](C& c, const std::optional<double>& s) { c.now.set_deadline(s); })
      .def("plan", &plan)
      .def("engine",
           [](const C& c) {
             const identify::OnlineEstimator& e = c.now.estimator();
             const VectorXd z = e.z().head(e.model().unknowns());
             return std::make_unique<Engine>(e.model().identified(z));
           })
      .def_property_readonly("kind", [](const C& c) { return written(c.now.kind()); })
      .def_property_readonly("fault", [](const C& c) { return written(c.now.fault()); })
      .def_property_readonly("outcome", [](const C& c) { return written(c.now.outcome()); })
      .def_property_readonly("report", [](const C& c) { return written(c.now.report()); })
      .def_property_readonly("payload", [](const C& c) { return written(c.now.payload()); })
      .def_property_readonly("pressed", [](const C& c) { return c.now.pressed(); })
      .def_property_readonly("disturbance", [](const C& c) { return c.now.disturbance(); })
      .def_property_readonly("planned_torque", [](const C& c) { return c.now.planned_torque(); })
      .def_property_readonly("weights", [](const C& c) { return written(c.now.weights()); })
      .def_property_readonly("limits", [](const C& c) { return written(c.now.limits()); })
      .def_property_readonly("reading_delay", [](const C& c) { return c.now.reading_delay(); })
      .def_property_readonly("drive_lag", [](const C& c) { return c.now.drive_lag(); })
      .def_property_readonly("act_us", [](const C& c) { return c.now.act_us(); })
      .def_property_readonly("update_us", [](const C& c) { return c.now.update_us(); })
      .def_property_readonly("identify_us", [](const C& c) { return c.now.identify_us(); })
      .def_property_readonly("z", [](const C& c) { return c.now.estimator().z(); })
      .def_property_readonly("names", [](const C& c) { return c.now.estimator().model().names(); });
}

}  // namespace ulna::python
