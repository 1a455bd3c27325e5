#include "ulna/identify/excite/excite.hpp"

#include <sstream>

#include "../plot/charts.hpp"
#include "states.hpp"
#include "ulna/identify/drives/drive_estimate.hpp"

namespace ulna::cli {
namespace {

using namespace identify;

struct ExciteArguments {
  RobotArgument robot;
  ExciteOptions how;
  double rate = 1000.0;
  std::string kind = "fourier", friction = "viscous,coulomb,offset", payload, out, plot;
  double distance = 0.01;
  std::optional<double> floor;
  bool armature = false, no_collision = false, force = false;
};

constexpr double longest_motion = 600.0;  // s
constexpr double most_rows = 1e6;

/// What follows from the options; throws UsageError.
void complete(ExciteArguments& o, const Parser& app) {
  if (app.count("--rate") && o.out.empty()) throw UsageError("--rate has no effect without --out");
  for (const char* option : {"--radius", "--distance"})
    if (o.no_collision && !o.floor && app.count(option))
      throw UsageError("{} has no effect with --no-collision", option);
  if (o.how.duration > longest_motion)
    throw UsageError("--duration: at most {:g} s", longest_motion);
  if (o.how.duration * o.rate > most_rows)
    throw UsageError("--rate: {:g} s at {:g} Hz are more than {:g} rows", o.how.duration, o.rate,
                     most_rows);
  const auto kind = motion_kind_from_string(o.kind);
  if (!kind) throw UsageError("--kind: {}", unknown_word(o.kind, {"fourier", "bspline"}));
  o.how.kind = *kind;
  o.how.capsules.distance = o.no_collision ? std::nullopt : std::optional(o.distance);
  o.how.capsules.floor = o.floor;
}

std::vector<Feature> features_of(const ExciteArguments& o) {
  Friction friction;
  try {
    friction = friction_from_string(o.friction);
    require_compatible(friction.features);
  } catch (const std::invalid_argument& e) {
    throw UsageError("--friction: {}", e.what());
  }
  if (friction.stribeck || std::ranges::count(friction.features, Feature::load) > 0)
    throw UsageError("--friction: motions are designed for neither stribeck nor load");
  if (o.armature) friction.features.push_back(Feature::armature);
  return friction.features;
}

/// The robot's numbers with what it carries in the frame of its last link.
Eigen::VectorXd numbers_of(const TorqueModel& model, const std::string& payload) {
  Eigen::VectorXd z = model.nominal();
  if (!payload.empty())
    z.segment<10>(model.inertial_size() - 10) +=
        ball(numbers(payload, "--payload"), ": 2,0,0,0.1").parameters();
  return z;
}

/// The motion as it goes into files.
struct Samples {
  Eigen::VectorXd t;
  Eigen::MatrixXd q, v, a, tau;
};
Samples sample(const TorqueModel& model, const Eigen::VectorXd& z, const ExcitingMotion& motion,
               double rate) {
  Samples s;
  s.t = motion.times(rate);
  s.q = motion.at(s.t, 0), s.v = motion.at(s.t, 1), s.a = motion.at(s.t, 2);
  s.tau = model.torques(z, s.q, s.v, s.a,
                        model.features_of(s.v, s.a, Eigen::MatrixXd::Zero(s.v.rows(), s.v.cols())));
  return s;
}

std::string csv(const Model& model, const Samples& s) {
  const std::vector<std::string> names = table_names(model, {"q", "qd", "qdd", "tau"});
  std::ostringstream text;
  CsvWriter writer(text, names);
  std::vector<double> row(names.size());
  for (Eigen::Index k = 0; k < s.t.size(); ++k) {
    Eigen::Map<Eigen::VectorXd>(row.data(), Eigen::Index(row.size())) << s.t(k), s.q.col(k),
        s.v.col(k), s.a.col(k), s.tau.col(k);
    writer.write(row);
  }
  writer.flush();
  return text.str();
}

/// A panel per joint: what it uses of its limits over time.
std::string drawn(const TorqueModel& model, const ExciteResult& r, const ExciteArguments& o,
                  const Eigen::VectorXd& z) {
  const Model& robot = model.model();
  const ExcitationLimits limits = excitation_limits(robot, 1.0);
  const Samples s = sample(model, z, r.motion, 600.0 / r.motion.duration());
  const std::vector<std::string> names = robot.velocity_names();
  std::vector<plot::Panel> panels;
  for (int i = 0; i < robot.nv(); ++i) {
    const double middle = 0.5 * (limits.lower(i) + limits.upper(i)),
                 half = 0.5 * (limits.upper(i) - limits.lower(i));
    const double effort = std::isfinite(limits.effort(i))
                              ? limits.effort(i)
                              : std::max(1e-300, s.tau.row(i).cwiseAbs().maxCoeff());
    const auto line = [&](const Eigen::MatrixXd& x, double from, double size) {
      std::vector<double> y;
      for (Eigen::Index k = 0; k < x.cols(); ++k) y.push_back(100.0 * (x(i, k) - from) / size);
      return y;
    };
    panels.push_back(
        {names[i],
         {line(s.q, middle, half), line(s.v, 0.0, limits.velocity(i)), line(s.tau, 0.0, effort)}});
  }
  return plot::panel_plot(fmt::format("Exciting motion for {}", robot.name()),
                          fmt::format("percent of each joint's limits over time in s; {}, log det "
                                      "{:.1f}, condition {:.3g}, seed {}",
                                      o.kind, r.log_det, r.excitation.condition, o.how.seed),
                          {s.t.begin(), s.t.end()}, {"position", "velocity", "torque"}, panels);
}

std::string share(double x) { return std::isnan(x) ? "-" : fmt::format("{:.0f}", 100.0 * x); }

std::string text_of(const ExciteResult& r, const ExciteArguments& o, const Model& robot,
                    const Stream& stream) {
  std::string text = fmt::format("{}: {} s, {} ({} harmonics), {} of {} base parameters excited\n",
                                 visible(robot.name()), figure(r.motion.duration()), o.kind,
                                 r.motion.basis.harmonics(), r.excitation.rank, r.base_parameters);
  const double condition = r.excitation.condition;
  text += fmt::format("log det {:.1f} (random motions {:.1f}), condition number {}\n", r.log_det,
                      r.log_det_start, std::isfinite(condition) ? figure(condition, 3) : "-");
  const std::string seeds = fmt::format("{}", fmt::join(r.seeds, ", "));
  text += excite_has_solver()
              ? fmt::format("{} after {}, seeds {}\n", to_string(r.status),
                            counted(std::size_t(r.iterations), "iteration"), seeds)
              : fmt::format(
                    "by random search, seeds {}: this ulna was built without Ipopt, with which "
                    "motions show more\n",
                    seeds);
  if (r.pairs > 0)
    text += hanging("", 0,
                    fmt::format("{} watched, capsules of {} m: at least {:.1f} mm between {}",
                                counted(r.pairs, "pair"), figure(r.radius, 3), 1000.0 * r.distance,
                                visible(r.nearest)),
                    stream.width());
  Table table(1, {"joint", ">position [%]", ">velocity [%]", ">torque [%]", ">acceleration [/s²]"});
  const std::vector<std::string> names = robot.velocity_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    table.row({names[i], share(r.position_use(i)), share(r.velocity_use(i)), share(r.effort_use(i)),
               fmt::format("{:.1f}", r.acceleration(i))});
  text += "\n" + table.str(stream);
  for (const std::string& note : r.notes)
    text += hanging("note: ", 6, visible(note), stream.width() - 6);
  std::vector<std::string> level, meeting;
  for (const std::string& pair : r.pairs_ignored)
    (pair.ends_with("the floor") ? level : meeting).push_back(pair);
  for (const auto& [pairs, why] :
       {std::pair{meeting, "capsules of this radius nearly always meet there"},
        {level, "no joint changes the height over the floor"}})
    if (!pairs.empty())
      text += hanging("note: ", 6,
                      fmt::format("not watched, as {}: {}", why,
                                  visible(fmt::format("{}", fmt::join(pairs, ", ")))),
                      stream.width() - 6);
  return text;
}

Json json_of(const ExciteResult& r, const ExciteArguments& o, const Model& robot) {
  const std::vector<std::string> names = robot.velocity_names();
  Json joints = Json::array();
  for (std::size_t i = 0; i < names.size(); ++i)
    joints.push_back({{"name", names[i]},
                      {"position_use", r.position_use(i)},
                      {"velocity_use", r.velocity_use(i)},
                      {"torque_use", r.effort_use(i)},
                      {"acceleration", r.acceleration(i)}});
  return merged({{{"robot", o.robot.json(robot)},
                  {"kind", o.kind},
                  {"duration", r.motion.duration()},
                  {"harmonics", r.motion.basis.harmonics()},
                  {"limits", o.how.share},
                  {"solver", excite_has_solver() ? "ipopt" : "random search"},
                  {"status", to_string(r.status)}},
                 ULNA_FIELDS(r, seeds, iterations, log_det, log_det_start),
                 ULNA_FIELDS(r.excitation, condition, rank),
                 {{"base_parameters", r.base_parameters},
                  {"joints", joints},
                  {"collision", merged({ULNA_FIELDS(r, radius, pairs, distance, nearest),
                                        {{"ignored", r.pairs_ignored}}})},
                  {"coefficients", r.motion.coefficients},
                  {"notes", r.notes}}});
}

/// Refuses a distance or a radius that links cannot keep though they keep the usual ones: such pairs are not
/// watched, and the motion would not be what was asked for.
void require_distances(const ExciteArguments& o, const Parser& app, const Model& robot) {
  const char* option = app.count("--distance") ? "--distance" : "--radius";
  if (o.no_collision || !app.count(option)) return;
  const ExciteArguments usual;
  Capsules::Options usually = usual.how.capsules;
  usually.distance = usual.distance;
  const std::vector<std::string> excused = Capsules(robot, usually).ignored();
  for (const std::string& pair : Capsules(robot, o.how.capsules).ignored())
    if (!pair.ends_with("the floor") && !std::ranges::count(excused, pair))
      throw UsageError("{}: {} are nearer in nearly all configurations; take less", option, pair);
}

/// Of a robot with springs, in how fast a motion they show, and how fast this one is.
void remark_on_springs(const Model& robot, const ExciteResult& result, Console& console) {
  if (robot.drives().elastic.empty()) return;
  const Eigen::VectorXd hz = link_frequencies(robot);
  Eigen::Index joint = 0;
  const double fastest = result.motion.basis.harmonics() / result.motion.duration();
  (void)hz.minCoeff(&joint);
  console.complain(
      fmt::format(
          "the motion has up to {:.2g} Hz; springs show in motion from a quarter of what "
          "their links vibrate at on, {:.3g} Hz of joint '{}' and more of others: add small "
          "sines there, or measure positions of the links",
          fastest, hz(joint), robot.velocity_names()[std::size_t(joint)]),
      Style::yellow);
}

int excite_robot(ExciteArguments o, const Parser& app, Console& console) {
  complete(o, app);
  const bool to_stdout = o.out == "-";
  if (to_stdout && console.json())
    throw UsageError("--json and --out - cannot both go to standard output");
  const std::vector<Feature> features = features_of(o);
  o.robot.read_standard_input();
  o.robot.knows_drives = true;
  const Model driven = o.robot.load().model;
  o.robot.knows_drives = false;
  const Imported imported = o.robot.load();
  const Model& robot = imported.model;
  const TorqueModel model(robot, features);
  if (robot.joint_count() == 0)
    throw std::invalid_argument(fmt::format("robot '{}' has no joint that moves", robot.name()));
  const Eigen::VectorXd z = numbers_of(model, o.payload);
  if (!o.payload.empty()) o.how.parameters = z;
  require_writable({o.out, o.plot}, o.force);
  require_distances(o, app, robot);

  ExciteResult result = [&] {
    const Interrupt interrupt;
    Progress progress(console.err, std::size_t(o.how.iterations) * o.how.starts);
    o.how.progress = [&](int start, int iteration, double best) {
      progress.at(std::size_t(start) * o.how.iterations + iteration,
                  fmt::format("start {} of {}, log det {:.1f}", start + 1, o.how.starts, best));
      return !Interrupt::requested();
    };
    try {
      return identify::excite(model, o.how);
    } catch (const std::runtime_error& e) {
      throw Failure(
          "{}",
          replaced(e.what(),
                   {{"ExciteOptions::capsules", o.no_collision ? "--radius, --floor"
                                                : o.floor      ? "--radius, --floor, --no-collision"
                                                               : "--radius, --no-collision"},
                    {", or take a lighter payload (ExciteOptions::parameters)",
                     o.payload.empty() ? "" : ", or take a lighter --payload"},
                    {"a lighter payload (ExciteOptions::parameters)", "a lighter --payload"},
                    {"ExciteOptions::share", "--limits"},
                    {"ExciteOptions::acceleration", "--acceleration"},
                    {"ExciteOptions::duration", "--duration"}}));
    }
  }();
  mention_warnings(console, o.robot, imported.diagnostics);
  remark_on_springs(driven, result, console);
  ResultFiles files(console, o.force);
  if (!o.plot.empty()) files.write(o.plot, drawn(model, result, o, z));
  if (!o.out.empty()) files.write(o.out, csv(robot, sample(model, z, result.motion, o.rate)));
  if (!to_stdout)
    console.show(
        [&] {
          return merged({json_of(result, o, robot), files.json()});
        },
        [&] { return text_of(result, o, robot, console.out); });
  Status status = success;
  if (result.status == ExciteStatus::stopped) {
    console.complain("stopped: the motion is the best that was found so far");
    status = findings;
  }
  if (result.excitation.rank < result.base_parameters) {
    console.complain(fmt::format(
        "the motion excites {} of {} base parameters, so the others cannot be identified from it: "
        "a longer --duration may do, or more --starts and --iterations",
        result.excitation.rank, result.base_parameters));
    status = findings;
  }
  return files.finish(status);
}

}  // namespace

Action excite(Parser& app, Console& console) {
  auto o = std::make_shared<ExciteArguments>();
  o->robot.add_to(app);
  o->robot.add_gravity_to(app);
  app.add_value("--duration", o->how.duration, "S", "of the motion: 20 s", above_zero);
  app.add_value("--rate", o->rate, "HZ", "of the table: 1000 Hz", above_zero);
  app.add_value("--kind", o->kind, "KIND", "fourier (periodic) or bspline");
  app.add_value("--harmonics", o->how.harmonics, "N", "how many; up to 0.5 Hz if not given",
                whole_number(2, MotionBasis::max_harmonics));
  app.add_value("--limits", o->how.share, "F", "share of the limits to use: 0.9",
                number_that("is not a share above 0 and up to 1",
                            [](double x) { return x > 0.0 && x <= 1.0; }));
  app.add_value("--acceleration", o->how.acceleration, "A", "limit for all joints, rad/s² or m/s²",
                above_zero);
  app.add_value("--friction", o->friction, "LIST", "to identify: viscous,coulomb,offset; none");
  app.add_flag("--armature", o->armature, "identify rotors too");
  app.add_value("--payload", o->payload, "M,X,Y,Z",
                "kg, and where in the last link's frame: 2,0,0,0.1");
  app.add_value("--radius", o->how.capsules.radius, "R", "of the capsules about links, m",
                number_that("is not a length above 0, up to 1000 m",
                            [](double x) { return x > 0.0 && x <= 1e3; }));
  app.add_value("--distance", o->distance, "D", "between links at least: 0.01 m",
                number_that("is not a length from 0 to 1000 m",
                            [](double x) { return x >= 0.0 && x <= 1e3; }));
  app.add_value("--floor", o->floor, "Z", "height that no link goes below, m",
                number_that("is not a height from -1000 to 1000 m",
                            [](double x) { return std::abs(x) <= 1e3; }));
  app.add_flag("--no-collision", o->no_collision, "let links meet");
  app.add_value("--seed", o->how.seed, "N", "of the first start: 1", seed_number);
  app.add_value("--starts", o->how.starts, "N", "random motions to improve on: 3",
                whole_number(1, 1000));
  app.add_value("--iterations", o->how.iterations, "N", "from each start at most: 100",
                whole_number(0, 1e6));
  app.add_value("--seconds", o->how.seconds, "S", "in all at most: 120", above_zero);
  app.add_output("-o,--out", o->out, "write t, q, qd, qdd, tau as CSV; - for stdout", true);
  app.add_output("--plot", o->plot, "draw the use of limits over time (SVG)");
  app.add_force(o->force);
  return [o, &app, &console]() -> int { return excite_robot(*o, app, console); };
}

}  // namespace ulna::cli
