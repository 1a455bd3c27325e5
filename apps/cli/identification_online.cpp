#include <algorithm>
#include <chrono>
#include <cmath>

#include <Eigen/Cholesky>

#include "identification.hpp"
#include "ulna/identify/data/filter.hpp"
#include "ulna/identify/online/online_estimator.hpp"
#include "ulna/identify/data/resample.hpp"

namespace ulna::cli {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// One over the median step, unless most of the time went by in much longer ones.
double natural_rate(const Log& log) {
  std::vector<double> steps;
  for (Index k = 1; k < log.size(); ++k) steps.push_back(log.t(k) - log.t(k - 1));
  std::nth_element(steps.begin(), steps.begin() + static_cast<Index>(steps.size() / 2),
                   steps.end());
  const double time = log.t(log.size() - 1) - log.t(0);
  return std::min(1.0 / steps[steps.size() / 2], 4.0 * static_cast<double>(steps.size()) / time);
}

/// How far off torques may be, before any was seen: a share of what the drives can do, or of what they
/// did in the first second.
VectorXd noise_guess(const Model& model, const Log& log) {
  constexpr double share = 0.005, of_first = 0.03;
  Index n = 1;
  while (n < log.size() && log.t(n) < log.t(0) + 1.0) ++n;
  const VectorXd first =
      (log.tau.leftCols(n).rowwise().squaredNorm() / static_cast<double>(n)).cwiseSqrt();
  VectorXd noise(model.nv());
  for (int i = 0; i < model.nv(); ++i) {
    const double effort = model.effort_limit()(i);
    noise(i) = std::isfinite(effort) && effort > 0.0 ? share * effort
                                                     : std::max(of_first * first(i), 0.01);
  }
  return noise;
}

/// Errors and sizes of torques, summed up per joint.
struct Sums {
  VectorXd error, size;
  double count = 0.0;
  explicit Sums(Index joints) : error(VectorXd::Zero(joints)), size(error) {}
  void add(const VectorXd& e, const VectorXd& tau) {
    error += e.cwiseAbs2(), size += tau.cwiseAbs2();
    count += 1.0;
  }
  Fit fit() const {
    Fit fit;
    fit.rms = (error / std::max(1.0, count)).cwiseSqrt();
    fit.per_joint_percent = 100.0 * error.cwiseQuotient(size).cwiseSqrt();
    fit.total_percent = 100.0 * std::sqrt(error.sum() / size.sum());
    return fit;
  }
};

double percentile(std::vector<double>& x, double share) {
  if (x.empty()) return 0.0;
  const auto at = static_cast<Index>(share * static_cast<double>(x.size() - 1));
  std::nth_element(x.begin(), x.begin() + at, x.end());
  return x[static_cast<std::size_t>(at)];
}

/// Numbers of the estimator with what is known of them.
Estimate estimate_of(OnlineEstimator& online, const BaseParameters& base, const VectorXd& noise,
                     double correlated) {
  const TorqueModel& model = online.model();
  Estimate e;
  e.z = online.z();
  MatrixXd prior = MatrixXd::Zero(e.z.size(), e.z.size());
  VectorXd slope = VectorXd::Zero(e.z.size());
  online.prior().add_derivatives(e.z, slope, prior);
  prior = MatrixXd(prior.selfadjointView<Eigen::Lower>());
  const MatrixXd told = online.information().selfadjointView<Eigen::Lower>();
  const MatrixXd one = MatrixXd::Identity(e.z.size(), e.z.size());
  const MatrixXd before = prior.llt().solve(one), after = MatrixXd(prior + told).llt().solve(one);
  e.deviation = after.diagonal().cwiseMax(0.0).cwiseSqrt();
  e.learned = (1.0 - (after.diagonal().array() / before.diagonal().array())).max(0.0).matrix();
  e.base = base.of(e.z);
  const MatrixXd map = base.map();
  e.base_deviation = (map * after * map.transpose()).diagonal().cwiseMax(0.0).cwiseSqrt();
  e.noise = noise;
  e.correlated = VectorXd::Constant(noise.size(), correlated);
  e.excitation = excitation(told(base.independent, base.independent));
  e.consistent = is_consistent(model, e.z);
  e.steps = static_cast<int>(online.samples());
  return e;
}

}  // namespace

