// Table 6.1 and Figures 6.1 to 6.3: what libraries offer, and what three robots take.

#include <algorithm>

#include "report.hpp"

namespace thesis {
namespace {

const std::vector<std::pair<std::string, std::string>> functions{{"inverse_dynamics", "ID"},
                                                                 {"bias_torque", "C̃"},
                                                                 {"mass_matrix", "M"},
                                                                 {"forward_dynamics", "FD"}};
const std::string section = "Figs. 6.1-6.3";

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
  return library == "ulna" ? "yes" : fmt::format("yes, {:.0e}", worst);
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
  rows.push_back({"closed loop", "no", "yes", "yes", "no", "yes", "no", "yes", "yes", "yes"});
  measured("open loop", {"yes", "yes", "yes", "yes"}, {"inverse_dynamics", "forward_dynamics"},
           chain(14));
  rows.push_back(
      {"constraints", "no", "yes", "yes", "no", "contact, stops", "at the tip", "yes", "yes", "yes"});
  return report::table(head, rows);
}

// --- Figures 6.1 to 6.3 ---

std::string robot_table(const Bench& bench, const std::string& robot) {
  const std::vector<Way> all = ways(bench, exact);
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
    for (const Way& way : ways(bench, exact))
      if (const auto time = ns(bench, way.library, robot, algorithm, way.variant))
        group.bars.push_back({way.name, way.colour, "", *time, way.strong});
    // times are given as multiples of the first: ulna's
    if (group.bars.size() > 1) std::swap(group.bars[0], group.bars[1]);
    groups.push_back(group);
  }
  return report::bar_plot(title, "time of one evaluation, the least of all repeats", groups);
}

// --- findings ---

void add_slower(const Bench& bench, Page& page) {
  int beaten = 0, cases = 0, compiled_first = 0;
  double least = INFINITY, most = 0.0;
  std::vector<std::string> not_beaten;
  std::string details;
  for (const auto& [robot, name] : robots(bench)) {
    std::vector<std::string> times;
    int slower = 0;
    for (const auto& [algorithm, short_name] : functions) {
      const double graph = own(bench, robot, algorithm, interpreted),
                   numeric = own(bench, robot, algorithm, exact),
                   peer = best_peer(bench, robot, algorithm);
      ++cases, slower += graph > peer;
      least = std::min(least, graph / peer), most = std::max(most, graph / peer);
      compiled_first += own(bench, robot, algorithm, generated) < std::min(numeric, peer);
      times.push_back(short_name + " " + report::ratio(graph / numeric) + " (" +
                      report::ratio(graph / peer) + ")");
    }
    beaten += slower;
    if (slower == 0) not_beaten.push_back("the " + name);
    details += "\n* " + name + ": " + joined(times);
  }
  page.finding(
      "slower", "expression graphs are slower than numeric libraries", section, beaten, cases,
      fmt::format(
          "interpreted, {} to {} times what the fastest peer takes, slower in {} of {} cases{}",
          report::ratio(least), report::ratio(most), beaten, cases,
          not_beaten.empty() ? "" : (", never for " + joined(not_beaten))),
      " In multiples of ulna's numeric algorithms and, in brackets, of the fastest peer:\n" +
          details +
          fmt::format(
              "\n\nThat is the price of interpreting, not of expressions: compiled to C, the same "
              "graphs are faster "
              "than all peers and than ulna's numeric algorithms in {} of {}.",
              compiled_first, cases));
}

void add_bias(const Bench& bench, Page& page) {
  std::vector<Row> rows;
  int holding = 0;
  double least = INFINITY, most = 0.0;
  for (const auto& [robot, name] : robots(bench)) {
    const auto of = [&](const std::string& variant, Figure figure) {
      return own(bench, robot, "bias_torque", variant, figure) /
             own(bench, robot, "inverse_dynamics", variant, figure);
    };
    const auto operations = [&](const char* algorithm) {
      return report::grouped(own(bench, robot, algorithm, interpreted, &Entry::operations));
    };
    const double length = of(interpreted, &Entry::operations), time = of(interpreted, &Entry::ns);
    holding += time < 1.0 && length < 1.0;
    least = std::min(least, length), most = std::max(most, length);
    rows.push_back({name, operations("inverse_dynamics"), operations("bias_torque"),
                    fmt::format("{:.2f}", length), fmt::format("{:.2f}", time),
                    fmt::format("{:.2f}", of(generated, &Entry::ns)),
                    fmt::format("{:.2f}", of(exact, &Entry::ns))});
  }
  page.finding("bias", "C̃ is cheaper than ID, its graph being smaller", section, holding,
               static_cast<int>(rows.size()),
               fmt::format("C̃ has {:.2f} to {:.2f} of the operations of ID", least, most),
               " Beyond a few joints, accelerations take few of them.\n\n" +
                   report::table({"C̃ / ID", "operations of ID", "of C̃", "C̃ / ID in operations",
                                  "in time, interpreted", "generated", "numeric"},
                                 rows));
}

/// From which size on a graph is shorter than another, for good.
std::string shorter_from(const Bench& bench, const std::string& graph, const std::string& than) {
  std::optional<int> from;
  for (const int n : joints(bench)) {
    const auto length = [&](const std::string& variant) {
      return own(bench, chain(n), "forward_dynamics", variant, &Entry::operations);
    };
    if (length(graph) >= length(than))
      from.reset();
    else if (!from)
      from = n;
  }
  return from ? fmt::format("from {} joints on", *from) : "at no size measured";
}

void add_forward(const Bench& bench, Page& page) {
  const std::string bodies = interpreted + ", articulated bodies",
                    composites = interpreted + ", mass matrix";
  std::vector<Row> rows;
  int holding = 0, asked = 0;
  for (const int n : joints(bench)) {
    const auto of = [&](const std::string& variant, Figure figure) {
      return own(bench, chain(n), "forward_dynamics", variant, figure);
    };
    if (n <= 14)
      ++asked, holding += of(bodies, &Entry::operations) < of(by_columns, &Entry::operations);
    Row row{std::to_string(n)};
    for (const Figure figure : {&Entry::operations, &Entry::ns})
      for (const std::string& variant : {by_columns, composites, bodies, interpreted})
        row.push_back(report::grouped(of(variant, figure)));
    rows.push_back(row);
  }
  page.finding("forward", "FD is slower by the mass matrix than by articulated bodies", section,
               holding, asked,
               "articulated bodies make a shorter graph than columns " +
                   shorter_from(bench, bodies, by_columns) + ", than composites " +
                   shorter_from(bench, bodies, composites),
               "\n\n" + report::table({"joints", "operations: columns", "composites",
                                       "articulated bodies", "ulna's own", "ns: columns",
                                       "composites", "articulated bodies", "ulna's own"},
                                      rows));
}

}  // namespace

void add_robots(const Bench& bench, Page& page) {
  page.sections["functionality"] = functionality(bench);
  for (const auto& [robot, name] : robots(bench)) {
    page.sections["robot " + robot] = robot_table(bench, robot);
    page.plots[robot == "chain:14" ? "chain14" : robot] =
        robot_plot(bench, robot, report::capitalised(name));
  }
  add_slower(bench, page);
  add_bias(bench, page);
  add_forward(bench, page);
}

}  // namespace thesis
