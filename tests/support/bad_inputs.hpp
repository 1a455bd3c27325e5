#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ulna/io/import.hpp"
#include "ulna/model/rules.hpp"

/// Bad robots, and what has to become of each: most are small changes to a good one.
namespace ulna::test {

/// A robot that is read without a word, even strictly. Each case changes one thing about it.
inline constexpr std::string_view good_urdf = R"(<?xml version='1.0'?>
<robot name='arm' xmlns:ulna='https://ulna.dev/urdf'>
  <ulna:gravity xyz='0 0 -9.8'/>
  <material name='blue'>
    <color rgba='0 0 1 1'/>
  </material>
  <link name='base'/>
  <link name='upper'>
    <inertial>
      <origin xyz='0 0 0.11' rpy='0.1 0 0'/>
      <mass value='2'/>
      <inertia ixx='0.02' ixy='0.001' ixz='0' iyy='0.021' iyz='0' izz='0.012'/>
    </inertial>
    <visual>
      <origin xyz='0 0 0.12'/>
      <geometry>
        <box size='0.1 0.2 0.3'/>
      </geometry>
      <material name='blue'/>
    </visual>
    <collision>
      <geometry><sphere radius='0.11'/></geometry>
    </collision>
    <collision>
      <geometry><cylinder radius='0.12' length='0.4'/></geometry>
    </collision>
    <collision>
      <geometry><mesh filename='package://arm/upper.stl' scale='0.001 0.001 0.001'/></geometry>
    </collision>
  </link>
  <link name='lower'>
    <inertial>
      <mass value='1'/>
      <inertia ixx='0.01' ixy='0' ixz='0' iyy='0.011' iyz='0' izz='0.013'/>
    </inertial>
  </link>
  <link name='tool'>
    <inertial>
      <mass value='0.5'/>
      <inertia ixx='0.001' ixy='0' ixz='0' iyy='0.0011' iyz='0' izz='0.0013'/>
    </inertial>
  </link>
  <link name='tip'/>
  <joint name='shoulder' type='revolute'>
    <parent link='base'/>
    <child link='upper'/>
    <origin xyz='0 0 0.3' rpy='0 0.2 0'/>
    <axis xyz='0 1 0'/>
    <limit lower='-2' upper='1.9' effort='50' velocity='3'/>
    <dynamics damping='0.5' friction='0.25' ulna:friction_negative='0.35' ulna:armature='0.01'/>
  </joint>
  <joint name='elbow' type='revolute'>
    <parent link='upper'/>
    <child link='lower'/>
    <origin xyz='0 0 0.4' quat_xyzw='0 0 0 1'/>
    <axis xyz='1 0 0'/>
    <limit lower='-1.5' upper='1.5' effort='40' velocity='4'/>
    <mimic joint='shoulder' multiplier='-0.5' offset='0.125'/>
  </joint>
  <joint name='spindle' type='helical'>
    <parent link='lower'/>
    <child link='tool'/>
    <axis xyz='0 0 1' ulna:pitch='0.01'/>
  </joint>
  <joint name='mount' type='fixed'>
    <parent link='tool'/>
    <child link='tip'/>
  </joint>
  <ulna:frame name='pen' link='tip'>
    <origin xyz='0 0 0.05'/>
  </ulna:frame>
</robot>
)";

inline constexpr std::string_view good_table = R"(ulna: dh
name: scara
gravity: [0, 0, -9.8]
base: {name: floor, xyz: [0, 0, 0.1]}
joints:
  - name: shoulder
    theta: 0.25
    d: 0.3
    a: 0.4
    alpha: pi/2
    limits: {lower: -2, upper: 2.5, velocity: 3, effort: 50}
    damping: 0.5
    friction: [0.1, 0.2]
    motor: {inertia: 0.0002, gear: 60, viscous: 0.001, coulomb: 0.3}
    link:
      name: upper
      mass: 2
      com: [0.1, 0, 0]
      inertia: [0.02, 0, 0, 0.021, 0, 0.012]
      visual:
        - {shape: box, size: [0.1, 0.2, 0.3], color: [1, 0, 0, 1]}
  - name: slide
    type: prismatic
    limits: {lower: 0, upper: 0.5}
    link: {name: lower, mass: 1, inertia: [0.01, 0, 0, 0.011, 0, 0.013]}
tool: {name: tip, xyz: [0, 0, 0.05]}
)";

inline constexpr std::string_view good_screws = R"(ulna: poe
joints:
  - name: shoulder
    screw: [0, 0, 1, 0, 0, 0]
    limits: {lower: -2, upper: 2}
    link: {name: upper, home: {xyz: [0.5, 0, 0]}, mass: 2, inertia: [0.02, 0, 0, 0.021, 0, 0.012]}
tool: {name: tip, home: {xyz: [1, 0, 0]}}
)";

/// The line on which a parser loses track is its own affair.
inline constexpr int any_line = -1;

enum class Fate { refused, repaired, accepted };

struct BadInput {
  std::string kind, name;
  std::string file;                   ///< as messages call it
  std::function<std::string()> text;  ///< made when it is needed: some are large
  Fate fate = Fate::refused;
  const Rule* rule = nullptr;
  int line = 0;
  std::string says;                              ///< part of the message
  std::function<bool(const Model&)> holds = {};  ///< what is true of the robot after the repair
};

inline std::string repeated(std::string_view s, int n) {
  std::string text;
  text.reserve(s.size() * static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) text += s;
  return text;
}

/// The line on which a piece of the text begins. It must be there once.
inline int line_of(std::string_view text, std::string_view piece) {
  const std::size_t at = text.find(piece);
  if (at == text.npos || text.find(piece, at + 1) != text.npos)
    throw std::logic_error("not there once: " + std::string(piece));
  return 1 + static_cast<int>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

inline std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  line_of(text, from);
  std::string result(text);
  return result.replace(result.find(from), from.size(), to);
}

/// Collects cases; says(), after(), on() and on_line() refine the one added last.
class BadInputs {
 public:
  std::vector<BadInput> list;

  void kind(std::string name) { kind_ = std::move(name); }

  /// A good text with `from` made `to`: what is wrong is told on the line where they begin, or where
  /// `on` says.
  BadInputs& change(std::string name, std::string_view from, std::string_view to, Fate fate,
                    const Rule& rule, std::string_view good = good_urdf) {
    const std::string text = replaced(good, from, to);
    add(
        std::move(name), good == good_urdf ? "bad.urdf" : "bad.yaml", [text] { return text; }, fate,
        rule, line_of(good, from));
    return *this;
  }
  BadInputs& refused(std::string name, std::string_view from, std::string_view to,
                     const Rule& rule) {
    return change(std::move(name), from, to, Fate::refused, rule);
  }
  BadInputs& repaired(std::string name, std::string_view from, std::string_view to,
                      const Rule& rule) {
    return change(std::move(name), from, to, Fate::repaired, rule);
  }
  BadInputs& text(std::string name, std::string text, Fate fate, const Rule& rule, int line,
                  std::string file = "bad.urdf") {
    return add(
        std::move(name), std::move(file), [text = std::move(text)] { return text; }, fate, rule,
        line);
  }
  BadInputs& add(std::string name, std::string file, std::function<std::string()> text, Fate fate,
                 const Rule& rule, int line) {
    list.push_back(
        {kind_, std::move(name), std::move(file), std::move(text), fate, &rule, line, "", {}});
    return *this;
  }
  BadInputs& accepted(std::string name, std::function<std::string()> text,
                      std::function<bool(const Model&)> holds = {},
                      std::string file = "good.urdf") {
    list.push_back({kind_, std::move(name), std::move(file), std::move(text), Fate::accepted,
                    nullptr, 0, "", std::move(holds)});
    return *this;
  }

  BadInputs& says(std::string part) { return list.back().says = std::move(part), *this; }
  BadInputs& after(std::function<bool(const Model&)> holds) {
    return list.back().holds = std::move(holds), *this;
  }
  BadInputs& on(std::string_view piece) {
    return list.back().line = line_of(list.back().text(), piece), *this;
  }
  BadInputs& on_line(int line) { return list.back().line = line, *this; }

 private:
  std::string kind_;
};

// --- looking at the robot after a repair ---

inline const JointDescription& joint_of(const Model& model, std::string_view name) {
  for (const JointDescription& j : model.description().joints)
    if (j.name == name) return j;
  throw std::logic_error("no joint " + std::string(name));
}
inline const LinkDescription& link_of(const Model& model, std::string_view name) {
  for (const LinkDescription& l : model.description().links)
    if (l.name == name) return l;
  throw std::logic_error("no link " + std::string(name));
}

// --- robots of many links ---

