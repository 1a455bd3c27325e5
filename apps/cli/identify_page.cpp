#include "identify_page.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "page.hpp"

namespace ulna::cli {
namespace {

using namespace identify;

/// The main figures.
std::string cards(const Identification& r) {
  const Estimate& e = r.chosen.estimate;
  const std::string at = fmt::format(" at {:g} Hz", r.filter_hz);
  std::string s = card(percent(r.chosen.fit.total_percent), "torque error of the fit," + at);
  if (r.chosen.validation)
    s += card(percent(r.chosen.validation->total_percent), "on motion held out," + at);
  if (r.online)
    s += card(percent(r.online->second_half.total_percent), "predicted online, second half," + at);
  s += card(e.consistent ? "physical" : "not physical",
            e.consistent ? "every body can exist" : "bodies that cannot exist",
            e.consistent ? "good" : "bad");
  s += card(fmt::format("{} / {}", e.excitation.rank, r.base.size()),
            fmt::format("base parameters excited; {} of bodies", r.inertial_base()));
  return s + card(number(e.excitation.condition, 3), "condition of the regressor");
}

std::string comparison(const PageNames& names, const Identification& r) {
  HtmlTable table({"estimate", fmt::format(">fit, {:g} Hz", r.filter_hz),
                   fmt::format(">held out, {:g} Hz", r.filter_hz), ">bodies that cannot exist",
                   ">configurations with indefinite M(q)"});
  const auto one = [&](const std::string& name, const Assessment& j) {
    const auto bad = std::count_if(j.bodies.begin(), j.bodies.end(),
                                   [](const Consistency& c) { return !c.ok(); });
    table.row({name, percent(j.fit.total_percent),
               j.validation ? percent(j.validation->total_percent) : "-",
               fmt::format("{} of {}", bad, j.bodies.size()), percent(j.indefinite_percent)});
  };
  if (r.plain) one("ordinary least squares", *r.plain);
  if (r.start) one("consistent, which refinement began with", *r.start);
  one(safe(names.method), r.chosen);
  return panel(table.str());
}

std::string joint_table(const Identification& r) {
  std::vector<std::string> titles{
      "joint", ">noise", ">error, rms",
      fmt::format(">{}, {:g} Hz", r.online ? "at the end" : "fit", r.filter_hz)};
  std::vector<const Fit*> fits{&r.chosen.fit};
  if (r.chosen.validation) {
    titles.push_back(fmt::format(">held out, {:g} Hz", r.filter_hz));
    fits.push_back(&*r.chosen.validation);
  }
  if (r.online) {
    titles.insert(titles.end(), {">predicted online", ">its second half"});
    fits.insert(fits.end(), {&r.online->run, &r.online->second_half});
  }
  HtmlTable table(titles);
  const std::vector<std::string> names = r.torques.model().velocity_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    Cells cells{safe(names[i]), number(r.chosen.estimate.noise(i), 3),
                number(r.chosen.fit.rms(i), 3)};
    for (const Fit* fit : fits) cells.push_back(percent(fit->per_joint_percent(i)));
    table.row(cells);
  }
  Cells total{"total", "", ""};
  for (const Fit* fit : fits) total.push_back(percent(fit->total_percent));
  table.row(total, "sum");
  return panel(table.str());
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
  HtmlTable table(
      {"parameter", ">prior", ">estimate", ">± deviation", "unit", "learned", "", "state"});
  std::string group;
  for (int k = 0; k < r.torques.unknowns(); ++k) {
    const std::string owner = names[k].substr(0, names[k].rfind('.'));
    if (owner != group) {
      group = owner;
      table.group(safe(owner));
    }
    const auto& [low, high] = range[kind_of(names[k])];
    const double margin = 0.05 * (high - low);
    const std::string_view state = r.state(k);
    const double learned = std::clamp(e.learned(k), 0.0, 1.0);
    table.row(
        {safe(names[k].substr(owner.size() + 1)), number(e.prior(k)), number(e.z(k)),
         number(e.deviation(k), 2), units[k],
         fmt::format("<span class='share'><i style='width:{:.0f}%'></i></span> {:.0f} %",
                     100.0 * learned, 100.0 * learned),
         interval_plot(e.z(k), e.deviation(k), e.prior(k), low - margin, high + margin), state},
        state == "estimated" ? "" : "prior");
  }
  return panel(table.str());
}

std::string base_parameters(const Identification& r) {
  const Estimate& e = r.chosen.estimate;
  const std::vector<std::string> names = r.torques.names(), units = r.torques.units();
  HtmlTable table({">#", "combination", ">value", ">± deviation", "unit"});
  for (int i = 0; i < r.base.size(); ++i)
    table.row({i + 1, "<code>" + safe(r.base.name(i, names)) + "</code>", number(e.base(i)),
               number(e.base_deviation(i), 2), units[r.base.independent[i]]});
  return panel(table.str());
}

std::string logs(const Identification& r) {
  HtmlTable table({"file", "use", ">rows", ">used", ">seconds", ">rate, Hz", ">jitter", ">dropped",
                   ">gaps", "clock"});
  for (const LogSummary& log : r.logs) {
    const LogFigures& f = log.figures;
    table.row({safe(log.file), log.use == "both" ? "fit, rest held out" : log.use, f.rows,
               f.samples, number(f.duration), number(f.rate_hz), percent(100.0 * f.jitter),
               fmt::format("{} corrupt, {} outliers, {} twice, {} held, {} out of time", f.corrupt,
                           f.outliers, f.duplicates, f.held, f.out_of_time),
               f.gaps,
               log.clock.repaired ? fmt::format("repaired: {:.4g} Hz", 1.0 / log.clock.period)
                                  : "as logged"});
  }
  std::string s = panel(table.str());
  if (r.delay.found)
    s += fmt::format(
        "<p>Torques seem to be measured {:.1f} ± {:.1f} ms after motion; this was not "
        "compensated.</p>\n",
        1e3 * r.delay.delay, 1e3 * r.delay.deviation);
  if (r.found.list().empty()) return s;
  HtmlTable screening;
  for (const Diagnostic& d : r.found.list())
    screening.row({to_string(d.severity), safe(d.source.str()),
                   safe((d.subject.empty() ? "" : d.subject + ": ") + d.seen +
                        (d.assumed.empty() ? "" : "; " + d.assumed)),
                   fmt::format("<code>{}</code>", d.rule->name)},
                  d.severity == Severity::note ? "prior" : "");
  return s + "<p>Findings of the screening:</p>\n" + panel(screening.str());
}

std::string online(const Identification& r) {
  if (!r.online) return "";
  const OnlineFigures& o = *r.online;
  return fmt::format(
      fmt::runtime(asset("identify_online.html")), o.updates(), o.rate_hz,
      percent(o.run.total_percent), percent(o.second_half.total_percent), percent(o.prior_percent),
      o.always_consistent ? "after every one" : "<b class='bad'>not after every one</b>", o.doubted,
      o.changed, o.ignored, o.median_us, o.percentile_99_us);
}

std::string refinement(const Identification& r) {
  if (!r.refined) return "";
  const Refinement& f = *r.refined;
  std::string s = fmt::format(
      "<h2>Refinement</h2>\n<p>Multiple shooting on positions and velocities: {}. The solver's "
      "message: {}</p>\n",
      safe(f.str()), safe(f.reason));
  if (f.delay_deviation > 0.0)
    s += fmt::format(
        "<p>Torques are measured {:.2f} ± {:.2f} ms after motion; all figures allow for it.</p>\n",
        1e3 * f.delay, 1e3 * f.delay_deviation);
  const bool stribeck = f.stribeck_level.size() > 0;
  std::vector<std::string> titles{"joint", ">position, before", ">after", ">velocity, before",
                                  ">after"};
  if (stribeck) titles.insert(titles.end(), {">Stribeck level", ">±", ">Stribeck velocity", ">±"});
  s += "<p>Simulated less measured, root mean squares, from measured states with the numbers "
       "before, and in the end:</p>\n";
  HtmlTable table(titles);
  const std::vector<std::string> names = r.torques.model().velocity_names();
  for (Eigen::Index i = 0; i < f.position_after.size(); ++i) {
    Cells cells{safe(names[i])};
    for (const Eigen::VectorXd* x :
         {&f.position_before, &f.position_after, &f.velocity_before, &f.velocity_after})
      cells.push_back(number((*x)(i), 3));
    if (stribeck)
      for (const Eigen::VectorXd* x : {&f.stribeck_level, &f.stribeck_level_deviation,
                                       &f.stribeck_velocity, &f.stribeck_velocity_deviation})
        cells.push_back(number((*x)(i), 3));
    table.row(cells);
  }
  return s + panel(table.str());
}

}  // namespace

