// Turns thesis.json into the tables, findings and plots of docs/thesis.md.

#include "report.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <iostream>

namespace thesis {

Fit power_law(const std::vector<Point>& points) {
  std::vector<Point> logs;
  for (const Point& p : points) logs.push_back({std::log(p.n), p.ns});
  return exponential(logs);
}

Fit exponential(const std::vector<Point>& points) {
  const double count = static_cast<double>(points.size());
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (const Point& p : points) x += p.n / count, y += std::log(p.ns) / count;
  for (const Point& p : points) xx += (p.n - x) * (p.n - x), xy += (p.n - x) * (std::log(p.ns) - y);
  const double slope = xy / xx;
  double left = 0.0;
  for (const Point& p : points) {
    const double e = std::log(p.ns) - y - slope * (p.n - x);
    left += e * e / count;
  }
  return {slope, std::exp(std::sqrt(left)) - 1.0};
}

std::string text(const char* format, ...) {
  char line[1024];
  va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  return line;
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i)
    all += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return all;
}

std::string verdict(int holding, int asked) {
  return asked == 0         ? "**Not measured.**"
         : holding == asked ? "**It holds.**"
         : holding == 0     ? "**It does not hold.**"
                            : "**It holds in part.**";
}

namespace {

using report::Entry;
using report::Figure;
using report::Row;
using report::Sections;

const std::string interpreted = "interpreted", generated = "generated",
                  differences = "finite differences", exact = "";
const std::vector<std::pair<std::string, std::string>> functions{{"inverse_dynamics", "ID"},
                                                                 {"bias_torque", "C̃"},
                                                                 {"mass_matrix", "M"},
                                                                 {"forward_dynamics", "FD"}};
using Names = std::vector<std::pair<std::string, std::string>>;
/// Those of Figures 6.1 to 6.3.
Names robots(const Bench& bench) {
  Names all{
      {"panda", "Panda"}, {"double_pendulum", "double pendulum"}, {"chain:14", "chain of 14"}};
  std::erase_if(all, [&](const auto& robot) {
    return !bench.find("ulna", robot.first, "inverse_dynamics", "interpreted");
  });
  return all;
}

std::vector<std::string> peers(const Bench& bench) {
  std::vector<std::string> names = bench.libraries();
  std::erase(names, "ulna");
  return names;
}

std::optional<double> ns(const Bench& bench, const std::string& library, const std::string& robot,
                         const std::string& algorithm, const std::string& variant = "") {
  return bench.figure(&Entry::ns, library, robot, algorithm, variant);
}
double own(const Bench& bench, const std::string& robot, const std::string& algorithm,
           const std::string& variant, Figure figure = &Entry::ns) {
  return bench.figure(figure, "ulna", robot, algorithm, variant).value_or(NAN);
}
/// The fastest peer's time.
double best_peer(const Bench& bench, const std::string& robot, const std::string& algorithm,
                 const std::string& variant = "") {
  double best = INFINITY;
  for (const std::string& peer : peers(bench))
    best = std::min(best, ns(bench, peer, robot, algorithm, variant).value_or(INFINITY));
  return best;
}
std::string slope_of(const std::string& algorithm) { return algorithm + "_derivatives"; }

std::vector<int> joints(const Bench& bench) {
  std::vector<int> all;
  for (const Entry& e : bench.entries)
    if (e.robot.starts_with("chain:") && e.algorithm == "inverse_dynamics" && e.variant.empty() &&
        e.library == "ulna")
      all.push_back(e.nv);
  std::sort(all.begin(), all.end());
  return all;
}
std::string chain(int n) { return "chain:" + std::to_string(n); }

/// Ways to compute something, as they are shown.
struct Way {
  std::string name, library, variant, colour;
  bool strong = false, dashed = false;
};
std::vector<Way> ways(const Bench& bench, const std::string& own_variant,
                      const std::string& peers_variant) {
  const std::string ulna = report::colour_of("ulna");
  std::vector<Way> all{{"ulna, graph interpreted", "ulna", interpreted, ulna, false, true},
                       {"ulna", "ulna", own_variant, ulna, true},
                       {"ulna, generated C", "ulna", generated, "#e39a6f"}};
  for (const std::string& peer : peers(bench))
    all.push_back({peer, peer, peers_variant, report::colour_of(peer)});
  return all;
}

// --- Table 6.1 ---

/// "yes" and how far from ulna, from what was measured.
std::string agreed(const Bench& bench, const std::string& library,
                   const std::vector<std::string>& algorithms, const std::string& robot = "") {
  double worst = 0.0;
  bool any = false;
  for (const Entry& e : bench.entries) {
    if (e.library != library || !e.variant.empty() || !e.difference) continue;
    if (std::count(algorithms.begin(), algorithms.end(), e.algorithm) == 0) continue;
    if (!robot.empty() && e.robot != robot) continue;
    if (!e.ns) return "disagrees";
    any = true, worst = std::max(worst, *e.difference);
  }
  if (!any) return "-";
  return library == "ulna" ? "yes" : text("yes, %.0e", worst);
}

std::string functionality(const Bench& bench) {
  const std::vector<std::string> libraries{"KDL", "MuJoCo", "DART", "Simbody"};
  Row head{"", "u2c", "RBDL", "Bullet", "thesis", "ulna"};
  for (const std::string& library : libraries) {
    const auto at = std::find_if(bench.entries.begin(), bench.entries.end(),
                                 [&](const Entry& e) { return e.library == library; });
    head.push_back(library + (at == bench.entries.end() ? "" : " " + at->version));
  }
  std::vector<Row> rows;
  const auto measured = [&](const std::string& name, const Row& thesis,
                            const std::vector<std::string>& algorithms,
                            const std::string& robot = "", const Row& without = {}) {
    Row row{name};
    row.insert(row.end(), thesis.begin(), thesis.end());
    row.push_back(agreed(bench, "ulna", algorithms, robot));
    for (const std::string& library : libraries)
      row.push_back(std::count(without.begin(), without.end(), library)
                        ? "no"
                        : agreed(bench, library, algorithms, robot));
    rows.push_back(row);
  };
  measured("inverse dynamics", {"yes", "yes", "yes", "yes"}, {"inverse_dynamics"});
  measured("forward dynamics, articulated bodies", {"yes", "yes", "no", "no"}, {"forward_dynamics"},
           "", {"KDL", "MuJoCo"});
  measured("forward dynamics, mass matrix", {"yes", "yes", "yes", "yes"}, {"forward_dynamics"}, "",
           {"DART", "Simbody"});
  measured("M", {"yes", "yes", "yes", "yes"}, {"mass_matrix"});
  measured("C̃", {"yes", "yes", "yes", "yes"}, {"bias_torque"});
  rows.push_back(
      {"URDF", "yes", "yes", "no", "yes", "yes", "no, kdl_parser does", "yes", "yes", "no"});
  rows.push_back({"sensitivity", "yes", "no", "no", "yes", "exact, also second order", "no",
                  "differences of a step", "no", "no"});
  rows.push_back({"closed loop", "no", "yes", "yes", "no", "described, not yet simulated", "no",
                  "yes", "yes", "yes"});
  measured("open loop", {"yes", "yes", "yes", "yes"}, {"inverse_dynamics", "forward_dynamics"},
           chain(14));
  rows.push_back(
      {"constraints", "no", "yes", "yes", "no", "joint stops", "at the tip", "yes", "yes", "yes"});
  return report::table(head, rows);
}

// --- Figures 6.1 to 6.3 ---

std::string robot_table(const Bench& bench, const std::string& robot) {
  const std::vector<Way> all = ways(bench, exact, exact);
  Row head{"ns, least / median"};
  for (const Way& way : all) head.push_back(way.name);
  std::vector<Row> rows;
  for (const auto& [algorithm, name] : functions) {
    Row row{name};
    for (const Way& way : all) {
      const Entry* e = bench.find(way.library, robot, algorithm, way.variant);
      row.push_back(e && e->ns ? report::grouped(e->ns) + " / " + report::grouped(e->median) : "-");
    }
    rows.push_back(row);
  }
  return report::table(head, rows);
}

std::string robot_plot(const Bench& bench, const std::string& robot, const std::string& title) {
  std::vector<report::BarGroup> groups;
  for (const auto& [algorithm, name] : functions) {
    report::BarGroup group{name, {}};
    for (const Way& way : ways(bench, exact, exact))
      if (const auto time = ns(bench, way.library, robot, algorithm, way.variant))
        group.bars.push_back({way.name, way.colour, *time, way.strong});
    // times are told as multiples of the first: ulna's
    if (group.bars.size() > 1) std::swap(group.bars[0], group.bars[1]);
    groups.push_back(group);
  }
  return report::bar_plot(title, "time of one evaluation, the least of all repeats", groups);
}

/// Symbolic expressions are slower than numeric libraries.
std::string finding_slower(const Bench& bench) {
  int beaten = 0, by_all = 0, cases = 0, compiled_first = 0;
  std::string told;
  for (const auto& [robot, name] : robots(bench)) {
    std::vector<std::string> times;
    for (const auto& [algorithm, short_name] : functions) {
      const double graph = own(bench, robot, algorithm, interpreted),
                   numeric = own(bench, robot, algorithm, exact),
                   peer = best_peer(bench, robot, algorithm);
      ++cases, beaten += graph > peer;
      by_all += std::all_of(bench.entries.begin(), bench.entries.end(), [&](const Entry& e) {
        const bool compared = e.library != "ulna" && e.robot == robot && e.algorithm == algorithm;
        return !compared || !e.ns || graph > *e.ns;
      });
      compiled_first += own(bench, robot, algorithm, generated) < std::min(numeric, peer);
      times.push_back(short_name + " " + report::ratio(graph / numeric) + " (" +
                      report::ratio(graph / peer) + ")");
    }
    told += "\n* " + name + ": " + joined(times);
  }
  return verdict(beaten, cases) +
         text(
             " Walked, the graph is slower than the fastest peer in %d of %d cases, than all of "
             "them in %d. It "
             "takes so many times what ulna's numeric algorithms take, and (in brackets) the "
             "fastest peer:\n",
             beaten, cases, by_all) +
         told +
         text(
             "\n\nThat is the price of walking graphs, not of expressions: compiled to C, the same "
             "graphs are faster "
             "than all peers and than ulna's numeric algorithms in %d of %d.\n",
             compiled_first, cases);
}

/// C~ is cheaper than inverse dynamics, for its graph is smaller.
std::string finding_bias(const Bench& bench) {
  std::vector<Row> rows;
  int holding = 0;
  for (const auto& [robot, name] : robots(bench)) {
    const auto of = [&](const std::string& variant, Figure figure) {
      return own(bench, robot, "bias_torque", variant, figure) /
             own(bench, robot, "inverse_dynamics", variant, figure);
    };
    const double operations = of(interpreted, &Entry::operations),
                 time = of(interpreted, &Entry::ns);
    holding += time < 1.0 && operations < 1.0;
    rows.push_back(
        {name,
         report::grouped(own(bench, robot, "inverse_dynamics", interpreted, &Entry::operations)),
         report::grouped(own(bench, robot, "bias_torque", interpreted, &Entry::operations)),
         text("%.2f", operations), text("%.2f", time), text("%.2f", of(generated, &Entry::ns)),
         text("%.2f", of(exact, &Entry::ns))});
  }
  return verdict(holding, static_cast<int>(rows.size())) +
         " By how much depends on the robot: beyond a few joints, accelerations take few of the "
         "operations.\n\n" +
         report::table({"C̃ / ID", "operations of ID", "of C̃", "C̃ / ID in operations",
                        "in time, interpreted", "generated", "numeric"},
                       rows);
}

/// The graph of forward dynamics is longer by the mass matrix than by articulated bodies.
std::string finding_forward(const Bench& bench) {
  const std::string bodies = interpreted + ", articulated bodies",
                    mass = interpreted + ", mass matrix", columns = interpreted + ", columns";
  std::vector<Row> rows;
  int holding = 0, asked = 0;
  std::optional<int> from;  // where articulated bodies begin to win against composites
  for (const int n : joints(bench)) {
    const auto of = [&](const std::string& variant, Figure figure) {
      return own(bench, chain(n), "forward_dynamics", variant, figure);
    };
    const double length = of(bodies, &Entry::operations);
    if (n <= 14) ++asked, holding += length < of(columns, &Entry::operations);
    if (length > of(mass, &Entry::operations))
      from.reset();
    else if (!from)
      from = n;
    Row row{std::to_string(n)};
    for (const Figure figure : {&Entry::operations, &Entry::ns})
      for (const std::string& variant : {columns, mass, bodies, interpreted})
        row.push_back(report::grouped(of(variant, figure)));
    rows.push_back(row);
  }
  return verdict(holding, asked) +
         text(
             " Against columns, articulated bodies make the shorter graph in %d of %d chains of up "
             "to 14 "
             "joints. ",
             holding, asked) +
         (from ? text("Against composites they do from %d joints on, among those measured.", *from)
               : std::string("Against composites they never do.")) +
         "\n\n" +
         report::table(
             {"joints", "operations: columns", "composites", "articulated bodies", "ulna's own",
              "ns: columns", "composites", "articulated bodies", "ulna's own"},
             rows);
}

// --- Figures 6.4 to 6.6 ---

const std::string by_columns = interpreted + ", columns";

std::vector<Way> growth_ways(const Bench& bench, const std::string& algorithm) {
  std::vector<Way> all = ways(bench, exact, exact);
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
std::string ratio_told(const std::vector<Point>& points) {
  return text("%s at %g joints, %s at %g, exponent %+.2f", report::ratio(points.front().ns).c_str(),
              points.front().n, report::ratio(points.back().ns).c_str(), points.back().n,
              power_law(points).exponent);
}
/// Less than a factor of two over a factor of ten in n.
bool constant(const std::vector<Point>& points) {
  return std::abs(power_law(points).exponent) < 0.3;
}

/// The overhead of expressions does not grow with the robot.
std::string finding_overhead(const Bench& bench) {
  std::string told;
  int holding = 0, asked = 0;
  const auto ask = [&](const std::string& algorithm, const std::string& variant,
                       const std::string& name) {
    std::vector<Point> over_ulna, over_peer;
    for (const int n : joints(bench)) {
      if (n < 7) continue;  // of the first joints, simplification leaves next to nothing
      const double graph = own(bench, chain(n), algorithm, variant);
      over_ulna.push_back({double(n), graph / own(bench, chain(n), algorithm, exact)});
      over_peer.push_back({double(n), graph / best_peer(bench, chain(n), algorithm)});
    }
    if (over_ulna.size() < 2) return;
    const bool holds = constant(over_ulna) && constant(over_peer);
    ++asked, holding += holds;
    told += "\n* " + name + (holds ? ", constant" : ", not constant") + ": over ulna " +
            ratio_told(over_ulna) + "; over the fastest peer " + ratio_told(over_peer);
  };
  ask("bias_torque", interpreted, "C̃");
  ask("inverse_dynamics", interpreted, "ID");
  ask("mass_matrix", by_columns, "M by columns");
  ask("mass_matrix", interpreted, "M by composites");
  return verdict(holding, asked) + " Interpreting costs so many times the numeric algorithm:\n" +
         told + "\n";
}

/// With Jacobians counted, numeric libraries gain little.
std::string finding_sensitivities(const Bench& bench) {
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
  return verdict(holding, asked) +
         text(
             " The interpreted Jacobian is faster than the fastest peer's differences in %d of %d "
             "cases, and exact. "
             "But that speaks against differences, not for interpreting: ulna's exact numeric "
             "derivatives are faster "
             "than both in %d.\n\n",
             holding, asked, fastest) +
         report::table({"full Jacobian, ns", "graph interpreted", "fastest peer, differences",
                        "ulna, exact", "peer / graph", "graph / ulna"},
                       rows);
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
  for (const Way& way : ways(bench, exact, differences)) {
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
                                   [&](const Point& p) { return p.n == n; });
      row.push_back(at == line.points.end() ? "-" : report::ratio(at->ns));
    }
    rows.push_back(row);
  }
  Row last{"exponent"};
  for (const report::Line& line : lines)
    last.push_back(text("%.2f", power_law(line.points).exponent));
  rows.push_back(last);
  return report::table(head, rows);
}

