#include "ulna/dynamics/forward_dynamics.hpp"

#include "support/dynamics.hpp"

namespace ulna::test {
namespace {

template <class T>
class ForwardDynamicsOf : public ::testing::Test {};
TYPED_TEST_SUITE(ForwardDynamicsOf, DynamicsScalars, ScalarNames);

/// Accelerations compared by the torques they take.
template <class T>
void expect_same_acceleration(Rig<T>& rig, const VecX<T>& a, const VecX<T>& b, double tolerance,
                              int line = __builtin_LINE()) {
  expect_solved<T>(rig.mass(), a, times<T>(rig.mass(), b), tolerance, __FILE__, line);
}

TYPED_TEST(ForwardDynamicsOf, undoes_inverse_dynamics) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    Rig<T> rig(model, random);
    const auto wrenches = random_wrenches<T>(model, random);
    const VecX<T> tau = rig.torque(wrenches);

    VecX<T> a(model.nv());
    ASSERT_TRUE(rig.accelerate(tau, a, wrenches));
    expect_same_acceleration(rig, a, rig.a, 1e-13);

    MassFactor<T> factor(model);
    ASSERT_TRUE(mass_matrix_dynamics<T>(rig.plant, rig.state(), tau, factor, rig.ws, a, wrenches));
    expect_same_acceleration(rig, a, rig.a, 1e-13);
  });
}

TYPED_TEST(ForwardDynamicsOf, by_articulated_bodies_is_that_by_the_mass_matrix) {
  using T = TypeParam;
  for_each_robot(
      [](const Model& model, Random& random) {
        Rig<T> rig(model, random);
        const auto wrenches = random_wrenches<T>(model, random);
        const VecX<T> tau = random_tangent<T>(model, random, 10.0);
        VecX<T> a(model.nv()), b(model.nv());
        MassFactor<T> factor(model);
        ASSERT_TRUE(articulated_body_dynamics<T>(rig.plant, rig.state(), tau, rig.ws, a, wrenches));
        ASSERT_TRUE(
            mass_matrix_dynamics<T>(rig.plant, rig.state(), tau, factor, rig.ws, b, wrenches));
        expect_same_acceleration(rig, a, b, 1e-13);
        // and inverse dynamics undoes them
        const T size = size_of_sum<T>(rig.mass(), a);
        expect_close(VecX<T>(rig.torque(a, wrenches) / size), VecX<T>(tau / size), 1e-13);
      },
      10, {.mimic = 0.0});
}

/// A free body is solved for at once where nothing but its inertia resists, else joint by joint.
TYPED_TEST(ForwardDynamicsOf, free_bodies_move_by_the_same_law_with_rotors_and_without) {
  using T = TypeParam;
  int free_bodies = 0;
  for_each_robot(
      [&](const Model& model, Random& random) {
        Rig<T> rig(model, random);
        const VecX<T> tau = random_tangent<T>(model, random, 10.0);
        for (const double armature : {0.0, 0.3}) {
          for (const Joint& joint : model.joints()) {
            if (joint.type != JointType::floating) continue;
            ++free_bodies;
            rig.plant.armature.segment(joint.v, 6).setConstant(T(armature));
          }
          VecX<T> a(model.nv()), b(model.nv());
          MassFactor<T> factor(model);
          ASSERT_TRUE(articulated_body_dynamics<T>(rig.plant, rig.state(), tau, rig.ws, a));
          ASSERT_TRUE(mass_matrix_dynamics<T>(rig.plant, rig.state(), tau, factor, rig.ws, b));
          expect_same_acceleration(rig, a, b, 1e-13);
        }
      },
      10, {.mimic = 0.0});
  EXPECT_GT(free_bodies, 0);
}

TEST(ForwardDynamics, accelerates_as_it_should_to_ten_figures) {
  for_each_robot([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    Eigen::VectorXd a(model.nv());
    ASSERT_TRUE(rig.accelerate(rig.torque(), a));
    expect_close(a, rig.a, 1e-10);
  });
}

TEST(ForwardDynamics, by_articulated_bodies_refuses_mimicking_joints_and_knows_a_remedy) {
  const Model model = random_model(1, {.mimic = 1.0});
  Random random(1);
  Rig<double> rig(model, random);
  Eigen::VectorXd a(model.nv());
  EXPECT_EQ(told([&] {
              (void)articulated_body_dynamics<double>(rig.plant, rig.state(), rig.a, rig.ws, a);
            }),
            "articulated bodies cannot have mimicking joints; use forward_dynamics");
}

