#pragma once

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/joint_kernels.hpp"
#include "ulna/dynamics/motion_impl.hpp"

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

template <Scalar T>
void subtract_wrenches(ExternalWrenches<T> wrenches, const Model& model, Workspace<T>& ws) {
  for (const ExternalWrench<T>& given : wrenches) {
    const Wrench<T> F = on_body(given, model, ws);
    ws.links[given.frame->body].f -= V3<T>(F.force);
    ws.links[given.frame->body].n -= V3<T>(F.moment);
  }
}

/// The recursion over the joints of the tree. A null `v` means a robot at rest, `a` being ignored then; a
/// null `a` means one that does not accelerate.
template <Scalar T>
void newton_euler(const Plant<T>& plant, const Motion<T>& motion, const T* v, const T* a,
                  Workspace<T>& ws, ExternalWrenches<T> wrenches, T* tau) {
  const std::span<const Joint> joints = plant.model().joints();
  const int n = static_cast<int>(joints.size());

  auto& world = ws.links[0];
  world.w = world.alpha = world.f = world.n = V3<T>::zero();
  world.U = M3<T>::zero();
  world.a = world_acceleration<T>(plant.gravity).linear;

  // outward: motion of each body, then the force and moment it needs
  for (int b = 1; b < n; ++b) {
    const Joint& j = joints[b];
    const auto& P = ws.links[j.parent];
    auto& B = ws.links[b];
    place(j, motion.skeleton(), b, motion.tree_q(), B.R, B.p);
    B.a = B.R.back(P.a + P.U * B.p);
    if (v) {
      B.w = B.R.back(P.w);
      B.alpha = B.R.back(P.alpha);
      add_joint_motion(j, v, a, B);
    }
    B.U = v ? point_acceleration(B.w, B.alpha) : M3<T>::zero();
    newton_euler_equations<T>(plant.body(b), B.a, B.U, B.f, B.n);
  }
  subtract_wrenches(wrenches, plant.model(), ws);

  // inward: the joint takes the part along its motion, the parent must provide all of it
  for (int b = n - 1; b > 0; --b) {
    const auto& B = ws.links[b];
    auto& P = ws.links[joints[b].parent];
    project(joints[b], B.n, B.f, tau);
    const V3<T> f = B.R * B.f;
    P.f += f;
    P.n += B.R * B.n + cross(B.p, f);
  }
}

/// The same for the robot's coordinates.
template <Scalar T>
void newton_euler_torque(const Plant<T>& plant, const Motion<T>& motion, const T* v, const T* a,
                         Workspace<T>& ws, ExternalWrenches<T> wrenches, T* tau) {
  const Model& model = plant.model();
  T* const tree_tau = model.has_mimics() ? ws.tree_tau.data() : tau;
  newton_euler(plant, motion, v, a, ws, wrenches, tree_tau);
  if (model.has_mimics()) gather_torques(model, tree_tau, tau);
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
void inverse_dynamics(const Plant<T>& plant, SameMotion<T> motion, Workspace<T>& ws, Out<T> tau,
                      ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  detail::require_same_robot(plant, motion);
  detail::require_size("tau", tau.size(), model.nv(), model);
  detail::check_wrenches(wrenches, model);
  detail::newton_euler_torque(plant, motion, motion.tree_v(), motion.tree_a(), ws, wrenches,
                              tau.data());
  for (Eigen::Index i = 0; i < tau.size(); ++i)
    tau(i) +=
        plant.armature(i) * motion.a()(i) + detail::friction_torque<T>(plant, i, motion.v()(i));
}

template <Scalar T>
void inverse_dynamics(const Plant<T>& plant, SameMotion<T> motion, Workspace<T>& ws, Out<T> tau,
                      std::span<Wrench<T>> joint_wrenches, ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  detail::require_size("joint_wrenches", static_cast<Eigen::Index>(joint_wrenches.size()),
                       model.body_count(), model);
  inverse_dynamics(plant, motion, ws, tau, wrenches);
  for (int b = 0; b < model.body_count(); ++b) {
    const Mat3<T> R_BC = model.joint(b).R_BC.matrix().template cast<T>();
    joint_wrenches[b] = {R_BC * ws.links[b].n.vec(), R_BC * ws.links[b].f.vec()};
  }
  // the base itself has weight too
  const typename Plant<T>::Body& base = plant.body(0);
  const Vec3<T> up = -plant.gravity;
  joint_wrenches[0].force += base.mass * up;
  joint_wrenches[0].moment += cross(base.first.vec(), up);
}

template <Scalar T>
void bias_torque(const Plant<T>& plant, SameMotion<T> motion, Workspace<T>& ws, Out<T> tau) {
  detail::require_same_robot(plant, motion);
  detail::require_size("tau", tau.size(), plant.model().nv(), plant.model());
  detail::newton_euler_torque<T>(plant, motion, motion.tree_v(), nullptr, ws, {}, tau.data());
}

template <Scalar T>
void gravity_torque(const Plant<T>& plant, SameMotion<T> motion, Workspace<T>& ws, Out<T> tau,
                    ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  detail::require_same_robot(plant, motion);
  detail::require_size("tau", tau.size(), model.nv(), model);
  detail::check_wrenches(wrenches, model);
  detail::newton_euler_torque<T>(plant, motion, nullptr, nullptr, ws, wrenches, tau.data());
}

}  // namespace ulna
