#include "identify_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "identify_summary.hpp"
#include "report.hpp"
#include "report_page.hpp"
#include "residual_blocks.hpp"
#include "ulna/derivatives/regressor.hpp"
#include "ulna/model/configuration.hpp"

namespace ulna::cli {
namespace {

using namespace identify;

using Eigen::Index;
using Eigen::VectorXd;

// --- torques -------------------------------------------------------------------------------------

/// Traces laid one behind the other on one axis of seconds.
struct Timeline {
  std::vector<double> begin;  ///< of each trace
  std::vector<char> apart;    ///< whether there is a gap before it

  explicit Timeline(const std::vector<Trace>& traces) {
    double total = 0.0, end = 0.0;
    for (const Trace& t : traces) total += length(t);
    for (std::size_t i = 0; i < traces.size(); ++i) {
      // a split log goes on where it was cut; other pieces stand a little apart
      apart.push_back(false);
      if (i > 0) {
        const Trace &last = traces[i - 1], &next = traces[i];
        const double gap = next.t(0) - last.t(last.t.size() - 1);
        apart.back() = last.file != next.file || gap <= 0.0 || gap >= 1.5 / next.rate_hz;
        end += apart.back() ? 0.01 * total : gap;
      }
      begin.push_back(end);
      end += length(traces[i]);
    }
  }
  static double length(const Trace& t) { return t.t(t.t.size() - 1) - t.t(0); }
};

/// Of all traces, with nothing between those that are apart.
TimedLine line_of(const Identification& result, const Timeline& timeline, std::string name,
                  std::string_view colour, const std::function<VectorXd(const Trace&)>& of) {
  Index samples = std::ranges::count(timeline.apart, true);
  for (const Trace& t : result.traces) samples += t.t.size();
  TimedLine line{std::move(name), VectorXd(samples), VectorXd(samples), colour};
  Index at = 0;
  for (std::size_t i = 0; i < result.traces.size(); ++i) {
    const Trace& t = result.traces[i];
    const Index n = t.t.size();
    if (timeline.apart[i]) line.time(at) = line.time(at - 1), line.y(at++) = std::nan("");
    line.time.segment(at, n) = t.t.array() - t.t(0) + timeline.begin[i];
    line.y.segment(at, n) = of(t);
    at += n;
  }
  return line;
}

/// Torques of a joint, measured and predicted, and what is left.
std::vector<Json> time_plots(const Identification& result, const Timeline& timeline, int joint,
                             const std::string& name, const std::string& unit, Report& report) {
  Json spans = Json::array();
  for (std::size_t i = 0; i < result.traces.size(); ++i)
    if (const Trace& t = result.traces[i]; t.validation)
      spans.push_back(
          {{"from", timeline.begin[i]}, {"to", timeline.begin[i] + Timeline::length(t)}});
  const auto line = [&](const char* what, const char* colour, auto of) {
    return line_of(result, timeline, what, colour, of);
  };
  TimedLine predicted =
      line(result.online ? "predicted before learning" : "predicted", "series-2",
           [joint](const Trace& t) -> VectorXd { return t.predicted.row(joint); });
  predicted.dashed = true;
  std::vector<Json> plots{
      report.lines.plot(
          name, unit,
          {line("measured", "series-1",
                [joint](const Trace& t) -> VectorXd { return t.measured.row(joint); }),
           std::move(predicted)}),
      report.lines.plot("residual", unit,
                        {line("residual", "series-8", [joint](const Trace& t) -> VectorXd {
                          return t.measured.row(joint) - t.predicted.row(joint);
                        })})};
  for (Json& plot : plots) plot["spans"] = spans;
  return plots;
}

Json joint_table(const Identification& r) {
  std::vector<std::string> titles{
      "joint", ">noise", ">error, rms",
      fmt::format(">{}, {:g} Hz", r.online ? "at the end" : "fit", r.filter_hz)};
  std::vector<const Fit*> fits{&r.chosen.fit};
  const auto add = [&](const std::string& title, const Fit& fit) {
    titles.push_back(title);
    fits.push_back(&fit);
  };
  if (r.chosen.validation)
    add(fmt::format(">held out, {:g} Hz", r.filter_hz), *r.chosen.validation);
  if (r.online)
    add(">predicted online", r.online->run), add(">its second half", r.online->second_half);
  ReportTable table(titles);
  const std::vector<std::string> names = r.torques.model().velocity_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto joint = Index(i);
    std::vector<Json> cells{visible(names[i]), number(r.chosen.estimate.noise(joint), 3),
                            number(r.chosen.fit.rms(joint), 3)};
    for (const Fit* fit : fits) cells.push_back(percent(fit->per_joint_percent(joint)));
    table.row(std::move(cells));
  }
  std::vector<Json> total{"total", "", ""};
  for (const Fit* fit : fits) total.push_back(percent(fit->total_percent));
  table.row(std::move(total));
  return table.json();
}

void add_torques(const Identification& r, Report& report) {
  report.heading("Torques");
  report.text(fmt::format(
      "Errors are root mean squares in percent of the torque's, all signals filtered at {:g} Hz{}. "
      "Noise is the "
      "standard deviation of the residual, in the torque's unit.",
      r.filter_hz,
      r.online ? fmt::format(" (causal while learning, {:.3g} ms late)", 1e3 * r.online->delay)
               : ""));
  report.add(joint_table(r));
  const Residuals left = residuals_shown(r);
  if (const Json table = pattern_table(r, left); !table.is_null()) {
    report.text(
        "What is not explained, by what it follows: shares of each residual's variance, beyond "
        "chance. "
        "From 10 % on, it is "
        "an effect that the model lacks, and is drawn below with what it means.");
    report.add(table);
  }
  report.text(fmt::format(
      "Of each joint: torque; residual; spectral density (a rise towards the cut-off, which is "
      "marked, is noise; a peak below "
      "it is an effect that the model lacks); residuals beside a normal distribution; "
      "autocorrelation (noise is alike for "
      "about the time of the filter, which is marked).{}",
      r.validation_samples > 0 ? " What is held out from the fit has a shaded ground." : ""));
  const Timeline timeline(r.traces);
  const std::vector<std::string> names = r.torques.model().velocity_names();
  for (int i = 0; i < r.torques.model().nv(); ++i) {
    const std::string unit(torque_unit(r.torques.model(), i));
    std::vector<Json> plots =
        time_plots(r, timeline, i, visible(names[std::size_t(i)]), unit, report);
    for (Json& plot : residual_plots(r, left, i)) plots.push_back(std::move(plot));
    report.plots("row", std::move(plots));
    for (const std::string& meaning : other_meanings(left, i))
      report.text(fmt::format("{}: {}.", visible(names[std::size_t(i)]), visible(meaning)));
  }
}

// --- what can be identified ----------------------------------------------------------------------

/// The largest that each torque depends on each parameter, at random states: what is zero at a few of them is zero everywhere.
Eigen::MatrixXd dependence(const TorqueModel& torques) {
  const Model& model = torques.model();
  const int n = model.nv();
  Eigen::MatrixXd most = Eigen::MatrixXd::Zero(n, torques.unknowns());
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Kinematics<double> at(model);
  RegressorWorkspace<double> ws(model);
  RowMatX<double> Y(n, torques.inertial_size());
  for (int s = 0; s < 8; ++s) {
    VectorXd v(n), a(n);
    for (int i = 0; i < n; ++i) v(i) = normal(random), a(i) = normal(random);
    at.set(random_configuration(model, random), v, a);
    torque_regressor<double>(at, ws, Y);
    most.leftCols(torques.inertial_size()) =
        most.leftCols(torques.inertial_size()).cwiseMax(Y.cwiseAbs());
  }
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < torques.feature_count(); ++k) most(i, torques.at(i, k)) = 1.0;
  return most;
}

