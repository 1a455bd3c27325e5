#include "ulna/constraints/loop_dynamics.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

#include "support/closed_loops.hpp"
#include "ulna/io/import.hpp"

// Forward and inverse dynamics of robots whose loops are closed, their derivatives, and impacts.
namespace ulna::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A robot with loops in motion, at any configuration: rows are met by accelerations there too.
struct LoopedRig {
  Loops& loops;
  Rig<double> rig;
  VectorXd tau, a, lambda;
  LoopWorkspace ws;
  std::vector<ExternalWrench<double>> wrenches;

  LoopedRig(Loops& l, Random& random)
      : loops(l),
        rig(l.model(), random),
        tau(random_v(l.model(), random, 10.0)),
        a(VectorXd::Zero(l.model().nv())),
        lambda(VectorXd::Zero(l.size())),
        ws(l),
        wrenches(random_wrenches<double>(l.model(), random)) {
    loops.set(rig.q, rig.v);
  }
  ConstraintReport accelerate() {
    return constrained_forward_dynamics(rig.plant, loops, tau, ws, a, lambda, wrenches);
  }
  MatrixXd M() {
    MatrixXd result(rig.nv(), rig.nv());
    mass_matrix<double>(rig.plant, loops.at(), rig.ws, result);
    return result;
  }
};

/// Fails unless x is y to a share of their size.
void expect_same(const MatrixXd& x, const MatrixXd& y, double share) {
  const double size = std::max({1e-3, x.cwiseAbs().maxCoeff(), y.cwiseAbs().maxCoeff()});
  EXPECT_LT((x - y).cwiseAbs().maxCoeff(), share * size);
}

/// The smallest singular value of a matrix by its largest.
double weakest(const MatrixXd& A) {
  const VectorXd s = A.jacobiSvd().singularValues();
  return s.tail<1>()(0) / s(0);
}

TEST(ConstrainedForwardDynamics, meets_newton_and_the_loops) {
  const int held = for_each_looped_robot(
      [](Loops& loops, Random& random) {
        LoopedRig r(loops, random);
        const ConstraintReport report = r.accelerate();
        EXPECT_TRUE(report) << to_string(report.status) << ", " << report.residual;
        const VectorXd needed = r.rig.torque(r.a, r.wrenches),
                       given = r.tau + loops.J().transpose() * r.lambda;
        expect_same(needed, given, 1e-8);
        const VectorXd drift = loops.acceleration();
        EXPECT_LT((loops.J() * r.a + drift).cwiseAbs().maxCoeff(),
                  1e-8 * (1.0 + drift.cwiseAbs().maxCoeff()));
      },
      6);
  EXPECT_GE(held, 45);  // of 60
}

// Gauss' principle: of all accelerations that keep the loops closed, the one nearest to that of the
// tree in the metric of M. Here by a basis of the motions that the loops allow, without forces.
TEST(ConstrainedForwardDynamics, is_nearest_to_the_free_motion_in_the_metric_of_mass) {
  for_each_looped_robot(
      [](Loops& loops, Random& random) {
        LoopedRig r(loops, random);
        ASSERT_TRUE(r.accelerate());
        const MatrixXd M = r.M(), J = loops.J(), N = J.fullPivLu().kernel();
        VectorXd free(r.rig.nv());
        ASSERT_TRUE(r.rig.accelerate(r.tau, free, r.wrenches));
        const VectorXd some =
            J.completeOrthogonalDecomposition().solve(-VectorXd(loops.acceleration()));
        const MatrixXd reduced = N.transpose() * M * N;
        const VectorXd y = reduced.ldlt().solve(N.transpose() * M * (free - some));
        expect_same(r.a, some + N * y, 1e-6);
      },
      4);
}

