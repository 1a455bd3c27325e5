#include <algorithm>
#include <filesystem>

#include "serve.hpp"
#include "states.hpp"

#if ULNA_WITH_VIEWER
#include "scene_drives.hpp"
#include "simulate_scene.hpp"
#include "ulna/view/page/recording.hpp"
#include "ulna/view/page/world.hpp"
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
  std::vector<Fixture> fixtures;
  std::vector<SeriesGroup> channels;
  std::vector<Message> tracks;
};

Recording recording_of(Console& console, const std::string& file, const Model& model) {
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
  return {log.t.array() - log.t(0), log.q, log.v, log.tau};
}

void add_logs(Console& console, const std::vector<std::string>& files, const Model& model,
              Show& show) {
  std::vector<Recording> recordings;
  for (const std::string& path : files) {
    const Recording& r = recordings.emplace_back(recording_of(console, path, model));
    const int robot = int(show.robots.size());
    // in few words, unless they are those of another
    const auto name = [](const std::string& p) { return std::filesystem::path(p).filename(); };
    const std::string file =
        std::ranges::count(files, name(path), name) > 1 ? path : name(path).string();
    show.robots.push_back({model, robot == 0 ? model.name() : file, robot > 0, r.q.col(0)});
    for (SeriesGroup group : channels_of(model, r, robot)) {
      if (robot > 0) group.name += " (" + file + ")";
      show.channels.push_back(std::move(group));
    }
  }
  show.tracks = tracks_of(model, recordings);
}

Show show_of(const ViewOptions& o, const Model& model, Console& console) {
  Show show;
  const Eigen::VectorXd q = configuration(console, model, o.q, "--q", false);
  if (!o.logs.empty()) {
    show.mode = "log";
    add_logs(console, o.logs, model, show);
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

/// A scene as it is at first, or as it goes on by itself.
Show show_of(const ViewOptions& o, const Scene& scene, Diagnostics& found, Console& console) {
  constexpr double hz = 100.0, bandwidth = 10.0;
  constexpr int most = 255;
  BuiltScene built = build_scene(scene, found);
  World& world = built.world;
  Show show{"robot", cast_of(world), fixtures_of(world), {}, {}};
  if (show.robots.empty() || show.robots.size() > most)
    throw Failure("{}: {} robots and bodies; 1 to {} can be shown", scene.file, show.robots.size(),
                  most);
  if (!o.simulate) return show;
  show.mode = "simulation";
  SceneDrives drives(scene, built, bandwidth, world.options().step);
  WorldRecording recording(world);
  Interrupt interrupt;
  Progress progress(console.err, std::size_t(*o.simulate * hz));
  WorldStatus status = WorldStatus::moved;
  for (int sample = 0; status == WorldStatus::moved && !Interrupt::requested(); ++sample) {
    recording.add(world);
    if (world.time() >= *o.simulate - 1e-9) break;
    progress.at(std::size_t(sample), fmt::format("{:.1f} of {:g} s", world.time(), *o.simulate));
    while (status == WorldStatus::moved && world.time() < (sample + 1) / hz - 1e-9) {
      drives.act(world);
      status = world.step();
    }
  }
  interrupt.end_program();
  if (status != WorldStatus::moved)
    console.complain(
        fmt::format("the simulation ended at {:.3g} s: {}", world.time(), to_string(status)),
        Style::yellow);
  show.channels = recording.channels();
  show.tracks = recording.tracks();
  return show;
}

/// What is shown, and what the document says of it.
std::pair<Show, Json> show_of(ViewOptions& o, const Parser& app, Console& console) {
  Diagnostics found;
  if (const std::optional<Scene> scene = scene_in(o.robot, found)) {
    for (const char* option : {"--log", "--q", "--torque", "--gravity", "--arg", "--package",
                               "--floating-base", "--independent-mimics", "--strict"})
      if (app.count(option))
        throw UsageError("{} has no effect with a scene, which has robots of its own", option);
    Show show = show_of(o, *scene, found, console);
    console.err.print(to_text(console.err, found, false));
    return {std::move(show), {{"scene", scene->name}, {"file", scene->file}}};
  }
  const Imported imported = o.robot.load();
  mention_warnings(console, o.robot, imported.diagnostics);
  return {show_of(o, imported.model, console), {{"robot", o.robot.json(imported.model)}}};
}

int run_view(ViewOptions& o, const Parser& app, Console& console) {
  std::vector<std::string> inputs = o.logs;
  inputs.push_back(o.robot.name);
  require_one_stdin(inputs);
  require_others({o.html}, inputs);
  require_writable({o.html}, o.force);
  auto [show, about] = show_of(o, app, console);

  ViewerOptions options;
  options.server.port = o.port;
  options.meshes.files.packages = o.robot.files.with({}).packages;
  options.fixtures = show.fixtures;
  // the page's simulation has one robot in free space
  if (!show.fixtures.empty() || show.robots.size() > 1) std::erase(options.can, "simulate");
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
    if (console.json()) console.print(about);
    return success;
  }
  Viewer viewer(std::move(show.robots), options);
  for (Message& track : show.tracks) viewer.keep(std::move(track));
  console.err.print(to_text(console.err, viewer.diagnostics(), true));
  serve(console, viewer.url(), o.open, about);
  return success;
}

#else

int run_view(ViewOptions&, const Parser&, Console&) {
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
    return run_view(*o, app, console);
  };
}

}  // namespace ulna::cli