/// Which torque depends on which parameter, and what becomes of each (Cărămizaru 2023, Figs. 4.3 and 4.5).
Json structure(const Identification& result) {
  const TorqueModel& torques = result.torques;
  const Model& model = torques.model();
  std::string kinds(std::size_t(torques.unknowns()), '1');  // base parameters
  for (const int k : result.base.dependent) kinds[std::size_t(k)] = '2';
  for (const int k : result.base.idle) kinds[std::size_t(k)] = '3';
  for (const int k : result.base.known) kinds[std::size_t(k)] = '4';
  const Eigen::MatrixXd most = dependence(torques);
  const double nothing = 1e-10 * most.maxCoeff();

  Json rows = Json::array(), cells = Json::array(), groups = Json::array();
  const std::vector<std::string> joints = model.velocity_names();
  for (int i = 0; i < model.nv(); ++i) {
    std::string row = kinds;
    for (int k = 0; k < torques.unknowns(); ++k)
      if (most(i, k) <= nothing) row[std::size_t(k)] = '0';
    rows.push_back(visible(joints[std::size_t(i)])), cells.push_back(std::move(row));
  }
  rows.push_back("all"), cells.push_back(kinds);
  for (int b = 1; b <= model.joint_count(); ++b)
    groups.push_back({{"name", visible(model.body_name(b))}, {"size", 10}});
  if (const int more = torques.unknowns() - torques.inertial_size(); more > 0)
    groups.push_back({{"name", "friction, rotors"}, {"size", more}});
  Json names{{{"name", "base parameter"}, {"color", "series-1"}},
             {{"name", "dependent"}, {"color", "series-5"}},
             {{"name", "without effect"}, {"color", "faint"}}};
  if (!result.base.known.empty()) names.push_back({{"name", "known"}, {"color", "series-4"}});
  return {
      {"kind", "matrix"}, {"rows", rows}, {"groups", groups}, {"kinds", names}, {"cells", cells}};
}

