#include "simulate_scene.hpp"

#include <filesystem>
#include <sstream>

#include "../plot/charts.hpp"
#include "scene_drives.hpp"
#include "scene_picture.hpp"
#include "simulate_changes.hpp"
#include "ulna/world/scene_rules.hpp"

namespace ulna::cli {
namespace {

/// Energy error of the method as a share of the energy exchanged: more is a finding.
constexpr double tolerable_in_scenes = 0.05;

/// The log as it grows, and the samples to be drawn.
class SceneLog {
 public:
  SceneLog(const BuiltScene& built, const Scene& scene, const SceneOptions& o)
      : every_(std::max(1L, static_cast<long>(o.duration / o.period / 600.0))),
        plots_(!o.plot.empty()) {
    names_.push_back("t");
    for (std::size_t i = 0; i < scene.robots.size(); ++i) {
      objects_.push_back(built.robots[i]);
      const auto& [name, model] = std::tie(scene.robots[i].name, scene.robots[i].model);
      // the columns of one robot are called as those of a robot alone, which other verbs read
      const std::string of = scene.robots.size() == 1 ? "" : name + ".";
      add(of, model.configuration_names(), "q_");
      for (const char* quantity : {"qd_", "qdd_", "tau_"})
        add(of, model.velocity_names(), quantity);
      std::vector<std::string> elastic;
      for (const int c : model.drives().elastic) elastic.push_back(model.velocity_names()[c]);
      for (const char* of_drives : {"theta_", "thetad_", "tau_link_"}) add(of, elastic, of_drives);
      elastic_.push_back(model.drives().elastic);
      add(name + ".", {"fx", "fy", "fz"}, "");
    }
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
      objects_.push_back(built.bodies[i]);
      const std::string of = scene.bodies[i].body.name + ".";
      add(of, {"qw", "qx", "qy", "qz", "x", "y", "z"}, "");
      add(of, {"wx", "wy", "wz", "vx", "vy", "vz"}, "");
      add(of, {"fx", "fy", "fz"}, "");
    }
    if (o.out.empty()) return;
    require_loggable(o.duration, o.period, names_.size());
    writer_.emplace(text_, names_);
  }
  /// A sample. Accelerations are those of the step after it, which moved() is called after; without one, of the last.
  void add(const World& world) {
    if (writer_) {
      write();
      row_.assign(1, world.time());
      begin_ = world.time();
      velocities_.clear();
      const auto append = [&](const auto& x) { row_.insert(row_.end(), x.begin(), x.end()); };
      accelerations_.resize(objects_.size());
      for (std::size_t i = 0; i < objects_.size(); ++i) {
        const int object = objects_[i];
        append(world.q(object)), append(world.v(object));
        velocities_.push_back(world.v(object));
        if (world.is_robot(object)) {
          Acceleration& a = accelerations_[i];
          a.at = row_.size();
          if (a.value.size() == 0) a.value.setZero(world.v(object).size());
          append(a.value), append(world.torque(object));
          if (const std::vector<int>& elastic = elastic_[i]; !elastic.empty()) {
            append(Eigen::VectorXd(world.theta(object)(elastic)));
            append(Eigen::VectorXd(world.omega(object)(elastic)));
            append(Eigen::VectorXd(world.link_torque(object)(elastic)));
          }
        }
        append(world.contact_wrench(object).force);
      }
    }
    if (plots_ && count_ % every_ == 0) {
      time.push_back(world.time()), energy.push_back(world.energy());
      height.resize(objects_.size()), force.resize(objects_.size());
      for (std::size_t i = 0; i < objects_.size(); ++i) {
        height[i].push_back(
            world.pose(objects_[i], world.is_robot(objects_[i]) ? 1 : 0).translation().z());
        force[i].push_back(world.contact_wrench(objects_[i]).force.norm());
      }
    }
    ++count_;
  }
  void moved(const World& world) {
    if (!writer_ || !(world.time() > begin_)) return;
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      if (!world.is_robot(objects_[i])) continue;
      Acceleration& a = accelerations_[i];
      a.value = (world.v(objects_[i]) - velocities_[i]) / (world.time() - begin_);
      std::ranges::copy(a.value, row_.begin() + static_cast<std::ptrdiff_t>(a.at));
    }
    write();
  }
  std::string text() {
    write();
    writer_->flush();
    return text_.str();
  }
  std::string drawing(const World& world, const std::string& title) const {
    std::vector<plot::Panel> panels{{"energy, J", {energy}}};
    for (std::size_t i = 0; i < objects_.size() && i < most_drawn; ++i) {
      panels.push_back({visible(world.name(objects_[i])) + ": height, m", {height[i]}});
      panels.push_back({visible(world.name(objects_[i])) + ": contact force, N", {force[i]}});
    }
    const std::string part = left_out();
    return plot::panel_plot(title + " in motion",
                            "over time in s" + (part.empty() ? "" : "; " + part), time, {}, panels);
  }
  /// What the drawing does not have, in words; empty: it is complete.
  std::string left_out() const {
    if (objects_.size() <= most_drawn) return "";
    return fmt::format("the first {} of {} objects that move", most_drawn, objects_.size());
  }
  long count() const { return count_; }

