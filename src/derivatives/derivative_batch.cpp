#include "ulna/derivatives/derivative_batch.hpp"

#include "derivative_kernel.hpp"

namespace ulna {

using detail::columns;
using detail::DerivativeKernel;

struct DerivativeBatch::State : detail::KernelPool<DerivativeKernel> {
  State(const Model& robot, int threads)
      : KernelPool(robot, threads, detail::widest_derivative_kernel()) {}

  void require_states(const char* third, const In& Q, const In& V, const In& X) const {
    require_numbers("Q", Q, model.nq(), Q.cols());
    require_numbers("V", V, model.nv(), Q.cols());
    require_numbers(third, X, model.nv(), Q.cols());
  }
};

DerivativeBatch::DerivativeBatch(const Model& model, int threads)
    : state_(std::make_unique<State>(model, threads)) {}
DerivativeBatch::~DerivativeBatch() = default;
DerivativeBatch::DerivativeBatch(DerivativeBatch&&) noexcept = default;
DerivativeBatch& DerivativeBatch::operator=(DerivativeBatch&&) noexcept = default;

int DerivativeBatch::threads() const { return state_->pool.size(); }
int DerivativeBatch::lanes() const { return state_->kernels[0]->lanes(); }

void DerivativeBatch::inverse_dynamics(const Plant<double>& plant, In Q, In V, In A, Out dQ, Out dV,
                                       Out dA) {
  const int size = state_->model.nv() * state_->model.nv();
  state_->require_states("A", Q, V, A);
  state_->require_columns("dQ", dQ, size, Q.cols());
  state_->require_columns("dV", dV, size, Q.cols());
  state_->require_columns("dA", dA, size, Q.cols());
  state_->set_plant(plant);
  state_->each_run(Q.cols(), [&](DerivativeKernel& kernel, int begin, int end) {
    kernel.inverse_dynamics(begin, end, columns(Q), columns(V), columns(A), columns(dQ),
                            columns(dV), columns(dA));
  });
}

bool DerivativeBatch::forward_dynamics(const Plant<double>& plant, In Q, In V, In Tau, Out dQ,
                                       Out dV, Out dTau) {
  const int size = state_->model.nv() * state_->model.nv();
  state_->require_states("Tau", Q, V, Tau);
  state_->require_columns("dQ", dQ, size, Q.cols());
  state_->require_columns("dV", dV, size, Q.cols());
  state_->require_columns("dTau", dTau, size, Q.cols());
  state_->set_plant(plant);
  std::atomic<bool> good = true;
  state_->each_run(Q.cols(), [&](DerivativeKernel& kernel, int begin, int end) {
    if (!kernel.forward_dynamics(begin, end, columns(Q), columns(V), columns(Tau), columns(dQ),
                                 columns(dV), columns(dTau)))
      good = false;
  });
  return good;
}

void DerivativeBatch::torque_regressor(In Q, In V, In A, Out Y) {
  state_->require_states("A", Q, V, A);
  state_->require_columns("Y", Y, state_->model.nv() * 10 * state_->model.joint_count(), Q.cols());
  state_->each_run(Q.cols(), [&](DerivativeKernel& kernel, int begin, int end) {
    kernel.torque_regressor(begin, end, columns(Q), columns(V), columns(A), columns(Y));
  });
}

}  // namespace ulna
