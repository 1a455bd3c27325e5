#pragma once

#include <Eigen/LU>
#include <span>

#include "ulna/constraints/loop_dynamics.hpp"

/// Dynamics of robots that touch what does not move, in modes that are given, and its derivatives:
///
///     M a + c = tau + Σ J'f,     stick: A = 0,     slide: n·A = 0, f = λ (n - mu t),
///
/// where A is the acceleration of the point that touches, J its Jacobian, n the normal and t the direction in which the point
/// slides. Which contact is in which mode is what World or a planner decides; here the equations are smooth.
///
///     ContactWorkspace ws(model, 4);
///     at.set(q, v);
///     if (!contact_forward_dynamics(plant, at, tau, contacts, ws, a, forces)) ...
///
/// Gaps and speeds are not pulled to zero: a point that sticks is taken to be at rest.
namespace ulna {

enum class ContactMode { stick, slide };

/// The origin of a frame touches a plane.
struct FrameContact {
  const Frame* frame = nullptr;                 ///< from Model::frame, or one's own
  Vec3<double> normal = Vec3<double>::UnitZ();  ///< out of what it touches, unit, in the world
  double friction = 0.8;                        ///< of one that slides
  ContactMode mode = ContactMode::stick;

  /// Unknowns: of one that sticks, the force in the world's axes; of one that slides, along the normal.
  int rows() const { return mode == ContactMode::stick ? 3 : 1; }
};

/// Scratch, for up to so many contacts at once. Made once, no call allocates.
class ContactWorkspace {
 public:
  ContactWorkspace(const Model& model, int most_contacts);

  int most_contacts() const { return static_cast<int>(J.rows()) / 3; }

  // rows of all contacts, those in use on top
  Workspace<double> dynamics;
  MassFactor<double> factor;
  Eigen::MatrixXd J;        ///< what is to be zero: J a + drift
  Eigen::MatrixXd F;        ///< what acts: tau + F'λ
  Eigen::MatrixXd X;        ///< M^-1 F', nv x rows
  Eigen::MatrixXd W;        ///< J X: not symmetric where a contact slides
  Eigen::MatrixXd frame_J;  ///< 6 x nv
  Eigen::VectorXd lambda, drift, left;
  std::vector<Vec3<double>> slides;  ///< directions, by contact

  /// lambda := W^-1 lambda by the proximal point method, as ProximalFactor. Returns the largest number that is left.
  double solve(int rows, Out<double> x);
  bool factor_rows(int rows);

 private:
  std::vector<Eigen::PartialPivLU<Eigen::MatrixXd>> factors_;  ///< by the number of rows
  std::vector<Eigen::MatrixXd> regular_;
  std::vector<Eigen::VectorXd> step_, sum_;
};

/// a, and the forces on the robot in the world's axes, at at.set(q, v). `not_physical` also where a contact slides that does not move
/// along its plane: it has no direction. Forces may pull; who chose the modes sees to that.
ConstraintReport contact_forward_dynamics(const Plant<double>& plant, const Kinematics<double>& at,
                                          In<double> tau, std::span<const FrameContact> contacts,
                                          ContactWorkspace& ws, Out<double> a,
                                          std::span<Vec3<double>> forces,
                                          ExternalWrenches<double> wrenches = {});

/// Derivatives of a and of λ (the unknowns of all contacts in their order) by q, v and tau, and by the friction coefficients of
/// contacts, one column each; of those that stick, zero.
struct ContactDynamicsDerivatives {
  ContactDynamicsDerivatives(const Model& model, int most_contacts);

  int rows = 0;  ///< of λ in use
  Eigen::VectorXd a, lambda;
  Eigen::MatrixXd dq, dv, dtau, dfriction;
  Eigen::MatrixXd lambda_dq, lambda_dv, lambda_dtau, lambda_dfriction;
  ForwardDynamicsDerivatives<double> tree;  ///< those with all forces held
};

class ContactDerivativeWorkspace {
 public:
  ContactDerivativeWorkspace(const Model& model, int most_contacts);

  ContactWorkspace contacts;
  DerivativeWorkspace<double> derivatives;
  std::vector<ExternalWrench<double>> wrenches;
  std::vector<Vec3<double>> forces;
  Eigen::MatrixXd V_dq, A_dq, A_dv;   ///< of a point
  Eigen::MatrixXd by_q, by_v;         ///< of rows
  Eigen::MatrixXd f_dq, f_dv, f_dmu;  ///< torques by forces that turn
};

/// With forces held, the tree's under them; then those of the directions of friction, which turn with the velocity; then
/// W dλ = -(J da + the change of the rows). At at.set(q, v); leaves it at (q, v, a).
ConstraintReport contact_dynamics_derivatives(const Plant<double>& plant, Kinematics<double>& at,
                                              In<double> tau,
                                              std::span<const FrameContact> contacts,
                                              ContactDerivativeWorkspace& ws,
                                              ContactDynamicsDerivatives& out,
                                              ExternalWrenches<double> wrenches = {});

}  // namespace ulna
