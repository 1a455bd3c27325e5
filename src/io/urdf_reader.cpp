#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include "finish.hpp"
#include "ulna/io/number.hpp"
#include "ulna/model/rules.hpp"
#include "xml_text.hpp"

namespace ulna {
namespace {

using detail::shown;
using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;
using Tags = std::span<const std::string_view>;

constexpr std::array<std::string_view, 6> robot_tags{"link",         "joint",      "material",
                                                     "ulna:gravity", "ulna:frame", "ulna:loop"};
constexpr std::array<std::string_view, 3> link_tags{"inertial", "visual", "collision"};
constexpr std::array<std::string_view, 3> inertial_tags{"origin", "mass", "inertia"};
constexpr std::array<std::string_view, 3> shape_tags{"origin", "geometry", "material"};
constexpr std::array<std::string_view, 5> geometry_tags{"box", "cylinder", "sphere", "capsule",
                                                        "mesh"};
constexpr std::array<std::string_view, 2> material_tags{"color", "texture"};
constexpr std::array<std::string_view, 9> joint_tags{
    "origin",     "parent", "child", "axis", "limit", "dynamics", "mimic", "safety_controller",
    "calibration"};
constexpr std::array<std::string_view, 1> frame_tags{"origin"};
constexpr std::array<std::string_view, 3> loop_tags{"origin1", "origin2", "axis"};
constexpr std::array<std::string_view, 3> origin_attributes{"xyz", "rpy", "quat_xyzw"};
constexpr std::array<std::string_view, 2> axis_attributes{"xyz", "ulna:pitch"};
constexpr std::array<std::string_view, 4> limit_attributes{"lower", "upper", "effort", "velocity"};
constexpr std::array<std::string_view, 4> dynamics_attributes{
    "damping", "friction", "ulna:friction_negative", "ulna:armature"};
constexpr std::array<std::string_view, 3> mimic_attributes{"joint", "multiplier", "offset"};
/// Elements whose loss would change the robot: never skipped in silence.
constexpr std::array<std::string_view, 9> weighty_tags{
    "link", "joint", "inertial", "mass", "inertia", "axis", "limit", "dynamics", "mimic"};

bool contains(Tags tags, std::string_view name) {
  return std::find(tags.begin(), tags.end(), name) != tags.end();
}

bool is_xacro_expression(std::string_view text) {
  return text.find("${") != std::string_view::npos || text.find("$(") != std::string_view::npos;
}

std::string quoted(std::string_view kind, std::string_view name) {
  return std::string(kind) + " '" + shown(name) + "'";
}

bool is_color(std::span<const double> rgba) {
  return std::all_of(rgba.begin(), rgba.end(), [](double x) { return x >= 0.0 && x <= 1.0; });
}

/// Exactly n numbers separated by white space, or why not.
struct Numbers {
  std::array<double, 4> value{};
  const Rule* broken = nullptr;
  std::string defect;
};

Numbers parse_numbers(std::string_view text, std::size_t n) {
  Numbers result;
  if (is_xacro_expression(text)) {
    result.broken = &rules::xacro;
    result.defect = "is a xacro expression";
    return result;
  }
  constexpr std::string_view space = " \t\r\n";
  std::size_t count = 0;
  for (std::size_t i = text.find_first_not_of(space); i != std::string_view::npos;
       i = text.find_first_not_of(space, i)) {
    const std::size_t end = std::min(text.find_first_of(space, i), text.size());
    const std::string_view word = text.substr(i, end - i);
    i = end;
    const auto x = parse_number(word);
    if (!x) {
      result.broken = &rules::number_invalid;
      result.defect = n == 1 ? std::string(number_defect(word))
                             : "'" + shown(word) + "' " + std::string(number_defect(word));
      return result;
    }
    if (count < n) result.value[count] = *x;
    ++count;
  }
  if (count != n) {
    result.broken = count == 0 && n == 1 ? &rules::number_invalid : &rules::number_count;
    result.defect = n == 1 && count == 0 ? "is empty"
                                         : "has " + std::to_string(count) + " numbers instead of " +
                                               std::to_string(n);
  }
  return result;
}

class UrdfReader {
 public:
  UrdfReader(std::string file, Diagnostics& out) : out_(out) { d_.file = std::move(file); }

