#pragma once

#include "ulna/dynamics/instantiate.hpp"
#include "ulna/num/pack.hpp"

/// What a batch calls for each run of states. Made once for each set of instructions, from one text.
namespace ulna::detail {

/// A matrix with a state per column, as plain memory: what crosses between code for different
/// processors.
struct Columns {
  double* data = nullptr;
  std::ptrdiff_t stride = 0;
};

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
  virtual void pose(int begin, int end, const Frame& frame, Columns q, Columns X) = 0;
  virtual void jacobian(int begin, int end, const Frame& frame, Columns q, Columns J) = 0;
};

template <int N>
class BatchKernelOf final : public BatchKernel {
 public:
  using T = Pack<double, N>;

  explicit BatchKernelOf(const Model& model)
      : plant_(model),
        ws_(model),
        at_(model),
        forward_(model),
        q_(model.nq()),
        v_(model.nv()),
        a_(model.nv()),
        tau_(model.nv()),
        M_(model.nv(), model.nv()),
        J_(6, model.nv()) {}

  int lanes() const override { return N; }

  void set_plant(const Plant<double>& plant) override {
    const auto spread = [](const Eigen::VectorXd& from, VecX<T>& to) {
      for (Eigen::Index i = 0; i < from.size(); ++i) to(i) = T(from(i));
    };
    spread(plant.damping, plant_.damping);
    spread(plant.friction, plant_.friction);
    spread(plant.friction_negative, plant_.friction_negative);
    spread(plant.armature, plant_.armature);
    for (int b = 0; b < plant.model().body_count(); ++b) {
      typename Plant<T>::Body body;
      body.mass = T(plant.body(b).mass);
      for (int i = 0; i < 3; ++i) {
        body.first.set(i, T(plant.body(b).first[i]));
        for (int k = 0; k < 3; ++k) body.second.c[k].set(i, T(plant.body(b).second.c[k][i]));
      }
      plant_.set_body(b, body);
    }
  }

  void inverse_dynamics(int begin, int end, Columns q, Columns v, Columns a, Columns tau) override {
    for (int s = begin; s < end; s += N) {
      load(q, s, end, q_), load(v, s, end, v_), load(a, s, end, a_);
      newton_euler<T>(plant_, q_.data(), v_.data(), a_.data(), ws_, {}, tau_.data());
      for (Eigen::Index i = 0; i < tau_.size(); ++i)
        tau_(i) += plant_.armature(i) * a_(i) + friction_torque<T>(plant_, i, v_(i));
      store(tau_, s, end, tau);
    }
  }

  bool forward_dynamics(int begin, int end, Columns q, Columns v, Columns tau, Columns a) override {
    bool good = true;
    for (int s = begin; s < end; s += N) {
      load(q, s, end, q_), load(v, s, end, v_), load(tau, s, end, tau_);
      if (!forward_(plant_, q_, v_, tau_, a_)) {
        good = false;
        a_.fill(T(std::numeric_limits<double>::quiet_NaN()));
      }
      store(a_, s, end, a);
    }
    return good;
  }

  void mass_matrix(int begin, int end, Columns q, Columns M) override {
    for (int s = begin; s < end; s += N) {
      load(q, s, end, q_);
      at_.set(q_);
      ulna::mass_matrix<T>(plant_, at_, ws_, M_);
      store(M_, s, end, M);
    }
  }

  void pose(int begin, int end, const Frame& frame, Columns q, Columns X) override {
    Eigen::Matrix<T, 7, 1> told;
    for (int s = begin; s < end; s += N) {
      load(q, s, end, q_);
      at_.set(q_);
      const Transform<T> X_WF = at_.pose(frame);
      told << X_WF.rotation().quaternion().coefficients(), X_WF.translation();
      store(told, s, end, X);
    }
  }

  void jacobian(int begin, int end, const Frame& frame, Columns q, Columns J) override {
    for (int s = begin; s < end; s += N) {
      load(q, s, end, q_);
      at_.set(q_);
      frame_jacobian<T>(at_, frame, Axes::aligned, J_);
      store(J_, s, end, J);
    }
  }

 private:
  // lanes beyond the end repeat the last state: they cost nothing and disturb nobody
  static void load(Columns from, int s, int end, VecX<T>& to) {
    for (Eigen::Index i = 0; i < to.size(); ++i) {
      double lane[N];
      for (int l = 0; l < N; ++l) lane[l] = from.data[i + std::min(s + l, end - 1) * from.stride];
      to(i) = T::load(lane);
    }
  }
  template <class M>
  static void store(const M& from, int s, int end, Columns to) {
    for (Eigen::Index i = 0; i < from.size(); ++i) {
      double lane[N];
      from(i).store(lane);
      for (int l = 0; l < N && s + l < end; ++l) to.data[i + (s + l) * to.stride] = lane[l];
    }
  }

  Plant<T> plant_;
  Workspace<T> ws_;
  Configuration<T> at_;
  ForwardDynamics<T> forward_;
  VecX<T> q_, v_, a_, tau_;
  MatX<T> M_, J_;
};

}  // namespace ulna::detail

// Their own names, so that the linker can tell them apart.
extern "C" {
ulna::detail::BatchKernel* ulna_batch_kernel_baseline(const ulna::Model& model);
ulna::detail::BatchKernel* ulna_batch_kernel_avx2(const ulna::Model& model);
}
