#pragma once

#include "support/bad_input.hpp"

/// MJCF files, as people write them.
namespace ulna::test {

/// An arm with classes of defaults, whose links have geoms and no inertials.
inline constexpr std::string_view good_mjcf = R"(<?xml version='1.0'?>
<mujoco model='arm'>
  <compiler angle='degree' eulerseq='xyz'/>
  <option timestep='0.002' gravity='0 0 -9.8'/>
  <default>
    <geom density='800' rgba='0.5 0.5 0.5 1'/>
    <default class='arm'>
      <joint axis='0 1 0' damping='0.5' armature='0.02' range='-120 120'/>
      <motor ctrlrange='-2 2' gear='30'/>
      <default class='weak'>
        <joint armature='0.01' frictionloss='0.3'/>
      </default>
    </default>
  </default>
  <asset>
    <material name='red' rgba='1 0 0 1'/>
    <mesh name='cover' file='cover.stl' scale='0.001 0.001 0.001'/>
  </asset>
  <worldbody>
    <light pos='0 0 3'/>
    <geom name='floor' type='plane' size='1 1 0.1'/>
    <body name='base'>
      <geom type='cylinder' size='0.1 0.05' mass='3'/>
      <body name='upper' pos='0 0 0.1' childclass='arm'>
        <joint name='shoulder' axis='0 0 1'/>
        <geom name='rod' type='capsule' fromto='0 0 0 0 0 0.4' size='0.04' material='red'/>
        <geom type='mesh' mesh='cover' contype='0' conaffinity='0' density='0'/>
        <body name='lower' pos='0 0 0.4' euler='0 30 0'>
          <joint name='elbow' class='weak' pos='0.01 0 0.02' range='-90 60'/>
          <geom type='box' size='0.03 0.04 0.15' pos='0 0 0.15'/>
          <site name='tip' pos='0 0 0.3' zaxis='1 0 0'/>
          <body name='hand' pos='0 0 0.3' quat='0 0 0 2'>
            <inertial pos='0 0 0.05' mass='0.7' diaginertia='0.002 0.0021 0.001' euler='10 0 0'/>
            <joint name='roll' class='weak' axis='0 0 3' range='-170 170' ref='20'/>
            <joint name='pinch' type='slide' axis='0 1 0' limited='true' range='0 0.04'/>
            <geom type='ellipsoid' size='0.03 0.03 0.05'/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name='m1' class='arm' joint='shoulder'/>
    <motor name='m2' class='arm' joint='elbow' gear='20'/>
    <position name='m3' joint='roll' kp='50' forcerange='-7 7'/>
  </actuator>
  <sensor>
    <jointpos joint='elbow'/>
  </sensor>
</mujoco>
)";