inline std::string link_text(int i) { return "<link name='l" + std::to_string(i) + "'/>\n"; }
inline std::string joint_text(int i, int parent, std::string_view type = "continuous",
                              std::string_view more = "<axis xyz='0 0 1'/>") {
  return "<joint name='j" + std::to_string(i) + "' type='" + std::string(type) +
         "'><parent link='l" + std::to_string(parent) + "'/><child link='l" + std::to_string(i) +
         "'/>" + std::string(more) + "</joint>\n";
}
inline std::string many_links(int joints, const std::function<int(int)>& parent_of,
                              std::string_view type = "continuous",
                              std::string_view more = "<axis xyz='0 0 1'/>") {
  std::string text = "<robot name='many'>\n" + link_text(0);
  for (int i = 1; i <= joints; ++i) text += link_text(i) + joint_text(i, parent_of(i), type, more);
  return text + "</robot>\n";
}
inline int the_one_before(int i) { return i - 1; }
inline int the_base(int) { return 0; }

// --- the cases ---

inline void bad_numbers(BadInputs& cases) {
  const std::pair<std::string_view, std::string_view> tokens[] = {
      {"nan", "is not a number"}, {"inf", "is infinite"},     {"1e999", "overflows"},
      {"", "is empty"},           {"1.0kg", "has something"}, {"1,5", "decimal comma"},
      {"0x10", "hexadecimal"},    {"--1", "is not a number"}, {"one", "is not a number"}};
  struct Place {
    std::string_view name, from, before, after;
    Fate fate;
    const Rule& rule;
  };
  const Place places[] = {
      {"mass", "value='2'", "value='", "'", Fate::refused, rules::number_invalid},
      {"ixx", "ixx='0.02'", "ixx='", "'", Fate::refused, rules::number_invalid},
      {"ixy", "ixy='0.001'", "ixy='", "'", Fate::refused, rules::number_invalid},
      {"inertial xyz", "xyz='0 0 0.11'", "xyz='0 0 ", "'", Fate::refused, rules::number_invalid},
      {"inertial rpy", "rpy='0.1 0 0'", "rpy='", " 0 0'", Fate::refused, rules::number_invalid},
      {"visual xyz", "xyz='0 0 0.12'", "xyz='", " 0 0'", Fate::refused, rules::number_invalid},
      {"joint xyz", "xyz='0 0 0.3'", "xyz='0 ", " 0.3'", Fate::refused, rules::number_invalid},
      {"joint rpy", "rpy='0 0.2 0'", "rpy='0 ", " 0'", Fate::refused, rules::number_invalid},
      {"quaternion", "quat_xyzw='0 0 0 1'", "quat_xyzw='0 0 0 ", "'", Fate::refused,
       rules::number_invalid},
      {"axis", "xyz='0 1 0'", "xyz='0 ", " 0'", Fate::refused, rules::number_invalid},
      {"pitch", "ulna:pitch='0.01'", "ulna:pitch='", "'", Fate::refused, rules::number_invalid},
      {"lower", "lower='-2'", "lower='", "'", Fate::refused, rules::number_invalid},
      {"upper", "upper='1.9'", "upper='", "'", Fate::refused, rules::number_invalid},
      {"effort", "effort='50'", "effort='", "'", Fate::refused, rules::number_invalid},
      {"velocity", "velocity='3'", "velocity='", "'", Fate::refused, rules::number_invalid},
      {"damping", "damping='0.5'", "damping='", "'", Fate::refused, rules::number_invalid},
      {"friction", "friction='0.25'", "friction='", "'", Fate::refused, rules::number_invalid},
      {"negative friction", "friction_negative='0.35'", "friction_negative='", "'", Fate::refused,
       rules::number_invalid},
      {"armature", "armature='0.01'", "armature='", "'", Fate::refused, rules::number_invalid},
      {"multiplier", "multiplier='-0.5'", "multiplier='", "'", Fate::refused,
       rules::number_invalid},
      {"offset", "offset='0.125'", "offset='", "'", Fate::refused, rules::number_invalid},
      {"gravity", "xyz='0 0 -9.8'", "xyz='0 0 ", "'", Fate::refused, rules::number_invalid},
      {"box size", "size='0.1 0.2 0.3'", "size='0.1 ", " 0.3'", Fate::repaired,
       rules::shape_invalid},
      {"sphere radius", "radius='0.11'", "radius='", "'", Fate::repaired, rules::shape_invalid},
      {"cylinder length", "length='0.4'", "length='", "'", Fate::repaired, rules::shape_invalid},
      {"mesh scale", "scale='0.001 0.001 0.001'", "scale='", " 1 1'", Fate::repaired,
       rules::shape_invalid},
      {"colour", "rgba='0 0 1 1'", "rgba='0 ", " 1 1'", Fate::repaired, rules::material_invalid},
  };
  cases.kind("numbers");
  for (const Place& place : places)
    for (const auto& [token, defect] : tokens) {
      const std::string to =
          std::string(place.before) + std::string(token) + std::string(place.after);
      const bool alone = place.before.ends_with('\'') && place.after == "'";
      const bool is_limit =
          place.name == "upper" || place.name == "effort" || place.name == "velocity";
      const std::string name = std::string(place.name) + " '" + std::string(token) + "'";
      if (place.name == "lower" && token == "inf") {
        cases.refused(name, place.from, to, rules::limit_reversed).on("<joint name='shoulder'");
      } else if (is_limit && token == "inf") {
        cases.repaired(name, place.from, to, rules::limit_infinite)
            .says("taken as unlimited")
            .after([](const Model& m) {
              const Limits& l = joint_of(m, "shoulder").limits;
              return l.upper == infinity || l.effort == infinity || l.velocity == infinity;
            });
      } else if (token.empty() && !alone && place.fate == Fate::refused) {
        cases.change(name, place.from, to, place.fate, rules::number_count)
            .says("numbers instead of");
      } else {
        cases.change(name, place.from, to, place.fate, place.rule);
        if (place.fate == Fate::refused)
          cases.says(std::string(defect));
        else
          cases.says("left out");
      }
    }
  cases.refused("xyz of two", "xyz='0 0 0.3'", "xyz='0 0.3'", rules::number_count)
      .says("2 numbers instead of 3");
  cases.refused("xyz of four", "xyz='0 0 0.3'", "xyz='0 0 0 0.3'", rules::number_count)
      .says("4 numbers instead of 3");
  cases.refused("xyz with commas", "xyz='0 0 0.3'", "xyz='0, 0, 0.3'", rules::number_invalid);
  cases.refused("two masses in one", "value='2'", "value='2 3'", rules::number_count);
  cases
      .refused("decimal overflow without exponent", "value='2'",
               "value='" + repeated("9", 400) + "'", rules::number_invalid)
      .says("overflows");
  cases
      .refused("overflow in spite of e-5", "value='2'", "value='" + repeated("9", 400) + "e-5'",
               rules::number_invalid)
      .says("overflows");
  cases
      .refused("finite, but the inertia overflows", "xyz='0 0 0.11'", "xyz='0 0 1e200'",
               rules::number_invalid)
      .on("<link name='upper'");
  cases
      .refused("finite, but the bodies overflow",
               "<ulna:frame name='pen' link='tip'>\n    <origin xyz='0 0 0.05'/>",
               "<link name='x'/><joint name='jx' type='fixed'><parent link='tip'/><child "
               "link='x'/><origin xyz='1e308 0 0'/></joint>\n"
               "<ulna:frame name='pen' link='x'><origin xyz='1e308 0 0'/>",
               rules::number_invalid)
      .on_line(0)
      .says("overflow");
  cases
      .refused("mimic ratio that overflows", "multiplier='-0.5'", "multiplier='1e200'",
               rules::number_invalid)
      .on_line(0)
      .says("overflow");
  cases.refused("quaternion of no length", "'0 0 0 1'", "'0 0 0 0'", rules::quaternion_zero);
  cases.repaired("quaternion of length 2", "'0 0 0 1'", "'0 0 0 2'", rules::quaternion_not_unit)
      .says("normalised")
      .after([](const Model& m) { return joint_of(m, "elbow").origin.rpy.isZero(0.0); });
  cases
      .repaired("quaternion of length 1e200", "'0 0 0 1'", "'1e200 0 0 1e200'",
                rules::quaternion_not_unit)
      .after([](const Model& m) {
        return std::abs(joint_of(m, "elbow").origin.rpy.x() - 1.5707963267948966) < 1e-15;
      });
  cases
      .repaired("quaternion of length 1e-200", "'0 0 0 1'", "'1e-200 0 0 1e-200'",
                rules::quaternion_not_unit)
      .after([](const Model& m) {
        return std::abs(joint_of(m, "elbow").origin.rpy.x() - 1.5707963267948966) < 1e-15;
      });
  cases.refused("rpy and quaternion",
                "quat_xyzw=", "rpy='0 0 0' quat_xyzw=", rules::orientation_double);
}

