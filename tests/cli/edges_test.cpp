#include <chrono>
#include <cmath>

#include "cli.hpp"

// Where numbers overflow, readers leave, keys are misspelt and options do nothing.

using namespace ulna::test;

namespace {

TEST(InverseKinematicsVerb, ends_however_far_the_target_is) {
  for (const char* far : {"1e150,0,0", "1e155,0,0", "1e200,-1e200,0", "1e308,1e308,1e308"}) {
    const auto begin = std::chrono::steady_clock::now();
    const RunResult r = run_cli({"ik", "panda", "--frame", "panda_link8", "--xyz", far, "--json"});
    EXPECT_EQ(r.status, 1) << far << r.err;
    const json d = document(r, "ulna.ik/1");
    EXPECT_FALSE(d["found"].get<bool>());
    EXPECT_GT(d["position_error"].get<double>(), 1e149);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << far;
  }
}

TEST(InverseKinematicsVerb, leaves_joints_alone_that_do_not_move_the_frame) {
  const Folder folder;
  // two arms on one base
  std::string urdf = "<robot name='pair'><link name='base'/>";
  const std::string inertial =
      "<inertial><mass value='1'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' "
      "izz='0.1'/></inertial>";
  for (const std::string side : {"left", "right"})
    for (int i = 1; i <= 3; ++i) {
      const std::string n = std::to_string(i), before = std::to_string(i - 1);
      urdf += "<link name='" + side + n + "'>" + inertial + "</link><joint name='" + side + "_j" +
              n + "' type='revolute'><parent link='" + (i == 1 ? "base" : side + before) +
              "'/><child link='" + side + n + "'/><origin xyz='0.3 0 0'/><axis xyz='" +
              (i == 2 ? "0 1 0" : "0 0 1") +
              "'/><limit lower='-2' upper='2' effort='9' velocity='9'/></joint>";
    }
  const std::string file = folder.write("pair.urdf", urdf + "</robot>");
  // out of reach, so that every start is tried
  const json d =
      document(run_cli({"ik", file, "--frame", "right3", "--xyz", "5,0,0", "--position-only",
                        "--start", "left_j1=0.5,left_j2=-0.25", "--json"}),
               "ulna.ik/1");
  EXPECT_EQ(d["q"][0], 0.5);
  EXPECT_EQ(d["q"][1], -0.25);
  EXPECT_EQ(d["q"][2], 0.0);
}

TEST(Results, that_are_not_finite_are_refused_by_name) {
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"id", "panda", "--qd", "1e200,0,0,0,0,0,0"},
        {"terms", "panda", "--qd", "1e200,0,0,0,0,0,0"}}) {
    std::vector<std::string> as_json = line;
    as_json.emplace_back("--json");
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 3) << line[0];
    EXPECT_EQ(r.out, "");
    EXPECT_TRUE(has(r.err, "is not a finite number"));
    EXPECT_TRUE(has(r.err, "'panda_joint"));
    const json d = document(run_cli(as_json), "ulna." + line[0] + "/1");
    EXPECT_TRUE(has(d.value("error", ""), "is not a finite number"));
  }
}

/// Three rows, of which the second is too fast for numbers to hold.
const std::string overflowing =
    "q1,q2,qd1,qd2,qdd1,qdd2\n0,0,1,1,0,0\n0,0,1e200,1,0,0\n0,0,1,1,0,0\n";

TEST(Results, of_a_table_are_refused_by_row_and_column) {
  const RunResult csv = run_cli({"id", "double_pendulum", "-"}, {.input = overflowing});
  EXPECT_EQ(csv.status, 3);
  EXPECT_TRUE(has(csv.err, "<stdin>:3: 'tau_shoulder' is not a finite number"));
  const RunResult r = run_cli({"id", "double_pendulum", "-", "--json"}, {.input = overflowing});
  EXPECT_EQ(r.status, 3);
  const json d = document(r, "ulna.id/1");
  EXPECT_TRUE(has(d.value("error", ""), "<stdin>:3: 'tau_shoulder'"));
  EXPECT_EQ(d["rows"].size(), 1u);
}

