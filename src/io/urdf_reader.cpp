#include <filesystem>
#include <unordered_map>

#include "io/drive_reader.hpp"
#include "io/xml_expand.hpp"

namespace ulna {
namespace {

using namespace detail;

class UrdfReader : DriveReader {
 public:
  using DriveReader::DriveReader;

  Description read(const XMLElement& root) {
    d_.file = file_, d_.lines = lines_;
    subject_ = "robot";
    if (const std::string tag = root.Name(); tag != "robot") {
      out_.add(rules::xml_root, at(root), "",
               "the root element is <" + shown(tag) + ">, not <robot>, <mujoco> or <sdf>");
      return std::move(d_);
    }
    if (const std::string name = attribute(root, "name"); !name.empty())
      d_.name = name;
    else
      out_.note(rules::name_missing, at(root), "robot", "has no name", "'robot' is used");

    materials(root);
    const Words known{"link",       "joint",     "material",   "ulna:gravity",
                      "ulna:frame", "ulna:loop", "ulna:motor", "transmission"};
    std::vector<const XMLElement*> transmissions;
    each_child(root, known, [&](const XMLElement& e, std::string_view tag) {
      if (tag == "link")
        link(e);
      else if (tag == "joint")
        joint(e);
      else if (tag == "material")
        subject_ = quoted("material", attribute(e, "name")), material(e);
      else if (tag == "ulna:gravity")
        subject_ = "gravity", d_.gravity = vector(e, "xyz");
      else if (tag == "ulna:frame")
        frame(e);
      else if (tag == "ulna:loop")
        loop(e);
      else if (tag == "ulna:motor")
        d_.motors.push_back(motor(e));
      else if (tag == "transmission")
        transmissions.push_back(&e);
    });
    // they may stand before the joints that they name
    for (const XMLElement* e : transmissions) transmission(*e, d_);
    report_ignored();
    return std::move(d_);
  }

 private:
  /// A description with its name and its line, which the messages that follow are about.
  template <class T>
  T named(std::string_view kind, const XMLElement& e) {
    T made;
    made.line = e.GetLineNum();
    made.name = attribute(e, "name");
    subject_ = quoted(kind, made.name);
    return made;
  }

  void link(const XMLElement& e) {
    auto made = named<LinkDescription>("link", e);
    each_child(e, {"inertial", "visual", "collision"},
               [&](const XMLElement& child, std::string_view tag) {
                 if (tag == "inertial") {
                   if (once(child)) made.inertial = inertial(child);
                 } else if (auto s = shape(child)) {
                   (tag == "visual" ? made.visuals : made.collisions).push_back(std::move(*s));
                 }
               });
    d_.links.push_back(std::move(made));
  }

  std::optional<Inertial> inertial(const XMLElement& e) {
    const auto part = parts(e, {"origin", "mass", "inertia"});
    if (!part.contains("mass"))
      return report(rules::tag_missing, e, "inertial has no <mass>"), std::nullopt;
    Inertial made;
    made.mass = number(*part.at("mass"), "value");
    const Pose origin = part.contains("origin") ? pose(*part.at("origin"), "inertial") : Pose();
    made.com = origin.xyz;
    if (!part.contains("inertia")) {
      report(rules::inertial_partial, e, "inertial has no <inertia>", "taken as a point mass");
      return made;
    }
    const XMLElement& inertia = *part.at("inertia");
    const char* const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    const int row[] = {0, 0, 0, 1, 1, 2}, column[] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; ++i) {
      double value = 0.0;
      if (inertia.FindAttribute(names[i]) || row[i] == column[i])
        value = number(inertia, names[i]);
      else
        report(rules::inertial_partial, inertia, std::string("inertia has no ") + names[i],
               "0 is used");
      made.inertia(row[i], column[i]) = made.inertia(column[i], row[i]) = value;
    }
    if (!origin.rpy.isZero(0.0)) made.inertia = turned(origin.transform().rotation(), made.inertia);
    return made;
  }

