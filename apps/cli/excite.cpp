#include "ulna/identify/excite/excite.hpp"

#include <sstream>

#include "../plot/charts.hpp"
#include "states.hpp"
#include "ulna/identify/excite/spring_excitation.hpp"
#include "ulna/model/edit.hpp"

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
  SpringExcitationOptions springs;
  bool armature = false, no_armature = false, no_collision = false, force = false;
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
  if (o.armature && o.no_armature)
    throw UsageError("--armature and --no-armature exclude each other");
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

/// What is to be moved: the robot as the search for the slow motion has it, whose joints are rigid, and with springs as it is.
struct Moved {
  TorqueModel rigid;
  Eigen::VectorXd z;  ///< of the rigid one, with what it carries
  std::optional<TorqueModel> elastic = {};

  const Model& model() const { return rigid.model(); }
};

/// The motion that was found.
struct Found {
  ExciteResult slow;
  std::optional<SpringExcitation> springs = {};
};

/// The motion as it goes into files.
DrivenSamples sample(const Moved& moved, const Found& found, double rate) {
  const Eigen::VectorXd t = found.slow.motion.times(rate);
  if (found.springs)
    return drive_along(Plant<double>(moved.elastic->model()), found.springs->motion, t);
  DrivenSamples s{t};
  const ExcitingMotion& motion = found.slow.motion;
  s.q = motion.at(t, 0), s.v = motion.at(t, 1), s.a = motion.at(t, 2);
  // a joint at rest has no direction, in which friction would act
  const double rounding = 1e-12 * s.v.cwiseAbs().maxCoeff();
  s.v = s.v.unaryExpr([&](double v) { return std::abs(v) < rounding ? 0.0 : v; });
  const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(s.v.rows(), s.v.cols());
  s.tau = moved.rigid.torques(moved.z, s.q, s.v, s.a, moved.rigid.features_of(s.v, s.a, none));
  return s;
}

std::string csv(const Moved& moved, const DrivenSamples& s) {
  std::vector<std::string> names = table_names(moved.model(), {"q", "qd", "qdd", "tau"});
  const std::vector<int> springs =
      moved.elastic ? moved.elastic->model().drives().elastic : std::vector<int>();
  for (const char* of_motors : {"theta_", "thetad_"})
    for (const int c : springs) names.push_back(of_motors + moved.model().velocity_names()[c]);
  std::ostringstream text;
  CsvWriter writer(text, names);
  std::vector<double> row(names.size());
  Eigen::Map<Eigen::VectorXd> all(row.data(), Eigen::Index(row.size()));
  auto motors = all.tail(2 * std::ssize(springs)), links = all.head(all.size() - motors.size());
  for (Eigen::Index k = 0; k < s.t.size(); ++k) {
    links << s.t(k), s.q.col(k), s.v.col(k), s.a.col(k), s.tau.col(k);
    if (!springs.empty()) motors << s.theta.col(k)(springs), s.omega.col(k)(springs);
    writer.write(row);
  }
  writer.flush();
  return text.str();
}

