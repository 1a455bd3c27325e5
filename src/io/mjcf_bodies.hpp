#pragma once

#include "io/mjcf_elements.hpp"

namespace ulna::detail {

/// Bodies of MJCF with their joints, inertia and shapes, as links and joints: a body with several joints is as many links.
class MjcfBodies : protected MjcfElements {
 protected:
  using MjcfElements::MjcfElements;

  /// A body of the file: its link, where its frame is in that of the link, and in the world.
  struct Body {
    int link = -1;
    Transform<double> X_LB, X_WB;
  };

  // --- bodies ---

  /// What is in a body, or in a frame of it.
  void inside(const XMLElement& e, Body& body, const Transform<double>& X_BF,
              const Class* childclass, bool in_frame = false) {
    const std::string subject = subject_;
    const Words known{"body",   "geom",  "site",   "joint",     "freejoint", "inertial",  "frame",
                      "camera", "light", "plugin", "composite", "flexcomp",  "replicate", "attach"};
    each_child(e, known, [&](const XMLElement& child, std::string_view tag) {
      if (tag == "body")
        this->body(child, body, X_BF, find_class(child, "childclass", childclass));
      else if (tag == "frame")
        inside(child, body, X_BF * place({&child, nullptr}),
               find_class(child, "childclass", childclass), true);
      else if (tag == "geom")
        geom(given(child, childclass), body, X_BF);
      else if (tag == "site")
        site(given(child, childclass), body, X_BF);
      else if (is_among({"composite", "flexcomp", "replicate", "attach"}, tag))
        refuse(child);
      else if (is_among({"camera", "light", "plugin"}, tag))
        ignore(child);
      else if (in_frame)
        refuse(child);
      else if (body.link == world_)
        report(rules::tag_misplaced, child,
               "<" + std::string(tag) + "> in the world has no effect");
    });
    subject_ = subject;
  }

  /// What is named by the file keeps its name; sites and links that are made get others.
  void reserve_bodies(const XMLElement& e) {
    each_element(e, [&](const XMLElement& child) {
      const char* name = child.Attribute("name");
      if (name && child.Name() == std::string_view("body")) reserve(name);
      if (is_among({"body", "frame"}, child.Name())) reserve_bodies(child);
    });
  }

  void body(const XMLElement& e, const Body& parent, const Transform<double>& X_PF,
            const Class* childclass) {
    const std::string name = unique_link(e.Attribute("name"), "body", e);
    subject_ = quoted("body", name);
    known_attributes(e, {"name", "childclass", "pos", "quat", "axisangle", "euler", "xyaxes",
                         "zaxis", "mocap", "gravcomp"});
    if (const XMLAttribute* a = e.FindAttribute("gravcomp"); a && number(e, "gravcomp") != 0.0)
      lost(*a, "compensation of gravity is not read");
    if (e.FindAttribute("mocap") && e.BoolAttribute("mocap"))
      lost(*e.FindAttribute("mocap"), "motion from outside is not read: the body is fixed");
    const Transform<double> X_PB = X_PF * place({&e, nullptr});
    Body made{-1, {}, parent.X_WB * X_PB};

    // joints in their order, each with a link of its own; the body's own link is the last
    std::vector<const XMLElement*> joints;
    each_element(e, [&](const XMLElement& child) {
      if (is_among({"joint", "freejoint"}, child.Name())) joints.push_back(&child);
    });
    std::string above = d_.links[parent.link].name;
    Transform<double> X_LB = parent.X_LB * X_PB;
    if (joints.empty()) {
      made.link = add_link(name, e.GetLineNum());
      JointDescription fixed{unique_joint(name + "_fixed"), JointType::fixed, above, name,
                             plain_pose(X_LB)};
      fixed.line = e.GetLineNum();
      d_.joints.push_back(std::move(fixed));
    }
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const bool last = i + 1 == joints.size();
      const std::string child = last ? name : unique_link_name(name + "_" + std::to_string(i + 1));
      made.link = add_link(child, e.GetLineNum());
      X_LB = joint(given(*joints[i], childclass), above, child, X_LB, name, joints.size());
      above = child;
      subject_ = quoted("body", name);
    }
    if (!joints.empty()) made.X_LB = X_LB;
    if (!made.X_LB.translation().isZero(0.0))
      d_.frames.push_back(
          {unique_frame(name + "_frame"), name, Pose(made.X_LB.translation()), e.GetLineNum()});

