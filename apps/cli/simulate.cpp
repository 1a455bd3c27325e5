#include <fmt/format.h>

#include <sstream>

#include "../plot/charts.hpp"
#include "output_file.hpp"
#include "scenario.hpp"
#include "states.hpp"
#include "table.hpp"
#include "text.hpp"
#include "verb.hpp"

namespace ulna::cli {
namespace {

struct Options {
  States states;
  double duration = 5.0, period = 1e-3, step = 1e-3, tolerance = 1e-8, bandwidth = 10.0;
  std::string integrator = "rk4", torque = "zero", target, out, plot;
  std::vector<std::string> payloads;
  std::string friction_scale;
  double vary = 0.0;
  bool no_limits = false, force = false;
  double noise_q = 0.0, noise_qd = 0.0, noise_tau = 0.0, quantum = 0.0, dropout = 0.0;
  int delay = 0;
  bool differences = false;
  std::uint64_t seed = 1;

  bool sensed() const {
    return noise_q > 0.0 || noise_qd > 0.0 || noise_tau > 0.0 || quantum > 0.0 || dropout > 0.0 ||
           delay > 0 || differences;
  }
};

constexpr double longest = 3600.0, most_steps = 2e7, most_numbers = 2e7;
/// Energy error of the method as a share of the energy exchanged: more is a finding.
constexpr double tolerable = 0.01;

const std::pair<const char*, Integrator> integrators[] = {
    {"euler", Integrator::euler},
    {"semi-implicit-euler", Integrator::semi_implicit_euler},
    {"midpoint", Integrator::midpoint},
    {"rk4", Integrator::rk4}};

/// The options of a simulation; throws UsageError for what is out of range.
SimulationOptions check(const Options& o) {
  const auto require = [](bool good, const char* name, double x, const char* rule) {
    if (!good) throw UsageError(fmt::format("{}: {:g} is not {}", name, x, rule));
  };
  for (const auto& [name, x] : {std::pair{"--duration", o.duration},
                                {"--period", o.period},
                                {"--step", o.step},
                                {"--tolerance", o.tolerance},
                                {"--bandwidth", o.bandwidth}})
    require(x > 0.0 && std::isfinite(x), name, x, "above 0");
  for (const auto& [name, x] : {std::pair{"--noise-q", o.noise_q},
                                {"--noise-qd", o.noise_qd},
                                {"--noise-tau", o.noise_tau},
                                {"--quantum", o.quantum}})
    require(x >= 0.0 && std::isfinite(x), name, x, "0 or more");
  require(o.dropout >= 0.0 && o.dropout < 1.0, "--dropout", o.dropout, "from 0 to below 1");
  require(o.vary >= 0.0 && o.vary < 100.0, "--vary", o.vary, "from 0 to below 100 %");
  require(o.delay >= 0 && o.delay <= 100'000, "--delay", o.delay, "from 0 to 100000");
  if (o.duration > longest) throw UsageError(fmt::format("--duration: at most {:g} s", longest));
  if (const double step = std::min(o.step, o.period); o.duration / step > most_steps)
    throw UsageError(fmt::format("--duration: {:g} s in steps of {:g} s are more than {:g} steps",
                                 o.duration, step, most_steps));
  SimulationOptions how;
  how.substep = o.step;
  how.stops = how.torque_limits = !o.no_limits;
  if (o.integrator == "adaptive") {
    how.adaptive = AdaptiveOptions{o.tolerance, 0.01 * o.tolerance, 5};
    return how;
  }
  for (const auto& [name, integrator] : integrators)
    if (o.integrator == name) {
      how.integrator = integrator;
      return how;
    }
  throw UsageError(fmt::format(
      "--integrator: '{}' is none of euler, semi-implicit-euler, midpoint, rk4, adaptive",
      o.integrator));
}

/// A degree of freedom, and its place in q if its joint has no other.
struct Coordinate {
  std::string name;
  int v, q;
  bool single() const { return q >= 0; }
};

std::vector<Coordinate> coordinates(const Model& model) {
  std::vector<Coordinate> list;
  const std::vector<std::string> names = model.velocity_names();
  for (const Joint& j : model.joints())
    for (int i = 0; !j.mimics && i < velocity_size(j.type); ++i)
      list.push_back({names[static_cast<std::size_t>(j.v + i)], j.v + i,
                      velocity_size(j.type) == 1 ? j.q : -1});
  return list;
}

/// The range of a coordinate over a run.
struct Extremes {
  double lowest = infinity, highest = -infinity, speed = 0.0, torque = 0.0;
};

struct Run {
  SimulationStatus status = SimulationStatus::moved;
  double time = 0.0, energy_before = 0.0, energy_after = 0.0, energy_error = 0.0, error_share = 0.0;
  SimulationWork work;
  SimulationCounts counts;
  Eigen::VectorXd q, v;
  std::vector<Extremes> joints;
  std::optional<Wrench<double>> momentum_error;  ///< where nothing but weight acts from outside
  std::size_t samples = 0;
};

/// Whether all joints at the world are floating bases.
bool flies(const Model& model) {
  for (int b = 1; b < model.body_count(); ++b)
    if (model.joint(b).parent == 0 && model.joint(b).type != JointType::floating) return false;
  return model.body_count() > 1;
}

/// The log as it grows, and the samples to be drawn.
class Log {
 public:
  Log(const Model& model, const Options& o) : sensed_(o.sensed()) {
    if (!o.out.empty()) {
      std::vector<std::string> names{"t"};
      for (const char* quantity : {"q", "qd", "qdd", "tau"})
        if (!sensed_ || std::string_view(quantity) != "qdd")
          for (const std::string& name : trajectory_names(model, quantity)) names.push_back(name);
      row_.resize(names.size());
      if (o.duration / o.period * static_cast<double>(names.size()) > most_numbers)
        throw UsageError(
            fmt::format("--period: {:g} s of {} columns every {:g} s are more than {:g} numbers",
                        o.duration, names.size(), o.period, most_numbers));
      writer_.emplace(text_, names);
    }
    SensorsOptions s;
    s.position = {o.noise_q, 0.0, o.quantum, o.delay, o.dropout, 0.0};
    s.velocity = {o.noise_qd, 0.0, 0.0, o.delay, o.dropout, 0.0};
    s.torque = {o.noise_tau, 0.0, 0.0, 0, o.dropout, 0.0};
    s.velocity_by_difference = o.differences;
    s.seed = o.seed;
    sensors_.emplace(model, s);
    if (!o.plot.empty()) every_ = std::max(1L, static_cast<long>(o.duration / o.period / 600.0));
  }

  void add(Simulation& now) {
    if (writer_) {
      Eigen::Map<Eigen::VectorXd> row(row_.data(), static_cast<Eigen::Index>(row_.size()));
      if (sensed_) {
        sensors_->read(now);
        row << now.time(), sensors_->q, sensors_->v, sensors_->tau;
      } else {
        row << now.time(), now.q(), now.v(), now.acceleration(), now.tau();
      }
      writer_->write(row_);
    }
    if (every_ > 0 && count_ % every_ == 0) {
      time.push_back(now.time());
      q.push_back(now.q()), v.push_back(now.v());
    }
    ++count_;
  }
  std::string text() {
    writer_->flush();
    return text_.str();
  }
  std::size_t count() const { return static_cast<std::size_t>(count_); }

  std::vector<double> time;
  std::vector<Eigen::VectorXd> q, v;

 private:
  bool sensed_;
  std::ostringstream text_;
  std::optional<CsvWriter> writer_;
  std::optional<Sensors> sensors_;
  std::vector<double> row_;
  long every_ = 0, count_ = 0;
};

std::string motion_plot(const Model& model, const Log& log) {
  std::vector<plot::Panel> panels;
  const auto line = [](const std::vector<Eigen::VectorXd>& of, int at) {
    std::vector<double> values;
    for (const Eigen::VectorXd& x : of) values.push_back(x(at));
    return values;
  };
  for (const Coordinate& c : coordinates(model)) {
    panels.push_back({c.name, {line(log.v, c.v)}});
    if (c.single()) panels.back().lines.push_back(line(log.q, c.q));
  }
  return plot::panel_plot(fmt::format("{} in motion", model.name()), "over time in s", log.time,
                          {"velocity, rad/s or m/s", "position, rad or m"}, panels);
}

Run simulate_robot(Simulation& robot, const Options& o, TorqueSource& torques, Schedule& schedule,
                   bool momentum_stays, Log& log, Progress& progress) {
  const Model& model = robot.model();
  Run run;
  run.joints.resize(static_cast<std::size_t>(model.nv()));
  const auto look = [&, all = coordinates(model)] {
    for (const Coordinate& c : all) {
      Extremes& x = run.joints[static_cast<std::size_t>(c.v)];
      x.speed = std::max(x.speed, std::abs(robot.v()(c.v)));
      x.torque = std::max(x.torque, std::abs(robot.tau()(c.v)));
      if (!c.single()) continue;
      x.lowest = std::min(x.lowest, robot.q()(c.q));
      x.highest = std::max(x.highest, robot.q()(c.q));
    }
  };
  // changes at the very beginning are no part of the motion
  schedule.apply(robot);
  const double begin_changes = robot.work().changes;
  run.energy_before = robot.energy();
  const Wrench<double> momentum = robot.momentum();
  const Vec3<double> weight = total_mass<double>(robot.plant) * model.gravity();
  long n = 0;
  run.status = robot.run(
      o.duration, o.period,
      [&](Simulation& now, Eigen::VectorXd& tau) {
        schedule.apply(now);
        torques.torque(now, tau);
      },
      [&](Simulation& now) {
        look();
        log.add(now);
        if (++n % 256 == 0)
          progress.at(static_cast<std::size_t>(1000.0 * now.time()),
                      fmt::format("{:.1f} of {:g} s", now.time(), o.duration));
      });
  if (run.status == SimulationStatus::moved) look(), log.add(robot);
  run.time = robot.time();
  run.energy_after = robot.energy();
  run.work = robot.work();
  run.work.changes -= begin_changes;
  run.energy_error = run.energy_after - run.energy_before - run.work.balance();
  // of a robot at rest, only what rounding makes of its energy
  const double turned =
      std::max({std::abs(run.work.torques), std::abs(run.work.wrenches), std::abs(run.work.changes),
                run.work.damping, run.work.friction, run.work.stops,
                std::abs(run.energy_after - run.energy_before), robot.kinetic_energy(),
                1e-9 * std::abs(run.energy_after), 1e-12});
  run.error_share = std::abs(run.energy_error) / turned;
  run.counts = robot.counts();
  run.q = robot.q(), run.v = robot.v();
  run.samples = log.count();
  if (momentum_stays) {
    Wrench<double> error = robot.momentum();
    error.moment -= momentum.moment;
    error.force -= momentum.force + run.time * weight;
    run.momentum_error = error;
  }
  return run;
}

// --- results -----------------------------------------------------------------------------------

bool too_fast(const Run& r, const Model& model, std::size_t i) {
  return r.joints[i].speed > model.velocity_limit()(static_cast<Eigen::Index>(i));
}

std::string text_of(const Run& r, const Options& o, const Model& model, const Stream& out) {
  std::string text =
      fmt::format("{}: {} s by {}", visible(model.name()), figure(r.time, 6), o.integrator);
  text += o.integrator == "adaptive" ? fmt::format(" to {:g}", o.tolerance)
                                     : fmt::format(" of {:g} s", std::min(o.step, o.period));
  text += fmt::format(", torques every {:g} s ({})\n\n", o.period, visible(o.torque));

  Table joints(1, {{"joint", "", false, 0},
                   {"from", "rad, m", true},
                   {"to", "rad, m", true},
                   {"speed", "/s", true},
                   {"torque", "Nm, N", true},
                   {"end", "rad, m", true},
                   {"velocity", "/s", true}});
  const auto number = [](double value) { return fmt::format("{:.4f}", value + 0.0); };
  for (const Coordinate& c : coordinates(model)) {
    const Extremes& x = r.joints[static_cast<std::size_t>(c.v)];
    joints.row({c.name, c.single() ? number(x.lowest) : "", c.single() ? number(x.highest) : "",
                number(x.speed), fmt::format("{:.3f}", x.torque),
                c.single() ? number(r.q(c.q)) : "", number(r.v(c.v))});
  }
  text += joints.str(out);

  Table energy(1, {{"energy", "", false, 0}, {"", "J", true}});
  const auto line = [&](const char* name, double x) {
    energy.row({name, fmt::format("{:.6f}", x + 0.0)});
  };
  line("at the beginning", r.energy_before);
  line("work of torques", r.work.torques);
  if (r.work.wrenches != 0.0) line("work of wrenches", r.work.wrenches);
  if (r.work.changes != 0.0) line("brought by changes", r.work.changes);
  line("lost in damping", -r.work.damping);
  line("lost in dry friction", -r.work.friction);
  line("lost at stops", -r.work.stops);
  line("at the end", r.energy_after);
  text += "\n" + energy.str(out);
  text += fmt::format("energy error {} J, {} of the energy exchanged\n", figure(r.energy_error, 3),
                      figure(r.error_share, 3));
  if (r.momentum_error)
    text += fmt::format("momentum error {} kg m/s and {} kg m²/s about the centre of mass\n",
                        figure(r.momentum_error->force.norm(), 3),
                        figure(r.momentum_error->moment.norm(), 3));
  text += fmt::format("{}, {} of a stop, {} cut off at the limits\n",
                      counted(static_cast<std::size_t>(r.counts.events), "event"),
                      counted(static_cast<std::size_t>(r.counts.hits), "hit"),
                      counted(static_cast<std::size_t>(r.counts.clamped), "torque"));
  std::vector<std::string> fast;
  const std::vector<std::string> names = model.velocity_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (too_fast(r, model, i)) fast.push_back(visible(names[i]));
  if (!fast.empty())
    text += hanging(
        "", 0, fmt::format("note: faster than their velocity limits: {}", fmt::join(fast, ", ")),
        out.width());
  return text;
}

Json json_of(Console& console, const Run& r, const Options& o, const Model& model) {
  Json j = console.document();
  j["robot"] = o.states.argument().json(model);
  j["integrator"] = o.integrator;
  j["step"] = o.integrator == "adaptive" ? Json() : Json(std::min(o.step, o.period));
  j["tolerance"] = o.integrator == "adaptive" ? Json(o.tolerance) : Json();
  j["period"] = o.period;
  j["torque"] = o.torque;
  j["seed"] = o.seed;
  j["status"] = to_string(r.status);
  j["time"] = r.time;
  j["samples"] = r.samples;
  j["events"] = r.counts.events, j["hits"] = r.counts.hits, j["clamped"] = r.counts.clamped;
  j["q"] = to_json(r.q), j["qd"] = to_json(r.v);
  j["joints"] = Json::array();
  const std::vector<std::string> names = model.velocity_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Extremes& x = r.joints[i];
    const bool single = x.lowest <= x.highest;
    j["joints"].push_back({{"name", names[i]},
                           {"lowest", single ? Json(x.lowest) : Json()},
                           {"highest", single ? Json(x.highest) : Json()},
                           {"top_speed", x.speed},
                           {"too_fast", too_fast(r, model, i)},
                           {"top_torque", x.torque}});
  }
  j["energy"] = {{"initial", r.energy_before},  {"final", r.energy_after},
                 {"torques", r.work.torques},   {"wrenches", r.work.wrenches},
                 {"changes", r.work.changes},   {"damping", r.work.damping},
                 {"friction", r.work.friction}, {"stops", r.work.stops},
                 {"error", r.energy_error},     {"error_share", r.error_share}};
  j["momentum"] = Json();
  if (r.momentum_error)
    j["momentum"] = {{"linear_error", r.momentum_error->force.norm()},
                     {"angular_error", r.momentum_error->moment.norm()}};
  j["out"] = o.out, j["plot"] = o.plot;
  return j;
}

// --- the verb ---------------------------------------------------------------------------------------

int run_simulate(Options& o, Console& console) {
  const SimulationOptions how = check(o);
  const bool to_stdout = o.out == "-";
  if (to_stdout && console.json()) throw UsageError("--json and --out - both want standard output");
  if (o.torque == "-" && o.states.argument().name == "-")
    throw UsageError("ROBOT and --torque cannot both come from standard input");
  Robot given = o.states.load();
  const Model& model = given.model();
  if (!model.description().loops.empty())
    throw std::invalid_argument(fmt::format(
        "robot '{}' has closed loops, which simulation does not support; remove the joints that "
        "close them to simulate the tree",
        model.name()));
  if (o.states.is_table()) throw UsageError("a simulation begins with one state, not with a table");
  const GivenState start = o.states.state(model);
  if (!o.target.empty() && o.torque != "pd") throw UsageError("--target is for --torque pd");
  const Eigen::VectorXd target = o.states.configuration(model, o.target, "--target");

  Simulation robot(model, how);
  robot.plant = given.plant();
  if (o.vary > 0.0)
    change_at_random(robot.plant, {0.01 * o.vary, 0.01 * o.vary, 0.01 * o.vary}, o.seed);
  Schedule schedule;
  for (const std::string& payload : o.payloads) schedule_payload(schedule, model, payload);
  if (!o.friction_scale.empty()) schedule_friction(schedule, robot.plant, o.friction_scale);
  const auto torques = torque_source(o.torque, given.plant(), target, o.bandwidth);
  robot.set_state(start.q, start.qd);
  std::vector<ExternalWrench<double>> wrenches;
  for (const Robot::FrameWrench& w : start.wrenches)
    wrenches.push_back({&model.frame(w.frame), w.wrench, w.axes});
  robot.set_wrenches(wrenches);
  if (!o.out.empty() && !to_stdout) refuse_overwriting(o.out, o.force);
  if (!o.plot.empty()) refuse_overwriting(o.plot, o.force);

  Log log(model, o);
  const bool momentum_stays = flies(model) && wrenches.empty() && o.payloads.empty() &&
                              (o.torque == "zero" || o.torque == "gravity" || o.torque == "pd") &&
                              robot.plant.damping.head(6).isZero() &&
                              robot.plant.friction.head(6).isZero() &&
                              robot.plant.friction_negative.head(6).isZero();
  const Run run = [&] {
    Progress progress(console.err, static_cast<std::size_t>(1000.0 * o.duration));
    return simulate_robot(robot, o, *torques, schedule, momentum_stays, log, progress);
  }();

  if (!o.plot.empty() && log.time.size() > 1) write_file(o.plot, motion_plot(model, log), o.force);
  if (!o.out.empty()) {
    if (to_stdout)
      console.out.print(log.text());
    else
      write_file(o.out, log.text(), o.force);
  }
  if (console.json())
    console.print(json_of(console, run, o, model));
  else if (!to_stdout)
    console.out.print(text_of(run, o, model, console.out));
  if (run.status != SimulationStatus::moved) {
    console.complain(
        fmt::format("the simulation ends at {} s: {}{}", figure(run.time, 6), to_string(run.status),
                    run.status == SimulationStatus::diverged ? "; a shorter --step may do"
                    : run.status == SimulationStatus::plant_not_physical
                        ? "; ulna check lists the links that lack inertia"
                        : ""));
    return failure;
  }
  if (run.error_share > tolerable) {
    console.complain(fmt::format(
        "the energy error is {:.1f} % of the energy exchanged: take a shorter --step or "
        "--integrator rk4",
        100.0 * run.error_share));
    return findings;
  }
  return success;
}

}  // namespace

Action simulate(CLI::App& app, Console& console) {
  auto o = std::make_shared<Options>();
  o->states.add_to(app, "q qd");
  const OptionAdder add{app};
  add("--duration", o->duration, "S", "how long: 5 s");
  add("--period", o->period, "S", "of torques and of the log: 0.001 s");
  add("--integrator", o->integrator, "NAME",
      "euler, semi-implicit-euler, midpoint, rk4 or adaptive");
  add("--step", o->step, "S", "of the integrator at most: 0.001 s");
  add("--tolerance", o->tolerance, "R", "of adaptive steps, relative: 1e-8");
  add("--torque", o->torque, "SOURCE", "zero, gravity, pd, or a table of t and tau (CSV)");
  add("--target", o->target, "X,X,...", "configuration that pd drives to");
  add("--bandwidth", o->bandwidth, "W", "of pd: 10 rad/s");
  app.add_flag("--no-limits", o->no_limits, "no stops, no torque limits");
  add("--payload", o->payloads, "M,X,Y,Z@T",
      "kg, position in the last link's frame, and when: 2,0,0,0.1@1..3")
      ->allow_extra_args(false);
  add("--friction-scale", o->friction_scale, "F@T..T", "friction grows to this: 2@1..3");
  add("--vary", o->vary, "P", "change inertias, friction, rotors at random by up to P %");
  add("--noise-q", o->noise_q, "X", "standard deviation of positions in the log");
  add("--noise-qd", o->noise_qd, "X", "and of velocities");
  add("--noise-tau", o->noise_tau, "X", "and of torques");
  add("--quantum", o->quantum, "X", "resolution of positions in the log");
  add("--delay", o->delay, "N", "of positions and velocities in the log, in periods");
  add("--dropout", o->dropout, "P", "probability that the log repeats the last reading");
  app.add_flag("--differences", o->differences, "velocities in the log from positions");
  add("--seed", o->seed, "N", "of random numbers: 1");
  add("-o,--out", o->out, "FILE", "write t, q, qd, qdd, tau as CSV; - for stdout");
  add("--plot", o->plot, "FILE", "draw the motion over time (SVG)");
  app.add_flag("-f,--force", o->force, "overwrite files");
  app.footer(
      "  ulna simulate pendulum --q 1 --duration 10\n"
      "  ulna simulate panda --torque pd --target 0,0,0,-2,0,2,0 --payload 2@1\n"
      "  ulna simulate panda --torque motion.csv --noise-tau 0.1 -o log.csv\n");
  return [o, &console]() -> int { return run_simulate(*o, console); };
}

}  // namespace ulna::cli
