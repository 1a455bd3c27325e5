#include "support/allocations.hpp"

#include "support/drives.hpp"
#include "ulna/derivatives/derivative_batch.hpp"
#include "ulna/derivatives/drive_derivatives.hpp"
#include "ulna/derivatives/frame_derivatives.hpp"
#include "ulna/derivatives/regressor.hpp"
#include "ulna/derivatives/second_derivatives.hpp"

// Derivatives in a control loop allocate nothing, on robots of all kinds of joints.
namespace ulna::test {
namespace {

TEST(AllocationsOfDerivatives, are_none) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  for_each_robot([](const Model& model, Random& random) {
    const int n = model.nv();
    Rig<double> rig(model, random);
    const auto list = random_wrenches<double>(model, random);
    const ExternalWrenches<double> wrenches(list);
    InverseDynamicsDerivatives<double> inverse(model);
    ForwardDynamicsDerivatives<double> forward(model);
    InverseDynamicsSecondDerivatives<double> inverse_twice(model);
    ForwardDynamicsSecondDerivatives<double> forward_twice(model);
    DerivativeWorkspace<double> ws(model);
    SecondDerivativeWorkspace<double> ws_twice(model);
    RegressorWorkspace<double> ws_regressor(model);
    RowMatX<double> Y(n, rig.plant.inertial_size()), Y_rate = Y, W(6, Y.cols());
    Eigen::VectorXd energy(Y.cols());
    Eigen::MatrixXd J(6, n), J2 = J, J3 = J, H(6, n * n), sum(n, n);
    const Kinematics<double> motion = rig.motion();
    const Frame frame = model.frames().back();
    bool possible = true;

    const auto expect_none = [](const char* what, auto algorithm) {
      EXPECT_EQ(allocations_of(algorithm), 0) << what;
    };
    expect_none("inverse", [&] {
      inverse_dynamics_derivatives<double>(rig.plant, motion, ws, inverse, wrenches);
    });
    expect_none("forward", [&] {
      possible &=
          forward_dynamics_derivatives<double>(rig.plant, motion, rig.a, ws, forward, wrenches);
    });
    expect_none("inverse, second", [&] {
      inverse_dynamics_second_derivatives<double>(rig.plant, motion, ws_twice, inverse_twice);
    });
    expect_none("contracted", [&] { inverse_twice.dqq.contract(rig.v, sum); });
    expect_none("forward, second", [&] {
      possible &= forward_dynamics_second_derivatives<double>(rig.plant, motion, rig.a, ws_twice,
                                                              forward_twice);
    });
    expect_none("torque regressor", [&] { torque_regressor<double>(motion, ws_regressor, Y); });
    expect_none("wrench regressor", [&] { wrench_regressor<double>(motion, 1, ws_regressor, W); });
    expect_none("energy regressor",
                [&] { energy_regressor<double>(motion, ws_regressor, energy); });
    expect_none("momentum regressor",
                [&] { momentum_regressor<double>(motion, ws_regressor, Y, Y_rate); });
    for (const Axes axes : all_axes) {
      expect_none("rate", [&] { frame_jacobian_rate<double>(motion, frame, axes, J); });
      expect_none("hessian", [&] { frame_hessian<double>(motion, frame, axes, H); });
      expect_none("frame",
                  [&] { frame_motion_derivatives<double>(motion, frame, axes, J, J2, J3); });
    }
    EXPECT_TRUE(possible);
  });
}

TEST(AllocationsOfDerivatives, in_batches_are_none) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  const Model model = with_floating_base(random_model(4));
  Random random(4);
  const int n = model.nv(), count = 150;
  const Plant<double> plant(model);
  DerivativeBatch batch(model, 2);
  Eigen::MatrixXd Q(model.nq(), count), V(n, count), A(n, count), x(n * n, count),
      y = x, z = x, Y(n * plant.inertial_size(), count);
  for (int i = 0; i < count; ++i) Q.col(i) = random_q(model, random);
  V.setRandom(), A.setRandom();
  bool possible = false;
  EXPECT_EQ(allocations_of([&] {
              batch.inverse_dynamics(plant, Q, V, A, x, y, z);
              possible = batch.forward_dynamics(plant, Q, V, A, x, y, z);
              batch.torque_regressor(Q, V, A, Y);
            }),
            0);
  EXPECT_TRUE(possible);
}

TEST(AllocationsOfDerivatives, of_drives_are_none) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  for_each_model([](const Model& plain, Random& random) {
    const Model model = with_random_drives(plain, random, {.damped = 0.5});
    DrivenRig<double> rig(model, random);
    rig.inverse(true);
    const Kinematics<double> state = rig.state();
    const DriveState<double> drives = rig.drive_state();
    DriveDerivativeWorkspace<double> ws(model);
    DriveForwardDerivatives<double> forward(model);
    bool possible = true;
    EXPECT_EQ(allocations_of([&] {
                possible &= drive_forward_dynamics_derivatives<double>(rig.plant, state, drives,
                                                                       rig.out.motor, ws, forward);
              }),
              0);
    EXPECT_TRUE(possible);
    DriveMotion<double> motion(model);
    motion.set(rig.q, rig.v, rig.a, rig.jerk, rig.snap);
    DriveInverseDerivativeWorkspace inverse_ws(model);
    DriveInverseDerivatives inverse(model);
    EXPECT_EQ(allocations_of([&] {
                drive_inverse_dynamics_derivatives(rig.plant, motion, inverse_ws, inverse);
              }),
              0);
  });
}

}  // namespace
}  // namespace ulna::test
