#include <algorithm>
#include <cmath>
#include <set>

#include "finish.hpp"
#include "ulna/io/number.hpp"
#include "ulna/model/rules.hpp"
#include "ulna/spatial/screw.hpp"
#include "xml_text.hpp"

#if ULNA_WITH_YAML
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>
#endif

namespace ulna {

#if ULNA_WITH_YAML
namespace {

using Keys = std::initializer_list<std::string_view>;
using detail::shown;

/// Looks at a text before a tree is made of it, which takes half a kilobyte a node: refuses deep and
/// very large ones, further documents, and aliases, each of which may stand for any number of nodes.
class Scout : public YAML::EventHandler {
 public:
  Scout(std::string file, Diagnostics& out) : file_(std::move(file)), out_(out) {}

  void OnDocumentStart(const YAML::Mark& at) override {
    if (++documents_ > 1) refuse(rules::yaml_malformed, at, "a second document begins");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& at, YAML::anchor_t) override { node(at); }
  void OnAlias(const YAML::Mark& at, YAML::anchor_t) override {
    refuse(rules::yaml_malformed, at, "an alias: it is not expanded");
  }
  void OnScalar(const YAML::Mark& at, const std::string&, YAML::anchor_t,
                const std::string&) override {
    node(at);
  }
  void OnSequenceStart(const YAML::Mark& at, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    enter(at);
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& at, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    enter(at);
  }
  void OnMapEnd() override { --depth_; }

 private:
  static constexpr int most_nodes = 200'000, most_levels = 100;

  void node(const YAML::Mark& at) {
    if (++nodes_ > most_nodes)
      refuse(rules::input_too_large, at, "more than " + std::to_string(most_nodes) + " entries");
  }
  void enter(const YAML::Mark& at) {
    node(at);
    if (++depth_ > most_levels)
      refuse(rules::yaml_malformed, at,
             "lists and maps are nested more than " + std::to_string(most_levels) + " deep");
  }
  void refuse(const Rule& rule, const YAML::Mark& at, std::string seen) {
    out_.add(rule, {file_, at.line + 1, 0}, "", std::move(seen));
    detail::stop_if_refused(out_);
  }

  std::string file_;
  Diagnostics& out_;
  int documents_ = 0, nodes_ = 0, depth_ = 0;
};

/// Reads tables of Denavit-Hartenberg parameters (002, sec. 2.2; Craig's modified form) and of screws
/// (000). docs/formats.md describes them.
class TableReader {
 public:
  TableReader(std::string file, std::size_t max_links, Diagnostics& out)
      : max_links_(max_links), out_(out) {
    d_.file = std::move(file);
  }

  Description read(const YAML::Node& root) {
    if (!root.IsMap()) {
      complain(rules::table_shape, root, "table", "is not a map of keys");
      return std::move(d_);
    }
    keys(root, "table", {"ulna", "name", "source", "gravity", "base", "joints", "tool"});
    const std::string kind = text(root, "ulna", "table");
    if (kind == "dh")
      kind_ = Kind::standard;
    else if (kind == "mdh")
      kind_ = Kind::modified;
    else if (kind == "poe")
      kind_ = Kind::screws;
    else
      complain(rules::table_shape, root, "table",
               "'ulna: " + shown(kind) + "' is not one of dh, mdh, poe");
    if (root["name"]) d_.name = text(root, "name", "table");
    if (root["gravity"]) d_.gravity = vector(root["gravity"], "gravity");

    LinkDescription base;
    base.name = "base";
    if (const YAML::Node node = root["base"]; node && keys(node, "base", {"name", "xyz", "rpy"})) {
      if (node["name"]) base.name = text(node, "name", "base");
      X_L_next_ = pose(node, "base").transform();
    }
    X_S_link_ = {};
    last_link_ = base.name;
    d_.links.push_back(std::move(base));

    const YAML::Node joints = root["joints"];
    if (!joints || !joints.IsSequence() || joints.size() == 0)
      complain(rules::table_shape, root, "table", "has no list of joints");
    else if (joints.size() >= max_links_)
      complain(rules::input_too_large, joints, "table",
               "more than " + std::to_string(max_links_) + " links");
    else
      for (const YAML::Node& node : joints) joint(node);
    if (root["tool"]) tool(root["tool"]);
    return std::move(d_);
  }

