#include "simulate_changes.hpp"

#include "states.hpp"

namespace ulna::cli {
namespace {

/// From when on, and until when, if an end is given: "@1.5" or "@1.5..3".
struct Span {
  double begin = 0.0;
  std::optional<double> end;
};

/// "2,0,0,0.1@1.5..3" in its parts.
std::pair<std::vector<double>, Span> parts_of(const std::string& text, const std::string& option,
                                              double duration) {
  const std::size_t at = text.find('@');
  Span span;
  if (at != std::string::npos) {
    const std::string when = text.substr(at + 1);
    const std::size_t dots = when.find("..");
    span.begin = numbers(when.substr(0, dots), option).at(0);
    if (dots != std::string::npos) span.end = numbers(when.substr(dots + 2), option).at(0);
  }
  if (span.begin < 0.0 || (span.end && *span.end < span.begin))
    throw UsageError("{}: '{}' is no time: give @BEGIN or @BEGIN..END", option, text);
  if (span.begin >= duration)
    throw UsageError("{}: '{}' begins after the run, which ends at {:g} s", option, text, duration);
  return {numbers(text.substr(0, at), option), span};
}

}  // namespace

void schedule_payload(Schedule& schedule, const Model& model, const std::string& text,
                      double duration) {
  const auto [p, span] = parts_of(text, "--payload", duration);
  const Inertia<double> load = ball(p, ", and when: 2,0,0,0.1@1.5");
  if (model.joint_count() == 0) throw UsageError("--payload: the robot has no link that moves");
  const Frame at{"payload", model.joint_count(), {}};
  schedule.at(span.begin, [=](Plant<double>& plant) { add_payload(plant, at, load); });
  if (span.end)
    schedule.at(*span.end, [=](Plant<double>& plant) { remove_payload(plant, at, load); });
}

void schedule_friction(Schedule& schedule, const Plant<double>& usual, const std::string& text,
                       double duration) {
  const auto [p, span] = parts_of(text, "--friction-scale", duration);
  if (p.size() != 1 || !(p[0] >= 0.0))
    throw UsageError("--friction-scale: give a factor of 0 or more, and when: 2@1..3");
  if (usual.damping.isZero() && usual.friction.isZero() && usual.friction_negative.isZero())
    throw UsageError("--friction-scale has no effect: the robot has neither damping nor friction");
  schedule.during(span.begin, span.end.value_or(span.begin),
                  [usual, factor = p[0]](Plant<double>& plant, double share) {
                    scale_friction(plant, usual, 1.0 + share * (factor - 1.0));
                  });
}

}  // namespace ulna::cli
