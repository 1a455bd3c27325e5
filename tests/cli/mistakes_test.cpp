#include "cli.hpp"

// Input that is wrong, too large or without effect: what is refused, with which words and which exit status.

using namespace ulna::test;

namespace {

using Arguments = std::vector<std::string>;

/// Expects that a line is refused with a status and these words.
void expect_refusal(const Arguments& line, int status, const std::string& words,
                    const std::string& input = "") {
  const RunResult r = run_cli(line, {.input = input});
  EXPECT_EQ(r.status, status) << testing::PrintToString(line) << r.err;
  EXPECT_TRUE(has(r.err, words)) << testing::PrintToString(line) << r.err;
}

// --- states ---

TEST(Chained, states_are_read_of_robots_with_every_kind_of_joint) {
  for (const char* robot : {"planar_cart", "quadruped", "ball_wrist", "panda"}) {
    const std::string frame = json::parse(run_cli({"fk", robot, "--json"}).out)["frames"]
                                  .back()["name"]
                                  .get<std::string>();
    for (const Arguments& first :
         std::vector<Arguments>{{"fk", robot},
                                {"id", robot},
                                {"fd", robot},
                                {"terms", robot},
                                {"simulate", robot, "--duration", "0.01"},
                                {"ik", robot, "--frame", frame, "--xyz", "0,0,0", "--restarts", "0",
                                 "--position-only"}}) {
      Arguments line = first;
      line.emplace_back("--json");
      const RunResult made = run_cli(line);
      const json from = json::parse(made.out, nullptr, false);
      if (made.status == 1 && first[0] == "ik") continue;  // no configuration, no state
      const RunResult r = run_cli({"terms", robot, "-", "--json"}, {.input = made.out});
      EXPECT_EQ(r.status, 0) << robot << " " << first[0] << r.err;
      EXPECT_EQ(document(r, "ulna.terms/1")["q"], from["q"]) << robot << " " << first[0];
    }
  }
}

TEST(States, that_a_file_gets_wrong_are_failures_of_the_file) {
  const Folder folder;
  const std::string one = "double_pendulum";
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"{\"q\": [0, 0", "is not JSON"},
           {"{\"q\": [0]}", "q has 1 number"},
           {"{\"p\": [0, 0]}", "a state has no field 'p'"},
           {"[1, 2]", "a state is a JSON object"},
           {"[[[[", "is not JSON"},
           {"", "it is empty"}})
    for (const char* verb : {"fk", "id", "fd", "terms", "simulate"}) {
      expect_refusal({verb, one, folder.write("s.json", text)}, 3, "s.json: " + words);
      expect_refusal({verb, one, "-"}, 3, "<stdin>: " + words, text);
    }
  expect_refusal({"simulate", one, folder.write("t.csv", "q1,q2\n0,0\n")}, 3, "is not one state");
}

TEST(States, have_quaternions_of_some_length) {
  const std::string zeros = "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0";
  for (const char* verb : {"fk", "id", "fd", "terms", "simulate"}) {
    expect_refusal({verb, "quadruped", "--q", zeros}, 2, "the quaternion of");
    expect_refusal({verb, "quadruped", "-"}, 3, "the quaternion of", "{\"q\": [" + zeros + "]}");
  }
  expect_refusal({"ik", "quadruped", "--frame", "trunk", "--xyz", "0,0,0", "--start", zeros}, 2,
                 "--start: the quaternion of");
  std::string header = "q1";
  for (int i = 2; i <= 19; ++i) header += ",q" + std::to_string(i);
  const std::string unit = "1" + zeros.substr(1), twice = "2" + zeros.substr(1);
  expect_refusal({"fk", "quadruped", "-", "--frame", "trunk"}, 3, "<stdin>:3: the quaternion of",
                 header + "\n" + unit + "\n" + zeros + "\n");
  // what has another length than 1 is normalised, and said to be
  for (const auto& [line, input] :
       {std::pair<Arguments, std::string>{{"fk", "quadruped", "--q", twice}, ""},
        {{"fk", "quadruped", "-", "--frame", "trunk"}, header + "\n" + twice + "\n"}}) {
    const RunResult r = run_cli(line, {.input = input});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_TRUE(has(r.err, "has length 2")) << r.err;
  }
}