/// The singular values of the regressor's columns of base parameters, scaled to one length.
Json singular_value_plot(const Identification& result) {
  const Excitation& excitation = result.chosen.estimate.excitation;
  const VectorXd& values = excitation.singular_values;
  const auto line = [&](const char* name, Index from, Index to) {
    Json y = Json::array();
    for (Index k = 0; k < values.size(); ++k)
      y.push_back(k >= from && k < to ? Json(values(k)) : Json());
    return Json{{"name", name}, {"y", std::move(y)}};
  };
  const Index rank = std::min<Index>(excitation.rank, values.size());
  Json plot{{"title", "singular values"},
            {"along", "th"},
            {"log", true},
            {"x", curve_numbers(VectorXd::LinSpaced(values.size(), 1.0, double(values.size())))},
            {"lines", {line("excited", 0, rank)}},
            {"styles", {{{"color", "series-1"}, {"form", "dots"}}}}};
  if (rank < values.size()) {
    plot["lines"].push_back(line("not excited", rank, values.size()));
    plot["styles"].push_back({{"color", "bad"}, {"form", "dots"}});
  }
  return {{"kind", "plots"}, {"size", "wide"}, {"plots", {plot}}};
}

/// Where a number of either sign stands on a scale of decades around zero.
double signed_decades(double x) {
  constexpr double smallest = 1e-7;
  return std::copysign(std::log10(1.0 + std::abs(x) / smallest), x);
}

/// How far each body is from one that cannot exist, by plain least squares and by the estimate.
Json margin_table(const Identification& result) {
  constexpr double reach = 7.5;  // decades
  std::vector<std::string> titles{"body", "", ">estimate"};
  if (result.plain) titles.push_back(">least squares");
  ReportTable table(titles, "Consistency");
  for (int b = 0; b < result.torques.model().joint_count(); ++b) {
    const auto margin = [b](const Assessment& a) { return a.bodies[std::size_t(b)].margin; };
    const auto place = [&](const Assessment& a) {
      return signed_decades(std::isfinite(margin(a)) ? margin(a) : -1.0);
    };
    Json dots = Json::array(), bar;
    if (result.plain) {
      dots.push_back({{"at", place(*result.plain)}, {"color", "bad"}, {"hollow", true}});
      bar = {place(*result.plain), place(result.chosen)};
    }
    const bool ok = result.chosen.bodies[std::size_t(b)].ok();
    dots.push_back({{"at", place(result.chosen)}, {"color", ok ? "good" : "bad"}});
    std::vector<Json> cells{visible(result.torques.model().body_name(b + 1)),
                            Json{{"scale",
                                  {{"low", -reach},
                                   {"high", reach},
                                   {"shade", {-reach, 0.0}},
                                   {"bar", bar},
                                   {"dots", dots}}}},
                            number(margin(result.chosen), 2)};
    if (result.plain) cells.push_back(number(margin(*result.plain), 2));
    table.row(std::move(cells));
  }
  return table.json();
}