 private:
  enum class Kind { standard, modified, screws };

  // A table describes link frames {i}. A body's frame must sit on its joint's axis, so each body gets
  // a frame of its own there, and {i} becomes a frame of interest: X_BI_ is {i} in that body.
  //
  //   standard   A_i = Rz(theta) Tz(d) Tx(a) Rx(alpha): the joint moves first, the rest is fixed
  //   modified   A_i = Rx(alpha) Tx(a) Tz(d) Rz(theta): the joint moves last
  //   screws     the body's frame is parallel to {i}, at the point of the axis closest to it
  void joint(const YAML::Node& node) {
    JointDescription made;
    made.line = node.Mark().line + 1;
    if (!node.IsMap()) return complain(rules::table_shape, node, "joint", "is not a map of keys");
    made.name =
        node["name"] ? text(node, "name", "joint") : "joint" + std::to_string(d_.joints.size() + 1);
    const std::string subject = "joint '" + shown(made.name) + "'";
    if (kind_ == Kind::screws)
      keys(node, subject,
           {"name", "screw", "limits", "damping", "friction", "armature", "motor", "link"});
    else
      keys(node, subject,
           {"name", "type", "theta", "d", "a", "alpha", "limits", "damping", "friction", "armature",
            "motor", "link"});

    made.parent = last_link_;
    made.axis = Vec3<double>::UnitZ();
    const YAML::Node link_node = node["link"];
    made.child = link_node && link_node.IsMap() && link_node["name"]
                     ? text(link_node, "name", subject)
                     : "link" + std::to_string(d_.joints.size() + 1);
    if (kind_ == Kind::screws)
      place_by_screw(node, link_node, made, subject);
    else
      place_by_parameters(node, made, subject);
    limits(node["limits"], made, subject);
    dynamics(node, made, subject);
    link(link_node, made);
    last_link_ = made.child;
    d_.joints.push_back(std::move(made));
  }

  void place_by_parameters(const YAML::Node& node, JointDescription& made,
                           const std::string& subject) {
    const std::string type = node["type"] ? text(node, "type", subject) : "revolute";
    if (const auto known = joint_type_from(type);
        known && (*known == JointType::revolute || *known == JointType::continuous ||
                  *known == JointType::prismatic))
      made.type = *known;
    else
      complain(rules::joint_type_unknown, node, subject,
               "type '" + shown(type) + "' cannot stand in a DH table");
    const auto value = [&](const char* key) {
      return node[key] ? number(node[key], subject + ": " + key) : 0.0;
    };
    const double theta = value("theta"), d = value("d"), a = value("a"), alpha = value("alpha");
    using X = Transform<double>;
    using R = Rotation<double>;
    const X along_z(R::about_z(theta), {0.0, 0.0, d}), along_x(R::about_x(alpha), {a, 0.0, 0.0});
    made.origin = Pose(kind_ == Kind::standard ? X_L_next_ : X_L_next_ * along_x * along_z);
    X_BI_ = kind_ == Kind::standard ? along_z * along_x : X();
    X_L_next_ = X_BI_;
  }

