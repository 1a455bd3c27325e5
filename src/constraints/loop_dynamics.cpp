#include "ulna/constraints/loop_dynamics.hpp"

#include "constraints/not_physical.hpp"
#include "num/message.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"

namespace ulna {
namespace {

using Status = ConstraintReport::Status;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// What is left of a row counts as met up to this share of its terms.
constexpr double met = 1e-8;

ConstraintReport report(double residual, double size, int rounds) {
  if (!std::isfinite(residual)) return {Status::not_physical, residual, rounds};
  return {residual <= met * size ? Status::solved : Status::contradictory, residual, rounds};
}

void require_rows(const Loops& loops, const char* what, Index size) {
  detail::require_size(what, size, loops.size(), loops.model());
}

/// X = M^-1 J' and the factor of J X, M being factored.
bool factor_rows(const Loops& loops, LoopWorkspace& ws) {
  for (int i = 0; i < loops.size(); ++i) {
    ws.X.col(i) = loops.J().row(i).transpose();
    ws.factor.solve(ws.X.col(i));
  }
  ws.W.noalias() = loops.J().lazyProduct(ws.X);
  return ws.delassus.factor(ws.W);
}

}  // namespace

const char* to_string(ConstraintReport::Status status) {
  constexpr const char* names[] = {"solved", "contradictory", "not physical"};
  return names[int(status)];
}

LoopWorkspace::LoopWorkspace(const Loops& loops)
    : dynamics(loops.model()),
      factor(loops.model()),
      delassus(loops.size()),
      drives(loops.model().nv()),
      X(MatrixXd::Zero(loops.model().nv(), loops.size())),
      W(MatrixXd::Zero(loops.size(), loops.size())),
      P(MatrixXd::Zero(loops.model().nv(), loops.model().nv())),
      A(P),
      rows(VectorXd::Zero(loops.size())),
      joints(VectorXd::Zero(loops.model().nv())),
      z(joints) {}

ConstraintReport constrained_forward_dynamics(const Plant<double>& plant, const Loops& loops,
                                              In<double> tau, LoopWorkspace& ws, Out<double> a,
                                              Out<double> lambda,
                                              ExternalWrenches<double> wrenches) {
  require_rows(loops, "lambda", lambda.size());
  // the tree alone
  if (!mass_matrix_dynamics<double>(plant, loops.at(), tau, ws.factor, ws.dynamics, a, wrenches) ||
      !factor_rows(loops, ws))
    return detail::not_physical;
  // W λ = -(J a + dJ/dt v)
  ws.rows = loops.acceleration();
  ws.rows.noalias() -= loops.J().lazyProduct(loops.at().a());
  lambda = -ws.rows;
  lambda.noalias() -= loops.J().lazyProduct(a);
  const double size = ws.rows.lpNorm<Eigen::Infinity>() + lambda.lpNorm<Eigen::Infinity>();
  ws.delassus.solve(lambda);
  a.noalias() += ws.X.lazyProduct(lambda);
  ws.rows.noalias() += loops.J().lazyProduct(a);
  return report(ws.rows.lpNorm<Eigen::Infinity>(), size, ws.delassus.rounds());
}

ConstraintReport loop_impact(const Plant<double>& plant, const Loops& loops, In<double> v,
                             double restitution, LoopWorkspace& ws, Out<double> v_next,
                             Out<double> impulse) {
  const Model& model = loops.model();
  detail::require<double>("v", v, model.nv(), model);
  detail::require_size("v_next", v_next.size(), model.nv(), model);
  require_rows(loops, "impulse", impulse.size());
  messages::require(restitution >= 0.0 && restitution <= 1.0, "loop impact: the restitution is ",
                    restitution, "; it must be 0 to 1");
  if (!ws.factor.factor(plant, loops.at(), ws.dynamics) || !factor_rows(loops, ws))
    return detail::not_physical;
  ws.rows.noalias() = loops.J().lazyProduct(v);
  impulse = -(1.0 + restitution) * ws.rows;
  const double size = ws.rows.lpNorm<Eigen::Infinity>(), residual = ws.delassus.solve(impulse);
  v_next = v;
  v_next.noalias() += ws.X.lazyProduct(impulse);
  return report(residual, size, ws.delassus.rounds());
}

// Virtual work: with P onto the motions that loops allow, P D u = P tau. Torques D u are of drives, D having
// strengths on its diagonal, and u is shortest: u = D P z with P D² P z = P tau.
ConstraintReport drive_torques(const Loops& loops, In<double> strength, LoopWorkspace& ws,
                               Out<double> tau, Out<double> lambda) {
  const Model& model = loops.model();
  detail::require<double>("strength", strength, model.nv(), model);
  detail::require_size("tau", tau.size(), model.nv(), model);
  require_rows(loops, "lambda", lambda.size());
  const MatrixXd& J = loops.J();
  ws.W.noalias() = J.lazyProduct(J.transpose());
  if (!tau.allFinite() || !ws.delassus.factor(ws.W)) return detail::not_physical;
  for (Index k = 0; k < ws.P.cols(); ++k) {
    ws.rows = J.col(k);
    ws.delassus.solve(ws.rows);
    ws.P.col(k).noalias() = -J.transpose().lazyProduct(ws.rows);
    ws.P(k, k) += 1.0;
  }
  for (Index k = 0; k < ws.P.cols(); ++k) {
    ws.z = strength.cwiseAbs2().cwiseProduct(ws.P.col(k));
    ws.A.col(k).noalias() = ws.P.transpose().lazyProduct(ws.z);
  }
  if (!ws.drives.factor(ws.A)) return detail::not_physical;
  ws.z.noalias() = ws.P.lazyProduct(tau);
  ws.drives.solve(ws.z);
  // what the drives leave, forces through the loops carry
  ws.joints = tau;
  const double size = ws.joints.lpNorm<Eigen::Infinity>();
  tau.noalias() = ws.P.lazyProduct(ws.z);
  tau.array() *= strength.array().square();
  ws.joints -= tau;
  lambda.noalias() = J.lazyProduct(ws.joints);
  ws.delassus.solve(lambda);
  ws.joints.noalias() -= J.transpose().lazyProduct(lambda);
  return report(ws.joints.lpNorm<Eigen::Infinity>(), size, ws.drives.rounds());
}

ConstraintReport constrained_inverse_dynamics(const Plant<double>& plant, const Loops& loops,
                                              In<double> strength, LoopWorkspace& ws,
                                              Out<double> tau, Out<double> lambda,
                                              ExternalWrenches<double> wrenches) {
  inverse_dynamics<double>(plant, loops.at(), ws.dynamics, tau, wrenches);
  return drive_torques(loops, strength, ws, tau, lambda);
}

ConstrainedDynamicsDerivatives::ConstrainedDynamicsDerivatives(const Loops& loops)
    : a(VectorXd::Zero(loops.model().nv())),
      lambda(VectorXd::Zero(loops.size())),
      dq(MatrixXd::Zero(a.size(), a.size())),
      dv(dq),
      dtau(dq),
      lambda_dq(MatrixXd::Zero(loops.size(), a.size())),
      lambda_dv(lambda_dq),
      lambda_dtau(lambda_dq),
      tree(loops.model()) {}

LoopDerivativeWorkspace::LoopDerivativeWorkspace(const Loops& l)
    : loops(l),
      derivatives(l.model()),
      torque_slope(MatrixXd::Zero(l.model().nv(), l.model().nv())),
      by_q(MatrixXd::Zero(l.size(), l.model().nv())),
      by_v(by_q),
      tau(VectorXd::Zero(l.model().nv())) {}

ConstraintReport constrained_dynamics_derivatives(const Plant<double>& plant, Loops& loops,
                                                  In<double> tau, LoopDerivativeWorkspace& ws,
                                                  ConstrainedDynamicsDerivatives& out,
                                                  ExternalWrenches<double> wrenches) {
  const ConstraintReport found =
      constrained_forward_dynamics(plant, loops, tau, ws.loops, out.a, out.lambda, wrenches);
  if (found.status == Status::not_physical) return found;
  ws.tau = tau;
  ws.tau.noalias() += loops.J().transpose().lazyProduct(out.lambda);
  if (!forward_dynamics_derivatives<double>(plant, loops.at(), ws.tau, ws.derivatives, out.tree,
                                            wrenches))
    return detail::not_physical;
  loops.set(loops.at().q(), loops.at().v(), out.a);
  loops.torque_slope(out.lambda, ws.torque_slope);
  loops.acceleration_slopes(ws.by_q, ws.by_v);

  // with λ held
  const MatrixXd &M_inverse = out.tree.dtau, &J = loops.J();
  out.dq = out.tree.dq, out.dv = out.tree.dv, out.dtau = M_inverse;
  out.dq.noalias() += M_inverse.lazyProduct(ws.torque_slope);
  // and what λ does so that rows stay met
  const auto close = [&](const MatrixXd* moved, MatrixXd& slope, MatrixXd& by) {
    by.noalias() = -J.lazyProduct(slope);
    if (moved) by -= *moved;
    for (Index k = 0; k < by.cols(); ++k) ws.loops.delassus.solve(by.col(k));
    slope.noalias() += ws.loops.X.lazyProduct(by);
  };
  close(&ws.by_q, out.dq, out.lambda_dq);
  close(&ws.by_v, out.dv, out.lambda_dv);
  close(nullptr, out.dtau, out.lambda_dtau);
  return found;
}

}  // namespace ulna
