#include "mpc_page.hpp"

#include <algorithm>
#include <cmath>

#include "page.hpp"
#include "report.hpp"

namespace ulna::cli {
namespace {

/// From the time on that errors are compared from.
double counted_error(const TrialResult& r) { return r.error.rms_from.front(); }

std::string since(const MpcResults& results) {
  return results.counted_from > 0.0 ? fmt::format("from {:g} s on", results.counted_from)
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
  const auto [factor, unit] = error_unit(results.model);
  const auto error_of = [&, factor = factor, unit = unit](const TrialResult& r) {
    return fmt::format("{} {}", number(factor * counted_error(r), 3), unit);
  };
  const TrialResult *identified = results.find("identified"), *fixed = results.find("fixed"),
                    *perfect = results.find("perfect");
  std::string s;
  if (identified) {
    s = fmt::format(
        "While it identifies the robot, the controller keeps it within {} (rms) of its reference "
        "{}",
        error_of(*identified), since(results));
    if (fixed)
      s += fmt::format("; with the model it began with, within {}, {} times as much",
                       error_of(*fixed), times(counted_error(*fixed) / counted_error(*identified)));
    if (perfect) s += fmt::format("; with the robot's true numbers, within {}", error_of(*perfect));
    s += ".";
  } else {
    for (const MpcRun& run : results.runs)
      s += fmt::format("{}{}: {}", s.empty() ? "Tracking error " + since(results) + ": " : "; ",
                       run.name, error_of(run.result));
    s += ".";
  }
  return "<p class='lead'>" + s + "</p>\n";
}

std::string cards(const MpcResults& results) {
  const auto [factor, unit] = error_unit(results.model);
  const TrialResult *identified = results.find("identified"), *fixed = results.find("fixed"),
                    *perfect = results.find("perfect");
  const TrialResult& first = identified ? *identified : results.runs.front().result;
  std::string s = "<div class='cards'>\n";
  s += card(fmt::format("{} {}", number(factor * counted_error(first), 3), unit),
            fmt::format("tracking error, rms, {}", since(results)));
  if (identified && fixed)
    s += card(times(counted_error(*fixed) / counted_error(*identified)) + "×",
              "smaller than without identification");
  if (identified && perfect)
    s += card(times(counted_error(*identified) / counted_error(*perfect)) + "×",
              "the error with true numbers");
  if (results.payload) {
    s += card(percent(results.payload->mass_error_percent()), "error of the payload's mass");
    s += card(fmt::format("{:.1f} mm", 1e3 * results.payload->com_error()),
              "error of its centre of mass");
  }
  s += card(microseconds(first.times.p50), fmt::format("a step in the median; there are {} for it",
                                                       microseconds(1e6 * results.period)));
  s += card(
      first.consistent_always ? "physical" : "not physical",
      first.consistent_always ? "every body could exist, at all times" : "bodies that cannot exist",
      first.consistent_always ? "good" : "bad");
  return s + "</div>\n";
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
  const auto [factor, unit] = error_unit(results.model);
  return run_table(results,
                   {fmt::format("error, {}", unit), ">rms", ">" + since(results), ">largest",
                    ">changes detected", ">physical"},
                   [factor = factor](const TrialResult& r) {
                     return Cells{number(factor * r.error.rms, 3),
                                  number(factor * counted_error(r), 3),
                                  number(factor * r.error.largest, 3), r.changes_noticed,
                                  r.consistent_always ? "yes" : "<b class='bad'>no</b>"};
                   });
}

std::string time_table(const MpcResults& results) {
  return run_table(results, {"a step", ">p50", ">p95", ">p99", ">max", ">deadlines missed"},
                   [](const TrialResult& r) {
                     return Cells{microseconds(r.times.p50), microseconds(r.times.p95),
                                  microseconds(r.times.p99), microseconds(r.times.max),
                                  fmt::format("{} of {}", r.times.deadline_misses, r.steps)};
                   });
}

std::string action_table(const MpcResults& results) {
  return run_table(
      results, {"actions", ">planned", ">older", ">safe", ">not measured", ">late", ">not solved"},
      [](const TrialResult& r) {
        return Cells{r.count(ActionKind::planned),
                     r.count(ActionKind::older),
                     r.count(ActionKind::safe),
                     r.count(ActionFault::not_measured),
                     r.count(ActionFault::late),
                     r.count(ActionFault::not_solved) + r.count(ActionFault::not_prepared)};
      });
}

std::string payload_table(const MpcResults& results) {
  if (!results.payload) return "";
  const PayloadFound& p = *results.payload;
  const auto place = [](const Eigen::Vector3d& v) {
    return fmt::format("{:.1f}, {:.1f}, {:.1f}", 1e3 * v.x(), 1e3 * v.y(), 1e3 * v.z());
  };
  HtmlTable table({"payload at " + safe(p.frame), ">true", ">identified", ">off by"});
  table.row({"mass, kg", number(p.mass), number(p.found_mass), percent(p.mass_error_percent())});
  table.row({"centre of mass, mm", place(p.com), place(p.found_com),
             fmt::format("{:.1f} mm", 1e3 * p.com_error())});
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
  const int body = changing_body(results);
  return "<h2>Tracking error</h2>\n<p>Root of the mean square over the joints, on a logarithmic "
         "scale.</p>\n" +
         keys(results, "") + panel(error_plot(results), "wide") +
         "<h2>Origin of the actions</h2>\n<p>Planned: from the plan of that moment. Older: the "
         "last plan, continued. Safe: held against gravity and slowed down.</p>\n<p>" +
         box_key("base", "planned") + box_key("dependent", "older plan") + box_key("bad", "safe") +
         "</p>\n" + panel(action_plot(results), "wide") +
         "<h2>The robot as the controllers estimate it</h2>\n<p>The mass of " +
         safe(results.model.body_name(body)) +
         ", and dry friction of each joint. A run with the true numbers is not drawn.</p>\n" +
         keys(results, "true") +
         panel(small(results.model.body_name(body), "mass, kg", mass_plot(results, body)) +
                   for_each_joint(results, torque_unit, friction_plot),
               "many") +
         "<h2>Positions</h2>\n" + keys(results, "reference") +
         panel(for_each_joint(results, position_unit, position_plot), "many") +
         "<h2>Torques</h2>\n" + keys(results, "") +
         panel(for_each_joint(results, torque_unit, effort_plot), "many");
}

}  // namespace

std::string mpc_page(const MpcResults& results) {
  std::string s =
      fmt::format("<h1>{}</h1>\n<p class='sub'>{} · {} · one step every {}</p>\n",
                  safe(results.title), safe(results.model.name()),
                  counted(results.runs.size(), "run"), microseconds(1e6 * results.period)) +
      lead(results) + cards(results);
  if (const std::string view = arm_view(results); !view.empty())
    s += view +
         "<p class='soft'>The first run that is shown is solid, others are ghosts; the dashed line "
         "is where the robot should be. Drag to turn, ctrl and wheel to come nearer, double click "
         "to go back; click into a plot to go to a time.</p>\n";
  s += "<div class='two'>" + error_table(results) + time_table(results) + payload_table(results) +
       action_table(results) + "</div>\n";
  if (results.longest().time.size() > 1) s += plots(results);
  s += fmt::format(
      "<p class='soft'>ulna {}. Step times are those of the machine that ran this.</p>\n",
      ULNA_VERSION);
  return html_page(results.title, {"mpc.css", "arm_view.css"}, s);
}

}  // namespace ulna::cli