inline void bad_bodies(BadInputs& cases) {
  const std::string inertia =
      "<inertia ixx='0.02' ixy='0.001' ixz='0' iyy='0.021' iyz='0' izz='0.012'/>";
  const std::string upper = "<link name='upper'",
                    lower_inertial = "    <inertial>\n      <mass value='1'/>";
  const auto diagonal = [](std::string_view x, std::string_view y, std::string_view z) {
    return "<inertia ixx='" + std::string(x) + "' ixy='0' ixz='0' iyy='" + std::string(y) +
           "' iyz='0' izz='" + std::string(z) + "'/>";
  };
  cases.kind("mass");
  cases.refused("negative", "value='2'", "value='-2'", rules::mass_negative).on(upper);
  cases.refused("tiny and negative", "value='2'", "value='-1e-12'", rules::mass_negative).on(upper);
  cases.repaired("zero, with inertia", "value='2'", "value='0'", rules::mass_zero)
      .on(upper)
      .says("used as it is")
      .after([](const Model& m) { return m.inertias()[1].mass() == 0.0; });
  cases.repaired("minus zero, with inertia", "value='2'", "value='-0'", rules::mass_zero).on(upper);
  cases.refused("no value", "<mass value='2'/>", "<mass/>", rules::attribute_missing);
  cases.refused("as text", "<mass value='2'/>", "<mass>2</mass>", rules::attribute_missing);
  cases.refused("value misspelt", "<mass value='2'/>", "<mass valeu='2'/>",
                rules::attribute_missing);

  cases.kind("inertial");
  cases
      .text("missing on a moving link",
            replaced(good_urdf,
                     lower_inertial + "\n      <inertia ixx='0.01' ixy='0' ixz='0' iyy='0.011' "
                                      "iyz='0' izz='0.013'/>\n    </inertial>\n",
                     ""),
            Fate::repaired, rules::inertial_missing, line_of(good_urdf, "<link name='lower'>"))
      .says("taken as massless")
      .after([](const Model& m) { return m.inertias()[2].parameters().isZero(0.0); });
  cases
      .text(
          "massless on the last link",
          "<robot name='r'>\n<link name='a'/>\n<link name='b'><inertial><mass value='0'/><inertia "
          "ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='0'/></inertial></link>\n"
          "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 "
          "1'/></joint></robot>",
          Fate::repaired, rules::body_massless, 4)
      .says("singular");
  cases.repaired("no inertia", inertia, "", rules::inertial_partial)
      .on("<inertial>\n      <origin")
      .says("taken as a point mass")
      .after([](const Model& m) {
        return m.description().links[1].inertial->inertia.isZero(0.0) &&
               m.inertias()[1].mass() == 2.0;
      });
  cases.refused("no mass", "<mass value='2'/>", "", rules::tag_missing)
      .on("<inertial>\n      <origin");
  cases.refused("empty", lower_inertial, "    <inertial>", rules::tag_missing);
  cases.repaired("no ixy", "ixy='0.001' ", "", rules::inertial_partial)
      .says("0 is used")
      .after(
          [](const Model& m) { return m.description().links[1].inertial->inertia(0, 1) == 0.0; });
  cases.refused("no izz", "izz='0.012'", "", rules::attribute_missing).says("izz");
  cases.refused("double", lower_inertial, "<inertial><mass value='1'/></inertial>" + lower_inertial,
                rules::tag_double);
  cases.refused("two masses", "<mass value='2'/>", "<mass value='2'/><mass value='3'/>",
                rules::tag_double);
  cases.refused("two origins", "rpy='0.1 0 0'/>", "rpy='0.1 0 0'/><origin xyz='0 0 0'/>",
                rules::tag_double);
  cases.refused("in a joint", "<axis xyz='0 1 0'/>",
                "<inertial><mass value='1'/></inertial><axis xyz='0 1 0'/>", rules::tag_misplaced);
  cases.refused("in the robot", "  <link name='tip'/>", "<inertial/><link name='tip'/>",
                rules::tag_misplaced);
  cases.refused("mass in a link", "<link name='tip'/>", "<link name='tip'><mass value='1'/></link>",
                rules::tag_misplaced);
  cases.refused("inertia in a visual", "<material name='blue'/>", "<inertia/>",
                rules::tag_misplaced);
  cases
      .refused("misspelt", "<link name='tip'/>", "<link name='tip'><intertial/></link>",
               rules::tag_misspelt)
      .says("<inertial>");
  cases.refused("mass misspelt", "<mass value='2'/>", "<mas value='2'/>", rules::tag_misspelt)
      .says("<mass>");
  cases
      .refused("inertia misspelt", "<inertia ixx='0.02'", "<intertia ixx='0.02'",
               rules::tag_misspelt)
      .says("<inertia>");

  cases.kind("inertia");
  cases.repaired("zero, with mass", inertia, diagonal("0", "0", "0"), rules::inertia_zero)
      .on(upper)
      .says("point mass")
      .after([](const Model& m) { return m.description().links[1].inertial->inertia.isZero(0.0); });
  cases
      .repaired("not positive definite", inertia, diagonal("0.02", "-0.02", "0.01"),
                rules::inertia_not_positive)
      .on(upper)
      .says("used as it is");
  cases
      .repaired("indefinite by its products", "ixy='0.001'", "ixy='0.5'",
                rules::inertia_not_positive)
      .on(upper);
  cases
      .repaired("triangle inequality", inertia, diagonal("0.01", "0.02", "0.05"),
                rules::inertia_triangle)
      .on(upper)
      .says("used as it is")
      .after([](const Model& m) {
        return std::abs(m.inertias()[1].rotational_about_com().trace() - 0.08) < 1e-12;
      });
  cases
      .repaired("triangle inequality in turned axes", "izz='0.012'", "izz='0.05'",
                rules::inertia_triangle)
      .on(upper);
  cases.accepted("a flat plate",
                 [=] { return replaced(good_urdf, inertia, diagonal("0.01", "0.02", "0.03")); });
  cases.accepted("neither mass nor inertia", [=] {
    return replaced(replaced(good_urdf, inertia, diagonal("0", "0", "0")), "value='2'",
                    "value='0'");
  });
}

