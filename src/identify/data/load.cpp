#include <cmath>
#include <stdexcept>

#include "identify/messages.hpp"
#include "identify/pipeline.hpp"
#include "ulna/identify/data/log_rules.hpp"
#include "ulna/identify/floating/floating_base.hpp"

namespace ulna::identify {
namespace {

/// Currents become torques. A log that has only currents is of no use without gains.
void make_torques(Log& log, const Options& options) {
  const bool by_gains = options.find_gains || options.gains.size() > 0;
  if (by_gains && log.current.size() == 0)
    throw std::runtime_error(
        log.file +
        ": gains are given, but the log has no currents; leave Options::gains out to use its "
        "torques");
  if (!by_gains && log.tau.size() == 0 && log.outside.size() == 0)
    throw std::runtime_error(
        message(log.file,
                ": the log has motor currents and no torques; give the drives' gains in Nm/A, "
                "Options::gains, for ",
                counted(Index(log.joints.size()), "joint")));
  // gains that are to be found are 1 until then
  if (options.find_gains)
    log.tau = log.current;
  else if (by_gains)
    apply_gains(log, options.gains);
}

/// Whether a log holds nothing that the others do not: counted again, it would only seem to make the
/// estimate more certain.
bool repeats(const Log& log, const std::vector<RecordedLog>& others, bool dropped,
             Diagnostics& found) {
  constexpr double some = 0.2, all = 0.9;
  for (const RecordedLog& other : others) {
    const double share = other.samples.share_of(log);
    if (share < some) continue;
    const bool whole = share > all;
    found.add(log_rules::repeated, {log.file}, "",
              message(std::round(100.0 * share), " % of its samples are those of '", other.file,
                      "', number by number"),
              whole && dropped ? "left out" : "used as it is");
    if (whole) return dropped;
  }
  return false;
}

}  // namespace

double usual_cut_off(const Log& log) {
  constexpr double usual_hz = 10.0, samples_per_period = 5.0;
  const double rate = log.size() > 1 ? natural_rate(log) : 0.0;
  return rate > 0.0 && std::isfinite(rate) ? std::min(usual_hz, rate / samples_per_period)
                                           : usual_hz;
}

std::vector<Log> load_logs(const std::vector<LogInput>& inputs, const char* use,
                           const Options& options, const std::vector<RecordedLog>& fitted,
                           std::vector<RecordedLog>& recorded, Identification& result) {
  const Model &robot = result.torques.model(), model = limbs_of(robot);
  Diagnostics& found = result.found;
  std::vector<Log> logs;
  for (const auto& [file, stream] : inputs) {
    Log log = stream ? read_log(*stream, file, robot, {}, found) : load_log(file, robot, {}, found);
    if (log.empty() && !found.has_errors())
      found.add(log_rules::too_short, {file}, "", "the log has no usable row");
    if (found.has_errors()) throw LogError(found);
    make_torques(log, options);
    LogSummary summary{log.file, use, {}, {}};
    summary.figures =
        screen(log, model, {.filter_hz = options.filter_hz.value_or(usual_cut_off(log))}, found);
    if (found.has_errors()) throw LogError(found);
    if (!options.find_gains) screen_efforts(log, model, found);
    const bool twice = repeats(log, recorded, true, found);
    if (twice) {
      summary.use = "none";
    } else {
      repeats(log, fitted, false, found);
      recorded.push_back({log.file, KnownSamples(log)});
    }
    if (log.v.size()) summary.clock = repair_clock(log, found);
    result.logs.push_back(std::move(summary));
    if (!twice) logs.push_back(std::move(log));
  }
  return logs;
}

}  // namespace ulna::identify
