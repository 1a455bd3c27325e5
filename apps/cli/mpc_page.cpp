#include "mpc_page.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "../plot/svg.hpp"
#include "page.hpp"
#include "report.hpp"

namespace ulna::cli {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using namespace plot;

/// A line over time.
struct Curve {
  VectorXd time, y;
  std::string_view colour;
  std::string_view kind = "line";
};

using Record = Eigen::MatrixXd TrialRecord::*;

Curve curve(const MpcRun& run, Record of, Index row) {
  const TrialRecord& record = run.result.record;
  return {record.time, (record.*of).row(row), run.colour};
}

std::string time_svg(double width, double height, const Area& box, double end,
                     std::string_view label, const std::string& inside) {
  return plot::figure(
      width, height, visible(label),
      inside + path("now", fmt::format("M0 {}v{}", px(box.y), px(box.height)),
                    fmt::format(" transform='translate({} 0)'", px(box.x))),
      fmt::format(" class='timeplot' data-time='{:g} {:g} 0 {:g}'", box.x, box.right(), end));
}

std::string event_marks(const MpcResults& results, const Area& box, const Scale& x) {
  std::string s;
  for (const auto& [time, what] : results.events)
    if (time >= x.low && time <= x.high) s += vertical("event-mark", box, x(time));
  return s;
}

std::string path_of(const Curve& c, const Scale& x, const Scale& y, Index buckets) {
  if (c.y.size() == 0) return "";
  return path(c.kind, polyline(envelope(c.time, c.time(0), c.y, x, y, buckets)),
              fmt::format(" style='stroke:var(--{})'", c.colour));
}

/// One of several small plots that stand side by side.
std::string small_plot(const MpcResults& results, std::string_view label,
                       const std::vector<Curve>& curves, const std::vector<double>& limits = {},
                       bool from_zero = false) {
  const Area box{44, 8, 302, 130};
  double low = infinity, high = -infinity;
  for (const Curve& c : curves)
    if (c.y.size()) low = std::min(low, c.y.minCoeff()), high = std::max(high, c.y.maxCoeff());
  for (const double limit : limits) low = std::min(low, limit), high = std::max(high, limit);
  if (from_zero) low = std::min(low, 0.0);
  if (!(low <= high)) low = 0.0, high = 1.0;
  // what does not move is not blown up to fill the plot
  const double margin =
      std::max(0.06 * (high - low), 1e-3 * std::max(std::abs(low), std::abs(high)));
  const double end = results.end();
  const Scale x = box.across(0.0, end), y = box.upward(low - margin, high + margin);
  std::string s = grid_y(box, y) + grid_x(box, x) + event_marks(results, box, x);
  for (const double limit : limits) s += horizontal("cut", box, y(limit));
  for (const Curve& c : curves) s += path_of(c, x, y, 150);
  return time_svg(356, 158, box, end, label, s + frame(box));
}

/// A row of each run, the first on top.
std::vector<Curve> all_runs(const MpcResults& results, Index row, Record of) {
  std::vector<Curve> curves;
  for (const MpcRun& run : std::views::reverse(results.runs)) curves.push_back(curve(run, of, row));
  return curves;
}

/// What was true or to be done, as the run that lasted longest has it.
Curve true_curve(const MpcResults& results, Index row, Record of) {
  const TrialRecord& record = results.longest();
  return {record.time, (record.*of).row(row), "ink", "line thin-dashed"};
}

/// What is true, and what each controller takes for true unless it is just that.
std::vector<Curve> beliefs(const MpcResults& results, Index row, Record believed, Record truth) {
  std::vector<Curve> curves;
  for (const MpcRun& run : std::views::reverse(results.runs))
    if (const TrialRecord& record = run.result.record;
        (record.*believed).row(row) != (record.*truth).row(row))
      curves.push_back(curve(run, believed, row));
  curves.push_back(true_curve(results, row, truth));
  return curves;
}

/// Errors are given in thousandths of what joints are measured in.
constexpr double error_scale = 1e3;
std::string_view error_unit(const Model& model) {
  int sliding = 0, turning = 0;
  for (const Joint& j : model.joints().subspan(1))
    if (!j.mimics) ++(j.type == JointType::prismatic ? sliding : turning);
  return sliding == 0 ? "mrad" : turning == 0 ? "mm" : "mrad, mm";
}

constexpr double errors_width = 1120.0, errors_height = 326.0;
constexpr Area errors_box{54, 44, 1050, 250};

/// How far the robot is from where it should be, on a logarithmic scale.
std::string error_curves(const MpcResults& results, Index buckets) {
  const Area& box = errors_box;
  std::vector<Curve> curves;
  double low = infinity, high = 0.0;
  for (const MpcRun& run : std::views::reverse(results.runs)) {
    const TrialRecord& record = run.result.record;
    const Eigen::MatrixXd off = record.q - record.q_reference;
    const auto squares = off.colwise().squaredNorm().transpose();
    curves.push_back({record.time,
                      error_scale * (squares / std::max<Index>(1, off.rows())).cwiseSqrt(),
                      run.colour});
    // a robot begins where it should be: zero has no logarithm, and is no lower limit
    for (const double e : curves.back().y)
      if (e > 0.0) low = std::min(low, e), high = std::max(high, e);
  }
  if (!(low <= high)) low = 0.1, high = 1.0;
  low = std::clamp(low, 1e-4 * high, 0.5 * high);
  const double end = results.end();
  const Scale x = box.across(0.0, end),
              y = box.upward(std::log10(low) - 0.05, std::log10(high) + 0.1);
  std::vector<Tick> ticks;
  const bool sparse = y.high - y.low > 2.2;
  for (double decade = std::floor(y.low); decade <= y.high; decade += 1.0)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double at = decade + std::log10(digit);
      if (at >= y.low && at <= y.high && (!sparse || digit == 1.0))
        ticks.push_back({at, fmt::format("{:g}", digit * std::pow(10.0, decade))});
    }
  std::string s = grid_x(box, x) + event_marks(results, box, x) + grid_y(box, y, ticks);
  for (Curve& c : curves) {
    c.y = c.y.cwiseMax(low).array().log10().matrix();
    s += path_of(c, x, y, buckets);
  }
  // names of events above, in two lines by turns so that neighbours do not meet
  std::size_t line = 0;
  for (const auto& [time, what] : results.events)
    if (time >= 0.0 && time <= end) {
      const bool late = x(time) > box.x + 0.75 * box.width;
      s += text(x(time) + (late ? -4 : 4), line++ % 2 ? 16 : 32,
                fmt::format("{:.3g} s: {}", time, visible(what)),
                late ? "e event-name" : "event-name");
    }
  return s + frame(box) + text(box.x, 14, error_unit(results.model)) +
         text(box.right(), box.bottom() + 27, "s", "e");
}

