#pragma once

#include "mpc/drive_plants.hpp"
#include "mpc/elastic_way.hpp"

namespace ulna::mpc {

/// The controller of the rigid robot on a robot with springs. With the deflection e of the springs along the reference, the motors are
/// at q + e where the links are at q, and beyond what the rigid robot needs, rotors need B e'' + (motor damping) e'. So the rigid controller is
/// given theta - e for q, and that torque is added to its own: where links follow the reference, it sees and drives a rigid robot. Without
/// springs, or where they are stiff, it is the rigid controller itself.
class ElasticController::Rigid final : public ElasticController::Way {
 public:
  Rigid(const Model& model, const ElasticOptions& options)
      : feeds_forward_(options.drives == DriveControl::feedforward),
        plant_(model),
        rigid_(with_plain_drives(model)),
        frictionless_(model),
        controller_(rigid_.model(), options.control),
        motion_(model),
        ws_(model),
        torques_(model),
        here_(model.nv()),
        e_(Vector::Zero(model.nv())) {
    write_rigid(plant_, rigid_);
  }

  void follow(SmoothReference reference) override {
    reference_ = std::move(reference);
    controller_.follow(without_derivatives(rigid_.model(), reference_));
  }

  const Vector& act(double time, const DriveReading& reading) noexcept override {
    const Clock::time_point begin = Clock::now();
    deflect(time);
    q_ = reading.theta - e_, v_ = reading.omega - rate_;
    own_ = controller_.act(time, q_, v_);
    tau_ = own_ + more_;
    const Vector& limit = plant_.model().effort_limit();
    tau_ = tau_.cwiseMin(limit).cwiseMax(-limit);
    act_us = microseconds_from(begin);
    return tau_;
  }

  void update(double time, const DriveReading&) noexcept override {
    controller_.update(time, q_, v_, own_);
    write_links(controller_.plant(), plant_);
    update_us = controller_.update_us(), identify_us = controller_.identify_us();
  }

  void set_plant(const Plant<double>& plant) override {
    plant_ = plant;
    write_rigid(plant, rigid_);
    controller_.set_plant(rigid_);
  }

  ActionKind kind() const override { return controller_.kind(); }
  ActionFault fault() const override { return controller_.fault(); }
  const Plant<double>& plant() const override { return plant_; }
  const identify::OnlineEstimator& estimator() const override { return controller_.estimator(); }
  Payload payload() const override { return controller_.payload(); }

 private:
  /// Of the springs along the reference, and what motors need for it. Without a reference, as before.
  void deflect(double time) noexcept {
    if (!feeds_forward_ || !refer(reference_, time, here_)) return;
    // friction is the rigid controller's affair; that of the motors acts on the deflection, too
    frictionless_ = plant_;
    frictionless_.friction.setZero(), frictionless_.friction_negative.setZero();
    motion_.set(here_.q, here_.v, here_.a, here_.jerk, here_.snap);
    drive_inverse_dynamics<double>(frictionless_, motion_, ws_, torques_);
    for (const int c : plant_.model().drives().elastic) {
      e_(c) = torques_.theta(c) - here_.q(c), rate_(c) = torques_.omega(c) - here_.v(c);
      more_(c) = rotor_at_joint(plant_, c) * (torques_.alpha(c) - here_.a(c)) +
                 motor_damping(c) * rate_(c);
    }
  }
  double motor_damping(int c) const {
    const DriveTrain::Entry& gear = plant_.model().drives().gear_of(c);
    return gear.ratio * gear.ratio * plant_.drives.damping(gear.motor);
  }

  bool feeds_forward_;
  Plant<double> plant_, rigid_, frictionless_;
  IdentifyingController controller_;
  SmoothReference reference_;
  DriveMotion<double> motion_;
  DriveWorkspace<double> ws_;
  DriveTorques<double> torques_;
  SmoothMotion here_;
  Vector e_, rate_ = e_, more_ = e_;              ///< deflection, its rate, and torques for it
  Vector q_ = e_, v_ = e_, own_ = e_, tau_ = e_;  ///< own_: of the rigid controller
};

}  // namespace ulna::mpc
