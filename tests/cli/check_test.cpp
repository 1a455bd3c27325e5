#include <cmath>

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

/// A link with a shape for contact, one that is drawn, and one without shapes; none has an inertial.
constexpr const char* without_inertials = R"(<robot name="a">
<link name="base"/>
<link name="upper"><collision><origin xyz="0 0 0.2"/><geometry><cylinder radius="0.05" length="0.4"/></geometry></collision></link>
<link name="lower"><visual><geometry><box size="0.05 0.05 0.3"/></geometry></visual></link>
<link name="tip"/>
<joint name="j1" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
<joint name="j2" type="continuous"><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/></joint>
<joint name="j3" type="continuous"><parent link="lower"/><child link="tip"/><axis xyz="0 1 0"/></joint>
</robot>)";

TEST(Check, fix_inertia_prints_what_it_proposes_and_writes_it_where_asked) {
  const Folder folder;
  folder.write("a.urdf", without_inertials);
  const RunOptions here{.folder = folder.path()};
  const RunResult r = run_cli(
      {"check", "--fix", "inertia", "--density", "2700", "a.urdf", "-o", "whole.urdf"}, here);
  EXPECT_EQ(r.status, 1);  // of the file as it is
  EXPECT_TRUE(has(r.out, "a.urdf:3: warning: link 'upper': no inertial"));
  EXPECT_TRUE(has(r.out, "proposed inertias, of solid shapes of 2700 kg/m³:"));
  EXPECT_TRUE(has(r.out, "upper  8.48"));
  EXPECT_TRUE(has(r.out, "lower: box 0.05 x 0.05 x 0.3 m (drawn)"));
  EXPECT_TRUE(has(r.out, "none, as there is no solid shape: tip\n"));
  const RunResult whole = run_cli({"check", "whole.urdf"}, here);
  EXPECT_TRUE(has(whole.out, "0 errors, 2 warnings"));  // those of the tip
  const json info = document(run_cli({"info", "whole.urdf", "--json"}, here), "ulna.info/1");
  EXPECT_NEAR(info["bodies"][1]["mass"], 2700 * std::acos(-1.0) * 0.05 * 0.05 * 0.4, 1e-12);
}

TEST(Check, fix_inertia_as_json_or_with_the_robot_on_standard_output) {
  const RunOptions input{.input = without_inertials};
  const json d =
      document(run_cli({"check", "--fix", "inertia", "-", "--json"}, input), "ulna.check/1");
  const json& proposals = d["proposals"];
  EXPECT_EQ(proposals["density"], 1000.0);
  EXPECT_EQ(proposals["without_shapes"], json({"tip"}));
  ASSERT_EQ(proposals["links"].size(), 2u);
  EXPECT_EQ(keys(proposals["links"][1]),
            (std::set<std::string>{"link", "mass", "com", "inertia", "principal_moments", "volume",
                                   "of", "shapes"}));
  EXPECT_EQ(proposals["links"][1]["of"], "visual");
  EXPECT_NEAR(proposals["links"][1]["mass"], 0.75, 1e-12);
  const RunResult r = run_cli({"check", "--fix", "inertia", "-", "-o", "-"}, input);
  EXPECT_TRUE(begins(r.out, "<?xml"));
  EXPECT_TRUE(has(r.err, "proposed inertias"));
}

TEST(Check, fix_inertia_leaves_out_meshes_that_bound_no_solid) {
  const Folder folder;
  folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
  folder.write(
      "r.urdf",
      "<robot name='r'><link name='b'/>\n<link name='a'><collision><geometry><mesh "
      "filename='open.obj'/></geometry></collision></link><joint name='j' "
      "type='continuous'><parent link='b'/><child link='a'/><axis xyz='0 0 1'/></joint></robot>");
  const RunResult r = run_cli({"check", "--fix", "inertia", "r.urdf"}, {.folder = folder.path()});
  EXPECT_TRUE(has(r.out,
                  "r.urdf:2: warning: link 'a': mesh 'open.obj' bounds no solid: 3 of 6 edges "
                  "belong to one triangle only, one from 1 0 0 to 0 1 0; the shape is left "
                  "out [mesh-open]"))
      << r.out;
  EXPECT_TRUE(has(r.out, "none, as there is no solid shape: a"));
}

TEST(Check, fix_inertia_refuses_what_has_no_effect) {
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"--density", "5", "panda"},
        {"-o", "x.urdf", "panda"},
        {"--fix", "inertia", "panda", "ur5e"},
        {"--fix", "inertia", "--density", "0", "panda"},
        {"--fix", "mass", "panda"},
        {"--fix", "inertia", "-q", "panda"},
        {"--fix", "inertia", "-f", "panda"},
        {"--fix", "inertia", "-o", "-", "--json", "panda"}}) {
    std::vector<std::string> arguments{"check"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(run_cli(arguments).status, 2);
  }
  EXPECT_EQ(run_cli({"check", "--fix", "inertia", "panda"}).out,
            "panda: 7 DOF, 9 links: 0 errors, 0 warnings, 0 notes\n"
            "nothing to propose: all links that move have an inertial\n");
}

TEST(Check, robots_in_other_formats_are_read_and_shown) {
  std::vector<std::string> files{"check", "--no-notes"};
  for (const char* format :
       {"sdf/panda.sdf", "sdf/panda_cell.sdf", "mjcf/quadruped.xml", "mjcf/panda_cell.xml",
        "xacro/humanoid.urdf.xacro", "xacro/twolink_overview.urdf.xacro"})
    files.push_back(project_path("tests/io/robots/" + std::string(format)));
  const RunResult r = run_cli(files);
  EXPECT_EQ(r.status, 0) << r.out;
  EXPECT_TRUE(has(r.out, "\n6 files: 6 clean\n"));
  for (std::size_t i = 2; i < files.size(); ++i)
    EXPECT_EQ(run_cli({"info", files[i]}).status, 0) << files[i];
}

TEST(Check, mistakes_in_other_formats_have_rule_and_line) {
  const Folder folder;
  const std::pair<const char*, std::string> bad[] = {
      {"a.sdf",
       "<sdf version='1.9'>\n<model name='m'>\n<link name='l'><inertial><mass>2kg</mass>"
       "</inertial></link></model></sdf>"},
      {"a.xml",
       "<mujoco>\n<worldbody>\n<body name='b'><joint axis='0 0 0'/></body></worldbody></mujoco>"},
      {"a.xacro", "<robot name='r' xmlns:xacro='x'>\n\n<link name='${sqr(2)}'/></robot>"}};
  const char* const rules[] = {"[number-invalid]", "[axis-zero]", "[xacro-expression]"};
  for (std::size_t i = 0; i < 3; ++i) {
    folder.write(bad[i].first, bad[i].second);
    const RunResult r = run_cli({"check", bad[i].first}, {.folder = folder.path()});
    EXPECT_EQ(r.status, 1);
    EXPECT_TRUE(has(r.out, std::string(bad[i].first) + ":3: error:"));
    EXPECT_TRUE(has(r.out, rules[i]));
  }
  EXPECT_TRUE(
      has(run_cli({"check", "a.xacro"}, {.folder = folder.path()}).out, "did you mean 'sqrt'?"));
}

}  // namespace
