#include "cli.hpp"

using namespace ulna::test;

namespace {

constexpr const char* yard = R"(ulna: scene
name: yard
materials:
  rubber: {friction: 0.9, restitution: 0.2}
ground: rubber
bodies:
  - {name: crate, shape: box, size: [0.2, 0.2, 0.2], mass: 2, xyz: [0, 0, 0.3]}
  - {name: ball, shape: sphere, radius: 0.1, mass: 1, xyz: [0, 1, 0.2], material: rubber}
)";

RunResult simulate_scene(std::vector<std::string> arguments, const std::string& folder = "/") {
  arguments.insert(arguments.begin(), "simulate");
  return run_cli(arguments, {.folder = folder});
}

TEST(SimulateScene, reports_objects_contacts_and_energy_by_its_causes) {
  const Folder folder;
  folder.write("yard.yaml", yard);
  const RunResult r = simulate_scene({"yard.yaml", "--duration", "1"}, folder.path());
  EXPECT_EQ(r.status, 0) << r.err;
  for (const char* word : {"yard: 1 s in steps of 0.001 s", "crate", "19.620", "lost in impacts",
                           "lost in friction", "Coulomb's law kept to"})
    EXPECT_TRUE(has(r.out, word));
  EXPECT_LE(widest_line(r.out), 80u);
}

TEST(SimulateScene, writes_a_log_with_contact_forces_and_a_drawing) {
  const Folder folder;
  folder.write("yard.yaml", yard);
  const RunResult r = simulate_scene({"yard.yaml", "--duration", "0.5", "--period", "0.01", "-o",
                                      "log.csv", "--plot", "p.svg", "--picture", "scene.svg"},
                                     folder.path());
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(begins(read_file(folder.path("log.csv")), "t,crate.qw,"));
  EXPECT_TRUE(has(read_file(folder.path("log.csv")), "ball.fz"));
  EXPECT_TRUE(has(read_file(folder.path("p.svg")), "contact force"));
  const std::string picture = read_file(folder.path("scene.svg"));
  EXPECT_TRUE(has(picture, "yard, 0.5 s"));
  EXPECT_TRUE(has(picture, "url(#tip)"));  // of a contact force
}

TEST(SimulateScene, prints_json_that_lists_every_contact) {
  const Folder folder;
  folder.write("yard.yaml", yard);
  const RunResult r = simulate_scene({"yard.yaml", "--duration", "1", "--json"}, folder.path());
  EXPECT_EQ(r.status, 0) << r.err;
  const auto document = nlohmann::json::parse(r.out);
  EXPECT_EQ(document["scene"], "yard");
  EXPECT_EQ(document["contacts"].size(), 5u);
  // 2 kg
  EXPECT_NEAR(document["objects"][1]["contact_force"][2].get<double>(), 19.62, 1e-6);
}

TEST(SimulateScene, a_quadruped_stands_on_the_ground_by_pd) {
  const RunResult r = simulate_scene(
      {"quadruped", "--floating-base", "--ground", "--torque", "pd", "--duration", "2"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(has(r.out, "294.300"));
}

TEST(SimulateScene, adaptive_steps_end_at_events) {
  const Folder folder;
  const std::string ball =
      "ulna: scene\nmaterials:\n  stone: {friction: 0.5, restitution: 0.5}\n"
      "ground: stone\nbodies:\n"
      "  - {name: ball, shape: sphere, radius: 0.1, mass: 1, xyz: [0, 0, 0.6], material: stone}\n";
  folder.write("ball.yaml", ball);
  const RunResult r =
      simulate_scene({"ball.yaml", "--integrator", "adaptive", "--duration", "0.5"}, folder.path());
  if (has(r.err, "without SUNDIALS")) GTEST_SKIP() << r.err;
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(has(r.out, "adaptive steps to 1e-08 between 1 event")) << r.out;
  std::string soft = ball;
  soft.replace(soft.find("restitution: 0.5"), 16, "stiffness: 10000");
  folder.write("soft.yaml", soft);
  const RunResult refused =
      simulate_scene({"soft.yaml", "--integrator", "adaptive"}, folder.path());
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(has(refused.err, "gives way")) << refused.err;
  EXPECT_EQ(simulate_scene({"ball.yaml", "--integrator", "rk4"}, folder.path()).status, 2);
}

TEST(SimulateScene, refuses_bad_scenes_with_file_and_line) {
  const Folder folder;
  std::string bad = yard;
  bad.replace(bad.find("friction: 0.9"), 13, "friction: -1");
  folder.write("bad.yaml", bad);
  const RunResult r = simulate_scene({"bad.yaml"}, folder.path());
  EXPECT_EQ(r.status, 3);
  EXPECT_TRUE(has(r.err, "bad.yaml:4"));
  EXPECT_EQ(simulate_scene({"panda", "--friction", "0.5"}).status, 2);
  EXPECT_EQ(simulate_scene({"panda", "--picture", "p.svg"}).status, 2);
  EXPECT_EQ(simulate_scene({"panda", "--ground", "--follow", "x.csv"}).status, 2);
}

}  // namespace
