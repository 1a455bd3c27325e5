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
      body.first = lanes::V3<T>(Vec3<T>(plant.body(b).first.vec().template cast<T>()));
      body.second = lanes::S3<T>(Mat3<T>(plant.body(b).second.mat().template cast<T>()));
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
      if (accelerate(s, end, q, v, tau, a)) continue;
      // some state of the pack is to blame: one by one, in all lanes
      for (int one = s; one < std::min(s + N, end); ++one) {
        if (accelerate(one, one + 1, q, v, tau, a)) continue;
        good = false;
        a_.fill(T(std::numeric_limits<double>::quiet_NaN()));
        store(a_, one, one + 1, a);
      }
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
  /// Forward dynamics of one pack.
  bool accelerate(int s, int end, Columns q, Columns v, Columns tau, Columns a) {
    load(q, s, end, q_), load(v, s, end, v_), load(tau, s, end, tau_);
    if (!forward_(plant_, q_, v_, tau_, a_)) return false;
    store(a_, s, end, a);
    return true;
  }

  // Square by square, N rows of N states. The last square ends with the last row, so it may do some
  // rows again; fewer rows than that go one by one, and so do states fewer than lanes: lanes beyond
  // the end repeat the last state, which costs nothing and disturbs nobody.
  static void load(Columns from, int s, int end, VecX<T>& to) {
    const Eigen::Index size = to.size();
    const double* const column = from.data + s * from.stride;
    if (size < N || end - s < N) {
      for (Eigen::Index i = 0; i < size; ++i)
        to(i) = T::each([&](int l) { return column[i + std::min(l, end - s - 1) * from.stride]; });
      return;
    }
    for (Eigen::Index i = 0; i < size; i += N) {
      i = std::min(i, size - N);
      T square[N];
      for (int l = 0; l < N; ++l) square[l] = T::load(column + i + l * from.stride);
      transpose(square);
      for (int k = 0; k < N; ++k) to(i + k) = square[k];
    }
  }
  template <class M>
  static void store(const M& from, int s, int end, Columns to) {
    const Eigen::Index size = from.size();
    double* const column = to.data + s * to.stride;
    if (size < N || end - s < N) {
      for (Eigen::Index i = 0; i < size; ++i)
        for (int l = 0; l < std::min(N, end - s); ++l)
          column[i + l * to.stride] = from.data()[i][l];
      return;
    }
    for (Eigen::Index i = 0; i < size; i += N) {
      i = std::min(i, size - N);
      T square[N];
      for (int k = 0; k < N; ++k) square[k] = from.data()[i + k];
      transpose(square);
      for (int l = 0; l < N; ++l) square[l].store(column + i + l * to.stride);
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
