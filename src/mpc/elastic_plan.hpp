#pragma once

#include "mpc/drive_plants.hpp"
#include "mpc/elastic_way.hpp"
#include "mpc/fallback.hpp"
#include "mpc/planner.hpp"
#include "mpc/plant_estimator.hpp"
#include "mpc/state_observer.hpp"
#include "ulna/dynamics/spring_force.hpp"

#include <Eigen/Cholesky>

namespace ulna::mpc {

/// Plans for links and motors by control::ElasticProblem. Links are driven by springs, whose torques are measured: an observer of the
/// links under them estimates their state and what the model does not explain, and identification their parameters. Accelerations and jerks
/// follow from the torques of the springs and their rates; of joints whose links vibrate faster than control can follow, they are those that
/// were planned. What motors need beyond their inertia is observed, too.
class ElasticController::Plan final : public ElasticController::Way {
 public:
  Plan(const Model& model, const ElasticOptions& options)
      : options_(options.control),
        period_(1.0 / options_.rate_hz),
        plant_(model),
        links_(model),
        frictionless_(model),
        problem_(links_, problem_options(model, options)),
        sqp_(problem_),
        observer_(model, period_, options_.disturbance_rate * scale_of(links_).torque),
        estimator_(links_, estimator_options(model, options_)),
        fallback_(model, options_.safe_damping),
        dynamics_(model),
        M_(model.nv(), model.nv()),
        motion_(model),
        drive_ws_(model),
        torques_(model),
        now_(model.nv()),
        here_(model.nv()),
        x_(Vector::Zero(4 * model.nv())),
        tau_(Vector::Zero(model.nv())),
        soft_(soft_joints(links_, period_)),
        trust_(1.0 - std::exp(-period_ * state_rate)) {
    tell_problem();
  }

  void follow(SmoothReference reference) override { reference_ = std::move(reference); }

  const Vector& act(double time, const DriveReading& reading) noexcept override {
    const Clock::time_point begin = Clock::now();
    fault_ = ActionFault::none;
    const bool measured = is_measured(reading);
    if (!measured) fault_ = ActionFault::not_measured;
    observe(reading, measured);
    unread_ = measured ? 0.0 : unread_ + period_;
    bool planned = false;
    if (observer_.started() && unread_ <= options_.patience) {
      locate(reading, measured);
      planned = plan(time);
    }
    planned = planned && refer(reference_, time, here_);
    kind_ = planned ? ActionKind::planned : ActionKind::safe;
    if (planned) {
      // what is planned beyond the reference of a node is added to that of now
      problem_.snap(sqp_.trajectory.u[0], now_.snap);
      now_.snap += here_.snap - first_.snap;
      problem_.motor_torque(now_, tau_);
      integrate_plan();
    } else {
      tau_.setZero();
      if (observer_.started()) fallback_.torque(links_, now_.q, now_.v, tau_);
    }
    const Vector& limit = plant_.model().effort_limit();
    tau_ = tau_.array().isFinite().select(tau_, 0.0).cwiseMin(limit).cwiseMax(-limit);
    act_us = microseconds_from(begin);
    return tau_;
  }

  void update(double time, const DriveReading& reading) noexcept override {
    const Clock::time_point begin = Clock::now();
    if (options_.identify && fault_ != ActionFault::not_measured) {
      estimator_.sample(reading.q, reading.v, reading.tau);
      learn();
    }
    identify_us = microseconds_from(begin);
    prepared_ = begun_ && set_references(time + period_) && sqp_.prepare();
    update_us = microseconds_from(begin);
  }

  void set_plant(const Plant<double>& plant) override {
    plant_ = plant;
    links_ = plant;
    tell_problem();
  }

  ActionKind kind() const override { return kind_; }
  ActionFault fault() const override { return fault_; }
  const Plant<double>& plant() const override { return plant_; }
  const identify::OnlineEstimator& estimator() const override { return estimator_.online(); }
  Payload payload() override { return estimator_.payload(); }

 private:
  /// rad a period, of a link on its spring: faster ones are taken as rigid.
  static constexpr double slow_enough = 0.15;

  static std::vector<bool> soft_joints(const Plant<double>& plant, double period) {
    const Vector inertia = scale_of(plant).inertia;
    std::vector<bool> soft(std::size_t(inertia.size()), false);
    for (const int c : plant.model().drives().elastic)
      soft[std::size_t(c)] =
          period * std::sqrt(plant.drives.stiffness(c) / inertia(c)) < slow_enough;
    return soft;
  }