  Description read(const XMLElement& root) {
    if (std::string_view(root.Name()) != "robot") {
      wrong_root(root);
      return std::move(d_);
    }
    if (const std::string name = attribute(root, "name"); !name.empty())
      d_.name = name;
    else
      out_.note(rules::name_missing, at(root), "robot", "has no name", "'robot' is used");

    materials(root);
    each_child(root, "robot", robot_tags, [&](const XMLElement& e, std::string_view tag) {
      if (tag == "link")
        link(e);
      else if (tag == "joint")
        joint(e);
      else if (tag == "material")
        material(e, quoted("material", attribute(e, "name")));
      else if (tag == "ulna:gravity")
        d_.gravity = required_vector(e, "xyz", "gravity");
      else if (tag == "ulna:frame")
        frame(e);
      else if (tag == "ulna:loop")
        loop(e);
    });
    for (const auto& [tag, seen] : ignored_)
      out_.add(rules::tag_ignored, {d_.file, seen.first_line, 0}, "<" + tag + ">",
               seen.count == 1
                   ? "skipped"
                   : "skipped, here and " + std::to_string(seen.count - 1) + " times more");
    return std::move(d_);
  }

 private:
  // --- elements ---

  void link(const XMLElement& e) {
    LinkDescription made;
    made.line = e.GetLineNum();
    made.name = attribute(e, "name");
    const std::string subject = quoted("link", made.name);
    each_child(e, subject, link_tags, [&](const XMLElement& child, std::string_view tag) {
      if (tag == "inertial") {
        if (once(child, subject)) made.inertial = inertial(child, subject);
      } else if (auto s = shape(child, subject)) {
        (tag == "visual" ? made.visuals : made.collisions).push_back(std::move(*s));
      }
    });
    d_.links.push_back(std::move(made));
  }

  std::optional<Inertial> inertial(const XMLElement& e, const std::string& subject) {
    const XMLElement *mass = nullptr, *inertia = nullptr, *origin = nullptr;
    each_child(e, subject, inertial_tags, [&](const XMLElement& child, std::string_view tag) {
      if (once(child, subject))
        (tag == "mass" ? mass : tag == "inertia" ? inertia : origin) = &child;
    });
    if (!mass) {
      out_.add(rules::tag_missing, at(e), subject, "inertial has no <mass>");
      return {};
    }
    Inertial made;
    made.mass = required_number(*mass, "value", subject + ": mass");
    const Pose pose = origin ? this->pose(*origin, subject + ": inertial") : Pose();
    made.com = pose.xyz;
    if (!inertia) {
      out_.add(rules::inertial_partial, at(e), subject, "inertial has no <inertia>",
               "taken as a point mass");
      return made;
    }
    const char* const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    const int row[] = {0, 0, 0, 1, 1, 2}, column[] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; ++i) {
      double value = 0.0;
      if (inertia->FindAttribute(names[i]) || row[i] == column[i])
        value = required_number(*inertia, names[i], subject + ": inertia");
      else
        out_.add(rules::inertial_partial, at(*inertia), subject,
                 std::string("inertia has no ") + names[i], "0 is used");
      made.inertia(row[i], column[i]) = made.inertia(column[i], row[i]) = value;
    }
    if (!pose.rpy.isZero(0.0)) {
      const Mat3<double> R = pose.transform().rotation().matrix();
      const Mat3<double> turned = R * made.inertia * R.transpose();
      made.inertia = 0.5 * (turned + turned.transpose());
    }
    return made;
  }

