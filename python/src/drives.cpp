#include "spec.hpp"
#include "ulna/derivatives/drive_regressor.hpp"
#include "ulna/dynamics/drive_dynamics.hpp"

/// The dynamics of robots with motors that are coupled and springs between motors and links.
namespace ulna::python {
namespace {

using enum Role;
using Out = Eigen::Map<VectorXd>;

DriveScratch& scratch_of(const Engine& e, Scratch& s) { return Scratch::made(s.drives, e.model); }

void take_motors(const Engine& e, DriveScratch& d, const Call& c, std::size_t theta) {
  detail::require<double>("theta", c.x[theta].vec(), e.model.nv(), e.model);
  detail::require<double>("omega", c.x[theta + 1].vec(), e.model.nv(), e.model);
  d.state.theta = c.x[theta].vec(), d.state.omega = c.x[theta + 1].vec();
}

void inverse(const Engine& e, Scratch& s, const Call& c) {
  DriveScratch& d = scratch_of(e, s);
  d.motion.set(c.x[0].vec(), c.x[1].vec(), c.x[2].vec(), c.x[3].vec(), c.x[4].vec());
  drive_inverse_dynamics<double>(e.plant, d.motion, d.ws, d.torques);
  const Index n = e.model.nv();
  Out(c.out[0], n) = d.torques.motor;
  Out(c.out[1], n) = d.torques.theta;
  Out(c.out[2], n) = d.torques.omega;
}

void forward(const Engine& e, Scratch& s, const Call& c) {
  DriveScratch& d = scratch_of(e, s);
  s.at.set(c.x[0].vec(), c.x[1].vec());
  take_motors(e, d, c, 2);
  const Index n = e.model.nv();
  if (!drive_forward_dynamics<double>(e.plant, s.at, d.state, c.x[4].vec(), d.ws, Out(c.out[0], n),
                                      Out(c.out[1], n), c.wrenches))
    refuse_indefinite(e);
}

void write(const Call& c, std::size_t result, const MatrixXd& slope) {
  RowMap(c.out[result], slope.rows(), slope.cols()) = slope;
}

void inverse_first(const Engine& e, Scratch& s, const Call& c) {
  DriveScratch& d = scratch_of(e, s);
  d.motion.set(c.x[0].vec(), c.x[1].vec(), c.x[2].vec(), c.x[3].vec(), c.x[4].vec());
  auto& out = Scratch::made(d.inverse, e.model);
  drive_inverse_dynamics_derivatives(e.plant, d.motion, Scratch::made(d.inverse_ws, e.model), out);
  Out(c.out[0], e.model.nv()) = out.torques.motor;
  std::size_t result = 1;
  for (const DriveTorqueSlopes* by : {&out.q, &out.v, &out.a, &out.jerk, &out.snap})
    write(c, result++, by->motor);
}

void forward_first(const Engine& e, Scratch& s, const Call& c) {
  DriveScratch& d = scratch_of(e, s);
  s.at.set(c.x[0].vec(), c.x[1].vec());
  take_motors(e, d, c, 2);
  auto& out = Scratch::made(d.forward, e.model);
  if (!drive_forward_dynamics_derivatives<double>(e.plant, s.at, d.state, c.x[4].vec(),
                                                  Scratch::made(d.forward_ws, e.model), out,
                                                  c.wrenches))
    refuse_indefinite(e);
  Out(c.out[0], e.model.nv()) = out.a;
  Out(c.out[1], e.model.nv()) = out.alpha;
  std::size_t result = 2;
  for (const DriveSlopes<double>* by : {&out.q, &out.v, &out.theta, &out.omega, &out.tau}) {
    write(c, result, by->a);
    write(c, result + 5, by->alpha);
    ++result;
  }
}

void spring(const Engine& e, Scratch& s, const Call& c) {
  DriveScratch& d = scratch_of(e, s);
  s.at.set(c.x[0].vec(), c.x[1].vec());
  take_motors(e, d, c, 2);
  Out out(c.out[0], e.model.nv());
  out.setZero();
  spring_torque<double>(e.plant, s.at, d.state, out);
}

void energy(const Engine& e, Scratch& s, const Call& c) {
  DriveScratch& d = scratch_of(e, s);
  s.at.set(c.x[0].vec(), c.x[1].vec());
  take_motors(e, d, c, 2);
  *c.out[0] = spring_energy<double>(e.plant, s.at, d.state);
  *c.out[1] = rotor_energy<double>(e.plant, s.at, d.state);
}

void motors(const Engine& e, Scratch&, const Call& c) {
  for (const Numbers* x : {&c.x[0], &c.x[1]})
    detail::require<double>(x == &c.x[0] ? "omega" : "alpha", x->vec(), e.model.nv(), e.model);
  drive_regressor<double>(e.model, c.x[0].vec(), c.x[1].vec(),
                          RowMap(c.out[0], e.model.nv(), drive_parameter_count(e.model)));
}

void springs(const Engine& e, Scratch& s, const Call& c) {
  DriveScratch& d = scratch_of(e, s);
  s.at.set(c.x[0].vec(), c.x[1].vec());
  take_motors(e, d, c, 2);
  VectorXd deflection = VectorXd::Zero(e.model.nv());
  for (const int i : e.model.drives().elastic)
    deflection(i) = d.state.theta(i) - s.at.q()(e.model.drives().position(i));
  spring_regressor<double>(e.model, deflection, VectorXd(d.state.omega - s.at.v()),
                           RowMap(c.out[0], e.model.nv(), 3));
}

void gear(const Engine& e, Scratch&, const Call& c) {
  detail::require<double>("net", c.x[0].vec(), e.model.nv(), e.model);
  gear_regressor<double>(e.model, c.x[0].vec(),
                         RowMap(c.out[0], e.model.nv(), std::ssize(e.model.drives().gears)));
}

}  // namespace

std::span<const Spec> drive_functions() {
  static const Parameter q{"q", configuration}, v{"v", velocity}, a{"a", velocity},
      jerk{"jerk", velocity}, snap{"snap", velocity}, theta{"theta", velocity},
      omega{"omega", velocity}, alpha{"alpha", velocity}, tau{"tau", velocity},
      net{"net", velocity}, on{"wrenches", wrenches}, in{"axes", axes};
  static const Shape vector{nv}, square{nv, nv}, number;
  static const std::vector<Spec> list{
      {"drive_inverse_dynamics", {q, v, a, jerk, snap}, {vector, vector, vector}, inverse},
      {"drive_forward_dynamics", {q, v, theta, omega, tau, on, in}, {vector, vector}, forward},
      {"drive_inverse_dynamics_derivatives",
       {q, v, a, jerk, snap},
       {vector, square, square, square, square, square},
       inverse_first},
      {"drive_forward_dynamics_derivatives",
       {q, v, theta, omega, tau, on, in},
       {vector, vector, square, square, square, square, square, square, square, square, square,
        square},
       forward_first},
      {"spring_torque", {q, v, theta, omega}, {vector}, spring},
      {"drive_energy", {q, v, theta, omega}, {number, number}, energy},
      {"drive_regressor", {omega, alpha}, {Shape{nv, drive_parameters}}, motors},
      {"spring_regressor", {q, v, theta, omega}, {Shape{nv, 3}}, springs},
      {"gear_regressor", {net}, {Shape{nv, gears}}, gear},
  };
  return list;
}

}  // namespace ulna::python
