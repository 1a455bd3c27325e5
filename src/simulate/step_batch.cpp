#include "ulna/simulate/step_batch.hpp"

#include "num/message.hpp"
#include "simulate/step_kernel.hpp"

namespace ulna {

using detail::columns;
using detail::StepKernel;

struct StepBatch::State : detail::KernelPool<StepKernel> {
  Integrator integrator;

  State(const Model& robot, Integrator method, int threads)
      : KernelPool(robot, threads, ULNA_WIDEST(ulna_step_kernel)), integrator(method) {}

  bool step(const Plant<double>& plant, const In& Q, const In& V, const In& Tau, Durations h,
            Out& Q_next, Out& V_next, detail::Columns F) {
    const int nq = model.nq(), nv = model.nv();
    const In durations = Eigen::Map<const Eigen::MatrixXd>(h.data(), 1, h.size());
    require(Q.cols(), {{"Q", Q, nq}, {"V", V, nv}, {"Tau", Tau, nv}, {"h", durations, 1}},
            {{"Q_next", Q_next, nq}, {"V_next", V_next, nv}});
    set_plant(plant);
    const detail::StepColumns x{
        columns(Q),      columns(V), columns(Tau), columns(durations), columns(Q_next),
        columns(V_next), F};
    // a pack of steps is worth handing over
    return each_run(
        Q.cols(),
        [&](StepKernel& kernel, int begin, int end) {
          return kernel.step(begin, end, integrator, x);
        },
        1);
  }
};

StepBatch::StepBatch(const Model& model, Integrator integrator, int threads) {
  messages::require(serves(model), "batch of steps: robot '", model.name(),
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
  state_->require(Q.cols(), {}, {{"F", F, 6 * V.rows() * V.rows()}});
  return state_->step(plant, Q, V, Tau, h, Q_next, V_next, columns(F));
}

}  // namespace ulna
