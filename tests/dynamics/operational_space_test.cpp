#include "ulna/dynamics/operational_space.hpp"

#include <Eigen/LU>

#include "support/dynamics.hpp"
#include "ulna/io/import.hpp"

namespace ulna::test {
namespace {

class OperationalSpaceOfPanda : public ::testing::Test {
 protected:
  /// Factors M and returns the Jacobian of the flange.
  Eigen::MatrixXd at(Random& random) {
    rig = std::make_unique<Rig<double>>(model, random);
    EXPECT_TRUE(factor.factor(rig->plant, rig->at(), rig->ws));
    return rig->jacobian(model.frame("flange"), Axes::aligned);
  }

  const Model model = load_robot("panda").model;
  MassFactor<double> factor{model};
  std::unique_ptr<Rig<double>> rig;
};

TEST_F(OperationalSpaceOfPanda, is_what_khatib_defines) {
  for_each_seed([&](Random& random) {
    const Eigen::MatrixXd J = at(random);
    OperationalSpace space(model, 6);
    ASSERT_TRUE(space.set(factor, J));
    const Eigen::MatrixXd M_inverse = rig->mass().inverse();
    const Eigen::MatrixXd Lambda = (J * M_inverse * J.transpose()).inverse();
    const double size = Lambda.lpNorm<Eigen::Infinity>();
    expect_close(Eigen::MatrixXd(space.inertia() / size), Eigen::MatrixXd(Lambda / size), 1e-9);
    EXPECT_EQ(Eigen::MatrixXd(space.inertia().transpose()), space.inertia());
    expect_close(Eigen::MatrixXd(J * space.pseudo_inverse()),
                 Eigen::MatrixXd(Eigen::MatrixXd::Identity(6, 6)), 1e-9);
  });
}

// A force F at the task accelerates it by Λ^-1 F, and J̄'τ is the task force of a torque: torques
// that Λ^-1 J̄' does not see do not accelerate the task.
TEST_F(OperationalSpaceOfPanda, tells_how_the_task_accelerates_under_forces) {
  for_each_seed([&](Random& random) {
    const Eigen::MatrixXd J = at(random);
    OperationalSpace space(model, 6);
    ASSERT_TRUE(space.set(factor, J));
    const Vec6<double> F = random_wrench<double>(random).vector();
    Eigen::VectorXd a = J.transpose() * F;
    factor.solve(a);
    expect_close(Vec6<double>(space.inertia() * (J * a)), F, 1e-9);

    const Eigen::VectorXd tau = random_v(model, random);
    const Eigen::VectorXd seen = J.transpose() * (space.pseudo_inverse().transpose() * tau);
    Eigen::VectorXd unseen = tau - seen, by_tau = tau, by_seen = seen;
    factor.solve(unseen), factor.solve(by_tau), factor.solve(by_seen);
    // measured by the accelerations that cancel out
    const double size =
        std::max(by_tau.lpNorm<Eigen::Infinity>(), by_seen.lpNorm<Eigen::Infinity>());
    expect_close(Eigen::VectorXd(J * unseen / size), Eigen::VectorXd(Eigen::VectorXd::Zero(6)),
                 1e-12);
  });
}

// Of all joint velocities that make the task move, it yields those of least kinetic energy.
TEST_F(OperationalSpaceOfPanda, moves_nothing_it_need_not) {
  for_each_seed([&](Random& random) {
    const Eigen::MatrixXd J = at(random);
    OperationalSpace space(model, 6);
    ASSERT_TRUE(space.set(factor, J));
    const Eigen::VectorXd v = space.pseudo_inverse() * random_twist<double>(random).vector();
    const Eigen::MatrixXd kernel = J.fullPivLu().kernel();
    const Eigen::VectorXd along = rig->mass() * v;
    expect_close(Eigen::VectorXd(kernel.transpose() * along / std::max(1.0, along.norm())),
                 Eigen::VectorXd(Eigen::VectorXd::Zero(kernel.cols())), 1e-10);
  });
}

TEST_F(OperationalSpaceOfPanda, serves_tasks_of_any_size) {
  Random random(1);
  const Eigen::MatrixXd J = at(random);
  for (int m = 1; m <= 6; ++m) {
    OperationalSpace space(model, m);
    ASSERT_TRUE(space.set(factor, J.bottomRows(m)));
    expect_close(Eigen::MatrixXd(J.bottomRows(m) * space.pseudo_inverse()),
                 Eigen::MatrixXd(Eigen::MatrixXd::Identity(m, m)), 1e-10);
  }
}

TEST(OperationalSpace, refuses_a_singular_task) {
  const Model model = load_robot("twolink_overview").model;
  const Plant<double> plant(model);
  Workspace<double> ws(model);
  Kinematics<double> at(model);
  MassFactor<double> factor(model);
  Eigen::MatrixXd J(6, 2);
  OperationalSpace plane(model, 2), space(model, 3);
  const auto reaches = [&](double elbow) {
    at.set(Eigen::Vector2d(0.3, elbow));
    EXPECT_TRUE(factor.factor(plant, at, ws));
    frame_jacobian<double>(at, model.frame("tip"), Axes::aligned, J);
    return plane.set(factor, J.middleRows(3, 2));
  };
  EXPECT_TRUE(reaches(1.0));
  EXPECT_FALSE(reaches(0.0)) << "stretched out, it cannot reach further";
  EXPECT_FALSE(reaches(1e-8)) << "and hardly";
  EXPECT_TRUE(reaches(-1.0)) << "but recovers";
  EXPECT_FALSE(space.set(factor, J.bottomRows(3))) << "no arm in a plane can leave it";
  J.setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(plane.set(factor, J.topRows(2)));
}

TEST(OperationalSpace, refuses_wrong_sizes_with_both) {
  const Model model = load_robot("twolink_overview").model;
  const MassFactor<double> factor(model);
  OperationalSpace plane(model, 2);
  EXPECT_EQ(told([&] { (void)plane.set(factor, Eigen::MatrixXd::Zero(3, 2)); }),
            "J is 3 x 2, the task needs 2 x 2");
}

}  // namespace
}  // namespace ulna::test
