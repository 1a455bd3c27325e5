#include "derivatives/derivative_kernel.hpp"

#include "ulna/derivatives/forward_derivatives_impl.hpp"
#include "ulna/derivatives/regressor_impl.hpp"
#include "ulna/dynamics/instantiate.hpp"

namespace ulna::detail {

constexpr int N = kernel_lanes;

class PackDerivativeKernel final : public DerivativeKernel {
 public:
  using T = Pack<double, N>;

  explicit PackDerivativeKernel(const Model& model)
      : plant_(model),
        at_(model),
        ws_(model),
        forward_(model),
        regressor_ws_(model),
        q_(model.nq()),
        v_(model.nv()),
        x_(model.nv()),
        row_size_(10 * model.joint_count()),
        Y_(model.has_mimics() ? model.nv() : 0, row_size_) {}

  int lanes() const override { return N; }
  void set_plant(const Plant<double>& plant) override { spread_plant(plant, plant_); }

  void inverse_dynamics(int begin, int end, Columns q, Columns v, Columns a, Columns dq, Columns dv,
                        Columns da) override {
    for (int s = begin; s < end; s += N) {
      load_state(s, end, q, v, a);
      at_.set(q_, v_, x_);
      InverseDynamicsDerivatives<T>& inverse = forward_.inverse;
      inverse_dynamics_derivatives(plant_, at_, ws_, inverse);
      store(inverse.dq, s, end, dq);
      store(inverse.dv, s, end, dv);
      store(inverse.da, s, end, da);
    }
  }

  bool forward_dynamics(int begin, int end, Columns q, Columns v, Columns tau, Columns dq,
                        Columns dv, Columns dtau) override {
    const auto pack = [&](int s, int until) {
      load_state(s, until, q, v, tau);
      at_.set(q_, v_);
      const bool possible = forward_dynamics_derivatives<T>(plant_, at_, x_, ws_, forward_);
      if (possible) {
        store(forward_.dq, s, until, dq);
        store(forward_.dv, s, until, dv);
        store(forward_.dtau, s, until, dtau);
      }
      return possible;
    };
    return each_pack(begin, end, pack, [&](int s) {
      const MatX<T> nothing =
          MatX<T>::Constant(v_.size(), v_.size(), T(std::numeric_limits<double>::quiet_NaN()));
      for (const Columns& to : {dq, dv, dtau}) store(nothing, s, s + 1, to);
    });
  }

  void torque_regressor(int begin, int end, Columns q, Columns v, Columns a, Columns Y) override {
    for (int s = begin; s < end; s += N) {
      load_state(s, end, q, v, a);
      at_.set(q_, v_, x_);
      if (Y_.size() > 0) {
        ulna::torque_regressor<T>(at_, regressor_ws_, Y_);
        store(Y_, s, end, Y);
        continue;
      }
      // zeros, and each block at once to its place
      const Columns here{Y.data + s * Y.stride, Y.stride};
      const int states = std::min(N, end - s);
      for (int l = 0; l < states; ++l)
        std::fill_n(here.data + l * Y.stride, row_size_ * v_.size(), 0.0);
      each_torque_block(at_, regressor_ws_, [&](int row, int body, const T* ten) {
        const Eigen::Map<const Eigen::Matrix<T, 10, 1>> block(ten);
        store(block, 0, states, {here.data + block_at(row, body), Y.stride});
      });
    }
  }

 private:
  void load_state(int s, int end, Columns q, Columns v, Columns x) {
    load(q, s, end, q_), load(v, s, end, v_), load(x, s, end, x_);
  }

  /// Where the ten numbers of a body in a row of the regressor begin.
  int block_at(int row, int body) const { return row * row_size_ + 10 * (body - 1); }

  Plant<T> plant_;
  Kinematics<T> at_;
  DerivativeWorkspace<T> ws_;
  ForwardDynamicsDerivatives<T> forward_;
  RegressorWorkspace<T> regressor_ws_;
  VecX<T> q_, v_, x_;
  int row_size_;  ///< of the regressor
  RowMatX<T> Y_;  ///< only where joints mimic others: then blocks add up
};

}  // namespace ulna::detail

#ifndef ULNA_KERNEL
#define ULNA_KERNEL ulna_derivative_kernel_baseline
#endif

extern "C" ulna::detail::DerivativeKernel* ULNA_KERNEL(const ulna::Model& model) {
  return new ulna::detail::PackDerivativeKernel(model);
}
