#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pages.hpp"

// What `ulna view` shows, and that it serves until it is told to end.

using namespace ulna::test;
using namespace std::chrono_literals;

namespace {

TEST(View, serves_until_it_is_interrupted) {
  const RunResult r = run_cli({"view", "panda", "--json"}, {.interrupted_after = 1s});
  EXPECT_EQ(r.status, 0) << r.err;
  const json d = document(r, "ulna.view/1");
  EXPECT_TRUE(begins(d["url"], "http://127.0.0.1:"));
  EXPECT_EQ(d["robot"]["name"], "panda");
  EXPECT_TRUE(
      begins(run_cli({"view", "panda"}, {.interrupted_after = 1s}).out, "http://127.0.0.1:"));
}

TEST(View, live_ends_by_ctrl_c_too) {
  const RunResult r =
      run_cli({"mpc", "double_pendulum", "--live", "--json"}, {.interrupted_after = 2s});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(begins(document(r, "ulna.mpc/1")["url"], "http://127.0.0.1:"));
}

TEST(View, writes_a_page_with_the_robot) {
  const Folder folder;
  const std::string file = folder.path("v.html");
  ASSERT_EQ(run_cli({"view", "panda", "--q", "panda_joint2=-0.5", "--html", file}).status, 0);
  const json data = data_of(file);
  EXPECT_EQ(message(data, "hello")["mode"], "robot");
  EXPECT_EQ(message(data, "hello")["can"], json::array());
  EXPECT_EQ(message(data, "scene")["robots"][0]["q"][1], -0.5);
  EXPECT_EQ(run_cli({"view", "panda", "--html", file}).status, 3) << "it is there already";
  EXPECT_EQ(run_cli({"view", "panda", "--html", file, "--force"}).status, 0);
}

TEST(View, plays_logs_of_which_the_second_is_a_ghost) {
  const Folder folder;
  const std::string log = folder.path("log.csv"), file = folder.path("v.html");
  ASSERT_EQ(
      run_cli({"simulate", "double_pendulum", "--q", "1,0", "--duration", "0.5", "-o", log}).status,
      0);
  const RunResult r =
      run_cli({"view", "double_pendulum", "--log", log, "--log", log, "--html", file});
  ASSERT_EQ(r.status, 0) << r.err;
  const json data = data_of(file);
  EXPECT_EQ(message(data, "hello")["mode"], "log");
  const json robots = message(data, "scene")["robots"];
  ASSERT_EQ(robots.size(), 2u);
  EXPECT_EQ(robots[0]["ghost"], false);
  EXPECT_EQ(robots[1]["ghost"], true);
  EXPECT_EQ(message(data, "channels")["groups"].size(), 6u);
  EXPECT_EQ(data["binary"].size(), 3u) << "two robots, and all numbers at the times of both";
  // a log without torques will do
  const std::string bare =
      folder.write("bare.csv", "t,q1,q2\n0,0,0\n0.1,0.1,0.2\n0.2,0.2,0.3\n0.3,0.3,0.4\n");
  EXPECT_EQ(run_cli({"view", "double_pendulum", "--log", bare, "--html", file, "-f"}).status, 0);
  EXPECT_EQ(run_cli({"view", "panda", "--log", bare, "--html", file, "-f"}).status, 3);
}

TEST(View, plots_logs_of_other_rates_and_lengths_beside_each_other) {
  const Folder folder;
  const std::string file = folder.path("v.html");
  const std::string fast = folder.write("fast.csv",
                                        "t,q1,q2,qd1,qd2\n5,0,0,1,1\n5.25,1,0,2,1\n5.5,2,0,3,1\n"
                                        "5.75,3,0,4,1\n6,4,0,5,1\n6.25,5,0,6,1\n");
  const std::string slow =
      folder.write("slow.csv", "t,q1,q2\n0,10,0\n0.5,20,0\n1,30,0\n1.5,40,0\n2,50,0\n");
  const RunResult r =
      run_cli({"view", "double_pendulum", "--log", fast, "--log", slow, "--html", file});
  ASSERT_EQ(r.status, 0) << r.err;
  const json data = data_of(file);
  std::vector<std::string> names;
  const json channels = message(data, "channels");
  for (const json& group : channels["groups"]) names.push_back(group["name"]);
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names[0], "position");
  EXPECT_EQ(names[1], "velocity");
  EXPECT_TRUE(names[2].starts_with("position (")) << names[2];
  const std::vector<PageTrack> values = tracks_of(data, 6);
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].times, (std::vector<double>{0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0}));
  const float slow_q1[] = {10, 15, 20, 25, 30, 35, 40, 50};
  for (std::size_t k = 0; k < 8; ++k) {
    const std::vector<float>& row = values[0].rows[k];
    ASSERT_EQ(row.size(), 6u);
    EXPECT_FLOAT_EQ(row[4], slow_q1[k]);
    if (k < 6)
      EXPECT_FLOAT_EQ(row[2], float(k + 1)) << "a velocity of the first log";
    else
      EXPECT_TRUE(std::isnan(row[2])) << "after its end";
  }
}

