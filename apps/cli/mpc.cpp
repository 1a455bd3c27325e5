#include <chrono>

#include "mpc_live.hpp"
#include "mpc_report.hpp"
#include "states.hpp"
#include "ulna/io/beside.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::cli {
namespace {

struct MpcOptions {
  RobotArgument robot;
  bool demo = false, force = false, supervise = false, rest = false, live = false, open = false;
  int port = 0;
  std::optional<double> duration, payload, payload_at, vary, rate, reach;
  std::optional<int> steps;
  std::optional<std::uint64_t> seed;
  std::string law, knowledge, drives, plant, goal, report, plot;
};

template <class Kinds>
auto kind_of_option(const char* option, std::string_view name, const Kinds& kinds) {
  return kind_from_string(kinds, name,
                          [&](const std::string& why) { throw UsageError("{}: {}", option, why); });
}

/// What the command line says on top of a scenario.
void apply(const MpcOptions& o, MpcScenario& s) {
  const auto set = [&](const char* option, const char* key, const auto& given, auto& to) {
    if (given) to = *given, s.places[key] = option;
  };
  set("--duration", "duration", o.duration, s.trial.duration);
  set("--rate", "rate", o.rate, s.trial.control.rate_hz);
  set("--reach", "reach", o.reach, s.reach);
  s.rest |= o.rest;
  set("--steps", "horizon.steps", o.steps, s.trial.control.problem.steps);
  set("--seed", "seed", o.seed, s.trial.sensors.seed);
  set("--vary", "vary", o.vary, s.vary);
  if (o.vary) s.vary /= 100.0;
  if (o.payload && !s.payload) s.payload = ScenarioPayload{.at = 0.5 * s.trial.duration};
  if (o.payload_at && !s.payload)
    throw UsageError("--payload-at: there is no payload; give --payload KG");
  if (s.payload) {
    set("--payload", "payload.mass", o.payload, s.payload->mass);
    set("--payload-at", "payload.at", o.payload_at, s.payload->at);
  }
  if (!o.goal.empty()) {
    s.goal.resize(0), s.by_joint.erase("goal");
    if (is_named(o.goal)) {
      s.by_joint["goal"] = named_numbers(o.goal, "--goal");
    } else {
      const std::vector<double> goal = numbers(o.goal, "--goal");
      s.goal = Eigen::Map<const Eigen::VectorXd>(goal.data(), goal.size());
    }
    s.places["goal"] = "--goal";
  }
  if (!o.law.empty()) s.trial.law = kind_of_option("--law", o.law, laws);
  if (!o.plant.empty()) s.trial.plant = kind_of_option("--plant", o.plant, plants);
  if (o.supervise && !s.trial.supervision) s.trial.supervision.emplace();
  if (!o.drives.empty()) {
    s.drives.clear(), s.places["drives"] = "--drives";
    for (const std::string& name : split(o.drives, ','))
      s.drives.push_back(kind_of_option("--drives", name, drive_controls));
  }
  if (o.knowledge.empty()) {
    // laws that plan nothing identify and observe nothing
    if (s.trial.law != ControlLaw::mpc && !s.places.contains("knowledge")) {
      std::erase(s.knowledge, Knowledge::offset_free),
          std::erase(s.knowledge, Knowledge::identified);
      if (s.knowledge.empty()) s.knowledge = {Knowledge::fixed};
    }
    return;
  }
  s.knowledge.clear(), s.places["knowledge"] = "--knowledge";
  for (const std::string& name : split(o.knowledge, ','))
    s.knowledge.push_back(kind_of_option("--knowledge", name, knowledges));
}

/// Where a key of a scenario was given: in a line of its file, or by an option.
std::string place_of(const std::string& key, const MpcScenario& s, const std::string& file) {
  for (const std::string& part : {key, key.substr(0, key.find('.'))})
    if (const auto place = s.places.find(part); place != s.places.end())
      return place->second.starts_with("--") ? place->second : place->second + key;
  return file.empty() ? key : fmt::format("{}: {}", file, key);
}

/// What the supervisor did: when causes began and ended.
Json supervision_json(const MpcResults& results, const TrialResult& r) {
  if (!results.supervised) return nullptr;
  const std::vector<std::string> joints = results.model.velocity_names();
  Json events = Json::array(), steps = Json::object();
  for (const supervise::Event& e : r.events)
    events.push_back({{"time", e.time},
                      {"cause", to_string(e.cause)},
                      {"ended", e.ended},
                      {"severity", to_string(severity(e.cause))},
                      {"joint", e.joint < 0 ? Json() : Json(joints[std::size_t(e.joint)])},
                      {"value", e.ended ? Json() : Json(e.value)},
                      {"limit", e.ended ? Json() : Json(e.limit)}});
  for (std::size_t i = 0; i < r.supervised.size(); ++i)
    steps[to_string(static_cast<supervise::State>(i))] = r.supervised[i];
  return {{"state", to_string(r.last_state)},
          {"report", r.last_report},
          {"steps", steps},
          {"events", events}};
}

Json json_of(const MpcResults& results, const TrialResult& r) {
  Json faults = Json::object();
  for (std::size_t i = 1; i < r.faults.size(); ++i)
    faults[replaced(to_string(static_cast<ActionFault>(i)), {{" ", "_"}})] = r.faults[i];
  return {{"finished", r.finished},
          {"status", status_of(r)},
          {"rmse", r.error.rms},
          {"largest_error", r.error.largest},
          {"kept_away", results.supervised ? Json(r.error.kept_away) : Json()},
          {"rmse_following", results.supervised ? Json(r.error.rms_following) : Json()},
          {"end_error", r.error.final},
          {"steps", r.steps},
          {"actions",
           {{"planned", r.count(ActionKind::planned)},
            {"older", r.count(ActionKind::older)},
            {"safe", r.count(ActionKind::safe)}}},
          {"faults", faults},
          {"torque_breaches", r.torque_breaches},
          {"largest_speed", r.largest_speed},
          {"largest_torque", r.largest_torque},
          {"saturated", r.saturated},
          {"vibration",
           r.vibration ? Json{{"joints", r.vibration->joints}, {"tip", r.vibration->tip}} : Json()},
          {"supervisor", supervision_json(results, r)},
          {"changes_noticed", r.changes_noticed},
          {"estimator_restarts", r.restarts}};
}

/// Whether a run lasts so long that there are errors from so many seconds after the change on.
bool is_counted(const MpcResults& results, const TrialResult& r, double later) {
  return double(r.steps) * results.period > results.counted_from + later;
}

Json json_of(const MpcResults& results, const Json& about) {
  Json rmse = Json::object(), learned = rmse, runs = rmse, payload;
  for (const MpcRun& run : results.runs) {
    rmse[run.name] = run.result.error.rms_from[0];
    learned[run.name] =
        is_counted(results, run.result, 1.0) ? Json(run.result.error.rms_from[1]) : Json();
    runs[run.name] = json_of(results, run.result);
    runs[run.name]["findings"] = findings_of(results, run);
  }
  if (const auto& p = results.payload) {
    payload = merged({ULNA_FIELDS(*p, frame, mass, found_mass),
                      {{"mass_error_percent", p->mass_error_percent()}},
                      {{"found_deviation", p->found_deviation},
                       {"com", p->com},
                       {"found_com", p->found_com ? Json(*p->found_com) : Json()},
                       {"com_error_m", p->found_com ? Json(*p->com_error()) : Json()}}});
    if (!p->known)
      for (const char* key :
           {"found_mass", "found_deviation", "mass_error_percent", "found_com", "com_error_m"})
        payload[key] = nullptr;
  }
  const TrialResult& first = results.runs.front().result;
  return {{"robot", about},
          {"title", results.title},
          {"plant", to_string(results.plant)},
          {"notes", results.notes},
          {"counted_from", results.counted_from},
          {"tracking_rmse", rmse},
          {"tracking_rmse_learned", learned},
          {"payload", payload},
          {"step_us", ULNA_FIELDS(first.times, mean, p50, p95, p99, max, act_p50, identify_p50)},
          {"deadline_misses", first.times.deadline_misses},
          {"allocations", first.allocations},
          {"consistent_always", first.consistent_always},
          {"runs", runs}};
}

/// What the supervisor found: what stopped the robot or concerns a sensor, each; limits that were kept, their number.
std::string supervision_text(const MpcResults& results, const MpcRun& run, const Stream& out) {
  constexpr std::size_t most = 12;
  const TrialResult& r = run.result;
  const std::vector<std::string> joints = results.model.velocity_names();
  std::map<std::string_view, int> limits;
  std::vector<const supervise::Event*> events;
  for (const supervise::Event& e : r.events) {
    if (e.ended) continue;
    if (e.cause < supervise::Cause::torque_not_finite)
      ++limits[to_string(e.cause)];
    else
      events.push_back(&e);
  }
  std::string kept;
  for (const auto& [name, times] : limits)
    kept += fmt::format("{}{} {}x", kept.empty() ? "; limits kept: " : ", ", name, times);
  std::string text = hanging("", 2,
                             fmt::format("supervisor, {}: {} of {} steps under control{}", run.name,
                                         r.supervised[0], r.steps, kept),
                             out.width());
  text += hanging("  ", 2, kept_away(r), out.width() - 2);
  if (events.empty()) return text;
  const auto number = [](double x) { return std::isfinite(x) ? figure(x) : "-"; };
  Table table(1, {"  at [s]", "found", "joint", ">value", ">limit"});
  for (std::size_t i = 0; i < std::min(most, events.size()); ++i) {
    const supervise::Event& e = *events[i];
    table.row({fmt::format("{:.3f}", e.time), to_string(e.cause),
               e.joint < 0 ? "-" : joints[std::size_t(e.joint)], number(e.value), number(e.limit)});
  }
  text += table.str(out);
  if (events.size() > most)
    text += fmt::format("  and {} more; --json has them all\n", events.size() - most);
  return text;
}

/// How links of elastic joints vibrate after they came to rest.
std::string vibration_text(const MpcResults& results, const Stream& out) {
  if (!results.runs.front().result.vibration) return "";
  Table table(1, {"  vibration, rms", ">joints [mrad]", ">tip [mm]"});
  for (const MpcRun& run : results.runs)
    if (const auto& v = run.result.vibration)
      table.row({run.name, figure(1e3 * v->joints), figure(1e3 * v->tip)});
  return '\n' + table.str(out);
}

std::string text_of(const MpcResults& results, const Stream& out) {
  std::string text = fmt::format("{}\n\n", visible(results.title));
  for (const auto& [time, what] : results.events)
    text += fmt::format("at {:.3g} s: {}\n", time, what);
  for (const std::string& note : results.notes) text += hanging("note: ", 6, note, out.width() - 6);
  if (!results.events.empty() || !results.notes.empty()) text += '\n';

  const double from = results.counted_from;
  Table table(1, {"  model", ">error [mrad]", fmt::format(">from {:.3g} s [mrad]", from),
                  fmt::format(">from {:.3g} s [mrad]", from + 1.0), ">largest [mrad]",
                  ">step p50 [us]", ">p95 [us]", ">p99 [us]", ">over period"});
  for (const MpcRun& run : results.runs) {
    const TrialResult& r = run.result;
    Cells cells{run.name};
    const auto mrad = [](double error) { return fmt::format("{:.2f}", 1e3 * error); };
    cells.push_back(mrad(r.error.rms));
    for (const int later : {0, 1})
      cells.push_back(is_counted(results, r, later) ? mrad(r.error.rms_from[later]) : "-");
    cells.push_back(mrad(r.error.largest));
    for (const double us : {r.times.p50, r.times.p95, r.times.p99})
      cells.push_back(fmt::format("{:.0f}", us));
    cells.push_back(r.times.deadline_misses);
    table.row(cells);
  }
  text += table.str(out) + vibration_text(results, out);
  if (results.payload) {
    const PayloadFound& p = *results.payload;
    const auto three = [](const Eigen::Vector3d& x) {
      return fmt::format("{:.3f} {:.3f} {:.3f}", x(0), x(1), x(2));
    };
    Table payload(1,
                  {"  payload", ">mass [kg]", fmt::format(">centre of mass in {} [m]", p.frame)});
    payload.row({"true", fmt::format("{:.3f}", p.mass), three(p.com)});
    if (p.known) {
      payload.row({"identified", fmt::format("{:.3f} ± {:.3f}", p.found_mass, p.found_deviation),
                   p.found_com ? three(*p.found_com) : "-"});
      payload.row({"error", fmt::format("{:.1f} %", p.mass_error_percent()), p.com_error_text()});
    } else {
      payload.row({"identified", "unknown", "unknown"});
    }
    text += '\n' + payload.str(out);
  }
  if (results.supervised)
    for (const MpcRun& run : results.runs) text += '\n' + supervision_text(results, run, out);
  const TrialResult* mine = results.find("identified");
  if (!mine) return text;
  text += fmt::format("\nestimates are physically consistent {}\n{} noticed, {} allocations\n",
                      mine->consistent_always ? "at every step" : "NOT at every step",
                      counted(mine->changes_noticed, "change"), mine->allocations);
  const std::string gains = results.gains();
  if (!gains.empty()) text += hanging("", 0, gains, out.width());
  return text;
}

/// Says once, early, that a run takes minutes because the controller cannot keep its period.
class LongRunNotice {
 public:
  LongRunNotice(Console& console, const MpcScenario& s)
      : console_(console),
        simulated_(s.trial.duration * double(s.knowledge.size())),
        period_(1.0 / s.trial.control.rate_hz) {}

