#pragma once

#include "dynamics/batch_pool.hpp"
#include "simulate/step_impl.hpp"

/// What a batch of steps calls for each run of states.
namespace ulna::detail {

/// A state per column; h has a row. F is computed if it is given.
struct StepColumns {
  Columns q, v, tau, h, q_next, v_next, F;
};

/// One thread's robot in SIMD lanes.
class StepKernel {
 public:
  virtual ~StepKernel() = default;
  virtual int lanes() const = 0;
  virtual void set_plant(const Plant<double>& plant) = 0;
  /// The states [begin, end) of the batch. False if that is impossible for any of them.
  virtual bool step(int begin, int end, Integrator integrator, const StepColumns& x) = 0;
};

}  // namespace ulna::detail

extern "C" {
ulna::detail::StepKernel* ulna_step_kernel_baseline(const ulna::Model& model);
ulna::detail::StepKernel* ulna_step_kernel_avx2(const ulna::Model& model);
ulna::detail::StepKernel* ulna_step_kernel_avx512(const ulna::Model& model);
}
