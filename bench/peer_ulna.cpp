// ulna as one of the peers: from the same table of bodies, through the same border.

#include <memory>

#include "bench.hpp"
#include "ulna/ulna.hpp"

namespace {

using namespace ulna;

using Vector = Eigen::Map<const Eigen::VectorXd>;
using OutVector = Eigen::Map<Eigen::VectorXd>;
using OutMatrix = Eigen::Map<Eigen::MatrixXd>;
using Row3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Model build(const BenchRobot& robot) {
  Builder builder(robot.name);
  const auto name = [](int body) { return body < 0 ? "ground" : "body" + std::to_string(body); };
  builder.link(name(-1));
  for (int b = 0; b < robot.body_count; ++b) {
    const BenchBody& body = robot.bodies[b];
    LinkDescription link;
    link.name = name(b);
    link.inertial =
        Inertial(body.mass, Vec3<double>(body.com), Eigen::Map<const Row3>(body.inertia));
    JointDescription joint;
    joint.name = "joint" + std::to_string(b);
    joint.type = body.joint == BENCH_REVOLUTE    ? JointType::continuous
                 : body.joint == BENCH_PRISMATIC ? JointType::prismatic
                                                 : JointType::floating;
    joint.parent = name(body.parent);
    joint.child = link.name;
    joint.origin = Pose(Transform<double>(
        Rotation<double>::from_matrix(Eigen::Map<const Row3>(body.R)), Vec3<double>(body.p)));
    joint.axis = Vec3<double>(body.axis);
    builder.link(std::move(link)).joint(std::move(joint));
  }
  return builder.build().with_gravity(Vec3<double>(robot.gravity));
}

struct Robot {
  explicit Robot(const BenchRobot& robot)
      : model(build(robot)),
        plant(model),
        ws(model),
        motion(model),
        at(model),
        derivative_ws(model),
        inverse_slope(model),
        forward_slope(model),
        regressor_ws(model),
        tip(model.frame(model.body_name(model.body_count() - 1))),
        nq(model.nq()),
        nv(model.nv()) {}

