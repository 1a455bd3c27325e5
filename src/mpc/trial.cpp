#include "ulna/mpc/trial.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/identify/estimate.hpp"

namespace ulna {

namespace {

using Vector = Eigen::VectorXd;

/// The laws that plan nothing: torques for the acceleration that would bring the robot back.
class FeedbackLaw {
 public:
  FeedbackLaw(const Model& model, const TrialOptions& options)
      : law_(options.law),
        stiffness_(options.stiffness),
        damping_(2.0 * std::sqrt(options.stiffness)),
        ws_(model),
        q_(model.nq()),
        v_(model.nv()),
        later_(model.nv()),
        a_(model.nv()),
        tau_(Vector::Zero(model.nv())) {}

  const Vector& act(const Plant<double>& plant, const MotionReference& reference, double time,
                    const Vector& q, const Vector& v) {
    if (!q.allFinite() || !v.allFinite()) return tau_;  // the last ones, for want of better
    constexpr double h = 1e-4;
    reference(time + h, q_, later_);
    reference(time, q_, v_);
    a_ = stiffness_ * (q_ - q) + damping_ * (v_ - v);
    if (law_ == ControlLaw::computed_torque) {
      a_ += (later_ - v_) / h;
      inverse_dynamics<double>(plant, q, v, a_, ws_, tau_);
    } else {
      static_torque<double>(plant, q, ws_, tau_);
      tau_ += a_;
    }
    const Vector& most = plant.model().effort_limit();
    tau_ = tau_.cwiseMin(most).cwiseMax(-most);
    return tau_;
  }

 private:
  ControlLaw law_;
  double stiffness_, damping_;
  Workspace<double> ws_;
  Vector q_, v_, later_, a_, tau_;
};

/// What six-axis sensors measure of a robot, with noise.
class WrenchReadings {
 public:
  WrenchReadings(const Model& model, const TrialOptions& options)
      : sensors_(options.wrench_sensors),
        regressor_(model),
        W_(6, 10 * model.joint_count()),
        inertial_(10 * model.joint_count()),
        random_(options.sensors.seed + 1) {
    for (const WrenchSensor& sensor : sensors_)
      if (sensor.body < 1 || sensor.body >= model.body_count() || !(sensor.moment_noise > 0.0) ||
          !(sensor.force_noise > 0.0))
        throw std::invalid_argument("a wrench sensor needs a moving body, 1 .. " +
                                    std::to_string(model.body_count() - 1) + ", and noise above 0");
  }
  void tell(Simulation& robot, const Vector& q, const Vector& v, const Vector& a,
            IdentifyingController& controller) {
    if (sensors_.empty()) return;
    robot.plant.get_inertial(inertial_);
    for (const WrenchSensor& sensor : sensors_) {
      regressor_.wrench(sensor.body, robot.q(), robot.v(), robot.acceleration(), W_);
      wrench_.noalias() = W_ * inertial_;
      noise_ << Eigen::Vector3d::Constant(sensor.moment_noise),
          Eigen::Vector3d::Constant(sensor.force_noise);
      for (int i = 0; i < 6; ++i) wrench_(i) += noise_(i) * normal_(random_);
      controller.feel(sensor.body, q, v, a, wrench_, noise_);
    }
  }

