#include <cmath>

#include "cli.hpp"

// What holds for every verb: exit status of the same mistake, the robot in JSON, documents that other verbs
// read, options that have no effect, the width of lines.

using namespace ulna::test;

namespace {

using Line = std::vector<std::string>;

Line with_json(Line line) {
  line.emplace_back("--json");
  return line;
}

/// A log of the double pendulum, as its file describes it.
std::string pendulum_log(const Folder& folder) {
  const std::string motion = folder.path("motion.csv"), log = folder.path("log.csv");
  EXPECT_EQ(run_cli({"excite", "double_pendulum", "--duration", "4", "--iterations", "3",
                     "--starts", "1", "-o", motion})
                .status,
            0);
  EXPECT_EQ(run_cli({"simulate", "double_pendulum", "--follow", motion, "-o", log}).status, 0);
  return log;
}

TEST(Contract, an_unknown_name_has_the_same_status_in_every_verb) {
  const Folder folder;
  const std::string states =
      folder.write("state.json", R"({"wrenches": [{"frame": "lower1", "force": [0, 0, 1]}]})");
  const std::string scenario =
      folder.write("s.yaml", "robot: double_pendulum\npayload: {frame: lower1, mass: 1, at: 1}\n");
  const std::string by_joint =
      folder.write("j.yaml", "robot: double_pendulum\ngoal: {sholder: 0.1}\n");
  const std::string log = pendulum_log(folder);
  const std::string one = "double_pendulum";
  for (const Line& line :
       std::vector<Line>{{"fk", one, "--frame", "lower1"},
                         {"terms", one, "--frame", "lower1"},
                         {"ik", one, "--frame", "lower1", "--xyz", "0,0,0"},
                         {"id", one, "--q", "sholder=1"},
                         {"id", one, "--qd", "sholder=1"},
                         {"id", one, "--qdd", "sholder=1"},
                         {"fd", one, "--tau", "sholder=1"},
                         {"fk", one, "--q", "sholder=1"},
                         {"terms", one, "--q", "sholder=1"},
                         {"simulate", one, "--q", "sholder=1"},
                         {"simulate", one, "--torque", "pd", "--target", "sholder=1"},
                         {"ik", one, "--frame", "lower", "--xyz", "0,0,0", "--start", "sholder=1"},
                         {"convert", one, folder.path("o.urdf"), "--lock", "sholder=1"},
                         {"convert", one, folder.path("o.urdf"), "--chain", "base:lower1"},
                         {"convert", one, folder.path("o.urdf"), "--chain", "base1:lower"},
                         {"equations", one, "--let", "sholder=l1/2"},
                         {"equations", one, "--let", "lc1=sholder/2"},
                         {"mpc", one, "--goal", "sholder=1"},
                         {"view", one, "--q", "sholder=1"},
                         {"identify", one, log, "--gain", "sholder=1"},
                         {"identify", one, log, "--payload", "lower1"}}) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 2) << testing::PrintToString(line) << r.err;
    EXPECT_TRUE(has(document(run_cli(with_json(line)), "ulna." + line[0] + "/1").value("error", ""),
                    "sholder") ||
                has(r.err, "lower1") || has(r.err, "base1"))
        << testing::PrintToString(line);
  }
  // in a file it is the file that is wrong
  for (const Line& line : std::vector<Line>{{"id", one, states},
                                            {"fd", one, states},
                                            {"simulate", one, states, "--duration", "0.01"},
                                            {"mpc", scenario},
                                            {"mpc", by_joint}}) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 3) << testing::PrintToString(line) << r.err;
    EXPECT_TRUE(has(r.err, "lower1") || has(r.err, "sholder")) << r.err;
  }
}

TEST(Contract, an_unknown_robot_has_the_same_status_in_every_verb) {
  const Folder folder;
  for (const Line& line : std::vector<Line>{{"check", "pand"},
                                            {"info", "pand"},
                                            {"tree", "pand"},
                                            {"convert", "pand", "-"},
                                            {"fk", "pand"},
                                            {"id", "pand"},
                                            {"fd", "pand"},
                                            {"terms", "pand"},
                                            {"equations", "pand"},
                                            {"ik", "pand", "--frame", "a", "--xyz", "0,0,0"},
                                            {"count", "pand"},
                                            {"compare", "pand"},
                                            {"simplify", "pand", "quintic:1"},
                                            {"codegen", "pand", "-o", folder.path("c")},
                                            {"excite", "pand"},
                                            {"identify", "pand", "log.csv"},
                                            {"simulate", "pand"},
                                            {"mpc", "pand"},
                                            {"view", "pand"},
                                            {"robots", "pand"}})
    EXPECT_EQ(run_cli(line).status, 3) << line[0];
}

