#include "ulna/derivatives/derivative_batch.hpp"

#include "derivative_kernel.hpp"

namespace ulna {

using detail::columns;
using detail::DerivativeKernel;

struct DerivativeBatch::State : detail::KernelPool<DerivativeKernel> {
  State(const Model& robot, int threads)
      : KernelPool(robot, threads, ULNA_WIDEST(ulna_derivative_kernel)) {}
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
  const int nq = state_->model.nq(), nv = state_->model.nv(), size = nv * nv;
  state_->require(Q.cols(), {{"Q", Q, nq}, {"V", V, nv}, {"A", A, nv}},
                  {{"dQ", dQ, size}, {"dV", dV, size}, {"dA", dA, size}});
  state_->set_plant(plant);
  state_->each_run(Q.cols(), [&](DerivativeKernel& kernel, int begin, int end) {
    kernel.inverse_dynamics(begin, end, columns(Q), columns(V), columns(A), columns(dQ),
                            columns(dV), columns(dA));
  });
}

bool DerivativeBatch::forward_dynamics(const Plant<double>& plant, In Q, In V, In Tau, Out dQ,
                                       Out dV, Out dTau) {
  const int nq = state_->model.nq(), nv = state_->model.nv(), size = nv * nv;
  state_->require(Q.cols(), {{"Q", Q, nq}, {"V", V, nv}, {"Tau", Tau, nv}},
                  {{"dQ", dQ, size}, {"dV", dV, size}, {"dTau", dTau, size}});
  state_->set_plant(plant);
  return state_->each_run(Q.cols(), [&](DerivativeKernel& kernel, int begin, int end) {
    return kernel.forward_dynamics(begin, end, columns(Q), columns(V), columns(Tau), columns(dQ),
                                   columns(dV), columns(dTau));
  });
}

void DerivativeBatch::torque_regressor(In Q, In V, In A, Out Y) {
  const int nv = state_->model.nv();
  state_->require(Q.cols(), {{"Q", Q, state_->model.nq()}, {"V", V, nv}, {"A", A, nv}},
                  {{"Y", Y, nv * 10 * state_->model.joint_count()}});
  state_->each_run(Q.cols(), [&](DerivativeKernel& kernel, int begin, int end) {
    kernel.torque_regressor(begin, end, columns(Q), columns(V), columns(A), columns(Y));
  });
}

}  // namespace ulna