std::string error_plot(const MpcResults& results) {
  return time_svg(errors_width, errors_height, errors_box, results.end(),
                  "tracking error over time", error_curves(results, 700));
}

/// Of one coordinate: where it is and should be.
std::string position_plot(const MpcResults& results, int joint) {
  std::vector<Curve> curves = all_runs(results, joint, &TrialRecord::q);
  curves.push_back(true_curve(results, joint, &TrialRecord::q_reference));
  return small_plot(results, fmt::format("position {}", joint + 1), curves);
}

/// Of one coordinate: its torque between its limits.
std::string effort_plot(const MpcResults& results, int joint) {
  std::vector<double> limits;
  if (const double most = results.model.effort_limit()(joint); std::isfinite(most))
    limits = {-most, most};
  return small_plot(results, fmt::format("torque {}", joint + 1),
                    all_runs(results, joint, &TrialRecord::tau), limits);
}

/// What a body weighs, and what the controllers take it to weigh.
std::string mass_plot(const MpcResults& results, int body) {
  return small_plot(results, "mass",
                    beliefs(results, body - 1, &TrialRecord::mass, &TrialRecord::true_mass), {},
                    true);
}

/// The same of a joint's dry friction.
std::string friction_plot(const MpcResults& results, int joint) {
  return small_plot(results, "friction",
                    beliefs(results, joint, &TrialRecord::dry, &TrialRecord::true_dry), {}, true);
}

