#include "ulna/constraints/closed_dynamics.hpp"

#include "support/closed_loops.hpp"
#include "ulna/constraints/loop_dynamics.hpp"
#include "ulna/io/import.hpp"

// Dynamics of robots with closed loops along the joints that move them.
namespace ulna::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr const char* closed_robots[] = {"fourbar", "fivebar", "delta"};

Loops loops_of(const Model& model) {
  return Loops(model, model.description().loops, neutral(model));
}

VectorXd random_numbers(Eigen::Index n, Random& random, double size) {
  VectorXd x(n);
  for (double& each : x) each = random.real(-size, size);
  return x;
}

/// A robot with loops somewhere near where its file has it, in motion.
struct ClosedRig {
  Model model;
  Plant<double> plant;
  ClosedDynamics closed;
  VectorXd y, rate, acceleration;

  ClosedRig(const char* name, Random& random)
      : model(load_robot(name).model),
        plant(model),
        closed(loops_of(model)),
        y(random_numbers(closed.size(), random, 0.4)),
        rate(random_numbers(closed.size(), random, 2.0)),
        acceleration(random_numbers(closed.size(), random, 10.0)) {
    // dry friction has no slope
    plant.friction.setZero(), plant.friction_negative.setZero();
  }
};

template <class Law>
void for_each_closed_rig(Law law) {
  for (const char* name : closed_robots)
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      Random random(seed);
      ClosedRig rig(name, random);
      law(rig, random);
    }
}

TEST(ClosedDynamics, motions_keep_loops_closed_and_have_the_coordinates_given) {
  for_each_closed_rig([](ClosedRig& r, Random&) {
    ASSERT_TRUE(r.closed.set(r.y, r.rate, r.acceleration));
    Loops loops = loops_of(r.model);
    loops.set(r.closed.q(), r.closed.v(), r.closed.a());
    EXPECT_LT(loops.gap().cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT(loops.rate().cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LT(loops.acceleration().cwiseAbs().maxCoeff(), 1e-9);
    const LoopCoordinates& at = r.closed.coordinates();
    for (int k = 0; k < at.size(); ++k) {
      EXPECT_EQ(r.closed.q()(at.independent()[k]), r.y(k));
      EXPECT_EQ(r.closed.v()(at.independent()[k]), r.rate(k));
    }
  });
}

// by forces through the loops and the factor of the tree's mass matrix: another formulation
TEST(ClosedDynamics, forward_is_that_of_the_tree_with_forces_through_loops) {
  for_each_closed_rig([](ClosedRig& r, Random& random) {
    const VectorXd tau_y = random_numbers(r.closed.size(), random, 1.0);
    ASSERT_TRUE(r.closed.set(r.y, r.rate));
    VectorXd a_y(r.closed.size());
    ASSERT_TRUE(r.closed.forward_dynamics(r.plant, tau_y, a_y));
    Loops loops = loops_of(r.model);
    LoopWorkspace ws(loops);
    loops.set(r.closed.q(), r.closed.v());
    VectorXd tau = VectorXd::Zero(r.model.nv()), a = tau, lambda = VectorXd::Zero(loops.size());
    r.closed.coordinates().scatter(tau_y, tau);
    ASSERT_TRUE(constrained_forward_dynamics(r.plant, loops, tau, ws, a, lambda));
    EXPECT_LT((a - r.closed.a()).norm(), 1e-8 * (1.0 + a.norm()));
  });
}

TEST(ClosedDynamics, inverse_undoes_forward) {
  for_each_closed_rig([](ClosedRig& r, Random& random) {
    const VectorXd tau = random_numbers(r.closed.size(), random, 1.0);
    VectorXd a(r.closed.size()), again = a;
    ASSERT_TRUE(r.closed.set(r.y, r.rate));
    ASSERT_TRUE(r.closed.forward_dynamics(r.plant, tau, a));
    ASSERT_TRUE(r.closed.set(r.y, r.rate, a));
    r.closed.inverse_dynamics(r.plant, again);
    EXPECT_LT((again - tau).norm(), 1e-10 * (1.0 + tau.norm()));
  });
}

TEST(ClosedDynamics, slopes_are_those_of_the_torques) {
  for_each_closed_rig([](ClosedRig& r, Random&) {
    const int n = r.closed.size();
    ClosedDynamics::Slopes slopes(n);
    ASSERT_TRUE(r.closed.set(r.y, r.rate, r.acceleration));
    r.closed.differentiate(r.plant, slopes);
    VectorXd tau(n);
    r.closed.inverse_dynamics(r.plant, tau);
    EXPECT_LT((tau - slopes.tau).norm(), 1e-12 * (1.0 + tau.norm()));
    MatrixXd found(n, 3 * n), expected(n, 3 * n);
    found << slopes.dy, slopes.dv, slopes.da;
    for (int k = 0; k < 3 * n; ++k) {
      const VectorXd e = VectorXd::Unit(n, k % n);
      const auto moved = [&](const VectorXd& x, int block, double by) {
        return VectorXd(k / n == block ? VectorXd(x + by * e) : x);
      };
      expected.col(k) = nine_point_derivative(
          [&](double by) {
            EXPECT_TRUE(r.closed.set(moved(r.y, 0, by), moved(r.rate, 1, by),
                                     moved(r.acceleration, 2, by)));
            VectorXd at(n);
            r.closed.inverse_dynamics(r.plant, at);
            return at;
          },
          1e-3);
    }
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(),
              1e-8 * (1.0 + expected.cwiseAbs().maxCoeff()));
  });
}

TEST(ClosedDynamics, a_crank_that_turns_round_comes_back_to_the_same_place) {
  const Model model = load_robot("fourbar").model;
  ClosedDynamics closed(loops_of(model));
  const VectorXd home = closed.q();
  ASSERT_TRUE(closed.set(VectorXd{{2.0 * double(EIGEN_PI)}}));
  EXPECT_NEAR(closed.q()(0), home(0) + 2.0 * double(EIGEN_PI), 1e-12);
  EXPECT_NEAR(closed.q()(2), home(2), 1e-9);  // the rocker swings, the crank turns
  EXPECT_NEAR(closed.q()(1), home(1) - 2.0 * double(EIGEN_PI), 1e-9);
}

TEST(ClosedDynamics, says_what_loops_do_not_reach_and_stays_where_it_was) {
  const Model model = load_robot("fivebar").model;
  ClosedDynamics closed(loops_of(model));
  const VectorXd home = closed.q();
  EXPECT_FALSE(
      closed.set(VectorXd{{1.9, -1.9}}));  // the arms are farther apart than the rods are long
  EXPECT_EQ(closed.q(), home);
  EXPECT_FALSE(closed.set(VectorXd{{std::nan(""), 0.0}}));
  EXPECT_EQ(closed.q(), home);
  EXPECT_TRUE(closed.set(VectorXd{{0.1, 0.1}}));
  EXPECT_FALSE(closed.start(VectorXd{{0.0, 1.0, 0.0, 0.0}}));
  EXPECT_EQ(closed.q()(0), 0.1);
}

TEST(ClosedDynamics, refuses_joints_of_several_coordinates) {
  const Model model = with_floating_base(load_robot("fourbar").model);
  EXPECT_THROW(ClosedDynamics{loops_of(model)}, std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
