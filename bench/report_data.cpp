#include <algorithm>
#include <cstdio>
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

std::string grouped(double x) {
  char text[32];
  std::snprintf(text, sizeof text, x < 10 ? "%.1f" : "%.0f", x);
  std::string s = text;
  if (s.find('.') != std::string::npos) return s;
  for (int i = static_cast<int>(s.size()) - 3; i > 0; i -= 3)
    s.insert(static_cast<std::size_t>(i), ",");
  return s;
}

std::string grouped(const std::optional<double>& x) { return x ? grouped(*x) : "-"; }

std::string ratio(double x) {
  char text[32];
  std::snprintf(text, sizeof text, x < 9.95 ? "%.1f" : "%.0f", x);
  return text;
}

std::string ratio(const std::optional<double>& of, const std::optional<double>& by) {
  return of && by ? ratio(*of / *by) : "-";
}

std::string duration(double ns) {
  const char* unit = "ns";
  for (const char* larger : {"µs", "ms", "s"}) {
    if (ns < 1000.0) break;
    ns /= 1000.0, unit = larger;
  }
  char text[32];
  std::snprintf(text, sizeof text, ns < 99.5 ? "%.2g %s" : "%.0f %s", ns, unit);
  return text;
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
    std::string text = "|";
    for (const std::string& cell : cells) text += " " + cell + " |";
    return text + "\n";
  };
  std::string text = line(head) + "|---|";
  for (std::size_t i = 1; i < head.size(); ++i) text += "---:|";
  text += "\n";
  for (const Row& row : rows) text += line(row);
  return text;
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
