#include "ulna/dynamics/kinematics.hpp"

#include <functional>

#include "support/dynamics.hpp"

namespace ulna::test {
namespace {

template <class T>
class KinematicsOf : public ::testing::Test {};
TYPED_TEST_SUITE(KinematicsOf, DynamicsScalars, ScalarNames);

/// Runs a check on each frame of a robot, in all axes.
template <class Check>
void for_each_frame(const Model& model, Check check) {
  for (const Frame& f : model.frames())
    for (const Axes axes : all_axes) {
      SCOPED_TRACE("frame '" + std::string(f.name) + "', axes " +
                   std::to_string(static_cast<int>(axes)));
      check(f, axes);
    }
}

TYPED_TEST(KinematicsOf, jacobians_map_joint_velocities_to_twists) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    const Rig<T> rig(model, random);
    const Kinematics<T> state = rig.state();
    for_each_frame(model, [&](const Frame& f, Axes axes) {
      expect_close(VecX<T>(frame_velocity(state, f, axes).vector()),
                   times<T>(rig.jacobian(f, axes), rig.v), 1e-13);
    });
  });
}

TYPED_TEST(KinematicsOf, accelerations_are_those_of_the_joints_and_a_drift) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    const Rig<T> rig(model, random);
    const Kinematics<T> motion = rig.motion();
    for_each_frame(model, [&](const Frame& f, Axes axes) {
      const VecX<T> expected =
          times<T>(rig.jacobian(f, axes), rig.a) + frame_drift(motion, f, axes).vector();
      expect_close(VecX<T>(frame_acceleration(motion, f, axes).vector()), expected, 1e-13);
    });
  });
}

TYPED_TEST(KinematicsOf, states_and_motions_are_where_configurations_are) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    const Rig<T> rig(model, random);
    const Kinematics<T> at = rig.at();
    const Kinematics<T> state = rig.state();
    const Kinematics<T> motion = rig.motion();
    for (const Frame& f : model.frames()) {
      expect_close(state.pose(f), at.pose(f), 0.0);
      expect_close(motion.pose(f), at.pose(f), 0.0);
      expect_close(frame_velocity(motion, f, Axes::local), frame_velocity(state, f, Axes::local),
                   0.0);
    }
  });
}

// --- against motion itself ---

TEST(Kinematics, poses_are_those_of_the_description) {
  for_each_robot([](const Model& model, Random& random) {
    const Rig<double> rig(model, random);
    const Kinematics<double> at = rig.at();
    Poses poses;
    for (const Frame& f : model.frames()) poses[std::string(f.name)] = at.pose(f);
    expect_same_poses(described_poses(model, rig.q), poses);
  });
}

TEST(Kinematics, a_new_configuration_is_the_neutral_one) {
  const Model model = random_model(2);
  const Kinematics<double> at(model);
  EXPECT_EQ(at.q(), neutral(model));
  Poses poses;
  for (const Frame& f : model.frames()) poses[std::string(f.name)] = at.pose(f);
  expect_same_poses(described_poses(model, neutral(model)), poses);
}

/// The twist of a pose that moves, by small displacements.
Twist<double> twist_of(const std::function<Transform<double>(double)>& X, Axes axes) {
  const Transform<double> X0 = X(0.0);
  const Vec6<double> local = five_point_derivative(
      [&](double t) -> Vec6<double> { return (X0.inverse() * X(t)).log().vector(); });
  const auto V = Twist<double>::from_vector(local);
  if (axes == Axes::local) return V;
  const Twist<double> world = X0 * V;
  return axes == Axes::world ? world : world.at(X0.translation());
}

TEST(Kinematics, each_column_of_a_jacobian_is_what_its_coordinate_moves) {
  for_each_robot(
      [](const Model& model, Random& random) {
        Rig<double> rig(model, random);
        rig.a.setZero();
        for (int i = 0; i < model.nv(); ++i) {
          rig.v = Eigen::VectorXd::Unit(model.nv(), i);
          const Frame& f = model.frames()[static_cast<std::size_t>(i) % model.frames().size()];
          for (const Axes axes : all_axes) {
            const Vec6<double> column = rig.jacobian(f, axes).col(i);
            const auto pose = [&](double t) { return rig.after(t).at().pose(f); };
            expect_close(column, twist_of(pose, axes).vector(), 1e-11);
          }
        }
      },
      4);
}

// Aligned, it is what an accelerometer at the frame would read without gravity.
TEST(Kinematics, the_rate_of_velocity_is_acceleration) {
  for_each_robot(
      [](const Model& model, Random& random) {
        const Rig<double> rig(model, random);
        for_each_frame(model, [&](const Frame& f, Axes axes) {
          const Vec6<double> rate = five_point_derivative([&](double t) -> Vec6<double> {
            return frame_velocity(rig.after(t).state(), f, axes).vector();
          });
          expect_close(frame_acceleration(rig.motion(), f, axes).vector(), rate, 1e-10);
          if (axes != Axes::aligned) return;
          const Vec3<double> second = five_point_second_derivative(
              [&](double t) -> Vec3<double> { return rig.after(t).at().pose(f).translation(); });
          expect_close(Vec3<double>(frame_acceleration(rig.motion(), f, axes).linear), second,
                       1e-6);
        });
      },
      3);
}

TEST(Kinematics, the_three_axes_tell_the_same) {
  for_each_robot([](const Model& model, Random& random) {
    const Rig<double> rig(model, random);
    const Kinematics<double> state = rig.state();
    for (const Frame& f : model.frames()) {
      const Transform<double> X = state.pose(f);
      const Twist<double> local = frame_velocity(state, f, Axes::local);
      expect_close(frame_velocity(state, f, Axes::world), X * local, 1e-13);
      expect_close(frame_velocity(state, f, Axes::aligned),
                   Twist<double>{X.rotation() * local.angular, X.rotation() * local.linear}, 1e-13);
      expect_close(rig.jacobian(f, Axes::world),
                   Eigen::MatrixXd(X.motion_matrix() * rig.jacobian(f, Axes::local)), 1e-13);
    }
  });
}

TEST(Kinematics, frames_of_the_base_do_not_move) {
  const Model model = random_model(1);
  Random random(1);
  const Rig<double> rig(model, random);
  const Frame f = body_frame(0);
  for (const Axes axes : all_axes) {
    EXPECT_EQ(rig.jacobian(f, axes), Eigen::MatrixXd::Zero(6, model.nv()));
    expect_close(frame_acceleration(rig.motion(), f, axes), Twist<double>(), 0.0);
  }
}

}  // namespace
}  // namespace ulna::test
