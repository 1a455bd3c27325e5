// What identification makes of poor data, and of robots that have what no model of them has: docs/identification.md.

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "cases.hpp"

namespace poor_data {
namespace {

const char* const usage =
    "Logs of simulated robots whose truth is known, identified: poor ones, those with effects "
    "outside the model, and those of long exciting motion sample by sample.\n\n"
    "  ulna_poor_data [poor] [outside] [online] [--seeds N] [--first K] [--verbose]\n";

const std::vector<std::string> robots{"panda", "ur5e", "iiwa14"};

/// What many verdicts come to.
struct Sum {
  int logs = 0, worse = 0, base_within = 0, base_count = 0, within = 0, count = 0;
  double prior = 0.0, percent = 0.0, most = 0.0, worst = 0.0;

  void add(const Verdict& v) {
    ++logs;
    prior += v.prior_percent, percent += v.percent;
    most = std::max(most, v.percent / v.prior_percent), worst = std::max(worst, v.worst);
    worse += v.percent > 1.05 * v.prior_percent;
    base_within += v.base_within, base_count += v.base_count;
    within += v.within, count += v.count;
  }
  void print(const std::string& name) const {
    std::printf("| %s | %d | %.1f | %.1f | %.2f | %d | %.1f | %.1f | %.1f |\n", name.c_str(), logs,
                prior / logs, percent / logs, most, worse, 100.0 * base_within / base_count,
                count ? 100.0 * within / count : 100.0, worst);
  }
};

void head(const char* what) {
  std::printf(
      "\n| %s | logs | prior alone, %% | estimate, %% | worst ratio | worse by 5 %% | base within "
      "2 dev., %% | estimated within 2 dev., %% | farthest, dev. "
      "|\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
      what);
}

template <class Kind>
void table_of(const char* what, const std::vector<Kind>& kinds, int first, int seeds, bool verbose,
              Case (*made)(const std::string&, Kind, std::uint64_t)) {
  head(what);
  Sum all;
  for (const Kind kind : kinds) {
    Sum sum;
    for (int seed = first; seed < first + seeds; ++seed) {
      const std::string& robot = robots[std::size_t(seed) % robots.size()];
      const Case c = made(robot, kind, std::uint64_t(seed));
      const Verdict v = judged(c, identified(c));
      if (verbose)
        std::printf(
            "  %s %d: prior %.1f, estimate %.1f %%, base %d/%d, estimated %d of %d, worst %.1f "
            "%s%s\n",
            robot.c_str(), seed, v.prior_percent, v.percent, v.base_within, v.base_count, v.within,
            v.count, v.worst, v.farthest.c_str(), v.converged ? "" : ", not converged");
      sum.add(v), all.add(v);
    }
    sum.print(to_string(kind));
  }
  all.print("all");
}

void online_beside_offline(int logs) {
  std::printf(
      "\n| robot, seed | prior alone, %% | offline, %% | online, %% | ratio | changes "
      "|\n|---|---:|---:|---:|---:|---:|\n");
  for (int seed = 1; seed <= logs; ++seed) {
    const std::string& robot = robots[std::size_t(seed) % robots.size()];
    const Case c = simulated(robot, Motion::exciting, std::uint64_t(seed));
    const Verdict whole = judged(c, identified(c));
    std::istringstream log(table(c.log));
    const auto found = ulna::identify::online(c.model.model(), {.fit = {{"simulated", &log}}});
    const Verdict each = judged(c, found.chosen.estimate);
    std::printf("| %s, %d | %.1f | %.2f | %.2f | %.2f | %ld |\n", robot.c_str(), seed,
                whole.prior_percent, whole.percent, each.percent, each.percent / whole.percent,
                found.online->changed);
    std::fflush(stdout);
  }
}

int run(int argc, char** argv) {
  bool verbose = false, poor = false, outside = false, online = false;
  int seeds = 0, first = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--verbose")
      verbose = true;
    else if (word == "--seeds" && i + 1 < argc)
      seeds = std::atoi(argv[++i]);
    else if (word == "--first" && i + 1 < argc)
      first = std::atoi(argv[++i]);
    else if (word == "poor")
      poor = true;
    else if (word == "outside")
      outside = true;
    else if (word == "online")
      online = true;
    else
      throw std::invalid_argument(usage);
  }
  if (seeds < 0 || first < 1) throw std::invalid_argument(usage);
  if (!poor && !outside && !online) poor = outside = online = true;
  if (poor)
    table_of<Motion>("poor data",
                     {Motion::pd_move, Motion::rest_added, Motion::one_joint, Motion::two_seconds,
                      Motion::moves_and_rests},
                     first, seeds ? seeds : 10, verbose, simulated);
  if (outside)
    table_of<Effect>(
        "outside the model",
        {Effect::none, Effect::stribeck, Effect::ripple, Effect::elasticity, Effect::all}, first,
        seeds ? seeds : 25, verbose, outside_the_model);
  if (online) online_beside_offline(seeds ? seeds : 20);
  return 0;
}

}  // namespace
}  // namespace poor_data

int main(int argc, char** argv) {
  try {
    return poor_data::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
