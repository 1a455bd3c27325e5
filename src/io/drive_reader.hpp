#pragma once

#include <algorithm>
#include <cmath>

#include "io/xml_reader.hpp"

namespace ulna::detail {

/// Reads motors, springs and transmissions of a URDF.
class DriveReader : protected XmlReader {
 protected:
  using XmlReader::XmlReader;

  static constexpr const char* carrier_tag = "ulna:carrier";

  MotorDescription motor(const XMLElement& e) {
    MotorDescription made;
    made.line = e.GetLineNum();
    made.name = attribute(e, "name");
    subject_ = quoted("motor", made.name);
    known_attributes(e, {"name", "inertia", "damping", "friction", "friction_negative"});
    made.inertia = number(e, "inertia", 0.0);
    made.damping = number(e, "damping", 0.0);
    made.friction = number(e, "friction", 0.0);
    made.friction_negative = number(e, "friction_negative", made.friction);
    each_child(e, {"ulna:gear", carrier_tag}, [&](const XMLElement& child, std::string_view tag) {
      if (tag == "ulna:gear") {
        known_attributes(child, {"joint", "ratio"});
        made.gears.push_back({required_attribute(child, "joint"), number(child, "ratio", 1.0)});
      } else if (once(child)) {
        known_attributes(child, {"link", "axis"});
        made.mount = RotorMount{required_attribute(child, "link"), vector(child, "axis")};
      }
    });
    return made;
  }

  Spring spring(const XMLElement& e) {
    known_attributes(e, {"stiffness", "hardening", "damping"});
    return {number(e, "stiffness"), number(e, "hardening", 0.0), number(e, "damping", 0.0)};
  }

  /// A transmission as ros_control describes it, as motors without inertia. Torques follow from the ratios of
  /// positions by power; those of ros_control's four-bar linkage do not.
  void transmission(const XMLElement& e, Description& d) {
    const auto [joints, actuators] = std::pair{ends(e, "joint"), ends(e, "actuator")};
    const std::string kind = kind_of_transmission(e);
    const std::size_t size =
        kind == "SimpleTransmission"                                                 ? 1
        : kind == "DifferentialTransmission" || kind == "FourBarLinkageTransmission" ? 2
                                                                                     : 0;
    if (size == 0) return ignore(e);
    subject_ = quoted("transmission", attribute(e, "name"));
    if (joints.size() != size || actuators.size() != size)
      return report(rules::transmission_shape, e,
                    kind + " has " + std::to_string(joints.size()) + " joints and " +
                        std::to_string(actuators.size()) + " actuators, not " +
                        std::to_string(size) + " of each",
                    "skipped");
    for (const End& joint : joints)
      if (!drivable(joint, e, d)) return;
    const double top = reduction(e, 1.0);
    if (size == 1) {
      const double ratio = reduction(*actuators[0].element, reduction(*joints[0].element, top));
      add_motor(d, actuators[0], {{joints[0].name, ratio}});
      return;
    }
    const double a1 = reduction(*actuators[0].element, 1.0),
                 a2 = reduction(*actuators[1].element, 1.0),
                 j1 = reduction(*joints[0].element, 1.0), j2 = reduction(*joints[1].element, 1.0);
    const std::string &first = joints[0].name, &second = joints[1].name;
    if (kind == "DifferentialTransmission") {
      add_motor(d, actuators[0], {{first, a1 * j1}, {second, a1 * j2}});
      add_motor(d, actuators[1], {{first, a2 * j1}, {second, -a2 * j2}});
    } else {
      add_motor(d, actuators[0], {{first, a1 * j1}});
      add_motor(d, actuators[1], {{first, a2}, {second, a2 * j2}});
    }
  }

 private:
  struct End {
    std::string name, role;
    const XMLElement* element;
  };

  /// Joints or actuators, in the order of their roles if they have some.
  std::vector<End> ends(const XMLElement& e, const char* tag) {
    std::vector<End> found;
    each(e, tag, [&](const XMLElement& child) {
      const XMLElement* role = child.FirstChildElement("role");
      const char* text = role ? role->GetText() : nullptr;
      found.push_back({attribute(child, "name"), text ? std::string(trimmed(text)) : "", &child});
    });
    std::ranges::stable_sort(found, {}, &End::role);
    return found;
  }

  /// Its type without the package's name.
  std::string kind_of_transmission(const XMLElement& e) {
    const XMLElement* type = e.FirstChildElement("type");
    const char* text = type ? type->GetText() : e.Attribute("type");
    const std::string_view kind = text ? trimmed(text) : std::string_view();
    return std::string(kind.substr(kind.find_last_of("/:") + 1));
  }

  double reduction(const XMLElement& e, double otherwise) {
    const XMLElement* child = e.FirstChildElement("mechanicalReduction");
    if (!child) return otherwise;
    const Numbers read = parse_numbers(child->GetText() ? child->GetText() : "", 1);
    if (!read.broken) return read.value[0];
    report(*read.broken, *child, "mechanicalReduction " + read.defect);
    return otherwise;
  }

  /// Whether a motor can drive the joint and no other transmission does: files often name a joint twice.
  bool drivable(const End& end, const XMLElement& e, const Description& d) {
    const auto joint = std::ranges::find(d.joints, end.name, &JointDescription::name);
    if (joint == d.joints.end()) {
      std::vector<std::string_view> names;
      for (const JointDescription& j : d.joints) names.push_back(j.name);
      report(rules::transmission_joint, *end.element,
             quoted("joint", end.name) + " is unknown" + ulna::did_you_mean(end.name, names),
             "skipped");
      return false;
    }
    const bool driven = std::ranges::any_of(d.motors, [&](const MotorDescription& m) {
      return std::ranges::count(m.gears, end.name, &Gear::joint) > 0;
    });
    const bool possible = velocity_size(joint->type) == 1 && !joint->mimic && !driven;
    if (!possible) ignore(e);
    return possible;
  }

  void add_motor(Description& d, const End& actuator, std::vector<Gear> gears) {
    MotorDescription made{actuator.name, std::move(gears)};
    made.line = actuator.element->GetLineNum();
    // motors of different joints are often called alike
    while (made.name.empty() || std::ranges::count(d.motors, made.name, &MotorDescription::name))
      made.name += made.name.empty() ? made.gears.front().joint + "_motor" : "_";
    d.motors.push_back(std::move(made));
  }
};

}  // namespace ulna::detail
