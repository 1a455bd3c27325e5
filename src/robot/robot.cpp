#include "ulna/robot/robot.hpp"

#include "ulna/dynamics/coriolis.hpp"
#include "ulna/dynamics/energy.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_mass_matrix.hpp"
#include "ulna/dynamics/mass_matrix.hpp"

namespace ulna {

struct Robot::State {
  Diagnostics diagnostics;
  Plant<double> plant;
  Workspace<double> ws;
  Motion<double> motion_;
  Kinematics<double> at_;

  State(Model model, Diagnostics notes)
      : diagnostics(std::move(notes)), plant(model), ws(model), motion_(model), at_(model) {}

  template <class... Vectors>
  const Motion<double>& motion(const Vectors&... q_v_a) {
    motion_.set(q_v_a...);
    return motion_;
  }
  template <class... Vectors>
  const Kinematics<double>& at(const Vectors&... q_v_a) {
    at_.set(q_v_a...);
    return at_;
  }
  std::vector<ExternalWrench<double>> resolve(const Wrenches& wrenches) const {
    std::vector<ExternalWrench<double>> resolved;
    for (const FrameWrench& w : wrenches)
      resolved.push_back({&plant.model().frame(w.frame), w.wrench, w.axes});
    return resolved;
  }
};

Robot::Robot(std::string_view name, const ImportOptions& options) {
  Imported imported = load_robot(name, options);
  state_ = std::make_unique<State>(std::move(imported.model), std::move(imported.diagnostics));
}
Robot::Robot(Model model) : state_(std::make_unique<State>(std::move(model), Diagnostics())) {}
Robot::Robot(const Robot& other) : state_(std::make_unique<State>(*other.state_)) {}
Robot& Robot::operator=(const Robot& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
Robot::~Robot() = default;

const Model& Robot::model() const { return state_->plant.model(); }
const Diagnostics& Robot::diagnostics() const { return state_->diagnostics; }
Plant<double>& Robot::plant() { return state_->plant; }
const Plant<double>& Robot::plant() const { return state_->plant; }

Eigen::VectorXd Robot::inverse_dynamics(const Vector& q, const Vector& v, const Vector& a,
                                        const Wrenches& wrenches) {
  Vector tau(nv());
  ulna::inverse_dynamics<double>(state_->plant, state_->motion(q, v, a), state_->ws, tau,
                                 ExternalWrenches<double>(state_->resolve(wrenches)));
  return tau;
}

Eigen::VectorXd Robot::forward_dynamics(const Vector& q, const Vector& v, const Vector& tau,
                                        const Wrenches& wrenches) {
  Vector a(nv());
  if (!ulna::forward_dynamics<double>(state_->plant, state_->at(q, v), tau, state_->ws, a,
                                      state_->resolve(wrenches)))
    throw std::domain_error("forward dynamics of robot '" + model().name() +
                            "': the mass matrix is not positive definite; `ulna check` names the "
                            "links that lack inertia");
  return a;
}

Eigen::VectorXd Robot::gravity_torque(const Vector& q) {
  Vector tau(nv());
  ulna::gravity_torque<double>(state_->plant, state_->motion(q), state_->ws, tau);
  return tau;
}

Eigen::VectorXd Robot::bias_torque(const Vector& q, const Vector& v) {
  Vector tau(nv());
  ulna::bias_torque<double>(state_->plant, state_->motion(q, v), state_->ws, tau);
  return tau;
}

Eigen::MatrixXd Robot::mass_matrix(const Vector& q) {
  Matrix M(nv(), nv());
  ulna::mass_matrix<double>(state_->plant, state_->at(q), state_->ws, M);
  return M;
}

Eigen::MatrixXd Robot::inverse_mass_matrix(const Vector& q) {
  Matrix M_inverse(nv(), nv());
  if (!ulna::inverse_mass_matrix<double>(state_->plant, state_->at(q), state_->ws, M_inverse))
    throw std::domain_error("robot '" + model().name() +
                            "': the mass matrix is not positive definite");
  return M_inverse;
}

Eigen::MatrixXd Robot::coriolis_matrix(const Vector& q, const Vector& v) {
  Matrix C(nv(), nv());
  ulna::coriolis_matrix<double>(state_->plant, state_->at(q, v), state_->ws, C);
  return C;
}

Transform<double> Robot::pose(const Vector& q, std::string_view frame) {
  return state_->at(q).pose(model().frame(frame));
}

Twist<double> Robot::velocity(const Vector& q, const Vector& v, std::string_view frame, Axes axes) {
  return frame_velocity(state_->at(q, v), model().frame(frame), axes);
}

Twist<double> Robot::acceleration(const Vector& q, const Vector& v, const Vector& a,
                                  std::string_view frame, Axes axes) {
  return frame_acceleration(state_->at(q, v, a), model().frame(frame), axes);
}

Eigen::MatrixXd Robot::jacobian(const Vector& q, std::string_view frame, Axes axes) {
  Matrix J(6, nv());
  frame_jacobian<double>(state_->at(q), model().frame(frame), axes, J);
  return J;
}

IkResult Robot::inverse_kinematics(std::string_view frame, const Transform<double>& target,
                                   const Vector& start, const IkOptions& options) {
  return ulna::inverse_kinematics(model(), model().frame(frame), target, start, options);
}

double Robot::kinetic_energy(const Vector& q, const Vector& v) {
  return ulna::kinetic_energy<double>(state_->plant, state_->at(q, v), state_->ws);
}
double Robot::potential_energy(const Vector& q) {
  return ulna::potential_energy<double>(state_->plant, state_->at(q), state_->ws);
}
Vec3<double> Robot::center_of_mass(const Vector& q) {
  return ulna::center_of_mass<double>(state_->plant, state_->at(q), state_->ws);
}
Eigen::MatrixXd Robot::centroidal_momentum_matrix(const Vector& q) {
  Matrix A(6, nv());
  ulna::centroidal_momentum_matrix<double>(state_->plant, state_->at(q), state_->ws, A);
  return A;
}

Eigen::VectorXd gravity_torque(const Model& model, const Eigen::VectorXd& q) {
  return Robot(model).gravity_torque(q);
}

}  // namespace ulna
