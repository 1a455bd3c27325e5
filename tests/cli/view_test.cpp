#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli.hpp"

// What `ulna view` shows, and that it serves until it is told to end.

using namespace ulna::test;
using namespace std::chrono_literals;

namespace {

/// What a page that was written shows.
json data_of(const std::string& file) {
  const std::string page = read_file(file),
                    open = "<script id=\"ulna-data\" type=\"application/json\">";
  const std::size_t begin = page.find(open);
  EXPECT_NE(begin, page.npos);
  if (begin == page.npos) return {};
  const std::size_t end = page.find("</script>", begin);
  return json::parse(page.substr(begin + open.size(), end - begin - open.size()));
}
json message(const json& data, const std::string& type) {
  for (const json& m : data["messages"])
    if (m["type"] == type) return m;
  return nullptr;
}

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
  EXPECT_EQ(message(data, "channels")["groups"].size(), 4u);
  EXPECT_EQ(data["binary"].size(), 4u);
  // a log without torques will do
  const std::string bare =
      folder.write("bare.csv", "t,q1,q2\n0,0,0\n0.1,0.1,0.2\n0.2,0.2,0.3\n0.3,0.3,0.4\n");
  EXPECT_EQ(run_cli({"view", "double_pendulum", "--log", bare, "--html", file, "-f"}).status, 0);
  EXPECT_EQ(run_cli({"view", "panda", "--log", bare, "--html", file, "-f"}).status, 3);
}

TEST(View, plays_a_simulation) {
  const Folder folder;
  const std::string file = folder.path("v.html");
  ASSERT_EQ(run_cli({"view", "pendulum", "--q", "1", "--simulate", "1", "--html", file}).status, 0);
  const json data = data_of(file);
  EXPECT_EQ(message(data, "hello")["mode"], "simulation");
  EXPECT_EQ(data["binary"].size(), 2u);
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
