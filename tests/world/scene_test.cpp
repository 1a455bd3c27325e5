#include "ulna/world/scene.hpp"

#include <gtest/gtest.h>

#include "support/documented_rules.hpp"
#include "ulna/model/builder.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/model/rules.hpp"
#include "ulna/world/scene_rules.hpp"
#include "world/bodies.hpp"

namespace ulna::test {
namespace {

constexpr const char* small_scene = R"(ulna: scene
name: yard
step: 0.002
materials:
  rubber: {friction: 0.9, restitution: 0.2}
  mat: {friction: 0.5, stiffness: 20000, damping: 100}
ground: {height: -0.1, material: mat}
obstacles:
  - {name: wall, shape: box, size: [0.1, 2, 1], xyz: [1, 0, 0.4], material: rubber}
bodies:
  - {name: crate, shape: box, size: [0.2, 0.2, 0.2], mass: 2, xyz: [0, 0, 0.5], velocity: [1, 0, 0]}
  - {name: ball, shape: sphere, radius: 0.1, mass: 1e-7, xyz: [0, 1, 0.5], material: {friction: 0.1}}
robots:
  - {robot: panda, xyz: [-2, 0, 0], q: {panda_joint2: -0.5}, torque: gravity}
)";

/// The errors of a text as people see them.
std::string scene_errors(const std::string& text) {
  Diagnostics out;
  try {
    build_scene(import_scene(text, "yard.yaml", out), out);
  } catch (const ModelError& e) {
    return e.what();
  }
  return "";
}

std::string with_line(const std::string& line) { return std::string(small_scene) + line + "\n"; }

std::string replaced_in_scene(const std::string& what, const std::string& by) {
  std::string text = small_scene;
  return text.replace(text.find(what), what.size(), by);
}

TEST(Scene, is_read_as_it_is_written) {
  Diagnostics out;
  EXPECT_TRUE(is_scene(small_scene));
  EXPECT_FALSE(is_scene("ulna: dh\njoints: []\n"));
  const Scene scene = import_scene(small_scene, "yard.yaml", out);
  EXPECT_EQ(scene.name, "yard");
  EXPECT_EQ(scene.options.step, 0.002);
  ASSERT_EQ(scene.fixed.size(), 2u);
  EXPECT_EQ(scene.fixed[0].material.compliance.stiffness, 20000.0);
  EXPECT_EQ(scene.fixed[1].material.restitution, 0.2);
  ASSERT_EQ(scene.bodies.size(), 2u);
  EXPECT_EQ(scene.bodies[0].velocity.x(), 1.0);
  EXPECT_EQ(scene.bodies[1].body.material.friction, 0.1);
  ASSERT_EQ(scene.robots.size(), 1u);
  EXPECT_EQ(scene.robots[0].q(1), -0.5);
  BuiltScene built = build_scene(scene, out);
  EXPECT_EQ(built.world.object_count(), 5);
  EXPECT_NE(out.list().size(), 0u);  // the ball weighs a ten-millionth of the crate
  run_world(built.world, 0.1);
  EXPECT_GT(built.world.pose(built.bodies[0]).translation().x(), 0.09);
}

TEST(Scene, errors_name_the_line_and_the_remedy) {
  const auto expect = [](const std::string& text, std::initializer_list<const char*> parts) {
    const std::string error = scene_errors(text);
    for (const char* part : parts) EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  expect(with_line("obstacle: []"), {"yard.yaml:15", "obstacle", "obstacles"});
  expect(with_line("weather: fine"), {"yard.yaml:15", "weather", "unknown"});
  expect(replaced_in_scene("friction: 0.9", "friction: -0.9"), {"yard.yaml:5", "rubber", "-0.9"});
  expect(replaced_in_scene("restitution: 0.2", "restitution: 1.2"), {"yard.yaml:5", "restitution"});
  expect(replaced_in_scene("mass: 2", "mass: 0"), {"yard.yaml:11", "crate", "mass"});
  expect(replaced_in_scene("mass: 2, ", ""), {"yard.yaml:11", "crate", "mass"});
  expect(replaced_in_scene("shape: box, size: [0.2", "shape: bax, size: [0.2"),
         {"yard.yaml:11", "did you mean 'box'"});
  expect(replaced_in_scene("material: rubber", "material: ruber"),
         {"yard.yaml:9", "did you mean 'rubber'"});
  expect(replaced_in_scene("panda_joint2", "panda_joint9"), {"yard.yaml:14", "panda_joint9"});
  expect(replaced_in_scene("robot: panda", "robot: pandda"), {"pandda", "did you mean 'panda'"});
  expect("ulna: scene\nbodies: [", {"yard.yaml"});
}

TEST(Scene, numbers_that_no_scene_has_are_refused_with_their_line) {
  for (const auto& [what, by] : std::vector<std::pair<const char*, const char*>>{
           {"mass: 2", "mass: 1e155"},
           {"mass: 2", "mass: 5e-324"},
           {"size: [0.2, 0.2, 0.2]", "size: [1e155, 0.2, 0.2]"},
           {"size: [0.2, 0.2, 0.2]", "size: [0.2, 0.2, 1e-300]"},
           {"size: [0.2, 0.2, 0.2]", "size: [0.2, 0.2, 0.2], inertia: [1, 1, 3]"},
           {"xyz: [0, 0, 0.5]", "xyz: [1e7, 0, 0]"},
           {"velocity: [1, 0, 0]", "velocity: [1e9, 0, 0]"},
           {"velocity: [1, 0, 0]", "spin: [0, 0, 1e9]"},
           {"step: 0.002", "step: 1e308"},
           {"step: 0.002", "gravity: [0, 0, -1e9]"}}) {
    ASSERT_NE(std::string(small_scene).find(what), std::string::npos) << what;
    const std::string error = scene_errors(replaced_in_scene(what, by));
    EXPECT_NE(error.find("body-range"), std::string::npos) << by << ": " << error;
    EXPECT_EQ(error.find("yard.yaml:0"), std::string::npos) << by << ": " << error;
    EXPECT_NE(error.find("yard.yaml:"), std::string::npos) << by << ": " << error;
  }
  // an angle of 90 is used, and doubted
  Diagnostics out;
  (void)import_scene(replaced_in_scene("velocity: [1, 0, 0]", "rpy: [0, 0, 90]"), "yard.yaml", out);
  EXPECT_TRUE(out.find(rules::angle_degrees));
}

TEST(Scene, bodies_inside_each_other_are_reported_and_pushed_apart) {
  Diagnostics out;
  const Scene scene =
      import_scene(replaced_in_scene("xyz: [0, 1, 0.5]", "xyz: [0, 0, 0.55]"), "yard.yaml", out);
  BuiltScene built = build_scene(scene, out);
  bool found = false;
  for (const Diagnostic& d : out.list())
    found |= d.str().find("bodies-overlap") != std::string::npos && d.source.line == 12;
  EXPECT_TRUE(found);
  run_world(built.world, 0.5);
  for (const World::Overlap& o : built.world.overlaps())
    EXPECT_EQ(o.first, 0);  // the ground is a mat
}

TEST(Scene, a_loop_that_cannot_close_is_refused_with_its_line) {
  Description d = load_robot("fourbar").model.description();
  d.loops.at(0).origin1.xyz.x() += 10.0;
  const Model model = Builder(d).build();
  Scene scene;
  scene.file = "yard.yaml";
  scene.robots.push_back({"bars", model, neutral(model), Eigen::VectorXd::Zero(model.nv())});
  scene.robots[0].line = 7;
  Diagnostics out;
  try {
    (void)build_scene(scene, out);
    FAIL() << "not refused";
  } catch (const ModelError& e) {
    const std::string error = e.what();
    for (const char* part : {"yard.yaml:7", "loop-open", "bars"})
      EXPECT_NE(error.find(part), std::string::npos) << error;
  }
}

TEST(SceneRules, are_documented_with_their_severity_and_no_others) {
  expect_documented(scene_rules::all, "docs/contact.md");
}

}  // namespace
}  // namespace ulna::test