/// A Jacobian costs the same multiple of its function for every robot.
std::string finding_ratio(const Bench& bench) {
  int holding = 0, asked = 0;
  std::string told;
  for (const std::string algorithm : {"inverse_dynamics", "forward_dynamics"})
    for (const report::Line& line : ratio_lines(bench, algorithm)) {
      if (!line.name.starts_with("ulna")) continue;
      ++asked, holding += constant(line.points);
      told +=
          "\n* " + report::spelled(algorithm) + ", " + line.name + ": " + ratio_told(line.points);
    }
  return verdict(holding, asked) +
         " A full Jacobian of n functions by 3n inputs over the time of the function:\n" + told +
         "\n";
}

// --- the document ---

/// The verdict that stands k-th in a finding.
std::string verdict_in(const std::string& finding, int k = 0) {
  std::size_t begin = 0, end = 0;
  for (; k >= 0; --k) {
    begin = finding.find("**", end == 0 ? 0 : end + 2);
    if (begin == std::string::npos) return "not measured";
    end = finding.find("**", begin + 2);
  }
  return finding.substr(begin + 2, end - begin - 3);
}

std::string summary(const Sections& s) {
  const auto row = [&](const char* finding, const char* where, const char* section, int k = 0) {
    return Row{finding, where, verdict_in(s.at(std::string("finding ") + section), k)};
  };
  return report::table(
      {"finding of the thesis", "where", "here"},
      {row("expression graphs are slower than numeric libraries", "Figs. 6.1-6.3", "slower"),
       row("C̃ is cheaper than ID, its graph being smaller", "Figs. 6.1-6.3", "bias"),
       row("FD is slower by the mass matrix than by articulated bodies", "Figs. 6.1-6.3",
           "forward"),
       row("the overhead of expressions does not grow with the robot", "Figs. 6.4-6.6", "overhead"),
       row("with sensitivities counted, numeric libraries gain little", "Figs. 6.4-6.6",
           "sensitivities"),
       row("Jacobian over function is the same for all robots", "Fig. 6.7", "ratio"),
       row("linear identification takes time in proportion to the parameters", "Fig. 6.8",
           "identification"),
       row("multiple shooting grows faster, exponentially", "Fig. 6.8", "identification", 1),
       row("multiple shooting is less precise", "remark 4.2.10", "identification", 2)});
}