  std::vector<double> time, energy;
  std::vector<std::vector<double>> height, force;

 private:
  static constexpr std::size_t most_drawn = 12;

  /// Names that stand twice get a number: robots and bodies may share theirs.
  void add(const std::string& of, const std::vector<std::string>& parts, const char* before) {
    for (const std::string& part : parts) {
      std::string name = of + before + part;
      for (int n = 2; std::ranges::find(names_, name) != names_.end(); ++n)
        name = fmt::format("{}#{}.{}{}", of.substr(0, of.size() - 1), n, before, part);
      names_.push_back(name);
    }
  }
  /// Writes the row that waits for its accelerations.
  void write() {
    if (!row_.empty()) writer_->write(row_);
    row_.clear();
  }

  /// Of a robot, and where in the row it stands.
  struct Acceleration {
    Eigen::VectorXd value{};
    std::size_t at = 0;
  };

  std::vector<int> objects_;
  std::vector<std::vector<int>> elastic_;  ///< coordinates of each robot
  std::vector<std::string> names_;
  std::vector<double> row_;  ///< that is not yet written
  std::vector<Eigen::VectorXd> velocities_;
  std::vector<Acceleration> accelerations_;
  double begin_ = 0.0;  ///< time of the row
  std::ostringstream text_;
  std::optional<CsvWriter> writer_;
  long every_, count_ = 0;
  bool plots_;
};

struct SceneResult {
  WorldStatus status = WorldStatus::moved;
  double before = 0.0, after = 0.0, error = 0.0, share = 0.0;
  bool interrupted = false;
};

SceneResult simulate_scene(World& world, SceneDrives& drives, const SceneOptions& o, SceneLog& log,
                           Console& console) {
  SceneResult r;
  r.before = world.energy();
  double kinetic = 0.0;
  const double step = o.adaptive ? o.period : world.options().step;
  const long steps = std::max(1L, std::lround(o.duration / step));
  const long each = std::max(1L, std::lround(o.period / step));
  const Interrupt interrupt;
  Progress progress(console.err, static_cast<std::size_t>(steps));
  for (long i = 0; i < steps; ++i) {
    if (i % each == 0) {
      drives.act(world);
      log.add(world);
      kinetic = std::max(kinetic, world.kinetic_energy());
      if (Interrupt::requested()) {
        r.interrupted = true;
        break;
      }
      if (log.count() % 256 == 0)
        progress.at(static_cast<std::size_t>(i),
                    fmt::format("{:.1f} of {:g} s", world.time(), o.duration));
    }
    r.status = o.adaptive ? world.advance(step, *o.adaptive) : world.step();
    if (r.status != WorldStatus::moved) break;
    if (i % each == 0) log.moved(world);
  }
  if (r.status == WorldStatus::moved && !r.interrupted) log.add(world);
  const WorldWork& w = world.work();
  r.after = world.energy();
  r.error = r.after - r.before - w.balance();
  const double turned =
      std::max({std::abs(w.torques), std::abs(w.friction), std::abs(w.impacts), std::abs(w.damping),
                std::abs(r.after - r.before), kinetic, 1e-9 * std::abs(r.after), 1e-12});
  r.share = std::abs(r.error) / turned;
  return r;
}

