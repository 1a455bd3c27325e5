#include <gtest/gtest.h>

#include "support/run_cli.hpp"
#include "ulna/ros2/dds_rig.hpp"

// Robots at addresses of DDS; between two processes they are tested in tests/ros2.
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

}  // namespace
}  // namespace ulna::test
