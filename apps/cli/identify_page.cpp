#include "identify_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "identify_plots.hpp"
#include "page.hpp"
#include "text.hpp"

namespace ulna::cli {
namespace {

using namespace identify;

constexpr std::string_view style = R"(
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(420px,1fr));gap:12px}.two .panel{margin:0}
tr.prior td{color:var(--soft)}tr.sum td{font-weight:650;border-top:1px solid var(--line)}
tr.group td{font-weight:650;padding-top:12px}.wide svg.interval{min-width:0}
code{font:12.5px ui-monospace,'DejaVu Sans Mono',monospace}
.remark{border-left:4px solid var(--heldline);padding:6px 12px;margin:6px 0;background:var(--card)}
.remark.finding{border-color:var(--bad)}
svg.interval{width:180px;height:16px}
.measured{stroke:var(--measured)}.predicted{stroke:var(--predicted);stroke-dasharray:4 2}.residual{stroke:var(--residual);stroke-width:1}
.faint{opacity:.55}.held{fill:var(--held)}.heldline{stroke:var(--heldline)}.normal{stroke:var(--ink);stroke-width:1;stroke-dasharray:2 2}
.bars{fill:var(--measured);opacity:.55}
.cell-base{fill:var(--base)}.cell-dependent{fill:var(--dependent)}.cell-idle{fill:var(--idle)}.cell-known{fill:var(--known)}.cell-zero{fill:var(--zero)}
.dot,.dot-good{fill:var(--measured)}.dot-good{fill:var(--good)}.dot-bad{fill:var(--bad)}
.dot-plain{fill:var(--card);stroke:var(--bad);stroke-width:1.6}.dot-prior{fill:var(--card);stroke:var(--soft);stroke-width:1.4}
.lane{stroke:var(--line);stroke-width:2}.whisker{stroke:var(--measured);stroke-width:2.4;opacity:.45}.forbidden{fill:var(--forbid)}
.share{display:inline-block;width:70px;height:8px;border-radius:4px;background:var(--zero);overflow:hidden;vertical-align:middle}
.share i{display:block;height:100%;background:var(--measured)}tr.prior .share i{background:var(--idle)}
.heads{display:grid;grid-template-columns:58.6% 22% auto;font-size:12px;color:var(--soft);margin:0 0 2px}
)";

std::string summary(const PageNames& names, const Identification& r) {
  const Estimate& e = r.chosen.estimate;
  std::string s = fmt::format(
      "<h1>{}: identified from {}</h1>\n<p class='sub'>{} · prior {} · method {} · {}</p>\n",
      safe(r.torques.model().name()), counted(r.logs.size(), "log"), safe(names.robot),
      safe(names.prior), safe(names.method), safe(r.filter));
  const std::string at = fmt::format(" at {:g} Hz", r.filter_hz);
  s += "<div class='cards'>\n";
  s += card(percent(r.chosen.fit.total_percent), "torque error of the fit," + at);
  if (r.chosen.validation)
    s += card(percent(r.chosen.validation->total_percent), "on motion held out," + at);
  if (r.online)
    s += card(percent(r.online->second_half.total_percent), "predicted online, second half," + at);
  s += card(e.consistent ? "physical" : "not physical",
            e.consistent ? "every body can exist" : "bodies that cannot exist",
            e.consistent ? "good" : "bad");
  s += card(fmt::format("{} / {}", e.excitation.rank, r.base.size()),
            fmt::format("base parameters excited; {} of bodies", r.inertial_base()));
  s += card(number(e.excitation.condition, 3), "condition of the regressor");
  s += "</div>\n";
  for (const Remark& remark : r.remarks)
    s += fmt::format("<div class='remark{}'>{}</div>\n", remark.finding ? " finding" : "",
                     safe(remark.text));
  return s;
}

std::string comparison(const PageNames& names, const Identification& r) {
  std::string s = "<table>" + row({{"estimate"},
                                   {fmt::format("fit, {:g} Hz", r.filter_hz), true},
                                   {fmt::format("held out, {:g} Hz", r.filter_hz), true},
                                   {"bodies that cannot exist", true},
                                   {"configurations with indefinite M(q)", true}},
                                  "", true);
  const auto one = [&](const std::string& name, const Assessment& j) {
    const auto bad = std::count_if(j.bodies.begin(), j.bodies.end(),
                                   [](const Consistency& c) { return !c.ok(); });
    s += row({{name},
              {percent(j.fit.total_percent), true},
              {j.validation ? percent(j.validation->total_percent) : "-", true},
              {fmt::format("{} of {}", bad, j.bodies.size()), true},
              {percent(j.indefinite_percent), true}});
  };
  if (r.plain) one("ordinary least squares", *r.plain);
  if (r.start) one("consistent, which refinement began with", *r.start);
  one(safe(names.method), r.chosen);
  return s + "</table>\n";
}

