#pragma once

#include "dynamics/batch_crew.hpp"
#include "simulate/step_impl.hpp"

/// What a batch of steps calls for each run of states.
namespace ulna::detail {

/// One thread's robot in SIMD lanes.
class StepKernel {
 public:
  virtual ~StepKernel() = default;
  virtual int lanes() const = 0;
  virtual void set_plant(const Plant<double>& plant) = 0;
  // each works on the states [begin, end) of the batch; h has a row
  virtual bool step(int begin, int end, Integrator integrator, Columns q, Columns v, Columns tau,
                    Columns h, Columns q_next, Columns v_next) = 0;
  virtual bool differentiate(int begin, int end, Integrator integrator, Columns q, Columns v,
                             Columns tau, Columns h, Columns q_next, Columns v_next, Columns F) = 0;
};

}  // namespace ulna::detail

// Their own names, so that the linker can tell them apart.
extern "C" {
ulna::detail::StepKernel* ulna_step_kernel_baseline(const ulna::Model& model);
ulna::detail::StepKernel* ulna_step_kernel_avx2(const ulna::Model& model);
ulna::detail::StepKernel* ulna_step_kernel_avx512(const ulna::Model& model);
}