/// Where the actions came from: a strip for each run.
std::string action_plot(const MpcResults& results) {
  constexpr double high = 20.0, gap = 6.0;
  const Area box{110, 6, 994, (high + gap) * double(results.runs.size()) - gap};
  const double end = results.end();
  const Scale x = box.across(0.0, end);
  std::string s;
  double y = box.y;
  for (const MpcRun& run : results.runs) {
    const TrialRecord& record = run.result.record;
    const Index n = record.time.size();
    s += text(box.x - 8, y + 0.68 * high, run.name, "e");
    for (Index from = 0, to = 0; from < n; from = to) {
      while (to < n && record.kind(to) == record.kind(from)) ++to;
      const double begin = x(record.time(from)), until = x(to < n ? record.time(to) : end);
      s += rect(fmt::format("action-{}", to_string(static_cast<ActionKind>(record.kind(from)))),
                {begin, y, std::max(1.0, until - begin), high});
    }
    y += high + gap;
  }
  s += labels_x(box, x, labelled(x.ticks()));
  return time_svg(1120, box.bottom() + 20, box, end, "where actions came from",
                  s + event_marks(results, box, x));
}

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

std::string factor_card(double factor, std::string_view other) {
  const bool better = factor >= 1.0;
  return card(times(better ? factor : 1.0 / factor) + "×",
              fmt::format("{} than with {}", better ? "smaller" : "larger", other));
}

std::string cards(const MpcResults& results) {
  const TrialResult *identified = results.find("identified"),
                    *observed = results.find("offset_free"), *fixed = results.find("fixed"),
                    *perfect = results.find("perfect");
  const TrialResult& first = identified ? *identified : results.runs.front().result;
  std::string s =
      card(counted_text(results, first), fmt::format("tracking error, rms, {}", since(results)));
  if (identified && observed)
    s += factor_card(counted_error(*observed) / counted_error(*identified), "offset-free MPC");
  if (identified && fixed)
    s += factor_card(counted_error(*fixed) / counted_error(*identified), "the fixed model");
  if (identified && perfect)
    s += card(times(counted_error(*identified) / counted_error(*perfect)) + "×",
              "the error with true parameters");
  if (results.payload && !results.payload->known) s += card("unknown", "the payload's mass", "bad");
  if (results.payload && results.payload->known) {
    s += card(percent(results.payload->mass_error_percent()), "error of the payload's mass");
    s += card(results.payload->com_error_text(), "error of its centre of mass");
  }
  s += card(microseconds(first.times.p50), fmt::format("a step in the median; there are {} for it",
                                                       microseconds(1e6 * results.period)));
  const bool physical = first.consistent_always;
  return s + card(physical ? "physical" : "not physical",
                  physical ? "every body could exist, at all times" : "bodies that cannot exist",
                  physical ? "good" : "bad");
}

/// A row of figures for each run.
template <class CellsOf>
std::string run_table(const MpcResults& results, const std::vector<std::string>& titles,
                      CellsOf cells_of) {
  HtmlTable table(titles);
  for (const MpcRun& run : results.runs) {
    Cells cells = cells_of(run.result);
    cells.insert(
        cells.begin(),
        fmt::format("<i class='run' style='background:var(--{})'></i>{}{}", run.colour, run.name,
                    run.result.finished ? "" : " <b class='bad'>not finished</b>"));
    table.row(cells);
  }
  return panel(table.str());
}

std::string error_table(const MpcResults& results) {
  const auto in_unit = [](double error) { return number(error_scale * error, 3); };
  return run_table(results,
                   {fmt::format("error, {}", error_unit(results.model)), ">rms",
                    ">" + since(results), ">largest", ">changes", ">physical"},
                   [&](const TrialResult& r) {
                     return Cells{in_unit(r.error.rms), in_unit(counted_error(r)),
                                  in_unit(r.error.largest), r.changes_noticed,
                                  r.consistent_always ? "yes" : "<b class='bad'>no</b>"};
                   });
}

std::string time_table(const MpcResults& results) {
  return run_table(results, {"a step", ">p50", ">p95", ">p99", ">max", ">over the period"},
                   [](const TrialResult& r) {
                     return Cells{microseconds(r.times.p50), microseconds(r.times.p95),
                                  microseconds(r.times.p99), microseconds(r.times.max),
                                  fmt::format("{} of {}", r.times.deadline_misses, r.steps)};
                   });
}

std::string action_table(const MpcResults& results) {
  return run_table(results,
                   {"actions", ">planned", ">older", ">safe", ">not measured", ">deadline passed",
                    ">not solved"},
                   [](const TrialResult& r) {
                     return Cells{
                         r.count(ActionKind::planned),
                         r.count(ActionKind::older),
                         r.count(ActionKind::safe),
                         r.count(ActionFault::not_measured),
                         r.count(ActionFault::late),
                         r.count(ActionFault::not_solved) + r.count(ActionFault::not_prepared)};
                   });
}

