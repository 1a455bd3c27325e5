#include "figures.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace robustness {

using namespace ulna;
using mpc::TrialResult;
using supervise::Cause;
using supervise::Event;
using supervise::Severity;

namespace {

constexpr double most_named = 100.0;  // ms
constexpr double most_after = 1.0;    // mrad, half a second after a push, and at the end
constexpr double mass_off = 0.1;      // share

/// Words and figures of three digits.
template <class... Parts>
std::string said(const Parts&... parts) {
  std::ostringstream text;
  text.precision(3);
  (text << ... << parts);
  return text.str();
}

/// Milliseconds from the fault on.
double time_until_named(const Row& row, const Case& c, const TrialResult& result) {
  const auto found = std::ranges::find_if(result.events, [&](const Event& e) {
    return e.cause == row.named && !e.ended && e.time >= c.disturbed_from - 1e-9;
  });
  return found == result.events.end() ? infinity
                                      : std::max(1e-9, 1e3 * (found->time - c.disturbed_from));
}

}  // namespace

Figures figures_of(const Row& row, const Case& c, const TrialResult& result) {
  Figures f{.finished = result.finished, .supervised = c.trial.supervision.has_value()};
  f.error = 1e3 * result.error.rms_from[0], f.error_later = 1e3 * result.error.rms_from[1];
  if (c.trial.count_from.size() > 2) f.after = 1e3 * result.error.rms_from.back();
  f.largest = 1e3 * result.error.largest, f.final = 1e3 * result.error.final;
  f.speed = result.largest_speed, f.torque = result.largest_torque, f.grip = result.largest_grip;
  f.mass = result.payload.mass, f.mass_deviation = result.payload.deviation;
  f.changes = result.changes_noticed, f.safe = result.count(mpc::ActionKind::safe);
  for (const Event& e : result.events) {
    if (e.ended || severity(e.cause) == Severity::note) continue;
    if (f.stops++ == 0) f.first_stop = said(to_string(e.cause), " at ", e.time, " s");
  }
  f.goes_on = !result.stopped();
  if (row.named != Cause::none) f.named_ms = time_until_named(row, c, result);
  f.step_us = result.times.p50;
  return f;
}

std::string misses(const Row& row, const Figures& f) {
  std::string text;
  const auto require = [&](bool good, const std::string& what) {
    if (!good) text += (text.empty() ? "" : ", ") + what;
  };
  if (!f.finished) return "diverged";
  if (row.target) require(f.error <= *row.target, said("error ", f.error, " mrad"));
  require(f.speed <= 1.0, said("speed ", f.speed));
  require(f.goes_on, "stopped for good");
  if (row.named != Cause::none)
    require(f.named_ms <= most_named, std::isfinite(f.named_ms)
                                          ? said("named after ", f.named_ms, " ms")
                                          : std::string("not named"));
  const bool may_stop =
      row.kind == Kind::held || row.kind == Kind::silence || row.kind == Kind::wall;
  if (!may_stop) require(f.stops == 0, "stopped: " + f.first_stop);
  if (row.kind == Kind::push || row.kind == Kind::wall)
    require(std::abs(f.mass - 2.0) <= mass_off * 2.0, said("mass ", f.mass, " kg"));
  if (row.kind == Kind::push) require(f.after <= most_after, said(f.after, " mrad afterwards"));
  if (row.kind == Kind::held) {
    const double threshold = supervise::Options{}.collision_share;
    require(f.grip <= threshold, said("grip ", f.grip, " of the effort"));
    require(std::abs(f.mass - 2.0) <= mass_off * 2.0, said("mass ", f.mass, " kg"));
  }
  if (row.kind == Kind::held || row.kind == Kind::silence)
    require(f.final <= most_after, said(f.final, " mrad at the end"));
  return text;
}

}  // namespace robustness
