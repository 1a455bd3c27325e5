#include "active_set.hpp"

/// The interior point method, on all rows at once: a row is a lane, and what is not there is a lane
/// where nothing happens. A step dz solves
///
///     (H + weights) dz + slope + linear = 0,      dx_next = F dz + defect,
///
/// where slope and defect are what is left of the conditions; a step of length a leaves 1 - a of them.
namespace ulna::control::detail {

/// What one side of a pack of rows comes to, when t λ is to become `aim` less a part of the product of
/// the changes of the predictor, `correction`: dλ = push - weight dy.
struct SidePack {
  Lanes t, l, beyond;  ///< beyond: what the distance is off from what the row says
  Lanes weight, push;
  Lanes share, slack, slack_multiplier, slack_rate, slack_push, slack_slope;  ///< of soft rows

  template <bool Soft>
  [[gnu::always_inline]] static SidePack of(const QpStageData& s, const QpSide& side, double sign,
                                            double aim, double correction, int i) {
    SidePack p;
    const Lanes present = load(side.present + i), one(1.0);
    p.t = load(side.distance + i), p.l = load(side.multiplier + i);
    p.beyond = (Lanes(sign) * load(s.y + i) - load(side.bound + i) - p.t) * present;
    const Lanes inverse = one / p.t;
    Lanes goal = Lanes(aim) * present;
    if (correction > 0.0)
      goal -= Lanes(correction) * load(side.d_distance + i) * load(side.d_multiplier + i);
    p.weight = p.l * inverse;
    if constexpr (Soft) {
      const Lanes soft = load(side.soft + i);
      p.slack = load(side.slack + i), p.slack_multiplier = load(side.slack_multiplier + i);
      p.beyond += p.slack * soft;
      const Lanes per_slack = one / p.slack;
      Lanes slack_goal = Lanes(aim) * soft;
      if (correction > 0.0)
        slack_goal -=
            Lanes(correction) * load(side.d_slack + i) * load(side.d_slack_multiplier + i);
      p.slack_rate = p.slack_multiplier * per_slack;
      p.slack_push = slack_goal * per_slack - p.slack_multiplier;
      const Lanes squared = load(side.price_squared + i);
      p.slack_slope = (squared * p.slack + load(side.price + i) - p.l - p.slack_multiplier) * soft;
      p.share = soft / (squared + p.weight + p.slack_rate + (one - soft));
    }
    p.push = goal * inverse - p.l - p.weight * p.beyond;
    return p;
  }
  /// How far the slack moves, per what the row does.
  [[gnu::always_inline]] Lanes slack_change(const Lanes& dy) const {
    return share * (push + slack_push - slack_slope - weight * dy);
  }
};

/// For both sides of a stage's rows: f.template operator()<whether any is soft>(side, sign), the sign being +1 of the
/// lower side and -1 of the upper.
template <class F>
[[gnu::always_inline]] inline void each_side(const QpStageData& s, F f) {
  if (s.any_soft) {
    f.template operator()<true>(s.lower, 1.0);
    f.template operator()<true>(s.upper, -1.0);
  } else {
    f.template operator()<false>(s.lower, 1.0);
    f.template operator()<false>(s.upper, -1.0);
  }
}

/// What the rows add to H and h: weight and linear.
inline void set_rows(QpState& state, double aim, double correction) {
  for (QpStageData& s : state.stages) {
    std::fill_n(s.weight, s.rows, 0.0);
    std::fill_n(s.linear, s.rows, 0.0);
    each_side(s, [&]<bool Soft>(const QpSide& side, double sign) {
      each_pack(s, [&](int i) {
        const SidePack p = SidePack::of<Soft>(s, side, sign, aim, correction, i);
        Lanes weight = p.weight, push = p.push;
        if constexpr (Soft) {
          push -= weight * p.slack_change(Lanes(0.0));
          weight -= weight * p.share * weight;
        }
        store(load(s.weight + i) + weight, s.weight + i);
        store(load(s.linear + i) - Lanes(sign) * push, s.linear + i);
      });
    });
    if (s.any_equal)
      each_pack(s, [&](int i) {
        const Lanes weight = load(s.equal + i) * load(s.held + i);
        store(load(s.weight + i) + weight, s.weight + i);
        store(load(s.linear + i) + weight * (load(s.y + i) - load(s.value + i)), s.linear + i);
      });
  }
}

/// What a step is about: sums over all sides.
struct StepSums {
  Lanes hindrance{0.0};  ///< how many times the way to 0 of some t or λ the step is long
  /// Σ (t + a dt)(λ + a dλ) = product + a first + a² second
  Lanes product{0.0}, first{0.0}, second{0.0};

