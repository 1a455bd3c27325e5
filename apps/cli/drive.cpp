#include "published_law.hpp"
#include "states.hpp"
#include "ulna/io/beside.hpp"

#if ULNA_WITH_VIEWER
#include "ulna/view/viewer.hpp"
#endif

namespace ulna::cli {
namespace {

struct DriveOptions {
  RobotArgument robot;
  bool checks = false, live = false, usual_scheduling = false, no_identify = false, force = false;
  std::string address, goal, motion, out, record;
  std::optional<double> identify, hold, rate;
  double scale = 0.3, duration = 3600.0, wait = 5.0, watchdog = 0.1;
  int core = -1, steps = 15, port = 0;
};

/// The robot of the command line: what it is, where it is, and how it is wired.
struct GivenRig {
  RigFile file;
  Model model;
  Json about;
};

/// A rig that is shown while it is read.
class ShownRig final : public rig::Rig {
 public:
  ShownRig(rig::Rig& rig, [[maybe_unused]] const DriveOptions& o) : rig_(rig) {
#if ULNA_WITH_VIEWER
    view::ViewerOptions options;
    options.server.port = o.port;
    options.program = "ulna " ULNA_VERSION;
    viewer_.emplace(rig.model(), options);
#else
    throw Failure(
        "--live: this ulna was built without Boost.Beast, which the viewer needs (Debian: "
        "libboost-dev)");
#endif
  }
  std::string url() const {
#if ULNA_WITH_VIEWER
    return viewer_->url();
#else
    return "";
#endif
  }

  const Model& model() const noexcept override { return rig_.model(); }
  bool read(rig::Reading& reading) noexcept override {
    const bool any = rig_.read(reading);
#if ULNA_WITH_VIEWER
    if (any && reading.fresh) (void)viewer_->show(reading.time, reading.q);
#endif
    return any;
  }
  bool write(const Eigen::Ref<const Eigen::VectorXd>& tau) noexcept override {
    return rig_.write(tau);
  }
  bool hold() noexcept override { return rig_.hold(); }
  bool holds() const noexcept override { return rig_.holds(); }
  double now() const noexcept override { return rig_.now(); }

 private:
  rig::Rig& rig_;
#if ULNA_WITH_VIEWER
  std::optional<view::Viewer> viewer_;
#endif
};

/// What is driven: a robot in another process, or one that is simulated here, in simulated time ("sim:ulna", "sim:mujoco").
class Driven {
 public:
  Driven(Console& console, const DriveOptions& o, const GivenRig& given,
         const rig::Wiring& wiring) {
    const std::string& address = given.file.address;
    if (address.starts_with("sim:")) {
      // wired as the file says, so that what is righted is right
      simulated_ = simulated_robot(console, given.model, {.plant = address.substr(4), .q = {}},
                                   Mistakes{rig::Wiring(given.model.nv())});
      miswired_.emplace(*simulated_, wiring.inverse());
      clock_ = std::make_unique<drive::SimulatedClock>(*simulated_);
    } else {
      remote_ = connect_robot(given.model, address, o.wait);
      clock_ = std::make_unique<drive::RealClock>();
    }
    wired_.emplace(remote_ ? remote_->rig() : *miswired_, wiring);
    if (o.live) shown_.emplace(*wired_, o);
    if (o.live) console.err.print(shown_->url() + "\n");
  }
  rig::Rig& rig() { return shown_ ? static_cast<rig::Rig&>(*shown_) : *wired_; }
  drive::Clock& clock() { return *clock_; }
  link::TorqueSensors sensors() const {
    return remote_ && remote_->sensors() ? *remote_->sensors() : link::TorqueSensors::motor_side;
  }
  /// Null: it is simulated here.
  RemoteRobot* remote() { return remote_.get(); }
  Json traffic() const { return remote_ ? remote_->traffic() : traffic_json({}); }
  std::string faults() const { return remote_ ? remote_->faults() : link::Traffic{}.report(); }

