#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identification.hpp"
#include "identify_page.hpp"
#include "output_file.hpp"
#include "report.hpp"
#include "robot_argument.hpp"
#include "states.hpp"
#include "table.hpp"
#include "text.hpp"
#include "verb.hpp"

namespace ulna::cli {
namespace {

struct Options {
  RobotArgument robot;
  IdentifySettings settings;
  std::string gain, friction = "viscous,coulomb,offset", prior, method = "consistent", out, report;
  bool armature = false, force = false;
};

// --- the command line ----------------------------------------------------------------------------

/// Methods of the library by their names, and refinement of what the last of them finds.
constexpr const char* methods = "ols, wls, irls, tls, ridge, consistent, refine";

std::vector<Feature> features_named(const std::string& list, bool armature) {
  std::vector<Feature> features;
  if (list != "none")
    for (std::size_t from = 0; from <= list.size();) {
      const std::size_t to = std::min(list.find(',', from), list.size());
      const std::string name = list.substr(from, to - from);
      from = to + 1;
      if (name == "asymmetric") {
        features.push_back(Feature::coulomb_positive);
        features.push_back(Feature::coulomb_negative);
        continue;
      }
      const auto feature = feature_named(name);
      if (!feature || *feature == Feature::armature)
        throw UsageError(fmt::format(
            "--friction: '{}' is not one of viscous, coulomb, asymmetric, load, offset, "
            "coulomb_positive, coulomb_negative, or none alone",
            name));
      features.push_back(*feature);
    }
  if (armature) features.push_back(Feature::armature);
  return features;
}

/// Takes a name out of a list. Whether it was there.
bool without(std::string& list, std::string_view name) {
  std::string rest;
  bool found = false;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t to = std::min(list.find(',', from), list.size());
    const std::string one = list.substr(from, to - from);
    from = to + 1;
    if (one == name)
      found = true;
    else
      rest += (rest.empty() ? "" : ",") + one;
  }
  if (found) list = rest.empty() ? "none" : rest;
  return found;
}

/// Everything that can be said of the options before any work.
IdentifySettings settings_of(const Options& options) {
  IdentifySettings s = options.settings;
  s.refine = options.method == "refine";
  std::string friction = options.friction;
  s.stribeck = without(friction, "stribeck");
  s.features = features_named(friction, options.armature);
  if (s.refine && !can_refine())
    throw UsageError(
        "--method refine: this ulna was built without Ceres (Debian: libceres-dev); the best "
        "method "
        "without is consistent");
  if (s.stribeck && !s.refine)
    throw UsageError(
        "--friction: stribeck is not linear in its numbers; only --method refine finds it");
  const auto dry = [](Feature f) {
    return f == Feature::coulomb || f == Feature::coulomb_positive ||
           f == Feature::coulomb_negative;
  };
  if (s.stribeck && std::none_of(s.features.begin(), s.features.end(), dry))
    throw UsageError("--friction: stribeck is what coulomb friction grows by: name coulomb too");
  if (s.delay && !s.refine)
    throw UsageError("--delay: only --method refine finds a delay beside everything else");
  if (s.refine)
    s.method = Method::consistent;
  else if (const auto method = method_named(options.method))
    s.method = *method;
  else
    throw UsageError(fmt::format("--method: '{}' is not one of {}", options.method, methods));
  if (!options.gain.empty()) {
    const std::vector<double> gains = numbers(options.gain, "--gain");
    s.gains =
        Eigen::Map<const Eigen::VectorXd>(gains.data(), static_cast<Eigen::Index>(gains.size()));
    for (const double gain : gains)
      if (!std::isfinite(gain) || gain == 0.0)
        throw UsageError("--gain: a gain must be a number other than zero");
  }
  if (!(s.filter_hz > 0.0) || !std::isfinite(s.filter_hz))
    throw UsageError("--filter: the cut-off must be a positive number of Hz");
  s.prior.from_robot = options.prior != "none";
  if (s.split != 0.0 && !(s.split > 0.0 && s.split < 1.0))
    throw UsageError("--split: the share that is fitted must be between 0 and 1");
  if (s.split != 0.0 && !s.validate.empty())
    throw UsageError("--split and --validate exclude each other");
  if (s.online && s.split != 0.0)
    throw UsageError("--online predicts before it learns, so there is nothing to --split");
  if (s.online && !s.payload.empty())
    throw UsageError("--online learns all bodies; --payload is for logs as a whole");
  if (s.online && (s.refine || s.method != Method::consistent))
    throw UsageError("--online is physically consistent; --method is for logs as a whole");
  auto streams = std::count(s.logs.begin(), s.logs.end(), "-") +
                 std::count(s.validate.begin(), s.validate.end(), "-");
  streams += (options.robot.name == "-") + (options.prior == "-");
  if (streams > 1) throw UsageError("standard input (-) can be read only once");
  try {
    (void)TorqueModel(load_robot("pendulum").model, s.features);
  } catch (const std::invalid_argument& e) {
    throw UsageError(fmt::format("--friction: {}", e.what()));
  }
  return s;
}

// --- JSON ----------------------------------------------------------------------------------------

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(); }
Json list(const Eigen::VectorXd& v) {
  Json all = Json::array();
  for (const double x : v) all.push_back(number(x));
  return all;
}

