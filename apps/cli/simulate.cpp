#include "closed_robot.hpp"
#include "simulate_changes.hpp"
#include "simulate_run.hpp"
#include "simulate_scene.hpp"
#include "torque_source.hpp"
#include "ulna/model/edit.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::cli {
namespace {

/// Energy error of the method as a share of the energy exchanged: more is a finding.
constexpr double tolerable = 0.01;

/// Throws UsageError if an option is given although it has no effect, as `what` says why.
void refuse_useless(const Parser& app, const char* option, bool without, const char* what) {
  if (without && app.count(option)) throw UsageError("{} has no effect {}", option, what);
}

/// What follows from the options; throws UsageError for what is out of range.
void complete(SimulateOptions& o, const Parser& app) {
  require_reasonable_duration(o.duration, o.step());
  const auto useless = [&](const char* option, bool without, const char* what) {
    refuse_useless(app, option, without, what);
  };
  useless("--tolerance", o.integrator != "adaptive", "without --integrator adaptive");
  useless("--step", o.integrator == "adaptive", "with --integrator adaptive: see --tolerance");
  useless("--target", o.torque != "pd", "without --torque pd");
  useless("--bandwidth", o.torque != "pd" && o.follow.empty(), "without --torque pd or --follow");
  useless("--torque", !o.follow.empty(), "with --follow");
  useless("--step", o.how.substep > o.period, "if it is longer than --period");
  useless("--period", o.period > o.duration, "if it is longer than --duration");
  useless("--seed", !o.random(), "without --vary, noise or --dropout: nothing is random");
  for (const char* option : {"--noise-q", "--noise-qd", "--noise-tau", "--quantum", "--delay",
                             "--dropout", "--differences"})
    useless(option, o.out.empty(), "without --out: it is of the log alone");
  o.how.stops = o.how.torque_limits = !o.no_limits;
  // in the order of Integrator
  const std::vector<std::string> names{"euler", "semi-implicit-euler", "midpoint", "rk4",
                                       "adaptive"};
  const auto found = std::ranges::find(names, o.integrator);
  if (found == names.end()) throw UsageError("--integrator: {}", unknown_word(o.integrator, names));
  if (o.integrator == "adaptive")
    o.how.adaptive = AdaptiveOptions{o.tolerance, 0.01 * o.tolerance, 5};
  else
    o.how.integrator = static_cast<Integrator>(found - names.begin());
  o.sensors.velocity.delay = o.sensors.position.delay;
  o.sensors.velocity.dropout = o.sensors.torque.dropout = o.sensors.position.dropout;
}

/// Whether all joints at the world are floating bases.
bool flies(const Model& model) {
  return model.joint_count() > 0 && std::ranges::all_of(model.joints().subspan(1), [](auto& j) {
           return j.parent != 0 || j.type == JointType::floating;
         });
}

/// Whether all numbers that text_of shows are finite.
bool is_finite(const SimulatedRun& r) {
  return r.end.q().allFinite() && r.end.v().allFinite() && std::isfinite(r.energy_error) &&
         std::isfinite(r.energy_before) && std::isfinite(r.error_share);
}

std::string text_of(const SimulatedRun& r, const SimulateOptions& o, const Model& model,
                    const Stream& out) {
  std::string text =
      fmt::format("{}: {} s by {}", visible(model.name()), figure(r.end.time(), 6), o.integrator);
  text +=
      o.how.adaptive ? fmt::format(" to {:g}", o.tolerance) : fmt::format(" of {:g} s", o.step());
  text += fmt::format(", torques every {:g} s ({})\n\n", o.period, visible(o.torque));

  const bool any_stop = std::ranges::any_of(r.joints, [](auto& x) { return x.stop > 0.0; });
  Table joints(1, {"joint", ">min [rad, m]", ">max [rad, m]", ">end [rad, m]", ">max speed [/s]",
                   ">end speed [/s]", ">max torque [Nm, N]"});
  if (any_stop) joints.column(">load of stop [Nm, N]");
  std::vector<std::string> fast;
  const auto number = [](double value) { return fixed(value, 4); };
  for (const Coordinate& c : coordinates(model)) {
    const Extremes& x = r.joints[c.v];
    const auto position = [&](double q) { return c.single() ? number(q) : ""; };
    Cells cells{c.name,
                position(x.lowest),
                position(x.highest),
                position(c.single() ? r.end.q()(c.q) : 0.0),
                number(x.speed),
                number(r.end.v()(c.v)),
                fixed(x.torque, 3)};
    if (any_stop) cells.push_back(x.stop > 0.0 ? fixed(x.stop, 3) : "");
    joints.row(cells);
    if (x.speed > model.velocity_limit()(c.v)) fast.push_back(visible(c.name));
  }
  text += joints.str(out);

  Table energy(1, {"energy", "> [J]"});
  for (const auto& [name, x, always] : {std::tuple{"at the beginning", r.energy_before, true},
                                        {"work of torques", r.work.torques, true},
                                        {"work of wrenches", r.work.wrenches, false},
                                        {"brought by changes", r.work.changes, false},
                                        {"lost in damping", r.work.damping, true},
                                        {"lost in dry friction", r.work.friction, true},
                                        {"lost at stops", r.work.stops, true},
                                        {"taken from velocities", r.work.corrections, false},
                                        {"at the end", r.energy_after, true}})
    if (always || x != 0.0) energy.row({name, fixed(x, 6)});
  text += "\n" + energy.str(out);
  text += fmt::format("energy error {} J, {} of the energy exchanged\n", figure(r.energy_error, 3),
                      figure(r.error_share, 3));
  if (r.tracking && r.tracking->error().size() > 0) {
    Eigen::Index worst = 0;
    const double error = r.tracking->error().maxCoeff(&worst);
    text += fmt::format("follows its motion to {} rad or m rms ({})\n", figure(error, 3),
                        visible(model.velocity_names()[worst]));
  }
  if (r.end.loops())
    text += fmt::format("loops stay closed to {} m or rad\n", figure(r.largest_gap, 3));
  if (r.momentum_error)
    text += fmt::format("momentum error {} kg m/s and {} kg m²/s about the centre of mass\n",
                        figure(r.momentum_error->force.norm(), 3),
                        figure(r.momentum_error->moment.norm(), 3));
  const SimulationCounts& n = r.end.counts();
  text += fmt::format("{}, {} of a stop, {} cut off at the limits\n", counted(n.events, "event"),
                      counted(n.hits, "hit"), counted(n.clamped, "torque"));
  if (n.crowds > 0)
    text +=
        hanging("", 0,
                fmt::format("note: {} of time integrated at first order: too many events, or links "
                            "too light for their damping",
                            counted(n.crowds, "piece")),
                out.width());
  if (n.divided > 0 || n.slowed > 0)
    text += hanging(
        "", 0,
        fmt::format("note: energy would have grown without input: {} divided{}; a shorter --step "
                    "is faster and more accurate",
                    counted(n.divided, "step"),
                    n.slowed > 0
                        ? fmt::format(", {} J taken from velocities", figure(r.work.corrections, 3))
                        : ""),
        out.width());
  if (!fast.empty())
    text += hanging(
        "", 0, fmt::format("note: faster than their velocity limits: {}", fmt::join(fast, ", ")),
        out.width());
  return text;
}

Json json_of(const SimulatedRun& r, const SimulateOptions& o, const Model& model,
             const SimulationLog& log) {
  Json joints = Json::array(), momentum;
  const std::vector<std::string> names = model.velocity_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Extremes& x = r.joints[i];
    // the range of a coordinate that has none is infinite, which becomes null
    joints.push_back({{"name", names[i]},
                      {"follow_error", r.tracking ? Json(r.tracking->error()(i)) : Json()},
                      {"lowest", x.lowest},
                      {"highest", x.highest},
                      {"top_speed", x.speed},
                      {"too_fast", x.speed > model.velocity_limit()(i)},
                      {"top_torque", x.torque},
                      {"stop_load", x.stop}});
  }
  if (r.momentum_error)
    momentum = {{"linear_error", r.momentum_error->force.norm()},
                {"angular_error", r.momentum_error->moment.norm()}};
  return merged({{{"robot", o.states.argument().json(model)},
                  {"integrator", o.integrator},
                  {"step", o.how.adaptive ? Json() : Json(o.step())},
                  {"tolerance", o.how.adaptive ? Json(o.tolerance) : Json()},
                  {"period", o.period},
                  {"torque", o.torque},
                  {"seed", o.sensors.seed},
                  {"status", to_string(r.status)},
                  {"time", r.end.time()},
                  {"samples", log.count()}},
                 ULNA_FIELDS(r.end.counts(), events, hits, clamped, crowds, divided, slowed),
                 {{"q", r.end.q()},
                  {"qd", r.end.v()},
                  {"joints", joints},
                  {"coordinates", model.configuration_names()},
                  {"energy", merged({{{"initial", r.energy_before}, {"final", r.energy_after}},
                                     ULNA_FIELDS(r.work, torques, wrenches, changes, damping,
                                                 friction, stops, corrections),
                                     {{"error", r.energy_error}, {"error_share", r.error_share}}})},
                  {"momentum", momentum},
                  {"largest_gap", r.end.loops() ? Json(r.largest_gap) : Json()},
                  {"out", o.out},
                  {"plot", o.plot}}});
}

