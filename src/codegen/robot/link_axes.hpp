#pragma once

#include "codegen/robot/exact_places.hpp"
#include "ulna/dynamics/joint_kernels.hpp"
#include "ulna/dynamics/mass_matrix_impl.hpp"

/// From a link to its parent, in the axes of each. The algorithms of dynamics work in world axes where
/// that suits a processor; in generated code every operation counts, and a rotation from link to link
/// is mostly zeros, while one to the world is not.
namespace ulna::detail {

using lanes::S3;
using lanes::V6;

/// Second moments turned about z: with e = c (Σxx - Σyy) - 2 s Σxy, four products for the block that
/// turns.
template <Scalar T>
S3<T> turned_about_z(const S3<T>& S, const T& s, const T& c) {
  const T e = c * (S.xx - S.yy) - s * (T(2) * S.xy);
  S3<T> turned;
  turned.xx = S.yy + c * e;
  turned.yy = S.xx - c * e;
  turned.xy = S.xy + s * e;
  turned.xz = c * S.xz - s * S.yz;
  turned.yz = s * S.xz + c * S.yz;
  turned.zz = S.zz;
  return turned;
}

/// The same for any matrix.
template <Scalar T>
M3<T> turned_about_z(const M3<T>& B, const T& s, const T& c) {
  const V3<T>&x = B.c[0], &y = B.c[1], &z = B.c[2];
  const T e = c * (x.x - y.y) - s * (y.x + x.y);
  return {{y.y + c * e, x.y + s * e, c * x.z - s * y.z},
          {y.x + s * e, x.x - c * e, s * x.z + c * y.z},
          {c * z.x - s * z.y, s * z.x + c * z.y, z.z}};
}

template <Scalar T>
M3<T> conjugated(const M3<T>& R, const M3<T>& B) {
  return R * B * R.transposed();
}

/// All links placed in their parents at q, with the frames of exact_places.
template <Scalar T>
class LinkAxes {
 public:
  LinkAxes(const Model& model, const VecX<T>& q)
      : model_(model), skeleton_(model), R_(skeleton_.places.size()), p_(R_.size()) {
    place_exactly(model, skeleton_);
    joint_angles(model.joints(), q.data(), skeleton_);
    for (int b = 1; b < model.body_count(); ++b)
      place(model.joint(b), skeleton_, b, q.data(), R_[at(b)], p_[at(b)]);
  }

  const V3<T>& p(int b) const { return p_[at(b)]; }
  V3<T> out(int b, const V3<T>& v) const { return R_[at(b)].back(v); }  ///< to the link's axes
  V3<T> in(int b, const V3<T>& v) const { return R_[at(b)] * v; }       ///< to its parent's
  /// A motion at the parent's origin, at the link's.
  V6<T> motion_out(int b, const V6<T>& V) const {
    return {out(b, V.angular), out(b, V.linear + cross(V.angular, p(b)))};
  }
  /// A wrench at the link's origin, at the parent's.
  V6<T> wrench_in(int b, const V6<T>& F) const {
    const V3<T> f = in(b, F.linear);
    return {in(b, F.angular) + cross(p(b), f), f};
  }
  /// A matrix in the parent's axes.
  M3<T> in(int b, const M3<T>& B) const {
    if (!turns_only(model_.joint(b).type)) return conjugated(R_[at(b)].R, B);
    return conjugated(fixed_turn(b),
                      turned_about_z(B, skeleton_.sine[at(b)], skeleton_.cosine[at(b)]));
  }
  /// An inertia (mass, first and second moments) added to the parent's.
  template <class Composite>
  void hand_over(int b, const Composite& C, Composite& P) const {
    const bool turns = turns_only(model_.joint(b).type);
    const S3<T> second =
        turns ? turned_about_z(C.second, skeleton_.sine[at(b)], skeleton_.cosine[at(b)]) : C.second;
    const V3<T> h = in(b, C.first), mp = p(b) * C.mass;
    P.mass += C.mass;
    P.first += h + mp;
    P.second += S3<T>::carried(turns ? fixed_turn(b) : R_[at(b)].R, second, h + mp * T(0.5), p(b));
  }

 private:
  static std::size_t at(int b) { return static_cast<std::size_t>(b); }
  M3<T> fixed_turn(int b) const { return skeleton_.places[at(b)].turn.still().R; }

  const Model& model_;
  Skeleton<T> skeleton_;
  std::vector<Turn<T>> R_;
  std::vector<V3<T>> p_;
};

/// The twists of a joint per unit of each of its velocities, in its link's axes.
template <Scalar T>
std::vector<V6<T>> joint_twists(const Joint& j) {
  std::vector<V6<T>> all;
  for (int k = 0; k < velocity_size(j.type); ++k) {
    T unit[6] = {T(0), T(0), T(0), T(0), T(0), T(0)};
    unit[k] = T(1);
    const Twist<T> S = joint_twist(j.type, j.pitch, unit);
    all.push_back({V3<T>(S.angular), V3<T>(S.linear)});
  }
  return all;
}

}  // namespace ulna::detail
