#include <cmath>

#include "cli.hpp"

using namespace ulna::test;

namespace {

RunResult simulate(std::vector<std::string> arguments, const std::string& folder = "/") {
  arguments.insert(arguments.begin(), "simulate");
  return run_cli(arguments, {.folder = folder});
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<double> numbers_of(const std::string& line) {
  std::vector<double> list;
  std::istringstream in(line);
  for (std::string word; std::getline(in, word, ',');) list.push_back(std::stod(word));
  return list;
}

TEST(Simulate, reports_the_range_of_joints_and_that_energy_is_balanced) {
  const RunResult r = simulate({"panda", "--torque", "gravity", "--duration", "0.5"});
  EXPECT_EQ(r.status, 0) << r.err;
  for (const char* word :
       {"panda: 0.5 s by rk4 of 0.001 s", "panda_joint7", "work of torques", "lost in dry friction",
        "lost at stops", "energy error", "0 torques cut off"})
    EXPECT_TRUE(has(r.out, word));
  EXPECT_TRUE(lacks(r.out, "momentum"));
  EXPECT_LE(widest_line(r.out), 80u);
}

TEST(Simulate, writes_a_log_that_other_verbs_read_and_agree_with) {
  const Folder folder;
  ASSERT_EQ(simulate({"panda", "--torque", "pd", "--target", "0,0.3,0,-2,0,2,0", "--duration",
                      "0.2", "--period", "0.01", "-o", "log.csv", "--plot", "p.svg"},
                     folder.path())
                .status,
            0);
  const std::vector<std::string> log = lines_of(read_file(folder.path("log.csv")));
  ASSERT_EQ(log.size(), 22u);
  EXPECT_TRUE(begins(log[0], "t,q_panda_joint1,"));
  EXPECT_TRUE(has(log[0], ",qdd_panda_joint7,tau_panda_joint1,"));
  EXPECT_TRUE(has(read_file(folder.path("p.svg")), "</svg>"));
  // forward dynamics of the log are its accelerations
  const RunResult fd = run_cli({"fd", "panda", "log.csv"}, {.folder = folder.path()});
  ASSERT_EQ(fd.status, 0) << fd.err;
  const std::vector<std::string> again = lines_of(fd.out);
  ASSERT_EQ(again.size(), log.size());
  for (std::size_t k = 5; k < log.size(); ++k) {
    const std::vector<double> a = numbers_of(again[k]), row = numbers_of(log[k]);
    for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(a[1 + i], row[15 + i], 1e-6) << log[k];
  }
  EXPECT_EQ(simulate({"panda", "-o", "log.csv"}, folder.path()).status, 3);
  EXPECT_EQ(simulate({"panda", "--duration", "0.01", "-o", "log.csv", "-f"}, folder.path()).status,
            0);
}

TEST(Simulate, torques_of_a_table_move_the_robot_as_they_did_before) {
  const Folder folder;
  const std::vector<std::string> run{"--duration", "0.3", "--period", "0.01", "--json"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), run.begin(), run.end());
    return document(simulate(more, folder.path()), "ulna.simulate/1");
  };
  const json first = with({"double_pendulum", "--q", "0.4,0.2", "--torque", "pd", "-o", "a.csv"});
  const json second = with({"double_pendulum", "--q", "0.4,0.2", "--torque", "a.csv"});
  EXPECT_EQ(first["q"], second["q"]);
  EXPECT_EQ(first["energy"]["torques"], second["energy"]["torques"]);
  // from standard input, too
  const RunResult piped = run_cli({"simulate", "double_pendulum", "--q", "0.4,0.2", "--torque", "-",
                                   "--duration", "0.3", "--period", "0.01", "--json"},
                                  {.input = read_file(folder.path("a.csv"))});
  EXPECT_EQ(document(piped, "ulna.simulate/1")["q"], first["q"]);
}

TEST(Simulate, momentum_of_a_robot_that_flies_is_that_of_its_weight) {
  const json d =
      document(simulate({"panda", "--floating-base", "--qd", "panda_joint1=1,panda_joint4=-1",
                         "--duration", "0.2", "--json"}),
               "ulna.simulate/1");
  EXPECT_EQ(d["status"], "moved");
  EXPECT_LT(d["momentum"]["linear_error"].get<double>(), 1e-6);
  EXPECT_LT(d["momentum"]["angular_error"].get<double>(), 1e-6);
  EXPECT_LT(d["energy"]["error_share"].get<double>(), 1e-6);
}