std::string identify_page(const PageNames& names, const Identification& r) {
  const Model& model = r.torques.model();
  const Excitation& excitation = r.chosen.estimate.excitation;
  std::string remarks, plots;
  for (const Remark& remark : r.remarks)
    remarks += fmt::format("<div class='remark{}'>{}</div>\n", remark.finding ? " finding" : "",
                           safe(remark.text));
  const std::vector<std::string> joints = model.velocity_names();
  for (int i = 0; i < model.nv(); ++i)
    plots += fmt::format("<h3>{}</h3>\n", safe(joints[i])) + torque_plot(r, i);
  const std::string torque_keys =
      line_key("measured", "measured") +
      line_key("predicted", r.online ? "predicted before learning" : "predicted", true) +
      line_key("residual", "residual") +
      (r.validation_samples > 0 ? box_key("held", "held out") : "") +
      line_key("bad", fmt::format("cut-off, {:g} Hz", r.filter_hz), true);
  const bool none_known = r.base.known.empty();
  const std::string structure_keys =
      box_key("base", "base parameter") + box_key("dependent", "dependent") +
      box_key("idle", "without effect") + (none_known ? "" : box_key("known", "known")) +
      box_key("zero", "zero by structure");
  const std::string body = fmt::format(
      fmt::runtime(asset("identify.html")), fmt::arg("name", safe(model.name())),
      fmt::arg("log_count", counted(r.logs.size(), "log")), fmt::arg("robot", safe(names.robot)),
      fmt::arg("prior", safe(names.prior)), fmt::arg("method", safe(names.method)),
      fmt::arg("filter", safe(r.filter)), fmt::arg("hz", r.filter_hz), fmt::arg("cards", cards(r)),
      fmt::arg("remarks", remarks), fmt::arg("comparison", comparison(names, r)),
      fmt::arg("online", online(r)), fmt::arg("refinement", refinement(r)),
      fmt::arg("late", r.online ? fmt::format(" (causal while learning, {:.3g} ms late)",
                                              1e3 * r.online->delay)
                                : ""),
      fmt::arg("joints", joint_table(r)), fmt::arg("torque_keys", torque_keys),
      fmt::arg("torque_plots", plots), fmt::arg("unknowns", r.torques.unknowns()),
      fmt::arg("base_size", r.base.size()), fmt::arg("dependent", r.base.dependent.size()),
      fmt::arg("idle", r.base.idle.size()),
      fmt::arg("known", none_known ? "" : fmt::format(", and {} were known", r.base.known.size())),
      fmt::arg("structure_keys", structure_keys), fmt::arg("structure_plot", structure_plot(r)),
      fmt::arg("rank", excitation.rank), fmt::arg("condition", number(excitation.condition, 3)),
      fmt::arg("singular_value_plot", singular_value_plot(r)),
      fmt::arg("plain_key", r.plain ? "<span class='bad'>○</span> ordinary least squares, " : ""),
      fmt::arg("margin_plot", margin_plot(r)), fmt::arg("learned_enough", 100.0 * learned_enough),
      fmt::arg("parameters", parameters(r)), fmt::arg("base_parameters", base_parameters(r)),
      fmt::arg("logs", logs(r)), fmt::arg("version", ULNA_VERSION));
  return html_page(model.name() + ": identification", {"identify.css"}, body);
}

}  // namespace ulna::cli
