#pragma once

#include "ulna/constraints/loops.hpp"
#include "ulna/constraints/proximal_factor.hpp"
#include "ulna/derivatives/derivatives.hpp"

/// Dynamics of robots whose loops are closed:
///
///     M a + c = tau + J'λ,     J a + dJ/dt v = 0,
///
/// by the factor of M, which is as sparse as the tree, and the Delassus matrix W = J M^-1 J' of the
/// rows [Featherstone 2008, ch. 8]. Where rows depend on each other, as at a dead centre, W is
/// singular, and ProximalFactor finds the accelerations all the same.
///
///     Loops loops(model, model.description().loops, neutral(model));
///     LoopWorkspace ws(loops);
///     loops.set(q, v);
///     if (!constrained_forward_dynamics(plant, loops, tau, ws, a, lambda)) ...
///
/// Gaps are not pulled together: q and v are taken to be closed, or project them before.
namespace ulna {

/// How well constraints are met.
struct ConstraintReport {
  enum class Status {
    solved,
    contradictory,  ///< no answer meets all rows; the one returned leaves least
    not_physical,   ///< the mass matrix is not positive definite, or a number not finite: no answer
  };
  Status status = Status::solved;
  double residual = 0.0;  ///< the largest row that is left, in its own unit
  int rounds = 0;         ///< of the proximal method

  explicit operator bool() const { return status == Status::solved; }
};
const char* to_string(ConstraintReport::Status status);

/// Scratch, as Workspace is for trees. Made once, no call allocates.
class LoopWorkspace {
 public:
  explicit LoopWorkspace(const Loops& loops);

  Workspace<double> dynamics;
  MassFactor<double> factor;
  ProximalFactor delassus, drives;
  Eigen::MatrixXd X;     ///< M^-1 J'
  Eigen::MatrixXd W;     ///< J X
  Eigen::MatrixXd P, A;  ///< onto what loops leave free, and what drives do there
  Eigen::VectorXd rows, joints, z;
};

/// a and λ under torques, at loops.set(q, v). Writes a (nv) and lambda (loops.size()).
ConstraintReport constrained_forward_dynamics(const Plant<double>& plant, const Loops& loops,
                                              In<double> tau, LoopWorkspace& ws, Out<double> a,
                                              Out<double> lambda,
                                              ExternalWrenches<double> wrenches = {});

/// An impact on the loops: v⁺ with J v⁺ = -restitution J v, and the impulses through the joints that close them. At
/// loops.set(q). With restitution 0 it is the velocity nearest to v, in kinetic energy, at which loops stay closed.
ConstraintReport loop_impact(const Plant<double>& plant, const Loops& loops, In<double> v,
                             double restitution, LoopWorkspace& ws, Out<double> v_next,
                             Out<double> impulse);

/// Replaces torques of the tree by those of its drives that move the closed robot alike: as forces through the loops do no
/// work, torques tau - J'λ are as good as tau for any λ, and these make Σ (tau_i / strength_i)² least. A joint of strength 0
/// has no drive and gets exactly 0. `contradictory` if the drives cannot do it: residual is then the largest torque that is
/// missing. At loops.set(q). Changes tau (nv), writes lambda.
ConstraintReport drive_torques(const Loops& loops, In<double> strength, LoopWorkspace& ws,
                               Out<double> tau, Out<double> lambda);

/// Torques of a motion that keeps the loops closed, at loops.set(q, v, a): tau = ID(q, v, a) - J'λ, least as above. Writes
/// tau (nv) and lambda.
ConstraintReport constrained_inverse_dynamics(const Plant<double>& plant, const Loops& loops,
                                              In<double> strength, LoopWorkspace& ws,
                                              Out<double> tau, Out<double> lambda,
                                              ExternalWrenches<double> wrenches = {});

/// d(a, λ) / d(q, v, tau) of constrained_forward_dynamics, and a and λ themselves.
struct ConstrainedDynamicsDerivatives {
  explicit ConstrainedDynamicsDerivatives(const Loops& loops);

  Eigen::VectorXd a, lambda;
  Eigen::MatrixXd dq, dv, dtau;
  Eigen::MatrixXd lambda_dq, lambda_dv, lambda_dtau;
  ForwardDynamicsDerivatives<double> tree;  ///< those under tau + J'λ, with λ held
};

class LoopDerivativeWorkspace {
 public:
  explicit LoopDerivativeWorkspace(const Loops& loops);

  LoopWorkspace loops;
  DerivativeWorkspace<double> derivatives;
  Eigen::MatrixXd torque_slope, by_q, by_v;
  Eigen::VectorXd tau;
};

/// By differentiating the equations: with λ held, those of the tree under tau + J'λ; then
/// W dλ = -(J da + the change of J a + dJ/dt v). At loops.set(q, v); leaves loops at (q, v, a).
ConstraintReport constrained_dynamics_derivatives(const Plant<double>& plant, Loops& loops,
                                                  In<double> tau, LoopDerivativeWorkspace& ws,
                                                  ConstrainedDynamicsDerivatives& out,
                                                  ExternalWrenches<double> wrenches = {});

}  // namespace ulna
