#pragma once

#include "conditions.hpp"

/// The active set method: Newton's method on the conditions of a minimum, where each row is taken to be inside its
/// bounds, at one or, if it is soft, beyond one [Hintermüller, Ito, Kunisch 2002]. A step solves the program with
/// these rows held, and what it comes to says where the rows are to be next; the places of all rows right, it
/// is the solution. Where that is not found soon, the interior point method is called for.
namespace ulna::control::detail {

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
    s.weight[i] = s.equal[i] != 0.0 || place == row_place::at_bound ? s.held[i]
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

struct Moves {
  int last = -1;         ///< stage of which a row moves, or -1
  bool is_held = false;  ///< whether a row stays where it does not belong
};

/// All rows to where they belong. If they may go outwards only, from inside to a bound and from there beyond, that comes to
/// an end, at a point that keeps the bounds but need not be the best that does.
inline Moves move_rows(QpState& state, double tolerance, bool outwards_only) {
  Moves moves;
  for (std::size_t k = 0; k < state.stages.size(); ++k) {
    QpStageData& s = state.stages[k];
    for (int i = 0; i < s.rows; ++i) {
      if (s.lower.present[i] + s.upper.present[i] == 0.0) continue;
      const double place = next_place(s, i, tolerance);
      if (place == s.place[i]) continue;
      const bool stays = outwards_only && std::abs(place) < std::abs(s.place[i]);
      moves.is_held |= stays;
      if (!stays) s.place[i] = place, moves.last = int(k);
    }
  }
  return moves;
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
    if (!factor(s, next, k == 0, state)) return false;
  }
  return true;
}

/// For the rows that are active by the multipliers.
inline void prepare_active_set(QpState& state) {
  place_rows(state);
  state.is_factored = factor_from(state, int(state.stages.size()) - 1);
}

/// Whether that was the way: solved, or stopped by the deadline at a point whose dynamics hold, or at one that keeps the bounds where that
/// is enough. Otherwise that point is kept, if there is one, and the multipliers are as they were.
inline bool solve_by_active_set(QpState& state, const QpRun& run) {
  constexpr int most_free = 10, most_refined = 2;
  const int most = run.options->exact ? most_free : 2 * most_free;
  const double tolerance = run.options->tolerance;
  QpReport& report = state.report;
  Moves moves;
  int refined = 0;
  bool finite = true;
  join_multipliers(state);
  for (QpStageData& s : state.stages) std::copy_n(s.y, s.rows, s.kept);
  measure(state);
  const auto end = [&](QpStatus status) {
    report.status = status, report.gap = 0.0;
    split_multipliers(state);
    return true;
  };
  while (report.iterations < most && refined <= most_refined && factor_from(state, moves.last)) {
    set_linear(state);
    backward(state), forward(state);
    if (!(finite = take_plain_step(state))) break;
    ++report.iterations;
    moves = move_rows(state, tolerance, report.iterations >= most_free);
    if (moves.last >= 0 && !is_past(run)) continue;
    set_slacks(state);
    measure(state);
    const bool holds = std::max({report.slope, report.defect, report.breach}) <= tolerance;
    if (moves.last >= 0 || (holds && moves.is_held)) {
      fit_multipliers(state);
      return end(QpStatus::limited);
    }
    if (holds) return end(QpStatus::solved);
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
