#include "world/movers.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace ulna::detail {

namespace {

using V3 = Vec3<double>;
using Block = Eigen::Map<const V3>;
Eigen::Map<V3> three(double* x) { return Eigen::Map<V3>(x); }

}  // namespace

Loose::Loose(const Inertia<double>& inertia, const Transform<double>& X_WB)
    : mass_(inertia.mass()),
      root_mass_(std::sqrt(mass_)),
      com_(inertia.com()),
      I_(inertia.rotational_about_com()),
      I_inverse_(I_.inverse()),
      orientation_(X_WB.rotation().quaternion().normalized()),
      p_(X_WB * com_) {
  const Mat3<double> off = I_ - I_(0, 0) * Mat3<double>::Identity();
  C_ = Eigen::LLT<Mat3<double>>(I_).matrixL();
  C_inverse_ = C_.inverse();
  round_ = off.cwiseAbs().maxCoeff() <= 1e-12 * I_(0, 0);
  turn();
}

void Loose::turn() {
  R_ = Rotation<double>::from_quaternion(orientation_).matrix();
  // axes do not matter to what is round
  if (round_) {
    W_inverse_ = I_inverse_;
    to_unit_ = C_.transpose(), from_unit_ = C_inverse_.transpose();
  } else {
    to_unit_.noalias() = C_.transpose() * R_.transpose();
    from_unit_.noalias() = R_ * C_inverse_.transpose();
    W_inverse_.noalias() = from_unit_ * from_unit_.transpose();
  }
  w_.noalias() = W_inverse_ * L_;
}

Transform<double> Loose::pose() const {
  return {Rotation<double>::from_matrix(R_), p_ - R_ * com_};
}

void Loose::set_state(const double* q, const double* v) {
  orientation_ = Quaternion<double>{q[0], q[1], q[2], q[3]}.normalized();
  turn();
  const V3 w = R_ * Block(v);
  p_ = Block(q + 4) + R_ * com_;
  v_ = R_ * Block(v + 3) + cross(w, V3(R_ * com_));
  L_ = R_ * (I_ * Block(v));
  w_ = w;
}

void Loose::get_state(double* q, double* v) const {
  q[0] = orientation_.w, q[1] = orientation_.x, q[2] = orientation_.y, q[3] = orientation_.z;
  const V3 origin = p_ - R_ * com_;
  three(q + 4) = origin;
  three(v) = R_.transpose() * w_;
  three(v + 3) = R_.transpose() * velocity_at(origin);
}

void Loose::velocity_to_unit(const V3& w, const V3& v, double* u) const {
  three(u) = to_unit_ * w, three(u + 3) = root_mass_ * v;
}
void Loose::velocity_from_unit(const double* u, double* v) const {
  three(v) = from_unit_ * Block(u), three(v + 3) = Block(u + 3) / root_mass_;
}

void Loose::get_velocity(double* u) const { velocity_to_unit(w_, v_, u); }

void Loose::free_velocity(double h, const V3& gravity, double* u) const {
  velocity_to_unit(w_ + h * (W_inverse_ * moment_), v_ + h * (gravity + force_ / mass_), u);
}

void Loose::add_row(const ContactRow& row, const V3& point, double sign, double* J) const {
  const V3 turn = sign * (row.turns ? row.along : cross(V3(point - p_), row.along));
  const V3 slide = row.turns ? V3(V3::Zero()) : V3(sign * row.along);
  three(J) = from_unit_.transpose() * turn, three(J + 3) = slide / root_mass_;
}

double Loose::wrench_work(double h, const double* after) const {
  return 0.5 * h * (moment_.dot(w_ + Block(after)) + force_.dot(v_ + Block(after + 3)));
}

void Loose::set_motion(const Quaternion<double>& orientation, const V3& center, const V3& spin,
                       const V3& velocity) {
  orientation_ = orientation.normalized();
  turn();
  p_ = center, v_ = velocity, w_ = spin;
  L_ = R_ * (I_ * (R_.transpose() * w_));
}

void Loose::free_acceleration(const V3& gravity, double* u) const {
  velocity_to_unit(W_inverse_ * (moment_ - cross(w_, L_)), gravity + force_ / mass_, u);
}

void Loose::shift(const V3& turn, const V3& way) {
  set_motion(Quaternion<double>::exp(turn) * orientation_, p_ + way, w_, v_);
}

void Loose::move(double h, const double* v, bool touched, const double* shift) {
  const V3 w_end = Block(v), v_end = Block(v + 3);
  const V3 L_end = touched ? V3(R_ * (I_ * (R_.transpose() * w_end))) : V3(L_ + h * moment_);
  // what nothing touches moves by the mean velocity, which is exact under gravity alone
  p_ += h * (touched ? v_end : V3(0.5 * (v_ + v_end)));
  // turns by the velocity half-way, its momentum kept: the midpoint rule, implicit
  const V3 L_mean = touched ? L_end : V3(0.5 * (L_ + L_end));
  V3 w = w_end;
  if (!round_)
    for (int i = 0; i < 3; ++i) {
      const Mat3<double> half = Rotation<double>::exp(0.5 * h * w).matrix() * R_;
      w = half * (I_inverse_ * (half.transpose() * L_mean));
    }
  else
    w = W_inverse_ * L_mean;
  V3 angle = h * w;
  v_ = v_end, L_ = L_end;
  if (shift) {
    const V3 aside = h * Block(shift + 3);
    angle += h * Block(shift), p_ += aside;
    L_ -= mass_ * cross(aside, v_);  // so that the angular momentum about other points is kept
  }
  orientation_ = (Quaternion<double>::exp(angle) * orientation_).normalized();
  turn();
}

}  // namespace ulna::detail