std::string joint_table(const Identification& r) {
  std::vector<Cell> head{
      {"joint"},
      {"noise", true},
      {"error, rms", true},
      {fmt::format("{}, {:g} Hz", r.online ? "at the end" : "fit", r.filter_hz), true}};
  if (r.chosen.validation) head.push_back({fmt::format("held out, {:g} Hz", r.filter_hz), true});
  if (r.online)
    head.push_back({"predicted online", true}), head.push_back({"its second half", true});
  std::string s = "<table>" + row(head, "", true);
  const std::vector<std::string> names = r.torques.model().velocity_names();
  const auto line = [&](std::vector<Cell> cells, auto of, std::string_view kind) {
    cells.push_back({percent(of(r.chosen.fit)), true});
    if (r.chosen.validation) cells.push_back({percent(of(*r.chosen.validation)), true});
    if (r.online) {
      cells.push_back({percent(of(r.online->run)), true});
      cells.push_back({percent(of(r.online->second_half)), true});
    }
    s += row(cells, kind);
  };
  for (Eigen::Index i = 0; i < r.chosen.fit.rms.size(); ++i)
    line(
        {{safe(names[i])},
         {number(r.chosen.estimate.noise(i), 3), true},
         {number(r.chosen.fit.rms(i), 3), true}},
        [&](const Fit& f) { return f.per_joint_percent(i); }, "");
  line(
      {{"total"}, {""}, {""}}, [](const Fit& f) { return f.total_percent; }, "sum");
  return s + "</table>\n";
}

std::string fits(const Identification& r) {
  std::string s = fmt::format(
      "<h2>Torques</h2>\n<p>Errors are root mean squares in percent of the torque's, all signals "
      "filtered at {:g} Hz{}. Noise is what is left unexplained, in the torque's unit.</p>\n"
      "<div class='panel'>{}</div>\n<p>{}{}{}{}{}</p>\n<div class='panel wide'>",
      r.filter_hz,
      r.online ? fmt::format(" (causal while learning, {:.3g} ms late)", 1e3 * r.online->delay)
               : "",
      joint_table(r), line_key("measured", "measured"),
      line_key("predicted", r.online ? "predicted before learning" : "predicted", true),
      line_key("residual", "residual"), r.validation_samples > 0 ? box_key("held", "held out") : "",
      line_key("bad", fmt::format("cut-off, {:g} Hz", r.filter_hz), true));
  s += "<div class='heads'><span>torque, and residual below, over seconds</span><span>spectral "
       "density</span><span>residuals; outlined: held out</span></div>";
  const std::vector<std::string> names = r.torques.model().velocity_names();
  for (int i = 0; i < r.torques.model().nv(); ++i)
    s += fmt::format("<h3>{}</h3>\n", safe(names[i])) + torque_plot(r, i);
  return s + "</div>\n";
}

std::string identifiability(const Identification& r) {
  return fmt::format(
      "<h2>What can be identified</h2>\n<p>Which torque (row) depends on which parameter (column): "
      "of each link m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz, then friction and rotors. Of {} "
      "parameters, {} are base parameters; torques depend on {} only together with those, on {} "
      "never{}. The "
      "line at the bottom shows the kind of every column.</p>\n<p>{}{}{}{}{}</p>\n"
      "<div class='panel wide'>{}</div>\n"
      "<div class='two'><div class='panel'><h3>Singular values of the base regressor</h3><p "
      "class='soft'>Columns scaled to one length: rank {} of {}, condition {}.</p>{}</div>\n"
      "<div class='panel'><h3>Consistency: least squares and estimate</h3><p class='soft'>Smallest "
      "eigenvalue of each body's pseudo-inertia, over the largest; below zero it cannot "
      "exist. {}{}</p>{}</div></div>\n",
      r.torques.unknowns(), r.base.size(), r.base.dependent.size(), r.base.idle.size(),
      r.base.known.empty() ? "" : fmt::format(", and {} were known", r.base.known.size()),
      box_key("base", "base parameter"), box_key("dependent", "dependent"),
      box_key("idle", "never in a torque"), r.base.known.empty() ? "" : box_key("known", "known"),
      box_key("zero", "zero by structure"), structure_plot(r), r.chosen.estimate.excitation.rank,
      r.base.size(), number(r.chosen.estimate.excitation.condition, 3), singular_value_plot(r),
      r.plain ? "<span class='bad'>○</span> ordinary least squares, " : "",
      "<span class='good'>●</span> the estimate", margin_plot(r));
}

