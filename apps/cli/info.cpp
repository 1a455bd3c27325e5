#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "report.hpp"
#include "robot_argument.hpp"
#include "table.hpp"
#include "text.hpp"
#include "ulna/spatial/consistency.hpp"
#include "verb.hpp"

namespace ulna::cli {
namespace {

using Verdict = Consistency::Verdict;

struct Options {
  RobotArgument robot;
  bool frames = false;
};

/// The description of the joint that moves each body; nullptr for the base.
std::vector<const JointDescription*> joints_by_body(const Model& model) {
  std::vector<const JointDescription*> list(static_cast<std::size_t>(model.body_count()), nullptr);
  for (const JointDescription& j : model.description().joints)
    if (const auto body = model.find_joint(j.name)) list[static_cast<std::size_t>(*body)] = &j;
  return list;
}

bool is_floating(const Model& model) {
  return model.joint_count() > 0 && model.joint(1).type == JointType::floating &&
         model.joint(1).parent == 0;
}

double moving_mass(const Model& model) { return total_mass(Plant<double>(model)); }

// --- as text ---

/// Units of a quantity that is one thing for turning joints and another for sliding ones.
std::string unit_of(const Model& model, std::string turning, const std::string& sliding) {
  const auto joints = model.joints().subspan(1);
  const auto count = std::count_if(joints.begin(), joints.end(),
                                   [](const Joint& j) { return j.type == JointType::prismatic; });
  if (count == 0) return turning;
  return count < std::ssize(joints) ? turning + "|" + sliding : sliding;
}

std::string head(const Stream& out, const Options& options, const Model& model) {
  const std::string base(model.body_name(0));
  const std::size_t bodies = static_cast<std::size_t>(model.joint_count());
  const Vec3<double>& g = model.gravity();
  std::vector<std::pair<std::string, std::string>> lines{
      {"source", options.robot.source()},
      {"base", is_floating(model) ? fmt::format("{}, floating in {}", model.body_name(1), base)
                                  : base + ", fixed"},
      {"links", fmt::format("{} ({} moving {})", model.description().links.size(), bodies,
                            bodies == 1 ? "body" : "bodies")},
      {"mass", fmt::format("{} kg moving", figure(moving_mass(model)))},
      {"gravity", fmt::format("{} {} {} m/s{}", figure(g.x()), figure(g.y()), figure(g.z()),
                              out.either("²", "^2"))}};
  if (const double mass = model.inertias()[0].mass(); mass != 0.0)
    lines[3].second += fmt::format(", {} kg in the base", figure(mass));
  if (const std::size_t loops = model.description().loops.size())
    lines.emplace_back("loops", counted(loops, "joint") + " beyond the tree");
  std::string text =
      fmt::format("{}: {} {} of freedom\n\n", out.paint(Style::bold, visible(model.name())),
                  model.nv(), model.nv() == 1 ? "degree" : "degrees");
  for (const auto& [key, value] : lines)
    text += out.paint(Style::dim, fmt::format("{:<8}", key)) + " " + visible(value) + "\n";
  return text;
}

/// A column that is shown only if some joint has a value there.
struct Extra {
  Column column;
  std::vector<std::string> cells;  ///< by body
};

std::vector<Extra> extras(const Stream& out, const Model& model,
                          const std::vector<const JointDescription*>& given) {
  std::vector<Extra> list;
  const auto add = [&](Column column, auto value) {
    std::vector<double> values;
    for (std::size_t b = 1; b < given.size(); ++b) values.push_back(value(*given[b]));
    if (std::all_of(values.begin(), values.end(), [](double x) { return x == 0.0; })) return;
    const Figures figures(values, 5e-4);
    Extra extra{std::move(column), {""}};
    for (const double x : values) extra.cells.push_back(figures(x, out));
    list.push_back(std::move(extra));
  };
  const std::string force = unit_of(model, "Nm", "N");
  add({"pitch", "m/rad", true}, [](const auto& j) { return j.pitch; });
  add({"damping", unit_of(model, "Nms", "Ns/m"), true},
      [](const auto& j) { return j.dynamics.damping; });
  const bool two_sided = std::any_of(given.begin() + 1, given.end(), [](const JointDescription* j) {
    return j->dynamics.friction != j->dynamics.friction_negative;
  });
  add({two_sided ? "friction+" : "friction", force, true},
      [](const auto& j) { return j.dynamics.friction; });
  if (two_sided)
    add({"friction-", force, true}, [](const auto& j) { return j.dynamics.friction_negative; });
  add({"armature", unit_of(model, std::string(out.either("kg m²", "kg m^2")), "kg"), true},
      [](const auto& j) { return j.dynamics.armature; });
  Extra mimic{{"mimics", ""}, {""}};
  for (std::size_t b = 1; b < given.size(); ++b)
    mimic.cells.push_back(given[b]->mimic ? to_text(out, *given[b]->mimic) : "");
  if (std::any_of(mimic.cells.begin(), mimic.cells.end(), [](const auto& c) { return !c.empty(); }))
    list.push_back(std::move(mimic));
  return list;
}

std::string joints_text(const Stream& out, const Model& model) {
  const auto given = joints_by_body(model);
  std::vector<double> positions, velocities, efforts;
  for (std::size_t b = 1; b < given.size(); ++b) {
    const Limits& l = given[b]->limits;
    positions.insert(positions.end(), {l.lower, l.upper});
    velocities.push_back(l.velocity);
    efforts.push_back(l.effort);
  }
  const Figures position(positions, 2e-5, 2e-5), velocity(velocities, 5e-4), effort(efforts, 5e-4);
  const std::vector<Extra> more = extras(out, model, given);

  const std::string where = unit_of(model, "rad", "m");
  Table table(2, {{"#", "", true, 0},
                  {"joint"},
                  {"type"},
                  {"axis"},
                  {"lower", where, true},
                  {"upper", where, true},
                  {"velocity", unit_of(model, "rad/s", "m/s"), true},
                  {"effort", unit_of(model, "Nm", "N"), true}});
  for (const Extra& extra : more) table.column(extra.column);
  for (std::size_t b = 1; b < given.size(); ++b) {
    const JointDescription& j = *given[b];
    const bool single = velocity_size(j.type) == 1;
    std::vector<std::string> cells{std::to_string(b),
                                   j.name,
                                   std::string(to_string(j.type)),
                                   axis_text(j.axis, j.type),
                                   single ? position(j.limits.lower, out) : "",
                                   single ? position(j.limits.upper, out) : "",
                                   velocity(j.limits.velocity, out),
                                   effort(j.limits.effort, out)};
    for (const Extra& extra : more) cells.push_back(extra.cells[b]);
    table.row(std::move(cells));
  }
  return table.str(out);
}

/// Whether a real body can have this inertia.
std::string_view is_real(Verdict verdict) {
  return verdict == Verdict::consistent   ? "yes"
         : verdict == Verdict::massless   ? "-"
         : verdict == Verdict::degenerate ? "limit"
                                          : "no";
}

std::string bodies_text(const Stream& out, const Model& model) {
  std::vector<Consistency> found;
  std::vector<double> masses, coms, moments;
  for (const Inertia<double>& I : model.inertias()) {
    found.push_back(check_consistency(I));
    masses.push_back(I.mass());
    const Vec3<double> c = I.com(), &m = found.back().principal_moments;
    coms.insert(coms.end(), {c.x(), c.y(), c.z()});
    moments.insert(moments.end(), {m.x(), m.y(), m.z()});
  }
  masses.push_back(moving_mass(model));
  const Figures mass(masses, 5e-3, 1e-4), com(coms, 5e-3, 1e-3), moment(moments, 5e-2, 5e-5);
  const std::string kgm2(out.either("kg m²", "kgm^2"));

  Table table(2, {{"#", "", true, 0},
                  {"body"},
                  {"on", "", true},
                  {"mass", "kg", true},
                  {"com x", "m", true},
                  {"y", "m", true, 1},
                  {"z", "m", true, 1},
                  {"I1", kgm2, true},
                  {"I2", kgm2, true, 1},
                  {"I3", kgm2, true, 1},
                  {"real"}});
  std::string remarks;
  for (int b = 0; b < model.body_count(); ++b) {
    const Inertia<double>& I = model.inertias()[static_cast<std::size_t>(b)];
    const Consistency& c = found[static_cast<std::size_t>(b)];
    const Vec3<double> p = I.com(), &m = c.principal_moments;
    std::vector<std::string> cells{std::to_string(b), std::string(model.body_name(b)),
                                   b ? std::to_string(model.joint(b).parent) : ""};
    if (c.verdict != Verdict::massless)
      cells.insert(cells.end(),
                   {mass(I.mass(), out), com(p.x(), out), com(p.y(), out), com(p.z(), out),
                    moment(m.x(), out), moment(m.y(), out), moment(m.z(), out)});
    cells.resize(10);
    cells.emplace_back(is_real(c.verdict));
    table.row(std::move(cells), b == 0           ? Style::dim
                                : c.acceptable() ? Style::plain
                                                 : Style::yellow);
    if (c.verdict == Verdict::degenerate || !c.acceptable())
      for (const std::string& line :
           wrap(visible(model.body_name(b)) + ": " + c.explanation(), out.width()))
        remarks += line + "\n";
  }
  table.row({"", "moving", "", mass(masses.back(), out)}, Style::bold);
  return table.str(out) + (remarks.empty() ? "" : "\n" + remarks);
}

std::string frames_text(const Stream& out, const Model& model) {
  std::vector<double> positions, angles;
  std::vector<Pose> poses;
  for (const Frame& f : model.frames()) {
    const Pose& pose = poses.emplace_back(f.X_BF);
    positions.insert(positions.end(), pose.xyz.begin(), pose.xyz.end());
    angles.insert(angles.end(), pose.rpy.begin(), pose.rpy.end());
  }
  const Figures position(positions, 5e-4, 1e-4), angle(angles, 5e-4, 1e-4);
  Table table(1);
  table.column({"frame", "", false, 0});
  table.column({"on", "", true});
  for (const char* axis : {"x", "y", "z"}) table.column({axis, "m", true});
  for (const char* axis : {"roll", "pitch", "yaw"}) table.column({axis, "rad", true});
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Vec3<double>&p = poses[i].xyz, &a = poses[i].rpy;
    table.row({std::string(model.frames()[i].name), std::to_string(model.frames()[i].body),
               position(p.x(), out), position(p.y(), out), position(p.z(), out), angle(a.x(), out),
               angle(a.y(), out), angle(a.z(), out)});
  }
  return table.str(out);
}

// --- as JSON ---

std::string_view to_string(Verdict verdict) {
  static constexpr std::pair<Verdict, std::string_view> names[] = {
      {Verdict::consistent, "consistent"},
      {Verdict::massless, "massless"},
      {Verdict::degenerate, "degenerate"},
      {Verdict::not_finite, "not-finite"},
      {Verdict::mass_not_positive, "mass-not-positive"},
      {Verdict::not_positive, "not-positive"},
      {Verdict::triangle_inequality, "triangle-inequality"}};
  return std::find_if(std::begin(names), std::end(names),
                      [&](const auto& n) { return n.first == verdict; })
      ->second;
}

Json joints_json(const Model& model) {
  const auto given = joints_by_body(model);
  Json list = Json::array();
  for (int b = 1; b < model.body_count(); ++b) {
    const JointDescription& j = *given[static_cast<std::size_t>(b)];
    list.push_back({{"index", b},
                    {"name", j.name},
                    {"type", to_string(j.type)},
                    {"parent", j.parent},
                    {"child", j.child},
                    {"axis", has_axis(j.type) ? to_json(j.axis) : Json()},
                    {"pitch", j.type == JointType::helical ? Json(j.pitch) : Json()},
                    {"q", model.joint(b).q},
                    {"v", model.joint(b).v},
                    {"nq", j.mimic ? 0 : configuration_size(j.type)},
                    {"nv", j.mimic ? 0 : velocity_size(j.type)},
                    {"lower", finite_or_null(j.limits.lower)},
                    {"upper", finite_or_null(j.limits.upper)},
                    {"velocity", finite_or_null(j.limits.velocity)},
                    {"effort", finite_or_null(j.limits.effort)},
                    {"damping", j.dynamics.damping},
                    {"friction", j.dynamics.friction},
                    {"friction_negative", j.dynamics.friction_negative},
                    {"armature", j.dynamics.armature},
                    {"mimic", to_json(j.mimic)}});
  }
  return list;
}

Json bodies_json(const Model& model) {
  Json list = Json::array();
  for (int b = 0; b < model.body_count(); ++b) {
    const Inertia<double>& I = model.inertias()[static_cast<std::size_t>(b)];
    const Consistency c = check_consistency(I);
    const Mat3<double> about_com = I.rotational_about_com();
    list.push_back({{"index", b},
                    {"link", model.body_name(b)},
                    {"parent", b ? Json(model.joint(b).parent) : Json()},
                    {"mass", I.mass()},
                    {"com", to_json(I.com())},
                    {"inertia",
                     {{"ixx", about_com(0, 0)},
                      {"ixy", about_com(0, 1)},
                      {"ixz", about_com(0, 2)},
                      {"iyy", about_com(1, 1)},
                      {"iyz", about_com(1, 2)},
                      {"izz", about_com(2, 2)}}},
                    {"principal_moments", to_json(c.principal_moments)},
                    {"consistency",
                     {{"verdict", to_string(c.verdict)},
                      {"explanation", c.explanation()},
                      {"margin", c.margin}}}});
  }
  return list;
}

Json fill(Json document, const Options& options, const Imported& robot) {
  const Model& model = robot.model;
  document["robot"] = {
      {"name", model.name()},
      {"source", options.robot.source()},
      {"base", {{"link", model.body_name(0)}, {"floating", is_floating(model)}}},
      {"dof", model.nv()},
      {"nq", model.nq()},
      {"links", model.description().links.size()},
      {"bodies", model.joint_count()},
      {"gravity", to_json(model.gravity())},
      {"mass", {{"moving", moving_mass(model)}, {"base", model.inertias()[0].mass()}}}};
  document["joints"] = joints_json(model);
  document["bodies"] = bodies_json(model);
  document["frames"] = Json::array();
  for (const Frame& f : model.frames()) {
    const Pose pose(f.X_BF);
    document["frames"].push_back({{"name", f.name},
                                  {"body", f.body},
                                  {"xyz", to_json(pose.xyz)},
                                  {"rpy", to_json(pose.rpy)}});
  }
  document["loops"] = loops_json(model);
  document["diagnostics"] = to_json(robot.diagnostics);
  return document;
}

int show(const Options& options, Console& console) {
  const Imported robot = options.robot.load();
  if (console.json()) {
    console.print(fill(console.document(), options, robot));
    return success;
  }
  const Stream& out = console.out;
  std::string text = head(out, options, robot.model);
  if (robot.model.joint_count() > 0) text += "\n" + joints_text(out, robot.model);
  text += "\n" + bodies_text(out, robot.model);
  if (options.frames) text += "\n" + frames_text(out, robot.model);
  console.out.print(text);
  mention_warnings(console, options.robot, robot.diagnostics);
  return success;
}

}  // namespace

Action info(CLI::App& app, Console& console) {
  auto options = std::make_shared<Options>();
  options->robot.add_to(app);
  app.add_flag("--frames", options->frames, "show where links and named frames sit on the bodies");
  app.footer(
      "  ulna info panda                        an embedded robot\n"
      "  ulna info --floating-base legs.urdf    a robot that walks\n"
      "  ulna info --json arm.urdf | jq .robot  for programs\n");
  return [options, &console] { return show(*options, console); };
}

}  // namespace ulna::cli
