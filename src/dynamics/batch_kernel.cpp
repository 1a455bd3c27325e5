#include "dynamics/batch_kernel.hpp"

#include "ulna/dynamics/instantiate.hpp"

namespace ulna::detail {

constexpr int N = kernel_lanes;

class PackBatchKernel final : public BatchKernel {
 public:
  using T = Pack<double, N>;

  explicit PackBatchKernel(const Model& model)
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
      store(tau_, s, end, tau);
    }
  }

  bool forward_dynamics(int begin, int end, Columns q, Columns v, Columns tau, Columns a) override {
    const auto accelerate = [&](int s, int until) {
      load(q, s, until, q_), load(v, s, until, v_), load(tau, s, until, tau_);
      at_.set(q_, v_);
      const bool possible = ulna::forward_dynamics<T>(plant_, at_, tau_, ws_, a_);
      if (possible) store(a_, s, until, a);
      return possible;
    };
    return each_pack(begin, end, accelerate, [&](int s) {
      a_.fill(T(std::numeric_limits<double>::quiet_NaN()));
      store(a_, s, s + 1, a);
    });
  }

  void mass_matrix(int begin, int end, Columns q, Columns M) override {
    for (int s = begin; s < end; s += N) {
      load(q, s, end, q_);
      at_.set(q_);
      ulna::mass_matrix<T>(plant_, at_, ws_, M_);
      store(M_, s, end, M);
    }
  }

  void pose(int begin, int end, Columns q, const Frame& frame, Columns X) override {
    Eigen::Matrix<T, 7, 1> numbers;
    for (int s = begin; s < end; s += N) {
      load(q, s, end, q_);
      at_.set(q_);
      const Transform<T> X_WF = at_.pose(frame);
      numbers << X_WF.rotation().quaternion().coefficients(), X_WF.translation();
      store(numbers, s, end, X);
    }
  }

  void jacobian(int begin, int end, Columns q, const Frame& frame, Columns J) override {
    for (int s = begin; s < end; s += N) {
      load(q, s, end, q_);
      at_.set(q_);
      frame_jacobian<T>(at_, frame, Axes::aligned, J_);
      store(J_, s, end, J);
    }
  }

 private:
  Plant<T> plant_;
  Workspace<T> ws_;
  Motion<T> motion_;
  Kinematics<T> at_;
  VecX<T> q_, v_, a_, tau_;
  MatX<T> M_, J_;
};

}  // namespace ulna::detail

#ifndef ULNA_KERNEL
#define ULNA_KERNEL ulna_batch_kernel_baseline
#endif

extern "C" ulna::detail::BatchKernel* ULNA_KERNEL(const ulna::Model& model) {
  return new ulna::detail::PackBatchKernel(model);
}