TEST(ConstrainedForwardDynamics, has_an_answer_at_a_dead_centre) {
  const Model model = flat_parallelogram();
  Loops loops(model, model.description().loops, neutral(model));
  Plant<double> plant(model);
  LoopWorkspace ws(loops);
  VectorXd a(3), lambda(2);
  const VectorXd tau{{1.0, 0.2, -0.3}};
  loops.set(VectorXd::Zero(3), VectorXd::Zero(3));
  const ConstraintReport report = constrained_forward_dynamics(plant, loops, tau, ws, a, lambda);
  EXPECT_TRUE(report) << to_string(report.status) << ", " << report.residual;
  // one of its two rows is the other, or nothing
  Eigen::FullPivLU<MatrixXd> lu(loops.J());
  lu.setThreshold(1e-9);
  EXPECT_EQ(lu.rank(), 1);
  EXPECT_LT((loops.J() * a).cwiseAbs().maxCoeff(), 1e-10);
  Rig<double> rig(model, VectorXd(VectorXd::Zero(3)), VectorXd(VectorXd::Zero(3)), a);
  expect_same(rig.torque(), tau + loops.J().transpose() * lambda, 1e-10);

  // moving there, rows ask for different accelerations: said, with what is left of them
  loops.set(VectorXd::Zero(3), VectorXd{{1.0, -2.0, -1.0}});
  const ConstraintReport moving = constrained_forward_dynamics(plant, loops, tau, ws, a, lambda);
  EXPECT_EQ(moving.status, ConstraintReport::Status::contradictory);
  EXPECT_GT(moving.residual, 0.1);
  EXPECT_TRUE(a.allFinite());
}

TEST(ConstrainedForwardDynamics, refuses_what_is_no_robot) {
  const Model model = load_robot("fourbar").model;
  Loops loops(model, model.description().loops, neutral(model));
  Plant<double> plant(model);
  plant.set_inertial(VectorXd::Zero(plant.inertial_size()));
  LoopWorkspace ws(loops);
  VectorXd a(3), lambda(2), none = VectorXd::Zero(3);
  loops.set(none, none);
  EXPECT_EQ(constrained_forward_dynamics(plant, loops, none, ws, a, lambda).status,
            ConstraintReport::Status::not_physical);
  VectorXd short_one(1);
  EXPECT_THROW((void)constrained_forward_dynamics(plant, loops, none, ws, a, short_one),
               std::invalid_argument);
}

TEST(LoopImpact, reflects_the_rates_of_gaps_and_keeps_or_loses_energy) {
  for_each_looped_robot(
      [](Loops& loops, Random& random) {
        LoopedRig r(loops, random);
        const MatrixXd M = r.M();
        VectorXd after(r.rig.nv()), impulse(loops.size());
        const VectorXd v = r.rig.v;
        for (const double e : {0.0, 0.4, 1.0}) {
          EXPECT_TRUE(loop_impact(r.rig.plant, loops, v, e, r.ws, after, impulse));
          expect_same(loops.J() * after, -e * (loops.J() * v), 1e-8);
          expect_same(M * (after - v), loops.J().transpose() * impulse, 1e-8);
          const VectorXd lost = VectorXd::Constant(1, v.dot(M * v) - after.dot(M * after)),
                         rows = VectorXd::Constant(1, -(1.0 - e) * impulse.dot(loops.J() * v));
          expect_close(lost, rows, 1e-7 * (1.0 + v.dot(M * v)));
        }
      },
      3);
}

