#pragma once

#include "riccati.hpp"

namespace ulna::control::detail {

/// For every pack of rows of a stage: f(first row).
template <class F>
[[gnu::always_inline]] inline void each_pack(const QpStageData& s, F f) {
  for (int i = 0; i < s.rows; i += width) f(i);
}

inline bool is_past(const QpRun& run) {
  return run.deadline && QpSolver::Clock::now() >= *run.deadline;
}

/// What is left of the conditions of a minimum.
inline void measure(QpState& state) {
  QpReport& report = state.report;
  report.slope = report.defect = report.breach = 0.0;
  for (std::size_t k = 0; k < state.stages.size(); ++k) {
    QpStageData& s = state.stages[k];
    // H z + h + F' pi + multipliers of rows, less what the stage before has
    each_pack(s, [&](int i) {
      store(load(s.upper.multiplier + i) - load(s.lower.multiplier + i) +
                load(s.equal_multiplier + i),
            s.linear + i);
    });
    for (int i = 0; i < s.ld; i += width) store(load(s.h + i) + load(s.linear + i), s.slope + i);
    if (s.g > 0) add_product(s.Gt, s.ld, s.g, s.linear + s.ld, s.slope);
    add_product(s.H, s.ld, s.n, s.y, s.slope);
    if (s.next > 0) add_before(s, s.pi, s.slope);
    for (int i = 0; i < s.x; ++i)
      // a state that is given has no slope to vanish
      s.slope[s.u + i] = k > 0 ? s.slope[s.u + i] - state.stages[k - 1].pi[i] : 0.0;
    for (int i = 0; i < s.n; ++i) report.slope = std::max(report.slope, std::abs(s.slope[i]));
    if (s.next > 0) {
      const QpStageData& next = state.stages[k + 1];
      std::copy_n(s.f, s.ld_next, s.defect);
      add_next(s, s.y, s.defect);
      for (int i = 0; i < s.next; ++i) {
        s.defect[i] -= next.y[next.u + i];
        report.defect = std::max(report.defect, std::abs(s.defect[i]));
      }
    }
    for (int i = 0; i < s.rows; ++i) {
      const auto breach = [&](const QpSide& side, double sign) {
        return side.present[i] * (side.bound[i] - sign * s.y[i] - side.soft[i] * side.slack[i]);
      };
      report.breach = std::max({report.breach, breach(s.lower, 1.0), breach(s.upper, -1.0),
                                s.equal[i] * std::abs(s.y[i] - s.value[i])});
    }
  }
}

}  // namespace ulna::control::detail
