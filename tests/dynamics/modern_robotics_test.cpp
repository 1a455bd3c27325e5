#include "support/dynamics.hpp"
#include "ulna/io/import.hpp"

// K. Lynch, F. Park, Modern Robotics, Cambridge University Press, 2017, accompanying software: the
// examples of the dynamics functions, with the figures printed there.
//
// The first screw axis of the examples has the length √2; ulna's has the length 1. With S their
// scaling, q = S θ, and torques are those of the same power: τ = S τ here.
namespace ulna::test {
namespace {

using Vector3 = Eigen::Vector3d;

const Vector3 scale(std::sqrt(2.0), 1.0, 1.0);

class ModernRobotics3R : public ::testing::Test {
 protected:
  static Eigen::VectorXd scaled(const Vector3& theirs) { return scale.cwiseProduct(theirs); }
  static Eigen::VectorXd theirs(const Eigen::VectorXd& tau) {
    return scale.cwiseProduct(Vector3(tau));
  }

  const Model model = load_robot("modern_robotics_3r").model;
  Rig<double> rig{model, scaled({0.1, 0.1, 0.1}), scaled({0.1, 0.2, 0.3}), scaled({2.0, 1.5, 1.0})};
  /// Ftip is what the arm exerts on its surroundings, in the axes of the tool.
  const ExternalWrench<double> tip{
      &model.frame("tool"), {Vector3::Constant(-1.0), Vector3::Constant(-1.0)}, Axes::local};
};

TEST_F(ModernRobotics3R, inverse_dynamics) {
  expect_close(theirs(rig.torque(ExternalWrenches<double>(&tip, 1))),
               Eigen::VectorXd(Vector3(74.69616155, -33.06766016, -3.23057314)), 1e-10);
}

TEST_F(ModernRobotics3R, mass_matrix) {
  Eigen::Matrix3d M;
  M << 2.25433380e+01, -3.07146754e-01, -7.18426391e-03,  //
      -3.07146754e-01, 1.96850717e+00, 4.32157368e-01,    //
      -7.18426391e-03, 4.32157368e-01, 1.91630858e-01;
  const Eigen::MatrixXd here = scale.asDiagonal() * rig.mass() * scale.asDiagonal();
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(here(r, c), M(r, c), 5e-9 * std::abs(M(r, c)));
}

TEST_F(ModernRobotics3R, velocity_quadratic_forces) {
  expect_close(theirs(rig.bias() - rig.gravity()),
               Eigen::VectorXd(Vector3(0.26453118, -0.05505157, -0.00689132)), 5e-9);
  expect_close(theirs(rig.coriolis() * rig.v),
               Eigen::VectorXd(Vector3(0.26453118, -0.05505157, -0.00689132)), 5e-9);
}

TEST_F(ModernRobotics3R, gravity_forces) {
  expect_close(theirs(rig.gravity()),
               Eigen::VectorXd(Vector3(28.40331262, -37.64094817, -5.4415892)), 1.5e-10);
}

TEST_F(ModernRobotics3R, end_effector_forces) {
  Eigen::VectorXd worth = Eigen::VectorXd::Zero(3);
  add_wrench_torque<double>(rig.at(), tip, worth);
  expect_close(theirs(-worth), Eigen::VectorXd(Vector3(1.40954608, 1.85771497, 1.392409)), 3e-9);
}

TEST_F(ModernRobotics3R, forward_dynamics) {
  const Eigen::VectorXd tau = Vector3(0.5, 0.6, 0.7).cwiseQuotient(scale);
  Eigen::VectorXd a(3);
  ASSERT_TRUE(rig.accelerate(tau, a, {&tip, 1}));
  expect_close(Eigen::VectorXd(Vector3(a).cwiseQuotient(scale)),
               Eigen::VectorXd(Vector3(-0.97392907, 25.58466784, -32.91499212)), 2e-10);
}

}  // namespace
}  // namespace ulna::test
