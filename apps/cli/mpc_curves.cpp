#include "mpc_curves.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "ulna/dynamics/kinematics.hpp"
#include "ulna/rig/reality.hpp"

namespace ulna::cli {

using Eigen::Index;
using Eigen::VectorXd;

std::string_view error_unit(const Model& model) {
  int sliding = 0, turning = 0;
  for (const Joint& j : model.joints().subspan(1))
    if (!j.mimics) ++(j.type == JointType::prismatic ? sliding : turning);
  return sliding == 0 ? "mrad" : turning == 0 ? "mm" : "mrad, mm";
}

std::vector<TimedLine> tracking_errors(const MpcResults& results) {
  std::vector<TimedLine> lines;
  for (const MpcRun& run : std::views::reverse(results.runs)) {
    const TrialRecord& record = run.result.record;
    const Eigen::MatrixXd off = record.q - record.q_reference;
    const auto squares = off.colwise().squaredNorm().transpose();
    lines.push_back({run.name, record.time,
                     error_scale * (squares / std::max<Index>(1, off.rows())).cwiseSqrt(),
                     run.colour});
  }
  return lines;
}

TipAtRest tip_at_rest(const MpcResults& results) {
  constexpr double before = 0.1, after = 0.6;  // s
  TipAtRest out{{}, 'x', results.rests_from - before, results.rests_from + after, 0.0};
  const Frame& tip = rig::tip_frame(results.model);
  Kinematics<double> at(results.model);
  std::vector<Eigen::MatrixXd> places;  // a row for each axis
  Eigen::Vector3d spread = Eigen::Vector3d::Zero();
  for (const MpcRun& run : results.runs) {
    const TrialRecord& record = run.result.record;
    Eigen::MatrixXd& place = places.emplace_back(3, record.time.size());
    Index rests = 0;
    while (rests < record.time.size() && record.time(rests) < results.rests_from) ++rests;
    for (Index k = 0; k < place.cols(); ++k) {
      at.set(record.q.col(k));
      place.col(k) = 1e3 * at.pose(tip).translation();
    }
    const auto rest = place.rightCols(place.cols() - rests);
    place.colwise() -= rest.rowwise().mean().eval();
    spread = spread.cwiseMax(rest.rowwise().squaredNorm());
  }
  Index axis = 0;
  out.largest = 1e-6 * std::max(1.0, spread.maxCoeff(&axis));
  out.axis = "xyz"[axis];
  for (std::size_t i = results.runs.size(); i-- > 0;) {
    const VectorXd& time = results.runs[i].result.record.time;
    Index from = 0, to = 0;
    while (from < time.size() && time(from) < out.begin) ++from;
    for (to = from; to < time.size() && time(to) <= out.end;) ++to;
    out.lines.push_back({results.runs[i].name, time.segment(from, to - from),
                         places[i].row(axis).segment(from, to - from), results.runs[i].colour});
    for (Index k = from; k < to; ++k)
      if (time(k) >= results.rests_from)
        out.largest = std::max(out.largest, std::abs(places[i](axis, k)));
  }
  return out;
}

}  // namespace ulna::cli