void add_structure(const Identification& r, Report& report) {
  const Excitation& excitation = r.chosen.estimate.excitation;
  report.heading("What can be identified");
  report.text(fmt::format(
      "Which torque (row) depends on which parameter (column): for each link m, mx, my, mz, Ixx, "
      "Ixy, Ixz, Iyy, Iyz, "
      "Izz, then friction and rotors. Of {} parameters, {} are base parameters; {} are "
      "identifiable only together with "
      "those, {} not at all{}. The line at the bottom shows the kind of every column.",
      r.torques.unknowns(), r.base.size(), r.base.dependent.size(), r.base.idle.size(),
      r.base.known.empty() ? "" : fmt::format(", and {} were known", r.base.known.size())));
  report.add(structure(r));
  report.text(fmt::format(
      "Singular values of the base regressor, columns scaled to equal length: rank {} of {}, "
      "condition {}. "
      "Consistency: the smallest eigenvalue of each body's pseudo-inertia, over the largest; below "
      "zero the body is not "
      "physically possible{}.",
      excitation.rank, r.base.size(), number(excitation.condition, 3),
      r.plain ? "; the hollow dot is ordinary least squares, the full one the estimate" : ""));
  report.columns({singular_value_plot(r), margin_table(r)});
}

// --- figures and tables --------------------------------------------------------------------------

void add_cards(const Identification& r, Report& report) {
  const Estimate& e = r.chosen.estimate;
  const std::string at = fmt::format(" at {:g} Hz", r.filter_hz);
  report.card(percent(r.chosen.fit.total_percent), "torque error of the fit," + at);
  if (r.chosen.validation)
    report.card(percent(r.chosen.validation->total_percent), "on motion held out," + at);
  if (r.online)
    report.card(percent(r.online->second_half.total_percent),
                "predicted online, second half," + at);
  report.card(e.consistent ? "physical" : "not physical",
              e.consistent ? "every body can exist" : "bodies that cannot exist",
              e.consistent ? "good" : "bad");
  report.card(fmt::format("{} / {}", e.excitation.rank, r.base.size()),
              fmt::format("base parameters excited; {} of bodies", r.inertial_base()));
  report.card(number(e.excitation.condition, 3), "condition of the regressor");
}

/// What is not explained, and by which model.
std::string lead(const Identification& r) {
  const Fit& fit = r.chosen.validation ? *r.chosen.validation : r.chosen.fit;
  return fmt::format("{} of the torque is not explained{}. Model: {}.", percent(fit.total_percent),
                     r.chosen.validation ? ", on motion that was held out" : "",
                     visible(model_in_words(r)));
}

/// What is known how well, what is suspicious, and what to do next; findings stand above it.
Json explanation(const ReportNames& names, const Identification& r) {
  ReportTable table({"", ""});
  for (const auto& [what, text] : explanation_of(r, names.robot))
    if (!std::ranges::count(r.remarks, text, &Remark::text))
      table.row({Json{{"text", what}, {"tone", "soft"}}, visible(text)});
  return table.json();
}

Json comparison(const ReportNames& names, const Identification& r) {
  ReportTable table({"estimate", fmt::format(">fit, {:g} Hz", r.filter_hz),
                     fmt::format(">held out, {:g} Hz", r.filter_hz), ">bodies that cannot exist",
                     ">configurations with indefinite M(q)"});
  const auto one = [&](const std::string& name, const Assessment& j) {
    const auto bad = std::ranges::count_if(j.bodies, [](const Consistency& c) { return !c.ok(); });
    table.row({name, percent(j.fit.total_percent),
               j.validation ? percent(j.validation->total_percent) : "-",
               fmt::format("{} of {}", bad, j.bodies.size()), percent(j.indefinite_percent)});
  };
  if (r.plain) one("ordinary least squares", *r.plain);
  if (r.start) one("consistent, which refinement began with", *r.start);
  one(visible(names.method), r.chosen);
  return table.json();
}

/// "mass", "viscous": what a parameter is of, so that those of a kind share a scale.
std::string kind_of(const std::string& name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  if (last.size() == 2 && last[0] == 'm') return "moment";
  if (last.size() == 3 && last[0] == 'I') return "inertia";
  return last;
}