 private:
  std::vector<WrenchSensor> sensors_;
  Regressor<double> regressor_;
  RowMatX<double> W_;
  Vector inertial_, wrench_ = Vector::Zero(6), noise_ = Vector::Zero(6);
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

double percentile(std::vector<double>& sorted, double share) {
  return sorted.empty()
             ? 0.0
             : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

/// Keeps what a TrialRecord is made of, in memory that was there from the beginning.
class Recorder {
 public:
  Recorder(const Model& model, const TrialOptions& options, double rate)
      : every_(std::max(1, static_cast<int>(std::lround(rate / options.record_hz)))) {
    const auto columns =
        static_cast<Eigen::Index>(std::floor(options.duration * rate / every_)) + 2;
    record_.time.resize(columns), record_.kind.resize(columns);
    for (Eigen::MatrixXd* m :
         {&record_.q, &record_.q_reference, &record_.tau, &record_.dry, &record_.true_dry})
      m->resize(model.nv(), columns);
    for (Eigen::MatrixXd* m : {&record_.mass, &record_.true_mass})
      m->resize(model.joint_count(), columns);
  }
  void take(long step, const Simulation& robot, const Vector& reference,
            const IdentifyingController& controller) {
    if (step % every_ != 0 || count_ == record_.time.size()) return;
    const auto masses = [](const Plant<double>& plant, auto&& column) {
      for (Eigen::Index b = 0; b < column.size(); ++b)
        column(b) = plant.body(static_cast<int>(b) + 1).mass;
    };
    record_.time(count_) = robot.time();
    record_.q.col(count_) = robot.q(), record_.q_reference.col(count_) = reference;
    record_.tau.col(count_) = robot.tau();
    masses(controller.plant(), record_.mass.col(count_));
    masses(robot.plant, record_.true_mass.col(count_));
    record_.dry.col(count_) = controller.plant().friction;
    record_.true_dry.col(count_) = robot.plant.friction;
    record_.kind(count_) = static_cast<int>(controller.kind());
    ++count_;
  }
  TrialRecord finished() {
    record_.time.conservativeResize(count_), record_.kind.conservativeResize(count_);
    for (Eigen::MatrixXd* m : {&record_.q, &record_.q_reference, &record_.tau, &record_.mass,
                               &record_.true_mass, &record_.dry, &record_.true_dry})
      m->conservativeResize(Eigen::NoChange, count_);
    return std::move(record_);
  }

 private:
  int every_;
  Eigen::Index count_ = 0;
  TrialRecord record_;
};

/// Sums of squared errors from several times on.
struct Errors {
  std::vector<double> from, sum;
  std::vector<long> count;

  explicit Errors(std::vector<double> times) : from(std::move(times)) {
    from.insert(from.begin(), 0.0);
    sum.assign(from.size(), 0.0), count.assign(from.size(), 0);
  }
  void add(double time, double mean_square) {
    for (std::size_t i = 0; i < from.size(); ++i)
      if (time >= from[i]) sum[i] += mean_square, ++count[i];
  }
  double rmse(std::size_t i) const {
    return count[i] > 0 ? std::sqrt(sum[i] / static_cast<double>(count[i])) : 0.0;
  }
};

}  // namespace

const char* to_string(Knowledge knowledge) {
  const char* const words[] = {"identified", "fixed", "perfect"};
  return words[static_cast<int>(knowledge)];
}
const char* to_string(ControlLaw law) {
  const char* const words[] = {"mpc", "computed_torque", "gravity_pd"};
  return words[static_cast<int>(law)];
}
const char* to_string(TrialFault::Kind kind) {
  const char* const words[] = {"sensor_nan", "sensor_dropped", "deadline_missed", "solver_failed"};
  return words[static_cast<int>(kind)];
}

MotionReference reach_and_wave(const Vector& from, const Vector& to, double seconds,
                               const Vector& amplitude, const Vector& hz) {
  return [=](double time, Vector& q, Vector& v) {
    const double s = std::clamp(time / seconds, 0.0, 1.0);
    const double way = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
    const double rate = 30.0 * s * s * (1.0 - s) * (1.0 - s) / seconds;
    const double t = std::max(time - seconds, 0.0);
    const double grown = 1.0 - std::exp(-t * t), growing = 2.0 * t * std::exp(-t * t);
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const double w = 2.0 * static_cast<double>(EIGEN_PI) * hz(i), wave = std::sin(w * t);
      q(i) = from(i) + way * (to(i) - from(i)) + amplitude(i) * grown * wave;
      v(i) =
          rate * (to(i) - from(i)) + amplitude(i) * (growing * wave + grown * w * std::cos(w * t));
    }
  };
}

TrialResult run_trial(const Model& model, const MotionReference& reference,
                      const TrialOptions& options,
                      const std::function<bool(double share)>& progress) {
  const double rate = options.control.rate_hz, period = 1.0 / rate;
  if (!(options.duration > 0.0 && options.duration <= 3600.0) || !(rate > 0.0 && rate <= 1e5))
    throw std::invalid_argument("a trial takes up to an hour at up to 100 kHz");
  if (!reference) throw std::invalid_argument("a trial needs a motion to follow");

  const Eigen::Index n = model.nv();
  Vector q_reference(n), v_reference(n);
  reference(0.0, q_reference, v_reference);
  Simulation robot(model, options.simulation);
  robot.set_state(options.q0.size() ? options.q0 : q_reference, Vector::Zero(n));
  SensorsOptions sensing = options.sensors;
  sensing.accelerations |= !options.wrench_sensors.empty();
  Sensors sensors(model, sensing);
  WrenchReadings wrenches(model, options);
  ControllerOptions control = options.control;
  control.identify = options.knowledge == Knowledge::identified;
  IdentifyingController controller(model, control);
  controller.follow(reference);
  FeedbackLaw law(model, options);
  Schedule changes = options.changes;
  Recorder recorder(model, options, rate);
  Errors errors(options.count_from);

  TrialResult result{.estimated = controller.plant(), .truth = robot.plant};
  const auto steps = static_cast<long>(std::llround(options.duration * rate));
  std::vector<double> times, act_times, identify_times;
  for (std::vector<double>* t : {&times, &act_times, &identify_times})
    t->reserve(static_cast<std::size_t>(steps));
  Vector q(n), v(n), tau(n);

  for (long k = 0; k < steps; ++k) {
    const double time = static_cast<double>(k) * period;
    if (progress && k % 64 == 0 && !progress(static_cast<double>(k) / static_cast<double>(steps)))
      break;
    changes.apply(robot);
    if (options.knowledge == Knowledge::perfect) controller.set_plant(robot.plant);

    sensors.read(robot);
    bool dropped = false;
    Vector& q_seen = sensors.q;
    for (const TrialFault& fault : options.faults) {
      if (time < fault.from || time >= fault.to) continue;
      switch (fault.kind) {
        case TrialFault::Kind::sensor_nan:
          q_seen(k % n) = std::nan("");
          break;
        case TrialFault::Kind::sensor_dropped:
          dropped = true;
          break;
        case TrialFault::Kind::deadline_missed:
          controller.miss_next_deadline();
          break;
        case TrialFault::Kind::solver_failed:
          controller.fail_next_plan();
          break;
      }
    }
    if (!dropped || k == 0) q = q_seen, v = sensors.v;

    const long allocated = options.allocations ? options.allocations() : 0;
    const Vector& asked = options.law == ControlLaw::mpc
                              ? controller.act(time, q, v)
                              : law.act(controller.plant(), reference, time, q, v);
    for (Eigen::Index i = 0; i < n; ++i)
      if (!(std::abs(asked(i)) <= model.effort_limit()(i))) ++result.torque_breaches;
    if (robot.hold(asked) != SimulationStatus::moved) {
      result.status = SimulationStatus::torque_not_finite;
      break;
    }
    // the torque sensor sees what acts now
    if (sensing.accelerations)
      sensors.read(time, robot.q(), robot.v(), robot.tau(), robot.acceleration());
    else
      sensors.read(time, robot.q(), robot.v(), robot.tau());
    if (!dropped) tau = sensors.tau;
    if (!dropped) wrenches.tell(robot, q, v, sensors.a, controller);
    if (options.law == ControlLaw::mpc || control.identify) controller.think(time, q, v, tau);

    times.push_back(controller.act_us() + controller.think_us());
    act_times.push_back(controller.act_us()), identify_times.push_back(controller.identify_us());
    result.deadline_misses += times.back() > 1e6 * period;
    switch (controller.kind()) {
      case ActionKind::planned:
        ++result.planned;
        break;
      case ActionKind::older:
        ++result.older;
        break;
      case ActionKind::safe:
        ++result.safe;
        break;
    }
    result.not_measured += controller.fault() == ActionFault::not_measured;
    result.not_prepared += controller.fault() == ActionFault::not_prepared;
    result.late += controller.fault() == ActionFault::late;
    result.not_solved += controller.fault() == ActionFault::not_solved;
    result.no_reference += controller.fault() == ActionFault::no_reference;
    if (control.identify)
      result.consistent_always &=
          is_consistent(controller.estimator().model(), controller.estimator().z());

    reference(time, q_reference, v_reference);
    recorder.take(k, robot, q_reference, controller);
    q_reference -= robot.q();
    errors.add(time, q_reference.squaredNorm() / static_cast<double>(n));
    result.end_error = q_reference.lpNorm<Eigen::Infinity>();
    result.largest_error = std::max(result.largest_error, result.end_error);

    result.status = robot.step(period);
    // the first plan is made until it is good, and that has no limit to keep
    if (options.allocations && k > 0) result.allocations += options.allocations() - allocated;
    if (result.status != SimulationStatus::moved) break;
    ++result.steps;
  }

  result.finished = result.steps == steps;
  result.rmse = errors.rmse(0);
  for (std::size_t i = 1; i < errors.from.size(); ++i) result.rmse_from.push_back(errors.rmse(i));
  result.changes_noticed = controller.estimator().changes();
  result.estimated = controller.plant(), result.truth = robot.plant;
  result.z = controller.estimator().z();
  result.record = recorder.finished();
  if (!times.empty())
    result.mean_us =
        std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  for (std::vector<double>* t : {&times, &act_times, &identify_times})
    std::sort(t->begin(), t->end());
  result.p50_us = percentile(times, 0.5), result.p95_us = percentile(times, 0.95);
  result.p99_us = percentile(times, 0.99), result.max_us = percentile(times, 1.0);
  result.act_p50_us = percentile(act_times, 0.5);
  result.identify_p50_us = percentile(identify_times, 0.5);
  return result;
}

}  // namespace ulna
