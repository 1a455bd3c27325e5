#include <algorithm>

#include "io/xml_writer.hpp"
#include "ulna/io/import.hpp"

namespace ulna {
namespace {

using namespace detail;

/// Numbers are written so that they read back to the last bit; what has its default is left out.
class UrdfWriter : XmlWriter {
 public:
  std::string write(const Description& d) {
    robot(d);
    return out_.CStr();
  }

 private:
  void robot(const Description& d) {
    const Vec3<double> usual = Description().gravity;
    const bool extended = d.gravity != usual || !d.frames.empty() || !d.loops.empty() ||
                          !d.motors.empty() || std::ranges::any_of(d.joints, needs_extensions);
    const Element robot(this, "robot", "name", d.name, "xmlns:ulna",
                        extended ? "https://ulna.dev/urdf" : "");
    if (d.gravity != usual) Element(this, "ulna:gravity", "xyz", d.gravity);
    for (const LinkDescription& l : d.links) link(l);
    for (const JointDescription& j : d.joints) joint(j);
    for (const FrameDescription& f : d.frames) {
      const Element frame(this, "ulna:frame", "name", f.name, "link", f.link);
      pose(f.origin);
    }
    for (const LoopDescription& l : d.loops) {
      const Element loop(this, "ulna:loop", "name", l.name, "type", to_string(l.type), "link1",
                         l.link1, "link2", l.link2);
      pose(l.origin1, "origin1");
      pose(l.origin2, "origin2");
      Element(this, "axis", "xyz", l.axis);
    }
    for (const MotorDescription& m : d.motors) motor(m);
  }

  void motor(const MotorDescription& m) {
    const Element motor(this, "ulna:motor", "name", m.name, "inertia", unless(0.0, m.inertia),
                        "damping", unless(0.0, m.damping), "friction", unless(0.0, m.friction),
                        "friction_negative", unless(m.friction, m.friction_negative));
    for (const Gear& g : m.gears) Element(this, "ulna:gear", "joint", g.joint, "ratio", g.ratio);
    if (const auto& c = m.mount) Element(this, "ulna:carrier", "link", c->link, "axis", c->axis);
  }

  static bool needs_extensions(const JointDescription& j) {
    return j.type == JointType::helical || j.dynamics.armature != 0.0 ||
           j.dynamics.friction_negative != j.dynamics.friction || j.spring;
  }

  void pose(const Pose& p, const char* tag = "origin") {
    if (p != Pose()) Element(this, tag, "xyz", p.xyz, "rpy", unless(Pose().rpy, p.rpy));
  }

  void link(const LinkDescription& l) {
    const Element link(this, "link", "name", l.name);
    if (l.inertial) {
      const Element inertial(this, "inertial");
      pose(Pose(l.inertial->com));
      Element(this, "mass", "value", l.inertial->mass);
      const Mat3<double>& I = l.inertial->inertia;
      Element(this, "inertia", "ixx", I(0, 0), "ixy", I(0, 1), "ixz", I(0, 2), "iyy", I(1, 1),
              "iyz", I(1, 2), "izz", I(2, 2));
    }
    for (const Shape& s : l.visuals) shape("visual", s);
    for (const Shape& s : l.collisions) shape("collision", s);
  }

  void shape(const char* tag, const Shape& s) {
    const Element shape(this, tag, "name", s.name);
    pose(s.origin);
    {
      const Element parent(this, "geometry");
      std::visit([this](const auto& g) { geometry(g); }, s.geometry);
    }
    if (const Material& m = s.material; m != Material()) {
      const Element material(this, "material", "name", m.name);
      if (m.rgba) Element(this, "color", "rgba", *m.rgba);
      if (!m.texture.empty()) Element(this, "texture", "filename", m.texture);
    }
  }

  void geometry(const Box& g) { Element(this, "box", "size", g.size); }
  void geometry(const Sphere& g) { Element(this, "sphere", "radius", g.radius); }
  void geometry(const Cylinder& g) {
    Element(this, "cylinder", "radius", g.radius, "length", g.length);
  }
  void geometry(const Capsule& g) {
    Element(this, "capsule", "radius", g.radius, "length", g.length);
  }
  void geometry(const Mesh& g) {
    Element(this, "mesh", "filename", g.file, "scale", unless(Mesh().scale, g.scale));
  }

  void joint(const JointDescription& j) {
    const Element joint(this, "joint", "name", j.name, "type", to_string(j.type));
    pose(j.origin);
    Element(this, "parent", "link", j.parent);
    Element(this, "child", "link", j.child);
    if (has_axis(j.type))
      Element(this, "axis", "xyz", j.axis, "ulna:pitch",
              j.type == JointType::helical ? text(j.pitch) : "");
    if (const Limits& l = j.limits; l != Limits()) {
      // a missing one of the two would be read as 0
      const bool ranged = l.lower != -infinity || l.upper != infinity;
      Element(this, "limit", "lower", ranged ? text(l.lower) : "", "upper",
              ranged ? text(l.upper) : "", "effort", unless(infinity, l.effort), "velocity",
              unless(infinity, l.velocity));
    }
    if (const JointDynamics& y = j.dynamics; y != JointDynamics())
      Element(this, "dynamics", "damping", unless(0.0, y.damping), "friction",
              unless(0.0, y.friction), "ulna:friction_negative",
              unless(y.friction, y.friction_negative), "ulna:armature", unless(0.0, y.armature));
    if (const auto& s = j.spring)
      Element(this, "ulna:spring", "stiffness", s->stiffness, "hardening",
              unless(0.0, s->hardening), "damping", unless(0.0, s->damping));
    if (const auto& m = j.mimic)
      Element(this, "mimic", "joint", m->joint, "multiplier", unless(1.0, m->multiplier), "offset",
              unless(0.0, m->offset));
  }
};

}  // namespace

std::string to_urdf(const Model& model) {
  return "<?xml version=\"1.0\"?>\n" + UrdfWriter().write(model.description());
}

}  // namespace ulna
