#include <algorithm>
#include <cmath>

#include "identify/messages.hpp"
#include "identify/pipeline.hpp"

namespace ulna::identify {
namespace {

/// How much of each joint's motion, rms, a cut-off removes from what another one, which is higher, leaves.
Vector lost_motion(std::span<const Log> logs, double cut_off, double higher) {
  const auto motion = [&](double filter_hz) {
    Diagnostics ignored;
    return prepare(logs, {.filter_hz = filter_hz, .trim = 0.5 / cut_off}, ignored);
  };
  const Prepared low = motion(cut_off), high = motion(higher);
  Vector lost = Vector::Zero(logs.front().q.rows()), all = lost;
  if (low.pieces.size() != high.pieces.size()) return lost;
  for (std::size_t i = 0; i < low.pieces.size(); ++i) {
    const Matrix &q = high.pieces[i].q, &filtered = low.pieces[i].q;
    if (q.cols() != filtered.cols()) return 0.0 * lost;
    lost += (q - filtered).rowwise().squaredNorm();
    const Vector mean = q.rowwise().mean();
    all += (q.colwise() - mean).rowwise().squaredNorm();
  }
  // of what hardly moves, most is noise
  constexpr double least = 0.01;  // rad or m
  const double samples = double(high.size());
  for (Index j = 0; j < lost.size(); ++j)
    lost(j) = all(j) > least * least * samples ? std::sqrt(lost(j) / all(j)) : 0.0;
  return lost;
}

/// The highest cut-off up to eight times another that all logs have the rate for.
double highest_cut_off(std::span<const Log> logs, double filter_hz) {
  double highest = 8.0 * filter_hz;
  for (const Log& log : logs) highest = std::min(highest, natural_rate(log) / 5.0);
  return highest;
}

/// A filter that removes motion leaves torques that are not those of the motion that is left: they depend on its square.
void remark_on_lost_motion(std::span<const Log> logs, double filter_hz, Identification& result) {
  constexpr double much = 0.05, little = 0.002;
  const double highest = highest_cut_off(logs, filter_hz);
  if (!(highest > 1.5 * filter_hz)) return;
  Index joint = 0;
  const double lost = lost_motion(logs, filter_hz, highest).maxCoeff(&joint);
  if (lost < much) return;
  double enough = 2.0 * filter_hz;
  while (2.0 * enough <= highest && lost_motion(logs, enough, highest).maxCoeff() > little)
    enough *= 2.0;
  result.remarks.push_back(
      {false,
       message("the low-pass removes ", number(100.0 * lost, 3), " % of the motion of joint '",
               result.torques.model().velocity_names()[std::size_t(joint)],
               "', so that torques are not those of the motion that is left; take "
               "Options::filter_hz = ",
               number(std::min(enough, highest), 3))});
}

/// Where much is unexplained: cut-offs with which plain least squares explain much more.
void remark_on_other_filters(std::span<const Log> logs, double filter_hz, double end,
                             const PriorOptions& prior, Identification& result) {
  constexpr double poor = 10.0, much_better = 0.4, than_noise = 0.6;
  const double before = (result.plain ? *result.plain : result.chosen).fit.total_percent;
  if (!(before > poor)) return;
  double best = before, best_hz = 0.0;
  for (const double factor : {0.5, 0.25, 0.125, 2.0, 4.0, 8.0}) {
    const double hz = factor * filter_hz;
    Diagnostics ignored;
    if (hz > highest_cut_off(logs, filter_hz)) continue;
    const Prepared other = prepare(logs, {.filter_hz = hz}, ignored);
    if (ignored.has_errors()) continue;
    const TorqueData data = gather(result.torques, other.part(0.0, end));
    const Estimate found = estimate(result.torques, result.base, data, {Method::ols, prior});
    const double percent = fit_of(result.torques, found.z, data).total_percent;
    // white noise of torques alone falls with the root of the cut-off
    const double enough = factor < 1.0 ? than_noise * std::sqrt(factor) : much_better;
    if (percent < std::min(best, enough * before)) best = percent, best_hz = hz;
  }
  if (best_hz == 0.0) return;
  result.remarks.push_back(
      {false, message("the low-pass is to blame: with Options::filter_hz = ", number(best_hz, 3),
                      ", ", number(best, 3), " % instead of ", number(before, 3),
                      " % of the torque is unexplained",
                      best_hz < filter_hz ? "; what it passes now is noise of velocities or "
                                            "accelerations for the most part"
                                          : "")});
}

}  // namespace

void remark_on_cut_off(std::span<const Log> logs, double filter_hz, double end,
                       const PriorOptions& prior, Identification& result) {
  remark_on_lost_motion(logs, filter_hz, result);
  remark_on_other_filters(logs, filter_hz, end, prior, result);
}

}  // namespace ulna::identify