Json fit_json(const Fit& fit, double filter_hz, Eigen::Index samples) {
  return {{"per_joint_percent", list(fit.per_joint_percent)},
          {"total_percent", number(fit.total_percent)},
          {"rms", list(fit.rms)},
          {"filter_hz", filter_hz},
          {"samples", samples}};
}

Json log_json(const LogSummary& log) {
  const LogFigures& f = log.figures;
  return {{"file", log.file},
          {"use", log.use},
          {"rows", f.rows},
          {"samples", f.samples},
          {"duration", f.duration},
          {"rate_hz", number(f.rate_hz)},
          {"jitter", number(f.jitter)},
          {"corrupt", f.corrupt},
          {"outliers", f.outliers},
          {"duplicates", f.duplicates},
          {"held", f.held},
          {"out_of_time", f.out_of_time},
          {"gaps", f.gaps},
          {"pieces", f.pieces},
          {"clock_repaired", log.clock.repaired}};
}

Json online_json(const OnlineFigures& o, double filter_hz) {
  const auto prediction = [&](const Fit& fit) {
    return Json{{"per_joint_percent", list(fit.per_joint_percent)},
                {"total_percent", number(fit.total_percent)},
                {"filter_hz", filter_hz}};
  };
  return {{"run", prediction(o.run)},
          {"second_half", prediction(o.second_half)},
          {"prior_percent", number(o.prior_percent)},
          {"consistent_at_every_step", o.always_consistent},
          {"filter_delay", o.delay},
          {"rate_hz", o.rate_hz},
          {"updates", o.learned + o.doubted + o.changed + o.ignored},
          {"learned", o.learned},
          {"doubted", o.doubted},
          {"changed", o.changed},
          {"ignored", o.ignored},
          {"median_us", o.median_us},
          {"percentile_99_us", o.percentile_99_us}};
}

Json refinement_json(const Refinement& r, const Judged& start) {
  const auto with_deviation = [](double value, double deviation) {
    return Json{{"value", number(value)}, {"deviation", number(deviation)}};
  };
  Json stribeck = Json::array();
  for (Eigen::Index i = 0; i < r.stribeck_level.size(); ++i)
    stribeck.push_back(
        {{"level", with_deviation(r.stribeck_level(i), r.stribeck_level_deviation(i))},
         {"velocity", with_deviation(r.stribeck_velocity(i), r.stribeck_velocity_deviation(i))}});
  return {{"status", to_string(r.status)},
          {"reason", r.reason},
          {"iterations", r.iterations},
          {"seconds", r.seconds},
          {"windows", r.windows},
          {"window", r.window},
          {"samples", r.samples},
          {"position_before", list(r.position_before)},
          {"position_after", list(r.position_after)},
          {"velocity_before", list(r.velocity_before)},
          {"velocity_after", list(r.velocity_after)},
          {"stribeck", r.stribeck_level.size() ? stribeck : Json()},
          {"delay", r.delay_deviation > 0.0 ? with_deviation(r.delay, r.delay_deviation) : Json()},
          {"start_fit_percent", number(start.fit.total_percent)},
          {"start_validation_percent",
           start.validation ? number(start.validation->total_percent) : Json()}};
}

