#include "support/allocations.hpp"

#include "support/drives.hpp"
#include "ulna/dynamics/batch.hpp"
#include "ulna/dynamics/operational_space.hpp"
#include "ulna/io/import.hpp"

// What a control loop calls allocates nothing, on robots of all kinds of joints.
namespace ulna::test {
namespace {

TEST(Allocations, are_counted) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  Eigen::VectorXd v;
  EXPECT_EQ(allocations_of([&] { v.resize(100); }), 1);
  const Model model = random_model(1);
  EXPECT_GT(allocations_of([&] { const Workspace<double> ws(model); }), 0);
}

template <class T>
class AllocationsOf : public ::testing::Test {};
TYPED_TEST_SUITE(AllocationsOf, DynamicsScalars, ScalarNames);

TYPED_TEST(AllocationsOf, every_algorithm_are_none) {
  using T = TypeParam;
  for_each_robot(
      [](const Model& model, Random& random) {
        const int n = model.nv();
        Rig<T> rig(model, random);
        const Plant<T>& plant = rig.plant;
        Workspace<T>& ws = rig.ws;
        const std::vector<ExternalWrench<T>> list = random_wrenches<T>(model, random);
        const ExternalWrenches<T> wrenches(list);
        Motion<T> motion(model);
        Kinematics<T> at(model);
        VecX<T> tau(n), a(n);
        MatX<T> M(n, n), J(6, n), J_com(3, n);
        std::vector<Wrench<T>> transmitted(static_cast<std::size_t>(model.body_count()));
        MassFactor<T> factor(model);
        const Frame frame = model.frames().back();
        bool possible = true;

        const auto expect_none = [](const char* what, auto algorithm) {
          EXPECT_EQ(allocations_of(algorithm), 0) << what;
        };
        expect_none("Motion::set of q", [&] { motion.set(rig.q); });
        expect_none("Motion::set of q, v", [&] { motion.set(rig.q, rig.v); });
        expect_none("Motion::set of q, v, a", [&] { motion.set(rig.q, rig.v, rig.a); });
        expect_none("Kinematics::set of q", [&] { at.set(rig.q); });
        expect_none("Kinematics::set of q, v", [&] { at.set(rig.q, rig.v); });
        expect_none("Kinematics::set of q, v, a", [&] { at.set(rig.q, rig.v, rig.a); });
        expect_none("pose", [&] { at.pose(frame); });
        expect_none("inverse_dynamics",
                    [&] { inverse_dynamics<T>(plant, motion, ws, tau, wrenches); });
        expect_none("inverse_dynamics with joint wrenches", [&] {
          inverse_dynamics<T>(plant, motion, ws, tau, std::span(transmitted), wrenches);
        });
        expect_none("bias_torque", [&] { bias_torque<T>(plant, motion, ws, tau); });
        expect_none("gravity_torque", [&] { gravity_torque<T>(plant, motion, ws, tau, wrenches); });
        expect_none("add_friction", [&] { add_friction<T>(plant, rig.v, tau); });
        expect_none("mass_matrix", [&] { mass_matrix<T>(plant, at, ws, M); });
        expect_none("MassFactor::factor", [&] { possible &= factor.factor(plant, at, ws); });
        expect_none("MassFactor::factor of a matrix", [&] { possible &= factor.factor(M); });
        expect_none("MassFactor::solve", [&] { factor.solve(tau); });
        expect_none("MassFactor::inverse", [&] { factor.inverse(M); });
        expect_none("inverse_mass_matrix",
                    [&] { possible &= inverse_mass_matrix<T>(plant, at, ws, M); });
        expect_none("MassFactor::log_determinant", [&] { factor.log_determinant(); });
        expect_none("mass_matrix_dynamics", [&] {
          possible &= mass_matrix_dynamics<T>(plant, at, tau, factor, ws, a, wrenches);
        });
        expect_none("forward_dynamics",
                    [&] { possible &= forward_dynamics<T>(plant, at, tau, ws, a, wrenches); });
        if (without_mimics(model).nv() == n)
          expect_none("articulated_body_dynamics", [&] {
            possible &= articulated_body_dynamics<T>(plant, at, tau, ws, a, wrenches);
          });
        expect_none("impulse_response", [&] { impulse_response<T>(factor, at, list[0], a); });
        expect_none("coriolis_matrix", [&] { coriolis_matrix<T>(plant, at, ws, M); });
        expect_none("mass_matrix_rate", [&] { mass_matrix_rate<T>(plant, at, ws, M); });
        expect_none("kinetic_energy", [&] { kinetic_energy<T>(plant, at, ws); });
        expect_none("potential_energy", [&] { potential_energy<T>(plant, at, ws); });
        expect_none("center_of_mass", [&] { center_of_mass<T>(plant, at, ws); });
        expect_none("center_of_mass_jacobian",
                    [&] { center_of_mass_jacobian<T>(plant, at, ws, J_com); });
        expect_none("center_of_mass_velocity", [&] { center_of_mass_velocity<T>(plant, at, ws); });
        expect_none("center_of_mass_acceleration",
                    [&] { center_of_mass_acceleration<T>(plant, at, ws); });
        expect_none("momentum", [&] { momentum<T>(plant, at, ws); });
        expect_none("centroidal_momentum", [&] { centroidal_momentum<T>(plant, at, ws); });
        expect_none("centroidal_momentum_matrix",
                    [&] { centroidal_momentum_matrix<T>(plant, at, ws, J); });
        for (const Axes axes : all_axes) {
          expect_none("frame_jacobian", [&] { frame_jacobian<T>(at, frame, axes, J); });
          expect_none("frame_velocity", [&] { frame_velocity<T>(at, frame, axes); });
          expect_none("frame_acceleration", [&] { frame_acceleration<T>(at, frame, axes); });
          expect_none("frame_drift", [&] { frame_drift<T>(at, frame, axes); });
        }
        for (const ExternalWrench<T>& w : list)
          expect_none("add_wrench_torque", [&] { add_wrench_torque<T>(at, w, tau); });
        EXPECT_TRUE(possible);
      },
      2);
}

TEST(Allocations, of_operational_space_are_none) {
  const Model model = load_robot("panda").model;
  Random random(1);
  Rig<double> rig(model, random);
  MassFactor<double> factor(model);
  ASSERT_TRUE(factor.factor(rig.plant, rig.at(), rig.ws));
  const Eigen::MatrixXd J = rig.jacobian(model.frame("flange"), Axes::aligned);
  OperationalSpace space(model, 6);
  bool regular = false;
  EXPECT_EQ(allocations_of([&] { regular = space.set(factor, J); }), 0);
  EXPECT_TRUE(regular);
}

TEST(Allocations, of_a_batch_are_none) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  const Model model = with_floating_base(random_model(4));
  Random random(4);
  const int n = model.nv(), count = 300;
  const Plant<double> plant(model);
  Batch batch(model, 2);
  Eigen::MatrixXd Q(model.nq(), count), V(n, count), A(n, count), out(n, count), M(n * n, count),
      J(6 * n, count), X(7, count);
  for (int i = 0; i < count; ++i) Q.col(i) = random_q(model, random);
  V.setRandom(), A.setRandom();
  const Frame& frame = model.frames().back();
  bool possible = false;
  EXPECT_EQ(allocations_of([&] {
              batch.inverse_dynamics(plant, Q, V, A, out);
              possible = batch.forward_dynamics(plant, Q, V, A, out);
              batch.mass_matrix(plant, Q, M);
              batch.pose(Q, frame, X);
              batch.jacobian(Q, frame, J);
            }),
            0);
  EXPECT_TRUE(possible);
}

TEST(Allocations, of_drives_are_none) {
  Random random(3);
  const Model model = with_random_drives(random_model(3), random, {.damped = 0.5});
  ASSERT_FALSE(model.drives().plain());
  DrivenRig<double> rig(model, random);
  DriveMotion<double> motion(model);
  const Kinematics<double> at = rig.state();
  rig.inverse();
  const DriveState<double> drives = rig.drive_state();
  Eigen::VectorXd a(model.nv()), alpha(model.nv());
  EXPECT_EQ(allocations_of([&] {
              motion.set(rig.q, rig.v, rig.a, rig.jerk, rig.snap);
              drive_inverse_dynamics<double>(rig.plant, motion, rig.drive_ws, rig.out);
              ASSERT_TRUE(drive_forward_dynamics<double>(rig.plant, at, drives, rig.out.motor,
                                                         rig.drive_ws, a, alpha));
            }),
            0);
}

}  // namespace
}  // namespace ulna::test
