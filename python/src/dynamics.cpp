#include "spec.hpp"
#include "ulna/dynamics/coriolis.hpp"
#include "ulna/dynamics/energy.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/inverse_mass_matrix.hpp"
#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::python {
namespace {

using enum Role;
using Out = Eigen::Map<VectorXd>;
using OutColumns = Eigen::Map<MatrixXd>;

const Kinematics<double>& at_q(Scratch& s, const Call& c) {
  s.at.set(c.x[0].vec());
  return s.at;
}
const Kinematics<double>& at_q_v(Scratch& s, const Call& c) {
  s.at.set(c.x[0].vec(), c.x[1].vec());
  return s.at;
}
const Kinematics<double>& at_q_v_a(Scratch& s, const Call& c) {
  s.at.set(c.x[0].vec(), c.x[1].vec(), c.x[2].vec());
  return s.at;
}

void inverse(const Engine& e, Scratch& s, const Call& c) {
  s.motion.set(c.x[0].vec(), c.x[1].vec(), c.x[2].vec());
  inverse_dynamics<double>(e.plant, s.motion, s.ws, Out(c.out[0], e.model.nv()), c.wrenches);
}
bool inverse_many(const Engine& e, Crew& crew, const Call& c, Index n) {
  if (!c.wrenches.empty()) return false;
  crew.batch().inverse_dynamics(e.plant, c.x[0].columns(n), c.x[1].columns(n), c.x[2].columns(n),
                                OutColumns(c.out[0], e.model.nv(), n));
  return true;
}

void forward(const Engine& e, Scratch& s, const Call& c) {
  if (!forward_dynamics<double>(e.plant, at_q_v(s, c), c.x[2].vec(), s.ws,
                                Out(c.out[0], e.model.nv()), c.wrenches))
    refuse_indefinite(e);
}
bool forward_many(const Engine& e, Crew& crew, const Call& c, Index n) {
  if (!c.wrenches.empty()) return false;
  if (!crew.batch().forward_dynamics(e.plant, c.x[0].columns(n), c.x[1].columns(n),
                                     c.x[2].columns(n), OutColumns(c.out[0], e.model.nv(), n)))
    refuse_indefinite(e, first_nan(c.out[0], e.model.nv(), n));
  return true;
}

void gravity(const Engine& e, Scratch& s, const Call& c) {
  s.motion.set(c.x[0].vec());
  gravity_torque<double>(e.plant, s.motion, s.ws, Out(c.out[0], e.model.nv()), c.wrenches);
}

void bias(const Engine& e, Scratch& s, const Call& c) {
  s.motion.set(c.x[0].vec(), c.x[1].vec());
  bias_torque<double>(e.plant, s.motion, s.ws, Out(c.out[0], e.model.nv()));
}

void friction(const Engine& e, Scratch&, const Call& c) {
  detail::require<double>("v", c.x[0].vec(), e.model.nv(), e.model);
  Out tau(c.out[0], e.model.nv());
  tau.setZero();
  add_friction<double>(e.plant, c.x[0].vec(), tau);
}

/// The base and all moving bodies, angular part first.
void joint_wrenches(const Engine& e, Scratch& s, const Call& c) {
  s.motion.set(c.x[0].vec(), c.x[1].vec(), c.x[2].vec());
  std::vector<Wrench<double>> wrenches(static_cast<std::size_t>(e.model.body_count()));
  inverse_dynamics<double>(e.plant, s.motion, s.ws, s.square.col(0), wrenches, c.wrenches);
  double* out = c.out[0];
  for (const Wrench<double>& w : wrenches) {
    Eigen::Map<Vec3<double>>{out} = w.moment;
    Eigen::Map<Vec3<double>>{out + 3} = w.force;
    out += 6;
  }
}

void mass(const Engine& e, Scratch& s, const Call& c) {
  mass_matrix<double>(e.plant, at_q(s, c), s.ws, OutColumns(c.out[0], e.model.nv(), e.model.nv()));
}
bool mass_many(const Engine& e, Crew& crew, const Call& c, Index n) {
  crew.batch().mass_matrix(e.plant, c.x[0].columns(n),
                           OutColumns(c.out[0], e.model.nv() * e.model.nv(), n));
  return true;
}

void inverse_mass(const Engine& e, Scratch& s, const Call& c) {
  if (!inverse_mass_matrix<double>(e.plant, at_q(s, c), s.ws,
                                   OutColumns(c.out[0], e.model.nv(), e.model.nv())))
    refuse_indefinite(e);
}

void coriolis(const Engine& e, Scratch& s, const Call& c) {
  coriolis_matrix<double>(e.plant, at_q_v(s, c), s.ws, s.square);
  RowMap(c.out[0], e.model.nv(), e.model.nv()) = s.square;
}

void mass_rate(const Engine& e, Scratch& s, const Call& c) {
  mass_matrix_rate<double>(e.plant, at_q_v(s, c), s.ws,
                           OutColumns(c.out[0], e.model.nv(), e.model.nv()));
}

void kinetic(const Engine& e, Scratch& s, const Call& c) {
  *c.out[0] = kinetic_energy<double>(e.plant, at_q_v(s, c), s.ws);
}
void potential(const Engine& e, Scratch& s, const Call& c) {
  *c.out[0] = potential_energy<double>(e.plant, at_q(s, c), s.ws);
}

void com(const Engine& e, Scratch& s, const Call& c) {
  Eigen::Map<Vec3<double>>{c.out[0]} = center_of_mass<double>(e.plant, at_q(s, c), s.ws);
}
void com_velocity(const Engine& e, Scratch& s, const Call& c) {
  Eigen::Map<Vec3<double>>{c.out[0]} = center_of_mass_velocity<double>(e.plant, at_q_v(s, c), s.ws);
}
void com_acceleration(const Engine& e, Scratch& s, const Call& c) {
  Eigen::Map<Vec3<double>>{c.out[0]} =
      center_of_mass_acceleration<double>(e.plant, at_q_v_a(s, c), s.ws);
}
void com_jacobian(const Engine& e, Scratch& s, const Call& c) {
  center_of_mass_jacobian<double>(e.plant, at_q(s, c), s.ws, s.wide.topRows<3>());
  RowMap(c.out[0], 3, e.model.nv()) = s.wide.topRows<3>();
}

void write(const Wrench<double>& w, double* out) {
  Eigen::Map<Vec3<double>>{out} = w.moment;
  Eigen::Map<Vec3<double>>{out + 3} = w.force;
}
void spatial_momentum(const Engine& e, Scratch& s, const Call& c) {
  write(momentum<double>(e.plant, at_q_v(s, c), s.ws), c.out[0]);
}
void momentum_of_com(const Engine& e, Scratch& s, const Call& c) {
  write(centroidal_momentum<double>(e.plant, at_q_v(s, c), s.ws), c.out[0]);
}
void momentum_matrix(const Engine& e, Scratch& s, const Call& c) {
  centroidal_momentum_matrix<double>(e.plant, at_q(s, c), s.ws, s.wide);
  RowMap(c.out[0], 6, e.model.nv()) = s.wide;
}

/// The wrenches are impulses.
void impulse_change(const Engine& e, Scratch& s, const Call& c) {
  at_q(s, c);
  if (!s.ws.factor.factor(e.plant, s.at, s.ws)) refuse_indefinite(e);
  Out change(c.out[0], e.model.nv());
  change.setZero();
  for (const ExternalWrench<double>& impulse : c.wrenches)
    add_wrench_torque<double>(s.at, impulse, change);
  s.ws.factor.solve(change);
}

}  // namespace

