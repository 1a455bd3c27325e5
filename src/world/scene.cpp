#include "ulna/world/scene.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "ulna/io/beside.hpp"
#include "ulna/io/number.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/model/edit.hpp"
#include "ulna/spatial/solid.hpp"
#include "ulna/world/scene_rules.hpp"

#if ULNA_WITH_YAML
#include "io/yaml_reader.hpp"
#else
#include "ulna/model/rules.hpp"
#endif

namespace ulna {

bool is_scene(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (const std::size_t from = line.find_first_not_of(" \t\r");
        from == std::string_view::npos || line[from] == '#' || line.starts_with("---"))
      continue;
    if (!line.starts_with("ulna:")) continue;
    line.remove_prefix(5);
    const std::size_t from = line.find_first_not_of(" \t\"'");
    if (from == std::string_view::npos) return false;
    line.remove_prefix(from);
    return line.substr(0, line.find_first_of(" \t\r\"'#")) == "scene";
  }
  return false;
}

#if ULNA_WITH_YAML
namespace {

using V3 = Vec3<double>;
using detail::quoted;

/// What can be computed with, and what no scene needs beyond.
constexpr double longest_step = 1.0, lightest_body = 1e-12, heaviest_body = 1e12,
                 farthest_place = 1e6, fastest_body = 1e6, strongest_gravity = 1e6,
                 largest_moment = 1e18;

class SceneReader : detail::YamlReader {
 public:
  SceneReader(const std::string& file, Diagnostics& out) : YamlReader(file, out) {
    scene_.file = file;
    refuses_unknown_ = true;
    page_ = "docs/contact.md";
  }

  Scene read(const YAML::Node& root) {
    subject_ = "scene";
    if (!keys(root, {"ulna", "name", "source", "step", "gravity", "materials", "ground",
                     "obstacles", "bodies", "robots"}))
      return std::move(scene_);
    scene_.name = text(root, "name", scene_.name);
    scene_.options.step = amount(root, "step", scene_.options.step, 1e-12, longest_step);
    if (root["gravity"]) scene_.options.gravity = bounded(root, "gravity", strongest_gravity);
    if (const YAML::Node list = root["materials"]) materials(list);
    if (const YAML::Node node = root["ground"]) ground(node);
    each(root, "obstacles", [&](const YAML::Node& node) { obstacle(node); });
    each(root, "bodies", [&](const YAML::Node& node) { body(node); });
    each(root, "robots", [&](const YAML::Node& node) { robot(node); });
    return std::move(scene_);
  }

 private:
  template <class Use>
  void each(const YAML::Node& root, const char* key, Use use) {
    const YAML::Node list = root[key];
    if (!list) return;
    subject_ = key;
    if (!list.IsSequence()) return report(rules::table_shape, list, "is not a list");
    for (const YAML::Node& node : list) {
      subject_ = key;
      use(node);
    }
  }
  /// Whether a number is in its range; reported if not.
  bool in_range(const YAML::Node& node, const char* key, double x, double least, double most) {
    if (x >= least && x <= most) return true;
    report(scene_rules::body_range, node,
           std::string(key) + " " + format_number(x) + " is not from " + format_number(least) +
               " to " + format_number(most));
    return false;
  }
  /// A mass, a length or a duration: positive, and of a size that can be.
  double amount(const YAML::Node& node, const char* key, double otherwise, double least,
                double most) {
    const double x = number(node, key, otherwise);
    return node[key] && !in_range(node[key], key, x, least, most) ? otherwise : x;
  }
  double length(const YAML::Node& node, const char* key) {
    return amount(node, key, 0.0, CollisionShape::smallest, CollisionShape::largest);
  }
  V3 lengths(const YAML::Node& node, const char* key) {
    const V3 given = vector(node, key);
    for (const double x : given)
      if (node[key] &&
          !in_range(node[key], key, x, CollisionShape::smallest, CollisionShape::largest))
        return V3::Zero();
    return given;
  }
  /// Three numbers of either sign.
  V3 bounded(const YAML::Node& node, const char* key, double most) {
    const V3 given = vector(node, key);
    for (const double x : given)
      if (node[key] && !in_range(node[key], key, x, -most, most)) return V3::Zero();
    return given;
  }
  V3 angles(const YAML::Node& node) {
    const V3 rpy = vector(node, "rpy");
    if (rpy.cwiseAbs().maxCoeff() > 2.0 * std::numbers::pi)
      report(rules::angle_degrees, node["rpy"],
             "rpy " + format_number(rpy.cwiseAbs().maxCoeff()) + ": degrees?", "used as radians");
    return rpy;
  }
  Transform<double> place(const YAML::Node& node) {
    return Pose(bounded(node, "xyz", farthest_place), angles(node)).transform();
  }
  double within(const YAML::Node& node, const char* key, double otherwise, double least,
                double most) {
    const double x = number(node, key, otherwise);
    if (x >= least && x <= most) return x;
    report(scene_rules::material_range, node[key], std::string(key) + " is " + format_number(x));
    return otherwise;
  }

