#include <cmath>

#include "cli.hpp"

using namespace ulna::test;

namespace {

const std::vector<std::string> all_names{"lagrange-euler", "newton-euler-base", "newton-euler-link",
                                         "dalembert",      "screw-recursive",   "screw-stacked",
                                         "lagrangian",     "sum-form",          "probing",
                                         "fast-inverse",   "fast-mass-matrix",  "fast-forward"};

std::vector<std::string> names(const json& list) {
  std::vector<std::string> result;
  for (const json& one : list) result.push_back(one["name"]);
  return result;
}

const json& named(const json& list, const std::string& name, const std::string& source = "") {
  for (const json& one : list)
    if (one["name"] == name && (source.empty() || one["source"] == source)) return one;
  throw std::runtime_error("nothing is named " + name);
}

TEST(CountVerb, reports_the_operations_of_every_formulation_beside_the_books) {
  const json d = document(run_cli({"count", "puma560", "--json"}), "ulna.count/1");
  EXPECT_EQ(names(d["formulations"]), all_names);
  // six revolute joints, by the tables of Fu 1987
  const json& book = d["book"];
  EXPECT_EQ(named(book, "lagrange-euler", "Fu 1987, Table 3.1")["multiplications"], 102440.0);
  EXPECT_EQ(named(book, "newton-euler-link", "Fu 1987, Table 3.4")["multiplications"],
            117.0 * 6 - 24);
  EXPECT_EQ(named(book, "newton-euler-link", "Fu 1987, Table 3.4")["additions"], 103.0 * 6 - 21);
  const auto mul = [&](const std::string& name) {
    return named(d["formulations"], name)["inverse_dynamics"]["multiplications"].get<int>();
  };
  EXPECT_LT(mul("lagrange-euler"), 102440);
  EXPECT_LT(mul("newton-euler-link"), mul("newton-euler-base"));
  EXPECT_LT(mul("newton-euler-link"), mul("dalembert"));
  EXPECT_LT(mul("dalembert"), mul("lagrange-euler"));
  EXPECT_LE(mul("fast-inverse"), mul("newton-euler-link"));
  EXPECT_TRUE(named(d["formulations"], "fast-forward")["mass_matrix"].is_null());
}

TEST(CountVerb, finds_the_orders_of_growth) {
  const json d = document(run_cli({"count", "chain", "--n", "2..9", "--json"}), "ulna.count/1");
  EXPECT_EQ(d["n"], (json{2, 3, 4, 5, 6, 7, 8, 9}));
  const std::map<std::string, int> orders{
      {"lagrange-euler", 4}, {"newton-euler-base", 1}, {"newton-euler-link", 1},
      {"dalembert", 3},      {"screw-recursive", 1},   {"screw-stacked", 3},
      {"lagrangian", 4},     {"sum-form", 3},          {"probing", 2},
      {"fast-inverse", 1},   {"fast-mass-matrix", 2},  {"fast-forward", 1}};
  for (const json& one : d["formulations"]) {
    EXPECT_EQ(one["order"], orders.at(one["name"])) << one["name"];
    EXPECT_EQ(one["multiplications"].size(), 8u);
  }
  for (const json& one : d["book"]) EXPECT_EQ(one["order"], orders.at(one["name"]));
  EXPECT_EQ(named(d["book"], "lagrange-euler")["polynomial"]["multiplications"],
            "128/3 n^4 + 512/3 n^3 + 844/3 n^2 + 76/3 n");
}

TEST(CountVerb, counts_the_same_for_a_chain_as_for_the_robot_of_that_length) {
  const json many = document(run_cli({"count", "chain", "--n", "7", "--json"}), "ulna.count/1");
  const json one = document(run_cli({"count", "panda", "--json"}), "ulna.count/1");
  for (const json& f : many["formulations"])
    EXPECT_EQ(f["multiplications"][0],
              named(one["formulations"], f["name"])["inverse_dynamics"]["multiplications"]);
  EXPECT_TRUE(many["formulations"][0]["order"].is_null()) << "one length determines no order";
}

TEST(CountVerb, prints_tables_in_80_columns) {
  for (const std::vector<std::string>& line :
       std::vector<std::vector<std::string>>{{"count", "panda"}, {"count", "chain"}}) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 0);
    EXPECT_TRUE(has(r.out, "lagrange-euler"));
    EXPECT_TRUE(has(r.out, "Table 3.1"));
    EXPECT_LE(widest_line(r.out), 80u) << r.out;
  }
}