Json json_of(Console& console, const Options& options, const Imported& robot,
             const Identification& r) {
  const Estimate& e = r.chosen.estimate;
  Json d = console.document();
  d["robot"] = {
      {"name", robot.model.name()}, {"source", options.robot.source()}, {"dof", robot.model.nv()}};
  d["method"] = r.online ? "online" : options.method;
  d["prior"] = options.prior.empty() ? options.robot.source() : options.prior;
  d["friction"] = Json::array();
  for (const Feature f : r.torques.features()) d["friction"].push_back(to_string(f));
  d["filter_hz"] = r.filter_hz;
  d["filter"] = r.filter;
  d["consistent"] = e.consistent;
  d["fit"] = fit_json(r.chosen.fit, r.filter_hz, r.samples);
  d["validation"] = r.chosen.validation
                        ? fit_json(*r.chosen.validation, r.filter_hz, r.validation_samples)
                        : Json();
  if (r.chosen.validation) d["validation"]["repeated_percent"] = r.repeated_percent;
  d["online"] = r.online ? online_json(*r.online, r.filter_hz) : Json();
  d["refinement"] = r.refined ? refinement_json(*r.refined, *r.start) : Json();
  d["joints"] = robot.model.velocity_names();
  d["noise"] = list(e.noise);
  d["excitation"] = {{"rank", e.excitation.rank},
                     {"base_parameters", r.base.size()},
                     {"of_bodies", r.inertial_base()},
                     {"condition", number(e.excitation.condition)},
                     {"log_det", number(e.excitation.log_det)},
                     {"singular_values", list(e.excitation.singular_values)}};
  const std::vector<std::string> names = r.torques.names(), units = r.torques.units();
  d["parameters"] = Json::array();
  for (int k = 0; k < r.torques.unknowns(); ++k)
    d["parameters"].push_back({{"name", names[k]},
                               {"unit", units[k]},
                               {"value", number(e.z(k))},
                               {"deviation", number(e.deviation(k))},
                               {"prior", number(r.prior(k))},
                               {"learned", number(e.learned(k))},
                               {"state", r.state(k)}});
  d["base_parameters"] = Json::array();
  for (int i = 0; i < r.base.size(); ++i)
    d["base_parameters"].push_back({{"expression", r.base.name(i, names)},
                                    {"unit", units[r.base.independent[i]]},
                                    {"value", number(e.base(i))},
                                    {"deviation", number(e.base_deviation(i))}});
  const auto consistency = [](const Judged& judged) {
    Json bodies = Json::array();
    for (const Consistency& c : judged.bodies) bodies.push_back(number(c.margin));
    return bodies;
  };
  d["bodies"] = Json::array();
  for (int b = 1; b < r.torques.model().body_count(); ++b)
    d["bodies"].push_back(
        {{"link", r.torques.model().body_name(b)},
         {"margin", number(r.chosen.bodies[static_cast<std::size_t>(b) - 1].margin)}});
  d["indefinite_percent"] = r.chosen.indefinite_percent;
  d["least_squares"] = Json();
  if (r.plain)
    d["least_squares"] = {
        {"consistent", r.plain->estimate.consistent},
        {"fit_percent", number(r.plain->fit.total_percent)},
        {"validation_percent",
         r.plain->validation ? number(r.plain->validation->total_percent) : Json()},
        {"margins", consistency(*r.plain)},
        {"indefinite_percent", r.plain->indefinite_percent}};
  d["torque_delay"] = {{"found", r.delay.found},
                       {"seconds", number(r.delay.delay)},
                       {"deviation", number(r.delay.deviation)}};
  d["logs"] = Json::array();
  for (const LogSummary& log : r.logs) d["logs"].push_back(log_json(log));
  d["out"] = options.out.empty() ? Json() : Json(options.out);
  d["report"] = options.report.empty() ? Json() : Json(options.report);
  d["findings"] = Json::array(), d["remarks"] = Json::array();
  for (const Remark& remark : r.remarks)
    d[remark.finding ? "findings" : "remarks"].push_back(remark.text);
  d["diagnostics"] = to_json(r.found);
  return d;
}

// --- text ----------------------------------------------------------------------------------------

std::string percent(double x) { return std::isfinite(x) ? fmt::format("{:.2f}", x) : "-"; }