  void materials(const YAML::Node& list) {
    subject_ = "materials";
    if (!list.IsMap()) return report(rules::table_shape, list, "is not a map of names");
    for (const auto& entry : list) {
      const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : "?";
      subject_ = quoted("material", name);
      materials_[name] = material(entry.second);
    }
  }
  ContactMaterial material(const YAML::Node& node) {
    ContactMaterial m;
    if (!keys(node, {"friction", "torsion", "rolling", "restitution", "stiffness", "damping",
                     "time_constant", "damping_ratio"}))
      return m;
    m.friction = within(node, "friction", m.friction, 0.0, 1e6);
    m.torsion = within(node, "torsion", 0.0, 0.0, 1e6);
    m.rolling = within(node, "rolling", 0.0, 0.0, 1e6);
    m.restitution = within(node, "restitution", 0.0, 0.0, 1.0);
    m.compliance.stiffness = within(node, "stiffness", infinity, 1e-9, infinity);
    m.compliance.damping = within(node, "damping", 0.0, 0.0, 1e12);
    m.compliance.time_constant = within(node, "time_constant", 0.0, 0.0, 1e6);
    m.compliance.damping_ratio = within(node, "damping_ratio", 1.0, 1e-6, 1e6);
    return m;
  }
  /// By name, or as a map of its numbers.
  ContactMaterial material_of(const YAML::Node& node) {
    const YAML::Node value = node["material"];
    if (!value) return {};
    if (value.IsMap()) return material(value);
    const std::string name = text(node, "material");
    if (const auto found = materials_.find(name); found != materials_.end()) return found->second;
    std::vector<std::string_view> names;
    for (const auto& m : materials_) names.push_back(m.first);
    report(scene_rules::material_unknown, value,
           quoted("material", name) + " is unknown" + ulna::did_you_mean(name, names));
    return {};
  }

  void ground(const YAML::Node& node) {
    subject_ = "ground";
    SceneFixed made{"ground", Plane{}};
    made.line = line_of(node);
    if (node.IsScalar()) {
      // "ground: true" or the name of a material
      YAML::Node wrapped;
      wrapped["material"] = node;
      if (node.Scalar() == "false") return;
      if (node.Scalar() != "true") made.material = material_of(wrapped);
    } else if (keys(node, {"height", "rpy", "material"})) {
      const double height = number(node, "height", 0.0);
      if (in_range(node["height"], "height", height, -farthest_place, farthest_place))
        made.X_WS = Pose(V3(0.0, 0.0, height), angles(node)).transform();
      made.material = material_of(node);
    }
    scene_.fixed.push_back(made);
  }

