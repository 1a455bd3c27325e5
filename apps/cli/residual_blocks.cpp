#include "residual_blocks.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "report.hpp"

namespace ulna::cli {
namespace {

using namespace identify;

using Eigen::Index;
using Eigen::VectorXd;

/// Of filtered noise, neighbours are alike for about this time; what is alike for longer is an effect (residuals.hpp).
double memory_of_filter(const Identification& r) { return 3.0 / r.filter_hz; }

Json spectrum_plot(const Identification& r, const Residuals& residuals, int joint) {
  const JointResidual& j = residuals.joints[std::size_t(joint)];
  return {{"title", "spectral density"},
          {"unit", std::string(torque_unit(r.torques.model(), joint)) + "/√Hz"},
          {"along", "Hz"},
          {"log", true},
          {"x", curve_numbers(residuals.hz)},
          {"lines",
           {{{"name", "measured"}, {"y", curve_numbers(j.torque_density)}},
            {{"name", "residual"}, {"y", curve_numbers(j.density)}}}},
          {"styles", {{{"color", "series-1"}}, {{"color", "series-8"}}}},
          {"marks", {{{"at", r.filter_hz}}}}};
}

/// How often residuals of each size are, per deviation, beside the normal distribution.
Json histogram_plot(const Identification& r, int joint, const std::string& unit) {
  constexpr int bins = 41;
  constexpr double reach = 4.0;  // deviations
  double squares = 0.0, count = 0.0;
  for (const Trace& t : r.traces)
    if (!t.validation) {
      squares += (t.measured.row(joint) - t.predicted.row(joint)).squaredNorm();
      count += double(t.t.size());
    }
  const double deviation = std::sqrt(squares / std::max(count, 1.0));
  std::array<double, bins> fitted{}, held{};
  double held_count = 0.0;
  for (const Trace& t : r.traces) {
    for (Index k = 0; k < t.t.size() && deviation > 0.0; ++k) {
      const double off = (t.measured(joint, k) - t.predicted(joint, k)) / deviation;
      // where the fit is free of noise, what is held out may be any number of its deviations off
      const double share = std::clamp(0.5 + 0.5 * off / reach, 0.0, 1.0);
      (t.validation ? held : fitted)[std::min(std::size_t(share * bins), bins - 1ul)] += 1.0;
    }
    if (t.validation) held_count += double(t.t.size());
  }
  const VectorXd place =
      (VectorXd::LinSpaced(bins, 0.5, bins - 0.5) * (2.0 * reach / bins)).array() - reach;
  const auto density = [&](const std::array<double, bins>& of, double all) {
    return curve_numbers(VectorXd::Map(of.data(), bins) *
                         (bins / (2.0 * reach * std::max(all, 1.0))));
  };
  const VectorXd normal = (-0.5 * place.array().square()).exp() / std::sqrt(2.0 * M_PI);
  Json plot{{"title", "residuals"},
            {"along", unit},
            {"x", curve_numbers(place * deviation)},
            {"lines",
             {{{"name", "fit"}, {"y", density(fitted, count)}},
              {{"name", "normal"}, {"y", curve_numbers(normal)}}}},
            {"styles",
             {{{"color", "series-1"}, {"form", "bars"}}, {{"color", "ink"}, {"dashed", true}}}}};
  if (held_count > 0.0) {
    plot["lines"].push_back({{"name", "held out"}, {"y", density(held, held_count)}});
    plot["styles"].push_back({{"color", "caution"}});
  }
  return plot;
}

Json autocorrelation_plot(const Identification& r, const Residuals& residuals, int joint) {
  return {{"title", "autocorrelation"},
          {"along", "s"},
          {"x", curve_numbers(residuals.lag)},
          {"lines",
           {{{"name", "residual"},
             {"y", curve_numbers(residuals.joints[std::size_t(joint)].autocorrelation)}}}},
          {"styles", {{{"color", "series-8"}}}},
          {"marks", {{{"at", memory_of_filter(r)}}}}};
}

/// The mean of the residual over what it follows, with two deviations.
Json pattern_plot(const Pattern& pattern, const Model& model, int joint) {
  const std::string torque(torque_unit(model, joint));
  const std::string position = torque == "N" ? "m" : "rad";
  const std::string along = pattern.against == "position"   ? position
                            : pattern.against == "velocity" ? position + "/s"
                            : pattern.against == "load"     ? torque
                            : pattern.against == "time" || pattern.against == "friction" ? "s"
                                                                                         : "";
  return {{"title", pattern.against == "friction" ? "residual along the motion against time"
                                                  : "residual against " + pattern.against},
          {"unit", torque},
          {"along", along},
          {"x", curve_numbers(pattern.x)},
          {"lines",
           {{{"name", "mean ± 2 deviations"}, {"y", curve_numbers(pattern.mean)}},
            {{"name", "low"}, {"y", curve_numbers(pattern.mean - 2.0 * pattern.deviation)}},
            {{"name", "high"}, {"y", curve_numbers(pattern.mean + 2.0 * pattern.deviation)}}}},
          {"styles", {{{"color", "series-8"}, {"form", "dots"}}}},
          {"bands", {{1, 2}}},
          {"note", visible(pattern.meaning)}};
}

}  // namespace

Residuals residuals_shown(const Identification& r) {
  if (!r.residuals.joints.empty()) return r.residuals;
  const Matrix none;
  std::vector<ResidualInput> pieces;
  for (const Trace& t : r.traces)
    pieces.push_back(
        {t.rate_hz, t.t(0) - r.traces.front().t(0), none, none, t.measured, t.predicted});
  return pieces.empty() ? Residuals{} : residuals_of(pieces, r.filter_hz);
}

Json pattern_table(const Identification& r, const Residuals& residuals) {
  if (residuals.joints.empty() || residuals.joints.front().patterns.empty()) return {};
  std::vector<std::string> titles{"joint"};
  for (const Pattern& p : residuals.joints.front().patterns) titles.push_back(p.against);
  titles.emplace_back(">alike over, s");
  ReportTable table(titles);
  const std::vector<std::string> names = r.torques.model().velocity_names();
  for (std::size_t i = 0; i < residuals.joints.size(); ++i) {
    const JointResidual& j = residuals.joints[i];
    std::vector<Json> cells{visible(names[i])};
    for (const Pattern& p : j.patterns)
      cells.push_back({{"share", drawn(p.share)},
                       {"text", fmt::format("{:.0f} %", 100.0 * p.share)},
                       {"tone", p.meaning.empty() ? "" : "bad"}});
    cells.push_back({{"text", number(j.correlated_seconds, 2)},
                     {"tone", j.correlated_seconds > memory_of_filter(r) ? "bad" : ""}});
    table.row(std::move(cells));
  }
  return table.json();
}

std::vector<Json> residual_plots(const Identification& r, const Residuals& residuals, int joint) {
  const Model& model = r.torques.model();
  const bool known = std::size_t(joint) < residuals.joints.size();
  std::vector<Json> plots;
  if (known) plots.push_back(spectrum_plot(r, residuals, joint));
  plots.push_back(histogram_plot(r, joint, std::string(torque_unit(model, joint))));
  if (!known) return plots;
  plots.push_back(autocorrelation_plot(r, residuals, joint));
  for (const Pattern& p : residuals.joints[std::size_t(joint)].patterns)
    if (!p.meaning.empty()) plots.push_back(pattern_plot(p, model, joint));
  return plots;
}

std::vector<std::string> other_meanings(const Residuals& residuals, int joint) {
  if (std::size_t(joint) >= residuals.joints.size()) return {};
  const JointResidual& j = residuals.joints[std::size_t(joint)];
  std::vector<std::string> others;
  for (const std::string& meaning : j.meanings)
    if (!std::ranges::count(j.patterns, meaning, &Pattern::meaning)) others.push_back(meaning);
  return others;
}

Json choice_report(const Choice& choice) {
  ReportTable table({"model", ">held out, %", ">gain, nats", ">±"});
  for (const bool taken : {true, false}) {
    if (!std::ranges::count(choice.tried, taken, &Tried::taken)) continue;
    table.group(taken ? "Taken, one after the other" : "Tried and not taken");
    for (const Tried& t : choice.tried)
      if (t.taken == taken)
        table.row({visible(t.model), fixed(t.percent, 3), fixed(t.gain, 1), fixed(t.deviation, 1)},
                  taken ? "" : "soft");
  }
  return table.json();
}

}  // namespace ulna::cli
