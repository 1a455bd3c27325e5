// MuJoCo: its stages are called one by one, so that nothing is paid for but the algorithm. What is said
// of its floating base: position first, linear velocity in world axes, angular in the body's.

#include <mujoco/mujoco.h>
#include <unistd.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "floating_base.h"

namespace {

std::string numbers(const double* x, std::initializer_list<int> which) {
  std::string text;
  char number[32];
  for (const int i : which) {
    std::snprintf(number, sizeof number, "%.17g ", x[i]);
    text += number;
  }
  return text;
}

std::string rpy(const Eigen::Matrix3d& R) {
  const Eigen::Vector3d yaw_pitch_roll = R.eulerAngles(2, 1, 0);
  return numbers(yaw_pitch_roll.data(), {2, 1, 0});
}

/// As URDF, which unlike MJCF does not nest: there is a limit of 100. Inertias are given in principal
/// axes, because MuJoCo finds those to 1e-8 only.
std::string urdf(const BenchRobot& robot) {
  using Row3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  const auto name = [](int b) { return b < 0 ? "ground" : "body" + std::to_string(b); };
  std::string xml = "<robot name='robot'><link name='ground'/>\n";
  for (int b = 0; b < robot.body_count; ++b) {
    const BenchBody& body = robot.bodies[b];
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(
        Eigen::Map<const Row3>(body.inertia));
    const Eigen::Matrix3d axes = principal.eigenvectors() * principal.eigenvectors().determinant();
    const Eigen::Vector3d moments = principal.eigenvalues();
    const std::string type = body.joint == BENCH_REVOLUTE    ? "continuous"
                             : body.joint == BENCH_PRISMATIC ? "prismatic"
                                                             : "floating";
    xml += "<link name='" + name(b) + "'><inertial><origin xyz='" + numbers(body.com, {0, 1, 2}) +
           "' rpy='" + rpy(axes) + "'/><mass value='" + numbers(&body.mass, {0}) +
           "'/><inertia ixx='" + numbers(moments.data(), {0}) + "' iyy='" +
           numbers(moments.data(), {1}) + "' izz='" + numbers(moments.data(), {2}) +
           "' ixy='0' ixz='0' iyz='0'/></inertial></link>\n" + "<joint name='joint" +
           std::to_string(b) + "' type='" + type + "'><parent link='" + name(body.parent) +
           "'/><child link='" + name(b) + "'/><origin xyz='" + numbers(body.p, {0, 1, 2}) +
           "' rpy='" + rpy(Eigen::Map<const Row3>(body.R)) + "'/><axis xyz='" +
           numbers(body.axis, {0, 1, 2}) + "'/></joint>\n";
  }
  return xml + "</robot>\n";
}

/// Gravity, and nothing but what is measured, where MuJoCo makes a whole step.
void prepare(mjModel& model, const BenchRobot& robot) {
  std::copy_n(robot.gravity, 3, model.opt.gravity);
  model.opt.timestep = 1.0;
  model.opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_PASSIVE |
                            mjDSBL_ACTUATION | mjDSBL_SENSOR;
}

mjModel* compile(const BenchRobot& robot) {
  const std::string xml = urdf(robot);
  char path[] = "/tmp/ulna-bench-XXXXXX";
  const int file = mkstemp(path);
  if (file < 0) return nullptr;
  const bool written = write(file, xml.data(), xml.size()) == static_cast<ssize_t>(xml.size());
  close(file);
  char error[500] = "";
  mjModel* model = written ? mj_loadXML(path, nullptr, error, sizeof error) : nullptr;
  unlink(path);
  if (model)
    prepare(*model, robot);
  else
    std::fprintf(stderr, "MuJoCo, %s: %s\n", robot.name, error);
  return model;
}

struct Robot {
  mjModel* m;
  mjData* d;
  int n, tip;
  FloatingBase base{FloatingBase::Angular::in_body, FloatingBase::First::linear};
  std::vector<double> buffer, identity, step;