/// At most so many columns, with dots where something is left out.
std::string shortened(const std::string& text, int width, const Stream& out) {
  if (columns(text) <= width) return text;
  std::string s = text;
  while (!s.empty() && columns(s) > width - 3) s.pop_back();
  return s.substr(0, s.find_last_of(' ') == s.npos ? s.size() : s.find_last_of(' ')) + " " +
         std::string(out.either("…", "..."));
}

std::string joint_table(const Identification& r, const Stream& out) {
  const bool turning = std::all_of(
      r.torques.model().joints().begin() + 1, r.torques.model().joints().end(), [](const Joint& j) {
        return j.type == JointType::revolute || j.type == JointType::continuous;
      });
  Table table(2);
  table.column({"#", "", true, 0});
  table.column({"joint", ""});
  table.column({"noise", turning ? "Nm" : "Nm|N", true});
  table.column({r.online ? "final" : "fit", "%", true});
  if (r.chosen.validation) table.column({"validation", "%", true});
  if (r.online) table.column({"predicted", "%", true}), table.column({"2nd half", "%", true});
  const std::vector<std::string> names = r.torques.model().velocity_names();
  const auto row = [&](std::string number, std::string name, std::string noise, auto value,
                       Style style) {
    std::vector<std::string> cells{std::move(number), std::move(name), std::move(noise),
                                   percent(value(r.chosen.fit))};
    if (r.chosen.validation) cells.push_back(percent(value(*r.chosen.validation)));
    if (r.online) {
      cells.push_back(percent(value(r.online->run)));
      cells.push_back(percent(value(r.online->second_half)));
    }
    table.row(std::move(cells), style);
  };
  for (std::size_t i = 0; i < names.size(); ++i)
    row(
        std::to_string(i + 1), names[i],
        fmt::format("{:.3g}", r.chosen.estimate.noise(static_cast<Eigen::Index>(i))),
        [&](const Fit& f) { return f.per_joint_percent(static_cast<Eigen::Index>(i)); },
        Style::plain);
  row(
      "", "total", "", [](const Fit& f) { return f.total_percent; }, Style::bold);
  return table.str(out);
}

std::string base_table(const Identification& r, const Stream& out) {
  const Estimate& e = r.chosen.estimate;
  const std::vector<std::string> names = r.torques.names(), units = r.torques.units();
  Table table(2);
  table.column({"#", "", true, 0});
  table.column({"base parameter", ""});
  table.column({"value", "", true});
  table.column({std::string(out.either("±", "+-")), "", true});
  table.column({"unit", ""});
  for (int i = 0; i < r.base.size(); ++i)
    table.row({std::to_string(i + 1), shortened(r.base.name(i, names), out.width() - 38, out),
               fmt::format("{:.4g}", e.base(i)), fmt::format("{:.2g}", e.base_deviation(i)),
               units[r.base.independent[i]]});
  return table.str(out);
}

std::string parameter_table(const Identification& r, const Stream& out) {
  const Estimate& e = r.chosen.estimate;
  const std::vector<std::string> names = r.torques.names(), units = r.torques.units();
  Table table(1);
  table.column({"parameter", "", false, 0});
  table.column({"prior", "", true});
  table.column({"value", "", true});
  table.column({std::string(out.either("±", "+-")), "", true});
  table.column({"unit", ""});
  table.column({"learned", "%", true});
  table.column({"state", ""});
  for (int k = 0; k < r.torques.unknowns(); ++k) {
    const std::string_view state = r.state(k);
    table.row({names[k], fmt::format("{:.4g}", r.prior(k)), fmt::format("{:.4g}", e.z(k)),
               std::isfinite(e.deviation(k)) ? fmt::format("{:.2g}", e.deviation(k)) : "-",
               units[k], fmt::format("{:.0f}", 100.0 * e.learned(k)), std::string(state)},
              state == "estimated" ? Style::plain : Style::dim);
  }
  return table.str(out);
}

