#pragma once

#include <functional>

#include "cases.hpp"

namespace bench {

/// Error of torques along the fresh motion, % below Identification::reference_hz, which is the same for all models.
double fresh_percent(const ChooseCase& made, const ulna::identify::Options& options,
                     ulna::identify::Identification* result = nullptr);

/// A model that was set by hand.
struct HandMade {
  std::string model;
  double percent = 0.0;
};
/// The best of all: friction with offsets and load or without, rotors, the true delay, the true effects, and cut-offs.
HandMade best_by_hand(const ChooseCase& made, std::span<const double> cut_offs,
                      const std::function<void(const HandMade&)>& tried = {});

}  // namespace bench
