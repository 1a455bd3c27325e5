#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "ulna/mpc/trial.hpp"

namespace ulna::cli {

using namespace mpc;

/// A payload, true and identified: mass and centre of mass in the frame that carries it.
struct PayloadFound {
  std::string frame;
  double mass = 0.0, found_mass = 0.0;                                                 ///< kg
  Eigen::Vector3d com = Eigen::Vector3d::Zero(), found_com = Eigen::Vector3d::Zero();  ///< m

  double mass_error_percent() const { return 100.0 * std::abs(found_mass - mass) / mass; }
  double com_error() const { return (found_com - com).norm(); }
};

struct MpcRun {
  std::string name;  ///< "identified", "fixed", "perfect"
  TrialResult result;
};

/// What `ulna mpc` reports.
struct MpcResults {
  Model model;
  std::string title;
  double period = 0.001;  ///< s
  std::vector<MpcRun> runs;
  std::vector<std::pair<double, std::string>> events;  ///< "payload of 2 kg", at a time
  double counted_from = 0.0;                           ///< s: errors are compared from then on
  std::optional<PayloadFound> payload;

  /// Of the run with a name; null: there is none.
  const TrialResult* find(std::string_view name) const {
    const auto run = std::find_if(runs.begin(), runs.end(),
                                  [&](const MpcRun& each) { return each.name == name; });
    return run == runs.end() ? nullptr : &run->result;
  }
};

}  // namespace ulna::cli
