// Turns bench.json into the tables and plots of docs/performance.md.

#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>

namespace report {
namespace {

const std::vector<std::string> algorithms{"inverse_dynamics", "bias_torque",  "mass_matrix",
                                          "forward_dynamics", "inverse_mass", "jacobian",
                                          "kinematics"};

/// Those that are shown for all robots, and drawn.
const std::vector<std::string> foremost{"inverse_dynamics", "mass_matrix", "forward_dynamics"};

/// The least of a figure among ulna's peers, or nothing.
std::optional<double> best_peer(const Bench& bench, const std::string& robot,
                                const std::string& algorithm,
                                std::optional<double> Entry::*figure) {
  std::optional<double> best;
  for (const std::string& library : bench.libraries()) {
    const Entry* e = bench.find(library, robot, algorithm);
    if (library != "ulna" && e && e->*figure)
      best = std::min(best.value_or(INFINITY), *(e->*figure));
  }
  return best;
}

// --- tables ---

/// All algorithms of one robot, one figure of each library, and how far the next best is away.
std::string robot_table(const Bench& bench, const std::string& robot,
                        std::optional<double> Entry::*figure) {
  Row head{""};
  for (const std::string& library : bench.libraries()) head.push_back(library);
  head.push_back("best peer / ulna");
  std::vector<Row> rows;
  for (const std::string& algorithm : algorithms) {
    Row row{spelled(algorithm)};
    for (const std::string& library : bench.libraries()) {
      const Entry* e = bench.find(library, robot, algorithm);
      row.push_back(e ? grouped(e->*figure) : "-");
    }
    const Entry* own = bench.find("ulna", robot, algorithm);
    const std::optional<double> best = best_peer(bench, robot, algorithm, figure);
    row.push_back(own && own->*figure && best ? ratio(*best / *(own->*figure)) : "-");
    rows.push_back(row);
  }
  return table(head, rows);
}

/// One algorithm on all robots.
std::string algorithm_table(const Bench& bench, const std::string& algorithm) {
  Row head{spelled(algorithm) + ", ns", "DOF"};
  for (const std::string& library : bench.libraries()) head.push_back(library);
  head.push_back("best peer / ulna");
  std::vector<Row> rows;
  for (const std::string& robot : bench.robots()) {
    const Entry* own = bench.find("ulna", robot, algorithm);
    if (!own || !own->ns) continue;
    Row row{robot, std::to_string(own->nv)};
    for (const std::string& library : bench.libraries()) {
      const Entry* e = bench.find(library, robot, algorithm);
      row.push_back(e ? grouped(e->ns) : "-");
    }
    const std::optional<double> best = best_peer(bench, robot, algorithm, &Entry::ns);
    row.push_back(best ? ratio(*best / *own->ns) : "-");
    rows.push_back(row);
  }
  return table(head, rows);
}

std::string batch_table(const Bench& bench) {
  const std::string one = "batch, 1 thread", two = "batch, 2 threads";
  std::vector<Row> rows;
  for (const std::string& robot : bench.distinct(&Entry::robot, one))
    for (const std::string& algorithm : algorithms) {
      const Entry* single = bench.find("ulna", robot, algorithm, "one by one");
      const Entry* b1 = bench.find("ulna", robot, algorithm, one);
      const Entry* b2 = bench.find("ulna", robot, algorithm, two);
      if (!single || !b1) continue;
      rows.push_back({robot + ", " + spelled(algorithm), grouped(single->ns), grouped(b1->ns),
                      b2 ? grouped(b2->ns) : "-", ratio(*single->ns / *b1->ns),
                      b2 ? ratio(*single->ns / *b2->ns) : "-"});
    }
  return table({"ns per state", "one by one", "batch, 1 thread", "batch, 2 threads",
                "gain, 1 thread", "gain, 2 threads"},
               rows);
}

std::string scalar_table(const Bench& bench) {
  const std::vector<std::string> variants{"", "float", "dual, 1 direction", "dual, 4 directions"};
  std::vector<Row> rows;
  for (const std::string& algorithm : foremost) {
    Row row{spelled(algorithm)};
    for (const std::string& variant : variants) {
      const Entry* e = bench.find("ulna", "panda", algorithm, variant);
      row.push_back(e ? grouped(e->ns) : "-");
    }
    rows.push_back(row);
  }
  return table({"Panda, ns", "double", "float", "dual, 1 direction", "dual, 4 directions"}, rows);
}

std::string other_table(const Bench& bench) {
  std::vector<Row> rows;
  const auto load = [&](const std::string& robot, const std::string& words, double goal_ms) {
    const Entry* e = bench.find("ulna", robot, "load");
    if (!e) return;
    char text[64], goal[64];
    std::snprintf(text, sizeof text, "%.3g ms", *e->ns / 1e6);
    std::snprintf(goal, sizeof goal, "< %.0f ms, %s", goal_ms,
                  *e->ns / 1e6 < goal_ms ? "met" : "missed");
    rows.push_back({words, text, goal});
  };
  load("panda", "load the embedded Panda", 1.0);
  load("chain:5000", "load a chain of 5,000 links from URDF", 200.0);
  for (const auto& [algorithm, words] : {std::pair{"csv_read", "read CSV, 22 columns"},
                                         std::pair{"csv_write", "write CSV, 22 columns"}}) {
    const Entry* e = bench.find("ulna", "panda", algorithm);
    if (e) rows.push_back({words, grouped(1e3 * *e->bytes / *e->ns) + " MB/s", "-"});
  }
  const auto identify = [&](const char* algorithm, const char* variant, const std::string& words,
                            double unit, const char* unit_name, double goal) {
    const Entry* e = bench.find("ulna", "panda", algorithm, variant);
    if (!e) return;
    char text[64], wanted[64] = "-";
    std::snprintf(text, sizeof text, "%.3g %s", *e->ns / unit, unit_name);
    if (goal > 0.0)
      std::snprintf(wanted, sizeof wanted, "< %.0f %s, %s", goal, unit_name,
                    *e->ns / unit < goal ? "met" : "missed");
    rows.push_back({words, text, wanted});
  };
  const std::string million = "a million samples of the Panda ";
  identify("normal_equations", "1 thread", million + "into normal equations, 1 thread", 1e9, "s",
           2);
  identify("normal_equations", "", million + "into normal equations, all cores", 1e9, "s", 2);
  identify("least_squares", "", million + "to weighted least squares", 1e9, "s", 3);
  identify("consistent_estimate", "", million + "to a consistent estimate", 1e9, "s", 5);
  identify("online_update", "", "one online update, 91 unknowns", 1e3, "µs", 50);
  identify("rk4_step_derivatives", "", "one RK4 step with its A and B", 1e3, "µs", 0);
  identify("qp", "",
           "a quadratic program of 14 states, 7 inputs, 20 stages, all bounded, from cold", 1e3,
           "µs", 600);
  identify("sqp_cold", "", "the Panda's reach over 20 nodes, RK4, from cold to 1e-6", 1e6, "ms", 6);
  identify("rti_steps", "", "one step of its real-time iteration in a closed loop", 1e3, "µs", 500);
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
    const auto told = [](double x) {
      char text[32];
      std::snprintf(text, sizeof text, "%.0e", x);
      return std::string(text);
    };
    rows.push_back({library + " " + version, library == "ulna" ? "-" : told(worst[0]),
                    told(worst[1]), left_out.empty() ? "none" : left_out});
  }
  return table({"", "largest difference from ulna", "derivatives by differences",
                "left out for more than 1e-9, differences 1e-5"},
               rows);
}

// --- plots ---

std::string growth_plot(const Bench& bench, const std::string& algorithm) {
  std::vector<Line> lines;
  for (const std::string& library : bench.libraries()) {
    Line line{library, colour_of(library), {}, library == "ulna"};
    for (const Entry& e : bench.entries)
      if (e.library == library && e.algorithm == algorithm && e.variant.empty() && e.ns &&
          e.robot.starts_with("chain:"))
        line.points.push_back({static_cast<double>(e.nv), *e.ns});
    if (line.points.size() > 1) lines.push_back(line);
  }
  if (lines.empty()) return "";
  return plot(capitalised(spelled(algorithm)), lines);
}

// --- documents ---

Sections sections(const Bench& bench) {
  Sections all{
      {"setting", setting(bench)},     {"panda times", robot_table(bench, "panda", &Entry::ns)},
      {"batches", batch_table(bench)}, {"scalars", scalar_table(bench)},
      {"loading", other_table(bench)}, {"agreement", agreement_table(bench)}};
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