/// What may help after a simulation that could not go on.
std::string advice_after(const SimulatedRun& run, const SimulateOptions& o) {
  const SimulationStatus status = run.status;
  if (status == SimulationStatus::torque_not_finite)
    return "; a smaller --bandwidth, or a nearer target, may do";
  if (status == SimulationStatus::diverged && run.end.time() == 0.0)
    return "; the state, or what acts on the robot, is too large to compute with";
  // where energy came from nothing, the motion is to blame and not the robot's inertias
  const bool indefinite = status == SimulationStatus::plant_not_physical;
  if (indefinite && !(run.error_share > tolerable)) return "; " + why_indefinite(run.end.plant);
  if (status == SimulationStatus::diverged || indefinite)
    return o.how.adaptive ? "; a smaller --tolerance may do"
                          : "; a shorter --step than " + figure(o.step()) + " s may do";
  if (status == SimulationStatus::gave_up) return "; --integrator rk4 has steps of a fixed length";
  return "";
}

/// What may help a robot that does not follow its motion.
std::string advice_on_following(const SimulateOptions& o, bool saturated) {
  // feedback that changes within a few periods of the torques is unstable, and asks for any torque
  constexpr double fast = 0.2;
  const bool hasty = o.bandwidth * o.period > fast;
  if (saturated && !hasty) return "the motion needs more torque than there is: make it slower";
  return fmt::format("a {} --bandwidth than {} rad/s may do{}", hasty ? "smaller" : "larger",
                     figure(o.bandwidth), saturated ? ", or a slower motion" : "");
}

