#include "identify_payload.hpp"
#include "identify_report.hpp"
#include "identify_summary.hpp"
#include "report_page.hpp"
#include "states.hpp"
#include "ulna/identify/floating/floating_base.hpp"

namespace ulna::cli {
namespace {

using namespace identify;

struct IdentifyArguments {
  RobotArgument robot;
  Options how;
  std::vector<std::string> logs, validate, loaded;  ///< files, or "-"
  std::string gain, friction, prior, known_payload, method = "consistent", out, report;
  std::optional<double> filter_hz, late_ms;
  bool online = false, armature = false, no_armature = false, as_usual = false, all = false,
       force = false;

  std::string prior_source() const { return prior.empty() ? robot.source() : prior; }
  std::string method_name() const { return online ? "online" : method; }
};

/// Methods of the library by their names, and refinement of what the last of them finds.
const std::vector<std::string> methods{"ols",   "wls",        "irls",  "tls",
                                       "ridge", "consistent", "refine"};

/// How the library's options are called here.
std::string in_flags(const std::string& text) {
  return replaced(text, {{"Options::method = ", "--method "},
                         {"Options::split = ", "--split "},
                         {"Options::refine", "--method refine"},
                         {"Options::stribeck", "--friction stribeck"},
                         {"Options::gains", "--gain"},
                         {"Options::filter_hz = ", "--filter "},
                         {"Options::filter_hz", "--filter"},
                         {"LogInputs::validation", "--validate LOG"},
                         {"LogInputs::loaded", "--loaded LOG"},
                         {"Options::torque_delay", "--late"},
                         {"Options::base_held", "--base-held"},
                         {"Options::known_payload", "--known-payload"},
                         {"Options::find_gains", "--gain find"},
                         {"Options::", "--"}});
}

/// Everything that can be checked before any work.
Options options_of(const IdentifyArguments& given) {
  Options how = given.how;
  how.refine = given.method == "refine";
  if (how.refine && !can_refine())
    throw UsageError(
        "--method refine: this ulna was built without Ceres (Debian: libceres-dev); the best "
        "method without is consistent");
  const auto method = method_from_string(how.refine ? "consistent" : given.method);
  if (!method) throw UsageError("--method: {}", unknown_word(given.method, methods));
  how.method = *method;
  how.find_gains = given.gain == "find";
  how.filter_hz = given.filter_hz;
  if (given.late_ms) how.torque_delay = 1e-3 * *given.late_ms;
  how.choose = !given.as_usual;
  how.prior.from_robot = given.prior != "none";
  if (how.split != 0.0 && !given.validate.empty())
    throw UsageError("--split and --validate exclude each other");
  if (given.online && how.split != 0.0)
    throw UsageError("--online predicts before it learns, so there is nothing to --split");
  if (given.online && !how.payload.empty())
    throw UsageError("--online learns all bodies; --payload is for logs as a whole");
  if (!given.loaded.empty() && how.payload.empty())
    throw UsageError("--loaded: the link that has the payload is missing (--payload LINK)");
  if (!given.loaded.empty() && given.method != "consistent")
    throw UsageError("--loaded: a payload is weighed by --method consistent");
  if (!given.known_payload.empty()) {
    if (given.gain != "find" || given.loaded.empty())
      throw UsageError(
          "--known-payload is for --gain find with logs of the robot with it (--loaded)");
    how.known_payload = Eigen::VectorXd::Zero(4);
    set_numbers(given.known_payload, "--known-payload", {"m", "x", "y", "z"}, how.known_payload);
    if (!(how.known_payload(0) > 0.0))
      throw UsageError("--known-payload: its mass must be above 0");
  }
  if (given.online && (given.method != "consistent" || how.folds != 0 || how.essential))
    throw UsageError(
        "--online is physically consistent; --method, --folds and --essential are for logs as a "
        "whole");
  if (given.armature && given.no_armature)
    throw UsageError("--armature and --no-armature exclude each other");
  std::vector<std::string> inputs{given.robot.name, given.prior};
  inputs.insert(inputs.end(), given.logs.begin(), given.logs.end());
  inputs.insert(inputs.end(), given.validate.begin(), given.validate.end());
  inputs.insert(inputs.end(), given.loaded.begin(), given.loaded.end());
  require_one_stdin(inputs);
  if (given.armature || given.no_armature) how.rotors = given.armature;
  if (!given.friction.empty()) try {
      const Friction friction = friction_from_string(given.friction);
      how.features = friction.features, how.stribeck = friction.stribeck;
      require_compatible(*how.features);
    } catch (const std::invalid_argument& e) {
      throw UsageError("--friction: {}", e.what());
    }
  try {
    require_valid(how);
  } catch (const std::invalid_argument& e) {
    throw UsageError("{}", in_flags(e.what()));
  }
  return how;
}

/// Those of all joints, Nm/A; empty if none are given.
Eigen::VectorXd gains_of(const IdentifyArguments& given, const Model& model) {
  if (given.gain.empty() || given.gain == "find") return {};
  if (given.gain.find_first_of("=0123456789") == std::string::npos)
    throw UsageError("--gain: '{}' is neither find nor numbers{}", given.gain,
                     did_you_mean(given.gain, std::vector<std::string_view>{"find"}));
  // a base that floats has no drive
  const std::vector<std::string> joints = limbs_of(model).velocity_names();
  Eigen::VectorXd gains = Eigen::VectorXd::Zero(Eigen::Index(joints.size()));
  set_numbers(given.gain, "--gain", joints, gains);
  for (std::size_t i = 0; i < joints.size(); ++i)
    if (gains(Eigen::Index(i)) == 0.0)
      throw UsageError("--gain: that of joint '{}' is {}", joints[i],
                       is_named(given.gain) ? "missing or zero" : "zero");
  return gains;
}

// In JSON, numbers that are not finite become null.

Json total_percent(const std::optional<Fit>& fit) {
  return fit ? Json(fit->total_percent) : Json();
}

Json fit_json(const Fit& fit, double filter_hz, Eigen::Index samples) {
  return merged({ULNA_FIELDS(fit, per_joint_percent, total_percent, rms),
                 {{"filter_hz", filter_hz}, {"samples", samples}}});
}

Json log_json(const LogSummary& log) {
  return merged({ULNA_FIELDS(log, file, use),
                 ULNA_FIELDS(log.figures, rows, samples, duration, rate_hz, jitter, corrupt,
                             outliers, duplicates, held, out_of_time, gaps, pieces),
                 {{"clock_repaired", log.clock.repaired}}});
}

Json online_json(const OnlineFigures& o, double filter_hz) {
  const auto prediction = [&](const Fit& fit) {
    return merged({ULNA_FIELDS(fit, per_joint_percent, total_percent), {{"filter_hz", filter_hz}}});
  };
  return merged({{{"run", prediction(o.run)},
                  {"second_half", prediction(o.second_half)},
                  {"prior_percent", o.prior_percent},
                  {"consistent_at_every_step", o.always_consistent},
                  {"filter_delay", o.delay},
                  {"rate_hz", o.rate_hz},
                  {"updates", o.updates()}},
                 ULNA_FIELDS(o, learned, doubted, changed, ignored, median_us, percentile_99_us)});
}

Json refinement_json(const Refinement& r, const Assessment& start) {
  const auto with_deviation = [](double value, double deviation) {
    return Json{{"value", value}, {"deviation", deviation}};
  };
  Json stribeck;
  for (Eigen::Index i = 0; i < r.stribeck_level.size(); ++i)
    stribeck.push_back(
        {{"level", with_deviation(r.stribeck_level(i), r.stribeck_level_deviation(i))},
         {"velocity", with_deviation(r.stribeck_velocity(i), r.stribeck_velocity_deviation(i))}});
  return merged(
      {{{"status", to_string(r.status)}},
       ULNA_FIELDS(r, reason, iterations, seconds, windows, window, samples, position_before,
                   position_after, velocity_before, velocity_after),
       {{"stribeck", stribeck},
        {"delay", r.delay_deviation != 0.0 ? with_deviation(r.delay, r.delay_deviation) : Json()},
        {"start_fit_percent", start.fit.total_percent},
        {"start_validation_percent", total_percent(start.validation)}}});
}

/// What Ctrl-C has left out; empty if it did not end the work early.
std::string stopped_text(const IdentifyArguments& given, const Identification& r) {
  if (!r.stopped) return "";
  if (r.refined && r.refined->status == RefineStatus::stopped)
    return "stopped: the refinement is the best that was found so far; deviations are those of the "
           "estimate that it began with";
  std::vector<std::string> missing;
  if (given.how.folds > r.folds)
    missing.push_back(fmt::format("{} of {} parts of the cross-validation",
                                  given.how.folds - r.folds, given.how.folds));
  if (given.how.essential && !r.essential) missing.push_back("the essential parameters");
  if (!r.plain) missing.push_back("comparisons with other estimates");
  if (r.online) missing.insert(missing.begin(), "the rest of the logs, if any");
  return fmt::format("stopped: what was found so far, without {}", fmt::join(missing, ", "));
}

Json json_of(const IdentifyArguments& given, const Imported& robot, const Identification& r) {
  const Estimate& e = r.chosen.estimate;
  const Model& model = r.torques.model();
  const std::vector<std::string> names = r.torques.names(), units = r.torques.units();
  Json parameters = Json::array(), base = parameters, bodies = parameters, findings = parameters,
       remarks = parameters, validation, gains, essential, least_squares;
  if (r.chosen.validation) {
    validation = fit_json(*r.chosen.validation, r.filter_hz, r.validation_samples);
    validation["repeated_percent"] = r.repeated_percent;
  }
  for (const DriveGain& g : r.gains) gains.push_back(ULNA_FIELDS(g, gain, deviation, determined));
  for (int k = 0; k < r.torques.unknowns(); ++k)
    parameters.push_back({{"name", names[k]},
                          {"unit", units[k]},
                          {"value", e.z(k)},
                          {"deviation", e.deviation(k)},
                          {"prior", e.prior(k)},
                          {"learned", e.learned(k)},
                          {"state", r.state(k)}});
  for (int i = 0; i < r.base.size(); ++i)
    base.push_back({{"expression", r.base.name(i, names)},
                    {"unit", units[r.base.independent[i]]},
                    {"value", e.base(i)},
                    {"deviation", e.base_deviation(i)}});
  if (r.essential)
    for (std::size_t i = 0; i < r.essential->kept.size(); ++i)
      essential.push_back({{"expression", r.base.name(r.essential->kept[i], names)},
                           {"value", r.essential->values(i)},
                           {"deviation", r.essential->deviation(i)}});
  for (int b = 1; b < model.body_count(); ++b)
    bodies.push_back({{"link", model.body_name(b)}, {"margin", r.chosen.bodies[b - 1].margin}});
  if (r.plain)
    least_squares = {
        {"consistent", r.plain->estimate.consistent},
        {"fit_percent", r.plain->fit.total_percent},
        {"validation_percent", total_percent(r.plain->validation)},
        {"margins", list_of(r.plain->bodies, [](const Consistency& c) { return c.margin; })},
        {"indefinite_percent", r.plain->indefinite_percent}};
  for (const Remark& remark : r.remarks)
    (remark.finding ? findings : remarks).push_back(remark.text);
  if (r.stopped) findings.push_back(stopped_text(given, r));
  const auto name_or_null = [](const std::string& file) {
    return file.empty() ? Json() : Json(file);
  };
  return {
      {"robot", given.robot.json(robot.model)},
      {"method", given.method_name()},
      {"prior", given.prior_source()},
      {"friction", list_of(r.torques.features(), [](Feature f) { return to_string(f); })},
      {"filter_hz", r.filter_hz},
      {"filter", r.filter},
      {"choice", r.choice ? choice_json(*r.choice, model) : Json()},
      {"reference", r.chosen.reference
                        ? fit_json(*r.chosen.reference, Identification::reference_hz,
                                   r.validation_samples ? r.validation_samples : r.samples)
                        : Json()},
      {"stopped", r.stopped},
      {"consistent", e.consistent},
      {"fit", fit_json(r.chosen.fit, r.filter_hz, r.samples)},
      {"validation", validation},
      {"cross_validation",
       r.cross_validation
           ? merged({fit_json(*r.cross_validation, r.filter_hz, r.samples), {{"parts", r.folds}}})
           : Json()},
      {"online", r.online ? online_json(*r.online, r.filter_hz) : Json()},
      {"refinement", r.refined ? refinement_json(*r.refined, *r.start) : Json()},
      {"joints", model.velocity_names()},
      {"noise", e.noise},
      {"gains", gains},
      {"excitation",
       {{"rank", e.excitation.rank},
        {"base_parameters", r.base.size()},
        {"of_bodies", r.inertial_base()},
        {"condition", e.excitation.condition},
        {"log_det", e.excitation.log_det},
        {"singular_values", e.excitation.singular_values}}},
      {"parameters", parameters},
      {"base_parameters", base},
      {"essential_parameters", essential},
      {"bodies", bodies},
      {"indefinite_percent", r.chosen.indefinite_percent},
      {"least_squares", least_squares},
      {"torque_delay",
       {{"found", r.delay.found}, {"seconds", r.delay.delay}, {"deviation", r.delay.deviation}}},
      {"payload", payload_json(r)},
      {"residuals", residuals_json(r)},
      {"logs", list_of(r.logs, log_json)},
      {"out", name_or_null(r.has_findings() ? "" : given.out)},
      {"report", name_or_null(given.report)},
      {"findings", findings},
      {"remarks", remarks},
      {"diagnostics", to_json(r.found)}};
}

std::string percentage(double x) { return std::isfinite(x) ? fixed(x, 2) : "-"; }

/// At most so many columns, with dots where something is left out.
std::string shortened(const std::string& text, int width, const Stream& out) {
  if (columns(text) <= width) return text;
  std::string s = text;
  while (!s.empty() && columns(s) > width - 3) s.pop_back();
  return fmt::format("{} {}", s.substr(0, s.find_last_of(' ')), out.either("…", "..."));
}

std::string joint_table(const Identification& r, const Stream& out) {
  const auto joints = r.torques.model().joints().subspan(1);
  const bool turning = std::ranges::all_of(joints, [](const Joint& j) {
    return j.type == JointType::revolute || j.type == JointType::continuous;
  });
  std::vector<const Fit*> fits{&r.chosen.fit};
  Table table(2, {">#", "joint", fmt::format(">noise [{}]", turning ? "Nm" : "Nm|N"),
                  fmt::format(">{} [%]", r.online ? "final" : "fit")});
  const auto add = [&](const char* title, const Fit& fit) {
    table.column(fmt::format(">{} [%]", title));
    fits.push_back(&fit);
  };
  const bool held = r.chosen.validation.has_value();
  if (held) {
    add("validation", *r.chosen.validation);
    table.column(fmt::format(">error [{}]", turning ? "Nm" : "Nm|N"));
  }
  if (r.online) add("predicted", r.online->run), add("2nd half", r.online->second_half);
  const std::vector<std::string> names = r.torques.model().velocity_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    Cells cells{i + 1, names[i], figure(r.chosen.estimate.noise(i), 3)};
    for (const Fit* fit : fits) {
      cells.push_back(percentage(fit->per_joint_percent(i)));
      if (held && fit == fits[1]) cells.push_back(figure(fit->rms(i), 3));
    }
    table.row(cells);
  }
  Cells total{"", "total", ""};
  for (const Fit* fit : fits) {
    total.push_back(percentage(fit->total_percent));
    if (held && fit == fits[1]) total.push_back("");
  }
  table.row(total, Style::bold);
  return table.str(out);
}

std::string base_table(const Identification& r, const Stream& out) {
  const Estimate& e = r.chosen.estimate;
  const std::vector<std::string> names = r.torques.names(), units = r.torques.units();
  const std::string off(out.either(">±", ">+-"));
  Table table(2, {">#", "base parameter", ">value", off, "unit"});
  for (int i = 0; i < r.base.size(); ++i)
    table.row({i + 1, shortened(r.base.name(i, names), out.width() - 38, out), figure(e.base(i)),
               figure(e.base_deviation(i), 2), units[r.base.independent[i]]});
  return table.str(out);
}

/// "-" where it is unknown.
std::string deviation(double x) { return std::isfinite(x) ? figure(x, 2) : "-"; }

std::string parameter_table(const Identification& r, const Stream& out) {
  const Estimate& e = r.chosen.estimate;
  const std::vector<std::string> names = r.torques.names(), units = r.torques.units();
  const std::string off(out.either(">±", ">+-"));
  Table table(1, {"parameter", ">prior", ">value", off, "unit", ">learned [%]", "state"});
  for (int k = 0; k < r.torques.unknowns(); ++k) {
    const std::string_view state = r.state(k);
    table.row({names[k], figure(e.prior(k)), figure(e.z(k)), deviation(e.deviation(k)), units[k],
               fmt::format("{:.0f}", 100.0 * e.learned(k)), state},
              state == "estimated" ? Style::plain : Style::dim);
  }
  return table.str(out);
}

std::string stribeck_table(const Identification& r, const Stream& out) {
  const Refinement& found = *r.refined;
  const std::string off(out.either(">±", ">+-"));
  Table table(2, {">#", "Stribeck friction", ">level", off, ">velocity", off});
  const std::vector<std::string> names = r.torques.model().velocity_names();
  for (std::size_t k = 0; k < names.size(); ++k)
    table.row({k + 1, names[k], figure(found.stribeck_level(k)),
               deviation(found.stribeck_level_deviation(k)), figure(found.stribeck_velocity(k)),
               deviation(found.stribeck_velocity_deviation(k))});
  return table.str(out);
}

std::string refinement_text(const Identification& r) {
  std::string text = r.refined->str();
  if (const double deviation = r.refined->delay_deviation; deviation != 0.0)
    text += fmt::format("; torques are measured {:.2f}{} ms late, which is compensated",
                        1e3 * r.refined->delay,
                        std::isfinite(deviation) ? fmt::format(" +- {:.2f}", 1e3 * deviation) : "");
  const Assessment& start = *r.start;
  text +=
      fmt::format("; the consistent estimate it began with: {:.2f} % fit", start.fit.total_percent);
  if (start.validation)
    text += fmt::format(", {:.2f} % validation", start.validation->total_percent);
  return text;
}

/// "1 log, 1 more for validation".
std::string logs_text(const Identification& r) {
  const auto held = std::ranges::count(r.logs, "validation", &LogSummary::use),
             loaded = std::ranges::count(r.logs, "payload", &LogSummary::use);
  std::string text = counted(r.logs.size() - held - loaded, "log");
  if (held) text += fmt::format(", {} more for validation", held);
  if (loaded) text += fmt::format(", {} more with the payload", loaded);
  return text;
}

std::string text_of(const IdentifyArguments& given, const Identification& r, const Stream& out) {
  const Estimate& e = r.chosen.estimate;
  std::string text =
      fmt::format("{}: {} from {}\n\n", out.paint(Style::bold, visible(r.torques.model().name())),
                  counted(r.base.size(), "base parameter"), logs_text(r));
  const auto line = [&](std::string_view name, const std::string& what) {
    text += hanging(fmt::format("{:<12}", name), 12, visible(what), out.width() - 12);
  };
  int estimated = 0;
  for (int k = 0; k < r.torques.unknowns(); ++k) estimated += r.state(k) == "estimated";
  line("error",
       fmt::format("{} % of the torque{}, below {} Hz{}", percentage(r.chosen.fit.total_percent),
                   r.chosen.validation ? fmt::format(", {} % of the torque that was held out",
                                                     percentage(r.chosen.validation->total_percent))
                                       : "",
                   figure(r.filter_hz),
                   r.chosen.reference ? fmt::format("; {} % below {} Hz, to compare with others",
                                                    percentage(r.chosen.reference->total_percent),
                                                    figure(Identification::reference_hz))
                                      : ""));
  line("model", model_in_words(r));
  line("estimated", fmt::format("{} of {}; the others are the prior's", estimated,
                                counted(r.torques.unknowns(), "parameter")));
  if (r.payload) line("payload", payload_in_words(*r.payload));
  if (r.refined) line("refined", refinement_text(r));
  if (!r.gains.empty()) {
    std::vector<std::string> gains;
    for (const DriveGain& g : r.gains)
      gains.push_back(fmt::format("{:.4g} +- {:.2g}", g.gain, g.deviation));
    line("gains", fmt::format("{} Nm/A, by {}", fmt::join(gains, ", "),
                              given.known_payload.empty() ? "the robot's own torques"
                                                          : "the known payload"));
  }
  Eigen::Index measured = 0;
  for (const LogSummary& log : r.logs) measured += log.figures.samples;
  line("samples",
       fmt::format("{} fitted{}, of {} measured: as many as the filter of {} Hz leaves apart",
                   r.samples,
                   r.validation_samples ? fmt::format(", {} held out", r.validation_samples) : "",
                   measured, figure(r.filter_hz)));
  line("excitation", fmt::format("rank {} of {} ({} of bodies, {} of joints), condition {:.3g}",
                                 e.excitation.rank, r.base.size(), r.inertial_base(),
                                 r.base.size() - r.inertial_base(), e.excitation.condition));
  if (r.essential)
    line("essential",
         fmt::format("{} of {} base parameters; the others explain less than they cost",
                     r.essential->kept.size(), r.base.size()));
  if (r.cross_validation)
    line("folds", fmt::format("{} torque error of {}{} parts, each predicted from the others",
                              percent(r.cross_validation->total_percent),
                              r.folds < given.how.folds ? fmt::format("{} of ", r.folds) : "",
                              given.how.folds));
  line("consistent", fmt::format("{}; mass matrix indefinite in {:.3g} % of configurations{}",
                                 e.consistent ? "yes" : "no", r.chosen.indefinite_percent,
                                 r.plain ? fmt::format(" (plain least squares: {}, {:.3g} %)",
                                                       r.plain->estimate.consistent ? "yes" : "no",
                                                       r.plain->indefinite_percent)
                                         : ""));
  if (r.online) {
    const OnlineFigures& o = *r.online;
    line("online",
         fmt::format("{} updates, {} doubted, {} changes; physical {}; {:.1f} us median, {:.0f} us "
                     "99th percentile; {} error in the second half, {} by the prior alone",
                     o.updates(), o.doubted, o.changed,
                     o.always_consistent ? "at every step" : "NOT at every step", o.median_us,
                     o.percentile_99_us, percent(o.second_half.total_percent),
                     percent(o.prior_percent)));
  }
  line("method",
       r.online ? "online, physically consistent at every step by construction" : given.method);
  line("prior", given.prior_source());
  line("filter", r.online
                     ? fmt::format("{:g} Hz low-pass (Butterworth, order 4), causal: {:.3g} ms "
                                   "late; for 'final': {}",
                                   r.filter_hz, 1e3 * r.online->delay, r.filter)
                     : r.filter);
  text += fmt::format("\ntorque error in percent of the torque, {:g} Hz\n", r.filter_hz);
  text += joint_table(r, out) + "\n";
  for (const auto& [name, what] : explanation_of(r, given.robot.name)) line(name, what);
  text += "\n";
  if (r.refined && r.refined->stribeck_level.size() > 0) text += stribeck_table(r, out) + "\n";
  if (given.all && r.choice) text += choice_table(*r.choice, out) + "\n";
  if (!given.all)
    return text + fmt::format("--all lists {} and {}\n", counted(r.base.size(), "base parameter"),
                              counted(r.torques.unknowns(), "parameter"));
  return text + base_table(r, out) + "\n" + parameter_table(r, out) +
         fmt::format(
             "\nlearned: the share of what is known of a parameter that comes from the "
             "logs;\nbelow {:.0f} %, the parameter is reported as the prior's\n",
             100.0 * learned_enough);
}

LogInputs inputs_of(const IdentifyArguments& given) {
  const auto of = [](const std::vector<std::string>& files) {
    std::vector<LogInput> inputs;
    for (const std::string& file : files)
      inputs.push_back(file == "-" ? LogInput{"<stdin>", &std::cin}
                                   : LogInput{InputFile(file).name()});
    return inputs;
  };
  return {of(given.logs), of(given.validate), of(given.loaded)};
}

/// The robot with the numbers believed so far.
Model prior_of(const IdentifyArguments& given, const Model& robot) {
  if (given.prior.empty() || given.prior == "none") return robot;
  require_word_or_file("--prior", given.prior, {"none"});
  try {
    return with_parameters_of(robot, load_robot(given.prior).model);
  } catch (const std::invalid_argument& e) {
    throw Failure("--prior: {}", e.what());
  }
}

Identification identified(const IdentifyArguments& given, const Model& model, Options how,
                          Console& console) {
  Interrupt interrupt;
  Progress progress(console.err, Options::steps);
  how.progress = [&](int at, const std::string& what) {
    progress.at(at, what);
    return !Interrupt::requested();
  };
  try {
    Identification result =
        given.online ? online(model, inputs_of(given), how) : offline(model, inputs_of(given), how);
    for (Remark& remark : result.remarks) remark.text = in_flags(remark.text);
    return result;
  } catch (const LogError&) {
    throw;
  } catch (const Stopped&) {
    progress.clear();
    interrupt.end_program();
    throw;
  } catch (const std::runtime_error& e) {
    throw Failure("{}", in_flags(e.what()));
  }
}

int run_identify(const IdentifyArguments& given, Console& console) {
  Options how = options_of(given);
  const bool to_stdout = given.out == "-";
  if (to_stdout && console.json())
    throw UsageError("--json and --out - cannot both go to standard output");
  if (given.all && (console.json() || to_stdout))
    throw UsageError("--all has no effect with {}",
                     to_stdout ? "--out -: there is no summary" : "--json, which has all of them");
  std::vector<std::string> logs = given.logs;
  logs.insert(logs.end(), given.validate.begin(), given.validate.end());
  logs.insert(logs.end(), given.loaded.begin(), given.loaded.end());
  require_others({given.out, given.report}, logs);
  require_writable({given.out, given.report}, given.force);
  const Imported robot = given.robot.load();
  how.gains = gains_of(given, robot.model);
  if (how.base_held && !floats(robot.model))
    throw UsageError("--base-held has no effect: the base of '{}' does not float",
                     robot.model.name());
  if (how.ratios && robot.model.drives().diagonal)
    throw UsageError("--ratios has no effect: no motors of '{}' are coupled", robot.model.name());
  if (!how.payload.empty() && !robot.model.find_frame(how.payload)) {
    std::vector<std::string_view> names;
    for (const Frame& f : robot.model.frames()) names.push_back(f.name);
    const std::string near = did_you_mean(how.payload, names);
    throw UsageError("--payload: robot '{}' has no link '{}'{}", robot.model.name(), how.payload,
                     near.empty() ? "; ulna tree lists them" : near);
  }
  if (!how.payload.empty() && robot.model.frame(how.payload).body == 0)
    throw UsageError("--payload: link '{}' does not move: no torque depends on what it carries",
                     how.payload);
  const Model prior = prior_of(given, robot.model);
  const Identification result = identified(given, prior, how, console);

  mention_warnings(console, given.robot, robot.diagnostics);
  console.err.print(to_text(console.err, result.found, false));
  for (const Remark& remark : result.remarks)
    console.complain(remark.text, remark.finding ? Style::red : Style::yellow);
  // of a refinement that was stopped there is a remark
  if (result.stopped && !(result.refined && result.refined->status == RefineStatus::stopped))
    console.complain(stopped_text(given, result));

  ResultFiles files(console, given.force);
  if (!given.out.empty()) {
    if (result.has_findings())
      console.complain(
          fmt::format("'{}' is not written: the estimate cannot be trusted", given.out));
    else
      files.write(given.out, to_urdf(result.model()));
  }
  if (!given.report.empty())
    files.write(
        given.report,
        identify_report({given.robot.source(), given.prior_source(), given.method_name()}, result));
  if (!to_stdout)
    console.show(
        [&] {
          return merged({json_of(given, robot, result), files.json()});
        },
        [&] { return text_of(given, result, console.out); });
  return files.finish(result.has_findings() || result.stopped ? findings : success);
}

}  // namespace

