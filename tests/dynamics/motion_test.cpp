#include "ulna/dynamics/motion.hpp"

#include "support/dynamics.hpp"

namespace ulna::test {
namespace {

template <class T>
class MotionOf : public ::testing::Test {};
TYPED_TEST_SUITE(MotionOf, DynamicsScalars, ScalarNames);

/// What algorithms make of a motion, in bits.
template <class T>
std::vector<double> torques(Rig<T>& rig, const Motion<T>& motion) {
  std::vector<double> all;
  VecX<T> tau(rig.nv());
  const auto add = [&] {
    const Values numbers = values(tau);
    all.insert(all.end(), numbers.numbers.begin(), numbers.numbers.end());
  };
  inverse_dynamics<T>(rig.plant, motion, rig.ws, tau);
  add();
  bias_torque<T>(rig.plant, motion, rig.ws, tau);
  add();
  gravity_torque<T>(rig.plant, motion, rig.ws, tau);
  add();
  return all;
}

TYPED_TEST(MotionOf, is_neutral_and_at_rest_when_new) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    Rig<T> rig(model, random);
    const Motion<T> motion(model);
    const VecX<T> zero = VecX<T>::Zero(model.nv());
    expect_close(motion.q(), VecX<T>(neutral(model).template cast<T>()), 0.0);
    expect_close(motion.v(), zero, 0.0);
    expect_close(motion.a(), zero, 0.0);
    EXPECT_FALSE(motion.moves());
    EXPECT_FALSE(motion.accelerates());
    Motion<T> set(model);
    set.set(neutral(model).template cast<T>());
    EXPECT_EQ(torques(rig, motion), torques(rig, set));
  });
}

// What is not given is zero, whatever was given before.
TYPED_TEST(MotionOf, has_nothing_of_what_was_set_before) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    Rig<T> rig(model, random);
    const VecX<T> zero = VecX<T>::Zero(model.nv());
    const Frame f = model.frames().back();
    Motion<T> motion(model), rests(model), drifts(model);
    Kinematics<T> at(model);
    rests.set(rig.q);
    drifts.set(rig.q, rig.v);

    motion.set(rig.q, rig.v, rig.a), at.set(rig.q, rig.v, rig.a);
    EXPECT_TRUE(motion.moves() && motion.accelerates());
    motion.set(rig.q, rig.v), at.set(rig.q, rig.v);
    EXPECT_TRUE(motion.moves() && !motion.accelerates());
    expect_close(motion.v(), rig.v, 0.0);
    expect_close(motion.a(), zero, 0.0);
    EXPECT_EQ(torques(rig, motion), torques(rig, drifts));
    EXPECT_EQ(torques(rig, at.motion()), torques(rig, drifts));
    expect_close(frame_velocity(at, f, Axes::local), frame_velocity(rig.state(), f, Axes::local),
                 0.0);
    expect_close(frame_acceleration(at, f, Axes::local),
                 frame_acceleration(rig.state(), f, Axes::local), 0.0);

    motion.set(rig.q, rig.v, rig.a), at.set(rig.q, rig.v, rig.a);
    motion.set(rig.q), at.set(rig.q);
    EXPECT_TRUE(!motion.moves() && !motion.accelerates());
    expect_close(motion.q(), rig.q, 0.0);
    expect_close(motion.v(), zero, 0.0);
    expect_close(motion.a(), zero, 0.0);
    EXPECT_EQ(torques(rig, motion), torques(rig, rests));
    EXPECT_EQ(torques(rig, at.motion()), torques(rig, rests));
    expect_close(frame_velocity(at, f, Axes::local), Twist<T>(), 0.0);
    expect_close(frame_acceleration(at, f, Axes::local), Twist<T>(), 0.0);
    expect_close(kinetic_energy<T>(rig.plant, at, rig.ws), T(0), 0.0);
  });
}

TYPED_TEST(MotionOf, is_in_a_kinematics_to_the_last_bit) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    Rig<T> rig(model, random);
    const auto wrenches = random_wrenches<T>(model, random);
    Motion<T> motion(model);
    motion.set(rig.q, rig.v, rig.a);
    const Kinematics<T> at = rig.motion();
    EXPECT_EQ(torques<T>(rig, at), torques<T>(rig, motion));
    VecX<T> with_kinematics(model.nv()), with_motion(model.nv());
    inverse_dynamics<T>(rig.plant, at, rig.ws, with_kinematics, wrenches);
    inverse_dynamics<T>(rig.plant, motion, rig.ws, with_motion, wrenches);
    expect_close(with_kinematics, with_motion, 0.0);
  });
}

