#include <algorithm>

#include "report.hpp"

namespace thesis {
Fit power_law(const std::vector<Point>& points) {
  std::vector<Point> logs;
  for (const Point& p : points) logs.push_back({std::log(p.x), p.y});
  return exponential(logs);
}

Fit exponential(const std::vector<Point>& points) {
  const double count = static_cast<double>(points.size());
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (const Point& p : points) x += p.x / count, y += std::log(p.y) / count;
  for (const Point& p : points) xx += (p.x - x) * (p.x - x), xy += (p.x - x) * (std::log(p.y) - y);
  const double slope = xy / xx;
  double left = 0.0;
  for (const Point& p : points) {
    const double e = std::log(p.y) - y - slope * (p.x - x);
    left += e * e / count;
  }
  return {slope, std::exp(std::sqrt(left)) - 1.0};
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i)
    all += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return all;
}

std::optional<double> ns(const Bench& bench, const std::string& library, const std::string& robot,
                         const std::string& algorithm, const std::string& variant) {
  return bench.figure(&Entry::ns, library, robot, algorithm, variant);
}
double own(const Bench& bench, const std::string& robot, const std::string& algorithm,
           const std::string& variant, Figure figure) {
  return bench.figure(figure, "ulna", robot, algorithm, variant).value_or(NAN);
}
double best_peer(const Bench& bench, const std::string& robot, const std::string& algorithm,
                 const std::string& variant) {
  return bench.best_peer(&Entry::ns, robot, algorithm, variant).value_or(INFINITY);
}
std::vector<int> joints(const Bench& bench) {
  std::vector<int> all;
  for (const Entry& e : bench.entries)
    if (e.robot.starts_with("chain:") && e.algorithm == "inverse_dynamics" && e.variant.empty() &&
        e.library == "ulna")
      all.push_back(e.nv);
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<Way> ways(const Bench& bench, const std::string& peers_variant) {
  const std::string ulna = report::colour_of("ulna");
  std::vector<Way> all{{"ulna, graph interpreted", "ulna", interpreted, ulna, false, true},
                       {"ulna", "ulna", exact, ulna, true},
                       {"ulna, generated C", "ulna", generated, "#e39a6f"}};
  for (const std::string& peer : bench.peers())
    all.push_back({peer, peer, peers_variant, report::colour_of(peer)});
  return all;
}

std::vector<std::pair<std::string, std::string>> robots(const Bench& bench) {
  std::vector<std::pair<std::string, std::string>> all{
      {"panda", "Panda"}, {"double_pendulum", "double pendulum"}, {"chain:14", "chain of 14"}};
  std::erase_if(all, [&](const auto& robot) {
    return !bench.find("ulna", robot.first, "inverse_dynamics", interpreted);
  });
  return all;
}

void Page::finding(const std::string& name, const std::string& sentence, const std::string& where,
                   int holding, int asked, const std::string& figure, const std::string& words) {
  const std::string verdict = asked == 0         ? "not measured"
                              : holding == asked ? "holds"
                              : holding == 0     ? "does not hold"
                                                 : "holds in part";
  summary.push_back({sentence, where, "**" + verdict + "**", figure});
  sections["finding " + name] = "**" + (asked == 0 ? "Not measured" : "It " + verdict) + ":** " +
                                figure + "." + words + (words.ends_with("\n") ? "" : "\n");
}

}  // namespace thesis