  void joint(const XMLElement& e) {
    auto made = named<JointDescription>("joint", e);
    joint_type(e, made.type);
    auto part = parts(e, {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic",
                          "ulna:spring", "safety_controller", "calibration"});
    for (const auto& [tag, name] : {std::pair{"parent", &made.parent}, {"child", &made.child}}) {
      if (part.contains(tag))
        *name = required_attribute(*part[tag], "link");
      else
        report(rules::tag_missing, e, std::string("has no <") + tag + ">");
    }
    if (part.contains("origin")) made.origin = pose(*part["origin"]);
    if (has_axis(made.type)) axis(part["axis"], made, e);
    if (made.type != JointType::fixed) limits(part["limit"], made, e);
    if (const XMLElement* y = part["dynamics"]) made.dynamics = dynamics(*y);
    if (const XMLElement* s = part["ulna:spring"]) made.spring = spring(*s);
    if (const XMLElement* m = part["mimic"]) {
      known_attributes(*m, {"joint", "multiplier", "offset"});
      made.mimic = Mimic{required_attribute(*m, "joint"), number(*m, "multiplier", 1.0),
                         number(*m, "offset", 0.0)};
    }
    for (const char* tag : {"safety_controller", "calibration"})
      if (part.contains(tag)) ignore(*part[tag]);
    d_.joints.push_back(std::move(made));
  }

  void axis(const XMLElement* e, JointDescription& made, const XMLElement& joint) {
    if (!e) return report(rules::axis_missing, joint, "has no axis", "1 0 0 is used");
    known_attributes(*e, {"xyz", "ulna:pitch"});
    made.axis = vector(*e, "xyz");
    if (made.type == JointType::helical) made.pitch = number(*e, "ulna:pitch", 0.0);
  }

  JointDynamics dynamics(const XMLElement& e) {
    known_attributes(e, {"damping", "friction", "ulna:friction_negative", "ulna:armature"});
    const double friction = number(e, "friction", 0.0);
    return {number(e, "damping", 0.0), friction, number(e, "ulna:friction_negative", friction),
            number(e, "ulna:armature", 0.0)};
  }

  void limits(const XMLElement* e, JointDescription& made, const XMLElement& joint) {
    const bool ranged = made.type == JointType::revolute || made.type == JointType::prismatic;
    if (!e) {
      if (ranged) report(rules::limit_missing, joint, "has no <limit>", "taken as unlimited");
      return;
    }
    known_attributes(*e, {"lower", "upper", "effort", "velocity"});
    if (made.type != JointType::continuous && velocity_size(made.type) == 1) {
      const bool lower = e->FindAttribute("lower"), upper = e->FindAttribute("upper");
      if (lower || upper) {
        if (lower != upper)
          out_.note(rules::limit_missing, at(*e), subject_,
                    std::string(lower ? "upper" : "lower") + " limit is not given", "0 is used");
        made.limits.lower = limit(*e, "lower", 0.0);
        made.limits.upper = limit(*e, "upper", 0.0);
      } else if (ranged) {
        out_.note(rules::limit_missing, at(*e), subject_, "neither lower nor upper limit is given",
                  "taken as unlimited");
      }
    }
    made.limits.effort = limit(*e, "effort", infinity);
    made.limits.velocity = limit(*e, "velocity", infinity);
  }

  /// A limit may be given as infinite, which means that there is none.
  double limit(const XMLElement& e, const char* name, double otherwise) {
    const XMLAttribute* a = e.FindAttribute(name);
    if (!a || number_defect(a->Value()) != "is infinite") return number(e, name, otherwise);
    report(rules::limit_infinite, *a, std::string(name) + " limit is infinite",
           "taken as unlimited");
    const bool negative = std::string_view(a->Value()).find('-') != std::string_view::npos;
    return negative ? -infinity : infinity;
  }

  void frame(const XMLElement& e) {
    auto made = named<FrameDescription>("frame", e);
    made.link = required_attribute(e, "link");
    for (const auto& [tag, child] : parts(e, {"origin"})) made.origin = pose(*child);
    d_.frames.push_back(std::move(made));
  }