void refuse_indefinite(const Engine& e, Index state) {
  const std::string where = state < 0 ? "" : ", state " + std::to_string(state);
  throw std::domain_error("forward dynamics of robot '" + e.model.name() + "'" + where +
                          ": the mass matrix is not positive definite; " + why_indefinite(e.plant));
}

Index first_nan(const double* results, Index size, Index states) {
  for (Index i = 0; i < states; ++i)
    for (Index k = 0; k < size; ++k)
      if (std::isnan(results[i * size + k])) return i;
  return -1;
}

std::span<const Spec> dynamics_functions() {
  static const Parameter q{"q", configuration}, v{"v", velocity}, a{"a", velocity},
      tau{"tau", velocity}, on{"wrenches", wrenches}, impulses{"impulses", wrenches},
      in{"axes", axes};
  static const Shape vector{nv}, matrix{nv, nv};
  static const std::vector<Spec> list{
      {"inverse_dynamics", {q, v, a, on, in}, {vector}, inverse, inverse_many},
      {"forward_dynamics", {q, v, tau, on, in}, {vector}, forward, forward_many},
      {"gravity_torque", {q, on, in}, {vector}, gravity},
      {"bias_torque", {q, v}, {vector}, bias},
      {"friction_torque", {v}, {vector}, friction},
      {"joint_wrenches", {q, v, a, on, in}, {Shape{bodies, 6}}, joint_wrenches},
      {"mass_matrix", {q}, {matrix}, mass, mass_many},
      {"inverse_mass_matrix", {q}, {matrix}, inverse_mass},
      {"mass_matrix_rate", {q, v}, {matrix}, mass_rate},
      {"coriolis_matrix", {q, v}, {matrix}, coriolis},
      {"impulse_response", {q, impulses, in}, {vector}, impulse_change},
      {"kinetic_energy", {q, v}, {Shape{}}, kinetic},
      {"potential_energy", {q}, {Shape{}}, potential},
      {"center_of_mass", {q}, {Shape{3}}, com},
      {"center_of_mass_velocity", {q, v}, {Shape{3}}, com_velocity},
      {"center_of_mass_acceleration", {q, v, a}, {Shape{3}}, com_acceleration},
      {"center_of_mass_jacobian", {q}, {Shape{3, nv}}, com_jacobian},
      {"momentum", {q, v}, {Shape{6}}, spatial_momentum},
      {"centroidal_momentum", {q, v}, {Shape{6}}, momentum_of_com},
      {"centroidal_momentum_matrix", {q}, {Shape{6, nv}}, momentum_matrix},
  };
  return list;
}

}  // namespace ulna::python
