#pragma once

#include "ulna/dynamics/batch.hpp"

namespace ulna {

/// Derivatives and regressors of many states at once, in the manner of Batch: a state is a column,
/// matrices are in one piece per column, and the results are the same for any number of threads.
///
///     DerivativeBatch batch(model);
///     batch.inverse_dynamics(plant, Q, V, A, dQ, dV, dA);     // each nv nv x N
class DerivativeBatch {
 public:
  using In = Batch::In;
  using Out = Batch::Out;

  /// threads = 0: as many as there are cores.
  explicit DerivativeBatch(const Model& model, int threads = 0);
  ~DerivativeBatch();
  DerivativeBatch(DerivativeBatch&&) noexcept;
  DerivativeBatch& operator=(DerivativeBatch&&) noexcept;

  /// dQ, dV, dA (nv nv x N): as of InverseDynamicsDerivatives, column by column.
  void inverse_dynamics(const Plant<double>& plant, In Q, In V, In A, Out dQ, Out dV, Out dA);
  /// dQ, dV, dTau (nv nv x N): as of ForwardDynamicsDerivatives. False, and NaN in the columns
  /// concerned, where the mass matrix is not positive definite.
  [[nodiscard]] bool forward_dynamics(const Plant<double>& plant, In Q, In V, In Tau, Out dQ,
                                      Out dV, Out dTau);
  /// Y (nv 10 joint_count x N): as of torque_regressor, row by row.
  void torque_regressor(In Q, In V, In A, Out Y);

  int threads() const;
  int lanes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ulna
