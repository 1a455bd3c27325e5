#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "io/reading.hpp"
#include "ulna/io/number.hpp"
#include "ulna/model/rules.hpp"
#include "ulna/spatial/screw.hpp"

#if ULNA_WITH_YAML
#include "io/yaml_reader.hpp"
#endif

namespace ulna {

#if ULNA_WITH_YAML
namespace {

using detail::quoted;
using detail::shown;

/// Tables of Denavit-Hartenberg parameters (Fu 1987, sec. 2.2; Craig), and screws (Fakhari 2024).
class TableReader : detail::YamlReader {
 public:
  TableReader(const std::string& file, std::size_t max_links, Diagnostics& out)
      : YamlReader(file, out), max_links_(max_links) {
    d_.file = file;
  }

  Description read(const YAML::Node& root) {
    if (is_no_robot(root)) return std::move(d_);
    subject_ = "table";
    if (!keys(root, {"ulna", "name", "source", "gravity", "base", "joints", "motors", "tool"}))
      return std::move(d_);
    const std::string kind = text(root, "ulna");
    kind_ = kind == "mdh" ? Kind::modified : kind == "poe" ? Kind::screws : Kind::standard;
    if (kind_ == Kind::standard && kind != "dh")
      report(rules::table_shape, root,
             "'ulna: " + shown(kind) + "' is not one of dh, mdh, poe, scene" +
                 ulna::did_you_mean(kind, std::vector<std::string_view>{"mdh", "poe", "scene"}));
    d_.name = text(root, "name", d_.name);
    subject_ = "gravity";
    if (root["gravity"]) d_.gravity = vector(root["gravity"]);

    subject_ = last_link_ = "base";
    if (const YAML::Node node = root["base"]; node && keys(node, {"name", "xyz", "rpy"})) {
      last_link_ = text(node, "name", last_link_);
      X_L_next_ = pose(node).transform();
    }
    subject_ = "table";
    d_.links.push_back(LinkDescription{last_link_});

    const YAML::Node joints = root["joints"];
    if (!joints || !joints.IsSequence() || joints.size() == 0)
      report(rules::table_shape, root, "has no list of joints");
    else if (joints.size() >= max_links_)
      report(rules::input_too_large, joints, "more than " + std::to_string(max_links_) + " links");
    else
      for (const YAML::Node& node : joints) joint(node);
    if (const YAML::Node motors = root["motors"]) {
      subject_ = "table";
      if (!motors.IsSequence())
        report(rules::table_shape, motors, "motors is not a list");
      else
        for (const YAML::Node& node : motors) motor(node);
    }
    if (root["tool"]) tool(root["tool"]);
    return std::move(d_);
  }

 private:
  enum class Kind { standard, modified, screws };

  /// Whether it is another file of ulna's, which is reported.
  bool is_no_robot(const YAML::Node& root) {
    if (!root.IsMap()) return false;
    if (!root["ulna"] && !root["robot"])
      for (const char* key : {"robots", "bodies", "obstacles", "ground", "materials"})
        if (root[key]) {
          out_.add(rules::format_unknown, {file_, line_of(root), 0}, "",
                   quoted("key", key) + " is of a scene, but the line 'ulna: scene' is missing", "",
                   "begin it with 'ulna: scene' and simulate it: ulna simulate");
          return true;
        }
    const bool scene = root["ulna"] && root["ulna"].IsScalar() && root["ulna"].Scalar() == "scene",
               scenario = !root["ulna"] && root["robot"];
    if (scene)
      out_.add(rules::format_unknown, {file_, line_of(root), 0}, "", "this is a scene, not a robot",
               "", "simulate it: ulna simulate");
    if (scenario)
      out_.add(rules::format_unknown, {file_, line_of(root), 0}, "",
               "this is a scenario, not a robot", "", "run it: ulna mpc");
    return scene || scenario;
  }