  Model model;
  Plant<double> plant;
  Workspace<double> ws;
  Motion<double> motion;
  Kinematics<double> at;
  DerivativeWorkspace<double> derivative_ws;
  InverseDynamicsDerivatives<double> inverse_slope;
  ForwardDynamicsDerivatives<double> forward_slope;
  struct SecondOrder {
    explicit SecondOrder(const Model& model) : ws(model), out(model) {}
    SecondDerivativeWorkspace<double> ws;
    InverseDynamicsSecondDerivatives<double> out;
  };
  std::unique_ptr<SecondOrder> second;  ///< big: made when it is needed
  RegressorWorkspace<double> regressor_ws;
  Frame tip;
  int nq, nv;
};

Robot& of(void* robot) { return *static_cast<Robot*>(robot); }

void* load(const BenchRobot* robot) { return std::make_unique<Robot>(*robot).release(); }
void unload(void* robot) { std::unique_ptr<Robot>(&of(robot)).reset(); }

void inverse_dynamics(void* robot, const double* q, const double* v, const double* a, double* tau) {
  Robot& r = of(robot);
  r.motion.set(Vector(q, r.nq), Vector(v, r.nv), Vector(a, r.nv));
  ulna::inverse_dynamics<double>(r.plant, r.motion, r.ws, OutVector(tau, r.nv));
}

void bias(void* robot, const double* q, const double* v, const double*, double* tau) {
  Robot& r = of(robot);
  r.motion.set(Vector(q, r.nq), Vector(v, r.nv));
  bias_torque<double>(r.plant, r.motion, r.ws, OutVector(tau, r.nv));
}

void mass_matrix(void* robot, const double* q, const double*, const double*, double* M) {
  Robot& r = of(robot);
  r.at.set(Vector(q, r.nq));
  ulna::mass_matrix<double>(r.plant, r.at, r.ws, OutMatrix(M, r.nv, r.nv));
}

void forward_dynamics(void* robot, const double* q, const double* v, const double* tau, double* a) {
  Robot& r = of(robot);
  r.at.set(Vector(q, r.nq), Vector(v, r.nv));
  if (!ulna::forward_dynamics<double>(r.plant, r.at, Vector(tau, r.nv), r.ws, OutVector(a, r.nv)))
    a[0] = std::numeric_limits<double>::quiet_NaN();
}

void inverse_mass(void* robot, const double* q, const double*, const double*, double* M_inverse) {
  Robot& r = of(robot);
  r.at.set(Vector(q, r.nq));
  if (!inverse_mass_matrix<double>(r.plant, r.at, r.ws, OutMatrix(M_inverse, r.nv, r.nv)))
    M_inverse[0] = std::numeric_limits<double>::quiet_NaN();
}

void jacobian(void* robot, const double* q, const double*, const double*, double* J) {
  Robot& r = of(robot);
  r.at.set(Vector(q, r.nq));
  frame_jacobian<double>(r.at, r.tip, Axes::aligned, OutMatrix(J, 6, r.nv));
}

void kinematics(void* robot, const double* q, const double*, const double*, double* pose) {
  Robot& r = of(robot);
  r.at.set(Vector(q, r.nq));
  const Transform<double> X = r.at.pose(r.tip);
  Eigen::Map<Row3>{pose} = X.rotation().matrix();
  Eigen::Map<Eigen::Vector3d>{pose + 9} = X.translation();
}

double* put(const Eigen::MatrixXd& m, double* to) { return std::copy_n(m.data(), m.size(), to); }
double* put(Tensor3<double>& t, double* to) {
  return std::copy_n(t.column(0, 0), t.size() * t.size() * t.size(), to);
}

void inverse_dynamics_derivatives(void* robot, const double* q, const double* v, const double* a,
                                  double* out) {
  Robot& r = of(robot);
  r.at.set(Vector(q, r.nq), Vector(v, r.nv), Vector(a, r.nv));
  ulna::inverse_dynamics_derivatives(r.plant, r.at, r.derivative_ws, r.inverse_slope);
  for (const auto* m : {&r.inverse_slope.dq, &r.inverse_slope.dv, &r.inverse_slope.da})
    out = put(*m, out);
}

void forward_dynamics_derivatives(void* robot, const double* q, const double* v, const double* tau,
                                  double* out) {
  Robot& r = of(robot);
  r.at.set(Vector(q, r.nq), Vector(v, r.nv));
  if (!ulna::forward_dynamics_derivatives<double>(r.plant, r.at, Vector(tau, r.nv), r.derivative_ws,
                                                  r.forward_slope))
    out[0] = std::numeric_limits<double>::quiet_NaN();
  for (const auto* m : {&r.forward_slope.dq, &r.forward_slope.dv, &r.forward_slope.dtau})
    out = put(*m, out);
}

void second_derivatives(void* robot, const double* q, const double* v, const double* a,
                        double* out) {
  Robot& r = of(robot);
  if (!r.second) r.second = std::make_unique<Robot::SecondOrder>(r.model);
  auto& [ws, tau] = *r.second;
  r.at.set(Vector(q, r.nq), Vector(v, r.nv), Vector(a, r.nv));
  inverse_dynamics_second_derivatives(r.plant, r.at, ws, tau);
  for (auto* t : {&tau.dqq, &tau.dvv, &tau.dqv, &tau.daq}) out = put(*t, out);
}

void regressor(void* robot, const double* q, const double* v, const double* a, double* Y) {
  Robot& r = of(robot);
  r.at.set(Vector(q, r.nq), Vector(v, r.nv), Vector(a, r.nv));
  torque_regressor<double>(
      r.at, r.regressor_ws,
      Eigen::Map<RowMatX<double>>(Y, r.nv, 10 * static_cast<Eigen::Index>(r.model.joint_count())));
}

}  // namespace

namespace bench {

const BenchPeer& ulna_peer() {
  static const BenchPeer peer{
      "ulna",
      ULNA_VERSION,
      load,
      unload,
      {inverse_dynamics, bias, mass_matrix, forward_dynamics, inverse_mass, jacobian, kinematics,
       inverse_dynamics_derivatives, forward_dynamics_derivatives, second_derivatives, regressor},
      true};
  return peer;
}

}  // namespace bench