TEST(Json, is_one_document_whatever_happens) {
  // a row that is no row, in the middle
  const RunResult broken =
      run_cli({"id", "double_pendulum", "-", "--json"},
              {.input = "q1,q2,qd1,qd2,qdd1,qdd2\n0,0,1,1,0,0\n0,0,x,1,0,0\n"});
  EXPECT_EQ(broken.status, 3);
  EXPECT_TRUE(has(document(broken, "ulna.id/1").value("error", ""), "<stdin>:3"));
  // a whole table
  const json whole = document(run_cli({"id", "double_pendulum", "-", "--json"},
                                      {.input = "q1,q2,qd1,qd2,qdd1,qdd2\n0,0,1,1,0,0\n"}),
                              "ulna.id/1");
  EXPECT_EQ(whole["rows"].size(), 1u);
  EXPECT_FALSE(whole.contains("error"));
  // a mistake on the command line
  const RunResult usage = run_cli({"id", "panda", "--json", "--q", "1,2"});
  EXPECT_EQ(usage.status, 2);
  EXPECT_TRUE(has(document(usage, "ulna.id/1").value("error", ""), "q has 2 numbers"));
}

TEST(Output, may_be_left_early_by_its_reader) {
  const Folder folder;
  std::string table = "q1,q2,qd1,qd2,qdd1,qdd2\n";
  for (int i = 0; i < 200000; ++i) table += "0.1,0.2,0.3,0.4,0.5,0.6\n";
  const std::string file = folder.write("motion.csv", table);
  for (const std::string verb : {"id", "terms", "fk --frame lower"})
    for (const char* json : {"", " --json"}) {
      const RunResult r =
          run({"bash", "-c",
               std::string("'") + command_path() + "' " + verb + " double_pendulum '" + file + "'" +
                   json + " | head -c 100 >/dev/null; exit ${PIPESTATUS[0]}"});
      EXPECT_EQ(r.status, 0) << verb << json << r.err;
      EXPECT_EQ(r.err, "") << verb << json;
    }
}

TEST(Loops, are_said_to_be_left_open) {
  const std::string said = "1 loop of 'fourbar' is left open";
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"id", "fourbar", "--open-loops"},
        {"fd", "fourbar", "--open-loops"},
        {"simulate", "fourbar", "--duration", "0.01", "--open-loops"},
        {"terms", "fourbar", "--open-loops"},
        {"fk", "fourbar", "--open-loops"}}) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 0) << line[0];
    EXPECT_TRUE(has(r.err, said)) << line[0];
  }
  const Folder folder;
  EXPECT_TRUE(has(
      run_cli({"codegen", "fourbar", "--functions", "id", "-o", folder.path("code")}).err, said));
  EXPECT_TRUE(has(run_cli({"info", "fourbar"}).out,
                  "3 degrees of freedom in the tree, 1 with its loop closed"));
  EXPECT_EQ(document(run_cli({"info", "fourbar", "--json"}), "ulna.info/1")["robot"]["dof_closed"],
            1);
  EXPECT_TRUE(lacks(run_cli({"id", "panda"}).err, "loop"));
}

TEST(Edges, numbers_that_overflow_are_refused_by_row_in_tables_of_motions_too) {
  const std::string head = "t,q1,q2,qd1,qd2,qdd1,qdd2\n0,0,0,0,0,0,0\n";
  const RunResult r = run_cli({"simplify", "double_pendulum", "-", "--json"},
                              {.input = head + "1,0,0,1e200,1e200,0,0\n2,0,0,0,0,0,0\n"});
  EXPECT_EQ(r.status, 3);
  EXPECT_TRUE(has(document(r, "ulna.simplify/1").value("error", ""),
                  "<stdin>:3: the torque of 'shoulder' is not a finite number"));
}

TEST(Edges, what_acts_on_a_robot_has_a_size_that_can_be) {
  for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
           {"id", "panda", "--gravity", "0,0,1e155"},
           {"excite", "double_pendulum", "--gravity", "0,0,1e155"},
           {"simplify", "puma560", "quintic", "--gravity", "0,0,1e308"},
           {"codegen", "panda", "-o", "c", "--float", "--gravity", "0,0,1e155"},
           {"mpc", "pendulum", "--gravity", "0,0,1e155"},
           {"excite", "double_pendulum", "--floor", "1e155"},
           {"excite", "double_pendulum", "--floor", "inf"},
           {"excite", "double_pendulum", "--radius", "1e155"},
           {"excite", "double_pendulum", "--distance", "1e155"},
           {"simulate", "panda", "--noise-q", "1e308", "-o", "x.csv"},
           {"simulate", "panda", "--quantum", "1e308", "-o", "x.csv"}}) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 2) << testing::PrintToString(line) << r.err;
    EXPECT_TRUE(has(r.err, "--")) << r.err;
  }
  // a remedy that fits
  const RunResult fast = run_cli({"simulate", "panda", "--qd", "1e200,0,0,0,0,0,0"});
  EXPECT_EQ(fast.status, 3);
  EXPECT_TRUE(has(fast.err, "too large to compute with")) << fast.err;
}

