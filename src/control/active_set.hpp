#pragma once

#include "conditions.hpp"
#include "riccati.hpp"

/// The active set method: Newton's method on the conditions of a minimum, where each row is taken to be inside its
/// bounds, at one or, if it is soft, beyond one [Hintermüller, Ito, Kunisch 2002]. A step solves the program with
/// these rows held, and what it comes to says where the rows are to be next; the places of all rows right, it
/// is the solution. Where that is not found soon, the interior point method is called for.
///
/// Its Riccati recursion keeps the cost to go ½ x' P x itself, as rows inside their bounds weigh nothing:
///
///     S = H + weights + F' P_next F + G' weights G,     Lr Lr' = S_uu,   Ls = S_xu Lr'^-1,   P = S_xx - Ls Ls',
///
/// which for integrators, whose F is a few diagonals, takes a quarter of the work of the factored form.
namespace ulna::control::detail {

/// y (count) += a x, element by element.
[[gnu::always_inline]] inline void add_elementwise(const double* a, const double* x, int count,
                                                   double* y) {
  int i = 0;
  for (; i + width <= count; i += width) store(load(y + i) + load(a + i) * load(x + i), y + i);
  for (; i < count; ++i) y[i] += a[i] * x[i];
}

/// The cost to go as it is, and F by its diagonals where these are few.
struct PlainForm {
  static void add_cost_to_go(const QpStageData& s, const double* v, double* out) {
    add_product(s.S + s.u * s.ld, s.ld, s.x, v + s.u, out, pack_of(s.u));
  }
  static void add_next(const QpStageData& s, const double* z, double* out) {
    if (!s.is_sparse) return FactoredForm::add_next(s, z, out);
    for (int d = 0; d < s.diagonal_count; ++d) {
      const QpDiagonal& f = s.diagonals[d];
      add_elementwise(f.values, z + f.column, f.count, out + f.row);
    }
  }
  static void add_before(const QpStageData& s, const double* x, double* out) {
    if (!s.is_sparse) return FactoredForm::add_before(s, x, out);
    for (int d = 0; d < s.diagonal_count; ++d) {
      const QpDiagonal& f = s.diagonals[d];
      add_elementwise(f.values, x + f.row, f.count, out + f.column);
    }
  }
};

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
inline bool factor_plain(QpStageData& s, const QpStageData* next, bool is_given, QpState& state) {
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
      positive = positive && left > 1e-13 * std::abs(pivot) && std::isfinite(left);
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

[[gnu::always_inline]] inline double bound_at(const QpStageData& s, int i) {
  if (s.equal[i] != 0.0) return s.value[i];
  return s.place[i] < 0.0 ? s.lower.bound[i] : -s.upper.bound[i];
}
[[gnu::always_inline]] inline const QpSide& side_at(const QpStageData& s, int i) {
  return s.place[i] < 0.0 ? s.lower : s.upper;
}

/// What the rows of a stage add to H, where they are.
inline void set_weights(QpStageData& s) {
  for (int i = 0; i < s.rows; ++i) {
    const double place = std::abs(s.place[i]);
    s.weight[i] = s.equal[i] != 0.0 || place == row_place::at_bound ? 1.0 / equation_give
                  : place == row_place::beyond                      ? side_at(s, i).price_squared[i]
                                                                    : 0.0;
  }
}

/// The multiplier of a row changes by weight dy + linear.
inline void set_linear(QpState& state) {
  for (QpStageData& s : state.stages)
    for (int i = 0; i < s.rows; ++i) {
      double& linear = s.linear[i];
      linear = s.weight[i] * (s.y[i] - bound_at(s, i));
      if (s.equal[i] != 0.0) continue;
      if (const double place = std::abs(s.place[i]); place == row_place::inside)
        linear = -s.equal_multiplier[i];
      else if (place == row_place::beyond)
        linear += std::copysign(side_at(s, i).price[i], s.place[i]) - s.equal_multiplier[i];
    }
}

/// To where the conditions hold, but those of places; false if that is nowhere.
inline bool take_plain_step(QpState& state) {
  Lanes nothing(0.0);
  for (QpStageData& s : state.stages) {
    each_pack(s, [&](int i) {
      const Lanes dy = load(s.dy + i);
      nothing += Lanes(0.0) * dy;
      store(load(s.y + i) + dy, s.y + i);
      store(load(s.equal_multiplier + i) + load(s.weight + i) * dy + load(s.linear + i),
            s.equal_multiplier + i);
    });
    for (int i = 0; i < s.next; ++i) s.pi[i] += s.d_pi[i];
    std::fill_n(s.slope, s.ld, 0.0), std::fill_n(s.defect, s.ld_next, 0.0);
  }
  return std::isfinite(reduce(nothing));
}

/// Where a row belongs by its value and its multiplier.
[[gnu::always_inline]] inline double next_place(const QpStageData& s, int i, double tolerance) {
  const double y = s.y[i], m = s.equal_multiplier[i], place = s.place[i];
  if (place == row_place::inside) {
    if (s.lower.present[i] != 0.0 && y < s.lower.bound[i] - tolerance) return -row_place::at_bound;
    if (s.upper.present[i] != 0.0 && -y < s.upper.bound[i] - tolerance) return row_place::at_bound;
    return place;
  }
  const double sign = std::copysign(1.0, place);
  const QpSide& side = side_at(s, i);
  if (std::abs(place) == row_place::beyond)
    return sign * (sign * (y - bound_at(s, i)) < 0.0 ? row_place::at_bound : row_place::beyond);
  if (sign * m < -tolerance) return row_place::inside;
  return side.soft[i] != 0.0 && sign * m > side.price[i] ? sign * row_place::beyond : place;
}

/// All rows to where they belong; the last stage of which one moves, or -1.
inline int move_rows(QpState& state, double tolerance) {
  int last = -1;
  for (std::size_t k = 0; k < state.stages.size(); ++k) {
    QpStageData& s = state.stages[k];
    for (int i = 0; i < s.rows; ++i) {
      if (s.lower.present[i] + s.upper.present[i] == 0.0) continue;
      const double place = next_place(s, i, tolerance);
      if (place != s.place[i]) s.place[i] = place, last = int(k);
    }
  }
  return last;
}

/// Rows where their multipliers say that they are.
inline void place_rows(QpState& state) {
  // interior points leave something of all
  const double pushes = state.report.interior ? 1e-4 : 1e-12;
  for (QpStageData& s : state.stages)
    for (int i = 0; i < s.rows; ++i) {
      const double m = s.upper.multiplier[i] - s.lower.multiplier[i];
      s.place[i] = row_place::inside;
      if (std::abs(m) < pushes) continue;
      const QpSide& side = m < 0.0 ? s.lower : s.upper;
      if (side.present[i] == 0.0) continue;
      const bool pays = side.soft[i] != 0.0 && std::abs(m) >= (1.0 - 1e-6) * side.price[i];
      s.place[i] = std::copysign(pays ? row_place::beyond : row_place::at_bound, m);
    }
}

/// Multipliers of both sides of a row as one, and one as both.
inline void join_multipliers(QpState& state) {
  for (QpStageData& s : state.stages)
    for (int i = 0; i < s.rows; ++i) {
      s.equal_multiplier[i] += s.upper.multiplier[i] - s.lower.multiplier[i];
      s.kept_multiplier[i] = s.equal_multiplier[i];
      s.upper.multiplier[i] = s.lower.multiplier[i] = 0.0;
    }
}
inline void split_multipliers(QpState& state) {
  for (QpStageData& s : state.stages)
    for (int i = 0; i < s.rows; ++i) {
      double& m = s.equal_multiplier[i];
      if (s.equal[i] != 0.0) continue;
      s.upper.multiplier[i] = std::max(m, 0.0), s.lower.multiplier[i] = std::max(-m, 0.0);
      m = 0.0;
    }
}

/// Multipliers that fit the places of rows, where it is not the other way round: for the next program to begin there.
inline void fit_multipliers(QpState& state) {
  constexpr double least = 1e-9;
  for (QpStageData& s : state.stages)
    for (int i = 0; i < s.rows; ++i) {
      if (s.equal[i] != 0.0) continue;
      const double sign = std::copysign(1.0, s.place[i]), m = sign * s.equal_multiplier[i];
      const bool pays = std::abs(s.place[i]) == row_place::beyond;
      s.equal_multiplier[i] = s.place[i] == row_place::inside
                                  ? 0.0
                                  : sign * std::max(m, pays ? side_at(s, i).price[i] : least);
    }
}

/// The slacks that soft rows have.
inline void set_slacks(QpState& state) {
  for (QpStageData& s : state.stages)
    for (int i = 0; i < s.rows && s.any_soft; ++i) {
      s.lower.slack[i] = std::max(0.0, s.lower.bound[i] - s.y[i]);
      s.upper.slack[i] = std::max(0.0, s.upper.bound[i] + s.y[i]);
    }
}

/// From the last stage whose rows have moved back to the first: what comes after is as it was.
inline bool factor_from(QpState& state, int last) {
  for (int k = last; k >= 0; --k) {
    QpStageData& s = state.stages[k];
    set_weights(s);
    const QpStageData* next = k + 1 < int(state.stages.size()) ? &state.stages[k + 1] : nullptr;
    if (!factor_plain(s, next, k == 0, state)) return false;
  }
  return true;
}

/// For the rows that are active by the multipliers.
inline void prepare_active_set(QpState& state) {
  place_rows(state);
  state.is_factored = factor_from(state, int(state.stages.size()) - 1);
}

/// Whether that was the way: solved, or stopped by the deadline at a point whose dynamics hold. Otherwise that point
/// is kept, if there is one, and the multipliers are as they were.
inline bool solve_by_active_set(QpState& state, const QpRun& run) {
  constexpr int most = 10, most_refined = 2;
  const double tolerance = run.options->tolerance;
  QpReport& report = state.report;
  int moved = -1, refined = 0;
  bool finite = true;
  join_multipliers(state);
  for (QpStageData& s : state.stages) std::copy_n(s.y, s.rows, s.kept);
  measure<PlainForm>(state);
  const auto end = [&](QpStatus status) {
    report.status = status, report.gap = 0.0;
    split_multipliers(state);
    return true;
  };
  while (report.iterations < most && refined <= most_refined && factor_from(state, moved)) {
    set_linear(state);
    backward<PlainForm>(state), forward<PlainForm>(state);
    if (!(finite = take_plain_step(state))) break;
    ++report.iterations;
    moved = move_rows(state, tolerance);
    if (moved >= 0 && !is_past(run)) continue;
    set_slacks(state);
    measure<PlainForm>(state);
    if (moved >= 0) {
      fit_multipliers(state);
      return end(QpStatus::limited);
    }
    if (std::max({report.slope, report.defect, report.breach}) <= tolerance)
      return end(QpStatus::solved);
    ++refined;
  }
  state.has_point = finite;
  for (QpStageData& s : state.stages) {
    if (finite)
      std::copy_n(s.y, s.rows, s.kept);
    else
      std::copy_n(s.kept, s.rows, s.y), std::fill_n(s.pi, s.ld_next, 0.0);
    std::copy_n(s.kept_multiplier, s.rows, s.equal_multiplier);
  }
  split_multipliers(state);
  return false;
}

}  // namespace ulna::control::detail
