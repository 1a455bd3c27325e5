#include "cli.hpp"
#include "support/four_bar.hpp"

using namespace ulna::test;

// Robots with closed loops on the command line.
namespace {

TEST(ClosedLoops, simulate_keeps_them_closed_and_balances_the_energy) {
  for (const char* robot : {"fourbar", "fivebar", "delta"}) {
    const json d =
        document(run_cli({"simulate", robot, "--duration", "1", "--torque", "gravity", "--json"}),
                 "ulna.simulate/1");
    EXPECT_EQ(d.value("status", ""), "moved") << robot;
    EXPECT_LT(d.value("largest_gap", 1.0), 1e-9) << robot;
    EXPECT_LT(d["energy"].value("error_share", 1.0), 1e-4) << robot;
  }
  EXPECT_TRUE(
      has(run_cli({"simulate", "fourbar", "--duration", "0.5"}).out, "loops stay closed to"));
}

TEST(ClosedLoops, pd_drives_a_delta_by_its_three_motors) {
  const RunResult r = run_cli({"simulate", "delta", "--duration", "3", "--torque", "pd", "--target",
                               "x=0.05,y=-0.03,z=-0.05", "--json"});
  const json d = document(r, "ulna.simulate/1");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(has(r.err, "--target is moved"));
  for (const json& joint : d["joints"])
    EXPECT_TRUE(joint.value("name", "").starts_with("motor") ||
                joint.value("top_torque", 1.0) == 0.0)
        << joint["name"];
}

TEST(ClosedLoops, torques_and_accelerations_are_inverse_to_each_other) {
  const RunResult torques = run_cli({"id", "fourbar", "--json"});
  const json id = document(torques, "ulna.id/1");
  EXPECT_EQ(id["loop_forces"].size(), 2u);
  const json fd =
      document(run_cli({"fd", "fourbar", "-", "--json"}, {.input = torques.out}), "ulna.fd/1");
  for (const json& a : fd["qdd"]) EXPECT_NEAR(a.get<double>(), 0.0, 1e-9);
  // passive joints get nothing
  const json delta = document(run_cli({"id", "delta", "--json"}), "ulna.id/1");
  for (std::size_t i = 0; i < delta["joints"].size(); ++i) {
    const bool motor = delta["joints"][i].get<std::string>().starts_with("motor");
    EXPECT_EQ(std::abs(delta["tau"][i].get<double>()) > 0.1, motor);
    EXPECT_EQ(delta["tau"][i].get<double>() == 0.0, !motor);
  }
}

TEST(ClosedLoops, torques_that_are_none_are_zero_and_explained) {
  // crank and rocker stand upright and parallel: the coupler moves sideways, and gravity does no work
  const RunResult r = run_cli({"id", "fourbar"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(lacks(r.out, "0.00000000"));
  EXPECT_TRUE(has(r.out, "none is needed"));
  EXPECT_LE(widest_line(r.out), 80u);
  for (const json& tau : document(run_cli({"id", "fourbar", "--json"}), "ulna.id/1")["tau"])
    EXPECT_EQ(tau, 0.0);
  const RunResult away = run_cli({"id", "fourbar", "--q", "0.5"});
  EXPECT_TRUE(has(away.out, "the least torques"));
  EXPECT_TRUE(lacks(away.out, "none is needed"));
  EXPECT_TRUE(has(run_cli({"fd", "fourbar"}).out, "with its loops closed"));
}

TEST(ClosedLoops, an_open_configuration_is_refused_with_one_that_is_closed) {
  for (const char* verb : {"id", "fd"}) {
    const RunResult r = run_cli({verb, "fourbar", "--q", "0.5,0,0"});
    EXPECT_EQ(r.status, 3);
    EXPECT_TRUE(has(r.err, "open by"));
    const std::size_t at = r.err.find("--q ");
    ASSERT_NE(at, r.err.npos) << r.err;
    const std::string q = r.err.substr(at + 4, r.err.find(", or leave") - at - 4);
    EXPECT_EQ(run_cli({verb, "fourbar", "--q", q}).status, 0) << q;
  }
  // a velocity that opens them is mentioned
  EXPECT_TRUE(has(run_cli({"fd", "fourbar", "--qd", "1,0,0"}).err, "open the loops"));
}

TEST(ClosedLoops, a_configuration_may_be_given_by_the_joints_that_move_the_others) {
  for (const char* verb : {"id", "fd", "simulate"})
    for (const char* q : {"0.5", "crank_joint=0.5"}) {
      std::vector<std::string> line{verb, "fourbar", "--q", q, "--json"};
      if (verb == std::string("simulate")) line.insert(line.end(), {"--duration", "1e-6"});
      const RunResult r = run_cli(line);
      EXPECT_EQ(r.status, 0) << verb << r.err;
      const json d = document(r, std::string("ulna.") + verb + "/1");
      const Crank::Position at = Crank::position(0.5);
      for (int i = 0; i < 3; ++i) EXPECT_NEAR(d["q"][i], at.q(i), 1e-4) << verb << q;
    }
  // where it is sent is where it stands
  const RunResult r =
      run_cli({"simulate", "delta", "--duration", "0.5", "--torque", "pd", "--q", "0.2,0.1,0.15",
               "--target", "motor_1=0.2,motor_2=0.1,motor_3=0.15", "--json"});
  EXPECT_TRUE(lacks(r.err, "is moved"));
  const json d = document(r, "ulna.simulate/1");
  EXPECT_NEAR(d["q"][0], 0.2, 1e-4);
  EXPECT_NEAR(d["q"][3], 0.1, 1e-4);
  EXPECT_EQ(run_cli({"id", "fivebar", "--q", "left_motor=40"}).status, 2);
}

TEST(ClosedLoops, tables_go_through_id_and_fd) {
  const Folder folder;
  const std::string log = folder.path("log.csv");
  ASSERT_EQ(run_cli({"simulate", "fourbar", "--q", "0.5,0,0", "--duration", "0.2", "--period",
                     "0.01", "-o", log})
                .status,
            0);
  const RunResult fd = run_cli({"fd", "fourbar", log});
  EXPECT_EQ(fd.status, 0) << fd.err;
  EXPECT_TRUE(has(fd.out, "qdd_crank_joint"));
  // no torque acted, and none is needed
  const RunResult id = run_cli({"id", "fourbar", log, "--json"});
  EXPECT_EQ(id.status, 0) << id.err;
  for (const json& row : document(id, "ulna.id/1")["rows"])
    for (std::size_t i = 1; i < row.size(); ++i) EXPECT_NEAR(row[i].get<double>(), 0.0, 1e-6);
}

TEST(ClosedLoops, a_row_of_a_table_whose_loops_are_open_is_refused_by_its_line) {
  const Folder folder;
  const std::string log = folder.path("log.csv");
  ASSERT_EQ(
      run_cli({"simulate", "fourbar", "--duration", "0.05", "--period", "0.01", "-o", log}).status,
      0);
  std::string text = read_file(log);
  std::size_t row = 0;  // the fourth
  for (int i = 0; i < 4; ++i) row = text.find('\n', row) + 1;
  const std::size_t q = text.find(',', row) + 1;
  text.replace(q, text.find(',', q) - q, "1.5");
  for (const char* verb : {"id", "fd"}) {
    const std::string bad = folder.write("bad.csv", text);
    const RunResult r = run_cli({verb, "fourbar", bad, "--json"});
    EXPECT_EQ(r.status, 3);
    const json d = document(r, std::string("ulna.") + verb + "/1");
    EXPECT_EQ(d["rows"].size(), 3u);
    EXPECT_TRUE(has(d["error"].get<std::string>(), "bad.csv:5: "));
    EXPECT_TRUE(has(d["error"].get<std::string>(), "loop"));
  }
}

// Led along a motion, and identified from what was logged of all three joints.
TEST(ClosedLoops, a_log_of_a_four_bar_identifies_it) {
  const Folder folder;
  std::string motion = "t";
  for (const char* what : {"q", "qd", "qdd"})
    for (const char* joint : {"crank", "coupler", "rocker"})
      motion += std::string(",") + what + "_" + joint + "_joint";
  for (int k = 0; k <= 3000; ++k) {
    const double t = 0.004 * k, w = 2.3, u = 5.1;
    const double angle = 0.9 * std::sin(w * t) + 0.5 * std::sin(u * t),
                 rate = 0.9 * w * std::cos(w * t) + 0.5 * u * std::cos(u * t),
                 bend = -0.9 * w * w * std::sin(w * t) - 0.5 * u * u * std::sin(u * t);
    const Crank::Position at = Crank::position(angle);
    Eigen::VectorXd row(9);
    row << at.q, at.by_angle * rate, at.by_angle * bend + at.by_square * rate * rate;
    char text[32];
    std::snprintf(text, sizeof text, "\n%.4f", t), motion += text;
    for (const double x : row) std::snprintf(text, sizeof text, ",%.9f", x), motion += text;
  }
  const std::string table = folder.write("motion.csv", motion + "\n"), log = folder.path("log.csv"),
                    found = folder.path("found.urdf");
  const RunResult run =
      run_cli({"simulate", "fourbar", "--follow", table, "--period", "0.002", "--vary", "20",
               "--noise-q", "1e-5", "--noise-qd", "1e-4", "--noise-tau", "1e-3", "-o", log});
  ASSERT_EQ(run.status, 0) << run.err;
  const RunResult r = run_cli({"identify", "fourbar", log, "--friction", "viscous", "--split",
                               "0.7", "-o", found, "--json"});
  const json d = document(r, "ulna.identify/1");
  EXPECT_EQ(d["robot"].value("closed_loops", 0), 1);
  EXPECT_LT(d["validation"].value("total_percent", 100.0), 5.0) << r.out << r.err;
  EXPECT_EQ(run_cli({"simulate", found, "--duration", "0.1"}).status, 0);
  const json online =
      document(run_cli({"identify", "fourbar", log, "--friction", "viscous", "--online", "--json"}),
               "ulna.identify/1");
  EXPECT_LT(online["online"]["second_half"].value("total_percent", 100.0), 5.0) << online;
}

TEST(ClosedRobots, are_driven_by_mpc_that_identifies_them) {
  for (const auto& [name, payload] :
       {std::pair{"fourbar", "0.3"}, {"fivebar", "0.1"}, {"delta", "0.3"}}) {
    SCOPED_TRACE(name);
    const RunResult r =
        run_cli({"mpc", name, "--duration", "2.5", "--rate", "250", "--payload", payload,
                 "--payload-at", "1", "--knowledge", "identified,fixed", "--json"});
    const json d = document(r, "ulna.mpc/1");
    EXPECT_EQ(d["robot"].value("closed_loops", 0), 1 + 2 * (d["robot"]["name"] == "delta"));
    const json learned = d["tracking_rmse_learned"];
    EXPECT_LT(learned.value("identified", 1.0), 1e-3) << r.out << r.err;
    EXPECT_LT(2.0 * learned.value("identified", 1.0), learned.value("fixed", 0.0));
  }
  EXPECT_TRUE(has(run_cli({"mpc", "fivebar", "--goal", "left_motor=1.9,right_motor=-1.9"}).err,
                  "left_motor, right_motor"));
}

TEST(ClosedRobots, go_where_the_joints_that_move_the_others_are_sent) {
  const Folder folder;
  const auto plotted = [&](const std::vector<std::string>& more) {
    std::vector<std::string> line{"mpc", "delta", "--duration", "0.1", "--rate", "250", "--json"};
    line.insert(line.end(), more.begin(), more.end());
    RunResult r = run_cli(line, {.folder = folder.path()});
    EXPECT_LE(r.status, 1) << r.err;
    return document(r, "ulna.mpc/1");
  };
  const json by_number = plotted({"--goal", "0.2,0.1,0.15"}),
             by_name = plotted({"--goal", "motor_1=0.2,motor_2=0.1,motor_3=0.15"});
  EXPECT_EQ(by_number["runs"]["identified"]["rmse"], by_name["runs"]["identified"]["rmse"]);
  EXPECT_TRUE(by_number.value("error", "").empty());
  // what follows the others is where these have it, whatever is given for it
  EXPECT_TRUE(
      has(plotted({"--goal", "0.2,0,0,0.1,0,0,0.15,0,0,0,0,0"})["notes"].dump(), "loops have them"))
      << by_number["robot"];
  const RunResult follower = run_cli({"mpc", "delta", "--goal", "x=0.1"});
  EXPECT_EQ(follower.status, 2);
  EXPECT_TRUE(has(follower.err, "name motor_1, motor_2, motor_3"));
  const RunResult two = run_cli({"mpc", "delta", "--goal", "0.1,0.2"});
  EXPECT_EQ(two.status, 2);
  EXPECT_TRUE(has(two.err, "of which motor_1, motor_2, motor_3 move the others"));
  // and in a scenario
  folder.write("s.yaml",
               "robot: delta\nduration: 0.1\nrate: 250\nstart: [0, 0, 0]\ngoal: [0.2, 0.1, 0.15]\n"
               "amplitude: [0.05, 0.05, 0.05]\nhz: [0.3, 0.3, 0.3]\n");
  const RunResult scenario = run_cli({"mpc", "s.yaml"}, {.folder = folder.path()});
  EXPECT_LE(scenario.status, 1) << scenario.err;
}

TEST(ClosedLoops, poses_and_terms_are_those_of_the_closed_robot) {
  const Crank::Position at = Crank::position(0.5);
  const std::string all =
      std::to_string(at.q(0)) + "," + std::to_string(at.q(1)) + "," + std::to_string(at.q(2));
  for (const std::vector<std::string>& line :
       std::vector<std::vector<std::string>>{{"fk", "fourbar"}, {"terms", "fourbar"}}) {
    const auto with = [&](const std::string& q) {
      std::vector<std::string> whole = line;
      whole.insert(whole.end(), {"--q", q, "--json"});
      return run_cli(whole);
    };
    const json d = document(with("0.5"), "ulna." + line[0] + "/1");
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(d["q"][i], at.q(i), 1e-4) << line[0];
    EXPECT_EQ(with(all).status, 0) << line[0];
    EXPECT_EQ(with("0.5,0,0").status, 3) << line[0];
    std::vector<std::string> open = line;
    open.insert(open.end(), {"--q", "0.5,0,0", "--open-loops"});
    EXPECT_EQ(run_cli(open).status, 0) << line[0];
  }
}

TEST(ClosedLoops, inverse_kinematics_keeps_them_closed) {
  // where a frame is with the loops closed is where it is found, from elsewhere
  const std::tuple<std::string, std::string, std::string> cases[] = {
      {"fourbar", "coupler", "0.5"}, {"fivebar", "", "0.2,0.1"}, {"delta", "", "0.2,0.1,0.15"}};
  for (const auto& [robot, named, q] : cases) {
    const json all = document(run_cli({"fk", robot, "--q", q, "--json"}), "ulna.fk/1");
    for (const json& frame : all["frames"]) {
      const std::string name = frame["name"];
      if (!named.empty() && name != named) continue;
      std::string xyz;
      for (const double x : frame["xyz"]) xyz += (xyz.empty() ? "" : ",") + std::to_string(x);
      const RunResult r =
          run_cli({"ik", robot, "--frame", name, "--xyz", xyz, "--position-only", "--json"});
      if (r.status == 2) continue;  // a frame that no joint moves
      EXPECT_EQ(r.status, 0) << robot << " " << name << r.err;
      const json d = document(r, "ulna.ik/1");
      EXPECT_GT(d["robot"].value("closed_loops", 0), 0);
      std::string found;
      for (const double x : d["q"]) found += (found.empty() ? "" : ",") + json(x).dump();
      // refused if it were open
      const json there =
          document(run_cli({"fk", robot, "--frame", name, "--q", found, "--json"}), "ulna.fk/1");
      for (int i = 0; i < 3; ++i)
        EXPECT_NEAR(there["frames"][0]["xyz"][i].get<double>(), frame["xyz"][i].get<double>(), 3e-6)
            << robot << " " << name;
    }
  }
  // out of reach
  EXPECT_EQ(
      run_cli({"ik", "fourbar", "--frame", "coupler", "--xyz", "9,0,0", "--position-only"}).status,
      1);
}

}  // namespace
