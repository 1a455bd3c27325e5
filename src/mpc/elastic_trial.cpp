#include <cmath>

#include "mpc/drive_plants.hpp"
#include "mpc/robot_scale.hpp"
#include "mpc/trial_score.hpp"
#include "ulna/dynamics/motor_limits.hpp"
#include "ulna/dynamics/spring_force.hpp"
#include "ulna/identify/estimate/estimate.hpp"

namespace ulna::mpc {
namespace {

/// The laws that plan nothing, from the positions and speeds of the motors.
class MotorLaw {
 public:
  using Vector = Eigen::VectorXd;

  MotorLaw(const Model& model, const TrialOptions& options)
      : law_(options.law),
        stiffness_(options.stiffness),
        damping_(2.0 * std::sqrt(options.stiffness)),
        rigid_(with_plain_drives(model)),
        dynamics_(rigid_.model()),
        limits_(model),
        tau_(Vector::Zero(model.nv())) {
    write_rigid(Plant<double>(model), rigid_);
    inertia_ = scale_of(rigid_).inertia;
  }

  const Vector& act(const Plant<double>& plant, const SmoothMotion& to,
                    const DriveReading& reading) {
    write_rigid(plant, rigid_);
    if (law_ == ControlLaw::computed_torque) {
      a_ = to.a + stiffness_ * (to.q - reading.theta) + damping_ * (to.v - reading.omega);
      dynamics_.inverse(rigid_, reading.theta, reading.omega, a_, tau_);
    } else {
      dynamics_.gravity(rigid_, to.q, tau_);
      a_ = stiffness_ * (to.q - reading.theta) + damping_ * (to.v - reading.omega);
      for (const int c : plant.model().drives().elastic)
        a_(c) += stiffness_ * ulna::detail::spring_deflection<double>(plant.drives, c, tau_(c));
      tau_ += inertia_.cwiseProduct(a_);
    }
    limits_.clip(tau_);
    return tau_;
  }

 private:
  ControlLaw law_;
  double stiffness_, damping_;
  Plant<double> rigid_;
  DrivenDynamics dynamics_;
  ulna::detail::MotorLimits limits_;
  Vector tau_, a_ = tau_, inertia_;
};

/// Sums of how joints and tip move about their means.
class VibrationMeter {
 public:
  VibrationMeter(const Model& model, double from)
      : from_(from),
        at_(model),
        tip_(&rig::tip_frame(model)),
        first_(Eigen::VectorXd::Zero(model.nv() + 3)),
        sum_(first_),
        squares_(first_),
        now_(first_) {}

  void add(double time, const Eigen::VectorXd& q) {
    if (time < from_ || time >= from_ + window) return;
    at_.set(q);
    now_ << q, at_.pose(*tip_).translation();
    if (count_++ == 0) first_ = now_;
    now_ -= first_;
    sum_ += now_, squares_ += now_.cwiseAbs2();
  }

  std::optional<Vibration> result() const {
    if (count_ < 2) return {};
    const Eigen::VectorXd variance =
        squares_ / double(count_) - (sum_ / double(count_)).cwiseAbs2();
    const auto n = variance.size() - 3;
    return Vibration{std::sqrt(std::max(0.0, variance.head(n).maxCoeff())),
                     std::sqrt(std::max(0.0, variance.tail(3).sum()))};
  }

 private:
  static constexpr double window = 1.0;  ///< s
  double from_;
  Kinematics<double> at_;
  const Frame* tip_;
  Eigen::VectorXd first_, sum_, squares_, now_;
  long count_ = 0;
};

/// A robot with springs, what measures it, and what drives it, period by period.
class ElasticTrial {
 public:
  using Vector = Eigen::VectorXd;

  ElasticTrial(const Model& model, const SmoothReference& reference, const TrialOptions& options)
      : model_(model),
        reference_(reference),
        options_(options),
        period_(1.0 / options.control.rate_hz),
        robot_(model, {options.plant, options.simulation, options.mujoco, options.sensors,
                       options.reality}),
        changes_(options.changes),
        controller_(model, elastic_options(options)),
        law_(model, options),
        read_(model),
        reading_(model),
        here_(model.nv()),
        result_{.estimated = controller_.plant(), .truth = robot_.plant()},
        score_(model, options, result_),
        meter_(model, options.rests_from) {
    controller_.follow(reference);
    reference_(0.0, here_);
  }

