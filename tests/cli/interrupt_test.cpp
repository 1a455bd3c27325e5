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

/// A Panda's log: each joint moves by two sines.
std::string log_of_panda(const Folder& folder) {
  const double middle[] = {0.0, 0.0, 0.0, -1.5, 0.0, 1.8, 0.0};
  std::string motion = "t";
  for (const char* what : {"q", "qd", "qdd"})
    for (int i = 1; i <= 7; ++i) motion += "," + std::string(what) + std::to_string(i);
  for (int k = 0; k <= 4000; ++k) {
    const double t = 0.002 * k;
    motion += "\n" + std::to_string(t);
    for (const int order : {0, 1, 2})
      for (int i = 0; i < 7; ++i) {
        double x = order == 0 ? middle[i] : 0.0;
        for (const auto& [size, w] : {std::pair{0.4, 1.7 + 0.3 * i}, {0.15, 4.1 - 0.2 * i}})
          x += size * std::pow(w, order) * std::sin(w * t + 0.5 * M_PI * order);
        motion += "," + std::to_string(x);
      }
  }
  const std::string table = folder.write("motion.csv", motion + "\n"), log = folder.path("log.csv");
  const RunResult r =
      run_cli({"simulate", "panda", "--follow", table, "--period", "0.002", "--vary", "20",
               "--noise-q", "1e-5", "--noise-qd", "1e-3", "--noise-tau", "0.05", "-o", log});
  EXPECT_LE(r.status, 1) << r.err;
  return log;
}

TEST(Interrupt, refinement_ends_at_once_with_the_best_so_far) {
  const Folder folder;
  const std::string log = log_of_panda(folder);
  // wherever it is: in the estimate before, or in an iteration
  for (const auto after : {1000ms, 3000ms, 5300ms}) {
    const RunResult r = run_cli({"identify", "panda", log, "--method", "refine", "--json"},
                                {.interrupted_after = after});
    if (has(r.err, "built without Ceres")) GTEST_SKIP() << r.err;
    EXPECT_EQ(r.status, 1) << r.err;
    const json d = document(r, "ulna.identify/1");
    EXPECT_EQ(d["refinement"]["status"], "stopped");
    EXPECT_TRUE(has(d["findings"].dump(), "deviations are those of the estimate"));
    EXPECT_TRUE(has(r.err, "deviations those of the estimate it began with"));
    EXPECT_LT(r.seconds_to_end, 2.0) << after.count();
  }
}

TEST(Interrupt, identification_keeps_what_was_found_before) {
  const Folder folder;
  const std::string log = log_of_panda(folder);
  const auto interrupted = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"identify", "panda", log, "--json"});
    const RunResult r = run_cli(options, {.interrupted_after = 3s});
    EXPECT_EQ(r.status, 1) << r.err;
    EXPECT_LT(r.seconds_to_end, 1.0);
    const json d = document(r, "ulna.identify/1");
    EXPECT_TRUE(d["stopped"].get<bool>());
    EXPECT_TRUE(has(d["findings"].dump(), "stopped: what was found so far, without"));
    EXPECT_TRUE(has(r.err, "stopped: what was found so far, without"));
    EXPECT_TRUE(d["consistent"].get<bool>());
    EXPECT_LT(d["fit"]["total_percent"], 25.0);
    return d;
  };
  const json folds = interrupted({"--folds", "1000"})["cross_validation"];
  EXPECT_GT(folds["parts"], 0);
  EXPECT_LT(folds["parts"], 1000);
  EXPECT_GT(folds["total_percent"], 0.0);
}

TEST(Interrupt, before_there_is_an_estimate_identify_ends_as_other_verbs_do) {
  const Folder folder;
  const std::string log = log_of_panda(folder);
  for (const auto after : {50ms, 100ms, 200ms}) {
    const RunResult r = run({command_path(), "identify", "panda", log, "--folds", "100", "--json"},
                            {.interrupted_after = after});
    // a signal may come before the program has begun, or after its first estimate
    if (r.signal == SIGINT && r.out.empty()) continue;
    const json d = document(r, "ulna.identify/1");
    EXPECT_TRUE(d.value("error", "") == "interrupted" || d.value("stopped", false)) << r.out;
  }
}

TEST(Interrupt, ik_ends_with_the_best_configuration_so_far) {
  const RunResult r = run_cli(
      {"ik", "chain:40", "--frame", "link40", "--xyz", "100,0,0", "--restarts", "10000", "--json"},
      {.interrupted_after = 500ms});
  EXPECT_EQ(r.status, 1) << r.err;
  EXPECT_LT(r.seconds_to_end, 0.5);
  const json d = document(r, "ulna.ik/1");
  EXPECT_FALSE(d["found"].get<bool>());
  EXPECT_TRUE(d["stopped"].get<bool>());
  EXPECT_EQ(d["q"].size(), 40u);
  EXPECT_GT(d["starts"], 1);
  EXPECT_LT(d["starts"], 10001);
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

TEST(Heartbeat, shows_a_person_that_a_verb_is_computing) {
  const std::vector<std::string> line{"mpc", "chain:64", "--duration", "0.1"};
  EXPECT_TRUE(has(run_cli(line, {.terminal = true, .killed_after = 6s}).out, "computing, "));
  const RunResult piped = run_cli(line, {.killed_after = 4s});
  EXPECT_TRUE(lacks(piped.err, "computing"));
  EXPECT_TRUE(lacks(run_cli({"info", "panda"}, {.terminal = true}).out, "computing"));
}

TEST(Interrupt, any_verb_ends_with_one_document) {
  const Folder folder;
  std::string table = "q1,q2,qd1,qd2,qdd1,qdd2\n";
  for (int i = 0; i < 400000; ++i) table += "0.1,0.2,0.3,0.4,0.5,0.6\n";
  const std::string motion = folder.write("motion.csv", table);
  int interrupted = 0;
  for (const std::vector<std::string>& line :
       std::vector<std::vector<std::string>>{{"count", "chain", "--n", "2..64"},
                                             {"compare", "chain:40", "--states", "500"},
                                             {"codegen", "humanoid", "-o", folder.path("c"),
                                              "--functions", "Y,did,dfd,id,fd,M,Minv", "-f"},
                                             {"equations", "puma560"},
                                             {"terms", "double_pendulum", motion},
                                             {"id", "double_pendulum", "-"}})
    for (const int signal : {SIGINT, SIGTERM}) {
      std::vector<std::string> command = line;
      command.insert(command.begin(), command_path());
      command.push_back("--json");
      const RunResult r = run(command, {.input = line.back() == "-" ? table : "",
                                        .interrupted_after = 700ms,
                                        .interrupted_by = signal});
      const json d = document(r, "ulna." + line[0] + "/1");
      // one that was quicker has its result
      if (r.status == 0) continue;
      ++interrupted;
      EXPECT_EQ(r.signal, signal) << line[0];
      EXPECT_EQ(d.value("error", ""), "interrupted") << line[0];
    }
  EXPECT_GT(interrupted, 0);
}

}  // namespace
