#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "scenes.hpp"

/// Scenes with contact in ulna and, where it is installed, in MuJoCo, one after the other in one run. Parts of names of scenes choose;
/// --humanoid FILE adds one that falls; --alone leaves MuJoCo out.
int main(int count, char** arguments) try {
  using namespace contact_bench;
  std::printf(
      "| scene | steps/s, ulna | steps/s, MuJoCo | ratio | penetration, um | drift, um | creep of "
      "held contacts, m/s | kinetic energy at the end, J | momentum at the end, N s | residual, "
      "m/s | "
      "above tolerance, %% |\n");
  std::printf("|---|---|---|---|---|---|---|---|---|---|---|\n");
  std::string humanoid;
  std::vector<std::string> names;
  bool alone = !has_mujoco();
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--alone")
      alone = true;
    else if (argument == "--humanoid" && i + 1 < count)
      humanoid = arguments[++i];
    else
      names.push_back(argument);
  }
  for (const BenchScene& scene : all_scenes(humanoid)) {
    bool chosen = names.empty();
    for (const std::string& name : names) chosen |= scene.name.find(name) != std::string::npos;
    if (!chosen) continue;
    const Figures ours = run_ulna(scene), theirs = alone ? Figures{} : run_mujoco(scene);
    const auto rate = [](const Figures& f) {
      return f.seconds > 0.0 ? static_cast<double>(f.steps) / f.seconds : 0.0;
    };
    std::printf(
        "| %s | %.0f | %.0f | %.2f | %.3g / %.3g | %.3g / %.3g | %.1e / %.1e | %.2g / %.2g | "
        "%.1e / %.1e | %.1e / %.1e | %.2f |%s\n",
        scene.name.c_str(), rate(ours), rate(theirs),
        rate(theirs) > 0.0 ? rate(ours) / rate(theirs) : 0.0, 1e6 * ours.penetration,
        1e6 * theirs.penetration, 1e6 * ours.drift, 1e6 * theirs.drift, ours.creep, theirs.creep,
        ours.energy, theirs.energy, ours.momentum, theirs.momentum, ours.residual, theirs.residual,
        100.0 * ours.unconverged, ours.good ? "" : " ulna stopped early");
    std::fflush(stdout);
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "ulna_contact_bench: %s\n", e.what());
  return 3;
}