/// A number with its deviation beside the prior's, between low and high.
Json interval(double value, double deviation, double prior, double low, double high) {
  Json scale{{"low", drawn(low)}, {"high", drawn(high)}, {"dots", Json::array()}};
  if (std::isfinite(deviation) && std::isfinite(value))
    scale["bar"] = {drawn(value - 2.0 * deviation), drawn(value + 2.0 * deviation)};
  if (std::isfinite(prior))
    scale["dots"].push_back({{"at", drawn(prior)}, {"color", "soft"}, {"hollow", true}});
  if (std::isfinite(value)) scale["dots"].push_back({{"at", drawn(value)}, {"color", "accent"}});
  return {{"scale", std::move(scale)}};
}

Json parameters(const Identification& r) {
  const Estimate& e = r.chosen.estimate;
  const std::vector<std::string> names = r.torques.names(), units = r.torques.units();
  std::map<std::string, std::pair<double, double>> range;
  for (int k = 0; k < r.torques.unknowns(); ++k) {
    auto& [low, high] = range[kind_of(names[std::size_t(k)])];
    for (const double v : {e.z(k), e.prior(k)})
      if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  }
  ReportTable table(
      {"parameter", ">prior", ">estimate", ">± deviation", "unit", "learned", "", "state"});
  std::string group;
  for (int k = 0; k < r.torques.unknowns(); ++k) {
    const std::string& name = names[std::size_t(k)];
    const std::string owner = name.substr(0, name.rfind('.'));
    if (owner != group) table.group(visible(group = owner));
    const auto& [low, high] = range[kind_of(name)];
    const double margin = 0.05 * (high - low);
    const std::string_view state = r.state(k);
    const double learned = std::clamp(e.learned(k), 0.0, 1.0);
    table.row({visible(name.substr(owner.size() + 1)), number(e.prior(k)), number(e.z(k)),
               number(e.deviation(k), 2), units[std::size_t(k)],
               Json{{"share", drawn(learned)}, {"text", fmt::format("{:.0f} %", 100.0 * learned)}},
               interval(e.z(k), e.deviation(k), e.prior(k), low - margin, high + margin), state},
              state == "estimated" ? "" : "soft");
  }
  return table.json();
}

Json base_parameters(const Identification& r) {
  const Estimate& e = r.chosen.estimate;
  const std::vector<std::string> names = r.torques.names(), units = r.torques.units();
  ReportTable table({">#", "combination", ">value", ">± deviation", "unit"});
  for (int i = 0; i < r.base.size(); ++i)
    table.row({i + 1, Json{{"text", visible(r.base.name(i, names))}, {"code", true}},
               number(e.base(i)), number(e.base_deviation(i), 2),
               units[std::size_t(r.base.independent[std::size_t(i)])]});
  return table.json();
}

void add_choice(const Identification& r, Report& report) {
  if (!r.choice) return;
  report.heading("How the model was chosen");
  report.text(
      "Each model is fitted to all parts of the motion but one, and predicts that one. Gain: how "
      "much "
      "likelier (nats) the parts "
      "held out are than by the model before; a change is taken if it gains more than 5 and twice "
      "its deviation.",
      "soft");
  report.add(choice_report(*r.choice));
}

void add_logs(const Identification& r, Report& report) {
  report.heading("Logs");
  ReportTable table({"file", "use", ">rows", ">used", ">seconds", ">rate, Hz", ">jitter",
                     ">dropped", ">gaps", "clock"});
  for (const LogSummary& log : r.logs) {
    const LogFigures& f = log.figures;
    table.row({visible(log.file), log.use == "both" ? "fit, rest held out" : log.use, f.rows,
               f.samples, number(f.duration), number(f.rate_hz), percent(100.0 * f.jitter),
               fmt::format("{} corrupt, {} outliers, {} twice, {} held, {} out of time", f.corrupt,
                           f.outliers, f.duplicates, f.held, f.out_of_time),
               f.gaps,
               log.clock.repaired ? fmt::format("repaired: {:.4g} Hz", 1.0 / log.clock.period)
                                  : "as logged"});
  }
  report.add(table.json());
  if (r.delay.found)
    report.text(fmt::format(
        "Torques seem to be measured {:.1f} ± {:.1f} ms after motion, beyond what was compensated.",
        1e3 * r.delay.delay, 1e3 * r.delay.deviation));
  if (r.found.list().empty()) return;
  ReportTable screening({"", "", "", ""}, "Findings of the screening");
  for (const Diagnostic& d : r.found.list())
    screening.row({to_string(d.severity), visible(d.source.str()),
                   visible((d.subject.empty() ? "" : d.subject + ": ") + d.seen +
                           (d.assumed.empty() ? "" : "; " + d.assumed)),
                   Json{{"text", d.rule->name}, {"code", true}}},
                  d.severity == Severity::note ? "soft" : "");
  report.add(screening.json());
}

