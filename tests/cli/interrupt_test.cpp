#include "cli.hpp"

// Ctrl-C ends long work with the best that was found so far.

using namespace ulna::test;
using namespace std::chrono_literals;

namespace {

TEST(Interrupt, excite_writes_the_best_motion_so_far) {
  const Folder folder;
  const RunResult r =
      run_cli({"excite", "panda", "--no-collision", "--duration", "5", "--rate", "100", "--starts",
               "1000", "--seconds", "600", "-o", "m.csv", "--json"},
              {.folder = folder.path(), .interrupted_after = 4s});
  EXPECT_EQ(r.status, 1) << r.err;
  EXPECT_EQ(document(r, "ulna.excite/1")["status"], "stopped");
  EXPECT_TRUE(has(r.err, "the best that was found so far"));
  const std::string table = read_file(folder.path("m.csv"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 502);
}

TEST(Interrupt, simulate_writes_the_log_so_far) {
  const Folder folder;
  const RunResult r = run_cli({"simulate", "panda", "--duration", "3600", "--period", "0.1",
                               "--step", "0.001", "--torque", "pd", "-o", "log.csv", "--json"},
                              {.folder = folder.path(), .interrupted_after = 1500ms});
  EXPECT_EQ(r.status, 1) << r.err;
  const json d = document(r, "ulna.simulate/1");
  EXPECT_EQ(d["status"], "stopped");
  EXPECT_LT(d["time"], 3600.0);
  const std::string table = read_file(folder.path("log.csv"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), d["samples"].get<long>() + 1);
}

TEST(Interrupt, mpc_reports_the_run_so_far) {
  const RunResult r =
      run_cli({"mpc", "panda", "--duration", "600", "--rate", "100", "--steps", "8", "--json"},
              {.interrupted_after = 2s});
  EXPECT_EQ(r.status, 1) << r.err;
  const json d = document(r, "ulna.mpc/1");
  EXPECT_FALSE(d["runs"]["identified"]["finished"]);
  EXPECT_GT(d["runs"]["identified"]["steps"], 0);
  EXPECT_TRUE(has(r.err, "stopped"));
}

TEST(Interrupt, what_timeout_sends_ends_work_as_ctrl_c_does) {
  const Folder folder;
  const RunResult r =
      run_cli({"simulate", "quadruped", "--ground", "--duration", "3600", "--period", "0.1", "-o",
               "log.csv", "--json"},
              {.folder = folder.path(), .interrupted_after = 1500ms, .interrupted_by = SIGTERM});
  EXPECT_EQ(r.status, 1) << r.err;
  const json d = document(r, "ulna.simulate/1");
  EXPECT_EQ(d["status"], "stopped");
  // no row twice
  const std::string table = read_file(folder.path("log.csv"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), d["samples"].get<long>() + 1);
  const std::size_t last = table.rfind('\n', table.size() - 2),
                    before = table.rfind('\n', last - 1);
  EXPECT_LT(std::stod(table.substr(before + 1)), std::stod(table.substr(last + 1)));
}

}  // namespace
