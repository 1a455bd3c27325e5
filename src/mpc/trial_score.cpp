#include "mpc/trial_score.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ulna::mpc {
namespace {

/// Those with a row per joint, then those with a row per body.
auto matrices(TrialRecord& r) {
  return std::array{&r.q,   &r.q_reference, &r.tau,  &r.q_measured, &r.tau_measured,
                    &r.dry, &r.true_dry,    &r.mass, &r.true_mass};
}

void write_masses(const Plant<double>& plant, Eigen::Ref<Eigen::VectorXd> masses) {
  for (Eigen::Index b = 0; b < masses.size(); ++b)
    masses(b) = plant.body(static_cast<int>(b) + 1).mass;
}

double percentile(const std::vector<double>& sorted, double share) {
  return sorted.empty()
             ? 0.0
             : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

TrialScore::TrialScore(const Model& model, const TrialOptions& options)
    : period_(1.0 / options.control.rate_hz),
      every_(std::max(1L, std::lround(options.control.rate_hz / options.record_hz))),
      from_(options.count_from) {
  const double steps = options.duration * options.control.rate_hz;
  const auto columns =
      static_cast<Eigen::Index>(std::floor(steps / static_cast<double>(every_))) + 2;
  record_.time.resize(columns), record_.kind.resize(columns);
  for (Eigen::MatrixXd* m : matrices(record_)) m->resize(model.nv(), columns);
  for (Eigen::MatrixXd* m : {&record_.mass, &record_.true_mass})
    m->resize(model.joint_count(), columns);
  from_.insert(from_.begin(), 0.0);
  squares_.assign(from_.size(), 0.0), counts_.assign(from_.size(), 0);
  for (std::vector<double>* times : {&step_us_, &act_us_, &identify_us_})
    times->reserve(static_cast<std::size_t>(std::llround(steps)));
}

void TrialScore::add(double time, const Simulation& robot, const Eigen::VectorXd& reference,
                     const TrialSensors& sensors, const IdentifyingController& controller) {
  step_us_.push_back(controller.act_us() + controller.update_us());
  act_us_.push_back(controller.act_us()), identify_us_.push_back(controller.identify_us());
  ++actions_[static_cast<std::size_t>(controller.kind())];
  ++faults_[static_cast<std::size_t>(controller.fault())];
  if (steps_++ % every_ == 0 && columns_ < record_.time.size())
    add_record(robot, reference, sensors, controller);
  add_error(time, robot, reference);
}

void TrialScore::add_record(const Simulation& robot, const Eigen::VectorXd& reference,
                            const TrialSensors& sensors, const IdentifyingController& controller) {
  const Eigen::Index k = columns_++;
  record_.time(k) = robot.time();
  record_.q.col(k) = robot.q(), record_.q_reference.col(k) = reference;
  record_.tau.col(k) = robot.tau();
  record_.q_measured.col(k) = sensors.q, record_.tau_measured.col(k) = sensors.tau;
  write_masses(controller.plant(), record_.mass.col(k));
  write_masses(robot.plant, record_.true_mass.col(k));
  record_.dry.col(k) = controller.plant().friction, record_.true_dry.col(k) = robot.plant.friction;
  record_.kind(k) = static_cast<int>(controller.kind());
}

void TrialScore::add_error(double time, const Simulation& robot, const Eigen::VectorXd& reference) {
  const auto error = reference - robot.q();
  const double mean_square = error.squaredNorm() / static_cast<double>(reference.size());
  for (std::size_t i = 0; i < from_.size(); ++i)
    if (time >= from_[i]) squares_[i] += mean_square, ++counts_[i];
  error_.final = error.lpNorm<Eigen::Infinity>();
  error_.largest = std::max(error_.largest, error_.final);
}

void TrialScore::finish(TrialResult& result) {
  const auto rms = [this](std::size_t i) {
    return counts_[i] > 0 ? std::sqrt(squares_[i] / static_cast<double>(counts_[i])) : 0.0;
  };
  error_.rms = rms(0);
  for (std::size_t i = 1; i < from_.size(); ++i) error_.rms_from.push_back(rms(i));

  StepTimes& times = result.times;
  if (!step_us_.empty())
    times.mean = std::accumulate(step_us_.begin(), step_us_.end(), 0.0) /
                 static_cast<double>(step_us_.size());
  for (std::vector<double>* t : {&step_us_, &act_us_, &identify_us_})
    std::sort(t->begin(), t->end());
  times.p50 = percentile(step_us_, 0.5), times.p95 = percentile(step_us_, 0.95);
  times.p99 = percentile(step_us_, 0.99), times.max = percentile(step_us_, 1.0);
  times.act_p50 = percentile(act_us_, 0.5);
  times.identify_p50 = percentile(identify_us_, 0.5);
  times.deadline_misses =
      step_us_.end() - std::upper_bound(step_us_.begin(), step_us_.end(), 1e6 * period_);

  record_.time.conservativeResize(columns_), record_.kind.conservativeResize(columns_);
  for (Eigen::MatrixXd* m : matrices(record_)) m->conservativeResize(Eigen::NoChange, columns_);
  result.actions = actions_, result.faults = faults_;
  result.error = std::move(error_), result.record = std::move(record_);
}

}  // namespace ulna::mpc
