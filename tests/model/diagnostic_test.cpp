#include "ulna/model/diagnostic.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "support/random.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::test {
namespace {

Source line(int n) { return {"robot.urdf", n, 0}; }

// --- places and sentences ---

TEST(Source, is_told_as_far_as_it_is_known) {
  EXPECT_EQ((Source{"panda.urdf", 41, 0}).str(), "panda.urdf:41");
  EXPECT_EQ((Source{"log.csv", 7, 3}).str(), "log.csv:7:3");
  EXPECT_EQ((Source{"panda.urdf", 0, 0}).str(), "panda.urdf");
  EXPECT_EQ((Source{"", 41, 0}).str(), "line 41");
  EXPECT_EQ((Source{}).str(), "");
}

TEST(Diagnostic, says_where_how_bad_what_and_by_which_rule) {
  Diagnostics list;
  list.add(rules::axis_not_unit, line(41), "joint 'elbow'", "axis 0 0 2 is not of unit length",
           "0 0 1 is used");
  list.add(rules::tree_empty, {}, "", "there is no link");
  EXPECT_EQ(list.list()[0].str(),
            "robot.urdf:41: warning: joint 'elbow': axis 0 0 2 is not of unit length; 0 0 1 is "
            "used [axis-not-unit]");
  EXPECT_EQ(list.list()[1].str(), "error: there is no link [tree-empty]");
}

TEST(Diagnostic, has_the_rules_remedy_unless_it_has_its_own) {
  Diagnostics list;
  list.add(rules::axis_zero, line(1), "joint 'a'", "seen");
  list.add(rules::axis_zero, line(1), "joint 'a'", "seen", {}, "ask the author");
  EXPECT_EQ(list.list()[0].remedy, rules::axis_zero.remedy);
  EXPECT_EQ(list.list()[1].remedy, "ask the author");
}

// --- rules ---

// --- the list ---

TEST(Diagnostics, count_by_severity) {
  Diagnostics list;
  EXPECT_FALSE(list.has_errors());
  list.add(rules::tag_ignored, line(1), "a", "");
  list.add(rules::axis_not_unit, line(2), "b", "");
  list.note(rules::axis_not_unit, line(3), "c", "");
  EXPECT_FALSE(list.has_errors());
  list.add(rules::axis_zero, line(4), "d", "");
  EXPECT_EQ(list.count(Severity::note), 2u);
  EXPECT_EQ(list.count(Severity::warning), 1u);
  EXPECT_EQ(list.count(Severity::error), 1u);
  EXPECT_TRUE(list.has_errors());
}

TEST(Diagnostics, strict_turns_warnings_into_errors_and_leaves_notes) {
  Diagnostics list(true);
  EXPECT_TRUE(list.strict());
  list.add(rules::tag_ignored, line(1), "a", "");
  list.note(rules::axis_not_unit, line(1), "a", "");
  EXPECT_FALSE(list.has_errors());
  list.add(rules::axis_not_unit, line(1), "a", "");
  EXPECT_TRUE(list.has_errors());
  EXPECT_EQ(list.count(Severity::warning), 0u);
}

TEST(Diagnostics, find_tells_the_first_with_a_rule) {
  Diagnostics list;
  list.add(rules::axis_zero, line(1), "first", "");
  list.add(rules::axis_zero, line(2), "second", "");
  ASSERT_TRUE(list.find(rules::axis_zero));
  EXPECT_EQ(list.find(rules::axis_zero)->subject, "first");
  EXPECT_EQ(list.find(rules::axis_not_unit), nullptr);
}

TEST(Diagnostics, sorted_by_line_keep_their_order_within_a_line) {
  Diagnostics list;
  list.add(rules::axis_zero, line(9), "c", "");
  list.add(rules::axis_zero, line(2), "a", "");
  list.add(rules::tag_ignored, line(2), "b", "");
  list.sort_by_line();
  EXPECT_EQ(list.list()[0].subject, "a");
  EXPECT_EQ(list.list()[1].subject, "b");
  EXPECT_EQ(list.list()[2].subject, "c");
}

TEST(Diagnostics, are_kept_up_to_a_limit_and_counted_beyond) {
  Diagnostics list;
  for (std::size_t i = 0; i < 3 * Diagnostics::limit; ++i)
    list.add(rules::tag_ignored, line(1), "n", "");
  EXPECT_EQ(list.list().size(), Diagnostics::limit);
  EXPECT_EQ(list.count(Severity::note), 3 * Diagnostics::limit);
}

TEST(Diagnostics, an_error_is_kept_however_many_notes_came_before) {
  Diagnostics list;
  for (std::size_t i = 0; i < 2 * Diagnostics::limit; ++i)
    list.add(rules::tag_ignored, line(1), "n" + std::to_string(i), "");
  list.add(rules::axis_zero, line(2), "the error", "");
  list.add(rules::axis_zero, line(3), "another", "");
  EXPECT_EQ(list.list().size(), Diagnostics::limit);
  ASSERT_TRUE(list.find(rules::axis_zero));
  EXPECT_EQ(list.find(rules::axis_zero)->subject, "the error");
  EXPECT_EQ(list.list().back().subject, "another");
  EXPECT_EQ(list.list().front().subject, "n0");  // the latest notes gave way
  EXPECT_EQ(list.count(Severity::error), 2u);
}

TEST(Diagnostics, errors_beyond_the_limit_are_counted) {
  Diagnostics list;
  for (std::size_t i = 0; i < Diagnostics::limit + 5; ++i)
    list.add(rules::axis_zero, line(1), std::to_string(i), "");
  EXPECT_EQ(list.list().size(), Diagnostics::limit);
  EXPECT_EQ(list.list().front().subject, "0");
  EXPECT_EQ(list.count(Severity::error), Diagnostics::limit + 5);
}

TEST(ModelError, tells_ten_errors_with_remedies_and_how_many_more) {
  Diagnostics list;
  list.add(rules::tag_ignored, line(1), "not told", "a note");
  for (int i = 1; i <= 12; ++i)
    list.add(rules::axis_zero, line(i), "joint '" + std::to_string(i) + "'", "seen");
  const std::string text = ModelError(list).what();
  EXPECT_TRUE(text.starts_with(
      "robot.urdf:1: error: joint '1': seen [axis-zero]\n  give the direction of the axis\n"))
      << text;
  EXPECT_TRUE(text.ends_with("\n... and 2 more errors")) << text;
  EXPECT_EQ(text.find("a note"), std::string::npos);
  EXPECT_NE(text.find("joint '10'"), std::string::npos);
  EXPECT_EQ(text.find("joint '11'"), std::string::npos);
  EXPECT_EQ(ModelError(list).diagnostics().list().size(), 13u);
}

// --- near words ---

TEST(EditDistance, counts_insertions_deletions_changes_and_swaps) {
  EXPECT_EQ(edit_distance("", "", 5), 0);
  EXPECT_EQ(edit_distance("elbow", "elbow", 5), 0);
  EXPECT_EQ(edit_distance("elbow", "elbows", 5), 1);
  EXPECT_EQ(edit_distance("elbow", "ebow", 5), 1);
  EXPECT_EQ(edit_distance("elbow", "albow", 5), 1);
  EXPECT_EQ(edit_distance("elbow", "elbwo", 5), 1);
  EXPECT_EQ(edit_distance("elbow", "lebwo", 5), 2);
  EXPECT_EQ(edit_distance("", "abc", 5), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting", 5), 3);
  EXPECT_EQ(edit_distance("ca", "abc", 5), 3);  // no letter is moved twice
}

TEST(EditDistance, stops_at_its_limit) {
  EXPECT_EQ(edit_distance("kitten", "sitting", 3), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting", 2), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting", 1), 2);
  EXPECT_EQ(edit_distance("a", "abcdefgh", 2), 3);
  EXPECT_EQ(edit_distance("ab", "ba", 0), 1);
  EXPECT_EQ(edit_distance("ab", "ab", 0), 0);
}

TEST(EditDistance, equals_its_recursive_definition) {
  for_each_seed(
      [](Random& random) {
        const auto word = [&] {
          std::string w(static_cast<std::size_t>(random.real(0.0, 7.0)), ' ');
          for (char& c : w) c = "abc"[static_cast<std::size_t>(random.real(0.0, 3.0))];
          return w;
        };
        const std::string a = word(), b = word();
        SCOPED_TRACE("'" + a + "' to '" + b + "'");
        std::map<std::pair<std::size_t, std::size_t>, int> known;
        const std::function<int(std::size_t, std::size_t)> d = [&](std::size_t i, std::size_t j) {
          if (i == 0 || j == 0) return static_cast<int>(i + j);
          if (const auto found = known.find({i, j}); found != known.end()) return found->second;
          int best = std::min(
              {d(i - 1, j) + 1, d(i, j - 1) + 1, d(i - 1, j - 1) + (a[i - 1] != b[j - 1])});
          if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            best = std::min(best, d(i - 2, j - 2) + 1);
          return known[{i, j}] = best;
        };
        const int expected = d(a.size(), b.size());
        EXPECT_EQ(edit_distance(a, b, 100), expected);
        EXPECT_EQ(edit_distance(b, a, 100), expected);
        for (int most = 0; most <= 7; ++most)
          EXPECT_EQ(edit_distance(a, b, most), std::min(expected, most + 1));
      },
      500);
}

std::string advice(std::string_view name, std::vector<std::string_view> names) {
  return did_you_mean(name, names);
}

TEST(DidYouMean, names_the_nearest_if_it_is_near_enough) {
  EXPECT_EQ(advice("uper_arm", {"upper_arm", "lower_arm", "base"}), "; did you mean 'upper_arm'?");
  EXPECT_EQ(advice("lowre_arm", {"upper_arm", "lower_arm", "base"}), "; did you mean 'lower_arm'?");
  EXPECT_EQ(advice("gripper", {"upper_arm", "lower_arm", "base"}), "");
  EXPECT_EQ(advice("elbow", {}), "");
  EXPECT_EQ(advice("", {"a"}), "");
}

TEST(DidYouMean, takes_the_first_of_equally_near_ones) {
  EXPECT_EQ(advice("joint3", {"joint1", "joint2"}), "; did you mean 'joint1'?");
}

TEST(DidYouMean, allows_a_third_of_the_letters_to_be_wrong) {
  EXPECT_EQ(advice("abcdef", {"abcdxy"}), "; did you mean 'abcdxy'?");
  EXPECT_EQ(advice("abcdef", {"abcxyz"}), "");
}

TEST(DidYouMean, is_silent_about_words_of_unreasonable_length) {
  const std::string name(201, 'a'), near(200, 'a');
  EXPECT_EQ(advice(name, {near}), "");
  EXPECT_NE(advice(near, {name}), "");
}

}  // namespace
}  // namespace ulna::test
