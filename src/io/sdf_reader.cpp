#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <unordered_map>

#include "io/tree_reader.hpp"
#include "io/xml_include.hpp"
#include "ulna/model/packages.hpp"

namespace ulna {
namespace {

using namespace detail;

/// Reads a model as libsdformat does [sdformat.org, "Specification" and "Pose frame semantics"].
class SdfReader : TreeReader {
 public:
  using TreeReader::TreeReader;

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
  /// A link, joint, frame or model, all of which poses may refer to.
  struct Frame {
    enum class Kind { model, link, joint, frame } kind = Kind::frame;
    std::string name;                     ///< with those of the models that it is in: "arm::hand"
    std::string base;                     ///< what its pose is relative to
    std::string attached;                 ///< what it moves with
    Transform<double> X_base, X_model{};  ///< its pose in the base, and in the whole model
    Pose pose{};                          ///< as written
    const XMLElement* element = nullptr;
    std::string scope;  ///< of names that it refers to: "arm::"
    bool resolved = false, resolving = false;
  };

  // --- texts ---

  static std::string_view content(const XMLElement& e) {
    const char* text = e.GetText();
    return text ? trimmed(text) : std::string_view();
  }
  static std::string_view text_of(const XMLElement& e, const char* tag,
                                  std::string_view otherwise = {}) {
    const XMLElement* child = e.FirstChildElement(tag);
    return child && !content(*child).empty() ? content(*child) : otherwise;
  }
  double value(const XMLElement& e, const char* tag, double otherwise) {
    const XMLElement* child = e.FirstChildElement(tag);
    if (!child) return otherwise;
    const auto read = numbers_in(content(*child), tag, *child, 1, 1);
    return read.empty() ? otherwise : read[0];
  }
  Vec3<double> three(const XMLElement& e, const Vec3<double>& otherwise) {
    const auto read = numbers_in(content(e), e.Name(), e, 3, 3);
    return read.empty() ? otherwise : Vec3<double>(read.data());
  }

  /// The <pose> of an element, the identity if there is none.
  Pose pose_of(const XMLElement& e) {
    const XMLElement* p = e.FirstChildElement("pose");
    if (!p || content(*p).empty()) return {};
    known_attributes(*p, {"relative_to", "rotation_format", "degrees", "frame"});
    if (p->Attribute("rotation_format", "quat_xyzw")) {
      const auto n = numbers_in(content(*p), "pose", *p, 7, 7);
      if (n.empty()) return {};
      const Vec4<double> q(n[6], n[3], n[4], n[5]);
      if (!(q.stableNorm() > 0.0))
        return report(rules::quaternion_zero, *p, "the quaternion has zero length"), Pose();
      const Vec4<double> u = q.stableNormalized();
      return Pose(Transform<double>(Rotation<double>::from_quaternion({u(0), u(1), u(2), u(3)}),
                                    {n[0], n[1], n[2]}));
    }
    const auto n = numbers_in(content(*p), "pose", *p, 6, 6);
    if (n.empty()) return {};
    const double unit = p->BoolAttribute("degrees") ? std::numbers::pi / 180.0 : 1.0;
    return Pose({n[0], n[1], n[2]}, {n[3] * unit, n[4] * unit, n[5] * unit});
  }
  static std::string relative_to(const XMLElement& e) {
    const XMLElement* p = e.FirstChildElement("pose");
    const char* name = p ? p->Attribute("relative_to") : nullptr;
    return name ? name : "";
  }

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

  // --- frames ---

  std::string name_of(const XMLElement& e, const char* kind) {
    const char* name = e.Attribute("name");
    if (name && *name) return name;
    report(rules::name_missing, e, std::string("a ") + kind + " has no name");
    return "?" + std::to_string(frames_.size());
  }

  void add_frame(Frame f) {
    const std::string name = f.name;
    const XMLElement& e = *f.element;
    if (!frames_.emplace(name, std::move(f)).second)
      report(rules::name_duplicate, e, quoted("name", name) + " is used twice in the model");
  }

