#pragma once

#include "codegen/robot/expression_places.hpp"
#include "ulna/dynamics/kinematics_impl.hpp"
#include "ulna/dynamics/mass_matrix_impl.hpp"

namespace ulna::detail {

/// Second moments turned about z: with d = Σxx - Σyy and e = c d - 2 s Σxy, four products for the
/// block that turns.
template <Scalar T>
lanes::S3<T> turned_about_z(const lanes::S3<T>& S, const T& s, const T& c) {
  const T e = c * (S.xx - S.yy) - s * (T(2) * S.xy);
  lanes::S3<T> turned;
  turned.xx = S.yy + c * e;
  turned.yy = S.xx - c * e;
  turned.xy = S.xy + s * e;
  turned.xz = c * S.xz - s * S.yz;
  turned.yz = s * S.xz + c * S.yz;
  turned.zz = S.zz;
  return turned;
}

/// M(q) by composite bodies [Walker, Orin 1982; Featherstone 2008, ch. 6] in the axes of the links.
/// mass_matrix works in world axes, which suits a processor better; here every operation counts, and a
/// rotation from link to link is mostly zeros, while one to the world is not.
template <Scalar T>
MatX<T> link_axes_mass_matrix(const Plant<T>& plant, const VecX<T>& q) {
  const Model& model = plant.model();
  const std::span<const Joint> joints = model.joints();
  const int n = model.body_count(), nv = model.nv();
  MatX<T> M = MatX<T>::Constant(nv, nv, T(0));
  for (const Joint& j : joints) {
    if (!j.mimics) continue;
    Workspace<T> ws(model);
    Configuration<T> at(model);
    at.set(q);
    mass_matrix<T>(plant, at, ws, M);
    return M;
  }

  Workspace<T> ws(model);
  joint_angles(joints, q.data(), ws.skeleton);
  for (int b = 0; b < n; ++b) {
    if (b > 0) place(joints[b], ws.skeleton, b, q.data(), ws.links[b].R, ws.links[b].p);
    const auto& body = plant.body(b);
    ws.composites[b] = {body.mass, body.first, body.second};
  }

  for (int b = n - 1; b > 0; --b) {
    const Joint& j = joints[b];
    typename Workspace<T>::Composite& C = ws.composites[b];
    for (int k = 0; k < velocity_size(j.type); ++k) {
      // the momentum of all that the joint moves, as felt by itself and by each joint above it
      T unit[6] = {T(0), T(0), T(0), T(0), T(0), T(0)};
      unit[k] = T(1);
      const Twist<T> S = joint_twist(j.type, j.pitch, unit);
      V3<T> moment, force;
      momentum(C, V3<T>(S.angular), V3<T>(S.linear), moment, force);
      VecX<T> felt = VecX<T>::Constant(nv, T(0));
      for (int i = b; i > 0; i = joints[i].parent) {
        project(joints[i], moment, force, felt.data());
        force = ws.links[i].R * force;
        moment = ws.links[i].R * moment + cross(ws.links[i].p, force);
      }
      const int column = j.v + k;
      for (int r = 0; r <= column; ++r) M(r, column) = M(column, r) = felt(r);
      M(column, column) += plant.armature(column);
    }
    if (j.parent == 0) continue;

    // hand the composite to the parent
    const V3<T>& p = ws.links[b].p;
    lanes::M3<T> R = ws.links[b].R.R;
    lanes::S3<T> second = C.second;
    const V3<T> h = R * C.first;
    if (turns_only(j.type)) {
      second = turned_about_z(second, ws.skeleton.sine[b], ws.skeleton.cosine[b]);
      R = ws.skeleton.places[b].turn.still().R;
    }
    const V3<T> mp = p * C.mass;
    add_body(typename Workspace<T>::Composite{C.mass, h + mp,
                                              lanes::S3<T>::carried(R, second, h + mp * T(0.5), p)},
             ws.composites[j.parent]);
  }
  return M;
}

}  // namespace ulna::detail
