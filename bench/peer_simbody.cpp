// Simbody: a state is realized stage by stage. Its floating base moves in world axes, angular velocity
// first; its mobilizers turn about z and slide along x.

#include <Simbody.h>

#include <algorithm>
#include <memory>

#include "floating_base.h"

namespace {

SimTK::Vec3 vec(const double* x) { return SimTK::Vec3(x[0], x[1], x[2]); }

struct Robot {
  explicit Robot(const BenchRobot& robot)
      : matter(system),
        forces(system),
        gravity(forces, matter, vec(robot.gravity)),
        n(robot.nv),
        x(n),
        out(n),
        zero(n, 0.0) {
    for (int b = 0; b < robot.body_count; ++b) {
      const BenchBody& body = robot.bodies[b];
      const double* R = body.R;
      const double* I = body.inertia;
      const SimTK::Rotation rotation(
          SimTK::Mat33(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]), true);
      const SimTK::Transform X(rotation, vec(body.p));
      const SimTK::Inertia at_com(I[0], I[4], I[8], I[1], I[2], I[5]);
      const SimTK::Body::Rigid rigid(SimTK::MassProperties(
          body.mass, vec(body.com), at_com.shiftFromMassCenter(vec(body.com), body.mass)));
      SimTK::MobilizedBody& parent =
          body.parent < 0 ? matter.updGround()
                          : matter.updMobilizedBody(SimTK::MobilizedBodyIndex(body.parent + 1));
      const SimTK::UnitVec3 axis(vec(body.axis));
      if (body.joint == BENCH_REVOLUTE) {
        const SimTK::Transform X_BM(SimTK::Rotation(axis, SimTK::ZAxis));
        SimTK::MobilizedBody::Pin(parent, X * X_BM, rigid, X_BM);
      } else if (body.joint == BENCH_PRISMATIC) {
        const SimTK::Transform X_BM(SimTK::Rotation(axis, SimTK::XAxis));
        SimTK::MobilizedBody::Slider(parent, X * X_BM, rigid, X_BM);
      } else {
        SimTK::MobilizedBody::Free(parent, X, rigid, SimTK::Transform());
      }
    }
    base.present = robot.bodies[0].joint == BENCH_FLOATING;
    tip = SimTK::MobilizedBodyIndex(robot.body_count);
    state = system.realizeTopology();
    system.realizeModel(state);
  }

  void place(const double* q, SimTK::Stage stage) {
    SimTK::Vector& to = state.updQ();
    for (int i = 0; i < to.size(); ++i) to[i] = q[i];
    base.set(q);
    system.realize(state, stage);
  }
  void place(const double* q, const double* v) {
    SimTK::Vector& to = state.updQ();
    for (int i = 0; i < to.size(); ++i) to[i] = q[i];
    base.set(q);
    base.to_peer(v, n, state.updU());
    system.realize(state, SimTK::Stage::Velocity);
  }

  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter;
  SimTK::GeneralForceSubsystem forces;
  SimTK::Force::Gravity gravity;
  SimTK::State state;
  SimTK::MobilizedBodyIndex tip;
  FloatingBase base{FloatingBase::Angular::in_world, FloatingBase::First::angular};
  int n;
  SimTK::Vector x, out, zero;
  SimTK::Matrix M;
  SimTK::Vector_<SimTK::SpatialVec> accelerations;
};

Robot& of(void* robot) { return *static_cast<Robot*>(robot); }

void* load(const BenchRobot* robot) {
  if (!FloatingBase::understood(*robot)) return nullptr;
  return std::make_unique<Robot>(*robot).release();
}

void unload(void* robot) { std::unique_ptr<Robot>(&of(robot)).reset(); }

void residual(Robot& r, double* tau) {
  r.matter.calcResidualForceIgnoringConstraints(r.state, r.zero, r.gravity.getBodyForces(r.state),
                                                r.x, r.out);
  r.base.from_peer(r.out, r.n, tau);
}

void inverse_dynamics(void* robot, const double* q, const double* v, const double* a, double* tau) {
  Robot& r = of(robot);
  r.place(q, v);
  r.base.acceleration_to_peer(v, a, r.n, r.x);
  residual(r, tau);
}

void bias(void* robot, const double* q, const double* v, const double*, double* tau) {
  Robot& r = of(robot);
  r.place(q, v);
  std::fill_n(tau, r.n, 0.0);
  r.base.acceleration_to_peer(v, tau, r.n, r.x);
  residual(r, tau);
}

void give(const Robot& r, double* matrix) {
  for (int j = 0; j < r.n; ++j)
    for (int i = 0; i < r.n; ++i) matrix[j * r.n + i] = r.M(i, j);
  r.base.matrix_from_peer(matrix, r.n);
}

void mass_matrix(void* robot, const double* q, const double*, const double*, double* M) {
  Robot& r = of(robot);
  r.place(q, SimTK::Stage::Position);
  r.matter.calcM(r.state, r.M);
  give(r, M);
}

void forward_dynamics(void* robot, const double* q, const double* v, const double* tau, double* a) {
  Robot& r = of(robot);
  r.place(q, v);
  r.base.to_peer(tau, r.n, r.x);
  r.system.realize(r.state, SimTK::Stage::Dynamics);
  r.matter.calcAccelerationIgnoringConstraints(r.state, r.x, r.gravity.getBodyForces(r.state),
                                               r.out, r.accelerations);
  r.base.acceleration_from_peer(v, r.out, r.n, a);
}

void inverse_mass(void* robot, const double* q, const double*, const double*, double* M_inverse) {
  Robot& r = of(robot);
  r.place(q, SimTK::Stage::Position);
  r.matter.calcMInv(r.state, r.M);
  give(r, M_inverse);
}

void jacobian(void* robot, const double* q, const double*, const double*, double* J) {
  Robot& r = of(robot);
  r.place(q, SimTK::Stage::Position);
  r.matter.calcFrameJacobian(r.state, r.tip, SimTK::Vec3(0), r.M);
  for (int j = 0; j < r.n; ++j)
    for (int i = 0; i < 6; ++i) J[6 * j + i] = r.M(i, j);
  r.base.columns_from_peer(Eigen::Map<Eigen::MatrixXd>(J, 6, r.n));
}

void kinematics(void* robot, const double* q, const double*, const double*, double* pose) {
  Robot& r = of(robot);
  r.place(q, SimTK::Stage::Position);
  const SimTK::Transform& X = r.matter.getMobilizedBody(r.tip).getBodyTransform(r.state);
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) pose[3 * i + k] = X.R()[i][k];
    pose[9 + i] = X.p()[i];
  }
}

const char* version() {
  static const std::string text = [] {
    int major = 0, minor = 0, build = 0;
    SimTK_version_simbody(&major, &minor, &build);
    return std::to_string(major) + "." + std::to_string(minor);
  }();
  return text.c_str();
}

}  // namespace

const BenchPeer* bench_peer(void) {
  static const BenchPeer peer{
      "Simbody",
      version(),
      load,
      unload,
      {inverse_dynamics, bias, mass_matrix, forward_dynamics, inverse_mass, jacobian, kinematics},
      false};
  return &peer;
}