TEST(View, plays_a_simulation) {
  const Folder folder;
  const std::string file = folder.path("v.html");
  ASSERT_EQ(run_cli({"view", "pendulum", "--q", "1", "--simulate", "1", "--html", file}).status, 0);
  const json data = data_of(file);
  EXPECT_EQ(message(data, "hello")["mode"], "simulation");
  EXPECT_EQ(data["binary"].size(), 2u);
}

TEST(View, plays_a_scene_with_what_touches) {
  const Folder folder;
  const std::string scene = folder.write(
      "yard.yaml",
      "ulna: scene\nname: yard\nground: true\n"
      "obstacles:\n  - {name: wall, shape: box, size: [0.1, 2, 1], xyz: [1, 0, 0.5]}\n"
      "bodies:\n  - {name: crate, shape: box, size: [0.2, 0.2, 0.2], mass: 2, xyz: [0, 0, 0.1]}\n"
      "robots:\n  - {robot: panda, xyz: [-1, 0, 0], torque: gravity}\n");
  const std::string file = folder.path("v.html");
  const RunResult still = run_cli({"view", scene, "--html", file, "--json"});
  ASSERT_EQ(still.status, 0) << still.err;
  EXPECT_EQ(document(still, "ulna.view/1")["scene"], "yard");
  const json at_rest = data_of(file);
  EXPECT_EQ(message(at_rest, "hello")["mode"], "robot");
  EXPECT_EQ(message(at_rest, "scene")["fixed"].size(), 2u);
  ASSERT_EQ(run_cli({"view", scene, "--simulate", "0.5", "--html", file, "-f"}).status, 0);
  const json data = data_of(file);
  EXPECT_EQ(message(data, "hello")["mode"], "simulation");
  const std::vector<PageTrack> motion = tracks_of(data, 5);
  ASSERT_EQ(motion.size(), 2u);
  EXPECT_EQ(motion[0].times.size(), 51u);
  EXPECT_NEAR(motion[0].times.back(), 0.5, 1e-9);
  // the ground carries the crate: its weight, after the first step
  const json groups = message(data, "channels")["groups"];
  EXPECT_EQ(groups[0]["name"], "contact force");
  std::size_t crate = 0;
  while (groups[0]["series"].at(crate)["name"] != "crate") ++crate;
  EXPECT_NEAR(tracks_of(data, 6)[0].rows.back()[crate], 2.0 * 9.81, 1e-3);
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"--q", "0"}, {"--log", "x.csv"}, {"--simulate", "1", "--torque", "pd"}}) {
    std::vector<std::string> line{"view", scene, "--html", file, "-f"};
    line.insert(line.end(), wrong.begin(), wrong.end());
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 2);
    EXPECT_TRUE(has(r.err, "has no effect with a scene")) << r.err;
  }
}

TEST(View, says_which_meshes_are_missing_and_finds_those_of_packages) {
  const Folder folder;
  const std::string obj =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const std::string mesh = folder.write("hand.obj", obj);
  const std::string parts = mesh.substr(0, mesh.rfind('/'));
  const std::string robot =
      folder.write("r.urdf",
                   "<robot name='r'><link name='base'><visual><geometry><mesh "
                   "filename='package://parts/hand.obj'/>"
                   "</geometry></visual></link></robot>");
  const std::string file = folder.path("v.html");
  const RunResult missing = run_cli({"view", robot, "--html", file});
  EXPECT_EQ(missing.status, 0);
  EXPECT_TRUE(has(missing.err, "mesh-missing"));
  const RunResult found =
      run_cli({"view", robot, "--package", "parts=" + parts, "--html", file, "--force"});
  EXPECT_TRUE(lacks(found.err, "mesh-missing"));
  EXPECT_EQ(data_of(file)["meshes"].size(), 1u);
}

TEST(View, a_port_that_is_taken_is_a_failure_with_advice) {
  const int file = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET, at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(file, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  ASSERT_EQ(::listen(file, 1), 0);
  socklen_t size = sizeof at;
  ASSERT_EQ(::getsockname(file, reinterpret_cast<sockaddr*>(&at), &size), 0);
  const RunResult r = run_cli({"view", "panda", "--port", std::to_string(ntohs(at.sin_port))});
  ::close(file);
  EXPECT_EQ(r.status, 3);
  EXPECT_TRUE(has(r.err, "take another"));
}

}  // namespace
