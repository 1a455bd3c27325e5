#pragma once

#include <numeric>

#include "mpc/trial_sensors.hpp"
#include "ulna/dynamics/motor_limits.hpp"

namespace ulna::mpc {

/// Writes error, times, actions, faults and record of a trial, in memory that is reserved at first.
class TrialScore {
 public:
  TrialScore(const Model& model, const TrialOptions& options, TrialResult& result)
      : result_(result),
        period_(1.0 / options.control.rate_hz),
        every_(std::max(1L, std::lround(options.control.rate_hz / options.record_hz))),
        velocity_limit_(model.velocity_limit()),
        effort_limit_(model.effort_limit()),
        motors_(model),
        from_(options.count_from) {
    const double steps = options.duration * options.control.rate_hz;
    const auto columns = Eigen::Index(std::floor(steps / double(every_))) + 2;
    TrialRecord& record = result_.record;
    record.time.resize(columns), record.kind.resize(columns);
    for (Eigen::MatrixXd* m : matrices(record)) m->resize(model.nv(), columns);
    for (Eigen::MatrixXd* m : {&record.mass, &record.true_mass})
      m->resize(model.joint_count(), columns);
    from_.insert(from_.begin(), 0.0);
    squares_.assign(from_.size(), 0.0), counts_.assign(from_.size(), 0);
    for (std::vector<double>* times : {&step_us_, &act_us_, &identify_us_})
      times->reserve(std::size_t(std::llround(steps)));
  }

  /// Once a period, when its torque acts. `reference`: where the robot should be; `follows`: nothing keeps it from that. Only a
  /// controller that `plans` has kinds of actions and faults.
  template <class Controller, class Readings>
  void add(double time, const rig::TestRig& robot, const Eigen::VectorXd& reference,
           const Readings& sensors, const Controller& controller, bool plans, bool follows) {
    step_us_.push_back(controller.act_us() + controller.update_us());
    act_us_.push_back(controller.act_us()), identify_us_.push_back(controller.identify_us());
    if (plans) {
      ++result_.actions[int(controller.kind())];
      ++result_.faults[int(controller.fault())];
    }
    if (steps_++ % every_ == 0 && columns_ < result_.record.time.size())
      add_record(robot, reference, sensors, controller);

    result_.largest_speed =
        std::max(result_.largest_speed, largest_share(robot.v(), velocity_limit_));
    const double torque = largest_share(motors_.motors(robot.tau()), effort_limit_);
    result_.largest_torque = std::max(result_.largest_torque, torque);
    if (torque > 0.999) ++result_.saturated;
    const auto error = reference - robot.q();
    const double mean_square = error.squaredNorm() / double(reference.size());
    for (std::size_t i = 0; i < from_.size(); ++i)
      if (time >= from_[i]) squares_[i] += mean_square, ++counts_[i];
    if (time >= from_[std::min<std::size_t>(1, from_.size() - 1)]) {
      if (follows)
        following_ += mean_square, ++following_count_;
      else
        result_.error.kept_away += period_;
    }
    result_.error.final = error.lpNorm<Eigen::Infinity>();
    result_.error.largest = std::max(result_.error.largest, result_.error.final);
  }

  /// At the end.
  void finish() {
    const auto rms = [this](std::size_t i) {
      return counts_[i] > 0 ? std::sqrt(squares_[i] / double(counts_[i])) : 0.0;
    };
    result_.error.rms = rms(0);
    for (std::size_t i = 1; i < from_.size(); ++i) result_.error.rms_from.push_back(rms(i));

    if (following_count_ > 0)
      result_.error.rms_following = std::sqrt(following_ / double(following_count_));

    StepTimes& times = result_.times;
    if (!step_us_.empty())
      times.mean = std::accumulate(step_us_.begin(), step_us_.end(), 0.0) / double(step_us_.size());
    for (std::vector<double>* t : {&step_us_, &act_us_, &identify_us_}) std::ranges::sort(*t);
    times.p50 = percentile(step_us_, 0.5), times.p95 = percentile(step_us_, 0.95);
    times.p99 = percentile(step_us_, 0.99), times.max = percentile(step_us_, 1.0);
    times.act_p50 = percentile(act_us_, 0.5);
    times.identify_p50 = percentile(identify_us_, 0.5);
    times.deadline_misses = step_us_.end() - std::ranges::upper_bound(step_us_, 1e6 * period_);

    TrialRecord& record = result_.record;
    record.time.conservativeResize(columns_), record.kind.conservativeResize(columns_);
    for (Eigen::MatrixXd* m : matrices(record)) m->conservativeResize(Eigen::NoChange, columns_);
  }

