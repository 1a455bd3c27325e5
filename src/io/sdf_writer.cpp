#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/lossy_writer.hpp"
#include "ulna/io/import.hpp"

namespace ulna {
namespace {

using namespace detail;

/// SDF 1.11: each link is placed relative to its parent, with its frame on its joint.
class SdfWriter : LossyWriter {
 public:
  SdfWriter(const Model& model, Diagnostics& lost) : LossyWriter(model, lost, "SDF") {}

  std::string write() {
    note_lost(true);
    {
      const Element root(this, "sdf", "version", "1.11");
      if (d_.gravity == Description().gravity) {
        model();
      } else {
        const Element world(this, "world", "name", "world");
        value("gravity", d_.gravity);
        model();
      }
    }
    return out_.CStr();
  }

 private:
  void value(const char* tag, const auto& x) {
    const Element e(this, tag);
    out_.PushText(text(x).c_str());
  }
  void pose(const Pose& p, const std::string& relative_to = {}) {
    if (p == Pose() && relative_to.empty()) return;
    const Element e(this, "pose", "relative_to", relative_to);
    Eigen::Matrix<double, 6, 1> six;
    six << p.xyz, p.rpy;
    out_.PushText(text(six).c_str());
  }

  bool is_world(const LinkDescription& l) const {
    return &l == &d_.links[root_] && l.name == "world" && !l.inertial && l.visuals.empty() &&
           l.collisions.empty();
  }

  void model() {
    const Element model(this, "model", "name", d_.name);
    for (const LinkDescription& l : d_.links)
      if (!is_world(l)) link(l);
    for (const JointDescription& j : d_.joints) joint(j);
    for (const FrameDescription& f : d_.frames) {
      const Element frame(this, "frame", "name", f.name, "attached_to", f.link);
      pose(f.origin);
    }
    if (d_.loops.empty()) return;
    const auto X_WL = at_zero();
    for (const LoopDescription& l : d_.loops) loop(l, X_WL);
  }

  /// Where links are while all joints are at zero.
  std::map<std::string, Transform<double>> at_zero() const {
    std::map<std::string, Transform<double>> X_WL;
    X_WL[d_.links[root_].name] = {};
    std::vector<const LinkDescription*> next{&d_.links[root_]};
    while (!next.empty()) {
      const LinkDescription& link = *next.back();
      next.pop_back();
      for (const JointDescription* j : children(link)) {
        X_WL[j->child] = X_WL.at(link.name) * j->origin.transform();
        next.push_back(&link_of(j->child));
      }
    }
    return X_WL;
  }

  /// A second joint of its second link. It has one pose, so the loop must close where all joints are at zero.
  void loop(const LoopDescription& l, const std::map<std::string, Transform<double>>& X_WL) {
    const Transform<double> X_1 = X_WL.at(l.link1) * l.origin1.transform(),
                            X_2 = X_WL.at(l.link2) * l.origin2.transform();
    const Mat3<double>&R_1 = X_1.rotation().matrix(), &R_2 = X_2.rotation().matrix();
    const bool turns = l.type == JointType::revolute || l.type == JointType::continuous,
               known = turns || l.type == JointType::ball || l.type == JointType::fixed ||
                       l.type == JointType::prismatic;
    constexpr double close = 1e-9;
    const bool closed = (X_1.translation() - X_2.translation()).norm() < close &&
                        (l.type == JointType::ball || (turns ? (R_1 * l.axis - R_2 * l.axis).norm()
                                                             : (R_1 - R_2).norm()) < close);
    if (!known)
      return lost(l, "a loop that is closed by a joint of type " + std::string(to_string(l.type)));
    if (!closed) return lost(l, "a loop that is open where all joints are at zero");
    const Element joint(this, "joint", "name", l.name, "type", to_string(l.type));
    pose(l.origin2, l.link2);
    value("parent", l.link1);
    value("child", l.link2);
    if (!has_axis(l.type)) return;
    const Element axis(this, "axis");
    value("xyz", l.axis);
  }