/// "mass", "viscous": what a parameter is of, so that those of a kind share a scale.
std::string kind_of(const std::string& name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  if (last.size() == 2 && last[0] == 'm') return "moment";
  if (last.size() == 3 && last[0] == 'I') return "inertia";
  return last;
}

std::string parameters(const Identification& r) {
  const Estimate& e = r.chosen.estimate;
  const std::vector<std::string> names = r.torques.names(), units = r.torques.units();
  std::map<std::string, std::pair<double, double>> range;
  for (int k = 0; k < r.torques.unknowns(); ++k) {
    auto& [low, high] = range[kind_of(names[k])];
    for (const double v : {e.z(k), e.prior(k)})
      if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  }
  std::string s = fmt::format(
      "<h2>Parameters</h2>\n<p>About the origin of each link's joint frame. <em>Learned</em> is "
      "how "
      "much of what is known comes from the logs; below {:.0f} % a parameter is reported as the "
      "prior's. "
      "Circles: prior (hollow), estimate (full) with two standard deviations, on one scale for all "
      "of a kind.</p>\n<div class='panel'><table>",
      100.0 * learned_enough);
  s += row({{"parameter"},
            {"prior", true},
            {"estimate", true},
            {"± deviation", true},
            {"unit"},
            {"learned"},
            {""},
            {"state"}},
           "", true);
  std::string group;
  for (int k = 0; k < r.torques.unknowns(); ++k) {
    const std::string owner = names[k].substr(0, names[k].rfind('.'));
    if (owner != group) {
      group = owner;
      s += fmt::format("<tr class='group'><td colspan='8'>{}</td></tr>\n", safe(owner));
    }
    const auto& [low, high] = range[kind_of(names[k])];
    const double margin = 0.05 * (high - low);
    const std::string_view state = r.state(k);
    const double learned = std::clamp(e.learned(k), 0.0, 1.0);
    s += row({{safe(names[k].substr(owner.size() + 1))},
              {number(e.prior(k)), true},
              {number(e.z(k)), true},
              {number(e.deviation(k), 2), true},
              {units[k]},
              {fmt::format("<span class='share'><i style='width:{:.0f}%'></i></span> {:.0f} %",
                           100.0 * learned, 100.0 * learned)},
              {interval_plot(e.z(k), e.deviation(k), e.prior(k), low - margin, high + margin)},
              {std::string(state)}},
             state == "estimated" ? "" : "prior");
  }
  return s + "</table></div>\n";
}

std::string base_parameters(const Identification& r) {
  const Estimate& e = r.chosen.estimate;
  const std::vector<std::string> names = r.torques.names(), units = r.torques.units();
  std::string s =
      "<h2>Base parameters</h2>\n<p>The combinations that torques depend on, with their standard "
      "deviations.</p>\n<div class='panel'><table>" +
      row({{"#", true}, {"combination"}, {"value", true}, {"± deviation", true}, {"unit"}}, "",
          true);
  for (int i = 0; i < r.base.size(); ++i)
    s += row({{std::to_string(i + 1), true},
              {"<code>" + safe(r.base.name(i, names)) + "</code>"},
              {number(e.base(i)), true},
              {number(e.base_deviation(i), 2), true},
              {units[r.base.independent[i]]}});
  return s + "</table></div>\n";
}