  void place_by_screw(const YAML::Node& node, const YAML::Node& link_node, JointDescription& made,
                      const std::string& subject) {
    const YAML::Node s = node["screw"];
    if (!s || !s.IsSequence() || s.size() != 6)
      return complain(rules::table_shape, node, subject, "needs screw: [wx, wy, wz, vx, vy, vz]");
    Vec6<double> S;
    for (std::size_t i = 0; i < 6; ++i) S(static_cast<int>(i)) = number(s[i], subject + ": screw");
    const double w = S.head<3>().norm();
    const double length = w > 1e-12 ? w : S.tail<3>().norm();
    if (!(length > 0.0)) return complain(rules::axis_zero, s, subject, "the screw has no length");
    if (std::abs(length - 1.0) > 1e-3)
      return complain(rules::screw_not_unit, s, subject,
                      "the screw has length " + format_number(length));
    if (std::abs(length - 1.0) > 1e-9)
      complain(rules::screw_rounded, s, subject, "the screw has length " + format_number(length),
               "normalised");

    // {i} in the space frame at home, and the axis as seen from it
    const Transform<double> X_SI = link_node && link_node.IsMap() && link_node["home"]
                                       ? pose(link_node["home"], subject + ": home").transform()
                                       : X_S_link_;
    const Screw<double> axis =
        screw_of(X_SI.inverse_apply(Twist<double>::from_vector(S / length))).screw;
    const bool slides = !std::isfinite(axis.pitch);
    made.type = slides                        ? JointType::prismatic
                : std::abs(axis.pitch) > 1e-9 ? JointType::helical
                                              : JointType::revolute;
    made.pitch = made.type == JointType::helical ? axis.pitch : 0.0;
    made.axis = axis.direction;
    const Transform<double> X_SB = X_SI * Transform<double>::from_translation(axis.point);
    made.origin = Pose(X_S_link_.inverse() * X_SB);
    X_BI_ = Transform<double>::from_translation(-axis.point);
    X_S_link_ = X_SB;
  }

  void limits(const YAML::Node& node, JointDescription& made, const std::string& subject) {
    if (!node) {
      if (made.type == JointType::revolute || made.type == JointType::prismatic)
        out_.note(rules::limit_missing, {d_.file, made.line, 0}, subject, "has no limits",
                  "taken as unlimited");
      return;
    }
    if (!keys(node, subject + ": limits", {"lower", "upper", "velocity", "effort"})) return;
    const auto value = [&](const char* key, double otherwise) {
      return node[key] ? number(node[key], subject + ": " + key) : otherwise;
    };
    made.limits = {value("lower", -infinity), value("upper", infinity), value("velocity", infinity),
                   value("effort", infinity)};
  }

  void dynamics(const YAML::Node& node, JointDescription& made, const std::string& subject) {
    const auto value = [&](const YAML::Node& from, const char* key) {
      return from[key] ? not_negative(from[key], subject + ": " + key) : 0.0;
    };
    JointDynamics& y = made.dynamics;
    y.damping = value(node, "damping");
    y.armature = value(node, "armature");
    if (node["friction"]) coulomb(node["friction"], 1.0, y, subject);
    const YAML::Node motor = node["motor"];
    if (!motor) return;
    // seen from the joint, a motor's inertia and damping grow with the gear ratio squared
    if (!keys(motor, subject + ": motor", {"inertia", "gear", "viscous", "coulomb"})) return;
    const double gear = motor["gear"] ? number(motor["gear"], subject + ": gear") : 1.0;
    y.armature += gear * gear * value(motor, "inertia");
    y.damping += gear * gear * value(motor, "viscous");
    if (motor["coulomb"]) coulomb(motor["coulomb"], std::abs(gear), y, subject);
  }

  void coulomb(const YAML::Node& node, double scale, JointDynamics& y, const std::string& subject) {
    const bool pair = node.IsSequence();
    if (pair && node.size() != 2)
      return complain(rules::number_count, node, subject,
                      "friction takes one number, or two: for positive and for negative velocity");
    y.friction += scale * not_negative(pair ? node[0] : node, subject + ": friction");
    y.friction_negative += scale * not_negative(pair ? node[1] : node, subject + ": friction");
  }

