#include "ulna/classic/screw_form.hpp"

#include <Eigen/LU>

#include "support/classic.hpp"
#include "ulna/classic/lagrange_euler.hpp"
#include "ulna/classic/probing.hpp"

namespace ulna::test {
namespace {

using classic::Arm;
using classic::ScrewForm;
using classic::StackedScrewForm;

TEST(StackedScrewForm, the_matrix_W_is_nilpotent_and_its_series_is_L) {
  for_each_arm([](const Model& model, Random& random) {
    const Arm<double> arm{Plant<double>(model)};
    const StackedScrewForm<double> here(arm);
    const Eigen::VectorXd q = random_q(model, random);
    const Eigen::MatrixXd W = here.W(q), one = Eigen::MatrixXd::Identity(W.rows(), W.cols());
    Eigen::MatrixXd power = one, series = one;
    for (int k = 1; k < arm.joint_count(); ++k) power = power * W, series += power;
    EXPECT_EQ(largest(Eigen::MatrixXd(power * W)), 0.0) << "W^n";
    if (arm.is_chain()) {
      EXPECT_GT(largest(power), 0.0) << "W^(n-1)";
    }
    expect_same(here.L(q), series, 1e-13);
    expect_same(Eigen::MatrixXd(here.L(q) * (one - W)), one, 1e-12);
  });
}

TEST(StackedScrewForm, the_mass_matrix_is_the_product_of_the_stacked_matrices) {
  for_each_arm([](const Model& model, Random& random) {
    const StackedScrewForm<double> here{Arm<double>(Plant<double>(model))};
    const Eigen::VectorXd q = random_q(model, random);
    const Eigen::MatrixXd A = here.A(), G = here.G(), L = here.L(q);
    expect_same(here.mass_matrix(q), Eigen::MatrixXd(A.transpose() * L.transpose() * G * L * A),
                1e-12);
  });
}

TEST(ScrewForm, carries_a_wrench_at_the_tip_as_the_stacked_form_does) {
  for_each_arm([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    rig.without_resistance();
    const Arm<double> arm{rig.plant};
    const int last = model.joint_count();
    const Transform<double> X_tip = random_transform<double>(random);
    const Wrench<double> F = random_wrench<double>(random);
    const Frame tip{"tip", last, Transform<double>::from_rotation(model.joint(last).R_BC) * X_tip};
    const std::vector<ExternalWrench<double>> on_arm{{&tip, -F, Axes::local}};
    const Eigen::VectorXd tau = rig.torque(on_arm);
    const StackedScrewForm<double> stacked(arm, X_tip);
    expect_same(ScrewForm<double>(arm, X_tip).inverse_dynamics(rig.q, rig.v, rig.a, F), tau);
    expect_same(Eigen::VectorXd(stacked.inverse_dynamics(rig.q, rig.v, rig.a) +
                                stacked.tip_torque(rig.q, F)),
                tau);
  });
}

TEST(ScrewMotion, is_the_exponential_of_the_screw_axis) {
  for_each_seed([](Random& random) {
    const Vec3<double> w = random_direction<double>(random);
    const Vec3<double> point(random.real(), random.real(), random.real());
    const Twist<double> turn{w, cross(point, w)}, slide{Vec3<double>::Zero(), w};
    const double q = random.real(-3.0, 3.0);
    expect_close(classic::screw_motion(turn, false, q), Transform<double>::exp(turn * q), 1e-14);
    expect_close(classic::screw_motion(slide, true, q), Transform<double>::exp(slide * q), 1e-14);
  });
}

TEST(Probing, finds_every_velocity_coefficient) {
  for_each_chain(
      [](const Model& model, const Arm<double>& arm, Random& random) {
        const classic::Probing<double, ScrewForm<double>> probing{ScrewForm<double>(arm)};
        const classic::LagrangeEuler<double> book{classic::Chain<double>(arm)};
        const Eigen::VectorXd q = random_q(model, random);
        const auto H = probing.velocity_coefficients(q), expected = book.at(q).H();
        const double size = largest(book.mass_matrix(q));
        for (std::size_t i = 0; i < H.size(); ++i)
          expect_close(Eigen::MatrixXd(H[i] / size), Eigen::MatrixXd(expected[i] / size), 1e-11);
      },
      15);
}

TEST(Probing, takes_gravity_and_velocity_apart) {
  for_each_arm([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    rig.without_resistance();
    const Arm<double> arm{rig.plant};
    const classic::Probing<double, ScrewForm<double>> probing{ScrewForm<double>(arm)};
    expect_same(probing.gravity(rig.q), rig.gravity());
    expect_same(Eigen::VectorXd(probing.velocity_torque(rig.q, rig.v) + probing.gravity(rig.q)),
                rig.bias());
  });
}

}  // namespace
}  // namespace ulna::test
