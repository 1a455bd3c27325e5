#include "pages.hpp"

using namespace ulna::test;

namespace {

TEST(SimplifyVerb, proposes_a_model_within_the_tolerance) {
  int terms = 1000;
  for (const auto& [text, share] : {std::pair{"0.1%", 0.001}, {"1%", 0.01}, {"0.05", 0.05}}) {
    const json d =
        document(run_cli({"simplify", "puma560", "quintic:3", "--tolerance", text, "--json"}),
                 "ulna.simplify/1");
    EXPECT_EQ(d["tolerance"], share);
    ASSERT_EQ(d["joints"].size(), 6u);
    for (const json& joint : d["joints"]) EXPECT_LE(joint["error"].get<double>(), share + 1e-12);
    EXPECT_LT(d["reduced"]["multiplications"], d["full"]["multiplications"]);
    EXPECT_LE(d["reduced"]["terms"].get<int>(), terms);
    terms = d["reduced"]["terms"];
    EXPECT_EQ(d["full"]["terms"], 60);
    EXPECT_EQ(d["terms"].size(), 60u);
  }
}

TEST(SimplifyVerb, reads_a_table) {
  const std::string table = "t,q1,q2,qd1,qd2,qdd1,qdd2\n0,0.1,0.2,1,1,0.5,0\n1,0.4,0.9,0.5,2,0,1\n";
  const json d = document(
      run_cli({"simplify", "twolink_fu", "-", "--other", "quintic:1", "--json"}, {.input = table}),
      "ulna.simplify/1");
  EXPECT_EQ(d["points"], 2);
  const RunResult text = run_cli({"simplify", "twolink_fu", "-"}, {.input = table});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_LE(widest_line(text.out), 80u) << text.out;
  // both links are rods that turn about the same axis: no rotation is felt but its inertia
  EXPECT_TRUE(has(text.out, "dropped\n"));
}

TEST(SimplifyVerb, draws_two_pictures_and_a_page_that_need_nothing_else) {
  const Folder folder;
  const RunResult r = run_cli({"simplify", "puma560", "quintic:1", "--svg", folder.path("p.svg"),
                               "--html", folder.path("p.html")});
  ASSERT_EQ(r.status, 0) << r.err;
  for (const char* name : {"p-D.svg", "p-h.svg"}) {
    const std::string svg = read_file(folder.path(name));
    EXPECT_TRUE(begins(svg, "<svg xmlns='http://www.w3.org/2000/svg'"));
    EXPECT_TRUE(lacks(svg, "nan"));
    EXPECT_TRUE(lacks(svg, "inf"));
  }
  EXPECT_TRUE(has(read_file(folder.path("p-D.svg")), ">D56 (zero)<"));
  const json data = data_of(folder.path("p.html")), report = message(data, "report");
  EXPECT_EQ(blocks_of(report, "plots").size(), 3u);
  EXPECT_EQ(blocks_of(report, "table").size(), 1u);
  EXPECT_TRUE(has(message(data, "channels").dump(), "D56 (zero)"));
  EXPECT_EQ(run_cli({"simplify", "puma560", "quintic:1", "--html", folder.path("p.html")}).status,
            3)
      << "overwrites";
  EXPECT_EQ(
      run_cli({"simplify", "puma560", "quintic:1", "--html", folder.path("p.html"), "-f"}).status,
      0);
}

TEST(SimplifyVerb, refuses_what_makes_no_sense) {
  for (const char* wrong : {"x", "-1%", "1%%", "", "nan"})
    EXPECT_EQ(run_cli({"simplify", "puma560", "quintic", "--tolerance", wrong}).status, 2) << wrong;
  for (const char* wrong : {"quintic:", "quintic:x", "quintic:-1", "quintic:99999999999"})
    EXPECT_EQ(run_cli({"simplify", "puma560", wrong}).status, 2) << wrong;
  EXPECT_EQ(run_cli({"simplify", "puma560", "/nowhere.csv"}).status, 3);
  EXPECT_EQ(run_cli({"simplify", "quadruped", "quintic"}).status, 3);
  const RunResult partial = run_cli({"simplify", "pendulum", "-"}, {.input = "q1,qd1\n0,1\n"});
  EXPECT_EQ(partial.status, 3);
  EXPECT_TRUE(has(partial.err, "there are no columns for qdd: qdd_pivot"));
  EXPECT_EQ(run_cli({"simplify", "pendulum", "-"}, {.input = "q1,qd1,qdd1\n"}).status, 3);
}

}  // namespace