TEST(Contract, documents_name_the_robot_in_the_same_way) {
  const Folder folder;
  const std::string table = "t,q1,q2,qd1,qd2,qdd1,qdd2,tau1,tau2\n0,0,0,0,0,0,0,0,0\n";
  const std::string file = folder.write("table.csv", table), log = pendulum_log(folder);
  const std::string one = "double_pendulum";
  for (const Line& line :
       std::vector<Line>{{"info", one},
                         {"tree", one},
                         {"convert", one, folder.path("out.urdf")},
                         {"fk", one},
                         {"fk", one, file, "--frame", "lower"},
                         {"id", one},
                         {"id", one, file},
                         {"fd", one},
                         {"fd", one, file},
                         {"terms", one},
                         {"terms", one, file},
                         {"equations", one},
                         {"ik", one, "--frame", "lower", "--xyz", "0,0,0", "--position-only"},
                         {"count", one},
                         {"compare", one, "--states", "1"},
                         {"simplify", one, "quintic:1"},
                         {"codegen", one, "--functions", "M", "-o", folder.path("c")},
                         {"excite", one, "--duration", "2", "--iterations", "1", "--starts", "1"},
                         {"identify", one, log},
                         {"simulate", one, "--duration", "0.01"},
                         {"view", one, "--html", folder.path("v.html")},
                         {"mpc", one, "--duration", "0.05"}}) {
    const json d = document(run_cli(with_json(line)), "ulna." + line[0] + "/1");
    ASSERT_TRUE(d.contains("robot") && d["robot"].is_object()) << line[0];
    EXPECT_EQ(d["robot"].value("name", ""), one) << line[0];
    EXPECT_EQ(d["robot"].value("source", ""), "double_pendulum.urdf (embedded)") << line[0];
    EXPECT_EQ(d["robot"].value("dof", 0), 2) << line[0];
    EXPECT_FALSE(d["robot"].contains("open_loops")) << line[0];
  }
  const json checked = document(run_cli({"check", one, "--json"}), "ulna.check/1");
  EXPECT_EQ(checked["files"][0]["robot"].value("source", ""), "double_pendulum.urdf (embedded)");
}

TEST(Contract, loops_that_are_open_are_in_every_document_or_refused) {
  const Folder folder;
  for (const Line& line :
       std::vector<Line>{{"info", "fourbar"},
                         {"tree", "fourbar"},
                         {"convert", "fourbar", folder.path("out.urdf")},
                         {"fk", "fourbar", "--open-loops"},
                         {"id", "fourbar", "--open-loops"},
                         {"fd", "fourbar", "--open-loops"},
                         {"terms", "fourbar", "--open-loops"},
                         {"ik", "fourbar", "--frame", "coupler", "--xyz", "0,0,0.2",
                          "--position-only", "--open-loops"},
                         {"codegen", "fourbar", "--functions", "M", "-o", folder.path("c")}})
    EXPECT_EQ(document(run_cli(with_json(line)), "ulna." + line[0] + "/1")["robot"].value(
                  "open_loops", 0),
              1)
        << line[0];
  for (const Line& line : std::vector<Line>{{"equations", "fourbar"},
                                            {"count", "fourbar"},
                                            {"compare", "fourbar"},
                                            {"simplify", "fourbar", "quintic:1"}}) {
    const RunResult r = run_cli(with_json(line));
    EXPECT_EQ(r.status, 3) << line[0];
    EXPECT_TRUE(has(document(r, "ulna." + line[0] + "/1").value("error", ""), "loop")) << line[0];
  }
}

