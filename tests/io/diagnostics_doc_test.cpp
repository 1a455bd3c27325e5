#include <gtest/gtest.h>

#include <set>

#include "support/bad_inputs.hpp"
#include "support/documented_rules.hpp"

namespace ulna::test {
namespace {

TEST(Rules, are_documented_with_their_severity_and_no_others) {
  expect_documented(rules::all, "docs/diagnostics.md");
}

TEST(Rules, of_descriptions_are_each_broken_by_a_bad_input) {
  std::set<const Rule*> broken;
  for (const BadInput& input : bad_inputs("/nonexistent")) broken.insert(input.rule);
  // these are reported by load_robot, by edits of a model, by a build without YAML, or by those who use a robot
  const std::set<const Rule*> elsewhere{
      &rules::file_unreadable, &rules::format_unknown, &rules::yaml_unavailable,
      &rules::edit_unknown,    &rules::chain_broken,   &rules::branch_dropped,
      &rules::input_empty,     &rules::chain_length,   &rules::drives_plain};
  for (const Rule* rule : rules::all)
    EXPECT_NE(broken.contains(rule), elsewhere.contains(rule)) << rule->name;
}

}  // namespace
}  // namespace ulna::test
