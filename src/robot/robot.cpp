#include "ulna/robot/robot.hpp"

#include "ulna/dynamics/coriolis.hpp"
#include "ulna/dynamics/energy.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_mass_matrix.hpp"
#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna {

Robot::Robot(std::string_view name, const ImportOptions& options)
    : Robot(load_robot(name, options)) {}

Robot::Robot(const Model& model) : Robot(Imported{model, Diagnostics()}) {}

Robot::Robot(Imported imported)
    : diagnostics_(std::move(imported.diagnostics)),
      plant_(imported.model),
      ws_(imported.model),
      motion_(imported.model),
      at_(imported.model) {}

std::vector<ExternalWrench<double>> Robot::resolve(const Wrenches& wrenches) const {
  std::vector<ExternalWrench<double>> resolved;
  for (const FrameWrench& w : wrenches)
    resolved.push_back({&model().frame(w.frame), w.wrench, w.axes});
  return resolved;
}

Eigen::VectorXd Robot::inverse_dynamics(const Vector& q, const Vector& v, const Vector& a,
                                        const Wrenches& wrenches) {
  Vector tau(nv());
  ulna::inverse_dynamics<double>(plant_, motion(q, v, a), ws_, tau,
                                 ExternalWrenches<double>(resolve(wrenches)));
  return tau;
}

Eigen::VectorXd Robot::forward_dynamics(const Vector& q, const Vector& v, const Vector& tau,
                                        const Wrenches& wrenches) {
  Vector a(nv());
  if (!ulna::forward_dynamics<double>(plant_, at(q, v), tau, ws_, a, resolve(wrenches)))
    throw std::domain_error("forward dynamics of robot '" + model().name() +
                            "': the mass matrix is not positive definite; " +
                            why_indefinite(plant_));
  return a;
}

Eigen::VectorXd Robot::gravity_torque(const Vector& q) {
  Vector tau(nv());
  ulna::gravity_torque<double>(plant_, motion(q), ws_, tau);
  return tau;
}

Eigen::VectorXd Robot::bias_torque(const Vector& q, const Vector& v) {
  Vector tau(nv());
  ulna::bias_torque<double>(plant_, motion(q, v), ws_, tau);
  return tau;
}

Eigen::MatrixXd Robot::mass_matrix(const Vector& q) {
  Matrix M(nv(), nv());
  ulna::mass_matrix<double>(plant_, at(q), ws_, M);
  return M;
}

Eigen::MatrixXd Robot::inverse_mass_matrix(const Vector& q) {
  Matrix M_inverse(nv(), nv());
  if (!ulna::inverse_mass_matrix<double>(plant_, at(q), ws_, M_inverse))
    throw std::domain_error("robot '" + model().name() +
                            "': the mass matrix is not positive definite; " +
                            why_indefinite(plant_));
  return M_inverse;
}

Eigen::MatrixXd Robot::coriolis_matrix(const Vector& q, const Vector& v) {
  Matrix C(nv(), nv());
  ulna::coriolis_matrix<double>(plant_, at(q, v), ws_, C);
  return C;
}

Transform<double> Robot::pose(const Vector& q, std::string_view frame) {
  return at(q).pose(model().frame(frame));
}

Twist<double> Robot::velocity(const Vector& q, const Vector& v, std::string_view frame, Axes axes) {
  return frame_velocity(at(q, v), model().frame(frame), axes);
}

Twist<double> Robot::acceleration(const Vector& q, const Vector& v, const Vector& a,
                                  std::string_view frame, Axes axes) {
  return frame_acceleration(at(q, v, a), model().frame(frame), axes);
}

Eigen::MatrixXd Robot::jacobian(const Vector& q, std::string_view frame, Axes axes) {
  Matrix J(6, nv());
  frame_jacobian<double>(at(q), model().frame(frame), axes, J);
  return J;
}

IkResult Robot::inverse_kinematics(std::string_view frame, const Transform<double>& target,
                                   const Vector& start, const IkOptions& options) {
  return ulna::inverse_kinematics(model(), model().frame(frame), target, start, options);
}

double Robot::kinetic_energy(const Vector& q, const Vector& v) {
  return ulna::kinetic_energy<double>(plant_, at(q, v), ws_);
}
double Robot::potential_energy(const Vector& q) {
  return ulna::potential_energy<double>(plant_, at(q), ws_);
}
Vec3<double> Robot::center_of_mass(const Vector& q) {
  return ulna::center_of_mass<double>(plant_, at(q), ws_);
}
Eigen::MatrixXd Robot::centroidal_momentum_matrix(const Vector& q) {
  Matrix A(6, nv());
  ulna::centroidal_momentum_matrix<double>(plant_, at(q), ws_, A);
  return A;
}

Eigen::VectorXd gravity_torque(const Model& model, const Eigen::VectorXd& q) {
  return Robot(model).gravity_torque(q);
}

}  // namespace ulna