TEST(Edges, a_motion_from_rest_to_rest_exchanges_energy_though_none_is_left) {
  // without gravity and friction all work is taken back
  const Folder folder;
  const std::string motion = folder.path("m.csv");
  ASSERT_EQ(run_cli({"excite", "twolink_notes", "--duration", "5", "--iterations", "2", "--starts",
                     "1", "-o", motion})
                .status,
            0);
  const RunResult r = run_cli({"simulate", "twolink_notes", "--follow", motion, "--json"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_LT(document(r, "ulna.simulate/1")["energy"]["error_share"], 1e-6);
}

TEST(Edges, what_is_wrong_with_a_state_is_said_with_its_place) {
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {R"({"q": [1, 2], "q": [3, 4]})", "'q' is given twice"},
           {R"({"qd": {"elbow": 1, "elbow": 2}})", "'elbow' is given twice"},
           {R"({"q": {"elbow": 1e999}})", "number overflow"},
           {"{\n\"q\": [0, 1}\n", "line 2"}}) {
    const RunResult r = run_cli({"id", "double_pendulum", "-"}, {.input = text});
    EXPECT_EQ(r.status, 3) << text;
    EXPECT_TRUE(has(r.err, words)) << text << r.err;
  }
}

TEST(Edges, the_line_of_usage_has_what_is_required) {
  EXPECT_TRUE(
      has(run_cli({"ik", "--help"}).out, "ulna ik ROBOT --frame NAME --xyz X,Y,Z [OPTIONS]"));
  EXPECT_TRUE(has(run_cli({"codegen", "--help"}).out, "ulna codegen ROBOT -o DIR [OPTIONS]"));
  const std::string simulate = run_cli({"simulate", "--help"}).out;
  EXPECT_TRUE(has(simulate, "ulna simulate ROBOT|SCENE.yaml [STATE] [OPTIONS]"));
  EXPECT_TRUE(has(simulate, "  one state (JSON)"));
}

TEST(ForwardKinematicsVerb, shows_where_frames_are) {
  // upright, link 8 of a Panda is 0.333 + 0.316 + 0.384 - 0.107 m above its base, and 0.088 m before it
  const json d =
      document(run_cli({"fk", "panda", "--q", "0,0,0,0,0,0,0", "--frame", "panda_link8", "--json"}),
               "ulna.fk/1");
  ASSERT_EQ(d["frames"].size(), 1u);
  const json& frame = d["frames"][0];
  EXPECT_EQ(frame["name"], "panda_link8");
  EXPECT_NEAR(frame["xyz"][0].get<double>(), 0.088, 1e-12);
  EXPECT_NEAR(frame["xyz"][1].get<double>(), 0.0, 1e-12);
  EXPECT_NEAR(frame["xyz"][2].get<double>(), 0.926, 1e-12);
  EXPECT_NEAR(std::abs(frame["quat_wxyz"][1].get<double>()), 1.0, 1e-12);
  // all frames, and a table
  EXPECT_TRUE(has(run_cli({"fk", "panda"}).out, "panda_link0"));
  const RunResult table = run_cli({"fk", "double_pendulum", "-", "--frame", "lower"},
                                  {.input = "t,q1,q2\n0,0,0\n1,0.3,0.4\n"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_TRUE(begins(table.out, "t,x_lower,y_lower,z_lower,roll_lower,pitch_lower,yaw_lower\n0,"));
  EXPECT_EQ(run_cli({"fk", "double_pendulum", "-"}, {.input = "q1,q2\n0,0\n"}).status, 2);
  // the pose that inverse kinematics undoes
  const json terms = document(
      run_cli({"terms", "panda", "--q", "0,0,0,0,0,0,0", "--frame", "panda_link8", "--json"}),
      "ulna.terms/1");
  EXPECT_EQ(terms["pose"]["xyz"], frame["xyz"]);
}

TEST(Mistakes, have_the_same_status_in_every_verb) {
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"terms", "panda", "--frame", "panda_link9"},
        {"fk", "panda", "--frame", "panda_link9"},
        {"ik", "panda", "--frame", "panda_link9", "--xyz", "0,0,0"}}) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 2) << line[0];
    EXPECT_TRUE(has(r.err, "did you mean 'panda_link")) << line[0];
  }
}

