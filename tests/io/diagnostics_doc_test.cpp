#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "support/bad_inputs.hpp"
#include "support/paths.hpp"

namespace ulna::test {
namespace {

struct Line {
  std::string severity;
  int count = 0;
};

/// The rows "| `rule` | severity | ..." of docs/diagnostics.md.
std::map<std::string, Line> documented_rules() {
  std::ifstream file(test::project_path("docs/diagnostics.md"));
  std::map<std::string, Line> rules;
  for (std::string row; std::getline(file, row);) {
    if (!row.starts_with("| `")) continue;
    const std::size_t end = row.find('`', 3);
    std::istringstream rest(row.substr(end + 1));
    std::string bar, severity;
    rest >> bar >> severity;
    auto& line = rules[row.substr(3, end - 3)];
    line.severity = severity;
    ++line.count;
  }
  return rules;
}

TEST(DiagnosticsDocument, has_a_row_for_every_rule_with_its_severity) {
  const auto documented = documented_rules();
  for (const Rule* rule : rules::all) {
    const auto row = documented.find(std::string(rule->name));
    ASSERT_NE(row, documented.end()) << rule->name << " is not documented";
    EXPECT_EQ(row->second.severity, to_string(rule->severity)) << rule->name;
    EXPECT_EQ(row->second.count, 1) << rule->name;
  }
}

TEST(DiagnosticsDocument, has_no_rule_that_does_not_exist) {
  std::set<std::string> known;
  for (const Rule* rule : rules::all) known.emplace(rule->name);
  for (const auto& [name, line] : documented_rules()) EXPECT_TRUE(known.contains(name)) << name;
}

TEST(Rules, have_distinct_names_of_small_letters_and_all_that_is_told_of_them) {
  std::set<std::string_view> names;
  for (const Rule* rule : rules::all) {
    EXPECT_TRUE(names.insert(rule->name).second) << rule->name;
    EXPECT_EQ(rule->name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), rule->name.npos)
        << rule->name;
    EXPECT_FALSE(rule->meaning.empty()) << rule->name;
    EXPECT_FALSE(rule->remedy.empty()) << rule->name;
  }
}

TEST(Rules, of_descriptions_are_each_broken_by_a_bad_input) {
  std::set<const Rule*> broken;
  for (const BadInput& input : bad_inputs("/nonexistent")) broken.insert(input.rule);
  // these are told by load_robot, by edits of a model, or by a build without YAML
  const std::set<const Rule*> elsewhere{&rules::file_unreadable,  &rules::format_unknown,
                                        &rules::yaml_unavailable, &rules::edit_unknown,
                                        &rules::chain_broken,     &rules::branch_dropped,
                                        &rules::input_empty,      &rules::chain_length};
  for (const Rule* rule : rules::all)
    EXPECT_NE(broken.contains(rule), elsewhere.contains(rule)) << rule->name;
}

}  // namespace
}  // namespace ulna::test
