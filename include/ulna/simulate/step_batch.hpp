#pragma once

#include "ulna/dynamics/batch.hpp"
#include "ulna/simulate/step.hpp"

namespace ulna {

/// Steps of many states at once, in the manner of Batch: several in the lanes of SIMD registers,
/// and those on several threads. For robots whose q is a plain vector.
///
///     StepBatch batch(model, Integrator::rk4);
///     bool possible = batch.step(plant, Q, V, Tau, h, Q_next, V_next);
class StepBatch {
 public:
  using In = Batch::In;
  using Out = Batch::Out;
  using Durations = const Eigen::Ref<const Eigen::VectorXd>&;

  /// Throws std::invalid_argument if q is no plain vector. threads = 0: as many as there are cores.
  StepBatch(const Model& model, Integrator integrator, int threads = 1);
  ~StepBatch();
  StepBatch(StepBatch&&) noexcept;
  StepBatch& operator=(StepBatch&&) noexcept;

  static bool serves(const Model& model);

  /// Each column by a step of its own duration h, as of Step. False if that is impossible for any of
  /// them; then the results mean nothing.
  [[nodiscard]] bool step(const Plant<double>& plant, In Q, In V, In Tau, Durations h, Out Q_next,
                          Out V_next);
  /// The same, and in each column of F (2 nv 3 nv x N) the matrix of
  ///
  ///     (δq_next, δv_next) = F (δtau, δq, δv),
  ///
  /// in one piece: B and A of StepDerivatives side by side.
  [[nodiscard]] bool differentiate(const Plant<double>& plant, In Q, In V, In Tau, Durations h,
                                   Out Q_next, Out V_next, Out F);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ulna