  void link(const LinkDescription& l) {
    const Element link(this, "link", "name", l.name);
    for (const JointDescription& j : d_.joints)
      if (j.child == l.name)
        pose(j.origin, j.parent == "world" && is_world(d_.links[root_]) ? "" : j.parent);
    inertial(l.inertial.value_or(Inertial()));
    for (const Shape& s : l.visuals) shape("visual", s);
    for (const Shape& s : l.collisions) shape("collision", s);
  }

  /// Also where there is none: SDF would take 1 kg.
  void inertial(const Inertial& i) {
    const Element inertial(this, "inertial");
    pose(Pose(i.com));
    value("mass", i.mass);
    const Element inertia(this, "inertia");
    const char* const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    const int row[] = {0, 0, 0, 1, 1, 2}, column[] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k) value(names[k], i.inertia(row[k], column[k]));
  }

  void shape(const char* tag, const Shape& s) {
    const Element shape(this, tag, "name",
                        s.name.empty() ? tag + std::to_string(++shapes_) : s.name);
    pose(s.origin);
    {
      const Element geometry(this, "geometry");
      std::visit([this](const auto& g) { this->geometry(g); }, s.geometry);
    }
    if (s.material.rgba && tag == std::string_view("visual")) {
      const Element material(this, "material");
      value("diffuse", *s.material.rgba);
    }
  }
  void geometry(const Box& g) {
    const Element e(this, "box");
    value("size", g.size);
  }
  void geometry(const Sphere& g) {
    const Element e(this, "sphere");
    value("radius", g.radius);
  }
  void geometry(const Cylinder& g) { round("cylinder", g.radius, g.length); }
  void geometry(const Capsule& g) { round("capsule", g.radius, g.length); }
  void round(const char* tag, double radius, double length) {
    const Element e(this, tag);
    value("radius", radius);
    value("length", length);
  }
  void geometry(const Mesh& g) {
    const Element e(this, "mesh");
    value("uri", g.file);
    if (g.scale != Mesh().scale) value("scale", g.scale);
  }

  void joint(const JointDescription& j) {
    const bool possible = j.type != JointType::planar && j.type != JointType::floating;
    if (!possible)
      lost(j, "a joint of type " + std::string(to_string(j.type)) + ", which becomes fixed,");
    const std::string_view type = j.type == JointType::helical ? "screw"
                                  : possible                   ? to_string(j.type)
                                                               : "fixed";
    const Element joint(this, "joint", "name", j.name, "type", type);
    value("parent", j.parent);
    value("child", j.child);
    const JointDynamics y = dynamics_of(j);
    if (y.armature != 0.0) lost(j, "the inertia of the rotor");
    if (j.type == JointType::ball && (y.damping != 0.0 || y.friction != 0.0))
      lost(j, "the friction of a ball joint");
    if (!possible || !has_axis(j.type)) return;
    if (j.type == JointType::helical) value("screw_thread_pitch", 2.0 * std::numbers::pi * j.pitch);
    const Element axis(this, "axis");
    value("xyz", j.axis);
    limits(j);
    if (const double friction = 0.5 * (y.friction + y.friction_negative);
        y.damping != 0.0 || friction != 0.0) {
      const Element dynamics(this, "dynamics");
      value("damping", y.damping);
      value("friction", friction);
    }
    if (j.mimic) {
      const Element mimic(this, "mimic", "joint", j.mimic->joint);
      value("multiplier", j.mimic->multiplier);
      value("offset", j.mimic->offset);
      value("reference", 0.0);
    }
  }

  void limits(const JointDescription& j) {
    const Limits& l = j.limits;
    if (l == Limits()) return;
    const Element limit(this, "limit");
    if (std::isfinite(l.lower)) value("lower", l.lower);
    if (std::isfinite(l.upper)) value("upper", l.upper);
    if (std::isfinite(l.effort)) value("effort", l.effort);
    if (std::isfinite(l.velocity)) value("velocity", l.velocity);
  }

  int shapes_ = 0;
};

}  // namespace

std::string to_sdf(const Model& model, Diagnostics& lost) {
  return "<?xml version=\"1.0\"?>\n" + SdfWriter(model, lost).write();
}

}  // namespace ulna
