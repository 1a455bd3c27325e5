#include "ulna/simulate/step_batch.hpp"

#include "simulate/step_kernel.hpp"

namespace ulna {

using detail::columns;
using detail::StepKernel;

struct StepBatch::State : detail::KernelPool<StepKernel> {
  Integrator integrator;

  State(const Model& robot, Integrator method, int threads)
      : KernelPool(robot, threads, widest()), integrator(method) {}

  static StepKernel* (*widest())(const Model&) {
#if ULNA_WIDE_KERNELS
    if (detail::has_avx512()) return ulna_step_kernel_avx512;
    if (detail::has_avx2()) return ulna_step_kernel_avx2;
#endif
    return ulna_step_kernel_baseline;
  }

  bool step(const Plant<double>& plant, const In& Q, const In& V, const In& Tau, Durations h,
            Out& Q_next, Out& V_next, detail::Columns F) {
    require_numbers("Q", Q, model.nq(), Q.cols());
    require_numbers("V", V, model.nv(), Q.cols());
    require_numbers("Tau", Tau, model.nv(), Q.cols());
    require_numbers("h", Eigen::Map<const Eigen::MatrixXd>(h.data(), 1, h.size()), 1, Q.cols());
    require_columns("Q_next", Q_next, model.nq(), Q.cols());
    require_columns("V_next", V_next, model.nv(), Q.cols());
    set_plant(plant);
    const detail::StepColumns x{columns(Q),
                                columns(V),
                                columns(Tau),
                                {const_cast<double*>(h.data()), 1},
                                columns(Q_next),
                                columns(V_next),
                                F};
    std::atomic<bool> possible = true;
    // a pack of steps is worth handing over
    each_run(
        Q.cols(),
        [&](StepKernel& kernel, int begin, int end) {
          if (possible && !kernel.step(begin, end, integrator, x)) possible = false;
        },
        1);
    return possible;
  }
};

StepBatch::StepBatch(const Model& model, Integrator integrator, int threads) {
  if (!serves(model))
    throw std::invalid_argument("batch of steps: robot '" + model.name() +
                                "' has joints of several coordinates; take StepDerivatives");
  state_ = std::make_unique<State>(model, integrator, threads);
}
StepBatch::~StepBatch() = default;
StepBatch::StepBatch(StepBatch&&) noexcept = default;
StepBatch& StepBatch::operator=(StepBatch&&) noexcept = default;

bool StepBatch::serves(const Model& model) { return detail::flat(model); }

bool StepBatch::step(const Plant<double>& plant, In Q, In V, In Tau, Durations h, Out Q_next,
                     Out V_next) {
  return state_->step(plant, Q, V, Tau, h, Q_next, V_next, {});
}

bool StepBatch::differentiate(const Plant<double>& plant, In Q, In V, In Tau, Durations h,
                              Out Q_next, Out V_next, Out F) {
  state_->require_columns("F", F, 6 * V.rows() * V.rows(), Q.cols());
  return state_->step(plant, Q, V, Tau, h, Q_next, V_next, columns(F));
}

}  // namespace ulna