/// The contacts of the last step by pairs of objects.
struct PairForce {
  int first, second, points = 0;
  double normal = 0.0, tangent = 0.0, gap = infinity;
};
std::vector<PairForce> pair_forces(const World& world) {
  std::vector<PairForce> pairs;
  for (const WorldContact& c : world.contacts()) {
    const double n = c.force.dot(c.normal);
    if (n == 0.0) continue;
    auto pair = std::ranges::find_if(
        pairs, [&](const PairForce& p) { return p.first == c.first && p.second == c.second; });
    if (pair == pairs.end()) pair = pairs.insert(pairs.end(), {c.first, c.second});
    ++pair->points;
    pair->normal += n, pair->tangent += (c.force - n * c.normal).norm();
    pair->gap = std::min(pair->gap, c.gap);
  }
  return pairs;
}

std::string text_of_scene(const World& world, const Scene& scene, const SceneResult& r,
                          const SceneOptions& o, const Stream& out) {
  const std::string steps =
      o.adaptive ? fmt::format("adaptive steps to {:g} between {}", o.adaptive->relative,
                               counted(static_cast<std::size_t>(world.report().events), "event"))
                 : fmt::format("steps of {:g} s", world.options().step);
  std::string text =
      fmt::format("{}: {} s in {}, {}\n\n", visible(scene.name), figure(world.time(), 6), steps,
                  counted(static_cast<std::size_t>(world.object_count()), "object"));
  Table objects(1, {"object", ">x [m]", ">y [m]", ">z [m]", ">speed [m/s]", ">contact force [N]"});
  for (int i = 0; i < world.object_count(); ++i) {
    if (world.is_fixed(i)) continue;
    const int body = world.is_robot(i) ? 1 : 0;
    const Vec3<double> p = world.pose(i, body).translation();
    objects.row({visible(world.name(i)), fixed(p.x(), 4), fixed(p.y(), 4), fixed(p.z(), 4),
                 fixed(world.velocity(i, body).linear.norm(), 4),
                 fixed(world.contact_wrench(i).force.norm(), 3)});
  }
  text += objects.str(out);
  Table pairs(2, {"touches", "what", ">points", ">normal [N]", ">friction [N]", ">gap [um]"});
  const std::vector<PairForce> touching = pair_forces(world);
  for (const PairForce& p : touching)
    pairs.row({visible(world.name(p.first)), visible(world.name(p.second)),
               std::to_string(p.points), fixed(p.normal, 3), fixed(p.tangent, 3),
               fixed(1e6 * p.gap, 3)});
  if (!touching.empty()) text += "\n" + pairs.str(out);
  const WorldWork& w = world.work();
  Table energy(1, {"energy", "> [J]"});
  for (const auto& [name, x, always] : {std::tuple{"at the beginning", r.before, true},
                                        {"work of torques", w.torques, false},
                                        {"lost in damping", w.damping, false},
                                        {"lost in dry friction of joints", w.joint_friction, false},
                                        {"lost at stops", w.stops, false},
                                        {"work in loops", w.loops, false},
                                        {"lost in impacts", w.impacts, true},
                                        {"lost in contact", w.contact, true},
                                        {"lost in friction", w.friction, true},
                                        {"brought by moving apart", w.correction, false},
                                        {"at the end", r.after, true}})
    if (always || x != 0.0) energy.row({name, fixed(x, 6)});
  text += "\n" + energy.str(out);
  const WorldReport& report = world.report();
  text += fmt::format("energy error {} J, {} of the energy exchanged\n", figure(r.error, 3),
                      figure(r.share, 3));
  text += fmt::format("Coulomb's law kept to {} m/s; deepest overlap {} m; {}\n",
                      figure(report.worst_residual, 3), figure(report.deepest, 3),
                      counted(static_cast<std::size_t>(report.steps), "step"));
  if (report.unconverged > 0)
    text += fmt::format("note: in {} the law is missed by more than {:g} m/s\n",
                        counted(static_cast<std::size_t>(report.unconverged), "step"),
                        world.options().cones.tolerance);
  return text;
}