  // A table describes link frames {i}. A body's frame must sit on its joint's axis, so each body gets
  // a frame of its own there, and {i} becomes a frame of interest: X_BI_ is {i} in that body.
  //
  //   standard   A_i = Rz(theta) Tz(d) Tx(a) Rx(alpha): the joint moves first, the rest is fixed
  //   modified   A_i = Rx(alpha) Tx(a) Tz(d) Rz(theta): the joint moves last
  //   screws     the body's frame is parallel to {i}, at the point of the axis closest to it
  void joint(const YAML::Node& node) {
    const std::string number = std::to_string(d_.joints.size() + 1);
    JointDescription made{"joint" + number};
    if (node.IsMap()) made.name = text(node, "name", made.name);
    made.line = line_of(node);
    subject_ = quoted("joint", made.name);
    const Keys screws{"name",     "screw", "limits", "damping", "friction",
                      "armature", "motor", "spring", "link"},
        parameters{"name",    "type",     "theta",    "d",     "a",      "alpha", "limits",
                   "damping", "friction", "armature", "motor", "spring", "link"};
    if (!keys(node, kind_ == Kind::screws ? screws : parameters)) return;

    made.parent = last_link_;
    made.axis = Vec3<double>::UnitZ();
    const YAML::Node link_node = node["link"];
    made.child = "link" + number;
    if (link_node && link_node.IsMap()) made.child = text(link_node, "name", made.child);
    if (kind_ == Kind::screws)
      place_by_screw(node, link_node, made);
    else
      place_by_parameters(node, made);
    limits(node["limits"], made);
    dynamics(node, made);
    link(link_node, made);
    last_link_ = made.child;
    d_.joints.push_back(std::move(made));
  }

  void place_by_parameters(const YAML::Node& node, JointDescription& made) {
    const std::string type = text(node, "type", "revolute");
    if (type == "revolute" || type == "continuous" || type == "prismatic")
      made.type = *joint_type_from_string(type);
    else
      report(rules::table_joint, node,
             quoted("type", type) + " is not possible in a DH table" +
                 did_you_mean(
                     type, std::vector<std::string_view>{"revolute", "continuous", "prismatic"}));
    const auto value = [&](const char* key) { return number(node, key, 0.0); };
    const double theta = value("theta"), d = value("d"), a = value("a"), alpha = value("alpha");
    for (const auto& [key, angle] : {std::pair{"theta", theta}, {"alpha", alpha}})
      if (std::abs(angle) > 2.0 * std::numbers::pi)
        report(rules::angle_degrees, node[key], key + (" " + format_number(angle)) + ": degrees?",
               "used as radians");
    using X = Transform<double>;
    using R = Rotation<double>;
    const X along_z(R::about_z(theta), {0.0, 0.0, d}), along_x(R::about_x(alpha), {a, 0.0, 0.0});
    made.origin = Pose(kind_ == Kind::standard ? X_L_next_ : X_L_next_ * along_x * along_z);
    X_BI_ = kind_ == Kind::standard ? along_z * along_x : X();
    X_L_next_ = X_BI_;
  }

  void place_by_screw(const YAML::Node& node, const YAML::Node& link_node, JointDescription& made) {
    const YAML::Node s = node["screw"];
    if (!is_list(s, 6))
      return report(rules::table_shape, node, "needs screw: [wx, wy, wz, vx, vy, vz]");
    const Vec6<double> S = numbers<6>(s, "screw");
    const double w = S.head<3>().norm();
    const double length = w > 1e-12 ? w : S.tail<3>().norm();
    if (!(length > 0.0)) return report(rules::axis_zero, s, "the screw has zero length");
    if (std::abs(length - 1.0) > 1e-3)
      return report(rules::screw_not_unit, s, "the screw has length " + format_number(length));
    if (std::abs(length - 1.0) > 1e-9)
      report(rules::screw_rounded, s, "the screw has length " + format_number(length),
             "normalised");

    // {i} in the space frame at home, and the axis as seen from it
    const Transform<double> X_SI = link_node && link_node.IsMap() ? home(link_node) : X_S_link_;
    const Screw<double> axis =
        screw_of(X_SI.inverse_apply(Twist<double>::from_vector(S / length))).screw;
    made.type = !std::isfinite(axis.pitch)    ? JointType::prismatic
                : std::abs(axis.pitch) > 1e-9 ? JointType::helical
                                              : JointType::revolute;
    if (made.type == JointType::helical) made.pitch = axis.pitch;
    made.axis = axis.direction;
    const Transform<double> X_SB = X_SI * Transform<double>::from_translation(axis.point);
    made.origin = Pose(X_S_link_.inverse() * X_SB);
    X_BI_ = Transform<double>::from_translation(-axis.point);
    X_S_link_ = X_SB;
  }

