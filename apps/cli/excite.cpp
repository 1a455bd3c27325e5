#include "ulna/identify/excite/excite.hpp"

#include <fmt/format.h>

#include <sstream>

#include "../plot/charts.hpp"
#include "option_names.hpp"
#include "output_file.hpp"
#include "robot_argument.hpp"
#include "states.hpp"
#include "table.hpp"
#include "text.hpp"
#include "verb.hpp"

namespace ulna::cli {
namespace {

using namespace identify;

struct Arguments {
  RobotArgument robot;
  ExciteOptions how;
  double rate = 1000.0;
  std::string kind = "fourier", friction = "viscous,coulomb,offset", payload, out, plot;
  double distance = 0.01;
  std::optional<double> floor;
  bool armature = false, no_collision = false, force = false;
};

constexpr double longest = 600.0;  // s
constexpr double most_rows = 1e6;

/// What the options say, in range; throws UsageError.
void check(Arguments& o) {
  const auto positive = [](const char* name, double x) {
    if (!(x > 0.0) || !std::isfinite(x))
      throw UsageError(fmt::format("{}: {:g} is not above 0", name, x));
  };
  positive("--duration", o.how.duration), positive("--rate", o.rate);
  positive("--seconds", o.how.seconds);
  if (o.how.duration > longest)
    throw UsageError(fmt::format("--duration: at most {:g} s", longest));
  if (o.how.duration * o.rate > most_rows)
    throw UsageError(fmt::format("--rate: {:g} s at {:g} Hz are more than {:g} rows",
                                 o.how.duration, o.rate, most_rows));
  if (!(o.how.share > 0.0) || !(o.how.share <= 1.0))
    throw UsageError(fmt::format("--limits: {:g} is no share above 0 and up to 1", o.how.share));
  if (o.how.harmonics != 0 && (o.how.harmonics < 2 || o.how.harmonics > MotionBasis::max_harmonics))
    throw UsageError(fmt::format("--harmonics: {} is not from 2 to {}", o.how.harmonics,
                                 MotionBasis::max_harmonics));
  if (o.how.starts < 1 || o.how.starts > 1000)
    throw UsageError(fmt::format("--starts: {} is not from 1 to 1000", o.how.starts));
  if (o.how.iterations < 0) throw UsageError("--iterations: from 0 on");
  for (const auto& [name, x] : {std::pair{"--acceleration", o.how.acceleration},
                                {"--radius", o.how.capsules.radius},
                                {"--distance", o.distance}})
    if (!(x >= 0.0) || !std::isfinite(x))
      throw UsageError(fmt::format("{}: {:g} is not 0 or more", name, x));
  const auto kind = motion_kind_from_string(o.kind);
  if (!kind) throw UsageError(fmt::format("--kind: '{}' is neither fourier nor bspline", o.kind));
  o.how.kind = *kind;
  o.how.capsules.distance = o.no_collision ? std::nullopt : std::optional<double>(o.distance);
  o.how.capsules.floor = o.floor;
}

std::vector<Feature> features_of(const Arguments& o) {
  Friction friction;
  try {
    friction = friction_from_string(o.friction);
  } catch (const std::invalid_argument& e) {
    throw UsageError(fmt::format("--friction: {}", e.what()));
  }
  if (friction.stribeck || std::ranges::count(friction.features, Feature::load) > 0)
    throw UsageError("--friction: motions are designed for neither stribeck nor load");
  if (o.armature) friction.features.push_back(Feature::armature);
  return friction.features;
}

/// The robot's numbers with what it carries: a ball of 10 cm at a place in the frame of its last link.
Eigen::VectorXd numbers_of(const TorqueModel& model, const std::string& payload) {
  Eigen::VectorXd z = model.nominal();
  if (payload.empty()) return z;
  std::vector<double> p = numbers(payload, "--payload");
  if (p.size() == 1) p.resize(4, 0.0);
  if (p.size() != 4 || !(p[0] > 0.0))
    throw UsageError("--payload: give a mass above 0 in kg, or a mass and a place: 2,0,0,0.1");
  z.segment<10>(model.inertial_size() - 10) +=
      Inertia<double>::about_com(p[0], {p[1], p[2], p[3]},
                                 0.4 * p[0] * 0.05 * 0.05 * Mat3<double>::Identity())
          .parameters();
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
  std::vector<std::string> names{"t"};
  for (const char* quantity : {"q", "qd", "qdd", "tau"})
    for (const std::string& name : trajectory_names(model, quantity)) names.push_back(name);
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
std::string drawn(const TorqueModel& model, const ExciteResult& r, const Arguments& o,
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

// --- output -----------------------------------------------------------------------------------------

std::string percent(double x) { return std::isnan(x) ? "-" : fmt::format("{:.0f}", 100.0 * x); }

std::string text_of(const ExciteResult& r, const Arguments& o, const Model& robot,
                    const Stream& stream) {
  std::string text = fmt::format("{}: {} s, {} ({} harmonics), {} of {} base parameters excited\n",
                                 visible(robot.name()), figure(r.motion.duration()), o.kind,
                                 r.motion.basis.harmonics(), r.excitation.rank, r.base_parameters);
  text += fmt::format("log det {:.1f} (random motions {:.1f}), condition number {}\n", r.log_det,
                      r.log_det_start, figure(r.excitation.condition, 3));
  std::string seeds;
  for (const std::uint64_t seed : r.seeds)
    seeds += fmt::format("{}{}", seeds.empty() ? "" : ", ", seed);
  text += excite_has_solver()
              ? fmt::format("{} after {} iterations, seeds {}\n", to_string(r.status), r.iterations,
                            seeds)
              : fmt::format(
                    "by random search, seeds {}: this ulna was built without Ipopt, with which "
                    "motions show more\n",
                    seeds);
  if (r.pairs > 0)
    text += fmt::format("{} pairs watched, capsules of {} m: at least {:.1f} mm between {}\n",
                        r.pairs, figure(r.radius, 3), 1000.0 * r.distance, visible(r.nearest));
  text += "\n";
  Table table(1);
  table.column({"joint", "", false, 0});
  table.column({"position", "%", true});
  table.column({"velocity", "%", true});
  table.column({"torque", "%", true});
  table.column({"acceleration", "/s²", true});
  const std::vector<std::string> names = robot.velocity_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    table.row({names[i], percent(r.position_use(i)), percent(r.velocity_use(i)),
               percent(r.effort_use(i)), fmt::format("{:.1f}", r.acceleration(i))});
  }
  text += table.str(stream);
  for (const std::string& note : r.notes) text += "note: " + visible(note) + "\n";
  if (!r.pairs_ignored.empty()) {
    std::string list;
    for (const std::string& pair : r.pairs_ignored) list += (list.empty() ? "" : ", ") + pair;
    for (const std::string& line : wrap("note: not watched, as capsules of this radius nearly "
                                        "always meet there or keep their height: " +
                                            visible(list),
                                        stream.width()))
      text += line + "\n";
  }
  return text;
}

Json json_of(Console& console, const ExciteResult& r, const Arguments& o, const Model& robot) {
  Json j = console.document();
  j["robot"] = {{"name", robot.name()}, {"source", o.robot.source()}, {"dof", robot.nv()}};
  j["kind"] = o.kind;
  j["duration"] = r.motion.duration();
  j["harmonics"] = r.motion.basis.harmonics();
  j["limits"] = o.how.share;
  j["solver"] = excite_has_solver() ? "ipopt" : "random search";
  j["status"] = to_string(r.status);
  j["seeds"] = r.seeds;
  j["iterations"] = r.iterations;
  j["log_det"] = r.log_det;
  j["log_det_start"] = r.log_det_start;
  j["condition"] = r.excitation.condition;
  j["rank"] = r.excitation.rank;
  j["base_parameters"] = r.base_parameters;
  const std::vector<std::string> names = robot.velocity_names();
  j["joints"] = Json::array();
  for (std::size_t i = 0; i < names.size(); ++i) {
    j["joints"].push_back({{"name", names[i]},
                           {"position_use", r.position_use(i)},
                           {"velocity_use", r.velocity_use(i)},
                           {"torque_use", r.effort_use(i)},
                           {"acceleration", r.acceleration(i)}});
  }
  j["collision"] = {{"radius", r.radius},
                    {"pairs", r.pairs},
                    {"distance", r.distance},
                    {"nearest", r.nearest},
                    {"ignored", r.pairs_ignored}};
  j["coefficients"] = to_json(r.motion.coefficients);
  j["notes"] = r.notes;
  return j;
}

int excite_robot(Arguments o, Console& console) {
  check(o);
  const bool to_stdout = o.out == "-";
  if (to_stdout && console.json()) throw UsageError("--json and --out - both want standard output");
  const std::vector<Feature> features = features_of(o);
  const Imported imported = o.robot.load();
  const Model& robot = imported.model;
  const TorqueModel model(robot, features);
  if (robot.joint_count() == 0)
    throw std::invalid_argument(fmt::format("robot '{}' has no joint that moves", robot.name()));
  const Eigen::VectorXd z = numbers_of(model, o.payload);
  o.how.parameters = z;
  if (!o.out.empty() && !to_stdout) refuse_overwriting(o.out, o.force);
  if (!o.plot.empty()) refuse_overwriting(o.plot, o.force);

  ExciteResult result = [&] {
    const auto each = std::size_t(o.how.iterations);
    Progress progress(console.err, each * std::size_t(o.how.starts));
    o.how.progress = [&](int start, int iteration, double best) {
      progress.at(std::size_t(start) * each + std::size_t(iteration),
                  fmt::format("start {} of {}, log det {:.1f}", start + 1, o.how.starts, best));
    };
    try {
      return identify::excite(model, o.how);
    } catch (const std::runtime_error& e) {
      throw std::runtime_error(
          with_flags(e.what(), {{"ExciteOptions::capsules", "--radius, --no-collision"},
                                {"ExciteOptions::share", "--limits"}}));
    }
  }();
  mention_warnings(console, o.robot, imported.diagnostics);
  if (!o.plot.empty()) write_file(o.plot, drawn(model, result, o, z), o.force);
  if (!o.out.empty()) {
    const std::string table = csv(robot, sample(model, z, result.motion, o.rate));
    if (to_stdout) {
      console.out.print(table);
      return success;
    }
    write_file(o.out, table, o.force);
  }
  if (console.json())
    console.print(json_of(console, result, o, robot));
  else
    console.out.print(text_of(result, o, robot, console.out));
  return success;
}

}  // namespace

Action excite(CLI::App& app, Console& console) {
  auto o = std::make_shared<Arguments>();
  o->robot.add_to(app);
  app.add_option("--duration", o->how.duration, "of the motion: 20 s")->option_text("S");
  app.add_option("--rate", o->rate, "of the table: 1000 Hz")->option_text("HZ");
  app.add_option("--kind", o->kind, "fourier (periodic) or bspline")->option_text("KIND");
  app.add_option("--harmonics", o->how.harmonics, "how many; up to 0.5 Hz if not given")
      ->option_text("N");
  app.add_option("--limits", o->how.share, "share of the limits to use: 0.9")->option_text("F");
  app.add_option("--acceleration", o->how.acceleration, "limit for all joints, rad/s² or m/s²")
      ->option_text("A");
  app.add_option("--friction", o->friction, "to identify: viscous,coulomb,offset; none")
      ->option_text("LIST");
  app.add_flag("--armature", o->armature, "identify rotors too");
  app.add_option("--payload", o->payload, "kg, and where in the last link's frame: 2,0,0,0.1")
      ->option_text("M,X,Y,Z");
  app.add_option("--radius", o->how.capsules.radius, "of the capsules about links, m")
      ->option_text("R");
  app.add_option("--distance", o->distance, "between links at least: 0.01 m")->option_text("D");
  app.add_option("--floor", o->floor, "height that no link goes below, m")->option_text("Z");
  app.add_flag("--no-collision", o->no_collision, "let links meet");
  app.add_option("--seed", o->how.seed, "of the first start: 1")->option_text("N");
  app.add_option("--starts", o->how.starts, "random motions to improve on: 3")->option_text("N");
  app.add_option("--iterations", o->how.iterations, "from each start at most: 100")
      ->option_text("N");
  app.add_option("--seconds", o->how.seconds, "in all at most: 120")->option_text("S");
  app.add_option("-o,--out", o->out, "write t, q, qd, qdd, tau as CSV; - for stdout")
      ->option_text("FILE");
  app.add_option("--plot", o->plot, "draw the use of limits over time (SVG)")->option_text("FILE");
  app.add_flag("-f,--force", o->force, "overwrite files");
  app.footer(
      "  ulna excite panda -o motion.csv --plot motion.svg\n"
      "  ulna excite arm.urdf --duration 10 --limits 0.5 --floor 0 -o slow.csv\n"
      "  ulna excite panda --kind bspline --payload 2,0,0,0.1 --json\n");
  return [o, &console]() -> int { return excite_robot(*o, console); };
}

}  // namespace ulna::cli