TEST(Contract, loops_that_are_closed_are_in_the_document) {
  for (const Line& line : std::vector<Line>{{"id", "fourbar"},
                                            {"fd", "fourbar"},
                                            {"fk", "fourbar"},
                                            {"terms", "fourbar"},
                                            {"simulate", "fourbar", "--duration", "0.1"}}) {
    const RunResult r = run_cli(with_json(line));
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.err, "");
    EXPECT_EQ(document(r, "ulna." + line[0] + "/1")["robot"].value("closed_loops", 0), 1);
  }
}

TEST(Contract, loops_that_cannot_be_closed_say_why) {
  std::string urdf = run_cli({"robots", "fourbar"}).out;
  const std::string other = "link2=\"rocker\"";
  urdf.replace(urdf.find(other), other.size(), "link2=\"coupler\"");
  const RunResult text = run_cli({"info", "-"}, {.input = urdf});
  EXPECT_TRUE(has(text.out, "unknown with its loop closed\nloops: 'closure' joins"));
  const json d = document(run_cli({"info", "-", "--json"}, {.input = urdf}), "ulna.info/1");
  EXPECT_EQ(d["robot"]["dof_closed"], nullptr);
  EXPECT_TRUE(has(d["robot"].value("dof_closed_unknown", ""), "which are one body"));
}

// --- documents as states ---

TEST(Chaining, a_configuration_of_inverse_kinematics_is_a_state) {
  const RunResult ik = run_cli({"ik", "panda", "--frame", "panda_link8", "--xyz", "0.4,0.1,0.5",
                                "--rpy", "3.14159,0,0", "--json"});
  ASSERT_EQ(ik.status, 0) << ik.err;
  const json place =
      document(run_cli({"fk", "panda", "-", "--frame", "panda_link8", "--json"}, {.input = ik.out}),
               "ulna.fk/1");
  const json& xyz = place["frames"][0]["xyz"];
  EXPECT_NEAR(xyz[0].get<double>(), 0.4, 1e-6);
  EXPECT_NEAR(xyz[1].get<double>(), 0.1, 1e-6);
  EXPECT_NEAR(xyz[2].get<double>(), 0.5, 1e-6);
  for (const char* verb : {"id", "fd", "terms"})
    EXPECT_EQ(document(run_cli({verb, "panda", "-", "--json"}, {.input = ik.out}),
                       std::string("ulna.") + verb + "/1")["q"],
              place["q"])
        << verb;
  // a simulation begins there
  EXPECT_EQ(run_cli({"simulate", "panda", "-", "--torque", "gravity", "--duration", "0.01"},
                    {.input = ik.out})
                .status,
            0);
  // none that was not found
  const RunResult far = run_cli(
      {"ik", "panda", "--frame", "panda_link8", "--xyz", "9,0,0", "--restarts", "0", "--json"});
  const RunResult refused = run_cli({"id", "panda", "-"}, {.input = far.out});
  EXPECT_EQ(refused.status, 3);
  EXPECT_TRUE(has(refused.err, "found no configuration"));
}

TEST(Chaining, forward_dynamics_undoes_inverse_dynamics_through_a_pipe) {
  // with a floating base, whose q has more numbers than its velocity
  for (const char* robot : {"panda", "quadruped"}) {
    const int n = robot == std::string("panda") ? 7 : 18;
    std::string qdd;
    for (int i = 0; i < n; ++i) qdd += (i ? "," : "") + std::to_string(0.1 * (i + 1));
    const RunResult id = run_cli({"id", robot, "--qdd", qdd, "--json"});
    ASSERT_EQ(id.status, 0) << id.err;
    const json fd = document(run_cli({"fd", robot, "-", "--json"}, {.input = id.out}), "ulna.fd/1");
    for (int i = 0; i < n; ++i) EXPECT_NEAR(fd["qdd"][i].get<double>(), 0.1 * (i + 1), 1e-6);
  }
}

TEST(Chaining, wrenches_are_handed_on) {
  const std::string state =
      R"({"q": [0.1, 0.2], "wrenches": [{"frame": "lower", "force": [3, 0, 0], "axes": "local"}]})";
  const RunResult id = run_cli({"id", "double_pendulum", "-", "--json"}, {.input = state});
  const json fd =
      document(run_cli({"fd", "double_pendulum", "-", "--json"}, {.input = id.out}), "ulna.fd/1");
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(fd["qdd"][i].get<double>(), 0.0, 1e-9);
}

