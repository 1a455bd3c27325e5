#pragma once

#include "support/bad_input.hpp"

/// URDF and tables whose motors, springs or transmissions are wrong.
namespace ulna::test {

inline void bad_drives(BadInputs& cases) {
  const std::string pen = "<ulna:frame name='pen' link='tip'>", shoulder = "<joint name='shoulder'",
                    axis = "<axis xyz='0 1 0'/>";
  const auto spring = [&](std::string name, const std::string& numbers, const Rule& rule) -> auto& {
    return cases.refused(std::move(name), axis, axis + "<ulna:spring " + numbers + "/>", rule);
  };
  cases.kind("springs");
  spring("without stiffness", "stiffness='0'", rules::spring_range).on(shoulder);
  spring("negative", "stiffness='-100'", rules::spring_range).on(shoulder);
  cases
      .repaired("stiffer than any drive", axis, axis + "<ulna:spring stiffness='1e12'/>",
                rules::spring_implausible)
      .on(shoulder);
  spring("negative damping", "stiffness='100' damping='-1'", rules::spring_range).on(shoulder);
  spring("nan", "stiffness='nan'", rules::number_invalid);
  spring("misspelt", "stiffnes='100'", rules::tag_misspelt).says("stiffness");
  cases
      .refused("at a joint that mimics",
               "<mimic joint='shoulder' multiplier='-0.5' offset='0.125'/>",
               "<mimic joint='shoulder'/><ulna:spring stiffness='5'/>", rules::spring_joint)
      .on("<joint name='elbow'");
  cases
      .refused("without a rotor", "<axis xyz='0 0 1' ulna:pitch='0.01'/>",
               "<axis xyz='0 0 1' ulna:pitch='0.01'/><ulna:spring stiffness='5'/>",
               rules::spring_rotor)
      .on("<joint name='spindle'");

  const auto motor = [&](std::string name, const std::string& text, const Rule& rule) -> auto& {
    return cases.refused(std::move(name), pen, text + pen, rule);
  };
  const auto gear = [](const std::string& joint, const std::string& ratio) {
    return "<ulna:gear joint='" + joint + "' ratio='" + ratio + "'/>";
  };
  const auto of = [](const std::string& gears, const std::string& more = "") {
    return "<ulna:motor name='m'" + more + ">" + gears + "</ulna:motor>";
  };
  cases.kind("motors");
  motor("of an unknown joint", of(gear("sholder", "5")), rules::motor_joint).says("'shoulder'");
  motor("of a joint that mimics", of(gear("elbow", "5")), rules::motor_joint);
  motor("of a fixed joint", of(gear("mount", "5")), rules::motor_joint);
  motor("of no joint", of(""), rules::motor_joint);
  motor("of one joint twice", of(gear("shoulder", "5") + gear("shoulder", "6")),
        rules::motor_joint);
  motor("ratio 0", of(gear("shoulder", "0")), rules::motor_ratio);
  motor("ratio inf", of(gear("shoulder", "inf")), rules::number_invalid);
  motor("negative inertia", of(gear("shoulder", "5"), " inertia='-1'"), rules::friction_negative);
  motor(
      "two of one joint",
      of(gear("shoulder", "5")) + "<ulna:motor name='n'>" + gear("shoulder", "6") + "</ulna:motor>",
      rules::motor_coupling);
  motor("one of two joints", of(gear("shoulder", "5") + gear("spindle", "3")),
        rules::motor_coupling);
  motor("ratios that depend on each other",
        of(gear("shoulder", "5") + gear("spindle", "3")) + "<ulna:motor name='n'>" +
            gear("shoulder", "10") + gear("spindle", "6") + "</ulna:motor>",
        rules::motor_coupling);
  motor("two of one name", of(gear("shoulder", "5")) + of(gear("spindle", "5")),
        rules::name_duplicate);
  motor("carried by an unknown link",
        of(gear("shoulder", "5") + "<ulna:carrier link='bsae' axis='0 0 1'/>"), rules::link_unknown)
      .says("'base'");
  cases.repaired("carried, but rigid", pen,
                 of(gear("shoulder", "5") + "<ulna:carrier link='base' axis='0 0 1'/>") + pen,
                 rules::rotor_rigid);

  const auto transmission = [&](std::string name, const std::string& kind, const std::string& ends,
                                const Rule& rule) -> auto& {
    return cases.repaired(std::move(name), pen,
                          "<transmission name='t'><type>transmission_interface/" + kind +
                              "</type>" + ends + "</transmission>" + pen,
                          rule);
  };
  cases.kind("transmissions");
  transmission("of an unknown joint", "SimpleTransmission",
               "<joint name='sholder'/><actuator name='a'/>", rules::transmission_joint)
      .says("'shoulder'");
  transmission("a differential of one joint", "DifferentialTransmission",
               "<joint name='shoulder'/><actuator name='a'/>", rules::transmission_shape);
}

}  // namespace ulna::test