  void joint(const XMLElement& e) {
    JointDescription made;
    made.line = e.GetLineNum();
    made.name = attribute(e, "name");
    const std::string subject = quoted("joint", made.name);
    const std::string type = required_attribute(e, "type", subject);
    if (const auto known = joint_type_from(type))
      made.type = *known;
    else if (!type.empty()) {
      static constexpr std::array<std::string_view, 8> names{
          "fixed", "revolute", "continuous", "prismatic", "helical", "planar", "ball", "floating"};
      out_.add(rules::joint_type_unknown, at(e), subject,
               quoted("type", type) + " is unknown" + did_you_mean(type, names));
    }

    std::map<std::string_view, const XMLElement*> part;
    each_child(e, subject, joint_tags, [&](const XMLElement& child, std::string_view tag) {
      if (once(child, subject)) part[tag] = &child;
    });
    for (const auto& [tag, name] : {std::pair{"parent", &made.parent}, {"child", &made.child}}) {
      if (part.contains(tag))
        *name = required_attribute(*part[tag], "link", subject + ": " + tag);
      else
        out_.add(rules::tag_missing, at(e), subject, std::string("has no <") + tag + ">");
    }
    if (part.contains("origin")) made.origin = pose(*part["origin"], subject);
    if (has_axis(made.type)) axis(part["axis"], made, e, subject);
    if (made.type != JointType::fixed) limits(part["limit"], made, e, subject);
    if (const XMLElement* y = part["dynamics"]) {
      known_attributes(*y, subject, dynamics_attributes);
      made.dynamics.damping = optional_number(*y, "damping", 0.0, subject + ": dynamics");
      made.dynamics.friction = optional_number(*y, "friction", 0.0, subject + ": dynamics");
      made.dynamics.friction_negative = optional_number(
          *y, "ulna:friction_negative", made.dynamics.friction, subject + ": dynamics");
      made.dynamics.armature = optional_number(*y, "ulna:armature", 0.0, subject + ": dynamics");
    }
    if (const XMLElement* m = part["mimic"]) {
      known_attributes(*m, subject, mimic_attributes);
      made.mimic = Mimic{required_attribute(*m, "joint", subject + ": mimic"),
                         optional_number(*m, "multiplier", 1.0, subject + ": mimic"),
                         optional_number(*m, "offset", 0.0, subject + ": mimic")};
    }
    for (const char* tag : {"safety_controller", "calibration"})
      if (part.contains(tag)) ignore(*part[tag]);
    d_.joints.push_back(std::move(made));
  }

  void axis(const XMLElement* e, JointDescription& made, const XMLElement& joint,
            const std::string& subject) {
    if (!e) {
      out_.add(rules::axis_missing, at(joint), subject, "has no axis", "1 0 0 is used");
      return;
    }
    known_attributes(*e, subject, axis_attributes);
    made.axis = required_vector(*e, "xyz", subject + ": axis");
    if (made.type == JointType::helical)
      made.pitch = optional_number(*e, "ulna:pitch", 0.0, subject + ": axis");
  }

  void limits(const XMLElement* e, JointDescription& made, const XMLElement& joint,
              const std::string& subject) {
    const bool ranged = made.type == JointType::revolute || made.type == JointType::prismatic;
    if (!e) {
      if (ranged)
        out_.add(rules::limit_missing, at(joint), subject, "has no <limit>", "taken as unlimited");
      return;
    }
    known_attributes(*e, subject, limit_attributes);
    if (made.type != JointType::continuous && velocity_size(made.type) == 1) {
      const bool lower = e->FindAttribute("lower"), upper = e->FindAttribute("upper");
      if (!lower && !upper) {
        if (ranged)
          out_.note(rules::limit_missing, at(*e), subject, "neither lower nor upper limit is given",
                    "taken as unlimited");
      } else {
        if (lower != upper)
          out_.note(rules::limit_missing, at(*e), subject,
                    std::string(lower ? "upper" : "lower") + " limit is not given", "0 is used");
        made.limits.lower = limit(*e, "lower", 0.0, subject);
        made.limits.upper = limit(*e, "upper", 0.0, subject);
      }
    }
    made.limits.effort = limit(*e, "effort", infinity, subject);
    made.limits.velocity = limit(*e, "velocity", infinity, subject);
  }

  /// A limit may be given as infinite, which means that there is none.
  double limit(const XMLElement& e, const char* name, double otherwise,
               const std::string& subject) {
    const XMLAttribute* a = e.FindAttribute(name);
    if (a && number_defect(a->Value()) == "is infinite" && !parse_number(a->Value())) {
      const bool negative = std::string_view(a->Value()).find('-') != std::string_view::npos;
      out_.add(rules::limit_infinite, at(*a), subject, std::string(name) + " limit is infinite",
               "taken as unlimited");
      return negative ? -infinity : infinity;
    }
    return optional_number(e, name, otherwise, subject + ": limit");
  }

  void frame(const XMLElement& e) {
    FrameDescription made;
    made.line = e.GetLineNum();
    made.name = attribute(e, "name");
    const std::string subject = quoted("frame", made.name);
    made.link = required_attribute(e, "link", subject);
    each_child(e, subject, frame_tags, [&](const XMLElement& child, std::string_view) {
      if (once(child, subject)) made.origin = pose(child, subject);
    });
    d_.frames.push_back(std::move(made));
  }

