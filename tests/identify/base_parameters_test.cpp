#include "ulna/identify/estimate/base_parameters.hpp"

#include <Eigen/QR>

#include "excited.hpp"
#include "ulna/derivatives/regressor.hpp"

// What torques and wrenches can tell of a robot at all.
namespace ulna::test {
namespace {

using namespace identify;

int rank_of(const char* robot, std::vector<Feature> features = {}) {
  return find_base_parameters(TorqueModel(load_robot(robot).model, std::move(features))).size();
}

// 43 of a Panda's 70 parameters [Gaz et al. 2019]; 36 of the UR's 60, which with rotor inertias are 40:
// those of the last four joints alone can be told from links. A planar arm has Izz and two first
// moments of each link.
TEST(BaseParameters, have_the_number_that_theory_says) {
  EXPECT_EQ(rank_of("panda"), 43);
  EXPECT_EQ(rank_of("ur5e"), 36);
  EXPECT_EQ(rank_of("ur5e", {Feature::armature}), 40);
  EXPECT_EQ(rank_of("double_pendulum"), 6);
  EXPECT_EQ(rank_of("panda", plain_friction), 43 + 21);
}

// A hinge keeps eight parameters of its body at most, the first one of a chain fewer.
TEST(BaseParameters, of_hinges_are_those_of_Gautier_and_Khalil) {
  const Model model = load_robot("panda").model;
  const TorqueModel torque(model, {});
  const BaseParameters base = find_base_parameters(torque);
  // a vertical first axis feels its own Izz only
  for (const int k : base.independent) EXPECT_TRUE(k >= 10 || k == 9) << k;
  EXPECT_EQ(base.independent.size() + base.dependent.size() + base.idle.size(), 70u);
  EXPECT_NE(base.name(0, torque.names()).find("panda_link1.Izz"), std::string::npos);
}

TEST(BaseParameters, are_all_that_torques_depend_on) {
  for_each_robot(
      [](const Model& model, Random& random) {
        const TorqueModel torque(model, {Feature::viscous, Feature::armature});
        const BaseParameters base = find_base_parameters(torque);
        Eigen::VectorXd z = torque.nominal();
        // dependent ones handed to independent ones, idle ones anything
        Eigen::VectorXd other = z;
        for (const int k : base.idle) other(k) = random.real(-1.0, 1.0);
        for (const int k : base.dependent) other(k) = random.real(-1.0, 1.0);
        const Eigen::VectorXd missing = base.of(z) - base.of(other);
        for (int i = 0; i < base.size(); ++i) other(base.independent[i]) += missing(i);
        expect_close(base.of(other), base.of(z), 1e-12);
        Eigen::MatrixXd Q(model.nq(), 9), V(model.nv(), 9), A = V;
        for (int s = 0; s < 9; ++s) {
          Q.col(s) = random_q(model, random);
          V.col(s) = random_tangent<double>(model, random);
          A.col(s) = random_tangent<double>(model, random);
        }
        const Eigen::MatrixXd X = torque.features_of(V, A, V);
        expect_close(torque.torques(other, Q, V, A, X), torque.torques(z, Q, V, A, X), 1e-9);
      },
      6);
}

// Six-axis sensors, one in each joint, tell all ten parameters of every link but the first, which only
// turns about the vertical [Cărămizaru 2023, sec. 4.2]; one in the last joint tells of the last link.
TEST(BaseParameters, of_wrench_sensors) {
  const Model model = load_robot("ur5e").model;
  std::vector<int> all;
  for (int b = 1; b < model.body_count(); ++b) all.push_back(b);
  const BaseParameters each = find_base_parameters(model, all);
  for (int k = 10; k < 60; ++k)
    EXPECT_EQ(std::count(each.independent.begin(), each.independent.end(), k), 1) << k;
  EXPECT_LT(each.size(), 60);
  const BaseParameters last = find_base_parameters(model, {6});
  EXPECT_EQ(last.size(), 10);
  for (const int k : last.independent) EXPECT_GE(k, 50);
  EXPECT_EQ(last.idle.size(), 50u);
}

// Two samples suffice to find all links behind the first from noise-free wrenches [Cărămizaru 2023, sec. 4.2].
TEST(BaseParameters, two_samples_of_wrenches_suffice_without_noise) {
  const Model model = load_robot("ur5e").model;
  Random random(1);
  const int p = 10 * model.joint_count();
  const Eigen::VectorXd pi = TorqueModel(model, {}).nominal();
  Eigen::MatrixXd rows(2 * 6 * model.joint_count(), p);
  RegressorWorkspace<double> ws(model);
  RowMatX<double> W(6, p);
  for (int s = 0; s < 2; ++s) {
    const Rig<double> rig(model, random);
    for (int b = 1; b < model.body_count(); ++b) {
      wrench_regressor<double>(rig.motion(), b, ws, W);
      rows.middleRows(6 * (model.joint_count() * s + b - 1), 6) = W;
    }
  }
  const Eigen::VectorXd wrenches = rows * pi;
  // where two samples leave a direction open, the least of all solutions is taken
  const Eigen::VectorXd found = rows.completeOrthogonalDecomposition().solve(wrenches);
  expect_close(Eigen::VectorXd(found.tail(p - 10)), Eigen::VectorXd(pi.tail(p - 10)), 1e-8);
}

// --- the thesis' remarks on an arm of three joints [Cărămizaru 2023, rem. 4.2.7 to 4.2.9], and where they end ---

/// An upright joint and two level ones; on a universal joint, one that tilts it all is put beneath.
Model three_joints(bool universal) {
  Random random(7);
  Builder arm("arm");
  arm.link("ground");
  if (universal)
    arm.link("cross").joint("tilt", JointType::revolute, "ground", "cross", {},
                            Vec3<double>::UnitX());
  const auto above = [](double z) { return Pose(Transform<double>::from_translation({0, 0, z})); };
  return arm.link("link1", random_body(random))
      .link("link2", random_body(random))
      .link("link3", random_body(random))
      .joint("joint1", JointType::revolute, universal ? "cross" : "ground", "link1", {},
             Vec3<double>::UnitZ())
      .joint("joint2", JointType::revolute, "link1", "link2", above(0.3), Vec3<double>::UnitY())
      .joint("joint3", JointType::revolute, "link2", "link3", above(0.4), Vec3<double>::UnitY())
      .build();
}

/// How many of each body's ten parameters can be told by themselves.
std::vector<int> told_alone(const BaseParameters& base, int bodies) {
  std::vector<int> count(static_cast<std::size_t>(bodies));
  for (int i = 0; i < base.size(); ++i)
    if (base.shares.row(i).isZero(0.0)) ++count[base.independent[i] / 10];
  return count;
}

TEST(WorkedExamples, torque_sensors_tell_little_of_the_first_links) {
  const Model arm = three_joints(false);
  const BaseParameters base = find_base_parameters(TorqueModel(arm, {}));
  // the first link turns about its axis alone: one number of it enters, and never without others'
  const std::vector<int> alone = told_alone(base, 3);
  EXPECT_EQ(alone[0], 0);
  EXPECT_LT(alone[1], 10);
  EXPECT_LT(alone[2], 10);  // nor is any link told whole: that is where the remark ends
  EXPECT_EQ(base.size(), 15);
}

TEST(WorkedExamples, wrench_sensors_tell_all_links_but_the_first) {
  const Model arm = three_joints(false);
  EXPECT_EQ(told_alone(find_base_parameters(arm, {1, 2, 3}), 3), (std::vector<int>{6, 10, 10}));
}

TEST(WorkedExamples, on_a_universal_joint_the_first_link_is_told_too) {
  const Model arm = three_joints(true);
  // body 1 is the cross; links 1, 2, 3 follow
  const std::vector<int> alone = told_alone(find_base_parameters(arm, {2, 3, 4}), 4);
  EXPECT_EQ(alone, (std::vector<int>{0, 10, 10, 10}));
  // with torque sensors alone, it helps but does not suffice
  const BaseParameters torques = find_base_parameters(TorqueModel(arm, {}));
  EXPECT_LT(told_alone(torques, 4)[1], 10);
  EXPECT_GT(torques.size(), find_base_parameters(TorqueModel(three_joints(false), {})).size());
}

TEST(BaseParameters, known_unknowns_are_left_out) {
  const TorqueModel torque(load_robot("panda").model, plain_friction);
  std::vector<int> known;
  for (int k = 0; k < 60; ++k) known.push_back(k);
  const BaseParameters payload = find_base_parameters(torque, known);
  EXPECT_EQ(payload.size(), 10 + 21);  // all ten of the last body
  EXPECT_EQ(payload.known.size(), 60u);
}

}  // namespace
}  // namespace ulna::test
