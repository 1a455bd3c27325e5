#pragma once

#include "ulna/derivatives/derivatives_impl.hpp"
#include "ulna/dynamics/forward_dynamics_impl.hpp"

namespace ulna {
namespace detail {

/// Inertias, accelerations and wrenches without a, and the torques tau they need.
template <Scalar T>
void set_bias(const Plant<T>& plant, const Kinematics<T>& at, DerivativeWorkspace<T>& ws,
              VecX<T>& tau, ExternalWrenches<T> wrenches) {
  const std::span<const Joint> joints = plant.model().joints();
  const int n = static_cast<int>(joints.size());
  for (int b = 1; b < n; ++b) {
    set_inertia(plant, at, b, ws);
    accelerate<T>(at, b, joints[b].parent, nullptr, ws);
  }
  set_other_torques<T>(plant, at, nullptr, wrenches, tau);
  for (int b = n - 1; b > 0; --b) {
    const V6<T>& F = ws.bodies[b].F;
    for (const auto& d : at.directions(b)) tau(d.dof) += dot2(d.w, F.angular, d.v, F.linear);
    ws.bodies[joints[b].parent].F += F;
  }
}

/// The coordinates that carry k, those that k carries, and all of them with k.
template <Scalar T>
std::span<const int> above(const DerivativeWorkspace<T>& ws, int k) {
  return {ws.related.data() + ws.related_begin[2 * k],
          ws.related.data() + ws.related_begin[2 * k + 1]};
}
template <Scalar T>
std::span<const int> below(const DerivativeWorkspace<T>& ws, int k) {
  return {ws.related.data() + ws.related_begin[2 * k + 1] + 1,
          ws.related.data() + ws.related_begin[2 * k + 2]};
}
template <Scalar T>
std::span<const int> related(const DerivativeWorkspace<T>& ws, int k) {
  return {ws.related.data() + ws.related_begin[2 * k],
          ws.related.data() + ws.related_begin[2 * k + 2]};
}
/// Whether k - 1 carries k and what k carries, and nothing else: then both are related to the same.
template <Scalar T>
bool in_series(const DerivativeWorkspace<T>& ws, int k) {
  return ws.dynamics.factor.parent(k) == k - 1 &&
         below(ws, k - 1).size() == below(ws, k).size() + 1;
}

/// to[j] -= x from[j] for j <= i. Numbers after i may change, if they lie in the same block of four.
template <Scalar T>
[[gnu::always_inline]] inline void subtract_row(const T& x, const T* from, T* to, int i) {
  using Four = lanes::Four<T>;
  for (int j = 0; j <= i; j += 4) {
    Four rest = Four::load(to + j);
    rest.add_product(Four::load(from + j), -x);
    rest.store(to + j);
  }
}

/// M = L'D L, as sparse as the tree [Featherstone 2008, sec. 6.5]: row k of L, with 1/D on the diagonal, as a
/// column of ws.dynamics.inverse. ws.dynamics.composites holds each body's own inertia. False if M is not
/// positive definite.
template <Scalar T>
bool factor_mass_matrix(const Plant<T>& plant, const Kinematics<T>& at,
                        DerivativeWorkspace<T>& ws) {
  compose_bodies(plant.model().joints(), ws.dynamics);
  MatX<T>& L = ws.dynamics.inverse;
  set_mass_matrix<false>(plant, at, ws.dynamics, L.data(), L.rows());
  Mask<T> positive = T(0) < T(1);
  for (int k = static_cast<int>(L.cols()) - 1; k >= 0; --k) {
    T* const row = L.data() + k * L.rows();
    positive = positive && row[k] > T(0);
    row[k] = T(1) / row[k];
    const std::span<const int> path = above(ws, k);
    for (std::size_t end = path.size(); end > 0; --end) {
      const int i = path[end - 1];
      const T x = row[i] * row[k];
      // what is no ancestor of k is zero in its row
      subtract_row(x, row, L.data() + i * L.rows(), i);
      row[i] = x;
    }
  }
  return all(positive);
}

/// x := M^-1 x
template <Scalar T>
void solve(const DerivativeWorkspace<T>& ws, VecX<T>& x) {
  const MatX<T>& L = ws.dynamics.inverse;
  const int n = static_cast<int>(L.cols());
  for (int k = n - 1; k >= 0; --k) {
    const T* const row = L.data() + k * L.rows();
    const T x_k = x(k);
    for (const int i : above(ws, k)) x(i) -= row[i] * x_k;
  }
  for (int k = 0; k < n; ++k) {
    const T* const row = L.data() + k * L.rows();
    T sum = x(k) * row[k];
    for (const int i : above(ws, k)) sum -= row[i] * x(i);
    x(k) = sum;
  }
}

/// Rows r to r + 4 B of the columns of R, what the registers hold: each target column, scaled, less
/// Σ x_k (column k). The second target has the first among its columns as well.
template <int B, std::size_t N, Scalar T>
[[gnu::always_inline]] inline void subtract_columns(
    MatX<T>& R, Eigen::Index r, const std::array<int, N>& targets, std::span<const int> columns,
    const std::array<const T*, N>& x, Eigen::Index stride, const std::array<T, N>& scale) {
  using Four = lanes::Four<T>;
  T* const data = R.data() + r;
  const Eigen::Index ld = R.rows();
  const auto rows = [&](int k) __attribute__((always_inline)) { return data + k * ld; };
  Four sum[N][B];
  for (std::size_t t = 0; t < N; ++t)
    for (int i = 0; i < B; ++i) sum[t][i] = Four::load(rows(targets[t]) + 4 * i) * scale[t];
  for (const int k : columns) {
    const T* const from = rows(k);
    T factor[N];
    for (std::size_t t = 0; t < N; ++t) factor[t] = -x[t][k * stride];
    for (int i = 0; i < B; ++i) {
      const Four column = Four::load(from + 4 * i);
      for (std::size_t t = 0; t < N; ++t) sum[t][i].add_product(column, factor[t]);
    }
  }
  for (std::size_t t = 0; t < N; ++t)
    for (int i = 0; i < B; ++i) {
      if (t == 1) sum[1][i].add_product(sum[0][i], -x[1][targets[0] * stride]);
      sum[t][i].store(rows(targets[t]) + 4 * i);
    }
}

/// M^-1 times many right-hand sides, side by side in the columns of ws.columns, of which column k belongs
/// to coordinate k: 4 B of them, each computed in one go from those that it depends on, and two
/// coordinates at a time where one hangs on the other alone.
template <int B, Scalar T>
void solve_sides(DerivativeWorkspace<T>& ws, Eigen::Index r) {
  const MatX<T>& L = ws.dynamics.inverse;
  MatX<T>& R = ws.columns;
  const int n = static_cast<int>(L.cols());
  const auto parent = [&](int k) { return ws.dynamics.factor.parent(k); };
  const T one(1);
  for (int i = n - 1; i >= 0; --i) {
    const std::span<const int> depends = below(ws, i);
    if (i == 0 || !in_series(ws, i)) {
      subtract_columns<B, 1, T>(R, r, {i}, depends, {&L(i, 0)}, L.rows(), {one});
    } else {
      subtract_columns<B, 2, T>(R, r, {i, i - 1}, depends, {&L(i, 0), &L(i - 1, 0)}, L.rows(),
                                {one, one});
      --i;
    }
  }
  for (int k = 0; k < n; ++k) {
    const std::span<const int> depends = above(ws, k);
    if (k + 1 == n || parent(k + 1) != k) {
      subtract_columns<B, 1, T>(R, r, {k}, depends, {&L(0, k)}, 1, {L(k, k)});
    } else {
      subtract_columns<B, 2, T>(R, r, {k, k + 1}, depends, {&L(0, k), &L(0, k + 1)}, 1,
                                {L(k, k), L(k + 1, k + 1)});
      ++k;
    }
  }
}
template <Scalar T>
void solve_sides(DerivativeWorkspace<T>& ws) {
  Eigen::Index r = 0;
  const Eigen::Index rows = ws.columns.rows();
  for (; r + 24 <= rows; r += 24) solve_sides<6>(ws, r);
  for (; r + 8 <= rows; r += 8) solve_sides<2>(ws, r);
  for (; r < rows; r += 4) solve_sides<1>(ws, r);
}

/// -M^-1 x for C columns x, of which all rows but some are zero: 4 R rows of it from row on, the last four
/// at most at the end.
template <int R, int C, Scalar T>
[[gnu::always_inline]] inline void multiply_rows(const T* M_inverse, std::span<const int> some,
                                                 const T* x, T* to, Eigen::Index n,
                                                 Eigen::Index row) {
  using Four = lanes::Four<T>;
  Eigen::Index rows[R];
  for (int i = 0; i < R; ++i) rows[i] = std::min(row + 4 * i, n - 4);
  Four sum[C][R];
  for (int c = 0; c < C; ++c)
    for (int i = 0; i < R; ++i) sum[c][i] = Four::all(T(0));
  for (const int k : some) {
    Four column[R];
    for (int i = 0; i < R; ++i) column[i] = Four::load(M_inverse + k * n + rows[i]);
    for (int c = 0; c < C; ++c)
      for (int i = 0; i < R; ++i) sum[c][i].add_product(column[i], x[k + c * n]);
  }
  for (int c = 0; c < C; ++c)
    for (int i = 0; i < R; ++i) (sum[c][i] * T(-1)).store(to + c * n + rows[i]);
}
template <int C, Scalar T>
void multiply_columns(const T* M_inverse, std::span<const int> some, const T* x, T* to,
                      Eigen::Index n) {
  Eigen::Index row = 0;
  if constexpr (lanes::Plain<T>) {
    for (; row + 8 < n; row += 12) multiply_rows<3, C>(M_inverse, some, x, to, n, row);
    if (row + 4 < n) multiply_rows<2, C>(M_inverse, some, x, to, n, row), row += 8;
  }
  for (; row < n; row += 4) multiply_rows<1, C>(M_inverse, some, x, to, n, row);
}

/// to = -M^-1 x, where x has numbers only in rows and columns that are related. Columns that are related to
/// the same rows are taken together.
template <Scalar T>
void multiply_inverse(const DerivativeWorkspace<T>& ws, const MatX<T>& M_inverse, const MatX<T>& x,
                      MatX<T>& to) {
  const int n = static_cast<int>(x.cols());
  if (n < 4) {
    for (int c = 0; c < n; ++c)
      for (int r = 0; r < n; ++r) {
        T sum(0);
        for (int k = 0; k < n; ++k) sum -= M_inverse(r, k) * x(k, c);
        to(r, c) = sum;
      }
    return;
  }
  constexpr int together = lanes::Plain<T> ? 4 : 2;  // what the registers hold
  for (std::size_t i = 0; i + 1 < ws.series.size(); ++i) {
    const std::span<const int> some = related(ws, ws.series[i]);
    for (int c = ws.series[i], end = ws.series[i + 1]; c < end;) {
      const auto multiply = [&]<int C>() {
        multiply_columns<C>(M_inverse.data(), some, x.data() + c * n, to.data() + c * n, n);
        c += C;
      };
      const int count = std::min(end - c, together);
      if constexpr (lanes::Plain<T>) {
        if (count == 4) multiply.template operator()<4>();
        if (count == 3) multiply.template operator()<3>();
      }
      if (count == 2) multiply.template operator()<2>();
      if (count == 1) multiply.template operator()<1>();
    }
  }
}

/// to = from', both n x n. Four and more columns are taken as blocks: the last of them may overlap those
/// before.
inline void transpose(const double* from, Eigen::Index from_ld, double* to, Eigen::Index to_ld,
                      Eigen::Index n) {
  using Four = lanes::Four<double>;
  const auto block = [&](const double* source, double* target) __attribute__((always_inline)) {
    Four columns[4];
    for (int i = 0; i < 4; ++i) columns[i] = Four::load(source + i * from_ld);
    Four::transpose(columns);
    for (int i = 0; i < 4; ++i) columns[i].store(target + i * to_ld);
  };
  for (Eigen::Index next = 0, c = 0; next < n; next += 4) {
    c = std::min(next, n - 4);
    const double* const source = from + c * from_ld;
    for (Eigen::Index r = 0; r <= n - 4; r += 4) block(source + r, to + c + r * to_ld);
    if (n % 4 > 0) block(source + n - 4, to + c + (n - 4) * to_ld);
  }
}

// From worth_articulating coordinates on, M^-1 of double is computed by articulated bodies. From so many
// related coordinates on, on average, these are also faster than products with M^-1.
constexpr std::size_t worth_solving_articulated = 60;

template <Scalar T>
bool is_articulated(const DerivativeWorkspace<T>& ws) {
  return ws.articulated.size() > 0;
}

/// X := -M^-1 X, as solve_articulated of dynamics.
inline void solve_articulated(const Kinematics<double>& at, DerivativeWorkspace<double>& ws,
                              double* X, Eigen::Index width) {
  double* const scratch = ws.articulated.data();
  const Eigen::Index size = 6 * ws.articulated.rows();
  solve_articulated(at, ws.dynamics, X, width, scratch, scratch + size * ws.dynamics.unit.slots);
}

/// M^-1 into out.dtau, and a = M^-1 a, from each body's own inertia. False if M is not positive definite.
template <Scalar T>
bool solve_for_a(const Plant<T>& plant, const Kinematics<T>& at, DerivativeWorkspace<T>& ws,
                 ForwardDynamicsDerivatives<T>& out) {
  const Eigen::Index n = out.a.size();
  for (std::size_t b = 1; b < ws.bodies.size(); ++b) {
    auto& own = ws.dynamics.composites[b];
    own.mass = ws.bodies[b].mass;
    own.first = ws.bodies[b].first, own.second = ws.bodies[b].second;
  }
  if constexpr (std::same_as<T, double>)
    if (is_articulated(ws)) {
      if (!articulated_inverse(plant, at, ws.dynamics)) return false;
      // not by M^-1, whose rounding would show in the torques; one column of four
      double* const X = ws.dynamics.unit.forces.data();
      std::fill_n(X, 4 * n, 0.0);
      for (Eigen::Index k = 0; k < n; ++k) X[4 * k] = -out.a(k);
      solve_articulated(at, ws, X, 4);
      for (Eigen::Index k = 0; k < n; ++k) out.a(k) = X[4 * k];
      out.dtau = ws.dynamics.inverse.topRows(n);
      return true;
    }
  if (!factor_mass_matrix(plant, at, ws)) return false;
  solve(ws, out.a);
  T* const sides = ws.columns.data();
  const Eigen::Index ld = ws.columns.rows();
  for (Eigen::Index i = 0; i < ws.columns.size(); ++i) sides[i] = T(0);
  for (Eigen::Index c = 0; c < n; ++c) sides[c + c * ld] = T(1);
  solve_sides(ws);
  // the upper triangle, and the same below: rounding differs
  T* const dtau = out.dtau.data();
  for (Eigen::Index c = 0; c < n; ++c)
    for (Eigen::Index r = 0; r <= c; ++r) dtau[r + c * n] = dtau[c + r * n] = sides[r + c * ld];
  return true;
}

/// dq = -M^-1 dID/dq, dv = -M^-1 dID/dv
template <Scalar T>
void solve_for_slopes(const Kinematics<T>& at, DerivativeWorkspace<T>& ws,
                      ForwardDynamicsDerivatives<T>& out) {
  const InverseDynamicsDerivatives<T>& inverse = out.inverse;
  if constexpr (std::same_as<T, double>) {
    if (is_articulated(ws) && ws.columns.size() > 0) {
      double* const side = ws.columns.data();
      const Eigen::Index n = ws.columns.cols(), ld = ws.columns.rows();
      transpose(inverse.dq.data(), n, side, ld, n);
      transpose(inverse.dv.data(), n, side + n, ld, n);
      solve_articulated(at, ws, side, ld);
      transpose(side, ld, out.dq.data(), n, n);
      transpose(side + n, ld, out.dv.data(), n, n);
      return;
    }
  }
  multiply_inverse(ws, out.dtau, inverse.dq, out.dq);
  multiply_inverse(ws, out.dtau, inverse.dv, out.dv);
}

}  // namespace detail

template <Scalar T>
DerivativeWorkspace<T>::DerivativeWorkspace(const Model& model)
    : bodies(model.body_count()),
      rates(model.tree_nv()),
      blocks(model.tree_nv()),
      dynamics(model),
      related_begin{0} {
  const auto carries = [&](int i, int k) {
    while (k > i) k = dynamics.factor.parent(k);
    return k == i;
  };
  const int n = model.nv();
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < k; ++i)
      if (carries(i, k)) related.push_back(i);
    related_begin.push_back(static_cast<int>(related.size()));
    related.push_back(k);
    for (int i = k + 1; i < n; ++i)
      if (carries(k, i)) related.push_back(i);
    related_begin.push_back(static_cast<int>(related.size()));
  }
  for (int k = 0; k < n; ++k)
    if (k == 0 || !detail::in_series(*this, k)) series.push_back(k);
  series.push_back(n);
  if (model.has_mimics()) tree.fill(MatX<T>::Zero(model.tree_nv(), model.tree_nv()));
  const auto whole_blocks = [](int count) { return (count + 3) / 4 * 4; };
  if constexpr (std::same_as<T, double>)
    if (n >= detail::worth_articulating && !model.has_mimics()) {
      const bool wide =
          related.size() >= detail::worth_solving_articulated * static_cast<std::size_t>(n);
      if (wide) columns.setZero(whole_blocks(2 * n), n);
      articulated.setZero(wide ? columns.rows() : 4, 6 * (dynamics.unit.slots + 1));
      return;
    }
  columns.setZero(whole_blocks(n), n);
}

template <Scalar T>
bool forward_dynamics_derivatives(const Plant<T>& plant, const Kinematics<T>& at, In<T> tau,
                                  DerivativeWorkspace<T>& ws, ForwardDynamicsDerivatives<T>& out,
                                  ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  detail::require_forward<T>(plant, at, tau, out.a.size(), wrenches);
  detail::set_world(plant, ws);
  detail::set_bias(plant, at, ws, out.inverse.tau, wrenches);
  for (int i = 0; i < model.nv(); ++i) out.a(i) = tau(i) - out.inverse.tau(i);
  if (!detail::solve_for_a(plant, at, ws, out)) return false;
  const std::span<const Joint> joints = model.joints();
  const int n = static_cast<int>(joints.size());
  for (int b = 1; b < n; ++b) {
    detail::accelerate(at, b, joints[b].parent, out.a.data(), ws);
    detail::set_rates(at, b, joints[b].parent, ws);
  }
  detail::differentiate(plant, at, out.a.data(), ws, out.inverse, wrenches);
  detail::solve_for_slopes(at, ws, out);
  return true;
}

}  // namespace ulna