  /// Period k. False if the robot cannot go on.
  bool step(long k) {
    const double time = double(k) * period_;
    robot_.apply(changes_);
    if (k == 0) hold_at_rest();  // with what was changed at once: springs carry it already
    if (options_.knowledge == Knowledge::perfect) controller_.set_plant(robot_.plant());
    robot_.read(read_);
    reading_.q = read_.q, reading_.v = read_.v, reading_.tau = read_.tau;
    reading_.theta = springs_ ? read_.theta : read_.q;
    reading_.omega = springs_ ? read_.omega : read_.v;

    const long allocated = options_.allocations ? options_.allocations() : 0;
    reference_(time, here_);
    const bool plans = options_.law == ControlLaw::mpc;
    const Vector& tau =
        plans ? controller_.act(time, reading_) : law_.act(controller_.plant(), here_, reading_);
    const Vector& motors = limits_.motors(tau);
    for (Eigen::Index i = 0; i < tau.size(); ++i)
      if (!(std::abs(motors(i)) <= (1.0 + 1e-12) * model_.effort_limit()(i)))
        ++result_.torque_breaches;
    if (!robot_.write(tau)) return result_.status = SimulationStatus::torque_not_finite, false;
    if (plans) controller_.update(time, reading_);
    if (plans && options_.knowledge == Knowledge::identified)
      result_.consistent_always &=
          identify::is_consistent(controller_.estimator().model(), controller_.estimator().z());
    score_.add(time, robot_, here_.q, reading_, controller_, plans, true);
    meter_.add(time, robot_.q());
    result_.status = robot_.advance(period_);
    if (options_.allocations && k > 0) result_.allocations += options_.allocations() - allocated;
    if (result_.status != SimulationStatus::moved) return false;
    ++result_.steps;
    return true;
  }

  TrialResult finish(long steps) {
    result_.finished = result_.steps == steps;
    conclude(controller_, robot_, options_.knowledge == Knowledge::identified, result_);
    result_.vibration = meter_.result();
    score_.finish();
    return std::move(result_);
  }

 private:
  static ElasticOptions elastic_options(const TrialOptions& options) {
    ElasticOptions elastic{options.control, options.drives, options.bandwidth};
    elastic.control.identify = options.knowledge == Knowledge::identified;
    elastic.control.observe_disturbance &= options.knowledge != Knowledge::fixed;
    return elastic;
  }

  /// Before the first action drives and springs hold the robot where it is, which the first reading must show.
  void hold_at_rest() {
    robot_.start(options_.q0.size() ? options_.q0 : here_.q);
    DrivenDynamics dynamics(model_);
    Vector tau(model_.nv());
    dynamics.gravity(robot_.plant(), robot_.q(), tau);
    (void)robot_.preload(tau);
  }

  Model model_;
  bool springs_ = !model_.drives().elastic.empty();
  ulna::detail::MotorLimits limits_{model_};
  SmoothReference reference_;
  const TrialOptions& options_;
  double period_;
  rig::TestRig robot_;
  Schedule changes_;
  ElasticController controller_;
  MotorLaw law_;
  rig::Reading read_;
  DriveReading reading_;
  SmoothMotion here_;
  TrialResult result_;
  TrialScore score_;
  VibrationMeter meter_;
};

}  // namespace

TrialResult run_elastic_trial(const Model& model, const SmoothReference& reference,
                              const TrialOptions& options,
                              const std::function<bool(double share)>& progress) {
  const long steps = require_trial(options);
  messages::require(reference != nullptr, "a trial needs a motion to follow");
  messages::require(!model.drives().plain(), "robot '", model.name(),
                    "' has neither elastic joints nor coupled motors: give a motion of positions "
                    "and velocities");
  messages::require(!options.supervision && options.faults.empty() &&
                        options.wrench_sensors.empty() && options.plant == rig::PlantKind::ulna &&
                        !options.late_actions && options.skipped_updates == 0.0,
                    "robot '", model.name(),
                    "' has springs or coupled motors, which supervisors, faults, wrench sensors "
                    "and MuJoCo do not support; leave "
                    "these out, or the drives by with_plain_drives(model)");
  ElasticTrial trial(model, reference, options);
  return run_periods(trial, steps, progress);
}

}  // namespace ulna::mpc
