#include "naming.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "print.hpp"

namespace ulna::equations {
namespace {

using messages::require;

constexpr int most_links = 30;

/// Walks a robot's links from the base outward and names what it finds.
class Namer {
 public:
  Namer(const Model& model, bool numeric)
      : model_(model), d_(model.description()), numeric_(numeric) {}

  NamedArm named() {
    made_.gravity = vector("g", model_.gravity(), "gravity", "m/s²");
    find_links();
    made_.links.resize(std::size_t(model_.body_count()));
    for (std::size_t at = 0; at < links_.size(); ++at) name_link(at);
    for (int b = 1; b < model_.body_count(); ++b) {
      // from the user's frame of each body to the one its joint has
      made_.links[b].inertia = canonical(b).inverse() * made_.links[b].inertia;
      const bool slides = model_.joint(b).type == JointType::prismatic;
      const std::string number = std::to_string(b), joint(model_.joint_name(b));
      made_.coordinates.push_back({(slides ? "d" : "th") + number, joint, slides});
      made_.armature.push_back(parameter("Ir" + number, model_.armature()(model_.joint(b).v),
                                         "rotor inertia of joint '" + joint + "'",
                                         slides ? "kg" : "kg m²"));
    }
    name_drives();
    return std::move(made_);
  }

 private:
  struct LinkAt {
    const LinkDescription* link = nullptr;
    const JointDescription* joint = nullptr;  ///< that carries it; none for the base
    std::size_t parent = 0;
    int body = 0;
    int number = 0;  ///< that its symbols have; 0 in the base
    bool matters = false;
    std::vector<std::size_t> children = {};
    Transform<Symbolic> X_BL = {};  ///< in the user's frame of its body
  };

  Symbolic parameter(const std::string& name, double value, const std::string& meaning,
                     const std::string& unit) {
    value = tidy(value);
    if (value == 0.0) return {};
    if (numeric_) return value;
    if (made_.find(name) == made_.parameters.end())
      made_.parameters.push_back({name, meaning, unit, std::abs(value)});
    const Symbolic s = Symbolic::symbol(name);
    return value < 0.0 ? -s : s;
  }

  /// Coordinates of an arm are numbered as its joints are.
  void name_drives() {
    const DriveTrain& train = model_.drives();
    const int n = model_.nv();
    made_.spring.setConstant(n, Symbolic{});
    made_.rotors.setConstant(n, n, Symbolic{});
    for (const int c : train.elastic) {
      const Coordinate& q = made_.coordinates[c];
      const std::string number = std::to_string(c + 1),
                        of = " of the spring of joint '" + q.joint + "'";
      const bool slides = q.slides;
      made_.motors.push_back({motor_coordinate(q.name), q.joint, slides});
      const auto symbol = [](const std::string& name) { return Symbolic::symbol(name); };
      const Symbolic e = symbol(made_.motors.back().name) - symbol(q.name),
                     rate = symbol("w" + number) - symbol("v" + number);
      made_.spring(c) =
          parameter("K" + number, train.stiffness(c), "stiffness" + of, slides ? "N/m" : "Nm/rad") *
              e +
          parameter("H" + number, train.hardening(c), "hardening" + of,
                    slides ? "N/m³" : "Nm/rad³") *
              e * e * e +
          parameter("D" + number, train.spring_damping(c), "damping" + of,
                    slides ? "N s/m" : "Nm s/rad") *
              rate;
      made_.rotors(c, c) +=
          parameter("Ir" + number, train.rotor(c), "rotor inertia of joint '" + q.joint + "'",
                    slides ? "kg" : "kg m²");
    }
    const auto ratio = [&](const DriveTrain::Entry& g) {
      return parameter("n" + std::to_string(g.motor + 1) + std::to_string(g.coordinate + 1),
                       g.ratio,
                       "turns of motor '" + train.motor_names[g.motor] + "' per turn of joint '" +
                           made_.coordinates[g.coordinate].joint + "'",
                       made_.coordinates[g.coordinate].slides ? "rad/m" : "1");
    };
    for (const DriveTrain::Entry& g : train.separate_gears)
      for (const DriveTrain::Entry& h : train.separate_gears)
        if (g.motor == h.motor)
          made_.rotors(g.coordinate, h.coordinate) +=
              parameter("J" + std::to_string(g.motor + 1), train.inertia(g.motor),
                        "inertia of motor '" + train.motor_names[g.motor] + "'", "kg m²") *
              ratio(g) * ratio(h);
  }