void run(const std::string& json, const std::vector<std::string>& documents) {
  const Bench bench = report::read(json);
  Sections sections{{"setting", report::setting(bench)},
                    {"functionality", functionality(bench)},
                    {"finding slower", finding_slower(bench)},
                    {"finding bias", finding_bias(bench)},
                    {"finding forward", finding_forward(bench)},
                    {"finding overhead", finding_overhead(bench)},
                    {"finding sensitivities", finding_sensitivities(bench)},
                    {"finding ratio", finding_ratio(bench)}};
  Sections plots;
  for (const auto& [robot, name] : robots(bench)) {
    sections["robot " + robot] = robot_table(bench, robot);
    plots[robot == "chain:14" ? "chain14" : robot] =
        robot_plot(bench, robot, report::capitalised(name));
  }
  for (const std::string algorithm : {"bias_torque", "inverse_dynamics", "mass_matrix"}) {
    sections["growth " + algorithm] = growth_table(bench, algorithm);
    plots[algorithm] = report::plot(report::capitalised(report::spelled(algorithm)),
                                    growth_lines(bench, algorithm));
  }
  for (const std::string algorithm : {"inverse_dynamics", "forward_dynamics"}) {
    sections["jacobian " + algorithm] = ratio_table(bench, algorithm);
    plots["jacobian-" + algorithm] =
        report::plot("Jacobian of " + report::spelled(algorithm), ratio_lines(bench, algorithm),
                     {"its time over that of the function, over the number of joints of a chain",
                      "joints", "×"});
  }
  add_identification(bench, sections, plots);
  sections["summary"] = summary(sections);

  if (documents.empty())
    for (const auto& [name, words] : sections) std::cout << "\n" << name << "\n\n" << words;
  for (const std::string& document : documents) report::fill(document, sections);
  if (documents.empty()) return;
  const std::string stem = documents.front().substr(0, documents.front().rfind('.'));
  for (const auto& [name, svg] : plots)
    if (!svg.empty()) report::write(stem + "-" + name + ".svg", svg);
}

}  // namespace
}  // namespace thesis

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "ulna_thesis_report <thesis.json> [document.md]...\n\n"
                 "Prints tables and findings; with documents, fills them in and draws the plots "
                 "beside the first.\n";
    return 2;
  }
  try {
    thesis::run(argv[1], {argv + 2, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
