#include "cli.hpp"

using namespace ulna::test;

namespace {

json info(std::vector<std::string> arguments, const RunOptions& options = {}) {
  arguments.insert(arguments.begin(), {"info", "--json"});
  const RunResult r = run_cli(arguments, options);
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  return document(r, "ulna.info/1");
}

TEST(Info, panda_looks_as_it_should) {
  expect_golden("info_panda.txt", run_cli({"info", "panda"}).out);
}

TEST(Info, every_embedded_robot_fits_80_columns) {
  std::istringstream names(run_cli({"robots", "--names"}).out);
  for (std::string name; names >> name;) {
    const RunResult r = run_cli({"info", "--frames", name});
    EXPECT_EQ(r.status, 0) << name;
    EXPECT_LE(widest_line(r.out), 80u) << r.out;
    EXPECT_TRUE(lacks(r.out, " \n")) << r.out;
  }
}

TEST(Info, a_robot_is_a_file_or_standard_input_or_an_embedded_name) {
  const std::string text = run_cli({"robots", "panda"}).out;
  const Folder folder;
  json by_name = info({"panda"}), by_file = info({folder.write("p.urdf", text)}),
       by_input = info({"-"}, {.input = text});
  EXPECT_EQ(by_name["robot"]["source"], "panda.urdf (embedded)");
  EXPECT_EQ(by_file["robot"]["source"], folder.path("p.urdf"));
  EXPECT_EQ(by_input["robot"]["source"], "<stdin>");
  for (json* d : {&by_name, &by_file, &by_input}) (*d)["robot"].erase("source");
  EXPECT_EQ(by_name, by_file);
  EXPECT_EQ(by_name, by_input);
}

TEST(Info, json_has_all_fields) {
  const json d = info({"panda"});
  EXPECT_EQ(keys(d), (std::set<std::string>{"schema", "robot", "joints", "bodies", "frames",
                                            "loops", "motors", "diagnostics"}));
  EXPECT_EQ(keys(d["robot"]), (std::set<std::string>{"name", "source", "base", "dof", "dof_closed",
                                                     "nq", "links", "bodies", "gravity", "mass"}));
  EXPECT_EQ(keys(d["joints"][0]),
            (std::set<std::string>{
                "index",    "name",     "type",   "parent",  "child",    "axis",
                "pitch",    "q",        "v",      "nq",      "nv",       "lower",
                "upper",    "velocity", "effort", "damping", "friction", "friction_negative",
                "armature", "mimic",    "spring"}));
  EXPECT_EQ(keys(d["bodies"][1]),
            (std::set<std::string>{"index", "link", "parent", "mass", "com", "inertia",
                                   "principal_moments", "consistency"}));
  EXPECT_EQ(keys(d["frames"][0]), (std::set<std::string>{"name", "body", "xyz", "rpy"}));
}

TEST(Info, json_has_the_figures_of_the_file) {
  const json d = info(
      {"-"}, {.input = Sample{.elbow = "<dynamics damping=\"0.5\" friction=\"0.25\"/>"}.urdf()});
  EXPECT_EQ(d["robot"]["dof"], 2);
  EXPECT_EQ(d["robot"]["links"], 3);
  EXPECT_EQ(d["robot"]["mass"]["moving"], 3.0);
  EXPECT_EQ(d["robot"]["base"], (json{{"link", "base"}, {"floating", false}}));
  const json& elbow = d["joints"][1];
  EXPECT_EQ(elbow["name"], "elbow");
  EXPECT_EQ(elbow["type"], "prismatic");
  EXPECT_EQ(elbow["axis"], (json{0.0, 1.0, 0.0}));
  EXPECT_EQ(elbow["lower"], -1.0);
  EXPECT_EQ(elbow["upper"], 2.0);
  EXPECT_EQ(elbow["velocity"], 3.0);
  EXPECT_EQ(elbow["effort"], 10.0);
  EXPECT_EQ(elbow["damping"], 0.5);
  EXPECT_EQ(elbow["friction"], 0.25);
  EXPECT_EQ(d["bodies"][1]["mass"], 2.0);
  EXPECT_EQ(d["bodies"][1]["consistency"]["verdict"], "consistent");
}

TEST(Info, an_infinite_limit_is_null_in_json) {
  const json joint = info({"-"}, {.input = Sample().urdf()})["joints"][0];
  for (const char* limit : {"lower", "upper", "velocity", "effort"})
    EXPECT_TRUE(joint[limit].is_null()) << limit;
}

TEST(Info, an_infinite_limit_is_a_sign_in_utf8_and_a_word_in_ascii) {
  const std::string text = Sample().urdf();
  EXPECT_TRUE(has(run_cli({"info", "-"}, {.input = text}).out, "-∞"));
  EXPECT_TRUE(
      has(run_cli({"info", "-"}, {.input = text, .environment = {{"LC_ALL", "C"}}}).out, "-inf"));
}

TEST(Info, columns_appear_when_a_joint_has_something_to_tell_in_them) {
  const auto text = [](const std::string& elbow) {
    return run_cli({"info", "-"}, {.input = Sample{.elbow = elbow}.urdf()}).out;
  };
  for (const char* title : {"damping", "friction", "armature", "mimics"})
    EXPECT_TRUE(lacks(text(""), title));
  EXPECT_TRUE(has(text("<dynamics damping=\"2\"/>"), "damping"));
  EXPECT_TRUE(has(text("<mimic joint=\"shoulder\" multiplier=\"-2\" offset=\"0.5\"/>"),
                  "= -2 × shoulder + 0.5"));
}

TEST(Info, a_mimicking_joint_can_be_set_free) {
  const RunOptions given{.input = Sample{.elbow = "<mimic joint=\"shoulder\"/>"}.urdf()};
  const json bound = info({"-"}, given), loose = info({"--independent-mimics", "-"}, given);
  EXPECT_EQ(bound["robot"]["dof"], 1);
  EXPECT_EQ(bound["joints"][1]["mimic"],
            (json{{"joint", "shoulder"}, {"multiplier", 1.0}, {"offset", 0.0}}));
  EXPECT_EQ(bound["joints"][1]["nv"], 0);
  EXPECT_EQ(loose["robot"]["dof"], 2);
  EXPECT_EQ(loose["joints"][1]["mimic"], nullptr);
}

TEST(Info, a_floating_base_adds_six_degrees_of_freedom) {
  const json d = info({"--floating-base", "panda"});
  EXPECT_EQ(d["robot"]["dof"], 13);
  EXPECT_EQ(d["robot"]["nq"], 14);
  EXPECT_EQ(d["robot"]["base"]["floating"], true);
}

TEST(Info, strict_refuses_what_would_be_repaired) {
  EXPECT_EQ(run_cli({"info", "-"}, {.input = doubtful_urdf()}).status, 0);
  EXPECT_EQ(run_cli({"info", "--strict", "-"}, {.input = doubtful_urdf()}).status, 3);
}

TEST(Info, a_body_that_cannot_exist_is_pointed_out) {
  const std::string robot =
      R"(<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="5"/></inertial></link>
    <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>)";
  EXPECT_TRUE(has(run_cli({"info", "-"}, {.input = robot}).out, "\nb: triangle inequality: 5 > "));
  EXPECT_EQ(info({"-"}, {.input = robot})["bodies"][1]["consistency"]["verdict"],
            "triangle-inequality");
}

TEST(Info, frames_are_shown_when_asked_for) {
  EXPECT_TRUE(lacks(run_cli({"info", "panda"}).out, "panda_link8"));
  EXPECT_TRUE(has(run_cli({"info", "--frames", "panda"}).out, "\npanda_link8"));
}

TEST(Info, a_robot_that_does_not_exist_is_a_failure_with_advice) {
  const RunResult r = run_cli({"info", "pand"});
  EXPECT_EQ(r.status, 3);
  EXPECT_EQ(r.out, "");
  EXPECT_TRUE(has(r.err, "did you mean 'panda'?"));
}

TEST(Info, a_robot_without_joints_is_shown) {
  const RunResult r =
      run_cli({"info", "-"}, {.input = "<robot name=\"stone\"><link name=\"stone\"/></robot>"});
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(begins(r.out, "stone: 0 degrees of freedom\n"));
}

TEST(Info, long_names_push_columns_below_and_are_never_cut) {
  const std::string name(60, 'n');
  const RunResult r = run_cli({"info", "-"}, {.input = Sample{.base_name = name}.urdf()});
  EXPECT_TRUE(has(r.out, name));
  EXPECT_LE(widest_line(r.out), 80u) << r.out;
}

}  // namespace