std::string stribeck_table(const Identification& r, const Stream& out) {
  const Refinement& found = *r.refined;
  const std::string_view off = out.either("±", "+-");
  Table table(2);
  table.column({"#", "", true, 0});
  table.column({"Stribeck friction", ""});
  for (const char* of : {"level", "velocity"})
    table.column({of, "", true}), table.column({std::string(off), "", true});
  const std::vector<std::string> names = r.torques.model().velocity_names();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const auto cell = [](double x, int digits) { return fmt::format("{:.{}g}", x, digits); };
    table.row({std::to_string(k + 1), names[k], cell(found.stribeck_level(i), 4),
               cell(found.stribeck_level_deviation(i), 2), cell(found.stribeck_velocity(i), 4),
               cell(found.stribeck_velocity_deviation(i), 2)});
  }
  return table.str(out);
}

std::string refinement_text(const Identification& r) {
  std::string text = r.refined->str();
  if (r.refined->delay_deviation > 0.0)
    text += fmt::format("; torques are measured {:.2f} +- {:.2f} ms late, which is made up for",
                        1e3 * r.refined->delay, 1e3 * r.refined->delay_deviation);
  const Judged& start = *r.start;
  text +=
      fmt::format("; the consistent estimate it began with: {:.2f} % fit", start.fit.total_percent);
  if (start.validation)
    text += fmt::format(", {:.2f} % validation", start.validation->total_percent);
  return text;
}

std::string text_of(const Options& options, const Identification& r, const Stream& out) {
  const Estimate& e = r.chosen.estimate;
  std::string text =
      fmt::format("{}: {} from {}\n\n", out.paint(Style::bold, visible(r.torques.model().name())),
                  counted(static_cast<std::size_t>(r.base.size()), "base parameter"),
                  counted(r.logs.size(), "log"));
  const auto line = [&](std::string_view name, const std::string& what) {
    const std::string indent(12, ' ');
    std::string before = fmt::format("{:<12}", name);
    for (const std::string& part : wrap(visible(what), out.width() - 12)) {
      text += before + part + "\n";
      before = indent;
    }
  };
  line("method",
       r.online ? "online, physically consistent at every step by construction" : options.method);
  line("prior", options.prior.empty() ? options.robot.source() : options.prior);
  line("filter", r.online
                     ? fmt::format("{:g} Hz low-pass (Butterworth, order 4), causal: {:.3g} ms "
                                   "late; for 'final': {}",
                                   r.filter_hz, 1e3 * r.online->delay, r.filter)
                     : r.filter);
  if (r.refined) line("refined", refinement_text(r));
  line("samples",
       fmt::format("{} fitted{}", r.samples,
                   r.validation_samples ? fmt::format(", {} held out", r.validation_samples) : ""));
  line("excitation", fmt::format("rank {} of {} ({} of bodies, {} of joints), condition {:.3g}",
                                 e.excitation.rank, r.base.size(), r.inertial_base(),
                                 r.base.size() - r.inertial_base(), e.excitation.condition));
  line("consistent", fmt::format("{}; mass matrix indefinite in {:.3g} % of configurations{}",
                                 e.consistent ? "yes" : "no", r.chosen.indefinite_percent,
                                 r.plain ? fmt::format(" (plain least squares: {}, {:.3g} %)",
                                                       r.plain->estimate.consistent ? "yes" : "no",
                                                       r.plain->indefinite_percent)
                                         : ""));
  if (r.online) {
    const OnlineFigures& o = *r.online;
    line("online",
         fmt::format("{} updates, {} doubted, {} changes; physical {}; {:.3g} us median, {:.3g} us "
                     "99th percentile; {:.3g} % error in the second half, {:.3g} % by the prior "
                     "alone",
                     o.learned + o.doubted + o.changed + o.ignored, o.doubted, o.changed,
                     o.always_consistent ? "at every step" : "NOT at every step", o.median_us,
                     o.percentile_99_us, o.second_half.total_percent, o.prior_percent));
  }
  text += fmt::format("\ntorque error in percent of the torque, {:g} Hz\n", r.filter_hz);
  text += joint_table(r, out) + "\n";
  if (r.refined && r.refined->stribeck_level.size() > 0) text += stribeck_table(r, out) + "\n";
  text += base_table(r, out) + "\n" + parameter_table(r, out);
  return text + fmt::format(
                    "\nlearned: how much of what is known of a parameter is from the logs; "
                    "below {:.0f} %,\nit is told as the prior's\n",
                    100.0 * learned_enough);
}

// --- the verb ------------------------------------------------------------------------------------