  void loop(const XMLElement& e) {
    LoopDescription made;
    made.line = e.GetLineNum();
    made.name = attribute(e, "name");
    const std::string subject = quoted("loop", made.name);
    made.link1 = required_attribute(e, "link1", subject);
    made.link2 = required_attribute(e, "link2", subject);
    const std::string type = required_attribute(e, "type", subject);
    if (const auto known = joint_type_from(type))
      made.type = *known;
    else
      out_.add(rules::joint_type_unknown, at(e), subject, quoted("type", type) + " is unknown");
    each_child(e, subject, loop_tags, [&](const XMLElement& child, std::string_view tag) {
      if (!once(child, subject)) return;
      if (tag == "axis")
        made.axis = required_vector(child, "xyz", subject + ": axis");
      else
        (tag == "origin1" ? made.origin1 : made.origin2) = pose(child, subject);
    });
    d_.loops.push_back(std::move(made));
  }

  // --- shapes: what is wrong with them is told, and costs the shape, not the robot ---

  std::optional<Shape> shape(const XMLElement& e, const std::string& subject) {
    Shape made;
    if (const char* name = e.Attribute("name")) made.name = name;
    std::string defect = "has no <geometry>", twice;
    int line = e.GetLineNum();
    each_child(e, subject, shape_tags, [&](const XMLElement& child, std::string_view tag) {
      if (child.PreviousSiblingElement(child.Name())) {
        twice = "has more than one <" + std::string(tag) + ">";
      } else if (tag == "geometry") {
        line = child.GetLineNum();
        defect = geometry(child, made.geometry, line);
      } else if (tag == "material") {
        made.material = material(child, subject);
      } else {
        made.origin = pose(child, subject);
      }
    });
    if (!twice.empty()) defect = twice;
    if (const Mesh* mesh = std::get_if<Mesh>(&made.geometry); mesh && defect.empty())
      mesh_path(*mesh, line, subject);
    if (defect.empty()) return made;
    out_.add(rules::shape_invalid, {d_.file, line, 0}, subject,
             std::string(e.Name()) + " " + defect, "the shape is left out");
    return {};
  }

  /// Why it cannot be used, or nothing.
  std::string geometry(const XMLElement& e, Geometry& made, int& line) {
    const XMLElement* g = e.FirstChildElement();
    if (!g) return "has an empty <geometry>";
    line = g->GetLineNum();
    const std::string_view tag = g->Name();
    std::string defect;
    const auto size = [&](const char* name) {
      const char* text = g->Attribute(name);
      const Numbers n = parse_numbers(text ? text : "", 1);
      if (!text)
        defect = "has no " + std::string(name);
      else if (n.broken)
        defect = quoted(name, text) + " " + n.defect;
      else if (!(n.value[0] > 0.0))
        defect = std::string(name) + " " + shown(text) + " is not positive";
      return n.value[0];
    };
    if (tag == "box") {
      const char* text = g->Attribute("size");
      const Numbers n = parse_numbers(text ? text : "", 3);
      if (!text) return "box has no size";
      if (n.broken) return quoted("box size", text) + " " + n.defect;
      if (*std::min_element(n.value.begin(), n.value.begin() + 3) <= 0.0)
        return "box size " + shown(text) + " is not positive";
      made = Box{{n.value[0], n.value[1], n.value[2]}};
      return {};
    }
    if (tag == "sphere")
      made = Sphere{size("radius")};
    else if (tag == "cylinder" || tag == "capsule") {
      const double radius = size("radius"), length = defect.empty() ? size("length") : 0.0;
      if (tag == "cylinder")
        made = Cylinder{radius, length};
      else
        made = Capsule{radius, length};
    } else if (tag == "mesh") {
      Mesh mesh;
      if (const char* name = g->Attribute("filename")) mesh.file = name;
      if (mesh.file.empty()) return "mesh has no filename";
      if (is_xacro_expression(mesh.file))
        return quoted("mesh filename", mesh.file) + " is a xacro expression";
      if (const char* text = g->Attribute("scale")) {
        const Numbers n = parse_numbers(text, 3);
        if (n.broken) return quoted("mesh scale", text) + " " + n.defect;
        mesh.scale << n.value[0], n.value[1], n.value[2];
      }
      made = std::move(mesh);
      return {};
    } else {
      return "has an unknown geometry <" + shown(tag) + ">" + did_you_mean(tag, geometry_tags);
    }
    return defect.empty() ? "" : std::string(tag) + " " + defect;
  }

