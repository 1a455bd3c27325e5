// The tables and plots of derivatives, regressors and generated code.

#include <fmt/format.h>

#include <algorithm>

#include "report.hpp"

namespace report {
namespace {

const std::string differences = "finite differences", dual_1 = "dual, 1 direction",
                  dual_4 = "dual, 4 directions", parameters = "one parameter at a time";
const std::vector<std::string> derivatives{
    "inverse_dynamics_derivatives", "forward_dynamics_derivatives",
    "inverse_dynamics_second_derivatives", "torque_regressor"};

/// Panda: every way to each derivative.
std::string panda_table(const Bench& bench, Figure figure) {
  Row head{"", "ulna, exact", "ulna, differences", "ulna, dual numbers, 1", "and 4 directions"};
  for (const std::string& peer : bench.peers()) head.push_back(peer + ", differences");
  head.push_back("best peer / ulna");
  std::vector<Row> rows;
  for (const std::string& algorithm : derivatives) {
    const auto own = [&](const std::string& variant) {
      return bench.figure(figure, "ulna", "panda", algorithm, variant);
    };
    const std::optional<double> exact = own("");
    if (!exact) continue;
    Row row{spelled(algorithm), grouped(exact),
            grouped(own(algorithm == "torque_regressor" ? parameters : differences)),
            grouped(own(dual_1)), grouped(own(dual_4))};
    for (const std::string& peer : bench.peers())
      row.push_back(grouped(bench.figure(figure, peer, "panda", algorithm, differences)));
    row.push_back(ratio(bench.best_peer(figure, "panda", algorithm, differences), exact));
    rows.push_back(row);
  }
  return table(head, rows);
}

/// ulna on all robots: what a derivative costs beside what it is one of.
std::string robot_table(const Bench& bench) {
  std::vector<Row> rows;
  for (const std::string& robot : bench.robots()) {
    const auto ns = [&](const std::string& algorithm) {
      return bench.figure(&Entry::ns, "ulna", robot, algorithm);
    };
    const Entry* own = bench.find("ulna", robot, derivatives[0]);
    if (!own) continue;
    rows.push_back({robot, std::to_string(own->nv), grouped(ns(derivatives[0])),
                    ratio(ns(derivatives[0]), ns("inverse_dynamics")), grouped(ns(derivatives[1])),
                    ratio(ns(derivatives[1]), ns("forward_dynamics")), grouped(ns(derivatives[2])),
                    grouped(ns(derivatives[3]))});
  }
  return table({"ns", "DOF", "derivatives of inverse dynamics", "/ inverse dynamics",
                "derivatives of forward dynamics", "/ forward dynamics",
                "second derivatives of inverse dynamics", "joint-torque regressor"},
               rows);
}

std::string generated_table(const Bench& bench) {
  const std::vector<std::string> functions{"inverse_dynamics", "mass_matrix",  "inverse_mass",
                                           "forward_dynamics", derivatives[0], derivatives[1],
                                           derivatives[3]};
  std::vector<Row> rows;
  double all_five = 0.0;
  const auto seconds = [](double s) { return fmt::format("{:.2f} s", s); };
  for (const std::string& function : functions) {
    const Entry* e = bench.find("ulna", "panda", function, "generated");
    if (!e || !e->compile_seconds) continue;
    const auto ns = [&](const std::string& variant) {
      return bench.figure(&Entry::ns, "ulna", "panda", function, variant);
    };
    if (function != "inverse_mass" && function != "torque_regressor")
      all_five += *e->compile_seconds;
    rows.push_back({spelled(function), grouped(e->operations), grouped(e->instructions),
                    grouped(e->ns), grouped(ns("generic")), grouped(ns("interpreted")),
                    ratio(ns("generic"), e->ns), ratio(ns("interpreted"), e->ns),
                    seconds(*e->compile_seconds)});
  }
  if (!rows.empty())
    rows.push_back({"those without inverse mass matrix and regressor", "", "", "", "", "", "", "",
                    seconds(all_five)});
  return table({"Panda", "operations", "instructions", "generated, ns", "generic, ns",
                "interpreted, ns", "generic / generated", "interpreted / generated", "compiling"},
               rows);
}

std::string growth_plot(const Bench& bench, const std::string& algorithm) {
  std::vector<Line> lines;
  const auto add = [&](const std::string& name, const std::string& library,
                       const std::string& variant, const std::string& colour) {
    Line line = growth_line(bench, name, colour, library, algorithm, variant);
    line.dashed = library == "ulna" && !variant.empty();
    if (line.points.size() > 1) lines.push_back(line);
  };
  add("ulna, exact", "ulna", "", colour_of("ulna"));
  add("ulna, differences", "ulna", differences, colour_of("ulna"));
  add("ulna, dual numbers", "ulna", dual_1, "#b58900");
  for (const std::string& peer : bench.peers())
    add(peer + ", differences", peer, differences, colour_of(peer));
  return plot(capitalised(spelled(algorithm)), lines);
}

std::string panda_bars(const Bench& bench) {
  std::vector<BarGroup> groups;
  for (const std::string& algorithm : {derivatives[0], derivatives[1]}) {
    BarGroup group{capitalised(spelled(algorithm)), {}};
    const auto add = [&](const std::string& name, const std::string& library,
                         const std::string& variant, const std::string& colour) {
      const auto ns = bench.figure(&Entry::ns, library, "panda", algorithm, variant);
      if (ns) group.bars.push_back({name, colour, "", *ns, variant.empty()});
    };
    add("ulna, exact", "ulna", "", colour_of("ulna"));
    if (group.bars.empty()) continue;
    add("ulna, generated code", "ulna", "generated", "#e08a4f");
    add("ulna, finite differences", "ulna", differences, "#e08a4f");
    add("ulna, dual numbers", "ulna", dual_1, "#e08a4f");
    for (const std::string& peer : bench.peers())
      add(peer + ", finite differences", peer, differences, colour_of(peer));
    std::sort(group.bars.begin() + 1, group.bars.end(),
              [](const Bar& a, const Bar& b) { return a.length < b.length; });
    groups.push_back(group);
  }
  return groups.empty()
             ? ""
             : bar_plot("Derivatives of the Panda's dynamics",
                        "time per call; how many times that of exact derivatives", groups);
}

}  // namespace

void add_derivative_sections(const Bench& bench, Sections& sections) {
  sections["derivatives times"] = panda_table(bench, &Entry::ns);
  if (bench.counted())
    sections["derivatives instructions"] = panda_table(bench, &Entry::instructions);
  sections["derivatives robots"] = robot_table(bench);
  sections["derivatives batches"] = batch_table(bench, derivatives);
  sections["generated"] = generated_table(bench);
}

Sections derivative_plots(const Bench& bench) {
  return {{derivatives[0], growth_plot(bench, derivatives[0])},
          {derivatives[1], growth_plot(bench, derivatives[1])},
          {"derivatives", panda_bars(bench)}};
}

}  // namespace report