/// The state of the robot, if there is one: other verbs read it.
Json state_json(const World& world, const BuiltScene& built, const Scene& scene,
                const SceneOptions& o) {
  if (scene.robots.size() != 1) return Json::object();
  const Model& model = scene.robots[0].model;
  Json robot = o.robot;
  if (robot.empty())
    robot = {{"name", model.name()}, {"source", model.description().file}, {"dof", model.nv()}};
  return {{"robot", robot},
          {"joints", model.velocity_names()},
          {"coordinates", model.configuration_names()},
          {"q", world.q(built.robots[0])},
          {"qd", world.v(built.robots[0])}};
}

Json json_of_scene(const BuiltScene& built, const Scene& scene, const SceneResult& r,
                   const SceneLog& log, const SceneOptions& o, const Diagnostics& diagnostics) {
  const World& world = built.world;
  Json objects = Json::array(), contacts = Json::array();
  for (int i = 0; i < world.object_count(); ++i)
    objects.push_back({{"name", world.name(i)},
                       {"kind", world.is_robot(i)   ? "robot"
                                : world.is_fixed(i) ? "fixed"
                                                    : "body"},
                       {"q", world.q(i)},
                       {"qd", world.v(i)},
                       {"contact_force", Eigen::VectorXd(world.contact_wrench(i).force)}});
  for (const WorldContact& c : world.contacts())
    contacts.push_back({{"first", world.name(c.first)},
                        {"second", world.name(c.second)},
                        {"position", Eigen::VectorXd(c.position)},
                        {"normal", Eigen::VectorXd(c.normal)},
                        {"gap", c.gap},
                        {"force", Eigen::VectorXd(c.force)}});
  return merged(
      {{{"scene", scene.name}, {"file", scene.file}},
       state_json(world, built, scene, o),
       {{"step", world.options().step},
        {"period", o.period},
        {"status", r.interrupted ? "stopped" : to_string(r.status)},
        {"time", world.time()},
        {"samples", log.count()},
        {"objects", objects},
        {"contacts", contacts}},
       {{"energy", merged({{{"initial", r.before}, {"final", r.after}},
                           ULNA_FIELDS(world.work(), torques, wrenches, damping, joint_friction,
                                       stops, loops, impacts, contact, friction, correction),
                           {{"error", r.error}, {"error_share", r.share}}})}},
       {{"solver", ULNA_FIELDS(world.report(), worst_residual, unconverged, deepest, events)},
        {"out", o.out},
        {"plot", o.plot},
        {"picture", o.picture},
        {"diagnostics", to_json(diagnostics)}}});
}

}  // namespace

std::optional<Scene> scene_in(RobotArgument& argument, Diagnostics& diagnostics) {
  argument.read_standard_input();
  std::optional<std::string> text = argument.text;
  std::error_code none;
  if (!text && std::filesystem::is_regular_file(argument.name, none))
    text = InputFile(argument.name).text(argument.options.max_bytes);
  if (!text || !is_scene(*text)) return {};
  return import_scene(*text, argument.source(), diagnostics);
}

void refuse_without_contact(const Parser& app, bool adaptive) {
  for (const char* option : {"--follow", "--target", "--payload", "--friction-scale", "--vary",
                             "--noise-q", "--noise-qd", "--noise-tau", "--quantum", "--delay",
                             "--dropout", "--differences", "--seed", "--no-limits", "--open-loops"})
    if (app.count(option)) throw UsageError("{} has no effect where bodies touch", option);
  for (const char* option : {"--integrator", "--tolerance"})
    if (app.count(option) && !adaptive)
      throw UsageError("{} has no effect where bodies touch, but for --integrator adaptive",
                       option);
}

void refuse_with_scene(const Parser& app) {
  for (const char* option :
       {"STATE", "--ground", "--friction", "--torque", "--q", "--qd", "--gravity", "--no-friction",
        "--arg", "--package", "--floating-base", "--independent-mimics", "--strict"})
    if (app.count(option))
      throw UsageError("{} has no effect with a scene, which has robots of its own", option);
}

Scene robot_on_ground(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                      const std::string& torque, double friction, double step) {
  Scene scene;
  scene.name = model.name();
  scene.options.step = step;
  scene.options.gravity = model.gravity();
  scene.fixed.push_back({"ground", Plane{}, {}, {.friction = friction}});
  scene.robots.push_back({model.name(), model, q, v, {.material = {.friction = friction}}, torque});
  const bool floats = model.joint_count() > 0 && model.joint(1).type == JointType::floating;
  if (floats && q.segment<7>(model.joint(1).q) == neutral(model).segment<7>(model.joint(1).q)) {
    Diagnostics ignored;
    BuiltScene built = build_scene(scene, ignored);
    const double clearance = built.world.clearance(built.robots[0]);
    if (std::isfinite(clearance)) scene.robots[0].q(model.joint(1).q + 6) -= clearance;
  }
  return scene;
}

