#include "ulna/classic/newton_euler.hpp"

#include "support/classic.hpp"

namespace ulna::test {
namespace {

using classic::Arm;
using classic::Chain;
using classic::Load;

template <class Recursion>
class NewtonEuler : public ::testing::Test {};
using BothFrames =
    ::testing::Types<classic::NewtonEulerBase<double>, classic::NewtonEulerLink<double>>;
TYPED_TEST_SUITE(NewtonEuler, BothFrames);

// f_{n+1} and n_{n+1} are exerted by the hand, so that what acts on the arm is their opposite.
TYPED_TEST(NewtonEuler, carries_a_load_at_the_hand) {
  for_each_chain([](const Model& model, const Arm<double>& arm, Random& random) {
    Rig<double> rig(model, random);
    rig.without_resistance();
    const int last = model.joint_count();
    const Transform<double> X_tip = random_transform<double>(random);  // in canonical axes
    const TypeParam recursion{Chain<double>(arm, X_tip)};
    const Load<double> load{random_wrench<double>(random)};
    const Frame hand{"hand", last,
                     Transform<double>::from_rotation(model.joint(last).R_BC) * X_tip};
    const std::vector<ExternalWrench<double>> on_arm{{&hand, -load.hand, Axes::local}};
    expect_same(recursion.inverse_dynamics(rig.q, rig.v, rig.a, load), rig.torque(on_arm));
  });
}

TYPED_TEST(NewtonEuler, adds_viscous_damping_if_it_is_wanted) {
  for_each_chain([](const Model& model, const Arm<double>& arm, Random& random) {
    Rig<double> rig(model, random);
    rig.plant.armature.setZero(), rig.plant.friction.setZero();
    rig.plant.friction_negative.setZero();
    const TypeParam recursion{Chain<double>(arm)};
    Load<double> damped;
    damped.damping = true;
    expect_same(recursion.inverse_dynamics(rig.q, rig.v, rig.a, damped), rig.torque());
  });
}

TYPED_TEST(NewtonEuler, does_not_depend_on_where_the_hand_frame_is) {
  for_each_chain([](const Model& model, const Arm<double>& arm, Random& random) {
    Rig<double> rig(model, random);
    const TypeParam here{Chain<double>(arm)},
        there{Chain<double>(arm, random_transform<double>(random))};
    expect_same(here.inverse_dynamics(rig.q, rig.v, rig.a),
                there.inverse_dynamics(rig.q, rig.v, rig.a));
  });
}

}  // namespace
}  // namespace ulna::test