TEST(States, have_wrenches_of_a_size_that_can_be) {
  expect_refusal(
      {"id", "panda", "-"}, 3, "wrench 2: force: 1e+308 is beyond",
      R"({"wrenches": [{"frame": "panda_link8"}, {"frame": "panda_link8", "force": [0, 0, -1e308]}]})");
}

TEST(States, beyond_limits_are_said_to_be_and_targets_refused) {
  const RunResult begun =
      run_cli({"simulate", "panda", "--q", "panda_joint1=100", "--duration", "0.001"});
  EXPECT_TRUE(has(begun.err, "begins beyond the limits: panda_joint1 at 100")) << begun.err;
  expect_refusal({"simulate", "panda", "--torque", "pd", "--target", "10,0,0,-1,0,1,0"}, 2,
                 "--target: out of reach: panda_joint1 at 10");
  const RunResult locked = run_cli({"convert", "panda", "-", "--lock", "panda_joint1=100"});
  EXPECT_EQ(locked.status, 0);
  EXPECT_TRUE(has(locked.err, "joint 'panda_joint1' at 100 is beyond its limits")) << locked.err;
  expect_refusal({"convert", "panda", "-", "--lock", "panda_joint1=1e155"}, 2, "beyond 1e+06");
}

// --- numbers ---

TEST(Numbers, that_overflow_do_not_leave) {
  const RunResult r =
      run_cli({"simulate", "panda", "--duration", "0.05", "--qd", "panda_joint1=1e155"});
  EXPECT_EQ(r.status, 3);
  EXPECT_TRUE(lacks(r.out, "nan")) << r.out;
  EXPECT_LE(widest_line(r.out), 80u) << r.out;
  // numbers that are large have an exponent
  const RunResult large = run_cli({"id", "panda", "--qdd", "1e155,0,0,0,0,0,0"});
  EXPECT_EQ(large.status, 0) << large.err;
  EXPECT_LE(widest_line(large.out), 80u) << large.out;
  EXPECT_TRUE(has(large.out, "e+15")) << large.out;
}

TEST(Numbers, that_are_not_whole_are_said_not_to_be) {
  for (const Arguments& line : std::vector<Arguments>{
           {"compare", "panda", "--states"},
           {"ik", "panda", "--frame", "panda_link8", "--xyz", "0,0,0", "--restarts"},
           {"excite", "panda", "--starts"},
           {"excite", "panda", "--harmonics"},
           {"excite", "panda", "--iterations"},
           {"identify", "panda", "log.csv", "--folds"},
           {"mpc", "panda", "--steps"},
           {"simulate", "panda", "-o", "x.csv", "--delay"}})
    for (const char* number : {"1.5", "1e155", "-1", "abc"}) {
      Arguments whole = line;
      whole.emplace_back(number);
      expect_refusal(whole, 2, line.back() + ": '" + number + "' is not a whole number from ");
    }
  for (const char* number : {"2.5", "1e155", "abc"})
    expect_refusal({"codegen", "panda", "-o", "d", "--lanes", number}, 2,
                   "'" + std::string(number) + "' is not one of 2, 4, 8, 16");
  expect_refusal({"simplify", "panda", "quintic:-1"}, 2, "a seed is a whole number from 0");
  expect_refusal({"identify", "panda", "log.csv", "--split", "0"}, 2, "--split: 0 is not a share");
  expect_refusal({"identify", "panda", "log.csv", "--folds", "0"}, 2, "--folds: '0'");
}

TEST(Payload, has_a_place_that_can_be) {
  expect_refusal({"simulate", "panda", "--payload", "2,0,0,1e155@0"}, 2, "--payload: its place");
  expect_refusal({"excite", "double_pendulum", "--payload", "1,0,0,1e155"}, 2,
                 "--payload: its place");
  expect_refusal({"excite", "double_pendulum", "--payload", "1,0,0,1000"}, 2,
                 "--payload: its place");
  // one that is too heavy is named as the cause
  expect_refusal({"excite", "panda", "--duration", "5", "--payload", "1e5,0,1,1", "--starts", "1",
                  "--iterations", "2"},
                 3, "a lighter --payload");
}