  /// All that poses may refer to, of a model and those within it.
  void gather(const XMLElement& model, const std::string& scope, const XMLElement* inside) {
    subject_ = quoted("model", model.Attribute("name") ? model.Attribute("name") : "");
    const std::string own = scope + "__model__";
    if (!inside)
      frames_.emplace(own, Frame{Frame::Kind::model, own, "", "", {}, {}, {}, &model, scope});
    const Words known{"link",   "joint",   "frame",        "model",
                      "pose",   "static",  "self_collide", "allow_auto_disable",
                      "plugin", "gripper", "enable_wind",  "audio_source"};
    std::vector<const XMLElement*> nested;
    each_child(model, known, [&](const XMLElement& e, std::string_view tag) {
      if (tag == "link") {
        const std::string name = name_of(e, "link");
        subject_ = quoted("link", scope + name);
        const Pose pose = pose_of(e);
        const std::string base = relative_to(e);
        add_frame({Frame::Kind::link,
                   scope + name,
                   scope + (base.empty() ? "__model__" : base),
                   "",
                   pose.transform(),
                   {},
                   pose,
                   &e,
                   scope});
        links_.push_back(scope + name);
      } else if (tag == "joint") {
        const std::string name = name_of(e, "joint");
        subject_ = quoted("joint", scope + name);
        const Pose pose = pose_of(e);
        std::string base = relative_to(e);
        if (base.empty()) base = text_of(e, "child");
        if (base == "world") base = "__model__";
        add_frame({Frame::Kind::joint,
                   scope + name,
                   scope + base,
                   scope + std::string(text_of(e, "child")),
                   pose.transform(),
                   {},
                   pose,
                   &e,
                   scope});
        joints_.push_back(scope + name);
      } else if (tag == "frame") {
        const std::string name = name_of(e, "frame");
        subject_ = quoted("frame", scope + name);
        const char* attached = e.Attribute("attached_to");
        const std::string to = attached && *attached ? attached : "__model__",
                          base = relative_to(e);
        const Pose pose = pose_of(e);
        add_frame({Frame::Kind::frame,
                   scope + name,
                   scope + (base.empty() ? to : base),
                   scope + to,
                   pose.transform(),
                   {},
                   pose,
                   &e,
                   scope});
      } else if (tag == "model") {
        nested.push_back(&e);
      } else if (!is_among({"pose", "static"}, tag)) {
        ignore(e);
      }
    });
    for (const XMLElement* e : nested) {
      const std::string name = name_of(*e, "model"), inner = scope + name + "::";
      subject_ = quoted("model", scope + name);
      const Pose pose = pose_of(*e);
      const std::string base = relative_to(*e);
      Frame f{Frame::Kind::model,
              inner + "__model__",
              scope + (base.empty() ? "__model__" : base),
              "",
              pose.transform(),
              {},
              pose,
              e,
              scope};
      if (const char* placed = e->Attribute("placement_frame"))
        placements_[f.name] = inner + placed;
      add_frame(std::move(f));
      gather(*e, inner, &model);
    }
  }

  /// A frame by a name that stands in a model.
  Frame* find(const std::string& name) {
    auto found = frames_.find(name);
    // a model is named by itself
    if (found == frames_.end()) found = frames_.find(name + "::__model__");
    return found == frames_.end() ? nullptr : &found->second;
  }
  Frame* find_or_report(const std::string& name, const XMLElement& e, std::string_view role) {
    if (Frame* f = find(name)) return f;
    report(rules::frame_unknown, e, quoted(role, name) + " is unknown" + advice(name, frames_));
    return nullptr;
  }

