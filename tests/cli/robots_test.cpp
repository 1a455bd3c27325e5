#include "cli.hpp"
#include "ulna/ulna.hpp"

using namespace ulna::test;

namespace {

TEST(Robots, lists_every_embedded_robot_in_80_columns) {
  const RunResult r = run_cli({"robots"});
  EXPECT_EQ(r.status, 0);
  EXPECT_LE(widest_line(r.out), 80u) << r.out;
  for (const auto& robot : ulna::embedded_robots())
    EXPECT_TRUE(has(r.out, "\n" + std::string(robot.name) + " "));
  EXPECT_TRUE(has(r.out, "Franka Emika Panda, 7-axis arm without hand\n"));
  EXPECT_TRUE(has(r.out, "chain:N"));
}

TEST(Robots, prints_the_file_of_one_to_the_last_byte) {
  for (const auto& robot : ulna::embedded_robots())
    EXPECT_EQ(run_cli({"robots", std::string(robot.name)}).out, robot.text);
}

TEST(Robots, names_are_printed_one_a_line) {
  std::string expected;
  for (const auto& robot : ulna::embedded_robots()) expected += std::string(robot.name) + "\n";
  EXPECT_EQ(run_cli({"robots", "--names"}).out, expected);
}

TEST(Robots, json_has_what_the_table_has_and_where_figures_are_from) {
  const json d = document(run_cli({"robots", "--json"}), "ulna.robots/1");
  ASSERT_EQ(d["robots"].size(), ulna::embedded_robots().size());
  for (const json& robot : d["robots"]) {
    EXPECT_EQ(keys(robot),
              (std::set<std::string>{"name", "file", "dof", "mass", "description", "source"}));
    EXPECT_GT(robot["dof"], 0);
    EXPECT_FALSE(robot["description"].get<std::string>().empty()) << robot["name"];
    EXPECT_FALSE(robot["source"].get<std::string>().empty()) << robot["name"];
  }
}

TEST(Robots, json_of_one_has_its_text) {
  const json d = document(run_cli({"robots", "--json", "panda"}), "ulna.robots/1");
  ASSERT_EQ(d["robots"].size(), 1u);
  EXPECT_EQ(d["robots"][0]["dof"], 7);
  EXPECT_EQ(d["robots"][0]["text"], run_cli({"robots", "panda"}).out);
}

TEST(Robots, a_generated_chain_is_printed_as_urdf) {
  const RunResult r = run_cli({"robots", "chain:3"});
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(has(r.out, "<joint name=\"joint3\""));
  EXPECT_EQ(run_cli({"robots", "chain:0"}).status, 3);
  EXPECT_EQ(document(run_cli({"robots", "--json", "chain:3"}), "ulna.robots/1")["robots"][0]["dof"],
            3);
}

TEST(Robots, an_unknown_name_is_a_failure_with_advice_as_in_every_verb) {
  const RunResult r = run_cli({"robots", "pand"});
  EXPECT_EQ(r.status, 3);
  EXPECT_EQ(run_cli({"info", "pand"}).status, 3);
  EXPECT_TRUE(has(r.err, "did you mean 'panda'?"));
}

}  // namespace
