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

}  // namespace ulna::test
