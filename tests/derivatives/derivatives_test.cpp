#include "ulna/derivatives/derivatives.hpp"

#include "support/derivatives.hpp"
#include "support/varied.hpp"
#include "ulna/io/import.hpp"

// The analytic derivatives are those that dual numbers carry through the algorithms themselves.
namespace ulna::test {
namespace {

/// External wrenches in all axes, for any scalar.
template <class T>
std::vector<ExternalWrench<T>> cast(const std::vector<ExternalWrench<double>>& wrenches) {
  std::vector<ExternalWrench<T>> made;
  for (const auto& w : wrenches)
    made.push_back({w.frame, {w.wrench.moment.cast<T>(), w.wrench.force.cast<T>()}, w.axes});
  return made;
}

/// The Jacobian of f(q, v, x) by one of its arguments, column by column in dual numbers.
template <class F>
Eigen::MatrixXd by_duals(const Rig<double>& rig, By by, F f) {
  const int n = rig.nv();
  Eigen::MatrixXd J(n, n);
  for (int c = 0; c < n; ++c) {
    Rig<Dual1> dual = varied(rig, c, by);
    J.col(c) = gradient(f(dual));
  }
  return J;
}

void expect_inverse_derivatives(const Model& model, Random& random) {
  Rig<double> rig(model, random);
  const auto wrenches = random_wrenches<double>(model, random);
  const auto dual_wrenches = cast<Dual1>(wrenches);
  const InverseDynamicsDerivatives<double> slope = inverse_derivatives(rig, wrenches);
  const auto torque = [&](Rig<Dual1>& dual) {
    return dual.torque(ExternalWrenches<Dual1>(dual_wrenches));
  };
  expect_close(slope.tau, rig.torque(ExternalWrenches<double>(wrenches)), 1e-12);
  expect_close(slope.dq, by_duals(rig, By::q, torque), 1e-11);
  expect_close(slope.dv, by_duals(rig, By::v, torque), 1e-11);
  expect_close(slope.da, by_duals(rig, By::a, torque), 1e-11);
  expect_close(slope.da, rig.mass(), 1e-12);
}

TEST(InverseDynamicsDerivatives, are_those_of_dual_numbers_on_trees_of_all_joints) {
  for_each_robot(expect_inverse_derivatives, 20);
}

TEST(InverseDynamicsDerivatives, are_those_of_dual_numbers_on_every_embedded_robot) {
  for (const EmbeddedRobot& robot : embedded_robots()) {
    SCOPED_TRACE(robot.name);
    Random random(1);
    expect_inverse_derivatives(load_robot(robot.name).model, random);
  }
}

/// a is compared by the torques it needs: in Nm, or by the size of the torques.
enum class Measure { torque, share };

void expect_forward_derivatives(const Model& model, Random& random,
                                Measure measure = Measure::torque) {
  Rig<double> rig(model, random);
  const auto wrenches = random_wrenches<double>(model, random);
  const auto dual_wrenches = cast<Dual1>(wrenches);
  ForwardDynamicsDerivatives<double> slope(model);
  const Eigen::VectorXd tau = rig.torque(ExternalWrenches<double>(wrenches));
  ASSERT_TRUE(forward_derivatives(rig, tau, slope, wrenches));
  // the torques that give a, and a as it comes back; a light joint may magnify rounding
  const Eigen::MatrixXd M = rig.mass();
  const double size = measure == Measure::torque ? 1.0 : std::max(1.0, tau.cwiseAbs().maxCoeff());
  expect_solved<double>(M, (slope.a - rig.a) / size, Eigen::VectorXd::Zero(model.nv()), 1e-11);

  Rig<double> with_torque = rig;
  with_torque.a = tau;
  const auto accelerate = [&](Rig<Dual1>& dual) {
    VecX<Dual1> a(model.nv());
    EXPECT_TRUE(dual.accelerate(dual.a, a, dual_wrenches));
    return a;
  };
  // compared as M da, by the size of what is summed up
  const auto expect_slope = [&](const Eigen::MatrixXd& analytic, By by) {
    const Eigen::MatrixXd exact = by_duals(with_torque, by, accelerate);
    for (Eigen::Index c = 0; c < exact.cols(); ++c)
      expect_solved<double>(M, analytic.col(c), Eigen::VectorXd(M * exact.col(c)), 1e-9);
  };
  expect_slope(slope.dq, By::q);
  expect_slope(slope.dv, By::v);
  expect_slope(slope.dtau, By::a);
}

TEST(ForwardDynamicsDerivatives, are_those_of_dual_numbers_on_trees_of_all_joints) {
  for_each_robot(
      [](const Model& model, Random& random) { expect_forward_derivatives(model, random); }, 20);
}

TEST(ForwardDynamicsDerivatives, are_those_of_dual_numbers_on_every_embedded_robot) {
  for (const EmbeddedRobot& robot : embedded_robots()) {
    SCOPED_TRACE(robot.name);
    Random random(2);
    expect_forward_derivatives(load_robot(robot.name).model, random);
  }
}

// How they are solved for depends on mimicking joints and on the number of coordinates that are related.
TEST(InverseDynamicsDerivatives, are_those_of_dual_numbers_on_trees_without_mimicking_joints) {
  for (const double branching : {0.0, 0.3, 0.8})
    for_each_robot(expect_inverse_derivatives, 4, {.branching = branching, .mimic = 0.0});
}

TEST(ForwardDynamicsDerivatives, are_those_of_dual_numbers_on_trees_without_mimicking_joints) {
  for (const double branching : {0.0, 0.3, 0.8})
    for_each_robot(
        [](const Model& model, Random& random) {
          expect_forward_derivatives(model, random, Measure::share);
        },
        4, {.branching = branching, .mimic = 0.0});
}

TEST(ForwardDynamicsDerivatives, are_those_of_dual_numbers_on_chains_of_any_length) {
  for (const int joints : {1, 2, 3, 4, 5, 6, 15, 16, 17, 18, 19, 20, 33, 61}) {
    SCOPED_TRACE(joints);
    Random random(3);
    expect_forward_derivatives(load_robot("chain:" + std::to_string(joints)).model, random,
                               Measure::share);
  }
}

TEST(ForwardDynamicsDerivatives, of_a_long_tree_are_M_inverse_times_those_of_inverse_dynamics) {
  // so many coordinates are related that articulated bodies are solved for, on two branches
  const Model model = random_model(
      5, {.joints = 140, .kinds = {JointType::revolute}, .branching = 0.01, .mimic = 0.0});
  Random random(5);
  Rig<double> rig(model, random);
  ForwardDynamicsDerivatives<double> slope(model);
  ASSERT_TRUE(forward_derivatives(rig, rig.torque(), slope));
  const Eigen::MatrixXd M = slope.inverse.da;
  for (int c = 0; c < model.nv(); ++c) {
    expect_solved<double>(M, slope.dq.col(c), Eigen::VectorXd(-slope.inverse.dq.col(c)), 1e-9);
    expect_solved<double>(M, slope.dv.col(c), Eigen::VectorXd(-slope.inverse.dv.col(c)), 1e-9);
    expect_solved<double>(M, slope.dtau.col(c), Eigen::VectorXd::Unit(model.nv(), c), 1e-9);
  }
}

TEST(ForwardDynamicsDerivatives, are_refused_where_nothing_has_mass) {
  const Model model = random_model(1, {.mimic = 0.0});
  Random random(1);
  Rig<double> rig(model, random);
  rig.plant.set_inertial(Eigen::VectorXd::Zero(rig.plant.inertial_size()));
  rig.plant.armature.setZero();
  ForwardDynamicsDerivatives<double> slope(model);
  EXPECT_FALSE(forward_derivatives(rig, rig.a, slope));
}

TEST(InverseDynamicsDerivatives, need_arguments_of_the_right_size_and_finite) {
  const Model model = random_model(2);
  Random random(2);
  Rig<double> rig(model, random);
  DerivativeWorkspace<double> ws(model);
  ForwardDynamicsDerivatives<double> slope(model);
  Kinematics<double> at(model);
  const Eigen::VectorXd shorter = rig.a.head(model.nv() - 1);
  EXPECT_NE(told([&] { at.set(rig.q, rig.v, shorter); }).find("a has"), std::string::npos);
  EXPECT_NE(told([&] {
              (void)forward_dynamics_derivatives<double>(rig.plant, at, shorter, ws, slope);
            }).find("tau has"),
            std::string::npos);
  rig.v(0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(told([&] { at.set(rig.q, rig.v, rig.a); }).find("not finite"), std::string::npos);
  EXPECT_NE(told([&] {
              (void)forward_dynamics_derivatives<double>(rig.plant, at, rig.v, ws, slope);
            }).find("not finite"),
            std::string::npos);
  const Kinematics<double> other(random_model(2, {.joints = 3}));
  EXPECT_NE(told([&] {
              inverse_dynamics_derivatives<double>(rig.plant, other, ws, slope.inverse);
            }).find("the motion is of robot"),
            std::string::npos);
}

}  // namespace
}  // namespace ulna::test
