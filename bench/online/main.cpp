// Identification sample by sample beside that of whole logs: the error of torques along other motion, of robots that differ from their
// description. `ulna_online_bench [SEEDS [FIRST_SEED [CASE...]]]`

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "choose/cases.hpp"

namespace {

using namespace ulna::identify;

/// Percent of the torque along the fresh motion, below 10 Hz.
double fresh_percent(const bench::ChooseCase& made, const Identification& found) {
  ulna::Diagnostics ignored;
  std::istringstream table(made.fresh);
  const Log log = read_log(table, "fresh.csv", made.described, {}, ignored);
  Prepared motion = prepare(
      {&log, 1},
      {.filter_hz = Identification::reference_hz, .torque_delay = found.effects.torque_delay.value},
      ignored);
  rid_of(found.effects, motion);
  return fit_of(found.torques, found.chosen.estimate.z, gather(found.torques, motion))
      .total_percent;
}

}  // namespace

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 4, first = argc > 2 ? std::atoi(argv[2]) : 1;
  std::vector<std::string> cases(argv + std::min(argc, 3), argv + argc);
  if (cases.empty()) cases = {"harmonic", "sensors", "slow", "jitter", "late"};
  fmt::print(
      "| robot | seed | online, % | offline, % | ratio | changes | doubted, % | prior, % |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|\n");
  int logs = 0, within = 0, changes = 0;
  for (const std::string& name : cases)
    for (int seed = first; seed < first + seeds; ++seed) {
      const bench::ChooseCase made = bench::choose_case(name, unsigned(seed));
      const auto run = [&](auto identify) {
        std::istringstream log(made.log);
        return identify(made.described, LogInputs{.fit = {{"run.csv", &log}}}, Options{});
      };
      std::optional<Identification> whole, sampled;
      try {
        whole = run(ulna::identify::offline), sampled = run(ulna::identify::online);
      } catch (const ulna::identify::LogError&) {
        fmt::print("| {} | {} | log refused |\n", name, seed);
        continue;
      }
      const Identification &offline = *whole, &online = *sampled;
      const double batch = fresh_percent(made, offline), own = fresh_percent(made, online);
      const OnlineFigures& o = *online.online;
      ++logs, within += own <= 1.5 * batch, changes += int(o.changed);
      fmt::print("| {} | {} | {:.3f} | {:.3f} | {:.2f} | {} | {:.2f} | {:.1f} |\n", name, seed, own,
                 batch, own / batch, o.changed, 100.0 * double(o.doubted) / double(o.updates()),
                 o.prior_percent);
      std::fflush(stdout);
    }
  fmt::print("{} of {} within 1.5, {} changes\n", within, logs, changes);
}
