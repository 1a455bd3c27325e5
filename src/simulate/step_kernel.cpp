#include "simulate/step_kernel.hpp"

#include "ulna/derivatives/forward_derivatives_impl.hpp"
#include "ulna/dynamics/instantiate.hpp"

namespace ulna::detail {

constexpr int N = kernel_lanes;

/// C += scale A B, where a block of R rows and K columns is what registers hold.
template <int R, int K, class T>
[[gnu::always_inline]] inline void add_block(const MatX<T>& A, const MatX<T>& B, const T& scale,
                                             MatX<T>& C, Eigen::Index r, Eigen::Index c) {
  T sum[K][R];
  for (int k = 0; k < K; ++k)
    for (int i = 0; i < R; ++i) sum[k][i] = T(0);
  for (Eigen::Index m = 0; m < A.cols(); ++m) {
    const T* const a = &A.coeffRef(r, m);
    for (int k = 0; k < K; ++k) {
      const T b = B.coeff(m, c + k);
      for (int i = 0; i < R; ++i) sum[k][i] += a[i] * b;
    }
  }
  for (int k = 0; k < K; ++k)
    for (int i = 0; i < R; ++i) C.coeffRef(r + i, c + k) += scale * sum[k][i];
}
template <class T>
void add_product(const MatX<T>& A, const MatX<T>& B, const T& scale, MatX<T>& C) {
  Eigen::Index c = 0;
  const auto rows = [&]<int K>(std::integral_constant<int, K>) {
    Eigen::Index r = 0;
    for (; r + 4 <= A.rows(); r += 4) add_block<4, K>(A, B, scale, C, r, c);
    if (A.rows() - r == 3) add_block<3, K>(A, B, scale, C, r, c);
    if (A.rows() - r == 2) add_block<2, K>(A, B, scale, C, r, c);
    if (A.rows() - r == 1) add_block<1, K>(A, B, scale, C, r, c);
  };
  for (; c + 2 <= B.cols(); c += 2) rows(std::integral_constant<int, 2>());
  for (; c < B.cols(); ++c) rows(std::integral_constant<int, 1>());
}

class PackStepKernel final : public StepKernel {
 public:
  using T = Pack<double, N>;

  explicit PackStepKernel(const Model& model)
      : plant_(model),
        step_(model, Integrator::rk4),
        ws_(model),
        slopes_(model),
        q_(VecX<T>::Zero(model.nq())),
        v_(VecX<T>::Zero(model.nv())),
        h_(VecX<T>::Zero(1)),
        F_(MatX<T>::Zero(2 * model.nv(), 3 * model.nv())),
        da_(4, MatX<T>::Zero(model.nv(), 3 * model.nv())) {}

  int lanes() const override { return N; }
  void set_plant(const Plant<double>& plant) override { spread_plant(plant, plant_); }

  bool step(int begin, int end, Integrator integrator, const StepColumns& x) override {
    step_.integrator_ = integrator;
    const bool differentiate = x.F.data != nullptr;
    for (int s = begin; s < end; s += N) {
      load(x.q, s, end, q_), load(x.v, s, end, v_);
      load(x.tau, s, end, tau_), load(x.h, s, end, h_);
      const bool possible = step_.take(plant_.model(), q_, v_, h_(0), [&](int stage, VecX<T>& a) {
        if (!differentiate) return step_.accelerate(plant_, tau_, a);
        step_.at_.set(step_.q_, step_.v_);
        if (!forward_dynamics_derivatives<T>(plant_, step_.at_, tau_, ws_, slopes_)) return false;
        a = slopes_.a;
        carry(tableau(integrator), stage);
        return true;
      });
      if (!possible) return false;
      store(step_.q_next, s, end, x.q_next), store(step_.v_next, s, end, x.v_next);
      if (!differentiate) continue;
      collect(integrator);
      store(F_, s, end, x.F);
    }
    return true;
  }

 private:
  /// How the stage's acceleration changes with (tau, q, v) of the beginning. With c the reach and
  /// a' = dq by q, a" = dv by v of the stage,
  ///
  ///     dq = [0 1 0] + c dv_before,   dv = [0 0 1] + c da_before,   da = [M^-1 0 0] + a' dq + a" dv,
  ///
  /// in which dv_before is written by the da of two stages ago.
  void carry(const Tableau& method, int stage) {
    const Eigen::Index n = v_.size();
    const T c = T(method.reach[stage]) * h_(0);
    MatX<T>& da = da_[stage];
    for (Eigen::Index k = 0; k < n; ++k)
      for (Eigen::Index i = 0; i < n; ++i) {
        const T by_q = slopes_.dq(i, k);
        da(i, k) = slopes_.dtau(i, k);
        da(i, n + k) = by_q;
        da(i, 2 * n + k) = slopes_.dv(i, k) + c * by_q;
      }
    if (stage > 0) add_product<T>(slopes_.dv, da_[stage - 1], c, da);
    if (stage > 1)
      add_product<T>(slopes_.dq, da_[stage - 2], c * T(method.reach[stage - 1]) * h_(0), da);
  }

  /// F, from the da of all stages.
  void collect(Integrator integrator) {
    const Tableau& method = tableau(integrator);
    const Eigen::Index n = v_.size();
    const T h = h_(0);
    const bool late = integrator == Integrator::semi_implicit_euler;
    T to_q[4], to_v[4];
    for (int s = 0; s < method.stages; ++s) {
      to_v[s] = T(method.weight[s]) * h;
      const double then = s + 1 < method.stages ? method.weight[s + 1] * method.reach[s + 1] : 0.0;
      to_q[s] = late ? h * h : T(then) * h * h;
    }
    for (Eigen::Index k = 0; k < 3 * n; ++k)
      for (Eigen::Index i = 0; i < n; ++i) {
        T q(0), v(0);
        for (int s = 0; s < method.stages; ++s)
          q += to_q[s] * da_[s](i, k), v += to_v[s] * da_[s](i, k);
        F_(i, k) = q, F_(n + i, k) = v;
      }
    for (Eigen::Index i = 0; i < n; ++i) {
      F_(i, n + i) += T(1), F_(i, 2 * n + i) += h;
      F_(n + i, 2 * n + i) += T(1);
    }
  }

  Plant<T> plant_;
  Step<T> step_;
  DerivativeWorkspace<T> ws_;
  ForwardDynamicsDerivatives<T> slopes_;
  VecX<T> q_, v_, tau_ = v_, h_;
  MatX<T> F_;
  std::vector<MatX<T>> da_;
};

}  // namespace ulna::detail

#ifndef ULNA_KERNEL
#define ULNA_KERNEL ulna_step_kernel_baseline
#endif

extern "C" ulna::detail::StepKernel* ULNA_KERNEL(const ulna::Model& model) {
  return new ulna::detail::PackStepKernel(model);
}
