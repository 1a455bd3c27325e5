#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "scenes.hpp"

/// Scenes with contact in ulna and, where it is installed, in MuJoCo, one after the other in one run. Names of scenes choose.
int main(int count, char** arguments) try {
  using namespace contact_bench;
  std::printf(
      "| scene | steps/s, ulna | steps/s, MuJoCo | ratio | penetration, um | drift, um | creep of "
      "held contacts, m/s | kinetic energy at the end, J |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  for (const BenchScene& scene : all_scenes()) {
    bool chosen = count == 1;
    for (int i = 1; i < count; ++i) chosen |= scene.name.find(arguments[i]) != std::string::npos;
    if (!chosen) continue;
    const Figures ours = run_ulna(scene), theirs = has_mujoco() ? run_mujoco(scene) : Figures{};
    const auto rate = [](const Figures& f) {
      return f.seconds > 0.0 ? static_cast<double>(f.steps) / f.seconds : 0.0;
    };
    std::printf(
        "| %s | %.0f | %.0f | %.2f | %.3g / %.3g | %.3g / %.3g | %.1e / %.1e | %.2g / %.2g |%s\n",
        scene.name.c_str(), rate(ours), rate(theirs),
        rate(theirs) > 0.0 ? rate(ours) / rate(theirs) : 0.0, 1e6 * ours.penetration,
        1e6 * theirs.penetration, 1e6 * ours.drift, 1e6 * theirs.drift, ours.creep, theirs.creep,
        ours.energy, theirs.energy, ours.good ? "" : " ulna stopped early");
    std::fflush(stdout);
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "ulna_contact_bench: %s\n", e.what());
  return 3;
}
