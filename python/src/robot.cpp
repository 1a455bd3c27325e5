#include "robot.hpp"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "edits.hpp"
#include "errors.hpp"
#include "function.hpp"
#include "ulna/derivatives/drive_regressor.hpp"
#include "ulna/dynamics/energy.hpp"
#include "ulna/dynamics/inverse_kinematics.hpp"
#include "ulna/model/edit.hpp"

namespace ulna::python {
namespace {

using EnginePtr = std::unique_ptr<Engine>;

EnginePtr made(const Model& model, const Engine& from) {
  auto engine = std::make_unique<Engine>(model);
  engine->set_threads(from.threads());
  return engine;
}

ImportOptions options(bool strict, bool floating_base, bool independent_mimics) {
  ImportOptions o;
  o.strict = strict;
  o.floating_base = floating_base;
  o.independent_mimics = independent_mimics;
  return o;
}

EnginePtr load(const std::string& name, bool strict, bool floating_base, bool independent_mimics) {
  return std::make_unique<Engine>(
      load_robot(name, options(strict, floating_base, independent_mimics)));
}
EnginePtr parse(const std::string& text, const std::string& file, bool strict, bool floating_base,
                bool independent_mimics) {
  return std::make_unique<Engine>(
      import_robot(text, file, options(strict, floating_base, independent_mimics)));
}

std::vector<std::string> joint_names(const Engine& e) {
  std::vector<std::string> names;
  for (int b = 1; b <= e.model.joint_count(); ++b) names.emplace_back(e.model.joint_name(b));
  return names;
}
std::vector<std::string> body_names(const Engine& e) {
  std::vector<std::string> names;
  for (int b = 0; b <= e.model.joint_count(); ++b) names.emplace_back(e.model.body_name(b));
  return names;
}
std::vector<std::string> frame_names(const Engine& e) {
  std::vector<std::string> names;
  for (const Frame& frame : e.model.frames()) names.emplace_back(frame.name);
  return names;
}
/// Name, type, the joint it mimics or "", where its numbers begin in q and v, and the carrying body's number.
py::list joints(const Engine& e) {
  py::list list;
  for (int b = 1; b <= e.model.joint_count(); ++b) {
    const Joint& j = e.model.joint(b);
    list.append(py::make_tuple(std::string(e.model.joint_name(b)), std::string(to_string(j.type)),
                               j.mimics ? std::string(e.model.joint_name(j.mimics)) : "", j.q, j.v,
                               j.parent));
  }
  return list;
}

VectorXd inertial_parameters(const Engine& e) {
  VectorXd pi(e.plant.inertial_size());
  e.plant.get_inertial(pi);
  return pi;
}

Eigen::MatrixXd random_configurations(const Engine& e, std::uint64_t seed, Index count) {
  std::mt19937_64 random(seed);
  MatrixXd Q(count, e.model.nq());
  for (Index i = 0; i < count; ++i) Q.row(i) = random_configuration(e.model, random).transpose();
  return Q;
}

Transform<double> transform_of(const Eigen::Matrix4d& X) {
  if (!X.allFinite()) throw std::invalid_argument("inverse kinematics: the target is not finite");
  const Mat3<double> R = X.topLeftCorner<3, 3>();
  if ((R.transpose() * R - Mat3<double>::Identity()).norm() > 1e-6 || R.determinant() < 0.0)
    throw std::invalid_argument("inverse kinematics: the target's 3x3 part is not a rotation");
  return {nearest_rotation(R), X.topRightCorner<3, 1>()};
}

py::tuple ik(const Engine& e, const std::string& frame, const Eigen::Matrix4d& target,
             const VectorXd& start, double position_tolerance, double orientation_tolerance,
             bool position_only, int iterations, int restarts, std::uint64_t seed) {
  IkOptions o;
  o.position_tolerance = position_tolerance;
  o.orientation_tolerance = orientation_tolerance;
  o.position_only = position_only;
  o.iterations = iterations;
  o.restarts = restarts;
  o.seed = seed;
  IkResult result;
  {
    const py::gil_scoped_release free;
    result = inverse_kinematics(e.model, e.model.frame(frame), transform_of(target), start, o);
  }
  return py::make_tuple(result.found, result.q, result.position_error, result.orientation_error,
                        result.iterations, result.starts, result.report());
}

}  // namespace

void register_engine(py::module_& module) {
  using namespace py::literals;
  const py::call_guard<py::gil_scoped_release> free;
  py::class_<Engine, EnginePtr>(module, "Engine", "A robot's model, parameters and scratch.")
      .def_static("load", &load, "name"_a, "strict"_a = false, "floating_base"_a = false,
                  "independent_mimics"_a = false, free, "A file, or an embedded robot by name.")
      .def_static("parse", &parse, "text"_a, "file"_a, "strict"_a = false,
                  "floating_base"_a = false, "independent_mimics"_a = false, free,
                  "A description as text.")
      .def(
          "function",
          [](const py::object& self, const std::string& name) {
            const Spec* spec = find_spec(name);
            if (!spec) throw std::invalid_argument("there is no function '" + name + "'");
            return make_function(self, self.cast<Engine&>(), *spec);
          },
          "name"_a, "A function of the robot, by name.")
      .def_property("threads", &Engine::threads, &Engine::set_threads,
                    "how many threads a batch runs on; 0: one per core")
      .def_property_readonly("diagnostics",
                             [](const Engine& e) { return diagnostics_of(e.diagnostics); })
      .def_property_readonly("name", [](const Engine& e) { return e.model.name(); })
      .def_property_readonly("file", [](const Engine& e) { return e.model.description().file; })
      .def_property_readonly("nq", [](const Engine& e) { return e.model.nq(); })
      .def_property_readonly("nv", [](const Engine& e) { return e.model.nv(); })
      .def_property_readonly("gravity", [](const Engine& e) { return VectorXd(e.model.gravity()); })
      .def_property_readonly("has_drives",
                             [](const Engine& e) { return !e.model.drives().plain(); })
      .def_property_readonly("has_springs",
                             [](const Engine& e) { return !e.model.drives().elastic.empty(); })
      .def_property_readonly("has_loops",
                             [](const Engine& e) { return !e.model.description().loops.empty(); })
      .def_property_readonly("mass", [](const Engine& e) { return total_mass<double>(e.plant); })
      .def_property_readonly("joint_names", &joint_names)
      .def_property_readonly("body_names", &body_names)
      .def_property_readonly("frame_names", &frame_names)
      .def_property_readonly("joints", &joints)
      .def_property_readonly("configuration_names",
                             [](const Engine& e) { return e.model.configuration_names(); })
      .def_property_readonly("velocity_names",
                             [](const Engine& e) { return e.model.velocity_names(); })
      .def_property_readonly("lower_limit", [](const Engine& e) { return e.model.lower_limit(); })
      .def_property_readonly("upper_limit", [](const Engine& e) { return e.model.upper_limit(); })
      .def_property_readonly("velocity_limit",
                             [](const Engine& e) { return e.model.velocity_limit(); })
      .def_property_readonly("effort_limit", [](const Engine& e) { return e.model.effort_limit(); })
      .def_property_readonly("damping", [](const Engine& e) { return e.model.damping(); })
      .def_property_readonly("friction", [](const Engine& e) { return e.model.friction(); })
      .def_property_readonly("friction_negative",
                             [](const Engine& e) { return e.model.friction_negative(); })
      .def_property_readonly("armature", [](const Engine& e) { return e.model.armature(); })
      .def_property_readonly("parameters", &inertial_parameters)
      .def_property_readonly("drive_parameters",
                             [](const Engine& e) { return ulna::drive_parameters(e.plant); })
      .def_property_readonly("spring_parameters",
                             [](const Engine& e) {
                               const DriveTrain& d = e.model.drives();
                               MatrixXd numbers(e.model.nv(), 3);
                               numbers << d.stiffness, d.hardening, d.spring_damping;
                               return numbers;
                             })
      .def_property_readonly("gear_ratios",
                             [](const Engine& e) {
                               VectorXd ratios(std::ssize(e.model.drives().gears));
                               for (Index i = 0;
                                    const DriveTrain::Entry& g : e.model.drives().gears)
                                 ratios(i++) = g.ratio;
                               return ratios;
                             })
      .def("neutral", [](const Engine& e) { return neutral(e.model); })
      .def("random_configurations", &random_configurations, "seed"_a, "count"_a)
      .def("ik", &ik, "frame"_a, "target"_a, "start"_a, "position_tolerance"_a,
           "orientation_tolerance"_a, "position_only"_a, "iterations"_a, "restarts"_a, "seed"_a)
      .def("to_urdf", [](const Engine& e) { return to_urdf(e.model); })
      .def("copied",
           [](const Engine& e) {
             auto engine = std::make_unique<Engine>(Imported{e.model, e.diagnostics});
             engine->set_threads(e.threads());
             return engine;
           })
      .def("with_gravity",
           [](const Engine& e, const Vec3<double>& g) { return made(e.model.with_gravity(g), e); })
      .def("lock_joints",
           [](const Engine& e, const JointValues& at) { return made(lock_joints(e.model, at), e); })
      .def("sub_chain",
           [](const Engine& e, const std::string& base, const std::string& tip) {
             Diagnostics notes;
             const Model model = sub_chain(e.model, base, tip, &notes);
             auto engine = std::make_unique<Engine>(Imported{model, notes});
             engine->set_threads(e.threads());
             return engine;
           })
      .def("lump_fixed_joints", [](const Engine& e) { return made(lump_fixed_joints(e.model), e); })
      .def("with_floating_base",
           [](const Engine& e, const std::string& joint) {
             return made(with_floating_base(e.model, joint), e);
           })
      .def("with_plain_drives", [](const Engine& e) { return made(with_plain_drives(e.model), e); })
      .def("without_mimics", [](const Engine& e) { return made(without_mimics(e.model), e); })
      .def("without_friction", [](const Engine& e) { return made(without_friction(e.model), e); })
      .def(
          "with_parameters",
          [](const Engine& e, const VectorXd& pi) { return made(with_parameters(e.model, pi), e); })
      .def("with_payload", [](const Engine& e, const std::string& frame, double mass,
                              const Vec3<double>& com, const Mat3<double>& inertia) {
        return made(with_payload(e.model, frame, mass, com, inertia), e);
      });

  module.def("robots", [] {
    std::vector<std::string> names;
    for (const EmbeddedRobot& robot : embedded_robots()) names.emplace_back(robot.name);
    return names;
  });
  module.def("functions", [] {
    std::vector<std::string> names;
    for (const Spec* spec : all_specs()) names.emplace_back(spec->name);
    return names;
  });
}

}  // namespace ulna::python
