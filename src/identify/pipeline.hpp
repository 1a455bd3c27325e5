#pragma once

#include <span>

#include "ulna/identify/identify.hpp"

/// The steps of identify::offline and identify::online that stand in files of their own.
namespace ulna::identify {

/// Runs the online estimator over the logs, as long as `go_on` returns true; sets chosen.estimate and online, adds traces.
void learn_online(std::span<const Log> logs, const Options& options, Identification& result,
                  const std::function<bool(const std::string& what)>& go_on);

/// Whether bodies and the mass matrix are such as can exist.
void check_bodies(const TorqueModel& torques, Assessment& assessment);

/// How much of the motion held out goes where fitted motion went, just as fast: within 5 % of how far
/// joints range and how fast they turn.
double repeated_percent(const TorqueData& fitted, const TorqueData& held_out);

/// How much later torques are measured than motion, by those that the estimate predicts.
Delay delay_of(const std::vector<Trace>& traces);

/// Whether so much of the torque is unexplained that nothing can be trusted.
bool badly_explained(const Fit& fit);

/// Adds the remarks on everything that was found.
void add_remarks(const Options& options, Identification& result);

}  // namespace ulna::identify