// --- files ---

TEST(Outputs, are_files_with_names) {
  for (const Arguments& line :
       std::vector<Arguments>{{"simulate", "pendulum", "--duration", "0.01", "--plot", "-"},
                              {"simplify", "puma560", "quintic:1", "--html", "-"},
                              {"simplify", "puma560", "quintic:1", "--svg", "-"},
                              {"count", "chain", "--n", "2..4", "--svg", "-"},
                              {"excite", "double_pendulum", "--plot", "-"},
                              {"codegen", "panda", "-o", "-"},
                              {"identify", "double_pendulum", "log.csv", "--report", "-"},
                              {"mpc", "pendulum", "--report", "-"}})
    expect_refusal(line, 2, "standard output has the result: give a name");
  // before the work, though it is its temporary name that is too long
  expect_refusal({"excite", "panda", "-o", std::string(250, 'x')}, 3, "its name has more than 248");
}

TEST(Outputs, that_cannot_be_written_do_not_take_the_result_with_them) {
  const Arguments lines[] = {
      {"simulate", "pendulum", "--duration", "0.01", "--plot", "/dev/full"},
      {"simulate", "pendulum", "--duration", "0.01", "-o", "/dev/full"},
      {"simplify", "puma560", "quintic:1", "--html", "/dev/full"},
      {"count", "chain", "--n", "2..4", "--svg", "/dev/full"},
      {"mpc", "pendulum", "--duration", "0.05", "--rate", "100", "--report", "/dev/full"}};
  for (const Arguments& line : lines) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 3) << line[0] << r.err;
    EXPECT_GT(r.out.size(), 100u) << line[0];
    EXPECT_TRUE(has(r.err, "cannot write '/dev/full'")) << r.err;
    Arguments as_json = line;
    as_json.emplace_back("--json");
    const json d = document(run_cli(as_json), "ulna." + line[0] + "/1");
    EXPECT_TRUE(has(d.value("error", ""), "/dev/full")) << line[0];
  }
}

TEST(Outputs, are_not_the_inputs) {
  const Folder folder;
  const std::string motion =
      folder.write("m.csv", "t,q1,q2,qd1,qd2,qdd1,qdd2\n0,0,0,0,0,0,0\n1,0,0,0,0,0,0\n");
  expect_refusal({"simulate", "double_pendulum", "--follow", motion, "-o", motion, "--force"}, 2,
                 "is read and would be overwritten");
  expect_refusal({"identify", "double_pendulum", motion, "-o", motion, "--force"}, 2,
                 "is read and would be overwritten");
}

TEST(Logs, that_are_not_there_are_said_not_to_be) {
  const Folder folder;
  expect_refusal({"identify", "panda", folder.path("nosuch.csv")}, 3, "there is no such file");
  expect_refusal({"identify", "panda", folder.path("")}, 3, "it is a folder");
}

TEST(Identify, names_on_the_command_line_are_judged_alike) {
  const Folder folder;
  const std::string log = folder.write("l.csv", "t,q1,q2,tau1,tau2\n0,0,0,0,0\n");
  expect_refusal({"identify", "double_pendulum", log, "--payload", "nosuch"}, 2,
                 "no link 'nosuch'");
  expect_refusal({"identify", "double_pendulum", log, "--payload", "base"}, 2, "does not move");
}

/// A motion of the double pendulum and a log of it.
struct Recorded {
  Folder folder;
  std::string motion = folder.path("motion.csv"), log = folder.path("log.csv");
  Recorded() {
    EXPECT_EQ(run_cli({"excite", "double_pendulum", "--duration", "4", "--iterations", "3",
                       "--starts", "1", "-o", motion})
                  .status,
              0);
    EXPECT_EQ(run_cli({"simulate", "double_pendulum", "--follow", motion, "-o", log}).status, 0);
  }
};

