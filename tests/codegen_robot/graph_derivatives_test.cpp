#include "support/derivatives.hpp"
#include "support/traced.hpp"
#include "ulna/codegen/differentiate.hpp"
#include "ulna/codegen/robot/robot_functions.hpp"
#include "ulna/io/import.hpp"

// What is differentiated on the graph is what the analytic derivatives are.
namespace ulna::test {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

constexpr Differentiation ways[] = {Differentiation::forward, Differentiation::reverse,
                                    Differentiation::shorter};

/// Robots whose coordinates are numbers: derivatives by q are those along the tangent space.
template <class Law>
void for_each_arm(Law law) {
  for (const char* name : {"panda", "ur5e", "stanford"}) {
    SCOPED_TRACE(name);
    Random random(1);
    law(load_robot(name).model, random);
  }
  for_each_model(law, {.joints = 6, .kinds = single_kinds}, 4);
}

TEST(GraphDerivatives, of_inverse_dynamics_are_the_analytic_ones) {
  for_each_arm([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    const int n = rig.nv();
    const Vectors in{list(rig.q), list(rig.v), list(rig.a)};
    const Vectors did = interpret(trace(model, RobotFunction::did), in);
    MatrixXd exact(n, 3 * n);
    exact << matrix(did[1], n), matrix(did[2], n), matrix(did[3], n);
    for (const Differentiation how : ways) {
      const Traced slope =
          jacobian(trace(model, RobotFunction::id), "tau", {"q", "v", "a"}, {.how = how});
      expect_close(matrix(interpret(slope, in)[1], n), exact, 1e-12);
    }
  });
}

TEST(GraphDerivatives, by_velocity_and_acceleration_hold_for_all_joints) {
  for_each_robot(
      [](const Model& model, Random& random) {
        Rig<double> rig(model, random);
        const int n = rig.nv();
        const Vectors in{list(rig.q), list(rig.v), list(rig.a)};
        const InverseDynamicsDerivatives<double> exact = inverse_derivatives(rig);
        MatrixXd both(n, 2 * n);
        both << exact.dv, exact.da;
        const Traced id = trace(model, RobotFunction::id);
        for (const Differentiation how : ways)
          expect_close(matrix(interpret(jacobian(id, "tau", {"v", "a"}, {.how = how}), in)[1], n),
                       both, 1e-12);
      },
      3, {.joints = 6});
}

TEST(GraphDerivatives, of_forward_dynamics_are_the_analytic_ones) {
  for_each_arm([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    const int n = rig.nv();
    const VectorXd tau = rig.torque();
    const MatrixXd M = rig.mass();
    ForwardDynamicsDerivatives<double> exact(model);
    ASSERT_TRUE(forward_derivatives(rig, tau, exact));
    MatrixXd slope(n, 3 * n);
    slope << exact.dq, exact.dv, exact.dtau;
    const Traced fd = trace(model, RobotFunction::fd);
    for (const Differentiation how : ways) {
      const Vectors got = interpret(jacobian(fd, "a", {"q", "v", "tau"}, {.how = how}),
                                    {list(rig.q), list(rig.v), list(tau)});
      // compared as M a: a light joint may magnify rounding
      const MatrixXd J = matrix(got[1], n);
      for (Eigen::Index c = 0; c < J.cols(); ++c)
        expect_solved<double>(M, J.col(c), M * slope.col(c), 1e-12);
    }
  });
}

TEST(GraphDerivatives, weighted_hessians_are_the_contracted_second_derivatives) {
  for_each_arm([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    const int n = rig.nv();
    const VectorXd weights = random_tangent<double>(model, random);
    const InverseDynamicsSecondDerivatives<double> curve = inverse_second_derivatives(rig);
    MatrixXd qq(n, n), vv(n, n), qv(n, n), aq(n, n);
    curve.dqq.contract(weights, qq);
    curve.dvv.contract(weights, vv);
    curve.dqv.contract(weights, qv);
    curve.daq.contract(weights, aq);
    MatrixXd exact(3 * n, 3 * n);
    exact << qq, qv, aq.transpose(), qv.transpose(), vv, MatrixXd::Zero(n, n), aq,
        MatrixXd::Zero(n, 2 * n);
    const Traced sum = weighted_sum(trace(model, RobotFunction::id), "tau");
    for (const Differentiation how : ways) {
      const Traced H = hessian(sum, "tau_sum", {"q", "v", "a"}, {.how = how});
      const Vectors got = interpret(H, {list(rig.q), list(rig.v), list(rig.a), list(weights)});
      expect_close(matrix(got[2], 3 * n), exact, 1e-12);
    }
  });
}

/// The elements of a Jacobian that are not zero somewhere.
Sparsity nonzeros(const Traced& J, const Model& model, int states) {
  const Traced::Vector& out = J.outputs()[1];
  MatrixXd most = MatrixXd::Zero(out.rows(), out.columns);
  Random random(1);
  for (int i = 0; i < states; ++i)
    most = most.cwiseMax(
        matrix(interpret(J, {list(random_q(model, random))})[1], most.rows()).cwiseAbs());
  Sparsity found{out.rows(), out.columns};
  for (int c = 0; c < out.columns; ++c) {
    for (int r = 0; r < out.rows(); ++r)
      if (most(r, c) > 1e-9) found.rows_of.push_back(r);
    found.column_starts.push_back(found.nonzeros());
  }
  return found;
}

TEST(GraphDerivatives, of_the_mass_matrix_have_the_pattern_of_what_is_not_zero) {
  // a tree without symmetry: M(i, j) changes with the joints below the upper of the two, as far as
  // they are above or below the lower one
  for_each_model(
      [](const Model& model, Random&) {
        const Traced M = trace(model, RobotFunction::M);
        EXPECT_EQ(dependence(M, "M", {"q"}), nonzeros(jacobian(M, "M", {"q"}), model, 3));
      },
      {.joints = 6, .kinds = {JointType::revolute}, .mimic = 0.0}, 4);
}

TEST(GraphDerivatives, of_the_panda_take_few_operations) {
  const Model panda = load_robot("panda").model;
  const Traced id = trace(panda, RobotFunction::id), fd = trace(panda, RobotFunction::fd);
  const auto count = [](const Traced& f, const char* of, const std::vector<std::string>& by,
                        Differentiation how) {
    return jacobian(f, of, by, {.how = how}).operation_count();
  };
  EXPECT_LE(count(id, "tau", {"q", "v", "a"}, Differentiation::reverse), 4700);
  EXPECT_LE(count(id, "tau", {"q", "v", "a"}, Differentiation::forward), 6600);
  EXPECT_LE(count(id, "tau", {"q", "v", "a"}, Differentiation::shorter), 4700);
  EXPECT_LE(count(fd, "a", {"q", "v", "tau"}, Differentiation::shorter), 9700);
  EXPECT_LE(hessian(weighted_sum(id, "tau"), "tau_sum", {"q", "v"}).operation_count(), 8300);
}

}  // namespace
}  // namespace ulna::test