inline void bad_joints(BadInputs& cases) {
  const std::string shoulder = "<joint name='shoulder'", elbow = "<joint name='elbow'",
                    limit = "<limit lower='-2' upper='1.9' effort='50' velocity='3'/>";
  cases.kind("axis");
  const auto unit_y = [](const Model& m) {
    return joint_of(m, "shoulder").axis == Vec3<double>::UnitY();
  };
  cases.refused("zero", "xyz='0 1 0'", "xyz='0 0 0'", rules::axis_zero).on(shoulder);
  cases.refused("two elements", "xyz='0 1 0'", "xyz='0 1'", rules::number_count);
  cases.refused("no xyz", "<axis xyz='0 1 0'/>", "<axis/>", rules::attribute_missing);
  cases
      .refused("misspelt attribute", "<axis xyz='0 1 0'/>", "<axis xzy='0 1 0'/>",
               rules::tag_misspelt)
      .says("xyz");
  cases.refused("double", "<axis xyz='0 1 0'/>", "<axis xyz='0 1 0'/><axis xyz='1 0 0'/>",
                rules::tag_double);
  cases.repaired("of length 2", "xyz='0 1 0'", "xyz='0 2 0'", rules::axis_not_unit)
      .on(shoulder)
      .says("0 1 0 is used")
      .after(unit_y);
  cases.repaired("of length 1e-200", "xyz='0 1 0'", "xyz='0 1e-200 0'", rules::axis_not_unit)
      .on(shoulder)
      .after(unit_y);
  cases.repaired("of length 1e200", "xyz='0 1 0'", "xyz='0 1e200 0'", rules::axis_not_unit)
      .on(shoulder)
      .after(unit_y);
  cases.repaired("missing", "<axis xyz='0 1 0'/>", "", rules::axis_missing)
      .on(shoulder)
      .says("1 0 0 is used")
      .after([](const Model& m) { return joint_of(m, "shoulder").axis == Vec3<double>::UnitX(); });
  cases.accepted(
      "typed with six digits",
      [] { return replaced(good_urdf, "xyz='0 1 0'", "xyz='0.707107 0.707107 0'"); },
      [](const Model& m) { return std::abs(joint_of(m, "shoulder").axis.norm() - 1.0) < 3e-16; });
  for (const std::string xyz : {"0 0 0", "0 1", "nan 0 0", "0 2 0", "", "a b c"})
    cases.accepted("'" + xyz + "' on a fixed joint", [xyz] {
      return replaced(good_urdf, "<child link='tip'/>",
                      "<child link='tip'/><axis xyz='" + xyz + "'/>");
    });
  cases.refused("helical without pitch", " ulna:pitch='0.01'", "", rules::pitch_missing)
      .on("<joint name='spindle'");
  cases.refused("helical with pitch 0", "ulna:pitch='0.01'", "ulna:pitch='0'", rules::pitch_missing)
      .on("<joint name='spindle'");

  cases.kind("limits");
  const auto unlimited = [](const Model& m) {
    const Limits& l = joint_of(m, "shoulder").limits;
    return l.lower == -infinity && l.upper == infinity;
  };
  cases.repaired("missing", limit, "", rules::limit_missing)
      .on(shoulder)
      .says("unlimited")
      .after(unlimited);
  cases.repaired("neither lower nor upper", "lower='-2' upper='1.9' ", "", rules::limit_missing)
      .says("unlimited")
      .after(unlimited);
  cases.repaired("no upper", " upper='1.9'", "", rules::limit_missing)
      .says("0 is used")
      .after([](const Model& m) { return joint_of(m, "shoulder").limits.upper == 0.0; });
  cases.refused("reversed", "upper='1.9'", "upper='-3'", rules::limit_reversed).on(shoulder);
  cases
      .refused("both infinite on one side", "lower='-2' upper='1.9'", "lower='inf' upper='inf'",
               rules::limit_reversed)
      .on(shoulder);
  cases
      .repaired("both zero", "lower='-2' upper='1.9'", "lower='0' upper='0'",
                rules::limit_zero_range)
      .on(shoulder)
      .after(unlimited);
  cases.repaired("lower -inf", "lower='-2'", "lower='-inf'", rules::limit_infinite)
      .after([](const Model& m) { return joint_of(m, "shoulder").limits.lower == -infinity; });
  cases.refused("effort negative", "effort='50'", "effort='-50'", rules::limit_negative)
      .on(shoulder);
  cases.refused("effort -inf", "effort='50'", "effort='-inf'", rules::limit_negative).on(shoulder);
  cases.refused("velocity negative", "velocity='3'", "velocity='-3'", rules::limit_negative)
      .on(shoulder);
  cases.repaired("effort 0", "effort='50'", "effort='0'", rules::effort_zero)
      .on(shoulder)
      .says("unlimited")
      .after([](const Model& m) { return joint_of(m, "shoulder").limits.effort == infinity; });
  cases.repaired("velocity 0", "velocity='3'", "velocity='0'", rules::velocity_zero)
      .on(shoulder)
      .after([](const Model& m) { return joint_of(m, "shoulder").limits.velocity == infinity; });
  cases.refused("misspelt element", limit, "<limits lower='-2' upper='2'/>", rules::tag_misspelt)
      .says("<limit>");
  cases.refused("misspelt attribute", "lower='-2'", "lowr='-2'", rules::tag_misspelt).says("lower");
  cases.refused("twice", limit, limit + limit, rules::tag_double);
  cases.refused("in the robot", "  <link name='tip'/>",
                "<limit lower='0' upper='1'/><link name='tip'/>", rules::tag_misplaced);
  cases.accepted("reversed on a continuous joint, which has none", [=] {
    return replaced(
        replaced(good_urdf, shoulder + " type='revolute'", shoulder + " type='continuous'"),
        "upper='1.9'", "upper='-3'");
  });

  cases.kind("dynamics");
  cases.refused("damping negative", "damping='0.5'", "damping='-0.5'", rules::friction_negative)
      .on(shoulder);
  cases
      .refused("friction negative", "friction='0.25'", "friction='-0.25'", rules::friction_negative)
      .on(shoulder);
  cases
      .refused("friction backwards negative", "friction_negative='0.35'",
               "friction_negative='-0.35'", rules::friction_negative)
      .on(shoulder);
  cases
      .refused("armature negative", "armature='0.01'", "armature='-0.01'", rules::friction_negative)
      .on(shoulder);
  cases.refused("misspelt attribute", "damping='0.5'", "dampning='0.5'", rules::tag_misspelt)
      .says("damping");
  cases.refused("misspelt element", "<dynamics damping", "<dynamic damping", rules::tag_misspelt)
      .says("<dynamics>");

  cases.kind("mimic");
  cases.refused("of nothing", "<mimic joint='shoulder' multiplier='-0.5'",
                "<mimic multiplier='-0.5'", rules::attribute_missing);
  cases
      .refused("of an unknown joint", "<mimic joint='shoulder'", "<mimic joint='sholder'",
               rules::mimic_unknown)
      .on(elbow)
      .says("did you mean 'shoulder'");
  cases
      .refused("of a fixed joint", "<mimic joint='shoulder'", "<mimic joint='mount'",
               rules::mimic_unknown)
      .on(elbow);
  cases.refused("of itself", "<mimic joint='shoulder'", "<mimic joint='elbow'", rules::mimic_cycle)
      .on(elbow);
  cases
      .refused("in a circle of two", "<axis xyz='0 1 0'/>",
               "<mimic joint='elbow'/><axis xyz='0 1 0'/>", rules::mimic_cycle)
      .on(shoulder);
  cases
      .repaired("on a fixed joint", "<child link='tip'/>",
                "<child link='tip'/><mimic joint='shoulder'/>", rules::mimic_ignored)
      .on("<joint name='mount'")
      .says("ignored")
      .after([](const Model& m) { return !joint_of(m, "mount").mimic; });
  cases.refused("misspelt attribute", "multiplier='-0.5'", "multiplyer='-0.5'", rules::tag_misspelt)
      .says("multiplier");
  cases.accepted(
      "a chain of 2,000 followers",
      [] {
        std::string text = "<robot name='many'>\n" + link_text(0);
        for (int i = 1; i <= 2000; ++i)
          text += link_text(i) + joint_text(i, i - 1, "continuous",
                                            i > 1 ? "<axis xyz='0 0 1'/><mimic joint='j" +
                                                        std::to_string(i - 1) + "'/>"
                                                  : "<axis xyz='0 0 1'/>");
        return text + "</robot>";
      },
      [](const Model& m) { return m.nv() == 1 && m.joint(2000).mimics == 1; });
}