TEST(Options, that_have_no_effect_are_refused) {
  const auto refused = [](const std::vector<std::string>& line, const std::string& why) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 2) << line[1];
    EXPECT_TRUE(has(r.err, why));
  };
  refused({"simulate", "pendulum", "--duration", "0.1", "--tolerance", "1e-6"},
          "--tolerance has no effect without --integrator adaptive");
  refused(
      {"simulate", "pendulum", "--duration", "0.1", "--integrator", "adaptive", "--step", "1e-3"},
      "--step has no effect");
  refused({"simulate", "pendulum", "--duration", "0.1", "--noise-q", "0.01"},
          "--noise-q has no effect without --out");
  refused({"simulate", "pendulum", "--duration", "5", "--payload", "2@10"},
          "begins after the run, which ends at 5 s");
  refused({"simulate", "pendulum", "--duration", "0.1", "--period", "0.2"},
          "--period has no effect if it is longer than --duration");
  refused({"terms", "panda", "--axes", "local"}, "--axes has no effect without --frame");
  refused({"id", "double_pendulum", "--q", "shoulder=1,shoulder=2"}, "'shoulder' is given twice");
}

TEST(Options, refuse_hexadecimal_numbers_as_files_do) {
  for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
           {"simulate", "pendulum", "--duration", "0x1p-3"},
           {"simulate", "pendulum", "--duration", "0.1", "--period", "0X1"},
           {"excite", "panda", "--harmonics", "0x2"},
           {"fk", "pendulum", "--q", "0x1"}}) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 2) << line.back();
    EXPECT_TRUE(has(r.err, "'" + line.back() + "' is hexadecimal"));
  }
}

TEST(SimulateVerb, advice_on_a_motion_that_is_not_followed_fits_its_cause) {
  const Folder folder;
  // 1 rad at 30 rad/s asks for far more torque than the drives have
  std::string motion = "t,q_shoulder,q_elbow,qd_shoulder,qd_elbow,qdd_shoulder,qdd_elbow\n";
  for (int k = 0; k <= 100; ++k) {
    const double t = 0.005 * k, q = std::sin(30.0 * t), v = 30.0 * std::cos(30.0 * t);
    motion += std::to_string(t);
    for (const double x : {q, q, v, v, -900.0 * q, -900.0 * q}) motion += "," + std::to_string(x);
    motion += "\n";
  }
  folder.write("motion.csv", motion);
  const auto advice = [&](const char* bandwidth) {
    const RunResult r =
        run_cli({"simulate", "double_pendulum", "--follow", "motion.csv", "--bandwidth", bandwidth},
                {.folder = folder.path()});
    EXPECT_EQ(r.status, 1) << r.err;
    return r.err;
  };
  EXPECT_TRUE(has(advice("10"), "the motion needs more torque than there is: make it slower"));
  EXPECT_TRUE(has(advice("1500"), "a smaller --bandwidth than 1500 rad/s may do, or a slower"));
}

TEST(Options, with_a_misspelt_word_suggest_the_right_one) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"simulate", "pendulum", "--torque", "gravty"}, "gravity"},
      {{"simulate", "quadruped", "--ground", "--torque", "gravty"}, "gravity"},
      {{"simulate", "pendulum", "--integrator", "rk5"}, "rk4"},
      {{"simplify", "puma560", "quintc"}, "quintic"},
      {{"terms", "panda", "--frame", "panda_link8", "--axes", "wrold"}, "world"},
      {{"codegen", "panda", "-o", "c", "--functions", "id,dfdd"}, "dfd"},
      {{"excite", "panda", "--kind", "forier"}, "fourier"},
      {{"excite", "panda", "--friction", "viscos"}, "viscous"},
      {{"identify", "panda", "log.csv", "--method", "refin"}, "refine"},
      {{"identify", "panda", "log.csv", "--friction", "coulom"}, "coulomb"},
      {{"identify", "panda", "log.csv", "--gain", "fnd"}, "find"},
      {{"mpc", "panda", "--law", "computed_toruqe"}, "computed_torque"},
      {{"mpc", "panda", "--knowledge", "fixd"}, "fixed"},
      {{"mpc", "panda", "--plant", "mujco"}, "mujoco"},
      {{"info", "panda", "--color", "alwys"}, "always"}};
  for (const auto& [line, word] : cases) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 2) << testing::PrintToString(line);
    EXPECT_TRUE(has(r.err, "did you mean '" + std::string(word) + "'"))
        << testing::PrintToString(line);
  }
}

