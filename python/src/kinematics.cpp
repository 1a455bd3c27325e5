#include "spec.hpp"
#include "ulna/derivatives/frame_derivatives.hpp"

namespace ulna::python {
namespace {

using enum Role;

void set_q(Scratch& s, const Call& c) { s.at.set(c.x[0].vec()); }
void set_q_v(Scratch& s, const Call& c) { s.at.set(c.x[0].vec(), c.x[1].vec()); }
void set_q_v_a(Scratch& s, const Call& c) { s.at.set(c.x[0].vec(), c.x[1].vec(), c.x[2].vec()); }

void write_pose(const Transform<double>& X, double* out) {
  using Pose = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;
  Eigen::Map<Pose> to(out);
  to.setIdentity();
  to.topLeftCorner<3, 3>() = X.rotation().matrix();
  to.topRightCorner<3, 1>() = X.translation();
}
void write_twist(const Twist<double>& V, double* out) {
  Eigen::Map<Vec3<double>>{out} = V.angular;
  Eigen::Map<Vec3<double>>{out + 3} = V.linear;
}

void pose(const Engine&, Scratch& s, const Call& c) {
  set_q(s, c);
  write_pose(s.at.pose(*c.frame), c.out[0]);
}
bool pose_many(const Engine&, Crew& crew, const Call& c, Index n) {
  MatrixXd X(7, n);
  crew.batch().pose(c.x[0].columns(n), *c.frame, X);
  for (Index i = 0; i < n; ++i) {
    const auto R = Rotation<double>::from_quaternion({X(0, i), X(1, i), X(2, i), X(3, i)});
    write_pose({R, X.col(i).tail<3>()}, c.out[0] + 16 * i);
  }
  return true;
}

void velocity_of(const Engine&, Scratch& s, const Call& c) {
  set_q_v(s, c);
  write_twist(frame_velocity(s.at, *c.frame, c.axes), c.out[0]);
}
void acceleration_of(const Engine&, Scratch& s, const Call& c) {
  set_q_v_a(s, c);
  write_twist(frame_acceleration(s.at, *c.frame, c.axes), c.out[0]);
}
void drift(const Engine&, Scratch& s, const Call& c) {
  set_q_v(s, c);
  write_twist(frame_drift(s.at, *c.frame, c.axes), c.out[0]);
}

void jacobian(const Engine& e, Scratch& s, const Call& c) {
  set_q(s, c);
  frame_jacobian<double>(s.at, *c.frame, c.axes, s.wide);
  RowMap(c.out[0], 6, e.model.nv()) = s.wide;
}
bool jacobian_many(const Engine& e, Crew& crew, const Call& c, Index n) {
  if (c.axes != Axes::aligned) return false;
  const Index size = 6 * e.model.nv();
  crew.batch().jacobian(c.x[0].columns(n), *c.frame, Eigen::Map<MatrixXd>(c.out[0], size, n));
  for (Index i = 0; i < n; ++i) {
    double* J = c.out[0] + i * size;
    crew.scratch.wide = Eigen::Map<MatrixXd>(J, 6, e.model.nv());
    RowMap(J, 6, e.model.nv()) = crew.scratch.wide;
  }
  return true;
}
void jacobian_rate(const Engine& e, Scratch& s, const Call& c) {
  set_q_v(s, c);
  frame_jacobian_rate<double>(s.at, *c.frame, c.axes, s.wide);
  RowMap(c.out[0], 6, e.model.nv()) = s.wide;
}

/// out[row, column, k] = d J[row, column] / d q_k
void hessian(const Engine& e, Scratch& s, const Call& c) {
  set_q(s, c);
  const Index n = e.model.nv();
  MatrixXd H(6, n * n);
  frame_hessian<double>(s.at, *c.frame, c.axes, H);
  for (Index row = 0; row < 6; ++row)
    for (Index column = 0; column < n; ++column)
      for (Index k = 0; k < n; ++k) c.out[0][(row * n + column) * n + k] = H(row, k * n + column);
}

void motion_derivatives(const Engine& e, Scratch& s, const Call& c) {
  set_q_v_a(s, c);
  const Index n = e.model.nv();
  MatrixXd velocity_dq(6, n), acceleration_dq(6, n), acceleration_dv(6, n);
  frame_motion_derivatives<double>(s.at, *c.frame, c.axes, velocity_dq, acceleration_dq,
                                   acceleration_dv);
  RowMap(c.out[0], 6, n) = velocity_dq;
  RowMap(c.out[1], 6, n) = acceleration_dq;
  RowMap(c.out[2], 6, n) = acceleration_dv;
}

}  // namespace

std::span<const Spec> kinematics_functions() {
  static const Parameter q{"q", configuration}, v{"v", velocity}, a{"a", velocity},
      of{"frame", frame}, in{"axes", axes};
  static const Shape twist{6}, wide{6, nv};
  static const std::vector<Spec> list{
      {"pose", {q, of}, {Shape{4, 4}}, pose, pose_many},
      {"velocity", {q, v, of, in}, {twist}, velocity_of},
      {"acceleration", {q, v, a, of, in}, {twist}, acceleration_of},
      {"drift", {q, v, of, in}, {twist}, drift},
      {"jacobian", {q, of, in}, {wide}, jacobian, jacobian_many},
      {"jacobian_rate", {q, v, of, in}, {wide}, jacobian_rate},
      {"jacobian_derivative", {q, of, in}, {Shape{6, nv, nv}}, hessian},
      {"frame_motion_derivatives", {q, v, a, of, in}, {wide, wide, wide}, motion_derivatives},
  };
  return list;
}

}  // namespace ulna::python