    const int link = made.link;
    inertias_[link] = {};
    std::optional<Inertial> own;
    if (const XMLElement* i = e.FirstChildElement("inertial")) own = inertial(*i, made);
    Body& kept = bodies_.emplace(name, made).first->second;
    inside(e, kept, {}, childclass);
    subject_ = quoted("body", name);
    take_inertia(e, kept, own, joints.empty());
  }

  /// A joint between two links; returns where the body's frame is in that of the lower one.
  Transform<double> joint(const Given& e, const std::string& parent, const std::string& child,
                          const Transform<double>& X_PB, const std::string& body, std::size_t of) {
    const bool free_joint = e.element->Name() == std::string_view("freejoint");
    JointDescription made;
    made.line = e.element->GetLineNum();
    made.name = unique_joint(e.element->Attribute("name"), body + "_joint", *e.element);
    subject_ = quoted("joint", made.name);
    known_attributes(*e.element, {"name", "class", "type", "pos", "axis", "limited", "range", "ref",
                                  "armature", "damping", "frictionloss", "stiffness", "springref",
                                  "springdamper", "actuatorfrcrange", "actuatorfrclimited"});
    const std::string_view kind = free_joint ? "free" : e.text("type", "hinge");
    static constexpr std::string_view kinds[] = {"hinge", "slide", "ball", "free"};
    if (!std::ranges::count(kinds, kind))
      report(rules::joint_type_unknown, *e.element,
             quoted("type", kind) + " is unknown" + ulna::did_you_mean(kind, kinds));
    const bool turns = kind == "hinge", slides = kind == "slide", single = turns || slides;
    made.type = slides           ? JointType::prismatic
                : kind == "ball" ? JointType::ball
                : kind == "free" ? JointType::floating
                                 : JointType::revolute;
    made.parent = parent, made.child = child;
    if (kind == "free" && (of > 1 || parent != "world"))
      report(rules::tag_misplaced, *e.element,
             "a free joint is not the only joint of a body in the world");
    const auto pos = numbers_of(kind == "free" ? nullptr : e("pos"), 3, 3);
    const Vec3<double> anchor =
        pos.empty() ? Vec3<double>(Vec3<double>::Zero()) : Vec3<double>(pos.data());
    Transform<double> X_PJ = X_PB * Transform<double>::from_translation(anchor);
    if (single) {
      made.axis = Vec3<double>::UnitZ();
      if (const auto axis = numbers_of(e("axis"), 3, 3); !axis.empty())
        made.axis = unit(Vec3<double>(axis.data()), *e("axis"));
      const double ref = number_of(e, "ref", 0.0) * (turns ? angle_unit() : 1.0);
      if (ref != 0.0)
        X_PJ = X_PJ *
               (turns ? Transform<double>::from_rotation(Rotation<double>::about(made.axis, -ref))
                      : Transform<double>::from_translation(-ref * made.axis));
      refs_[made.name] = ref;
      joint_range(e, made, turns);
    } else if (e("range") && e.text("limited") != "false" && kind == "ball") {
      lost(*e("range"), "the range of a ball joint is not read");
    }
    made.origin = plain_pose(X_PJ);
    made.dynamics.damping = number_of(e, "damping", 0.0);
    made.dynamics.friction = made.dynamics.friction_negative = number_of(e, "frictionloss", 0.0);
    made.dynamics.armature = number_of(e, "armature", 0.0);
    if (number_of(e, "stiffness", 0.0) != 0.0)
      lost(*e("stiffness"),
           "a spring between the links is not read: ulna's springs are between motor and link");
    if (const auto s = numbers_of(e("springdamper"), 2, 2);
        !s.empty() && (s[0] != 0.0 || s[1] != 0.0))
      lost(*e("springdamper"), "a spring between the links is not read");
    if (const auto f = numbers_of(e("actuatorfrcrange"), 2, 2);
        !f.empty() && e.text("actuatorfrclimited") != "false")
      made.limits.effort = smaller_side(f, *e("actuatorfrcrange"));
    d_.joints.push_back(std::move(made));
    return Transform<double>::from_translation(-anchor);
  }