  void limits(const YAML::Node& node, JointDescription& made) {
    if (!node) {
      if (made.type == JointType::revolute || made.type == JointType::prismatic)
        out_.note(rules::limit_missing, {d_.file, made.line, 0}, subject_, "has no limits",
                  "taken as unlimited");
      return;
    }
    if (!keys(node, {"lower", "upper", "velocity", "effort"}, "limits")) return;
    made.limits = {number(node, "lower", -infinity), number(node, "upper", infinity),
                   number(node, "velocity", infinity), number(node, "effort", infinity)};
  }

  void dynamics(const YAML::Node& node, JointDescription& made) {
    const auto value = [&](const YAML::Node& from, const char* key) {
      return from[key] ? not_negative(from[key], key) : 0.0;
    };
    JointDynamics& y = made.dynamics;
    y.damping = value(node, "damping");
    y.armature = value(node, "armature");
    if (node["friction"]) coulomb(node["friction"], y);
    if (const YAML::Node spring = node["spring"];
        spring && keys(spring, {"stiffness", "hardening", "damping"}, "spring"))
      made.spring = Spring{number(spring, "stiffness", 0.0), number(spring, "hardening", 0.0),
                           number(spring, "damping", 0.0)};
    const YAML::Node motor = node["motor"];
    if (!motor) return;
    if (!keys(motor, {"inertia", "gear", "viscous", "coulomb"}, "motor")) return;
    const double gear = number(motor, "gear", 1.0);
    if (gear == 0.0) return report(rules::motor_ratio, motor, "gear is 0");
    MotorDescription own{made.name + "_motor", {{made.name, gear}}};
    own.line = line_of(motor);
    motor_numbers(motor, own);
    if (made.spring) {
      d_.motors.push_back(std::move(own));
      return;
    }
    // Coulomb friction is given by the direction of the joint, whatever that of the motor is [Corke 1996]
    y += own.at_joint(std::abs(gear));
  }

  /// A motor that drives several joints.
  void motor(const YAML::Node& node) {
    MotorDescription made{"motor" + std::to_string(d_.motors.size() + 1)};
    made.line = line_of(node);
    if (node.IsMap()) made.name = text(node, "name", made.name);
    subject_ = quoted("motor", made.name);
    if (!keys(node, {"name", "inertia", "viscous", "coulomb", "gears", "carrier"})) return;
    motor_numbers(node, made);
    if (const YAML::Node gears = node["gears"]; gears && gears.IsMap())
      for (const auto& gear : gears)
        made.gears.push_back(
            {gear.first.IsScalar() ? gear.first.Scalar() : "?", number(gear.second, "gears")});
    else
      report(rules::table_shape, node, "needs gears: {joint: ratio, ...}");
    if (const YAML::Node carrier = node["carrier"];
        carrier && keys(carrier, {"link", "axis"}, "carrier"))
      made.mount = RotorMount{text(carrier, "link", {}, "carrier"), vector(carrier, "axis")};
    d_.motors.push_back(std::move(made));
  }

  void motor_numbers(const YAML::Node& node, MotorDescription& made) {
    const auto value = [&](const char* key) {
      return node[key] ? not_negative(node[key], key) : 0.0;
    };
    made.inertia = value("inertia"), made.damping = value("viscous");
    JointDynamics level;
    if (node["coulomb"]) coulomb(node["coulomb"], level);
    made.friction = level.friction, made.friction_negative = level.friction_negative;
  }

  void coulomb(const YAML::Node& node, JointDynamics& y) {
    const bool pair = node.IsSequence();
    if (pair && node.size() != 2)
      return report(rules::number_count, node,
                    "friction takes one number, or two: for positive and for negative velocity");
    y.friction += not_negative(pair ? node[0] : node, "friction");
    y.friction_negative += not_negative(pair ? node[1] : node, "friction");
  }