// A hand of 1 kg slides at 1 m/s against 6 N: it comes to rest after 1/12 m.
TEST(Simulate, friction_stops_a_hand_where_it_should_and_grows_in_its_time) {
  const auto run = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"simulate", "-", "--qd", "elbow=1", "--duration", "1", "--json"});
    return document(
        run_cli(more,
                {.input = Sample{.elbow = "<dynamics damping=\"0\" friction=\"6\"/>"}.urdf()}),
        "ulna.simulate/1");
  };
  const json usual = run({}), twice = run({"--friction-scale", "2@0"}),
             late = run({"--friction-scale", "2@0.5..0.8"});
  EXPECT_NEAR(usual["q"][1], 1.0 / 12.0, 1e-9);
  EXPECT_EQ(usual["qd"][1], 0.0);
  EXPECT_EQ(usual["events"], 1);
  EXPECT_NEAR(usual["energy"]["friction"], 0.5, 1e-9);
  EXPECT_NEAR(twice["q"][1], 1.0 / 24.0, 1e-9);
  EXPECT_EQ(late["q"], usual["q"]);
}

TEST(Simulate, a_payload_comes_in_its_time) {
  const auto run = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"panda", "--torque", "gravity", "--duration", "0.3", "--period",
                               "0.01", "--q", "0,0.5,0,-1.5,0,1,0", "--json"});
    return document(simulate(more), "ulna.simulate/1");
  };
  const json still = run({}), loaded = run({"--payload", "2,0,0,0.1@0.1"}),
             dropped = run({"--payload", "2,0,0,0.1@0.1..0.1"}),
             varied = run({"--vary", "30", "--seed", "4"});
  EXPECT_NEAR(still["q"][1], 0.5, 1e-9);
  const auto gone = [](const json& d) { return std::abs(d["q"][1].get<double>() - 0.5); };
  EXPECT_GT(gone(loaded), 0.001);
  EXPECT_NE(loaded["energy"]["changes"], 0.0);
  EXPECT_NEAR(dropped["q"][1], 0.5, 1e-9);
  EXPECT_GT(gone(varied), 1e-4);
  EXPECT_EQ(varied, run({"--vary", "30", "--seed", "4"}));
  for (const json& d : {loaded, dropped, varied})
    EXPECT_LT(d["energy"]["error_share"].get<double>(), 1e-4) << d.dump();
}

TEST(Simulate, the_log_is_what_sensors_read) {
  const auto log = [](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"pendulum", "--q", "1", "--duration", "0.2", "--period", "0.01", "-o", "-"});
    const RunResult r = simulate(more);
    EXPECT_EQ(r.status, 0) << r.err;
    return lines_of(r.out);
  };
  const auto truth = log({}), coarse = log({"--quantum", "0.01"}), late = log({"--delay", "2"}),
             noisy = log({"--noise-q", "0.001", "--seed", "3"});
  EXPECT_TRUE(has(truth[0], "qdd_"));
  EXPECT_TRUE(lacks(coarse[0], "qdd_"));
  ASSERT_EQ(truth.size(), 22u);
  for (std::size_t k = 3; k < truth.size(); ++k) {
    EXPECT_NEAR(numbers_of(coarse[k])[1], 0.01 * std::round(100.0 * numbers_of(truth[k])[1]),
                1e-12);
    EXPECT_EQ(numbers_of(late[k])[1], numbers_of(truth[k - 2])[1]);
    EXPECT_NE(numbers_of(noisy[k])[1], numbers_of(truth[k])[1]);
    EXPECT_NEAR(numbers_of(noisy[k])[1], numbers_of(truth[k])[1], 0.01);
  }
  EXPECT_EQ(noisy, log({"--noise-q", "0.001", "--seed", "3"}));
  EXPECT_NE(noisy, log({"--noise-q", "0.001", "--seed", "4"}));
}

TEST(Simulate, integrators_differ_by_their_errors_and_adaptive_ones_are_there_or_say_why_not) {
  const auto error = [](const std::string& name) {
    const json d = document(simulate({"double_pendulum", "--q", "1,1", "--duration", "0.5",
                                      "--integrator", name, "--json"}),
                            "ulna.simulate/1");
    return std::abs(d["energy"]["error"].get<double>());
  };
  EXPECT_LT(error("rk4"), 1e-3 * error("midpoint"));
  EXPECT_LT(error("midpoint"), error("euler"));
  const RunResult r =
      simulate({"double_pendulum", "--q", "1,1", "--integrator", "adaptive", "--duration", "0.5"});
  EXPECT_TRUE(r.status == 0 || (r.status == 3 && has(r.err, "without SUNDIALS"))) << r.err;
}