// Bias is without a, and gravity without v, even where they are given.
TYPED_TEST(MotionOf, is_taken_only_as_far_as_it_matters) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    Rig<T> rig(model, random);
    const auto wrenches = random_wrenches<T>(model, random);
    VecX<T> all(model.nv()), part(model.nv());
    bias_torque<T>(rig.plant, rig.motion(), rig.ws, all);
    bias_torque<T>(rig.plant, rig.state(), rig.ws, part);
    expect_close(all, part, 0.0);
    gravity_torque<T>(rig.plant, rig.motion(), rig.ws, all, wrenches);
    gravity_torque<T>(rig.plant, rig.at(), rig.ws, part, wrenches);
    expect_close(all, part, 0.0);
    // a does not change what torques do, and it need not be given
    ASSERT_TRUE(forward_dynamics<T>(rig.plant, rig.motion(), rig.a, rig.ws, all, wrenches));
    ASSERT_TRUE(forward_dynamics<T>(rig.plant, rig.state(), rig.a, rig.ws, part, wrenches));
    expect_close(all, part, 0.0);
  });
}

// --- the coordinates of the tree ---

TEST(Motion, has_coordinates_of_its_own_for_every_joint_of_the_tree) {
  for_each_robot(
      [](const Model& model, Random&) {
        const Model free = without_mimics(model);
        EXPECT_EQ(model.tree_nq(), free.nq());
        EXPECT_EQ(model.tree_nv(), free.nv());
        int q = 0, v = 0;
        for (int b = 1; b < model.body_count(); ++b) {
          const Joint& j = model.joint(b);
          EXPECT_EQ(j.tree_q, q) << model.joint_name(b);
          EXPECT_EQ(j.tree_v, v) << model.joint_name(b);
          q += configuration_size(j.type), v += velocity_size(j.type);
        }
        EXPECT_EQ(model.tree_nq(), q);
        EXPECT_EQ(model.tree_nv(), v);
      },
      10, {.mimic = 0.6});
}

TYPED_TEST(MotionOf, lets_mimicking_joints_follow_by_multiplier_and_offset) {
  using T = TypeParam;
  int mimicking = 0;
  for_each_robot(
      [&](const Model& model, Random& random) {
        const Rig<T> rig(model, random);
        const auto expect_followed = [&](const Motion<T>& m) {
          for (int b = 1; b < model.body_count(); ++b) {
            const Joint& j = model.joint(b);
            SCOPED_TRACE("joint '" + std::string(model.joint_name(b)) + "'");
            const T slope = T(j.mimics ? j.multiplier : 1.0), offset = T(j.mimics ? j.offset : 0.0);
            for (int k = 0; k < configuration_size(j.type); ++k)
              expect_close(m.tree_q()[j.tree_q + k], T(slope * m.q()(j.q + k) + offset), 1e-15);
            for (int k = 0; k < velocity_size(j.type); ++k) {
              expect_close(m.tree_v()[j.tree_v + k], T(slope * m.v()(j.v + k)), 1e-15);
              expect_close(m.tree_a()[j.tree_v + k], T(slope * m.a()(j.v + k)), 1e-15);
            }
            mimicking += j.mimics > 0;
          }
        };
        Motion<T> motion(model);
        expect_followed(motion);
        motion.set(rig.q, rig.v, rig.a);
        expect_close(motion.q(), rig.q, 0.0);
        expect_followed(motion);
        // what is not given is zero for them too
        motion.set(rig.q, rig.v);
        expect_followed(motion);
        motion.set(rig.q);
        expect_followed(motion);
        expect_followed(rig.motion());
      },
      5, {.mimic = 0.6});
  EXPECT_GT(mimicking, 40) << "too few joints mimic for this to mean anything";
}

TEST(Motion, of_joints_that_mimic_mimicking_ones_follows_the_first) {
  const auto rod = solid_cylinder(0.05, 0.4).with_mass(1.0);
  Builder b("finger");
  b.link("palm").link("one", rod).link("two", rod).link("three", rod);
  const Pose end({0.0, 0.0, 0.4});
  b.joint("first", JointType::continuous, "palm", "one", {}, {0.0, 1.0, 0.0});
  b.joint("second", JointType::continuous, "one", "two", end, {0.0, 1.0, 0.0});
  b.last_joint().mimic = Mimic{"first", 2.0, 0.1};
  b.joint("third", JointType::continuous, "two", "three", end, {0.0, 1.0, 0.0});
  b.last_joint().mimic = Mimic{"second", -0.5, 0.3};
  const Model model = b.build();
  ASSERT_EQ(model.nv(), 1);
  ASSERT_EQ(model.tree_nv(), 3);
  Motion<double> motion(model);
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, 0.7), v = -2.0 * q, a = 3.0 * q;
  motion.set(q, v, a);
  // -0.5 (2 q + 0.1) + 0.3
  const double expected[] = {0.7, 1.5, -0.45};
  const double speed[] = {1.0, 2.0, -1.0};
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(motion.tree_q()[i], expected[i], 1e-15);
    EXPECT_NEAR(motion.tree_v()[i], -1.4 * speed[i], 1e-15);
    EXPECT_NEAR(motion.tree_a()[i], 2.1 * speed[i], 1e-15);
  }
}

}  // namespace
}  // namespace ulna::test