  void mesh_path(const Mesh& mesh, int line, const std::string& subject) {
    std::string_view path = mesh.file;
    for (const std::string_view scheme : {"file://", "package://", "model://"})
      if (path.starts_with(scheme))
        path.remove_prefix(scheme.size() - (scheme == "file://" ? 0 : 1));
    const bool has_scheme =
        mesh.file.find("://") != std::string::npos && !mesh.file.starts_with("file://");
    const bool leaves = path == ".." || path.starts_with("../") ||
                        path.find("/../") != std::string_view::npos ||
                        (path.starts_with("/") && !has_scheme);
    if (leaves)
      out_.add(rules::mesh_path, {d_.file, line, 0}, subject,
               quoted("mesh path", mesh.file) + " leads out of the folder", "not opened");
  }

  /// Materials may be used before they are declared, so the colours and textures of those that the
  /// robot or one of its visuals declares are gathered first.
  void materials(const XMLElement& root) {
    const auto value = [](const XMLElement* m, const char* tag, const char* attribute) {
      const XMLElement* e = m->FirstChildElement(tag);
      return e ? e->Attribute(attribute) : nullptr;
    };
    const auto declare = [&](const XMLElement* m) {
      const char* name = m ? m->Attribute("name") : nullptr;
      if (!name || !*name || !m->FirstChildElement()) return;
      Material made;
      made.name = name;
      if (const char* rgba = value(m, "color", "rgba"))
        if (const Numbers n = parse_numbers(rgba, 4); !n.broken && is_color(n.value))
          made.rgba = Vec4<double>(n.value.data());
      if (const char* file = value(m, "texture", "filename")) made.texture = file;
      materials_.emplace(name, std::move(made));
    };
    for (auto* m = root.FirstChildElement("material"); m; m = m->NextSiblingElement("material"))
      declare(m);
    for (auto* l = root.FirstChildElement("link"); l; l = l->NextSiblingElement("link"))
      for (auto* v = l->FirstChildElement("visual"); v; v = v->NextSiblingElement("visual"))
        declare(v->FirstChildElement("material"));
  }

  Material material(const XMLElement& e, const std::string& subject) {
    Material made;
    if (const char* name = e.Attribute("name")) made.name = name;
    if (const auto known = materials_.find(made.name);
        known != materials_.end() && !e.FirstChildElement())
      return known->second;
    each_child(e, subject, material_tags, [&](const XMLElement& child, std::string_view tag) {
      if (tag == "texture") {
        if (const char* file = child.Attribute("filename")) made.texture = file;
        return;
      }
      const char* text = child.Attribute("rgba");
      const Numbers n = parse_numbers(text ? text : "", 4);
      if (n.broken || !is_color(n.value))
        out_.add(rules::material_invalid, at(child), subject,
                 quoted("colour", text ? text : "") + " is not four numbers from 0 to 1",
                 "the colour is left out");
      else
        made.rgba = Vec4<double>(n.value.data());
    });
    return made;
  }

  // --- poses, vectors, numbers, names ---

  Pose pose(const XMLElement& e, const std::string& subject) {
    Pose made;
    known_attributes(e, subject, origin_attributes);
    if (e.FindAttribute("xyz")) made.xyz = required_vector(e, "xyz", subject + ": origin");
    const bool rpy = e.FindAttribute("rpy");
    if (rpy) made.rpy = required_vector(e, "rpy", subject + ": origin");
    const XMLAttribute* quat = e.FindAttribute("quat_xyzw");
    if (!quat) return made;
    if (rpy)
      out_.add(rules::orientation_double, at(e), subject, "origin has both rpy and quat_xyzw");
    const Numbers n = parse_numbers(quat->Value(), 4);
    if (n.broken) {
      out_.add(*n.broken, at(*quat), subject, quoted("quat_xyzw", quat->Value()) + " " + n.defect);
      return made;
    }
    const Vec4<double> given(n.value.data());
    const double norm = given.stableNorm();
    if (!(norm > 0.0)) {
      out_.add(rules::quaternion_zero, at(*quat), subject, "quat_xyzw has no length");
      return made;
    }
    if (std::abs(norm - 1.0) > 1e-6)
      out_.add(rules::quaternion_not_unit, at(*quat), subject,
               "quat_xyzw has length " + format_number(norm), "normalised");
    const Vec4<double> unit = given.stableNormalized();
    const auto angles =
        Rotation<double>::from_quaternion({unit(3), unit(0), unit(1), unit(2)}).rpy();
    made.rpy << angles.roll, angles.pitch, angles.yaw;
    return made;
  }

