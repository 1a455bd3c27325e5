#include "callback.hpp"
#include "errors.hpp"
#include "parts.hpp"
#include "simulate_fields.hpp"
#include "ulna/world/posture.hpp"
#include "ulna/world/scene.hpp"

/// Robots, loose bodies and what stands still, which touch each other.
namespace ulna::python {

ULNA_PYTHON_WORDS(WorldStatus, moved, not_finite, not_physical, crowded, undecided)
ULNA_PYTHON_WORDS(ConeMethod, automatic, gauss_seidel, newton, admm)
ULNA_PYTHON_FIELDS(ConeOptions, method, tolerance, sweeps, rounds, last_sweeps, direct_rows, effort)
ULNA_PYTHON_FIELDS(ConeReport, residual, sweeps, newton, groups, effort, converged)
ULNA_PYTHON_FIELDS(WorldOptions, step, gravity, cones, overlap, correction_speed)
ULNA_PYTHON_FIELDS(Compliance, stiffness, damping, time_constant, damping_ratio)
ULNA_PYTHON_FIELDS(ContactMaterial, friction, torsion, rolling, restitution, compliance)
ULNA_PYTHON_FIELDS(RobotOptions, name, material, X_WR, contact, self_contact, torque_limits)
ULNA_PYTHON_FIELDS(WorldWork, torques, wrenches, damping, joint_friction, stops, loops, impacts,
                   contact, friction, correction)
ULNA_PYTHON_FIELDS(WorldReport, steps, cones, worst_residual, unconverged, contacts, deepest,
                   events)
ULNA_PYTHON_FIELDS(WorldContact, first, second, first_body, second_body, position, normal, gap,
                   force, moment, velocity, friction)

namespace {

struct Placed {
  World world;
  Scene scene = {};
  std::map<int, py::object> engines = {};  ///< of robots that Python has added or asked for
  std::map<int, Posture> postures = {};    ///< that the scene's robots are held in
  std::map<int, VectorXd> torques = {};
  py::tuple diagnostics = py::tuple();
};

std::unique_ptr<Placed> from_scene(const std::string& text, const std::string& file) {
  if (!is_scene(text))
    throw std::invalid_argument("'" + file + "' is no scene: a scene begins with 'ulna: scene'");
  Diagnostics diagnostics;
  Scene scene = import_scene(text, file, diagnostics);
  BuiltScene built = build_scene(scene, diagnostics);
  auto placed = std::make_unique<Placed>(Placed{std::move(built.world), std::move(scene)});
  for (std::size_t i = 0; i < built.robots.size(); ++i) {
    const std::string& torque = placed->scene.robots[i].torque;
    if (torque == "zero") continue;
    const int robot = built.robots[i];
    // gravity is a posture that nothing returns to
    const Posture::Options how{torque == "pd" ? Posture::Options{}.bandwidth : 0.0,
                               placed->scene.options.step};
    placed->postures.emplace(robot, Posture(placed->world, robot, placed->world.q(robot), how));
  }
  placed->diagnostics = diagnostics_of(diagnostics);
  return placed;
}

int add_robot(Placed& w, const py::object& owner, const py::object& q, const py::dict& options) {
  const Engine& engine = owner.cast<const Engine&>();
  const int robot =
      w.world.add_robot(engine.model, vector_of({"q", Role::configuration}, q, engine),
                        options_of<RobotOptions>(options));
  w.engines.emplace(robot, owner);
  return robot;
}

int add_body(Placed& w, const std::string& name, const CollisionShape& shape, double mass,
             const Vec3<double>& com, const Mat3<double>& inertia, const Eigen::Matrix4d& X,
             const py::dict& material) {
  const LooseBody body{name,
                       Inertia<double>::about_com(mass, com, inertia),
                       {{shape}},
                       options_of<ContactMaterial>(material)};
  return w.world.add_body(body, transform_of(X, "pose"));
}

/// The robot of a number, for its names.
py::object engine_of(Placed& w, int robot) {
  const auto known = w.engines.find(robot);
  if (known != w.engines.end()) return known->second;
  py::object made = py::cast(std::make_unique<Engine>(w.world.plant(robot).model()));
  w.engines.emplace(robot, made);
  return made;
}

void set_torque(Placed& w, int robot, const py::object& tau) {
  const py::object owner = engine_of(w, robot);
  w.postures.erase(robot);
  w.world.set_torque(robot, vector_of({"tau", Role::velocity}, tau, owner.cast<const Engine&>()));
}

/// One step, or the adaptive ones of a duration.
py::object advance(Placed& w, long steps, double duration, const py::object& adaptive) {
  WorldStatus status = WorldStatus::moved;
  const auto act = [&] {
    for (auto& [robot, posture] : w.postures) {
      posture.torque(w.world, w.torques[robot]);
      w.world.set_torque(robot, w.torques[robot]);
    }
  };
  std::optional<AdaptiveOptions> how;
  if (!adaptive.is_none()) how = options_of<AdaptiveOptions>(adaptive);
  Interrupts interrupts;
  {
    const py::gil_scoped_release free;
    if (how) {
      act();
      status = w.world.advance(duration, *how);
    }
    for (long i = 0; i < steps && !how && status == WorldStatus::moved; ++i) {
      act();
      status = w.world.step();
      interrupts.look();
    }
  }
  return written(status);
}

py::list overlaps(Placed& w) {
  py::list list;
  for (const World::Overlap& o : w.world.overlaps())
    list.append(py::make_tuple(o.first, o.second, o.depth));
  return list;
}

py::list objects(const Placed& w) {
  py::list list;
  for (int i = 0; i < w.world.object_count(); ++i)
    list.append(py::make_tuple(w.world.name(i), w.world.is_robot(i)   ? "robot"
                                                : w.world.is_fixed(i) ? "fixed"
                                                                      : "body"));
  return list;
}

}  // namespace

void register_world(py::module_& module) {
  py::class_<Placed>(module, "World")
      .def(py::init([](const py::dict& options) {
        return std::make_unique<Placed>(Placed{World(options_of<WorldOptions>(options))});
      }))
      .def_static("from_scene", &from_scene)
      .def("add_fixed",
           [](Placed& w, const std::string& name, const CollisionShape& shape,
              const Eigen::Matrix4d& X, const py::dict& material) {
             return w.world.add_fixed(name, shape, transform_of(X, "pose"),
                                      options_of<ContactMaterial>(material));
           })
      .def("add_body", &add_body)
      .def("add_robot", &add_robot)
      .def("engine", &engine_of)
      .def("objects", &objects)
      .def("q", [](const Placed& w, int object) { return w.world.q(object); })
      .def("v", [](const Placed& w, int object) { return w.world.v(object); })
      .def("tau", [](const Placed& w, int robot) { return w.world.torque(robot); })
      .def("theta", [](const Placed& w, int robot) { return w.world.theta(robot); })
      .def("omega", [](const Placed& w, int robot) { return w.world.omega(robot); })
      .def("link_torque", [](const Placed& w, int robot) { return w.world.link_torque(robot); })
      .def("set_motors", [](Placed& w, int robot, const VectorXd& theta,
                            const VectorXd& omega) { w.world.set_motors(robot, theta, omega); })
      .def("pose", [](const Placed& w, int object,
                      int body) { return matrix_of(w.world.pose(object, body)); })
      .def("velocity", [](const Placed& w, int object,
                          int body) { return VectorXd(w.world.velocity(object, body).vector()); })
      .def("set_state", [](Placed& w, int object, const VectorXd& q,
                           const VectorXd& v) { w.world.set_state(object, q, v); })
      .def("set_torque", &set_torque)
      .def(
          "set_wrench",
          [](Placed& w, int object, int body, const Vec3<double>& force, const Vec3<double>& moment,
             const Vec3<double>& point) { w.world.set_wrench(object, body, force, moment, point); })
      .def("clear_wrenches", [](Placed& w) { w.world.clear_wrenches(); })
      .def("advance", &advance)
      .def("overlaps", &overlaps)
      .def("clearance", [](Placed& w, int object) { return w.world.clearance(object); })
      .def("contact_force",
           [](const Placed& w, int object) {
             return Vec3<double>(w.world.contact_wrench(object).force);
           })
      .def_property_readonly("contacts",
                             [](const Placed& w) {
                               const auto all = w.world.contacts();
                               return written(std::vector<WorldContact>(all.begin(), all.end()));
                             })
      .def_property_readonly("time", [](const Placed& w) { return w.world.time(); })
      .def_property_readonly("step", [](const Placed& w) { return w.world.options().step; })
      .def_property_readonly("energy", [](const Placed& w) { return w.world.energy(); })
      .def_property_readonly("kinetic_energy",
                             [](const Placed& w) { return w.world.kinetic_energy(); })
      .def_property_readonly("momentum",
                             [](const Placed& w) { return VectorXd(w.world.momentum().vector()); })
      .def_property_readonly("balance", [](const Placed& w) { return w.world.work().balance(); })
      .def_property_readonly("work", [](const Placed& w) { return written(w.world.work()); })
      .def_property_readonly("report", [](const Placed& w) { return written(w.world.report()); })
      .def_property_readonly("name", [](const Placed& w) { return w.scene.name; })
      .def_property_readonly("diagnostics", [](const Placed& w) { return w.diagnostics; });
}

}  // namespace ulna::python