TEST(Chaining, the_end_of_a_simulation_is_the_begin_of_another) {
  const Line begin{"simulate", "double_pendulum", "--q", "0.3,0.2", "--json", "--duration"};
  Line half = begin, whole = begin;
  half.emplace_back("0.25"), whole.emplace_back("0.5");
  const RunResult first = run_cli(half);
  const json second = document(
                 run_cli({"simulate", "double_pendulum", "-", "--duration", "0.25", "--json"},
                         {.input = first.out}),
                 "ulna.simulate/1"),
             all = document(run_cli(whole), "ulna.simulate/1");
  for (int i = 0; i < 2; ++i)
    EXPECT_NEAR(second["q"][i].get<double>(), all["q"][i].get<double>(), 1e-9);
}

TEST(Chaining, joints_are_matched_by_name) {
  const std::string ours =
      R"({"schema": "ulna.ik/1", "joints": ["elbow", "shoulder"], "q": [0.2, 0.1], "found": true})";
  EXPECT_EQ(document(run_cli({"id", "double_pendulum", "-", "--json"}, {.input = ours}),
                     "ulna.id/1")["q"],
            json({0.1, 0.2}));
  const RunResult other = run_cli({"id", "panda", "-"}, {.input = ours});
  EXPECT_EQ(other.status, 3);
  EXPECT_TRUE(has(other.err, "no coordinate 'elbow'"));
}

TEST(Chaining, what_is_no_state_says_what_to_do) {
  const auto refused = [](const Line& from, const std::string& input, const std::string& why) {
    const RunResult r =
        run_cli({"id", "double_pendulum", "-"}, {.input = run_cli(from, {.input = input}).out});
    EXPECT_EQ(r.status, 3) << from[0];
    EXPECT_TRUE(has(r.err, why));
  };
  refused({"info", "double_pendulum", "--json"}, "", "'info' prints has no state; take that of ik");
  refused({"id", "nothing", "--json"}, "", "it is the failure of 'id'");
  refused({"id", "double_pendulum", "-", "--json"}, "q1,q2,qd1,qd2,qdd1,qdd2\n0,0,0,0,0,0\n",
          "without --json, 'id' prints a table");
}

TEST(Chaining, a_state_that_is_given_is_not_replaced_by_the_motion_to_follow) {
  const Folder folder;
  const std::string motion =
      folder.write("m.csv", "t,q1,q2,qd1,qd2,qdd1,qdd2\n0,0.5,0,0,0,0,0\n0.1,0.5,0,0,0,0,0\n");
  const json d =
      document(run_cli({"simulate", "double_pendulum", "-", "--follow", motion, "--json"},
                       {.input = R"({"q": [-0.5, 0]})"}),
               "ulna.simulate/1");
  EXPECT_LT(d["joints"][0]["highest"].get<double>(), 0.4);
}

// --- numbers by name ---

TEST(Names, of_joints_are_taken_wherever_a_number_each_is) {
  const Folder folder;
  const json by_place = document(
      run_cli({"mpc", "double_pendulum", "--goal", "0.3,-0.2", "--duration", "0.05", "--json"}),
      "ulna.mpc/1");
  const json by_name =
      document(run_cli({"mpc", "double_pendulum", "--goal", "elbow=-0.2,shoulder=0.3", "--duration",
                        "0.05", "--json"}),
               "ulna.mpc/1");
  const std::string file = folder.write("s.yaml",
                                        "robot: double_pendulum\nduration: 0.05\n"
                                        "goal: {shoulder: 0.3, elbow: -0.2}\n");
  const json by_file = document(run_cli({"mpc", file, "--json"}), "ulna.mpc/1");
  EXPECT_EQ(by_name["tracking_rmse"], by_place["tracking_rmse"]);
  EXPECT_EQ(by_file["tracking_rmse"], by_place["tracking_rmse"]);
  EXPECT_TRUE(has(run_cli({"mpc", "double_pendulum", "--goal", "elbow=1,elbow=2"}).err,
                  "'elbow' is given twice"));
  EXPECT_TRUE(has(run_cli({"identify", "double_pendulum", "log.csv", "--gain", "elbow=1"}).err,
                  "that of joint 'shoulder' is missing"));
}

