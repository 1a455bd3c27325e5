#include <numbers>

#include "io/sdf_frames.hpp"
#include "io/sdf_include.hpp"

namespace ulna {
namespace {

using namespace detail;

/// Reads a model as libsdformat does [sdformat.org, "Specification" and "Pose frame semantics"].
class SdfReader : SdfFrames {
 public:
  using SdfFrames::SdfFrames;

  Description read(const XMLElement& root) {
    d_.file = file_, d_.lines = lines_;
    subject_ = "file";
    const char* version = root.Attribute("version");
    axes_in_model_ = version && is_among({"1.0", "1.2", "1.3", "1.4"}, version);
    const XMLElement* model = choose_model(root);
    if (!model) return std::move(d_);
    d_.name = model->Attribute("name") ? model->Attribute("name") : "model";
    if (text_of(*model, "static", "false") == "true" || text_of(*model, "static", "0") == "1")
      lost(*model, "the model is static: that it does not move");
    gather(*model, "", nullptr);
    out_.throw_if_errors();
    for (auto& [name, f] : frames_) resolve(f);
    out_.throw_if_errors();
    links();
    joints();
    frames();
    report_ignored();
    return std::move(d_);
  }

 private:
  // --- which model ---

  const XMLElement* choose_model(const XMLElement& root) {
    std::vector<const XMLElement*> models;
    const auto add = [&](const XMLElement& in) {
      each(in, "model", [&](const XMLElement& m) { models.push_back(&m); });
    };
    each_child(root, {"model", "world", "light", "actor"},
               [&](const XMLElement& e, std::string_view tag) {
                 if (tag == "world") {
                   d_.gravity = {0.0, 0.0, -9.8};  // of a world that does not say otherwise
                   if (const XMLElement* g = e.FirstChildElement("gravity"))
                     d_.gravity = three(*g, d_.gravity);
                   add(e);
                 } else if (tag != "model") {
                   ignore(e);
                 }
               });
    add(root);
    if (models.size() > 1)
      std::erase_if(models, [&](const XMLElement* m) {
        const std::string_view is_static = text_of(*m, "static", "false");
        const bool scenery = is_static == "true" || is_static == "1";
        if (scenery) ignore(*m);
        return scenery;
      });
    if (models.size() == 1) return models[0];
    std::string names;
    for (const XMLElement* m : models)
      if (names.size() < 200)
        names += std::string(names.empty() ? ": " : ", ") +
                 (m->Attribute("name") ? shown(m->Attribute("name")) : "?");
    report(rules::model_choice, models.empty() ? root : *models[1],
           models.empty() ? "there is no model that can move"
                          : "there are " + std::to_string(models.size()) + " models" + names);
    return nullptr;
  }

  // --- links ---

  void links() {
    for (const std::string& name : links_) {
      const Frame& f = frames_.at(name);
      index_[name] = add_link(name, f.element->GetLineNum());
      shifts_[name].setZero();
    }
  }

  /// What a link carries, in its frame, which is moved by a shift of the link's own.
  void fill(const std::string& name) {
    const Frame& f = frames_.at(name);
    LinkDescription& made = d_.links[static_cast<std::size_t>(index_.at(name))];
    const Transform<double> X_LB = Transform<double>::from_translation(-shifts_.at(name));
    subject_ = quoted("link", name);
    const Words known{
        "inertial",         "visual",    "collision",    "pose",         "gravity",
        "velocity_decay",   "sensor",    "self_collide", "kinematic",    "must_be_base_link",
        "enable_wind",      "light",     "projector",    "audio_source", "battery",
        "particle_emitter", "audio_sink"};
    const XMLElement* own = nullptr;
    each_child(*f.element, known, [&](const XMLElement& e, std::string_view tag) {
      if (tag == "inertial") {
        if (once(e)) own = &e;
      } else if (tag == "visual" || tag == "collision") {
        if (auto s = shape(e, f, X_LB))
          (tag == "visual" ? made.visuals : made.collisions).push_back(std::move(*s));
      } else if (tag == "gravity" && (content(e) == "false" || content(e) == "0")) {
        lost(e, "that gravity does not act on the link");
      } else if (tag == "velocity_decay" || tag == "kinematic") {
        lost(e, "<" + std::string(tag) + ">");
      } else if (!is_among({"pose", "gravity", "must_be_base_link"}, tag)) {
        ignore(e);
      }
    });
    subject_ = quoted("link", name);
    if (own) {
      made.inertial = inertial(*own, X_LB);
    } else {
      made.inertial = Inertial(1.0, X_LB.translation(), Mat3<double>::Identity());
      report(rules::inertial_missing, *f.element, "has no inertial",
             "1 kg and 1 kg m^2 are used, as SDF says");
    }
    if (!shifts_.at(name).isZero(0.0))
      d_.frames.push_back(
          {unique_frame(name + "_frame"), name, Pose(X_LB.translation()), f.element->GetLineNum()});
  }

