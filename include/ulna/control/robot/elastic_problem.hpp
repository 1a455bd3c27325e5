#pragma once

#include <memory>

#include "ulna/control/robot/robot_problem.hpp"
#include "ulna/dynamics/drive_dynamics.hpp"

namespace ulna::control {

/// A motion of the links with as many derivatives as motors behind springs need; nv each.
struct SmoothMotion {
  Eigen::VectorXd q, v, a, jerk, snap;

  SmoothMotion() = default;
  explicit SmoothMotion(int nv) : q(Eigen::VectorXd::Zero(nv)), v(q), a(q), jerk(q), snap(q) {}
};

struct ElasticProblemOptions {
  int steps = 10;           ///< the horizon: N steps between N + 1 nodes
  double duration = 0.004;  ///< of each, in seconds
  /// rad/s: how fast errors decay where no limit acts.
  double bandwidth = 40.0;
  /// rad/s, nv: the frequencies that vibrations are damped at. Empty: those of the joints by themselves, sqrt(K (1/M + 1/B)) in the neutral
  /// configuration, or three times the bandwidth where joints are rigid; at most 0.8 a step.
  Eigen::VectorXd vibration = {};
  std::optional<MotionLimits> limits = {};  ///< torques: of the motors, seen at the joints
};

/// How a robot with elastic joints is to move. The state are the links' positions and their first three derivatives, the
/// input the fourth, constant in a step: with springs between motors and links, (q, v, a, jerk) is (q, v, theta, omega) in other
/// coordinates, and every motion that is smooth to the fourth order is one that motors can drive (the links are a flat output
/// [De Luca, Book 2016]). Steps are linear, exact and the same for any stiffness; torques of the motors, by drive_inverse_dynamics, are
/// constraints. The cost are squares of what the input differs by from a linear law,
///
///     snap - snap_r + Σ_k c_k x_k,  of errors x_k of the k-th derivative,   Σ_k c_k s^k + s^4 = (s² + 1.6 b s + b²)(s² + w s + w²)
///
/// with the bandwidth b and the frequency w of a joint's vibration: without limits, errors decay as by that law; w is not changed, as a vibration that
/// is moved to a lower frequency takes the stiffness of the joint with it. Of joints of one coordinate each.
///
/// The derivatives of torques leave out what the first and second derivative in time of the mass matrix and of Coriolis torques contribute;
/// their values are exact, so that limits are kept where the iteration converges.
class ElasticProblem : public StagewiseProblem {
 public:
  explicit ElasticProblem(Plant<double> plant, const ElasticProblemOptions& options = {});
  ~ElasticProblem() override;

  const Model& model() const;
  int steps() const { return stage_count() - 1; }
  double duration() const;
  /// Other parameters of the same robot. Allocates nothing.
  void set_plant(const Plant<double>& plant);
  void set_limits(const MotionLimits& limits);
  const MotionLimits& limits() const;
  /// Torques of the motors beyond those of the plant, at all nodes.
  void set_disturbance(In tau);
  void set_reference(int node, const SmoothMotion& motion);

  /// As a state, from and to the derivatives.
  void state(In q, In v, In a, In jerk, Out x) const;
  /// The snap of an input.
  void snap(In u, Out snap) const;
  /// Along the references.
  Trajectory guess() const;
  /// Torques of the motors, seen at the joints, for a motion of the links; with the disturbance. Allocates nothing.
  void motor_torque(const SmoothMotion& motion, Out tau);

 protected:
  bool evaluate(int k, In x, In u, StageValue& value) override;
  bool linearise(int k, In x, In u, const Vector* next, const Vector* rows, StageValue& value,
                 QpStage& stage) override;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The torques of motors as they are seen at the joints: N' tau. Of uncoupled motors, the ratio times each.
void torque_at_joints(const DriveTrain& train, const Eigen::VectorXd& motor,
                      Eigen::Ref<Eigen::VectorXd> tau);

}  // namespace ulna::control