  Robot(mjModel* model, bool floating)
      : m(model), d(mj_makeData(m)), n(m->nv), tip(m->nbody - 1), buffer(6 * n), identity(n * n) {
    base.present = floating;
    for (int i = 0; i < n; ++i) identity[i * n + i] = 1.0;
  }
  ~Robot() {
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  Robot(const Robot&) = delete;
  Robot& operator=(const Robot&) = delete;

  void place(const double* q) {
    std::copy_n(q, m->nq, d->qpos);
    if (base.present) {
      std::copy_n(q + 4, 3, d->qpos);
      std::copy_n(q, 4, d->qpos + 3);
      base.set(q);
    }
    mj_kinematics(m, d);
  }
  void move(const double* v) {
    base.to_peer(v, n, d->qvel);
    mj_comVel(m, d);
  }
};

Robot& of(void* robot) { return *static_cast<Robot*>(robot); }

void* load(const BenchRobot* robot) {
  if (!FloatingBase::understood(*robot)) return nullptr;
  mjModel* model = compile(*robot);
  if (!model) return nullptr;
  return std::make_unique<Robot>(model, robot->bodies[0].joint == BENCH_FLOATING).release();
}

void unload(void* robot) { std::unique_ptr<Robot>(&of(robot)).reset(); }

void inverse_dynamics(void* robot, const double* q, const double* v, const double* a, double* tau) {
  Robot& r = of(robot);
  r.place(q);
  mj_comPos(r.m, r.d);
  r.move(v);
  r.base.acceleration_to_peer(v, a, r.n, r.d->qacc);
  mj_rne(r.m, r.d, 1, r.buffer.data());
  r.base.from_peer(r.buffer.data(), r.n, tau);
}

void bias(void* robot, const double* q, const double* v, const double*, double* tau) {
  Robot& r = of(robot);
  r.place(q);
  mj_comPos(r.m, r.d);
  r.move(v);
  if (r.base.present) {
    std::fill_n(r.buffer.data(), r.n, 0.0);
    r.base.acceleration_to_peer(v, r.buffer.data(), r.n, r.d->qacc);
  }
  mj_rne(r.m, r.d, r.base.present, r.buffer.data());
  r.base.from_peer(r.buffer.data(), r.n, tau);
}

void mass_matrix(void* robot, const double* q, const double*, const double*, double* M) {
  Robot& r = of(robot);
  r.place(q);
  mj_comPos(r.m, r.d);
  mj_crb(r.m, r.d);
  mj_fullM(r.m, M, r.d->qM);
  r.base.matrix_from_peer(M, r.n);
}

void forward_dynamics(void* robot, const double* q, const double* v, const double* tau, double* a) {
  Robot& r = of(robot);
  r.place(q);
  mj_comPos(r.m, r.d);
  mj_crb(r.m, r.d);
  mj_factorM(r.m, r.d);
  r.move(v);
  mj_rne(r.m, r.d, 0, r.d->qfrc_bias);
  r.base.to_peer(tau, r.n, r.buffer.data());
  for (int i = 0; i < r.n; ++i) r.buffer[i] -= r.d->qfrc_bias[i];
  mj_solveM(r.m, r.d, r.d->qacc, r.buffer.data(), 1);
  r.base.acceleration_from_peer(v, r.d->qacc, r.n, a);
}

void inverse_mass(void* robot, const double* q, const double*, const double*, double* M_inverse) {
  Robot& r = of(robot);
  r.place(q);
  mj_comPos(r.m, r.d);
  mj_crb(r.m, r.d);
  mj_factorM(r.m, r.d);
  mj_solveM(r.m, r.d, M_inverse, r.identity.data(), r.n);
  r.base.matrix_from_peer(M_inverse, r.n);
}

void jacobian(void* robot, const double* q, const double*, const double*, double* J) {
  Robot& r = of(robot);
  r.place(q);
  mj_comPos(r.m, r.d);
  double* angular = r.buffer.data();
  double* linear = angular + 3 * r.n;
  mj_jacBody(r.m, r.d, linear, angular, r.tip);
  for (int i = 0; i < r.n; ++i)
    for (int k = 0; k < 6; ++k) J[6 * i + k] = angular[k * r.n + i];
  r.base.columns_from_peer(Eigen::Map<Eigen::MatrixXd>(J, 6, r.n));
}

void kinematics(void* robot, const double* q, const double*, const double*, double* pose) {
  Robot& r = of(robot);
  r.place(q);
  std::copy_n(r.d->xmat + 9 * r.tip, 9, pose);
  std::copy_n(r.d->xpos + 3 * r.tip, 3, pose + 9);
}

/// From the derivatives of a step of one second, v' = v + a: what MuJoCo offers, centred differences that
/// leave out stages where they can.
void forward_dynamics_derivatives(void* robot, const double* q, const double* v, const double* tau,
                                  double* out) {
  Robot& r = of(robot);
  const int n = r.n;
  std::copy_n(q, n, r.d->qpos);
  std::copy_n(v, n, r.d->qvel);
  std::copy_n(tau, n, r.d->qfrc_applied);
  r.step.resize(4 * n * n);
  mjd_transitionFD(r.m, r.d, 1e-6, 1, r.step.data(), nullptr, nullptr, nullptr);
  for (int j = 0; j < 2 * n; ++j)
    for (int i = 0; i < n; ++i) out[j * n + i] = r.step[(n + i) * 2 * n + j] - (j == n + i);
  inverse_mass(robot, q, nullptr, nullptr, out + 2 * n * n);
}

}  // namespace

const BenchPeer* bench_peer(void) {
  static const BenchPeer peer{"MuJoCo",
                              mj_versionString(),
                              load,
                              unload,
                              {inverse_dynamics, bias, mass_matrix, forward_dynamics, inverse_mass,
                               jacobian, kinematics, nullptr, forward_dynamics_derivatives},
                              false};
  return &peer;
}