void add_online(const OnlineFigures& o, Report& report) {
  report.heading("Online");
  report.text(fmt::format(
      "{} updates at {:.4g} Hz. Each torque was predicted before it was used: the error is {} over "
      "the run and {} in its "
      "second half, where that of the prior alone is {}. The parameters were physical {}. {} "
      "samples were rejected as "
      "outliers, {} changes detected, {} samples ignored. An update took {:.3g} µs in the median "
      "and {:.3g} µs in the 99th "
      "percentile, on this machine.",
      o.updates(), o.rate_hz, percent(o.run.total_percent), percent(o.second_half.total_percent),
      percent(o.prior_percent), o.always_consistent ? "after every one" : "not after every one",
      o.doubted, o.changed, o.ignored, o.median_us, o.percentile_99_us));
}

void add_refinement(const Identification& r, const Refinement& f, Report& report) {
  report.heading("Refinement");
  report.text(
      fmt::format("Multiple shooting on positions and velocities: {}. The solver's message: {}",
                  visible(f.str()), visible(f.reason)));
  if (f.delay_deviation != 0.0)
    report.text(fmt::format(
        "Torques are measured {:.2f}{} ms after motion; all figures allow for it.", 1e3 * f.delay,
        f.has_deviations ? fmt::format(" ± {:.2f}", 1e3 * f.delay_deviation) : ""));
  const bool stribeck = f.stribeck_level.size() > 0;
  std::vector<std::string> titles{"joint", ">position, before", ">after", ">velocity, before",
                                  ">after"};
  if (stribeck) titles.insert(titles.end(), {">Stribeck level", ">±", ">Stribeck velocity", ">±"});
  report.text(
      "Simulated less measured, root mean squares, from measured states with the numbers before, "
      "and in the end:");
  ReportTable table(titles);
  const std::vector<std::string> names = r.torques.model().velocity_names();
  std::vector<const VectorXd*> columns{&f.position_before, &f.position_after, &f.velocity_before,
                                       &f.velocity_after};
  if (stribeck)
    columns.insert(columns.end(), {&f.stribeck_level, &f.stribeck_level_deviation,
                                   &f.stribeck_velocity, &f.stribeck_velocity_deviation});
  for (Index i = 0; i < f.position_after.size(); ++i) {
    std::vector<Json> cells{visible(names[std::size_t(i)])};
    for (const VectorXd* column : columns) cells.push_back(number((*column)(i), 3));
    table.row(std::move(cells));
  }
  report.add(table.json());
}

}  // namespace

std::string identify_report(const ReportNames& names, const Identification& r) {
  const std::string& robot = r.torques.model().name();
  Report report{fmt::format("{}: identified from {}", robot, counted(r.logs.size(), "log")),
                fmt::format("{} · prior {} · method {} · {}", names.robot, names.prior,
                            names.method, r.filter),
                lead(r)};
  add_cards(r, report);
  Json remarks = Json::array();
  for (const Remark& remark : r.remarks)
    remarks.push_back({{"text", visible(remark.text)}, {"tone", remark.finding ? "bad" : ""}});
  if (!remarks.empty()) report.add({{"kind", "remarks"}, {"items", remarks}});
  report.add(explanation(names, r));
  report.add(comparison(names, r));
  if (r.online) add_online(*r.online, report);
  if (r.refined) add_refinement(r, *r.refined, report);
  add_torques(r, report);
  add_choice(r, report);
  add_structure(r, report);
  report.heading("Parameters");
  report.text(
      fmt::format("About the origin of each link's joint frame. Learned is the share of the "
                  "information that comes from the logs; "
                  "below {:.0f} % a parameter is reported as the prior's. Circles: prior (hollow), "
                  "estimate (full) with two standard "
                  "deviations, on one scale for all of a kind.",
                  100.0 * learned_enough));
  report.add(parameters(r));
  report.heading("Base parameters");
  report.text("The combinations that torques depend on, with their standard deviations.");
  report.add(base_parameters(r));
  add_logs(r, report);
  return report.html();
}

}  // namespace ulna::cli