  Vec3<double> required_vector(const XMLElement& e, const char* name, const std::string& subject) {
    const Numbers n = numbers(e, name, 3, subject);
    return {n.value[0], n.value[1], n.value[2]};
  }
  double required_number(const XMLElement& e, const char* name, const std::string& subject) {
    return numbers(e, name, 1, subject).value[0];
  }
  double optional_number(const XMLElement& e, const char* name, double otherwise,
                         const std::string& subject) {
    return e.FindAttribute(name) ? required_number(e, name, subject) : otherwise;
  }

  Numbers numbers(const XMLElement& e, const char* name, std::size_t count,
                  const std::string& subject) {
    const XMLAttribute* a = e.FindAttribute(name);
    if (!a) {
      out_.add(rules::attribute_missing, at(e), subject,
               std::string("has no attribute '") + name + "'");
      return {};
    }
    Numbers n = parse_numbers(a->Value(), count);
    if (n.broken) out_.add(*n.broken, at(*a), subject, quoted(name, a->Value()) + " " + n.defect);
    return n;
  }

  std::string attribute(const XMLElement& e, const char* name) {
    const char* value = e.Attribute(name);
    if (value && is_xacro_expression(value))
      out_.add(rules::xacro, at(*e.FindAttribute(name)), "<" + std::string(e.Name()) + ">",
               quoted(name, value) + " is a xacro expression");
    return value ? value : "";
  }

  std::string required_attribute(const XMLElement& e, const char* name,
                                 const std::string& subject) {
    const std::string value = attribute(e, name);
    if (value.empty())
      out_.add(rules::attribute_missing, at(e), subject,
               std::string("has no attribute '") + name + "'");
    return value;
  }

  /// An attribute that was meant and is not read would change the robot in silence.
  void known_attributes(const XMLElement& e, const std::string& subject, Tags known) {
    for (const XMLAttribute* a = e.FirstAttribute(); a; a = a->Next()) {
      if (contains(known, a->Name())) continue;
      if (const std::string_view near = nearest(a->Name(), known); !near.empty())
        out_.add(rules::tag_misspelt, at(*a), subject,
                 "attribute '" + shown(a->Name()) + "' of <" + e.Name() + ">; did you mean '" +
                     std::string(near) + "'?");
    }
  }

  // --- walking ---

  Source at(const XMLElement& e) const { return {d_.file, e.GetLineNum(), 0}; }
  Source at(const XMLAttribute& a) const { return {d_.file, a.GetLineNum(), 0}; }

  /// Calls `use` for each child that may stand here, and says something about each that may not.
  template <class F>
  void each_child(const XMLElement& parent, const std::string& subject, Tags known, F use) {
    for (const XMLElement* e = parent.FirstChildElement(); e; e = e->NextSiblingElement()) {
      const std::string_view tag = e->Name();
      if (contains(known, tag))
        use(*e, tag);
      else
        stranger(*e, parent, subject, known);
    }
  }

  void stranger(const XMLElement& e, const XMLElement& parent, const std::string& subject,
                Tags known) {
    const std::string tag = e.Name();
    const std::string seen = "<" + shown(tag) + "> in <" + parent.Name() + ">";
    if (tag == "xacro:property" || tag == "xacro:arg") {
      out_.add(rules::xacro_leftover, at(e), subject, seen, "ignored");
    } else if (tag.starts_with("xacro:")) {
      out_.add(rules::xacro, at(e), subject, seen + " was not expanded");
    } else if (contains(weighty_tags, tag)) {
      out_.add(rules::tag_misplaced, at(e), subject, seen + " has no effect there");
    } else if (const std::string_view near = nearest(tag, known); !near.empty()) {
      out_.add(rules::tag_misspelt, at(e), subject,
               seen + "; did you mean <" + std::string(near) + ">?");
    } else {
      ignore(e);
    }
  }

