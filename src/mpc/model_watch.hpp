#pragma once

#include <algorithm>

#include "mpc/friction_compensator.hpp"
#include "mpc/state_observer.hpp"

namespace ulna::mpc {

/// What other parameters than those in use would have predicted of the next reading: an observer with these, which sees the same torques
/// and readings as the controller's own.
class ShadowObserver {
 public:
  using Vector = Eigen::VectorXd;
  using In = const Eigen::Ref<const Vector>&;

  ShadowObserver(const Plant<double>& plant, double period, const Vector& rate)
      : dry_(plant.friction),
        dry_negative_(plant.friction_negative),
        frictionless_(without_dry_friction(plant)),
        friction_(plant.model()),
        observer_(plant.model(), period, rate),
        torque_(Vector::Zero(plant.model().nv())) {}
  void set(const Plant<double>& plant) {
    dry_ = plant.friction, dry_negative_ = plant.friction_negative;
    frictionless_ = plant;
    remove_dry_friction(frictionless_);
  }

  /// Begins where the controller's own observer is.
  void start(const StateObserver& other) { observer_.take_over(other); }

  /// A period goes by under torques of the drives, in which a velocity was planned. False: the plant cannot move so.
  bool predict(In exerted, In planned_velocity) {
    friction_.set_dry(dry_, dry_negative_, planned_velocity);
    torque_ = exerted - friction_.dry();
    return observer_.predict(frictionless_, torque_);
  }
  bool is_near(In q, int late) const { return observer_.is_near(q, late); }
  void correct(In q, In v, int late) { observer_.correct(q, v, late); }

  const StateObserver& observer() const { return observer_; }
  /// Of all joints.
  double surprise() const { return observer_.surprise().sum(); }

 private:
  Vector dry_, dry_negative_;
  Plant<double> frictionless_;
  FrictionCompensator friction_;
  StateObserver observer_;
  Vector torque_;
};

/// Watches whether the robot moves from period to period as the parameters in use predict, or rather as those of its model do, which
/// is what offset-free MPC would have. What is identified from slow motion may be wrong for fast ones, as a lag of drives that is none or an
/// inertia that is too large. Then the loop begins to oscillate, and the model predicts readings better, within
/// milliseconds: a cumulative sum of what the squares of the errors differ by [Page 1954], with drives that lag as was found and without.
class ModelWatch {
 public:
  using Vector = Eigen::VectorXd;
  using In = const Eigen::Ref<const Vector>&;

  ModelWatch(const Plant<double>& plant, double period, const Vector& rate)
      : plain_{{plant, period, rate}},
        lagging_{{plant, period, rate}},
        usual_(usual * double(plant.model().nv())),
        share_(std::min(1.0, period / memory)) {}

  void start(const StateObserver& other) {
    for (Model* each : {&plain_, &lagging_}) each->start(other);
  }

  /// A period goes by under torques that were sent, and those that drives exerted as far as their lag is known. False: the model
  /// cannot move so.
  bool predict(In sent, In exerted, In planned_velocity) {
    return plain_.shadow.predict(sent, planned_velocity) &&
           lagging_.shadow.predict(exerted, planned_velocity);
  }
  bool is_near(In q, int late) const {
    return plain_.shadow.is_near(q, late) && lagging_.shadow.is_near(q, late);
  }
  /// With a reading that the controller's own observer was corrected with too.
  void correct(In q, In v, int late, const StateObserver& own) {
    const double surprise = own.surprise().sum();
    for (Model* each : {&plain_, &lagging_}) {
      each->shadow.correct(q, v, late);
      const double errors = each->shadow.surprise();
      each->add((surprise - model_counts * errors - usual_) / many);
      each->errors += share_ * (errors - each->errors);
    }
  }
  void set_model(const Plant<double>& plant) {
    plain_.shadow.set(plant), lagging_.shadow.set(plant);
  }

  bool prefers_model() const { return better().sum > 1.0; }
  /// Whether it is rather the model of drives without lag.
  bool prefers_no_lag() const { return &better() == &plain_; }
  const StateObserver& observer() const { return better().shadow.observer(); }

 private:
  struct Model {
    ShadowObserver shadow;
    double sum = 0.0;     ///< cumulative, of what those in use are worse
    double errors = 0.0;  ///< squares of the last moments

    void start(const StateObserver& other) { shadow.start(other), sum = errors = 0.0; }
    void add(double worse) { sum = std::max(0.0, sum + std::clamp(worse, -1.0, at_once)); }
  };
  const Model& better() const { return plain_.errors <= lagging_.errors ? plain_ : lagging_; }

  /// Errors of the model count more often, so that parameters that are about as good stay in use; those up to `usual`, of a joint, are noise,
  /// `many` too much are enough, and no reading alone is.
  static constexpr double model_counts = 2.0, usual = 10.0, many = 300.0, at_once = 0.2;
  static constexpr double memory = 0.02;  // s

  Model plain_, lagging_;
  double usual_, share_;
};

}  // namespace ulna::mpc