Action identify(Parser& app, Console& console) {
  auto given = std::make_shared<IdentifyArguments>();
  given->robot.loops_closed = true;
  Options& how = given->how;
  given->robot.add_to(app);
  app.add_option("LOG", given->logs, "tables of t, q, qd, tau or i (CSV), or - for standard input")
      ->required();
  given->robot.add_gravity_to(app);
  app.add_value("--validate", given->validate, "LOG...", "logs to try the estimate on");
  app.add_value(
      "--split", how.split, "SHARE", "fit this share of each log, validate on the rest",
      number_that("is not a share between 0 and 1", [](double x) { return x > 0.0 && x < 1.0; }));
  app.add_value("--folds", how.folds, "N",
                "cross-validate: predict each of N parts from the others", whole_number(2, 1000));
  app.add_value("--filter", given->filter_hz, "HZ",
                "cut-off of the low-pass, Hz; chosen if not given");
  app.add_value("--gain", given->gain, "K,...",
                "torque per motor current, a number per joint, Nm/A; or find");
  app.add_value("--friction", given->friction, "LIST",
                "viscous, coulomb, asymmetric, load, offset, stribeck; or none; chosen if not "
                "given");
  app.add_flag("--armature", given->armature, "look for rotor inertias too; chosen if not given");
  app.add_flag("--no-armature", given->no_armature, "take rotors to be none");
  app.add_flag("--ratios", how.ratios, "look for the ratios by which motors are coupled");
  app.add_value("--late", given->late_ms, "MS",
                "torques are measured so much later than motion, ms; chosen if not given");
  app.add_flag("--usual", given->as_usual,
               "choose nothing: what is not given is 10 Hz, viscous, coulomb, offset, rotors that "
               "are described, no delay");
  app.add_value("--prior", given->prior, "ROBOT",
                "the same robot with the parameters assumed so far, or none");
  app.add_value("--method", given->method, "NAME",
                fmt::format("{}", fmt::join(methods, ", ")).c_str());
  app.add_flag("--delay", how.delay, "with --method refine: find how late torques are measured");
  app.add_value("--payload", how.payload, "LINK",
                "what this link carries: of the bodies, only its own is unknown");
  app.add_value("--loaded", given->loaded, "LOG...",
                "logs with the payload; the others are of the robot without it");
  app.add_value("--known-payload", given->known_payload, "M,X,Y,Z",
                "with --gain find: what the payload weighs, and its centre of mass, by which "
                "gains are found");
  app.add_flag("--base-held", how.base_held,
               "what holds a base that floats is not known: only joints' torques count");
  app.add_flag("--essential", how.essential, "find the base parameters that matter");
  app.add_flag("--online", given->online, "learn sample by sample, as a controller would");
  app.add_flag("--all", given->all, "list all base parameters and parameters");
  app.add_output("-o,--out", given->out, "write the identified robot as URDF; - for stdout", true);
  app.add_output("--report", given->report, "write a page with plots (HTML)");
  app.add_force(given->force);
  return [given, &console]() -> int {
    given->robot.drives = given->online ? Drives::springs : Drives::carried_rotors;
    return run_identify(*given, console);
  };
}

}  // namespace ulna::cli