  void joint_range(const Given& e, JointDescription& made, bool turns) {
    const std::string_view limited = e.text("limited", "auto");
    if (!is_among({"true", "false", "auto"}, limited))
      report(rules::number_invalid, *e("limited"),
             quoted("limited", limited) + " is not true, false or auto");
    const auto range = numbers_of(e("range"), 2, 2);
    if (limited == "true" && range.empty())
      return report(rules::limit_missing, *e.element, "is limited, but has no range",
                    "taken as unlimited");
    if (limited == "false" || range.empty() || (range[0] == 0.0 && range[1] == 0.0)) {
      if (turns) made.type = JointType::continuous;
      return;
    }
    if (limited == "auto" && !autolimits_)
      out_.add(rules::limit_missing, at(*e("range")), subject_,
               "has a range, but autolimits is off and it does not say whether it is limited",
               "taken as limited");
    const double unit = turns ? angle_unit() : 1.0;
    made.limits.lower = range[0] * unit;
    made.limits.upper = range[1] * unit;
  }

  double smaller_side(const std::vector<double>& range, const XMLAttribute& a) {
    const double low = std::abs(range[0]), high = std::abs(range[1]);
    if (low != high)
      out_.note(rules::dynamics_lost, at(a), subject_, "the range is not symmetric",
                "the smaller side is the effort limit");
    return std::min(low, high);
  }

  // --- inertia ---

