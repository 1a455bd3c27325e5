#pragma once

#include "batch_parts.hpp"
#include "ulna/dynamics/instantiate.hpp"

/// What a batch calls for each run of states. Made once for each set of instructions, from one text.
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

template <int N>
class BatchKernelOf final : public BatchKernel {
 public:
  using T = Pack<double, N>;

  explicit BatchKernelOf(const Model& model)
      : plant_(model),
        ws_(model),
        motion_(model),
        at_(model),
        q_(model.nq()),
        v_(model.nv()),
        a_(model.nv()),
        tau_(model.nv()),
        M_(model.nv(), model.nv()),
        J_(6, model.nv()) {}

  int lanes() const override { return N; }

  void set_plant(const Plant<double>& plant) override { spread_plant(plant, plant_); }

  void inverse_dynamics(int begin, int end, Columns q, Columns v, Columns a, Columns tau) override {
    for (int s = begin; s < end; s += N) {
      load(q, s, end, q_), load(v, s, end, v_), load(a, s, end, a_);
      motion_.set(q_, v_, a_);
      ulna::inverse_dynamics<T>(plant_, motion_, ws_, tau_);
      store<N>(tau_, s, end, tau);
    }
  }

  bool forward_dynamics(int begin, int end, Columns q, Columns v, Columns tau, Columns a) override {
    bool good = true;
    for (int s = begin; s < end; s += N) {
      if (accelerate(s, end, q, v, tau, a)) continue;
      // some state of the pack is to blame: one by one, in all lanes
      for (int one = s; one < std::min(s + N, end); ++one) {
        if (accelerate(one, one + 1, q, v, tau, a)) continue;
        good = false;
        a_.fill(T(std::numeric_limits<double>::quiet_NaN()));
        store<N>(a_, one, one + 1, a);
      }
    }
    return good;
  }

  void mass_matrix(int begin, int end, Columns q, Columns M) override {
    for (int s = begin; s < end; s += N) {
      load(q, s, end, q_);
      at_.set(q_);
      ulna::mass_matrix<T>(plant_, at_, ws_, M_);
      store<N>(M_, s, end, M);
    }
  }

  void pose(int begin, int end, Columns q, const Frame& frame, Columns X) override {
    Eigen::Matrix<T, 7, 1> numbers;
    for (int s = begin; s < end; s += N) {
      load(q, s, end, q_);
      at_.set(q_);
      const Transform<T> X_WF = at_.pose(frame);
      numbers << X_WF.rotation().quaternion().coefficients(), X_WF.translation();
      store<N>(numbers, s, end, X);
    }
  }

  void jacobian(int begin, int end, Columns q, const Frame& frame, Columns J) override {
    for (int s = begin; s < end; s += N) {
      load(q, s, end, q_);
      at_.set(q_);
      frame_jacobian<T>(at_, frame, Axes::aligned, J_);
      store<N>(J_, s, end, J);
    }
  }

 private:
  /// Forward dynamics of one pack.
  bool accelerate(int s, int end, Columns q, Columns v, Columns tau, Columns a) {
    load(q, s, end, q_), load(v, s, end, v_), load(tau, s, end, tau_);
    at_.set(q_, v_);
    if (!ulna::forward_dynamics<T>(plant_, at_, tau_, ws_, a_)) return false;
    store<N>(a_, s, end, a);
    return true;
  }

  Plant<T> plant_;
  Workspace<T> ws_;
  Motion<T> motion_;
  Kinematics<T> at_;
  VecX<T> q_, v_, a_, tau_;
  MatX<T> M_, J_;
};

}  // namespace ulna::detail

// Their own names, so that the linker can tell them apart.
extern "C" {
ulna::detail::BatchKernel* ulna_batch_kernel_baseline(const ulna::Model& model);
ulna::detail::BatchKernel* ulna_batch_kernel_avx2(const ulna::Model& model);
}
