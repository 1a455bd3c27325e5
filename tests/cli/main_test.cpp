#include <regex>

#include "cli.hpp"

using namespace ulna::test;

namespace {

const std::vector<std::string> verbs{
    "check",  "info",      "tree",     "convert", "fk",      "id",       "fd",
    "terms",  "equations", "ik",       "count",   "compare", "simplify", "codegen",
    "excite", "identify",  "simulate", "mpc",     "drive",   "rig",      "robots"};

TEST(Command, reports_its_version) {
  const RunResult r = run_cli({"--version"});
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(std::regex_match(r.out, std::regex("ulna [0-9]+\\.[0-9]+\\.[0-9]+\n")));
  EXPECT_EQ(run_cli({"-V"}).out, r.out);
}

TEST(Command, help_lists_every_verb_in_80_columns) {
  const RunResult r = run_cli({"help"});
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.err, "");
  for (const std::string& verb : verbs) EXPECT_TRUE(has(r.out, "\n  " + verb + " "));
  EXPECT_LE(widest_line(r.out), 80u);
  EXPECT_EQ(run_cli({"--help"}).out, r.out);
  EXPECT_EQ(run_cli({"-h"}).out, r.out);
}

TEST(Command, without_a_verb_it_shows_help_as_a_usage_error) {
  const RunResult r = run_cli({});
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err, run_cli({"help"}).out);
}

class EveryVerb : public testing::TestWithParam<std::string> {};

TEST_P(EveryVerb, has_help_with_usage_options_and_examples_in_80_columns) {
  const RunResult r = run_cli({GetParam(), "--help"});
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.err, "");
  EXPECT_TRUE(has(r.out, "\nUsage\n  ulna " + GetParam()));
  EXPECT_TRUE(has(r.out, "--json"));
  EXPECT_TRUE(has(r.out, "--color WHEN"));
  EXPECT_TRUE(has(r.out, "\nExamples\n  ulna " + GetParam()));
  EXPECT_LE(widest_line(r.out), 80u) << r.out;
  EXPECT_EQ(run_cli({"help", GetParam()}).out, r.out);
  EXPECT_EQ(run_cli({GetParam(), "-h"}).out, r.out);
}

TEST_P(EveryVerb, refuses_an_unknown_option_and_names_the_one_that_may_be_meant) {
  const RunResult r = run_cli({GetParam(), "--jsn"});
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err, "ulna: there is no option '--jsn'; did you mean '--json'?\nulna " + GetParam() +
                       " --help shows how\n");
}

TEST_P(EveryVerb, refuses_a_colour_mode_it_does_not_know) {
  const RunResult r = run_cli({GetParam(), "--color", "mauve", "panda"});
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(has(r.err, "mauve"));
}

INSTANTIATE_TEST_SUITE_P(Command, EveryVerb, testing::ValuesIn(verbs),
                         [](const auto& one) { return one.param; });

TEST(Command, an_unknown_verb_is_refused_with_advice) {
  const RunResult r = run_cli({"chek", "panda"});
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err, "ulna: 'chek' is not a verb; did you mean 'check'?\nulna help shows how\n");
  EXPECT_EQ(run_cli({"help", "chek"}).err, r.err);
}

TEST(Command, an_option_before_the_verb_is_refused) {
  const RunResult r = run_cli({"--json", "info", "panda"});
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(has(r.err, "'--json' must come after a verb"));
}

TEST(Command, missing_and_surplus_arguments_are_usage_errors) {
  for (const std::vector<std::string>& line :
       std::vector<std::vector<std::string>>{{"info"},
                                             {"tree"},
                                             {"check"},
                                             {"convert"},
                                             {"convert", "panda"},
                                             {"info", "panda", "ur5e"},
                                             {"tree", "panda", "--dot=x"},
                                             {"robots", "panda", "ur5e"},
                                             {"info", "panda", "--color"}}) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 2) << testing::PrintToString(line);
    EXPECT_EQ(r.out, "");
    EXPECT_TRUE(has(r.err, "--help shows how")) << testing::PrintToString(line);
  }
}

TEST(Command, an_argument_with_terminal_escapes_is_shown_harmless) {
  const RunResult r = run_cli({"\x1b[31mred\x07\xff"});
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(has(r.err, "\\x1b[31mred\\x07\\xff"));
  EXPECT_TRUE(lacks(r.err, "\x1b"));
}

}  // namespace
