#include "pages.hpp"
#include "ulna/rig/test_plant.hpp"

using namespace ulna::test;

namespace {

/// A trial that is quick: few samples, a short horizon.
std::vector<std::string> quick(std::vector<std::string> more) {
  std::vector<std::string> line{"mpc", "panda", "--rate", "100", "--duration", "2", "--steps", "8"};
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

TEST(MpcVerb, tells_what_it_promised_as_json) {
  const json d = document(run_cli(quick({"--payload", "2", "--payload-at", "0.5", "--json",
                                         "--knowledge", "identified,fixed,perfect"})),
                          "ulna.mpc/1");
  for (const char* run : {"identified", "fixed", "perfect"}) {
    EXPECT_TRUE(d["runs"][run]["finished"]) << run;
    EXPECT_EQ(d["runs"][run]["steps"], 200);
    EXPECT_EQ(d["runs"][run]["torque_breaches"], 0);
    EXPECT_GT(d["tracking_rmse"][run], 0.0);
  }
  EXPECT_LT(d["tracking_rmse"]["perfect"], d["tracking_rmse"]["fixed"]);
  EXPECT_EQ(d["payload"]["mass"], 2.0);
  for (const char* what : {"p50", "p95", "p99", "max"}) EXPECT_GT(d["step_us"][what], 0.0);
  EXPECT_TRUE(d["consistent_always"]);
  EXPECT_LE(d["allocations"], 0);
}

TEST(MpcVerb, the_same_seed_tells_the_same) {
  const auto rmse = [](const char* seed) {
    return document(run_cli(quick({"--json", "--vary", "30", "--seed", seed})),
                    "ulna.mpc/1")["tracking_rmse"];
  };
  EXPECT_EQ(rmse("7"), rmse("7"));
  EXPECT_NE(rmse("7"), rmse("8"));
}

TEST(MpcVerb, fits_a_terminal_and_writes_a_page) {
  const Folder folder;
  const RunResult r = run_cli(quick(
      {"--payload", "2", "--payload-at", "0.5", "--report", folder.path("page.html")}));
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_LE(widest_line(r.out), 80u) << r.out;
  EXPECT_TRUE(has(r.out, "identified"));
  EXPECT_LT(read_file(folder.path("page.html")).size(), 1'100'000u);
  const json data = data_of(folder.path("page.html")), report = message(data, "report");
  EXPECT_EQ(blocks_of(report, "scene").size(), 1u);
  EXPECT_EQ(blocks_of(report, "heading").size(), 5u);
  EXPECT_TRUE(has(report.dump(), "While it identifies the robot"));
  // the robot, its reference as a ghost, and the payload, which is there from some time on
  const json robots = message(data, "scene")["robots"];
  ASSERT_EQ(robots.size(), 3u);
  EXPECT_EQ(robots[0]["ghost"], false);
  EXPECT_EQ(robots[1]["ghost"], true);
  EXPECT_EQ(robots[2]["name"], "payload");
  const std::vector<PageTrack> tracks = tracks_of(data, 5);
  ASSERT_EQ(tracks.size(), 3u);
  const double hung = blocks_of(report, "scene")[0]["events"][0]["at"];
  for (std::size_t k = 0; k < tracks[2].times.size(); ++k) {
    const double time = tracks[2].times[k];
    if (std::abs(time - hung) < 0.02) continue;  // a period more or less
    EXPECT_EQ(std::isfinite(tracks[2].rows[k][0]), time > hung) << time;
  }
  // each plot has the numbers that it names
  const json groups = message(data, "channels")["groups"];
  std::size_t series = 0;
  for (const json& group : groups) series += group["series"].size();
  EXPECT_EQ(tracks_of(data, 6).at(0).rows[0].size(), series);
  for (const json& plots : blocks_of(report, "plots"))
    for (const json& plot : plots["plots"]) {
      const json& group = groups.at(plot["group"].get<std::size_t>());
      EXPECT_EQ(plot["styles"].size(), group["series"].size()) << group["name"];
    }
  // not again without being told to
  EXPECT_EQ(run_cli(quick({"--report", folder.path("page.html")})).status, 3);
}

TEST(MpcVerb, draws_the_errors_of_each_run_in_a_picture_that_needs_nothing_else) {
  const Folder folder;
  const RunResult r = run_cli(
      quick({"--knowledge", "identified,fixed", "--plot", folder.path("errors.svg"), "--json"}));
  EXPECT_EQ(r.status, 0) << r.err;
  const std::string picture = read_file(folder.path("errors.svg"));
  EXPECT_TRUE(picture.starts_with("<svg xmlns=") && picture.ends_with("</svg>\n"));
  for (const char* name : {">identified<", ">fixed<", ">mrad<"}) EXPECT_TRUE(has(picture, name));
  EXPECT_FALSE(has(picture, "href") || has(picture, "nan"));
  EXPECT_EQ(run_cli(quick({"--plot", folder.path("errors.svg")})).status, 3);
}

TEST(MpcVerb, takes_a_scenario_from_a_file) {
  const Folder folder;
  const std::string file = folder.write("trial.yaml",
                                        "robot: panda\n"
                                        "duration: 1\n"
                                        "rate: 100\n"
                                        "horizon: {steps: 8, step: 0.02}\n"
                                        "knowledge: [fixed, perfect]\n"
                                        "friction: {viscous: 0.002, dry: 0.004}\n"
                                        "faults:\n"
                                        "  - {kind: sensor_nan, from: 0.5, to: 0.6}\n");
  const json d = document(run_cli({"mpc", file, "--json"}), "ulna.mpc/1");
  EXPECT_EQ(d["runs"]["fixed"]["faults"]["not_measured"], 10);
  EXPECT_TRUE(d["runs"]["perfect"]["finished"]);
  // or from standard input, which may be a robot as well
  const json piped =
      document(run_cli({"mpc", "-", "--json"}, {.input = read_file(file)}), "ulna.mpc/1");
  EXPECT_EQ(piped["tracking_rmse"], d["tracking_rmse"]);
  const RunResult bad =
      run_cli({"mpc", "-"}, {.input = "robot: panda\nduratoin: 3\n", .seconds = 20.0});
  EXPECT_EQ(bad.status, 3);
  EXPECT_TRUE(has(bad.err, "<stdin>:2: "));
  const RunResult robot = run_cli({"convert", "panda", "-"});
  const json of_robot = document(
      run_cli({"mpc", "-", "--rate", "100", "--duration", "0.5", "--json"}, {.input = robot.out}),
      "ulna.mpc/1");
  EXPECT_EQ(of_robot["robot"]["source"], "<stdin>");
}

/// An arm of two joints with these attributes of limits.
std::string two_joints(const std::string& type, const std::string& limit) {
  std::string text = "<robot name='two'><link name='base'/>", parent = "base";
  for (const std::string name : {"a", "b"}) {
    text += "<link name='" + name +
            "'><inertial><origin xyz='0 0 0.2'/><mass value='1'/><inertia ixx='0.02' iyy='0.02' "
            "izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='joint_" +
            name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + name +
            "'/><origin xyz='0 0 0.4'/><axis xyz='0 1 0'/>" + limit + "</joint>";
    parent = name;
  }
  return text + "</robot>";
}

TEST(MpcVerb, its_own_motions_keep_to_what_a_robot_can_do) {
  const auto moved = [](const std::string& robot, std::vector<std::string> more = {}) {
    std::vector<std::string> line{"mpc", "-", "--rate", "100", "--duration", "3", "--json"};
    line.insert(line.end(), more.begin(), more.end());
    const RunResult r = run_cli(line, {.input = robot});
    EXPECT_LE(r.status, 1) << r.err;
    return document(r, "ulna.mpc/1");
  };
  const json slow =
      moved(two_joints("revolute", "<limit lower='-3' upper='3' effort='50' velocity='0.3'/>"));
  ASSERT_EQ(slow["notes"].size(), 1u);
  EXPECT_TRUE(has(slow["notes"][0], "velocity limits"));
  EXPECT_LT(slow["tracking_rmse"]["identified"], 0.05);
  const json endless =
      moved(two_joints("revolute", "<limit lower='-1e6' upper='1e6' effort='50' velocity='3'/>"));
  EXPECT_TRUE(endless["notes"].empty());
  EXPECT_LT(endless["tracking_rmse"]["identified"], 0.05);
  EXPECT_LT(moved(two_joints("continuous", ""))["tracking_rmse"]["identified"], 0.05);
  // what is asked for is not changed
  const RunResult asked = run_cli(
      {"mpc", "-", "--goal", "2,-2", "--duration", "3"},
      {.input = two_joints("revolute", "<limit lower='-3' upper='3' effort='50' velocity='1'/>")});
  EXPECT_TRUE(has(asked.out, "note: the way to the goal takes ")) << asked.err;
}

TEST(MpcVerb, laws_that_plan_nothing_have_no_actions_to_warn_of) {
  const RunResult r = run_cli({"mpc", "panda", "--rate", "100", "--duration", "2", "--law",
                               "gravity_pd", "--knowledge", "fixed"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(lacks(r.err, "safe"));
}

TEST(MpcVerb, a_joint_that_is_faster_than_its_limit_is_a_finding) {
  // a load that its drives cannot hold tears the arm down
  const RunResult r =
      run_cli({"mpc", "panda", "--law", "gravity_pd", "--knowledge", "perfect", "--payload", "300",
               "--payload-at", "0.1", "--duration", "1", "--rate", "100", "--json"});
  EXPECT_EQ(r.status, 1);
  const json d = document(r, "ulna.mpc/1");
  EXPECT_GT(d["runs"]["perfect"].value("largest_speed", 0.0), 1.1);
  EXPECT_TRUE(has(d["runs"]["perfect"]["findings"].dump(), "times its velocity limit"));
}

TEST(MpcVerb, the_robot_of_a_scenario_may_be_a_file_beside_it) {
  const Folder folder;
  std::filesystem::create_directory(folder.path("trials"));
  folder.write("trials/arm.urdf", run_cli({"robots", "pendulum"}).out);
  const std::string trial = "robot: arm.urdf\nduration: 0.2\nrate: 100\n";
  folder.write("trials/trial.yaml", trial);
  const RunResult r = run_cli({"mpc", "trials/trial.yaml", "--json"}, {.folder = folder.path()});
  EXPECT_EQ(document(r, "ulna.mpc/1")["robot"]["source"], "trials/arm.urdf") << r.err;
  // and is not overwritten by its report
  const RunResult over =
      run_cli({"mpc", "trials/trial.yaml", "--report", "trials/trial.yaml", "--force"},
              {.folder = folder.path()});
  EXPECT_EQ(over.status, 2);
  EXPECT_TRUE(has(over.err, "is read and would be overwritten"));
  EXPECT_EQ(read_file(folder.path("trials/trial.yaml")), trial);
}

TEST(MpcVerb, what_is_wrong_with_a_scenario_is_told_with_its_line) {
  const Folder folder;
  for (const auto& [text, line, words] : std::vector<std::tuple<std::string, int, std::string>>{
           {"robot: panda\nduratoin: 3\n", 2, "did you mean 'duration'"},
           {"robot: panda\nduration: long\n", 2, "duration"},
           {"robot: panda\nhorizon:\n  steps: 8\n  stpe: 1\n", 4, "did you mean 'step"},
           {"robot: panda\nlaw: pid\n", 2, "not one of mpc"},
           {"robot: panda\npayload: {mass: 2, com: [1, 2]}\n", 2, "three numbers"},
           {"robot: panda\nfaults: 3\n", 2, "not a list"},
           {"robot:\nduration: 3\n", 1, "robot has no value"},
           {"rate: 100\nrobot: pandda\n", 2, "did you mean 'panda'"},
           {"robot: double_pendulum\nstart: [1e155, 0]\n", 2, "out of reach"},
           {"robot: double_pendulum\nrate: 0\n", 2, "0 is not from 50 to 10000 Hz"},
           {"robot: double_pendulum\nsensors:\n  wrenches: [{link: lower}, {link: lower}]\n", 3,
            "has a sensor already"},
           {"robot: panda\ngoal: 5\n", 2, "list of numbers"},
           {"robot: panda\nrate: 100\ngoal: [1, 2]\n", 3, "7 joints"},
           {"robot: panda\ngoal: [9, 0, 0, -2, 0, 2, 0]\n", 2, "out of reach"},
           {"robot: panda\nhorizon:\n  steps: 0\n", 3, "from 2 to 200"},
           {"robot: panda\nreach: 0.01\n", 2, "take longer"},
           {"robot: panda\npayload: {mass: 2, frame: nope}\n", 2, "no frame 'nope'"},
           {"robot: panda\nsensors:\n  wrenches:\n    - {link: nope}\n", 3, "no moving link"},
           {"robot: panda\nsensors: {wrenches: 3}\n", 2, "not a list"},
           {"robot: panda\nduration: 1\nduration: 2\n", 3, "'duration' is given twice"},
           {"robot: panda\ngoal: {panda_joint1: 0.1, panda_joint1: 0.2}\n", 2, "is given twice"},
           {"robot: panda\nknowledge: [fixed, fixed]\n", 2, "'fixed' is given twice"},
           {"robot: panda\nhz: [-1, 1, 1, 1, 1, 1, 1]\n", 2, "not from 0 to 1000 Hz"},
           {"robot: pendulum\namplitude: [0]\nhz: [1e308]\n", 3, "not from 0 to 1000 Hz"},
           {"robot: panda\nrate: 100\nduration: 0.001\n", 3, "at least a period"},
           {"robot: panda\nvary: 50\n", 2, "5000 % is not from 0 to below 100 %"},
           {"robot: panda\npayload: {mass: 1, edge: -1}\n", 2, "above 0, up to 10 m"},
           {"robot: panda\npayload: {mass: 1, com: [1e200, 0, 0]}\n", 2, "beyond 10 m"},
           {"robot: panda\n---\nrobot: ur5e\n", 3, "second scenario"},
           {" robot: panda\n duratoin: 3\n", 2, "did you mean 'duration'"},
           {"{robot: panda,\n duratoin: 3}\n", 2, "did you mean 'duration'"},
           {"robot: panda\n  nonsense: [\n", 2, "is not YAML"}}) {
    const std::string file = folder.write("bad.yaml", text);
    const RunResult r = run_cli({"mpc", file});
    EXPECT_EQ(r.status, 3) << text;
    EXPECT_TRUE(has(r.err, "bad.yaml:" + std::to_string(line) + ": ")) << text << r.err;
    EXPECT_TRUE(has(r.err, words)) << text << r.err;
  }
}

TEST(MpcVerb, what_has_no_effect_in_a_scenario_is_refused_with_its_line) {
  const Folder folder;
  for (const auto& [text, line] : std::vector<std::pair<std::string, int>>{
           {"law: gravity_pd\nhorizon: {steps: 4}\n", 4},
           {"law: gravity_pd\nweights: {position: 1}\n", 4},
           {"law: computed_torque\ntranscription: forward_dynamics\n", 4},
           {"law: computed_torque\ndeadline: 1\n", 4},
           {"law: gravity_pd\nknowledge: [offset_free]\n", 4},
           {"friction: {factor: 2, from: 3, to: 9}\n", 3},
           {"friction: {from: 0.1, to: 0.2}\n", 3},
           {"faults:\n  - {kind: sensor_nan, from: 5, to: 6}\n", 3},
           {"sensors: {acceleration_noise: 1}\n", 3}}) {
    const std::string file = folder.write("idle.yaml", "robot: pendulum\nduration: 0.5\n" + text);
    const RunResult r = run_cli({"mpc", file});
    EXPECT_EQ(r.status, 3) << text;
    EXPECT_TRUE(has(r.err, "idle.yaml:" + std::to_string(line) + ": ")) << text << r.err;
    EXPECT_TRUE(has(r.err, "has no effect")) << text << r.err;
  }
}

TEST(MpcVerb, of_a_payload_that_was_not_found_there_is_no_centre_of_mass) {
  const Folder folder;
  const std::vector<std::string> line{
      "mpc",        "pendulum", "--payload",    "1",    "--rate",   "100",
      "--duration", "0.06",     "--payload-at", "0.05", "--report", folder.path("p.html")};
  const RunResult r = run_cli(line);
  EXPECT_TRUE(lacks(r.out, "nan")) << r.out;
  EXPECT_TRUE(lacks(message(data_of(folder.path("p.html")), "report").dump(), "nan"));
  const json d = document(run_cli({"mpc", "pendulum", "--payload", "1", "--rate", "100",
                                   "--duration", "0.06", "--payload-at", "0.05", "--json"}),
                          "ulna.mpc/1");
  EXPECT_TRUE(d["payload"]["found_com"].is_null());
  EXPECT_TRUE(d["payload"]["com_error_m"].is_null());
  // names are shown, not obeyed
  const RunResult red =
      run_cli({"mpc", "-"},
              {.input = "robot: pendulum\ntitle: \"\\e[31mred\"\nduration: 0.1\nrate: 100\n"});
  EXPECT_TRUE(begins(red.out, "\\x1b[31mred\n")) << red.out;
}

TEST(MpcVerb, what_cannot_be_is_refused_before_anything_moves) {
  const Folder folder;
  const auto expect_refused = [](const std::vector<std::string>& line, const char* words,
                                 int status = 2) {
    const RunResult r = run_cli(line, {.seconds = 20.0});
    EXPECT_EQ(r.status, status) << testing::PrintToString(line) << r.err;
    EXPECT_TRUE(has(r.err, words)) << testing::PrintToString(line) << r.err;
  };
  expect_refused({"mpc", "panda", "--goal", "9,0,0,-2,0,2,0"}, "out of reach");
  expect_refused({"mpc", "panda", "--goal", "1,2"}, "7 joints");
  expect_refused({"mpc", "panda", "--duration", "-1"}, "--duration");
  expect_refused({"mpc", "panda", "--rate", "1e9"}, "--rate");
  expect_refused({"mpc", "panda", "--steps", "0"}, "--steps");
  expect_refused({"mpc", "panda", "--payload", "-2"}, "--payload");
  expect_refused({"mpc", "panda", "--payload-at", "2"}, "there is no payload");
  expect_refused({"mpc", "panda", "--law", "magic"}, "computed_torque");
  expect_refused({"mpc", "panda", "--knowledge", "all"}, "perfect");
  expect_refused({"mpc", "panda", "--plant", "factory"}, "mujoco");
  expect_refused({"mpc", "quadruped"}, "degrees of freedom", 3);
  expect_refused({"mpc", "planar_cart"}, "joint 'glide'", 3);
  expect_refused({"mpc", "panda", "--rate", "0"}, "--rate: 0 is not from 50");
  expect_refused({"mpc", "fourbar", "--supervise"}, "closes loops", 3);
  const std::string deep = "robot: " + std::string(60000, '[');
  expect_refused({"mpc", folder.write("deep.yaml", deep)}, "is not YAML", 3);
  const std::string large = "robot: panda\n#" + std::string(100000, 'x');
  expect_refused({"mpc", folder.write("large.yaml", large)}, "larger than", 3);
}

TEST(MpcVerb, mujoco_as_the_plant_gives_the_errors_that_ulna_gives) {
  const std::vector<std::string> line =
      quick({"--payload", "2", "--payload-at", "0.5", "--json", "--knowledge", "identified,perfect",
             "--plant", "mujoco"});
  if (!ulna::rig::has_mujoco()) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 3);
    EXPECT_TRUE(has(r.out, "libmujoco-dev")) << r.out << r.err;
    GTEST_SKIP() << "built without MuJoCo";
  }
  const json theirs = document(run_cli(line), "ulna.mpc/1");
  std::vector<std::string> other = line;
  other.back() = "ulna";
  const json ours = document(run_cli(other), "ulna.mpc/1");
  EXPECT_EQ(theirs["plant"], "mujoco");
  EXPECT_EQ(ours["plant"], "ulna");
  for (const char* run : {"identified", "perfect"}) {
    const double expected = ours["tracking_rmse"][run];
    EXPECT_NEAR(double(theirs["tracking_rmse"][run]), expected, 0.1 * expected) << run;
  }
}

TEST(MpcVerb, the_demo_is_of_the_payload_and_the_duration_that_were_given) {
  const std::vector<std::string> line{"mpc",        "panda", "--demo",      "--payload", "3",
                                      "--duration", "0.6",   "--knowledge", "identified"};
  const RunResult r = run_cli(line);
  EXPECT_LE(r.status, 1) << r.err;
  EXPECT_TRUE(has(r.out, "picks up an unknown 3 kg"));
  EXPECT_TRUE(has(r.out, "at 0.2 s: payload of 3 kg"));
  // a second after the change there is nothing to count
  std::vector<std::string> as_json = line;
  as_json.emplace_back("--json");
  const json d = document(run_cli(as_json), "ulna.mpc/1");
  EXPECT_TRUE(d["tracking_rmse_learned"]["identified"].is_null());
  EXPECT_GT(d["tracking_rmse"]["identified"].get<double>(), 0.0);
  EXPECT_EQ(d["robot"]["name"], "panda");
}

TEST(MpcVerb, a_loop_that_cannot_keep_its_period_is_a_finding) {
  // ten joints in 0.1 ms
  const RunResult r = run_cli({"mpc", "chain:10", "--rate", "10000", "--duration", "0.05",
                               "--steps", "30", "--knowledge", "identified"});
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  // whether a rate is proposed depends on how busy the machine is
  EXPECT_TRUE(has(r.err, "most steps take longer than the period of 0.1 ms: ")) << r.err;
}

TEST(MpcVerb, a_supervisor_leaves_a_healthy_robot_alone_and_is_reported) {
  const Folder folder;
  const std::vector<std::string> line{"mpc",        "panda", "--rate",     "500",
                                      "--duration", "1",     "--supervise"};
  std::vector<std::string> as_json = line, as_page = line;
  as_json.emplace_back("--json");
  as_page.insert(as_page.end(), {"--report", folder.path("page.html")});
  const json d = document(run_cli(as_json), "ulna.mpc/1");
  const json& supervisor = d["runs"]["identified"]["supervisor"];
  EXPECT_EQ(supervisor["state"], "run");
  EXPECT_EQ(supervisor["steps"]["run"], 500);
  EXPECT_TRUE(d["runs"]["identified"]["findings"].empty());
  const RunResult r = run_cli(as_page);
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(has(r.out, "supervisor, identified: 500 of 500 steps under control")) << r.out;
  EXPECT_LE(widest_line(r.out), 80u) << r.out;
  EXPECT_TRUE(has(read_file(folder.path("page.html")), "500 of 500 steps under control"));
}

TEST(MpcVerb, a_robot_that_its_supervisor_has_stopped_is_a_finding) {
  const Folder folder;
  const std::string text =
      "robot: panda\nrate: 500\nduration: 1.4\nhorizon: {steps: 8, step: 0.02}\n"
      "faults:\n  - {kind: sensor_nan, from: 0.4, to: 1.0}\nsupervisor: ";
  const RunResult stopped =
      run_cli({"mpc", folder.write("stopped.yaml", text + "{reaction: stop}\n"), "--json"});
  EXPECT_EQ(stopped.status, 1) << stopped.err;
  EXPECT_TRUE(has(stopped.err, "the supervisor has stopped the robot")) << stopped.err;
  const json d = json::parse(stopped.out);
  const json& supervisor = d["runs"]["identified"]["supervisor"];
  EXPECT_EQ(supervisor["state"], "fault");
  bool named = false;
  for (const json& event : supervisor["events"])
    named = named || (event["cause"] == "reading not finite" && event["time"] < 0.5);
  EXPECT_TRUE(named) << supervisor["events"];
  // who resets it goes on
  const RunResult reset =
      run_cli({"mpc", folder.write("reset.yaml", text + "{reset_after: 0.3}\n"), "--json"});
  EXPECT_EQ(json::parse(reset.out)["runs"]["identified"]["supervisor"]["state"], "run")
      << reset.err;
  // errors while it stands still are told from those of the controller
  const std::string short_stop = folder.write(
      "short.yaml",
      "robot: panda\nrate: 500\nduration: 3\nhorizon: {steps: 8, step: 0.02}\nfaults:\n  - {kind: "
      "sensor_nan, from: 0.8, to: 0.9}\nsupervisor: {reset_after: 0.3}\n");
  const json away = json::parse(run_cli({"mpc", short_stop, "--json"}).out)["runs"]["identified"];
  EXPECT_EQ(away["supervisor"]["state"], "run");
  EXPECT_GT(away["kept_away"], 0.3);
  EXPECT_LT(away["kept_away"], 2.0);
  EXPECT_LT(10.0 * away["rmse_following"].get<double>(), away["rmse"]) << away;
  EXPECT_TRUE(has(run_cli({"mpc", short_stop}).out, "stopped or on its way back for"));
  for (const auto& [keys, words] : {std::pair{"{reaction: flee}", "not one of report"},
                                    {"{reset: 3}", "unknown key 'reset'"},
                                    {"{collision_share: 0}", "above 0, up to 1"},
                                    {"5", "is not a list"}}) {
    const RunResult r = run_cli({"mpc", folder.write("bad.yaml", text + keys)});
    EXPECT_EQ(r.status, 3) << keys;
    EXPECT_TRUE(has(r.err, words)) << keys << r.err;
  }
  const RunResult floating = run_cli({"mpc", "ball_wrist", "--supervise"});
  EXPECT_EQ(floating.status, 3) << floating.err;
}

TEST(MpcVerb, what_is_lost_is_named_and_its_payload_not_shown) {
  // three times what a Panda can lift
  const RunResult heavy = run_cli({"mpc", "panda", "--rate", "250", "--duration", "3", "--payload",
                                   "15", "--payload-at", "0.5", "--json"});
  EXPECT_EQ(heavy.status, 1) << heavy.err;
  EXPECT_TRUE(has(heavy.err, "does not follow its motion") || has(heavy.err, "at their limits"))
      << heavy.err;
  const json d = json::parse(heavy.out);
  EXPECT_TRUE(d["payload"]["found_mass"].is_null());
  EXPECT_FALSE(d["runs"]["identified"]["findings"].empty());
  // no solver is as quick: the best plan so far is followed
  const Folder folder;
  const RunResult late = run_cli({"mpc", folder.write("late.yaml",
                                                      "robot: panda\nrate: 250\nduration: 1\n"
                                                      "deadline: 1.0e-6\n")});
  EXPECT_EQ(late.status, 0) << late.out << late.err;
  EXPECT_TRUE(lacks(late.err, "no plan in ")) << late.err;
}

}  // namespace