TEST(ConstrainedInverseDynamics, makes_the_motion_by_the_least_torques_of_its_drives) {
  int asked = 0;
  for_each_looped_robot(
      [&](Loops& loops, Random& random) {
        LoopedRig r(loops, random);
        // of rows that differ by less, the squares count as dependent
        if (weakest(loops.J()) < 1e-4) return;
        ASSERT_TRUE(r.accelerate());
        const VectorXd a = r.a;
        const int n = r.rig.nv(), m = loops.size();
        loops.set(r.rig.q, r.rig.v, a);
        VectorXd strength(n), tau(n), lambda(m);
        for (double& s : strength) s = random.real(0.5, 2.0);
        const MatrixXd N = MatrixXd(loops.J()).fullPivLu().kernel();
        const VectorXd work = N.transpose() * r.rig.torque(a, r.wrenches);
        // all driven, then without half as many drives as there are rows
        for (int passive : {0, m / 2}) {
          for (int i = 0; i < passive; ++i) strength(n - 1 - 2 * i >= 0 ? n - 1 - 2 * i : 0) = 0.0;
          const ConstraintReport report = constrained_inverse_dynamics(
              r.rig.plant, loops, strength, r.ws, tau, lambda, r.wrenches);
          const MatrixXd D = strength.asDiagonal();
          Eigen::CompleteOrthogonalDecomposition<MatrixXd> drives(N.transpose() * D);
          if (weakest(N.transpose() * D) < 1e-3) continue;  // drives that hardly reach a motion
          ++asked;
          EXPECT_TRUE(report) << to_string(report.status) << ", " << report.residual;
          expect_same(tau, D * drives.solve(work), 1e-6);
          expect_same(tau + loops.J().transpose() * lambda, r.rig.torque(a, r.wrenches), 1e-7);
          for (int i = 0; i < n; ++i) EXPECT_TRUE(strength(i) > 0.0 || tau(i) == 0.0);
        }
      },
      4);
  EXPECT_GT(asked, 40);
}

TEST(ConstrainedInverseDynamics, says_what_drives_cannot_do) {
  const Model model = load_robot("fourbar").model;
  Loops loops(model, model.description().loops, neutral(model));
  Plant<double> plant(model);
  LoopWorkspace ws(loops);
  VectorXd tau(3), lambda(2);
  const VectorXd none = VectorXd::Zero(3);
  VectorXd q{{0.5, 0.0, 0.0}};
  ASSERT_TRUE(loops.close(q));
  loops.set(q, none, none);
  EXPECT_TRUE(
      constrained_inverse_dynamics(plant, loops, VectorXd{{1.0, 0.0, 0.0}}, ws, tau, lambda));
  EXPECT_EQ(tau(1), 0.0);
  const ConstraintReport report = constrained_inverse_dynamics(plant, loops, none, ws, tau, lambda);
  EXPECT_EQ(report.status, ConstraintReport::Status::contradictory);
  EXPECT_GT(report.residual, 1e-3);
}

TEST(ConstrainedDynamicsDerivatives, are_those_of_accelerations_and_forces) {
  const int held = for_each_looped_robot(
      [](Loops& loops, Random& random) {
        LoopedRig r(loops, random);
        // dry friction has no slope
        r.rig.plant.friction.setZero(), r.rig.plant.friction_negative.setZero();
        const int n = r.rig.nv(), m = loops.size();
        // rows that hardly differ make slopes that differences cannot follow
        if (weakest(loops.J()) < 0.05) return;
        LoopDerivativeWorkspace ws(loops);
        ConstrainedDynamicsDerivatives slopes(loops);
        const ConstraintReport report =
            constrained_dynamics_derivatives(r.rig.plant, loops, r.tau, ws, slopes, r.wrenches);
        ASSERT_TRUE(report) << report.residual;
        const VectorXd q = r.rig.q, v = r.rig.v, tau = r.tau;
        MatrixXd x(n + m, 3 * n), y(n + m, 3 * n);
        x << slopes.dq, slopes.dv, slopes.dtau, slopes.lambda_dq, slopes.lambda_dv,
            slopes.lambda_dtau;
        for (int k = 0; k < 3 * n; ++k) {
          const VectorXd e = VectorXd::Unit(n, k % n);
          y.col(k) = nine_point_derivative(
              [&](double by) {
                loops.set(k < n ? integrate(loops.model(), q, by * e) : q,
                          k / n == 1 ? VectorXd(v + by * e) : v);
                r.tau = k / n == 2 ? VectorXd(tau + by * e) : tau;
                EXPECT_TRUE(r.accelerate());
                VectorXd both(n + m);
                both << r.a, r.lambda;
                return both;
              },
              1e-3);
        }
        for (const int block : {0, n, 2 * n}) {
          expect_same(x.block(0, block, n, n), y.block(0, block, n, n), 1e-7);
          expect_same(x.block(n, block, m, n), y.block(n, block, m, n), 1e-7);
        }
      },
      3, 8);
  EXPECT_GE(held, 20);
}

}  // namespace
}  // namespace ulna::test
