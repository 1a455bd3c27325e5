#include <gtest/gtest.h>

#include "rig_process.hpp"
#include "ulna/ros2/dds_rig.hpp"

// Robots at addresses of DDS.
namespace ulna::test {
namespace {

TEST(DriveOverDds, refuses_addresses_that_are_none) {
  for (const std::vector<std::string>& verb :
       {std::vector<std::string>{"drive", "panda", "--hold", "1"}, {"rig", "panda"}}) {
    std::vector<std::string> words = verb;
    words.insert(words.end(), {"--address", "dds:domian=3"});
    const RunResult done = run_cli(words);
    EXPECT_EQ(done.status, 2) << done.err;
    EXPECT_NE(done.err.find("did you mean 'domain'"), std::string::npos) << done.err;
  }
}

TEST(DriveOverDds, says_who_is_missing) {
  const std::string domain = std::to_string(1 + getpid() % 47);
  const RunResult done = run_cli(
      {"drive", "panda", "--address", "dds:domain=" + domain, "--wait", "0.2", "--hold", "1"});
  EXPECT_GE(done.status, 3) << done.err;
  EXPECT_NE(done.err.find(ros2::has_dds()
                              ? "nobody publishes sensor_msgs/msg/JointState on 'joint_states'"
                              : "without Cyclone DDS"),
            std::string::npos)
      << done.err;
}

TEST(DriveOverDds, checks_and_drives_a_robot_that_says_that_it_holds_itself) {
  if (!ros2::has_dds()) GTEST_SKIP() << "built without Cyclone DDS";
  const std::string address = "dds:domain=" + std::to_string(1 + getpid() % 47);
  const RigProcess robot(
      {"twolink_fu", "--address", address, "--rate", "500", "--watchdog", "0.5"});
  const auto tries = [&](const std::vector<std::string>& task, auto good) {
    // a machine that stalls is no robot's fault
    json d;
    for (int attempt = 0; attempt < 4; ++attempt) {
      std::vector<std::string> line{"drive", "twolink_fu", "--address", address, "--rate",
                                    "500",   "--wait",     "30",        "--json"};
      line.insert(line.end(), task.begin(), task.end());
      const RunResult r = run_cli(line);
      EXPECT_LE(r.status, 1) << r.err;
      if (r.status > 1) return json();
      if (good(d = document(r, "ulna.drive/1"))) break;
    }
    return d;
  };
  const json held = tries({"--hold", "0.5"}, [](const json& d) {
    return d["summary"]["end"] == "finished" && d["summary"]["holds"] == true;
  });
  EXPECT_EQ(held["summary"]["end"], "finished") << held.dump(1);
  EXPECT_TRUE(held["summary"]["rests"] == true && held["summary"]["holds"] == true) << held.dump(1);
  const json checked =
      tries({"--checks"}, [](const json& d) { return d["contact"].value("complete", false); });
  EXPECT_TRUE(checked["contact"].value("complete", false)) << checked.dump(1);
}

}  // namespace
}  // namespace ulna::test