  std::optional<Inertial> inertial(const XMLElement& e, const Transform<double>& X_LB) {
    const Within within(subject_, "inertial");
    if (e.BoolAttribute("auto")) refuse(e);
    Inertial made;
    const Words known{
        "mass", "pose", "inertia", "fluid_added_mass", "density", "auto_inertia_params"};
    each_child(e, known, [&](const XMLElement& child, std::string_view tag) {
      if (tag == "fluid_added_mass") lost(child, "the added mass of a fluid");
    });
    if (!e.FirstChildElement("mass"))
      report(rules::inertial_partial, e, "has no <mass>", "1 kg is used, as SDF says");
    made.mass = value(e, "mass", 1.0);
    const XMLElement* inertia = e.FirstChildElement("inertia");
    if (!inertia)
      report(rules::inertial_partial, e, "has no <inertia>", "1 kg m^2 is used, as SDF says");
    const char* const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    const int row[] = {0, 0, 0, 1, 1, 2}, column[] = {0, 1, 2, 1, 2, 2};
    if (inertia) each_child(*inertia, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, [](auto&&...) {});
    for (int i = 0; i < 6; ++i) {
      const double otherwise = row[i] == column[i] ? 1.0 : 0.0;
      if (inertia && !inertia->FirstChildElement(names[i]) && otherwise == 1.0)
        report(rules::inertial_partial, *inertia, std::string("has no <") + names[i] + ">",
               "1 is used, as SDF says");
      made.inertia(row[i], column[i]) = made.inertia(column[i], row[i]) =
          inertia ? value(*inertia, names[i], otherwise) : otherwise;
    }
    const Pose pose = pose_of(e);
    made.com = X_LB.translation() + pose.xyz;
    if (!pose.rpy.isZero(0.0)) made.inertia = turned(pose.transform().rotation(), made.inertia);
    return made;
  }

  // --- shapes ---

  std::optional<Shape> shape(const XMLElement& e, const Frame& link,
                             const Transform<double>& X_LB) {
    Shape made;
    if (const char* name = e.Attribute("name")) made.name = name;
    const Within within(subject_, quoted(e.Name(), made.name));
    Pose pose = pose_of(e);
    if (const std::string base = relative_to(e); !base.empty())
      if (const Frame* f = find_or_report(link.scope + base, e, "frame"))
        pose = Pose(link.X_model.inverse() * f->X_model * pose.transform());
    if (!X_LB.translation().isZero(0.0)) pose.xyz += X_LB.translation();
    made.origin = pose;
    if (const XMLElement* m = e.FirstChildElement("material"))
      if (const XMLElement* c = m->FirstChildElement("diffuse")) {
        made.material.rgba = colour(numbers_in(content(*c), "diffuse", *c, 3, 4));
      }
    const XMLElement* geometry = e.FirstChildElement("geometry");
    const XMLElement* g = geometry ? geometry->FirstChildElement() : nullptr;
    const auto bad = [&](std::string defect) {
      report(rules::shape_invalid, g ? *g : e, std::move(defect), "the shape is left out");
      return std::nullopt;
    };
    if (!g) return bad("has no geometry");
    const std::string_view kind = g->Name();
    const auto size = [&](const char* tag) { return value(*g, tag, -1.0); };
    if (kind == "box") {
      const XMLElement* s = g->FirstChildElement("size");
      made.geometry = Box{s ? three(*s, -Vec3<double>::Ones()) : -Vec3<double>::Ones()};
      if (std::get<Box>(made.geometry).size.minCoeff() <= 0.0)
        return bad("box has no positive size");
    } else if (kind == "sphere") {
      made.geometry = Sphere{size("radius")};
      if (size("radius") <= 0.0) return bad("sphere has no positive radius");
    } else if (kind == "cylinder" || kind == "capsule") {
      const double radius = size("radius"), length = size("length");
      if (radius <= 0.0 || length <= 0.0)
        return bad(std::string(kind) + " has no positive radius and length");
      made.geometry = kind == "cylinder" ? Geometry(Cylinder{radius, length})
                                         : Geometry(Capsule{radius, length});
    } else if (kind == "mesh") {
      Mesh mesh;
      mesh.file = text_of(*g, "uri");
      if (mesh.file.empty()) return bad("mesh has no <uri>");
      if (const XMLElement* s = g->FirstChildElement("scale")) mesh.scale = three(*s, mesh.scale);
      made.geometry = std::move(mesh);
    } else if (is_among({"ellipsoid", "cone", "plane", "heightmap", "polyline", "image", "empty"},
                        kind)) {
      ignore(*g);
      return std::nullopt;
    } else {
      static constexpr std::string_view known[] = {"box",  "sphere",    "cylinder", "capsule",
                                                   "mesh", "ellipsoid", "plane"};
      return bad("has an unknown geometry <" + shown(kind) + ">" + ulna::did_you_mean(kind, known));
    }
    if (!is_finite(made)) return bad("its numbers are so large that they overflow");
    return made;
  }

