#include <algorithm>

#include "ulna/spatial/consistency.hpp"
#include "verb.hpp"

namespace ulna::cli {
namespace {

struct InfoOptions {
  RobotArgument robot;
  bool frames = false;
};

/// The descriptions of the joints that move bodies 1, 2, ...
std::vector<const JointDescription*> moving_joints(const Model& model) {
  std::vector<const JointDescription*> list(model.joint_count());
  for (const JointDescription& j : model.description().joints)
    if (const auto body = model.find_joint(j.name)) list[*body - 1] = &j;
  return list;
}

bool is_floating(const Model& model) {
  return model.joint_count() > 0 && model.joint(1).type == JointType::floating &&
         model.joint(1).parent == 0;
}

/// The degrees of freedom that are left when loops are closed; where they cannot be, why.
struct ClosedDof {
  std::optional<int> dof = {};
  std::string why_not = {};
};

ClosedDof closed_dof(const Model& model) {
  try {
    return {model.nv() - Loops(model, model.description().loops, neutral(model)).size()};
  } catch (const std::logic_error& e) {  // what Loops refuses
    return {{}, e.what()};
  }
}

double moving_mass(const Model& model) { return total_mass(Plant<double>(model)); }

/// " [rad|m]": the units of a quantity that is one thing for turning joints, another for sliding ones.
std::string unit_of(const Model& model, std::string_view turning, std::string_view sliding) {
  const auto joints = model.joints().subspan(1);
  const auto count =
      std::ranges::count_if(joints, [](const Joint& j) { return j.type == JointType::prismatic; });
  if (count == 0) return fmt::format(" [{}]", turning);
  return count < std::ssize(joints) ? fmt::format(" [{}|{}]", turning, sliding)
                                    : fmt::format(" [{}]", sliding);
}

std::string head(const Stream& out, const InfoOptions& options, const Model& model) {
  const std::string base(model.body_name(0));
  const std::size_t bodies = model.joint_count();
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
      fmt::format("{}: {} {} of freedom", out.paint(Style::bold, visible(model.name())), model.nv(),
                  model.nv() == 1 ? "degree" : "degrees");
  if (const std::size_t loops = model.description().loops.size()) {
    const ClosedDof closed = closed_dof(model);
    text += fmt::format(" in the tree, {} with its {} closed",
                        closed.dof ? std::to_string(*closed.dof) : "unknown",
                        loops == 1 ? "loop" : "loops");
    if (!closed.dof) text += "\n" + hanging("", 0, visible(closed.why_not), out.width());
  }
  text += text.ends_with('\n') ? "\n" : "\n\n";
  for (const auto& [key, value] : lines)
    text += out.paint(Style::dim, fmt::format("{:<8}", key)) + " " + visible(value) + "\n";
  return text;
}

std::string joints_text(const Stream& out, const Model& model) {
  const std::vector<const JointDescription*> joints = moving_joints(model);
  std::vector<double> positions, velocities, efforts;
  bool two_sided = false, mimics = false;
  for (const JointDescription* j : joints) {
    positions.insert(positions.end(), {j->limits.lower, j->limits.upper});
    velocities.push_back(j->limits.velocity);
    efforts.push_back(j->limits.effort);
    two_sided |= j->dynamics.friction != j->dynamics.friction_negative;
    mimics |= j->mimic.has_value();
  }
  const Figures position(positions, 2e-5, 2e-5), velocity(velocities, 5e-4), effort(efforts, 5e-4);
  const std::string where = unit_of(model, "rad", "m"), force = unit_of(model, "Nm", "N");

  Table table(2);
  std::vector<Cells> rows(joints.size());
  const auto add = [&](const Column& column, auto cell) {
    table.column(column);
    for (std::size_t i = 0; i < joints.size(); ++i) rows[i].push_back(cell(*joints[i]));
  };
  // a column that is shown only if some joint has a value there.
  const auto add_dynamics = [&](const Column& column, auto value) {
    std::vector<double> values;
    for (const JointDescription* j : joints) values.push_back(value(*j));
    const Figures figures(values, 5e-4);
    if (std::ranges::any_of(values, [](double x) { return x != 0.0; }))
      add(column, [&](const auto& j) { return figures(value(j), out); });
  };
  const auto limit = [&](const JointDescription& j, double x) {
    return velocity_size(j.type) == 1 ? position(x, out) : "";
  };
  add(">#", [n = 0](const auto&) mutable { return ++n; });
  add("joint", [](const auto& j) { return j.name; });
  add("type", [](const auto& j) { return to_string(j.type); });
  add("axis", [](const auto& j) { return axis_text(j.axis, j.type); });
  add(">lower" + where, [&](const auto& j) { return limit(j, j.limits.lower); });
  add(">upper" + where, [&](const auto& j) { return limit(j, j.limits.upper); });
  add(">velocity" + unit_of(model, "rad/s", "m/s"),
      [&](const auto& j) { return velocity(j.limits.velocity, out); });
  add(">effort" + force, [&](const auto& j) { return effort(j.limits.effort, out); });
  add_dynamics(">pitch [m/rad]", [](const auto& j) { return j.pitch; });
  add_dynamics(">damping" + unit_of(model, "Nms", "Ns/m"),
               [](const auto& j) { return j.dynamics.damping; });
  add_dynamics((two_sided ? ">friction+" : ">friction") + force,
               [](const auto& j) { return j.dynamics.friction; });
  if (two_sided)
    add_dynamics(">friction-" + force, [](const auto& j) { return j.dynamics.friction_negative; });
  add_dynamics(">armature" + unit_of(model, out.either("kg m²", "kg m^2"), "kg"),
               [](const auto& j) { return j.dynamics.armature; });
  const auto spring = [](double Spring::*number) {
    return [number](const JointDescription& j) { return j.spring ? (*j.spring).*number : 0.0; };
  };
  add_dynamics(">stiffness" + unit_of(model, "Nm/rad", "N/m"), spring(&Spring::stiffness));
  add_dynamics(
      ">hardening" + unit_of(model, out.either("Nm/rad³", "Nm/rad^3"), out.either("N/m³", "N/m^3")),
      spring(&Spring::hardening));
  add_dynamics(">spring damping" + unit_of(model, "Nms", "Ns/m"), spring(&Spring::damping));
  if (mimics) add("mimics", [&](const auto& j) { return j.mimic ? to_text(out, *j.mimic) : ""; });
  for (const Cells& row : rows) table.row(row);
  return table.str(out);
}

std::string motors_text(const Stream& out, const Model& model) {
  const std::vector<MotorDescription>& motors = model.description().motors;
  std::vector<double> inertias, dampings, frictions;
  for (const MotorDescription& m : motors) {
    inertias.push_back(m.inertia), dampings.push_back(m.damping);
    frictions.insert(frictions.end(), {m.friction, m.friction_negative});
  }
  const Figures inertia(inertias, 5e-4), damping(dampings, 5e-4), friction(frictions, 5e-4);
  Table table(1, {"motor", "turns by", fmt::format(">inertia [{}]", out.either("kg m²", "kg m^2")),
                  ">damping [Nms]", ">friction+ [Nm]", ">friction- [Nm]", "carried by"});
  for (const MotorDescription& m : motors) {
    std::string gears;
    for (const Gear& g : m.gears)
      gears += fmt::format("{}{} {}", gears.empty() ? "" : " + ", figure(g.ratio), g.joint);
    table.row({m.name, gears, inertia(m.inertia, out), damping(m.damping, out),
               friction(m.friction, out), friction(m.friction_negative, out),
               m.mount ? m.mount->link : ""});
  }
  return table.str(out);
}

/// Verdicts by number: their names, and whether a real body can have such an inertia.
constexpr std::string_view verdict_names[] = {
    "consistent",        "massless",     "degenerate",         "not-finite",
    "mass-not-positive", "not-positive", "triangle-inequality"};
constexpr std::string_view verdict_real[] = {"yes", "-", "limit", "no", "no", "no", "no"};

std::string bodies_text(const Stream& out, const Model& model) {
  std::vector<Consistency> found;
  std::vector<double> masses, coms, moments;
  for (const Inertia<double>& I : model.inertias()) {
    found.push_back(check_consistency(I));
    masses.push_back(I.mass());
    const Vec3<double> c = I.com(), &m = found.back().principal_moments;
    coms.insert(coms.end(), c.begin(), c.end());
    moments.insert(moments.end(), m.begin(), m.end());
  }
  masses.push_back(moving_mass(model));
  const Figures mass(masses, 5e-3, 1e-4), com(coms, 5e-3, 1e-3), moment(moments, 5e-2, 5e-5);
  const std::string moments_in(out.either(" [kg m²]", " [kgm^2]"));

  Table table(2, {">#", "body", ">on", ">mass [kg]", ">com x [m]", " >y [m]", " >z [m]",
                  ">I1" + moments_in, " >I2" + moments_in, " >I3" + moments_in, "real"});
  std::string remarks;
  for (int b = 0; b < model.body_count(); ++b) {
    const Consistency& c = found[b];
    const bool massless = c.verdict == Consistency::Verdict::massless;
    Cells cells{b, model.body_name(b), b ? std::to_string(model.joint(b).parent) : ""};
    cells.push_back(massless ? "" : mass(masses[b], out));
    for (int i = 0; i < 3; ++i) cells.push_back(massless ? "" : com(coms[3 * b + i], out));
    for (const double m : c.principal_moments) cells.push_back(massless ? "" : moment(m, out));
    cells.push_back(verdict_real[int(c.verdict)]);
    table.row(cells, b == 0 ? Style::dim : c.acceptable() ? Style::plain : Style::yellow);
    if (!c.ok() && !massless)
      remarks += hanging("", 0, visible(model.body_name(b)) + ": " + c.explanation(), out.width());
  }
  table.row({"", "moving", "", mass(masses.back(), out)}, Style::bold);
  return table.str(out) + (remarks.empty() ? "" : "\n" + remarks);
}

std::string frames_text(const Stream& out, const Model& model) {
  std::vector<double> positions, angles;
  for (const Frame& f : model.frames()) {
    const Pose pose(f.X_BF);
    positions.insert(positions.end(), pose.xyz.begin(), pose.xyz.end());
    angles.insert(angles.end(), pose.rpy.begin(), pose.rpy.end());
  }
  const Figures position(positions, 5e-4, 1e-4), angle(angles, 5e-4, 1e-4);
  Table table(1, {"frame", ">on"});
  for (const char* axis : {"x", "y", "z"}) table.column(fmt::format(">{} [m]", axis));
  for (const char* axis : {"roll", "pitch", "yaw"}) table.column(fmt::format(">{} [rad]", axis));
  for (std::size_t i = 0; i < model.frames().size(); ++i) {
    Cells cells{model.frames()[i].name, model.frames()[i].body};
    for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) cells.push_back(position(positions[k], out));
    for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) cells.push_back(angle(angles[k], out));
    table.row(cells);
  }
  return table.str(out);
}

