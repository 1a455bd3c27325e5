#include "engine.hpp"
#include "errors.hpp"
#include "fields.hpp"
#include "parts.hpp"
#include "ulna/model/builder.hpp"

/// A robot's description as a dict, and robots from such dicts.
namespace ulna::python {

/// A shape as ("box", [x, y, z]), ("mesh", file, [x, y, z]), ...
template <>
struct Converter<Geometry> {
  static py::object written(const Geometry& g) {
    if (const auto* x = std::get_if<Box>(&g)) return py::make_tuple("box", x->size);
    if (const auto* x = std::get_if<Sphere>(&g)) return py::make_tuple("sphere", x->radius);
    if (const auto* x = std::get_if<Cylinder>(&g))
      return py::make_tuple("cylinder", Eigen::Vector2d(x->radius, x->length));
    if (const auto* x = std::get_if<Capsule>(&g))
      return py::make_tuple("capsule", Eigen::Vector2d(x->radius, x->length));
    const Mesh& mesh = std::get<Mesh>(g);
    return py::make_tuple("mesh", mesh.file, mesh.scale);
  }
  static void read(py::handle given, Geometry& to, const std::string& name) {
    const char* needed =
        "a shape is needed, such as ('box', (0.1, 0.2, 0.3)), ('sphere', 0.1), "
        "('cylinder', (0.05, 0.3)), ('capsule', (0.05, 0.3)), ('mesh', 'link.stl')";
    if (!py::isinstance<py::sequence>(given) || py::isinstance<py::str>(given) ||
        py::len(given) < 2 || !py::isinstance<py::str>(given[py::int_(0)]))
      refuse_option(name, needed, given);
    const auto kind = given[py::int_(0)].cast<std::string>();
    const py::object second = given[py::int_(1)];
    if (kind == "mesh") {
      Mesh mesh{};
      python::read(second, mesh.file, name);
      if (py::len(given) > 2) python::read(given[py::int_(2)], mesh.scale, name);
      to = mesh;
      return;
    }
    Eigen::VectorXd size;
    if (py::isinstance<py::float_>(second) || py::isinstance<py::int_>(second))
      size = Eigen::VectorXd::Constant(1, second.cast<double>());
    else
      python::read(second, size, name);
    if (kind == "box" && size.size() == 3)
      to = Box{Vec3<double>(size)};
    else if (kind == "sphere" && size.size() == 1)
      to = Sphere{size(0)};
    else if (kind == "cylinder" && size.size() == 2)
      to = Cylinder{size(0), size(1)};
    else if (kind == "capsule" && size.size() == 2)
      to = Capsule{size(0), size(1)};
    else
      refuse_option(name, needed, given);
  }
};

ULNA_PYTHON_WORDS(JointType, fixed, revolute, continuous, prismatic, helical, planar, ball,
                  floating)
ULNA_PYTHON_FIELDS(Pose, xyz, rpy)
ULNA_PYTHON_FIELDS(Material, name, rgba, texture)
ULNA_PYTHON_FIELDS(Shape, name, origin, geometry, material)
ULNA_PYTHON_FIELDS(Inertial, mass, com, inertia)
ULNA_PYTHON_FIELDS(LinkDescription, name, inertial, visuals, collisions)
ULNA_PYTHON_FIELDS(Limits, lower, upper, velocity, effort)
ULNA_PYTHON_FIELDS(JointDynamics, damping, friction, friction_negative, armature)
ULNA_PYTHON_FIELDS(Spring, stiffness, hardening, damping)
ULNA_PYTHON_FIELDS(Mimic, joint, multiplier, offset)
ULNA_PYTHON_FIELDS(JointDescription, name, type, parent, child, origin, axis, pitch, limits,
                   dynamics, mimic, spring)
ULNA_PYTHON_FIELDS(FrameDescription, name, link, origin)
ULNA_PYTHON_FIELDS(LoopDescription, name, type, link1, link2, origin1, origin2, axis)
ULNA_PYTHON_FIELDS(Gear, joint, ratio)
ULNA_PYTHON_FIELDS(RotorMount, link, axis)
ULNA_PYTHON_FIELDS(MotorDescription, name, gears, inertia, damping, friction, friction_negative,
                   mount)
ULNA_PYTHON_FIELDS(Description, name, gravity, links, joints, frames, loops, motors)

namespace {

std::unique_ptr<Engine> built(const py::dict& given, bool strict) {
  const auto description = options_of<Description>(given);
  Diagnostics found;
  const Builder builder(description);
  if (strict) return std::make_unique<Engine>(builder.build(true));
  Model model = builder.build(found);
  return std::make_unique<Engine>(Imported{std::move(model), std::move(found)});
}

}  // namespace

void register_description(py::module_& module) {
  module.def("build", &built);
  module.def("description", [](const Engine& e) { return written(e.model.description()); });
}

}  // namespace ulna::python