TEST(DefaultMotion, waves_less_where_its_goal_is_near_a_limit) {
  const std::string near = "0,0,0,-0.1,0,2,0";  // a Panda's fourth joint ends at -0.0698
  const RunResult r = run_cli({"mpc", "panda", "--goal", near, "--duration", "0.02"});
  EXPECT_TRUE(has(r.out, "waving is smaller where the goal is near a limit: panda_joint4"))
      << r.err;
  const RunResult asked = run_cli({"mpc", "-"}, {.input = "robot: panda\ngoal: [" + near +
                                                          "]\namplitude: [1, 1, 1, 1, 1, 1, 1]\n"});
  EXPECT_EQ(asked.status, 3);
  EXPECT_TRUE(has(asked.err, "amplitude: joint"));
}

// --- options ---

TEST(Options, without_effect_are_refused_in_every_verb) {
  const Folder folder;
  const std::string table = folder.write("t.csv", "q1,q2,qd1,qd2\n0,0,0,0\n");
  const std::pair<Line, const char*> cases[] = {
      {{"check", "panda", "--rules"}, "FILE is not checked with --rules"},
      {{"check", "--rules", "--strict"}, "--strict has no effect"},
      {{"check", "--rules", "--quiet"}, "--quiet has no effect"},
      {{"check", "panda", "--quiet", "--no-notes"}, "--no-notes has no effect"},
      {{"check", "panda", "--quiet", "--json"}, "--json has no effect"},
      {{"tree", "panda", "--ascii", "--dot"}, "--ascii has no effect"},
      {{"tree", "panda", "--dot", "--json"}, "--dot has no effect"},
      {{"robots", "panda", "--names"}, "--names has no effect"},
      {{"robots", "--names", "--json"}, "--names has no effect"},
      {{"terms", "double_pendulum", table, "--frame", "lower"}, "--frame has no effect on a table"},
      {{"terms", "double_pendulum", "--no-friction"}, "there is no option '--no-friction'"},
      {{"equations", "double_pendulum", "--numeric", "--let", "lc1=l1/2"}, "--let has no effect"},
      {{"equations", "double_pendulum", "--c", "--short"}, "--short has no effect"},
      {{"ik", "panda", "--frame", "panda_link8", "--xyz", "0.4,0,0.5", "--position-only", "--rpy",
        "0,0,0"},
       "--rpy has no effect with --position-only"},
      {{"ik", "panda", "--frame", "panda_link8", "--xyz", "0.4,0,0.5", "--position-only", "--quat",
        "1,0,0,0"},
       "--quat has no effect with --position-only"},
      {{"ik", "panda", "--frame", "panda_link8", "--xyz", "0.4,0,0.5", "--restarts", "0", "--seed",
        "3"},
       "--seed has no effect with --restarts 0"},
      {{"count", "chain", "--strict"}, "--strict has no effect on chains"},
      {{"simplify", "puma560", "quintic:1", "--tolerance", "200%"}, "from 0 to below 100%"},
      {{"simplify", "puma560", "quintic:1", "--tolerance", "1"}, "from 0 to below 100%"},
      {{"simulate", "pendulum", "--seed", "3"}, "--seed has no effect"},
      {{"simulate", "pendulum", "--step", "0.1"}, "--step has no effect"},
      {{"simulate", "double_pendulum", "--friction-scale", "2@0"},
       "--friction-scale has no effect"},
      {{"mpc", "panda", "--law", "gravity_pd", "--steps", "5"}, "--steps: has no effect"},
      {{"mpc", "panda", "--law", "gravity_pd", "--knowledge", "offset_free"},
       "offset_free has no effect"},
      {{"mpc", "panda", "--law", "computed_torque", "--knowledge", "identified"},
       "identified has no effect"},
      {{"equations", "double_pendulum", "--latex", "--json"}, "--latex has no effect with --json"},
      {{"simulate", "pendulum", "--force"}, "--force has no effect"},
      {{"convert", "panda", "-", "--force"}, "--force has no effect"},
      {{"count", "panda", "--force"}, "--force has no effect"},
      {{"info", "panda", "--independent-mimics"}, "--independent-mimics has no effect"},
      {{"info", "quadruped", "--floating-base"}, "--floating-base has no effect"},
      {{"id", "double_pendulum", "--no-friction"}, "--no-friction has no effect"},
      {{"simulate", "quadruped", "--ground", "--floating-base"}, "--floating-base has no effect"},
      {{"id", "panda", "--open-loops"}, "--open-loops has no effect"},
      {{"ik", "panda", "--frame", "panda_link8", "--xyz", "0.4,0,0.5", "--open-loops"},
       "--open-loops has no effect"},
      {{"simulate", "pendulum", "--open-loops"}, "--open-loops has no effect"},
      {{"fk", "panda", "--frame", "panda_link8", "--frame", "panda_link8"},
       "'panda_link8' is given twice"},
      {{"mpc", "panda", "--knowledge", "fixed,fixed"}, "'fixed' is given twice"},
      {{"view", "panda", "--torque", "pd"}, "--torque has no effect without --simulate"},
      {{"view", "panda", "--html", "-", "--port", "80"}, "--port has no effect with --html"},
      {{"view", "panda", "--log", "a.csv", "--simulate", "1"}, "either --log or --simulate"},
      {{"mpc", "panda", "--port", "80"}, "--port has no effect without --live"},
      {{"mpc", "panda", "--live", "--duration", "3"}, "--duration has no effect with --live"},
      {{"excite", "panda", "--friction", "coulomb,asymmetric"}, "--friction: feature 'coulomb'"},
      {{"excite", "panda", "--friction", "coulomb,coulomb"}, "--friction: feature 'coulomb'"},
      {{"identify", "panda", "log.csv", "--friction", "coulomb,asymmetric"},
       "--friction: feature 'coulomb'"}};
  for (const auto& [line, why] : cases) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 2) << testing::PrintToString(line);
    EXPECT_TRUE(has(r.err, why)) << testing::PrintToString(line);
    EXPECT_EQ(r.out, line.back() == "--json" ? r.out : "");
  }
}

