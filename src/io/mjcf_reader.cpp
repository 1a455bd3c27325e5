#include <set>

#include "io/mjcf_bodies.hpp"
#include "io/xml_include.hpp"

namespace ulna {
namespace {

using namespace detail;

/// Reads a robot as MuJoCo's compiler does [MuJoCo documentation, "XML reference"].
class MjcfReader : MjcfBodies {
 public:
  using MjcfBodies::MjcfBodies;

  Description read(const XMLElement& root) {
    d_.file = file_, d_.lines = lines_;
    d_.name = root.Attribute("model") ? root.Attribute("model") : "MuJoCo model";
    subject_ = "model";
    const Words known{"compiler",  "option",   "size",   "default",   "asset",     "worldbody",
                      "actuator",  "equality", "tendon", "contact",   "sensor",    "visual",
                      "statistic", "keyframe", "custom", "extension", "deformable"};
    std::vector<const XMLElement*> worlds;
    each_child(root, known, [&](const XMLElement& e, std::string_view tag) {
      if (tag == "compiler")
        compiler(e);
      else if (tag == "option")
        option(e);
      else if (tag == "worldbody")
        worlds.push_back(&e);
      else if (tag == "deformable")
        refuse(e);
      else if (is_among(
                   {"contact", "sensor", "visual", "statistic", "keyframe", "custom", "extension"},
                   tag))
        ignore(e);
    });
    each(root, "default", [&](const XMLElement& e) { defaults(e, nullptr); });
    each(root, "asset", [&](const XMLElement& e) { assets(e); });

    world_ = add_link("world", root.GetLineNum());
    bodies_.emplace("world", Body{world_, {}, {}});
    for (const XMLElement* world : worlds) reserve_bodies(*world);
    for (const XMLElement* world : worlds) inside(*world, bodies_.at("world"), {}, main_class());
    leave_out_world();
    scale_masses();
    for (std::size_t j = 0; j < d_.joints.size(); ++j) joints_.emplace(d_.joints[j].name, j);
    each(root, "actuator", [&](const XMLElement& e) { actuators(e); });
    each(root, "equality", [&](const XMLElement& e) { equalities(e); });
    limit_efforts();
    each(root, "tendon", [&](const XMLElement& e) {
      subject_ = "tendon";
      each_element(e, [&](const XMLElement& t) { lost(t, "tendons are not read"); });
    });
    report_ignored();
    return std::move(d_);
  }

 private:
  // --- actuators ---

  /// By the name that an attribute has; nullptr, and reported, if there is none.
  JointDescription* find_joint(const XMLAttribute& a, const Rule& rule) {
    const auto found = joints_.find(a.Value());
    if (found != joints_.end()) return &d_.joints[found->second];
    report(rule, a, quoted("joint", a.Value()) + " is unknown" + advice(a.Value(), joints_));
    return nullptr;
  }

  void actuators(const XMLElement& actuators) {
    each_element(actuators, [&](const XMLElement& element) {
      const Given e = given(element, main_);
      const std::string_view kind = element.Name();
      const char* name = element.Attribute("name");
      subject_ = quoted("actuator", name ? name : "");
      const Words kinds{"general", "motor",    "position", "velocity", "intvelocity",
                        "damper",  "cylinder", "muscle",   "adhesion", "plugin"};
      if (!is_among(kinds, kind))
        return report(rules::tag_misspelt, element,
                      "<" + shown(kind) + "> in <actuator>" +
                          ulna::did_you_mean(kind, std::vector<std::string_view>(kinds)));
      known_attributes(
          element, {"name", "class", "joint", "jointinparent", "gear", "forcerange", "ctrlrange",
                    "forcelimited", "ctrllimited", "tendon", "site", "body"});
      const XMLAttribute* joint = e("joint") ? e("joint") : e("jointinparent");
      if (!joint) return lost(element, "an actuator that does not drive a joint is not read");
      const JointDescription* driven = find_joint(*joint, rules::motor_joint);
      if (!driven) return;
      if (velocity_size(driven->type) != 1)
        return lost(*joint, "an actuator of a joint of several coordinates is not read");
      if (kind != "motor") ignore(element);
      const auto gear = numbers_of(e("gear"), 1, 6);
      const double ratio = std::abs(gear.empty() ? 1.0 : gear[0]);
      efforts_[driven->name] += ratio * strongest(e, kind);
    });
  }

  /// A joint can exert what its actuators can together. Of robots with loops, which have passive joints, those without
  /// actuators have no drive.
  void limit_efforts() {
    for (JointDescription& j : d_.joints)
      if (const auto found = efforts_.find(j.name); found != efforts_.end())
        j.limits.effort = std::min(j.limits.effort, found->second);
      else if (!d_.loops.empty() && !efforts_.empty() && !j.mimic && velocity_size(j.type) == 1)
        j.limits.effort = 0.0;
  }

  /// The largest force before the gear. A motor's control is its force.
  double strongest(const Given& e, std::string_view kind) {
    const auto range_of = [&](const char* name, const char* limited) {
      return e.text(limited) == "false" ? std::vector<double>() : numbers_of(e(name), 2, 2);
    };
    if (const auto force = range_of("forcerange", "forcelimited");
        !force.empty() && (force[0] != 0.0 || force[1] != 0.0))
      return smaller_side(force, *e("forcerange"));
    const bool direct =
        kind == "motor" || (kind == "general" && e.text("biastype", "none") == "none" &&
                            e.text("dyntype", "none") == "none");
    const auto control = range_of("ctrlrange", "ctrllimited");
    if (!direct || control.empty() || (control[0] == 0.0 && control[1] == 0.0)) return infinity;
    const auto gain = kind == "general" ? numbers_of(e("gainprm"), 1, 20) : std::vector<double>();
    return (gain.empty() ? 1.0 : std::abs(gain[0])) * smaller_side(control, *e("ctrlrange"));
  }