  /// A vector along one axis has one symbol; otherwise each component has its own.
  Vec3<Symbolic> vector(const std::string& name, const Vec3<double>& v, const std::string& meaning,
                        const std::string& unit = "m") {
    const double size = v.cwiseAbs().maxCoeff();
    const auto zero = [&](double x) { return std::abs(x) <= 1e-12 * size; };
    const bool one = (zero(v.x()) + zero(v.y()) + zero(v.z())) == 2;
    Vec3<Symbolic> made;
    for (int i = 0; i < 3; ++i) {
      if (zero(v(i))) continue;
      const char axis = "xyz"[i];
      made(i) = one ? parameter(name, v(i), meaning, unit)
                    : parameter(name + axis, v(i), meaning + ", along " + axis, unit);
    }
    return made;
  }

  /// All links, parents first, with numbers for those that move and carry mass or lead to such.
  void find_links() {
    std::map<std::string_view, const LinkDescription*> by_name;
    std::map<std::string_view, std::vector<const JointDescription*>> joints_on;
    std::set<std::string_view> children;
    for (const LinkDescription& link : d_.links) by_name[link.name] = &link;
    for (const JointDescription& joint : d_.joints) {
      joints_on[joint.parent].push_back(&joint);
      children.insert(joint.child);
    }
    for (const LinkDescription& link : d_.links)
      if (!children.contains(link.name)) links_.push_back({.link = &link});
    for (std::size_t at = 0; at < links_.size(); ++at)
      for (const JointDescription* joint : joints_on[links_[at].link->name]) {
        const int body =
            joint->type == JointType::fixed ? links_[at].body : model_.joint_index(joint->name);
        links_.push_back({by_name.at(joint->child), joint, at, body});
      }
    for (std::size_t at = links_.size(); at-- > 0;) {
      LinkAt& l = links_[at];
      l.matters |= has_inertia(l);
      if (l.joint && l.matters) {
        links_[l.parent].matters = true;
        links_[l.parent].children.insert(links_[l.parent].children.begin(), at);
      }
    }
    int number = 0;
    for (int b = 1; b < model_.body_count(); ++b)
      for (LinkAt& l : links_)
        if (l.body == b && l.matters) l.number = ++number;
    require(number <= most_links, "robot '", model_.name(), "' has ", number,
            " moving links with mass; there are symbols for ", most_links);
  }

  static bool has_inertia(const LinkAt& l) {
    return l.link->inertial &&
           (l.link->inertial->mass != 0.0 || !l.link->inertial->inertia.isZero(0.0));
  }

  std::string link_name(const LinkAt& l) const { return "link '" + l.link->name + "'"; }

  /// A rotation by roll, pitch and yaw: right angles exactly, any other a symbol.
  Rotation<Symbolic> rotation(const Vec3<double>& rpy, const std::string& joint) {
    Symbolic angle[3];
    for (int i = 0; i < 3; ++i) {
      const double quarters = rpy(i) / (M_PI / 2.0);
      if (std::abs(quarters - std::round(quarters)) < 1e-6) {
        angle[i] = std::round(quarters) * (M_PI / 2.0);
      } else if (numeric_) {
        angle[i] = rpy(i);
        made_.exact = false;
      } else {
        angle[i] = parameter("phi" + std::to_string(++angles_), rpy(i),
                             "angle of " + joint + " about " + "xyz"[i], "rad");
      }
    }
    return Rotation<Symbolic>::from_rpy(angle[0], angle[1], angle[2]);
  }

  /// From a joint's frame to the frame turned so that its axis is z.
  Transform<Symbolic> canonical(int body) {
    Mat3<Symbolic> R;
    const Mat3<double> given = model_.joint(body).R_BC.matrix();
    for (int i = 0; i < 9; ++i) {
      const double x = given(i), whole = std::round(x);
      R(i) = std::abs(x - whole) < 1e-9 ? whole : x;
      if (std::abs(x - whole) >= 1e-9) made_.exact = false;
    }
    return Transform<Symbolic>::from_rotation(Rotation<Symbolic>::from_matrix(R));
  }

