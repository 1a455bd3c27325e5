#pragma once

#include "ulna/derivatives/derivatives.hpp"

namespace ulna {

/// An n x n x n array: (row, first column, second column).
template <class T>
class Tensor3 {
 public:
  explicit Tensor3(int n) : n_(n), numbers_(MatX<T>::Zero(n, static_cast<Eigen::Index>(n) * n)) {}

  T& operator()(int row, int first, int second) { return numbers_(row, first + n_ * second); }
  const T& operator()(int row, int first, int second) const {
    return numbers_(row, first + n_ * second);
  }
  /// All rows for a pair of columns, in one piece.
  T* column(int first, int second) { return numbers_.data() + n_ * (first + n_ * second); }
  /// All for one second column: n x n.
  auto slice(int second) const { return numbers_.middleCols(n_ * second, n_); }
  /// Σ_row weights(row) (row, ., .): an n x n matrix, what optimal control needs.
  void contract(In<T> weights, OutMatrix<T> sum) const {
    for (int s = 0; s < n_; ++s)
      for (int f = 0; f < n_; ++f) {
        T total(0);
        for (int r = 0; r < n_; ++r) total += weights(r) * (*this)(r, f, s);
        sum(f, s) = total;
      }
  }
  void set_zero() {
    for (int s = 0; s < n_; ++s) numbers_.middleCols(n_ * s, n_).setZero();
  }
  int size() const { return n_; }

 private:
  int n_;
  MatX<T> numbers_;
};

/// The derivatives of InverseDynamicsDerivatives: second derivatives of tau. Made once, it allocates
/// no more.
///
///     InverseDynamicsSecondDerivatives<double> curve(model);
///     curve(plant, q, v, a);      // then read curve.dqq, .dvv, .dqv and .daq, and curve.first
///
/// Derivatives by q are taken along the tangent space, one after the other: dqq(r, i, k) is the
/// change of dq(r, i) per unit displacement along k. Of joints with several degrees of freedom, it is
/// not the same the other way round.
template <Scalar T>
class InverseDynamicsSecondDerivatives {
 public:
  explicit InverseDynamicsSecondDerivatives(const Model& model);

  void operator()(const Plant<T>& plant, In<T> q, In<T> v, In<T> a,
                  ExternalWrenches<T> wrenches = {});

  InverseDynamicsDerivatives<T> first;
  Tensor3<T> dqq;  ///< (row, q, q)
  Tensor3<T> dvv;  ///< (row, v, v)
  Tensor3<T> dqv;  ///< (row, q, v)
  Tensor3<T> daq;  ///< (row, a, q): the mass matrix by q

 private:
  using V6 = lanes::V6<T>;

  /// How the rates of a direction o change, as its body sees it, when q or v of a direction k above
  /// it does.
  struct Changes {
    V6 first_by_q, second_by_q, first_by_v, second_by_v, both_by_q, both_by_v;
  };
  void pair_changes();
  void differentiate(int direction);
  void differentiate(const ExternalWrench<T>& wrench);
  Changes& changes(int o, int k) { return changes_[static_cast<std::size_t>(o * count_ + k)]; }

  int count_;  ///< directions
  std::vector<Changes> changes_;
  std::vector<int> above_;  ///< scratch: the directions that move a body, its own first
  std::vector<V6> felt_;    ///< scratch: what each of them does to all that hangs on the body,
  std::vector<V6> turned_;  ///< and how it is carried along
};

/// Second derivatives of forward dynamics, from those of inverse dynamics: what M a + ... = tau says
/// when it is differentiated twice.
template <Scalar T>
class ForwardDynamicsSecondDerivatives {
 public:
  explicit ForwardDynamicsSecondDerivatives(const Model& model);

  /// False, and nothing changed, if the mass matrix is not positive definite.
  [[nodiscard]] bool operator()(const Plant<T>& plant, In<T> q, In<T> v, In<T> tau,
                                ExternalWrenches<T> wrenches = {});

  ForwardDynamicsDerivatives<T> first;
  Tensor3<T> dqq;    ///< (row, q, q)
  Tensor3<T> dvv;    ///< (row, v, v)
  Tensor3<T> dqv;    ///< (row, q, v)
  Tensor3<T> dtauq;  ///< (row, tau, q): the inverse of the mass matrix by q

 private:
  InverseDynamicsSecondDerivatives<T> inverse_;
  VecX<T> sum_;
};

}  // namespace ulna
