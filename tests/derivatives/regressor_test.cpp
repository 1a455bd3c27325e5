#include "ulna/derivatives/regressor.hpp"

#include "support/dynamics.hpp"
#include "ulna/io/import.hpp"

// Whatever is linear in the parameters is the regressor times them.
namespace ulna::test {
namespace {

/// A rig whose inertias are any ten numbers per body: linearity does not ask for consistency.
struct Unknown {
  Rig<double> rig;
  RegressorWorkspace<double> ws;
  Eigen::VectorXd pi;

  Unknown(const Model& model, Random& random)
      : rig(model, random), ws(model), pi(rig.plant.inertial_size()) {
    for (double& x : pi) x = random.real(-1.0, 1.0);
    rig.without_resistance();
    rig.plant.set_inertial(pi);
  }
  RowMatX<double> rows(Eigen::Index n) const { return RowMatX<double>::Zero(n, pi.size()); }
};

void expect_torques(const Model& model, Random& random) {
  Unknown u(model, random);
  RowMatX<double> Y = u.rows(model.nv());
  torque_regressor<double>(u.rig.motion(), u.ws, Y);
  expect_close(Eigen::VectorXd(Y * u.pi), u.rig.torque(), 1e-12);
}

TEST(Regressor, gives_the_torques) { for_each_robot(expect_torques, 20); }

TEST(Regressor, gives_the_torques_of_every_embedded_robot) {
  for (const EmbeddedRobot& robot : embedded_robots()) {
    SCOPED_TRACE(robot.name);
    Random random(3);
    expect_torques(load_robot(robot.name).model, random);
  }
}

TEST(Regressor, gives_the_wrench_through_every_joint) {
  for_each_robot([](const Model& model, Random& random) {
    Unknown u(model, random);
    std::vector<Wrench<double>> transmitted(static_cast<std::size_t>(model.body_count()));
    Eigen::VectorXd tau(model.nv());
    inverse_dynamics<double>(u.rig.plant, u.rig.motion(), u.rig.ws, tau, std::span(transmitted));
    // the base's own weight is not among the parameters
    const Inertia<double> base = model.inertias()[0];
    const Vec3<double> up = -model.gravity();
    transmitted[0].force -= base.mass() * up;
    transmitted[0].moment -= cross(base.first_moment(), up);
    RowMatX<double> W = u.rows(6);
    for (int b = 0; b < model.body_count(); ++b) {
      wrench_regressor<double>(u.rig.motion(), b, u.ws, W);
      expect_close(Eigen::VectorXd(W * u.pi),
                   Eigen::VectorXd(transmitted[static_cast<std::size_t>(b)].vector()), 1e-12);
    }
  });
}

TEST(Regressor, gives_the_energy) {
  for_each_robot([](const Model& model, Random& random) {
    Unknown u(model, random);
    Eigen::VectorXd Y(u.pi.size());
    energy_regressor<double>(u.rig.state(), u.ws, Y);
    expect_close(Y.dot(u.pi), u.rig.energy(), 1e-12);
  });
}

TEST(Regressor, gives_the_momentum_and_its_rate) {
  for_each_robot([](const Model& model, Random& random) {
    Unknown u(model, random);
    RowMatX<double> Y = u.rows(model.nv()), Y_rate = Y;
    momentum_regressor<double>(u.rig.state(), u.ws, Y, Y_rate);
    expect_close(Eigen::VectorXd(Y * u.pi), Eigen::VectorXd(u.rig.mass() * u.rig.v), 1e-12);
    const Eigen::MatrixXd C = u.rig.coriolis();
    expect_close(Eigen::VectorXd(Y_rate * u.pi),
                 Eigen::VectorXd(C.transpose() * u.rig.v - u.rig.gravity()), 1e-11);
  });
}

// Along a motion: d(energy)/dt = v'tau and d(momentum)/dt = tau + Y_rate π, parameter by parameter.
TEST(Regressor, of_energy_and_momentum_obey_their_laws_along_a_motion) {
  for_each_robot(
      [](const Model& model, Random& random) {
        Unknown u(model, random);
        const Eigen::Index n = model.nv();
        RowMatX<double> Y = u.rows(n), momentum = u.rows(n), rate = u.rows(n), unused = u.rows(n);
        torque_regressor<double>(u.rig.motion(), u.ws, Y);
        momentum_regressor<double>(u.rig.state(), u.ws, momentum, rate);
        const Eigen::VectorXd power = five_point_derivative([&](double t) -> Eigen::VectorXd {
          const Rig<double> later = u.rig.after(t);
          Eigen::VectorXd energy(u.pi.size());
          energy_regressor<double>(later.state(), u.ws, energy);
          return energy;
        });
        expect_close(power, Eigen::VectorXd(Y.transpose() * u.rig.v), 1e-9);
        const Eigen::MatrixXd force = five_point_derivative([&](double t) -> Eigen::MatrixXd {
          const Rig<double> later = u.rig.after(t);
          RowMatX<double> at = u.rows(n);
          momentum_regressor<double>(later.state(), u.ws, at, unused);
          return at;
        });
        expect_close(force, Eigen::MatrixXd(Y + rate), 1e-9);
      },
      5);
}

TEST(Regressor, gives_what_joints_resist_with) {
  for_each_robot([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    rig.v(0) = 0.0;
    // per unit of damping, friction, negative friction and armature
    RowMatX<double> X(model.nv(), 4);
    for (int i = 0; i < model.nv(); ++i) {
      const double v = rig.v(i);
      X.row(i) << v, v > 0.0 ? 1.0 : 0.0, v < 0.0 ? -1.0 : 0.0, rig.a(i);
    }
    Rig<double> bare = rig;
    bare.without_resistance();
    const Eigen::VectorXd resisted = rig.torque() - bare.torque();
    for (int i = 0; i < model.nv(); ++i)
      expect_close(
          X.row(i).dot(Eigen::RowVector4d(rig.plant.damping(i), rig.plant.friction(i),
                                          rig.plant.friction_negative(i), rig.plant.armature(i))),
          resisted(i), 1e-11);
  });
}

TEST(Regressor, refuses_what_does_not_fit) {
  const Model model = random_model(1);
  Random random(1);
  Unknown u(model, random);
  RowMatX<double> small = RowMatX<double>::Zero(model.nv(), 10);
  EXPECT_NE(told([&] { torque_regressor<double>(u.rig.motion(), u.ws, small); }).find("Y is"),
            std::string::npos);
  RowMatX<double> W = u.rows(6);
  EXPECT_NE(told([&] {
              wrench_regressor<double>(u.rig.motion(), model.body_count(), u.ws, W);
            }).find("is not one of"),
            std::string::npos);
}

}  // namespace
}  // namespace ulna::test