  void link(const YAML::Node& node, const JointDescription& joint) {
    LinkDescription made;
    made.name = joint.child;
    made.line = node ? node.Mark().line + 1 : joint.line;
    const std::string subject = "link '" + shown(made.name) + "'";
    if (node && !node.IsMap())
      complain(rules::table_shape, node, subject, "is not a map of keys");
    else if (node) {
      if (kind_ == Kind::screws)
        keys(node, subject, {"name", "home", "mass", "com", "inertia", "visual"});
      else
        keys(node, subject, {"name", "mass", "com", "inertia", "visual"});
      if (node["mass"] || node["inertia"]) made.inertial = inertial(node, subject);
      const YAML::Node visuals = node["visual"];
      if (visuals && !visuals.IsSequence())
        complain(rules::shape_invalid, visuals, subject, "visual is not a list",
                 "no shape is drawn");
      else if (visuals)
        for (const YAML::Node& v : visuals) visual(v, made, subject);
    }
    // {i} itself, for those who think in the table's frames
    if (kind_ != Kind::modified)
      d_.frames.push_back({made.name + "_frame", made.name, Pose(X_BI_), made.line});
    d_.links.push_back(std::move(made));
  }

  Inertial inertial(const YAML::Node& node, const std::string& subject) {
    Inertial made;
    if (node["mass"])
      made.mass = number(node["mass"], subject + ": mass");
    else
      complain(rules::table_shape, node, subject, "has inertia but no mass");
    const Vec3<double> com =
        node["com"] ? vector(node["com"], subject + ": com") : Vec3<double>(Vec3<double>::Zero());
    Mat3<double> I = Mat3<double>::Zero();
    if (const YAML::Node values = node["inertia"];
        values && values.IsSequence() && values.size() == 6) {
      double x[6];
      for (std::size_t i = 0; i < 6; ++i) x[i] = number(values[i], subject + ": inertia");
      I << x[0], x[1], x[2], x[1], x[3], x[4], x[2], x[4], x[5];
    } else if (values) {
      complain(rules::table_shape, values, subject,
               "inertia is not [ixx, ixy, ixz, iyy, iyz, izz]");
    }
    const Mat3<double>& R = X_BI_.rotation().matrix();
    made.com = X_BI_ * com;
    made.inertia = R * I * R.transpose();
    made.inertia = (0.5 * (made.inertia + made.inertia.transpose())).eval();
    return made;
  }

  void visual(const YAML::Node& node, LinkDescription& made, const std::string& subject) {
    if (!node.IsMap())
      return complain(rules::shape_invalid, node, subject, "visual is not a map of keys",
                      "the shape is left out");
    keys(node, subject + ": visual", {"shape", "size", "radius", "length", "xyz", "rpy", "color"});
    const std::string kind = text(node, "shape", subject + ": visual");
    bool good = true;
    const auto size = [&](const char* key) {
      const double x = node[key] ? number(node[key], subject + ": " + key) : 0.0;
      good = good && x > 0.0;
      return x;
    };
    Shape shape;
    if (kind == "box") {
      const Vec3<double> edges = node["size"] ? vector(node["size"], subject + ": size")
                                              : Vec3<double>(Vec3<double>::Zero());
      good = edges.minCoeff() > 0.0;
      shape.geometry = Box{edges};
    } else if (kind == "sphere")
      shape.geometry = Sphere{size("radius")};
    else if (kind == "cylinder")
      shape.geometry = Cylinder{size("radius"), size("length")};
    else if (kind == "capsule")
      shape.geometry = Capsule{size("radius"), size("length")};
    else
      good = false;
    if (!good)
      return complain(rules::shape_invalid, node, subject,
                      "visual '" + shown(kind) + "' has no positive size, or is unknown",
                      "the shape is left out");
    shape.origin = Pose(X_BI_ * pose(node, subject + ": visual").transform());
    if (const YAML::Node c = node["color"]) shape.material.rgba = color(c, subject);
    made.visuals.push_back(std::move(shape));
  }