/// What the supervisor found, the first of it.
std::string supervision_table(const MpcResults& results) {
  if (!results.supervised) return "";
  constexpr int most = 40;
  const std::vector<std::string> joints = results.model.velocity_names();
  HtmlTable table({"supervisor", ">at, s", "found", "joint", ">value", ">limit"});
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
                   e.joint < 0 ? "" : safe(joints[std::size_t(e.joint)]), number(e.value),
                   number(e.limit)});
    if (rows > most) table.row({"", "", fmt::format("and {} more", rows - most), "", "", ""});
  }
  return panel(table.str());
}

std::string payload_table(const MpcResults& results) {
  if (!results.payload) return "";
  const PayloadFound& p = *results.payload;
  const auto place = [](const Eigen::Vector3d& v) {
    return fmt::format("{:.1f}, {:.1f}, {:.1f}", 1e3 * v.x(), 1e3 * v.y(), 1e3 * v.z());
  };
  HtmlTable table({"payload at " + safe(p.frame), ">true", ">identified", ">off by"});
  if (!p.known) {
    table.row({"mass, kg", number(p.mass), "unknown", "-"});
    table.row({"centre of mass, mm", place(p.com), "unknown", "-"});
    return panel(table.str());
  }
  table.row({"mass, kg", number(p.mass), number(p.found_mass), percent(p.mass_error_percent())});
  table.row({"centre of mass, mm", place(p.com), p.found_com ? place(*p.found_com) : "-",
             p.com_error_text()});
  return panel(table.str());
}

std::string keys(const MpcResults& results, std::string_view dashed) {
  std::string s = "<p>";
  for (const MpcRun& run : results.runs) s += line_key(run.colour, run.name);
  if (!dashed.empty()) s += line_key("ink", dashed, true);
  if (!results.events.empty()) s += line_key("heldline", "events", true);
  return s + "</p>\n";
}

std::string small(std::string_view name, std::string_view unit, const std::string& plot) {
  return fmt::format("<div><h3>{} <span>{}</span></h3>{}</div>\n", safe(name), unit, plot);
}

std::string for_each_joint(const MpcResults& results, std::string_view (*unit)(const Model&, int),
                           std::string (*plot)(const MpcResults&, int)) {
  const std::vector<std::string> names = results.model.velocity_names();
  std::string s;
  for (int i = 0; i < results.model.nv(); ++i)
    s += small(names[i], unit(results.model, i), plot(results, i));
  return s;
}

std::string_view position_unit(const Model& model, int dof) {
  return torque_unit(model, dof) == "N" ? "m" : "rad";
}

/// The body whose mass changes: the one with the payload, or the last.
int changing_body(const MpcResults& results) {
  const int body = results.payload ? results.model.frame(results.payload->frame).body : 0;
  return body > 0 ? body : results.model.joint_count();
}

std::string plots(const MpcResults& results) {
  const std::string_view body = results.model.body_name(changing_body(results));
  const std::string beliefs = small(body, "mass, kg", mass_plot(results, changing_body(results))) +
                              for_each_joint(results, torque_unit, friction_plot);
  return fmt::format(
      fmt::runtime(asset("mpc_plots.html")), fmt::arg("run_keys", keys(results, "")),
      fmt::arg("errors", panel(error_plot(results), "wide")),
      fmt::arg("action_keys", box_key("base", "planned") + box_key("dependent", "older plan") +
                                  box_key("bad", "safe")),
      fmt::arg("actions", panel(action_plot(results), "wide")), fmt::arg("body", safe(body)),
      fmt::arg("true_keys", keys(results, "true")), fmt::arg("beliefs", panel(beliefs, "many")),
      fmt::arg("reference_keys", keys(results, "reference")),
      fmt::arg("positions", panel(for_each_joint(results, position_unit, position_plot), "many")),
      fmt::arg("torques", panel(for_each_joint(results, torque_unit, effort_plot), "many")));
}

