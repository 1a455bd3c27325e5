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
    const auto moment = [&](const std::string& words) {
      const std::vector<double> given = numbers(words, option);
      if (given.size() != 1)
        throw UsageError("{}: '{}' is not a time: give @BEGIN or @BEGIN..END", option, text);
      return given[0];
    };
    span.begin = moment(when.substr(0, dots));
    if (dots != std::string::npos) span.end = moment(when.substr(dots + 2));
  }
  if (span.begin < 0.0 || (span.end && *span.end < span.begin))
    throw UsageError("{}: '{}' is not a time: give @BEGIN or @BEGIN..END", option, text);
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

void require_reasonable_duration(double duration, double step) {
  constexpr double most_steps = 2e7;
  if (duration > longest_simulation)
    throw UsageError("--duration: at most {:g} s", longest_simulation);
  if (duration / step > most_steps)
    throw UsageError("--duration: {:g} s in steps of {:g} s are more than {:g} steps", duration,
                     step, most_steps);
}

void require_loggable(double duration, double period, std::size_t columns) {
  constexpr double most_numbers = 2e7;
  if (duration / period * double(columns) > most_numbers)
    throw UsageError("--period: {:g} s of {} columns every {:g} s are more than {:g} numbers",
                     duration, columns, period, most_numbers);
}

void add_sensors(Parser& app, SensorsOptions& s) {
  const CLI::Validator size =
      number_that("is not from 0 to 1e6", [](double x) { return x >= 0.0 && x <= 1e6; });
  app.add_value("--noise-q", s.position.noise, "X", "standard deviation of positions in the log",
                size);
  app.add_value("--noise-qd", s.velocity.noise, "X", "and of velocities", size);
  app.add_value("--noise-tau", s.torque.noise, "X", "and of torques", size);
  app.add_value("--quantum", s.position.quantum, "X", "resolution of positions in the log", size);
  app.add_value("--delay", s.position.delay, "N",
                "of positions and velocities in the log, in periods", whole_number(0, 100000));
  app.add_value(
      "--dropout", s.position.dropout, "P", "probability that the log repeats the last reading",
      number_that("is not from 0 to below 1", [](double x) { return x >= 0.0 && x < 1.0; }));
  app.add_flag("--differences", s.velocity_by_difference, "velocities in the log from positions");
  app.add_value("--seed", s.seed, "N", "of random numbers: 1", seed_number);
}

}  // namespace ulna::cli