/// A panel per joint: what it uses of its limits over time.
std::string drawn(const Moved& moved, const Found& found, const ExciteArguments& o) {
  const Model& robot = moved.model();
  const ExciteResult& r = found.slow;
  const ExcitationLimits limits = excitation_limits(robot, 1.0);
  const DrivenSamples s = sample(moved, found, 600.0 / r.motion.duration());
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

/// What the sines of an elastic joint are, and how well its spring will be known.
struct SpringRow {
  int joint;
  double link_hz, from, to, size, motor_use, spring_use;
  double stiffness = 0.0, damping = 0.0, rotor = 0.0;  ///< deviations, relative
};
using SpringTable = std::vector<SpringRow>;

SpringTable spring_table(const Found& found, const Moved& moved) {
  SpringTable table;
  if (!found.springs) return table;
  const SpringExcitation& s = *found.springs;
  const FastSines& fast = s.motion.fast;
  const std::vector<DriveUnknown>& drives = moved.elastic->drives();
  for (const int c : moved.elastic->model().drives().elastic) {
    SpringRow row{c,
                  s.link_hz(c),
                  fast.hz.row(c).minCoeff(),
                  fast.hz.row(c).maxCoeff(),
                  fast.size.row(c).sum(),
                  s.motor_use(c),
                  s.spring_use(c)};
    for (std::size_t k = 0; k < drives.size(); ++k) {
      if (drives[k].at != c) continue;
      using Kind = DriveUnknown::Kind;
      double* const number = drives[k].kind == Kind::stiffness ? &row.stiffness
                             : drives[k].kind == Kind::damping ? &row.damping
                             : drives[k].kind == Kind::rotor   ? &row.rotor
                                                               : nullptr;
      if (number) *number = s.deviation(Eigen::Index(k));
    }
    table.push_back(row);
  }
  return table;
}

std::string text_of(const Found& found, const SpringTable& springs, const Model& robot,
                    const Stream& stream) {
  if (springs.empty()) return "";
  Table table(1, {"spring", ">link alone [Hz]", ">sines [Hz]", ">size [mrad]", ">motor [%]",
                  ">spring [%]", ">stiffness ± [%]", ">damping ± [%]", ">rotor ± [%]"});
  const auto percent = [](double x) { return std::isfinite(x) ? figure(100.0 * x, 2) : "-"; };
  for (const SpringRow& row : springs)
    table.row({robot.velocity_names()[row.joint], fmt::format("{:.1f}", row.link_hz),
               fmt::format("{:.1f} to {:.1f}", row.from, row.to),
               fmt::format("{:.2f}", 1e3 * row.size), share(row.motor_use), share(row.spring_use),
               percent(row.stiffness), percent(row.damping), percent(row.rotor)});
  return fmt::format("\n{}identify with --filter {:g}\n", table.str(stream),
                     found.springs->filter_hz);
}

Json json_of(const Found& found, const SpringTable& springs, const ExciteArguments& o,
             const Model& robot) {
  if (springs.empty()) return {{"springs", nullptr}};
  const std::vector<std::string> names = robot.velocity_names();
  Json joints = Json::array();
  for (const SpringRow& row : springs)
    joints.push_back(merged({{{"name", names[row.joint]}, {"link_frequency", row.link_hz}},
                             ULNA_FIELDS(row, from, to, size, motor_use, spring_use),
                             {{"stiffness_deviation", row.stiffness},
                              {"damping_deviation", row.damping},
                              {"rotor_deviation", row.rotor}}}));
  return {{"springs",
           {{"cut_off", found.springs->filter_hz},
            {"torque_sensors", o.springs.sensors.torque_sensors},
            {"joints", joints}}}};
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

/// The robot as it is described, and what it carries.
Moved moved_robot(const ExciteArguments& o, const Model& model, std::vector<Feature> features) {
  const bool elastic = !model.drives().elastic.empty();
  const auto with_payload = [&](const TorqueModel& torques) {
    return o.payload.empty() ? model : torques.identified(numbers_of(torques, o.payload));
  };
  std::optional<TorqueModel> driven;
  if (elastic) {
    const Model loaded = with_payload(TorqueModel(model, features));
    driven.emplace(loaded, features, drive_unknowns(loaded, features, o.springs.sensors));
    // rotors take their share of the effort of the slow motion, too
    if (!std::ranges::count(features, Feature::armature)) features.push_back(Feature::armature);
  }
  TorqueModel rigid(elastic ? with_plain_drives(model) : model, std::move(features));
  Eigen::VectorXd z = numbers_of(rigid, o.payload);
  return {std::move(rigid), std::move(z), std::move(driven)};
}

/// What is said of failures names options of this verb.
std::string in_options(const std::string& text, const ExciteArguments& o) {
  return replaced(text, {{"ExciteOptions::capsules", o.no_collision ? "--radius, --floor"
                                                     : o.floor ? "--radius, --floor, --no-collision"
                                                               : "--radius, --no-collision"},
                         {", or take a lighter payload (ExciteOptions::parameters)",
                          o.payload.empty() ? "" : ", or take a lighter --payload"},
                         {"a lighter payload (ExciteOptions::parameters)", "a lighter --payload"},
                         {"ExciteOptions::share", "--limits"},
                         {"ExciteOptions::reserve", "--fast"},
                         {"ExciteOptions::acceleration", "--acceleration"},
                         {"ExciteOptions::duration", "--duration"}});
}

Found find_motion(ExciteArguments& o, const Moved& moved, Console& console) {
  const Interrupt interrupt;
  Progress progress(console.err, std::size_t(o.how.iterations) * o.how.starts);
  o.how.progress = [&](int start, int iteration, double best) {
    progress.at(std::size_t(start) * o.how.iterations + iteration,
                fmt::format("start {} of {}, log det {:.1f}", start + 1, o.how.starts, best));
    return !Interrupt::requested();
  };
  if (!o.payload.empty()) o.how.parameters = moved.z;
  if (moved.elastic) o.how.rest = 4, o.how.reserve = o.springs.fast_share;
  o.springs.share = o.how.share, o.springs.seed = o.how.seed;
  try {
    Found found{identify::excite(moved.rigid, o.how)};
    if (moved.elastic) found.springs = excite_springs(*moved.elastic, found.slow.motion, o.springs);
    return found;
  } catch (const std::runtime_error& e) {
    throw Failure("{}", in_options(e.what(), o));
  }
}

/// Joints whose springs the motion will hardly show.
void remark_on_springs(const SpringTable& springs, const Model& robot, Console& console) {
  constexpr double enough = 0.2;
  std::vector<std::string> hidden;
  for (const SpringRow& row : springs)
    if (!(row.stiffness < enough)) hidden.push_back(robot.velocity_names()[row.joint]);
  if (!hidden.empty())
    console.complain(
        fmt::format("the motion hardly shows the stiffness of {}: let more act on these springs "
                    "(--payload, "
                    "--fast, --fastest), or measure their torques (--torque-sensors) or the "
                    "positions of the links",
                    fmt::join(hidden, ", ")),
        Style::yellow);
}

int excite_robot(ExciteArguments o, const Parser& app, Console& console) {
  complete(o, app);
  const bool to_stdout = o.out == "-";
  if (to_stdout && console.json())
    throw UsageError("--json and --out - cannot both go to standard output");
  const std::vector<Feature> features = features_of(o);
  o.robot.read_standard_input();
  o.robot.drives = Drives::coupled_motors;
  Imported imported = o.robot.load();
  if (imported.model.drives().elastic.empty()) {
    for (const char* option : {"--fast", "--fastest", "--torque-sensors"})
      if (app.count(option))
        throw UsageError("{} has no effect: '{}' has no springs", option, imported.model.name());
    o.robot.drives = Drives::none;
    imported = o.robot.load();
  }
  if (imported.model.joint_count() == 0)
    throw std::invalid_argument(
        fmt::format("robot '{}' has no joint that moves", imported.model.name()));
  const auto rotors = o.armature      ? std::optional(true)
                      : o.no_armature ? std::optional(false)
                                      : std::nullopt;
  const Moved moved = moved_robot(o, imported.model, with_rotors(features, imported.model, rotors));
  const Model& robot = moved.model();
  require_writable({o.out, o.plot}, o.force);
  require_distances(o, app, robot);
  const Found found = find_motion(o, moved, console);
  const ExciteResult& result = found.slow;
  const SpringTable springs = spring_table(found, moved);
  mention_warnings(console, o.robot, imported.diagnostics);
  remark_on_springs(springs, robot, console);
  ResultFiles files(console, o.force);
  if (!o.plot.empty()) files.write(o.plot, drawn(moved, found, o));
  if (!o.out.empty()) files.write(o.out, csv(moved, sample(moved, found, o.rate)));
  if (!to_stdout)
    console.show(
        [&] {
          return merged(
              {json_of(result, o, robot), json_of(found, springs, o, robot), files.json()});
        },
        [&] {
          return text_of(result, o, robot, console.out) +
                 text_of(found, springs, robot, console.out);
        });
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
  } else if (constexpr double poor = 1e4; result.excitation.condition > poor) {
    console.complain(
        fmt::format("with a condition number of {:.2g}, some base parameters hardly show: a longer "
                    "--duration may do, or more --starts and --iterations",
                    result.excitation.condition),
        Style::yellow);
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
  app.add_flag("--armature", o->armature,
               "identify rotors too; so it is where the robot has rotors");
  app.add_flag("--no-armature", o->no_armature, "identify no rotors");
  app.add_flag("--torque-sensors", o->springs.sensors.torque_sensors,
               "with springs: logs will have their torques");
  app.add_value("--fast", o->springs.fast_share, "F",
                "with springs: share of efforts for fast sines: 0.15",
                number_that("is not a share above 0 and below 1",
                            [](double x) { return x > 0.0 && x < 1.0; }));
  app.add_value(
      "--fastest", o->springs.fastest_hz, "HZ", "of these sines: 15 Hz",
      number_that("is not from 2 to 200 Hz", [](double x) { return x >= 2.0 && x <= 200.0; }));
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