  static control::ElasticProblemOptions problem_options(const Model& model,
                                                        const ElasticOptions& options) {
    control::ElasticProblemOptions o{.bandwidth = options.bandwidth};
    const Plant<double> plant(model);
    const Vector inertia = scale_of(plant).inertia;
    const std::vector<bool> soft = soft_joints(plant, 1.0 / options.control.rate_hz);
    o.vibration = Vector::Constant(model.nv(), 3.0 * options.bandwidth);
    for (const int c : model.drives().elastic)
      if (soft[std::size_t(c)])
        o.vibration(c) =
            std::sqrt(plant.drives.stiffness(c) *
                      (1.0 / inertia(c) + 1.0 / ulna::detail::rotor_inertia(plant, c)));
    o.limits = options.control.problem.limits;
    if (!o.limits) {
      control::MotionLimits& limits = o.limits.emplace(model);
      limits.price = limits.price_squared = 1e3;
    }
    return o;
  }
  /// Torques of springs contain no rotors.
  static ControllerOptions estimator_options(const Model& model, ControllerOptions options) {
    if (options.torque_noise.size() == 0)
      options.torque_noise = 0.005 * scale_of(Plant<double>(model)).torque;
    if (!options.features && std::ssize(model.drives().elastic) == model.nv())
      options.features = {identify::Feature::viscous, identify::Feature::coulomb};
    return options;
  }

  bool is_measured(const DriveReading& r) const {
    for (const Vector* x : {&r.q, &r.v, &r.theta, &r.omega, &r.tau})
      if (x->size() != tau_.size() || !is_plausible(*x)) return false;
    return true;
  }

  /// The links under the torques of the springs, and the motors under those that were sent.
  void observe(const DriveReading& reading, bool measured) {
    if (!measured) {
      if (observer_.started()) (void)observer_.predict(links_, spring_);
      return;
    }
    if (!observer_.started()) {
      observer_.start(reading.q, reading.v);
      now_.a.setZero(), now_.jerk.setZero(), load_.setZero();
    } else {
      mean_ = 0.5 * (spring_ + reading.tau);
      frictionless_ = links_;
      remove_dry_friction(frictionless_);
      if (observer_.predict(frictionless_, mean_) && observer_.is_near(reading.q))
        observer_.correct(reading.q, reading.v);
      else
        observer_.start(reading.q, reading.v);
      observe_motors(reading);
    }
    spring_ = reading.tau, omega_ = reading.omega;
  }

  /// B alpha = tau - s - load: what motors resist with beyond their inertia.
  void observe_motors(const DriveReading& reading) {
    const double share = 1.0 - std::exp(-period_ * load_rate);
    for (const int c : plant_.model().drives().elastic) {
      const double alpha = (reading.omega(c) - omega_(c)) / period_;
      const double load = tau_(c) - mean_(c) - ulna::detail::rotor_inertia(plant_, c) * alpha;
      load_(c) += share * (load - load_(c));
    }
  }
  static constexpr double load_rate = 100.0, state_rate = 300.0;  ///< 1/s

  /// The state of the plan: accelerations by the springs' torques, jerks by their rates.
  void locate(const DriveReading& reading, bool measured) {
    now_.q = observer_.q(), now_.v = observer_.v();
    if (!measured) return;
    needed_ = spring_ - observer_.disturbance();
    if (!dynamics_.forward(frictionless_, now_.q, now_.v, needed_, a_, M_)) return;
    for (const int c : plant_.model().drives().elastic)
      if (soft_[std::size_t(c)]) now_.a(c) += trust_ * (a_(c) - now_.a(c));
    // M jerk = ds/dt - what torques change by without it
    jerk_.setZero();
    motion_.set(now_.q, now_.v, now_.a, jerk_, jerk_);
    drive_inverse_dynamics<double>(frictionless_, motion_, drive_ws_, torques_);
    const DriveParameters<double>& d = plant_.drives;
    for (int c = 0; c < jerk_.size(); ++c) {
      if (!soft_[std::size_t(c)]) continue;
      const double e = reading.theta(c) - now_.q(c), rate = reading.omega(c) - now_.v(c),
                   alpha =
                       (tau_(c) - spring_(c) - load_(c)) / ulna::detail::rotor_inertia(plant_, c);
      jerk_(c) = ulna::detail::spring_slope<double>(d, c, e) * rate +
                 d.spring_damping(c) * (alpha - now_.a(c)) - torques_.link_rate(c);
    }
    keep_planned_jerks();
    Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(M_);
    factor.solveInPlace(jerk_);
    if (jerk_.allFinite()) now_.jerk += trust_ * (jerk_ - now_.jerk);
  }