void identify_online(std::span<const Log> logs, const IdentifySettings& settings,
                     const std::function<void(double share)>& progress, Identification& result) {
  const TorqueModel& torques = result.torques;
  const Model& model = torques.model();
  const int n = model.nv();
  const double rate = natural_rate(logs.front());
  const VectorXd noise = noise_guess(model, logs.front());
  OnlineOptions options;
  options.rate_hz = rate;
  options.correlated = std::max(1.0, rate / settings.filter_hz);
  options.noise_memory = 10.0;
  options.prior = settings.prior;
  OnlineEstimator online(torques, noise, options);
  result.prior = online.prior().center();

  OnlineFigures figures;
  figures.rate_hz = rate;
  const LowPass low_pass(settings.filter_hz, rate, 4);
  Index total = 0, done = 0;
  for (const Log& log : logs) total += log.size();
  Sums all(n), second(n), unlearnt(n);
  std::vector<double> times;
  VectorXd expected(n);
  for (const Log& log : logs) {
    const bool measured = log.v.size() > 0;
    MotionFilter filter(
        n, low_pass,
        measured ? MotionFilter::Velocity::measured : MotionFilter::Velocity::from_position);
    figures.delay = filter.delay();
    std::vector<Index> ends = log.breaks;
    ends.push_back(log.size());
    Index from = 0;
    for (const Index to : ends) {
      const Index begin = from, measured_count = to - from;
      from = to;
      if (measured_count < 8) continue;
      const auto part = [&](const MatrixXd& x) -> MatrixXd {
        return x.middleCols(begin, measured_count);
      };
      const VectorXd t = log.t.segment(begin, measured_count);
      const auto count =
          static_cast<Index>(std::floor((t(measured_count - 1) - t(0)) * rate * (1.0 + 1e-12))) + 1;
      const Resampler even(t, t(0), rate, count);
      const MatrixXd q = even(part(log.q)), tau = even(part(log.tau)),
                     v = measured ? even(part(log.v)) : MatrixXd();
      filter.reset();
      Trace trace{log.file, false, rate, VectorXd(count), MatrixXd(n, count), MatrixXd(n, count)};
      Index kept = 0;
      for (Index k = 0; k < count; ++k) {
        if (k % 512 == 0)
          progress(static_cast<double>(done + begin + k) / static_cast<double>(total));
        const bool sound =
            filter.update(q.col(k), measured ? VectorXd(v.col(k)) : VectorXd(), tau.col(k));
        if (!sound || !filter.settled()) continue;
        online.predict(filter.q(), filter.v(), filter.a(), filter.direction(), expected);
        const VectorXd error = filter.tau() - expected;
        all.add(error, filter.tau());
        const double share = static_cast<double>(done + begin + k) / static_cast<double>(total);
        if (share >= 0.5) {
          second.add(error, filter.tau());
          const MatrixXd x =
              torques.features_of(filter.v(), filter.a(), filter.tau(), filter.direction());
          unlearnt.add(
              filter.tau() - torques.torques(result.prior, filter.q(), filter.v(), filter.a(), x),
              filter.tau());
        }
        trace.t(kept) = t(0) + static_cast<double>(k) / rate - figures.delay;
        trace.measured.col(kept) = filter.tau();
        trace.predicted.col(kept++) = expected;

        const auto start = std::chrono::steady_clock::now();
        const auto outcome =
            online.update(filter.q(), filter.v(), filter.a(), filter.direction(), filter.tau());
        const std::chrono::duration<double, std::micro> took =
            std::chrono::steady_clock::now() - start;
        times.push_back(took.count());
        switch (outcome) {
          case OnlineEstimator::Outcome::learned:
            ++figures.learned;
            break;
          case OnlineEstimator::Outcome::doubted:
            ++figures.doubted;
            break;
          case OnlineEstimator::Outcome::changed:
            ++figures.changed;
            break;
          case OnlineEstimator::Outcome::ignored:
            ++figures.ignored;
            break;
        }
        if (figures.always_consistent && !is_consistent(torques, online.z()))
          figures.always_consistent = false;
      }
      trace.t.conservativeResize(kept);
      trace.measured.conservativeResize(n, kept);
      trace.predicted.conservativeResize(n, kept);
      if (kept > 0) result.traces.push_back(std::move(trace));
    }
    done += log.size();
  }
  figures.run = all.fit();
  figures.second_half = second.fit();
  figures.prior_percent = unlearnt.fit().total_percent;
  figures.median_us = percentile(times, 0.5);
  figures.percentile_99_us = percentile(times, 0.99);
  result.chosen.estimate =
      estimate_of(online, result.base, figures.second_half.rms, options.correlated);
  result.online = figures;
}

}  // namespace ulna::cli
