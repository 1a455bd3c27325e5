#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <span>
#include <sstream>

#include "support/paths.hpp"
#include "ulna/model/diagnostic.hpp"

namespace ulna::test {

/// A page has one row "| `name` | severity | ..." for each rule, and none for rules that do not exist; each rule has a
/// name of small letters, a meaning and a remedy.
inline void expect_documented(std::span<const Rule* const> rules, const std::string& page) {
  std::multiset<std::string> documented, expected;
  std::ifstream file(project_path(page));
  for (std::string row; std::getline(file, row);) {
    std::string bar, name, severity;
    std::istringstream(row) >> bar >> name >> bar >> severity;
    if (row.starts_with("| `") && (severity == "error" || severity == "warning" || severity == "note"))
      documented.insert(name + " " + severity);
  }
  std::set<std::string_view> names;
  for (const Rule* rule : rules) {
    expected.insert("`" + std::string(rule->name) + "` " + std::string(to_string(rule->severity)));
    EXPECT_TRUE(names.insert(rule->name).second) << rule->name;
    EXPECT_EQ(rule->name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), rule->name.npos)
        << rule->name;
    EXPECT_FALSE(rule->meaning.empty() || rule->remedy.empty()) << rule->name;
  }
  EXPECT_EQ(documented, expected) << page;
}

}  // namespace ulna::test
