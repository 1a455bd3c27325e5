#include "ulna/classic/body_jacobians.hpp"

#include "support/classic.hpp"

namespace ulna::test {
namespace {

using classic::Arm;
using classic::Lagrangian;
using classic::SumForm;

template <class Formulation>
class ByJacobians : public ::testing::Test {};
using BothForms = ::testing::Types<Lagrangian<double>, SumForm<double>>;
TYPED_TEST_SUITE(ByJacobians, BothForms);

TYPED_TEST(ByJacobians, agrees_with_dynamics) {
  for_each_arm([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    rig.without_resistance();
    const TypeParam arm{Arm<double>(rig.plant)};
    expect_same(arm.mass_matrix(rig.q), rig.mass());
    expect_same(arm.gravity(rig.q), rig.gravity());
    expect_same(arm.bias(rig.q, rig.v), rig.bias());
    expect_same(arm.inverse_dynamics(rig.q, rig.v, rig.a), rig.torque());
  });
}

TYPED_TEST(ByJacobians, rate_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew) {
  for_each_arm([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    const TypeParam arm{Arm<double>(rig.plant)};
    const Lagrangian<Dual<double, 1>> dual{Arm<Dual<double, 1>>(Plant<Dual<double, 1>>(model))};
    const Eigen::MatrixXd M_rate = rates(dual.mass_matrix(moving(rig.q, rig.v)));
    const Eigen::MatrixXd C = arm.coriolis(rig.q, rig.v);
    expect_skew(M_rate - 2.0 * C, largest(arm.mass_matrix(rig.q)));
  });
}

TEST(Lagrangian, derivatives_of_the_mass_matrix_are_exact) {
  for_each_arm([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    const Lagrangian<double> arm{Arm<double>(rig.plant)};
    const Lagrangian<Dual<double, 1>> dual{Arm<Dual<double, 1>>(Plant<Dual<double, 1>>(model))};
    const std::vector<Eigen::MatrixXd> dM = arm.mass_matrix_derivatives(rig.q);
    const double size = largest(arm.mass_matrix(rig.q));
    for (int k = 0; k < model.nv(); ++k) {
      const Eigen::VectorXd along = Eigen::VectorXd::Unit(model.nv(), k);
      expect_close(Eigen::MatrixXd(dM[static_cast<std::size_t>(k)] / size),
                   Eigen::MatrixXd(rates(dual.mass_matrix(moving(rig.q, along))) / size), 1e-12);
    }
  });
}

TEST(Lagrangian, gravity_is_the_gradient_of_potential_energy) {
  for_each_arm([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    const Lagrangian<double> arm{Arm<double>(rig.plant)};
    const Lagrangian<Dual<double, 1>> dual{Arm<Dual<double, 1>>(Plant<Dual<double, 1>>(model))};
    Eigen::VectorXd gradient(model.nv());
    for (int k = 0; k < model.nv(); ++k)
      gradient(k) =
          dual.potential_energy(moving(rig.q, Eigen::VectorXd::Unit(model.nv(), k))).gradient[0];
    expect_same(arm.gravity(rig.q), gradient, 1e-12);
  });
}

TEST(Lagrangian, christoffel_symbols_are_symmetric_and_no_joint_feels_its_own_centrifugal_force) {
  for_each_arm([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    const Lagrangian<double> arm{Arm<double>(rig.plant)};
    const std::vector<Eigen::MatrixXd> gamma = arm.christoffel(rig.q);
    const double size = largest(arm.mass_matrix(rig.q));
    for (int i = 0; i < model.nv(); ++i) {
      const Eigen::MatrixXd& G = gamma[static_cast<std::size_t>(i)];
      EXPECT_EQ(Eigen::MatrixXd(G.transpose()), G);
      EXPECT_NEAR(G(i, i), 0.0, 1e-13 * size);
    }
  });
}

}  // namespace
}  // namespace ulna::test
