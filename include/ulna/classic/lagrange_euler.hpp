#pragma once

#include "ulna/classic/chain.hpp"

namespace ulna::classic {

/// The Lagrange-Euler formulation with 4x4 matrices (002, sec. 3.2):
///
///   D(q) q̈ + h(q, q̇) + c(q) = τ
///
///   D_ik   how the acceleration of joint k is felt at joint i: for i = k its effective inertia, else
///          the coupling, as much as joint i's acceleration is felt at joint k
///   h_ikm  what the velocities of joints k and m do at joint i: for k = m the centrifugal force of
///          joint k, else half of the Coriolis force of both; h_iii = 0, no joint feels its own
///   c_i    what the links beyond joint i weigh on it
template <Scalar T>
class LagrangeEuler {
 public:
  explicit LagrangeEuler(Chain<T> chain);
  const Chain<T>& chain() const { return chain_; }

  /// All matrices and coefficients at one q.
  class At {
   public:
    At(const LagrangeEuler& arm, const VecX<T>& q);

    /// ⁱA_j, frame j in frame i, i <= j (eq. 3.2-4).
    const Mat4<T>& A(int i, int j) const { return A_[i][j]; }
    /// U_ij = ∂ ⁰A_i/∂q_j = ⁰A_{j-1} Q_j ʲ⁻¹A_i (eq. 3.2-11), j <= i: how link i moves with joint j.
    const Mat4<T>& U(int i, int j) const { return U_[i][j]; }
    /// U_ijk = ∂U_ij/∂q_k (eq. 3.2-13), j, k <= i.
    Mat4<T> U(int i, int j, int k) const;

    MatX<T> D() const;               ///< eq. 3.2-31
    std::vector<MatX<T>> H() const;  ///< [i](k, m) is h_ikm (eqs. 3.2-33 and 3.2-36)
    VecX<T> c() const;               ///< eq. 3.2-34

   private:
    const LagrangeEuler& arm_;
    std::vector<std::vector<Mat4<T>>> A_, U_, UJ_;
  };
  /// It looks back at this object, which must stay.
  At at(const VecX<T>& q) const& { return At(*this, q); }
  At at(const VecX<T>& q) const&& = delete;

  /// The pseudo-inertia of link i (eq. 3.2-18, with the signs and halves that it lacks in print).
  const Mat4<T>& J(int i) const { return J_[i]; }

  MatX<T> mass_matrix(const VecX<T>& q) const { return at(q).D(); }
  VecX<T> gravity(const VecX<T>& q) const { return at(q).c(); }
  /// h(q, q̇) in two parts, Σ_k h_ikk q̇_k² and the rest.
  VecX<T> centrifugal(const VecX<T>& q, const VecX<T>& v) const;
  VecX<T> coriolis(const VecX<T>& q, const VecX<T>& v) const;
  VecX<T> bias(const VecX<T>& q, const VecX<T>& v) const;
  VecX<T> inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) const;

 private:
  Chain<T> chain_;
  std::vector<Mat4<T>> J_;
};

/// Q_i A (eqs. 3.2-8 and 3.2-9): the derivative of what joint i moves, by the frame before it. Rows
/// are moved; nothing is multiplied.
template <Scalar T>
Mat4<T> times_Q(bool slides, const Mat4<T>& A);

}  // namespace ulna::classic