 private:
  static std::array<Eigen::MatrixXd*, 9> matrices(TrialRecord& r) {
    return {&r.q,   &r.q_reference, &r.tau,  &r.q_measured, &r.tau_measured,
            &r.dry, &r.true_dry,    &r.mass, &r.true_mass};
  }

  static void write_masses(const Plant<double>& plant, Eigen::Ref<Eigen::VectorXd> masses) {
    for (Eigen::Index b = 0; b < masses.size(); ++b) masses(b) = plant.body(int(b) + 1).mass;
  }

  static double percentile(const std::vector<double>& sorted, double share) {
    return sorted.empty() ? 0.0 : sorted[std::size_t(share * double(sorted.size() - 1))];
  }

  static double largest_share(const Eigen::VectorXd& x, const Eigen::VectorXd& limit) {
    return x.cwiseAbs().cwiseQuotient(limit).maxCoeff();
  }

  template <class Controller, class Readings>
  void add_record(const rig::TestRig& robot, const Eigen::VectorXd& reference,
                  const Readings& sensors, const Controller& controller) {
    TrialRecord& record = result_.record;
    const Eigen::Index k = columns_++;
    record.time(k) = robot.now();
    record.q.col(k) = robot.q(), record.q_reference.col(k) = reference;
    record.tau.col(k) = robot.tau();
    record.q_measured.col(k) = sensors.q, record.tau_measured.col(k) = sensors.tau;
    write_masses(controller.plant(), record.mass.col(k));
    write_masses(robot.plant(), record.true_mass.col(k));
    record.dry.col(k) = controller.plant().friction,
    record.true_dry.col(k) = robot.plant().friction;
    record.kind(k) = int(controller.kind());
  }

  TrialResult& result_;
  double period_;
  long every_, steps_ = 0;  ///< steps from one column of the record to the next
  Eigen::Index columns_ = 0;
  Eigen::VectorXd velocity_limit_, effort_limit_;
  ulna::detail::MotorLimits motors_;
  std::vector<double> from_, squares_;  ///< sums of squares from several times on
  std::vector<long> counts_;
  double following_ = 0.0;  ///< a sum of squares, while nothing kept the robot from its motion
  long following_count_ = 0;
  std::vector<double> step_us_, act_us_, identify_us_;
};

/// How many periods a trial has. Throws std::invalid_argument for one that is too long.
inline long require_trial(const TrialOptions& options) {
  const double rate = options.control.rate_hz;
  messages::require(
      options.duration > 0.0 && options.duration <= 3600.0 && rate > 0.0 && rate <= 1e5,
      "a trial takes up to an hour at up to 100 kHz");
  return std::llround(options.duration * rate);
}

/// What a controller and its robot have come to.
template <class Controller>
void conclude(const Controller& controller, const rig::TestRig& robot, bool identifies,
              TrialResult& result) {
  result.changes_noticed = controller.estimator().changes();
  result.restarts = controller.estimator().restarts();
  result.estimated = controller.plant(), result.truth = robot.plant();
  result.z = controller.estimator().z();
  if (identifies) result.payload = controller.payload();
}

template <class Trial>
TrialResult run_periods(Trial& trial, long steps,
                        const std::function<bool(double share)>& progress) {
  for (long k = 0; k < steps; ++k) {
    if (progress && !progress(double(k) / double(steps))) break;
    if (!trial.step(k)) break;
  }
  return trial.finish(steps);
}

}  // namespace ulna::mpc
