#include "cli.hpp"

using namespace ulna::test;

namespace {

TEST(Tree, panda_looks_as_it_should) {
  expect_golden("tree_panda.txt", run_cli({"tree", "panda"}).out);
}

TEST(Tree, branches_and_fixed_joints_look_as_they_should) {
  expect_golden("tree_quadruped.txt", run_cli({"tree", "quadruped"}).out);
}

TEST(Tree, loops_are_listed_below) {
  EXPECT_TRUE(
      has(run_cli({"tree", "fourbar"}).out, "\nclosure  revolute  -y    coupler ↔ rocker\n"));
}

TEST(Tree, mimics_are_shown) {
  const RunResult r =
      run_cli({"tree", "-"},
              {.input = Sample{.elbow = "<mimic joint=\"shoulder\" multiplier=\"0.5\"/>"}.urdf()});
  EXPECT_TRUE(has(r.out, "= 0.5 × shoulder"));
}

TEST(Tree, ascii_draws_the_same_tree_without_boxes) {
  const RunResult drawn = run_cli({"tree", "--ascii", "quadruped"});
  EXPECT_TRUE(has(drawn.out, "\n   |- FL_hip "));
  EXPECT_TRUE(has(drawn.out, "\n   `- RR_hip "));
  EXPECT_EQ(drawn.out, run_cli({"tree", "quadruped"}, {.environment = {{"LC_ALL", "C"}}}).out);
}

TEST(Tree, json_lists_the_links_from_the_base_outwards) {
  const json d = document(run_cli({"tree", "--json", "panda"}), "ulna.tree/1");
  EXPECT_EQ(keys(d), (std::set<std::string>{"schema", "robot", "links", "loops", "diagnostics"}));
  ASSERT_EQ(d["links"].size(), 9u);
  EXPECT_EQ(d["links"][0],
            (json{{"name", "panda_link0"}, {"depth", 0}, {"parent", nullptr}, {"joint", nullptr}}));
  EXPECT_EQ(d["links"][1]["parent"], "panda_link0");
  EXPECT_EQ(d["links"][1]["joint"], (json{{"name", "panda_joint1"},
                                          {"type", "revolute"},
                                          {"index", 1},
                                          {"axis", {0.0, 0.0, 1.0}},
                                          {"mimic", nullptr}}));
  EXPECT_EQ(d["links"][8]["joint"]["type"], "fixed");
  EXPECT_EQ(d["links"][8]["joint"]["index"], nullptr);
  EXPECT_EQ(
      document(run_cli({"tree", "--json", "fourbar"}), "ulna.tree/1")["loops"][0],
      (json{{"name", "closure"}, {"type", "revolute"}, {"link1", "coupler"}, {"link2", "rocker"}}));
}

TEST(Tree, dot_has_a_node_for_each_link_and_an_edge_for_each_joint) {
  const std::string graph = run_cli({"tree", "--dot", "quadruped"}).out;
  EXPECT_TRUE(begins(graph, "digraph \"quadruped\" {\n"));
  EXPECT_TRUE((graph).ends_with("}\n"));
  std::size_t nodes = 0, edges = 0;
  std::istringstream lines(graph);
  for (std::string line; std::getline(lines, line);)
    if (line.find("->") != line.npos)
      ++edges;
    else if (line.starts_with("  l"))
      ++nodes;
  EXPECT_EQ(nodes, 18u);
  EXPECT_EQ(edges, 17u);
  EXPECT_TRUE(has(graph, "style=dashed"));
}

TEST(Tree, dot_quotes_names_that_would_break_out) {
  const RunResult r =
      run_cli({"tree", "--dot", "-"}, {.input = Sample{.base_name = "a&quot;];x\\N&#10;"}.urdf()});
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(has(r.out, "[label=\"a\\\"];x\\\\N\\\\x0a\"];\n"));
}

TEST(Tree, dot_is_understood_by_graphviz) {
  if (run({"sh", "-c", "command -v dot"}).status != 0) GTEST_SKIP() << "Graphviz is not installed";
  for (const std::string name : {"a&quot;];\\", "b&lt;c&gt;\\N"}) {
    const RunResult graph =
        run_cli({"tree", "--dot", "-"}, {.input = Sample{.base_name = name}.urdf()});
    EXPECT_EQ(run({"dot", "-Tcanon"}, {.input = graph.out}).status, 0) << graph.out;
  }
}

TEST(Tree, deep_robots_keep_their_lines_short) {
  for (const char* chain : {"chain:15", "chain:25", "chain:2000"}) {
    const RunResult r = run_cli({"tree", chain});
    EXPECT_EQ(r.status, 0);
    EXPECT_LE(widest_line(r.out), 120u) << chain;
  }
}

TEST(Tree, a_refused_robot_is_a_failure) {
  EXPECT_EQ(run_cli({"tree", "-"}, {.input = wrong_urdf()}).status, 3);
  EXPECT_EQ(run_cli({"tree", "nowhere.urdf"}).status, 3);
}

}  // namespace