TEST(Simulate, a_step_that_is_too_long_is_found_out) {
  const RunResult r = simulate({"double_pendulum", "--q", "2,2", "--period", "0.1", "--step", "0.1",
                                "--integrator", "euler", "--duration", "3"});
  EXPECT_TRUE(r.status == 1 || r.status == 3) << r.out;
  EXPECT_TRUE(has(r.err, "--step"));
}

TEST(Simulate, reports_what_stops_have_to_bear) {
  // an arm that falls on its stop and rests there: m g l sin(q) is what the stop holds
  const std::string arm =
      "<robot name='arm'><link name='base'/><link name='rod'><inertial><origin xyz='0 0 "
      "-0.5'/><mass "
      "value='2'/><inertia ixx='0.05' iyy='0.05' izz='0.01' ixy='0' ixz='0' "
      "iyz='0'/></inertial></link><joint name='hinge' type='revolute'><parent link='base'/><child "
      "link='rod'/><axis xyz='0 1 0'/><limit lower='0.5' upper='1.5' effort='50' "
      "velocity='10'/></joint></robot>";
  const std::vector<std::string> line{"simulate", "-", "--q", "1.2", "--duration", "2"};
  const RunResult text = run_cli(line, {.input = arm});
  EXPECT_TRUE(has(text.out, "load of stop")) << text.err;
  EXPECT_TRUE(lacks(text.out, "-0.0000"));
  std::vector<std::string> as_json = line;
  as_json.emplace_back("--json");
  const json d = document(run_cli(as_json, {.input = arm}), "ulna.simulate/1");
  EXPECT_NEAR(d["joints"][0]["stop_load"].get<double>(), 2.0 * 9.81 * 0.5 * std::sin(0.5), 0.05);
}

TEST(Simulate, refuses_with_a_reason) {
  const Folder folder;
  folder.write("no_time.csv", "tau_pivot\n1\n");
  folder.write("no_tau.csv", "t,q_pivot\n0,1\n");
  folder.write("back.csv", "t,tau_pivot\n0,1\n1,1\n0.5,1\n");
  folder.write("word.csv", "t,tau_pivot\n0,strong\n");
  folder.write("nan.csv", "t,tau_pivot\n0,nan\n");
  folder.write("empty.csv", "t,tau_pivot\n");
  for (const char* file : {"no_time.csv", "no_tau.csv", "back.csv", "word.csv", "nan.csv",
                           "empty.csv", "none.csv", "."}) {
    const RunResult r = simulate({"pendulum", "--torque", file}, folder.path());
    EXPECT_EQ(r.status, 3) << file << r.err;
    EXPECT_TRUE(has(r.err, file));
  }
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--duration", "0"},
                                                        {"--duration", "-1"},
                                                        {"--duration", "nan"},
                                                        {"--duration", "1e9"},
                                                        {"--duration", "long"},
                                                        {"--period", "0"},
                                                        {"--period", "1e-9"},
                                                        {"--step", "-1"},
                                                        {"--step", "1e-12"},
                                                        {"--integrator", "magic"},
                                                        {"--tolerance", "0"},
                                                        {"--target", "1"},
                                                        {"--bandwidth", "-3"},
                                                        {"--payload", "-1"},
                                                        {"--payload", "1,2"},
                                                        {"--payload", "heavy"},
                                                        {"--payload", "1@x"},
                                                        {"--payload", "1@3..1"},
                                                        {"--payload", "1@-2"},
                                                        {"--friction-scale", "-1"},
                                                        {"--friction-scale", "1,2"},
                                                        {"--friction-scale", "@1"},
                                                        {"--vary", "100"},
                                                        {"--vary", "-1"},
                                                        {"--noise-q", "-1"},
                                                        {"--quantum", "nan"},
                                                        {"--delay", "-1"},
                                                        {"--dropout", "1"},
                                                        {"--dropout", "-0.5"},
                                                        {"--q", "1,2"},
                                                        {"--qd", "nan"}}) {
    const RunResult r = simulate({"pendulum", option, value});
    EXPECT_EQ(r.status, 2) << option << " " << value << "\n" << r.out << r.err;
    EXPECT_TRUE(has(r.err, "ulna simulate --help"));
  }
  EXPECT_EQ(simulate({"panda", "--torque", "pd", "--target", "1,2"}).status, 2);
  EXPECT_EQ(simulate({"pendulum", "--json", "-o", "-"}).status, 2);
  EXPECT_EQ(simulate({"nowhere"}).status, 3);
  EXPECT_EQ(run_cli({"simulate", "-", "--torque", "-"}).status, 2);
  EXPECT_EQ(run_cli({"simulate", "pendulum", "-"}, {.input = "t,q_pivot\n0,1\n"}).status, 3);
}

