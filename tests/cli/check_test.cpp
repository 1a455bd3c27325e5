#include "cli.hpp"
#include "ulna/model/rules.hpp"

using namespace ulna::test;

namespace {

TEST(Check, a_clean_robot_exits_with_0_and_is_summed_up_in_a_line) {
  const RunResult r = run_cli({"check", "panda"});
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.out, "panda: 7 DOF, 9 links: 0 errors, 0 warnings, 0 notes\n");
  EXPECT_EQ(r.err, "");
}

TEST(Check, warnings_and_errors_exit_with_1) {
  EXPECT_EQ(run_cli({"check", "-"}, {.input = doubtful_urdf()}).status, 1);
  EXPECT_EQ(run_cli({"check", "-"}, {.input = wrong_urdf()}).status, 1);
}

TEST(Check, notes_alone_exit_with_0) {
  const RunResult r = run_cli({"check", "-"}, {.input = Sample{.robot = "<gazebo/>"}.urdf()});
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(has(r.out, "[tag-ignored]\n<stdin>: 2 DOF, 3 links: 0 errors, 0 warnings, 1 note\n"));
}

TEST(Check, a_file_that_cannot_be_read_exits_with_3_and_the_others_are_still_checked) {
  const RunResult r = run_cli({"check", "nowhere.urdf", "panda", "/"});
  EXPECT_EQ(r.status, 3);
  EXPECT_TRUE(has(r.out, "nowhere.urdf: not read: 1 error"));
  EXPECT_TRUE(has(r.out, "panda: 7 DOF"));
  EXPECT_TRUE(has(r.out, "\n3 files: 1 clean, 2 not read\n"));
}

TEST(Check, several_files_are_counted_by_verdict) {
  const Folder folder;
  folder.write("a.urdf", doubtful_urdf());
  folder.write("b.urdf", wrong_urdf());
  const RunResult r = run_cli({"check", "panda", "a.urdf", "b.urdf"}, {.folder = folder.path()});
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(has(r.out, "\n3 files: 1 clean, 1 with warnings, 1 refused\n"));
}

TEST(Check, strict_makes_errors_of_warnings) {
  const RunResult r = run_cli({"check", "--strict", "-"}, {.input = doubtful_urdf()});
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(has(r.out, "<stdin>: refused: 1 error, 0 warnings, 1 note\n"));
}

TEST(Check, no_notes_hides_notes_but_counts_them) {
  const RunResult r = run_cli({"check", "--no-notes", "-"}, {.input = doubtful_urdf()});
  EXPECT_TRUE(lacks(r.out, "[tag-ignored]"));
  EXPECT_TRUE(has(r.out, "[xacro-leftover]"));
  EXPECT_TRUE(has(r.out, "0 errors, 1 warning, 1 note\n"));
}