TEST(Excite, simulate_and_identify_are_one_chain) {
  const Folder folder;
  const std::string motion = folder.path("motion.csv"), other = folder.path("other.csv"),
                    log = folder.path("log.csv"), test = folder.path("test.csv");
  const auto expect_done = [](const std::vector<std::string>& line) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 0) << line[0] << ": " << r.out << r.err;
    return r;
  };
  for (const auto& [file, seed] : {std::pair{motion, "1"}, {other, "2"}})
    expect_done({"excite", "scara", "--duration", "6", "--iterations", "5", "--starts", "1",
                 "--seed", seed, "-o", file});
  // a robot that is not quite as its file says
  for (const auto& [from, to] : {std::pair{motion, log}, {other, test}}) {
    const json d = document(expect_done({"simulate", "scara", "--follow", from, "--vary", "20",
                                         "--noise-tau", "0.01", "-o", to, "--json"}),
                            "ulna.simulate/1");
    EXPECT_NEAR(d["time"].get<double>(), 6.0, 1e-2);
    EXPECT_EQ(d["hits"], 0);
  }
  const RunResult r = run_cli({"identify", "scara", log, "--validate", test, "--json"});
  EXPECT_LE(r.status, 1) << r.err;
  EXPECT_EQ(document(r, "ulna.identify/1")["robot"]["name"], "scara");
  // what it follows has to be a motion
  const std::string single =
      folder.write("single.csv", "t,q1,q2,qd1,qd2,qdd1,qdd2\n0,0,0,0,0,0,0\n");
  EXPECT_EQ(run_cli({"simulate", "double_pendulum", "--follow", single}).status, 3);
  const std::string endless =
      folder.write("endless.csv", "t,q1,q2,qd1,qd2,qdd1,qdd2\n0,0,0,0,0,0,0\n1e12,0,0,0,0,0,0\n");
  EXPECT_EQ(run_cli({"simulate", "double_pendulum", "--follow", endless}).status, 2);
}

TEST(Gravity, can_be_replaced_wherever_forces_are_computed) {
  for (const std::string verb : {"id", "fd", "terms", "simulate", "codegen", "compare", "excite",
                                 "identify", "mpc", "equations", "simplify"})
    EXPECT_TRUE(has(run_cli({verb, "--help"}).out, "--gravity X,Y,Z")) << verb;
}

TEST(Remedies, fit_the_mistake) {
  EXPECT_TRUE(has(run_cli({"info", "chain:abc"}).err, "write chain:N"));
  EXPECT_TRUE(has(run_cli({"info", "-"}, {.input = ""}).err, "give a URDF file or a table"));
  const Folder folder;
  const std::string helical =
      folder.write("h.yaml", "ulna: dh\njoints:\n  - {type: helical, d: 0.1}\n");
  EXPECT_TRUE(has(run_cli({"info", helical}).err, "use revolute, continuous or prismatic"));
}

TEST(Edges, what_the_parser_refuses_is_said_in_plain_words) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"id"}, "ROBOT is missing"},
      {{"identify", "panda"}, "LOG is missing"},
      {{"simulate", "panda", "--step", "abc"}, "--step: 'abc' is not a number"},
      {{"mpc", "panda", "--steps", "1.5"}, "--steps: '1.5' is not a whole number"},
      {{"simulate", "panda", "--step"}, "--step: its value is missing"},
      {{"simulate", "panda", "--step", "1", "--step", "2"}, "--step is given more than once"},
      {{"simulate", "panda", "--no-limits=3"}, "--no-limits takes no value"},
      {{"mpc", "panda", "--seed", "-3"}, "--seed: '-3' is not a whole number from 0"}};
  for (const auto& [line, words] : cases) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 2) << testing::PrintToString(line);
    EXPECT_TRUE(has(r.err, words));
  }
}

