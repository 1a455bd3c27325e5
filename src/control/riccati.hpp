#pragma once

#include <algorithm>
#include <cmath>

#include "num/panels.hpp"
#include "qp_state.hpp"

/// The Riccati recursion of a QP in stages [Rao, Wright, Rawlings 1998]. With the cost to go of the next stage
/// ½ x' P x + p' x, in the order (u, x),
///
///     S = H + weights + F' P_next F + G' weights G,     Lr Lr' = S_uu,   Ls = S_xu Lr'^-1,   P = S_xx - Ls Ls'.
///
/// F is used by its diagonals where these are few, as of integrators: then what is left is the work of G and of S.
namespace ulna::control::detail {

using namespace ulna::detail::panels;

/// y (ld) += A (ld x columns) v, in rows from a multiple of the pack's width on.
inline void add_product(const double* A, int ld, int columns, const double* v, double* y,
                        int from = 0) {
  int row = from;
  const auto rows = [&]<int R>() {
    Lanes sum[R];
    for (int r = 0; r < R; ++r) sum[r] = load(y + row + r * width);
    for (int k = 0; k < columns; ++k)
      for (int r = 0; r < R; ++r) sum[r] += load(A + row + r * width + k * ld) * Lanes(v[k]);
    for (int r = 0; r < R; ++r) store(sum[r], y + row + r * width);
  };
  for (; row + 3 * width <= ld; row += 3 * width) rows.template operator()<3>();
  for (; row + width <= ld; row += width) rows.template operator()<1>();
}

/// The inner product of two columns that are filled up with zeros, from a row on whose pack it begins.
[[gnu::always_inline]] inline double dot(const double* a, const double* b, int from, int to) {
  Lanes sum(0.0);
  for (int row = from; row < to; row += width) sum += load(a + row) * load(b + row);
  return reduce(sum);
}
[[gnu::always_inline]] inline int pack_of(int row) { return row / width * width; }

/// y (count) += a x, element by element.
[[gnu::always_inline]] inline void add_elementwise(const double* a, const double* x, int count,
                                                   double* y) {
  int i = 0;
  for (; i + width <= count; i += width) store(load(y + i) + load(a + i) * load(x + i), y + i);
  for (; i < count; ++i) y[i] += a[i] * x[i];
}

/// out (rows from u on, in a stage's order) += P v; v in the same order.
inline void add_cost_to_go(const QpStageData& s, const double* v, double* out) {
  add_product(s.S + s.u * s.ld, s.ld, s.x, v + s.u, out, pack_of(s.u));
}
/// out (x of the next stage) += F z.
inline void add_next(const QpStageData& s, const double* z, double* out) {
  if (!s.is_sparse) return add_product(s.F, s.ld_next, s.n, z, out);
  for (int d = 0; d < s.diagonal_count; ++d) {
    const QpDiagonal& f = s.diagonals[d];
    add_elementwise(f.values, z + f.column, f.count, out + f.row);
  }
}
/// out (u, x) += F' x of the next stage.
inline void add_before(const QpStageData& s, const double* x, double* out) {
  if (!s.is_sparse) return add_product(s.Ft, s.ld, s.next, x, out);
  for (int d = 0; d < s.diagonal_count; ++d) {
    const QpDiagonal& f = s.diagonals[d];
    add_elementwise(f.values, x + f.row, f.count, out + f.column);
  }
}

/// S += F' P F, in the rows from the diagonal on of its first columns.
inline void add_cost_of_next(QpStageData& s, const QpStageData& next, int columns, double* PF) {
  const double* const P = next.S + next.u * next.ld;
  const int from = pack_of(next.u), ld = next.ld;
  if (!s.is_sparse) {
    in_fours(columns, [&]<int C>(int j) {
      panel<C>(nullptr, 0, {P, s.F + j * s.ld_next, ld, s.ld_next, 1, s.next}, {}, from, ld, PF,
               ld);
      double* const S = s.S + j * s.ld;
      panel<C>(S, s.ld, {s.Ft, PF + next.u, s.ld, ld, 1, s.next}, {}, pack_of(j), s.ld, S, s.ld);
    });
    return;
  }
  for (int c = 0; c < columns; ++c) {
    std::fill(PF + from, PF + ld, 0.0);
    for (int d = 0; d < s.diagonal_count; ++d) {
      const QpDiagonal& f = s.diagonals[d];
      if (const int i = c - f.column; i >= 0 && i < f.count)
        add_product(P + (f.row + i) * ld, ld, 1, f.values + i, PF, from);
    }
    for (int d = 0; d < s.diagonal_count; ++d) {
      const QpDiagonal& f = s.diagonals[d];
      const int i = std::max(0, c - f.column);
      if (i < f.count)
        add_elementwise(f.values + i, PF + next.u + f.row + i, f.count - i,
                        s.S + c * s.ld + f.column + i);
    }
  }
}

/// The first u columns of L, and the cost to go in S, from the cost to go of the next stage; false if the Hessian is
/// not positive. Of a state that is given, no cost to go is wanted.
inline bool factor(QpStageData& s, const QpStageData* next, bool is_given, QpState& state) {
  const int ld = s.ld, columns = is_given ? s.u : s.n;
  for (int c = 0; c < columns; ++c) {
    const int from = pack_of(std::max(0, c - 3));  // as far up as a group of columns goes
    std::copy(s.H + c * ld + from, s.H + (c + 1) * ld, s.S + c * ld + from);
    s.S[c * ld + c] += s.weight[c];
  }
  if (next) add_cost_of_next(s, *next, columns, state.PF);
  int depth = 0;
  for (int i = 0; i < s.g; ++i) {
    if (s.weight[ld + i] == 0.0) continue;
    const Lanes root(std::sqrt(s.weight[ld + i]));
    for (int row = 0; row < ld; row += width)
      store(load(s.Gt + i * ld + row) * root, state.W + depth * ld + row);
    ++depth;
  }
  const Product rows{state.W, state.W, ld, 1, ld, depth}, done{s.L, s.L, ld, 1, ld, 0};
  bool positive = true;
  const auto from_column = [](Product p, int j) {
    p.B += j;
    return p;
  };
  in_fours(s.u, [&]<int C>(int j) {
    Product before = from_column(done, j);
    before.depth = j;
    panel<C>(s.S + j * ld, ld, from_column(rows, j), before, pack_of(j), ld, s.L + j * ld, ld);
    for (int c = 0; c < C; ++c) {
      const double pivot = s.L[(j + c) * ld + j + c];
      take_from_group(s.L, ld, j, c, pack_of(j), ld);
      const double left = s.L[(j + c) * ld + j + c];
      positive = positive && left > 1e-15 * std::abs(pivot) && std::isfinite(left);
      scale_column(s.L, ld, j, c, pack_of(j), ld, 1.0 / std::sqrt(left));
    }
  });
  if (is_given || !positive) return positive;
  in_fours(s.x, [&]<int C>(int i) {
    const int j = s.u + i;
    Product before = from_column(done, j);
    before.depth = s.u;
    double* const P = s.S + j * ld;
    panel<C>(P, ld, from_column(rows, j), before, pack_of(j), ld, P, ld);
  });
  for (int c = s.u; c < s.n; ++c)
    for (int row = c + 1; row < s.n; ++row) s.S[row * ld + c] = s.S[c * ld + row];
  return true;
}

/// p of all stages: the linear part of the cost to go, and of the inputs what remains to be solved.
inline void backward(QpState& state) {
  const int count = int(state.stages.size());
  double* const w = state.scratch;
  for (int k = count - 1; k >= 0; --k) {
    QpStageData& s = state.stages[k];
    for (int row = 0; row < s.ld; row += width)
      store(load(s.slope + row) + load(s.linear + row), s.p + row);
    if (s.g > 0) add_product(s.Gt, s.ld, s.g, s.linear + s.ld, s.p);
    if (k + 1 < count) {
      // p + F' (p_next + P_next defect)
      const QpStageData& next = state.stages[k + 1];
      double* const defect = w + next.ld;
      std::copy_n(next.p, next.ld, w);
      std::fill_n(defect, next.ld, 0.0);
      std::copy_n(s.defect, s.next, defect + next.u);
      add_cost_to_go(next, defect, w);
      add_before(s, w + next.u, s.p);
    }
    for (int j = 0; j < s.u; ++j) {
      const double* const column = s.L + j * s.ld;
      const double y = s.p[j] / column[j];
      for (int row = pack_of(j); row < s.ld; row += width)
        store(load(s.p + row) - load(column + row) * Lanes(y), s.p + row);
      s.p[j] = y;
    }
  }
}

/// dy and d_pi of all stages. The state of the first stays what it is.
inline void forward(QpState& state) {
  const int count = int(state.stages.size());
  double* const x = state.scratch;
  for (int k = 0; k < count; ++k) {
    QpStageData& s = state.stages[k];
    double* const z = s.dy;
    if (k == 0) std::fill_n(z, s.ld, 0.0);
    for (int j = 0; j < s.u; ++j) z[j] = 0.0;
    for (int j = s.u - 1; j >= 0; --j) {
      const double* const column = s.L + j * s.ld;
      z[j] = -(s.p[j] + dot(column, z, pack_of(j), s.ld)) / column[j];
    }
    if (s.g > 0) {
      std::fill_n(z + s.ld, s.ld_g, 0.0);
      add_product(s.G, s.ld_g, s.n, z, z + s.ld);
    }
    if (k + 1 == count) break;
    QpStageData& next = state.stages[k + 1];
    std::copy_n(s.defect, s.ld_next, x);
    add_next(s, z, x);
    std::fill_n(next.dy, next.ld, 0.0);
    std::copy_n(x, s.next, next.dy + next.u);
    // the multiplier is the slope of the cost to go
    double* const slope = x;
    std::copy_n(next.p, next.ld, slope);
    add_cost_to_go(next, next.dy, slope);
    std::copy_n(slope + next.u, s.next, s.d_pi);
  }
}

}  // namespace ulna::control::detail
