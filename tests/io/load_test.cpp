#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "support/bad_input.hpp"
#include "support/paths.hpp"

namespace ulna::test {
namespace {

namespace fs = std::filesystem;

/// A folder that is gone after the test.
struct Folder {
  fs::path path = fs::path(testing::TempDir()) / ("ulna_load_" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name, std::string_view text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }
};

/// The first error, or "" if the robot is loaded.
std::string refusal(std::string_view name, const ImportOptions& options = {}) {
  try {
    load_robot(name, options);
  } catch (const ModelError& e) {
    for (const Diagnostic& d : e.diagnostics().list())
      if (d.severity == Severity::error) return d.str();
  }
  return {};
}

TEST(LoadRobot, knows_every_embedded_robot_by_name) {
  EXPECT_GE(embedded_robots().size(), 20u);
  for (const EmbeddedRobot& robot : embedded_robots()) {
    SCOPED_TRACE(robot.name);
    const Imported read = load_robot(robot.name);
    EXPECT_EQ(read.diagnostics.count(Severity::error), 0u);
    EXPECT_EQ(read.model.name(), robot.name);
    EXPECT_GT(read.model.nv(), 0);
    for (const Diagnostic& d : read.diagnostics.list())
      EXPECT_EQ(d.source.file, robot.file_name) << d.str();
  }
}

TEST(LoadRobot, embeds_the_files_of_the_folder_robots_to_the_byte) {
  for (const EmbeddedRobot& robot : embedded_robots()) {
    std::ifstream file(test::project_path("robots/" + std::string(robot.file_name)),
                       std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_TRUE(text == robot.text) << robot.file_name;
  }
}

TEST(LoadRobot, generates_chains_of_any_length) {
  for (const int n : {1, 2, 7, 100, 5000}) {
    const Imported read = load_robot("chain:" + std::to_string(n));
    EXPECT_EQ(read.model.nq(), n);
    EXPECT_TRUE(read.diagnostics.list().empty());
    EXPECT_EQ(read.model.description(), chain(n).description());
  }
  ImportOptions few;
  few.max_links = 8;
  EXPECT_EQ(load_robot("chain:7", few).model.nq(), 7);
  EXPECT_NE(refusal("chain:8", few).find("from 1 to 7"), std::string::npos);
  for (const char* wrong : {"chain:", "chain:0", "chain:-1", "chain:x", "chain:7x", "chain:1e3",
                            "chain:20000", "chain:99999999999999999999"})
    EXPECT_NE(refusal(wrong).find("from 1 to 19999 [chain-length]"), std::string::npos) << wrong;
}

TEST(LoadRobot, tells_the_name_that_may_be_meant) {
  EXPECT_EQ(refusal("pandaa"),
            "pandaa: error: no such file; did you mean 'panda'? [file-unreadable]");
  EXPECT_NE(refusal("puma650").find("did you mean 'puma560'?"), std::string::npos);
  EXPECT_NE(refusal("something_else_entirely").find("no embedded robot has this name"),
            std::string::npos);
  EXPECT_NE(refusal("").find("[file-unreadable]"), std::string::npos);
  EXPECT_NE(refusal(std::string(100'000, 'x')).find("[file-unreadable]"), std::string::npos);
}

TEST(LoadRobot, tells_what_a_file_is_by_its_content_and_by_its_ending) {
  const Folder folder;
  EXPECT_EQ(load_robot(folder.file("arm.urdf", good_urdf)).model.name(), "arm");
  EXPECT_EQ(load_robot(folder.file("arm.xml", good_urdf)).model.name(), "arm");
  EXPECT_EQ(load_robot(folder.file("arm", good_urdf)).model.name(), "arm");
  EXPECT_EQ(load_robot(folder.file("arm.yaml", good_table)).model.name(), "scara");
  EXPECT_EQ(load_robot(folder.file("arm.yml", good_table)).model.name(), "scara");
  EXPECT_EQ(load_robot(folder.file("table", good_table)).model.name(), "scara");
  EXPECT_EQ(load_robot(folder.file("xml.yaml", good_urdf)).model.name(), "arm");
  EXPECT_NE(refusal(folder.file("notes.txt", "hello")).find("[format-unknown]"), std::string::npos);
  EXPECT_NE(refusal(folder.file("empty", "")).find("[input-empty]"), std::string::npos);
}

TEST(LoadRobot, names_the_file_in_every_message) {
  const Folder folder;
  const std::string path = folder.file("bad.urdf", replaced(good_urdf, "value='2'", "value='nan'"));
  EXPECT_TRUE(refusal(path).starts_with(path + ":11: error: link 'upper': mass: "))
      << refusal(path);
}

TEST(LoadRobot, refuses_folders_and_what_cannot_be_read) {
  const Folder folder;
  EXPECT_NE(refusal(folder.path.string()).find("this is a folder [file-unreadable]"),
            std::string::npos);
  EXPECT_NE(refusal(folder.file("arm.urdf", good_urdf) + "/inside").find("cannot be opened"),
            std::string::npos);
  EXPECT_NE(refusal((folder.path / "missing.urdf").string()).find("no such file"),
            std::string::npos);
  if (fs::exists("/proc/self/mem")) {
    EXPECT_NE(refusal("/proc/self/mem").find("cannot be read"), std::string::npos)
        << refusal("/proc/self/mem");
  }
}

TEST(LoadRobot, reads_no_more_of_an_endless_file_than_the_limit) {
  if (!fs::exists("/dev/zero")) GTEST_SKIP();
  EXPECT_NE(refusal("/dev/zero").find("[input-too-large]"), std::string::npos)
      << refusal("/dev/zero");
  ImportOptions small;
  small.max_bytes = 1000;
  EXPECT_NE(refusal("/dev/zero", small).find("larger than 1000 bytes"), std::string::npos);
  EXPECT_NE(refusal("panda", small).find("larger than 1000 bytes"), std::string::npos);
}

TEST(LoadRobot, reads_standard_input) {
  const Folder folder;
  const std::string path = folder.file("stdin.urdf", good_urdf);
  ASSERT_NE(std::freopen(path.c_str(), "rb", stdin), nullptr);
  EXPECT_EQ(load_robot("-").model.name(), "arm");
  ASSERT_NE(std::freopen(folder.file("bad.urdf", "<robot>").c_str(), "rb", stdin), nullptr);
  EXPECT_TRUE(refusal("-").starts_with("<stdin>:1: error: ")) << refusal("-");
}

TEST(ImportOptions, limits_are_those_that_are_asked_for) {
  ImportOptions options;
  options.max_elements = 50;
  EXPECT_NE(refusal("panda", options).find("the limit is 50"), std::string::npos);
  options = {};
  options.max_links = 7;
  EXPECT_NE(refusal("panda", options).find("more than 7 links"), std::string::npos);
  EXPECT_NE(refusal("panda_mdh", options).find("more than 7 links"), std::string::npos);
}

TEST(ImportOptions, strict_refuses_what_would_be_repaired) {
  ImportOptions strict;
  strict.strict = true;
  EXPECT_EQ(refusal("iiwa14", strict), "");
  EXPECT_GT(load_robot("puma560").diagnostics.count(Severity::warning), 0u);
  EXPECT_NE(refusal("puma560", strict).find("[mass-zero]"), std::string::npos);
}

TEST(ImportOptions, floating_base_puts_six_degrees_of_freedom_under_the_base) {
  ImportOptions options;
  options.floating_base = true;
  const Model fixed = load_robot("panda").model, floating = load_robot("panda", options).model;
  EXPECT_EQ(floating.nv(), fixed.nv() + 6);
  EXPECT_EQ(floating.nq(), fixed.nq() + 7);
  EXPECT_EQ(floating.joint(1).type, JointType::floating);
  EXPECT_EQ(floating.body_name(1), fixed.body_name(0));
  EXPECT_EQ(floating.body_name(0), "world");
  EXPECT_EQ(floating.inertias()[1].parameters(), fixed.inertias()[0].parameters());
}

TEST(ImportOptions, independent_mimics_gives_followers_coordinates_of_their_own) {
  ImportOptions options;
  options.independent_mimics = true;
  EXPECT_EQ(import_urdf(good_urdf, "good.urdf").model.nv(), 2);
  const Model free = import_urdf(good_urdf, "good.urdf", options).model;
  EXPECT_EQ(free.nv(), 3);
  for (const Joint& j : free.joints()) EXPECT_EQ(j.mimics, 0);
}

}  // namespace
}  // namespace ulna::test