  /// Computes where a frame is in the model.
  bool resolve(Frame& f) {
    if (f.resolved) return true;
    subject_ = quoted(kind_of(f), f.name);
    if (f.resolving || ++depth_ > 1000) {
      report(rules::frame_cycle, *f.element,
             f.resolving ? "is placed relative to itself, by way of others"
                         : "is placed by way of more than 1000 others");
      f.resolved = true;
      return false;
    }
    f.resolving = true;
    if (!f.base.empty()) {
      Frame* base = find_or_report(f.base, *f.element, "frame");
      if (base && resolve(*base)) f.X_model = base->X_model * f.X_base;
    }
    if (const auto placed = placements_.find(f.name); placed != placements_.end())
      place_model(f, placed->second);
    --depth_;
    f.resolving = false;
    f.resolved = true;
    return true;
  }
  /// The pose of a model that says so is that of one of its frames.
  void place_model(Frame& model, const std::string& frame) {
    Frame* placed = find_or_report(frame, *model.element, "placement_frame");
    if (!placed) return;
    // relative to the model, whatever that is placed at
    Transform<double> X_MF;
    const Frame* f = placed;
    for (int steps = 0; f && f != &model; ++steps) {
      if (steps > 1000)
        return report(rules::frame_cycle, *model.element,
                      "its placement frame is placed relative to itself");
      X_MF = f->X_base * X_MF;
      f = find(f->base);
    }
    model.X_model = model.X_model * X_MF.inverse();
  }
  static const char* kind_of(const Frame& f) {
    return f.kind == Frame::Kind::link    ? "link"
           : f.kind == Frame::Kind::joint ? "joint"
           : f.kind == Frame::Kind::model ? "model"
                                          : "frame";
  }

