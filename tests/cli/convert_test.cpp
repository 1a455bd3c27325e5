#include <sys/stat.h>

#include "cli.hpp"
#include "ulna/ulna.hpp"

using namespace ulna::test;

namespace {

/// What `info` says about a robot, apart from where it is from and what was remarked on the way.
json info_of(const std::string& robot, const RunOptions& options = {}) {
  const RunResult r = run_cli({"info", "--json", robot}, options);
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  json d = document(r, "ulna.info/1");
  d["robot"].erase("source");
  d.erase("diagnostics");
  return d;
}

std::string converted(std::vector<std::string> arguments, const RunOptions& options = {}) {
  arguments.insert(arguments.begin(), "convert");
  arguments.push_back("-");
  const RunResult r = run_cli(arguments, options);
  EXPECT_EQ(r.status, 0) << r.err;
  return r.out;
}

class EveryRobot : public testing::TestWithParam<std::string> {};

TEST_P(EveryRobot, is_the_same_after_conversion_to_urdf) {
  const Folder folder;
  const std::string file = folder.path("out.urdf");
  const RunResult r = run_cli({"convert", GetParam(), file});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(info_of(GetParam()), info_of(file));
}

INSTANTIATE_TEST_SUITE_P(Convert, EveryRobot, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const auto& r : ulna::embedded_robots()) names.emplace_back(r.name);
                           return names;
                         }()),
                         [](const auto& one) { return one.param; });

TEST(Convert, dash_means_standard_input_and_standard_output) {
  const std::string text = converted({"-"}, {.input = Sample().urdf()});
  EXPECT_TRUE(begins(text, "<?xml version=\"1.0\"?>\n<robot name=\"sample\""));
  EXPECT_EQ(converted({"-"}, {.input = text}), text);
}

TEST(Convert, diagnostics_go_to_standard_error) {
  const RunResult r = run_cli({"convert", "-", "-"}, {.input = doubtful_urdf()});
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(has(r.err, "[xacro-leftover]"));
  EXPECT_TRUE(has(r.err, "[tag-ignored]"));
  EXPECT_TRUE(lacks(r.out, "xacro"));
}

TEST(Convert, a_locked_joint_is_fixed_where_it_was_locked) {
  const json d = info_of(
      "-",
      {.input = converted({"--lock", "panda_joint4=-1.5", "--lock", "panda_joint7=0", "panda"})});
  EXPECT_EQ(d["robot"]["dof"], 5);
  EXPECT_EQ(d["joints"][3]["name"], "panda_joint5");
  // link 4 now is a frame of body 3, turned by the angle
  for (const json& frame : d["frames"])
    if (frame["name"] == "panda_link4") {
      EXPECT_EQ(frame["body"], 3);
      return;
    }
  FAIL() << "link 4 is gone";
}

TEST(Convert, a_joint_of_several_numbers_is_locked_by_all_of_them) {
  EXPECT_EQ(
      info_of("-", {.input = converted({"--lock", "wrist=1,0,0,0", "ball_wrist"})})["robot"]["dof"],
      2);
  const RunResult few = run_cli({"convert", "--lock", "wrist=1", "ball_wrist", "-"});
  EXPECT_EQ(few.status, 2);
  EXPECT_TRUE(has(few.err, "4 numbers"));
}

TEST(Convert, a_lock_that_makes_no_sense_is_a_usage_error) {
  for (const char* lock : {"panda_joint1", "=1", "panda_joint1=", "panda_joint1=1rad",
                           "panda_joint1=1,,2", "panda_joint1=nan"}) {
    const RunResult r = run_cli({"convert", "--lock", lock, "panda", "-"});
    EXPECT_EQ(r.status, 2) << lock;
    EXPECT_TRUE(has(r.err, "--lock")) << lock;
    EXPECT_EQ(r.out, "");
  }
  EXPECT_EQ(run_cli({"convert", "--lock", "a=1", "--lock", "a=2", "panda", "-"}).status, 2);
}

TEST(Convert, an_unknown_joint_is_a_usage_error_with_advice) {
  const RunResult r = run_cli({"convert", "--lock", "panda_join1=1", "panda", "-"});
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(has(r.err, "did you mean 'panda_joint1'?"));
}

TEST(Convert, a_chain_keeps_what_lies_between_two_links) {
  const RunResult r = run_cli({"convert", "--chain", "trunk:FL_foot", "quadruped", "-"});
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(has(r.err, "[branch-dropped]"));
  const json d = info_of("-", {.input = r.out});
  EXPECT_EQ(d["robot"]["dof"], 3);
  EXPECT_EQ(d["robot"]["base"]["link"], "trunk");
  EXPECT_EQ(d["joints"][2]["name"], "FL_knee_joint");
}

TEST(Convert, a_chain_of_names_with_colons_is_cut_where_links_are_on_both_sides) {
  const std::string robot = Sample{.base_name = "ns:base"}.urdf();
  EXPECT_EQ(info_of("-", {.input = converted({"--chain", "ns:base:arm", "-"},
                                             {.input = robot})})["robot"]["dof"],
            1);
}

TEST(Convert, a_chain_that_makes_no_sense_is_refused) {
  EXPECT_EQ(run_cli({"convert", "--chain", "panda_link0", "panda", "-"}).status, 2);
  EXPECT_EQ(run_cli({"convert", "--chain", "panda_link7:panda_link0", "panda", "-"}).status, 2);
  EXPECT_TRUE(has(run_cli({"convert", "--chain", "panda_link0:panda_lnk7", "panda", "-"}).err,
                  "did you mean 'panda_link7'?"));
}

