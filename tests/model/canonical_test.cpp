#include <gtest/gtest.h>

#include <numbers>

#include "descriptions.hpp"
#include "support/finite_difference.hpp"

namespace ulna::test {
namespace {

Model joint_about(JointType type, const Vec3<double>& axis, const Pose& origin = {}) {
  Builder b;
  b.link("base").link("arm", brick()).joint("j", type, "base", "arm", origin, axis);
  if (type == JointType::helical) b.last_joint().pitch = 0.2;
  return b.build(true);
}

std::vector<Vec3<double>> special_axes() {
  using V = Vec3<double>;
  return {V(1, 0, 0),
          V(-1, 0, 0),
          V(0, 1, 0),
          V(0, -1, 0),
          V(0, 0, 1),
          V(0, 0, -1),
          V(1e-9, 0, -1).normalized(),
          V(1e-4, -1e-5, -1).normalized(),
          V(0, 1e-9, 1).normalized(),
          V(1, 1, 1).normalized()};
}

TEST(Canonical, the_axis_is_plus_z) {
  for (const Vec3<double>& axis : special_axes()) {
    SCOPED_TRACE(testing::Message() << "axis " << axis.transpose());
    for (const JointType type :
         {JointType::revolute, JointType::prismatic, JointType::helical, JointType::planar}) {
      const Rotation<double> R_BC = joint_about(type, axis).joint(1).R_BC;
      expect_close(R_BC * Vec3<double>(0, 0, 1), axis, 4e-16);
      EXPECT_LT(distance_to_rotation(R_BC.matrix()), 1e-15);
    }
  }
  for_each_model([](const Model& model, Random&) {
    for (const JointDescription& given : model.description().joints)
      if (has_axis(given.type))
        expect_close(model.joint(model.joint_index(given.name)).R_BC * Vec3<double>(0, 0, 1),
                     given.axis, 1e-15);
  });
}

TEST(Canonical, frames_without_an_axis_or_along_z_are_not_turned) {
  for (const JointType type : {JointType::ball, JointType::floating})
    EXPECT_EQ(joint_about(type, {1, 0, 0}).joint(1).R_BC.matrix(), Mat3<double>::Identity());
  for (const JointType type : {JointType::revolute, JointType::planar})
    EXPECT_EQ(joint_about(type, {0, 0, 1}).joint(1).R_BC.matrix(), Mat3<double>::Identity());
  EXPECT_EQ(joint_about(JointType::ball, {1, 0, 0}).joint(0).R_BC.matrix(),
            Mat3<double>::Identity());
}

class CanonicalOf : public ::testing::TestWithParam<JointType> {};

TEST_P(CanonicalOf, poses_are_those_that_the_description_tells) {
  for (const Vec3<double>& axis : special_axes()) {
    SCOPED_TRACE(testing::Message() << "axis " << axis.transpose());
    for_each_seed(
        [&](Random& random) {
          const Model model = joint_about(GetParam(), axis, random_pose(random));
          const Eigen::VectorXd q = random_q(model, random);
          expect_same_poses(described_poses(model, q), frame_poses(model, q), 1e-14);
        },
        5);
  }
}

TEST_P(CanonicalOf, random_trees_of_this_kind_have_the_poses_that_the_description_tells) {
  for_each_model(
      [](const Model& model, Random& random) {
        const Eigen::VectorXd q = random_q(model, random);
        expect_same_poses(described_poses(model, q), frame_poses(model, q));
      },
      {.kinds = {GetParam()}});
}

TEST_P(CanonicalOf, the_twist_of_a_velocity_is_the_rate_of_the_pose_seen_from_the_body) {
  for_each_seed([](Random& random) {
    const Model model =
        joint_about(GetParam(), random_direction<double>(random), random_pose(random));
    const Joint& j = model.joint(1);
    const Eigen::VectorXd q = random_q(model, random), v = random_v(model, random);
    const auto pose = [&](double t) {
      return described_poses(model, integrate(model, q, t * v)).at("arm");
    };
    const auto matrix = [&](double t) -> Mat4<double> { return pose(t).matrix(); };
    const Mat4<double> rate = pose(0.0).inverse().matrix() * five_point_derivative(matrix);
    const Twist<double> V_C = joint_twist(j.type, j.pitch, v.data());
    expect_close(rate, twist_matrix(Transform<double>::from_rotation(j.R_BC) * V_C), 1e-11);
  });
}

INSTANTIATE_TEST_SUITE_P(Kind, CanonicalOf, ::testing::ValuesIn(moving_kinds),
                         [](const auto& kind) { return std::string(to_string(kind.param)); });

TEST(Canonical, random_trees_of_all_kinds_have_the_poses_that_the_description_tells) {
  for_each_model([](const Model& model, Random& random) {
    for (int round = 0; round < 3; ++round) {
      const Eigen::VectorXd q = random_q(model, random);
      const Poses described = described_poses(model, q);
      ASSERT_EQ(described.size(), model.frames().size());
      expect_same_poses(described, frame_poses(model, q));
    }
  });
}

TEST(Canonical, inertias_are_the_same_bodies_seen_from_turned_frames) {
  for_each_model([](const Model& model, Random& random) {
    for (int b = 0; b < model.body_count(); ++b) {
      const auto i = static_cast<std::size_t>(b);
      const Rotation<double>& R_BC = model.joint(b).R_BC;
      const Inertia<double>&I_B = model.inertias()[i], &I_C = model.canonical_inertias()[i];
      EXPECT_EQ(I_C.mass(), I_B.mass());
      expect_close(R_BC * I_C.com(), I_B.com(), 1e-14);
      const Mat3<double>& R = R_BC.matrix();
      expect_close(Mat3<double>(R * I_C.rotational() * R.transpose()), I_B.rotational(), 1e-14);
      // and so it has the same energy in the same motion
      const Twist<double> V_B = random_twist<double>(random);
      const Twist<double> V_C{R_BC.inverse_apply(V_B.angular), R_BC.inverse_apply(V_B.linear)};
      expect_close(kinetic_energy(I_C, V_C), kinetic_energy(I_B, V_B), 1e-14);
    }
  });
}

TEST(Canonical, a_revolute_joint_turns_by_the_right_hand_rule) {
  const Model model = joint_about(JointType::revolute, {0, 1, 0}, Pose({1, 2, 3}));
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, std::numbers::pi / 2);
  const Transform<double> X = frame_poses(model, q).at("arm");
  expect_close(X.translation(), Vec3<double>(1, 2, 3), 1e-15);
  expect_close(X.rotation() * Vec3<double>(0, 0, 1), Vec3<double>(1, 0, 0), 1e-15);
}

TEST(Canonical, a_helical_joint_slides_by_its_pitch_per_radian) {
  const Model model = joint_about(JointType::helical, {1, 0, 0});
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, 3.0);
  expect_close(frame_poses(model, q).at("arm").translation(), Vec3<double>(0.6, 0, 0), 1e-15);
}

TEST(Pose, of_a_transform_gives_it_back) {
  for_each_seed([](Random& random) {
    const Transform<double> X = random_transform<double>(random);
    expect_close(Pose(X).transform(), X, 1e-15);
  });
  // where roll and yaw turn about the same axis
  const Transform<double> X({Rotation<double>::from_rpy(0.3, std::numbers::pi / 2, -0.8)},
                            {1, 2, 3});
  expect_close(Pose(X).transform(), X, 1e-15);
}

}  // namespace
}  // namespace ulna::test