  /// A shape and the solid that fills it; none if it cannot be made.
  struct Made {
    CollisionShape shape;
    Solid<double> solid;
  };
  std::optional<Made> shape(const YAML::Node& node) {
    const std::string kind = text(node, "shape");
    if (kind == "box") {
      const V3 size = lengths(node, "size");
      if (size.minCoeff() > 0.0) return Made{Box{size}, solid_box(size)};
    } else if (kind == "sphere") {
      const double r = length(node, "radius");
      if (r > 0.0) return Made{Sphere{r}, solid_sphere(r)};
    } else if (kind == "cylinder" || kind == "capsule") {
      const double r = length(node, "radius"), l = length(node, "length");
      if (r > 0.0 && l > 0.0 && kind == "cylinder")
        return Made{Cylinder{r, l}, solid_cylinder(r, l)};
      if (r > 0.0 && l > 0.0) return Made{Capsule{r, l}, solid_capsule(r, l)};
    } else if (kind == "ellipsoid") {
      const V3 radii = lengths(node, "radii");
      if (radii.minCoeff() > 0.0) return Made{Ellipsoid{radii}, solid_ellipsoid(radii)};
    } else {
      const std::string_view kinds[] = {"box", "sphere", "cylinder", "capsule", "ellipsoid"};
      report(rules::table_shape, node,
             quoted("shape", kind) + " is unknown" + ulna::did_you_mean(kind, kinds));
      return {};
    }
    report(scene_rules::body_range, node, quoted("shape", kind) + " has no size");
    return {};
  }

  void obstacle(const YAML::Node& node) {
    if (!keys(node,
              {"name", "shape", "size", "radius", "radii", "length", "xyz", "rpy", "material"}))
      return;
    const std::string name = text(node, "name", "obstacle" + std::to_string(scene_.fixed.size()));
    subject_ = quoted("obstacle", name);
    if (const auto made = shape(node))
      scene_.fixed.push_back({name, made->shape, place(node), material_of(node), line_of(node)});
  }

  void body(const YAML::Node& node) {
    if (!keys(node, {"name", "shape", "size", "radius", "radii", "length", "mass", "inertia", "xyz",
                     "rpy", "velocity", "spin", "material"}))
      return;
    const std::string name = text(node, "name", "body" + std::to_string(scene_.bodies.size() + 1));
    subject_ = quoted("body", name);
    const double mass = amount(node, "mass", 1.0, lightest_body, heaviest_body);
    if (!node["mass"]) report(rules::table_shape, node, "needs 'mass' in kg");
    const auto made = shape(node);
    if (!made) return;
    SceneBody b{{name, made->solid.with_mass(mass), {{made->shape}}, material_of(node)}};
    b.X_WB = place(node);
    b.velocity = bounded(node, "velocity", fastest_body);
    b.spin = bounded(node, "spin", fastest_body);
    b.line = line_of(node);
    if (const YAML::Node I = node["inertia"]) {
      const V3 moments = vector(I);
      const double most = moments.maxCoeff();
      if (!(moments.minCoeff() > 0.0 && most <= largest_moment))
        report(scene_rules::body_range, I, "inertia is not three positive moments");
      else if (2.0 * most > (1.0 + 1e-9) * moments.sum())
        report(scene_rules::body_range, I,
               "inertia: one moment is larger than the sum of the others, which no body can have");
      else
        b.body.inertia = Inertia<double>::about_com(mass, V3::Zero(), moments.asDiagonal());
    }
    scene_.bodies.push_back(b);
  }