TEST(Options, with_an_empty_value_are_refused) {
  // as of a variable of a shell that is not set
  for (const Line& line : std::vector<Line>{
           {"robots", ""},
           {"id", "panda", ""},
           {"id", "panda", "--q", ""},
           {"id", "panda", "--gravity", ""},
           {"terms", "panda", "--frame", ""},
           {"convert", "panda", "-", "--chain", ""},
           {"ik", "panda", "--frame", "panda_link8", "--xyz", "0.4,0,0.4", "--rpy", ""},
           {"mpc", "panda", "--goal", ""},
           {"mpc", "panda", "--law", ""},
           {"identify", "panda", "log.csv", "--gain", ""},
           {"identify", "panda", "log.csv", "--friction", ""},
           {"simulate", "pendulum", "--follow", ""},
           {"simulate", "pendulum", "-o", ""},
           {"view", "panda", "--package", ""},
           {"count", "chain", "--n", ""}}) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 2) << testing::PrintToString(line);
    EXPECT_TRUE(has(r.err, "its value is empty")) << testing::PrintToString(line);
  }
}

TEST(Options, out_of_range_are_refused_in_plain_words) {
  const std::pair<Line, const char*> cases[] = {
      {{"compare", "panda", "--states", "0"},
       "--states: '0' is not a whole number from 1 to 10000"},
      {{"codegen", "panda", "-o", "c", "--lanes", "3"}, "--lanes: '3' is not one of 2, 4, 8, 16"},
      {{"terms", "panda", "--frame", "panda_link8", "--axes", "x"},
       "'x' is not one of local, world"},
      {{"codegen", "panda", "-o", "c", "--functions", "id,id"}, "'id' is given twice"},
      {{"equations", "pendulum", "--terms", "M,M"}, "'M' is given twice"},
      {{"mpc", "pendulum", "--goal", "1e200"}, "out of reach"},
      {{"simulate", "pendulum", "--payload", "1e300"}, "up to 1e+06 kg"},
      {{"simulate", "pendulum", "--integrator", "adaptive", "--tolerance", "1e-300"},
       "is not from 1e-13 to 0.1"},
      {{"view", "panda", "--port", "70000"}, "--port: '70000' is not a whole number from 0"},
      {{"view", "panda", "--package", "arm"}, "'arm': write NAME=DIR"},
      {{"excite", "pendulum", "--acceleration", "0"}, "0 is not above 0"},
      {{"excite", "pendulum", "--radius", "0"}, "0 is not a length above 0"},
      {{"excite", "pendulum", "--harmonics", "0"}, "'0' is not a whole number from 2"}};
  for (const auto& [line, why] : cases) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 2) << testing::PrintToString(line);
    EXPECT_TRUE(has(r.err, why)) << testing::PrintToString(line);
  }
}

