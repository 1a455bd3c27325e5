#include "cli.hpp"

using namespace ulna::test;

namespace {

/// Few iterations: what is found need not be good here.
const std::vector<std::string> few_steps{"--duration", "5", "--harmonics",  "3",
                                         "--starts",   "1", "--iterations", "3"};

RunResult excite(std::vector<std::string> arguments, const std::string& folder = "/") {
  arguments.insert(arguments.begin(), "excite");
  arguments.insert(arguments.end(), few_steps.begin(), few_steps.end());
  return run_cli(arguments, {.folder = folder});
}

TEST(Excite, tells_what_the_motion_is_worth_and_what_it_uses) {
  const RunResult r = excite({"panda"});
  EXPECT_EQ(r.status, 0) << r.err;
  for (const char* word : {"64 of 64 base parameters", "log det", "condition number", "seeds 1",
                           "panda_joint7", "position", "velocity", "torque", "at least"})
    EXPECT_TRUE(has(r.out, word)) << word;
}

TEST(Excite, writes_a_table_that_other_verbs_read) {
  const Folder folder;
  const RunResult r =
      excite({"panda", "--rate", "100", "-o", "m.csv", "--plot", "m.svg"}, folder.path());
  ASSERT_EQ(r.status, 0) << r.err;
  const std::string table = read_file(folder.path() + "/m.csv");
  EXPECT_TRUE(table.starts_with("t,q_panda_joint1,"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 502);
  EXPECT_TRUE(has(read_file(folder.path() + "/m.svg"), "</svg>"));
  // inverse dynamics of the motion are the torques that the table has
  const RunResult id = run_cli({"id", "panda", "m.csv"}, {.folder = folder.path()});
  ASSERT_EQ(id.status, 0) << id.err;
  const auto last_number = [](const std::string& text) {
    const std::string line = text.substr(0, text.size() - 1);
    return std::stod(line.substr(line.rfind(',') + 1));
  };
  EXPECT_NEAR(last_number(id.out), last_number(table), 1e-9);
  // a file is not overwritten by mistake
  EXPECT_EQ(excite({"panda", "-o", "m.csv"}, folder.path()).status, 3);
  EXPECT_EQ(excite({"panda", "--rate", "10", "-o", "m.csv", "-f"}, folder.path()).status, 0);
}

TEST(Excite, is_the_same_every_time) {
  const RunResult one = excite({"ur5e", "--json", "--kind", "bspline"});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(excite({"ur5e", "--json", "--kind", "bspline"}).out, one.out);
  EXPECT_NE(excite({"ur5e", "--json", "--kind", "bspline", "--seed", "7"}).out, one.out);
}

TEST(Excite, prints_the_table_alone_if_asked) {
  const RunResult r = excite({"pendulum", "--rate", "10", "-o", "-"});
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(r.out.starts_with("t,q_pivot,qd_pivot,qdd_pivot,tau_pivot\n"));
  EXPECT_EQ(excite({"pendulum", "--json", "-o", "-"}).status, 2);
}

TEST(Excite, a_payload_counts) {
  const json with =
      document(excite({"panda", "--json", "--payload", "3,0,0,0.1"}), "ulna.excite/1");
  const json without = document(excite({"panda", "--json"}), "ulna.excite/1");
  EXPECT_NE(with["coefficients"], without["coefficients"]);
}

TEST(Excite, a_motion_that_does_not_excite_all_parameters_is_a_finding) {
  const std::vector<std::string> line{"excite",   "panda", "--no-collision", "--duration", "1e-3",
                                      "--starts", "1",     "--iterations",   "0"};
  const RunResult r = run_cli(line);
  EXPECT_EQ(r.status, 1) << r.out;
  EXPECT_TRUE(has(r.err, "base parameters, so the others cannot be identified from it"));
  EXPECT_TRUE(lacks(r.out, "inf"));
}

TEST(Excite, refuses_with_a_reason) {
  EXPECT_TRUE(has(excite({"ball_wrist"}).err, "has several coordinates"));
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--limits", "1.5"},
                                                        {"--limits", "nan"},
                                                        {"--rate", "-1"},
                                                        {"--rate", "1e9"},
                                                        {"--kind", "square"},
                                                        {"--friction", "sticky"},
                                                        {"--payload", "-1"},
                                                        {"--payload", "1,2"},
                                                        {"--radius", "-1"},
                                                        {"--seconds", "0"}}) {
    const RunResult r = excite({"panda", option, value});
    EXPECT_EQ(r.status, 2) << option << " " << value;
    EXPECT_TRUE(has(r.err, option)) << r.err;
    EXPECT_EQ(r.out, "");
  }
  EXPECT_EQ(run_cli({"excite", "panda", "--duration", "1e9"}).status, 2);
  EXPECT_EQ(run_cli({"excite", "panda", "--harmonics", "100"}).status, 3);
}

}  // namespace