  // --- equalities ---

  void equalities(const XMLElement& all) {
    each_element(all, [&](const XMLElement& element) {
      const Given e = given(element, main_);
      const std::string_view kind = element.Name();
      const char* name = element.Attribute("name");
      subject_ = quoted("equality", name ? name : "");
      if (e.text("active", "true") == "false") return ignore(element);
      if (kind == "joint")
        mimic(e);
      else if (kind == "connect" || kind == "weld")
        loop(e, kind == "weld",
             name ? name : std::string(kind) + std::to_string(d_.loops.size() + 1));
      else if (is_among({"tendon", "distance", "flex", "flexvert", "flexstrain"}, kind))
        lost(element, "an equality of " + std::string(kind) + "s is not read");
      else
        report(rules::tag_misspelt, element, "<" + shown(kind) + "> in <equality> is unknown");
    });
  }

  JointDescription* joint_of(const Given& e, const char* attribute_name) {
    const XMLAttribute* a = e(attribute_name);
    return a ? find_joint(*a, rules::mimic_unknown) : nullptr;
  }

  /// joint1 - ref1 = a0 + a1 (joint2 - ref2) + ...
  void mimic(const Given& e) {
    JointDescription* follower = joint_of(e, "joint1");
    if (!follower)
      return e("joint1")
                 ? void()
                 : report(rules::attribute_missing, *e.element, "has no attribute 'joint1'");
    auto c = numbers_of(e("polycoef"), 1, 5);
    if (c.empty()) c = {0.0, 1.0};
    c.resize(5, 0.0);
    if (!e("joint2"))
      return lost(*e.element, "a joint that is held by an equality moves: make it fixed");
    const JointDescription* leader = joint_of(e, "joint2");
    if (!leader) return;
    if (c[2] != 0.0 || c[3] != 0.0 || c[4] != 0.0)
      return lost(*e("polycoef"), "joints that follow others by a curve are independent");
    follower->mimic =
        Mimic{leader->name, c[1], c[0] + refs_[follower->name] - c[1] * refs_[leader->name]};
  }

  void loop(const Given& e, bool weld, const std::string& name) {
    LoopDescription made;
    made.name = name;
    made.line = e.element->GetLineNum();
    made.type = weld ? JointType::fixed : JointType::ball;
    const Body* body[2] = {nullptr, &bodies_.at("world")};
    for (int i = 0; i < 2; ++i) {
      const XMLAttribute* a = e(i ? "body2" : "body1");
      if (!a && i == 0)
        return lost(*e.element, "an equality that does not name its bodies is not read");
      if (!a) continue;
      const auto found = bodies_.find(a->Value());
      if (found == bodies_.end()) {
        return report(rules::link_unknown, *a,
                      quoted("body", a->Value()) + " is unknown" + advice(a->Value(), bodies_));
      }
      body[i] = &found->second;
    }
    // where the anchor is now, in both bodies
    const auto anchor = numbers_of(e("anchor"), 3, 3);
    Transform<double> X_1A, X_2A;
    const Vec3<double> p =
        anchor.empty() ? Vec3<double>(Vec3<double>::Zero()) : Vec3<double>(anchor.data());
    if (weld) {
      X_2A = Transform<double>::from_translation(p);
      const auto relative = numbers_of(e("relpose"), 7, 7);
      Transform<double> X_12 = body[0]->X_WB.inverse() * body[1]->X_WB;
      if (!relative.empty() && Vec4<double>(relative.data() + 3).stableNorm() > 0.0) {
        const Vec4<double> q = Vec4<double>(relative.data() + 3).stableNormalized();
        X_12 = {Rotation<double>::from_quaternion({q(0), q(1), q(2), q(3)}),
                Vec3<double>(relative.data())};
      }
      X_1A = X_12 * X_2A;
    } else {
      X_1A = Transform<double>::from_translation(p);
      X_2A = body[1]->X_WB.inverse() * body[0]->X_WB * X_1A;
    }
    made.link1 = d_.links[body[0]->link].name, made.link2 = d_.links[body[1]->link].name;
    made.origin1 = Pose(body[0]->X_LB * X_1A), made.origin2 = Pose(body[1]->X_LB * X_2A);
    if (made.link1 == made.link2) return lost(*e.element, "both bodies are one");
    d_.loops.push_back(std::move(made));
  }

  std::map<std::string, double> efforts_;  ///< of joints
  std::map<std::string, std::size_t, std::less<>> joints_;
};

class MjcfIncluder : public XmlIncluder {
 public:
  using XmlIncluder::XmlIncluder;

 private:
  void include(const File& file, const XMLElement& e, XmlNode& to) override {
    namespace fs = std::filesystem;
    const char* name = e.Attribute("file");
    if (!name) return refuse(file, e, "has no attribute 'file'", rules::attribute_missing);
    // relative to the folder of the first file; others write it relative to the file that includes
    std::error_code none;
    fs::path path = home_ / name;
    if (!fs::exists(path, none)) path = fs::absolute(file.path).parent_path() / name;
    with_file(file, e, path.string(),
              [&](const File& included) { inside(included, included.root(), to); });
  }
};

}  // namespace

Imported import_mjcf(std::string_view text, std::string file, const ImportOptions& options) {
  return import_tree<MjcfIncluder, MjcfReader>("mujoco", text, file, options);
}

}  // namespace ulna
