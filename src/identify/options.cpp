#include <algorithm>
#include <cmath>

#include "identify/messages.hpp"
#include "ulna/identify/identify.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::identify {

Options settled(Options options, const Model& model) {
  constexpr double usual_hz = 10.0;
  if (!options.filter_hz) options.filter_hz = usual_hz;
  if (!options.features) options.features = {Feature::viscous, Feature::coulomb, Feature::offset};
  if (std::ranges::count(*options.features, Feature::armature) == 0)
    options.features = with_rotors(std::move(*options.features), model, options.rotors);
  options.rotors = std::ranges::count(*options.features, Feature::armature) > 0;
  if (!options.torque_delay) options.torque_delay = 0.0;
  return options;
}

void require_valid(const Options& options) {
  const std::vector<Feature> features =
      options.features.value_or(std::vector<Feature>{Feature::viscous, Feature::coulomb});
  const auto is_dry = [](Feature f) { return terms_of(f).direction != 0.0; };
  require_compatible(features);
  require(!options.stribeck || options.refine,
          "Options::stribeck: it is not linear in its parameters; only Options::refine finds it");
  require(!options.stribeck || std::ranges::any_of(features, is_dry),
          "Options::stribeck: Coulomb friction grows by it towards rest: name coulomb too");
  require(!options.delay || options.refine,
          "Options::delay: only Options::refine finds a delay beside everything else");
  require(!options.refine || options.method == Method::consistent,
          "Options::refine: it starts from Options::method = consistent");
  require(options.gains.allFinite() && (options.gains.array() != 0.0).all(),
          "Options::gains: a gain must be a number other than zero");
  require(!options.find_gains || options.gains.size() == 0,
          "Options::gains: they are either given or to be found");
  const double filter_hz = options.filter_hz.value_or(1.0),
               late = options.torque_delay.value_or(0.0);
  require(filter_hz > 0.0 && std::isfinite(filter_hz),
          "Options::filter_hz: the cut-off must be a positive number of Hz");
  require(options.split >= 0.0 && options.split < 1.0,
          "Options::split: the share that is fitted must be between 0 and 1");
  require(std::abs(late) <= 1.0,
          "Options::torque_delay: it must be a number, at most a second either way");
  require(late == 0.0 || !options.delay,
          "Options::torque_delay: a delay is either given or found (Options::delay)");
  require(options.folds == 0 || options.folds >= 2, "Options::folds: there must be two or more");
}

void require_valid(const LogInputs& logs, const Options& options) {
  require_valid(options);
  require(options.known_payload.size() == 0 ||
              (options.known_payload.size() == 4 && options.known_payload.allFinite() &&
               options.known_payload(0) > 0.0),
          "Options::known_payload: it is four numbers, kg above 0 and x, y, z");
  require(options.known_payload.size() == 0 || (options.find_gains && !logs.loaded.empty()),
          "Options::known_payload: it is for gains that are to be found (Options::find_gains) by "
          "logs with it (LogInputs::loaded)");
  if (logs.loaded.empty()) return;
  require(!options.payload.empty(),
          "LogInputs::loaded: the link that has the payload is missing (Options::payload)");
  require(options.method == Method::consistent && !options.refine,
          "LogInputs::loaded: a payload is weighed by Options::method = consistent");
}

}  // namespace ulna::identify