  void link(const YAML::Node& node, const JointDescription& joint) {
    LinkDescription made{joint.child};
    made.line = node ? line_of(node) : joint.line;
    subject_ = quoted("link", made.name);
    const Keys screws{"name", "home", "mass", "com", "inertia", "visual"},
        parameters{"name", "mass", "com", "inertia", "visual"};
    if (node && keys(node, kind_ == Kind::screws ? screws : parameters)) {
      if (node["mass"] || node["inertia"]) made.inertial = inertial(node);
      const YAML::Node visuals = node["visual"];
      if (visuals && !visuals.IsSequence())
        report(rules::shape_invalid, visuals, "visual is not a list", "no shape is drawn");
      else if (visuals)
        for (const YAML::Node& v : visuals) visual(v, made);
    }
    // {i} itself, for users of the table's frames
    if (kind_ != Kind::modified)
      d_.frames.push_back({made.name + "_frame", made.name, Pose(X_BI_), made.line});
    d_.links.push_back(std::move(made));
  }

  Inertial inertial(const YAML::Node& node) {
    Inertial made;
    made.mass = number(node, "mass", 0.0);
    if (!node["mass"]) report(rules::table_shape, node, "has inertia but no mass");
    const Vec3<double> com = vector(node, "com");
    Mat3<double> I = Mat3<double>::Zero();
    if (const YAML::Node values = node["inertia"]; is_list(values, 6)) {
      const Vec6<double> x = numbers<6>(values, "inertia");
      I << x(0), x(1), x(2), x(1), x(3), x(4), x(2), x(4), x(5);
    } else if (values) {
      report(rules::table_shape, values, "inertia is not [ixx, ixy, ixz, iyy, iyz, izz]");
    }
    made.com = X_BI_ * com;
    made.inertia = detail::turned(X_BI_.rotation(), I);
    return made;
  }

  void visual(const YAML::Node& node, LinkDescription& made) {
    if (!node.IsMap())
      return report(rules::shape_invalid, node, "visual is not a map of keys",
                    "the shape is left out");
    keys(node, {"shape", "size", "radius", "length", "xyz", "rpy", "color"}, "visual");
    const std::string kind = text(node, "shape", {}, "visual");
    bool good = true;
    const auto size = [&](const char* key) {
      const double x = number(node, key, 0.0);
      good = good && x > 0.0;
      return x;
    };
    Shape shape;
    if (kind == "box") {
      const Vec3<double> edges = vector(node, "size");
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
      return report(rules::shape_invalid, node,
                    quoted("visual", kind) + " has no positive size, or is unknown",
                    "the shape is left out");
    shape.origin = Pose(X_BI_ * pose(node, "visual").transform());
    if (const YAML::Node c = node["color"]) shape.material.rgba = color(c);
    made.visuals.push_back(std::move(shape));
  }

  /// A frame in the space frame at home; where the body before it is, if it is not given.
  Transform<double> home(const YAML::Node& node) {
    const YAML::Node place = node["home"];
    return place && keys(place, {"xyz", "rpy"}, "home") ? pose(place, "home").transform()
                                                        : X_S_link_;
  }

  std::optional<Vec4<double>> color(const YAML::Node& node) {
    Vec4<double> rgba = Vec4<double>::Constant(-1.0);
    if (is_list(node, 4))
      for (int i = 0; i < 4; ++i)
        if (const YAML::Node c = node[i]; c.IsScalar())
          rgba(i) = parse_number(c.Scalar()).value_or(-1.0);
    if (rgba.minCoeff() >= 0.0 && rgba.maxCoeff() <= 1.0) return rgba;
    report(rules::material_invalid, node, "color is not four numbers from 0 to 1",
           "the colour is left out");
    return {};
  }

  void tool(const YAML::Node& node) {
    subject_ = "tool";
    const bool screws = kind_ == Kind::screws;
    if (!keys(node, screws ? Keys{"name", "home"} : Keys{"name", "xyz", "rpy"})) return;
    const Transform<double> X =
        screws ? X_S_link_.inverse() * home(node) : X_BI_ * pose(node).transform();
    d_.frames.push_back({text(node, "name", "tool"), last_link_, Pose(X), line_of(node)});
  }

  std::size_t max_links_;
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
  std::optional<Imported> made;
  detail::read_yaml(
      text, file, std::min(most, options.max_bytes), out, [&](const YAML::Node& root) {
        Description description = TableReader(file, options.max_links, out).read(root);
        made.emplace(detail::finish(std::move(description), std::move(out), options));
      });
  if (made) return std::move(*made);
#else
  (void)text;
  out.add(rules::yaml_unavailable, {file, 0, 0}, "", "this is a YAML table");
#endif
  out.throw_if_errors();
  throw ModelError(std::move(out));
}

}  // namespace ulna