int run_scene(SceneOptions o, Scene scene, Diagnostics diagnostics, Console& console) {
  const bool to_stdout = o.out == "-";
  if (to_stdout && console.json())
    throw UsageError("--json and --out - cannot both go to standard output");
  require_others({o.out, o.plot, o.picture}, {scene.file});
  require_writable({o.out, o.plot, o.picture}, o.force);
  o.period = std::min(o.period, o.duration);
  if (scene.options.step > o.period && !o.adaptive)
    console.complain(fmt::format("steps are shortened from {:g} s to --period, {:g} s",
                                 scene.options.step, o.period),
                     Style::yellow);
  scene.options.step = o.period / std::ceil(o.period / scene.options.step - 1e-9);
  if (const double steps = o.duration / scene.options.step,
      last = std::abs(steps - std::round(steps));
      last > 1e-6 * steps && last * scene.options.step > 0.01 * o.duration)
    console.complain(
        fmt::format("steps of {:g} s end at {:g} s, not at {:g} s: no step is shortened",
                    scene.options.step, scene.options.step * std::round(steps), o.duration),
        Style::yellow);
  require_reasonable_duration(o.duration, scene.options.step);
  BuiltScene built = build_scene(scene, diagnostics);
  if (!o.joint_friction)
    for (const int robot : built.robots) built.world.plant(robot).remove_friction();
  for (const Diagnostic& d : diagnostics.list())
    if (d.severity != Severity::note || d.rule->name == "mass-ratio")
      console.complain(d.str(), Style::yellow);
  if (const std::string refused = built.world.refused_by_adaptive(); o.adaptive && !refused.empty())
    throw UsageError("--integrator adaptive: {}; leave it out, or change the scene", refused);
  if (o.adaptive && !has_adaptive())
    throw UsageError("--integrator adaptive: this ulna was built without SUNDIALS; leave it out");
  SceneDrives drives(scene, built, o.bandwidth, o.period);
  SceneLog log(built, scene, o);
  const SceneResult r = simulate_scene(built.world, drives, o, log, console);
  ResultFiles files(console, o.force);
  if (!o.plot.empty() && log.time.size() > 1) {
    files.write(o.plot, log.drawing(built.world, visible(scene.name)));
    if (const std::string part = log.left_out(); !part.empty())
      console.complain(fmt::format("--plot: {} shows {}; --out has all", o.plot, part),
                       Style::yellow);
  }
  if (!o.picture.empty()) files.write(o.picture, scene_picture(built.world, visible(scene.name)));
  if (!o.out.empty()) files.write(o.out, log.text());
  const std::string why = fmt::format(
      "the simulation ends at {} s: {}; {}", figure(built.world.time(), 6), to_string(r.status),
      o.adaptive ? "leave out --integrator adaptive" : "a shorter --step may do");
  if (!to_stdout)
    console.show(
        [&] {
          Json fields = merged({files.json(), json_of_scene(built, scene, r, log, o, diagnostics)});
          if (r.status != WorldStatus::moved) fields["error"] = why;
          return fields;
        },
        [&] { return text_of_scene(built.world, scene, r, o, console.out); });
  if (r.interrupted) {
    console.complain(fmt::format("stopped at {} s", figure(built.world.time(), 6)));
    return files.finish(findings);
  }
  if (r.status != WorldStatus::moved) {
    console.complain(why);
    return files.finish(failure);
  }
  if (r.share <= tolerable_in_scenes) return files.finish(success);
  const bool overlap = diagnostics.find(scene_rules::bodies_overlap);
  console.complain(fmt::format("the energy error is {:.1f} % of the energy exchanged: {}",
                               100.0 * r.share,
                               overlap ? "move apart what is inside each other at the beginning"
                               : o.adaptive ? "take a smaller --tolerance"
                                            : "take a shorter --step"));
  return files.finish(findings);
}

}  // namespace ulna::cli
