#pragma once

#include "ulna/dynamics/joint_kernels.hpp"
#include "ulna/dynamics/mass_matrix.hpp"

namespace ulna {
namespace detail {

/// A body's inertia in world axes about `origin`: m, Rh + m p, and
/// R Σ R' + g p' + p g' with g = Rh + m/2 p.
template <Scalar T, class Body, class Composite>
[[gnu::always_inline]] inline void carry_to_world(const Body& body, const M3<T>& R, const V3<T>& p,
                                                  Composite& C) {
  const V3<T> h = R * body.first;
  const V3<T> mp = p * body.mass;
  const V3<T> g = h + mp * T(0.5);
  C.mass = body.mass;
  C.first = h + mp;
  C.second = lanes::S3<T>::carried(R, body.second, g, p);
}

template <class Composite>
[[gnu::always_inline]] inline void add_body(const Composite& C, Composite& P) {
  P.mass += C.mass;
  P.first += C.first;
  P.second += C.second;
}

/// Every body with all that hangs on it.
template <Scalar T>
void compose_bodies(const Plant<T>& plant, const Configuration<T>& at, Workspace<T>& ws) {
  const std::span<const Joint> joints = plant.model().joints();
  const int n = static_cast<int>(joints.size());
  for (int b = 1; b < n; ++b) carry_to_world(plant.body(b), at.R(b), at.p(b), ws.composites[b]);
  for (int b = n - 1; b > 0; --b)
    if (joints[b].parent > 0) add_body(ws.composites[b], ws.composites[joints[b].parent]);
}

/// The momentum of a composite body that moves with (w, v): I w + h x v and m v - h x w, with
/// I = tr(Σ) 1 - Σ.
template <Scalar T, class Composite>
[[gnu::always_inline]] inline void momentum(const Composite& C, const V3<T>& w, const V3<T>& v,
                                            V3<T>& moment, V3<T>& force) {
  moment = w * C.second.trace() - C.second * w + cross(C.first, v);
  force = v * C.mass - cross(C.first, w);
}

template <Scalar T, class Composite>
[[gnu::always_inline]] inline lanes::V6<T> momentum(const Composite& C, const lanes::V6<T>& V) {
  lanes::V6<T> h;
  momentum(C, V.angular, V.linear, h.angular, h.linear);
  return h;
}

/// M without rotors, the whole or the upper triangle: for each direction, the momentum of all that it
/// moves, as felt by itself and by each direction above it. From the composite bodies in ws.
template <bool whole, Scalar T>
void compose_mass_matrix(const Configuration<T>& at, const Workspace<T>& ws, OutMatrix<T> M) {
  const auto directions = at.directions();
  const bool mimics = static_cast<int>(directions.size()) > M.cols();
  if (mimics) M.setZero();
  T* const data = M.data();
  const Eigen::Index stride = M.outerStride();
  for (int k = static_cast<int>(directions.size()) - 1; k >= 0; --k) {
    const auto& d = directions[k];
    V3<T> moment, force;
    momentum(ws.composites[d.body], d.w, d.v, moment, force);
    const T own = dot2(d.w, moment, d.v, force);
    T* const column = data + d.dof * stride;
    const auto put = [&](int r, const T& m) {
      column[r] = m;
      if constexpr (whole) data[d.dof + r * stride] = m;
    };
    if (!mimics) {
      // walking up, coordinates fall; those passed over belong to other branches
      int row = d.dof;
      column[row] = own;
      for (int o = d.above; o >= 0; o = directions[o].above) {
        const auto& other = directions[o];
        while (--row > other.dof) put(row, T(0));
        put(row, dot2(other.w, moment, other.v, force));
      }
      while (--row >= 0) put(row, T(0));
    } else {
      // a coordinate may have several directions, in any order
      column[d.dof] += own;
      for (int o = d.above; o >= 0; o = directions[o].above) {
        const auto& other = directions[o];
        const T m = dot2(other.w, moment, other.v, force);
        M(std::min(d.dof, other.dof), std::max(d.dof, other.dof)) +=
            d.dof == other.dof ? T(m + m) : m;
      }
    }
  }
  if (whole && mimics) M.template triangularView<Eigen::StrictlyLower>() = M.transpose();
}

}  // namespace detail

template <Scalar T>
void mass_matrix(const Plant<T>& plant, const Configuration<T>& at, Workspace<T>& ws,
                 OutMatrix<T> M) {
  const Model& model = plant.model();
  const int nv = model.nv();
  detail::require_shape("M", M.rows(), M.cols(), nv, nv, model);
  detail::compose_bodies(plant, at, ws);
  detail::compose_mass_matrix<true, T>(at, ws, M);
  for (int i = 0; i < nv; ++i) M(i, i) += plant.armature(i);
}

template <Scalar T>
MassFactor<T>::MassFactor(const Model& model)
    : L_(MatX<T>::Zero(model.nv(), model.nv())),
      d_inverse_(VecX<T>::Zero(model.nv())),
      parent_(model.nv(), -1) {
  bool mimics = false;
  for (int b = 1; b < model.body_count(); ++b) {
    const Joint& j = model.joint(b);
    mimics = mimics || j.mimics;
    if (j.mimics) continue;
    const Joint& above = model.joint(j.parent);
    for (int k = 0; k < velocity_size(j.type); ++k)
      parent_[j.v + k] = k > 0          ? j.v + k - 1
                         : j.parent > 0 ? above.v + velocity_size(above.type) - 1
                                        : -1;
  }
  // a joint that is followed elsewhere couples branches: then the matrix is taken as full
  if (mimics)
    for (int i = 0; i < model.nv(); ++i) parent_[i] = i - 1;
}

template <Scalar T>
bool MassFactor<T>::factor(const Eigen::Ref<const MatX<T>>& M) {
  if (M.rows() != L_.rows() || M.cols() != L_.cols())
    throw std::invalid_argument("M is " + std::to_string(M.rows()) + " x " +
                                std::to_string(M.cols()) + ", the robot needs " +
                                std::to_string(L_.rows()) + " x " + std::to_string(L_.cols()));
  L_ = M;
  return factor_in_place();
}

template <Scalar T>
bool MassFactor<T>::factor(const Plant<T>& plant, const Configuration<T>& at, Workspace<T>& ws) {
  detail::require_shape("the factor", L_.rows(), L_.cols(), plant.model().nv(), plant.model().nv(),
                        plant.model());
  detail::compose_bodies(plant, at, ws);
  detail::compose_mass_matrix<false, T>(at, ws, L_);
  for (Eigen::Index i = 0; i < L_.cols(); ++i) L_(i, i) += plant.armature(i);
  return factor_in_place();
}

template <Scalar T>
bool MassFactor<T>::factor_in_place() {
  const int n = static_cast<int>(L_.cols());
  Mask<T> positive = T(0) < T(1);
  for (int k = n - 1; k >= 0; --k) {
    T* const row_k = row(k);
    positive = positive && row_k[k] > T(0);
    const T d = d_inverse_(k) = T(1) / row_k[k];
    for (int i = parent_[k]; i >= 0; i = parent_[i]) {
      const T a = row_k[i] * d;
      T* const row_i = row(i);
      for (int j = i; j >= 0; j = parent_[j]) row_i[j] -= a * row_k[j];
      row_k[i] = a;
    }
  }
  return all(positive);
}

template <Scalar T>
void MassFactor<T>::solve(Out<T> x) const {
  const int n = static_cast<int>(L_.cols());
  if (x.size() != n)
    throw std::invalid_argument("x has " + std::to_string(x.size()) + " numbers, the robot needs " +
                                std::to_string(n));
  for (int k = n - 1; k >= 0; --k)
    for (int i = parent_[k]; i >= 0; i = parent_[i]) x(i) -= row(k)[i] * x(k);
  for (int k = 0; k < n; ++k) {
    T sum = x(k) * d_inverse_(k);
    for (int i = parent_[k]; i >= 0; i = parent_[i]) sum -= row(k)[i] * x(i);
    x(k) = sum;
  }
}

template <Scalar T>
void MassFactor<T>::inverse(OutMatrix<T> M_inverse) const {
  const int n = static_cast<int>(L_.cols());
  if (M_inverse.rows() != n || M_inverse.cols() != n)
    throw std::invalid_argument("M_inverse is " + std::to_string(M_inverse.rows()) + " x " +
                                std::to_string(M_inverse.cols()) + ", the robot needs " +
                                std::to_string(n) + " x " + std::to_string(n));
  T* const data = M_inverse.data();
  const Eigen::Index stride = M_inverse.outerStride();
  // row k of W = L^-1 into the upper part of column k, from those before it
  for (int k = 0; k < n; ++k) {
    T* const W_k = data + k * stride;
    const T* const L_k = row(k);
    for (int j = 0; j < k; ++j) W_k[j] = T(0);
    W_k[k] = T(1);
    for (int i = parent_[k]; i >= 0; i = parent_[i]) {
      const T* const W_i = data + i * stride;
      for (int j = i; j >= 0; j = parent_[j]) W_k[j] -= L_k[i] * W_i[j];
    }
  }
  // M^-1 = W D^-1 W' into the lower triangle, from the last row on: no W is overwritten that is needed
  for (int r = n - 1; r >= 0; --r) {
    T* const W_r = data + r * stride;
    T diagonal(0);
    for (int k = r; k >= 0; k = parent_[k]) {
      const T w = W_r[k];
      W_r[k] = w * d_inverse_(k);
      diagonal += w * W_r[k];
    }
    for (int c = 0; c < r; ++c) {
      const T* const W_c = data + c * stride;
      T sum(0);
      for (int k = c; k >= 0; k = parent_[k]) sum += W_r[k] * W_c[k];
      data[r + c * stride] = sum;
    }
    W_r[r] = diagonal;
  }
  for (int c = 0; c < n; ++c)
    for (int r = 0; r < c; ++r) data[r + c * stride] = data[c + r * stride];
}

template <Scalar T>
T MassFactor<T>::log_determinant() const {
  T sum(0);
  for (Eigen::Index k = 0; k < L_.rows(); ++k) sum += log(L_(k, k));
  return sum;
}

}  // namespace ulna
