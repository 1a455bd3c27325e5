#pragma once

#include "ulna/dynamics/arguments.hpp"
#include "ulna/num/pack.hpp"

/// What all kernels of batches share: states into SIMD lanes and out of them.
namespace ulna::detail {

/// States at once: as many as a register holds, to which the memory of a kernel is aligned.
constexpr int kernel_lanes = EIGEN_MAX_ALIGN_BYTES / sizeof(double);

// For AVX-512 packs are aligned to 64 bytes, and nothing else in ulna is, and so is memory for them. What a
// kernel shares with the rest must not contain anything that is laid out otherwise for that.
static_assert(EIGEN_DEFAULT_ALIGN_BYTES >= alignof(Pack<double, kernel_lanes>));
static_assert(alignof(Joint) <= 32 && alignof(Frame) <= 32 && alignof(Plant<double>) <= 32);

/// A matrix with a state per column, as plain memory: what crosses between code for different
/// processors.
struct Columns {
  double* data = nullptr;
  std::ptrdiff_t stride = 0;
};

// Square by square, four rows of four states. The last square ends with the last row, so it may do some
// rows again; fewer rows than that go one by one, and so do states fewer than lanes: lanes beyond
// the end repeat the last state, which costs nothing and disturbs nobody.
template <int N>
void load(Columns from, int s, int end, VecX<Pack<double, N>>& to) {
  using T = Pack<double, N>;
  using Four = Pack<double, 4>;
  const Eigen::Index size = to.size();
  if (size < 4 || end - s < N) {
    const double* const column = from.data + s * from.stride;
    for (Eigen::Index i = 0; i < size; ++i)
      to(i) = T::each([&](int l) { return column[i + std::min(l, end - s - 1) * from.stride]; });
    return;
  }
  for (int first = 0; first < N; first += 4) {
    const double* const column = from.data + (s + first) * from.stride;
    for (Eigen::Index i = 0; i < size; i += 4) {
      i = std::min(i, size - 4);
      Four square[4];
      for (int l = 0; l < 4; ++l) square[l] = Four::load(column + i + l * from.stride);
      transpose(square);
      for (int k = 0; k < 4; ++k) square[k].store(to(i + k).data() + first);
    }
  }
}
template <class M>
void store(const M& from, int s, int end, Columns to) {
  using Four = Pack<double, 4>;
  constexpr int N = M::Scalar::lanes;
  const Eigen::Index size = from.size();
  if (size < 4 || end - s < N) {
    double* const column = to.data + s * to.stride;
    for (Eigen::Index i = 0; i < size; ++i)
      for (int l = 0; l < std::min(N, end - s); ++l) column[i + l * to.stride] = from.data()[i][l];
    return;
  }
  for (int first = 0; first < N; first += 4) {
    double* const column = to.data + (s + first) * to.stride;
    for (Eigen::Index i = 0; i < size; i += 4) {
      i = std::min(i, size - 4);
      Four square[4];
      for (int k = 0; k < 4; ++k) square[k] = Four::load(from.data()[i + k].data() + first);
      transpose(square);
      for (int l = 0; l < 4; ++l) square[l].store(column + i + l * to.stride);
    }
  }
}

/// Calls compute(s, end) for each pack of states, which returns whether that is possible. Where it is not, the states
/// of the pack go one by one, in all lanes, and refuse(s) is called for those that are to blame.
template <class Compute, class Refuse>
bool each_pack(int begin, int end, Compute compute, Refuse refuse) {
  bool good = true;
  for (int s = begin; s < end; s += kernel_lanes) {
    if (compute(s, end)) continue;
    for (int one = s; one < std::min(s + kernel_lanes, end); ++one)
      if (!compute(one, one + 1)) refuse(one), good = false;
  }
  return good;
}

/// The same parameters in all lanes.
template <class T>
void spread_plant(const Plant<double>& from, Plant<T>& to) {
  const auto spread = [](const Eigen::VectorXd& one, VecX<T>& all) {
    for (Eigen::Index i = 0; i < one.size(); ++i) all(i) = T(one(i));
  };
  spread(from.damping, to.damping);
  spread(from.friction, to.friction);
  spread(from.friction_negative, to.friction_negative);
  spread(from.armature, to.armature);
  to.gravity = from.gravity.template cast<T>();
  for (int b = 0; b < from.model().body_count(); ++b) {
    typename Plant<T>::Body body;
    body.mass = T(from.body(b).mass);
    body.first = lanes::V3<T>(Vec3<T>(from.body(b).first.vec().template cast<T>()));
    body.second = lanes::S3<T>(Mat3<T>(from.body(b).second.mat().template cast<T>()));
    to.set_body(b, body);
  }
}

}  // namespace ulna::detail
