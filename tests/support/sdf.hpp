#pragma once

#include "support/bad_input.hpp"

/// SDF files, as people write them.
namespace ulna::test {

/// An arm with frames, poses relative to them, and a nested hand.
inline constexpr std::string_view good_sdf = R"(<?xml version='1.0'?>
<sdf version='1.9'>
  <model name='arm'>
    <frame name='mount'>
      <pose>0 0 0.5 0 0 0</pose>
    </frame>
    <link name='base'>
      <pose relative_to='mount'>0 0 0.1 0 0 0</pose>
      <inertial>
        <mass>4</mass>
        <inertia><ixx>0.02</ixx><iyy>0.02</iyy><izz>0.03</izz></inertia>
      </inertial>
      <collision name='body'>
        <geometry><cylinder><radius>0.1</radius><length>0.2</length></cylinder></geometry>
      </collision>
    </link>
    <joint name='stand' type='fixed'>
      <parent>world</parent>
      <child>base</child>
    </joint>
    <link name='upper'>
      <pose relative_to='base'>0 0 0.3 0 0.2 0</pose>
      <inertial>
        <pose>0 0 0.11 0.1 0 0</pose>
        <mass>2</mass>
        <inertia><ixx>0.02</ixx><ixy>0.001</ixy><ixz>0</ixz><iyy>0.021</iyy><iyz>0</iyz><izz>0.012</izz></inertia>
      </inertial>
      <visual name='box'>
        <pose>0 0 0.12 0 0 0</pose>
        <geometry><box><size>0.1 0.2 0.3</size></box></geometry>
        <material><diffuse>0 0 1 1</diffuse></material>
      </visual>
      <visual name='cover'>
        <geometry><mesh><uri>model://arm/upper.stl</uri><scale>0.001 0.001 0.001</scale></mesh></geometry>
      </visual>
    </link>
    <joint name='shoulder' type='revolute'>
      <pose>0.01 0 -0.02 0 0 0</pose>
      <parent>base</parent>
      <child>upper</child>
      <axis>
        <xyz expressed_in='base'>0 1 0</xyz>
        <limit><lower>-2</lower><upper>1.9</upper><effort>50</effort><velocity>3</velocity></limit>
        <dynamics><damping>0.5</damping><friction>0.25</friction></dynamics>
      </axis>
    </joint>
    <model name='hand'>
      <pose relative_to='upper'>0 0 0.4 0 0 0</pose>
      <link name='palm'>
        <inertial>
          <mass>0.5</mass>
          <inertia><ixx>0.001</ixx><iyy>0.0011</iyy><izz>0.0013</izz></inertia>
        </inertial>
      </link>
      <link name='finger'>
        <pose>0 0.05 0.1 0 0 0</pose>
        <inertial>
          <mass>0.1</mass>
          <inertia><ixx>0.0001</ixx><iyy>0.0001</iyy><izz>0.0001</izz></inertia>
        </inertial>
      </link>
      <joint name='pinch' type='prismatic'>
        <parent>palm</parent>
        <child>finger</child>
        <axis>
          <xyz>0 1 0</xyz>
          <limit><lower>0</lower><upper>0.04</upper><effort>-1</effort><velocity>1e16</velocity></limit>
        </axis>
      </joint>
      <frame name='tip' attached_to='finger'>
        <pose>0 0 0.03 0 0 0</pose>
      </frame>
    </model>
    <joint name='wrist' type='continuous'>
      <parent>upper</parent>
      <child>hand::palm</child>
      <axis><xyz>0 0 1</xyz></axis>
    </joint>
  </model>
</sdf>
)";

