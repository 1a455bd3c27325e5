#include "cli.hpp"
#include "rig_process.hpp"

using namespace ulna::test;

namespace {

TEST(DriveVerb, drives_a_robot_in_simulated_time_and_records_what_identify_reads) {
  const Folder folder;
  const std::string run = folder.path("run.csv");
  const std::vector<std::string> line{
      "drive",    "panda",  "--address",
      "sim:ulna", "--goal", "panda_joint2=-0.4,panda_joint4=-1.6,panda_joint6=1.2",
      "--rate",   "200",    "--record",
      run,        "--json"};
  const json d = document(run_cli(line), "ulna.drive/1");
  EXPECT_EQ(d["summary"]["end"], "finished");
  EXPECT_TRUE(d["summary"]["rests"]);
  EXPECT_TRUE(d["summary"]["holds"]);
  EXPECT_EQ(d["summary"]["skipped"], 0);
  EXPECT_EQ(d["summary"]["recorded"], d["summary"]["steps"]);
  EXPECT_LT(d["tracking_rms"], 2e-3);
  EXPECT_EQ(d["scale"], 0.3);
  EXPECT_TRUE(has(d["notes"].dump(), "scaled by 0.3"));
  const json found = document(run_cli({"identify", "panda", run, "--json"}), "ulna.identify/1");
  EXPECT_TRUE(found.contains("excitation"));
  // an existing file is not overwritten
  EXPECT_EQ(run_cli(line).status, 3);
}

TEST(DriveVerb, joints_without_a_goal_stay_where_they_are) {
  const Folder folder;
  const std::string run = folder.path("run.csv");
  const json d = document(run_cli({"drive", "panda", "--address", "sim:ulna", "--goal",
                                   "panda_joint2=0.2", "--rate", "200", "--record", run, "--json"}),
                          "ulna.drive/1");
  EXPECT_EQ(d["summary"]["end"], "finished") << d.dump(1);
  std::istringstream lines(read_file(run));
  std::vector<std::vector<double>> rows;
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line);) {
    std::istringstream words(line);
    rows.emplace_back();
    for (std::string word; std::getline(words, word, ',');) rows.back().push_back(std::stod(word));
  }
  ASSERT_GT(rows.size(), 100u);
  // t, step, q
  for (std::size_t i = 0; i < 7; ++i)
    EXPECT_NEAR(rows.back()[2 + i], i == 1 ? 0.2 : rows.front()[2 + i], 5e-3) << i;
}

TEST(DriveVerb, a_motion_that_is_too_fast_for_the_scaled_limits_is_made_slower) {
  const Folder folder;
  std::ostringstream table;
  table << "t,q1,q2\n";
  for (int k = 0; k <= 100; ++k) table << 0.02 * k << ',' << std::sin(0.06 * k) << ",0.1\n";
  const std::string motion = folder.write("m.csv", table.str());
  const std::vector<std::string> line{
      "drive", "double_pendulum", "--address", "sim:ulna", "--motion", motion, "--rate",
      "100",   "--scale",         "0.05",      "--json"};
  const json d = document(run_cli(line), "ulna.drive/1");
  EXPECT_EQ(d["summary"]["end"], "finished") << d.dump(1);
  EXPECT_TRUE(has(d["notes"].dump(), "times slower")) << d["notes"].dump();
}