  void loop(const XMLElement& e) {
    auto made = named<LoopDescription>("loop", e);
    made.link1 = required_attribute(e, "link1");
    made.link2 = required_attribute(e, "link2");
    joint_type(e, made.type);
    for (const auto& [tag, child] : parts(e, {"origin1", "origin2", "axis"})) {
      if (tag == "axis")
        made.axis = vector(*child, "xyz");
      else
        (tag == "origin1" ? made.origin1 : made.origin2) = pose(*child);
    }
    d_.loops.push_back(std::move(made));
  }

  void joint_type(const XMLElement& e, JointType& type) {
    const std::string name = required_attribute(e, "type");
    if (const auto known = joint_type_from_string(name))
      type = *known;
    else if (!name.empty())
      report(rules::joint_type_unknown, e,
             quoted("type", name) + " is unknown" + did_you_mean(name, joint_type_names));
  }

  /// The children by tag, each of which may stand once.
  std::map<std::string_view, const XMLElement*> parts(const XMLElement& e, Words known) {
    std::map<std::string_view, const XMLElement*> found;
    each_child(e, known, [&](const XMLElement& child, std::string_view tag) {
      if (once(child)) found[tag] = &child;
    });
    return found;
  }

  // --- shapes: what is wrong with them is reported, and costs the shape, not the robot ---

  std::optional<Shape> shape(const XMLElement& e) {
    Shape made;
    if (const char* name = e.Attribute("name")) made.name = name;
    std::string defect = "has no <geometry>", twice;
    const XMLElement* seat = &e;
    each_child(e, {"origin", "geometry", "material"},
               [&](const XMLElement& child, std::string_view tag) {
                 if (child.PreviousSiblingElement(child.Name())) {
                   twice = "has more than one <" + std::string(tag) + ">";
                 } else if (tag == "geometry") {
                   seat = child.FirstChildElement() ? child.FirstChildElement() : &child;
                   defect = geometry(child.FirstChildElement(), made.geometry);
                 } else if (tag == "material") {
                   made.material = material(child);
                 } else {
                   made.origin = pose(child);
                 }
               });
    if (!twice.empty()) defect = twice;
    if (!defect.empty()) {
      report(rules::shape_invalid, *seat, std::string(e.Name()) + " " + defect,
             "the shape is left out");
      return {};
    }
    if (const Mesh* mesh = std::get_if<Mesh>(&made.geometry); mesh && leaves_folder(mesh->file))
      report(rules::mesh_path, *seat, quoted("mesh path", mesh->file) + " leads out of the folder",
             "not opened");
    return made;
  }

  /// Why it cannot be used, or nothing.
  static std::string geometry(const XMLElement* e, Geometry& made) {
    if (!e) return "has an empty <geometry>";
    const std::string tag = e->Name();
    std::string defect;
    // the first defect counts
    const auto size = [&](const char* name, std::size_t n = 1) {
      const char* text = e->Attribute(name);
      const Numbers read = parse_numbers(text ? text : "", n);
      if (!defect.empty()) return read;
      if (!text)
        defect = tag + " has no " + name;
      else if (read.broken)
        defect = tag + " " + quoted(name, text) + " " + read.defect;
      else if (*std::min_element(read.value.begin(), read.value.begin() + n) <= 0.0)
        defect = tag + " " + name + " " + shown(text) + " is not positive";
      return read;
    };
    const auto length = [&](const char* name) { return size(name).value[0]; };
    if (tag == "box")
      made = Box{size("size", 3).vector()};
    else if (tag == "sphere")
      made = Sphere{length("radius")};
    else if (tag == "cylinder")
      made = Cylinder{length("radius"), length("length")};
    else if (tag == "capsule")
      made = Capsule{length("radius"), length("length")};
    else if (tag == "mesh")
      return mesh(*e, made);
    else {
      static constexpr std::string_view known[] = {"box", "cylinder", "sphere", "capsule", "mesh"};
      return "has an unknown geometry <" + shown(tag) + ">" + did_you_mean(tag, known);
    }
    return defect;
  }