/// The findings, reported, as an exit status.
int judged(const SimulatedRun& run, const SimulateOptions& o, const Model& model,
           Console& console) {
  if (run.status == SimulationStatus::stopped)
    return console.complain(fmt::format("stopped at {} s", figure(run.end.time(), 6))), findings;
  if (run.error_share > tolerable) {
    console.complain(fmt::format(
        "the energy error is {:.1f} % of the energy exchanged: take a {}", 100.0 * run.error_share,
        o.how.adaptive && run.end.counts().crowds > 0 ? "--step of 1e-4 s with --integrator rk4"
        : o.how.adaptive                              ? "smaller --tolerance"
        : o.integrator == "rk4"                       ? "shorter --step"
                                                      : "shorter --step or --integrator rk4"));
    return findings;
  }
  if (!run.tracking || run.tracking->lost().empty()) return success;
  std::vector<std::string> lost;
  for (const int i : run.tracking->lost()) lost.push_back(model.velocity_names()[i]);
  console.complain(fmt::format("does not follow its motion: {}; {}", fmt::join(lost, ", "),
                               advice_on_following(o, run.end.counts().clamped > 0)));
  return findings;
}

/// A scene, or the robot on the ground; none if it touches nothing.
std::optional<int> run_with_contact(SimulateOptions& o, const Parser& app, Console& console) {
  Diagnostics diagnostics;
  std::optional<Scene> scene = scene_in(o.states.argument(), diagnostics);
  SceneOptions how{o.duration, o.period, o.bandwidth, o.out, o.plot, o.picture, o.force};
  if ((scene || o.ground) && o.integrator == "adaptive") {
    how.adaptive = AdaptiveOptions{o.tolerance, 0.01 * o.tolerance, 5};
    if (app.count("--step"))
      throw UsageError("--step has no effect with --integrator adaptive: see --tolerance");
  }
  if (scene) {
    refuse_without_contact(app, how.adaptive.has_value());
    refuse_with_scene(app);
    refuse_useless(app, "--bandwidth",
                   std::ranges::none_of(scene->robots, [](auto& r) { return r.torque == "pd"; }),
                   "without a robot whose torque is pd");
    refuse_useless(app, "--step", app.count("--period") && o.how.substep > o.period,
                   "if it is longer than --period");
    for (const auto& [option, value] : {std::pair{"--step", o.how.substep}, {"--period", o.period}})
      refuse_useless(app, option, value > o.duration, "if it is longer than --duration");
    if (app.count("--step")) scene->options.step = o.how.substep;
    if (!app.count("--period")) how.period = std::max(o.period, scene->options.step);
    return run_scene(how, std::move(*scene), std::move(diagnostics), console);
  }
  if (!o.ground) {
    for (const char* option : {"--friction", "--picture"})
      if (app.count(option)) throw UsageError("{} has no effect without --ground", option);
    return {};
  }
  refuse_without_contact(app, how.adaptive.has_value());
  refuse_useless(app, "--bandwidth", o.torque != "pd", "without --torque pd");
  refuse_useless(app, "--step", o.how.substep > o.period, "if it is longer than --period");
  if (const std::vector<std::string> sources{"zero", "gravity", "pd"};
      !std::ranges::count(sources, o.torque))
    throw UsageError("--torque: with --ground, {}", unknown_word(o.torque, sources));
  how.joint_friction = !app.count("--no-friction");
  o.states.argument().drives = Drives::carried_rotors;
  Robot given = o.states.load(console);
  how.robot = o.states.argument().json(given.model());
  o.states.require_one_state();
  const GivenState start = o.states.state(console, given.model());
  if (!start.wrenches.empty())
    throw Failure("{}: with --ground, wrenches cannot act on the robot", o.states.file());
  mention_beyond_limits(console, given.model(), start.q);
  return run_scene(
      how, robot_on_ground(given.model(), start.q, start.qd, o.torque, o.ground_friction, o.step()),
      std::move(diagnostics), console);
}

