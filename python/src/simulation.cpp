#include "callback.hpp"
#include "changes.hpp"
#include "parts.hpp"
#include "simulate_fields.hpp"
#include "ulna/model/inspect.hpp"

/// A robot that moves in time, alone: Simulation, its sensors, and its course as arrays.
namespace ulna::python {
namespace {

using enum Role;
constexpr Parameter q_parameter{"q", configuration}, v_parameter{"v", velocity},
    tau_parameter{"tau", velocity};

struct Simulated {
  Simulated(py::object robot_owner, const py::dict& given, const py::object& sensing)
      : owner(std::move(robot_owner)),
        engine(owner.cast<const Engine&>()),
        now(engine.model, options_of<SimulationOptions>(given)) {
    if (!sensing.is_none()) sensors.emplace(engine.model, options_of<SensorsOptions>(sensing));
  }

  py::object owner;
  const Engine& engine;
  Simulation now;
  std::optional<Sensors> sensors;
};

/// The course of a motion: rows of what is recorded.
class Course {
 public:
  explicit Course(const Simulated& s)
      : q_(s.now.q().size()),
        v_(s.now.v().size()),
        tau_(v_),
        springs_(!s.engine.model.drives().plain()),
        theta_(v_),
        link_torque_(v_),
        q_read_(q_),
        v_read_(v_),
        tau_read_(v_),
        sensed_(s.sensors.has_value()) {}

  void add(Simulated& s) {
    t_.add(s.now.time());
    q_.add(s.now.q()), v_.add(s.now.v()), tau_.add(s.now.tau());
    a_.add(s.now.acceleration());
    energy_.add(s.now.energy());
    balance_.add(s.now.work().balance());
    if (springs_) theta_.add(s.now.theta()), link_torque_.add(s.now.link_torque());
    if (sensed_)
      q_read_.add(s.sensors->q), v_read_.add(s.sensors->v), tau_read_.add(s.sensors->tau);
  }
  py::dict dict() const {
    py::dict d;
    d["t"] = t_.array(), d["q"] = q_.array(), d["v"] = v_.array(), d["a"] = a_.array();
    d["tau"] = tau_.array(), d["energy"] = energy_.array(), d["balance"] = balance_.array();
    const py::object none = py::none();
    d["theta"] = springs_ ? theta_.array() : none;
    d["link_torque"] = springs_ ? link_torque_.array() : none;
    d["q_measured"] = sensed_ ? q_read_.array() : none;
    d["v_measured"] = sensed_ ? v_read_.array() : none;
    d["tau_measured"] = sensed_ ? tau_read_.array() : none;
    return d;
  }

 private:
  Rows t_{0}, energy_{0}, balance_{0}, q_, v_, tau_, a_ = v_;
  bool springs_;
  Rows theta_, link_torque_, q_read_, v_read_, tau_read_;
  bool sensed_;
};

/// Torques of every period: none, always the same, or a Python function's.
class Torques {
 public:
  Torques(const Simulated& s, py::object given) : given_(std::move(given)) {
    if (given_.is_none())
      constant_.setZero(s.engine.model.nv());
    else if (!calls_python())
      constant_ = vector_of(tau_parameter, given_, s.engine);
  }
  bool calls_python() const { return !given_.is_none() && PyCallable_Check(given_.ptr()); }
  void compute(const Simulated& s, Eigen::VectorXd& tau) const {
    if (!calls_python()) return void(tau = constant_);
    const Eigen::VectorXd& q = s.sensors ? s.sensors->q : s.now.q();
    const Eigen::VectorXd& v = s.sensors ? s.sensors->v : s.now.v();
    tau = vector_of(tau_parameter, given_(s.now.time(), q, v), s.engine);
  }