Json joints_json(const Model& model) {
  return list_of(moving_joints(model), [&, b = 0](const JointDescription* given) mutable {
    const JointDescription& j = *given;
    const Joint& joint = model.joint(++b);
    return merged(
        {{{"index", b},
          {"name", j.name},
          {"type", to_string(j.type)},
          {"parent", j.parent},
          {"child", j.child},
          {"axis", has_axis(j.type) ? Json(j.axis) : Json()},
          {"pitch", j.type == JointType::helical ? Json(j.pitch) : Json()},
          {"q", joint.q},
          {"v", joint.v},
          {"nq", j.mimic ? 0 : configuration_size(j.type)},
          {"nv", j.mimic ? 0 : velocity_size(j.type)}},
         ULNA_FIELDS(j.limits, lower, upper, velocity, effort),
         ULNA_FIELDS(j.dynamics, damping, friction, friction_negative, armature),
         {{"mimic", to_json(j.mimic)},
          {"spring",
           j.spring ? Json(ULNA_FIELDS(*j.spring, stiffness, hardening, damping)) : Json()}}});
  });
}

Json bodies_json(const Model& model) {
  Json list = Json::array();
  for (int b = 0; b < model.body_count(); ++b) {
    const Inertia<double>& I = model.inertias()[b];
    const Consistency c = check_consistency(I);
    Json entry{{"index", b},
               {"link", model.body_name(b)},
               {"parent", b ? Json(model.joint(b).parent) : Json()}};
    entry.update(inertia_json(I));
    entry["consistency"] = {{"verdict", verdict_names[int(c.verdict)]},
                            {"explanation", c.explanation()},
                            {"margin", c.margin}};
    list.push_back(std::move(entry));
  }
  return list;
}

