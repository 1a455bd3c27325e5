#include <fmt/format.h>

#include "report.hpp"

namespace report {

std::string colour_of(const std::string& library) {
  static const std::map<std::string, std::string> colours{
      {"ulna", "#c2410c"}, {"KDL", "#2563a8"},    {"MuJoCo", "#2e7d32"},
      {"DART", "#7b3fa0"}, {"Bullet", "#8a6d00"}, {"Simbody", "#5f6b76"}};
  const auto colour = colours.find(library);
  return colour == colours.end() ? "#000" : colour->second;
}

std::string plot(const std::string& title, const std::vector<Line>& lines, const Axes& axes) {
  const auto label = [&](double x) {
    return axes.unit.empty() ? duration(x) : fmt::format("{:g} {}", x, axes.unit);
  };
  return ulna::plot::log_plot(title, axes.subtitle, axes.across, label, lines, true);
}

Line growth_line(const Bench& bench, const std::string& name, const std::string& colour,
                 const std::string& library, const std::string& algorithm,
                 const std::string& variant) {
  Line line{name, colour, {}, library == "ulna" && variant.empty(), false};
  for (const Entry& e : bench.entries)
    if (e.library == library && e.algorithm == algorithm && e.variant == variant && e.ns &&
        e.robot.starts_with("chain:"))
      line.points.push_back({static_cast<double>(e.nv), *e.ns});
  return line;
}

std::string bar_plot(const std::string& title, const std::string& subtitle,
                     std::vector<BarGroup> groups) {
  for (BarGroup& group : groups)
    for (Bar& bar : group.bars) {
      bar.label = duration(bar.length);
      if (&bar != &group.bars.front())
        bar.label += fmt::format("  ·  {} ×", ratio(bar.length / group.bars.front().length));
    }
  return ulna::plot::bar_plot(title, subtitle, duration, groups);
}

}  // namespace report
