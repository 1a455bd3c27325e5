#include "batch_kernel.hpp"

namespace ulna {

using detail::BatchKernel;
using detail::columns;

struct Batch::State : detail::KernelPool<BatchKernel> {
  State(const Model& robot, int threads) : KernelPool(robot, threads, widest()) {}

  static BatchKernel* (*widest())(const Model&) {
#if ULNA_WIDE_KERNELS
    if (detail::has_avx2()) return ulna_batch_kernel_avx2;
#endif
    return ulna_batch_kernel_baseline;
  }
};

Batch::Batch(const Model& model, int threads) : state_(std::make_unique<State>(model, threads)) {}
Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;

int Batch::threads() const { return state_->pool.size(); }
int Batch::lanes() const { return state_->kernels[0]->lanes(); }
std::string_view Batch::instructions() const { return detail::has_avx2() ? "avx2" : "baseline"; }

void Batch::inverse_dynamics(const Plant<double>& plant, In Q, In V, In A, Out Tau) {
  const int nq = state_->model.nq(), nv = state_->model.nv();
  state_->require(Q.cols(), {{"Q", Q, nq}, {"V", V, nv}, {"A", A, nv}}, {{"Tau", Tau, nv}});
  state_->set_plant(plant);
  state_->each_run(Q.cols(), [&](BatchKernel& kernel, int begin, int end) {
    kernel.inverse_dynamics(begin, end, columns(Q), columns(V), columns(A), columns(Tau));
  });
}

bool Batch::forward_dynamics(const Plant<double>& plant, In Q, In V, In Tau, Out A) {
  const int nq = state_->model.nq(), nv = state_->model.nv();
  state_->require(Q.cols(), {{"Q", Q, nq}, {"V", V, nv}, {"Tau", Tau, nv}}, {{"A", A, nv}});
  state_->set_plant(plant);
  return state_->each_run(Q.cols(), [&](BatchKernel& kernel, int begin, int end) {
    return kernel.forward_dynamics(begin, end, columns(Q), columns(V), columns(Tau), columns(A));
  });
}

void Batch::mass_matrix(const Plant<double>& plant, In Q, Out M) {
  const int nv = state_->model.nv();
  state_->require(Q.cols(), {{"Q", Q, state_->model.nq()}}, {{"M", M, nv * nv}});
  state_->set_plant(plant);
  state_->each_run(Q.cols(), [&](BatchKernel& kernel, int begin, int end) {
    kernel.mass_matrix(begin, end, columns(Q), columns(M));
  });
}

void Batch::pose(In Q, const Frame& frame, Out X) {
  state_->require(Q.cols(), {{"Q", Q, state_->model.nq()}}, {{"X", X, 7}});
  state_->each_run(Q.cols(), [&](BatchKernel& kernel, int begin, int end) {
    kernel.pose(begin, end, columns(Q), frame, columns(X));
  });
}

void Batch::jacobian(In Q, const Frame& frame, Out J) {
  state_->require(Q.cols(), {{"Q", Q, state_->model.nq()}}, {{"J", J, 6 * state_->model.nv()}});
  state_->each_run(Q.cols(), [&](BatchKernel& kernel, int begin, int end) {
    kernel.jacobian(begin, end, columns(Q), frame, columns(J));
  });
}

}  // namespace ulna