  std::optional<Vec4<double>> color(const YAML::Node& node, const std::string& subject) {
    Vec4<double> rgba = Vec4<double>::Constant(-1.0);
    if (node.IsSequence() && node.size() == 4)
      for (int i = 0; i < 4; ++i)
        if (const YAML::Node c = node[i]; c.IsScalar())
          rgba(i) = parse_number(c.Scalar()).value_or(-1.0);
    if (rgba.minCoeff() >= 0.0 && rgba.maxCoeff() <= 1.0) return rgba;
    complain(rules::material_invalid, node, subject, "color is not four numbers from 0 to 1",
             "the colour is left out");
    return {};
  }

  void tool(const YAML::Node& node) {
    if (!node.IsMap()) return complain(rules::table_shape, node, "tool", "is not a map of keys");
    if (kind_ == Kind::screws)
      keys(node, "tool", {"name", "home"});
    else
      keys(node, "tool", {"name", "xyz", "rpy"});
    const std::string name = node["name"] ? text(node, "name", "tool") : "tool";
    const Transform<double> X =
        kind_ == Kind::screws
            ? X_S_link_.inverse() *
                  (node["home"] ? pose(node["home"], "tool: home").transform() : X_S_link_)
            : X_BI_ * pose(node, "tool").transform();
    d_.frames.push_back({name, last_link_, Pose(X), node.Mark().line + 1});
  }

  // --- values ---

  void complain(const Rule& rule, const YAML::Node& node, const std::string& subject,
                std::string seen, std::string assumed = {}) {
    out_.add(rule, {d_.file, node.Mark().line + 1, 0}, subject, std::move(seen),
             std::move(assumed));
  }

  /// Whether it is a map; says something about each key that cannot stand in it.
  bool keys(const YAML::Node& node, const std::string& subject, Keys known) {
    if (!node.IsMap()) {
      complain(rules::table_shape, node, subject, "is not a map of keys");
      return false;
    }
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "?";
      if (std::find(known.begin(), known.end(), key) != known.end()) {
        if (!seen.insert(key).second)
          complain(rules::tag_double, entry.first, subject, "key '" + key + "' stands again");
        continue;
      }
      const std::vector<std::string_view> names(known);
      const std::string near = did_you_mean(key, names);
      if (near.empty())
        complain(rules::tag_ignored, entry.first, subject, "key '" + shown(key) + "' is skipped");
      else
        complain(rules::tag_misspelt, entry.first, subject,
                 "key '" + shown(key) + "' is unknown" + near);
    }
    return true;
  }

  std::string text(const YAML::Node& node, const char* key, const std::string& subject) {
    const YAML::Node value = node[key];
    if (value && value.IsScalar()) return value.Scalar();
    complain(rules::table_shape, node, subject, std::string("needs '") + key + "' as text");
    return {};
  }

  /// A number, or an angle as people write it: pi/2, -3*pi/4, 90deg.
  double number(const YAML::Node& node, const std::string& subject) {
    if (node.IsScalar()) {
      if (const auto x = quantity(node.Scalar())) return *x;
      complain(rules::number_invalid, node, subject,
               "'" + shown(node.Scalar()) + "' " + std::string(number_defect(node.Scalar())));
    } else {
      complain(rules::table_shape, node, subject, "is not a number");
    }
    return 0.0;
  }

  double not_negative(const YAML::Node& node, const std::string& subject) {
    const double x = number(node, subject);
    if (x < 0.0)
      complain(rules::friction_negative, node, subject, format_number(x) + " is negative");
    return x;
  }

  static std::optional<double> quantity(std::string_view s) {
    const auto x = angle_or_number(s);
    return x && std::isfinite(*x) ? x : std::nullopt;
  }

