// Turns bench.json into the tables and plots of docs/performance.md.

#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

namespace report {
namespace {

const std::vector<std::string> algorithms{"inverse_dynamics", "bias_torque",  "mass_matrix",
                                          "forward_dynamics", "inverse_mass", "jacobian",
                                          "kinematics"};

/// Those that are shown for all robots, and drawn.
const std::vector<std::string> foremost{"inverse_dynamics", "mass_matrix", "forward_dynamics"};

// --- tables ---

/// One figure of each library, and how far the best peer is from ulna.
Row figures_of(const Bench& bench, const std::string& robot, const std::string& algorithm,
               Figure figure) {
  Row row;
  for (const std::string& library : bench.libraries())
    row.push_back(grouped(bench.figure(figure, library, robot, algorithm)));
  row.push_back(ratio(bench.best_peer(figure, robot, algorithm),
                      bench.figure(figure, "ulna", robot, algorithm)));
  return row;
}

Row joined(Row first, const Row& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

Row libraries_of(const Bench& bench) { return joined(bench.libraries(), {"best peer / ulna"}); }

/// All algorithms of one robot.
std::string robot_table(const Bench& bench, const std::string& robot, Figure figure) {
  std::vector<Row> rows;
  for (const std::string& algorithm : algorithms)
    rows.push_back(joined({spelled(algorithm)}, figures_of(bench, robot, algorithm, figure)));
  return table(joined({""}, libraries_of(bench)), rows);
}

/// One algorithm on all robots.
std::string algorithm_table(const Bench& bench, const std::string& algorithm) {
  std::vector<Row> rows;
  for (const std::string& robot : bench.robots()) {
    const Entry* own = bench.find("ulna", robot, algorithm);
    if (own && own->ns)
      rows.push_back(joined({robot, std::to_string(own->nv)},
                            figures_of(bench, robot, algorithm, &Entry::ns)));
  }
  return table(joined({spelled(algorithm) + ", ns", "DOF"}, libraries_of(bench)), rows);
}

std::string scalar_table(const Bench& bench) {
  const std::vector<std::string> variants{"", "float", "dual, 1 direction", "dual, 4 directions"};
  std::vector<Row> rows;
  for (const std::string& algorithm : foremost) {
    Row row{spelled(algorithm)};
    for (const std::string& variant : variants)
      row.push_back(grouped(bench.figure(&Entry::ns, "ulna", "panda", algorithm, variant)));
    rows.push_back(row);
  }
  return table({"Panda, ns", "double", "float", "dual, 1 direction", "dual, 4 directions"}, rows);
}

std::string other_table(const Bench& bench) {
  std::vector<Row> rows;
  const auto add = [&](const char* robot, const char* algorithm, const char* variant,
                       const std::string& words, double unit, const char* unit_name, double goal) {
    const auto ns = bench.figure(&Entry::ns, "ulna", robot, algorithm, variant);
    if (!ns) return;
    rows.push_back({words, fmt::format("{:.3g} {}", *ns / unit, unit_name),
                    goal > 0.0 ? fmt::format("< {:.0f} {}, {}", goal, unit_name,
                                             *ns / unit < goal ? "met" : "missed")
                               : "-"});
  };
  add("panda", "load", "", "load the embedded Panda", 1e6, "ms", 1);
  add("chain:5000", "load", "", "load a chain of 5,000 links from URDF", 1e6, "ms", 200);
  for (const auto& [algorithm, words] : {std::pair{"csv_read", "read CSV, 22 columns"},
                                         std::pair{"csv_write", "write CSV, 22 columns"}})
    if (const Entry* e = bench.find("ulna", "panda", algorithm))
      rows.push_back({words, grouped(1e3 * *e->bytes / *e->ns) + " MB/s", "-"});
  const std::string million = "a million samples of the Panda ";
  add("panda", "normal_equations", "1 thread", million + "into normal equations, 1 thread", 1e9,
      "s", 2);
  add("panda", "normal_equations", "", million + "into normal equations, all cores", 1e9, "s", 2);
  add("panda", "least_squares", "", million + "to weighted least squares", 1e9, "s", 3);
  add("panda", "consistent_estimate", "", million + "to a consistent estimate", 1e9, "s", 5);
  add("panda", "online_update", "", "one online update, 91 unknowns", 1e3, "µs", 50);
  add("panda", "rk4_step_derivatives", "", "one RK4 step with its A and B", 1e3, "µs", 0);
  add("panda", "qp", "",
      "a quadratic program of 14 states, 7 inputs, 20 stages, all bounded, from cold", 1e3, "µs",
      600);
  add("panda", "sqp_cold", "", "the Panda's reach over 20 nodes, RK4, from cold to 1e-6", 1e6, "ms",
      6);
  add("panda", "rti_steps", "", "one step of its real-time iteration in a closed loop", 1e3, "µs",
      500);
  return table({"", "best of all repeats", "goal"}, rows);
}

std::string agreement_table(const Bench& bench) {
  std::vector<Row> rows;
  for (const std::string& library : bench.libraries()) {
    double worst[2] = {0.0, 0.0};
    std::string version, left_out;
    for (const Entry& e : bench.entries) {
      const bool differences = e.variant == "finite differences";
      if (e.library != library || !e.difference || !(e.variant.empty() || differences)) continue;
      version = e.version;
      if (e.ns)
        worst[differences] = std::max(worst[differences], *e.difference);
      else
        left_out += (left_out.empty() ? "" : "; ") + e.robot + ", " + spelled(e.algorithm);
    }
    rows.push_back({library + " " + version,
                    library == "ulna" ? "-" : fmt::format("{:.0e}", worst[0]),
                    fmt::format("{:.0e}", worst[1]), left_out.empty() ? "none" : left_out});
  }
  return table({"", "largest difference from ulna", "derivatives by differences",
                "left out for more than 1e-9, differences 1e-5"},
               rows);
}

// --- plots ---

std::string growth_plot(const Bench& bench, const std::string& algorithm) {
  std::vector<Line> lines;
  for (const std::string& library : bench.libraries()) {
    Line line = growth_line(bench, library, colour_of(library), library, algorithm);
    if (line.points.size() > 1) lines.push_back(line);
  }
  return plot(capitalised(spelled(algorithm)), lines);
}

// --- documents ---

Sections sections(const Bench& bench) {
  Sections all{{"setting", setting(bench)},
               {"panda times", robot_table(bench, "panda", &Entry::ns)},
               {"batches", batch_table(bench, algorithms)},
               {"scalars", scalar_table(bench)},
               {"loading", other_table(bench)},
               {"agreement", agreement_table(bench)}};
  if (bench.counted())
    all["panda instructions"] = robot_table(bench, "panda", &Entry::instructions);
  for (const std::string& algorithm : foremost)
    all["robots " + algorithm] = algorithm_table(bench, algorithm);
  add_derivative_sections(bench, all);
  return all;
}

void run(const std::string& json, const std::string& document) {
  const Bench bench = read(json);
  if (document.empty()) {
    for (const auto& [name, text] : sections(bench)) std::cout << "\n" << name << "\n\n" << text;
    return;
  }
  fill(document, sections(bench));
  const std::string stem = document.substr(0, document.rfind('.'));
  Sections plots = derivative_plots(bench);
  for (const std::string& algorithm : foremost) plots[algorithm] = growth_plot(bench, algorithm);
  for (const auto& [name, svg] : plots)
    if (!svg.empty()) write(stem + "-" + name + ".svg", svg);
}

}  // namespace
}  // namespace report

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::cerr << "ulna_bench_report <bench.json> [document.md]\n\n"
                 "Prints the tables; with a document, fills in its tables and draws its plots "
                 "beside it.\n";
    return 2;
  }
  try {
    report::run(argv[1], argc == 3 ? argv[2] : "");
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
