#include <cmath>

#include "cli.hpp"

// What is said when filters, limits or fits are to blame. The commands of docs/workflow.md are run by tests/docs.

using namespace ulna::test;

namespace {

/// A double pendulum's log: each joint moves by two sines of up to 1.3 Hz.
std::string log_of_pendulum(const Folder& folder, const std::vector<std::string>& more) {
  std::string motion = "t,q1,q2,qd1,qd2,qdd1,qdd2";
  for (int k = 0; k <= 5000; ++k) {
    const double t = 0.002 * k;
    motion += "\n" + std::to_string(t);
    for (const int order : {0, 1, 2})
      for (const int i : {0, 1}) {
        double x = 0.0;
        for (const auto& [size, w] : {std::pair{0.6, 2.9 + 0.7 * i}, {0.25, 8.1 - 1.3 * i}})
          x += size * std::pow(w, order) * std::sin(w * t + 0.5 * M_PI * order);
        motion += "," + std::to_string(x);
      }
  }
  const std::string table = folder.write("motion.csv", motion + "\n"), log = folder.path("log.csv");
  std::vector<std::string> line{"simulate", "double_pendulum", "--no-limits", "--follow", table,
                                "--period", "0.002",           "-o",          log,        "-f"};
  line.insert(line.end(), more.begin(), more.end());
  const RunResult r = run_cli(line);
  EXPECT_LE(r.status, 1) << r.err;
  return log;
}

TEST(Identify, names_the_filter_where_it_is_to_blame) {
  const Folder folder;
  const auto remarks = [&](const std::string& log, const char* filter) {
    return document(run_cli({"identify", "double_pendulum", log, "--filter", filter, "--json"}),
                    "ulna.identify/1")["remarks"]
        .dump();
  };
  // too low for the motion
  std::string log = log_of_pendulum(folder, {"--noise-qd", "1e-3", "--noise-tau", "0.01"});
  EXPECT_TRUE(has(remarks(log, "0.6"), "the low-pass removes"));
  EXPECT_TRUE(has(remarks(log, "0.6"), "take --filter 4.8"));
  // as it should be
  for (const char* filter : {"5", "10", "20"})
    EXPECT_TRUE(lacks(remarks(log, filter), "low-pass")) << filter;
  // too high for the noise
  log = log_of_pendulum(folder, {"--noise-qd", "0.2", "--noise-tau", "0.01"});
  EXPECT_TRUE(has(remarks(log, "40"), "the low-pass is to blame: with --filter "));
  EXPECT_TRUE(lacks(remarks(log, "5"), "low-pass"));
  // much noise of torques is no matter of the filter, nor are torques of the other joint
  log = log_of_pendulum(folder, {"--noise-tau", "5"});
  EXPECT_TRUE(lacks(remarks(log, "10"), "low-pass"));
  std::string table = read_file(log_of_pendulum(folder, {}));
  const std::string one = "tau_shoulder", other = "tau_elbow";
  table.replace(table.find(one), one.size(), "tau_x");
  table.replace(table.find(other), other.size(), one);
  table.replace(table.find("tau_x"), 5, other);
  EXPECT_TRUE(lacks(remarks(folder.write("swapped.csv", table), "10"), "low-pass"));
}

}  // namespace