TEST(Contract, what_ulna_generates_has_no_warnings) {
  const Folder folder;
  for (const char* robot : {"chain:1", "chain:10", "chain:56"}) {
    EXPECT_EQ(run_cli({"check", robot}).status, 0) << robot;
    // and not because of its name
    const std::string file = folder.path(std::string(robot) + ".urdf");
    EXPECT_EQ(run_cli({"convert", robot, file}).status, 0) << robot;
    EXPECT_EQ(run_cli({"check", file}).status, 0) << robot;
  }
}

TEST(Options, notes_are_left_out_of_documents_too) {
  const std::string noted = Sample{.robot = "<transmission/>\n"}.urdf();
  const auto listed = [&](const Line& line) {
    return document(run_cli(line, {.input = noted}), "ulna.check/1")["files"][0]["diagnostics"];
  };
  EXPECT_FALSE(listed({"check", "-", "--json"}).empty());
  EXPECT_TRUE(listed({"check", "-", "--json", "--no-notes"}).empty());
}

TEST(Input, standard_input_is_read_once) {
  for (const Line& line : std::vector<Line>{{"check", "-", "-"},
                                            {"id", "-", "-"},
                                            {"simulate", "-", "-"},
                                            {"simulate", "pendulum", "-", "--torque", "-"},
                                            {"simulate", "-", "--follow", "-"},
                                            {"simplify", "-", "-"},
                                            {"simplify", "puma560", "-", "--other", "-"},
                                            {"identify", "-", "-"},
                                            {"view", "-", "--log", "-"},
                                            {"identify", "panda", "-", "--validate", "-"}}) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 2) << testing::PrintToString(line);
    EXPECT_TRUE(has(r.err, "only once")) << testing::PrintToString(line);
  }
}

TEST(Input, an_empty_table_is_called_empty) {
  const Folder folder;
  const std::string empty = folder.write("empty.csv", ""),
                    blank = folder.write("blank.csv", " \n\n");
  for (const std::string& file : {empty, blank}) {
    for (const Line& line : std::vector<Line>{{"id", "panda", file},
                                              {"fd", "panda", file},
                                              {"terms", "panda", file},
                                              {"fk", "panda", file, "--frame", "panda_link8"},
                                              {"simplify", "puma560", file},
                                              {"identify", "panda", file},
                                              {"simulate", "panda", file},
                                              {"simulate", "panda", "--torque", file},
                                              {"simulate", "panda", "--follow", file}}) {
      const RunResult r = run_cli(line);
      EXPECT_EQ(r.status, 3) << testing::PrintToString(line);
      EXPECT_TRUE(has(r.err, " is empty")) << testing::PrintToString(line);
    }
  }
}

TEST(Input, a_table_without_rows_is_refused_by_every_verb) {
  const Folder folder;
  const std::string header = "t,q1,q2,qd1,qd2,qdd1,qdd2,tau1,tau2\n",
                    none = folder.write("none.csv", header),
                    comments = folder.write("comments.csv", header + "# nothing\n\n");
  for (const std::string& file : {none, comments})
    for (const Line& line : std::vector<Line>{{"id", "double_pendulum", file},
                                              {"fd", "double_pendulum", file},
                                              {"terms", "double_pendulum", file},
                                              {"fk", "double_pendulum", file, "--frame", "lower"},
                                              {"simplify", "double_pendulum", file},
                                              {"identify", "double_pendulum", file},
                                              {"simulate", "double_pendulum", "--torque", file},
                                              {"simulate", "double_pendulum", "--follow", file}}) {
      const RunResult text = run_cli(line), r = run_cli(with_json(line));
      EXPECT_EQ(text.status, 3) << testing::PrintToString(line);
      EXPECT_TRUE(has(text.err, "has a header and no rows")) << testing::PrintToString(line);
      EXPECT_EQ(r.status, 3) << testing::PrintToString(line);
      EXPECT_TRUE(
          has(document(r, "ulna." + line[0] + "/1").value("error", ""), "header and no rows"));
    }
}

