#pragma once

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/joint_kernels.hpp"

namespace ulna {
namespace detail {

/// A wrench on a frame, as it acts on the frame's body in canonical axes at the body's origin. World
/// axes are reached by way of the ancestors.
template <Scalar T>
Wrench<T> on_body(const ExternalWrench<T>& given, const Model& model, const Workspace<T>& ws) {
  const int b = given.frame->body;
  const Joint& j = model.joint(b);
  const Transform<T> X_CF =
      cast<T>(Transform<double>::from_rotation(j.R_BC.inverse()) * given.frame->X_BF);
  if (given.axes == Axes::local) return X_CF * given.wrench;

  Transform<T> X_WC;
  for (int i = b; i > 0; i = model.joint(i).parent)
    X_WC =
        Transform<T>(Rotation<T>::from_matrix(ws.links[i].R.R.mat()), ws.links[i].p.vec()) * X_WC;
  if (given.axes == Axes::world) return X_WC.inverse_apply(given.wrench);
  const Rotation<T>& R_WC = X_WC.rotation();
  const Wrench<T> turned{R_WC.inverse_apply(given.wrench.moment),
                         R_WC.inverse_apply(given.wrench.force)};
  return Transform<T>::from_translation(X_CF.translation()) * turned;
}

/// The recursion. `v` and `a` may be null: a robot at rest, one that does not accelerate.
template <Scalar T>
void newton_euler(const Plant<T>& plant, const T* q, const T* v, const T* a, Workspace<T>& ws,
                  ExternalWrenches<T> wrenches, T* tau) {
  using Link = typename Workspace<T>::Link;
  const Model& model = plant.model();
  const std::span<const Joint> joints = model.joints();
  const int n = static_cast<int>(joints.size()), nv = model.nv();
  joint_angles(joints, q, ws.skeleton);

  // the world accelerates against gravity, so every body feels its weight
  Link& world = ws.links[0];
  world.w = world.alpha = world.f = world.n = V3<T>::zero();
  world.U = M3<T>::zero();
  world.a = -V3<T>(Vec3<T>(model.gravity().template cast<T>()));

  // outward: motion of each body, then the force and moment it needs
  for (int b = 1; b < n; ++b) {
    const Joint& j = joints[b];
    const Link& P = ws.links[j.parent];
    Link& B = ws.links[b];
    place(j, ws.skeleton, b, q, B.R, B.p);
    B.a = B.R.back(P.a + P.U * B.p);
    if (v) {
      B.w = B.R.back(P.w);
      B.alpha = B.R.back(P.alpha);
      add_joint_motion(j, v, a, B);
      B.U = point_acceleration(B.w, B.alpha);
    } else {
      B.U = M3<T>::zero();
    }
    newton_euler_equations<T>(plant.body(b), B.a, B.U, B.f, B.n);
  }
  for (const ExternalWrench<T>& given : wrenches) {
    const Wrench<T> F = on_body(given, model, ws);
    ws.links[given.frame->body].f -= V3<T>(F.force);
    ws.links[given.frame->body].n -= V3<T>(F.moment);
  }

  // inward: the joint takes the part along its motion, the parent must provide all of it
  for (int i = 0; i < nv; ++i) tau[i] = T(0);
  for (int b = n - 1; b > 0; --b) {
    const Joint& j = joints[b];
    const Link& B = ws.links[b];
    Link& P = ws.links[j.parent];
    project(j, B.n, B.f, tau);
    const V3<T> f = B.R * B.f;
    P.f += f;
    P.n += B.R * B.n + cross(B.p, f);
  }
}

/// What joint i resists with at v.
template <Scalar T>
T friction_torque(const Plant<T>& plant, Eigen::Index i, const T& v) {
  const T coulomb =
      select(v > T(0), plant.friction(i), select(v < T(0), T(-plant.friction_negative(i)), T(0)));
  return plant.damping(i) * v + coulomb;
}

}  // namespace detail

template <Scalar T>
void add_friction(const Plant<T>& plant, In<T> v, Out<T> tau) {
  detail::require<T>("v", v, plant.model().nv(), plant.model());
  detail::require_size("tau", tau.size(), plant.model().nv(), plant.model());
  for (Eigen::Index i = 0; i < v.size(); ++i) tau(i) += detail::friction_torque<T>(plant, i, v(i));
}

template <Scalar T>
void inverse_dynamics(const Plant<T>& plant, In<T> q, In<T> v, In<T> a, Workspace<T>& ws,
                      Out<T> tau, ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  detail::require<T>("q", q, model.nq(), model);
  detail::require<T>("v", v, model.nv(), model);
  detail::require<T>("a", a, model.nv(), model);
  detail::require_size("tau", tau.size(), model.nv(), model);
  if (!wrenches.empty()) detail::check_wrenches(wrenches, model);
  detail::newton_euler(plant, q.data(), v.data(), a.data(), ws, wrenches, tau.data());
  for (Eigen::Index i = 0; i < tau.size(); ++i)
    tau(i) += plant.armature(i) * a(i) + detail::friction_torque<T>(plant, i, v(i));
}

template <Scalar T>
void inverse_dynamics(const Plant<T>& plant, In<T> q, In<T> v, In<T> a, Workspace<T>& ws,
                      Out<T> tau, std::span<Wrench<T>> joint_wrenches,
                      ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  detail::require_size("joint_wrenches", static_cast<Eigen::Index>(joint_wrenches.size()),
                       model.body_count(), model);
  inverse_dynamics(plant, q, v, a, ws, tau, wrenches);
  for (int b = 0; b < model.body_count(); ++b) {
    const Mat3<T> R_BC = model.joint(b).R_BC.matrix().template cast<T>();
    joint_wrenches[b] = {R_BC * ws.links[b].n.vec(), R_BC * ws.links[b].f.vec()};
  }
  // the base itself has weight too
  const typename Plant<T>::Body& base = plant.body(0);
  const Vec3<T> up = -model.gravity().template cast<T>();
  joint_wrenches[0].force += base.mass * up;
  joint_wrenches[0].moment += cross(base.first.vec(), up);
}

template <Scalar T>
void bias_torque(const Plant<T>& plant, In<T> q, In<T> v, Workspace<T>& ws, Out<T> tau) {
  const Model& model = plant.model();
  detail::require<T>("q", q, model.nq(), model);
  detail::require<T>("v", v, model.nv(), model);
  detail::require_size("tau", tau.size(), model.nv(), model);
  detail::newton_euler<T>(plant, q.data(), v.data(), nullptr, ws, {}, tau.data());
}

template <Scalar T>
void static_torque(const Plant<T>& plant, In<T> q, Workspace<T>& ws, Out<T> tau,
                   ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  detail::require<T>("q", q, model.nq(), model);
  detail::require_size("tau", tau.size(), model.nv(), model);
  if (!wrenches.empty()) detail::check_wrenches(wrenches, model);
  detail::newton_euler<T>(plant, q.data(), nullptr, nullptr, ws, wrenches, tau.data());
}

}  // namespace ulna