  /// A share of all runs is over.
  void at(double share, Progress& progress) {
    constexpr double soon = 3.0, long_run = 60.0;  // s
    const auto now = std::chrono::steady_clock::now();
    // the first period solves its plan to convergence, and is no measure of the others
    if (share > 0.0 && !begin_) begin_ = now, first_ = share;
    if (said_ || !begin_ || share <= first_) return;
    const std::chrono::duration<double> passed = now - *begin_;
    const double all = passed.count() / (share - first_), step = all * period_ / simulated_;
    if (passed.count() < soon || all < long_run || step < period_) return;
    said_ = true;
    progress.clear();
    console_.complain(
        fmt::format("a step takes about {} s for a period of {} s, so that this takes about {:.0f} "
                    "min; Ctrl-C ends it with what there is. A lower --rate, fewer --steps or a "
                    "shorter --duration may do",
                    figure(step, 2), figure(period_), std::ceil(all / 60.0)),
        Style::yellow);
    console_.err.flush();
  }

 private:
  Console& console_;
  double simulated_, period_, first_ = 0.0;
  std::optional<std::chrono::steady_clock::time_point> begin_;
  bool said_ = false;
};

int run_mpc(const MpcOptions& o, Console& console) {
  require_others({o.report, o.plot}, {o.robot.name});
  require_writable({o.report, o.plot}, o.force);
  RobotArgument robot = o.robot;
  robot.loops_closed = true;
  robot.drives = Drives::coupled_motors;
  robot.read_standard_input();
  const std::optional<MpcScenario> given = read_mpc_config(robot);
  if (given && o.demo) throw UsageError("--demo is for a robot; the scenario stands in the file");
  const std::string file = given ? robot.source() : "";
  MpcScenario scenario = given.value_or(MpcScenario());
  if (given) robot.name = robot_beside(file, scenario.robot), robot.text.reset();
  const Imported imported = [&] {
    try {
      return robot.load();
    } catch (const ModelError& e) {
      // a robot that is not there is a mistake of the scenario that names it
      const Diagnostic* missing = e.diagnostics().find(rules::file_unreadable);
      if (file.empty() || !missing) throw;
      throw Failure("{}: '{}': {}", place_of("robot", scenario, file), robot.name, missing->seen);
    }
  }();
  mention_warnings(console, robot, imported.diagnostics);
  if (o.demo)
    scenario =
        o.duration ? demo_scenario(imported.model, *o.duration) : demo_scenario(imported.model);
  apply(o, scenario);
  if (o.demo)
    scenario.title = fmt::format("{} picks up an unknown {:g} kg while its friction grows",
                                 imported.model.name(), scenario.payload->mass);
  if (scenario.title.empty())
    scenario.title = fmt::format("{} follows a motion", imported.model.name());
  try {
    complete(scenario, imported.model);
  } catch (const ScenarioError& e) {
    // what is wrong within a file is no matter of the command line
    const std::string place = place_of(e.key, scenario, file);
    if (!file.empty() && !place.starts_with("--")) throw Failure("{}: {}", place, e.why);
    throw UsageError("{}: {}", place, e.why);
  }

  if (o.live)
    return play(console, imported.model, scenario, robot.json(imported.model), o.port, o.open);
  const Interrupt interrupt;
  Progress progress(console.err, 1000);
  LongRunNotice notice(console, scenario);
  const MpcResults results =
      run_scenario(imported.model, scenario, [&](double share, std::string_view what) {
        notice.at(share, progress);
        progress.at(std::size_t(1000.0 * share), what);
        return !Interrupt::requested();
      });
  progress.clear();
  ResultFiles files(console, o.force);
  if (!o.report.empty()) files.write(o.report, mpc_report(results));
  if (!o.plot.empty()) files.write(o.plot, mpc_picture(results));
  console.show(
      [&] {
        return merged({json_of(results, robot.json(imported.model)), files.json()});
      },
      [&] { return text_of(results, console.out); });
  Status status = success;
  for (const MpcRun& run : results.runs) {
    for (const std::string& finding : findings_of(results, run)) {
      status = findings;
      console.complain(fmt::format("{}: {}", run.name, finding));
    }
    const TrialResult& r = run.result;
    if (r.count(ActionKind::older) + r.count(ActionKind::safe) > 0)
      console.complain(fmt::format("{}: {}", run.name, unplanned_actions(r)));
  }
  return files.finish(status);
}

}  // namespace