  std::optional<Inertial> inertial(const XMLElement& e, const Body& body) {
    const Given g{&e, nullptr};
    known_attributes(e, {"pos", "mass", "diaginertia", "fullinertia", "quat", "axisangle", "euler",
                         "xyaxes", "zaxis"});
    const Within within(subject_, "inertial");
    const Transform<double> X_BC = place(g);
    if (!e.FindAttribute("pos")) report(rules::attribute_missing, e, "has no attribute 'pos'");
    Inertial made;
    made.mass = number(e, "mass");
    if (const auto d = numbers_of(e.FindAttribute("diaginertia"), 3, 3); !d.empty()) {
      made.inertia = Vec3<double>(d.data()).asDiagonal();
    } else if (const auto f = numbers_of(e.FindAttribute("fullinertia"), 6, 6); !f.empty()) {
      made.inertia << f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2];
    } else if (!e.FindAttribute("diaginertia") && !e.FindAttribute("fullinertia")) {
      report(rules::inertial_partial, e, "has neither diaginertia nor fullinertia",
             "taken as a point mass");
    }
    const Transform<double> X_LC = body.X_LB * X_BC;
    made.com = X_LC.translation();
    if (!X_LC.rotation().matrix().isIdentity(0.0))
      made.inertia = turned(X_LC.rotation(), made.inertia);
    return made;
  }

  void take_inertia(const XMLElement& e, const Body& body, const std::optional<Inertial>& own,
                    bool fixed) {
    LinkDescription& link = d_.links[body.link];
    const bool computed = from_geom_ == "true" || (from_geom_ == "auto" && !own);
    if (!computed) {
      link.inertial = own;
    } else if (const Shapes& shapes = inertias_[body.link]; shapes.count > 0) {
      link.inertial = Inertial(shapes.sum);
      report(rules::inertia_computed, e,
             "mass " + detail::number(shapes.sum.mass()) + " kg and inertia of " +
                 std::to_string(shapes.count) + (shapes.count == 1 ? " geom" : " geoms") +
                 (own ? ", in place of its inertial" : ""));
    }
    if (computed && inertias_[body.link].meshes > 0)
      report(rules::inertial_partial, e,
             "has no inertia from " + std::to_string(inertias_[body.link].meshes) +
                 " of its geoms, which are meshes",
             "they count as massless");
    if (!link.inertial || fixed) return;
    Inertial& made = *link.inertial;
    made.mass = std::max(made.mass, least_mass_);
    if (least_inertia_ > 0.0) {
      const Principal p = principal(made.inertia);
      made.inertia = p.axes * p.moments.cwiseMax(least_inertia_).asDiagonal() * p.axes.transpose();
    }
    if (balance_) {
      const Principal p = principal(made.inertia);
      if (p.moments.sum() < 2.0 * p.moments.maxCoeff()) {
        made.inertia = Mat3<double>::Identity() * p.moments.mean();
        report(rules::inertia_triangle, e, "principal moments violate the triangle inequality",
               "their mean is used, as balanceinertia says");
      }
    }
  }

  /// The total mass of all bodies is made what the compiler's option says.
  void scale_masses() {
    if (!(total_mass_ > 0.0)) return;
    double sum = 0.0;
    for (const LinkDescription& l : d_.links)
      if (l.inertial) sum += l.inertial->mass;
    for (LinkDescription& l : d_.links)
      if (l.inertial && sum > 0.0) {
        l.inertial->mass *= total_mass_ / sum;
        l.inertial->inertia *= total_mass_ / sum;
      }
  }

  // --- shapes ---

  /// With its z axis along the line between two points, if these are given.
  Transform<double> geom_place(const Given& e, double& half_length) {
    const auto line = numbers_of(e("fromto"), 6, 6);
    if (line.empty()) return place(e);
    const Vec3<double> from(line.data()), to(line.data() + 3), along = from - to;
    half_length = 0.5 * along.stableNorm();
    return {Rotation<double>::z_to(unit(along, *e("fromto"))), 0.5 * (from + to)};
  }

  void geom(const Given& e, Body& body, const Transform<double>& X_BF) {
    const std::string_view name = e.text("name"),
                           type = e.text("type", e("mesh") ? "mesh" : "sphere");
    const Within within(subject_, name.empty() ? "geom" : quoted("geom", name));
    known_attributes(*e.element, {"name", "class", "type", "size", "mass", "density", "fromto",
                                  "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "mesh",
                                  "contype", "conaffinity", "group", "rgba", "material"});
    if (type == "plane" || type == "hfield") return ignore(*e.element);
    double half_length = -1.0;
    const Transform<double> X_LG = body.X_LB * X_BF * geom_place(e, half_length);
    Shape shape;
    shape.name = name;
    shape.origin = plain_pose(X_LG);
    if (const auto m = materials_.find(std::string(e.text("material"))); m != materials_.end())
      shape.material = m->second;
    if (const auto rgba = colour(numbers_of(e("rgba"), 4, 4))) shape.material.rgba = rgba;

    const std::vector<double> size =
        type == "mesh" ? std::vector<double>() : numbers_of(e("size"), 1, 3);
    const auto half = [&](std::size_t i) {
      // of a line between two points, the length is that of the line, and what is across has one size
      if (half_length >= 0.0) {
        const bool has_three = type == "box" || type == "ellipsoid";
        if (i == (has_three ? 2 : 1)) return half_length;
        i = 0;
      }
      if (i < size.size() && size[i] > 0.0) return size[i];
      throw std::string("has no positive size" + (i ? " " + std::to_string(i + 1) : ""));
    };
    std::optional<Solid<double>> solid;
    bool drawn = true;
    try {
      if (type == "box") {
        const Vec3<double> edges = 2.0 * Vec3<double>(half(0), half(1), half(2));
        shape.geometry = Box{edges}, solid = solid_box(edges);
      } else if (type == "sphere") {
        shape.geometry = Sphere{half(0)}, solid = solid_sphere(half(0));
      } else if (type == "cylinder") {
        shape.geometry = Cylinder{half(0), 2.0 * half(1)},
        solid = solid_cylinder(half(0), 2.0 * half(1));
      } else if (type == "capsule") {
        shape.geometry = Capsule{half(0), 2.0 * half(1)},
        solid = solid_capsule(half(0), 2.0 * half(1));
      } else if (type == "ellipsoid") {
        solid = solid_ellipsoid(Vec3<double>(half(0), half(1), half(2)));
        drawn = false;
        out_.note(rules::shape_invalid, at(*e.element), subject_, "ellipsoids are not drawn",
                  "only their inertia is used");
      } else if (type == "mesh") {
        const auto mesh = meshes_.find(std::string(e.text("mesh")));
        if (mesh == meshes_.end())
          throw quoted("mesh", e.text("mesh")) + " is unknown" + advice(e.text("mesh"), meshes_);
        shape.geometry = mesh->second;
        drawn = !mesh->second.file.empty();
      } else {
        static constexpr std::string_view known[] = {"plane",     "hfield",   "sphere", "capsule",
                                                     "ellipsoid", "cylinder", "box",    "mesh"};
        throw quoted("type", type) + " is unknown" + ulna::did_you_mean(type, known);
      }
      if (!is_finite(shape)) throw std::string("its numbers are so large that they overflow");
    } catch (const std::string& defect) {
      return report(rules::shape_invalid, *e.element, defect, "the shape is left out");
    }
    const double group = number_of(e, "group", 0.0);
    add_inertia(e, body, X_LG, solid, group);
    const bool touches =
        number_of(e, "contype", 1.0) != 0.0 || number_of(e, "conaffinity", 1.0) != 0.0;
    LinkDescription& link = d_.links[body.link];
    if (drawn && group <= 2.0) link.visuals.push_back(shape);
    if (drawn && touches) link.collisions.push_back(std::move(shape));
  }

  void add_inertia(const Given& e, const Body& body, const Transform<double>& X_LG,
                   const std::optional<Solid<double>>& solid, double group) {
    if (group < group_low_ || group > group_high_) return;
    const double mass = number_of(e, "mass", -1.0), density = number_of(e, "density", 1000.0);
    for (const char* name : {"mass", "density"})
      if (const XMLAttribute* a = e(name); a && number_of(e, name, 0.0) < 0.0)
        report(rules::mass_negative, *a, std::string(name) + " is negative");
    if (mass == 0.0 || (mass < 0.0 && density <= 0.0)) return;
    Shapes& shapes = inertias_[body.link];
    if (!solid) return void(++shapes.meshes);
    shapes.sum += X_LG * (mass > 0.0 ? solid->with_mass(mass) : solid->with_density(density));
    ++shapes.count;
  }

  void site(const Given& e, const Body& body, const Transform<double>& X_BF) {
    const char* name = e.element->Attribute("name");
    if (!name) return;
    double unused = 0.0;
    const Transform<double> X_LS = body.X_LB * X_BF * geom_place(e, unused);
    d_.frames.push_back({unique_frame(name, e.element), d_.links[body.link].name, Pose(X_LS),
                         e.element->GetLineNum()});
  }

  // --- the world ---

  /// A world that carries nothing and holds one body at its origin is only the place where the robot stands.
  void leave_out_world() {
    const auto in_world = [](const JointDescription& j) { return j.parent == "world"; };
    const auto first = std::ranges::find_if(d_.joints, in_world);
    const LinkDescription& world = d_.links[0];
    if (first == d_.joints.end() || std::ranges::count_if(d_.joints, in_world) != 1 ||
        first->type != JointType::fixed || first->origin != Pose() || !world.visuals.empty() ||
        !world.collisions.empty() ||
        std::ranges::count(d_.frames, "world", &FrameDescription::link))
      return;
    const std::string base = first->child;
    d_.joints.erase(first);
    d_.links.erase(d_.links.begin());
    for (auto& [name, body] : bodies_)
      if (body.link > 0) --body.link;
    bodies_.at("world") = bodies_.at(base);
  }

  struct Shapes {
    Inertia<double> sum;
    int count = 0, meshes = 0;
  };

  int world_ = 0;
  std::map<std::string, Body, std::less<>> bodies_;
  std::map<int, Shapes> inertias_;
  std::map<std::string, double> refs_;  ///< of joints
};

}  // namespace ulna::detail
