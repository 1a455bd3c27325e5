#include "simulate/flow.hpp"

#include "simulate/step_impl.hpp"

namespace ulna::detail {
namespace {

// how exactly events are located: rad/s or m/s, rad or m, and share of the step
constexpr double at_rest = 1e-10, at_stop = 1e-12, in_time = 1e-13;
constexpr int most_trials = 60;

}  // namespace

Flow::Flow(const Model& model, Integrator integrator, int events)
    : step_(model, integrator), near_(Eigen::VectorXd::Zero(events)), expected_(events, 0) {}

SimulationStatus Flow::take(HeldDynamics& dynamics, const Eigen::VectorXd& q,
                            const Eigen::VectorXd& v, double h) {
  const Tableau& method = tableau(step_.integrator_);
  done_ = {};
  bool possible = true;
  const bool finite = step_.take(dynamics.model(), q, v, h, [&](int stage, Eigen::VectorXd& a) {
    possible = dynamics.accelerate(step_.q_, step_.v_, a);
    if (const double dt = method.weight[stage] * h; possible && dt != 0.0)
      done_.add(dynamics.power(step_.q_, step_.v_), dt);
    return possible;
  });
  return finite      ? SimulationStatus::moved
         : !possible ? SimulationStatus::plant_not_physical
                     : SimulationStatus::diverged;
}

/// The distances of all expected events after the step; whether one is past.
bool Flow::measure(const HeldDynamics& dynamics, Eigen::VectorXd& distance) const {
  bool past = false;
  for (int e = 0; e < dynamics.event_count(); ++e) {
    if (!expected_[e]) continue;
    distance(e) = dynamics.distance(e, step_.q_next, step_.v_next);
    past |= distance(e) < 0.0;
  }
  return past;
}

SimulationStatus Flow::go(HeldDynamics& dynamics, Eigen::VectorXd& q, Eigen::VectorXd& v, double h,
                          bool locate, double& gone, SimulationWork& work, long& events) {
  for (int e = 0; e < dynamics.event_count(); ++e) {
    expected_[e] = dynamics.expected(e, q);
    near_(e) = dynamics.distance(e, q, v);
  }
  gone = h;
  SimulationStatus status = take(dynamics, q, v, h);
  if (status != SimulationStatus::moved) return status;
  bool past = measure(dynamics, far_);

  // the first event: between `low`, where none is past, and `gone`, where at least one is
  double low = 0.0;
  for (int trial = 0; locate && past && trial < most_trials; ++trial) {
    double first = 1.0;
    bool exact = true;
    for (int e = 0; e < dynamics.event_count(); ++e) {
      if (!expected_[e] || !(far_(e) < 0.0)) continue;
      first = std::min(first, near_(e) / (near_(e) - far_(e)));
      exact &= -far_(e) <= (dynamics.is_stop(e) ? at_stop : at_rest);
    }
    if (exact || gone - low <= in_time * h) break;
    // straight lines, a little beyond where they cross so that both ends close in, and every third time the middle
    const double share =
        trial % 3 == 2 ? 0.5 : std::clamp(first * (1.0 + 1e-6) + 1e-9, 1e-6, 1.0 - 1e-6);
    const double middle = low + share * (gone - low);
    status = take(dynamics, q, v, middle);
    if (status != SimulationStatus::moved) return status;
    if (measure(dynamics, middle_))
      gone = middle, far_ = middle_;
    else
      low = middle, near_ = middle_;
  }
  if (past) {
    // the last trial may have been one without event
    status = take(dynamics, q, v, gone);
    if (status != SimulationStatus::moved) return status;
    past = measure(dynamics, far_);
  }
  q = step_.q_next, v = step_.v_next;
  for (int e = 0; e < dynamics.event_count(); ++e)
    if (expected_[e] && far_(e) < 0.0) dynamics.make_exact(e, q, v), ++events;
  work.add(done_);
  return status;
}

}  // namespace ulna::detail