TEST(Identify, prints_its_result_wherever_the_robot_goes) {
  const Recorded one;
  const RunResult full = run_cli({"identify", "double_pendulum", one.log, "-o", "/dev/full"});
  EXPECT_EQ(full.status, 3) << full.err;
  EXPECT_TRUE(has(full.out, "base parameters from 1 log")) << full.out;
  const RunResult printed = run_cli({"identify", "double_pendulum", one.log, "-o", "-"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_TRUE(begins(printed.out, "<?xml")) << printed.out;
  const RunResult both =
      run_cli({"identify", "double_pendulum", one.log, "--validate", one.motion});
  EXPECT_TRUE(has(both.out, "from 1 log, 1 more for validation")) << both.out << both.err;
}

TEST(Identify, torques_of_other_joints_are_not_called_torques_in_another_unit) {
  const Recorded one;
  std::string swapped = read_file(one.log);
  const std::size_t first = swapped.find("tau_shoulder"), second = swapped.find("tau_elbow");
  ASSERT_LT(first, second);
  swapped.replace(second, 9, "tau_shoulder").replace(first, 12, "tau_elbow");
  const RunResult r = run_cli(
      {"identify", "double_pendulum", one.folder.write("swapped.csv", swapped), "--folds", "2"});
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(has(r.err, "swapped")) << r.err;
  EXPECT_TRUE(lacks(r.err, "another unit")) << r.err;
  EXPECT_TRUE(lacks(r.err, "nothing was held out")) << r.err;
}

// --- remedies that fit ---

TEST(Remedies, name_the_links_without_mass) {
  for (const char* robot : {"pendulum", "panda_mdh", "cartesian_fakhari"}) {
    const std::string base = robot == std::string("panda_mdh") ? "panda_link0" : "base";
    expect_refusal({"fd", robot, "--floating-base"}, 3, "it has no mass at '" + base + "'");
    expect_refusal({"simulate", robot, "--floating-base", "--duration", "0.01"}, 3,
                   "it has no mass at '" + base + "'");
  }
}

TEST(Remedies, of_excite_are_of_what_is_checked) {
  const Arguments quick{"excite", "double_pendulum", "--duration", "2", "--starts", "1"};
  const auto with = [&](std::initializer_list<std::string> more) {
    Arguments line = quick;
    line.insert(line.end(), more);
    return line;
  };
  const RunResult floor = run_cli(with({"--no-collision", "--floor", "3"}));
  EXPECT_EQ(floor.status, 3);
  EXPECT_TRUE(has(floor.err, "--floor")) << floor.err;
  EXPECT_TRUE(lacks(floor.err, "--no-collision")) << floor.err;
  EXPECT_TRUE(lacks(floor.err, "effort")) << floor.err;
  // a distance that links cannot keep
  expect_refusal({"excite", "panda", "--distance", "10"}, 2, "--distance: ");
  expect_refusal({"excite", "panda", "--radius", "100"}, 2, "--radius: ");
}

TEST(Remedies, of_frames_that_do_not_move) {
  expect_refusal({"ik", "panda", "--frame", "panda_link0", "--xyz", "0.4,0,0"}, 2,
                 "no joint moves 'panda_link0'");
  expect_refusal({"convert", "panda", "-", "--chain", "panda_link8:panda_link0"}, 2,
                 "--chain: robot 'panda': link 'panda_link0' is not a descendant of link "
                 "'panda_link8'");
}

TEST(Remedies, of_motions_to_follow) {
  const Folder folder;
  const std::string head = "t,q1,q2,qd1,qd2,qdd1,qdd2\n0,0,0,0,0,0,0\n";
  const std::string slow = folder.write("slow.csv", head + "4000,0,0,0,0,0,0\n"),
                    far = folder.write("far.csv", head + "1,1e155,0,0,0,0,0\n");
  expect_refusal({"simulate", "double_pendulum", "--follow", slow}, 2,
                 "--follow: the motion takes 4000 s");
  expect_refusal({"simulate", "double_pendulum", "--follow", far}, 3, "at t = 1 the position is");
  const std::string planar = folder.write(
      "planar.csv",
      "t,q1,q2,q3,q4,qd1,qd2,qd3,qd4,qdd1,qdd2,qdd3,qdd4\n0,0,0,0,0,0,0,0,0,0,0,0,0\n");
  expect_refusal({"simulate", "planar_cart", "--follow", planar}, 3,
                 "joint 'glide' has several degrees of freedom");
  const std::string torques = folder.write("tau.csv", "t,tau1,tau2\n0.1,0,0\n0.2,1,1\n");
  const RunResult r =
      run_cli({"simulate", "double_pendulum", "--torque", torques, "--duration", "1"});
  EXPECT_TRUE(has(r.err, "no torques before 0.1 s")) << r.err;
  EXPECT_TRUE(has(r.err, "the table ends at 0.2 s")) << r.err;
}

TEST(Check, velocity_limits_are_judged_where_links_are_farthest_from_the_axis) {
  // as it stands, a Panda is upright on its first axis
  const Folder folder;
  std::string urdf = run_cli({"robots", "panda"}).out;
  const std::size_t joint = urdf.find("name=\"panda_joint1\""),
                    at = urdf.find("velocity=\"", joint);
  ASSERT_NE(at, std::string::npos);
  urdf.replace(at, urdf.find('"', at + 10) - at, "velocity=\"150");
  const RunResult r = run_cli({"check", folder.write("fast.urdf", urdf)});
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(has(r.out, "[velocity-implausible]")) << r.out;
}

TEST(Check, embedded_robots_have_no_warnings_of_keys) {
  const RunResult r = run_cli({"check", "modern_robotics_3r"});
  EXPECT_EQ(r.status, 0) << r.out;
}

TEST(Remedies, of_generated_code_name_the_links_without_mass) {
  const Folder folder;
  expect_refusal({"codegen", "pendulum", "--floating-base", "-o", folder.path("c")}, 3,
                 "it has no mass at 'base'");
}

TEST(Remedies, of_a_scenario_without_a_robot) {
  const Folder folder;
  const std::string words = "nor a scenario, which has a key 'robot'";
  expect_refusal({"mpc", "-"}, 3, words, "robo: panda\nduration: 1\n");
  expect_refusal({"mpc", folder.write("s.yaml", "robo: panda\nduration: 1\n")}, 3, words);
  expect_refusal({"mpc", "-"}, 3, "there is nothing in it");
}

TEST(Remedies, of_misspelt_words_come_before_what_they_leave_out) {
  expect_refusal({"mpc", "-"}, 3, "did you mean 'factor'?",
                 "robot: pendulum\nfriction: {facto: 2, from: 1, to: 2}\n");
  expect_refusal({"mpc", "-"}, 3, "did you mean 'duration'?", "robot: pendulum\nDURATION: 1\n");
  expect_refusal({"INFO", "panda"}, 2, "did you mean 'info'?");
  expect_refusal({"identify", "panda", "log.csv", "--payload", "panda_lnk7"}, 2,
                 "did you mean 'panda_link7'?");
  const RunResult r = run_cli({"excite", "double_pendulum", "--friction", "none,viscous"});
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(has(r.err, "none alone"));
  EXPECT_TRUE(lacks(r.err, "did you mean"));
}

TEST(Help, is_of_itself_too) {
  for (const Arguments& line : std::vector<Arguments>{{"help", "help"}, {"help", "--help"}}) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.out, run_cli({"help"}).out);
  }
  EXPECT_EQ(document(run_cli({"--json"}), "ulna/1")["error"], "'--json' must come after a verb");
}

TEST(Options, without_effect_on_what_is_printed_or_simulated_are_refused) {
  const Folder folder;
  const std::string log = folder.path("log.csv");
  expect_refusal({"info", "panda", "--frames", "--json"}, 2, "--frames has no effect with --json");
  expect_refusal({"identify", "panda", log, "--all", "--json"}, 2,
                 "--all has no effect with --json");
  expect_refusal({"identify", "panda", log, "--all", "-o", "-"}, 2,
                 "--all has no effect with --out -");
  const std::string free = folder.write("free.urdf", R"(<robot name="free">
  <link name="base"/>
  <link name="wheel"><inertial><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="axle" type="continuous"><parent link="base"/><child link="wheel"/></joint>
</robot>)");
  expect_refusal({"simulate", free, "--no-limits"}, 2,
                 "--no-limits has no effect: 'free' limits neither positions nor torques");
  expect_refusal({"simulate", "panda", "--duration", "1", "--delay", "1000", "-o", log}, 2,
                 "--delay: 1000 periods of 0.001 s are no shorter than the run, 1 s");
}

}  // namespace
