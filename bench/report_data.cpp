#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report.hpp"

namespace report {

const Entry* Bench::find(const std::string& library, const std::string& robot,
                         const std::string& algorithm, const std::string& variant) const {
  for (const Entry& e : entries)
    if (e.library == library && e.robot == robot && e.algorithm == algorithm &&
        e.variant == variant)
      return &e;
  return nullptr;
}

std::optional<double> Bench::figure(Figure figure, const std::string& library,
                                    const std::string& robot, const std::string& algorithm,
                                    const std::string& variant) const {
  const Entry* e = find(library, robot, algorithm, variant);
  return e ? e->*figure : std::nullopt;
}

std::vector<std::string> Bench::distinct(std::string Entry::*field,
                                         const std::string& variant) const {
  std::vector<std::string> values;
  for (const Entry& e : entries)
    if (e.variant == variant && e.algorithm != "load" &&
        std::find(values.begin(), values.end(), e.*field) == values.end())
      values.push_back(e.*field);
  return values;
}

std::vector<std::string> Bench::peers() const {
  std::vector<std::string> all = libraries();
  std::erase(all, "ulna");
  return all;
}

std::optional<double> Bench::best_peer(Figure of, const std::string& robot,
                                       const std::string& algorithm,
                                       const std::string& variant) const {
  std::optional<double> best;
  for (const std::string& peer : peers())
    if (const auto theirs = figure(of, peer, robot, algorithm, variant))
      best = std::min(best.value_or(INFINITY), *theirs);
  return best;
}

bool Bench::counted() const {
  return std::any_of(entries.begin(), entries.end(),
                     [](const Entry& e) { return e.instructions.has_value(); });
}

Bench read(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(path + " cannot be read");
  const nlohmann::json json = nlohmann::json::parse(in);
  Bench bench;
  json.at("context").get_to(bench.context);
  for (const nlohmann::json& e : json.at("entries")) {
    const auto number = [&](const char* key) {
      return e.contains(key) ? std::optional(e.at(key).get<double>()) : std::nullopt;
    };
    bench.entries.push_back({e.at("library"),
                             e.at("version"),
                             e.at("robot"),
                             e.at("algorithm"),
                             e.value("variant", ""),
                             e.at("nv"),
                             number("ns_min"),
                             number("ns_median"),
                             number("difference"),
                             number("bytes"),
                             number("instructions"),
                             number("operations"),
                             number("compile_seconds"),
                             {}});
    for (const auto& [name, figure] : e.items())
      if (figure.is_number()) bench.entries.back().more[name] = figure;
  }
  return bench;
}

std::string grouped(double x) { return x < 10 ? fmt::format("{:.1f}", x) : ulna::plot::grouped(x); }

std::string grouped(const std::optional<double>& x) { return x ? grouped(*x) : "-"; }

std::string ratio(double x) { return fmt::format("{:.{}f}", x, x < 9.95 ? 1 : 0); }

std::string ratio(const std::optional<double>& of, const std::optional<double>& by) {
  return of && by ? ratio(*of / *by) : "-";
}

std::string duration(double ns) {
  const char* unit = "ns";
  for (const char* larger : {"µs", "ms", "s"}) {
    if (ns < 1000.0) break;
    ns /= 1000.0, unit = larger;
  }
  return ns < 99.5 ? fmt::format("{:.2g} {}", ns, unit) : fmt::format("{:.0f} {}", ns, unit);
}

std::string capitalised(std::string text) {
  text[0] = static_cast<char>(std::toupper(text[0]));
  return text;
}

std::string spelled(const std::string& algorithm) {
  static const std::map<std::string, std::string> names{
      {"inverse_dynamics", "inverse dynamics"},
      {"bias_torque", "bias torque"},
      {"mass_matrix", "mass matrix"},
      {"forward_dynamics", "forward dynamics"},
      {"inverse_mass", "inverse mass matrix"},
      {"jacobian", "Jacobian of the tip"},
      {"kinematics", "kinematics"},
      {"inverse_dynamics_derivatives", "derivatives of inverse dynamics"},
      {"forward_dynamics_derivatives", "derivatives of forward dynamics"},
      {"inverse_dynamics_second_derivatives", "second derivatives of inverse dynamics"},
      {"torque_regressor", "joint-torque regressor"}};
  const auto name = names.find(algorithm);
  return name == names.end() ? algorithm : name->second;
}

std::string table(const Row& head, const std::vector<Row>& rows) {
  const auto line = [](const Row& cells) {
    return fmt::format("| {} |\n", fmt::join(cells, " | "));
  };
  std::string text = line(head) + "|---|";
  for (std::size_t i = 1; i < head.size(); ++i) text += "---:|";
  text += "\n";
  for (const Row& row : rows) text += line(row);
  return text;
}

std::string batch_table(const Bench& bench, const std::vector<std::string>& algorithms) {
  const std::string one = "batch, 1 thread", two = "batch, 2 threads";
  std::vector<Row> rows;
  for (const std::string& robot : bench.distinct(&Entry::robot, one))
    for (const std::string& algorithm : algorithms) {
      const auto ns = [&](const std::string& variant) {
        return bench.figure(&Entry::ns, "ulna", robot, algorithm, variant);
      };
      const auto single = ns("one by one"), b1 = ns(one), b2 = ns(two);
      if (!single || !b1) continue;
      rows.push_back({robot + ", " + spelled(algorithm), grouped(single), grouped(b1), grouped(b2),
                      ratio(single, b1), ratio(single, b2), fmt::format("{:.3g}", 1e3 / *b1)});
    }
  return table({"ns per state", "one by one", one, two, "gain, 1 thread", "gain, 2 threads",
                "million states per second, 1 thread"},
               rows);
}

std::string setting(const Bench& bench) {
  std::vector<double> noise;
  for (const Entry& e : bench.entries)
    if (e.ns && e.median) noise.push_back(*e.median / *e.ns - 1.0);
  std::sort(noise.begin(), noise.end());
  const double typical = noise.empty() ? 0.0 : noise[noise.size() / 2];
  const auto context = [&](const char* key) {
    const auto at = bench.context.find(key);
    return at == bench.context.end() ? std::string("?") : at->second;
  };
  return table({"", ""}, {{"processor", context("processor") + ", " + context("cores") + " cores"},
                          {"compiler", context("compiler")},
                          {"flags", "`" + context("flags") + "`"},
                          {"noise", "typically, the median of the repeats is " +
                                        grouped(100.0 * typical) + " % above the minimum"}});
}

}  // namespace report