/// Where the tip is after it should rest, along the axis of the world in which it moves most there, in mm from its mean.
std::string vibration_curves(const MpcResults& results) {
  constexpr double before = 0.1, after = 0.6;  // s
  const double begin = results.rests_from - before, end = results.rests_from + after;
  const Frame& tip = rig::tip_frame(results.model);
  Kinematics<double> at(results.model);
  std::vector<Eigen::MatrixXd> places;  // a row for each axis
  Eigen::Vector3d spread = Eigen::Vector3d::Zero();
  for (const MpcRun& run : results.runs) {
    const TrialRecord& record = run.result.record;
    Eigen::MatrixXd& place = places.emplace_back(3, record.time.size());
    Index rests = 0;
    while (rests < record.time.size() && record.time(rests) < results.rests_from) ++rests;
    for (Index k = 0; k < place.cols(); ++k) {
      at.set(record.q.col(k));
      place.col(k) = 1e3 * at.pose(tip).translation();
    }
    const auto rest = place.rightCols(place.cols() - rests);
    place.colwise() -= rest.rowwise().mean().eval();
    spread = spread.cwiseMax(rest.rowwise().squaredNorm());
  }
  Index axis = 0;
  const double most = spread.maxCoeff(&axis);
  const Area& box = errors_box;
  double high = 1e-6 * std::max(1.0, most);
  std::vector<Curve> curves;
  for (std::size_t i = results.runs.size(); i-- > 0;) {
    const VectorXd& time = results.runs[i].result.record.time;
    Index from = 0, to = 0;
    while (from < time.size() && time(from) < begin) ++from;
    for (to = from; to < time.size() && time(to) <= end;) ++to;
    curves.push_back({time.segment(from, to - from), places[i].row(axis).segment(from, to - from),
                      results.runs[i].colour});
    for (Index k = from; k < to; ++k)
      if (time(k) >= results.rests_from) high = std::max(high, std::abs(places[i](axis, k)));
  }
  const Scale x = box.across(begin, end), y = box.upward(-1.3 * high, 1.3 * high);
  std::string s = grid_y(box, y) + grid_x(box, x) +
                  vertical("event-mark", box, x(results.rests_from)) +
                  text(x(results.rests_from) + 4, 32, "the motion ends", "event-name");
  for (Curve& c : curves) {
    c.y = c.y.cwiseMin(y.high).cwiseMax(y.low);
    s += path_of(c, x, y, 700);
  }
  return s + frame(box) + text(box.x, 14, fmt::format("mm, along {}", "xyz"[axis])) +
         text(box.right(), box.bottom() + 27, "s", "e");
}

}  // namespace

std::string mpc_plot(const MpcResults& results) {
  constexpr double head = 56.0, key = 18.0;
  const bool vibrates = results.runs.front().result.vibration.has_value();
  std::string names;
  double left = errors_box.x;
  for (const MpcRun& run : results.runs) {
    names += path("line", fmt::format("M{} 44h{}", px(left), px(key)),
                  fmt::format(" style='stroke:var(--{});stroke-width:2.5'", run.colour)) +
             text(left + key + 6, 48, run.name);
    left += 2.0 * key + 8.0 * double(run.name.size());
  }
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{0}' height='{1}' "
      "font-family='Helvetica, Arial, sans-serif'>\n"
      "<style>{2}{3}svg text{{font-size:14px}}svg "
      ".title{{font-size:17px;fill:var(--ink)}}</style>\n"
      "<rect width='100%' height='100%' style='fill:var(--card)'/>\n{4}{5}"
      "<g transform='translate(0 {6})'>{7}</g>\n</svg>\n",
      errors_width, head + errors_height, asset("page.css"), asset("mpc.css"),
      text(errors_box.x, 24,
           (vibrates ? "the tip after the motion: " : "tracking error: ") + visible(results.title),
           "title"),
      names, head, vibrates ? vibration_curves(results) : error_curves(results, 350));
}

std::string mpc_page(const MpcResults& results) {
  const std::string body = fmt::format(
      fmt::runtime(asset("mpc.html")), fmt::arg("title", safe(results.title)),
      fmt::arg("robot", safe(results.model.name())),
      fmt::arg("runs", counted(results.runs.size(), "run")),
      fmt::arg("period", microseconds(1e6 * results.period)), fmt::arg("lead", lead(results)),
      fmt::arg("cards", cards(results)), fmt::arg("view", arm_view(results)),
      fmt::arg("tables", error_table(results) + time_table(results) + payload_table(results) +
                             action_table(results) + supervision_table(results)),
      fmt::arg("plots", results.longest().time.size() > 1 ? plots(results) : ""),
      fmt::arg("version", ULNA_VERSION));
  return html_page(results.title, {"mpc.css", "arm_view.css"}, body);
}

}  // namespace ulna::cli
