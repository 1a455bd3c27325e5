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

/// Second derivatives of tau of inverse dynamics, and the first.
///
/// Derivatives by q are taken along the tangent space, one after the other: dqq(r, i, k) is the
/// change of dq(r, i) per unit displacement along k. Of joints with several degrees of freedom, it is
/// not the same the other way round.
template <Scalar T>
struct InverseDynamicsSecondDerivatives {
  explicit InverseDynamicsSecondDerivatives(const Model& model)
      : first(model), dqq(model.nv()), dvv(dqq), dqv(dqq), daq(dqq) {}

  InverseDynamicsDerivatives<T> first;
  Tensor3<T> dqq;  ///< (row, q, q)
  Tensor3<T> dvv;  ///< (row, v, v)
  Tensor3<T> dqv;  ///< (row, q, v)
  Tensor3<T> daq;  ///< (row, a, q): the mass matrix by q
};

/// Second derivatives of a of forward dynamics, and the first.
template <Scalar T>
struct ForwardDynamicsSecondDerivatives {
  explicit ForwardDynamicsSecondDerivatives(const Model& model)
      : first(model), dqq(model.nv()), dvv(dqq), dqv(dqq), dtauq(dqq), inverse(model) {}

  ForwardDynamicsDerivatives<T> first;
  Tensor3<T> dqq;    ///< (row, q, q)
  Tensor3<T> dvv;    ///< (row, v, v)
  Tensor3<T> dqv;    ///< (row, q, v)
  Tensor3<T> dtauq;  ///< (row, tau, q): the inverse of the mass matrix by q
  InverseDynamicsSecondDerivatives<T> inverse;  ///< those of inverse dynamics at the same motion
};

/// Scratch for second derivatives.
template <Scalar T>
class SecondDerivativeWorkspace {
 public:
  explicit SecondDerivativeWorkspace(const Model& model);

  /// How the rates of a direction o change, as its body sees it, when q or v of a direction k above
  /// it does.
  struct Changes {
    lanes::V6<T> first_by_q, second_by_q, first_by_v, second_by_v, both_by_q, both_by_v;
  };
  Changes& changes(int o, int k) {
    return changes_[static_cast<std::size_t>(o) * first.rates.size() + static_cast<std::size_t>(k)];
  }

  DerivativeWorkspace<T> first;
  std::vector<int> above;  ///< the directions that move a body, those of its joint first
  std::vector<lanes::V6<T>>
      I_S;  ///< of each of them, with the inertia of all that hangs on the body
  std::vector<lanes::V6<T>> turned;  ///< and how the direction in question turns it
  VecX<T> sum;

 private:
  std::vector<Changes> changes_;
};

/// The derivatives of inverse_dynamics_derivatives.
///
///     at.set(q, v, a);
///     inverse_dynamics_second_derivatives(plant, at, ws, out);   // out.dqq, .dvv, .dqv, .daq, .first
template <Scalar T>
void inverse_dynamics_second_derivatives(const Plant<T>& plant, const Kinematics<T>& at,
                                         SecondDerivativeWorkspace<T>& ws,
                                         InverseDynamicsSecondDerivatives<T>& out,
                                         ExternalWrenches<T> wrenches = {});

/// The derivatives of forward_dynamics_derivatives, from those of inverse dynamics: M a + ... = tau
/// differentiated twice. False, and nothing of use in out, if the mass matrix is not positive definite.
template <Scalar T>
[[nodiscard]] bool forward_dynamics_second_derivatives(const Plant<T>& plant,
                                                       const Kinematics<T>& at, In<T> tau,
                                                       SecondDerivativeWorkspace<T>& ws,
                                                       ForwardDynamicsSecondDerivatives<T>& out,
                                                       ExternalWrenches<T> wrenches = {});

}  // namespace ulna
