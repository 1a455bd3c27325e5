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

/// Every body of ws with all that hangs on it.
template <Scalar T>
void compose_bodies(std::span<const Joint> joints, Workspace<T>& ws) {
  ws.composites[0] = {T(0), V3<T>::zero(), lanes::S3<T>::zero()};
  for (std::size_t b = joints.size() - 1; b > 0; --b)
    add_body(ws.composites[b], ws.composites[joints[b].parent]);
}

/// The same of the bodies at a motion.
template <Scalar T>
void compose_bodies(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws) {
  const std::span<const Joint> joints = plant.model().joints();
  const int n = static_cast<int>(joints.size());
  for (int b = 1; b < n; ++b) carry_to_world(plant.body(b), at.R(b), at.p(b), ws.composites[b]);
  compose_bodies(joints, ws);
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
[[gnu::always_inline]] inline V6<T> momentum(const Composite& C, const V6<T>& V) {
  V6<T> h;
  momentum(C, V.angular, V.linear, h.angular, h.linear);
  return h;
}

/// A symmetric matrix being written from its first column on: only its upper triangle, or all of it.
template <bool full, Scalar T>
struct SymmetricColumns {
  T* data;
  Eigen::Index stride;

  [[gnu::always_inline]] void set(int r, int c, const T& x) const {
    data[r + c * stride] = x;
    if constexpr (full) data[c + r * stride] = x;
  }
  /// Four rows.
  [[gnu::always_inline]] void set(int r, int c, const lanes::Four<T>& x) const {
    x.store(data + r + c * stride);
    if constexpr (full) {
      T* const row = data + c + r * stride;
      for (int i = 0; i < 4; ++i) row[i * stride] = x[i];
    }
  }
};

/// Column k of M, down to its diagonal: M(i, k) = S_i'F where i is k or a direction on the way from k to the
/// base, else zero.
template <class Matrix, Scalar T, class Direction>
[[gnu::always_inline]] inline void project_on_path(std::span<const Direction> S, int k,
                                                   const V6<T>& F, const Matrix& M) {
  int row = k + 1;
  for (int o = k; o >= 0; o = S[o].above) {
    while (--row > o) M.set(row, k, T(0));
    M.set(o, k, dot2(S[o].w, F.angular, S[o].v, F.linear));
  }
  while (--row >= 0) M.set(row, k, T(0));
}

/// Where four numbers make a register, four rows at a time, upward from the diagonal: a block may reach
/// beyond the run of directions it is of, into rows that are written later.
template <class Matrix, lanes::Plain T, class Direction>
[[gnu::always_inline]] inline void project_on_path(std::span<const Direction> S, int k,
                                                   const V6<T>& F, const AxisRows<T>& axes,
                                                   const Matrix& M) {
  using Four = lanes::Four<T>;
  const T* const s = axes.rows.data();
  const Eigen::Index ld = axes.rows.rows();
  for (int end = k + 1; end > 0;) {
    const int first = S[end - 1].run, next = S[first].above;
    if (end < 4) {
      for (int i = first; i < end; ++i) M.set(i, k, dot2(S[i].w, F.angular, S[i].v, F.linear));
    } else {
      for (int last = end; last > first; last -= 4) {
        const int row = std::max(last - 4, 0);
        Four sum = Four::all(T(0));
        for (int c = 0; c < 3; ++c) sum.add_product(Four::load(s + c * ld + row), F.angular[c]);
        for (int c = 3; c < 6; ++c) sum.add_product(Four::load(s + c * ld + row), F.linear[c - 3]);
        M.set(row, k, sum);
      }
    }
    // directions between two runs of the path to the base are on other branches
    for (int gap = next + 1; gap < first; ++gap) M.set(gap, k, T(0));
    end = next + 1;
  }
}

constexpr int worth_rows = 6;  ///< from so many directions on, four rows at a time are faster

/// Composite rigid bodies: M of the directions of the tree, without rotors. The composite bodies are in
/// ws. Unless the matrix is to be full, what lies below its diagonal means nothing.
template <bool full, Scalar T>
void composite_rigid_bodies(const Kinematics<T>& at, Workspace<T>& ws, T* M, Eigen::Index stride) {
  const auto S = at.directions();
  const int n = static_cast<int>(S.size());
  const SymmetricColumns<full, T> to{M, stride};
  // the momentum of the composite body that direction k moves, at unit velocity
  const auto F = [&](int k) { return momentum<T>(ws.composites[S[k].body], S[k].axis()); };
  if constexpr (lanes::Plain<T>)
    if (n >= worth_rows) {
      ws.axes.set(S);
      for (int k = 0; k < n; ++k) project_on_path(S, k, F(k), ws.axes, to);
      return;
    }
  for (int k = 0; k < n; ++k) project_on_path(S, k, F(k), to);
}

/// The same of the robot's coordinates, rotors included.
template <bool full, Scalar T>
void set_mass_matrix(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws, T* M,
                     Eigen::Index stride) {
  const int nv = plant.model().nv();
  if (!plant.model().has_mimics()) {
    composite_rigid_bodies<full>(at, ws, M, stride);
  } else {
    // a coordinate may have several directions
    MatX<T>& tree = ws.tree_M;
    composite_rigid_bodies<false>(at, ws, tree.data(), tree.outerStride());
    const SymmetricColumns<full, T> to{M, stride};
    for (int c = 0; c < nv; ++c)
      for (int r = 0; r <= c; ++r) to.set(r, c, T(0));
    const auto S = at.directions();
    for (int k = 0; k < static_cast<int>(S.size()); ++k)
      for (int o = k; o >= 0; o = S[o].above) {
        const int r = std::min(S[o].dof, S[k].dof), c = std::max(S[o].dof, S[k].dof);
        const T m = o != k && r == c ? T(tree(o, k) + tree(o, k)) : tree(o, k);
        to.set(r, c, M[r + c * stride] + m);
      }
  }
  for (int i = 0; i < nv; ++i) M[i + i * stride] += plant.armature(i);
}

}  // namespace detail

template <Scalar T>
void mass_matrix(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws, OutMatrix<T> M) {
  const Model& model = plant.model();
  detail::require_same_robot<T>(plant, at);
  detail::require_shape("M", M.rows(), M.cols(), model.nv(), model.nv(), model);
  detail::compose_bodies(plant, at, ws);
  detail::set_mass_matrix<true>(plant, at, ws, M.data(), M.outerStride());
}

}  // namespace ulna