  /// Where a link ends: at the one joint it carries, or at the first frame that is not its own.
  std::optional<Vec3<double>> end_of(const LinkAt& l) const {
    if (l.children.size() == 1) return links_[l.children.front()].joint->origin.xyz;
    if (l.children.empty())
      for (const FrameDescription& frame : d_.frames)
        if (frame.link == l.link->name && !frame.origin.xyz.isZero()) return frame.origin.xyz;
    return std::nullopt;
  }

  Vec3<Symbolic> length(const LinkAt& l, const Vec3<double>& to, const std::string& branch = "") {
    return vector("l" + std::to_string(l.number) + branch, to,
                  l.number ? "length of " + link_name(l) : "height of the base");
  }

  void name_link(std::size_t at) {
    LinkAt& l = links_[at];
    if (!l.matters) return;
    if (l.joint) {
      const LinkAt& p = links_[l.parent];
      std::string branch;  // of several, each has its letter
      const auto place = std::ranges::find(p.children, at) - p.children.begin();
      if (p.children.size() > 1) branch = char('a' + place % 26);
      const Transform<Symbolic> X_PL(rotation(l.joint->origin.rpy, "joint '" + l.joint->name + "'"),
                                     length(p, l.joint->origin.xyz, branch));
      if (l.joint->type == JointType::fixed) {
        l.X_BL = p.X_BL * X_PL;
      } else {
        classic::Link<Symbolic>& link = made_.links[l.body];
        link.parent = model_.joint(l.body).parent;
        link.slides = model_.joint(l.body).type == JointType::prismatic;
        const Transform<Symbolic> X_PC = p.X_BL * X_PL * canonical(l.body);
        link.X_PJ = link.parent == 0 ? X_PC : canonical(link.parent).inverse() * X_PC;
      }
    }
    if (l.body == 0 || !has_inertia(l)) return;
    made_.links[l.body].inertia += l.X_BL * inertia(l);
  }

  Inertia<Symbolic> inertia(const LinkAt& l) {
    const Inertial& given = *l.link->inertial;
    const std::string number = std::to_string(l.number);
    const Symbolic mass = parameter("m" + number, given.mass, "mass of " + link_name(l), "kg");

    const std::optional<Vec3<double>> end = end_of(l);
    const Vec3<Symbolic> to_end = end ? length(l, *end) : Vec3<Symbolic>();
    const bool at_end = end && (given.com - *end).norm() < 1e-9 * end->norm();
    const Vec3<Symbolic> com =
        at_end ? to_end : vector("lc" + number, given.com, "centre of mass of " + link_name(l));

    Mat3<Symbolic> I;
    const double size = given.inertia.cwiseAbs().maxCoeff();
    for (int r = 0; r < 3; ++r)
      for (int c = r; c < 3; ++c) {
        if (std::abs(given.inertia(r, c)) <= 1e-12 * size) continue;
        const std::string axes{"xyz"[r], "xyz"[c]};
        I(r, c) = I(c, r) = parameter("I" + number + axes, given.inertia(r, c),
                                      "inertia of " + link_name(l) + ", " + axes, "kg m²");
      }
    return Inertia<Symbolic>::about_com(mass, com, I);
  }

  const Model& model_;
  const Description& d_;
  bool numeric_;
  int angles_ = 0;
  std::vector<LinkAt> links_;
  NamedArm made_;
};

bool is_name(const std::string& text) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  // a name must do for C too
  static constexpr std::string_view taken =
      " "
      "auto break case char const continue default do double else enum extern float for "
      "goto if inline int long register restrict return short signed sizeof static struct "
      "switch typedef union unsigned void volatile while sin cos tan sqrt exp log Pi I "
      "Euler Catalan ";
  return !text.empty() && text.size() <= 20 && letter(text[0]) &&
         taken.find(" " + text + " ") == taken.npos && std::ranges::all_of(text, [&](char c) {
           return letter(c) || (c >= '0' && c <= '9') || c == '_';
         });
}

std::string trimmed(const std::string& text) {
  const std::size_t from = text.find_first_not_of(" \t"), to = text.find_last_not_of(" \t");
  return from == text.npos ? "" : text.substr(from, to - from + 1);
}

}  // namespace