  /// The link that a frame moves with: "world", or "" if there is none, which is reported.
  std::string link_of(const std::string& name, const std::string& scope, const XMLElement& e,
                      std::string_view role) {
    if (name == "world") return "world";
    if (name.empty()) {
      report(rules::tag_missing, e, "has no <" + std::string(role) + ">");
      return {};
    }
    const Frame* f = find_or_report(scope + name, e, role);
    for (int steps = 0; f && steps < 1000; ++steps) {
      if (f->kind == Frame::Kind::link) return f->name;
      // a model moves with its first link
      if (f->kind == Frame::Kind::model) {
        const std::string inner =
            f->name.substr(0, f->name.size() - std::string_view("__model__").size());
        for (const std::string& link : links_)
          if (link.starts_with(inner)) return link;
        break;
      }
      f = find(f->attached);
    }
    if (f) report(rules::frame_cycle, e, quoted(role, name) + " is attached to no link");
    return {};
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
        auto rgba = numbers_in(content(*c), "diffuse", *c, 3, 4);
        if (rgba.size() == 3) rgba.push_back(1.0);
        if (rgba.size() == 4)
          made.material.rgba = Vec4<double>(rgba.data()).cwiseMax(0.0).cwiseMin(1.0);
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
      d_.loops.push_back({made.name, made.type, made.parent, made.child,
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
  int depth_ = 0;
  std::map<std::string, Frame> frames_;
  std::map<std::string, std::string> placements_;
  std::vector<std::string> links_, joints_;
  std::map<std::string, std::string> above_;  ///< the joint of the tree that a link hangs on
  std::map<std::string, Ends> ends_;
  std::map<std::string, Vec3<double>> shifts_;  ///< from a link's frame in the file to its joint
  std::map<std::string, int> index_;
};

/// An <include> becomes the model that its file has.
class SdfIncluder : public XmlIncluder {
 public:
  using XmlIncluder::XmlIncluder;

 private:
  void include(const File& file, const XMLElement& e, XmlNode& to) override {
    const XMLElement* uri = e.FirstChildElement("uri");
    const std::string name = uri && uri->GetText() ? std::string(trimmed(uri->GetText())) : "";
    if (name.empty()) return refuse(file, e, "has no <uri>", rules::tag_missing);
    if (e.BoolAttribute("merge"))
      return refuse(file, e, "a model that is merged is not read", rules::element_refused);
    std::string why;
    const std::string path = path_of(name, file.path, why);
    if (path.empty()) {
      // scenery is often not installed where the robot is looked at
      if (to.name == "world")
        return out_.note(rules::include_unreadable, at(file, e), "<include>",
                         quoted("model", name) + " " + why, "left out");
      return refuse(file, e, quoted("model", name) + " " + why);
    }
    with_file(file, e, path, [&](const File& included) {
      const XMLElement* model = included.root().FirstChildElement("model");
      if (included.root().Name() != std::string_view("sdf") || !model)
        return refuse(file, e, quoted("file", path) + " has no SDF model");
      XmlNode made = copy(included, *model);
      adapt(file, e, made);
      to.children.push_back(std::move(made));
    });
  }

  /// What the include says in place of the model's own.
  void adapt(const File& file, const XMLElement& e, XmlNode& model) {
    for (const XMLElement* child = e.FirstChildElement(); child;
         child = child->NextSiblingElement()) {
      const std::string_view tag = child->Name();
      const std::string text = child->GetText() ? std::string(trimmed(child->GetText())) : "";
      const auto set = [&](const char* attribute) {
        std::erase_if(model.attributes, [&](const auto& a) { return a.name == attribute; });
        model.attributes.push_back({attribute, text, model.place});
      };
      if (tag == "name") {
        set("name");
      } else if (tag == "placement_frame") {
        set("placement_frame");
      } else if (tag == "pose" || tag == "static") {
        std::erase_if(model.children, [&](const XmlNode& n) { return n.name == tag; });
        model.children.insert(model.children.begin(), copy(file, *child));
      }
    }
  }

  /// "model://arm", a path to a folder or file; "" and why if there is none.
  std::string path_of(std::string_view uri, const std::string& from, std::string& why) const {
    namespace fs = std::filesystem;
    std::error_code none;
    fs::path path;
    for (const std::string_view scheme : {"model://", "package://"}) {
      if (!uri.starts_with(scheme)) continue;
      uri.remove_prefix(scheme.size());
      const std::string_view name = uri.substr(0, uri.find('/'));
      const fs::path rest(uri.substr(std::min(uri.size(), name.size() + 1)));
      auto folder = find_package(name, from, options_.packages);
      for (const char* variable :
           {"GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH", "GAZEBO_MODEL_PATH"})
        if (!folder) folder = find_beside(std::getenv(variable), name);
      if (!folder)
        return why = "is not found: give its folder by --package NAME=DIR or GZ_SIM_RESOURCE_PATH",
               "";
      path = rest.empty() ? *folder : *folder / rest;
    }
    if (uri.find("://") != uri.npos && !uri.starts_with("file://"))
      return why = "is not on this computer: nothing is loaded from elsewhere", "";
    if (path.empty()) {
      if (uri.starts_with("file://")) uri.remove_prefix(7);
      path = fs::absolute(from).parent_path() / uri;
    }
    if (fs::is_directory(path, none)) path /= model_of(path);
    if (!fs::is_regular_file(path, none))
      return why = "is not found: there is no file '" + path.string() + "'", "";
    return path.string();
  }
  static std::optional<std::filesystem::path> find_beside(const char* folders,
                                                          std::string_view name) {
    std::string_view rest = folders ? folders : "";
    std::error_code none;
    while (!rest.empty()) {
      const std::string_view folder = rest.substr(0, rest.find(':'));
      rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
      const std::filesystem::path path = std::filesystem::path(folder) / name;
      if (!folder.empty() && std::filesystem::is_directory(path, none)) return path;
    }
    return {};
  }
  /// The file that a model.config names last, which is that of the newest version.
  static std::string model_of(const std::filesystem::path& folder) {
    tinyxml2::XMLDocument config;
    std::error_code none;
    const auto path = folder / "model.config";
    if (!std::filesystem::is_regular_file(path, none) ||
        std::filesystem::file_size(path, none) > (1u << 20) ||
        config.LoadFile(path.string().c_str()) != tinyxml2::XML_SUCCESS || !config.RootElement())
      return "model.sdf";
    const XMLElement* last = config.RootElement()->LastChildElement("sdf");
    return last && last->GetText() ? last->GetText() : "model.sdf";
  }
};

}  // namespace

Imported import_sdf(std::string_view text, std::string file, const ImportOptions& options) {
  Diagnostics out(options.strict);
  const XmlText whole = SdfIncluder(options, out).run(text, file);
  const auto document = parse_xml(whole, options, out);
  out.throw_if_errors();
  const XMLElement& root = *document->RootElement();
  if (root.Name() != std::string_view("sdf"))
    out.add(rules::xml_root, whole.lines->at(1), "",
            "the root element is <" + shown(root.Name()) + ">, not <sdf>");
  out.throw_if_errors();
  Description description = SdfReader(file, out, whole.lines, options.max_links).read(root);
  return finish(std::move(description), std::move(out), options);
}

}  // namespace ulna
