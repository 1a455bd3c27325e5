#include "ulna/derivatives/drive_regressor.hpp"

#include "support/drives.hpp"

// Torques of motors and springs are their regressors times the numbers of the drives.
namespace ulna::test {
namespace {

template <class Law>
void for_each_drive(Law law) {
  int elastic = 0, coupled = 0;
  for_each_model(
      [&](const Model& plain, Random& random) {
        const Model model = with_random_drives(plain, random, {.damped = 0.5});
        elastic += int(model.drives().elastic.size());
        coupled += int(model.drives().coupled.size());
        DrivenRig<double> rig(model, random);
        rig.inverse(true);
        law(model, rig);
      },
      {}, 20);
  EXPECT_GT(elastic, 20);
  EXPECT_GT(coupled, 10);
}

/// What motors need for themselves, at their shafts.
Eigen::VectorXd own_torque(const Model& model, const DrivenRig<double>& rig) {
  RowMatX<double> Y(model.nv(), drive_parameter_count(model));
  drive_regressor<double>(model, rig.out.omega, rig.out.alpha, Y);
  return Y * drive_parameters(rig.plant);
}

/// N^-T x.
Eigen::VectorXd shared(const Model& model, const Eigen::VectorXd& x) {
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(model.nv());
  for (const auto& [m, c, share] : model.drives().shares) tau(m) += share * x(c);
  return tau;
}

double size_of(const Eigen::VectorXd& x) { return std::max(1.0, x.cwiseAbs().maxCoeff()); }

TEST(DriveRegressor, times_inertias_and_friction_gives_the_torques_of_the_motors) {
  for_each_drive([](const Model& model, DrivenRig<double>& rig) {
    const Eigen::VectorXd tau = shared(model, rig.out.link) + own_torque(model, rig);
    expect_close(Eigen::VectorXd(tau / size_of(rig.out.motor)),
                 Eigen::VectorXd(rig.out.motor / size_of(rig.out.motor)), 1e-12);
  });
}

TEST(DriveRegressor, of_springs_times_stiffness_hardening_and_damping_gives_their_torques) {
  for_each_drive([](const Model& model, DrivenRig<double>& rig) {
    const DriveTrain& train = model.drives();
    Eigen::VectorXd e = Eigen::VectorXd::Zero(model.nv()), de = rig.out.omega - rig.v, s = e;
    for (const int c : train.elastic) e(c) = rig.out.theta(c) - rig.q(train.position(c));
    spring_torque<double>(rig.plant, rig.state(), rig.drive_state(), s);
    RowMatX<double> Y(model.nv(), 3);
    spring_regressor<double>(model, e, de, Y);
    for (const int c : train.elastic) {
      const double by_row = Y(c, 0) * train.stiffness(c) + Y(c, 1) * train.hardening(c) +
                            Y(c, 2) * train.spring_damping(c);
      EXPECT_NEAR(by_row, s(c), 1e-12 * size_of(s));
    }
  });
}

TEST(DriveRegressor, of_gears_times_their_ratios_gives_the_torques_of_the_links) {
  for_each_drive([](const Model& model, DrivenRig<double>& rig) {
    const DriveTrain& train = model.drives();
    // rotors that are given at the joints are beyond the gears
    Eigen::VectorXd beyond = rig.out.link;
    for (const int c : train.elastic) beyond(c) += rig.plant.drives.rotor(c) * rig.out.alpha(c);
    rig.plant.drives.rotor.setZero();
    const Eigen::VectorXd net = rig.out.motor - own_torque(model, rig);
    Eigen::VectorXd ratios(Eigen::Index(train.gears.size()));
    for (std::size_t k = 0; k < train.gears.size(); ++k)
      ratios(Eigen::Index(k)) = train.gears[k].ratio;
    RowMatX<double> Y(model.nv(), ratios.size());
    gear_regressor<double>(model, net, Y);
    expect_close(Eigen::VectorXd(Y * ratios / size_of(beyond)),
                 Eigen::VectorXd(beyond / size_of(beyond)), 1e-12);
  });
}

}  // namespace
}  // namespace ulna::test