Json motor_json(const MotorDescription& m) {
  Json gears = Json::object();
  for (const Gear& g : m.gears) gears[g.joint] = g.ratio;
  return merged(
      {{{"name", m.name}, {"gears", gears}},
       ULNA_FIELDS(m, inertia, damping, friction, friction_negative),
       {{"carrier", m.mount ? Json{{"link", m.mount->link}, {"axis", m.mount->axis}} : Json()}}});
}

Json frame_json(const Frame& f) {
  const Pose pose(f.X_BF);
  return {{"name", f.name}, {"body", f.body}, {"xyz", pose.xyz}, {"rpy", pose.rpy}};
}

int show(const InfoOptions& options, Console& console) {
  const Imported robot = options.robot.load();
  const Model& model = robot.model;
  if (console.json()) {
    const ClosedDof closed = closed_dof(model);
    Json about = merged(
        {options.robot.json(model),
         {{"base", {{"link", model.body_name(0)}, {"floating", is_floating(model)}}},
          {"dof_closed", closed.dof ? Json(*closed.dof) : Json()},
          {"nq", model.nq()},
          {"links", model.description().links.size()},
          {"bodies", model.joint_count()},
          {"gravity", model.gravity()},
          {"mass", {{"moving", moving_mass(model)}, {"base", model.inertias()[0].mass()}}}}});
    if (!closed.dof) about["dof_closed_unknown"] = closed.why_not;
    console.print({{"robot", about},
                   {"joints", joints_json(model)},
                   {"bodies", bodies_json(model)},
                   {"frames", list_of(model.frames(), frame_json)},
                   {"loops", loops_json(model)},
                   {"motors", list_of(model.description().motors, motor_json)},
                   {"diagnostics", to_json(robot.diagnostics)}});
    return success;
  }
  const Stream& out = console.out;
  std::string text = head(out, options, model);
  if (model.joint_count() > 0) text += "\n" + joints_text(out, model);
  if (!model.description().motors.empty()) text += "\n" + motors_text(out, model);
  text += "\n" + bodies_text(out, model);
  if (options.frames) text += "\n" + frames_text(out, model);
  console.out.print(text);
  mention_warnings(console, options.robot, robot.diagnostics);
  return success;
}

}  // namespace

Action info(Parser& app, Console& console) {
  auto options = std::make_shared<InfoOptions>();
  options->robot.add_to(app);
  options->robot.drives = Drives::carried_rotors;
  app.add_flag("--frames", options->frames,
               "show the poses of links and named frames on the bodies");
  return [options, &console] {
    if (options->frames && console.json())
      throw UsageError("--frames has no effect with --json, which has them");
    return show(*options, console);
  };
}

}  // namespace ulna::cli
