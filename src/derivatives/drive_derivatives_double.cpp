#include <array>

#include "ulna/derivatives/drive_derivatives_impl.hpp"

namespace ulna {

template struct DriveForwardDerivatives<double>;
template class DriveDerivativeWorkspace<double>;
template bool drive_forward_dynamics_derivatives(const Plant<double>&, const Kinematics<double>&,
                                                 const DriveState<double>&, In<double>,
                                                 DriveDerivativeWorkspace<double>&,
                                                 DriveForwardDerivatives<double>&,
                                                 ExternalWrenches<double>);

namespace {

using Direction = DriveInverseDerivativeWorkspace::Direction;
constexpr int at_once = 4;

DriveTorqueSlopes no_slopes(Eigen::Index n) {
  const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(n, n);
  return {zero, zero, zero, zero, zero};
}

void copy_numbers(const Plant<double>& from, DriveInverseDerivativeWorkspace& ws) {
  Plant<Direction>& to = ws.plant;
  from.get_inertial(ws.inertial_values);
  ws.inertial = ws.inertial_values.cast<Direction>();
  to.set_inertial(ws.inertial);
  to.gravity = from.gravity.cast<Direction>();
  const auto copy = [](const Eigen::VectorXd& x, VecX<Direction>& y) { y = x.cast<Direction>(); };
  copy(from.damping, to.damping), copy(from.armature, to.armature);
  copy(from.friction, to.friction), copy(from.friction_negative, to.friction_negative);
  const DriveParameters<double>& d = from.drives;
  copy(d.inertia, to.drives.inertia), copy(d.damping, to.drives.damping);
  copy(d.friction, to.drives.friction), copy(d.friction_negative, to.drives.friction_negative);
  copy(d.rotor, to.drives.rotor), copy(d.stiffness, to.drives.stiffness);
  copy(d.hardening, to.drives.hardening), copy(d.spring_damping, to.drives.spring_damping);
}

}  // namespace

DriveInverseDerivatives::DriveInverseDerivatives(const Model& model)
    : torques(model), q(no_slopes(model.nv())), v(q), a(q), jerk(q), snap(q) {}

DriveInverseDerivativeWorkspace::DriveInverseDerivativeWorkspace(const Model& model)
    : plant(model),
      motion(model),
      ws(model),
      torques(model),
      q(VecX<Direction>::Zero(model.nq())),
      q_moved(q),
      along(VecX<Direction>::Zero(model.nv())),
      v(along),
      a(along),
      jerk(along),
      snap(along),
      deflection(along),
      inertial(VecX<Direction>::Zero(plant.inertial_size())),
      inertial_values(Eigen::VectorXd::Zero(plant.inertial_size())) {}

void drive_inverse_dynamics_derivatives(const Plant<double>& plant,
                                        const DriveMotion<double>& motion,
                                        DriveInverseDerivativeWorkspace& ws,
                                        DriveInverseDerivatives& out) {
  const Model& model = plant.model();
  const int n = model.nv();
  copy_numbers(plant, ws);
  const Motion<double>& given = motion.motion();
  ws.q = given.q().cast<Direction>(), ws.v = given.v().cast<Direction>();
  ws.a = given.a().cast<Direction>(), ws.jerk = motion.jerk().cast<Direction>();
  ws.snap = motion.snap().cast<Direction>();
  if (motion.deflection()) ws.deflection = motion.deflection()->cast<Direction>();

  ws.along.setZero();
  const std::array inputs{&ws.along, &ws.v, &ws.a, &ws.jerk, &ws.snap};
  const std::array slopes{&out.q, &out.v, &out.a, &out.jerk, &out.snap};
  const auto input = [&](int k) -> Direction& { return (*inputs[std::size_t(k / n)])(k % n); };
  for (int begin = 0; begin < 5 * n; begin += at_once) {
    const int end = std::min(begin + at_once, 5 * n);
    for (int k = begin; k < end; ++k) input(k).gradient[std::size_t(k - begin)] = 1.0;
    integrate<Direction>(model, ws.q, ws.along, ws.q_moved);
    ws.motion.set(ws.q_moved, ws.v, ws.a, ws.jerk, ws.snap);
    if (motion.deflection()) ws.motion.set_deflection(ws.deflection);
    drive_inverse_dynamics<Direction>(ws.plant, ws.motion, ws.ws, ws.torques);
    for (int k = begin; k < end; ++k) {
      const auto lane = std::size_t(k - begin);
      input(k).gradient[lane] = 0.0;
      DriveTorqueSlopes& to = *slopes[std::size_t(k / n)];
      for (int i = 0; i < n; ++i) {
        to.motor(i, k % n) = ws.torques.motor(i).gradient[lane];
        to.link(i, k % n) = ws.torques.link(i).gradient[lane];
        to.theta(i, k % n) = ws.torques.theta(i).gradient[lane];
        to.omega(i, k % n) = ws.torques.omega(i).gradient[lane];
        to.alpha(i, k % n) = ws.torques.alpha(i).gradient[lane];
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    const auto value = [&](auto member) {
      (out.torques.*(member.first))(i) = (ws.torques.*(member.second))(i).value;
    };
    using D = DriveTorques<double>;
    using E = DriveTorques<Direction>;
    value(std::pair{&D::motor, &E::motor}), value(std::pair{&D::link, &E::link});
    value(std::pair{&D::link_rate, &E::link_rate}),
        value(std::pair{&D::link_rate2, &E::link_rate2});
    value(std::pair{&D::theta, &E::theta}), value(std::pair{&D::omega, &E::omega});
    value(std::pair{&D::alpha, &E::alpha});
  }
}

}  // namespace ulna
