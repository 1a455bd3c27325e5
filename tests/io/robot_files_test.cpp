#include "support/robot_files.hpp"

#include <cstdio>

namespace ulna::test {
namespace {

TEST(RobotFiles, in_xacro_are_the_robots_that_urdf_describes) {
  const auto files = robot_files("xacro");
  EXPECT_GE(files.size(), 20u);
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename());
    const Model model = load_robot(file.string()).model, urdf = urdf_of(model.name());
    expect_same_robot(urdf, model, true);
    // what URDF of ulna's own has passes through
    EXPECT_EQ(model.description().loops.size(), urdf.description().loops.size());
    for (const JointDescription& j : urdf.description().joints) {
      const auto same =
          std::ranges::find(model.description().joints, j.name, &JointDescription::name);
      ASSERT_NE(same, model.description().joints.end()) << j.name;
      EXPECT_EQ(j.spring, same->spring) << j.name;
    }
  }
}

TEST(RobotFiles, in_mjcf_are_the_robots_that_urdf_describes) {
  const auto files = robot_files("mjcf");
  EXPECT_GE(files.size(), 20u);
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename());
    const Model model = load_robot(file.string()).model;
    expect_same_robot(as_in_mjcf(urdf_of(model.name())), model, false);
  }
}

TEST(RobotFiles, in_sdf_are_the_robots_that_urdf_describes) {
  const auto files = robot_files("sdf");
  EXPECT_GE(files.size(), 20u);
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename());
    Model model = load_robot(file.string()).model;
    const Model urdf = as_in_sdf(urdf_of(model.name()));
    if (urdf.joint_count() > 0 && urdf.joint(1).type == JointType::floating)
      model = with_floating_base(model);
    expect_same_robot(urdf, model, true);
  }
}

}  // namespace
}  // namespace ulna::test
