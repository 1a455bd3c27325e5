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
  RefineOptions options{.stribeck = settings.stribeck,
                        .delay = settings.delay,
                        .prior = settings.prior,
                        .progress = tell};
  // a torque in each window would take the place of Stribeck friction and of a delay
  if (!settings.stribeck && !settings.delay)
    options.torques_noisy = true, options.window = 0.01, options.continuity = 0.3;
  result.refined = refine(result.torques, result.base, result.chosen.estimate, fitted, options);
  result.chosen.estimate = result.refined->estimate;
}

}  // namespace ulna::cli
