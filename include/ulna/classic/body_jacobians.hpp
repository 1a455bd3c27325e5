#pragma once

#include "ulna/classic/arm.hpp"

namespace ulna::classic {

/// Each link's Jacobian in its own frame, J_i with V_i = J_i q̇ (001, rem. 4.1.1; 003): column j is
/// the screw axis of joint j as seen from link i, and nothing where joint j does not move link i.
template <Scalar T>
class BodyJacobians {
 public:
  BodyJacobians(const Arm<T>& arm, const VecX<T>& q);

  const Twist<T>& column(int i, int j) const { return J_[i][j]; }
  /// ∂(column j of J_i)/∂q_k: it turns with the joints k between it and the link. For j before k on
  /// the path to link i it is the Lie bracket [J_ij, J_ik], else nothing.
  Twist<T> derivative(int i, int j, int k) const;
  const Rotation<T>& orientation(int i) const { return R_[i]; }  ///< of link i in the base

 private:
  std::vector<std::vector<Twist<T>>> J_;
  std::vector<Rotation<T>> R_;
};

/// Lagrange's equations with the kinetic energy written by body Jacobians (003):
///
///   M(q) q̈ + C(q, q̇) q̇ + N(q) = τ,   M = Σ J_i' M_i J_i,   N = ∂V/∂q,
///   C_ij = Σ_k Γ_ijk q̇_k,   Γ_ijk = ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_kj/∂q_i)
///
/// M_i is the spatial inertia of link i in its own frame (001, eq. 4.10), in place of 003's frame at
/// the centre of mass: then everything is linear in the ten parameters, and nothing is divided.
template <Scalar T>
class Lagrangian {
 public:
  explicit Lagrangian(Arm<T> arm) : arm_(std::move(arm)) {}
  const Arm<T>& arm() const { return arm_; }

  MatX<T> mass_matrix(const VecX<T>& q) const;
  /// [k] is ∂M/∂q_k, k = 0 .. n-1.
  std::vector<MatX<T>> mass_matrix_derivatives(const VecX<T>& q) const;
  /// Γ_ijk as [i](j, k): symmetric in j and k.
  std::vector<MatX<T>> christoffel(const VecX<T>& q) const;
  /// C(q, q̇) by Christoffel symbols: Ṁ - 2C is skew.
  MatX<T> coriolis(const VecX<T>& q, const VecX<T>& v) const;
  /// N(q): what holds the arm against gravity.
  VecX<T> gravity(const VecX<T>& q) const;
  /// V(q) = -Σ m_i g'r_i, from the origin of the base.
  T potential_energy(const VecX<T>& q) const;

  VecX<T> bias(const VecX<T>& q, const VecX<T>& v) const;
  VecX<T> inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) const;

 private:
  Arm<T> arm_;
};

/// The same equations as a sum over the bodies (001, eq. 4.7 and 4.8), reached from Newton and Euler:
///
///   τ = Σ J_i'I_i J_i q̈ + Σ J_i'(I_i J̇_i + I_i [V_i x] J_i + [V_i x*] I_i J_i) q̇ - Σ J_i'I_i A_g
///
/// Its C needs no Christoffel symbols, and Ṁ - 2C is skew too: I[V x] + [V x*]I = I[V x] - (I[V x])'.
template <Scalar T>
class SumForm {
 public:
  explicit SumForm(Arm<T> arm) : arm_(std::move(arm)) {}
  const Arm<T>& arm() const { return arm_; }

  MatX<T> mass_matrix(const VecX<T>& q) const;
  MatX<T> coriolis(const VecX<T>& q, const VecX<T>& v) const;
  VecX<T> gravity(const VecX<T>& q) const;
  VecX<T> bias(const VecX<T>& q, const VecX<T>& v) const;
  VecX<T> inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) const;

 private:
  Arm<T> arm_;
};

}  // namespace ulna::classic
