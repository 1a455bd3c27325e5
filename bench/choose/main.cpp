// Models that identification chooses by itself, beside the best of all that could have been set by hand:
// the table of docs/identification.md. `ulna_choose_bench [SEEDS [FIRST_SEED [CASE...]]]`

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "exhaustive.hpp"

int main(int argc, char** argv) {
  using namespace bench;
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 1, first = argc > 2 ? std::atoi(argv[2]) : 1;
  std::vector<std::string> cases(argv + std::min(argc, 3), argv + argc);
  if (cases.empty()) cases = choose_cases();
  constexpr double cut_offs[] = {5.0, 10.0, 20.0};
  fmt::print(
      "| robot | seed | chosen | fresh, % | s | best by hand | fresh, % | ratio | usual, % | least "
      "squares, % |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  for (const std::string& name : cases)
    for (int seed = first; seed < first + seeds; ++seed) {
      const ChooseCase made = choose_case(name, unsigned(seed));
      ulna::identify::Identification found{ulna::identify::TorqueModel(made.described, {})};
      const auto start = std::chrono::steady_clock::now();
      const double percent = fresh_percent(made, {}, &found);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      const double usual = fresh_percent(made, {.choose = false});
      const double plain =
          fresh_percent(made, {.filter_hz = found.filter_hz,
                               .features = found.torques.features(),
                               .rotors = std::ranges::count(found.torques.features(),
                                                            ulna::identify::Feature::armature) > 0,
                               .torque_delay = found.effects.torque_delay.value,
                               .effects = found.effects,
                               .choose = false,
                               .method = ulna::identify::Method::wls});
      const HandMade best = best_by_hand(made, cut_offs);
      std::string chosen = fmt::format("{:g} Hz", found.filter_hz);
      for (const auto f : found.torques.features())
        if (f != ulna::identify::Feature::viscous && f != ulna::identify::Feature::coulomb)
          chosen += fmt::format(", {}", to_string(f));
      for (const std::string& effect : found.effects.in_words(made.described))
        chosen += "; " + effect;
      fmt::print("| {} | {} | {} | {:.3f} | {:.1f} | {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} |\n",
                 made.what, seed, chosen, percent, took.count(), best.model, best.percent,
                 percent / best.percent, usual, plain);
      std::fflush(stdout);
    }
}
