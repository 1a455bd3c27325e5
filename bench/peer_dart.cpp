// DART: caches what it computes and finds out by itself what has become stale. Its floating base has
// ulna's velocity, and a vector for the rotation.

#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include <dart/config.hpp>
#include <memory>
#include <string>

#include "peer.h"

namespace {

namespace dd = dart::dynamics;

using Row3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using In = Eigen::Map<const Eigen::VectorXd>;
using Out = Eigen::Map<Eigen::VectorXd>;
using OutMatrix = Eigen::Map<Eigen::MatrixXd>;

template <class Joint>
dd::BodyNode* add(dd::Skeleton& skeleton, dd::BodyNode* parent, const BenchBody& body, int b) {
  typename Joint::Properties joint;
  joint.mName = "joint" + std::to_string(b);
  joint.mT_ParentBodyToJoint.linear() = Eigen::Map<const Row3>(body.R);
  joint.mT_ParentBodyToJoint.translation() = Eigen::Map<const Eigen::Vector3d>(body.p);
  if constexpr (!std::is_same_v<Joint, dd::FreeJoint>)
    joint.mAxis = Eigen::Map<const Eigen::Vector3d>(body.axis);
  dd::BodyNode::Properties link;
  link.mName = "body" + std::to_string(b);
  link.mInertia = dd::Inertia(body.mass, Eigen::Map<const Eigen::Vector3d>(body.com),
                              Eigen::Map<const Row3>(body.inertia));
  return skeleton.createJointAndBodyNodePair<Joint>(parent, joint, link).second;
}

struct Robot {
  explicit Robot(const BenchRobot& robot)
      : skeleton(dd::Skeleton::create(robot.name)), nq(robot.nq), nv(robot.nv) {
    skeleton->setGravity(Eigen::Map<const Eigen::Vector3d>(robot.gravity));
    std::vector<dd::BodyNode*> nodes;
    for (int b = 0; b < robot.body_count; ++b) {
      const BenchBody& body = robot.bodies[b];
      dd::BodyNode* parent = body.parent < 0 ? nullptr : nodes[body.parent];
      nodes.push_back(
          body.joint == BENCH_REVOLUTE    ? add<dd::RevoluteJoint>(*skeleton, parent, body, b)
          : body.joint == BENCH_PRISMATIC ? add<dd::PrismaticJoint>(*skeleton, parent, body, b)
                                          : add<dd::FreeJoint>(*skeleton, parent, body, b));
    }
    tip = nodes.back();
    floating = robot.bodies[0].joint == BENCH_FLOATING;
    positions.resize(nv);
  }

  void place(const double* q) {
    if (floating) {
      Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
      X.linear() = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
      X.translation() = Eigen::Map<const Eigen::Vector3d>(q + 4);
      positions.head<6>() = dd::FreeJoint::convertToPositions(X);
      positions.tail(nv - 6) = In(q + 7, nv - 6);
    } else {
      positions = In(q, nq);
    }
    skeleton->setPositions(positions);
  }

  dd::SkeletonPtr skeleton;
  dd::BodyNode* tip = nullptr;
  int nq, nv;
  bool floating = false;
  Eigen::VectorXd positions;
};

Robot& of(void* robot) { return *static_cast<Robot*>(robot); }

void* load(const BenchRobot* robot) {
  for (int b = 1; b < robot->body_count; ++b)
    if (robot->bodies[b].joint == BENCH_FLOATING) return nullptr;
  return std::make_unique<Robot>(*robot).release();
}

void unload(void* robot) { std::unique_ptr<Robot>(&of(robot)).reset(); }

void inverse_dynamics(void* robot, const double* q, const double* v, const double* a, double* tau) {
  Robot& r = of(robot);
  r.place(q);
  r.skeleton->setVelocities(In(v, r.nv));
  r.skeleton->setAccelerations(In(a, r.nv));
  r.skeleton->computeInverseDynamics();
  Out(tau, r.nv) = r.skeleton->getForces();
}

void bias(void* robot, const double* q, const double* v, const double*, double* tau) {
  Robot& r = of(robot);
  r.place(q);
  r.skeleton->setVelocities(In(v, r.nv));
  Out(tau, r.nv) = r.skeleton->getCoriolisAndGravityForces();
}

void mass_matrix(void* robot, const double* q, const double*, const double*, double* M) {
  Robot& r = of(robot);
  r.place(q);
  OutMatrix(M, r.nv, r.nv) = r.skeleton->getMassMatrix();
}

void forward_dynamics(void* robot, const double* q, const double* v, const double* tau, double* a) {
  Robot& r = of(robot);
  r.place(q);
  r.skeleton->setVelocities(In(v, r.nv));
  r.skeleton->setForces(In(tau, r.nv));
  r.skeleton->computeForwardDynamics();
  Out(a, r.nv) = r.skeleton->getAccelerations();
}

void inverse_mass(void* robot, const double* q, const double*, const double*, double* M_inverse) {
  Robot& r = of(robot);
  r.place(q);
  OutMatrix(M_inverse, r.nv, r.nv) = r.skeleton->getInvMassMatrix();
}

void jacobian(void* robot, const double* q, const double*, const double*, double* J) {
  Robot& r = of(robot);
  r.place(q);
  if (static_cast<int>(r.tip->getNumDependentGenCoords()) == r.nv)
    OutMatrix(J, 6, r.nv) = r.tip->getWorldJacobian();
  else
    OutMatrix(J, 6, r.nv) = r.skeleton->getWorldJacobian(r.tip);
}

void kinematics(void* robot, const double* q, const double*, const double*, double* pose) {
  Robot& r = of(robot);
  r.place(q);
  const Eigen::Isometry3d& X = r.tip->getWorldTransform();
  Eigen::Map<Row3>{pose} = X.linear();
  Eigen::Map<Eigen::Vector3d>{pose + 9} = X.translation();
}

}  // namespace

const BenchPeer* bench_peer(void) {
  static const BenchPeer peer{
      "DART",
      DART_VERSION,
      load,
      unload,
      {inverse_dynamics, bias, mass_matrix, forward_dynamics, inverse_mass, jacobian, kinematics},
      false};
  return &peer;
}
