#include <fmt/format.h>

#include "mpc_config.hpp"
#include "mpc_page.hpp"
#include "mpc_scenario.hpp"
#include "output_file.hpp"
#include "robot_argument.hpp"
#include "states.hpp"
#include "table.hpp"
#include "verb.hpp"

namespace ulna::cli {
namespace {

struct Options {
  RobotArgument robot;
  bool demo = false, force = false;
  std::optional<double> duration, payload, payload_at, vary, rate;
  std::optional<int> steps;
  std::optional<std::uint64_t> seed;
  std::string law, knowledge, goal, report;
};

template <class Kinds>
auto kind_of_option(const char* option, std::string_view name, const Kinds& kinds) {
  return kind_from_string(kinds, name, [&](const std::string& known) {
    throw UsageError(fmt::format("{}: there is no '{}'; take one of {}", option, name, known));
  });
}

/// What the command line says on top of a scenario.
void apply(const Options& o, MpcScenario& s) {
  if (o.duration) s.duration = *o.duration;
  if (o.rate) s.rate_hz = *o.rate;
  if (o.steps) s.steps = *o.steps;
  if (o.vary) s.vary = *o.vary / 100.0;
  if (o.seed) s.seed = *o.seed;
  if (o.payload) {
    if (!s.payload) s.payload = ScenarioPayload{.at = 0.5 * s.duration};
    s.payload->mass = *o.payload;
  }
  if (o.payload_at) {
    if (!s.payload) throw UsageError("--payload-at: there is no payload; give --payload KG");
    s.payload->at = *o.payload_at;
  }
  if (!o.goal.empty()) {
    const std::vector<double> goal = numbers(o.goal, "--goal");
    s.goal = Eigen::Map<const Eigen::VectorXd>(goal.data(), static_cast<Eigen::Index>(goal.size()));
  }
  if (!o.law.empty()) s.law = kind_of_option("--law", o.law, laws);
  if (o.knowledge.empty()) return;
  s.knowledge.clear();
  for (std::size_t at = 0; at <= o.knowledge.size();) {
    const std::size_t comma = std::min(o.knowledge.find(',', at), o.knowledge.size());
    s.knowledge.push_back(kind_of_option(
        "--knowledge", std::string_view(o.knowledge).substr(at, comma - at), knowledges));
    at = comma + 1;
  }
}

/// Refuses what cannot be run, by the names of the keys of a scenario.
void check_ranges(const MpcScenario& s) {
  const auto require = [](bool good, std::string key, double x, const char* rule) {
    if (!good) throw ScenarioError(std::move(key), fmt::format("{:g} is not {}", x, rule));
  };
  require(s.duration > 0.0 && s.duration <= 600.0, "duration", s.duration, "above 0, up to 600 s");
  require(s.rate_hz >= 50.0 && s.rate_hz <= 10000.0, "rate", s.rate_hz, "from 50 to 10000 Hz");
  require(s.steps >= 2 && s.steps <= 200, "horizon.steps", s.steps, "from 2 to 200");
  require(s.step > 0.0 && s.step <= 1.0, "horizon.step", s.step, "above 0, up to 1 s");
  require(s.reach > 0.0 && s.reach <= 600.0, "reach", s.reach, "above 0, up to 600 s");
  for (const auto& [name, x] : {std::pair{"position", s.position},
                                {"velocity", s.velocity},
                                {"torque", s.torque},
                                {"terminal", s.terminal}})
    require(x > 0.0 && x <= 1e9, fmt::format("weights.{}", name), x, "above 0, up to 1e9");
  for (const auto& [name, x] : {std::pair{"friction.viscous", s.viscous},
                                {"friction.dry", s.dry},
                                {"sensors.position_noise", s.position_noise},
                                {"sensors.velocity_noise", s.velocity_noise},
                                {"sensors.torque_noise", s.torque_noise},
                                {"sensors.acceleration_noise", s.acceleration_noise}})
    require(x >= 0.0 && x <= 10.0, name, x, "from 0 to 10");
  for (const auto& [name, x] :
       {std::pair{"sensors.dropout", s.sensor_dropout}, {"sensors.nan", s.sensor_nan}})
    require(x >= 0.0 && x < 1.0, name, x, "from 0 to below 1");
  require(s.sensor_delay <= 1000, "sensors.delay", s.sensor_delay, "up to 1000 readings");
  require(s.filter_hz > 0.0 && s.filter_hz < 0.5 * s.rate_hz, "filter", s.filter_hz,
          "above 0, below half the rate");
  require(s.prior_deviation > 0.0 && s.prior_deviation <= 100.0, "prior", s.prior_deviation,
          "above 0, up to 100");
  if (s.deadline) require(*s.deadline > 0.0, "deadline", *s.deadline, "above 0");
  if (s.friction) {
    require(s.friction->factor >= 0.0 && s.friction->factor <= 100.0, "friction.factor",
            s.friction->factor, "from 0 to 100");
    require(s.friction->from >= 0.0 && s.friction->to >= s.friction->from, "friction.from",
            s.friction->from, "0 or more, and before its end");
  }
  require(s.vary >= 0.0 && s.vary < 1.0, "vary", 100.0 * s.vary, "from 0 to below 100 %");
  if (s.payload) {
    require(s.payload->mass > 0.0 && s.payload->mass <= 1000.0, "payload.mass", s.payload->mass,
            "above 0, up to 1000 kg");
    require(s.payload->at >= 0.0 && s.payload->at < s.duration, "payload.at", s.payload->at,
            "within the duration");
  }
}

/// Where a key of a scenario was given: in a line of its file, or by an option.
std::string place_of(const std::string& key, const std::string& file,
                     const std::map<std::string, int>& lines, const Options& o) {
  const std::map<std::string, std::pair<const char*, bool>> options{
      {"duration", {"--duration", o.duration.has_value()}},
      {"rate", {"--rate", o.rate.has_value()}},
      {"horizon.steps", {"--steps", o.steps.has_value()}},
      {"goal", {"--goal", !o.goal.empty()}},
      {"vary", {"--vary", o.vary.has_value()}},
      {"payload.mass", {"--payload", o.payload.has_value()}},
      {"payload.at", {"--payload-at", o.payload_at.has_value()}}};
  const auto option = options.find(key);
  if (option != options.end() && option->second.second) return option->second.first;
  if (file.empty()) return key;
  auto line = lines.find(key);
  if (line == lines.end()) line = lines.find(key.substr(0, key.find('.')));
  return line == lines.end() ? fmt::format("{}: {}", file, key)
                             : fmt::format("{}:{}: {}", file, line->second, key);
}

/// "not_measured"
std::string json_key(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

Json to_json(const TrialResult& r) {
  Json faults = Json::object();
  for (std::size_t i = 1; i < r.faults.size(); ++i)
    faults[json_key(to_string(static_cast<ActionFault>(i)))] = r.faults[i];
  return {{"finished", r.finished},
          {"status", to_string(r.status)},
          {"rmse", r.error.rms},
          {"largest_error", r.error.largest},
          {"end_error", r.error.final},
          {"steps", r.steps},
          {"actions",
           {{"planned", r.count(ActionKind::planned)},
            {"older", r.count(ActionKind::older)},
            {"safe", r.count(ActionKind::safe)}}},
          {"faults", faults},
          {"torque_breaches", r.torque_breaches},
          {"changes_noticed", r.changes_noticed}};
}

void print_json(Console& console, const MpcResults& results) {
  Json d = console.document();
  d["robot"] = results.model.name();
  d["title"] = results.title;
  Json rmse = Json::object(), learned = rmse, runs = rmse;
  const MpcRun& first = results.runs.front();
  for (const MpcRun& run : results.runs) {
    rmse[run.name] = run.result.error.rms_from[0];
    learned[run.name] = run.result.error.rms_from[1];
    runs[run.name] = to_json(run.result);
  }
  d["counted_from"] = results.counted_from;
  d["tracking_rmse"] = rmse, d["tracking_rmse_learned"] = learned;
  d["payload"] = nullptr;
  if (results.payload) {
    const PayloadFound& p = *results.payload;
    const auto three = [](const Eigen::Vector3d& x) { return Json{x(0), x(1), x(2)}; };
    d["payload"] = {{"frame", p.frame},
                    {"mass", p.mass},
                    {"found_mass", p.found_mass},
                    {"mass_error_percent", p.mass_error_percent()},
                    {"com", three(p.com)},
                    {"found_com", three(p.found_com)},
                    {"com_error_m", p.com_error()}};
  }
  const TrialResult& r = first.result;
  d["step_us"] = {{"mean", r.times.mean},
                  {"p50", r.times.p50},
                  {"p95", r.times.p95},
                  {"p99", r.times.p99},
                  {"max", r.times.max},
                  {"act_p50", r.times.act_p50},
                  {"identify_p50", r.times.identify_p50}};
  d["deadline_misses"] = r.times.deadline_misses;
  d["allocations"] = r.allocations;
  d["consistent_always"] = r.consistent_always;
  d["runs"] = runs;
  console.print(d);
}

void print_table(Console& console, const MpcResults& results) {
  const Stream& out = console.out;
  std::string text = fmt::format("{}\n\n", results.title);
  for (const auto& [time, what] : results.events)
    text += fmt::format("at {:g} s: {}\n", time, what);
  if (!results.events.empty()) text += '\n';

  const auto from = [&](double time) { return fmt::format("from {:g} s", time); };
  Table table(1);
  table.column({.title = "model", .unit = "", .right = false});
  for (const auto& [title, unit] : std::initializer_list<std::pair<std::string, const char*>>{
           {"error", "mrad"},
           {from(results.counted_from), "mrad"},
           {from(results.counted_from + 1.0), "mrad"},
           {"largest", "mrad"},
           {"step p50", "us"},
           {"p95", "us"},
           {"p99", "us"},
           {"late", ""}})
    table.column({.title = title, .unit = unit, .right = true});
  for (const MpcRun& run : results.runs) {
    const TrialResult& r = run.result;
    const auto mrad = [](double x) { return fmt::format("{:.2f}", 1e3 * x); };
    table.row({run.name, mrad(r.error.rms), mrad(r.error.rms_from[0]), mrad(r.error.rms_from[1]),
               mrad(r.error.largest), fmt::format("{:.0f}", r.times.p50),
               fmt::format("{:.0f}", r.times.p95), fmt::format("{:.0f}", r.times.p99),
               fmt::format("{}", r.times.deadline_misses)});
  }
  text += table.str(out);
  if (results.payload) {
    const PayloadFound& p = *results.payload;
    const auto three = [](const Eigen::Vector3d& x) {
      return fmt::format("{:.3f} {:.3f} {:.3f}", x(0), x(1), x(2));
    };
    Table payload(1);
    payload.column({.title = "payload", .unit = "", .right = false});
    payload.column({.title = "mass", .unit = "kg", .right = true});
    payload.column(
        {.title = fmt::format("centre of mass in {}", p.frame), .unit = "m", .right = true});
    payload.row({"true", fmt::format("{:.3f}", p.mass), three(p.com)});
    payload.row({"identified", fmt::format("{:.3f}", p.found_mass), three(p.found_com)});
    payload.row({"error", fmt::format("{:.1f} %", p.mass_error_percent()),
                 fmt::format("{:.1f} mm", 1e3 * p.com_error())});
    text += '\n' + payload.str(out);
  }
  const TrialResult *mine = results.find("identified"), *fixed = results.find("fixed"),
                    *perfect = results.find("perfect");
  if (mine) {
    text += fmt::format(
        "\nestimates are those of a real robot {}\n{} change{} noticed, {} allocations\n",
        mine->consistent_always ? "at every step" : "NOT at every step", mine->changes_noticed,
        mine->changes_noticed == 1 ? "" : "s", mine->allocations);
    if (fixed && perfect && mine->error.rms_from[1] > 0.0 && perfect->error.rms_from[1] > 0.0)
      text += fmt::format(
          "from {:g} s on errors are {:.0f} times smaller than without identification, and {:.2f} "
          "times\nthose with the true model\n",
          results.counted_from + 1.0, fixed->error.rms_from[1] / mine->error.rms_from[1],
          mine->error.rms_from[1] / perfect->error.rms_from[1]);
  }
  console.out.print(text);
}

/// Whether the status is 1.
bool has_findings(const MpcResults& results) {
  return std::any_of(results.runs.begin(), results.runs.end(), [](const MpcRun& run) {
    return !run.result.finished || run.result.torque_breaches > 0 || !run.result.consistent_always;
  });
}

int run_mpc(const Options& o, Console& console) {
  if (!o.report.empty()) refuse_overwriting(o.report, o.force);
  RobotArgument robot = o.robot;
  MpcScenario scenario;
  std::string file;
  std::map<std::string, int> lines;
  if (is_mpc_config(robot.name)) {
    if (o.demo) throw UsageError("--demo is for a robot; the scenario stands in the file");
    MpcConfig config = read_mpc_config(robot.name);
    file = robot.name, lines = std::move(config.lines);
    robot.name = config.robot, scenario = std::move(config.scenario);
  }
  const Imported imported = robot.load();
  mention_warnings(console, robot, imported.diagnostics);
  if (o.demo) scenario = demo_scenario(imported.model);
  if (scenario.title.empty())
    scenario.title = fmt::format("{} follows a motion", imported.model.name());
  apply(o, scenario);
  try {
    check_ranges(scenario);
    complete(scenario, imported.model);
  } catch (const ScenarioError& e) {
    throw UsageError(fmt::format("{}: {}", place_of(e.key, file, lines, o), e.why));
  }

  Progress progress(console.err, 1000);
  const MpcResults results =
      run_scenario(imported.model, scenario, [&](double share, std::string_view what) {
        progress.at(static_cast<std::size_t>(1000.0 * share), what);
        return true;
      });
  progress.clear();
  if (!o.report.empty()) write_file(o.report, mpc_page(results), o.force);
  if (console.json())
    print_json(console, results);
  else
    print_table(console, results);
  for (const MpcRun& run : results.runs) {
    const TrialResult& r = run.result;
    if (!r.finished)
      console.complain(fmt::format("{}: ended at {:.3f} s: {}", run.name,
                                   static_cast<double>(r.steps) * results.period,
                                   to_string(r.status)));
    if (r.count(ActionKind::older) + r.count(ActionKind::safe) > 0)
      console.complain(fmt::format(
          "{}: {} actions from older plans, {} safe ones (not measured {}, late {}, not solved {}, "
          "no reference {})",
          run.name, r.count(ActionKind::older), r.count(ActionKind::safe),
          r.count(ActionFault::not_measured), r.count(ActionFault::late),
          r.count(ActionFault::not_solved) + r.count(ActionFault::not_prepared),
          r.count(ActionFault::no_reference)));
  }
  return has_findings(results) ? 1 : 0;
}

}  // namespace

Action mpc(CLI::App& app, Console& console) {
  auto o = std::make_shared<Options>();
  o->robot.add_to(app, "ROBOT|CONFIG.yaml");
  app.add_flag("--demo", o->demo, "pick up 2 kg, with growing friction, with and without learning");
  app.add_option("--duration", o->duration, "how long: 6 s")->option_text("S");
  app.add_option("--rate", o->rate, "of control: 1000 Hz")->option_text("HZ");
  app.add_option("--steps", o->steps, "of the horizon, 20 ms each: 15")->option_text("N");
  app.add_option("--goal", o->goal, "where to reach and wave")->option_text("X,X,...");
  app.add_option("--payload", o->payload, "picked up half-way")->option_text("KG");
  app.add_option("--payload-at", o->payload_at, "when it is")->option_text("S");
  app.add_option("--vary", o->vary, "the robot's inertias differ from its model's by up to P %")
      ->option_text("P");
  app.add_option("--law", o->law, "mpc, computed_torque or gravity_pd")->option_text("NAME");
  app.add_option("--knowledge", o->knowledge, "some of identified, fixed, perfect: identified")
      ->option_text("NAME,...");
  app.add_option("--seed", o->seed, "of what is random: 1")->option_text("N");
  app.add_option("--report", o->report, "write a page with plots and a moving arm (HTML)")
      ->option_text("FILE");
  app.add_flag("-f,--force", o->force, "overwrite files");
  app.footer(
      "  ulna mpc panda --demo --report mpc.html\n"
      "  ulna mpc ur5e --payload 3 --knowledge identified,fixed\n"
      "  ulna mpc panda --vary 50 --seed 7 --json\n");
  return [o, &console]() -> int { return run_mpc(*o, console); };
}

}  // namespace ulna::cli