/// A light link behind a gear with much friction, and a motion for it.
std::string geared(double effort, const char* damping = "0.1") {
  return "<robot name='geared'><link name='base'/><link name='arm'><inertial><mass value='0.1'/>"
         "<inertia ixx='1e-3' iyy='1e-3' izz='1e-3' ixy='0' ixz='0' iyz='0'/></inertial></link>"
         "<joint name='hinge' type='revolute'><parent link='base'/><child link='arm'/>"
         "<axis xyz='0 0 1'/><limit lower='-2' upper='2' velocity='5' effort='" +
         std::to_string(effort) + "'/><dynamics damping='" + damping +
         "' friction='1'/></joint></robot>";
}

std::string motion_of_hinge() {
  std::ostringstream table;
  table << "t,q1,qd1,qdd1\n";
  for (int k = 0; k <= 200; ++k) {
    const double t = 0.01 * k, w = 3.14159265;
    table << t << ',' << 0.5 - 0.5 * std::cos(w * t) << ',' << 0.5 * w * std::sin(w * t) << ','
          << 0.5 * w * w * std::cos(w * t) << '\n';
  }
  return table.str();
}

TEST(SimulateVerb, follows_a_motion_though_friction_is_stronger_than_inertia) {
  const Folder folder;
  const std::string motion = folder.write("m.csv", motion_of_hinge());
  const auto follow = [&](double effort) {
    return run_cli({"simulate", "-", "--follow", motion, "--json"}, {.input = geared(effort)});
  };
  const RunResult strong = follow(10.0);
  EXPECT_EQ(strong.status, 0) << strong.err;
  EXPECT_LT(document(strong, "ulna.simulate/1")["joints"][0]["follow_error"], 0.01);
  // a drive that friction holds does not
  const RunResult weak = follow(0.5);
  EXPECT_EQ(weak.status, 1);
  EXPECT_TRUE(has(weak.err, "does not follow its motion: hinge")) << weak.err;
  EXPECT_GT(document(weak, "ulna.simulate/1")["joints"][0]["follow_error"], 0.3);
}

// Of a joint that its damping brakes within a period, whatever the damping is by which the robot differs.
TEST(SimulateVerb, follows_a_motion_though_damping_is_not_what_the_file_says) {
  const Folder folder;
  const std::string motion = folder.write("m.csv", motion_of_hinge());
  for (const char* seed : {"1", "2", "3", "4", "5"}) {
    const RunResult r = run_cli({"simulate", "-", "--follow", motion, "--period", "0.002", "--vary",
                                 "30", "--seed", seed, "--bandwidth", "30", "--json"},
                                {.input = geared(10.0, "0.8")});
    // friction that differs by 30 % shows in the error, and makes nothing unstable
    const json d = document(r, "ulna.simulate/1");
    EXPECT_LT(d["joints"][0]["follow_error"], 0.3) << seed;
    EXPECT_EQ(d["hits"], 0) << seed;
    EXPECT_LT(d["joints"][0]["top_speed"], 3.0) << seed;
  }
}

TEST(SimulateVerb, steps_that_would_make_energy_grow_are_divided_with_a_note) {
  const std::vector<std::string> line{"simulate", "ur5e", "--period", "0.1", "--step", "0.1"};
  const RunResult r = run_cli(line);
  EXPECT_TRUE(has(r.out, "note: energy would have grown without input: ")) << r.err;
  std::vector<std::string> as_json = line;
  as_json.push_back("--json");
  const json d = document(run_cli(as_json), "ulna.simulate/1");
  EXPECT_EQ(d["status"], "moved");
  EXPECT_GT(d["divided"], 0);
  const json& energy = d["energy"];
  const double gained = energy["final"].get<double>() - energy["initial"].get<double>();
  EXPECT_LT(gained, 0.0);
  EXPECT_TRUE(lacks(run_cli({"simulate", "ur5e", "--duration", "1"}).out, "grown without input"));
}

TEST(SimulateVerb, a_robot_that_falls_keeps_its_posture_under_pd) {
  for (const char* robot : {"humanoid", "quadruped"}) {
    const RunResult r =
        run_cli({"simulate", robot, "--torque", "pd", "--duration", "0.5", "--json"});
    EXPECT_EQ(r.status, 0) << robot << r.err;
    const json d = document(r, "ulna.simulate/1");
    EXPECT_EQ(d["hits"], 0) << robot;
    for (const json& joint : d["joints"])
      if (!joint["lowest"].is_null()) {
        EXPECT_LT(joint["top_speed"], 1e-6) << joint["name"];
      }
  }
}

}  // namespace
