#include "mpc_report.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "mpc_curves.hpp"
#include "report.hpp"
#include "ulna/dynamics/kinematics.hpp"

namespace ulna::cli {
namespace {

using Eigen::Index;
using Record = Eigen::MatrixXd TrialRecord::*;

constexpr std::string_view reference_colour = "series-8";

/// The number of a colour of the page: "series-3" is 3.
int color_number(std::string_view colour) { return colour.back() - '0'; }

// --- the scene -----------------------------------------------------------------------------------

/// Turns the world so that up is z.
Transform<double> upright(const Model& model) {
  const Eigen::Vector3d g = model.gravity();
  if (g.norm() < 1e-9) return {};
  return Transform<double>::from_rotation(Rotation<double>::from_matrix(
      Eigen::Quaterniond::FromTwoVectors(-g, Eigen::Vector3d::UnitZ()).toRotationMatrix()));
}

/// Where a record was at each of the times; after its end it stays where it was.
Eigen::MatrixXd at_times(const TrialRecord& record, const Eigen::MatrixXd& q,
                         const Eigen::VectorXd& times) {
  Eigen::MatrixXd out(q.rows(), times.size());
  Index k = 0;
  for (Index i = 0; i < times.size(); ++i) {
    while (k + 1 < record.time.size() && record.time(k + 1) <= times(i) + 1e-9) ++k;
    out.col(i) = q.col(k);
  }
  return out;
}

/// A cube as heavy as the payload. It is there while the body that carries it weighs more than at first.
void add_payload(const MpcResults& results, const Eigen::VectorXd& times, Report& report) {
  if (!results.payload) return;
  const PayloadFound& payload = *results.payload;
  const Frame& frame = results.model.frame(payload.frame);
  if (frame.body < 1) return;
  constexpr double density = 1500.0;
  const double edge = std::clamp(std::cbrt(payload.mass / density), 0.03, 0.3);
  const Eigen::Vector3d size = Eigen::Vector3d::Constant(edge);
  const Eigen::Matrix3d about_com =
      Eigen::Matrix3d::Identity() * (payload.mass * edge * edge / 6.0);
  view::Actor cube = view::loose_actor(
      "payload", Inertia<double>::about_com(payload.mass, Eigen::Vector3d::Zero(), about_com),
      {{"", Box{size}, {}, Eigen::Vector4d(0.90, 0.66, 0.22, 1.0)}});

  const TrialRecord& record = results.runs.front().result.record;
  const Eigen::MatrixXd q = at_times(record, record.q, times),
                        mass = at_times(record, record.true_mass, times);
  const Transform<double> X_WR = upright(results.model),
                          X_FC = Transform<double>::from_translation(payload.com);
  Kinematics<double> at(results.model);
  Eigen::MatrixXd poses = Eigen::MatrixXd::Constant(7, times.size(), std::nan(""));
  for (Index k = 0; k < times.size(); ++k) {
    if (mass(frame.body - 1, k) - record.true_mass(frame.body - 1, 0) < 0.5 * payload.mass)
      continue;
    at.set(q.col(k));
    const Transform<double> X = X_WR * at.pose(frame) * X_FC;
    const Quaternion<double> turn = X.rotation().quaternion();
    poses.col(k) << turn.w, turn.x, turn.y, turn.z, X.translation();
  }
  for (view::Message& m : view::track_messages(int(report.cast.size()), cube.model, times, poses))
    report.tracks.push_back(std::move(m));
  report.cast.push_back(std::move(cube));
}

/// The robot in motion: the first run as it looks, the others and the reference as ghosts.
void add_scene(const MpcResults& results, Report& report) {
  for (const MpcRun& run : results.runs)
    if (run.result.record.time.size() == 0) return;
  const double end = results.end();
  const Eigen::VectorXd times =
      Eigen::VectorXd::LinSpaced(std::clamp<Index>(std::lround(20.0 * end) + 1, 2, 400), 0.0, end);
  const auto add = [&](std::string_view name, std::string_view colour, const TrialRecord& record,
                       const Eigen::MatrixXd& q) {
    const Eigen::MatrixXd shown = at_times(record, q, times);
    for (view::Message& m :
         view::track_messages(int(report.cast.size()), results.model, times, shown))
      report.tracks.push_back(std::move(m));
    report.cast.push_back({.model = results.model,
                           .name = std::string(name),
                           .ghost = !report.cast.empty(),
                           .q = shown.col(0),
                           .X_WR = upright(results.model),
                           .color = color_number(colour)});
  };
  for (const MpcRun& run : results.runs)
    add(run.name, run.colour, run.result.record, run.result.record.q);
  add("reference", reference_colour, results.longest(), results.longest().q_reference);
  add_payload(results, times, report);

  Json hidden = Json::array(), events = Json::array();
  for (std::size_t i = 2; i < results.runs.size(); ++i) hidden.push_back(i);
  for (const auto& [time, what] : results.events)
    if (time >= 0.0 && time <= end) events.push_back({{"at", time}, {"text", visible(what)}});
  report.add({{"kind", "scene"}, {"hidden", hidden}, {"events", events}});
  report.text(
      "The first run is solid, the others and the reference are translucent. Drag to turn, Ctrl "
      "and the wheel to "
      "zoom; click into a plot to go to that time.",
      "soft");
}

// --- words and figures ---------------------------------------------------------------------------

/// From the time on that errors are compared from.
double counted_error(const TrialResult& r) { return r.error.rms_from.front(); }

std::string counted_text(const MpcResults& results, const TrialResult& r) {
  return fmt::format("{} {}", number(error_scale * counted_error(r), 3), error_unit(results.model));
}

std::string since(const MpcResults& results) {
  return results.counted_from > 0.0 ? fmt::format("from {:.3g} s on", results.counted_from)
                                    : "over the whole run";
}

std::string times(double factor) {
  return std::isfinite(factor) ? fmt::format("{:.{}f}", factor, factor < 9.95 ? 1 : 0) : "-";
}

std::string microseconds(double us) {
  return us < 9999.5 ? fmt::format("{:.0f} µs", us) : fmt::format("{:.1f} ms", 1e-3 * us);
}

/// The result in a sentence.
std::string lead(const MpcResults& results) {
  const auto error_of = [&](const TrialResult& r) { return counted_text(results, r); };
  const TrialResult* identified = results.find("identified");
  std::string s;
  if (!identified) {
    for (const MpcRun& run : results.runs)
      s += fmt::format("{}{}: {}", s.empty() ? "Tracking error " + since(results) + ": " : "; ",
                       run.name, error_of(run.result));
    return s + ".";
  }
  s = fmt::format(
      "While it identifies the robot, the controller keeps it within {} (rms) of its reference {}",
      error_of(*identified), since(results));
  for (const auto& [name, with] :
       {std::pair{"offset_free",
                  "with offset-free MPC, a disturbance observer on the model it began with"},
        {"fixed", "with the model it began with alone"},
        {"perfect", "with the robot's true parameters"}})
    if (const TrialResult* other = results.find(name))
      s += fmt::format("; {}, within {}", with, error_of(*other));
  return s + ".";
}

void add_factor_card(Report& report, double factor, std::string_view other) {
  const bool better = factor >= 1.0;
  report.card(times(better ? factor : 1.0 / factor) + "×",
              fmt::format("{} than with {}", better ? "smaller" : "larger", other));
}

void add_cards(const MpcResults& results, Report& report) {
  const TrialResult *identified = results.find("identified"),
                    *observed = results.find("offset_free"), *fixed = results.find("fixed"),
                    *perfect = results.find("perfect");
  const TrialResult& first = identified ? *identified : results.runs.front().result;
  report.card(counted_text(results, first), fmt::format("tracking error, rms, {}", since(results)));
  if (identified && observed)
    add_factor_card(report, counted_error(*observed) / counted_error(*identified),
                    "offset-free MPC");
  if (identified && fixed)
    add_factor_card(report, counted_error(*fixed) / counted_error(*identified), "the fixed model");
  if (identified && perfect)
    report.card(times(counted_error(*identified) / counted_error(*perfect)) + "×",
                "the error with true parameters");
  if (results.payload && !results.payload->known)
    report.card("unknown", "the payload's mass", "bad");
  if (results.payload && results.payload->known) {
    report.card(percent(results.payload->mass_error_percent()), "error of the payload's mass");
    report.card(results.payload->com_error_text(), "error of its centre of mass");
  }
  report.card(
      microseconds(first.times.p50),
      fmt::format("a step in the median; there are {} for it", microseconds(1e6 * results.period)));
  const bool physical = first.consistent_always;
  report.card(physical ? "physical" : "not physical",
              physical ? "every body could exist, at all times" : "bodies that cannot exist",
              physical ? "good" : "bad");
}

// --- tables --------------------------------------------------------------------------------------

/// A row of figures for each run.
template <class CellsOf>
Json run_table(const MpcResults& results, const std::vector<std::string>& titles,
               CellsOf cells_of) {
  ReportTable table(titles);
  for (const MpcRun& run : results.runs) {
    std::vector<Json> cells = cells_of(run.result);
    Json name{{"text", run.name}, {"color", run.colour}};
    if (!run.result.finished) name["text"] = run.name + " (not finished)", name["tone"] = "bad";
    cells.insert(cells.begin(), std::move(name));
    table.row(std::move(cells));
  }
  return table.json();
}

Json yes_or_no(bool yes) { return yes ? Json("yes") : Json{{"text", "no"}, {"tone", "bad"}}; }

Json error_table(const MpcResults& results) {
  const auto in_unit = [](double error) { return number(error_scale * error, 3); };
  return run_table(results,
                   {fmt::format("error, {}", error_unit(results.model)), ">rms",
                    ">" + since(results), ">largest", ">changes", ">physical"},
                   [&](const TrialResult& r) -> std::vector<Json> {
                     return {in_unit(r.error.rms), in_unit(counted_error(r)),
                             in_unit(r.error.largest), r.changes_noticed,
                             yes_or_no(r.consistent_always)};
                   });
}

Json time_table(const MpcResults& results) {
  return run_table(results, {"a step", ">p50", ">p95", ">p99", ">max", ">over the period"},
                   [](const TrialResult& r) -> std::vector<Json> {
                     return {microseconds(r.times.p50), microseconds(r.times.p95),
                             microseconds(r.times.p99), microseconds(r.times.max),
                             fmt::format("{} of {}", r.times.deadline_misses, r.steps)};
                   });
}

Json action_table(const MpcResults& results) {
  return run_table(results,
                   {"actions", ">planned", ">older", ">safe", ">not measured", ">deadline passed",
                    ">not solved"},
                   [](const TrialResult& r) -> std::vector<Json> {
                     return {r.count(ActionKind::planned),
                             r.count(ActionKind::older),
                             r.count(ActionKind::safe),
                             r.count(ActionFault::not_measured),
                             r.count(ActionFault::late),
                             r.count(ActionFault::not_solved) + r.count(ActionFault::not_prepared)};
                   });
}

/// What the supervisor found, the first of it.
Json supervision_table(const MpcResults& results) {
  constexpr int most = 40;
  const std::vector<std::string> joints = results.model.velocity_names();
  ReportTable table({"supervisor", ">at, s", "found", "joint", ">value", ">limit"});
  for (const MpcRun& run : results.runs) {
    const TrialResult& r = run.result;
    const std::string away = kept_away(r);
    table.group(fmt::format("{}: {} of {} steps under control, {} at the end{}{}", run.name,
                            r.supervised[0], r.steps, to_string(r.last_state),
                            away.empty() ? "" : "; ", away));
    int rows = 0;
    for (const supervise::Event& e : r.events)
      if (!e.ended && rows++ < most)
        table.row({to_string(severity(e.cause)), fmt::format("{:.3f}", e.time), to_string(e.cause),
                   e.joint < 0 ? "" : visible(joints[std::size_t(e.joint)]), number(e.value),
                   number(e.limit)});
    if (rows > most) table.row({"", "", fmt::format("and {} more", rows - most)});
  }
  return table.json();
}

Json payload_table(const PayloadFound& p) {
  const auto place = [](const Eigen::Vector3d& v) {
    return fmt::format("{:.1f}, {:.1f}, {:.1f}", 1e3 * v.x(), 1e3 * v.y(), 1e3 * v.z());
  };
  ReportTable table({"payload at " + visible(p.frame), ">true", ">identified", ">off by"});
  if (p.known) {
    table.row({"mass, kg", number(p.mass), number(p.found_mass), percent(p.mass_error_percent())});
    table.row({"centre of mass, mm", place(p.com), p.found_com ? place(*p.found_com) : "-",
               p.com_error_text()});
  } else {
    table.row({"mass, kg", number(p.mass), "unknown", "-"});
    table.row({"centre of mass, mm", place(p.com), "unknown", "-"});
  }
  return table.json();
}

void add_tables(const MpcResults& results, Report& report) {
  std::vector<Json> tables{error_table(results), time_table(results)};
  if (results.payload) tables.push_back(payload_table(*results.payload));
  tables.push_back(action_table(results));
  if (results.supervised) tables.push_back(supervision_table(results));
  report.add({{"kind", "columns"}, {"blocks", tables}});
}

// --- plots ---------------------------------------------------------------------------------------

/// Of one of the runs.
TimedLine line_of(const MpcRun& run, Index row, Record of) {
  const TrialRecord& record = run.result.record;
  return {run.name, record.time, (record.*of).row(row), run.colour};
}

/// A row of each run, the first on top.
std::vector<TimedLine> all_runs(const MpcResults& results, Index row, Record of) {
  std::vector<TimedLine> lines;
  for (const MpcRun& run : std::views::reverse(results.runs))
    lines.push_back(line_of(run, row, of));
  return lines;
}

/// What was true or to be done, as the run that lasted longest has it.
TimedLine true_line(const MpcResults& results, std::string name, Index row, Record of) {
  const TrialRecord& record = results.longest();
  return {std::move(name), record.time, (record.*of).row(row), reference_colour, true};
}

/// What is true, and what each controller takes for true unless it is just that.
std::vector<TimedLine> beliefs(const MpcResults& results, Index row, Record believed,
                               Record truth) {
  std::vector<TimedLine> lines;
  for (const MpcRun& run : std::views::reverse(results.runs))
    if (const TrialRecord& record = run.result.record;
        (record.*believed).row(row) != (record.*truth).row(row))
      lines.push_back(line_of(run, row, believed));
  lines.push_back(true_line(results, "true", row, truth));
  return lines;
}

/// Where the actions came from: each run on a level of its own, a little above the one below.
std::vector<TimedLine> action_lines(const MpcResults& results) {
  constexpr double apart = 0.08;
  std::vector<TimedLine> lines;
  for (const MpcRun& run : results.runs) {
    const TrialRecord& record = run.result.record;
    lines.push_back({run.name, record.time,
                     record.kind.cast<double>().array() + apart * double(lines.size()),
                     run.colour});
  }
  return lines;
}

std::string position_unit(const Model& model, int dof) {
  return torque_unit(model, dof) == "N" ? "m" : "rad";
}

/// The body whose mass changes: the one with the payload, or the last.
int changing_body(const MpcResults& results) {
  const int body = results.payload ? results.model.frame(results.payload->frame).body : 0;
  return body > 0 ? body : results.model.joint_count();
}

/// A plot of each joint.
template <class PlotOf>
std::vector<Json> for_each_joint(const MpcResults& results, PlotOf plot_of) {
  const std::vector<std::string> names = results.model.velocity_names();
  std::vector<Json> plots;
  for (int i = 0; i < results.model.nv(); ++i)
    plots.push_back(plot_of(i, visible(names[std::size_t(i)])));
  return plots;
}

void add_plots(const MpcResults& results, Report& report) {
  const Model& model = results.model;
  Json events = Json::array();
  for (const auto& [time, what] : results.events)
    events.push_back({{"at", time}, {"text", fmt::format("{:.3g} s: {}", time, visible(what))}});
  const auto plot = [&](const std::string& name, const std::string& unit,
                        std::vector<TimedLine> lines) {
    Json made = report.lines.plot(name, unit, std::move(lines));
    made["marks"] = events;
    return made;
  };

  report.heading("Tracking error");
  report.text("Root mean square over the joints, on a logarithmic scale.");
  Json errors = plot("tracking error", std::string(error_unit(model)), tracking_errors(results));
  errors["log"] = true;
  report.plots("wide", {std::move(errors)});

  report.heading("Origin of the actions");
  report.text(
      "Planned: from the current plan. Older: the last plan, continued. Safe: held against gravity "
      "and slowed down.");
  Json actions = plot("action", "", action_lines(results));
  actions["ticks"] = Json::array();
  for (const ActionKind kind : {ActionKind::planned, ActionKind::older, ActionKind::safe})
    actions["ticks"].push_back({{"at", int(kind)}, {"text", to_string(kind)}});
  report.plots("wide", {std::move(actions)});

  const std::string body = visible(model.body_name(changing_body(results)));
  report.heading("The robot as the controllers estimate it");
  report.text("The mass of " + body +
              ", and dry friction of each joint. A run with the true parameters is not drawn.");
  std::vector<Json> estimates{plot(
      body, "mass, kg",
      beliefs(results, changing_body(results) - 1, &TrialRecord::mass, &TrialRecord::true_mass))};
  for (Json& each : for_each_joint(results, [&](int i, const std::string&name) {
         return plot(name, std::string(torque_unit(model, i)),
                     beliefs(results, i, &TrialRecord::dry, &TrialRecord::true_dry));
       }))
    estimates.push_back(std::move(each));
  report.plots("small", std::move(estimates));

  report.heading("Positions");
  report.plots("small", for_each_joint(results, [&](int i, const std::string& name) {
                 std::vector<TimedLine> lines = all_runs(results, i, &TrialRecord::q);
                 lines.push_back(true_line(results, "reference", i, &TrialRecord::q_reference));
                 return plot(name, position_unit(model, i), std::move(lines));
               }));

  report.heading("Torques");
  report.plots("small", for_each_joint(results, [&](int i, const std::string& name) {
                 Json made = plot(name, std::string(torque_unit(model, i)),
                                  all_runs(results, i, &TrialRecord::tau));
                 if (const double most = model.effort_limit()(i); std::isfinite(most))
                   made["limits"] = {-most, most};
                 return made;
               }));
}

}  // namespace

std::string mpc_report(const MpcResults& results) {
  Report report{
      results.title,
      fmt::format("{} · {} · one step every {}; step times are those of the machine that ran this",
                  results.model.name(), counted(results.runs.size(), "run"),
                  microseconds(1e6 * results.period)),
      lead(results)};
  add_cards(results, report);
  const bool moved = results.longest().time.size() > 1;
  if (moved) add_scene(results, report);
  add_tables(results, report);
  if (moved) add_plots(results, report);
  return report.html();
}

}  // namespace ulna::cli
