// Figure 6.8: what identification costs and how good it is, over the number of parameters.

#include <algorithm>

#include "report.hpp"

namespace thesis {
namespace {

using report::Entry;
using report::Row;
using report::Sections;

struct Robot {
  std::string prefix, name, colour;
};
const Robot robots[] = {{"panda, links", "Panda", "#c2410c"}, {"chain:", "chain", "#2563a8"}};
const std::string linear = "linear", shooting = "multiple shooting";

std::vector<const Entry*> entries(const Bench& bench, const Robot& robot, const std::string& way) {
  std::vector<const Entry*> all;
  for (const Entry& e : bench.entries)
    if (e.algorithm == "identification" && e.variant == way && e.robot.starts_with(robot.prefix))
      all.push_back(&e);
  return all;
}

std::vector<Point> points(const std::vector<const Entry*>& entries, const std::string& figure,
                          const std::string& per = "") {
  std::vector<Point> all;
  for (const Entry* e : entries)
    all.push_back(
        {e->more.at("parameters"), e->more.at(figure) / (per.empty() ? 1.0 : e->more.at(per))});
  return all;
}

std::string table_of(const Bench& bench, const Robot& robot) {
  const auto way1 = entries(bench, robot, linear), way2 = entries(bench, robot, shooting);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < way1.size(); ++i) {
    const Entry& a = *way1[i];
    const auto percent = [](const Entry& e, const char* figure) {
      return text("%.2g", e.more.at(figure));
    };
    Row row{text("%g (%g)", a.more.at("parameters"), a.more.at("base_parameters")),
            text("%.3g", a.more.at("before_percent")), report::duration(*a.median),
            percent(a, "torque_percent"), percent(a, "base_percent")};
    if (i < way2.size()) {
      const Entry& b = *way2[i];
      row.insert(row.end(), {report::duration(*b.median), text("%g", b.more.at("iterations")),
                             report::duration(*b.median / std::max(1.0, b.more.at("iterations"))),
                             percent(b, "torque_percent"), percent(b, "base_percent")});
    }
    rows.push_back(row);
  }
  return report::table({robot.name + ": parameters (base)", "torque error before, %",
                        "linear: time", "torque error, %", "base error, %", "shooting: time",
                        "iterations", "time of one", "torque error, %", "base error, %"},
                       rows);
}

std::string told(const std::string& what, const std::vector<Point>& points) {
  const Fit power = power_law(points), exp = exponential(points);
  return text(
      "\n* %s: %s times as long for the most parameters as for the fewest; parameters to the power "
      "of "
      "%.2f (off by %.0f %%), or %.2f times as long per ten parameters (off by %.0f %%)",
      what.c_str(), report::grouped(points.back().ns / points.front().ns).c_str(), power.exponent,
      100.0 * power.off, std::exp(10.0 * exp.exponent), 100.0 * exp.off);
}

/// Shooting grows faster if its power is larger by so much.
constexpr double clearly = 0.5;

std::string finding(const Bench& bench) {
  int seen = 0, proportional = 0, less_precise = 0, cases = 0;
  double most = 0.0;
  std::vector<std::string> faster;
  std::string all;
  for (const Robot& robot : robots) {
    const auto one = entries(bench, robot, linear), other = entries(bench, robot, shooting);
    if (one.size() < 2 || other.size() != one.size()) continue;
    const auto time = points(one, "ns_median"), shot = points(other, "ns_median");
    ++seen;
    proportional += power_law(time).exponent < 1.0 + clearly;
    if (power_law(shot).exponent > power_law(time).exponent + clearly) faster.push_back(robot.name);
    for (std::size_t i = 0; i < one.size(); ++i, ++cases) {
      less_precise += other[i]->more.at("torque_percent") > one[i]->more.at("torque_percent");
      most = std::max(most, shot[i].ns / time[i].ns);
    }
    all += told(robot.name + ", linear", time) + told(robot.name + ", multiple shooting", shot) +
           told(robot.name + ", one iteration of it", points(other, "ns_median", "iterations"));
  }
  if (seen == 0) return "Not measured: ulna was built without Ceres.\n";
  return "The linear way takes time about in proportion to the parameters: " +
         verdict(proportional, seen) +
         " Multiple shooting grows faster: " + verdict(static_cast<int>(faster.size()), seen) +
         (faster.empty() ? "" : " It does for the " + joined(faster) + ".") +
         " It is less precise: " + verdict(less_precise, cases) +
         text(
             " Its torque errors are larger in %d of %d cases, and it takes up to %s times as "
             "long.\n",
             less_precise, cases, report::grouped(most).c_str()) +
         all + "\n";
}

std::string drawn(const Bench& bench, const std::string& figure, const std::string& title,
                  const report::Axes& axes) {
  std::vector<report::Line> lines;
  for (const Robot& robot : robots)
    for (const std::string& way : {linear, shooting}) {
      const auto all = points(entries(bench, robot, way), figure);
      if (all.size() > 1)
        lines.push_back({robot.name + (way == linear ? ", linear" : ", shooting"), robot.colour,
                         all, way == shooting, way == linear});
    }
  return report::plot(title, lines, axes);
}

}  // namespace

void add_identification(const Bench& bench, Sections& sections, Sections& plots) {
  for (const Robot& robot : robots)
    sections["identification " + robot.name] = table_of(bench, robot);
  sections["finding identification"] = finding(bench);
  plots["identification"] =
      drawn(bench, "ns_median", "Identification: time",
            {"from a log of 10 s to all parameters, over their number", "parameters"});
  plots["identification-error"] =
      drawn(bench, "torque_percent", "Identification: error",
            {"of torques on a motion held out, over the number of parameters", "parameters", "%"});
}

}  // namespace thesis
