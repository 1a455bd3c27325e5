#pragma once

#include <span>

#include "ulna/identify/identify.hpp"

/// The steps of identify::offline and identify::online that stand in files of their own.
namespace ulna::identify {

/// What was recorded, before the repair of its clock drops samples.
struct RecordedLog {
  std::string file;
  KnownSamples samples;
};

/// 10 Hz, or a fifth of the rate of a log that is slower than that needs.
double usual_cut_off(const Log& log);

/// Reads, screens and mends logs one by one. Throws LogError if one is refused.
std::vector<Log> load_logs(const std::vector<LogInput>& inputs, const char* use,
                           const Options& options, const std::vector<RecordedLog>& fitted,
                           std::vector<RecordedLog>& recorded, Identification& result);

/// identify::offline of robots whose drives are not plain; options are settled.
Identification identify_drives(const Model& model, const LogInputs& inputs, const Options& options);

/// identify::offline of robots whose base floats; options are settled.
Identification identify_floating(const Model& model, const LogInputs& inputs,
                                 const Options& options);

/// Of a robot with springs, makes the log one of its links alone: their positions, and the torques of their springs, measured or by deflection
/// and stiffness. Throws where neither is known.
void keep_links(const Model& model, Log& log);

/// Runs the online estimator over the logs, with options that are settled, as long as `go_on` returns true; sets chosen.estimate and online, adds traces.
void learn_online(std::span<const Log> logs, const Options& options, Identification& result,
                  const std::function<bool(const std::string& what)>& go_on);

/// Whether bodies and the mass matrix are such as can exist.
void check_bodies(const TorqueModel& torques, Assessment& assessment);

/// How much of the motion held out goes where fitted motion went, just as fast: within 5 % of how far
/// joints range and how fast they turn.
double repeated_percent(const TorqueData& fitted, const TorqueData& held_out);

/// How much later torques are measured than motion, by those that the estimate predicts.
Delay delay_of(const std::vector<Trace>& traces);

/// Adds remarks on a cut-off that was not chosen, where it removes motion or another one explains much more. `end` is the share of each
/// log that is fitted.
void remark_on_cut_off(std::span<const Log> logs, double filter_hz, double end,
                       const PriorOptions& prior, Identification& result);

/// Whether so much of the torque is unexplained that nothing can be trusted.
bool badly_explained(const Fit& fit);

/// Adds the remarks on Identification::payload.
void remark_on_payload(Identification& result);

/// Adds the remarks on everything that was found.
void add_remarks(const Options& options, Identification& result);

}  // namespace ulna::identify
