#pragma once

#include "ulna/dynamics/inverse_kinematics.hpp"
#include "ulna/dynamics/workspace.hpp"
#include "ulna/io/import.hpp"

namespace ulna {

/// The easy way in: every result is returned.
///
///     Robot robot("panda.urdf");
///     Eigen::VectorXd tau = robot.inverse_dynamics(q, v, a);
///
/// Results are new vectors and matrices, and every argument is checked. In control loops, where
/// nothing may allocate, use the functions of ulna/dynamics beneath; they are what this calls. One
/// Robot serves one thread; copies are independent.
class Robot {
 public:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;
  /// Wrenches on the robot at frames: {{"tool", {moment, force}}}, world axes at the frame's origin.
  struct FrameWrench {
    std::string frame;
    Wrench<double> wrench;
    Axes axes = Axes::aligned;
  };
  using Wrenches = std::vector<FrameWrench>;

  /// A file, or an embedded robot by name. Throws ModelError.
  explicit Robot(std::string_view name, const ImportOptions& options = {});
  explicit Robot(const Model& model);

  const Model& model() const { return plant_.model(); }
  /// The importer's notes and warnings.
  const Diagnostics& diagnostics() const { return diagnostics_; }
  /// The parameters: to be replaced, or rid of friction.
  Plant<double>& plant() { return plant_; }
  const Plant<double>& plant() const { return plant_; }

  int nq() const { return model().nq(); }
  int nv() const { return model().nv(); }

  Vector inverse_dynamics(const Vector& q, const Vector& v, const Vector& a,
                          const Wrenches& wrenches = {});
  /// Throws std::domain_error if a joint moves nothing that has inertia.
  Vector forward_dynamics(const Vector& q, const Vector& v, const Vector& tau,
                          const Wrenches& wrenches = {});
  Vector gravity_torque(const Vector& q);
  Vector bias_torque(const Vector& q, const Vector& v);
  Matrix mass_matrix(const Vector& q);
  Matrix inverse_mass_matrix(const Vector& q);
  Matrix coriolis_matrix(const Vector& q, const Vector& v);

  Transform<double> pose(const Vector& q, std::string_view frame);
  Twist<double> velocity(const Vector& q, const Vector& v, std::string_view frame,
                         Axes axes = Axes::aligned);
  Twist<double> acceleration(const Vector& q, const Vector& v, const Vector& a,
                             std::string_view frame, Axes axes = Axes::aligned);
  /// 6 x nv, angular rows first.
  Matrix jacobian(const Vector& q, std::string_view frame, Axes axes = Axes::aligned);
  IkResult inverse_kinematics(std::string_view frame, const Transform<double>& target,
                              const Vector& start, const IkOptions& options = {});

  double kinetic_energy(const Vector& q, const Vector& v);
  double potential_energy(const Vector& q);
  Vec3<double> center_of_mass(const Vector& q);
  Matrix centroidal_momentum_matrix(const Vector& q);

 private:
  explicit Robot(Imported imported);
  const Motion<double>& motion(const auto&... q_v_a) { return motion_.set(q_v_a...), motion_; }
  const Kinematics<double>& at(const auto&... q_v_a) { return at_.set(q_v_a...), at_; }
  std::vector<ExternalWrench<double>> resolve(const Wrenches& wrenches) const;

  Diagnostics diagnostics_;
  Plant<double> plant_;
  Workspace<double> ws_;
  Motion<double> motion_;
  Kinematics<double> at_;
};

/// The torques that hold a robot still at q.
Eigen::VectorXd gravity_torque(const Model& model, const Eigen::VectorXd& q);

}  // namespace ulna