TEST(Check, quiet_reports_by_the_exit_status_alone) {
  for (const auto& [input, status] : {std::pair{Sample().urdf(), 0}, {doubtful_urdf(), 1}}) {
    const RunResult r = run_cli({"check", "-q", "-"}, {.input = input});
    EXPECT_EQ(r.status, status);
    EXPECT_EQ(r.out + r.err, "");
  }
  const RunResult missing = run_cli({"check", "--quiet", "nowhere.urdf"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_EQ(missing.out + missing.err, "");
}

TEST(Check, findings_come_by_line_and_a_remedy_once_for_each_rule) {
  const std::string text =
      run_cli({"check", "-"}, {.input = Sample{.elbow = "<dynamics damping=\"x\" friction=\"y\"/>",
                                               .arm_inertial = "<mass value=\"3\"/>"}
                                            .urdf()})
          .out;
  const std::size_t first = text.find("<stdin>:4: error"), second = text.find("<stdin>:8: error");
  EXPECT_LT(first, second);
  ASSERT_NE(second, std::string::npos) << text;
  const std::string remedy = "\n    write plain decimal numbers";
  const std::size_t told = text.find(remedy);
  ASSERT_NE(told, std::string::npos) << text;
  EXPECT_EQ(text.find(remedy, told + 1), std::string::npos) << text;
}

TEST(Check, json_has_a_verdict_for_each_file) {
  const Folder folder;
  folder.write("a.urdf", doubtful_urdf());
  folder.write("b.urdf", wrong_urdf());
  const RunResult r = run_cli({"check", "--json", "panda", "a.urdf", "b.urdf", "nowhere"},
                              {.folder = folder.path()});
  EXPECT_EQ(r.status, 3);
  const json d = document(r, "ulna.check/1");
  EXPECT_EQ(keys(d), (std::set<std::string>{"schema", "strict", "files", "error", "diagnostics"}));
  EXPECT_EQ(d["error"], "1 file could not be read");
  EXPECT_EQ(d["strict"], false);
  ASSERT_EQ(d["files"].size(), 4u);
  for (const json& file : d["files"])
    EXPECT_EQ(keys(file), (std::set<std::string>{"file", "readable", "accepted", "robot", "errors",
                                                 "warnings", "notes", "diagnostics"}));
  const json &clean = d["files"][0], &doubtful = d["files"][1], &wrong = d["files"][2],
             &none = d["files"][3];
  EXPECT_EQ(
      clean["robot"],
      (json{{"name", "panda"}, {"source", "panda.urdf (embedded)"}, {"dof", 7}, {"links", 9}}));
  EXPECT_TRUE(clean["diagnostics"].empty());
  EXPECT_EQ(doubtful["accepted"], true);
  EXPECT_EQ(doubtful["warnings"], 1);
  EXPECT_EQ(doubtful["notes"], 1);
  EXPECT_EQ(wrong["accepted"], false);
  EXPECT_EQ(wrong["readable"], true);
  EXPECT_EQ(wrong["robot"], nullptr);
  EXPECT_EQ(none["readable"], false);
  EXPECT_EQ(none["diagnostics"][0]["rule"], "file-unreadable");

  const json& finding = wrong["diagnostics"][0];
  EXPECT_EQ(keys(finding), (std::set<std::string>{"severity", "rule", "file", "line", "subject",
                                                  "seen", "assumed", "remedy"}));
  EXPECT_EQ(finding["severity"], "error");
  EXPECT_EQ(finding["rule"], "number-invalid");
  EXPECT_EQ(finding["file"], "b.urdf");
  EXPECT_EQ(finding["line"], 8);
}

TEST(Check, rules_lists_every_rule_with_meaning_and_remedy) {
  const RunResult text = run_cli({"check", "--rules"});
  EXPECT_EQ(text.status, 0);
  EXPECT_LE(widest_line(text.out), 80u);
  const json d = document(run_cli({"check", "--rules", "--json"}), "ulna.rules/1");
  ASSERT_EQ(d["rules"].size(), std::size(ulna::rules::all));
  for (std::size_t i = 0; i < d["rules"].size(); ++i) {
    const ulna::Rule& rule = *ulna::rules::all[i];
    EXPECT_TRUE(has(text.out, std::string(rule.name) + " "));
    EXPECT_EQ(d["rules"][i], (json{{"rule", rule.name},
                                   {"severity", ulna::to_string(rule.severity)},
                                   {"meaning", rule.meaning},
                                   {"remedy", rule.remedy}}));
  }
}

TEST(Check, standard_input_can_be_read_only_once) {
  EXPECT_EQ(run_cli({"check", "-", "-"}).status, 2);
}

TEST(Check, progress_is_shown_to_a_person_with_many_files) {
  const std::vector<std::string> many{"check", "panda", "panda", "panda", "panda",
                                      "panda", "panda", "panda", "panda", "panda"};
  EXPECT_TRUE(has(run_cli(many, {.terminal = true}).out, " 8/9 panda"));
  EXPECT_EQ(run_cli(many).err, "");
  EXPECT_TRUE(lacks(run_cli({"check", "panda"}, {.terminal = true}).out, "0/1"));
}

TEST(Check, every_embedded_robot_is_accepted) {
  std::vector<std::string> line{"check", "--no-notes"};
  std::istringstream names(run_cli({"robots", "--names"}).out);
  for (std::string name; names >> name;) line.push_back(name);
  const RunResult r = run_cli(line);
  EXPECT_TRUE(lacks(r.out, "refused")) << r.out;
  EXPECT_TRUE(lacks(r.out, "error:")) << r.out;
}

TEST(Check, a_bad_file_looks_as_it_should) {
  const Folder folder;
  folder.write("bad.urdf", R"(<robot name="bad">
  <link name="base"/>
  <link name="arm">
    <inertial>
      <mass value="2kg"/>
      <inertia ixx="0,1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>
    </inertial>
  </link>
  <transmission name="drive"/>
  <joint name="elbow" type="continuous">
    <parent link="base"/>
    <child link="arm"/>
  </joint>
</robot>
)");
  const RunResult plain = run_cli({"check", "bad.urdf"}, {.folder = folder.path()});
  EXPECT_EQ(plain.status, 1);
  // a person sees long lines wrapped, a program sees one line for each finding
  std::string shown = run_cli({"check", "--color", "never", "bad.urdf"},
                              {.folder = folder.path(), .terminal = true})
                          .out;
  std::erase(shown, '\r');
  expect_golden("check_bad.txt", shown);
  std::string joined = shown;
  for (std::size_t at; (at = joined.find("\n        ")) != joined.npos;) joined.replace(at, 9, " ");
  EXPECT_EQ(joined, plain.out);
}

TEST(Check, figures_of_findings_are_finite_however_large_the_numbers_are) {
  const std::string robot =
      "<robot name='r'><link name='b'/><link name='l'><inertial><mass value='1e155'/><inertia "
      "ixx='0.1' "
      "ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial></link><joint name='j' "
      "type='continuous'><parent link='b'/><child link='l'/></joint></robot>";
  const RunResult r = run_cli({"check", "-"}, {.input = robot});
  EXPECT_EQ(r.status, 1) << r.out;
  EXPECT_TRUE(has(r.out, "need a density of"));
  EXPECT_TRUE(lacks(r.out, "inf"));
}

}  // namespace
