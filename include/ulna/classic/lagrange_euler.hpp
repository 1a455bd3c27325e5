#pragma once

#include "ulna/classic/chain.hpp"

namespace ulna::classic {

/// Q_i A (eqs. 3.2-8 and 3.2-9): the derivative of what joint i moves, by the frame before it. Rows
/// are moved; nothing is multiplied.
template <Scalar T>
Mat4<T> times_Q(bool slides, const Mat4<T>& A) {
  Mat4<T> QA = Mat4<T>::Zero();
  if (slides) {
    QA.row(2) = A.row(3);
  } else {
    QA.row(0) = -A.row(1);
    QA.row(1) = A.row(0);
  }
  return QA;
}

/// The Lagrange-Euler formulation with 4x4 matrices (Fu 1987, sec. 3.2):
///
///   D(q) q̈ + h(q, q̇) + c(q) = τ
///
///   D_ik   the torque at joint i per unit acceleration of joint k: for i = k its effective inertia,
///          else the coupling of both, which is symmetric
///   h_ikm  the torque at joint i by the velocities of joints k and m: for k = m the centrifugal force
///          of joint k, else half of the Coriolis force of both; h_iii = 0
///   c_i    the torque at joint i that holds the weight of the links beyond it
template <Scalar T>
class LagrangeEuler : public ClosedForm<T, LagrangeEuler<T>, Chain<T>> {
 public:
  explicit LagrangeEuler(Chain<T> chain)
      : ClosedForm<T, LagrangeEuler<T>, Chain<T>>(std::move(chain)) {
    for (int i = 0; i <= this->links().joint_count(); ++i)
      J_.push_back(pseudo_inertia(this->links().link(i).inertia));
  }

  /// All matrices and coefficients at one q.
  class At {
   public:
    At(const LagrangeEuler& arm, const VecX<T>& q)
        : arm_(arm),
          n_(arm.links().joint_count()),
          A_(n_ + 1, std::vector<Mat4<T>>(n_ + 1, Mat4<T>::Identity())),
          U_(n_ + 1, std::vector<Mat4<T>>(n_ + 1)),
          UJ_(U_) {
      require_size("q", q.size(), n_);
      for (int j = 1; j <= n_; ++j) {
        A_[j - 1][j] = arm.links().link(j).A(q(j - 1)).matrix();
        for (int i = 0; i < j - 1; ++i) A_[i][j] = A_[i][j - 1] * A_[j - 1][j];
      }
      for (int i = 1; i <= n_; ++i)
        for (int j = 1; j <= i; ++j) {
          U_[i][j] = from_base(j, times_Q<T>(slides(j), A_[j - 1][i]));
          UJ_[i][j] = U_[i][j] * arm.J(i);
        }
    }

    /// ⁱA_j, frame j in frame i, i <= j (eq. 3.2-4).
    const Mat4<T>& A(int i, int j) const { return A_[i][j]; }
    /// U_ij = ∂ ⁰A_i/∂q_j = ⁰A_{j-1} Q_j ʲ⁻¹A_i (eq. 3.2-11), j <= i: how link i moves with joint j.
    const Mat4<T>& U(int i, int j) const { return U_[i][j]; }
    /// U_ijk = ∂U_ij/∂q_k (eq. 3.2-13), j, k <= i.
    Mat4<T> U(int i, int j, int k) const {
      if (j > k) std::swap(j, k);
      // ⁰A_{j-1} Q_j ʲ⁻¹A_{k-1} is U_{k-1,j}, already computed
      const Mat4<T> moved = times_Q<T>(slides(k), A_[k - 1][i]);
      if (j < k) return U_[k - 1][j] * moved;
      return from_base(j, times_Q<T>(slides(j), moved));
    }

    /// eq. 3.2-31
    MatX<T> D() const {
      MatX<T> D(n_, n_);
      for (int i = 1; i <= n_; ++i)
        for (int k = i; k <= n_; ++k) {
          T sum = trace(UJ_[k][k], U_[k][i]);
          for (int j = k + 1; j <= n_; ++j) sum += trace(UJ_[j][k], U_[j][i]);
          D(i - 1, k - 1) = D(k - 1, i - 1) = sum;
        }
      return D;
    }
    /// [i](k, m) is h_ikm (eqs. 3.2-33 and 3.2-36).
    std::vector<MatX<T>> H() const {
      std::vector<MatX<T>> H(n_, MatX<T>::Zero(n_, n_));
      for (int j = 1; j <= n_; ++j)
        for (int k = 1; k <= j; ++k)
          for (int m = k; m <= j; ++m) {
            const Mat4<T> U_jkm = U(j, k, m);
            for (int i = 1; i <= j; ++i) H[i - 1](k - 1, m - 1) += trace(U_jkm, UJ_[j][i]);
          }
      for (MatX<T>& H_i : H) detail::make_symmetric(H_i);
      return H;
    }
    /// h_i = q̇'H_i q̇ (eq. 3.2-38)
    VecX<T> h(const VecX<T>& v) const {
      const std::vector<MatX<T>> H = this->H();
      VecX<T> h(n_);
      for (int i = 0; i < n_; ++i) h(i) = v.dot(H[i].lazyProduct(v));
      return h;
    }
    /// eq. 3.2-34
    VecX<T> c() const {
      VecX<T> c = VecX<T>::Zero(n_);
      for (int j = 1; j <= n_; ++j)
        for (int i = 1; i <= j; ++i) {
          // m_j r̄_j is the last column of J_j, and so U_ji m_j r̄_j that of U_ji J_j
          const Vec3<T> moved = UJ_[j][i].col(3).template head<3>();
          c(i - 1) -= arm_.links().gravity.dot(moved);
        }
      return c;
    }

   private:
    bool slides(int j) const { return arm_.links().link(j).slides; }
    Mat4<T> from_base(int j, const Mat4<T>& m) const {
      return j == 1 ? m : Mat4<T>(A_[0][j - 1] * m);
    }
    /// Tr(A B'): the products on the diagonal alone.
    static T trace(const Mat4<T>& A, const Mat4<T>& B) { return A.cwiseProduct(B).sum(); }

    const LagrangeEuler& arm_;
    int n_;
    std::vector<std::vector<Mat4<T>>> A_, U_, UJ_;
  };
  /// The pseudo-inertia of link i (eq. 3.2-18, with the signs and halves that it lacks in print).
  const Mat4<T>& J(int i) const { return J_[i]; }

  /// h(q, q̇) in two parts, Σ_k h_ikk q̇_k² and the rest.
  VecX<T> centrifugal(const VecX<T>& q, const VecX<T>& v) const {
    const std::vector<MatX<T>> H = this->at(q, v).H();
    VecX<T> h(v.size());
    for (int i = 0; i < v.size(); ++i) h(i) = H[i].diagonal().dot(v.cwiseProduct(v));
    return h;
  }
  VecX<T> coriolis(const VecX<T>& q, const VecX<T>& v) const {
    const std::vector<MatX<T>> H = this->at(q, v).H();
    VecX<T> h = VecX<T>::Zero(v.size());
    for (int i = 0; i < v.size(); ++i)
      for (int k = 0; k < v.size(); ++k)
        for (int m = k + 1; m < v.size(); ++m) h(i) += T(2) * H[i](k, m) * v(k) * v(m);
    return h;
  }

 private:
  std::vector<Mat4<T>> J_;
};

}  // namespace ulna::classic
