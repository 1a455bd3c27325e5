#include "cli.hpp"

// The commands of docs/workflow.md, one after the other.

using namespace ulna::test;

namespace {

TEST(Workflow, excites_simulates_identifies_and_validates) {
  const Folder folder;
  const std::vector<Shown> all = shown_in(read_file(project_path("docs/workflow.md")));
  ASSERT_GE(all.size(), 7u);
  bool identified = false;
  for (const Shown& one : all) {
    std::istringstream words(one.command);
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) arguments.push_back(word);
    ASSERT_EQ(arguments.at(0), "ulna") << one.command;
    arguments.erase(arguments.begin());
    const bool of_identify = arguments.at(0) == "identify";
    if (of_identify) arguments.emplace_back("--json");
    const RunResult r = run_cli(arguments, {.folder = folder.path()});
    ASSERT_EQ(r.status, 0) << one.command << r.out << r.err;
    if (!of_identify) continue;
    identified = true;
    const json d = document(r, "ulna.identify/1");
    EXPECT_LT(d["validation"]["total_percent"].get<double>(), 0.5);
    EXPECT_EQ(d["excitation"]["rank"], 54);
    EXPECT_TRUE(d["findings"].empty()) << d["findings"];
    // what was simulated differs from the file, which alone would be far off
    EXPECT_LT(d["validation"]["repeated_percent"].get<double>(), 50.0);
  }
  EXPECT_TRUE(identified);
}

}  // namespace