  [[gnu::always_inline]] void add(const Lanes& present, const Lanes& t, const Lanes& l,
                                  const Lanes& dt, const Lanes& dl) {
    const Lanes absent = Lanes(1.0) - present;
    hindrance = max(hindrance, max(-dt / t, -dl / (l + absent)));
    product += t * l * present;
    first += (t * dl + l * dt) * present;
    second += dt * dl;
  }
  double longest() const { return 1.0 / std::max(hmax(hindrance), 1e-300); }
  double after(double a) const {
    return reduce(product) + a * (reduce(first) + a * reduce(second));
  }
};

/// The changes of t and λ that go with dy.
inline StepSums set_changes(QpState& state, double aim, double correction) {
  StepSums sums;
  for (const QpStageData& s : state.stages)
    each_side(s, [&]<bool Soft>(const QpSide& side, double sign) {
      each_pack(s, [&](int i) {
        const SidePack p = SidePack::of<Soft>(s, side, sign, aim, correction, i);
        const Lanes present = load(side.present + i);
        const Lanes dy = Lanes(sign) * load(s.dy + i) * present;
        Lanes dt = dy + p.beyond, dl = p.push - p.weight * dy;
        if constexpr (Soft) {
          const Lanes soft = load(side.soft + i);
          const Lanes ds = p.slack_change(dy), dv = (p.slack_push - p.slack_rate * ds) * soft;
          store(ds, side.d_slack + i), store(dv, side.d_slack_multiplier + i);
          sums.add(soft, p.slack, p.slack_multiplier, ds, dv);
          dt += ds, dl -= p.weight * ds;
        }
        store(dt, side.d_distance + i), store(dl, side.d_multiplier + i);
        sums.add(present, p.t, p.l, dt, dl);
      });
    });
  return sums;
}

[[gnu::always_inline]] inline void go(double* x, const double* dx, const Lanes& a, int count) {
  for (int i = 0; i < count; i += width) store(load(x + i) + a * load(dx + i), x + i);
}
/// Goes a part of the step; the largest t λ.
inline double take_step(QpState& state, double a) {
  const Lanes part(a);
  Lanes gap(0.0);
  for (QpStageData& s : state.stages) {
    const auto go_both = [&](double* t, double* dt, double* l, double* dl) {
      go(t, dt, part, s.rows), go(l, dl, part, s.rows);
      each_pack(s, [&](int i) { gap = max(gap, load(t + i) * load(l + i)); });
    };
    for (const QpSide* x : {&s.lower, &s.upper}) {
      go_both(x->distance, x->d_distance, x->multiplier, x->d_multiplier);
      if (s.any_soft) go_both(x->slack, x->d_slack, x->slack_multiplier, x->d_slack_multiplier);
    }
    if (s.any_equal)
      each_pack(s, [&](int i) {
        const Lanes off = load(s.equal + i) * (load(s.y + i) + load(s.dy + i) - load(s.value + i));
        store(load(s.equal_multiplier + i) + part * off * load(s.held + i), s.equal_multiplier + i);
      });
    go(s.y, s.dy, part, s.rows), go(s.pi, s.d_pi, part, s.ld_next);
    go(s.slope, s.slope, -part, s.ld), go(s.defect, s.defect, -part, s.ld_next);
  }
  return hmax(gap);
}

/// All t and λ where they may begin.
inline void start(QpState& state, const QpOptions& options, bool warm) {
  const double barrier = warm ? options.warm_start : options.start;
  const double least = std::sqrt(barrier);
  for (QpStageData& s : state.stages) {
    const auto begin = [&](QpSide& side, double sign) {
      for (int i = 0; i < s.rows; ++i) {
        side.slack[i] = 1.0, side.slack_multiplier[i] = 0.0;
        if (side.present[i] == 0.0) {
          side.distance[i] = 1.0, side.multiplier[i] = 0.0;
          continue;
        }
        const double away = sign * s.y[i] - side.bound[i];
        side.distance[i] = std::max(away, least);
        side.multiplier[i] = warm ? std::max(side.multiplier[i], barrier / side.distance[i])
                                  : barrier / side.distance[i];
        if (side.soft[i] == 0.0) continue;
        side.slack[i] = std::max(-away, least);
        side.slack_multiplier[i] = barrier / side.slack[i];
      }
    };
    begin(s.lower, 1.0), begin(s.upper, -1.0);
  }
}

inline bool factor_all(QpState& state) {
  for (std::size_t k = state.stages.size(); k-- > 0;) {
    QpStageData& s = state.stages[k];
    const QpStageData* next = k + 1 < state.stages.size() ? &state.stages[k + 1] : nullptr;
    if (!factor(s, next, k == 0, state)) return false;
  }
  return true;
}

inline void solve_by_interior_points(QpState& state, const QpRun& run) {
  const QpOptions& options = *run.options;
  QpReport& report = state.report;
  report = {};
  report.interior = true;
  start(state, options, state.start != QpStart::cold);
  double sides = 0.0;
  for (const QpStageData& s : state.stages)
    for (const QpSide* side : {&s.lower, &s.upper})
      for (int i = 0; i < s.rows; ++i) sides += side->present[i] + side->soft[i];

  int crawling = 0;
  report.status = QpStatus::limited;
  report.gap = infinity;
  measure(state);
  while (report.iterations < options.iterations) {
    if (is_past(run)) break;
    // predictor: straight to the bounds
    set_rows(state, 0.0, 0.0);
    if (!factor_all(state)) {
      report.status = QpStatus::failed;
      break;
    }
    backward(state), forward(state);
    StepSums sums = set_changes(state, 0.0, 0.0);
    double a = std::min(1.0, sums.longest());
    if (sides > 0.0) {
      // corrector: back from them by as much as the predictor was hindered
      const double now = sums.after(0.0) / sides, predicted = sums.after(a) / sides;
      const double aim = now * std::pow(std::clamp(predicted / now, 0.0, 1.0), 3);
      // all of dt dλ, where the predictor goes about as far as that is true of; a predictor that soon
      // meets a bound says little of it, and with all of it the method may go in circles [Cartis 2009]
      const double correction = std::min(1.0, 2.0 * a);
      set_rows(state, aim, correction);
      backward(state), forward(state);
      sums = set_changes(state, aim, correction);
      a = std::min(1.0, 0.995 * sums.longest());
    }
    if (!std::isfinite(a)) {
      report.status = QpStatus::failed;
      break;
    }
    report.gap = take_step(state, a);
    ++report.iterations;
    if (report.gap <= options.tolerance) {
      measure(state);
      if (std::max({report.slope, report.defect, report.breach}) <= options.tolerance) {
        report.status = QpStatus::solved;
        return;
      }
    }
    crawling = a < 1e-3 ? crawling + 1 : 0;
    if (crawling >= 5) {
      report.status = QpStatus::infeasible;
      break;
    }
  }
  measure(state);
}

inline void solve_qp(QpState& state, const QpRun& run) {
  if (run.prepare) return prepare_active_set(state);
  if (!state.is_factored) return solve_by_interior_points(state, run);
  if (solve_by_active_set(state, run)) return;
  const int iterations = state.report.iterations;
  solve_by_interior_points(state, run);
  state.report.iterations += iterations;
  if (state.report.status != QpStatus::limited || !state.has_point) return;
  // a point on the way of this method is none that a robot can follow
  for (QpStageData& s : state.stages) std::copy_n(s.kept, s.rows, s.y);
  measure(state);
}

}  // namespace ulna::control::detail

#ifndef ULNA_KERNEL
#define ULNA_KERNEL ulna_qp_kernel_baseline
#endif

extern "C" void ULNA_KERNEL(ulna::control::detail::QpState& state,
                            const ulna::control::detail::QpRun& run) {
  ulna::control::detail::solve_qp(state, run);
}
