#include "serve.hpp"
#include "states.hpp"

#if ULNA_WITH_VIEWER
#include "ulna/view/recording.hpp"
#include "ulna/view/viewer.hpp"
#endif

namespace ulna::cli {
namespace {

struct ViewOptions {
  RobotArgument robot;
  std::vector<std::string> logs;
  std::string q, torque = "none", html;
  std::optional<double> simulate;
  int port = 0;
  bool open = false, force = false;
};

#if ULNA_WITH_VIEWER

using namespace view;

/// What is shown: robots, and if they move, how.
struct Show {
  std::string mode = "robot";
  std::vector<Actor> robots;
  std::vector<SeriesGroup> channels;
  std::vector<Message> tracks;
};

void add_log(Console& console, const std::string& file, const Model& model, Show& show) {
  Diagnostics found;
  const identify::Log log = identify::load_log(file, model, {.torque_needed = false}, found);
  if (found.has_errors()) throw identify::LogError(found);
  if (found.count(Severity::warning) > 0)
    console.complain(fmt::format("{}: {}; ulna identify lists them", file,
                                 counted(found.count(Severity::warning), "warning")),
                     Style::yellow);
  if (log.empty()) throw Failure("{}: there is no row to show", file);
  if (log.q.size() == 0) throw Failure("{}: there are no positions: columns q1, q2, ...", file);
  // logs begin when the robot does, whatever their clocks
  const Recording recording{log.t.array() - log.t(0), log.q, log.v, log.tau};
  const int robot = int(show.robots.size());
  show.robots.push_back({model, robot == 0 ? model.name() : file, robot > 0, log.q.col(0)});
  for (SeriesGroup group : channels_of(model, recording, robot)) {
    if (robot > 0) group.name += " (" + file + ")";
    show.channels.push_back(std::move(group));
  }
  for (Message& m : tracks_of(model, recording, robot)) show.tracks.push_back(std::move(m));
}

Show show_of(const ViewOptions& o, const Model& model, Console& console) {
  Show show;
  const Eigen::VectorXd q = configuration(console, model, o.q, "--q", false);
  if (!o.logs.empty()) {
    show.mode = "log";
    for (const std::string& file : o.logs) add_log(console, file, model, show);
    return show;
  }
  show.robots = {{.model = model, .q = q}};
  if (!o.simulate) return show;
  show.mode = "simulation";
  Interrupt interrupt;
  const Recording recording = record_simulation(model, q, Eigen::VectorXd::Zero(model.nv()),
                                                {.seconds = *o.simulate,
                                                 .drive = *drive_from_string(o.torque),
                                                 .go_on = [] { return !Interrupt::requested(); }});
  interrupt.end_program();
  if (!recording.ended.empty())
    console.complain(fmt::format("the simulation ended at {:.3g} s: {}",
                                 recording.times(recording.times.size() - 1), recording.ended),
                     Style::yellow);
  show.channels = channels_of(model, recording);
  show.tracks = tracks_of(model, recording);
  return show;
}

int run_view(const ViewOptions& o, Console& console) {
  std::vector<std::string> inputs = o.logs;
  inputs.push_back(o.robot.name);
  require_one_stdin(inputs);
  require_others({o.html}, inputs);
  require_writable({o.html}, o.force);
  const Imported imported = o.robot.load();
  const Model& model = imported.model;
  mention_warnings(console, o.robot, imported.diagnostics);
  Show show = show_of(o, model, console);

  ViewerOptions options;
  options.server.port = o.port;
  options.meshes.files.packages = o.robot.files.with({}).packages;
  options.mode = show.mode;
  options.program = "ulna " ULNA_VERSION;
  options.channels = show.channels;
  if (!o.html.empty()) {
    options.can.clear();
    Meshes meshes(options.meshes);
    Diagnostics found;
    std::vector<Message> messages = opening_messages(show.robots, options, meshes, found);
    messages.insert(messages.end(), show.tracks.begin(), show.tracks.end());
    console.err.print(to_text(console.err, found, true));
    write_or_print(console, o.html, page_with(page(), messages, meshes), o.force);
    if (console.json()) console.print({{"robot", o.robot.json(model)}});
    return success;
  }
  Viewer viewer(std::move(show.robots), options);
  for (Message& track : show.tracks) viewer.keep(std::move(track));
  console.err.print(to_text(console.err, viewer.diagnostics(), true));
  serve(console, viewer.url(), o.open, {{"robot", o.robot.json(model)}});
  return success;
}

#else

int run_view(const ViewOptions&, Console&) {
  throw Failure(
      "this ulna was built without Boost.Beast, which the viewer needs; install it (Debian: apt "
      "install libboost-dev, or tools/install-dependencies) and build again with "
      "-DULNA_WITH_VIEWER=ON");
}

#endif

}  // namespace

Action view(Parser& app, Console& console) {
  auto o = std::make_shared<ViewOptions>();
  o->robot.add_to(app);
  o->robot.add_gravity_to(app);
  app.add_value("--q", o->q, "X,X,...", "where the robot is at first, or NAME=VALUE,...");
  app.add_value("--log", o->logs, "FILE",
                "play a log (CSV); of several, all but the first are ghosts")
      ->allow_extra_args(false);
  app.add_value(
      "--simulate", o->simulate, "S", "play a simulation of so many seconds",
      number_that("is not above 0, up to 600", [](double x) { return x > 0.0 && x <= 600.0; }));
  app.add_value("--torque", o->torque, "NAME", "in the simulation: none, gravity or pd: none",
                word_of({"none", "gravity", "pd"}));
  app.add_value("--port", o->port, "N", "of the server; one that is free", whole_number(0, 65535));
  app.add_flag("--open", o->open, "open the page in the browser");
  app.add_output("--html", o->html, "write the page with all it shows instead of serving it", true);
  app.add_force(o->force);
  return [o, &app, &console]() -> int {
    if (o->html == "-" && console.json())
      throw UsageError("--html - has no effect with --json; name a file");
    if (!o->logs.empty() && o->simulate) throw UsageError("give either --log or --simulate");
    if (!o->logs.empty() && !o->q.empty()) throw UsageError("--q has no effect with --log");
    if (app.count("--torque") && !o->simulate)
      throw UsageError("--torque has no effect without --simulate");
    for (const char* option : {"--port", "--open"})
      if (!o->html.empty() && app.count(option))
        throw UsageError("{} has no effect with --html, which serves nothing", option);
    return run_view(*o, console);
  };
}

}  // namespace ulna::cli