TEST(Convert, lumping_leaves_one_link_a_body_and_the_same_motion) {
  const std::string text = converted({"--lump", "panda"});
  EXPECT_TRUE(lacks(text, "type=\"fixed\""));
  const json lumped = info_of("-", {.input = text}), whole = info_of("panda");
  EXPECT_EQ(lumped["robot"]["links"], 8);
  EXPECT_EQ(lumped["joints"], whole["joints"]);
  EXPECT_EQ(lumped["frames"].size(), whole["frames"].size());
  EXPECT_TRUE(has(text, "<ulna:frame name=\"panda_link8\""));
}

TEST(Convert, a_floating_base_and_free_mimics_are_written) {
  EXPECT_EQ(info_of("-", {.input = converted({"--floating-base", "panda"})})["robot"]["dof"], 13);
  const std::string bound = Sample{.elbow = "<mimic joint=\"shoulder\"/>"}.urdf();
  EXPECT_EQ(info_of("-", {.input = converted({"-"}, {.input = bound})})["robot"]["dof"], 1);
  EXPECT_EQ(info_of("-", {.input = converted({"--independent-mimics", "-"},
                                             {.input = bound})})["robot"]["dof"],
            2);
}

TEST(Convert, strict_refuses_what_would_be_repaired_and_writes_nothing) {
  const Folder folder;
  const RunResult r =
      run_cli({"convert", "--strict", "-", folder.path("out.urdf")}, {.input = doubtful_urdf()});
  EXPECT_EQ(r.status, 3);
  EXPECT_TRUE(folder.names().empty());
}

TEST(Convert, json_tells_what_was_written) {
  const Folder folder;
  const RunResult r = run_cli({"convert", "--json", "panda", folder.path("out.urdf")});
  EXPECT_EQ(r.status, 0);
  const json d = document(r, "ulna.convert/1");
  EXPECT_EQ(keys(d),
            (std::set<std::string>{"schema", "robot", "out", "format", "bytes", "diagnostics"}));
  EXPECT_EQ(d["robot"]["dof"], 7);
  EXPECT_EQ(d["out"], folder.path("out.urdf"));
  EXPECT_EQ(d["bytes"], read_file(folder.path("out.urdf")).size());
  EXPECT_EQ(run_cli({"convert", "--json", "panda", "-"}).status, 2);
}

TEST(Convert, only_urdf_is_written) {
  EXPECT_EQ(run_cli({"convert", "panda", "out.yaml"}).status, 2);
}

// --- the file ---

TEST(Convert, an_existing_file_is_overwritten_only_by_force) {
  const Folder folder;
  const std::string file = folder.write("out.urdf", "precious");
  const RunResult r = run_cli({"convert", "panda", file});
  EXPECT_EQ(r.status, 3);
  EXPECT_TRUE(has(r.err, "exists; --force overwrites it"));
  EXPECT_EQ(read_file(file), "precious");
  EXPECT_EQ(run_cli({"convert", "--force", "panda", file}).status, 0);
  EXPECT_EQ(run_cli({"check", file}).status, 0);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"out.urdf"});
}

TEST(Convert, a_robot_can_be_written_over_the_file_it_was_read_from) {
  const Folder folder;
  const std::string file = folder.write("arm.urdf", Sample().urdf());
  EXPECT_EQ(run_cli({"convert", "--force", "--lock", "elbow=0", file, file}).status, 0);
  EXPECT_EQ(info_of(file)["robot"]["dof"], 1);
}

TEST(Convert, a_file_keeps_its_mode_and_a_link_stays_a_link) {
  const Folder folder;
  const std::string file = folder.write("out.urdf", "old");
  chmod(file.c_str(), 0640);
  std::filesystem::create_symlink("out.urdf", folder.path("link.urdf"));
  EXPECT_EQ(run_cli({"convert", "-f", "panda", folder.path("link.urdf")}).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link.urdf")));
  EXPECT_EQ(run_cli({"check", file}).status, 0);
  EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms{0640});
}

TEST(Convert, a_disk_that_fills_up_leaves_the_old_file_and_no_litter) {
  const Folder folder;
  const std::string file = folder.write("out.urdf", "precious");
  const RunResult r = run_cli({"convert", "--force", "chain:500", file}, {.largest_file = 4096});
  EXPECT_EQ(r.status, 3);
  EXPECT_TRUE(has(r.err, "cannot write"));
  EXPECT_EQ(read_file(file), "precious");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"out.urdf"});
}

TEST(Convert, a_kill_at_any_moment_leaves_the_old_file_or_the_new_one) {
  const Folder folder;
  const std::string whole = converted({"chain:1000"}), file = folder.path("out.urdf");
  const auto begin = std::chrono::steady_clock::now();
  converted({"chain:1000"});
  const auto needed = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin);
  for (int i = 1; i <= 24; ++i) {
    folder.write("out.urdf", "precious");
    run_cli({"convert", "--force", "chain:1000", file}, {.killed_after = needed * i / 20});
    const std::string text = read_file(file);
    EXPECT_TRUE(text == "precious" || text == whole)
        << "killed at " << i << "/20: " << text.size() << " bytes";
  }
}

TEST(Convert, what_cannot_be_written_is_a_failure) {
  const Folder folder;
  for (const std::string& out :
       {folder.path("no/such/folder.urdf"), folder.path(), std::string("/dev/full")}) {
    const RunResult r = run_cli({"convert", "panda", out});
    EXPECT_EQ(r.status, 3) << out;
    EXPECT_TRUE(has(r.err, "cannot write")) << out;
  }
  EXPECT_EQ(run_cli({"convert", "panda", "/dev/null"}).status, 0);
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
