#include "ulna/mpc/trial.hpp"

#include <algorithm>
#include <cmath>

#include "mpc/fallback.hpp"
#include "mpc/trial_score.hpp"
#include "mpc/trial_supervision.hpp"
#include "ulna/identify/estimate/estimate.hpp"
#include "ulna/num/random.hpp"

namespace ulna::mpc {

using Vector = Eigen::VectorXd;

const char* to_string(Knowledge knowledge) {
  return std::array{"identified", "offset_free", "fixed", "perfect"}[int(knowledge)];
}
const char* to_string(ControlLaw law) {
  return std::array{"mpc", "computed_torque", "gravity_pd"}[int(law)];
}
const char* to_string(TrialFault::Kind kind) {
  return std::array{"sensor_nan", "sensor_dropped", "deadline_missed", "solver_failed"}[int(kind)];
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
      const double w = 2.0 * double(EIGEN_PI) * hz(i), wave = std::sin(w * t);
      q(i) = from(i) + way * (to(i) - from(i)) + amplitude(i) * grown * wave;
      v(i) =
          rate * (to(i) - from(i)) + amplitude(i) * (growing * wave + grown * w * std::cos(w * t));
    }
  };
}

MotionReference keep_closed(const Model& model, MotionReference reference) {
  if (model.description().loops.empty()) return reference;
  return [reference = std::move(reference), dynamics = std::make_shared<DrivenDynamics>(model)](
             double time, Vector& q, Vector& v) {
    reference(time, q, v);
    (void)dynamics->close(q, v);
  };
}

/// The laws that plan nothing: torques for the acceleration that would bring the robot back.
class FeedbackLaw {
 public:
  FeedbackLaw(const Model& model, const TrialOptions& options)
      : law_(options.law),
        stiffness_(options.stiffness),
        damping_(2.0 * std::sqrt(options.stiffness)),
        dynamics_(model),
        q_(model.nq()),
        tau_(Vector::Zero(model.nv())) {}

  const Vector& act(const Plant<double>& plant, const MotionReference& reference, double time,
                    const Vector& q, const Vector& v) {
    if (!q.allFinite() || !v.allFinite()) return tau_;  // the last ones, for want of better
    constexpr double h = 1e-4;
    reference(time + h, q_, v_later_);
    reference(time, q_, v_);
    a_ = stiffness_ * (q_ - q) + damping_ * (v_ - v);
    if (law_ == ControlLaw::computed_torque) {
      a_ += (v_later_ - v_) / h;
      dynamics_.inverse(plant, q, v, a_, tau_);
    } else {
      dynamics_.gravity(plant, q, tau_);
      for (Eigen::Index i = 0; i < tau_.size(); ++i)
        if (dynamics_.moves(i)) tau_(i) += a_(i);
    }
    const Vector& limit = plant.model().effort_limit();
    tau_ = tau_.cwiseMin(limit).cwiseMax(-limit);
    return tau_;
  }

 private:
  ControlLaw law_;
  double stiffness_, damping_;
  DrivenDynamics dynamics_;
  Vector q_, tau_, v_ = tau_, v_later_ = tau_, a_ = tau_;
};

/// A robot, what measures it, and what drives it, period by period.
class Trial {
 public:
  Trial(const Model& model, const MotionReference& reference, const TrialOptions& options)
      : model_(model),
        reference_(keep_closed(model, reference)),
        options_(options),
        period_(1.0 / options.control.rate_hz),
        robot_(model, rig_options(options)),
        changes_(options.changes),
        sensors_(model, options),
        controller_(model, controller_options(options)),
        law_(model, options),
        result_{.estimated = controller_.plant(), .truth = robot_.plant()},
        score_(model, options, result_),
        q_reference_(model.nq()),
        v_reference_(model.nv()) {
    if (options.supervision) supervision_.emplace(model, reference, options, result_);
    controller_.follow(reference_);
    if (supervision_) controller_.follow(supervision_->way());
    reference_(0.0, q_reference_, v_reference_);
    Vector q0 = options.q0.size() ? options.q0 : q_reference_, v0 = Vector::Zero(model.nv());
    messages::require(DrivenDynamics(model).begin(q0, v0), "trial: the loops of robot '",
                      model.name(), "' cannot be closed where it begins");
    robot_.start(q0);
  }

