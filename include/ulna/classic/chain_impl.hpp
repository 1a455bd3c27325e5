#pragma once

#include "ulna/classic/arm_impl.hpp"
#include "ulna/classic/chain.hpp"

namespace ulna::classic {

namespace detail {

/// Rz(q) E: the first two rows are mixed.
template <Scalar T>
Mat3<T> turned(const T& c, const T& s, const Mat3<T>& E) {
  Mat3<T> R;
  R.row(0) = E.row(0) * c - E.row(1) * s;
  R.row(1) = E.row(0) * s + E.row(1) * c;
  R.row(2) = E.row(2);
  return R;
}

}  // namespace detail

template <Scalar T>
Rotation<T> ChainLink<T>::R(const T& q) const {
  if (slides) return beyond.rotation();
  return Rotation<T>::from_matrix(detail::turned<T>(cos(q), sin(q), beyond.rotation().matrix()));
}

template <Scalar T>
Transform<T> ChainLink<T>::A(const T& q) const {
  const Vec3<T>& to = beyond.translation();
  if (slides) return {beyond.rotation(), Vec3<T>(to.x(), to.y(), to.z() + q)};
  const T c_q = cos(q), s_q = sin(q);
  return {Rotation<T>::from_matrix(detail::turned(c_q, s_q, beyond.rotation().matrix())),
          Vec3<T>(c_q * to.x() - s_q * to.y(), s_q * to.x() + c_q * to.y(), to.z())};
}

template <Scalar T>
Chain<T>::Chain(const Arm<T>& arm, const Transform<T>& X_tip) {
  if (!arm.is_chain()) detail::refuse_tree();
  const int n = arm.joint_count();
  add({});
  for (int i = 1; i <= n; ++i) {
    ChainLink<T> link;
    link.slides = arm.link(i).slides;
    link.beyond = i < n ? arm.link(i + 1).X_PJ : X_tip;
    link.inertia = link.beyond.inverse() * arm.link(i).inertia;
    link.damping = arm.link(i).damping;
    add(link);
  }
  gravity = n > 0 ? arm.link(1).X_PJ.rotation().inverse_apply(arm.gravity) : arm.gravity;
}

template <Scalar T>
Chain<T>::Chain(const std::vector<DhRow<T>>& table, const Vec3<T>& free_fall) : gravity(free_fall) {
  add({});
  for (const DhRow<T>& row : table) {
    ChainLink<T> link;
    link.slides = row.slides;
    link.beyond = Transform<T>(Rotation<T>::about_z(row.theta), {T(0), T(0), row.d}) *
                  Transform<T>(Rotation<T>::about_x(row.alpha), {row.a, T(0), T(0)});
    link.inertia = row.inertia;
    add(link);
  }
}

template <Scalar T>
void Chain<T>::add(ChainLink<T> link) {
  link.mass = link.inertia.mass();
  link.s = link.inertia.com();
  link.I = link.inertia.rotational() - Inertia<T>::steiner(link.mass, link.s);
  link.p = link.beyond.rotation().inverse_apply(link.beyond.translation());
  links_.push_back(std::move(link));
}

}  // namespace ulna::classic
