#include "bench.hpp"
#include "ulna/ulna.hpp"

namespace bench {
namespace {

using Row3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

double without_dust(double x) { return std::abs(x) < 1e-15 ? 0.0 : x; }

/// A body in the frames of its author, as every other library would read it from a URDF.
BenchBody body_of(const ulna::Model& model, int b) {
  const ulna::Joint& joint = model.joint(b);
  const ulna::Transform<double> X_PC =
      ulna::Transform<double>::from_rotation(model.joint(joint.parent).R_BC) * joint.X_PJ;
  const ulna::Transform<double> X_PB =
      X_PC * ulna::Transform<double>::from_rotation(joint.R_BC.inverse());
  const ulna::Inertia<double>& inertia = model.inertias()[b];

  BenchBody body{};
  body.parent = joint.parent - 1;
  body.joint = joint.type == ulna::JointType::floating    ? BENCH_FLOATING
               : joint.type == ulna::JointType::prismatic ? BENCH_PRISMATIC
                                                          : BENCH_REVOLUTE;
  Eigen::Map<Row3>{body.R} = X_PB.rotation().matrix().unaryExpr(&without_dust);
  Eigen::Map<Eigen::Vector3d>{body.p} = X_PB.translation().unaryExpr(&without_dust);
  Eigen::Map<Eigen::Vector3d>{body.axis} = joint.R_BC.matrix().col(2).unaryExpr(&without_dust);
  body.mass = inertia.mass();
  Eigen::Map<Eigen::Vector3d>{body.com} = inertia.com();
  Eigen::Map<Row3>{body.inertia} = inertia.rotational_about_com();
  return body;
}

States random_states(const ulna::Model& model) {
  std::mt19937_64 random(20240607);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  States s{model.nq(), model.nv(), model.joint_count(), {}, {}, {}, {}};
  for (int i = 0; i < state_count; ++i) {
    const Eigen::VectorXd q = ulna::random_configuration(model, random);
    s.q.insert(s.q.end(), q.begin(), q.end());
    for (int k = 0; k < s.nv; ++k) s.v.push_back(unit(random)), s.a.push_back(unit(random));
  }
  ulna::Plant<double> plant(model);
  plant.remove_friction();
  plant.armature.setZero();
  ulna::Motion<double> motion(model);
  ulna::Workspace<double> ws(model);
  s.tau.resize(s.a.size());
  using In = Eigen::Map<const Eigen::VectorXd>;
  for (int i = 0; i < state_count; ++i) {
    motion.set(In(s.q_of(i), s.nq), In(s.v_of(i), s.nv), In(s.a.data() + i * s.nv, s.nv));
    ulna::inverse_dynamics<double>(plant, motion, ws,
                                   Eigen::Map<Eigen::VectorXd>(s.tau.data() + i * s.nv, s.nv));
  }
  return s;
}

}  // namespace

BenchRobot Robot::table() const {
  BenchRobot robot{name.c_str(),  states.nq, states.nv, static_cast<int>(bodies.size()),
                   bodies.data(), {}};
  Eigen::Map<Eigen::Vector3d>{robot.gravity} = model.gravity();
  return robot;
}

Robot make_robot(const std::string& name) {
  ulna::Model model = ulna::load_robot(name).model;
  Robot robot{name, model, {}, random_states(model)};
  for (int b = 1; b < model.body_count(); ++b) robot.bodies.push_back(body_of(model, b));
  return robot;
}

const char* algorithm_name(int algorithm) {
  static const char* const names[] = {"inverse_dynamics",
                                      "bias_torque",
                                      "mass_matrix",
                                      "forward_dynamics",
                                      "inverse_mass",
                                      "jacobian",
                                      "kinematics",
                                      "inverse_dynamics_derivatives",
                                      "forward_dynamics_derivatives",
                                      "inverse_dynamics_second_derivatives",
                                      "torque_regressor"};
  return names[algorithm];
}

int result_size(int algorithm, const States& states) {
  const int nv = states.nv;
  switch (algorithm) {
    case BENCH_MASS_MATRIX:
    case BENCH_INVERSE_MASS:
      return nv * nv;
    case BENCH_JACOBIAN:
      return 6 * nv;
    case BENCH_KINEMATICS:
      return 12;
    case BENCH_INVERSE_DYNAMICS_DERIVATIVES:
    case BENCH_FORWARD_DYNAMICS_DERIVATIVES:
      return 3 * nv * nv;
    case BENCH_SECOND_DERIVATIVES:
      return 4 * nv * nv * nv;
    case BENCH_REGRESSOR:
      return nv * 10 * states.bodies;
    default:
      return nv;
  }
}

Eigen::MatrixXd spread(const std::vector<double>& from, int rows, int count) {
  Eigen::MatrixXd columns(rows, count);
  for (int i = 0; i < count; ++i)
    columns.col(i) = Eigen::Map<const Eigen::VectorXd>(from.data() + i % state_count * rows, rows);
  return columns;
}

}  // namespace bench
