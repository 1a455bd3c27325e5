#include "ulna/classic/lagrange_euler.hpp"

#include "support/classic.hpp"
#include "ulna/classic/body_jacobians.hpp"

namespace ulna::test {
namespace {

using classic::Arm;
using classic::Chain;
using classic::DhRow;
using classic::LagrangeEuler;
using D1 = Dual<double, 1>;

LagrangeEuler<D1> dual_of(const Model& model) {
  return LagrangeEuler<D1>(Chain<D1>(Arm<D1>(Plant<D1>(model))));
}

TEST(LagrangeEuler, matrices_U_are_derivatives_of_A_and_of_each_other) {
  for_each_chain(
      [](const Model& model, const Arm<double>& arm, Random& random) {
        const LagrangeEuler<double> here{Chain<double>(arm)};
        const LagrangeEuler<D1> dual = dual_of(model);
        const Eigen::VectorXd q = random_q(model, random);
        const auto at = here.at(q);
        const int n = model.nv();
        for (int k = 1; k <= n; ++k) {
          const auto moved = dual.at(moving(q, Eigen::VectorXd::Unit(n, k - 1)));
          for (int i = k; i <= n; ++i) {
            expect_close(at.U(i, k), rates(moved.A(0, i)), 1e-12);
            for (int j = 1; j <= i; ++j) expect_close(at.U(i, j, k), rates(moved.U(i, j)), 1e-12);
          }
        }
      },
      10);
}

TEST(LagrangeEuler, no_joint_feels_its_own_centrifugal_force) {
  for_each_chain([](const Model& model, const Arm<double>& arm, Random& random) {
    const LagrangeEuler<double> here{Chain<double>(arm)};
    const auto at = here.at(random_q(model, random));
    const auto H = at.H();
    const double size = largest(at.D());
    for (int i = 0; i < model.nv(); ++i) {
      const Eigen::MatrixXd& H_i = H[static_cast<std::size_t>(i)];
      EXPECT_NEAR(H_i(i, i), 0.0, 1e-12 * size) << "h_iii, i = " << i + 1;
    }
  });
}

// H() writes h_ikm for k <= m and copies the rest. That the copies are right is told by the traces
// with k and m exchanged.
TEST(LagrangeEuler, velocity_coefficients_are_symmetric_in_the_two_velocities) {
  for_each_chain(
      [](const Model& model, const Arm<double>& arm, Random& random) {
        const LagrangeEuler<double> here{Chain<double>(arm)};
        const auto at = here.at(random_q(model, random));
        const auto H = at.H();
        const int n = model.nv();
        const double size = largest(at.D());
        for (int i = 1; i <= n; ++i)
          for (int k = 1; k <= n; ++k)
            for (int m = 1; m <= n; ++m) {
              double h_ikm = 0.0;
              for (int j = std::max({i, k, m}); j <= n; ++j)
                h_ikm += (at.U(j, k, m) * here.J(j) * at.U(j, i).transpose()).trace();
              EXPECT_NEAR(H[static_cast<std::size_t>(i - 1)](k - 1, m - 1), h_ikm, 1e-12 * size);
            }
      },
      8);
}

TEST(LagrangeEuler, velocity_coefficients_are_christoffel_symbols) {
  for_each_chain([](const Model& model, const Arm<double>& arm, Random& random) {
    const Eigen::VectorXd q = random_q(model, random);
    const LagrangeEuler<double> here{Chain<double>(arm)};
    const auto H = here.at(q).H();
    const auto gamma = classic::Lagrangian<double>(arm).christoffel(q);
    const double size = largest(here.mass_matrix(q));
    for (std::size_t i = 0; i < H.size(); ++i)
      expect_close(Eigen::MatrixXd(H[i] / size), Eigen::MatrixXd(gamma[i] / size), 1e-12);
  });
}

TEST(LagrangeEuler, rate_of_D_less_twice_the_matrix_of_h_is_skew) {
  for_each_chain([](const Model& model, const Arm<double>& arm, Random& random) {
    const LagrangeEuler<double> here{Chain<double>(arm)};
    const Eigen::VectorXd q = random_q(model, random), v = random_v(model, random);
    const auto H = here.at(q).H();
    Eigen::MatrixXd C(model.nv(), model.nv());
    for (int i = 0; i < model.nv(); ++i) C.row(i) = H[static_cast<std::size_t>(i)] * v;
    const Eigen::MatrixXd rate = rates(dual_of(model).mass_matrix(moving(q, v)));
    expect_skew(rate - 2.0 * C, largest(here.mass_matrix(q)));
  });
}

TEST(LagrangeEuler, bias_is_centrifugal_and_coriolis_forces_and_weight) {
  for_each_chain([](const Model& model, const Arm<double>& arm, Random& random) {
    const LagrangeEuler<double> here{Chain<double>(arm)};
    const Eigen::VectorXd q = random_q(model, random), v = random_v(model, random, 3.0);
    expect_same(Eigen::VectorXd(here.centrifugal(q, v) + here.coriolis(q, v) + here.gravity(q)),
                here.bias(q, v), 1e-12);
    // one joint alone: nothing but its centrifugal forces
    const Eigen::VectorXd alone = v(0) * Eigen::VectorXd::Unit(model.nv(), 0);
    EXPECT_EQ(largest(here.coriolis(q, alone)), 0.0);
  });
}

/// A row whose link has the inertia about its centre of mass.
DhRow<double> row(double theta, double d, double a, double alpha, bool slides, double mass,
                  const Vec3<double>& com, const Vec3<double>& moments) {
  DhRow<double> r;
  r.theta = theta, r.d = d, r.a = a, r.alpha = alpha, r.slides = slides;
  r.inertia = Inertia<double>::about_com(mass, com, moments.asDiagonal());
  return r;
}

// The Stanford arm, RRPRRR [Paul 1981, tables 6.5 and 6.6], as robots/stanford.yaml has it.
TEST(LagrangeEuler, is_made_from_a_denavit_hartenberg_table_directly) {
  const double right = 1.5707963267948966;
  const std::vector<DhRow<double>> table{
      row(0, 0.412, 0, -right, false, 9.29, {0, 0.0175, -0.1105}, {0.276, 0.255, 0.071}),
      row(0, 0.154, 0, right, false, 5.01, {0, -1.054, 0}, {0.108, 0.018, 0.1}),
      row(-right, 0, 0.0203, 0, true, 4.25, {0, 0, -6.447}, {2.51, 2.51, 0.006}),
      row(0, 0, 0, -right, false, 1.08, {0, 0.092, -0.054}, {0.002, 0.001, 0.001}),
      row(0, 0, 0, right, false, 0.63, {0, 0.566, 0.003}, {0.003, 0.0004, 0}),
      row(0, 0, 0, 0, false, 0.51, {0, 0, 1.554}, {0.013, 0.013, 0.0003})};
  const LagrangeEuler<double> arm{Chain<double>(table, Vec3<double>(0, 0, -9.81))};
  const Model model = load_robot("stanford").model;
  for_each_seed([&](Random& random) {
    Rig<double> rig(model, random);
    rig.without_resistance();
    expect_same(arm.mass_matrix(rig.q), rig.mass(), 1e-12);
    expect_same(arm.gravity(rig.q), rig.gravity(), 1e-12);
    expect_same(arm.inverse_dynamics(rig.q, rig.v, rig.a), rig.torque(), 1e-12);
    // eq. 3.2-5 of the last joint
    const double t = rig.q(5);
    Mat4<double> A;
    A << std::cos(t), -std::sin(t), 0, 0, std::sin(t), std::cos(t), 0, 0, 0, 0, 1, 0, 0, 0, 0, 1;
    expect_close(arm.at(rig.q).A(5, 6), A, 1e-15);
  });
}

}  // namespace
}  // namespace ulna::test
