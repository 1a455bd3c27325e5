#include <algorithm>
#include <cmath>
#include <map>

#include "io/lossy_writer.hpp"
#include "ulna/io/import.hpp"

namespace ulna {
namespace {

using namespace detail;

/// Bodies nest as links do; angles are radians, and orientations roll, pitch and yaw as in URDF.
class MjcfWriter : LossyWriter {
 public:
  MjcfWriter(const Model& model, Diagnostics& lost) : LossyWriter(model, lost, "MJCF") {}

  std::string write() {
    note_lost(false);
    {
      const Element root(this, "mujoco", "model", d_.name);
      Element(this, "compiler", "angle", "radian", "eulerseq", "XYZ", "autolimits", "true",
              "inertiafromgeom", "false");
      Element(this, "option", "gravity", d_.gravity);
      assets();
      {
        const Element world(this, "worldbody");
        const LinkDescription& base = d_.links[root_];
        if (is_world(base))
          inside(base);
        else
          body(base, nullptr);
      }
      actuators();
      equalities();
    }
    return out_.CStr();
  }

 private:
  /// What only is where the robot stands.
  bool is_world(const LinkDescription& base) const {
    const bool empty = !base.inertial && base.visuals.empty() && base.collisions.empty();
    return base.name == "world" ||
           (empty && !children(base).empty() &&
            std::ranges::all_of(children(base), [](const JointDescription* j) {
              return j->type == JointType::floating;
            }));
  }

  void assets() {
    const Element assets(this, "asset");
    const auto add = [&](const Shape& s) {
      const Mesh* mesh = std::get_if<Mesh>(&s.geometry);
      if (!mesh || meshes_.contains(key(*mesh))) return;
      const std::string name = "mesh" + std::to_string(meshes_.size() + 1);
      meshes_[key(*mesh)] = name;
      Element(this, "mesh", "name", name, "file", mesh->file, "scale",
              unless(Mesh().scale, mesh->scale));
    };
    for (const LinkDescription& l : d_.links) {
      for (const Shape& s : l.visuals) add(s);
      for (const Shape& s : l.collisions) add(s);
    }
  }
  static std::string key(const Mesh& mesh) { return mesh.file + " " + text(mesh.scale); }

  /// What a link carries, and the bodies that hang on it.
  void inside(const LinkDescription& l) {
    if (l.inertial) {
      const Mat3<double>& I = l.inertial->inertia;
      Eigen::Matrix<double, 6, 1> full;
      full << I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2);
      Element(this, "inertial", "pos", l.inertial->com, "mass", l.inertial->mass, "fullinertia",
              full);
    }
    for (const Shape& s : l.visuals) geom(s, true);
    for (const Shape& s : l.collisions) geom(s, false);
    for (const FrameDescription& f : d_.frames)
      if (f.link == l.name)
        Element(this, "site", "name", f.name, "pos", f.origin.xyz, "euler", turn(f.origin));
    for (const JointDescription* j : children(l)) body(link_of(j->child), j);
  }
  static std::string turn(const Pose& p) { return unless(Pose().rpy, p.rpy); }

  void body(const LinkDescription& l, const JointDescription* j) {
    const Pose origin = j ? j->origin : Pose();
    const Element body(this, "body", "name", l.name, "pos", unless(Pose().xyz, origin.xyz), "euler",
                       turn(origin));
    if (j) joint(*j);
    inside(l);
  }

  void joint(const JointDescription& j) {
    const JointDynamics y = dynamics_of(j);
    const std::string damping = unless(0.0, y.damping), armature = unless(0.0, y.armature),
                      friction = unless(0.0, 0.5 * (y.friction + y.friction_negative));
    const bool ranged = std::isfinite(j.limits.lower) && std::isfinite(j.limits.upper);
    const std::string range = ranged ? text(Eigen::Vector2d(j.limits.lower, j.limits.upper)) : "";
    switch (j.type) {
      case JointType::fixed:
        return;
      case JointType::revolute:
      case JointType::continuous:
      case JointType::prismatic:
        Element(this, "joint", "name", j.name, "type",
                j.type == JointType::prismatic ? "slide" : "hinge", "axis", j.axis, "range", range,
                "damping", damping, "frictionloss", friction, "armature", armature);
        if (!ranged && (std::isfinite(j.limits.lower) || std::isfinite(j.limits.upper)))
          lost(j, "a limit on one side only");
        return;
      case JointType::ball:
        Element(this, "joint", "name", j.name, "type", "ball", "damping", damping, "frictionloss",
                friction, "armature", armature);
        return;
      case JointType::floating:
        if (d_.links[root_].name == j.parent && is_world(d_.links[root_]))
          return void(Element(this, "joint", "name", j.name, "type", "free", "damping", damping,
                              "frictionloss", friction, "armature", armature));
        [[fallthrough]];
      case JointType::helical:
      case JointType::planar:
        lost(j, "a joint of type " + std::string(to_string(j.type)) + ", which becomes fixed,");
        return;
    }
  }

  void geom(const Shape& s, bool visual) {
    const std::string group = visual ? "1" : "3", none = visual ? "0" : "";
    std::string type, size, mesh;
    if (const Box* box = std::get_if<Box>(&s.geometry))
      type = "box", size = text(Vec3<double>(0.5 * box->size));
    else if (const Sphere* ball = std::get_if<Sphere>(&s.geometry))
      type = "sphere", size = text(ball->radius);
    else if (const Cylinder* tube = std::get_if<Cylinder>(&s.geometry))
      type = "cylinder", size = text(Eigen::Vector2d(tube->radius, 0.5 * tube->length));
    else if (const Capsule* rod = std::get_if<Capsule>(&s.geometry))
      type = "capsule", size = text(Eigen::Vector2d(rod->radius, 0.5 * rod->length));
    else
      type = "mesh", mesh = meshes_.at(key(std::get<Mesh>(s.geometry)));
    const auto& rgba = s.material.rgba;
    Element(this, "geom", "name", visual ? "" : s.name, "type", type, "size", size, "mesh", mesh,
            "pos", unless(Pose().xyz, s.origin.xyz), "euler", turn(s.origin), "contype", none,
            "conaffinity", none, "group", group, "rgba", rgba ? text(*rgba) : "");
  }

  void actuators() {
    const Element actuators(this, "actuator");
    for (const JointDescription& j : d_.joints)
      if (velocity_size(j.type) == 1 && j.type != JointType::helical && !j.mimic &&
          std::isfinite(j.limits.effort) && j.limits.effort > 0.0)
        Element(this, "motor", "name", j.name, "joint", j.name, "ctrllimited", "true", "ctrlrange",
                Eigen::Vector2d(-j.limits.effort, j.limits.effort));
  }

  void equalities() {
    const Element equalities(this, "equality");
    for (const JointDescription& j : d_.joints)
      if (j.mimic)
        Element(this, "joint", "joint1", j.name, "joint2", j.mimic->joint, "polycoef",
                Eigen::Matrix<double, 5, 1>{j.mimic->offset, j.mimic->multiplier, 0.0, 0.0, 0.0});
    for (const LoopDescription& l : d_.loops) {
      if (l.type == JointType::ball)
        Element(this, "connect", "name", l.name, "body1", l.link1, "body2", l.link2, "anchor",
                l.origin1.xyz);
      else
        lost(l, "a loop that is closed by a joint of type " + std::string(to_string(l.type)));
    }
  }

  std::map<std::string, std::string> meshes_;
};

}  // namespace

std::string to_mjcf(const Model& model, Diagnostics& lost) {
  return MjcfWriter(model, lost).write();
}

}  // namespace ulna