TEST(Input, the_rows_before_a_bad_one_keep_their_results) {
  const Folder folder;
  std::string table = "t,q1,q2,qd1,qd2,qdd1,qdd2,tau1,tau2\n";
  for (int i = 0; i < 5000; ++i) table += std::to_string(i) + ",0.1,0.2,0,0,0,0,0,0\n";
  const std::string late = folder.write("late.csv", table + "5000,x,0,0,0,0,0,0,0\n0,0\n"),
                    soon = folder.write("soon.csv", table.substr(0, table.find("\n2,") + 1) +
                                                        "2,0.1,0.2,0,0,0,0,0\n");
  for (const auto& [file, rows] : {std::pair{late, 5000}, {soon, 2}})
    for (const Line& line :
         std::vector<Line>{{"id", "double_pendulum", file},
                           {"fd", "double_pendulum", file},
                           {"terms", "double_pendulum", file},
                           {"fk", "double_pendulum", file, "--frame", "lower"}}) {
      const RunResult csv = run_cli(line), r = run_cli(with_json(line));
      const std::string place = file + ":" + std::to_string(rows + 2);
      EXPECT_EQ(csv.status, 3) << line[0];
      EXPECT_TRUE(has(csv.err, place)) << line[0];
      EXPECT_EQ(std::ranges::count(csv.out, '\n'), rows + 1) << line[0];
      const json d = document(r, "ulna." + line[0] + "/1");
      EXPECT_EQ(r.status, 3) << line[0];
      EXPECT_TRUE(has(d.value("error", ""), place)) << line[0];
      EXPECT_EQ(d["rows"].size(), rows) << line[0];
    }
}

// --- lines ---

TEST(Width, of_tables_and_summaries_is_80_columns_in_a_pipe) {
  const Folder folder;
  const std::string log = pendulum_log(folder);
  for (const Line& line : std::vector<Line>{
           {"help"},
           {"robots"},
           {"check", "--rules"},
           {"info", "panda", "--frames"},
           {"tree", "panda"},
           {"tree", "humanoid"},
           {"info", "humanoid"},
           {"fk", "panda"},
           {"id", "panda"},
           {"terms", "panda", "--frame", "panda_link8"},
           {"equations", "double_pendulum"},
           {"ik", "panda", "--frame", "panda_link8", "--xyz", "0.4,0,0.5", "--position-only"},
           {"count", "panda"},
           {"compare", "panda", "--states", "1"},
           {"simplify", "puma560", "quintic:1"},
           {"excite", "double_pendulum", "--duration", "2", "--iterations", "1", "--starts", "1"},
           {"identify", "double_pendulum", log, "--all"},
           {"simulate", "panda", "--duration", "0.05"},
           {"mpc", "panda", "--duration", "0.05", "--knowledge", "identified,fixed"}}) {
    const RunResult r = run_cli(line);
    EXPECT_LE(widest_line(r.out), 80u) << testing::PrintToString(line) << r.out;
  }
}

TEST(Width, of_a_record_is_one_line_in_a_pipe_and_the_terminals_on_one) {
  const std::string doubtful = doubtful_urdf();
  const RunResult pipe = run_cli({"check", "-"}, {.input = doubtful});
  std::istringstream lines(pipe.out);
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.starts_with("<stdin>") || line.starts_with("    ")) << line;
  const Folder folder;
  const std::string file = folder.write("doubtful.urdf", doubtful);
  const RunResult terminal = run_cli({"check", file, "--color", "never"}, {.terminal = true});
  EXPECT_LE(widest_line(terminal.out), 80u) << terminal.out;
  const RunResult complaint =
      run_cli({"id", "panda", "--q", "1,2", "--color", "never"}, {.terminal = true});
  EXPECT_LE(widest_line(complaint.out), 80u) << complaint.out;
}

}  // namespace
