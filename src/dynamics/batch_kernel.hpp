#pragma once

#include "batch_pool.hpp"

/// What a batch calls for each run of states.
namespace ulna::detail {

/// One thread's robot in SIMD lanes.
class BatchKernel {
 public:
  virtual ~BatchKernel() = default;
  virtual int lanes() const = 0;
  virtual void set_plant(const Plant<double>& plant) = 0;
  // each works on the states [begin, end) of the batch
  virtual void inverse_dynamics(int begin, int end, Columns q, Columns v, Columns a,
                                Columns tau) = 0;
  virtual bool forward_dynamics(int begin, int end, Columns q, Columns v, Columns tau,
                                Columns a) = 0;
  virtual void mass_matrix(int begin, int end, Columns q, Columns M) = 0;
  virtual void pose(int begin, int end, Columns q, const Frame& frame, Columns X) = 0;
  virtual void jacobian(int begin, int end, Columns q, const Frame& frame, Columns J) = 0;
};

}  // namespace ulna::detail

extern "C" {
ulna::detail::BatchKernel* ulna_batch_kernel_baseline(const ulna::Model& model);
ulna::detail::BatchKernel* ulna_batch_kernel_avx2(const ulna::Model& model);
}