std::string logs(const Identification& r) {
  std::string s = "<h2>Logs</h2>\n<div class='panel'><table>" + row({{"file"},
                                                                     {"use"},
                                                                     {"rows", true},
                                                                     {"used", true},
                                                                     {"seconds", true},
                                                                     {"rate, Hz", true},
                                                                     {"jitter", true},
                                                                     {"dropped", true},
                                                                     {"gaps", true},
                                                                     {"clock"}},
                                                                    "", true);
  for (const LogSummary& log : r.logs) {
    const LogFigures& f = log.figures;
    s += row({{safe(log.file)},
              {log.use == "both" ? "fit, rest held out" : log.use},
              {std::to_string(f.rows), true},
              {std::to_string(f.samples), true},
              {number(f.duration), true},
              {number(f.rate_hz), true},
              {percent(100.0 * f.jitter), true},
              {fmt::format("{} corrupt, {} outliers, {} twice, {} held, {} out of time", f.corrupt,
                           f.outliers, f.duplicates, f.held, f.out_of_time),
               true},
              {std::to_string(f.gaps), true},
              {log.clock.repaired ? fmt::format("repaired: {:.4g} Hz", 1.0 / log.clock.period)
                                  : "as logged"}});
  }
  s += "</table></div>\n";
  if (r.delay.found)
    s += fmt::format(
        "<p>Torques seem to be measured {:.1f} ± {:.1f} ms after motion; this was not "
        "compensated.</p>\n",
        1e3 * r.delay.delay, 1e3 * r.delay.deviation);
  if (r.found.list().empty()) return s;
  s += "<p>What screening said:</p>\n<div class='panel'><table>";
  for (const Diagnostic& d : r.found.list())
    s += row({{std::string(to_string(d.severity))},
              {safe(d.source.str())},
              {safe((d.subject.empty() ? "" : d.subject + ": ") + d.seen +
                    (d.assumed.empty() ? "" : "; " + d.assumed))},
              {fmt::format("<code>{}</code>", d.rule->name)}},
             d.severity == Severity::note ? "prior" : "");
  return s + "</table></div>\n";
}

std::string online(const Identification& r) {
  if (!r.online) return "";
  const OnlineFigures& o = *r.online;
  return fmt::format(
      "<h2>Online</h2>\n<p>{} updates at {:.4g} Hz, each torque predicted before it was learned "
      "from: {} over the run, {} in its second half, where the prior's numbers alone are off by "
      "{}. The numbers were physical {}. {} samples were doubted, {} changes noticed, {} ignored. "
      "An update took {:.3g} µs in the median and {:.3g} µs in the 99th percentile, on this "
      "machine.</p>\n",
      o.updates(), o.rate_hz, percent(o.run.total_percent), percent(o.second_half.total_percent),
      percent(o.prior_percent),
      o.always_consistent ? "after every one" : "<b class='bad'>not after every one</b>", o.doubted,
      o.changed, o.ignored, o.median_us, o.percentile_99_us);
}

std::string refinement(const Identification& r) {
  if (!r.refined) return "";
  const Refinement& f = *r.refined;
  std::string s = fmt::format(
      "<h2>Refinement</h2>\n<p>Multiple shooting on positions and velocities: {}. The solver's "
      "words: {}</p>\n",
      safe(f.str()), safe(f.reason));
  if (f.delay_deviation > 0.0)
    s += fmt::format(
        "<p>Torques are measured {:.2f} ± {:.2f} ms after motion; all figures allow for it.</p>\n",
        1e3 * f.delay, 1e3 * f.delay_deviation);
  const bool stribeck = f.stribeck_level.size() > 0;
  std::vector<Cell> head{{"joint"},
                         {"position, before", true},
                         {"after", true},
                         {"velocity, before", true},
                         {"after", true}};
  if (stribeck)
    for (const char* name : {"Stribeck level", "±", "Stribeck velocity", "±"})
      head.push_back({name, true});
  s += "<p>Simulated less measured, root mean squares, from measured states with the numbers "
       "before, and in the end:</p>\n<div class='panel'><table>" +
       row(head, "", true);
  const std::vector<std::string> names = r.torques.model().velocity_names();
  for (Eigen::Index i = 0; i < f.position_after.size(); ++i) {
    std::vector<Cell> cells{{safe(names[i])}};
    for (const Eigen::VectorXd* x :
         {&f.position_before, &f.position_after, &f.velocity_before, &f.velocity_after})
      cells.push_back({number((*x)(i), 3), true});
    if (stribeck)
      for (const Eigen::VectorXd* x : {&f.stribeck_level, &f.stribeck_level_deviation,
                                       &f.stribeck_velocity, &f.stribeck_velocity_deviation})
        cells.push_back({number((*x)(i), 3), true});
    s += row(cells);
  }
  return s + "</table></div>\n";
}

}  // namespace

std::string identify_page(const PageNames& names, const Identification& r) {
  return html_page(
      r.torques.model().name() + ": identification", style,
      summary(names, r) + "<div class='panel'>" + comparison(names, r) + "</div>\n" + online(r) +
          refinement(r) + fits(r) + identifiability(r) + parameters(r) + base_parameters(r) +
          logs(r) +
          fmt::format("<p class='soft'>ulna {}. All torque errors at a cut-off of {:g} Hz.</p>\n",
                      ULNA_VERSION, r.filter_hz));
}

}  // namespace ulna::cli
