#include <gtest/gtest.h>

#include "support/told.hpp"
#include "ulna/io/csv.hpp"
#include "ulna/model/builder.hpp"
#include "ulna/spatial/solid.hpp"

namespace ulna::test {
namespace {

Inertial body() { return Inertial(solid_sphere(0.1).with_mass(1.0)); }

/// base - shoulder - elbow - finger1, finger2 (mimics finger1), tool (fixed)
Model arm() {
  Builder b("arm");
  b.link("base")
      .link("upper", body())
      .link("lower", body())
      .link("left", body())
      .link("right", body())
      .link("tool");
  b.joint("shoulder", JointType::revolute, "base", "upper");
  b.joint("elbow", JointType::revolute, "upper", "lower");
  b.joint("finger1", JointType::prismatic, "lower", "left");
  b.joint("finger2", JointType::prismatic, "lower", "right");
  b.last_joint().mimic = Mimic{"finger1", -1.0, 0.0};
  b.joint("flange", JointType::fixed, "lower", "tool");
  return b.build();
}

Model ball_arm() {
  return Builder("ball_arm")
      .link("base")
      .link("a", body())
      .link("b", body())
      .joint("hip", JointType::ball, "base", "a")
      .joint("knee", JointType::continuous, "a", "b")
      .build();
}

TrajectoryColumns columns(const Model& model, const std::vector<std::string>& names) {
  return trajectory_columns(model, names, "log.csv");
}
std::string column_complaint(const Model& model, const std::vector<std::string>& names) {
  return told<CsvError>([&] { columns(model, names); });
}
using Ints = std::vector<int>;

TEST(TrajectoryColumns, are_found_by_name_in_any_order) {
  const auto c = columns(arm(), {"q_finger1", "time", "noise", "q_shoulder", "q_elbow", "tau_elbow",
                                 "tau_finger1", "tau_shoulder"});
  EXPECT_EQ(c.t, 1);
  EXPECT_EQ(c.q, (Ints{3, 4, 0}));
  EXPECT_EQ(c.tau, (Ints{7, 5, 6}));
  EXPECT_TRUE(c.qd.empty());
  EXPECT_TRUE(c.qdd.empty());
}

TEST(TrajectoryColumns, are_found_by_position) {
  const auto c =
      columns(arm(), {"t", "q1", "q3", "q2", "qd1", "qd2", "qd3", "qdd3", "qdd2", "qdd1"});
  EXPECT_EQ(c.t, 0);
  EXPECT_EQ(c.q, (Ints{1, 3, 2}));
  EXPECT_EQ(c.qd, (Ints{4, 5, 6}));
  EXPECT_EQ(c.qdd, (Ints{9, 8, 7}));
  EXPECT_TRUE(c.tau.empty());
}

TEST(TrajectoryColumns, one_quantity_may_go_by_name_and_another_by_position) {
  const auto c = columns(arm(), {"q_shoulder", "q_elbow", "q_finger1", "tau1", "tau2", "tau3"});
  EXPECT_EQ(c.q, (Ints{0, 1, 2}));
  EXPECT_EQ(c.tau, (Ints{3, 4, 5}));
}

TEST(TrajectoryColumns, positions_have_nq_columns_and_velocities_nv) {
  const Model model = ball_arm();
  EXPECT_EQ(trajectory_names(model, "q"),
            (std::vector<std::string>{"q_hip_qw", "q_hip_qx", "q_hip_qy", "q_hip_qz", "q_knee"}));
  EXPECT_EQ(trajectory_names(model, "tau"),
            (std::vector<std::string>{"tau_hip_wx", "tau_hip_wy", "tau_hip_wz", "tau_knee"}));
  EXPECT_EQ(columns(model, {"q1", "q2", "q3", "q4", "q5", "qd1", "qd2", "qd3", "qd4"}).q,
            (Ints{0, 1, 2, 3, 4}));
  EXPECT_EQ(column_complaint(model, {"qd1", "qd2", "qd3", "qd4", "qd5"}),
            "log.csv: column 'qd5': robot 'ball_arm' has 4 coordinates, counted from qd1 to qd4");
}

TEST(TrajectoryColumns, the_names_that_are_written_are_found) {
  const Model model = arm();
  std::vector<std::string> names{"t"};
  for (const char* quantity : {"q", "qd", "qdd", "tau"})
    for (const std::string& name : trajectory_names(model, quantity)) names.push_back(name);
  const auto c = columns(model, names);
  EXPECT_EQ(c.q, (Ints{1, 2, 3}));
  EXPECT_EQ(c.qd, (Ints{4, 5, 6}));
  EXPECT_EQ(c.qdd, (Ints{7, 8, 9}));
  EXPECT_EQ(c.tau, (Ints{10, 11, 12}));
}

TEST(TrajectoryColumns, a_quantity_in_part_is_refused_naming_what_is_missing) {
  EXPECT_EQ(column_complaint(arm(), {"t", "q_elbow"}),
            "log.csv: q is given in part: 2 of 3 columns are missing: 'q_shoulder', 'q_finger1'");
  EXPECT_EQ(column_complaint(arm(), {"t", "tau1", "tau3"}),
            "log.csv: tau is given in part: 1 of 3 columns are missing: 'tau2'");
}

TEST(TrajectoryColumns, a_quantity_in_both_styles_is_refused) {
  EXPECT_EQ(column_complaint(arm(), {"q_shoulder", "q_elbow", "q_finger1", "q1"}),
            "log.csv: columns 'q_shoulder' and 'q1' both give q; name its columns in one way");
  EXPECT_EQ(column_complaint(arm(), {"q_shoulder", "q2", "q3"}),
            "log.csv: columns 'q_shoulder' and 'q2' both give q; name its columns in one way");
}

TEST(TrajectoryColumns, a_misspelt_coordinate_is_refused_with_advice) {
  EXPECT_EQ(
      column_complaint(arm(), {"q_shoulder", "q_elbwo", "q_finger1"}),
      "log.csv: column 'q_elbwo': robot 'arm' has no coordinate 'elbwo'; did you mean 'elbow'?");
  EXPECT_EQ(column_complaint(arm(), {"tau_"}),
            "log.csv: column 'tau_': robot 'arm' has no coordinate ''");
}

TEST(TrajectoryColumns, positions_count_from_one_to_n) {
  const std::string range = ": robot 'arm' has 3 coordinates, counted from q1 to q3";
  for (const std::string name : {"q0", "q4", "q01", "q99999999999999999999999"})
    EXPECT_EQ(column_complaint(arm(), {"q1", "q2", "q3", name}),
              "log.csv: column '" + name + "'" + range);
}

TEST(TrajectoryColumns, time_has_one_column) {
  EXPECT_EQ(columns(arm(), {"x", "t"}).t, 1);
  EXPECT_EQ(columns(arm(), {"x", "T"}).t, -1);
  EXPECT_EQ(column_complaint(arm(), {"time", "t"}),
            "log.csv: columns 'time' and 't' both give the time");
}

TEST(TrajectoryColumns, a_column_given_twice_is_refused) {
  EXPECT_EQ(column_complaint(arm(), {"q1", "q1", "q2", "q3"}), "log.csv: column 'q1' occurs twice");
}

TEST(TrajectoryColumns, columns_that_mean_nothing_to_the_robot_are_left_alone) {
  const auto c = columns(
      arm(), {"q", "quality", "qx1", "tauruS", "current_elbow", "qd", "q1a", "temperature"});
  EXPECT_EQ(c.t, -1);
  EXPECT_TRUE(c.q.empty() && c.qd.empty() && c.qdd.empty() && c.tau.empty());
}

TEST(TrajectoryColumns, joints_without_a_coordinate_need_no_column) {
  const auto c =
      columns(arm(), {"q_shoulder", "q_elbow", "q_finger1", "q_finger2", "q_flange", "qd_finger2"});
  EXPECT_EQ(c.q, (Ints{0, 1, 2}));
  EXPECT_TRUE(c.qd.empty());
}

TEST(TrajectoryColumns, the_torque_of_a_mimicking_joint_is_refused) {
  EXPECT_EQ(column_complaint(arm(), {"tau_shoulder", "tau_elbow", "tau_finger1", "tau_finger2"}),
            "log.csv: column 'tau_finger2': joint 'finger2' mimics 'finger1' and has no torque of "
            "its own; "
            "give that of 'finger1'");
}

TEST(TrajectoryColumns, a_robot_without_coordinates_has_none) {
  const Model stone = Builder("stone").link("base").build();
  EXPECT_TRUE(columns(stone, {"t", "x"}).q.empty());
  EXPECT_EQ(column_complaint(stone, {"q1"}),
            "log.csv: column 'q1': robot 'stone' has 0 coordinates");
  EXPECT_TRUE(trajectory_names(stone, "q").empty());
}

TEST(TrajectoryNames, a_quantity_is_one_of_four) {
  EXPECT_EQ(told<std::invalid_argument>([] { trajectory_names(arm(), "qddd"); }),
            "quantity 'qddd' is none of q, qd, qdd, tau");
}

}  // namespace
}  // namespace ulna::test
