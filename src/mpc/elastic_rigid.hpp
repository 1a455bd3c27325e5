#pragma once

#include "mpc/drive_plants.hpp"
#include "mpc/elastic_way.hpp"
#include "ulna/dynamics/motor_limits.hpp"
#include "ulna/dynamics/motor_loads.hpp"
#include "ulna/model/builder.hpp"

namespace ulna::mpc {

/// The controller of the rigid robot, whose motors are not coupled, on a robot with springs or coupled motors. With the deflection e of the
/// springs along the reference, the motors are at q + e where the links are at q, and rotors need more than the rigid robot has it: of elastic
/// joints B e'' + (motor damping) e', of coupled motors what the others' joints contribute, N'(J φ'' + friction(φ')) less what the rigid robot
/// has of it. So the rigid controller is given theta - e for q, and that torque is added to its own: where links follow the reference, it sees and
/// drives a rigid robot. Without springs and coupled motors, or where springs are stiff, it is the rigid controller itself.
class ElasticController::Rigid final : public ElasticController::Way {
 public:
  Rigid(const Model& model, const ElasticOptions& options)
      : feeds_forward_(options.drives == DriveControl::feedforward),
        plant_(model),
        rigid_(rigid_model(model, feeds_forward_)),
        frictionless_(model),
        controller_(rigid_.model(), rigid_options(model, options.control, feeds_forward_)),
        motion_(model),
        ws_(model),
        torques_(model),
        here_(model.nv()),
        limits_(model),
        e_(Vector::Zero(model.nv())) {
    set_rigid();
    if (!plans_motors(model, feeds_forward_)) return;
    control::MotionLimits of_motors = controller_.limits();
    if (!options.control.problem.limits) of_motors.torque = limits_.limit();
    controller_.set_limits(of_motors);
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
    // what motors cannot do, the rigid robot was not given either
    if (limits_.clip(tau_) > 0) own_ = tau_ - more_, controller_.sent(own_);
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
    set_rigid();
    controller_.set_plant(rigid_);
  }

  ActionKind kind() const override { return controller_.kind(); }
  ActionFault fault() const override { return controller_.fault(); }
  const Plant<double>& plant() const override { return plant_; }
  const identify::OnlineEstimator& estimator() const override { return controller_.estimator(); }
  Payload payload() override { return controller_.payload(); }

 private:
  /// Of the springs along the reference, and what motors need for it. Without a reference, as before.
  void deflect(double time) noexcept {
    if (!feeds_forward_ || !refer(reference_, time, here_)) return;
    // friction is the rigid controller's affair; that of the motors acts on the deflection, too
    frictionless_ = plant_;
    frictionless_.friction.setZero(), frictionless_.friction_negative.setZero();
    motion_.set(here_.q, here_.v, here_.a, here_.jerk, here_.snap);
    drive_inverse_dynamics<double>(frictionless_, motion_, ws_, torques_);
    const DriveTrain& train = plant_.model().drives();
    for (const int c : train.elastic)
      e_(c) = torques_.theta(c) - here_.q(c), rate_(c) = torques_.omega(c) - here_.v(c);
    // what separate motors need for themselves, less what the rigid robot has of it
    const DriveParameters<double>& d = plant_.drives;
    more_ = (plant_.armature - rigid_.armature).cwiseProduct(here_.a) +
            (plant_.damping - rigid_.damping).cwiseProduct(here_.v);
    for (const int c : train.elastic) more_(c) += d.rotor(c) * torques_.alpha(c);
    motors_.add(
        d, torques_.omega, torques_.alpha,
        [&](int m, double rate) { return d.damping(m) * rate + coupled_friction(m, rate); }, more_);
  }
  /// Dry friction of motors that move several joints, by the way in which the reference turns them; near rest in proportion.
  double coupled_friction(int motor, double rate) const noexcept {
    const double ratio = own_ratio_[std::size_t(motor)];
    if (ratio == 0.0) return 0.0;
    const DriveParameters<double>& d = plant_.drives;
    const double share = std::clamp(rate / (ratio * slow), -1.0, 1.0);
    return share * (share > 0.0 ? d.friction : d.friction_negative)(motor);
  }
  static constexpr double slow = 0.02;  ///< rad/s, through a motor's own gear

  /// Without the dry friction of coupled motors, if that is fed forward, and with what motors together can exert on each joint: the plan has
  /// the limits of the motors.
  static Model rigid_model(const Model& model, bool feeds_forward) {
    if (model.drives().diagonal || !feeds_forward) return with_plain_drives(model);
    Description d = model.description();
    for (MotorDescription& m : d.motors)
      if (m.gears.size() > 1) m.friction = m.friction_negative = 0.0;
    const Vector most = ulna::detail::MotorLimits(model).together();
    for (int b = 1; plans_motors(model, feeds_forward) && b < model.body_count(); ++b)
      if (const Joint& j = model.joint(b); !j.mimics && velocity_size(j.type) == 1)
        std::ranges::find(d.joints, model.joint_name(b), &JointDescription::name)->limits.effort =
            most(j.v);
    return with_plain_drives(Builder(std::move(d)).build());
  }
  static ControllerOptions rigid_options(const Model& model, ControllerOptions options,
                                         bool feeds_forward) {
    if (plans_motors(model, feeds_forward))
      options.problem.motors = ulna::detail::MotorLimits(model).matrix();
    return options;
  }
  static bool plans_motors(const Model& model, bool feeds_forward) {
    return feeds_forward && !model.drives().diagonal && model.description().loops.empty();
  }
  void set_rigid() {
    write_rigid(plant_, rigid_,
                feeds_forward_ ? CoupledFriction::left_out : CoupledFriction::at_own_joint);
  }
  /// Of motors that move several joints, the size of the ratio of their own gear; 0 of others.
  static std::vector<double> own_ratios(const DriveTrain& train) {
    std::vector<double> ratios(train.motor_names.size(), 0.0);
    for (const auto& [motor, c, ratio] : train.separate_gears)
      if (motor == c && std::ranges::count(train.gears, motor, &DriveTrain::Entry::motor) > 1)
        ratios[std::size_t(motor)] = std::abs(ratio);
    return ratios;
  }

  bool feeds_forward_;
  Plant<double> plant_, rigid_, frictionless_;
  IdentifyingController controller_;
  SmoothReference reference_;
  DriveMotion<double> motion_;
  DriveWorkspace<double> ws_;
  DriveTorques<double> torques_;
  SmoothMotion here_;
  ulna::detail::MotorLimits limits_;
  ulna::detail::MotorLoads motors_{plant_.model()};
  std::vector<double> own_ratio_ = own_ratios(plant_.model().drives());
  Vector e_, rate_ = e_,
             more_ = e_;  ///< deflection, its rate, and torques beyond the rigid robot's
  Vector q_ = e_, v_ = e_, own_ = e_, tau_ = e_;  ///< own_: of the rigid controller
};

}  // namespace ulna::mpc