  // --- joints ---

  void joints() {
    // where each link hangs: its first joint makes the tree, others close loops
    for (const std::string& name : joints_) {
      const Frame& f = frames_.at(name);
      subject_ = quoted("joint", name);
      const std::string child = link_of(std::string(text_of(*f.element, "child")), f.scope,
                                        *f.element, "child"),
                        parent = link_of(std::string(text_of(*f.element, "parent")), f.scope,
                                         *f.element, "parent");
      if (child.empty() || parent.empty()) continue;
      if (child == "world") {
        report(rules::link_two_parents, *f.element, "the world cannot be a child");
        continue;
      }
      const bool in_tree = !above_.contains(child);
      if (in_tree) above_[child] = name;
      ends_[name] = {parent, child, in_tree};
      if (in_tree && !f.element->Attribute("type", "fixed"))
        shifts_[child] = f.base == child
                             ? f.pose.xyz
                             : (frames_.at(child).X_model.inverse() * f.X_model).translation();
    }
    out_.throw_if_errors();
    bool world = false;
    for (const auto& [name, ends] : ends_) world = world || ends.parent == "world";
    if (world) {
      d_.links.insert(d_.links.begin(), LinkDescription{"world"});
      for (auto& [name, index] : index_) ++index;
    }
    for (const std::string& name : links_) fill(name);
    for (const std::string& name : joints_)
      if (const auto ends = ends_.find(name); ends != ends_.end())
        joint(frames_.at(name), ends->second);
    if (!world && !links_.empty())
      out_.note(rules::base_fixed, at(*frames_.at(links_[0]).element), quoted("model", d_.name),
                "no joint connects it to the world", "its base is fixed");
  }

  struct Ends {
    std::string parent, child;
    bool in_tree;
  };

  /// Where something is in the frame of a link as it is described, which lies on the link's joint.
  Transform<double> in_link(const std::string& link, const Transform<double>& X_model) {
    if (link == "world") return X_model;
    return Transform<double>::from_translation(-shifts_.at(link)) *
           frames_.at(link).X_model.inverse() * X_model;
  }

