#include <gtest/gtest.h>

#include "support/bad_input.hpp"
#include "support/told.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/rules.hpp"

// Motors, springs and transmissions in files.

namespace ulna::test {
namespace {

/// Two links on a base by joints j1 and j2, and more.
std::string two_joints(const std::string& more, const std::string& in_first = "") {
  const std::string inertial =
      "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
      "</inertial>";
  std::string text = "<robot name='r' xmlns:ulna='https://ulna.dev/urdf'>\n<link name='base'/>";
  for (const char* n : {"1", "2"})
    text += std::string("<link name='l") + n + "'>" + inertial + "</link>\n<joint name='j" + n +
            "' type='continuous'><parent link='" + (*n == '1' ? "base" : "l1") +
            "'/><child link='l" + n + "'/><axis xyz='0 0 1'/>" + (*n == '1' ? in_first : "") +
            "</joint>\n";
  return text + more + "\n</robot>";
}

Description read_drives(const std::string& more, const std::string& in_first = "") {
  return import_urdf(two_joints(more, in_first), "r.urdf").model.description();
}

TEST(MotorFiles, springs_and_motors_are_read_and_written_to_the_last_bit) {
  const std::string text = two_joints(
      "<ulna:motor name='a' inertia='1e-4' damping='0.1' friction='0.2' friction_negative='0.3'>"
      "<ulna:gear joint='j1' ratio='100'/><ulna:gear joint='j2' ratio='-7.1'/></ulna:motor>\n"
      "<ulna:motor name='b' inertia='2e-4'><ulna:gear joint='j2' ratio='60'/>"
      "<ulna:carrier link='l1' axis='0 0 1'/></ulna:motor>",
      "<ulna:spring stiffness='9000' hardening='10' damping='2.5'/>");
  const Model model = import_urdf(text, "r.urdf").model;
  const Description& d = model.description();
  ASSERT_EQ(d.motors.size(), 2u);
  EXPECT_EQ(d.motors[0],
            (MotorDescription{"a", {{"j1", 100.0}, {"j2", -7.1}}, 1e-4, 0.1, 0.2, 0.3}));
  EXPECT_EQ(d.motors[1].mount, (RotorMount{"l1", Vec3<double>::UnitZ()}));
  EXPECT_EQ(d.joints[0].spring, (Spring{9000.0, 10.0, 2.5}));
  EXPECT_FALSE(d.joints[1].spring);
  EXPECT_EQ(import_urdf(to_urdf(model), "again.urdf").model.description(), d);
}

TEST(MotorFiles, misspelt_attributes_are_found) {
  EXPECT_NE(told<ModelError>([] {
              read_drives("<ulna:motor name='a' inertai='1'><ulna:gear joint='j1'/></ulna:motor>");
            }).find("did you mean 'inertia'?"),
            std::string::npos);
  EXPECT_NE(told<ModelError>([] {
              read_drives("", "<ulna:spring/>");
            }).find("has no attribute 'stiffness'"),
            std::string::npos);
}

/// As ros_control describes them.
std::string transmission(const std::string& kind, const std::string& inside) {
  return "<transmission name='t'><type>transmission_interface/" + kind + "</type>" + inside +
         "</transmission>";
}
std::string end(const std::string& tag, const std::string& name, const std::string& reduction,
                const std::string& role = "") {
  return "<" + tag + " name='" + name + "'>" + (role.empty() ? "" : "<role>" + role + "</role>") +
         (reduction.empty() ? "" : "<mechanicalReduction>" + reduction + "</mechanicalReduction>") +
         "</" + tag + ">";
}

TEST(MotorFiles, simple_transmissions_are_motors_of_one_joint) {
  const Description d = read_drives(
      transmission("SimpleTransmission", end("joint", "j2", "") + end("actuator", "m", "50")));
  ASSERT_EQ(d.motors.size(), 1u);
  EXPECT_EQ(d.motors[0], (MotorDescription{"m", {{"j2", 50.0}}}));
  const Description older = read_drives(
      "<transmission type='pr2_mechanism_model/SimpleTransmission' name='t'><actuator name='m'/>"
      "<joint name='j1'/><mechanicalReduction>-79.2</mechanicalReduction></transmission>");
  EXPECT_EQ(older.motors.at(0).gears, (std::vector<Gear>{{"j1", -79.2}}));
}

TEST(MotorFiles, differentials_and_four_bar_linkages_couple_joints) {
  const std::string ends = end("actuator", "m2", "20", "actuator2") +
                           end("actuator", "m1", "10", "actuator1") +
                           end("joint", "j1", "2", "joint1") + end("joint", "j2", "3", "joint2");
  const Description d = read_drives(transmission("DifferentialTransmission", ends));
  ASSERT_EQ(d.motors.size(), 2u);
  EXPECT_EQ(d.motors[0], (MotorDescription{"m1", {{"j1", 20.0}, {"j2", 30.0}}}));
  EXPECT_EQ(d.motors[1], (MotorDescription{"m2", {{"j1", 40.0}, {"j2", -60.0}}}));
  const Description bar = read_drives(transmission("FourBarLinkageTransmission", ends));
  EXPECT_EQ(bar.motors[0], (MotorDescription{"m1", {{"j1", 20.0}}}));
  EXPECT_EQ(bar.motors[1], (MotorDescription{"m2", {{"j1", 20.0}, {"j2", 60.0}}}));
}

TEST(MotorFiles, what_is_wrong_with_a_transmission_is_reported_and_costs_the_transmission) {
  const auto found = [](const std::string& more, const Rule& rule) {
    const Imported r = import_urdf(two_joints(more), "r.urdf");
    EXPECT_TRUE(r.model.description().motors.empty());
    const Diagnostic* d = r.diagnostics.find(rule);
    return d ? d->str() : "nothing";
  };
  EXPECT_EQ(
      found(transmission("SimpleTransmission", end("joint", "j3", "") + end("actuator", "m", "5")),
            rules::transmission_joint),
      "r.urdf:6: warning: transmission 't': joint 'j3' is unknown; did you mean 'j1'?; "
      "skipped [transmission-joint]");
  EXPECT_EQ(found(transmission("DifferentialTransmission", end("joint", "j1", "")),
                  rules::transmission_shape),
            "r.urdf:6: warning: transmission 't': DifferentialTransmission has 1 joints and 0 "
            "actuators, not 2 of each; skipped [transmission-shape]");
  EXPECT_EQ(found(transmission("WristTransmission", end("joint", "j1", "")), rules::tag_ignored),
            "r.urdf:6: note: <transmission>: skipped [tag-ignored]");
}

TEST(MotorFiles, a_joint_that_two_transmissions_name_is_driven_once) {
  const std::string one =
      transmission("SimpleTransmission", end("joint", "j1", "") + end("actuator", "m", "5"));
  EXPECT_EQ(read_drives(one + one).motors.size(), 1u);
}

TEST(MotorFiles, tables_have_springs_and_coupled_motors) {
  const Model model = import_table(R"(ulna: dh
name: wrist
joints:
  - {name: j5, spring: {stiffness: 4000, damping: 1}, motor: {inertia: 1.0e-5, gear: 72, viscous: 1.0e-4, coulomb: 0.1},
     link: {mass: 1, inertia: [1, 0, 0, 1, 0, 1]}}
  - {name: j6, link: {mass: 1, inertia: [1, 0, 0, 1, 0, 1]}}
motors:
  - {name: m6, inertia: 2.0e-5, viscous: 1.0e-3, coulomb: [0.2, 0.3], gears: {j5: 14, j6: 77}}
)",
                                   "wrist.yaml")
                          .model;
  const Description& d = model.description();
  ASSERT_EQ(d.motors.size(), 2u);
  EXPECT_EQ(d.motors[0], (MotorDescription{"j5_motor", {{"j5", 72.0}}, 1e-5, 1e-4, 0.1, 0.1}));
  EXPECT_EQ(d.motors[1],
            (MotorDescription{"m6", {{"j5", 14.0}, {"j6", 77.0}}, 2e-5, 1e-3, 0.2, 0.3}));
  EXPECT_EQ(d.joints[0].spring, (Spring{4000.0, 0.0, 1.0}));
  EXPECT_EQ(import_urdf(to_urdf(model), "again.urdf").model.description(), d);
}

}  // namespace
}  // namespace ulna::test