  void robot(const YAML::Node& node) {
    if (!keys(node, {"robot", "name", "floating_base", "xyz", "rpy", "q", "qd", "torque",
                     "material", "self_contact"}))
      return;
    subject_ = "robot";
    const std::string name = text(node, "robot");
    if (name.empty()) return;
    subject_ = quoted("robot", name);
    ImportOptions options;
    options.floating_base = flag(node, "floating_base", false);
    const std::optional<Model> loaded = load(node["robot"], name, options);
    if (!loaded) return;
    const Model& model = *loaded;
    SceneRobot r{text(node, "name", model.name()), model, neutral(model),
                 Eigen::VectorXd::Zero(model.nv())};
    r.options.material = material_of(node);
    r.options.X_WR = place(node);
    r.options.self_contact = flag(node, "self_contact", true);
    r.torque = text(node, "torque", "zero");
    const std::string_view sources[] = {"zero", "gravity", "pd"};
    if (std::ranges::find(sources, r.torque) == std::end(sources))
      report(rules::table_shape, node["torque"],
             quoted("torque", r.torque) + " is not one of zero, gravity, pd" +
                 ulna::did_you_mean(r.torque, sources));
    coordinates(node["q"], model.configuration_names(), "q", r.q);
    coordinates(node["qd"], model.velocity_names(), "qd", r.v);
    if (node["q"]) beyond_limits(node["q"], model, r.q);
    normalize(model, r.q);
    r.line = line_of(node);
    scene_.robots.push_back(r);
  }
  /// None if it is refused. One that is not there is reported where it is named.
  std::optional<Model> load(const YAML::Node& node, const std::string& name,
                            const ImportOptions& options) {
    std::optional<Model> model;
    Diagnostics found;
    try {
      Imported loaded = load_robot(robot_beside(file_, name), options);
      model = loaded.model, found = loaded.diagnostics;
    } catch (const ModelError& e) {
      found = e.diagnostics();
    }
    for (const Diagnostic& d : found.list())
      if (d.rule == &rules::file_unreadable)
        report(*d.rule, node, d.seen);
      else
        out_.add(*d.rule, d.source, d.subject, d.seen, d.assumed, d.remedy, d.severity);
    return model;
  }
  bool flag(const YAML::Node& node, const char* key, bool otherwise) {
    const std::string value = text(node, key, otherwise ? "true" : "false");
    if (value != "true" && value != "false")
      report(rules::table_shape, node, std::string(key) + " is not true or false");
    return value == "true";
  }
  double coordinate(const YAML::Node& node, const char* what) {
    const double x = number(node, what);
    return in_range(node, what, x, -farthest_place, farthest_place) ? x : 0.0;
  }
  /// Reports joints that begin beyond their limits, and angles of more than a turn.
  void beyond_limits(const YAML::Node& node, const Model& model, const Eigen::VectorXd& q) {
    for (int b = 1; b < model.body_count(); ++b) {
      const Joint& joint = model.joint(b);
      if (joint.mimics || velocity_size(joint.type) != 1) continue;
      const double x = q(joint.q), low = model.lower_limit()(joint.q),
                   high = model.upper_limit()(joint.q);
      const bool turns = joint.type != JointType::prismatic,
                 far = turns && std::abs(x) > 2.0 * std::numbers::pi;
      const std::string seen = quoted("q of", model.joint_name(b)) + " is " + format_number(x);
      if (x < low - 1e-9 || x > high + 1e-9)
        report(scene_rules::start_beyond_limits, node,
               seen + ", beyond " + format_number(low) + " to " + format_number(high) +
                   (far ? ": degrees?" : ""),
               far ? "used as radians" : "it begins there");
      else if (far)
        report(rules::angle_degrees, node, seen + ": degrees?", "used as radians");
    }
  }
  /// All of them as a list, or some by name.
  void coordinates(const YAML::Node& node, const std::vector<std::string>& names, const char* what,
                   Eigen::VectorXd& to) {
    if (!node) return;
    if (node.IsSequence() && static_cast<Eigen::Index>(node.size()) == to.size()) {
      for (std::size_t i = 0; i < node.size(); ++i)
        to(static_cast<Eigen::Index>(i)) = coordinate(node[i], what);
    } else if (node.IsMap()) {
      const std::vector<std::string_view> known(names.begin(), names.end());
      for (const auto& entry : node) {
        const std::string name = entry.first.Scalar();
        const auto found = std::ranges::find(names, name);
        if (found == names.end())
          report(rules::edit_unknown, entry.first,
                 quoted("coordinate", name) + " is unknown" + ulna::did_you_mean(name, known));
        else
          to(found - names.begin()) = coordinate(entry.second, what);
      }
    } else {
      report(rules::number_count, node,
             std::string(what) + " is not a list of " + std::to_string(to.size()) +
                 " numbers or a map of names");
    }
  }

