#include "support/sdf.hpp"

#include <gtest/gtest.h>

#include "support/same_motion.hpp"
#include "support/told.hpp"
#include "support/xacro.hpp"
#include "ulna/model/builder.hpp"

namespace ulna::test::sdf_files {
namespace {

Imported sdf(const std::string& inside, const std::string& version = "1.9") {
  return import_robot(
      "<sdf version='" + version + "'><model name='m'>\n" + inside + "\n</model></sdf>", "m.sdf");
}
std::string link(const std::string& name, const std::string& pose = "") {
  return "<link name='" + name + "'>" + pose +
         "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></"
         "inertial></link>";
}
std::string joint(const std::string& more, const std::string& type = "revolute",
                  const std::string& name = "j", const std::string& parent = "a",
                  const std::string& child = "b") {
  return "<joint name='" + name + "' type='" + type + "'><parent>" + parent + "</parent><child>" +
         child + "</child>" + more + "</joint>";
}

TEST(Sdf, is_the_robot_that_the_same_urdf_describes) {
  const Model from_sdf = import_robot(good_sdf, "arm.sdf").model;
  const Model from_urdf = import_urdf(R"(<robot name='arm'>
    <link name='world'/>
    <link name='base'><inertial><mass value='4'/><inertia ixx='0.02' ixy='0' ixz='0' iyy='0.02' iyz='0' izz='0.03'/></inertial></link>
    <link name='upper'><inertial><origin xyz='-0.01 0 0.13' rpy='0.1 0 0'/><mass value='2'/>
      <inertia ixx='0.02' ixy='0.001' ixz='0' iyy='0.021' iyz='0' izz='0.012'/></inertial></link>
    <link name='palm'><inertial><mass value='0.5'/><inertia ixx='0.001' ixy='0' ixz='0' iyy='0.0011' iyz='0' izz='0.0013'/></inertial></link>
    <link name='finger'><inertial><mass value='0.1'/><inertia ixx='0.0001' ixy='0' ixz='0' iyy='0.0001' iyz='0' izz='0.0001'/></inertial></link>
    <joint name='stand' type='fixed'><origin xyz='0 0 0.6'/><parent link='world'/><child link='base'/></joint>
    <joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/>
      <origin xyz='0.005827279149031 0 0.27841197523345755' rpy='0 0.2 0'/><axis xyz='0 1 0'/>
      <limit lower='-2' upper='1.9' effort='50' velocity='3'/><dynamics damping='0.5' friction='0.25'/></joint>
    <joint name='wrist' type='continuous'><parent link='upper'/><child link='palm'/><origin xyz='-0.01 0 0.42'/><axis xyz='0 0 1'/></joint>
    <joint name='hand::pinch' type='prismatic'><parent link='palm'/><child link='finger'/><origin xyz='0 0.05 0.1'/><axis xyz='0 1 0'/>
      <limit lower='0' upper='0.04'/></joint>
    </robot>)",
                                      "arm.urdf")
                              .model;
  // the names of joints in nested models have their models'
  ASSERT_EQ(from_sdf.nv(), 3);
  expect_same_limits(from_sdf, from_urdf);
  EXPECT_EQ(from_sdf.damping(), from_urdf.damping());
  EXPECT_EQ(from_sdf.friction(), from_urdf.friction());
  expect_same_motion(from_sdf, from_urdf);
  EXPECT_TRUE(from_sdf.find_frame("hand::tip"));
  EXPECT_TRUE(from_sdf.find_frame("upper_frame"));
}

TEST(Sdf, poses_are_relative_to_the_model_a_link_a_joint_or_a_frame) {
  const auto origin = [](const std::string& pose) {
    return joint_of(sdf("<frame name='f' attached_to='a'><pose>0 0 1 0 0 "
                        "1.5707963267948966</pose></frame>" +
                        link("a", "<pose>1 0 0 0 0 0</pose>") + link("b", pose) +
                        joint("<axis><xyz>0 0 1</xyz></axis>"))
                        .model,
                    "j")
        .origin.transform();
  };
  EXPECT_LT((origin("<pose>2 3 4 0 0 0</pose>").translation() - Vec3<double>(1, 3, 4)).norm(),
            1e-15);
  EXPECT_EQ(origin("<pose relative_to='a'>2 3 4 0 0 0</pose>").translation(),
            Vec3<double>(2, 3, 4));
  EXPECT_LT(
      (origin("<pose relative_to='f'>2 3 4 0 0 0</pose>").translation() - Vec3<double>(-3, 2, 5))
          .norm(),
      1e-14);
  EXPECT_LT((origin("<pose degrees='true'>1 0 0 0 0 90</pose>").rotation().matrix() -
             Rotation<double>::about_z(std::acos(-1.0) / 2).matrix())
                .norm(),
            1e-15);
  EXPECT_LT((origin("<pose rotation_format='quat_xyzw'>1 0 0 0 0 2 2</pose>").rotation().matrix() -
             Rotation<double>::about_z(std::acos(-1.0) / 2).matrix())
                .norm(),
            1e-15);
}

TEST(Sdf, axes_are_in_the_frame_of_the_joint_unless_they_say_otherwise) {
  const auto axis = [](const std::string& xyz, const std::string& version = "1.9") {
    return joint_of(
               sdf(link("a") + link("b", "<pose>0 0 1 0 0 1.5707963267948966</pose>") +
                       joint("<pose>0 0 0 0 1.5707963267948966 0</pose><axis>" + xyz + "</axis>"),
                   version)
                   .model,
               "j")
        .axis;
  };
  EXPECT_LT((axis("<xyz>0 0 1</xyz>") - Vec3<double>(1, 0, 0)).norm(), 1e-15);
  EXPECT_LT((axis("<xyz expressed_in='b'>0 0 1</xyz>") - Vec3<double>(0, 0, 1)).norm(), 1e-15);
  EXPECT_LT((axis("<xyz expressed_in='__model__'>1 0 0</xyz>") - Vec3<double>(0, -1, 0)).norm(),
            1e-15);
  EXPECT_LT((axis("<xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame>", "1.5") -
             Vec3<double>(0, -1, 0))
                .norm(),
            1e-15);
  EXPECT_LT((axis("<xyz>1 0 0</xyz>", "1.4") - Vec3<double>(0, -1, 0)).norm(), 1e-15);
}

TEST(Sdf, a_universal_joint_is_two_hinges) {
  const Model m =
      sdf(link("a") + link("b") +
          joint("<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>", "universal"))
          .model;
  EXPECT_EQ(m.nv(), 2);
  EXPECT_EQ(joint_of(m, "j").axis, Vec3<double>::UnitX());
  EXPECT_EQ(joint_of(m, "j_2").axis, Vec3<double>::UnitY());
}

TEST(Sdf, a_second_joint_of_a_link_closes_a_loop) {
  const Model m =
      sdf(link("a") + link("b", "<pose>1 0 0 0 0 0</pose>") +
          link("c", "<pose>2 0 0 0 0 0</pose>") + joint("<axis><xyz>0 0 1</xyz></axis>") +
          joint("<axis><xyz>0 0 1</xyz></axis>", "revolute", "k", "b", "c") +
          joint("<pose>0 1 0 0 0 0</pose><axis><xyz>0 0 1</xyz></axis>", "revolute", "l", "a", "c"))
          .model;
  ASSERT_EQ(m.description().loops.size(), 1u);
  EXPECT_EQ(m.description().loops[0].origin1.xyz, Vec3<double>(2, 1, 0));
  EXPECT_EQ(m.description().loops[0].origin2.xyz, Vec3<double>(0, 1, 0));
}

TEST(Sdf, screws_and_mimics_keep_their_ratios) {
  const Model m =
      sdf(link("a") + link("b") + link("c") +
          joint("<screw_thread_pitch>0.01</screw_thread_pitch><axis><xyz>0 0 1</xyz></axis>",
                "screw") +
          joint("<axis><xyz>0 0 1</xyz><mimic "
                "joint='j'><multiplier>2</multiplier><offset>0.5</offset>"
                "<reference>0.1</reference></mimic></axis>",
                "prismatic", "k", "b", "c"))
          .model;
  EXPECT_DOUBLE_EQ(joint_of(m, "j").pitch, 0.01 / (2 * std::acos(-1.0)));
  EXPECT_EQ(joint_of(m, "k").mimic->multiplier, 2.0);
  EXPECT_DOUBLE_EQ(joint_of(m, "k").mimic->offset, 0.3);
}

TEST(Sdf, in_a_world_the_model_that_moves_is_the_robot) {
  const Imported r = import_robot(
      "<sdf version='1.6'><world name='w'><gravity>0 0 -1.6</gravity><light name='sun'/>\n"
      "<include><uri>model://ground_plane_that_is_not_there</uri></include>\n"
      "<model name='table'><static>true</static><link name='top'/></model>\n<model name='robot'>" +
          link("a") + "</model></world></sdf>",
      "w.world");
  EXPECT_EQ(r.model.name(), "robot");
  EXPECT_EQ(r.model.gravity(), Vec3<double>(0, 0, -1.6));
  EXPECT_EQ(r.diagnostics.find(rules::include_unreadable)->severity, Severity::note);
}

TEST(Sdf, includes_models_with_poses_and_names_and_lines_of_their_own) {
  const Files files("sdf");
  files.write("models/hand/model.config",
              "<model><name>hand</name><sdf version='1.9'>hand.sdf</sdf></model>");
  files.write("models/hand/hand.sdf",
              "<sdf version='1.9'>\n<model name='hand'>\n<pose>9 9 9 0 0 0</pose>\n" +
                  link("palm", "<pose>0 0 0.1 0 0 0</pose>") +
                  "\n<frame name='grip' attached_to='palm'><pose>0 0 0.2 0 0 "
                  "0</pose></frame></model></sdf>");
  const auto arm = [&](const std::string& more) {
    return files.write(
        "models/arm.sdf",
        "<sdf version='1.9'><model name='arm'>" + link("a") +
            "\n<include><uri>model://hand</uri><name>left</name>" + more + "</include>" +
            joint("<axis><xyz>0 0 1</xyz></axis>", "revolute", "j", "a", "left::palm") +
            "</model></sdf>");
  };
  EXPECT_EQ(joint_of(load_robot(arm("<pose>1 0 0 0 0 0</pose>")).model, "j").origin.xyz,
            Vec3<double>(1, 0, 0.1));
  EXPECT_LT(
      (joint_of(
           load_robot(arm("<pose>1 0 0 0 0 0</pose><placement_frame>grip</placement_frame>")).model,
           "j")
           .origin.xyz -
       Vec3<double>(1, 0, -0.2))
          .norm(),
      1e-15);
  files.write("models/hand/hand.sdf",
              "<sdf version='1.9'>\n<model name='hand'>\n<link "
              "name='palm'>\n<inertial><mass>x</mass></inertial>"
              "</link></model></sdf>");
  const std::string what = told<ModelError>([&] { load_robot(arm("")); });
  EXPECT_NE(what.find("models/hand/hand.sdf:4: error: link 'left::palm': inertial: mass 'x': 'x' "
                      "is not a number"),
            what.npos)
      << what;
  files.write("models/hand/hand.sdf",
              "<sdf version='1.9'><model "
              "name='h'><include><uri>model://hand</uri></include></model></sdf>");
  EXPECT_NE(told<ModelError>([&] { load_robot(arm("")); }).find("includes itself"),
            std::string::npos);
}

TEST(Sdf, that_is_written_has_loops_that_close_at_zero) {
  for (const char* name : {"fourbar", "fivebar", "delta"}) {
    SCOPED_TRACE(name);
    const Model model = load_robot(name).model;
    Diagnostics lost;
    const Model again = import_robot(to_sdf(model, lost), "again.sdf").model;
    expect_same_limits(model, again);  // an effort of 0 is no drive only where there are loops
    const auto &loops = model.description().loops, &read = again.description().loops;
    ASSERT_EQ(read.size(), loops.size());
    for (std::size_t i = 0; i < loops.size(); ++i) {
      EXPECT_EQ(read[i].name, loops[i].name);
      EXPECT_EQ(read[i].type, loops[i].type);
      EXPECT_EQ(read[i].link1, loops[i].link1);
      EXPECT_LT((read[i].origin1.xyz - loops[i].origin1.xyz).norm(), 1e-9);
      EXPECT_LT((read[i].origin2.xyz - loops[i].origin2.xyz).norm(), 1e-15);
      if (loops[i].type == JointType::ball) continue;
      const auto axis = [](const Pose& origin, const Vec3<double>& a) -> Vec3<double> {
        return origin.transform().rotation().matrix() * a;
      };
      EXPECT_LT(
          (axis(read[i].origin1, read[i].axis) - axis(loops[i].origin1, loops[i].axis)).norm(),
          1e-9);
      EXPECT_LT(
          (axis(read[i].origin2, read[i].axis) - axis(loops[i].origin2, loops[i].axis)).norm(),
          1e-15);
    }
  }
  // and others are reported
  Description open = load_robot("fourbar").model.description();
  open.loops[0].origin1.xyz.x() += 0.01;
  Diagnostics lost;
  to_sdf(Builder(open).build(), lost);
  EXPECT_TRUE(lost.find(rules::dynamics_lost));
}

TEST(Sdf, that_is_written_reads_as_the_same_robot) {
  int robots = 0;
  for (const EmbeddedRobot& robot : embedded_robots()) {
    SCOPED_TRACE(robot.name);
    const Model model = import_robot(robot.text, std::string(robot.file_name)).model;
    Diagnostics lost;
    const Model again = import_robot(to_sdf(model, lost), "again.sdf").model;
    if (lost.find(rules::dynamics_lost)) continue;
    expect_same_motion(model, again);
    expect_same_limits(model, again);
    EXPECT_EQ(again.damping(), model.damping());
    EXPECT_EQ(again.friction(), model.friction());
    EXPECT_EQ(again.description().joints.size(), model.description().joints.size());
    for (std::size_t j = 0; j < model.description().joints.size(); ++j)
      EXPECT_EQ(again.description().joints[j].origin, model.description().joints[j].origin);
    ++robots;
  }
  EXPECT_GE(robots, 10);
}

}  // namespace
}  // namespace ulna::test::sdf_files
