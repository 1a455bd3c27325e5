#pragma once

#include <algorithm>
#include <cmath>

#include "num/panels.hpp"
#include "qp_state.hpp"

/// The Riccati recursion of a QP in stages, in factored form [Frison, Jørgensen 2013]. With the cost to
/// go of the next stage ½ x' P x + p' x and P = Lp Lp',
///
///     L L' = H + (F' Lp)(F' Lp)',        L = [Lr 0; Ls Lp]        in the order (u, x),
///
/// whose lower right block is the factor for the stage before.
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

/// Whether nothing is left of a column of H + W W' + weights but rounding.
inline bool is_used_up(const QpStageData& s, const double* W, int depth, int column, double left) {
  double size = std::abs(s.H[column * s.ld + column]) + s.weight[column];
  for (int k = 0; k < depth; ++k) size += W[k * s.ld + column] * W[k * s.ld + column];
  return std::abs(left) <= 1e-13 * size;
}

/// L of a stage from that of the next; false if the Hessian is not positive: definite in u, semidefinite
/// in x. `columns`: of L that are wanted, u alone where the state is given.
inline bool factor(QpStageData& s, const QpStageData* next, int columns, double* W) {
  const int ld = s.ld, depth = s.next + s.g;
  // W = (F' Lp, G' √weight)
  if (next) {
    // the factor of the cost to go stands in L from u on
    const double* const Lp = next->L + next->u * next->ld + next->u;
    in_fours(s.next, [&]<int C>(int j) {
      const Product product{s.Ft + j * ld, Lp + j * next->ld + j, ld, next->ld, 1, s.next - j};
      panel<C>(nullptr, 0, product, Product{}, 0, ld, W + j * ld, ld);
    });
  }
  for (int i = 0; i < s.g; ++i) {
    const Lanes root(std::sqrt(s.weight[ld + i]));
    for (int row = 0; row < ld; row += width)
      store(load(s.Gt + i * ld + row) * root, W + (s.next + i) * ld + row);
  }
  // left-looking, four columns at a time
  bool positive = true;
  double largest = 0.0;
  in_fours(columns, [&]<int C>(int j) {
    double* const L = s.L;
    const int first = pack_of(j);
    const Product square{W, W + j, ld, 1, ld, depth}, done{L, L + j, ld, 1, ld, j};
    panel<C>(s.H + j * ld, ld, square, done, first, ld, L + j * ld, ld);
    for (int c = 0; c < C; ++c) {
      double* const column = L + (j + c) * ld;
      const double pivot = column[j + c] += s.weight[j + c];
      largest = std::max(largest, pivot);
      take_from_group(L, ld, j, c, first, ld);
      const double left = column[j + c];
      // a state that costs nothing has a column of zeros
      const bool free =
          !(left > 1e-12 * largest) && j + c >= s.u && is_used_up(s, W, depth, j + c, left);
      positive = positive && (free || left > 1e-14 * std::abs(pivot)) && std::isfinite(left);
      scale_column(L, ld, j, c, first, ld, free ? 0.0 : 1.0 / std::sqrt(left));
    }
  });
  return positive;
}

/// The cost to go by its factor, and F as a whole.
struct FactoredForm {
  /// out (rows from u on, in a stage's order) += P v = Lp (Lp' v); v in the same order, its inputs 0.
  static void add_cost_to_go(const QpStageData& s, const double* v, double* out) {
    for (int c = s.u; c < s.n; ++c) {
      const double* const column = s.L + c * s.ld;
      const Lanes along(dot(column, v, pack_of(c), s.ld));
      for (int row = pack_of(c); row < s.ld; row += width)
        store(load(out + row) + load(column + row) * along, out + row);
    }
  }
  /// out (x of the next stage) += F z, out (ld) += F' x.
  static void add_next(const QpStageData& s, const double* z, double* out) {
    add_product(s.F, s.ld_next, s.n, z, out);
  }
  static void add_before(const QpStageData& s, const double* x, double* out) {
    add_product(s.Ft, s.ld, s.next, x, out);
  }
};

/// p of all stages: the linear part of the cost to go, and of the inputs what remains to be solved.
template <class Form>
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
      Form::add_cost_to_go(next, defect, w);
      Form::add_before(s, w + next.u, s.p);
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
template <class Form>
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
    Form::add_next(s, z, x);
    std::fill_n(next.dy, next.ld, 0.0);
    std::copy_n(x, s.next, next.dy + next.u);
    // the multiplier is the slope of the cost to go
    double* const slope = x;
    std::copy_n(next.p, next.ld, slope);
    Form::add_cost_to_go(next, next.dy, slope);
    std::copy_n(slope + next.u, s.next, s.d_pi);
  }
}

}  // namespace ulna::control::detail