  /// Which of the known words was meant, if any.
  static std::string_view nearest(std::string_view word, Tags known) {
    for (const std::string_view k : known)
      if (edit_distance(word, k, 2) <= (k.size() > 5 ? 2 : 1)) return k;
    return {};
  }

  void ignore(const XMLElement& e) {
    auto& seen = ignored_[shown(e.Name())];
    if (seen.count++ == 0) seen.first_line = e.GetLineNum();
  }

  bool once(const XMLElement& e, const std::string& subject) {
    const XMLElement* before = e.PreviousSiblingElement(e.Name());
    if (before)
      out_.add(rules::tag_double, at(e), subject,
               "<" + std::string(e.Name()) + "> stands again, first in line " +
                   std::to_string(before->GetLineNum()));
    return !before;
  }

  void wrong_root(const XMLElement& root) {
    const std::string tag = root.Name();
    std::string advice;
    if (tag == "sdf" || tag == "mujoco")
      advice =
          "this is " + std::string(tag == "sdf" ? "SDF" : "MJCF") + ", not URDF: convert it first";
    out_.add(rules::xml_root, at(root), "", "the root element is <" + shown(tag) + ">, not <robot>",
             "", advice);
  }

  struct Seen {
    int count = 0, first_line = 0;
  };

  Diagnostics& out_;
  Description d_;
  std::unordered_map<std::string, Material> materials_;
  std::map<std::string, Seen> ignored_;
};

/// What the parser's words mean.
std::string told(tinyxml2::XMLError error) {
  switch (error) {
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "this element is not closed, or another one is closed instead";
    case tinyxml2::XML_ERROR_PARSING_ELEMENT:
      return "an element cannot be read here";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      return "an attribute of this element has no value or quotes, or stands twice";
    case tinyxml2::XML_ERROR_PARSING_COMMENT:
      return "this comment does not end";
    case tinyxml2::XML_ERROR_PARSING_CDATA:
      return "this CDATA section does not end";
    case tinyxml2::XML_ERROR_PARSING_TEXT:
      return "the text does not end in an element";
    case tinyxml2::XML_ERROR_PARSING_DECLARATION:
      return "a declaration <?...?> does not end, or stands in the wrong place";
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
      return "there is no element in the file";
    default:
      return tinyxml2::XMLDocument::ErrorIDToName(error);
  }
}

/// Too many links or joints are refused before they take memory.
void check_count(const XMLElement& root, const char* tag, const std::string& file, std::size_t most,
                 Diagnostics& out) {
  std::size_t count = 0;
  for (auto* e = root.FirstChildElement(tag); e; e = e->NextSiblingElement(tag))
    if (++count > most) {
      const std::string limit = std::to_string(most);
      out.add(rules::input_too_large, {file, e->GetLineNum(), 0}, "",
              "more than " + limit + " " + tag + "s");
      return;
    }
}

}  // namespace

Imported import_urdf(std::string_view text, std::string file, const ImportOptions& options) {
  Diagnostics out(options.strict);
  const std::string prepared = detail::prepare_xml(text, file, options, out);
  detail::stop_if_refused(out);

  tinyxml2::XMLDocument document;
  const tinyxml2::XMLError error = document.Parse(prepared.data(), prepared.size());
  const XMLElement* root = document.RootElement();
  if (error == tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED)
    out.add(rules::xml_depth, {file, document.ErrorLineNum(), 0}, "",
            "elements are nested about 100 deep, as deep as the parser goes");
  else if (error != tinyxml2::XML_SUCCESS)
    out.add(error == tinyxml2::XML_ERROR_EMPTY_DOCUMENT ? rules::xml_empty : rules::xml_malformed,
            {file, document.ErrorLineNum(), 0}, "", told(error));
  else if (!root)
    out.add(rules::xml_empty, {file, 1, 0}, "", "there is no element in the file");
  else if (const XMLElement* second = root->NextSiblingElement())
    out.add(rules::xml_malformed, {file, second->GetLineNum(), 0}, "",
            "a second element beside the root");
  detail::stop_if_refused(out);
  for (const char* tag : {"link", "joint"}) check_count(*root, tag, file, options.max_links, out);
  detail::stop_if_refused(out);

  Description description = UrdfReader(file, out).read(*root);
  return detail::finish(std::move(description), std::move(out), options);
}

}  // namespace ulna