  /// Period k. False if the robot cannot go on.
  bool step(long k) {
    const double time = double(k) * period_;
    robot_.apply(changes_);
    if (k == 0) hold_at_rest();
    if (options_.knowledge == Knowledge::perfect) controller_.set_plant(robot_.plant());
    sensors_.read(robot_, time);
    inject_faults(time);

    const long allocated = options_.allocations ? options_.allocations() : 0;
    if (!drive(time)) return false;
    sensors_.update_wrenches(controller_);
    if ((uses_mpc() || identifies()) && !skips_update()) {
      controller_.update(time, sensors_.q, sensors_.v, sensors_.tau);
      busy_until_ += 1e-6 * controller_.update_us();
    }
    if (identifies())
      result_.consistent_always &=
          identify::is_consistent(controller_.estimator().model(), controller_.estimator().z());
    reference_(time, q_reference_, v_reference_);
    score_.add(time, robot_, q_reference_, sensors_, controller_, uses_mpc(),
               !supervision_ || supervision_->follows(time));
    if (!options_.reality.grips.empty()) grip_.measure(robot_, options_.reality.grips, result_);

    result_.status = robot_.advance(period_);
    // the first plan is solved to convergence, which may allocate
    if (options_.allocations && k > 0) result_.allocations += options_.allocations() - allocated;
    if (result_.status != SimulationStatus::moved) return false;
    ++result_.steps;
    return true;
  }

  TrialResult finish(long steps) {
    result_.finished = result_.steps == steps;
    conclude(controller_, robot_, identifies(), result_);
    if (supervision_) supervision_->finish();
    score_.finish();
    return std::move(result_);
  }

 private:
  static ControllerOptions controller_options(const TrialOptions& options) {
    ControllerOptions control = options.control;
    control.identify = options.knowledge == Knowledge::identified;
    control.observe_disturbance &= options.knowledge != Knowledge::fixed;
    return control;
  }
  static rig::TestRigOptions rig_options(const TrialOptions& options) {
    rig::TestRigOptions o{options.plant, options.simulation, options.mujoco, options.sensors,
                          options.reality};
    o.sensors.accelerations |= !options.wrench_sensors.empty();
    return o;
  }
  bool uses_mpc() const { return options_.law == ControlLaw::mpc; }
  bool identifies() const { return options_.knowledge == Knowledge::identified; }

  /// Before the first action drives hold the robot where it is, which the first reading must show.
  void hold_at_rest() {
    Vector tau(model_.nv());
    Fallback(model_, 0.0).torque(robot_.plant(), robot_.q(), robot_.v(), tau);
    (void)robot_.preload(tau);
  }

  /// Of the torques of a period, s, whose computation begins when that of the last is over.
  double lateness(double time) {
    if (!options_.late_actions) return 0.0;
    busy_until_ = std::max(time, busy_until_) + 1e-6 * controller_.act_us();
    return busy_until_ - time;
  }

  bool skips_update() {
    return options_.skipped_updates > 0.0 && uniform(random_) < options_.skipped_updates;
  }

  void inject_faults(double time) {
    const bool late = is_on(options_.faults, TrialFault::Kind::deadline_missed, time);
    controller_.set_deadline(late ? std::optional(0.0) : options_.control.deadline);
    if (is_on(options_.faults, TrialFault::Kind::solver_failed, time)) controller_.fail_next_plan();
  }

  bool drive(double time) {
    const Vector& wanted =
        uses_mpc() ? controller_.act(time, sensors_.time, sensors_.q, sensors_.v)
                   : law_.act(controller_.plant(), supervision_ ? supervision_->way() : reference_,
                              time, sensors_.q, sensors_.v);
    const Vector& tau =
        supervision_ ? supervision_->filter(time, sensors_, wanted, controller_) : wanted;
    for (Eigen::Index i = 0; i < tau.size(); ++i)
      if (!(std::abs(tau(i)) <= model_.effort_limit()(i))) ++result_.torque_breaches;
    if (robot_.write(tau, lateness(time))) return true;
    result_.status = SimulationStatus::torque_not_finite;
    return false;
  }

  Model model_;
  MotionReference reference_;
  const TrialOptions& options_;
  double period_;
  rig::TestRig robot_;
  Schedule changes_;
  TrialSensors sensors_;
  IdentifyingController controller_;
  FeedbackLaw law_;
  TrialResult result_;
  TrialScore score_;
  std::optional<TrialSupervision> supervision_;
  GripMeter grip_{model_};
  Vector q_reference_, v_reference_;
  double busy_until_ = 0.0;                            ///< s
  std::mt19937_64 random_{options_.sensors.seed + 2};  ///< of updates that are skipped
};

TrialResult run_trial(const Model& model, const MotionReference& reference,
                      const TrialOptions& options,
                      const std::function<bool(double share)>& progress) {
  const long steps = require_trial(options);
  messages::require(reference != nullptr, "a trial needs a motion to follow");
  messages::require(model.description().loops.empty() || !options.supervision, "robot '",
                    model.name(),
                    "' closes loops, which the supervisor does not support; leave it out "
                    "(TrialOptions::supervision)");
  Trial trial(model, reference, options);
  return run_periods(trial, steps, progress);
}

}  // namespace ulna::mpc