inline void bad_trees(BadInputs& cases) {
  const std::string shoulder = "<joint name='shoulder'", elbow = "<joint name='elbow'";
  cases.kind("names");
  cases.refused("two links", "<link name='tip'/>", "<link name='base'/>", rules::name_duplicate);
  cases.refused("two joints", elbow, shoulder, rules::name_duplicate);
  cases.refused("frame and link", "name='pen'", "name='tip'", rules::name_duplicate);
  cases.refused("empty link", "<link name='tip'/>", "<link name=''/>", rules::name_missing);
  cases.refused("no name of a link", "<link name='tip'/>", "<link/>", rules::name_missing);
  cases.refused("empty joint", elbow, "<joint name=''", rules::name_missing);
  cases.refused("no name of a frame", "name='pen'", "", rules::name_missing);
  cases.repaired("robot without name", " name='arm'", "", rules::name_missing)
      .says("'robot' is used")
      .after([](const Model& m) { return m.name() == "robot"; });
  cases.accepted(
      "of 1 MB",
      [] {
        return replaced(good_urdf, "<robot name='arm'",
                        "<robot name='" + repeated("long", 250'000) + "'");
      },
      [](const Model& m) { return m.name().size() == 1'000'000; });
  cases
      .add(
          "of 1 MB, in 2,000 messages", "bad.urdf",
          [] {
            return "<robot name='r'>\n<link name='" + repeated("long", 250'000) + "'>" +
                   repeated("<mass/>", 2000) + "</link></robot>";
          },
          Fate::refused, rules::tag_misplaced, 2)
      .says("longlong...'");
  cases.add(
      "of 1 MB, as parent of 1,000 joints", "bad.urdf",
      [] {
        std::string text = "<robot name='r'>\n<link name='a'/>\n";
        const std::string joint = "<parent link='a'/><child link='a'/></joint>\n";
        for (int i = 0; i < 1000; ++i)
          text += "<joint name='j" + std::to_string(i) + "' type='fixed'>" + joint;
        return text + "<joint name='x' type='fixed'><parent link='" + repeated("z", 1'000'000) +
               "'/><child link='a'/></joint></robot>";
      },
      Fate::refused, rules::tree_self_loop, 3);
  cases.accepted(
      "with quotes, angles, newlines and control characters",
      [] {
        std::string text(good_urdf);
        for (std::size_t at = text.find("'tip'"); at != text.npos; at = text.find("'tip'"))
          text.replace(at, 5, "'t&quot;i&apos;&lt;p&gt;&amp;&#10;&#1;'");
        return text;
      },
      [](const Model& m) { return m.find_frame("t\"i'<p>&\n\x01").has_value(); });
  cases
      .refused("a message stays on one line", "<link name='tip'/>",
               "<link name='a&#10;b&#7;'><mass/></link>", rules::tag_misplaced)
      .says(R"('a\x0ab\x07')");

  cases.kind("tree");
  cases
      .refused("unknown parent", "<parent link='upper'/>", "<parent link='uper'/>",
               rules::link_unknown)
      .on(elbow)
      .says("did you mean 'upper'");
  cases.refused("unknown child", "<child link='tip'/>", "<child link='tipp'/>", rules::link_unknown)
      .on("<joint name='mount'");
  cases.refused("unknown link of a frame", "link='tip'>", "link='tap'>", rules::link_unknown);
  cases.refused("no parent", "<parent link='upper'/>", "", rules::tag_missing).on(elbow);
  cases.refused("no child", "<child link='tip'/>", "", rules::tag_missing)
      .on("<joint name='mount'");
  cases.refused("parent without link", "<parent link='upper'/>", "<parent/>",
                rules::attribute_missing);
  cases.refused("two parents in a joint", "<parent link='upper'/>",
                "<parent link='upper'/><parent link='base'/>", rules::tag_double);
  cases
      .refused("unknown type", elbow + " type='revolute'", elbow + " type='revolut'",
               rules::joint_type_unknown)
      .says("did you mean 'revolute'");
  cases.refused("empty type", elbow + " type='revolute'", elbow + " type=''",
                rules::attribute_missing);
  cases.refused("no type", elbow + " type='revolute'", elbow, rules::attribute_missing);
  cases
      .refused("two roots", "<link name='tip'/>", "<link name='tip'/>\n<link name='lonely'/>",
               rules::tree_two_roots)
      .on("<link name='lonely'");
  cases
      .refused("self-loop", "<parent link='upper'/>", "<parent link='lower'/>",
               rules::tree_self_loop)
      .on(elbow);
  cases.text("no root",
             "<robot name='r'><link name='a'/><link name='b'/>\n"
             "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
             "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
             Fate::refused, rules::tree_cycle, 3);
  cases.text("only a self-loop",
             "<robot name='r'><link name='a'/>\n<joint name='j' type='continuous'><parent "
             "link='a'/><child link='a'/></joint></robot>",
             Fate::refused, rules::tree_self_loop, 2);
  cases
      .refused("detached cycle", "  <link name='tip'/>\n",
               "  <link name='tip'/>\n<link name='x'/><link name='y'/>\n"
               "<joint name='xy' type='fixed'><parent link='x'/><child link='y'/></joint>\n"
               "<joint name='yx' type='fixed'><parent link='y'/><child link='x'/></joint>\n",
               rules::tree_cycle)
      .on("<joint name='yx'");
  cases
      .refused("two parents", "<child link='tip'/>", "<child link='lower'/>",
               rules::link_two_parents)
      .on("<joint name='mount'")
      .says("joint 'elbow'");
  cases
      .refused("world undeclared", "<parent link='base'/>", "<parent link='world'/>",
               rules::tree_two_roots)
      .on("<link name='base'/>");
  cases
      .text("only the world undeclared",
            "<robot name='r'>\n<link name='a'/>\n<joint name='j' type='fixed'><parent "
            "link='world'/><child link='a'/></joint></robot>",
            Fate::repaired, rules::link_undeclared, 3)
      .says("a link 'world' is added")
      .after([](const Model& m) { return m.find_frame("world").has_value(); });
  cases.text("nothing in it", "<robot name='r'/>", Fate::refused, rules::tree_empty, 0);
  cases.text("joints only",
             "<robot name='r'>\n<joint name='j' type='fixed'><parent link='a'/><child "
             "link='b'/></joint></robot>",
             Fate::refused, rules::link_unknown, 2);
  cases.refused(
      "loop of an unknown link", "<ulna:frame name='pen'",
      "<ulna:loop name='c' type='ball' link1='tip' link2='nowhere'/>\n<ulna:frame name='pen'",
      rules::link_unknown);
  cases.refused("loop about no axis", "<ulna:frame name='pen'",
                "<ulna:loop name='c' type='revolute' link1='tip' link2='base'><axis xyz='0 0 "
                "0'/></ulna:loop>\n<ulna:frame name='pen'",
                rules::axis_zero);
  cases.refused(
      "loop of unknown type", "<ulna:frame name='pen'",
      "<ulna:loop name='c' type='hinge' link1='tip' link2='base'/>\n<ulna:frame name='pen'",
      rules::joint_type_unknown);
}

inline void bad_xml(BadInputs& cases) {
  cases.kind("XML");
  cases.text("empty", "", Fate::refused, rules::xml_empty, 1);
  cases.text("white space", " \n\t\r\n ", Fate::refused, rules::xml_empty, 1);
  cases.text("a comment only", "<!-- nothing -->", Fate::refused, rules::xml_empty, 1);
  cases.text("a declaration only", "<?xml version='1.0'?>\n", Fate::refused, rules::xml_empty, 1);
  cases.text("only a byte order mark", "\xEF\xBB\xBF", Fate::refused, rules::xml_empty, 1);
  cases.text("not XML", "hello\n", Fate::refused, rules::xml_malformed, 1);
  cases
      .text("SDF", "<?xml version='1.0'?>\n<sdf version='1.6'><model name='m'/></sdf>",
            Fate::refused, rules::xml_root, 2)
      .says("<sdf>");
  cases.text("MJCF", "<mujoco model='m'>\n</mujoco>", Fate::refused, rules::xml_root, 1)
      .says("<mujoco>");
  cases.text("HTML", "<html><body>404</body></html>", Fate::refused, rules::xml_root, 1);
  cases.text("HTML with DOCTYPE", "<!DOCTYPE html>\n<html/>", Fate::refused, rules::xml_doctype, 1);
  cases.text("two robots", "<robot name='r'><link name='a'/></robot>\n<robot name='s'/>",
             Fate::refused, rules::xml_malformed, 2);
  cases.text(
      "billion laughs",
      [] {
        std::string text = "<?xml version='1.0'?>\n<!DOCTYPE robot [\n<!ENTITY l0 'lol'>\n";
        for (int i = 1; i < 10; ++i)
          text += "<!ENTITY l" + std::to_string(i) + " '" +
                  repeated("&l" + std::to_string(i - 1) + ";", 10) + "'>\n";
        return text + "]>\n<robot name='&l9;'><link name='a'/></robot>";
      }(),
      Fate::refused, rules::xml_doctype, 2);
  cases.text("external entity",
             "<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><robot name='&x;'><link "
             "name='a'/></robot>",
             Fate::refused, rules::xml_doctype, 1);
  cases.text("entity outside a DOCTYPE",
             "<robot name='r'>\n<!ENTITY x 'y'><link name='a'/></robot>", Fate::refused,
             rules::xml_doctype, 2);
  cases.accepted("DOCTYPE in a comment", [] {
    return "<!-- <!DOCTYPE html> -->" + std::string(good_urdf.substr(good_urdf.find('\n')));
  });
  cases.accepted(
      "an entity that nobody declared",
      [] { return std::string("<robot name='&lol;'><link name='a'/></robot>"); },
      [](const Model& m) { return m.name() == "&lol;"; });
  cases.refused("attribute twice", "<mass value='2'/>", "<mass value='2' value='3'/>",
                rules::xml_malformed);
  cases.refused("attribute without quotes", "value='2'", "value=2", rules::xml_malformed);
  cases
      .refused("tag not closed", "    </inertial>\n    <visual>", "    <visual>",
               rules::xml_malformed)
      .on_line(any_line);
  cases.refused("comment that does not end", "<link name='tip'/>", "<!-- ", rules::xml_malformed);
  for (const std::string_view tag : {"a", "link", "gazebo"})
    cases.add(
        "60,000 deep <" + std::string(tag) + ">", "bad.urdf",
        [tag] {
          return "<robot name='r'>\n<link name='x'/>\n" +
                 repeated("<" + std::string(tag) + ">", 60'000) +
                 repeated("</" + std::string(tag) + ">", 60'000) + "</robot>";
        },
        Fate::refused, rules::xml_depth, 3);
  cases.add(
      "60,000 deep, not closed", "bad.urdf",
      [] { return "<robot name='r'>\n" + repeated("<a b='c'>", 60'000); }, Fate::refused,
      rules::xml_depth, 2);
  cases.add(
      "60,000 deep in an ignored subtree", "bad.urdf",
      [] {
        return "<robot name='r'><link name='x'/>\n<gazebo>" + repeated("<p>", 60'000) +
               repeated("</p>", 60'000) + "</gazebo></robot>";
      },
      Fate::refused, rules::xml_depth, 2);
  cases.add(
      "60,000 deep in front of the root", "bad.urdf", [] { return repeated("<a>\n", 60'000); },
      Fate::refused, rules::xml_depth, any_line);
  cases
      .add(
          "100,000 attributes", "bad.urdf",
          [] {
            std::string text = "<robot name='r'>\n<link name='a'";
            for (int i = 0; i < 100'000; ++i) text += " a" + std::to_string(i) + "='<'";
            return text + "/></robot>";
          },
          Fate::refused, rules::input_too_large, 2)
      .says("attributes");
  cases.accepted("900 attributes", [] {
    std::string text = "<robot name='r'><link name='a'";
    for (int i = 0; i < 900; ++i) text += " a" + std::to_string(i) + "='1'";
    return text + "/></robot>";
  });
  cases.accepted("a comment of 30 MB", [] {
    return "<!--" + std::string(30u << 20, '-') + " -->" +
           std::string(good_urdf.substr(good_urdf.find('\n')));
  });
  cases
      .add(
          "40 MB", "bad.urdf",
          [] { return "<robot name='r'>" + std::string(40u << 20, ' ') + "</robot>"; },
          Fate::refused, rules::input_too_large, 1)
      .says("bytes");
  cases
      .add(
          "1,200,000 elements", "bad.urdf",
          [] { return "<robot name='r'>" + repeated("<a/>", 1'200'000) + "</robot>"; },
          Fate::refused, rules::input_too_large, 1)
      .says("elements");
  cases
      .add(
          "450,000 elements that are skipped", "bad.urdf",
          [] {
            return "<robot name='r'><link name='x'/>\n" + repeated("<a/>x", 450'000) + "</robot>";
          },
          Fate::repaired, rules::tag_ignored, 2)
      .says("449999 times more");
  cases.add(
      "200,000 strange elements", "bad.urdf",
      [] {
        std::string text = "<robot name='r'><link name='x'/>\n";
        for (int i = 0; i < 200'000; ++i) text += "<a" + std::to_string(i) + "/>";
        return text + "</robot>";
      },
      Fate::repaired, rules::tag_ignored, 2);
  cases.add(
      "a number of 10 MB", "bad.urdf",
      [] {
        return replaced(good_urdf, "value='2'", "value='" + std::string(10u << 20, 'x') + "'");
      },
      Fate::refused, rules::number_invalid, line_of(good_urdf, "value='2'"));
  cases.add(
      "a vector of a million numbers", "bad.urdf",
      [] { return replaced(good_urdf, "xyz='0 1 0'", "xyz='" + repeated("0 ", 1'000'000) + "'"); },
      Fate::refused, rules::number_count, line_of(good_urdf, "xyz='0 1 0'"));

  cases.kind("encoding");
  cases
      .repaired("Latin-1", "<link name='tip'/>", "<!-- M\xFCnchen --><link name='tip'/>",
                rules::encoding)
      .says("read as Latin-1");
  cases
      .text("Latin-1 in a name", "<robot name='M\xFCnchen'><link name='a'/></robot>",
            Fate::repaired, rules::encoding, 1)
      .after([](const Model& m) { return m.name() == "M\xC3\xBCnchen"; });
  cases.accepted("UTF-8", [] {
    return std::string(
        "<robot name='M\xC3\xBCnchen \xE2\x82\xAC \xF0\x9F\xA6\xBE'><link name='a'/></robot>");
  });
  cases.accepted("byte order mark", [] { return "\xEF\xBB\xBF" + std::string(good_urdf); });
  cases.accepted("CRLF", [] {
    std::string text;
    for (const char c : good_urdf) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return text;
  });
  for (const bool big : {false, true})
    cases
        .add(
            big ? "UTF-16, big end first" : "UTF-16", "bad.urdf",
            [big] {
              std::string text = big ? "\xFE\xFF" : "\xFF\xFE";
              for (const char c : good_urdf)
                text += big ? std::string{'\0', c} : std::string{c, '\0'};
              return text;
            },
            Fate::refused, rules::xml_malformed, 1)
        .says("UTF-16");
  cases
      .refused("NUL byte", "<link name='tip'/>", std::string_view("\0<link name='tip'/>", 19),
               rules::xml_malformed)
      .says("NUL");
  cases.add(
      "an ELF file", "bad.urdf",
      [] {
        return std::string(
            "\x7F"
            "ELF\x02\x01\x01\0\0\0\0",
            11);
      },
      Fate::refused, rules::xml_malformed, 1);

  cases.kind("xacro");
  cases.refused("macro call", "  <link name='tip'/>", "<xacro:finger side='left'/>", rules::xacro);
  cases.refused("if", "  <link name='tip'/>", "<xacro:if value='1'><link name='tip'/></xacro:if>",
                rules::xacro);
  cases.refused("in a joint", "<axis xyz='0 1 0'/>", "<xacro:axis/>", rules::xacro);
  cases.refused("expression as number", "value='2'", "value='${mass}'", rules::xacro);
  cases.refused("expression in a vector", "xyz='0 0 0.3'", "xyz='0 0 ${h}'", rules::xacro);
  cases.refused("expression as name", "<link name='tip'/>", "<link name='${prefix}tip'/>",
                rules::xacro);
  cases.refused("expression as link", "<parent link='upper'/>", "<parent link='${p}upper'/>",
                rules::xacro);
  cases.refused("expression as robot", "name='arm'", "name='$(arg name)'", rules::xacro);
  cases
      .repaired("expression as mesh", "package://arm/upper.stl", "$(find arm)/upper.stl",
                rules::shape_invalid)
      .says("xacro");
  cases
      .repaired("property left behind", "  <link name='tip'/>",
                "<xacro:property name='a' value='1'/><link name='tip'/>", rules::xacro_leftover)
      .says("ignored");
  cases.repaired("arg left behind", "  <link name='tip'/>",
                 "<xacro:arg name='a' default='1'/><link name='tip'/>", rules::xacro_leftover);
  cases.text("only definitions",
             "<robot xmlns:xacro='http://ros.org/wiki/xacro'>\n<xacro:macro name='arm' "
             "params='p'>\n<link name='${p}a'/></xacro:macro></robot>",
             Fate::refused, rules::xacro, 2);
  cases.text("only properties", "<robot name='r'>\n<xacro:property name='a' value='1'/></robot>",
             Fate::refused, rules::tree_empty, 0);
}

inline void bad_shapes(BadInputs& cases, const std::string& fifo) {
  const std::string box = "<box size='0.1 0.2 0.3'/>", mesh = "package://arm/upper.stl";
  const auto none_drawn = [](const Model& m) { return m.description().links[1].visuals.empty(); };
  cases.kind("shapes");
  cases
      .repaired("box with a negative edge", box, "<box size='0.1 -0.2 0.3'/>", rules::shape_invalid)
      .says("the shape is left out")
      .after(none_drawn);
  cases.repaired("box with a zero edge", box, "<box size='0.1 0 0.3'/>", rules::shape_invalid)
      .after(none_drawn);
  cases.repaired("box of two edges", box, "<box size='0.1 0.2'/>", rules::shape_invalid)
      .after(none_drawn);
  cases.repaired("box without size", box, "<box/>", rules::shape_invalid).after(none_drawn);
  cases.repaired("sphere of radius -1", box, "<sphere radius='-1'/>", rules::shape_invalid)
      .after(none_drawn);
  cases
      .repaired("cylinder of radius 0", box, "<cylinder radius='0' length='1'/>",
                rules::shape_invalid)
      .after(none_drawn);
  cases.repaired("cylinder without length", box, "<cylinder radius='1'/>", rules::shape_invalid)
      .after(none_drawn);
  cases.repaired("unknown kind", box, "<cone radius='1'/>", rules::shape_invalid).after(none_drawn);
  cases.repaired("misspelt kind", box, "<spere radius='1'/>", rules::shape_invalid)
      .says("'sphere'")
      .after(none_drawn);
  cases.repaired("empty geometry", box, "", rules::shape_invalid)
      .on("<geometry>\n")
      .after(none_drawn);
  cases
      .repaired("no geometry", "<material name='blue'/>\n    </visual>",
                "<material name='blue'/>\n    </visual>\n<visual/>", rules::shape_invalid)
      .on("<visual/>");
  cases
      .repaired("two geometries", "<geometry><sphere radius='0.11'/></geometry>",
                "<geometry><sphere radius='0.11'/></geometry><geometry><sphere "
                "radius='0.11'/></geometry>",
                rules::shape_invalid)
      .says("more than one <geometry>");
  cases.repaired("mesh without file", "filename='package://arm/upper.stl'", "",
                 rules::shape_invalid);
  cases
      .refused("geometry misspelt", "      <geometry>\n", "      <geomtry>\n", rules::xml_malformed)
      .on_line(any_line);
  cases
      .repaired("colour of three numbers", "rgba='0 0 1 1'", "rgba='0 0 1'",
                rules::material_invalid)
      .says("the colour is left out")
      .after([](const Model& m) { return !m.description().links[1].visuals[0].material.rgba; });
  cases.repaired("colour above 1", "rgba='0 0 1 1'", "rgba='0 0 255 1'", rules::material_invalid)
      .after([](const Model& m) { return !m.description().links[1].visuals[0].material.rgba; });
  cases.repaired("colour without rgba", "<color rgba='0 0 1 1'/>", "<color/>",
                 rules::material_invalid);

  cases.kind("mesh paths");
  cases.accepted(
      "missing file", [=] { return replaced(good_urdf, mesh, "package://nowhere/nothing.dae"); },
      [](const Model& m) {
        return std::get<Mesh>(m.description().links[1].collisions[2].geometry).file ==
               "package://nowhere/nothing.dae";
      });
  // opening the pipe would wait forever for somebody to write into it
  for (const std::string& path :
       {fifo, "file://" + fifo, std::string("../../secret.stl"),
        std::string("package://arm/../../secret.stl"), std::string("/dev/zero")})
    cases
        .repaired(path == fifo               ? "a pipe"
                  : path == "file://" + fifo ? "a pipe, as file://"
                                             : path,
                  mesh, path, rules::mesh_path)
        .says("not opened");
}

inline void large_robots(BadInputs& cases) {
  cases.kind("size");
  cases.accepted(
      "chain of 5,000 links", [] { return many_links(5000, the_one_before); },
      [](const Model& m) { return m.nq() == 5000; });
  cases.accepted(
      "chain of 19,999 joints", [] { return many_links(19'999, the_one_before); },
      [](const Model& m) { return m.nq() == 19'999; });
  cases.accepted(
      "chain of 19,999 fixed joints",
      [] { return many_links(19'999, the_one_before, "fixed", ""); },
      [](const Model& m) { return m.body_count() == 1; });
  cases.accepted(
      "star of 10,000 children", [] { return many_links(10'000, the_base); },
      [](const Model& m) { return m.nq() == 10'000; });
  cases.accepted(
      "star of 10,000 fixed children", [] { return many_links(10'000, the_base, "fixed", ""); },
      [](const Model& m) { return m.frames().size() == 10'001; });
  cases
      .add(
          "chain of 60,000 links", "bad.urdf", [] { return many_links(60'000, the_one_before); },
          Fate::refused, rules::input_too_large, 40'001)
      .says("more than 20000 links");
  cases.add(
      "900,000 links", "bad.urdf",
      [] { return "<robot name='r'>" + repeated("<link/>\n", 900'000) + "</robot>"; },
      Fate::refused, rules::input_too_large, 20'001);
  cases.add(
      "400,000 joints", "bad.urdf",
      [] {
        return "<robot name='r'><link name='a'/>" + repeated("<joint/>\n", 400'000) + "</robot>";
      },
      Fate::refused, rules::input_too_large, 20'001);
  cases
      .add(
          "19,000 joints between unknown links", "bad.urdf",
          [] {
            std::string text = "<robot name='r'>\n";
            for (int i = 0; i < 19'000; ++i)
              text += "<link name='lx" + std::to_string(i) + "'/>" + joint_text(i, i + 1);
            return text + "</robot>";
          },
          Fate::refused, rules::link_unknown, 2)
      .says("did you mean 'lx1'");
  cases.add(
      "20,000 links of one name", "bad.urdf",
      [] { return "<robot name='r'>\n" + repeated("<link name='a'/>\n", 20'000) + "</robot>"; },
      Fate::refused, rules::name_duplicate, 3);
  cases
      .add(
          "20,000 roots", "bad.urdf",
          [] {
            std::string text = "<robot name='r'>\n";
            for (int i = 0; i < 20'000; ++i) text += link_text(i);
            return text + "</robot>";
          },
          Fate::refused, rules::tree_two_roots, 3)
      .says("20000 links have no parent");
}

inline void bad_tables(BadInputs& cases) {
  const auto bad = [&](std::string name, std::string_view from, std::string_view to,
                       const Rule& rule) -> BadInputs& {
    return cases.change(std::move(name), from, to, Fate::refused, rule, good_table);
  };
  const auto repaired = [&](std::string name, std::string_view from, std::string_view to,
                            const Rule& rule) -> BadInputs& {
    return cases.change(std::move(name), from, to, Fate::repaired, rule, good_table);
  };
  const auto screws = [&](std::string name, std::string_view from, std::string_view to, Fate fate,
                          const Rule& rule) -> BadInputs& {
    return cases.change(std::move(name), from, to, fate, rule, good_screws);
  };
  const auto raw = [&](std::string name, std::function<std::string()> text, const Rule& rule,
                       int line) -> BadInputs& {
    return cases.add(std::move(name), "bad.yaml", std::move(text), Fate::refused, rule, line);
  };
  cases.kind("table: numbers");
  for (const std::string token : {"nan", ".nan", "inf", ".inf", "1e999", "1.0kg", "'1,5'", "0x10",
                                  "''", "pi/0", "3pi", "1e308*pi", "pi/1e-320", "90degrees"}) {
    bad("d " + token, "d: 0.3", "d: " + token, rules::number_invalid);
    bad("mass " + token, "mass: 2", "mass: " + token, rules::number_invalid);
    bad("gear " + token, "gear: 60", "gear: " + token, rules::number_invalid);
    bad("lower " + token, "lower: -2", "lower: " + token, rules::number_invalid);
    bad("com " + token, "[0.1, 0, 0]", "[" + token + ", 0, 0]", rules::number_invalid);
    screws("screw " + token, "[0, 0, 1, 0, 0, 0]", "[0, 0, 1, 0, 0, " + token + "]", Fate::refused,
           rules::number_invalid);
  }
  bad("inertia of five", "[0.02, 0, 0, 0.021, 0, 0.012]", "[0.02, 0, 0, 0.021, 0]",
      rules::table_shape);
  bad("com of two", "[0.1, 0, 0]", "[0.1, 0]", rules::number_count);
  bad("gravity of one", "gravity: [0, 0, -9.8]", "gravity: -9.8", rules::number_count);
  bad("friction of three", "friction: [0.1, 0.2]", "friction: [0.1, 0.2, 0.3]",
      rules::number_count);
  bad("a list as number", "d: 0.3", "d: [0.3]", rules::table_shape);
  bad("nothing as number", "d: 0.3", "d:", rules::table_shape).on_line(any_line);
  bad("damping negative", "damping: 0.5", "damping: -0.5", rules::friction_negative);
  bad("Coulomb friction negative", "coulomb: 0.3", "coulomb: -0.3", rules::friction_negative);
  bad("friction negative one way", "friction: [0.1, 0.2]", "friction: [0.1, -0.2]",
      rules::friction_negative);
  bad("mass negative", "mass: 2", "mass: -2", rules::mass_negative).on("name: upper");
  bad("limits reversed", "upper: 2.5", "upper: -2.5", rules::limit_reversed).on("- name: shoulder");
  bad("rotor inertia that overflows", "gear: 60", "gear: 1e200", rules::number_invalid)
      .on("- name: shoulder");
  screws("screw of no length", "[0, 0, 1, 0, 0, 0]", "[0, 0, 0, 0, 0, 0]", Fate::refused,
         rules::axis_zero);
  screws("screw of length 2", "[0, 0, 1, 0, 0, 0]", "[0, 0, 2, 0, 0, 0]", Fate::refused,
         rules::screw_not_unit);
  screws("slide of length 2", "[0, 0, 1, 0, 0, 0]", "[0, 0, 0, 0, 0, 2]", Fate::refused,
         rules::screw_not_unit);
  screws("screw of length 1.0001", "[0, 0, 1, 0, 0, 0]", "[0, 0, 1.0001, 0, 0, 0]", Fate::repaired,
         rules::screw_rounded)
      .says("normalised")
      .after([](const Model& m) { return joint_of(m, "shoulder").axis == Vec3<double>::UnitZ(); });
  screws("screw of five", "[0, 0, 1, 0, 0, 0]", "[0, 0, 1, 0, 0]", Fate::refused,
         rules::table_shape)
      .on("- name: shoulder");
  screws("no screw", "    screw: [0, 0, 1, 0, 0, 0]\n", "", Fate::refused, rules::table_shape)
      .on("- name: shoulder");
  screws("screw is text", "[0, 0, 1, 0, 0, 0]", "up", Fate::refused, rules::table_shape)
      .on("- name: shoulder");

  cases.kind("table: shape");
  bad("no kind", "ulna: dh\n", "", rules::table_shape);
  bad("unknown kind", "ulna: dh", "ulna: dhh", rules::table_shape);
  bad("kind is a list", "ulna: dh", "ulna: [dh]", rules::table_shape);
  bad("joints is text", "joints:\n", "joints: none\nrest:\n", rules::table_shape).on_line(1);
  bad("joints is a map", "joints:\n", "joints: {name: shoulder}\nrest:\n", rules::table_shape)
      .on_line(1);
  bad("joints is empty", "joints:\n", "joints: []\nrest:\n", rules::table_shape).on_line(1);
  bad("a joint is text", "  - name: slide\n", "  - hello\n  - name: slide\n", rules::table_shape);
  bad("a joint is null", "  - name: slide\n", "  -\n  - name: slide\n", rules::table_shape)
      .on_line(any_line);
  bad("joint name is a list", "name: slide", "name: [slide]", rules::table_shape);
  bad("type is unknown", "type: prismatic", "type: slider", rules::joint_type_unknown)
      .on("- name: slide");
  bad("type is a ball", "type: prismatic", "type: ball", rules::joint_type_unknown)
      .on("- name: slide");
  bad("base is a number", "base: {name: floor, xyz: [0, 0, 0.1]}", "base: 5", rules::table_shape);
  bad("limits is a number", "limits: {lower: 0, upper: 0.5}", "limits: 5", rules::table_shape);
  bad("motor is a list", "motor: {inertia: 0.0002, gear: 60, viscous: 0.001, coulomb: 0.3}",
      "motor: [1, 2]", rules::table_shape);
  bad("motor is a number", "motor: {inertia: 0.0002, gear: 60, viscous: 0.001, coulomb: 0.3}",
      "motor: 1", rules::table_shape);
  bad("link is text", "link: {name: lower, mass: 1, inertia: [0.01, 0, 0, 0.011, 0, 0.013]}",
      "link: lower", rules::table_shape);
  bad("inertia is a number", "[0.02, 0, 0, 0.021, 0, 0.012]", "0.02", rules::table_shape);
  bad("inertia without mass", "      mass: 2\n", "", rules::table_shape).on("name: upper");
  bad("tool is text", "tool: {name: tip, xyz: [0, 0, 0.05]}", "tool: tip", rules::table_shape);
  bad("misspelt key of a joint", "alpha: pi/2", "alhpa: pi/2", rules::tag_misspelt).says("'alpha'");
  bad("misspelt key of a link", "mass: 2", "mas: 2", rules::tag_misspelt).says("'mass'");
  bad("misspelt key of the table", "joints:", "joint:", rules::tag_misspelt).says("'joints'");
  bad("misspelt key of the limits", "lower: -2", "lowr: -2", rules::tag_misspelt).says("'lower'");
  bad("misspelt key of the motor", "gear: 60", "gaer: 60", rules::tag_misspelt).says("'gear'");
  bad("key twice", "    d: 0.3\n", "    d: 0.3\n    d: 0.4\n", rules::tag_double).on("d: 0.4");
  bad("joint name twice", "name: slide", "name: shoulder", rules::name_duplicate);
  bad("link name twice", "name: lower", "name: upper", rules::name_duplicate);
  bad("tool named like a link", "name: tip", "name: upper", rules::name_duplicate);
  repaired("strange key", "damping: 0.5", "colour: 0.5", rules::tag_ignored).says("skipped");
  repaired("visual is text",
           "visual:\n        - {shape: box, size: [0.1, 0.2, 0.3], color: [1, 0, 0, 1]}",
           "visual: box", rules::shape_invalid);
  repaired("a visual is text", "{shape: box, size: [0.1, 0.2, 0.3], color: [1, 0, 0, 1]}", "box",
           rules::shape_invalid);
  repaired("visual of unknown shape", "shape: box", "shape: cone", rules::shape_invalid);
  repaired("visual of negative size", "[0.1, 0.2, 0.3]", "[0.1, -0.2, 0.3]", rules::shape_invalid);
  repaired("visual without size", "size: [0.1, 0.2, 0.3], ", "", rules::shape_invalid);
  repaired("colour by name", "[1, 0, 0, 1]", "red", rules::material_invalid);
  repaired("colour above 1", "[1, 0, 0, 1]", "[255, 0, 0, 1]", rules::material_invalid);
  repaired("no inertial", "link: {name: lower, mass: 1, inertia: [0.01, 0, 0, 0.011, 0, 0.013]}",
           "link: {name: lower}", rules::inertial_missing);
  repaired("no limits", "    limits: {lower: 0, upper: 0.5}\n", "", rules::limit_missing)
      .on("- name: slide");

  cases.kind("table: YAML");
  raw(
      "empty", [] { return std::string(); }, rules::table_shape, 0);
  raw(
      "a comment only", [] { return std::string("# nothing\n"); }, rules::table_shape, 0);
  raw(
      "text", [] { return std::string("hello\n"); }, rules::table_shape, 1);
  raw(
      "a list", [] { return std::string("- 1\n- 2\n"); }, rules::table_shape, 1);
  raw(
      "not closed", [] { return std::string("ulna: dh\njoints: [{d: 1}\n"); },
      rules::yaml_malformed, 2)
      .on_line(3);
  bad("tab", "    d: 0.3", "\td: 0.3", rules::yaml_malformed);
  bad("NUL byte", "d: 0.3", std::string_view("d: 0\0003", 7), rules::yaml_malformed);
  bad("end-of-text character", "d: 0.3", "d: 0.3\x04", rules::yaml_malformed);
  bad("two documents", "tool: {", "---\ntool: {", rules::yaml_malformed);
  bad("an alias", "com: [0.1, 0, 0]", "com: *somewhere", rules::yaml_malformed);
  repaired("Latin-1", "name: scara", "name: M\xFCnchen", rules::encoding)
      .says("read as Latin-1")
      .after([](const Model& m) { return m.name() == "M\xC3\xBCnchen"; });
  raw(
      "alias bomb",
      [] {
        std::string text = "ulna: dh\nl0: &l0 [1, 2, 3]\n";
        for (int i = 1; i < 30; ++i) {
          const std::string one = "*l" + std::to_string(i - 1);
          text += "l" + std::to_string(i) + ": &l" + std::to_string(i) + " [" + one + ", " + one +
                  "]\n";
        }
        return text + "joints: *l29\n";
      },
      rules::yaml_malformed, 3)
      .says("alias");
  raw(
      "joints by the same alias",
      [] { return "ulna: dh\njoints: [&a {d: 1}" + repeated(", *a", 50'000) + "]\n"; },
      rules::yaml_malformed, 2);
  raw(
      "lists 60,000 deep",
      [] { return "ulna: dh\njoints: " + repeated("[", 60'000) + repeated("]", 60'000); },
      rules::yaml_malformed, 2)
      .says("deep");
  raw(
      "lists 500,000 deep, not closed",
      [] { return "ulna: dh\njoints: " + repeated("[", 500'000); }, rules::yaml_malformed, 2);
  raw(
      "maps 60,000 deep", [] { return "ulna: dh\njoints: " + repeated("{a: ", 60'000); },
      rules::yaml_malformed, 2);
  raw(
      "dashes 60,000 deep", [] { return "ulna: dh\njoints:\n" + repeated("- ", 60'000) + "1\n"; },
      rules::yaml_malformed, 3);
  raw(
      "indented 900 deep",
      [] {
        std::string text = "ulna: dh\njoints:\n";
        for (int i = 1; i <= 900; ++i)
          text += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
        return text;
      },
      rules::yaml_malformed, 102);
  raw(
      "100,000 joints", [] { return "ulna: dh\njoints:\n" + repeated("- {}\n", 100'000); },
      rules::input_too_large, 3)
      .says("more than 20000 links");
  raw(
      "250,000 entries", [] { return "ulna: dh\njoints: [" + repeated("1,", 250'000) + "1]"; },
      rules::input_too_large, 2)
      .says("entries");
  raw(
      "40,000 strange keys",
      [] {
        std::string text = "ulna: dh\n";
        for (int i = 0; i < 40'000; ++i) text += "k" + std::to_string(i) + ": 1\n";
        return text;
      },
      rules::table_shape, 1);
  raw(
      "1 MB", [] { return "ulna: dh\n# " + std::string(1u << 20, 'x'); }, rules::input_too_large, 0)
      .says("bytes");
  raw(
      "a joint name of 400 kB in 2,000 messages",
      [] {
        std::string text = "ulna: dh\njoints:\n- name: " + std::string(400'000, 'x') + "\n";
        for (int i = 0; i < 2000; ++i) text += "  k" + std::to_string(i) + ": 1\n";
        return text + "  d: nan\n";
      },
      rules::number_invalid, 2004);
  cases.accepted(
      "5,000 joints",
      [] {
        return "ulna: dh\njoints:\n" +
               repeated("- {a: 0.1, limits: {lower: -1, upper: 1}}\n", 5000);
      },
      [](const Model& m) { return m.nq() == 5000; }, "good.yaml");
  cases.accepted(
      "byte order mark", [] { return "\xEF\xBB\xBF" + std::string(good_table); }, {}, "good.yaml");
  cases.accepted(
      "CRLF",
      [] {
        std::string text;
        for (const char c : good_table) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
        return text;
      },
      {}, "good.yaml");
}

/// All of them. `fifo` is the path of a named pipe.
inline std::vector<BadInput> bad_inputs(const std::string& fifo) {
  BadInputs cases;
  bad_numbers(cases);
  bad_bodies(cases);
  bad_joints(cases);
  bad_trees(cases);
  bad_xml(cases);
  bad_shapes(cases, fifo);
  large_robots(cases);
  bad_tables(cases);
  return std::move(cases.list);
}

}  // namespace ulna::test