TEST(CountVerb, draws_the_growth_and_overwrites_only_if_told) {
  const Folder folder;
  const std::string file = folder.path("growth.svg");
  ASSERT_EQ(run_cli({"count", "chain", "--n", "2..6", "--svg", file}).status, 0);
  const std::string svg = read_file(file);
  EXPECT_TRUE(begins(svg, "<svg xmlns="));
  for (const std::string& name : all_names) EXPECT_TRUE(has(svg, ">" + name + "</text>"));
  EXPECT_TRUE(has(svg, "stroke-dasharray"));
  EXPECT_TRUE(lacks(svg, "nan"));
  EXPECT_EQ(run_cli({"count", "chain", "--n", "2..6", "--svg", file}).status, 3);
  EXPECT_EQ(run_cli({"count", "chain", "--n", "2..6", "--svg", file, "--force"}).status, 0);
}

TEST(CountVerb, refuses_ranges_that_make_no_sense) {
  for (const char* range :
       {"5..2", "0..3", "2..65", "a..b", "2..", "..", "2...5", "-1..4", "99999999999999999999"}) {
    const RunResult r = run_cli({"count", "chain", std::string("--n=") + range});
    EXPECT_EQ(r.status, 2) << range;
    EXPECT_EQ(r.out, "");
  }
  EXPECT_EQ(run_cli({"count", "panda", "--n", "2..4"}).status, 2);
  EXPECT_EQ(run_cli({"count", "chain", "--n", "4", "--svg", "x.svg"}).status, 2);
}

TEST(CountVerb, refuses_robots_that_are_no_arms_or_too_long) {
  const RunResult ball = run_cli({"count", "ball_wrist"});
  EXPECT_EQ(ball.status, 3);
  EXPECT_TRUE(has(ball.err, "is ball; the classical formulations are for revolute and prismatic"));
  const RunResult fixed =
      run_cli({"count", "-"}, {.input = "<robot name='r'><link name='l'/></robot>"});
  EXPECT_EQ(fixed.status, 3);
  EXPECT_TRUE(has(fixed.err, "no joint moves"));
  const RunResult many = run_cli({"compare", "chain:2000"});
  EXPECT_EQ(many.status, 3);
  EXPECT_TRUE(has(many.err, "at most 64"));
}

TEST(CompareVerb, finds_all_formulations_in_agreement) {
  for (const char* robot : {"panda", "puma560", "stanford", "scara", "rp_fakhari"}) {
    const json d =
        document(run_cli({"compare", robot, "--json", "--states", "20"}), "ulna.compare/1");
    EXPECT_EQ(names(d["formulations"]), all_names);
    for (const json& one : d["formulations"]) {
      EXPECT_LE(one["max_relative_error"].get<double>(), 1e-10) << robot << " " << one;
      EXPECT_GT(one["multiplications"].get<int>(), 0);
      EXPECT_GT(one["additions"].get<int>(), 0);
      EXPECT_GT(one["ns"].get<double>(), 0.0);
      EXPECT_TRUE(std::isfinite(one["ns"].get<double>()));
    }
  }
}

TEST(CompareVerb, prints_a_table_in_80_columns_and_leaves_out_what_a_tree_cannot_have) {
  const RunResult panda = run_cli({"compare", "panda", "--states", "3"});
  EXPECT_EQ(panda.status, 0);
  EXPECT_LE(widest_line(panda.out), 80u) << panda.out;
  EXPECT_TRUE(has(panda.out, "panda: 7 joints, 3 random states, seed 1"));
  const std::string tree =
      Sample{.robot =
                 "<link name='other'><inertial><mass value='1'/><inertia ixx='0.1' ixy='0' "
                 "ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial></link>"
                 "<joint name='side' type='continuous'><parent link='arm'/>"
                 "<child link='other'/><axis xyz='1 0 0'/></joint>"}
          .urdf();
  const RunResult branched = run_cli({"compare", "-", "--states", "3"}, {.input = tree});
  EXPECT_EQ(branched.status, 0) << branched.err;
  EXPECT_TRUE(lacks(branched.out, "lagrange-euler"));
  EXPECT_TRUE(has(branched.out, "screw-stacked"));
  EXPECT_TRUE(has(branched.out, "The arm has branches"));
}

TEST(CompareVerb, refuses_numbers_of_states_that_make_no_sense) {
  EXPECT_EQ(run_cli({"compare", "panda", "--states", "0"}).status, 2);
  EXPECT_EQ(run_cli({"compare", "panda", "--states", "1000000000"}).status, 2);
  EXPECT_EQ(run_cli({"compare", "panda", "--seed", "x"}).status, 2);
  const RunResult long_chain = run_cli({"compare", "chain:64", "--states", "10000"});
  EXPECT_EQ(long_chain.status, 2);
  EXPECT_TRUE(has(long_chain.err, "at most 298 are compared"));
}

}  // namespace