  /// Joints that are not soft keep theirs: their rows and columns of M jerk = rate are those of jerk = planned.
  void keep_planned_jerks() {
    for (Eigen::Index i = 0; i < jerk_.size(); ++i) {
      if (soft_[std::size_t(i)]) continue;
      for (Eigen::Index k = 0; k < jerk_.size(); ++k) {
        if (soft_[std::size_t(k)]) jerk_(k) -= M_(k, i) * now_.jerk(i);
        M_(i, k) = M_(k, i) = 0.0;
      }
      M_(i, i) = 1.0, jerk_(i) = now_.jerk(i);
    }
  }

  bool set_references(double time) noexcept {
    // within a step the snap of its middle counts
    const double h = problem_.duration();
    for (int k = 0; k <= problem_.steps(); ++k) {
      if (!refer(reference_, time + (k + 0.5) * h, here_)) return false;
      mean_ = here_.snap;
      if (!refer(reference_, time + k * h, here_)) return false;
      here_.snap = mean_;
      if (k == 0) first_ = here_;
      problem_.set_reference(k, here_);
    }
    return true;
  }

  bool plan(double time) noexcept {
    if (!prepared_ && !set_references(time)) {
      fault_ = ActionFault::no_reference;
      return false;
    }
    needed_ = load_;
    if (options_.observe_disturbance) needed_ += observer_.disturbance();
    problem_.set_disturbance(needed_);
    problem_.state(now_.q, now_.v, now_.a, now_.jerk, x_);
    const control::SqpReport* report = nullptr;
    if (!begun_) {
      sqp_.trajectory = problem_.guess();
      report = &sqp_.solve(x_);
    } else if (!prepared_ && !sqp_.prepare()) {
      fault_ = ActionFault::not_prepared;
      return false;
    } else {
      report = &sqp_.feedback(x_);
    }
    prepared_ = false;
    using enum control::SqpStatus;
    begun_ =
        (report->status == solved || report->status == limited) && sqp_.trajectory.u[0].allFinite();
    if (!begun_) fault_ = ActionFault::not_solved;
    return begun_;
  }

  /// Accelerations and jerks go on as planned, until they are measured.
  void integrate_plan() {
    now_.a += period_ * now_.jerk + 0.5 * period_ * period_ * now_.snap;
    now_.jerk += period_ * now_.snap;
  }

  void learn() {
    dynamics_.inverse(links_, now_.q, now_.v, now_.a, mean_);
    if (!estimator_.update(links_)) return;
    dynamics_.inverse(links_, now_.q, now_.v, now_.a, needed_);
    mean_ -= needed_;
    // what the plant explains now is not unexplained any more
    if (mean_.allFinite()) observer_.shift(mean_);
    write_links(links_, plant_);
    tell_problem();
  }
  void tell_problem() {
    frictionless_ = plant_;
    frictionless_.remove_friction();
    frictionless_.damping = links_.damping;
    problem_.set_plant(frictionless_);
    frictionless_ = links_;
    remove_dry_friction(frictionless_);
  }

  ControllerOptions options_;
  double period_;
  Plant<double> plant_, links_, frictionless_;
  control::ElasticProblem problem_;
  control::Sqp sqp_;
  StateObserver observer_;
  PlantEstimator estimator_;
  Fallback fallback_;
  DrivenDynamics dynamics_;
  Eigen::MatrixXd M_;
  DriveMotion<double> motion_;
  DriveWorkspace<double> drive_ws_;
  DriveTorques<double> torques_;
  SmoothReference reference_;
  SmoothMotion now_, here_, first_ = now_;  ///< first_: the reference of the first node
  Vector x_, tau_, spring_ = tau_, omega_ = tau_, mean_ = tau_, needed_ = tau_, a_ = tau_,
                   jerk_ = tau_;
  Vector load_ = tau_;  ///< of the motors, beyond inertia and springs
  std::vector<bool> soft_;
  double trust_;  ///< in a measurement of accelerations and jerks, against what was planned
  ActionKind kind_ = ActionKind::safe;
  ActionFault fault_ = ActionFault::none;
  bool begun_ = false, prepared_ = false;
  double unread_ = 0.0;  ///< s since a reading was
};

}  // namespace ulna::mpc