  Scene scene_;
  std::map<std::string, ContactMaterial> materials_;
};

}  // namespace
#endif

Scene import_scene(std::string_view text, const std::string& file, Diagnostics& out) {
  std::optional<Scene> made;
#if ULNA_WITH_YAML
  detail::read_yaml(text, file, 1u << 20, out, [&](const YAML::Node& root) {
    made.emplace(SceneReader(file, out).read(root));
  });
#else
  (void)text;
  out.add(rules::yaml_unavailable, {file, 0, 0}, "", "a scene is YAML");
#endif
  out.throw_if_errors();
  return std::move(*made);
}

BuiltScene build_scene(const Scene& scene, Diagnostics& out) {
  BuiltScene built{World(scene.options)};
  World& world = built.world;
  std::vector<int> lines;
  double lightest = infinity, heaviest = 0.0;
  const auto weigh = [&](double mass) {
    lightest = std::min(lightest, mass), heaviest = std::max(heaviest, mass);
  };
  for (const SceneFixed& f : scene.fixed) {
    built.fixed.push_back(world.add_fixed(f.name, f.shape, f.X_WS, f.material));
    lines.push_back(f.line);
  }
  for (const SceneBody& b : scene.bodies) {
    const int object = world.add_body(b.body, b.X_WB);
    built.bodies.push_back(object), lines.push_back(b.line);
    weigh(b.body.inertia.mass());
    Eigen::VectorXd v(6);
    v << b.X_WB.rotation().inverse_apply(b.spin), b.X_WB.rotation().inverse_apply(b.velocity);
    world.set_state(object, world.q(object), v);
  }
  for (const SceneRobot& r : scene.robots) {
    RobotOptions options = r.options;
    options.name = r.name;
    int object = -1;
    try {
      object = world.add_robot(r.model, r.q, options);
    } catch (const std::invalid_argument& e) {
      if (r.model.description().loops.empty()) throw;
      out.add(scene_rules::loop_open, {scene.file, r.line, 0}, "robot '" + r.name + "'", e.what(),
              "nothing");
      out.throw_if_errors();
    }
    built.robots.push_back(object), lines.push_back(r.line);
    for (const Inertia<double>& body : r.model.inertias().subspan(1))
      if (body.mass() > 0.0) weigh(body.mass());
    world.set_state(object, world.q(object), r.v);
    const bool alone = scene.fixed.empty() && scene.bodies.empty() && scene.robots.size() == 1;
    const auto is_own = [&](const WorldShape& shape) { return shape.object == object; };
    if (!alone && std::ranges::none_of(world.shapes(), is_own))
      out.add(scene_rules::robot_shapeless, {scene.file, r.line, 0}, "robot '" + r.name + "'",
              "has no collision shapes", "it touches nothing and falls through the ground");
    for (const Diagnostic& d : world.shape_diagnostics(object).list())
      out.add(*d.rule, d.source, d.subject, d.seen, d.assumed, d.remedy, d.severity);
  }
  for (const World::Overlap& o : world.overlaps())
    out.add(
        scene_rules::bodies_overlap,
        {scene.file, lines[static_cast<std::size_t>(std::max(o.first, o.second))], 0},
        "'" + world.name(o.first) + "' and '" + world.name(o.second) + "'",
        "are " + format_number(std::round(1e6 * o.depth) / 1e3) +
            " mm inside each other at the beginning",
        "they are pushed apart at up to " + format_number(scene.options.correction_speed) + " m/s");
  if (heaviest > 1e6 * lightest)
    out.add(scene_rules::mass_ratio, {scene.file, 0, 0}, "masses",
            "are from " + format_number(lightest) + " to " + format_number(heaviest) + " kg",
            "simulated as they are");
  out.throw_if_errors();
  return built;
}

}  // namespace ulna