int run_simulate(SimulateOptions& o, const Parser& app, Console& console) {
  require_one_stdin({o.states.argument().name, o.states.file(), o.torque, o.follow});
  if (const std::optional<int> done = run_with_contact(o, app, console)) return *done;
  complete(o, app);
  const bool to_stdout = o.out == "-";
  if (to_stdout && console.json())
    throw UsageError("--json and --out - cannot both go to standard output");
  require_others({o.out, o.plot}, {o.states.file(), o.torque, o.follow});
  require_writable({o.out, o.plot}, o.force);
  o.states.argument().drives = Drives::carried_rotors;
  Robot given = o.states.load(console);
  const Model& model = given.model();
  if (o.no_limits && !has_limits(model))
    throw UsageError("--no-limits has no effect: '{}' limits neither positions nor torques",
                     model.name());
  o.how.loops = o.states.argument().closes_loops(console, model);
  o.states.require_one_state();
  GivenState start = o.states.state(console, model);
  Eigen::VectorXd target = configuration(console, model, o.target, "--target", o.how.loops);
  if (const std::string beyond = beyond_limits(model, target); !beyond.empty() && !o.no_limits)
    throw UsageError("--target: out of reach: {}", beyond);
  if (!o.no_limits) mention_beyond_limits(console, model, start.q);
  std::optional<FollowedMotion> followed;
  if (!o.follow.empty()) {
    followed.emplace(InputFile(o.follow, "--follow: '{}' cannot be read"), model);
    if (!start.given.contains("q")) start.q = followed->q(0.0);
    if (!start.given.contains("qd")) start.qd = followed->v(0.0);
    if (!app.count("--duration")) o.duration = followed->duration();
    if (!app.count("--duration") && o.duration > longest_simulation)
      throw UsageError(
          "--follow: the motion takes {:g} s, at most {:g} s are simulated: give "
          "--duration",
          o.duration, longest_simulation);
    require_reasonable_duration(o.duration, o.step());
    o.torque = o.follow;
  }
  if (const int delay = o.sensors.position.delay; delay * o.period >= o.duration)
    throw UsageError("--delay: {} periods of {:g} s are no shorter than the run, {:g} s", delay,
                     o.period, o.duration);

  Simulation robot(model, o.how);
  close_loops(console, robot.loops(), start.q, "--q");
  close_loops(console, robot.loops(), target, "--target");
  robot.plant = given.plant();
  if (o.vary > 0.0)
    change_at_random(robot.plant, {0.01 * o.vary, 0.01 * o.vary, 0.01 * o.vary}, o.sensors.seed);
  Schedule schedule;
  for (const std::string& payload : o.payloads)
    schedule_payload(schedule, model, payload, o.duration);
  if (!o.friction_scale.empty())
    schedule_friction(schedule, robot.plant, o.friction_scale, o.duration);
  std::optional<Tracking> tracking;
  if (followed) tracking.emplace(*followed);
  // laws compute with the rigid robot; motors that are coupled are known to --follow
  Plant<double> known_to_law =
      model.drives().elastic.empty() && (followed || model.drives().plain())
          ? given.plant()
          : Plant<double>(with_plain_drives(model));
  if (o.states.no_friction()) known_to_law.remove_friction();
  TorqueSource law =
      followed ? followed->law(known_to_law, o.bandwidth)
               : torque_source(console, o.torque, known_to_law, target, o.bandwidth, o.duration);
  if (robot.loops() && (followed || o.torque == "gravity" || o.torque == "pd"))
    law = by_drives(std::move(law), *robot.loops());
  const TorqueSource torque = [&](const Simulation& now, Eigen::VectorXd& tau) {
    if (tracking) tracking->add(now);
    law(now, tau);
  };
  robot.set_state(start.q, start.qd);
  std::vector<ExternalWrench<double>> wrenches;
  for (const Robot::FrameWrench& w : start.wrenches)
    wrenches.push_back({&model.frame(w.frame), w.wrench, w.axes});
  robot.set_wrenches(wrenches);

  SimulationLog log(model, o);
  const bool momentum_stays =
      flies(model) && wrenches.empty() && o.payloads.empty() && o.follow.empty() &&
      (o.torque == "zero" || o.torque == "gravity" || o.torque == "pd") &&
      robot.plant.damping.head(6).isZero() && robot.plant.friction.head(6).isZero() &&
      robot.plant.friction_negative.head(6).isZero();
  const SimulatedRun run = [&] {
    const Interrupt interrupt;
    Progress progress(console.err, std::size_t(1000.0 * o.duration));
    SimulatedRun made = simulate_robot(robot, o, torque, schedule, momentum_stays, log, progress);
    if (tracking) made.tracking = &*tracking;
    return made;
  }();

  ResultFiles files(console, o.force);
  if (!o.plot.empty() && log.time.size() > 1) files.write(o.plot, motion_plot(model, log));
  if (!o.out.empty()) files.write(o.out, log.text());
  const bool failed =
      run.status != SimulationStatus::moved && run.status != SimulationStatus::stopped;
  const std::string why = fmt::format("the simulation ends at {} s: {}{}", figure(robot.time(), 6),
                                      to_string(run.status), advice_after(run, o));
  const auto document = [&] {
    Json fields = merged({json_of(run, o, model, log), files.json()});
    if (failed) fields["error"] = why, fields["diagnostics"] = Json::array();
    return fields;
  };
  // of numbers that have overflowed there is no table; in JSON they are null
  const bool shown = console.json() || is_finite(run);
  if (!to_stdout && shown)
    console.show(document, [&] { return text_of(run, o, model, console.out); });
  if (failed) {
    console.complain(why);
    return files.finish(failure);
  }
  return files.finish(judged(run, o, model, console));
}

}  // namespace

