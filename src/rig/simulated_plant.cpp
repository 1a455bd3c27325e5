#include <algorithm>
#include <cmath>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/inverse_mass_matrix.hpp"
#include "ulna/rig/test_plant.hpp"

namespace ulna::rig {
namespace {

using Vector = Eigen::VectorXd;

class SimulatedPlant final : public TestPlant {
 public:
  SimulatedPlant(const Model& model, const SimulationOptions& options)
      : torque_limits_(options.torque_limits),
        robot_(model, for_all_torques(options)),
        usual_(robot_.plant),
        frictionless_(model),
        motion_(model),
        at_(model),
        ws_(model),
        mobility_(Eigen::MatrixXd::Zero(model.nv(), model.nv())),
        drive_(Vector::Zero(model.nv())),
        elastic_(!model.drives().elastic.empty()) {
    if (elastic_) theta_ = omega_ = drive_;
  }

  void set_state(const Vector& q, const Vector& v) override {
    robot_.set_state(q, v);
    drive_.setZero(), load_.setZero();
    loaded_ = false;
    look_at_motors();
  }

  SimulationStatus hold(In<double> tau) noexcept override {
    if (tau.size() != drive_.size()) return SimulationStatus::bad_argument;
    if (!tau.allFinite()) return SimulationStatus::torque_not_finite;
    drive_ = tau;
    if (torque_limits_) {
      const Vector& limit = robot_.model().effort_limit();
      drive_ = drive_.cwiseMin(limit).cwiseMax(-limit);
    }
    return hold_all();
  }

  void load(const Vector& tau) noexcept override {
    load_ = tau, loaded_ = true;
    (void)hold_all();
  }

  void set_dry_friction(const Vector& positive, const Vector& negative) noexcept override {
    robot_.plant.friction = positive, robot_.plant.friction_negative = negative;
    (void)hold_all();  // accelerations are other ones now
  }

  SimulationStatus step(double h) noexcept override {
    const int pieces = stable_pieces(h);
    SimulationStatus status = SimulationStatus::moved;
    for (int k = 0; k < pieces && status == SimulationStatus::moved; ++k)
      status = robot_.step(h / pieces);
    look_at_motors();
    return status;
  }

  void change(const std::function<void(Plant<double>&)>& edit) override {
    robot_.plant.friction = usual_.friction;
    robot_.plant.friction_negative = usual_.friction_negative;
    robot_.change(edit);
    usual_ = robot_.plant;
  }

  double time() const noexcept override { return robot_.time(); }
  const Vector& q() const noexcept override { return robot_.q(); }
  const Vector& v() const noexcept override { return robot_.v(); }
  const Vector& tau() const noexcept override { return drive_; }
  const Vector& acceleration() noexcept override { return robot_.acceleration(); }
  const Plant<double>& plant() const noexcept override { return usual_; }
  const Vector& theta() const noexcept override { return theta_; }
  const Vector& omega() const noexcept override { return omega_; }
  const Vector& spring_torque() noexcept override {
    return elastic_ ? robot_.link_torque() : theta_;
  }

  /// What the motion needs beyond the torques that act.
  const Vector& friction_torque() noexcept override {
    frictionless_ = robot_.plant;
    frictionless_.friction.setZero(), frictionless_.friction_negative.setZero();
    motion_.set(robot_.q(), robot_.v(), robot_.acceleration());
    inverse_dynamics<double>(frictionless_, motion_, ws_, friction_);
    friction_ -= elastic_ ? robot_.link_torque() : robot_.tau();
    return friction_;
  }

 private:
  /// Only the drives' torques have limits, and those are seen to here.
  static SimulationOptions for_all_torques(SimulationOptions options) {
    options.torque_limits = false;
    return options;
  }

  /// Explicit steps are stable only where they are shorter than damping takes to stop a joint, which of a light joint is
  /// less than the substep: the fastest decay is the largest eigenvalue of M^-1 D, at most its trace.
  int stable_pieces(double h) noexcept {
    constexpr double decay =
        1.0;  // within a piece; explicit methods of order 2 to 4 are stable up to 2
    constexpr double most = 1000.0;
    const Vector& damping = robot_.plant.damping;
    if (!(damping.maxCoeff() > 0.0) || !(h > 0.0)) return 1;
    at_.set(robot_.q());
    if (!inverse_mass_matrix<double>(robot_.plant, at_, ws_, mobility_)) return 1;
    const double pieces = std::ceil(h / decay * mobility_.diagonal().dot(damping));
    return pieces > 1.0 ? int(std::min(pieces, most)) : 1;
  }

  /// Of rigid joints, q and v.
  void look_at_motors() noexcept {
    if (!elastic_) return;
    theta_ = robot_.q(), omega_ = robot_.v();
    for (const int c : robot_.model().drives().elastic)
      theta_(c) = robot_.theta()(c), omega_(c) = robot_.omega()(c);
  }

  SimulationStatus hold_all() noexcept {
    if (!loaded_) return robot_.hold(drive_);
    sum_ = drive_ + load_;
    return robot_.hold(sum_);
  }

  bool torque_limits_, loaded_ = false;
  Simulation robot_;
  Plant<double> usual_;  ///< with the friction that set_dry_friction replaces
  Plant<double> frictionless_;
  Motion<double> motion_;
  Kinematics<double> at_;
  Workspace<double> ws_;
  Eigen::MatrixXd mobility_;  ///< M^-1
  Vector drive_, load_ = drive_, sum_ = drive_, friction_ = drive_;
  bool elastic_;
  Vector theta_, omega_;  ///< of the motors; empty without springs
};

}  // namespace

const char* to_string(PlantKind kind) { return kind == PlantKind::ulna ? "ulna" : "mujoco"; }

std::unique_ptr<TestPlant> make_simulated_plant(const Model& model,
                                                const SimulationOptions& options) {
  return std::make_unique<SimulatedPlant>(model, options);
}

}  // namespace ulna::rig