  void joint(const Frame& f, const Ends& ends) {
    const XMLElement& e = *f.element;
    subject_ = quoted("joint", f.name);
    JointDescription made;
    made.line = e.GetLineNum();
    made.name = f.name;
    made.parent = ends.parent, made.child = ends.child;
    const std::string kind = e.Attribute("type") ? e.Attribute("type") : "";
    static constexpr std::pair<std::string_view, JointType> kinds[] = {
        {"revolute", JointType::revolute},   {"continuous", JointType::continuous},
        {"prismatic", JointType::prismatic}, {"fixed", JointType::fixed},
        {"ball", JointType::ball},           {"screw", JointType::helical},
        {"universal", JointType::revolute},  {"revolute2", JointType::revolute}};
    const auto known =
        std::ranges::find(kinds, kind, &std::pair<std::string_view, JointType>::first);
    if (kind == "gearbox") return lost(e, "a gearbox between joints");
    if (kind.empty()) return report(rules::attribute_missing, e, "has no attribute 'type'");
    if (known == std::end(kinds)) {
      std::vector<std::string_view> names;
      for (const auto& [name, type] : kinds) names.push_back(name);
      return report(rules::joint_type_unknown, e,
                    quoted("type", kind) + " is unknown" + ulna::did_you_mean(kind, names));
    }
    made.type = known->second;
    each_child(e,
               {"parent", "child", "axis", "axis2", "pose", "physics", "sensor", "thread_pitch",
                "screw_thread_pitch", "gearbox_ratio", "gearbox_reference_body"},
               [&](const XMLElement& child, std::string_view tag) {
                 if (tag == "sensor" || tag == "physics") ignore(child);
               });

    // the frame on the joint: its axes are those of the child link
    const Transform<double>&X_MC = frames_.at(ends.child).X_model, &X_MJ = f.X_model;
    const Transform<double> X_MA{X_MC.rotation(), X_MJ.translation()};
    const bool two = kind == "universal" || kind == "revolute2";
    if (has_axis(made.type)) axis(e, "axis", f, X_MC, made);
    if (made.type == JointType::helical) made.pitch = pitch(e);
    if (!ends.in_tree) {
      const bool single = made.type != JointType::helical && !two;
      if (!single) return lost(e, "a loop that is closed by a joint of this type");
      d_.loops.push_back({made.name, known->second, made.parent, made.child,
                          Pose(in_link(made.parent, X_MA)), Pose(in_link(made.child, X_MA)),
                          made.axis, made.line});
      return;
    }
    made.origin = origin(f, ends, X_MA);
    if (two) {
      // two hinges, one after the other, with a link between that weighs nothing
      const std::string between = unique_link_name(f.name + "_cross");
      add_link(between, made.line);
      JointDescription second = made;
      made.child = second.parent = between;
      second.name = unique_joint(f.name + "_2");
      second.origin = {}, second.limits = {}, second.dynamics = {}, second.mimic = {};
      axis(e, "axis2", f, X_MC, second);
      d_.joints.push_back(std::move(made));
      made = std::move(second);
    }
    d_.joints.push_back(std::move(made));
  }

  /// As it is written if the child is placed relative to its parent, so that no digit is lost.
  Pose origin(const Frame& f, const Ends& ends, const Transform<double>& X_MA) {
    const Frame& child = frames_.at(ends.child);
    const bool fixed_joint = f.element->Attribute("type", "fixed");
    const bool at_child = f.base == f.attached && f.pose == Pose() && f.attached == ends.child;
    if ((at_child || fixed_joint) && child.base == ends.parent && ends.parent != "world" &&
        shifts_.at(ends.parent).isZero(0.0))
      return child.pose;
    if (at_child && ends.parent == "world" && child.base == "__model__" &&
        !placements_.contains(child.base))
      return child.pose;
    return Pose(in_link(ends.parent, fixed_joint ? child.X_model : X_MA));
  }

  double pitch(const XMLElement& e) {
    if (e.FirstChildElement("screw_thread_pitch"))
      return value(e, "screw_thread_pitch", 0.0) / (2.0 * std::numbers::pi);
    const double thread = value(e, "thread_pitch", 1.0);
    return thread == 0.0 ? 0.0 : -1.0 / thread;
  }