 private:
  std::unique_ptr<RemoteRobot> remote_;
  std::unique_ptr<rig::SimulatedRobot> simulated_;
  std::optional<rig::WiredRig> miswired_, wired_;
  std::optional<ShownRig> shown_;
  std::unique_ptr<drive::Clock> clock_;
};

/// A motion, how long it lasts, and what is to be said of it.
struct Motion {
  mpc::MotionReference reference;
  double duration = 0.0;
  std::vector<std::string> notes = {};
};

/// The motion of a table, so slow that the scaled limits are kept.
Motion slowed(const drive::TableMotion& table, const Eigen::VectorXd& speed) {
  constexpr double share = 0.9;  // of the limits
  const double factor = std::max(1.0, table.fastest().cwiseQuotient(share * speed).maxCoeff());
  Motion motion;
  if (factor > 1.0)
    motion.notes.push_back(fmt::format(
        "the motion is made {} times slower, so that speeds keep to 90 % of the scaled limits",
        figure(factor, 3)));
  const drive::TableMotion slower = factor > 1.0 ? table.slower(factor) : table;
  motion.duration = slower.duration();
  motion.reference = slower;
  return motion;
}

drive::TableMotion read_motion(const std::string& file, const Model& model) {
  Diagnostics found;
  const identify::Log log = identify::load_log(file, model, {.torque_needed = false}, found);
  if (found.has_errors()) throw identify::LogError(found);
  if (log.q.size() == 0) throw Failure("{}: there are no positions: columns q1, q2, ...", file);
  try {
    return {log.t, log.q, log.v};
  } catch (const std::invalid_argument& e) {
    throw Failure("{}: {}", file, e.what());
  }
}

/// A motion that shows the robot's parameters, within a share of its limits.
drive::TableMotion exciting_motion(const Model& model, double seconds, double share,
                                   Console& console) {
  identify::ExciteOptions options;
  options.duration = seconds, options.share = share, options.starts = 1, options.seconds = 20.0;
  options.iterations = 30;
  Progress progress(console.err, 30);
  options.progress = [&](int, int iteration, double) {
    progress.at(std::size_t(iteration), "computing an exciting motion");
    return !Interrupt::requested();
  };
  const identify::ExciteResult result =
      excite(identify::TorqueModel(model, {identify::Feature::viscous, identify::Feature::coulomb}),
             options);
  progress.clear();
  const Eigen::VectorXd t = result.motion.times(100.0);
  return {t, result.motion.at(t, 0), result.motion.at(t, 1)};
}

Motion motion_of(const DriveOptions& o, const Model& model, const Eigen::VectorXd& q,
                 const Eigen::VectorXd& speed, Console& console) {
  if (!o.motion.empty()) return slowed(read_motion(o.motion, model), speed);
  if (o.identify) return slowed(exciting_motion(model, *o.identify, 0.9, console), speed);
  Eigen::VectorXd place = q;
  double seconds = 0.5;
  if (!o.goal.empty()) {
    place = configuration_from(q, console, model, o.goal, "--goal");
    if (const std::string beyond = beyond_limits(model, place); !beyond.empty())
      throw UsageError("--goal: {} is beyond the robot's limits", beyond);
  }
  if (o.hold) seconds = *o.hold;
  return {[place](double, Eigen::VectorXd& to, Eigen::VectorXd& v) { to = place, v.setZero(); },
          seconds};
}

GivenRig given_rig(const DriveOptions& o, Console& console) {
  RobotArgument robot = o.robot;
  const std::optional<RigFile> found = read_rig_file(robot);
  RigFile file;
  if (found) file = *found, robot.name = robot_beside(o.robot.name, file.robot);
  if (!found) file.robot = robot.name;
  const Imported imported = robot.load();
  mention_warnings(console, robot, imported.diagnostics);
  GivenRig given{file, imported.model, robot.json(imported.model)};
  if (!o.address.empty()) given.file.address = o.address;
  if (given.file.address.empty())
    throw UsageError("where is the robot? give --address, or a rig.yaml with a key 'address'");
  if (o.rate) given.file.rate = *o.rate;
  return given;
}

supervise::Supervisor supervisor_of(const DriveOptions& o, const GivenRig& given) {
  supervise::Options options;
  options.rate_hz = given.file.rate;
  options.limits.emplace(given.model, supervise::LimitDefaults{.trusted_planner = true});
  options.limits->speed *= o.scale;
  options.drive_delay = std::max(options.drive_delay, given.file.delay + 2.0 / given.file.rate);
  options.torque_side = given.file.sensors == link::TorqueSensors::link_side
                            ? supervise::TorqueSide::link
                            : supervise::TorqueSide::motor;
  return supervise::Supervisor(given.model, options);
}

int check(const DriveOptions& o, const GivenRig& given, Driven& driven, Console& console) {
  Progress progress(console.err, 100);
  drive::ContactOptions options;
  options.rate_hz = given.file.rate;
  options.sensors = given.file.sensors;
  options.go_on = [] { return !Interrupt::requested(); };
  options.progress = [&](double share, std::string_view what) {
    progress.at(std::size_t(100.0 * share), what);
  };
  const drive::Realtime realtime(o.usual_scheduling ? drive::RealtimeOptions{0, false, -1}
                                                    : drive::RealtimeOptions{.core = o.core});
  const drive::ContactReport report = first_contact(driven.rig(), options, driven.clock());
  progress.clear();
  ResultFiles files(console, o.force);
  if (!o.out.empty() && report.complete) {
    RigFile found = given.file;
    found.sensors = report.sensors, found.delay = report.delay;
    // what was wired before, and what was found on top of it
    const rig::Wiring before = wiring_of(given.file, given.model, o.robot.name);
    set_wiring(found, combined(before, report.wiring), given.model);
    files.write(o.out, rig_file_text(found));
  }
  console.show(
      [&] {
        return merged(
            {{{"robot", given.about}, {"address", given.file.address}},
             {{"contact", contact_json(given.model, report)}, {"traffic", driven.traffic()}},
             files.json()});
      },
      [&] { return contact_text(console.out, given.model, report); });
  return files.finish(report.complete && report.findings.empty() ? success : findings);
}

int follow(const DriveOptions& o, const GivenRig& given, Driven& driven, Console& console) {
  rig::Rig& rig = driven.rig();
  rig::Reading reading(given.model);
  (void)rig.read(reading);
  supervise::Supervisor supervisor = supervisor_of(o, given);
  const Eigen::VectorXd speed = supervisor.limits().speed;
  Motion motion = motion_of(o, given.model, reading.q, speed, console);
  drive::IdentifyingOptions options;
  options.control.rate_hz = given.file.rate;
  options.control.identify = !o.no_identify;
  options.control.problem.steps = o.steps;
  options.speed = 0.8 * speed,
  options.acceleration = supervisor.limits().braking.cwiseMin(2.0 * speed);
  options.duration = motion.duration;
  drive::IdentifyingLaw law(given.model, motion.reference, options);
  std::optional<drive::Recorder> recorder;
  if (!o.record.empty()) {
    try {
      recorder.emplace(o.record, drive::record_names(given.model),
                       std::size_t(20.0 * given.file.rate), o.force);
    } catch (const std::runtime_error& e) {
      throw Failure("{}", e.what());
    }
  }
  motion.notes.push_back(fmt::format("speed limits are scaled by {}", figure(o.scale, 3)));
  for (const std::string& note : motion.notes) console.complain(note, Style::yellow);
  Heartbeat::rest();
  drive::Options loop;
  loop.rate_hz = given.file.rate, loop.duration = o.duration, loop.watchdog = o.watchdog;
  loop.recorder = recorder ? &*recorder : nullptr;
  loop.go_on = [] { return !Interrupt::requested(); };
  loop.realtime = o.usual_scheduling ? drive::RealtimeOptions{0, false, -1}
                                     : drive::RealtimeOptions{.core = o.core};
  const drive::Summary summary = [&] {
    PublishedLaw published(law, driven.remote());
    return run(rig, published, supervisor, loop, driven.clock());
  }();
  const mpc::Payload payload = law.controller().payload();
  console.show(
      [&] {
        return merged(
            {{{"robot", given.about}, {"address", given.file.address}, {"scale", o.scale}},
             {{"notes", motion.notes},
              {"tracking_rms", law.tracking_rms()},
              {"largest_error", law.largest_error()},
              {"payload", payload.known() ? Json(payload.mass) : Json()}},
             {{"summary", summary_json(summary)}, {"traffic", driven.traffic()}}});
      },
      [&] {
        std::string text = summary.report();
        text +=
            fmt::format("followed within {} mrad rms, {} at most\n",
                        figure(1e3 * law.tracking_rms(), 3), figure(1e3 * law.largest_error(), 3));
        if (payload.known())
          text += fmt::format("carries {} ± {} kg that the model does not have\n",
                              figure(payload.mass, 3), figure(payload.deviation, 2));
        return text + fmt::format("faults of packets: {}\n", driven.faults());
      });
  if (recorder && !recorder->error().empty()) {
    console.complain(fmt::format("{}: {}", o.record, recorder->error()));
    return failure;
  }
  return summary.is_fine() ? success : findings;
}

int run_drive(const DriveOptions& o, Console& console) {
  require_others({o.out, o.record}, {o.robot.name, o.motion});
  require_writable({o.out, o.record}, o.force);
  GivenRig given = given_rig(o, console);
  const rig::Wiring wiring = wiring_of(given.file, given.model, o.robot.name);
  const Interrupt interrupt;
  Driven driven(console, o, given, wiring);
  if (!given.file.sensors_given) given.file.sensors = driven.sensors();
  return o.checks ? check(o, given, driven, console) : follow(o, given, driven, console);
}

}  // namespace

Action drive(Parser& app, Console& console) {
  auto o = std::make_shared<DriveOptions>();
  o->robot.add_to(app, "RIG.yaml|ROBOT", "a file that `ulna drive --checks -o` wrote, or a robot");
  app.add_value("--address", o->address, "ADDRESS",
                "unix:PATH, shm:/NAME, udp:127.0.0.1:PORT, dds:KEY=VALUE,... (ROS 2), or sim:ulna, "
                "sim:mujoco: simulated here");
  app.add_flag("--checks", o->checks,
               "first contact: look, push each joint a little, compare with the model");
  app.add_value("--goal", o->goal, "X,X,...", "go there, or NAME=VALUE,...: other joints stay");
  app.add_value("--motion", o->motion, "FILE", "follow a table (t, q1, ..., qd1, ...)");
  app.add_value(
      "--identify", o->identify, "S",
      "follow a motion that excites the robot's parameters, of so many seconds",
      number_that("is not from 2 to 600 s", [](double x) { return x >= 2.0 && x <= 600.0; }));
  app.add_value("--hold", o->hold, "S", "stay where it is for so many seconds", above_zero);
  app.add_value("--scale", o->scale, "F", "of the speed limits: 0.3",
                number_that("is not a share above 0 and up to 1",
                            [](double x) { return x > 0.0 && x <= 1.0; }));
  app.add_value(
      "--rate", o->rate, "HZ", "of control: 1000 Hz, or that of the file",
      number_that("is not from 50 to 10000 Hz", [](double x) { return x >= 50.0 && x <= 1e4; }));
  app.add_value("--steps", o->steps, "N", "of the controller's horizon, 20 ms each: 15",
                whole_number(2, 200));
  app.add_flag("--no-identify", o->no_identify,
               "keep the model as it is, and observe what it does not explain");
  app.add_value("--duration", o->duration, "S", "at most", above_zero);
  app.add_value("--wait", o->wait, "S", "for the robot to answer: 5 s", above_zero);
  app.add_value("--watchdog", o->watchdog, "S", "without a step after which the run ends: 0.1 s",
                above_zero);
  app.add_value("--core", o->core, "N", "processor core to run on", whole_number(0, 1023));
  app.add_flag("--usual-scheduling", o->usual_scheduling,
               "ask the system for nothing: no SCHED_FIFO, no locked memory");
  app.add_flag("--live", o->live, "show the robot in the browser meanwhile");
  app.add_value("--port", o->port, "N", "of --live: one that is free", whole_number(0, 65535));
  app.add_output("--record", o->record,
                 "write what was measured and sent (CSV), for `ulna identify`");
  app.add_output("-o,--out", o->out, "with --checks, write a rig.yaml with what was found");
  app.add_force(o->force);
  return [o, &app, &console]() -> int {
    const int tasks = o->checks + !o->goal.empty() + !o->motion.empty() + o->identify.has_value() +
                      o->hold.has_value();
    if (tasks != 1)
      throw UsageError("give one of --checks, --goal, --motion, --identify and --hold");
    if (!o->checks && !o->out.empty()) throw UsageError("--out has no effect without --checks");
    for (const char* option :
         {"--record", "--scale", "--steps", "--no-identify", "--duration", "--watchdog"})
      if (o->checks && app.count(option))
        throw UsageError("{} has no effect with --checks", option);
    if (!o->live && app.count("--port")) throw UsageError("--port has no effect without --live");
    return run_drive(*o, console);
  };
}

}  // namespace ulna::cli