Action simulate(Parser& app, Console& console) {
  auto o = std::make_shared<SimulateOptions>();
  o->states.add_to(app, "q qd", false, "ROBOT|SCENE.yaml",
                   "a robot, or a scene of robots and bodies; - for standard input");
  o->states.add_friction_to(app);
  o->states.argument().add_loops_to(app);
  app.add_value("--duration", o->duration, "S", "how long: 5 s", above_zero);
  app.add_value("--period", o->period, "S", "of torques and of the log: 0.001 s", above_zero);
  app.add_value("--integrator", o->integrator, "NAME",
                "euler, semi-implicit-euler, midpoint, rk4 or adaptive");
  app.add_value("--step", o->how.substep, "S", "of the integrator at most: 0.001 s", above_zero);
  app.add_value(
      "--tolerance", o->tolerance, "R", "of adaptive steps, relative: 1e-8",
      number_that("is not from 1e-13 to 0.1", [](double x) { return x >= 1e-13 && x <= 0.1; }));
  app.add_value("--torque", o->torque, "SOURCE",
                "zero, gravity, pd, or a table of t and tau (CSV)");
  app.add_value("--follow", o->follow, "MOTION",
                "follow a table of t, q, qd, qdd by computed torque, from its first row");
  app.add_value("--target", o->target, "X,X,...", "configuration that pd drives to");
  app.add_value("--bandwidth", o->bandwidth, "W", "of pd and --follow: 10 rad/s", above_zero);
  app.add_flag("--no-limits", o->no_limits, "no stops, no torque limits");
  app.add_flag("--ground", o->ground, "on a plane that it touches; links touch each other too");
  app.add_value("--friction", o->ground_friction, "MU", "of the ground: 0.8", not_negative);
  app.add_value("--payload", o->payloads, "M,X,Y,Z@T",
                "kg, position in the last link's frame, and when: 2,0,0,0.1@1..3")
      ->allow_extra_args(false);
  app.add_value("--friction-scale", o->friction_scale, "F@T..T", "friction grows to this: 2@1..3");
  app.add_value(
      "--vary", o->vary, "P", "change inertias, friction, rotors at random by up to P %",
      number_that("is not from 0 to below 100 %", [](double x) { return x >= 0.0 && x < 100.0; }));
  add_sensors(app, o->sensors);
  app.add_output("-o,--out", o->out, "write t, q, qd, qdd, tau as CSV; - for stdout", true);
  app.add_output("--plot", o->plot, "draw the motion over time (SVG)");
  app.add_output("--picture", o->picture, "draw a scene as it is at the end (SVG)");
  app.add_force(o->force);
  return [o, &app, &console]() -> int { return run_simulate(*o, app, console); };
}

}  // namespace ulna::cli
