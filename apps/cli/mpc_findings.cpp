#include <numeric>

#include "mpc_scenario.hpp"

namespace ulna::cli {
namespace {

constexpr double lost = 0.1;   ///< rad or m, root mean square: what is farther away does not follow
constexpr double often = 0.1;  ///< share of the steps
constexpr double often_unplanned = 0.1;
constexpr double too_fast =
    1.1;  ///< of the velocity limit; noise and friction that changes are less

double share(long count, const TrialResult& r) {
  return r.steps > 0 ? double(count) / double(r.steps) : 0.0;
}

/// Whether errors are far larger than another run's, and worth speaking of.
bool is_worse(const TrialResult& r, const TrialResult& other) {
  constexpr double times = 2.0, least = 1e-3;  // rad or m
  return r.error.rms > times * other.error.rms && r.error.rms - other.error.rms > least;
}

/// What would keep the period: most of a step's time is proportional to the length of the horizon.
std::string faster_settings(const MpcResults& results, const TrialResult& r) {
  constexpr double use = 0.7;  // of the period
  const double rate = use * 1e6 / r.times.p95,
               steps = std::floor(results.horizon * use * 1e6 * results.period / r.times.p95);
  if (rate >= 50.0)
    return fmt::format("--rate {:.0f} would do{}", rate,
                       steps >= 2.0 ? fmt::format(", or about --steps {:.0f}", steps) : "");
  if (steps >= 2.0) return fmt::format("about --steps {:.0f} would do", steps);
  return "neither the lowest --rate, 50, nor the shortest horizon would do: lock joints, or take a "
         "faster machine";
}

}  // namespace

const char* status_of(const TrialResult& r) {
  return !r.finished && r.status == SimulationStatus::moved ? "stopped" : to_string(r.status);
}

bool is_lost(const TrialResult& r) {
  double most = r.error.rms;
  for (const double rms : r.error.rms_from) most = std::max(most, rms);
  return !(most <= lost);
}

bool is_saturated(const TrialResult& r) { return share(r.saturated, r) > often; }

std::string unplanned_actions(const TrialResult& r) {
  std::string why;
  for (const auto& [fault, name] : {std::pair{ActionFault::not_measured, "not measured"},
                                    {ActionFault::stale, "stale reading"},
                                    {ActionFault::late, "deadline passed"},
                                    {ActionFault::not_solved, "not solved"},
                                    {ActionFault::not_prepared, "not prepared"},
                                    {ActionFault::no_reference, "no reference"}})
    if (r.count(fault) > 0)
      why += fmt::format("{}{} {}", why.empty() ? "" : ", ", name, r.count(fault));
  return fmt::format("{} from older plans, {} held against gravity{}",
                     counted(r.count(ActionKind::older), "action"), r.count(ActionKind::safe),
                     why.empty() ? "" : " (" + why + ")");
}

std::string kept_away(const TrialResult& r) {
  // a robot that stands still is away from a motion that goes on, however well it follows otherwise
  if (!(r.error.kept_away > 0.0)) return "";
  return fmt::format(
      "stopped or on its way back for {:.3g} s, in which the motion went on without the robot; the "
      "rest of the time the error is {:.2f} mrad rms",
      r.error.kept_away, 1e3 * r.error.rms_following);
}

std::string why_unknown(const TrialResult& r) {
  if (is_lost(r)) return "the robot does not follow its motion";
  if (is_saturated(r)) return "drives are at their limits";
  if (!std::isfinite(r.payload.deviation))
    return "no change of the robot was noticed; a heavier one, or one that is picked up later "
           "(--payload-at), may be";
  return fmt::format(
      "its mass, {:.2g} +- {:.2g} kg, is below two standard deviations; a longer or faster motion "
      "may show it",
      std::max(0.0, r.payload.mass), r.payload.deviation);
}

std::vector<std::string> findings_of(const MpcResults& results, const MpcRun& run) {
  const TrialResult& r = run.result;
  std::vector<std::string> found;
  if (!r.finished)
    found.push_back(
        fmt::format("ended at {:.3f} s: {}", double(r.steps) * results.period, status_of(r)));
  if (r.torque_breaches > 0)
    found.push_back(fmt::format("{} torques beyond the limits were requested", r.torque_breaches));
  if (r.restarts > 0)
    found.push_back(
        fmt::format("the estimator was restarted {}: its parameters were no longer finite",
                    counted(r.restarts, "time")));
  if (!r.consistent_always) found.push_back("an estimate was not physically consistent");
  if (r.stopped())
    found.push_back(fmt::format("the supervisor has stopped the robot: {}", r.last_report));
  // a model that is not corrected may be as wrong as it is: runs with it are there to be compared with
  if (is_lost(r) && run.name != std::string_view("fixed"))
    found.push_back(
        fmt::format("the robot does not follow its motion, {:.2g} rad or m away from it at most",
                    r.error.largest));
  if (r.largest_speed > too_fast && run.name != std::string_view("fixed"))
    found.push_back(
        fmt::format("a joint moved at {:.3g} times its velocity limit", r.largest_speed));
  // laws that plan nothing know no limits
  const bool plans = std::accumulate(r.actions.begin(), r.actions.end(), 0L) > 0;
  if (plans && is_saturated(r))
    found.push_back(
        fmt::format("drives are at their limits in {:.0f} % of the steps: they cannot do what the "
                    "motion or the payload needs",
                    100.0 * share(r.saturated, r)));
  if (share(r.count(ActionKind::safe), r) > often_unplanned)
    found.push_back(fmt::format("no plan in {:.0f} % of the steps",
                                100.0 * share(r.count(ActionKind::safe), r)));
  // the figure is that of the first run that identifies
  const auto first = std::ranges::find(results.runs, Knowledge::identified, &MpcRun::knowledge);
  if (results.payload && !results.payload->known && &run == std::to_address(first))
    found.push_back("the payload was not identified: " + why_unknown(r));
  if (const TrialResult* other = results.find("offset_free");
      other && run.name == std::string_view("identified") && is_worse(r, *other))
    found.push_back(
        fmt::format("errors are {:.2g} times those of offset-free MPC, which identifies "
                    "nothing",
                    r.error.rms / other->error.rms));
  if (r.times.p50 > 1e6 * results.period)
    found.push_back(fmt::format("most steps take longer than the period of {:g} ms: {}",
                                1e3 * results.period, faster_settings(results, r)));
  return found;
}

}  // namespace ulna::cli