void NamedArm::replace(const std::map<std::string, Symbolic>& by) {
  const auto in = [&](auto& matrix) {
    for (Eigen::Index i = 0; i < matrix.size(); ++i) matrix(i) = matrix(i).replaced(by);
  };
  for (classic::Link<Symbolic>& link : links) {
    Mat3<Symbolic> R = link.X_PJ.rotation().matrix();
    Vec3<Symbolic> p = link.X_PJ.translation();
    Inertia<Symbolic>::Parameters pi = link.inertia.parameters();
    in(R), in(p), in(pi);
    link.X_PJ = {Rotation<Symbolic>::from_matrix(R), p};
    link.inertia = Inertia<Symbolic>(pi);
  }
  in(gravity), in(spring), in(rotors);
  for (Symbolic& rotor : armature) rotor = rotor.replaced(by);
}

NamedArm named_arm(const Model& model, bool numeric) {
  classic::detail::require_arm(model);
  return Namer(model, numeric).named();
}

void shorten_inertias(NamedArm& arm, const std::vector<std::string>& in_use) {
  std::map<std::string, std::vector<std::string>> of_link;
  for (const std::string& name : in_use)
    if (name.size() > 3 && name[0] == 'I' && std::isdigit(static_cast<unsigned char>(name[1])))
      of_link[name.substr(0, name.size() - 2)].push_back(name);
  std::map<std::string, Symbolic> shorter;
  for (const auto& [short_name, names] : of_link) {
    if (names.size() != 1) continue;
    shorter[names[0]] = Symbolic::symbol(short_name);
    arm.find(names[0])->name = short_name;
  }
  if (!shorter.empty()) arm.replace(shorter);
}

void let(NamedArm& arm, const std::string& equation) {
  const std::size_t at = equation.find('=');
  require(at != equation.npos, "'", equation, "' is not an equation; write for example lc1=l1/2");
  const std::string name = trimmed(equation.substr(0, at)), text = trimmed(equation.substr(at + 1));
  const auto parameter = arm.find(name);
  std::string known;
  for (const Symbol& p : arm.parameters) known += " " + p.name;
  require(parameter != arm.parameters.end(), "'", equation, "': there is no parameter '", name,
          "'; there are", known.empty() ? " none" : known);

  const bool coordinate = std::ranges::count(arm.coordinates, text, &Coordinate::name) > 0 ||
                          std::ranges::count(arm.motors, text, &Coordinate::name) > 0;
  if (is_name(text) && !coordinate && !velocity_number(text) && !motor_velocity_number(text) &&
      !acceleration_number(text) && arm.find(text) == arm.parameters.end()) {
    arm.replace({{name, Symbolic::symbol(text)}});
    parameter->name = text;
    return;
  }
  const Symbolic value = Symbolic::parse(text);
  for (const std::string& s : value.symbols())
    require(arm.find(s) != arm.parameters.end() && s != name, "'", equation, "': '", s,
            "' is not another parameter");
  std::map<std::string, double> values;
  for (const Symbol& p : arm.parameters) values[p.name] = p.value;
  const double number = value.value(values);
  require(std::abs(number - parameter->value) <= 1e-6 * std::abs(parameter->value), "'", equation,
          "': ", name, " is ", std::to_string(parameter->value), " in this robot, ", text, " is ",
          std::to_string(number));
  arm.replace({{name, value}});
  arm.parameters.erase(parameter);
}

std::vector<std::string> names_of_document(const NamedArm& arm, const std::string& robot) {
  static const std::map<std::string, std::vector<std::string>> documents = {
      {"twolink_fakhari", {"l1=L1", "l2=L2"}},
      {"rp_fakhari", {"lc1=L1"}},
      {"twolink_fu", {"l1=l", "l2=l", "lc1=l/2", "lc2=l/2", "I1=m1*l^2/12", "I2=m2*l^2/12"}},
      {"twolink_notes", {"lc1=l1/2", "lc2=3*l2/5"}},
  };
  const auto document = documents.find(robot);
  if (document == documents.end()) return {};
  // another robot may have the name of one of these, but not the figures
  NamedArm trial = arm;
  try {
    for (const std::string& equation : document->second) let(trial, equation);
    return document->second;
  } catch (const std::invalid_argument&) {
    return {};
  }
}

}  // namespace ulna::equations