TEST(Edges, a_mistake_on_the_command_line_is_one_json_document_too) {
  for (const std::vector<std::string>& line :
       std::vector<std::vector<std::string>>{{"simulate", "pendulum", "--step", "0", "--json"},
                                             {"excite", "--json", "panda", "--duration", "-1"},
                                             {"mpc", "panda", "--vary", "abc", "--json"},
                                             {"ik", "panda", "--json"},
                                             {"nothing", "--json"}}) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 2) << testing::PrintToString(line);
    const json d = json::parse(r.out, nullptr, false);
    ASSERT_TRUE(d.is_object()) << testing::PrintToString(line) << r.out;
    EXPECT_TRUE(d.contains("error"));
  }
}

TEST(Edges, loops_are_mentioned_where_they_are_left_open_and_refused_where_they_cannot_be) {
  const Folder folder;
  const json d = document(
      run_cli({"codegen", "fourbar", "--functions", "M", "-o", folder.path("c"), "--json"}),
      "ulna.codegen/1");
  EXPECT_EQ(d["robot"].value("open_loops", 0), 1);
  for (const char* verb : {"count", "equations", "compare"})
    EXPECT_TRUE(has(run_cli({verb, "fourbar"}).err, "'closure' closes a loop")) << verb;
}

TEST(Edges, what_is_changed_or_has_no_effect_is_said) {
  const RunResult quaternion =
      run_cli({"ik", "panda", "--frame", "panda_link8", "--xyz", "0.4,0,0.5", "--quat", "0,2,0,0"});
  EXPECT_EQ(quaternion.status, 0);
  EXPECT_TRUE(has(quaternion.err, "--quat has length 2; it is normalised"));

  const Folder folder;
  const std::string scene =
      folder.write("fall.yaml",
                   "ulna: scene\nstep: 0.3\nground: true\nbodies:\n"
                   "  - {shape: sphere, radius: 0.1, mass: 1, xyz: [0, 0, 1]}\n");
  EXPECT_TRUE(has(run_cli({"simulate", scene, "--duration", "1"}).err,
                  "steps of 0.3 s end at 0.9 s, not at 1 s"));

  const std::string log = folder.path("log.csv");
  ASSERT_EQ(run_cli({"simulate", "twolink_fu", "--torque", "gravity", "--duration", "2", "-o", log})
                .status,
            0);
  const RunResult ratios = run_cli({"identify", "twolink_fu", log, "--ratios"});
  EXPECT_EQ(ratios.status, 2);
  EXPECT_TRUE(has(ratios.err, "--ratios has no effect: no motors of 'twolink_fu' are coupled"));
  EXPECT_TRUE(has(run_cli({"identify", "twolink_fu", log, "--late", "1001"}).err,
                  "--late: it must be a number, at most a second either way"));

  const RunResult open = run_cli({"id", "fourbar", "--q", "0.5,0,0"});
  EXPECT_EQ(open.status, 3);
  EXPECT_EQ(open.err.find("Loops::"), std::string::npos) << open.err;
}

TEST(Edges, motors_of_a_transmission_have_no_inertia_and_move_their_joints) {
  const Folder folder;
  const std::string inertial =
      "<inertial><mass value='1'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' "
      "izz='0.1'/></inertial>";
  const auto joint = [&](const std::string& n, const std::string& parent, const char* axis) {
    return "<link name='l" + n + "'>" + inertial + "</link><joint name='j" + n +
           "' type='revolute'><parent link='" + parent + "'/><child link='l" + n +
           "'/><axis xyz='" + axis +
           "'/><limit lower='-2' upper='2' effort='50' velocity='9'/></joint>";
  };
  const std::string wrist =
      "<transmission name='t'><type>transmission_interface/DifferentialTransmission</type>"
      "<actuator "
      "name='a'><role>actuator1</role><mechanicalReduction>50</mechanicalReduction></actuator>"
      "<actuator "
      "name='b'><role>actuator2</role><mechanicalReduction>-50</mechanicalReduction></actuator>"
      "<joint name='j1'><role>joint1</role></joint><joint name='j2'><role>joint2</role></joint>"
      "</transmission>";
  const std::string robot = "<robot name='wrist'><link name='base'/>" +
                            joint("1", "base", "0 1 0") + joint("2", "l1", "0 0 1");
  const auto end = [&](const std::string& file) {
    const RunResult r =
        run_cli({"simulate", file, "--qd", "0.5,-0.3", "--duration", "0.5", "--json"});
    EXPECT_EQ(r.status, 0) << r.err;
    return document(r, "ulna.simulate/1")["q"].get<std::vector<double>>();
  };
  const auto plain = end(folder.write("plain.urdf", robot + "</robot>")),
             driven = end(folder.write("driven.urdf", robot + wrist + "</robot>"));
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(driven[i], plain[i], 1e-9);
}

