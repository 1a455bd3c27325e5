#include "identify_text.hpp"

#include "identify_payload.hpp"
#include "identify_summary.hpp"
#include "report_page.hpp"

namespace ulna::cli {
namespace {

using namespace identify;

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

}  // namespace

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
                   r.chosen.reference && r.filter_hz != Identification::reference_hz
                       ? fmt::format("; {} % below {} Hz, to compare with others",
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
  line(
      "samples",
      fmt::format("{} fitted{}, at even times between {} that were measured; below {} Hz, noise of "
                  "{} in a row is alike",
                  r.samples,
                  r.validation_samples ? fmt::format(", {} held out", r.validation_samples) : "",
                  measured, figure(r.filter_hz),
                  std::max(1.0, std::round(e.correlated.size() ? e.correlated.mean() : 1.0))));
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

}  // namespace ulna::cli