  static std::string mesh(const XMLElement& e, Geometry& made) {
    Mesh mesh;
    if (const char* name = e.Attribute("filename")) mesh.file = name;
    if (mesh.file.empty()) return "mesh has no filename";
    if (is_xacro_expression(mesh.file))
      return quoted("mesh filename", mesh.file) + " is a xacro expression";
    if (const char* text = e.Attribute("scale")) {
      const Numbers read = parse_numbers(text, 3);
      if (read.broken) return quoted("mesh scale", text) + " " + read.defect;
      mesh.scale = read.vector();
    }
    made = std::move(mesh);
    return {};
  }

  static bool leaves_folder(std::string_view file) {
    const std::filesystem::path path(file);
    return file.starts_with("/") || file.starts_with("file:///") ||
           std::find(path.begin(), path.end(), "..") != path.end();
  }

  /// Materials may be used before they are declared, so all declared ones are gathered first.
  void materials(const XMLElement& root) {
    const auto declare = [&](const XMLElement& m) {
      const char* name = m.Attribute("name");
      if (name && *name && m.FirstChildElement()) materials_.emplace(name, &m);
    };
    each(root, "material", declare);
    each(root, "link", [&](const XMLElement& link) {
      each(link, "visual", [&](const XMLElement& visual) {
        if (const XMLElement* m = visual.FirstChildElement("material")) declare(*m);
      });
    });
  }

  /// What is wrong with a material is reported where it is declared.
  Material material(const XMLElement& e) {
    Material made;
    if (const char* name = e.Attribute("name")) made.name = name;
    const bool declared = e.FirstChildElement();
    if (!declared && !materials_.contains(made.name)) return made;
    if (declared) each_child(e, {"color", "texture"}, [](auto&&...) {});
    const XMLElement& from = declared ? e : *materials_[made.name];
    each(from, "color", [&](const XMLElement& color) {
      const char* rgba = color.Attribute("rgba");
      const Numbers read = parse_numbers(rgba ? rgba : "", 4);
      const Vec4<double> value(read.value.data());
      if (!read.broken && value.minCoeff() >= 0.0 && value.maxCoeff() <= 1.0)
        made.rgba = value;
      else if (declared)
        report(rules::material_invalid, color,
               quoted("colour", rgba ? rgba : "") + " is not four numbers from 0 to 1",
               "the colour is left out");
    });
    each(from, "texture", [&](const XMLElement& texture) {
      if (const char* file = texture.Attribute("filename")) made.texture = file;
    });
    return made;
  }

  Description d_;
  std::unordered_map<std::string, const XMLElement*> materials_;
};

}  // namespace

namespace {

Imported read_urdf(const tinyxml2::XMLDocument* document, const std::string& file,
                   std::shared_ptr<const LineMap> lines, const ImportOptions& options,
                   Diagnostics out) {
  out.throw_if_errors();
  const XMLElement& root = *document->RootElement();
  // too many links or joints are refused before they take memory
  for (const std::string tag : {"link", "joint"}) {
    std::size_t count = 0;
    for (auto* e = root.FirstChildElement(tag.c_str()); e; e = e->NextSiblingElement(tag.c_str()))
      if (++count == options.max_links + 1)
        out.add(rules::input_too_large,
                lines ? lines->at(e->GetLineNum()) : Source{file, e->GetLineNum(), 0}, "",
                "more than " + std::to_string(options.max_links) + " " + tag + "s");
  }
  out.throw_if_errors();
  Description description = UrdfReader(file, out, lines).read(root);
  return finish(std::move(description), std::move(out), options);
}

}  // namespace

Imported import_urdf(std::string_view text, std::string file, const ImportOptions& options) {
  Diagnostics out(options.strict);
  const auto document = parse_xml(text, file, options, out);
  return read_urdf(document.get(), file, {}, options, std::move(out));
}

Imported import_xacro(std::string_view text, std::string file, const ImportOptions& options) {
  Diagnostics out(options.strict);
  const XmlText expanded = expand_xacro(text, file, options, out);
  const auto document = parse_xml(expanded, options, out);
  return read_urdf(document.get(), file, expanded.lines, options, std::move(out));
}

}  // namespace ulna
