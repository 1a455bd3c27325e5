// Orocos KDL: serial chains only, joints and segments as kdl_parser makes them of a URDF.

#include <kdl/config.h>
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "peer.h"

namespace {

std::optional<KDL::Chain> build(const BenchRobot& robot) {
  KDL::Chain chain;
  for (int b = 0; b < robot.body_count; ++b) {
    const BenchBody& body = robot.bodies[b];
    if (body.parent != b - 1 || body.joint == BENCH_FLOATING) return std::nullopt;
    const double* R = body.R;
    const double* I = body.inertia;
    const KDL::Frame X(KDL::Rotation(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]),
                       KDL::Vector(body.p[0], body.p[1], body.p[2]));
    const KDL::Vector axis(body.axis[0], body.axis[1], body.axis[2]);
    const KDL::Joint joint(
        "joint" + std::to_string(b), X.p, X.M * axis,
        body.joint == BENCH_REVOLUTE ? KDL::Joint::RotAxis : KDL::Joint::TransAxis);
    const KDL::RigidBodyInertia inertia(body.mass,
                                        KDL::Vector(body.com[0], body.com[1], body.com[2]),
                                        KDL::RotationalInertia(I[0], I[4], I[8], I[1], I[2], I[5]));
    chain.addSegment(KDL::Segment("body" + std::to_string(b), joint, X, inertia));
  }
  return chain;
}

struct Robot {
  Robot(const KDL::Chain& the_chain, const KDL::Vector& gravity)
      : chain(the_chain),
        n(chain.getNrOfJoints()),
        id(chain, gravity),
        fd(chain, gravity),
        parameters(chain, gravity),
        fk(chain),
        jacobian(chain),
        q(n),
        v(n),
        x(n),
        out(n),
        extra(n),
        M(n),
        J(n),
        wrenches(chain.getNrOfSegments()) {}

  KDL::Chain chain;
  unsigned n;
  KDL::ChainIdSolver_RNE id;
  KDL::ChainFdSolver_RNE fd;
  KDL::ChainDynParam parameters;
  KDL::ChainFkSolverPos_recursive fk;
  KDL::ChainJntToJacSolver jacobian;
  KDL::JntArray q, v, x, out, extra;
  KDL::JntSpaceInertiaMatrix M;
  KDL::Jacobian J;
  KDL::Wrenches wrenches;
};

Robot& of(void* robot) { return *static_cast<Robot*>(robot); }

void take(KDL::JntArray& to, const double* from) { std::copy_n(from, to.rows(), to.data.data()); }
void give(double* to, const KDL::JntArray& from) { std::copy_n(from.data.data(), from.rows(), to); }

void* load(const BenchRobot* robot) {
  const std::optional<KDL::Chain> chain = build(*robot);
  if (!chain) return nullptr;
  const double* g = robot->gravity;
  return std::make_unique<Robot>(*chain, KDL::Vector(g[0], g[1], g[2])).release();
}

void unload(void* robot) { std::unique_ptr<Robot>(&of(robot)).reset(); }

void inverse_dynamics(void* robot, const double* q, const double* v, const double* a, double* tau) {
  Robot& r = of(robot);
  take(r.q, q), take(r.v, v), take(r.x, a);
  r.id.CartToJnt(r.q, r.v, r.x, r.wrenches, r.out);
  give(tau, r.out);
}

void bias(void* robot, const double* q, const double* v, const double*, double* tau) {
  Robot& r = of(robot);
  take(r.q, q), take(r.v, v);
  r.x.data.setZero();
  r.id.CartToJnt(r.q, r.v, r.x, r.wrenches, r.out);
  give(tau, r.out);
}

void mass_matrix(void* robot, const double* q, const double*, const double*, double* M) {
  Robot& r = of(robot);
  take(r.q, q);
  r.parameters.JntToMass(r.q, r.M);
  std::copy_n(r.M.data.data(), r.n * r.n, M);
}

void forward_dynamics(void* robot, const double* q, const double* v, const double* tau, double* a) {
  Robot& r = of(robot);
  take(r.q, q), take(r.v, v), take(r.x, tau);
  r.fd.CartToJnt(r.q, r.v, r.x, r.wrenches, r.out);
  give(a, r.out);
}

void jacobian(void* robot, const double* q, const double*, const double*, double* J) {
  Robot& r = of(robot);
  take(r.q, q);
  r.jacobian.JntToJac(r.q, r.J);
  for (unsigned i = 0; i < r.n; ++i)
    for (unsigned k = 0; k < 3; ++k) {
      J[6 * i + k] = r.J(3 + k, i);
      J[6 * i + 3 + k] = r.J(k, i);
    }
}

void kinematics(void* robot, const double* q, const double*, const double*, double* pose) {
  Robot& r = of(robot);
  take(r.q, q);
  KDL::Frame X;
  r.fk.JntToCart(r.q, X);
  std::copy_n(X.M.data, 9, pose);
  std::copy_n(X.p.data, 3, pose + 9);
}

}  // namespace

const BenchPeer* bench_peer(void) {
  static const BenchPeer peer{
      "KDL",
      KDL_VERSION_STRING,
      load,
      unload,
      {inverse_dynamics, bias, mass_matrix, forward_dynamics, nullptr, jacobian, kinematics},
      false};
  return &peer;
}