inline void bad_mjcf(BadInputs& cases) {
  cases.kind("MJCF");
  const auto add = [&](Fate fate, std::string name, std::string_view from, std::string_view to,
                       const Rule& rule) -> BadInputs& {
    const std::string text = replaced(good_mjcf, from, to);
    return cases.add(
        std::move(name), "bad.xml", [text] { return text; }, fate, rule, line_of(good_mjcf, from));
  };
  const auto refused = [&](const auto&... of) -> BadInputs& { return add(Fate::refused, of...); };
  const auto repaired = [&](const auto&... of) -> BadInputs& { return add(Fate::repaired, of...); };
  const std::string_view pinch = "name='pinch' type='slide' axis='0 1 0'", sensor = "<sensor>",
                         m3 = "kp='50' forcerange='-7 7'/>",
                         rod = "<geom name='rod' type='capsule'";
  refused("joint type", "type='slide'", "type='slider'", rules::joint_type_unknown)
      .says("did you mean 'slide'?");
  refused("zero axis", "axis='0 0 3'", "axis='0 0 0'", rules::axis_zero);
  refused("number with a unit", "mass='0.7'", "mass='0.7kg'", rules::number_invalid);
  refused("NaN", "pos='0 0 0.05'", "pos='0 0 nan'", rules::number_invalid);
  refused("two numbers of three", "pos='0 0 0.05'", "pos='0 0'", rules::number_count);
  refused("four numbers of three", "pos='0 0 0.05'", "pos='0 0 1 2'", rules::number_count);
  refused("unknown class", "class='weak' pos", "class='waek' pos", rules::class_unknown)
      .says("did you mean 'weak'?");
  refused("unknown childclass", "childclass='arm'", "childclass='leg'", rules::class_unknown);
  refused("class without a name", "<default class='weak'>", "<default>", rules::name_missing);
  refused("zero quaternion", "quat='0 0 0 2'", "quat='0 0 0 0'", rules::quaternion_zero);
  refused("two orientations", "euler='10 0 0'", "euler='10 0 0' zaxis='1 0 0'",
          rules::orientation_double)
      .on_line(line_of(good_mjcf, "euler='10 0 0'"));
  refused("eulerseq", "eulerseq='xyz'", "eulerseq='xyw'", rules::number_invalid);
  refused("angle", "angle='degree'", "angle='degrees'", rules::number_invalid)
      .says("did you mean 'degree'?");
  refused("global coordinates", "angle='degree'", "coordinate='global'", rules::element_refused);
  refused("composite", "<light pos='0 0 3'/>", "<composite type='rope' count='10 1 1'/>",
          rules::element_refused);
  refused("replicate", "<light pos='0 0 3'/>", "<replicate count='1000000000'><body/></replicate>",
          rules::element_refused);
  refused("joint in the world", "<light pos='0 0 3'/>", "<joint type='free'/>",
          rules::tag_misplaced);
  refused("free joint of a hand", pinch, "name='pinch' type='free'", rules::tag_misplaced);
  refused("bodies of one name", "<body name='lower'", "<body name='hand'", rules::name_duplicate)
      .on_line(any_line);
  refused("joints of one name", "name='pinch'", "name='elbow'", rules::name_duplicate)
      .on_line(any_line);
  refused("actuator of no joint", "joint='shoulder'", "joint='sholder'", rules::motor_joint)
      .says("did you mean 'shoulder'?");
  refused("actuator of an unknown kind", "<position name", "<positon name", rules::tag_misspelt);
  refused("misspelt attribute", "gear='20'", "gaer='20'", rules::tag_misspelt)
      .says("did you mean 'gear'?");
  refused("misspelt body", "<body name='hand' pos='0 0 0.3' quat='0 0 0 2'>",
          "<boby/><body name='hand' pos='0 0 0.3' quat='0 0 0 2'>", rules::tag_misspelt);
  refused("limits the wrong way", "range='-90 60'", "range='90 -60'", rules::limit_reversed);
  refused("negative mass", "mass='3'", "mass='-3'", rules::mass_negative);
  refused("negative damping", "damping='0.5'", "damping='-0.5'", rules::friction_negative)
      .on_line(any_line);
  refused("follower of no joint", sensor,
          "<equality><joint joint1='roll' joint2='elbo'/></equality><sensor>",
          rules::mimic_unknown);
  refused("loop of no body", sensor,
          "<equality><connect body1='hnd' anchor='0 0 0'/></equality><sensor>", rules::link_unknown)
      .says("did you mean 'hand'?");
  refused("include of no file", sensor, "<include file='no_such_file.xml'/><sensor>",
          rules::include_unreadable);
  refused("include without a file", sensor, "<include/><sensor>", rules::attribute_missing);
  repaired("body without a name", "<body name='lower'", "<body", rules::name_made);
  repaired("joint without a name", "<joint name='shoulder'", "<joint", rules::name_made)
      .list.back()
      .text = [] {
    return replaced(replaced(good_mjcf, "<joint name='shoulder'", "<joint"), "joint='shoulder'",
                    "joint='upper_joint'");
  };
  repaired("site with the name of a body", "<site name='tip'", "<site name='hand'",
           rules::name_made);
  repaired("spring", pinch, "name='pinch' stiffness='100' type='slide' axis='0 1 0'",
           rules::dynamics_lost);
  repaired("gravity compensation", "<body name='lower'", "<body gravcomp='1' name='lower'",
           rules::dynamics_lost);
  repaired("tendon", sensor,
           "<tendon><fixed><joint joint='roll' coef='1'/></fixed></tendon><sensor>",
           rules::dynamics_lost);
  repaired("actuator of a site", m3, "kp='50' forcerange='-7 7'/><general site='tip'/>",
           rules::dynamics_lost);
  repaired(
      "curve", sensor,
      "<equality><joint joint1='roll' joint2='elbow' polycoef='0 1 1 0 0'/></equality><sensor>",
      rules::dynamics_lost);
  repaired("fluid", "timestep='0.002'", "viscosity='0.1'", rules::dynamics_lost);
  repaired("capsule without a size", rod, "<geom type='sphere'/><geom name='rod' type='capsule'",
           rules::shape_invalid);
  repaired("unknown geom type", rod, "<geom type='cone' size='1'/><geom name='rod' type='capsule'",
           rules::shape_invalid);
  repaired("geom whose size overflows", rod,
           "<geom type='box' size='1e308 1 1' mass='1'/><geom name='rod' type='capsule'",
           rules::shape_invalid)
      .says("overflow");
  repaired("unknown mesh", rod, "<geom type='mesh' mesh='covr'/><geom name='rod' type='capsule'",
           rules::shape_invalid)
      .says("did you mean 'cover'?");
  repaired("inertia of a mesh", rod,
           "<geom type='mesh' mesh='cover'/><geom name='rod' type='capsule'",
           rules::inertial_partial)
      .on("<body name='upper'");
  repaired("inertia from geoms", "<light pos='0 0 3'/>", "<camera pos='0 0 3'/>",
           rules::inertia_computed)
      .on("<body name='upper'");
  repaired("inertial without inertia", "diaginertia='0.002 0.0021 0.001'", "",
           rules::inertial_partial);
  repaired("limited without a range", "armature='0.02' range='-120 120'",
           "armature='0.02' limited='true'", rules::limit_missing)
      .on("<joint name='shoulder'");
  cases.text(
      "a class in itself",
      "<mujoco>\n<default class='a'>\n<default class='a'><joint range='0 1'/></default></default>"
      "<worldbody><body name='b'><joint class='a'/></body></worldbody></mujoco>",
      Fate::refused, rules::name_duplicate, 3, "bad.xml");
  cases.text(
      "classes without end",
      "<mujoco><default>" +
          [] {
            std::string classes, ends;
            for (int i = 0; i < 60; ++i)
              classes += "\n<default class='c" + std::to_string(i) + "'>", ends += "</default>";
            return classes + ends;
          }() +
          "</default><worldbody/></mujoco>",
      Fate::refused, rules::input_too_large, 22, "bad.xml");
  cases.add(
      "30,000 geoms of a class 20 deep with 4,000 defaults", "bad.xml",
      [] {
        std::string text = "<mujoco><default>";
        for (int i = 0; i < 20; ++i)
          text +=
              "<default class='c" + std::to_string(i) + "'>" + repeated("<geom margin='1'/>", 200);
        text += repeated("</default>", 21) + "<worldbody><body name='b'>";
        return text + repeated("<geom class='c19' size='1'/>", 30'000) +
               "</body></worldbody></mujoco>";
      },
      Fate::repaired, rules::inertia_computed, any_line);
  cases.text("60,000 deep bodies", "<mujoco><worldbody>" + repeated("<body>", 60'000),
             Fate::refused, rules::xml_depth, any_line, "bad.xml");
  std::string many = "<mujoco><worldbody>";
  for (int i = 0; i < 30'000; ++i) many += "<body name='b" + std::to_string(i) + "'/>";
  cases.text("30,000 bodies", many + "</worldbody></mujoco>", Fate::refused, rules::input_too_large,
             any_line, "bad.xml");
}

}  // namespace ulna::test
