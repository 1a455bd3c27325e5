#include "ulna/derivatives/second_derivatives.hpp"

#include "support/derivatives.hpp"
#include "support/varied.hpp"
#include "ulna/io/import.hpp"

// The second derivatives are the first ones, run on dual numbers.
namespace ulna::test {
namespace {

void expect_inverse(const Model& model, Random& random) {
  const Rig<double> rig(model, random);
  const auto list = random_wrenches<double>(model, random);
  const auto duals = cast<Dual1>(list);
  const ExternalWrenches<double> wrenches(list);
  const ExternalWrenches<Dual1> dual_wrenches(duals);
  const InverseDynamicsSecondDerivatives<double> curve = inverse_second_derivatives(rig, wrenches);
  for (int k = 0; k < model.nv(); ++k) {
    const Rig<Dual1> by_q = varied(rig, k, By::q), by_v = varied(rig, k, By::v);
    InverseDynamicsDerivatives<Dual1> slope = inverse_derivatives(by_q, dual_wrenches);
    expect_close(Eigen::MatrixXd(curve.dqq.slice(k)), gradient(slope.dq), 1e-11);
    expect_close(Eigen::MatrixXd(curve.daq.slice(k)), gradient(slope.da), 1e-11);
    slope = inverse_derivatives(by_v, dual_wrenches);
    expect_close(Eigen::MatrixXd(curve.dvv.slice(k)), gradient(slope.dv), 1e-11);
    expect_close(Eigen::MatrixXd(curve.dqv.slice(k)), gradient(slope.dq), 1e-11);
  }
}

TEST(SecondDerivatives, of_inverse_dynamics_are_those_of_dual_numbers_on_all_joints) {
  for_each_robot(expect_inverse, 15);
}

TEST(SecondDerivatives, of_inverse_dynamics_are_those_of_dual_numbers_on_embedded_robots) {
  for (const EmbeddedRobot& robot : embedded_robots()) {
    SCOPED_TRACE(robot.name);
    Random random(1);
    expect_inverse(load_robot(robot.name).model, random);
  }
}

TEST(SecondDerivatives, of_forward_dynamics_are_those_of_dual_numbers) {
  const auto law = [](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    const Eigen::VectorXd tau = rig.torque();
    const auto list = random_wrenches<double>(model, random);
    const auto duals = cast<Dual1>(list);
    const ExternalWrenches<Dual1> wrenches(duals);
    ForwardDynamicsSecondDerivatives<double> curve(model);
    SecondDerivativeWorkspace<double> ws(model);
    ASSERT_TRUE(
        forward_dynamics_second_derivatives<double>(rig.plant, rig.state(), tau, ws, curve, list));
    ForwardDynamicsDerivatives<Dual1> slope(model);
    const Eigen::MatrixXd M = rig.mass();
    // compared as M times them, by the size of what is summed up
    const auto expect_same = [&](const Eigen::MatrixXd& analytic, const Eigen::MatrixXd& exact) {
      for (Eigen::Index c = 0; c < exact.cols(); ++c)
        expect_solved<double>(M, analytic.col(c), Eigen::VectorXd(M * exact.col(c)), 1e-9);
    };
    for (int k = 0; k < model.nv(); ++k) {
      const Rig<Dual1> by_q = varied(rig, k, By::q), by_v = varied(rig, k, By::v);
      ASSERT_TRUE(forward_derivatives(by_q, tau.cast<Dual1>(), slope, wrenches));
      expect_same(curve.dqq.slice(k), gradient(slope.dq));
      expect_same(curve.dtauq.slice(k), gradient(slope.dtau));
      ASSERT_TRUE(forward_derivatives(by_v, tau.cast<Dual1>(), slope, wrenches));
      expect_same(curve.dvv.slice(k), gradient(slope.dv));
      expect_same(curve.dqv.slice(k), gradient(slope.dq));
    }
  };
  for (const char* name : {"panda", "ur5e", "quadruped", "stanford", "ball_wrist", "fourbar"}) {
    SCOPED_TRACE(name);
    Random random(2);
    law(load_robot(name).model, random);
  }
}

TEST(SecondDerivatives, contract_with_weights) {
  const Model model = load_robot("panda").model;
  Random random(3);
  const Rig<double> rig(model, random);
  const InverseDynamicsSecondDerivatives<double> curve = inverse_second_derivatives(rig);
  Eigen::MatrixXd sum(model.nv(), model.nv());
  curve.dqq.contract(rig.v, sum);
  for (int i = 0; i < model.nv(); ++i)
    for (int k = 0; k < model.nv(); ++k) {
      double expected = 0.0;
      for (int r = 0; r < model.nv(); ++r) expected += rig.v(r) * curve.dqq(r, i, k);
      expect_close(sum(i, k), expected, 1e-13);
    }
}

}  // namespace
}  // namespace ulna::test
