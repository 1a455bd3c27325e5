#include "exhaustive.hpp"

#include <sstream>

#include "ulna/identify/data/log.hpp"

namespace bench {

using namespace ulna::identify;

double fresh_percent(const ChooseCase& made, const Options& options, Identification* result) {
  std::istringstream log(made.log), fresh(made.fresh);
  const LogInputs inputs{.fit = {{"run.csv", &log}}, .validation = {{"fresh.csv", &fresh}}};
  Identification found = offline(made.described, inputs, options);
  const double percent = found.chosen.reference.value().total_percent;
  if (result) *result = std::move(found);
  return percent;
}

HandMade best_by_hand(const ChooseCase& made, std::span<const double> cut_offs,
                      const std::function<void(const HandMade&)>& tried) {
  HandMade best{"", INFINITY};
  const bool has_effects = made.effects.changes_samples();
  for (const double hz : cut_offs)
    for (const bool offset : {false, true})
      for (const bool load : {false, true})
        for (const bool rotors : {false, true})
          for (const bool late : {false, true})
            for (const bool effects : {false, true}) {
              if ((late && made.late == 0.0) || (effects && !has_effects)) continue;
              Options how{.filter_hz = hz, .choose = false};
              how.features = {Feature::viscous, Feature::coulomb};
              std::ostringstream name;
              name << hz << " Hz";
              if (offset) how.features->push_back(Feature::offset), name << ", offset";
              if (load) how.features->push_back(Feature::load), name << ", load";
              if (rotors) name << ", rotors";
              if (late) name << ", delay";
              if (effects) how.effects = made.effects, name << ", effects";
              how.rotors = rotors, how.torque_delay = late ? made.late : 0.0;
              HandMade model{name.str(), INFINITY};
              try {
                model.percent = fresh_percent(made, how);
              } catch (const std::exception&) {
                continue;  // too high a cut-off for the log
              }
              if (tried) tried(model);
              if (model.percent < best.percent) best = model;
            }
  return best;
}

}  // namespace bench
