#include <Eigen/LU>
#include <functional>

#include "support/dynamics.hpp"
#include "ulna/io/import.hpp"

// Arms whose equations of motion stand in textbooks and lecture notes, corrected where they were
// misprinted: M, the C of the Christoffel symbols, and g as functions of the state. At q = 0 the
// arms lie along +x, the joints turn about +z, and gravity points along -y.
namespace ulna::test {
namespace {

using Matrix2 = Eigen::Matrix2d;
using Vector2 = Eigen::Vector2d;

struct Equations {
  std::function<Matrix2(double th2)> M;
  /// C = h [[-v2, -(v1 + v2)], [v1, 0]]
  std::function<double(double th2)> h;
  std::function<Vector2(double th1, double th12)> g;
};

void expect_equations(std::string_view robot, const Equations& equations) {
  const Model model = load_robot(robot).model;
  ASSERT_EQ(model.nv(), 2);
  for_each_seed(
      [&](Random& random) {
        Rig<double> rig(model, random);
        rig.v = random_v(model, random, 3.0), rig.a = random_v(model, random, 3.0);
        const double th1 = rig.q(0), th2 = rig.q(1);
        const Matrix2 M = equations.M(th2);
        const double h = equations.h(th2);
        Matrix2 C;
        C << -h * rig.v(1), -h * (rig.v(0) + rig.v(1)), h * rig.v(0), 0.0;
        const Vector2 g = equations.g(th1, th1 + th2);
        expect_close(rig.mass(), Eigen::MatrixXd(M), 1e-14);
        expect_close(rig.coriolis(), Eigen::MatrixXd(C), 1e-14);
        expect_close(rig.gravity(), Eigen::VectorXd(g), 1e-14);
        expect_close(rig.torque(), Eigen::VectorXd(M * rig.a + C * rig.v + g), 1e-14);
        Eigen::VectorXd a(2);
        ASSERT_TRUE(rig.accelerate(rig.a, a));
        expect_close(a, Eigen::VectorXd(M.inverse() * (rig.a - C * rig.v - g)), 1e-11);
      },
      20);
}

// A. Fakhari, Robot Dynamics, lecture slides, 2024, Example 2: point masses at the ends of the
// links.
TEST(TwoLink, of_point_masses_moves_as_in_fakharis_slides) {
  const double L1 = 0.7, L2 = 0.5, m1 = 1.3, m2 = 0.8, g = 9.81;
  expect_equations("twolink_fakhari",
                   {[=](double th2) -> Matrix2 {
                      const double c2 = std::cos(th2);
                      const double off = m2 * (L1 * L2 * c2 + L2 * L2);
                      return Matrix2{
                          {m1 * L1 * L1 + m2 * (L1 * L1 + 2.0 * L1 * L2 * c2 + L2 * L2), off},
                          {off, m2 * L2 * L2}};
                    },
                    [=](double th2) { return m2 * L1 * L2 * std::sin(th2); },
                    [=](double th1, double th12) -> Vector2 {
                      const double outer = m2 * g * L2 * std::cos(th12);
                      return {(m1 + m2) * L1 * g * std::cos(th1) + outer, outer};
                    }});
}

// K. S. Fu, R. C. Gonzalez, C. S. G. Lee, Robotics, McGraw-Hill, 1987, sec. 3.2.6: slender rods of
// equal length. D12 is m2 l² (1/3 + C2/2) and h2 goes with the first velocity squared.
TEST(TwoLink, of_slender_rods_moves_as_in_fu_gonzalez_and_lee) {
  const double l = 0.6, m1 = 1.3, m2 = 0.8, g = 9.8062;
  expect_equations(
      "twolink_fu",
      {[=](double th2) -> Matrix2 {
         const double c2 = std::cos(th2);
         const double off = m2 * l * l * (1.0 / 3.0 + 0.5 * c2);
         return Matrix2{{m1 * l * l / 3.0 + 4.0 / 3.0 * m2 * l * l + m2 * c2 * l * l, off},
                        {off, m2 * l * l / 3.0}};
       },
       [=](double th2) { return 0.5 * m2 * std::sin(th2) * l * l; },
       [=](double th1, double th12) -> Vector2 {
         const double outer = 0.5 * m2 * g * l * std::cos(th12);
         return {0.5 * m1 * g * l * std::cos(th1) + outer + m2 * g * l * std::cos(th1), outer};
       }});
}

// Notes on manipulator dynamics by body Jacobians: no gravity, centres of mass at l1/2 and 3/5 l2.
// The factor of C is 3/5, half of what is printed there, or dM/dt - 2C would not be skew.
TEST(TwoLink, without_gravity_moves_as_by_body_jacobians) {
  const double l1 = 0.7, l2 = 0.5, m1 = 1.3, m2 = 0.8, I1 = 0.03, I2 = 0.02;
  expect_equations("twolink_notes",
                   {[=](double th2) -> Matrix2 {
                      const double s2 = std::sin(th2), c2 = std::cos(th2);
                      Eigen::Matrix<double, 3, 2> J1, J2;
                      J1 << 0.0, 0.0, 0.5 * l1, 0.0, 1.0, 0.0;
                      J2 << l1 * s2, 0.0, l1 * c2 + 0.6 * l2, 0.6 * l2, 1.0, 1.0;
                      return J1.transpose() * Eigen::Vector3d(m1, m1, I1).asDiagonal() * J1 +
                             J2.transpose() * Eigen::Vector3d(m2, m2, I2).asDiagonal() * J2;
                    },
                    [=](double th2) { return 0.6 * m2 * l1 * l2 * std::sin(th2); },
                    [](double, double) -> Vector2 { return Vector2::Zero(); }});
}

// A robot-dynamics overview, sec. 4: centres of mass and inertias anywhere.
TEST(TwoLink, of_any_links_moves_as_in_the_overview) {
  const double l1 = 0.7, lc1 = 0.31, lc2 = 0.22, m1 = 1.3, m2 = 0.8, I1 = 0.05, I2 = 0.03, g = 9.81;
  expect_equations(
      "twolink_overview",
      {[=](double th2) -> Matrix2 {
         const double c2 = std::cos(th2);
         const double off = m2 * (lc2 * lc2 + l1 * lc2 * c2) + I2;
         return Matrix2{
             {m1 * lc1 * lc1 + m2 * (l1 * l1 + lc2 * lc2 + 2.0 * l1 * lc2 * c2) + I1 + I2, off},
             {off, m2 * lc2 * lc2 + I2}};
       },
       [=](double th2) { return m2 * l1 * lc2 * std::sin(th2); },
       [=](double th1, double th12) -> Vector2 {
         const double outer = m2 * lc2 * g * std::cos(th12);
         return {(m1 * lc1 + m2 * l1) * g * std::cos(th1) + outer, outer};
       }});
}

// Fakhari, Example 3, a beam that slides out of a turning sleeve: by Lagrange,
// tau1 = (I1 + I2 + m1 L1² + m2 q2²) a1 + 2 m2 q2 v1 v2 + (m1 L1 + m2 q2) g cos q1,
// tau2 = m2 a2 - m2 q2 v1² + m2 g sin q1.
TEST(TwoLink, with_a_sliding_beam_feels_coriolis_and_centrifugal_forces) {
  const double m1 = 2.0, m2 = 1.0, L1 = 0.3, I1 = 0.06106666667, I2 = 0.01346666667, g = 9.81;
  const Model model = load_robot("rp_fakhari").model;
  for_each_seed([&](Random& random) {
    Rig<double> rig(model, random);
    rig.plant.remove_friction();
    const double q1 = rig.q(0), q2 = rig.q(1), v1 = rig.v(0), v2 = rig.v(1);
    const Vector2 tau((I1 + I2 + m1 * L1 * L1 + m2 * q2 * q2) * rig.a(0) + 2.0 * m2 * q2 * v1 * v2 +
                          (m1 * L1 + m2 * q2) * g * std::cos(q1),
                      m2 * rig.a(1) - m2 * q2 * v1 * v1 + m2 * g * std::sin(q1));
    expect_close(rig.torque(), Eigen::VectorXd(tau), 1e-14);
    Matrix2 C;  // by Christoffel symbols
    C << m2 * q2 * v2, m2 * q2 * v1, -m2 * q2 * v1, 0.0;
    expect_close(rig.coriolis(), Eigen::MatrixXd(C), 1e-14);
  });
}

// Fakhari, Example 4: nothing couples, and only the vertical axis carries weight.
TEST(ThreeLink, of_orthogonal_slides_is_three_masses) {
  const Model model = load_robot("cartesian_fakhari").model;
  Random random(1);
  Rig<double> rig(model, random);
  expect_close(rig.mass(), Eigen::MatrixXd(Eigen::Vector3d(10.5, 4.5, 1.5).asDiagonal()), 1e-14);
  expect_close(rig.gravity(), Eigen::VectorXd(Eigen::Vector3d(10.5 * 9.81, 0.0, 0.0)), 1e-14);
  expect_close(rig.coriolis(), Eigen::MatrixXd(Eigen::MatrixXd::Zero(3, 3)), 1e-15);
}

}  // namespace
}  // namespace ulna::test
