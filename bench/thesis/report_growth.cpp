// Figures 6.4 to 6.7: how times and Jacobians grow with the number of joints.

#include <algorithm>

#include "report.hpp"

namespace thesis {
namespace {

// --- Figures 6.4 to 6.6 ---

std::vector<Way> growth_ways(const Bench& bench, const std::string& algorithm) {
  std::vector<Way> all = ways(bench, exact);
  if (algorithm == "mass_matrix")
    all.insert(all.begin(), {"ulna, graph by columns", "ulna", by_columns, "#8b1e3f", false, true});
  return all;
}

std::string growth_table(const Bench& bench, const std::string& algorithm) {
  const std::vector<Way> all = growth_ways(bench, algorithm);
  Row head{"joints"};
  for (const Way& way : all) head.push_back(way.name);
  head.insert(head.end(), {"interpreted / ulna", "interpreted / best peer"});
  std::vector<Row> rows;
  for (const int n : joints(bench)) {
    Row row{std::to_string(n)};
    for (const Way& way : all)
      row.push_back(report::grouped(ns(bench, way.library, chain(n), algorithm, way.variant)));
    const double graph = own(bench, chain(n), algorithm, interpreted);
    row.push_back(report::ratio(graph / own(bench, chain(n), algorithm, exact)));
    row.push_back(report::ratio(graph / best_peer(bench, chain(n), algorithm)));
    rows.push_back(row);
  }
  return report::table(head, rows);
}

std::vector<report::Line> growth_lines(const Bench& bench, const std::string& algorithm) {
  std::vector<report::Line> lines;
  for (const Way& way : growth_ways(bench, algorithm)) {
    report::Line line{way.name, way.colour, {}, way.strong, way.dashed};
    for (const int n : joints(bench))
      if (const auto time = ns(bench, way.library, chain(n), algorithm, way.variant))
        line.points.push_back({static_cast<double>(n), *time});
    if (line.points.size() > 1) lines.push_back(line);
  }
  return lines;
}

/// What a ratio does over n: a constant one has exponent 0.
std::string ratio_text(const std::vector<Point>& points) {
  return fmt::format("{} at {:g} joints, {} at {:g}, exponent {:+.2f}",
                     report::ratio(points.front().y), points.front().x,
                     report::ratio(points.back().y), points.back().x, power_law(points).exponent);
}
/// Less than a factor of two over a factor of ten in n.
bool constant(const std::vector<Point>& points) {
  return std::abs(power_law(points).exponent) < 0.3;
}

/// The same for long chains alone.
std::string settled(std::vector<Point> points) {
  std::erase_if(points, [](const Point& p) { return p.x < 14; });
  return points.size() < 2 ? "" : "; from 14 joints on, over ulna, " + ratio_text(points);
}

void add_overhead(const Bench& bench, Page& page) {
  std::string details;
  std::vector<std::string> holds, fails;
  const auto ask = [&](const std::string& algorithm, const std::string& variant,
                       const std::string& name) {
    std::vector<Point> over_ulna, over_peer;
    for (const int n : joints(bench)) {
      if (n < 4) continue;  // of two joints, simplification leaves next to nothing
      const double graph = own(bench, chain(n), algorithm, variant);
      over_ulna.push_back({double(n), graph / own(bench, chain(n), algorithm, exact)});
      over_peer.push_back({double(n), graph / best_peer(bench, chain(n), algorithm)});
    }
    if (over_ulna.size() < 2) return;
    (constant(over_ulna) && constant(over_peer) ? holds : fails).push_back(name);
    details += "\n* " + name + ": over ulna " + ratio_text(over_ulna) + "; over the fastest peer " +
               ratio_text(over_peer) + settled(over_ulna);
  };
  ask("bias_torque", interpreted, "C̃");
  ask("inverse_dynamics", interpreted, "ID");
  ask("mass_matrix", by_columns, "M by columns");
  ask("mass_matrix", interpreted, "M by composites");
  std::string figure;
  if (!holds.empty()) figure += "constant for " + joined(holds);
  if (!fails.empty()) figure += (figure.empty() ? "" : ", ") + ("growing for " + joined(fails));
  page.finding("overhead", "the overhead of expressions does not grow with the robot",
               "Figs. 6.4-6.6", static_cast<int>(holds.size()),
               static_cast<int>(holds.size() + fails.size()), figure,
               " Interpreting takes so many times what numeric algorithms take:\n" + details);
}

void add_sensitivities(const Bench& bench, Page& page) {
  std::vector<Row> rows;
  int holding = 0, asked = 0, fastest = 0;
  for (const auto& [robot, name] : robots(bench))
    for (const std::string algorithm : {"inverse_dynamics", "forward_dynamics"}) {
      const double graph = own(bench, robot, slope_of(algorithm), interpreted),
                   peer = best_peer(bench, robot, slope_of(algorithm), differences),
                   numeric = own(bench, robot, slope_of(algorithm), exact);
      ++asked, holding += graph < peer, fastest += numeric < std::min(graph, peer);
      rows.push_back({name + ", " + report::spelled(algorithm), report::grouped(graph),
                      report::grouped(peer), report::grouped(numeric), report::ratio(peer / graph),
                      report::ratio(graph / numeric)});
    }
  page.finding(
      "sensitivities", "with sensitivities counted, numeric libraries gain little", "Figs. 6.4-6.6",
      holding, asked,
      fmt::format(
          "the interpreted Jacobian is faster than the fastest peer's differences in {} of {} "
          "cases; ulna's numeric one is faster than both in {}",
          holding, asked, fastest),
      " It is exact besides. But that speaks against differences, not for interpreting.\n\n" +
          report::table({"full Jacobian, ns", "graph interpreted", "fastest peer, differences",
                         "ulna, exact", "peer / graph", "graph / ulna"},
                        rows));
}

// --- Figure 6.7 ---

std::vector<Point> slope_ratio(const Bench& bench, const Way& way, const std::string& algorithm,
                               const std::string& function_variant) {
  std::vector<Point> points;
  for (const int n : joints(bench)) {
    const auto slope = ns(bench, way.library, chain(n), slope_of(algorithm), way.variant),
               function = ns(bench, way.library, chain(n), algorithm, function_variant);
    if (slope && function) points.push_back({static_cast<double>(n), *slope / *function});
  }
  return points;
}

std::vector<report::Line> ratio_lines(const Bench& bench, const std::string& algorithm) {
  std::vector<report::Line> lines;
  for (const Way& way : ways(bench, differences)) {
    const bool graph = way.variant == interpreted || way.variant == generated;
    report::Line line{way.name, way.colour,
                      slope_ratio(bench, way, algorithm, graph ? way.variant : exact), way.strong,
                      way.dashed};
    if (line.points.size() > 1) lines.push_back(line);
  }
  return lines;
}

std::string ratio_table(const Bench& bench, const std::string& algorithm) {
  const std::vector<report::Line> lines = ratio_lines(bench, algorithm);
  Row head{"Jacobian / function"};
  for (const report::Line& line : lines) head.push_back(line.name);
  std::vector<Row> rows;
  for (const int n : joints(bench)) {
    Row row{std::to_string(n)};
    for (const report::Line& line : lines) {
      const auto at = std::find_if(line.points.begin(), line.points.end(),
                                   [&](const Point& p) { return p.x == n; });
      row.push_back(at == line.points.end() ? "-" : report::ratio(at->y));
    }
    rows.push_back(row);
  }
  Row last{"exponent"};
  for (const report::Line& line : lines)
    last.push_back(fmt::format("{:.2f}", power_law(line.points).exponent));
  rows.push_back(last);
  return report::table(head, rows);
}

void add_ratio(const Bench& bench, Page& page) {
  int holding = 0, asked = 0;
  std::string details;
  std::vector<std::string> powers;
  for (const std::string algorithm : {"inverse_dynamics", "forward_dynamics"})
    for (const report::Line& line : ratio_lines(bench, algorithm)) {
      if (!line.name.starts_with("ulna")) continue;
      ++asked, holding += constant(line.points);
      details +=
          "\n* " + report::spelled(algorithm) + ", " + line.name + ": " + ratio_text(line.points);
      if (algorithm == "inverse_dynamics")
        powers.push_back(fmt::format("{:.2f} ({})", power_law(line.points).exponent, line.name));
    }
  page.finding(
      "ratio", "Jacobian over function is the same for all robots", "Fig. 6.7", holding, asked,
      "for ID it grows as n to the power of " + joined(powers),
      " A full Jacobian of n functions by 3n inputs over the time of the function:\n" + details);
}

}  // namespace

void add_growth(const Bench& bench, Page& page) {
  for (const std::string algorithm : {"bias_torque", "inverse_dynamics", "mass_matrix"}) {
    page.sections["growth " + algorithm] = growth_table(bench, algorithm);
    page.plots[algorithm] = report::plot(report::capitalised(report::spelled(algorithm)),
                                         growth_lines(bench, algorithm));
  }
  for (const std::string algorithm : {"inverse_dynamics", "forward_dynamics"}) {
    page.sections["jacobian " + algorithm] = ratio_table(bench, algorithm);
    page.plots["jacobian-" + algorithm] =
        report::plot("Jacobian of " + report::spelled(algorithm), ratio_lines(bench, algorithm),
                     {"its time over that of the function, over the number of joints of a chain",
                      "joints", "×"});
  }
  add_overhead(bench, page);
  add_sensitivities(bench, page);
  add_ratio(bench, page);
}

}  // namespace thesis