Action mpc(Parser& app, Console& console) {
  auto o = std::make_shared<MpcOptions>();
  o->robot.add_to(app, "ROBOT|SCENARIO.yaml",
                  "a robot, or a scenario that names one; - for standard input");
  o->robot.add_gravity_to(app);
  app.add_flag("--demo", o->demo, "pick up 2 kg, with growing friction, with and without learning");
  app.add_value("--duration", o->duration, "S", "how long: 6 s");
  app.add_value("--rate", o->rate, "HZ", "of control: 1000 Hz");
  app.add_value("--steps", o->steps, "N", "of the horizon, 20 ms each: 15", whole_number(2, 200));
  app.add_value("--goal", o->goal, "X,X,...",
                "where to reach and wave, a number each, or NAME=VALUE,...");
  app.add_value("--reach", o->reach, "S", "how long the way there takes: 2 s");
  app.add_flag("--rest", o->rest, "rest there instead of waving");
  app.add_value("--payload", o->payload, "KG", "picked up half-way");
  app.add_value("--payload-at", o->payload_at, "S", "when it is");
  app.add_value("--vary", o->vary, "P",
                "the robot's inertias differ from its model's by up to P %");
  app.add_value("--law", o->law, "NAME", "mpc, computed_torque or gravity_pd");
  app.add_value("--knowledge", o->knowledge, "NAME,...",
                "identified, offset_free, fixed, perfect: identified");
  app.add_value("--drives", o->drives, "NAME,...",
                "what is made of springs and coupled motors: plan, feedforward, ignore");
  app.add_value("--plant", o->plant, "NAME", "what simulates the robot: ulna, or mujoco");
  app.add_flag("--supervise", o->supervise,
               "a supervisor between controller and robot keeps limits and stops it");
  app.add_value("--seed", o->seed, "N", "of what is random: 1", seed_number);
  app.add_flag("--live", o->live,
               "at real time, in the browser, where you hang weights on the robot and pull it");
  app.add_value("--port", o->port, "N", "of --live: one that is free", whole_number(0, 65535));
  app.add_flag("--open", o->open, "with --live, open the page in the browser");
  app.add_output("--report", o->report, "write a page with plots and a moving arm (HTML)");
  app.add_output("--plot", o->plot,
                 "draw the tracking errors over time, or the vibration at the end (SVG)");
  app.add_force(o->force);
  return [o, &app, &console]() -> int {
    for (const char* option : {"--port", "--open"})
      if (!o->live && app.count(option))
        throw UsageError("{} has no effect without --live", option);
    for (const char* option : {"--demo", "--duration", "--payload", "--payload-at", "--law",
                               "--knowledge", "--drives", "--supervise", "--report", "--plot"})
      if (o->live && app.count(option))
        throw UsageError("{} has no effect with --live, where all is done on the page", option);
    return run_mpc(*o, console);
  };
}

}  // namespace ulna::cli