TEST(DriveVerb, first_contact_over_a_socket_writes_a_file_that_puts_the_robot_right) {
  const Folder folder;
  const std::string address = "unix:" + folder.path("arm"), file = folder.path("rig.yaml");
  const RigProcess robot(
      {"twolink_fu", "--address", address, "--mistake", "gear=2,1.5", "--watchdog", "0.5"});
  json contact;
  // a machine that stalls in the middle of a push is no robot's fault
  for (int attempt = 0; attempt < 4; ++attempt) {
    const RunResult r = run_cli({"drive", "twolink_fu", "--address", address, "--checks", "-o",
                                 file, "--force", "--wait", "30", "--json"});
    ASSERT_LE(r.status, 1) << r.err;
    contact = document(r, "ulna.drive/1")["contact"];
    if (contact.value("complete", false) && contact["findings"].size() == 1) break;
  }
  ASSERT_EQ(contact["findings"].size(), 1u) << contact.dump(1);
  EXPECT_EQ(contact["findings"][0]["name"], "gear-ratio");
  EXPECT_EQ(contact["findings"][0]["joints"], json({"joint2"}));
  EXPECT_LT(contact["misfit"], 1.0);
  EXPECT_TRUE(has(read_file(file), "name: \"joint2\", reading: 2, command: 2, position: 0.6"));
  const json d =
      document(run_cli({"drive", file, "--hold", "0.3", "--rate", "200", "--json", "--wait", "30"}),
               "ulna.drive/1");
  EXPECT_GT(d["summary"]["steps"], 5) << d.dump(1);
}

TEST(DriveVerb, a_simulated_robot_is_wired_as_its_file_says) {
  const Folder folder;
  const std::string file = folder.write("rig.yaml",
                                        "robot: twolink_fu\naddress: sim:ulna\njoints:\n  - {name: "
                                        "\"joint1\", position: -1, velocity: -1}\n");
  const json d = document(run_cli({"drive", file, "--hold", "0.3", "--rate", "200", "--json"}),
                          "ulna.drive/1");
  EXPECT_EQ(d["summary"]["end"], "finished") << d.dump(1);
  EXPECT_LT(d["tracking_rms"], 2e-3);
}

TEST(DriveVerb, mistakes_are_named_before_anything_moves) {
  const Folder folder;
  const auto refused = [&](std::vector<std::string> line, int status, const std::string& why) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, status) << r.out;
    EXPECT_TRUE(has(r.err, why)) << r.err;
  };
  refused({"drive", "panda", "--checks"}, 2, "where is the robot?");
  refused({"drive", "panda", "--address", "sim:ulna"}, 2, "give one of --checks");
  refused({"drive", "panda", "--address", "sim:ulna", "--checks", "--hold", "1"}, 2, "give one of");
  refused({"drive", "panda", "--address", "sim:ulna", "--checks", "--scale", "0.5"}, 2,
          "--scale has no effect with --checks");
  refused({"drive", "panda", "--address", "sim:ulna", "--goal", "panda_joint4=1"}, 2,
          "beyond the robot's limits");
  refused({"drive", "panda", "--address", "udp:0.0.0.0:7000", "--hold", "1"}, 3,
          "beyond this machine");
  refused({"drive", "panda", "--address", "tcp:1", "--hold", "1"}, 3, "is none of unix:PATH");
  refused({"drive", "panda", "--address", "unix:" + folder.path("nobody"), "--hold", "1", "--wait",
           "0.1"},
          3, "no robot at this address");
  refused({"rig", "panda", "--address", "udp:192.168.0.1:7000"}, 3, "beyond this machine");
  refused({"rig", "panda", "--address", "unix:" + folder.path("x"), "--mistake", "sing=4"}, 2,
          "did you mean 'sign'");
  refused({"rig", "panda", "--address", "unix:" + folder.path("x"), "--mistake", "gear=9,1.5"}, 2,
          "from 1 to 7");
  refused({"rig", "panda", "--address", "unix:" + folder.path("x"), "--mistake", "gear=1"}, 2,
          "gear=4,1.5");
  refused({"drive", folder.write("a.yaml", "robot: panda\naddres: unix:/tmp/x\n"), "--hold", "1"},
          3, ":2: unknown key 'addres'; did you mean 'address'?");
  refused({"drive",
           folder.write("b.yaml",
                        "robot: panda\naddress: sim:ulna\njoints:\n  - {name: panda_joint9}\n"),
           "--hold", "1"},
          3, "there is no joint 'panda_joint9'");
  refused({"drive", folder.write("c.yaml", "robot: panda\naddress: sim:ulna\nrate: fast\n"),
           "--hold", "1"},
          3, ":3: rate");
}

}  // namespace