int run_identify(const Options& options, Console& console) {
  const IdentifySettings settings = settings_of(options);
  for (const std::string& file : {options.out, options.report})
    if (!file.empty() && file != "-") refuse_overwriting(file, options.force);
  const Imported robot = options.robot.load();
  Model model = robot.model;
  if (settings.gains.size() > 0 && settings.gains.size() != model.nv())
    throw UsageError(fmt::format("--gain: {} for {}",
                                 counted(static_cast<std::size_t>(settings.gains.size()), "number"),
                                 counted(static_cast<std::size_t>(model.nv()), "joint")));
  if (!options.prior.empty() && options.prior != "none")
    model = with_prior_of(model, load_robot(options.prior).model);

  Progress progress(console.err, 8);
  const Identification result = identify_robot(
      model, settings,
      [&](int at, const std::string& what) { progress.at(static_cast<std::size_t>(at), what); });
  progress.clear();

  mention_warnings(console, options.robot, robot.diagnostics);
  console.err.print(to_text(console.err, result.found, false));
  for (const Remark& remark : result.remarks)
    console.err.print(fmt::format(
        "{} {}\n", console.err.paint(remark.finding ? Style::red : Style::yellow, "ulna:"),
        visible(remark.text)));

  if (!options.out.empty()) {
    if (!result.chosen.estimate.consistent)
      throw std::runtime_error(fmt::format(
          "'{}' is not written: the estimate is not physical; --method consistent keeps it so",
          options.out));
    write_file(options.out, to_urdf(result.torques.identified(result.chosen.estimate.z)),
               options.force);
  }
  if (!options.report.empty())
    write_file(options.report,
               identify_page({options.robot.source(),
                              options.prior.empty() ? options.robot.source() : options.prior,
                              result.online ? "online" : options.method},
                             result),
               options.force);
  if (console.json())
    console.print(json_of(console, options, robot, result));
  else
    console.out.print(text_of(options, result, console.out));
  return result.has_findings() ? findings : success;
}

}  // namespace

Action identify(CLI::App& app, Console& console) {
  auto options = std::make_shared<Options>();
  options->robot.add_to(app);
  app.add_option("LOG", options->settings.logs,
                 "tables of t, q, qd, tau or i (CSV), or - for standard input")
      ->required();
  app.add_option("--validate", options->settings.validate, "logs to try the estimate on")
      ->option_text("LOG...");
  app.add_option("--split", options->settings.split,
                 "fit this share of each log, validate on the rest")
      ->option_text("SHARE");
  app.add_option("--filter", options->settings.filter_hz, "cut-off of the low-pass, Hz (10)")
      ->option_text("HZ");
  app.add_option("--gain", options->gain, "torque per motor current, a number per joint, Nm/A")
      ->option_text("K,...");
  app.add_option("--friction", options->friction,
                 "viscous, coulomb, asymmetric, load, offset, stribeck; or none")
      ->option_text("LIST");
  app.add_flag("--armature", options->armature, "look for rotor inertias too");
  app.add_option("--prior", options->prior,
                 "the same robot with the numbers believed so far, or none")
      ->option_text("ROBOT");
  app.add_option("--method", options->method, methods)->option_text("NAME");
  app.add_flag("--delay", options->settings.delay,
               "with --method refine: find how late torques are measured");
  app.add_option("--payload", options->settings.payload,
                 "of the bodies, only the one with this link is unknown")
      ->option_text("LINK");
  app.add_flag("--online", options->settings.online,
               "learn sample by sample, as a controller would");
  app.add_option("-o,--out", options->out, "write the identified robot as URDF")
      ->option_text("FILE");
  app.add_option("--report", options->report, "write a page with plots (HTML)")
      ->option_text("FILE");
  app.add_flag("-f,--force", options->force, "overwrite files");
  app.footer(
      "  ulna identify panda run.csv --split 0.5 -o panda_identified.urdf\n"
      "  ulna identify ur10e.urdf run1.csv run2.csv --validate test.csv \\\n"
      "      --gain 14.9,13.3,11.1,10.6,11.0,11.5 --armature --report ur10e.html\n"
      "  ulna identify panda run.csv --online\n"
      "  ulna identify panda run.csv --payload panda_link7\n");
  return [options, &console]() -> int { return run_identify(*options, console); };
}

}  // namespace ulna::cli
