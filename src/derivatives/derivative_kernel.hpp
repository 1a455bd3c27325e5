#pragma once

#include "dynamics/batch_parts.hpp"
#include "ulna/derivatives/derivatives_impl.hpp"
#include "ulna/derivatives/regressor_impl.hpp"
#include "ulna/dynamics/instantiate.hpp"

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

template <int N>
class DerivativeKernelOf final : public DerivativeKernel {
 public:
  using T = Pack<double, N>;

  explicit DerivativeKernelOf(const Model& model)
      : plant_(model),
        inverse_(model),
        forward_(model),
        regressor_(model),
        q_(model.nq()),
        v_(model.nv()),
        x_(model.nv()),
        Y_(model.nv(), 10 * model.joint_count()) {}

  int lanes() const override { return N; }
  void set_plant(const Plant<double>& plant) override { spread_plant(plant, plant_); }

  void inverse_dynamics(int begin, int end, Columns q, Columns v, Columns a, Columns dq, Columns dv,
                        Columns da) override {
    for (int s = begin; s < end; s += N) {
      load_state(s, end, q, v, a);
      inverse_(plant_, q_, v_, x_);
      store<N>(inverse_.dq, s, end, dq);
      store<N>(inverse_.dv, s, end, dv);
      store<N>(inverse_.da, s, end, da);
    }
  }

  bool forward_dynamics(int begin, int end, Columns q, Columns v, Columns tau, Columns dq,
                        Columns dv, Columns dtau) override {
    const auto pack = [&](int s, int until) {
      load_state(s, until, q, v, tau);
      const bool possible = forward_(plant_, q_, v_, x_);
      if (possible) {
        store<N>(forward_.dq, s, until, dq);
        store<N>(forward_.dv, s, until, dv);
        store<N>(forward_.dtau, s, until, dtau);
      }
      return possible;
    };
    bool good = true;
    for (int s = begin; s < end; s += N) {
      if (pack(s, end)) continue;
      // some state of the pack is to blame: one by one, in all lanes
      for (int one = s; one < std::min(s + N, end); ++one) {
        if (pack(one, one + 1)) continue;
        good = false;
        const MatX<T> nothing =
            MatX<T>::Constant(v_.size(), v_.size(), T(std::numeric_limits<double>::quiet_NaN()));
        for (const Columns& to : {dq, dv, dtau}) store<N>(nothing, one, one + 1, to);
      }
    }
    return good;
  }

  void torque_regressor(int begin, int end, Columns q, Columns v, Columns a, Columns Y) override {
    for (int s = begin; s < end; s += N) {
      load_state(s, end, q, v, a);
      regressor_.torque(q_, v_, x_, Y_);
      store<N>(Y_, s, end, Y);
    }
  }

 private:
  void load_state(int s, int end, Columns q, Columns v, Columns x) {
    load<N>(q, s, end, q_), load<N>(v, s, end, v_), load<N>(x, s, end, x_);
  }

  Plant<T> plant_;
  InverseDynamicsDerivatives<T> inverse_;
  ForwardDynamicsDerivatives<T> forward_;
  Regressor<T> regressor_;
  VecX<T> q_, v_, x_;
  RowMatX<T> Y_;
};

}  // namespace ulna::detail

// Their own names, so that the linker can tell them apart.
extern "C" {
ulna::detail::DerivativeKernel* ulna_derivative_kernel_baseline(const ulna::Model& model);
ulna::detail::DerivativeKernel* ulna_derivative_kernel_avx2(const ulna::Model& model);
}