TEST(Edges, a_log_that_is_explained_to_a_thousandth_is_no_finding) {
  const Folder folder;
  const std::string motion = folder.path("motion.csv"), log = folder.path("log.csv");
  ASSERT_EQ(run_cli({"excite", "stanford", "--duration", "8", "--starts", "1", "--iterations", "20",
                     "-o", motion})
                .status,
            0);
  ASSERT_EQ(run_cli({"simulate", "stanford", "--follow", motion, "-o", log}).status, 0);
  const RunResult r = run_cli({"identify", "stanford", log});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.err.find("another unit"), std::string::npos) << r.err;
}

TEST(Edges, joints_without_a_drive_have_no_torque_and_need_no_warning) {
  const Folder folder;
  const std::string log = folder.path("log.csv");
  ASSERT_EQ(
      run_cli({"simulate", "fivebar", "--torque", "gravity", "--duration", "2", "-o", log}).status,
      0);
  EXPECT_EQ(run_cli({"identify", "fivebar", log}).err.find("log-constant"), std::string::npos);
}

TEST(Edges, numbers_of_mpc_are_decimal_too) {
  for (const char* option : {"--duration", "--payload", "--rate", "--vary", "--reach"}) {
    const RunResult r = run_cli({"mpc", "pendulum", option, "0x1"});
    EXPECT_EQ(r.status, 2) << option;
    EXPECT_TRUE(has(r.err, "is hexadecimal")) << option;
  }
}

TEST(Edges, what_is_not_finite_is_no_comparison) {
  const Folder folder;
  std::string text = run_cli({"robots", "stanford"}).out;
  const std::string light = "mass: 1.08";
  ASSERT_NE(text.find(light), std::string::npos);
  text.replace(text.find(light), light.size(), "mass: 1e155");
  const RunResult r = run_cli({"compare", folder.write("heavy.yaml", text), "--states", "2"});
  EXPECT_EQ(r.status, 3) << r.out;
  EXPECT_EQ(r.out.find("nan"), std::string::npos);
}

TEST(Edges, velocities_in_another_unit_are_refused) {
  const Folder folder;
  std::string text = "t,q1,q2,qd1,qd2,tau1,tau2\n";
  for (int k = 0; k < 2000; ++k) {
    const double t = 0.005 * k;
    const double row[] = {t,
                          std::sin(t),
                          std::cos(2.0 * t),
                          1e-3 * std::cos(t),
                          -2e-3 * std::sin(2.0 * t),
                          std::sin(3.0 * t),
                          std::cos(t)};
    for (const double& x : row) text += (&x == row ? "" : ",") + std::to_string(x);
    text += '\n';
  }
  const RunResult r = run_cli({"identify", "twolink_fu", folder.write("units.csv", text)});
  EXPECT_EQ(r.status, 3) << r.err;
  EXPECT_TRUE(has(r.err, "log-units"));
}

TEST(Edges, a_page_stays_small_whatever_is_drawn_on_it) {
  const Folder folder;
  std::string table = "t,q1,q2,q3,q4,q5,q6,qd1,qd2,qd3,qd4,qd5,qd6,qdd1,qdd2,qdd3,qdd4,qdd5,qdd6\n";
  for (int k = 0; k < 20'000; ++k) {
    const double t = 1e-3 * k;
    table += std::to_string(t);
    for (int i = 0; i < 18; ++i)
      table += "," + std::to_string(std::sin(t + i % 6 + 1.57 * (i / 6)));
    table += "\n";
  }
  const RunResult r = run_cli(
      {"simplify", "puma560", folder.write("long.csv", table), "--html", folder.path("page.html")});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_LT(read_file(folder.path("page.html")).size(), 2'000'000u);
}

}  // namespace
