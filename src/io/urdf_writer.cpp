#include <tinyxml2.h>

#include "ulna/io/import.hpp"
#include "ulna/io/number.hpp"

namespace ulna {
namespace {

std::string text(const Vec3<double>& v) {
  return format_number(v.x()) + " " + format_number(v.y()) + " " + format_number(v.z());
}

/// Numbers are written so that they read back to the last bit; what has its default is left out.
class UrdfWriter {
 public:
  std::string write(const Description& d) {
    open("robot");
    put("name", d.name);
    if (needs_extensions(d)) put("xmlns:ulna", "https://ulna.dev/urdf");
    if (d.gravity != Description().gravity) {
      open("ulna:gravity");
      put("xyz", text(d.gravity));
      close();
    }
    for (const LinkDescription& l : d.links) link(l);
    for (const JointDescription& j : d.joints) joint(j);
    for (const FrameDescription& f : d.frames) frame(f);
    for (const LoopDescription& l : d.loops) loop(l);
    close();
    return out_.CStr();
  }

 private:
  void open(const char* tag) { out_.OpenElement(tag); }
  void close() { out_.CloseElement(); }
  void put(const char* name, const std::string& value) { out_.PushAttribute(name, value.c_str()); }
  void put(const char* name, double value) { put(name, format_number(value)); }

  static bool needs_extensions(const Description& d) {
    if (d.gravity != Description().gravity || !d.frames.empty() || !d.loops.empty()) return true;
    for (const JointDescription& j : d.joints)
      if (j.type == JointType::helical || j.dynamics.armature != 0.0 ||
          j.dynamics.friction_negative != j.dynamics.friction)
        return true;
    return false;
  }

  void pose(const Pose& p, const char* tag = "origin") {
    if (p == Pose()) return;
    open(tag);
    put("xyz", text(p.xyz));
    if (!p.rpy.isZero(0.0)) put("rpy", text(p.rpy));
    close();
  }

  void link(const LinkDescription& l) {
    open("link");
    put("name", l.name);
    if (l.inertial) inertial(*l.inertial);
    for (const Shape& s : l.visuals) shape("visual", s);
    for (const Shape& s : l.collisions) shape("collision", s);
    close();
  }

  void inertial(const Inertial& body) {
    open("inertial");
    pose(Pose(body.com));
    open("mass");
    put("value", body.mass);
    close();
    open("inertia");
    const Mat3<double>& I = body.inertia;
    put("ixx", I(0, 0)), put("ixy", I(0, 1)), put("ixz", I(0, 2));
    put("iyy", I(1, 1)), put("iyz", I(1, 2)), put("izz", I(2, 2));
    close();
    close();
  }

  void shape(const char* tag, const Shape& s) {
    open(tag);
    if (!s.name.empty()) put("name", s.name);
    pose(s.origin);
    open("geometry");
    std::visit([this](const auto& g) { geometry(g); }, s.geometry);
    close();
    if (s.material != Material()) material(s.material);
    close();
  }

  void geometry(const Box& g) { open("box"), put("size", text(g.size)), close(); }
  void geometry(const Sphere& g) { open("sphere"), put("radius", g.radius), close(); }
  void geometry(const Cylinder& g) {
    open("cylinder"), put("radius", g.radius), put("length", g.length), close();
  }
  void geometry(const Capsule& g) {
    open("capsule"), put("radius", g.radius), put("length", g.length), close();
  }
  void geometry(const Mesh& g) {
    open("mesh"), put("filename", g.file);
    if (g.scale != Mesh().scale) put("scale", text(g.scale));
    close();
  }

  void material(const Material& m) {
    open("material");
    put("name", m.name);
    if (m.rgba) {
      const Vec4<double>& c = *m.rgba;
      open("color"), put("rgba", text(c.head<3>()) + " " + format_number(c(3))), close();
    }
    if (!m.texture.empty()) open("texture"), put("filename", m.texture), close();
    close();
  }

  void joint(const JointDescription& j) {
    open("joint");
    put("name", j.name);
    put("type", std::string(to_string(j.type)));
    pose(j.origin);
    open("parent"), put("link", j.parent), close();
    open("child"), put("link", j.child), close();
    if (has_axis(j.type)) {
      open("axis"), put("xyz", text(j.axis));
      if (j.type == JointType::helical) put("ulna:pitch", j.pitch);
      close();
    }
    if (j.limits != Limits()) limits(j.limits);
    if (const JointDynamics& y = j.dynamics; y != JointDynamics()) {
      open("dynamics");
      if (y.damping != 0.0) put("damping", y.damping);
      if (y.friction != 0.0) put("friction", y.friction);
      if (y.friction_negative != y.friction) put("ulna:friction_negative", y.friction_negative);
      if (y.armature != 0.0) put("ulna:armature", y.armature);
      close();
    }
    if (j.mimic) {
      open("mimic"), put("joint", j.mimic->joint);
      if (j.mimic->multiplier != 1.0) put("multiplier", j.mimic->multiplier);
      if (j.mimic->offset != 0.0) put("offset", j.mimic->offset);
      close();
    }
    close();
  }

  void limits(const Limits& l) {
    open("limit");
    // a missing one of the two would be read as 0
    if (l.lower != -infinity || l.upper != infinity) {
      put("lower", l.lower == -infinity ? "-inf" : format_number(l.lower));
      put("upper", l.upper == infinity ? "inf" : format_number(l.upper));
    }
    if (l.effort != infinity) put("effort", l.effort);
    if (l.velocity != infinity) put("velocity", l.velocity);
    close();
  }

  void frame(const FrameDescription& f) {
    open("ulna:frame");
    put("name", f.name), put("link", f.link);
    pose(f.origin);
    close();
  }

  void loop(const LoopDescription& l) {
    open("ulna:loop");
    put("name", l.name), put("type", std::string(to_string(l.type)));
    put("link1", l.link1), put("link2", l.link2);
    pose(l.origin1, "origin1");
    pose(l.origin2, "origin2");
    open("axis"), put("xyz", text(l.axis)), close();
    close();
  }

  tinyxml2::XMLPrinter out_;
};

}  // namespace

std::string to_urdf(const Model& model) {
  return "<?xml version=\"1.0\"?>\n" + UrdfWriter().write(model.description());
}

}  // namespace ulna
