#include <Eigen/LU>
#include <cmath>

#include "cli.hpp"

using namespace ulna::test;

namespace {

const std::vector<std::string> panda_q{"--q", "0.1,-0.4,0.3,-1.8,0.2,1.5,0.6"};

std::vector<std::string> with(std::vector<std::string> line, const std::vector<std::string>& more) {
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

TEST(InverseDynamicsVerb, computes_the_torque_of_a_pendulum) {
  // 1 kg and a little rod: the torque at rest grows with the sine of the angle
  const double at_30 = document(run_cli({"id", "pendulum", "--q", "0.5235987755982988", "--json"}),
                                "ulna.id/1")["tau"][0];
  const double at_90 = document(run_cli({"id", "pendulum", "--q", "1.5707963267948966", "--json"}),
                                "ulna.id/1")["tau"][0];
  EXPECT_GT(at_90, 1.0);
  EXPECT_NEAR(at_30, 0.5 * at_90, 1e-12);
}

TEST(InverseDynamicsVerb, forward_dynamics_gives_the_acceleration_back) {
  const json id = document(run_cli(with({"id", "panda", "--json", "--qd", "1,2,3,-1,-2,-3,1",
                                         "--qdd", "3,2,1,0,-1,-2,-3"},
                                        panda_q)),
                           "ulna.id/1");
  std::string tau;
  for (const double t : id["tau"]) tau += (tau.empty() ? "" : ",") + json(t).dump();
  const json fd = document(
      run_cli(with({"fd", "panda", "--json", "--qd", "1,2,3,-1,-2,-3,1", "--tau", tau}, panda_q)),
      "ulna.fd/1");
  for (int i = 0; i < 7; ++i)
    EXPECT_NEAR(fd["qdd"][static_cast<std::size_t>(i)].get<double>(), 3.0 - i, 1e-8);
  EXPECT_EQ(id["joints"][0], "panda_joint1");
}

TEST(InverseDynamicsVerb, takes_a_state_as_json_with_names_and_wrenches) {
  const json free = document(
      run_cli({"id", "panda", "-", "--json"}, {.input = R"({"q": {"panda_joint2": 0.3}})"}),
      "ulna.id/1");
  const json pushed =
      document(run_cli({"id", "panda", "-", "--json"}, {.input = R"({"q": {"panda_joint2": 0.3},
      "wrenches": [{"frame": "panda_link8", "force": [0, 0, -10], "moment": [0, 0, 0], "axes": "world"}]})"}),
               "ulna.id/1");
  const json jacobian = document(
      run_cli({"terms", "panda", "--json", "--q", "panda_joint2=0.3", "--frame", "panda_link8"}),
      "ulna.terms/1")["jacobian"];
  for (std::size_t i = 0; i < 7; ++i)
    EXPECT_NEAR(pushed["tau"][i].get<double>() - free["tau"][i].get<double>(),
                10.0 * jacobian[5][i].get<double>(), 1e-12);
}

TEST(TermsVerb, prints_the_inertia_of_a_frame) {
  const std::vector<std::string> panda{
      "terms",   "panda",       "--q",    "0.1,0.3,0,-1.6,0.2,1.9,0",
      "--frame", "panda_link8", "--axes", "local"};
  std::vector<std::string> as_json = panda;
  as_json.emplace_back("--json");
  const json d = document(run_cli(as_json), "ulna.terms/1");
  Eigen::MatrixXd M(7, 7), J(6, 7), inertia(6, 6);
  const auto read = [](const json& from, Eigen::MatrixXd& to) {
    for (Eigen::Index r = 0; r < to.rows(); ++r)
      for (Eigen::Index c = 0; c < to.cols(); ++c)
        to(r, c) = from[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)].get<double>();
  };
  read(d["M"], M), read(d["jacobian"], J), read(d["frame_inertia"], inertia);
  EXPECT_LT((inertia * J * M.inverse() * J.transpose() - Eigen::MatrixXd::Identity(6, 6)).norm(),
            1e-9);
  EXPECT_TRUE(has(run_cli(panda).out, "frame inertia"));
  // two joints do not move it in six directions
  const std::vector<std::string> pendulum{"terms",   "double_pendulum", "--q",
                                          "0.3,0.2", "--frame",         "lower"};
  EXPECT_TRUE(has(run_cli(pendulum).out, "no frame inertia"));
}

TEST(InverseDynamicsVerb, streams_a_table_by_name_or_position_and_agrees_with_single_states) {
  const std::string header = "t,q1,q2,qd1,qd2,qdd1,qdd2\n";
  std::string rows;
  for (int i = 0; i < 50; ++i)
    rows += std::to_string(0.01 * i) + "," + std::to_string(std::sin(i)) + "," +
            std::to_string(std::cos(2 * i)) + ",0.5,-1,0.25," + std::to_string(0.1 * i) + "\n";
  const RunResult by_position = run_cli({"id", "double_pendulum", "-"}, {.input = header + rows});
  const RunResult by_name = run_cli(
      {"id", "double_pendulum", "-"},
      {.input = "t,q_shoulder,q_elbow,qd_shoulder,qd_elbow,qdd_shoulder,qdd_elbow\n" + rows});
  EXPECT_EQ(by_position.status, 0) << by_position.err;
  EXPECT_EQ(by_position.out, by_name.out);
  EXPECT_TRUE(begins(by_position.out, "t,tau_shoulder,tau_elbow\n0,"));
  // the last row by itself
  const json one =
      document(run_cli({"id", "double_pendulum", "--json", "--q",
                        std::to_string(std::sin(49)) + "," + std::to_string(std::cos(98)), "--qd",
                        "0.5,-1", "--qdd", "0.25,4.9"}),
               "ulna.id/1");
  const std::string last =
      by_position.out.substr(by_position.out.rfind('\n', by_position.out.size() - 2) + 1);
  double t = 0, shoulder = 0, elbow = 0;
  ASSERT_EQ(std::sscanf(last.c_str(), "%lf,%lf,%lf", &t, &shoulder, &elbow), 3) << last;
  EXPECT_NEAR(shoulder, one["tau"][0].get<double>(), 1e-12);
  EXPECT_NEAR(elbow, one["tau"][1].get<double>(), 1e-12);
}

TEST(InverseDynamicsVerb, a_table_as_json_has_the_same_rows) {
  const RunResult r =
      run_cli({"id", "pendulum", "-", "--json"}, {.input = "q1,qd1,qdd1\n0,0,1\n0.5,0,0\n"});
  const json d = document(r, "ulna.id/1");
  EXPECT_EQ(d["columns"], (json{"tau_pivot"}));
  ASSERT_EQ(d["rows"].size(), 2u);
}

TEST(InverseDynamicsVerb, names_line_and_column_of_a_bad_cell) {
  const RunResult r =
      run_cli({"id", "pendulum", "-"}, {.input = "q1,qd1,qdd1\n0,0,1\n0,1.2.3,0\n"});
  EXPECT_EQ(r.status, 3);
  EXPECT_TRUE(has(r.err, "<stdin>:3:3"));
}

TEST(InverseDynamicsVerb, says_which_columns_are_missing) {
  const RunResult r = run_cli({"id", "pendulum", "-"}, {.input = "q1,qd1\n0,0\n"});
  EXPECT_EQ(r.status, 3);
  EXPECT_TRUE(has(r.err, "qdd_pivot"));
}

TEST(InverseDynamicsVerb, refuses_what_makes_no_sense_with_both_numbers_or_advice) {
  EXPECT_TRUE(has(run_cli({"id", "panda", "--q", "0,0"}).err, "2 numbers, the robot needs 7"));
  EXPECT_TRUE(
      has(run_cli({"id", "panda", "--q", "panda_jiont1=2"}).err, "did you mean 'panda_joint1'?"));
  EXPECT_TRUE(has(run_cli({"id", "panda", "--q", "0,0,0,0,0,0,1e999"}).err, "overflows"));
  EXPECT_TRUE(
      has(run_cli({"id", "panda", "-"}, {.input = R"({"qq": [1]})"}).err, "did you mean 'q'?"));
  EXPECT_TRUE(has(
      run_cli({"id", "panda", "-"}, {.input = R"({"wrenches": [{"frame": "panda_link9"}]})"}).err,
      "did you mean 'panda_link"));
  EXPECT_EQ(run_cli({"id", "-", "-"}).status, 2);
  EXPECT_EQ(run_cli({"id", "panda", "-", "--q", "0,0,0,0,0,0,0"}).status, 2);
  EXPECT_EQ(run_cli({"id", "panda", "nowhere.csv"}).status, 3);
}

TEST(InverseDynamicsVerb, leaves_gravity_and_friction_out_when_asked) {
  const json still = document(
      run_cli(with({"id", "panda", "--json", "--gravity", "0,0,0"}, panda_q)), "ulna.id/1");
  for (const double t : still["tau"]) EXPECT_NEAR(t, 0.0, 1e-12);
  const json with_friction =
      document(run_cli({"id", "puma560", "--json", "--qd", "1,1,1,1,1,1"}), "ulna.id/1");
  const json without = document(
      run_cli({"id", "puma560", "--json", "--qd", "1,1,1,1,1,1", "--no-friction"}), "ulna.id/1");
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_GT(with_friction["tau"][i].get<double>(), without["tau"][i].get<double>() + 0.01);
}

TEST(Terms, mass_matrix_is_symmetric_and_bias_is_coriolis_and_gravity) {
  const json d = document(run_cli({"terms", "double_pendulum", "--json", "--q", "0.3,0.2", "--qd",
                                   "1,2", "--frame", "lower"}),
                          "ulna.terms/1");
  if (!d.contains("M")) GTEST_FAIL() << d;
  EXPECT_EQ(d["M"][0][1], d["M"][1][0]);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(d["bias"][i].get<double>(),
                d["gravity"][i].get<double>() + d["C"][i][0].get<double>() +
                    2.0 * d["C"][i][1].get<double>(),
                1e-12);
  EXPECT_GT(d["kinetic"].get<double>(), 0.0);
}

TEST(InverseKinematicsVerb, finds_a_configuration_that_puts_the_frame_there) {
  const RunResult r = run_cli({"ik", "panda", "--frame", "panda_link8", "--xyz", "0.4,0.1,0.5",
                               "--rpy", "3.14159,0,0", "--json"});
  EXPECT_EQ(r.status, 0) << r.out;
  const json d = document(r, "ulna.ik/1");
  EXPECT_TRUE(d["found"].get<bool>());
  EXPECT_LT(d["position_error"].get<double>(), 1e-6);
}

TEST(InverseKinematicsVerb, says_so_when_there_is_none) {
  const RunResult r =
      run_cli({"ik", "panda", "--frame", "panda_link8", "--xyz", "5,0,0", "--restarts", "1"});
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(has(r.err, "not found"));
}

}  // namespace
