#include "cli.hpp"

// Robots with springs and coupled motors on the command line.

namespace ulna::test {
namespace {

/// A link behind a spring, and a second one whose motor turns when the first moves, if it is coupled.
std::string elastic_arm(bool coupled) {
  const std::string inertial =
      "<inertial><mass value='1'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' "
      "izz='0.1'/></inertial>";
  return "<robot name='elastic' xmlns:ulna='https://ulna.dev/urdf'><link name='base'/>"
         "<link name='upper'>" +
         inertial + "</link><link name='lower'>" + inertial +
         "</link><joint name='first' type='continuous'><parent link='base'/><child link='upper'/>"
         "<axis xyz='0 0 1'/><ulna:spring stiffness='2000' damping='1'/></joint>"
         "<joint name='second' type='continuous'><parent link='upper'/><child link='lower'/>"
         "<axis xyz='0 0 1'/></joint>"
         "<ulna:motor name='m1' inertia='1e-4'><ulna:gear joint='first' ratio='40'/></ulna:motor>"
         "<ulna:motor name='m2' inertia='2e-4'><ulna:gear joint='second' ratio='30'/>" +
         (coupled ? "<ulna:gear joint='first' ratio='6'/>" : "") + "</ulna:motor></robot>";
}

TEST(Drives, info_lists_motors_and_springs) {
  const RunResult run = run_cli({"info", "-"}, {.input = elastic_arm(true)});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(has(run.out, "stiffness"));
  EXPECT_TRUE(has(run.out, "30 second + 6 first"));
  const json about =
      json::parse(run_cli({"info", "-", "--json"}, {.input = elastic_arm(true)}).out);
  EXPECT_EQ(about["motors"][1]["gears"]["first"], 6.0);
  EXPECT_EQ(about["joints"][0]["spring"]["stiffness"], 2000.0);
  EXPECT_TRUE(about["joints"][1]["spring"].is_null());
}

TEST(Drives, verbs_that_do_not_know_them_leave_them_out_and_say_so) {
  const std::string words = "springs and coupled motors are not supported here";
  for (const char* verb : {"id", "fd", "terms", "fk"}) {
    const RunResult run = run_cli({verb, "-"}, {.input = elastic_arm(true)});
    EXPECT_EQ(run.status, 0) << verb << run.err;
    EXPECT_TRUE(has(run.err, words)) << verb;
    EXPECT_EQ(run_cli({verb, "-", "--strict"}, {.input = elastic_arm(true)}).status, 3) << verb;
  }
  const json about = json::parse(run_cli({"id", "-", "--json"}, {.input = elastic_arm(true)}).out);
  EXPECT_EQ(about["robot"]["drives"], "left out");
}

TEST(Drives, simulate_has_springs_and_coupled_motors_and_logs_them) {
  for (const bool coupled : {false, true})
    for (const char* integrator : {"rk4", "adaptive"}) {
      const RunResult run =
          run_cli({"simulate", "-", "--duration", "0.1", "--integrator", integrator, "-o", "-"},
                  {.input = elastic_arm(coupled)});
      EXPECT_EQ(run.status, 0) << run.err;
      EXPECT_TRUE(lacks(run.err, "not known"));
      EXPECT_TRUE(has(run.out, "theta_first,thetad_first,tau_link_first"));
    }
}

TEST(Drives, simulate_has_rotors_that_links_carry) {
  const std::string gear = "<ulna:gear joint='first' ratio='40'/>";
  std::string carried = elastic_arm(false);
  carried.insert(carried.find(gear) + gear.size(), "<ulna:carrier link='base' axis='0 0 1'/>");
  const RunResult run = run_cli({"simulate", "-", "--duration", "0.1"}, {.input = carried});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
}

TEST(Drives, simulate_has_them_on_the_ground_and_in_scenes) {
  const RunResult run = run_cli({"simulate", "iiwa14_elastic", "--ground", "--torque", "pd", "--qd",
                                 "0.2,0.2,0.2,0.2,0.2,0.2,0.2", "--duration", "1", "-o", "-"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_TRUE(has(run.out, "theta_iiwa_joint_1"));
  EXPECT_TRUE(has(run.out, "tau_link_iiwa_joint_7"));
  const Folder folder;
  folder.write("two.yaml",
               "ulna: scene\nname: two\nrobots:\n  - {robot: iiwa14_elastic, name: one, torque: gravity}\n"
               "  - {robot: tx40_like, name: other, xyz: [2, 0, 0]}\n");
  const RunResult two =
      run_cli({"simulate", folder.path("two.yaml"), "--duration", "0.1", "-o", "-"});
  EXPECT_TRUE(has(two.out, "one.theta_iiwa_joint_1")) << two.err;
  EXPECT_TRUE(lacks(two.err, "coupled")) << two.err;
}

/// Feedback of links behind springs would be unstable, and drives at their limits.
TEST(Drives, postures_are_held_by_the_motors) {
  for (const char* robot : {"onelink_elastic", "twolink_elastic", "iiwa14_elastic"}) {
    SCOPED_TRACE(robot);
    const json info = json::parse(run_cli({"info", robot, "--json"}).out);
    std::string speeds;
    for (std::size_t i = 0; i < info["joints"].size(); ++i) speeds += i ? ",0.2" : "0.2";
    const RunResult run =
        run_cli({"simulate", robot, "--torque", "pd", "--qd", speeds, "--duration", "3", "--json"});
    EXPECT_EQ(run.status, 0) << run.err;
    const json found = json::parse(run.out);
    EXPECT_EQ(found["clamped"], 0);
    for (const json& joint : found["joints"]) EXPECT_LT(joint["top_speed"], 0.25) << joint["name"];
  }
}

TEST(Drives, codegen_writes_functions_of_motors) {
  const Folder folder;
  const std::string out = folder.path("code");
  const RunResult run = run_cli({"codegen", "-", "-o", out, "--functions", "drive_id,drive_fd"},
                                {.input = elastic_arm(true)});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  const std::string header = read_file(folder.path("code/elastic_drive_id.h"));
  EXPECT_TRUE(has(header, "jerk[2], snap[2] -> tau[2], theta[2], omega[2]")) << header;
  EXPECT_TRUE(has(header, "tau[1]: m2")) << header;
  const RunResult links =
      run_cli({"codegen", "-", "-o", out, "--functions", "id"}, {.input = elastic_arm(true)});
  EXPECT_TRUE(has(links.err, "drive_id and drive_fd only"));
  const RunResult rigid = run_cli({"codegen", "panda", "-o", out, "--functions", "drive_fd"});
  EXPECT_EQ(rigid.status, 2);
  EXPECT_TRUE(has(rigid.err, "use fd"));
}

TEST(Drives, equations_have_springs_and_motors) {
  const RunResult run = run_cli({"equations", "-"}, {.input = elastic_arm(true)});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(has(run.out, "s1 = D1 (θ̇m1 - θ̇1) + K1 (θm1 - θ1)")) << run.out;
  EXPECT_TRUE(has(run.out, "B12 = B21 = J2 n21 n22")) << run.out;
  const json found =
      json::parse(run_cli({"equations", "-", "--json"}, {.input = elastic_arm(true)}).out);
  EXPECT_EQ(found["motors"][0]["symbol"], "thm1");
  EXPECT_EQ(found["B"][1][1], "J2*n22^2");
  EXPECT_EQ(run_cli({"equations", "pendulum", "--terms", "s"}).status, 2);
}

/// Finds the springs of an arm whose links have no encoders, described wrongly, by three commands.
TEST(Drives, excite_simulate_and_identify_find_springs) {
  const Folder folder;
  const auto run = [&](std::vector<std::string> line) {
    const RunResult r = run_cli(line, {.folder = folder.path()});
    EXPECT_EQ(r.status, 0) << line.front() << ": " << r.err;
    return r;
  };
  const RunResult motion =
      run({"excite", "twolink_elastic", "--duration", "10", "--harmonics", "5", "--starts", "1",
           "--iterations", "5", "--torque-sensors", "-o", "m.csv", "--json"});
  const json springs = document(motion, "ulna.excite/1")["springs"];
  EXPECT_EQ(springs["joints"].size(), 2u);
  EXPECT_LT(springs["joints"][0]["stiffness_deviation"], 0.1);
  EXPECT_TRUE(has(read_file(folder.path() + "/m.csv"), ",theta_joint1,theta_joint2,thetad_joint1"));
  run({"simulate", "twolink_elastic", "--follow", "m.csv", "--noise-q", "1e-5", "--noise-qd",
       "1e-3", "--noise-tau", "0.02", "-o", "run.csv"});

  // another stiffness than the robot has
  const json robot = json::parse(run({"info", "twolink_elastic", "--json"}).out);
  const double stiffness = robot["joints"][0]["spring"]["stiffness"];
  std::string text = run({"convert", "twolink_elastic", "-"}).out;
  ASSERT_EQ(stiffness, 300.0);
  const std::string right = "stiffness=\"300\"";
  ASSERT_TRUE(has(text, right));
  folder.write("wrong.urdf", text.replace(text.find(right), right.size(), "stiffness=\"420\""));
  run({"identify", "wrong.urdf", "run.csv", "--filter", springs["cut_off"].dump(), "--friction",
       "viscous,offset", "--late", "-0.5", "-o", "found.urdf"});
  const json found = json::parse(run({"info", "found.urdf", "--json"}).out);
  EXPECT_NEAR(found["joints"][0]["spring"]["stiffness"], stiffness, 0.02 * stiffness);

  const RunResult rigid = run_cli({"excite", "panda", "--fast", "0.1"});
  EXPECT_EQ(rigid.status, 2);
  EXPECT_TRUE(has(rigid.err, "--fast has no effect: 'panda' has no springs")) << rigid.err;
}

TEST(Drives, mpc_feeds_coupled_motors_forward_and_plans_for_none) {
  const RunResult run = run_cli({"mpc", "tx40_like", "--duration", "1.5", "--knowledge", "fixed",
                                 "--drives", "feedforward,ignore", "--json"});
  const json about = json::parse(run.out);
  EXPECT_TRUE(lacks(run.err, "not supported")) << run.err;
  EXPECT_LT(about["runs"]["feedforward"]["rmse"].get<double>(),
            about["runs"]["ignore"]["rmse"].get<double>());
  const RunResult plan = run_cli({"mpc", "tx40_like", "--drives", "plan"});
  EXPECT_EQ(plan.status, 2);
  EXPECT_TRUE(has(plan.err, "take feedforward")) << plan.err;
}

TEST(Drives, mpc_knows_springs_and_reports_how_links_vibrate) {
  const std::vector<std::string> move{"mpc",    "twolink_elastic", "--rest",     "--reach", "1",
                                      "--goal", "0.4,-0.4",        "--duration", "1.6"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), move.begin(), move.end());
    return run_cli(more);
  };
  const RunResult run = with({"--drives", "plan,ignore", "--knowledge", "perfect", "--json"});
  const json about = json::parse(run.out);
  EXPECT_TRUE(lacks(run.err, "not known"));
  const auto tip = [&](const char* name) {
    return about["runs"][name]["vibration"]["tip"].get<double>();
  };
  EXPECT_GT(tip("ignore"), 1e-3);
  EXPECT_LT(tip("plan"), 0.1 * tip("ignore"));

  EXPECT_TRUE(has(with({}).out, "vibration"));
  const RunResult supervised = with({"--supervise"});
  EXPECT_EQ(supervised.status, 2);
  EXPECT_TRUE(has(supervised.err,
                  "has elastic joints or coupled motors, which the supervisor does not support"));
  const RunResult rigid = run_cli({"mpc", "panda", "--drives", "plan"});
  EXPECT_EQ(rigid.status, 2);
  EXPECT_TRUE(has(rigid.err, "--drives: has no effect: 'panda' has neither elastic joints"));
  EXPECT_EQ(with({"--drives", "plans"}).status, 2);
}

TEST(Drives, convert_keeps_them) {
  const RunResult run = run_cli({"convert", "-", "-"}, {.input = elastic_arm(true)});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(has(run.out, "<ulna:spring stiffness=\"2000\" damping=\"1\"/>"));
  EXPECT_TRUE(has(run.out, "<ulna:gear joint=\"first\" ratio=\"6\"/>"));
}

}  // namespace
}  // namespace ulna::test