inline void bad_sdf(BadInputs& cases) {
  cases.kind("SDF");
  const auto add = [&](Fate fate, std::string name, std::string_view from, std::string_view to,
                       const Rule& rule) -> BadInputs& {
    const std::string text = replaced(good_sdf, from, to);
    return cases.add(
        std::move(name), "bad.sdf", [text] { return text; }, fate, rule, line_of(good_sdf, from));
  };
  const auto refused = [&](const auto&... of) -> BadInputs& { return add(Fate::refused, of...); };
  const auto repaired = [&](const auto&... of) -> BadInputs& { return add(Fate::repaired, of...); };
  const std::string_view shoulder = "<joint name='shoulder' type='revolute'>",
                         mount = "<frame name='mount'>",
                         damping = "<dynamics><damping>0.5</damping>", hand = "<model name='hand'>";
  refused("number with a unit", "<mass>2</mass>", "<mass>2kg</mass>", rules::number_invalid);
  refused("NaN", "<mass>2</mass>", "<mass>nan</mass>", rules::number_invalid);
  refused("empty number", "<mass>2</mass>", "<mass/>", rules::number_count);
  refused("five numbers of a pose", "<pose>0 0 0.11 0.1 0 0</pose>", "<pose>0 0 0.11 0.1 0</pose>",
          rules::number_count);
  refused("joint type", "type='revolute'", "type='revolut'", rules::joint_type_unknown)
      .says("did you mean 'revolute'?");
  refused("joint without a type", shoulder, "<joint name='shoulder'>", rules::attribute_missing);
  refused("unknown parent", "<parent>palm</parent>", "<parent>plam</parent>", rules::frame_unknown)
      .on("<joint name='pinch'")
      .says("did you mean 'hand::palm'?");
  refused("no parent", "<parent>palm</parent>", "", rules::tag_missing).on_line(any_line);
  refused("unknown frame of a pose", "relative_to='mount'", "relative_to='mont'",
          rules::frame_unknown)
      .on("<link name='base'>")
      .says("did you mean 'mount'?");
  refused("unknown frame of an axis", "expressed_in='base'", "expressed_in='bas'",
          rules::frame_unknown);
  refused("frames in a circle", "<pose>0 0 0.5 0 0 0</pose>",
          "<pose relative_to='base'>0 0 0.5 0 0 0</pose>", rules::frame_cycle)
      .on_line(any_line);
  refused("frame attached to itself", mount,
          "<frame name='a' attached_to='b'/><frame name='b' attached_to='a'/><frame name='mount'>",
          rules::frame_cycle);
  refused("axis of length zero", "<xyz expressed_in='base'>0 1 0</xyz>",
          "<xyz expressed_in='base'>0 0 0</xyz>", rules::axis_zero)
      .on(shoulder);
  refused("joint without an axis", "<axis><xyz>0 0 1</xyz></axis>", "", rules::tag_missing)
      .on_line(any_line);
  refused("limits the wrong way", "<lower>-2</lower>", "<lower>3</lower>", rules::limit_reversed)
      .on(shoulder);
  refused("negative mass", "<mass>4</mass>", "<mass>-4</mass>", rules::mass_negative)
      .on("<link name='base'>");
  refused("negative damping", damping, "<dynamics><damping>-0.5</damping>",
          rules::friction_negative)
      .on(shoulder);
  refused("links of one name", "<link name='upper'>", "<link name='base'>", rules::name_duplicate);
  refused("link without a name", "<link name='upper'>", "<link>", rules::name_missing);
  refused("misspelt tag", damping, "<dynamics><dampign>0.5</dampign>", rules::tag_misspelt)
      .says("did you mean <damping>?");
  refused("misspelt link", hand, "<lnik/><model name='hand'>", rules::tag_misspelt);
  refused("a joint in a link", "<visual name='cover'>", "<joint name='x'/><visual name='cover'>",
          rules::tag_misplaced);
  refused("mimic of no joint", damping, "<mimic joint='wirst'/><dynamics><damping>0.5</damping>",
          rules::mimic_unknown)
      .on(shoulder);
  refused("quaternion of length zero", "<pose>0 0 0.12 0 0 0</pose>",
          "<pose rotation_format='quat_xyzw'>0 0 0.12 0 0 0 0</pose>", rules::quaternion_zero);
  refused("the world as a child", "<child>base</child>", "<child>world</child>",
          rules::link_two_parents)
      .on("<joint name='stand'");
  refused("inertia by itself", "<inertial>\n        <pose>0 0 0.11",
          "<inertial auto='true'>\n        <pose>0 0 0.11", rules::element_refused);
  refused("include of no model", hand,
          "<include><uri>model://no_such_model_here</uri></include><model name='hand'>",
          rules::include_unreadable);
  refused("include from elsewhere", hand,
          "<include><uri>https://fuel.gazebosim.org/arm</uri></include><model name='hand'>",
          rules::include_unreadable)
      .says("not on this computer");
  refused("include without a uri", hand, "<include><name>a</name></include><model name='hand'>",
          rules::tag_missing);
  refused("a model that is merged", hand,
          "<include merge='true'><uri>a.sdf</uri></include><model name='hand'>",
          rules::element_refused);
  refused("two roots", "<child>upper</child>", "<child>hand::finger</child>", rules::tree_two_roots)
      .on_line(any_line);
  repaired("no inertial",
           "<inertial>\n        <pose>0 0 0.11 0.1 0 0</pose>\n        <mass>2</mass>\n        "
           "<inertia><ixx>0.02</ixx><ixy>0.001</ixy><ixz>0</ixz><iyy>0.021</iyy><iyz>0</iyz>"
           "<izz>0.012</izz></inertia>\n      </inertial>",
           "", rules::inertial_missing)
      .on("<link name='upper'>")
      .says("1 kg and 1 kg m^2 are used, as SDF says");
  repaired("no mass", "<mass>2</mass>", "", rules::inertial_partial)
      .on_line(line_of(good_sdf, "<pose>0 0 0.11") - 1);
  repaired("no moment of inertia", "<izz>0.0013</izz>", "", rules::inertial_partial);
  repaired("spring", damping,
           "<dynamics><spring_stiffness>5</spring_stiffness><damping>0.5</damping>",
           rules::dynamics_lost);
  repaired("gearbox", hand,
           "<joint name='g' type='gearbox'><parent>base</parent><child>upper</child></joint><model "
           "name='hand'>",
           rules::dynamics_lost);
  repaired("a link that does not fall", "<visual name='box'>",
           "<gravity>false</gravity><visual name='box'>", rules::dynamics_lost);
  repaired("static", mount, "<static>true</static><frame name='mount'>", rules::dynamics_lost)
      .on("<model name='arm'>");
  repaired("box without a size", "<box><size>0.1 0.2 0.3</size></box>", "<box/>",
           rules::shape_invalid);
  repaired("shape whose size overflows", "<box><size>0.1 0.2 0.3</size></box>",
           "<box><size>1.7e308 1.7e308 1</size></box>", rules::shape_invalid)
      .says("overflow");
  repaired("unknown geometry", "<box><size>0.1 0.2 0.3</size></box>", "<boxx/>",
           rules::shape_invalid)
      .says("did you mean 'box'?");
  repaired("no joint to the world", "<parent>world</parent>\n      <child>base</child>",
           "<parent>base</parent>\n      <child>upper</child>", rules::base_fixed)
      .on("<link name='base'>");
  cases.text("no model", "<sdf version='1.9'>\n<light name='sun'/></sdf>", Fate::refused,
             rules::model_choice, 1, "bad.sdf");
  cases.text("two models",
             "<sdf version='1.9'><world name='w'>\n<model name='a'><link name='l'/></model>\n"
             "<model name='b'><link name='l'/></model></world></sdf>",
             Fate::refused, rules::model_choice, 3, "bad.sdf");
  cases.text("60,000 deep models", "<sdf version='1.9'>" + repeated("<model name='m'>", 60'000),
             Fate::refused, rules::xml_depth, any_line, "bad.sdf");
  std::string frames =
      "<sdf version='1.9'><model name='m'><link name='l'/><frame name='f0' attached_to='l'/>";
  for (int i = 1; i < 900; ++i)
    frames +=
        "<frame name='f" + std::to_string(i) + "' attached_to='f" + std::to_string(i - 1) + "'/>";
  for (int i = 0; i < 100'000; ++i)
    frames += "<frame name='g" + std::to_string(i) + "' attached_to='f899'/>";
  frames += "<joint/></model></sdf>";
  cases.text("100,000 frames on a chain of 900", frames, Fate::refused, rules::name_missing,
             any_line, "bad.sdf");
  std::string chain = "<sdf version='1.9'><model name='m'><link name='l'/>";
  for (int i = 0; i < 20'000; ++i)
    chain += "<frame name='f" + std::to_string(i) + "'><pose relative_to='f" +
             std::to_string(i + 1) + "'>0 0 0 0 0 0</pose></frame>\n";
  cases.text("20,000 frames on each other", chain + "<frame name='f20000'/></model></sdf>",
             Fate::refused, rules::frame_cycle, any_line, "bad.sdf");
}

}  // namespace ulna::test