/// Two links, the outer one without inertia of any kind.
Model weightless() {
  return Builder("weightless")
      .link("base")
      .link("arm", solid_cylinder(0.05, 0.4).with_mass(1.0))
      .link("nothing")
      .joint("shoulder", JointType::continuous, "base", "arm", Pose({0.0, 0.0, 0.3}),
             {0.0, 1.0, 0.0})
      .joint("elbow", JointType::continuous, "arm", "nothing", Pose({0.0, 0.0, 0.4}),
             {0.0, 1.0, 0.0})
      .build();
}

TEST(ForwardDynamics, says_no_and_touches_nothing_where_a_joint_moves_nothing) {
  const Model model = weightless();
  const Plant<double> plant(model);
  Workspace<double> ws(model);
  const Kinematics<double> at(model);
  MassFactor<double> factor(model);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(2), before = Eigen::VectorXd::Constant(2, 7.0);
  Eigen::VectorXd a = before;
  EXPECT_FALSE(forward_dynamics<double>(plant, at, zero, ws, a));
  EXPECT_FALSE(articulated_body_dynamics<double>(plant, at, zero, ws, a));
  EXPECT_FALSE(mass_matrix_dynamics<double>(plant, at, zero, factor, ws, a));
  EXPECT_EQ(a, before);
  // a rotor is inertia enough
  Plant<double> geared = plant;
  geared.armature(1) = 0.01;
  EXPECT_TRUE(forward_dynamics<double>(geared, at, zero, ws, a));
}

TEST(ForwardDynamics, of_a_robot_that_does_not_move_is_possible) {
  const Model stone = Builder().link("base").build();
  const Plant<double> plant(stone);
  Kinematics<double> at(stone);
  Workspace<double> ws(stone);
  Eigen::VectorXd none(0);
  at.set(none, none);
  EXPECT_TRUE(forward_dynamics<double>(plant, at, none, ws, none));
}

// --- impulses ---

template <class T>
class ImpulseResponseOf : public ::testing::Test {};
TYPED_TEST_SUITE(ImpulseResponseOf, DynamicsScalars, ScalarNames);

// What a wrench does to accelerations, an impulse does to velocities.
TYPED_TEST(ImpulseResponseOf, is_how_a_wrench_changes_accelerations) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    Rig<T> rig(model, random);
    MassFactor<T> factor(model);
    VecX<T> with(model.nv()), without(model.nv()), change(model.nv());
    for (const ExternalWrench<T>& impulse : random_wrenches<T>(model, random)) {
      ASSERT_TRUE(rig.accelerate(rig.a, without));
      ASSERT_TRUE(rig.accelerate(rig.a, with, {&impulse, 1}));
      ASSERT_TRUE(factor.factor(rig.plant, rig.at(), rig.ws));
      impulse_response<T>(factor, rig.at(), impulse, change);
      expect_same_acceleration<T>(rig, with, VecX<T>(without + change), 1e-13);
    }
  });
}

TEST(ImpulseResponse, changes_the_momentum_of_a_free_robot_by_the_impulse) {
  for_each_model([](const Model& fixed, Random& random) {
    const Model model = with_floating_base(fixed);
    Rig<double> rig(model, random);
    rig.plant.armature.setZero();
    MassFactor<double> factor(model);
    ASSERT_TRUE(factor.factor(rig.plant, rig.at(), rig.ws));
    const Frame tip = body_frame(model.body_count() - 1);
    const ExternalWrench<double> impulse{&tip, random_wrench<double>(random), Axes::world};
    Eigen::VectorXd change(model.nv());
    impulse_response<double>(factor, rig.at(), impulse, change);
    Rig<double> hit = rig;
    hit.v += change;
    const Wrench<double> gained = momentum<double>(hit.plant, hit.state(), hit.ws) -
                                  momentum<double>(rig.plant, rig.state(), rig.ws);
    const double size = size_of_sum<double>(rig.mass(), change);
    expect_close(gained * (1.0 / size), impulse.wrench * (1.0 / size), 1e-13);
  });
}

}  // namespace
}  // namespace ulna::test
