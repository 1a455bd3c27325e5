#pragma once

#include "dynamics/batch_pool.hpp"

/// What a batch of derivatives calls for each run of states.
namespace ulna::detail {

/// One thread's robot in SIMD lanes.
class DerivativeKernel {
 public:
  virtual ~DerivativeKernel() = default;
  virtual int lanes() const = 0;
  virtual void set_plant(const Plant<double>& plant) = 0;
  // each works on the states [begin, end) of the batch
  virtual void inverse_dynamics(int begin, int end, Columns q, Columns v, Columns a, Columns dq,
                                Columns dv, Columns da) = 0;
  virtual bool forward_dynamics(int begin, int end, Columns q, Columns v, Columns tau, Columns dq,
                                Columns dv, Columns dtau) = 0;
  virtual void torque_regressor(int begin, int end, Columns q, Columns v, Columns a, Columns Y) = 0;
};

}  // namespace ulna::detail

extern "C" {
ulna::detail::DerivativeKernel* ulna_derivative_kernel_baseline(const ulna::Model& model);
ulna::detail::DerivativeKernel* ulna_derivative_kernel_avx2(const ulna::Model& model);
ulna::detail::DerivativeKernel* ulna_derivative_kernel_avx512(const ulna::Model& model);
}
