#include <fmt/format.h>

#include "identification.hpp"

namespace ulna::cli {

void refine_estimate(const Prepared& fitted, const IdentifySettings& settings,
                     const std::function<void(int, const std::string&)>& step,
                     Identification& result) {
  step(4, "refining");
  const auto tell = [&](const RefineProgress& p) {
    step(5, fmt::format("refining, iteration {}, {:.0f} s", p.iteration, p.seconds));
    return true;
  };
  result.refined = refine(result.torques, result.base, result.chosen.estimate, fitted,
                          {.stribeck = settings.stribeck,
                           .delay = settings.delay,
                           .prior = settings.prior,
                           .torques_noisy = true,
                           .window = 0.01,
                           .continuity = 0.3,
                           .progress = tell});
  result.chosen.estimate = result.refined->estimate;
}

}  // namespace ulna::cli