 private:
  py::object given_;
  VectorXd constant_;
};

/// Moves it on, and returns the course.
py::tuple run(Simulated& s, double duration, double period, const py::object& tau,
              const py::object& changes, int every) {
  const Torques torques(s, tau);
  Schedule schedule = schedule_of(changes, s.engine);
  Course course(s);
  Interrupts interrupts;
  int count = 0;
  const auto control = [&](Simulation& now, VectorXd& out) {
    schedule.apply(now);
    if (s.sensors) s.sensors->read(now);
    torques.compute(s, out);
  };
  const auto observe = [&](Simulation&) {
    if (count++ % every == 0) course.add(s);
    interrupts.look();
  };
  SimulationStatus status{};
  if (torques.calls_python()) {
    status = s.now.run(duration, period, control, observe);
  } else {
    const py::gil_scoped_release free;
    status = s.now.run(duration, period, control, observe);
  }
  if (status == SimulationStatus::moved) {
    if (s.sensors) s.sensors->read(s.now);
    course.add(s);
  }
  return py::make_tuple(written(status), course.dict());
}

void set_state(Simulated& s, const py::object& q, const py::object& v, double time) {
  const VectorXd rest = VectorXd::Zero(s.engine.model.nv());
  s.now.set_state(q.is_none() ? s.now.q() : vector_of(q_parameter, q, s.engine),
                  v.is_none() ? rest : vector_of(v_parameter, v, s.engine), time);
  if (s.sensors) s.sensors->reset();
}

void set_wrenches(Simulated& s, const py::object& wrenches, const std::string& axes) {
  WrenchArgument on(wrenches.ptr(), s.engine, axes_of(py::str(axes).ptr()));
  s.now.set_wrenches(on.at(0));
}

py::dict reading(Simulated& s) {
  if (!s.sensors)
    throw std::invalid_argument("the simulation has no sensors: give it sensors={...}");
  s.sensors->read(s.now);
  py::dict d;
  d["time"] = s.now.time();
  d["q"] = s.sensors->q, d["v"] = s.sensors->v, d["tau"] = s.sensors->tau;
  const bool springs = !s.engine.model.drives().plain();
  d["a"] = s.sensors->a;
  d["theta"] = springs ? py::cast(s.sensors->theta) : py::none();
  d["omega"] = springs ? py::cast(s.sensors->omega) : py::none();
  d["link_torque"] = springs ? py::cast(s.sensors->link_torque) : py::none();
  return d;
}

/// Now, as the dict says: one of those of schedule_of, without "at".
void change(Simulated& s, const py::dict& given) {
  Schedule schedule = schedule_of(py::list(py::make_tuple(given)), s.engine);
  schedule.apply(std::numeric_limits<double>::max(),
                 [&](const Schedule::Change& edit) { s.now.change(edit); });
}

}  // namespace

void register_simulation(py::module_& module) {
  add_defaults<SimulationOptions>(module, "Simulation");
  py::class_<Simulated>(module, "Simulation")
      .def(py::init<py::object, py::dict, py::object>())
      .def("set_state", &set_state)
      .def("set_motors",
           [](Simulated& s, const py::object& theta, const py::object& omega) {
             s.now.set_motors(vector_of({"theta", velocity}, theta, s.engine),
                              vector_of({"omega", velocity}, omega, s.engine));
           })
      .def("set_wrenches", &set_wrenches)
      .def("hold",
           [](Simulated& s, const py::object& tau) {
             return written(s.now.hold(vector_of(tau_parameter, tau, s.engine)));
           })
      .def("step",
           [](Simulated& s, double h) {
             const SimulationStatus status = [&] {
               const py::gil_scoped_release free;
               return s.now.step(h);
             }();
             return written(status);
           })
      .def("run", &run)
      .def("read", &reading)
      .def("change", &change)
      .def("held",
           [](Simulated& s) {
             (void)s.now.acceleration();
             std::vector<bool> held;
             for (int i = 0; i < s.engine.model.nv(); ++i) held.push_back(s.now.held(i));
             return held;
           })
      .def("stop_loads",
           [](Simulated& s) {
             VectorXd loads(s.engine.model.nv());
             for (int i = 0; i < loads.size(); ++i) loads(i) = s.now.stop_load(i);
             return loads;
           })
      .def_property_readonly("time", [](const Simulated& s) { return s.now.time(); })
      .def_property_readonly("q", [](const Simulated& s) { return s.now.q(); })
      .def_property_readonly("v", [](const Simulated& s) { return s.now.v(); })
      .def_property_readonly("tau", [](const Simulated& s) { return s.now.tau(); })
      .def_property_readonly("theta", [](const Simulated& s) { return s.now.theta(); })
      .def_property_readonly("omega", [](const Simulated& s) { return s.now.omega(); })
      .def_property_readonly("link_torque", [](Simulated& s) { return s.now.link_torque(); })
      .def_property_readonly("acceleration", [](Simulated& s) { return s.now.acceleration(); })
      .def_property_readonly("energy", [](Simulated& s) { return s.now.energy(); })
      .def_property_readonly("kinetic_energy", [](Simulated& s) { return s.now.kinetic_energy(); })
      .def_property_readonly("balance", [](const Simulated& s) { return s.now.work().balance(); })
      .def_property_readonly("work", [](const Simulated& s) { return written(s.now.work()); })
      .def_property_readonly("counts", [](const Simulated& s) { return written(s.now.counts()); })
      .def_property_readonly("has_loops",
                             [](const Simulated& s) { return s.now.loops() != nullptr; });
  module.def("has_adaptive", &has_adaptive);
}

}  // namespace ulna::python