  void axis(const XMLElement& joint, const char* tag, const Frame& f, const Transform<double>& X_MC,
            JointDescription& made) {
    const XMLElement* e = joint.FirstChildElement(tag);
    if (!e) return report(rules::tag_missing, joint, std::string("has no <") + tag + ">");
    each_child(*e,
               {"xyz", "limit", "dynamics", "mimic", "use_parent_model_frame", "initial_position"},
               [&](const XMLElement& child, std::string_view child_tag) {
                 if (child_tag == "initial_position") ignore(child);
               });
    Vec3<double> direction = Vec3<double>::UnitZ();
    const XMLElement* xyz = e->FirstChildElement("xyz");
    if (xyz)
      direction = three(*xyz, direction);
    else
      report(rules::axis_missing, *e, "has no <xyz>", "0 0 1 is used");
    const char* in = xyz ? xyz->Attribute("expressed_in") : nullptr;
    const std::string_view parent_frame =
        text_of(*e, "use_parent_model_frame", axes_in_model_ ? "1" : "0");
    const Frame* expressed = &f;
    if (in && *in)
      expressed = find_or_report(f.scope + in, *xyz, "frame");
    else if (parent_frame == "1" || parent_frame == "true")
      expressed = find(f.scope + "__model__");
    if (expressed) {
      const Mat3<double> R =
          X_MC.rotation().matrix().transpose() * expressed->X_model.rotation().matrix();
      // the same axes, to the last bit
      const bool same = expressed == &f && f.pose.rpy.isZero(0.0) && f.base == f.attached;
      made.axis = same ? direction : Vec3<double>(R * direction);
    }
    if (const XMLElement* l = e->FirstChildElement("limit")) limits(*l, made);
    if (made.type == JointType::revolute && !std::isfinite(made.limits.lower) &&
        !std::isfinite(made.limits.upper))
      made.type = JointType::continuous;
    if (const XMLElement* y = e->FirstChildElement("dynamics")) {
      each_child(*y, {"damping", "friction", "spring_stiffness", "spring_reference"},
                 [](auto&&...) {});
      made.dynamics.damping = value(*y, "damping", 0.0);
      made.dynamics.friction = made.dynamics.friction_negative = value(*y, "friction", 0.0);
      if (value(*y, "spring_stiffness", 0.0) != 0.0)
        lost(*y->FirstChildElement("spring_stiffness"),
             "a spring between the links is not read: ulna's springs are between motor and link");
    }
    if (const XMLElement* m = e->FirstChildElement("mimic")) {
      const char* leader = m->Attribute("joint");
      if (!leader) return report(rules::attribute_missing, *m, "mimic has no attribute 'joint'");
      if (m->Attribute("axis") && !m->Attribute("axis", "axis"))
        return lost(*m, "a mimic of a second axis");
      const double multiplier = value(*m, "multiplier", 1.0);
      made.mimic = Mimic{f.scope + leader, multiplier,
                         value(*m, "offset", 0.0) - multiplier * value(*m, "reference", 0.0)};
    }
  }

  void limits(const XMLElement& e, JointDescription& made) {
    each_child(e, {"lower", "upper", "effort", "velocity", "stiffness", "dissipation"},
               [](auto&&...) {});
    constexpr double none = 1e16;
    const auto bound = [&](const char* tag, double otherwise) {
      const XMLElement* child = e.FirstChildElement(tag);
      if (!child) return otherwise;
      const std::string_view text = content(*child);
      if (number_defect(text) == "is infinite") return text.starts_with('-') ? -infinity : infinity;
      const double x = value(e, tag, otherwise);
      return x <= -none ? -infinity : x >= none ? infinity : x;
    };
    made.limits.lower = bound("lower", -infinity);
    made.limits.upper = bound("upper", infinity);
    // negative ones are none, as SDF says
    const auto most = [&](const char* tag) {
      const double x = bound(tag, infinity);
      return x < 0.0 ? infinity : x;
    };
    made.limits.effort = most("effort");
    made.limits.velocity = most("velocity");
  }

  void frames() {
    for (const auto& [name, f] : frames_) {
      if (f.kind != Frame::Kind::frame) continue;
      subject_ = quoted("frame", name);
      const std::string link =
          link_of(f.attached.substr(f.scope.size()), f.scope, *f.element, "attached_to");
      if (link.empty()) continue;
      const bool plain = link != "world" && f.base == link && shifts_.at(link).isZero(0.0);
      d_.frames.push_back({unique_frame(name, f.element), link,
                           plain ? f.pose : Pose(in_link(link, f.X_model)),
                           f.element->GetLineNum()});
    }
  }

  bool axes_in_model_ = false;
  std::map<std::string, std::string> above_;  ///< the joint of the tree that a link hangs on
  std::map<std::string, Ends> ends_;
  std::map<std::string, Vec3<double>> shifts_;  ///< from a link's frame in the file to its joint
  std::map<std::string, int> index_;
};

}  // namespace

Imported import_sdf(std::string_view text, std::string file, const ImportOptions& options) {
  return import_tree<SdfIncluder, SdfReader>("sdf", text, file, options);
}

}  // namespace ulna
