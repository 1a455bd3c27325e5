#include "cli.hpp"

using namespace ulna::test;

namespace {

const std::string bash_script = project_path("tools/completions/ulna.bash");
const std::string zsh_script = project_path("tools/completions/_ulna");

/// What bash offers for the last of these words.
std::set<std::string> offered(const std::vector<std::string>& words,
                              const std::string& folder = "/") {
  std::string line = "source '" + bash_script + "'; COMP_WORDS=('" + command_path() + "'";
  for (const std::string& word : words) line += " '" + word + "'";
  line += "); COMP_CWORD=" + std::to_string(words.size()) +
          "; _ulna; printf '%s\\n' \"${COMPREPLY[@]}\"";
  const RunResult r = run({"bash", "--norc", "-c", line}, {.folder = folder});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.err, "");
  std::set<std::string> list;
  std::istringstream lines(r.out);
  for (std::string one; std::getline(lines, one);)
    if (!one.empty()) list.insert(one);
  return list;
}

/// The long options in a verb's help.
std::set<std::string> options_of(const std::string& verb) {
  std::istringstream lines(run_cli({verb, "--help"}).out);
  std::set<std::string> list;
  for (std::string line; std::getline(lines, line) && line != "Examples";) {
    const std::size_t at = line.find("--");
    if (line.starts_with("  -") && at != line.npos)
      list.insert(line.substr(at, line.find(' ', at) - at));
  }
  return list;
}

TEST(Completions, bash_script_is_sound) {
  EXPECT_EQ(run({"bash", "-n", bash_script}).status, 0);
  const RunResult r =
      run({"bash", "--norc", "-c", "source '" + bash_script + "' && complete -p ulna"});
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.out, "complete -F _ulna ulna\n");
  EXPECT_EQ(r.err, "");
}

TEST(Completions, zsh_script_is_sound) {
  if (run({"sh", "-c", "command -v zsh"}).status != 0) GTEST_SKIP() << "zsh is not installed";
  EXPECT_EQ(run({"zsh", "-n", zsh_script}).status, 0);
}

TEST(Completions, bash_offers_verbs_first) {
  EXPECT_EQ(offered({"c"}),
            (std::set<std::string>{"check", "codegen", "compare", "convert", "count"}));
  EXPECT_EQ(offered({"help", "t"}), (std::set<std::string>{"terms", "tree"}));
}

TEST(Completions, bash_offers_embedded_robots_and_files) {
  const Folder folder;
  folder.write("panther.urdf", "");
  EXPECT_EQ(offered({"info", "pan"}, folder.path()),
            (std::set<std::string>{"panda", "panda_mdh", "panther.urdf"}));
  EXPECT_EQ(offered({"robots", "pan"}, folder.path()),
            (std::set<std::string>{"panda", "panda_mdh"}));
}

TEST(Completions, bash_offers_methods_of_identification) {
  EXPECT_EQ(offered({"identify", "--method", "t"}), (std::set<std::string>{"tls"}));
  EXPECT_EQ(offered({"identify", "--friction", "n"}), (std::set<std::string>{"none"}));
}

TEST(Completions, bash_offers_colour_modes) {
  EXPECT_EQ(offered({"info", "--color", "a"}), (std::set<std::string>{"always", "auto"}));
}

TEST(Completions, both_scripts_know_every_option_of_every_verb) {
  const std::string zsh = read_file(zsh_script);
  for (const char* verb :
       {"check",     "info", "tree",  "convert", "fk",       "id",      "fd",     "terms",
        "equations", "ik",   "count", "compare", "simplify", "codegen", "excite", "identify",
        "simulate",  "mpc",  "view",  "robots",  "drive",    "rig"}) {
    const std::set<std::string> options = options_of(verb);
    EXPECT_GE(options.size(), 3u);
    EXPECT_EQ(offered({verb, "--"}), options) << verb;
    for (const std::string& option : options) EXPECT_TRUE(has(zsh, option)) << verb;
  }
}

}  // namespace
