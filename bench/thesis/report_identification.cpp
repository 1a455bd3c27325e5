// Figure 6.8: what identification costs and how good it is, over the number of parameters.

#include <algorithm>

#include "report.hpp"

namespace thesis {
namespace {

/// A robot and a way of shooting.
struct Subject {
  std::string prefix, name, way, colour;
};
const std::string linear = "linear", shooting = "multiple shooting";
const Subject subjects[] = {
    {"panda, links", "Panda", shooting, "#c2410c"},
    {"panda, links", "Panda, refine's defaults", "multiple shooting, defaults", "#e39a6f"},
    {"chain:", "chain", shooting, "#2563a8"}};

std::vector<const Entry*> entries(const Bench& bench, const Subject& robot,
                                  const std::string& way) {
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

std::string table_of(const Bench& bench, const Subject& robot) {
  const auto way1 = entries(bench, robot, linear), way2 = entries(bench, robot, robot.way);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < way1.size(); ++i) {
    const Entry& a = *way1[i];
    const auto percent = [](const Entry& e, const char* figure) {
      return fmt::format("{:.2g}", e.more.at(figure));
    };
    Row row{fmt::format("{:g} ({:g})", a.more.at("parameters"), a.more.at("base_parameters")),
            fmt::format("{:.3g}", a.more.at("before_percent")), report::duration(*a.median),
            percent(a, "torque_percent"), percent(a, "base_percent")};
    if (i < way2.size()) {
      const Entry& b = *way2[i];
      row.insert(row.end(), {report::duration(*b.median),
                             fmt::format("{:g}{}", b.more.at("iterations"),
                                         b.more.at("converged") > 0 ? "" : ", limit"),
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

std::string laws_of(const std::string& what, const std::vector<Point>& points) {
  const Fit power = power_law(points), exp = exponential(points);
  return fmt::format(
      "\n* {}: parameters to the power of {:.2f} (off by {:.0f} %), or {:.2f} times per ten "
      "parameters "
      "(off by {:.0f} %); {} times from the fewest to the most",
      what, power.exponent, 100.0 * power.off, std::exp(10.0 * exp.exponent), 100.0 * exp.off,
      report::grouped(points.back().y / points.front().y));
}

/// A power is larger than another if it is by so much.
constexpr double clearly = 0.5;

void add_findings(const Bench& bench, Page& page) {
  int seen = 0, proportional = 0, faster = 0, less_precise = 0, cases = 0;
  double least = INFINITY, most = 0.0;
  std::vector<std::string> powers, shot_powers;
  std::string all;
  for (const Subject& robot : subjects) {
    const auto one = entries(bench, robot, linear), other = entries(bench, robot, robot.way);
    if (one.size() < 2 || other.size() != one.size()) continue;
    const auto time = points(one, "ns_median"), shot = points(other, "ns_median");
    const double power = power_law(time).exponent, shot_power = power_law(shot).exponent;
    if (robot.way == shooting) {
      powers.push_back(fmt::format("{:.2f} ({})", power, robot.name));
      all += laws_of(robot.name + ", linear", time);
      if (power < 1.3) ++proportional;
    }
    shot_powers.push_back(fmt::format("{:.2f} ({})", shot_power, robot.name));
    ++seen;
    if (shot_power > power + clearly) ++faster;
    for (std::size_t i = 0; i < one.size(); ++i, ++cases) {
      less_precise += other[i]->more.at("torque_percent") > one[i]->more.at("torque_percent");
      const double times = shot[i].y / time[i].y;
      least = std::min(least, times), most = std::max(most, times);
    }
    all += laws_of(robot.name + ", multiple shooting", shot) +
           laws_of(robot.name + ", one iteration of it", points(other, "ns_median", "iterations"));
  }
  page.finding("linear", "linear identification takes time in proportion to the parameters",
               "Fig. 6.8", proportional, static_cast<int>(powers.size()),
               "parameters to the power of " + joined(powers), "");
  page.finding(
      "shooting", "multiple shooting grows faster, exponentially", "Fig. 6.8", faster, seen,
      "parameters to the power of " + joined(shot_powers),
      " Each law that was fitted, and by what factor points are typically off it:\n" + all);
  page.finding("precision", "multiple shooting takes far longer and is less precise",
               "remark 4.2.10", less_precise, cases,
               fmt::format("larger torque errors in {} of {} cases, {} to {} times as long",
                           less_precise, cases, report::grouped(least), report::grouped(most)),
               "");
}

std::string drawn(const Bench& bench, const std::string& figure, const std::string& title,
                  const report::Axes& axes) {
  std::vector<report::Line> lines;
  const auto draw = [&](const Subject& robot, const std::string& way, const std::string& name) {
    const auto all = points(entries(bench, robot, way), figure);
    if (all.size() > 1)
      lines.push_back({robot.name + name, robot.colour, all, way == shooting, way == linear});
  };
  for (const Subject& robot : subjects) {
    if (robot.way == shooting) draw(robot, linear, ", linear");
    draw(robot, robot.way, robot.way == shooting ? ", shooting" : "");
  }
  return report::plot(title, lines, axes);
}

}  // namespace

void add_identification(const Bench& bench, Page& page) {
  for (const Subject& robot : subjects)
    page.sections["identification " + robot.name] = table_of(bench, robot);
  add_findings(bench, page);
  page.plots["identification"] =
      drawn(bench, "ns_median", "Identification: time",
            {"from a log of 10 s to all parameters, over their number", "parameters"});
  page.plots["identification-error"] =
      drawn(bench, "torque_percent", "Identification: error",
            {"of torques on a motion held out, over the number of parameters", "parameters", "%"});
}

}  // namespace thesis