  static std::optional<double> angle_or_number(std::string_view s) {
    constexpr double pi = 3.14159265358979323846;
    if (s.ends_with("deg")) {
      const auto x = parse_number(s.substr(0, s.size() - 3));
      return x ? std::optional(*x * pi / 180.0) : std::nullopt;
    }
    const std::size_t at = s.find("pi");
    if (at == std::string_view::npos) return parse_number(s);
    // [factor *] pi [/ divisor]
    std::string_view before = s.substr(0, at), after = s.substr(at + 2);
    double factor = 1.0, divisor = 1.0;
    if (before == "-")
      factor = -1.0;
    else if (!before.empty() && before != "+") {
      const auto x =
          before.ends_with('*') ? parse_number(before.substr(0, before.size() - 1)) : std::nullopt;
      if (!x) return {};
      factor = *x;
    }
    if (!after.empty()) {
      const auto x = after.starts_with('/') ? parse_number(after.substr(1)) : std::nullopt;
      if (!x || *x == 0.0) return {};
      divisor = *x;
    }
    return factor * pi / divisor;
  }

  Vec3<double> vector(const YAML::Node& node, const std::string& subject) {
    if (!node.IsSequence() || node.size() != 3) {
      complain(rules::number_count, node, subject, "is not a list of three numbers");
      return Vec3<double>::Zero();
    }
    return {number(node[0], subject), number(node[1], subject), number(node[2], subject)};
  }

  Pose pose(const YAML::Node& node, const std::string& subject) {
    Pose made;
    if (!node.IsMap()) {
      complain(rules::table_shape, node, subject, "is not {xyz: [...], rpy: [...]}");
      return made;
    }
    if (node["xyz"]) made.xyz = vector(node["xyz"], subject + ": xyz");
    if (node["rpy"]) made.rpy = vector(node["rpy"], subject + ": rpy");
    return made;
  }

  std::size_t max_links_;
  Diagnostics& out_;
  Description d_;
  Kind kind_ = Kind::standard;
  std::string last_link_;
  Transform<double> X_L_next_;  ///< table frame {i-1} in the body that carries it
  Transform<double> X_BI_;      ///< table frame {i} in body i
  Transform<double> X_S_link_;  ///< screws: body i-1 in the space frame at home
};

}  // namespace
#endif

Imported import_table(std::string_view text, std::string file, const ImportOptions& options) {
  Diagnostics out(options.strict);
#if ULNA_WITH_YAML
  constexpr std::size_t most = 1u << 19;
  if (text.size() > std::min(most, options.max_bytes))
    out.add(
        rules::input_too_large, {file, 0, 0}, "",
        "the table is larger than " + std::to_string(std::min(most, options.max_bytes)) + " bytes");
  // yaml-cpp takes some of them for the end of the text
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r' && c != '\n';
  };
  if (const auto control = std::find_if(text.begin(), text.end(), is_control);
      control != text.end())
    out.add(rules::yaml_malformed,
            {file, 1 + static_cast<int>(std::count(text.begin(), control, '\n')), 0}, "",
            "a control character: the file is binary, or not UTF-8");
  const std::string utf8 = detail::to_utf8(text, file, out);
  detail::stop_if_refused(out);
  try {
    std::istringstream stream(utf8);
    YAML::Parser parser(stream);
    Scout scout(file, out);
    while (parser.HandleNextDocument(scout)) {
    }
    const YAML::Node root = YAML::Load(utf8);
    Description description = TableReader(file, options.max_links, out).read(root);
    return detail::finish(std::move(description), std::move(out), options);
  } catch (const YAML::Exception& e) {
    out.add(rules::yaml_malformed, {file, e.mark.is_null() ? 0 : e.mark.line + 1, 0}, "", e.msg);
  }
#else
  (void)text;
  out.add(rules::yaml_unavailable, {file, 0, 0}, "", "this is a YAML table");
#endif
  detail::stop_if_refused(out);
  throw ModelError(std::move(out));
}

}  // namespace ulna
