#pragma once

#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics_impl.hpp"
#include "ulna/dynamics/inverse_mass_matrix_impl.hpp"
#include "ulna/dynamics/kinematics_impl.hpp"

namespace ulna {
namespace detail {

/// Inertia, bias force p = V x* I V and bias acceleration c = V x V_J of each body alone.
template <Scalar T>
void set_rigid_bodies(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws,
                      ExternalWrenches<T> wrenches) {
  const std::span<const Joint> joints = plant.model().joints();
  for (int b = 1; b < static_cast<int>(joints.size()); ++b) {
    auto& B = ws.articulated[b];
    typename Workspace<T>::Composite C;
    carry_to_world(plant.body(b), at.R(b), at.p(b), C);
    B.I.set_inertia(C.mass, C.first, C.second);
    const V3<T>&w = at.w(b), &u = at.u(b);
    V3<T> moment, force;
    momentum(C, w, u, moment, force);
    B.p = {cross(w, moment) + cross(u, force), cross(w, force)};
    // V_J is what the parent does not have
    const V3<T> wJ = w - at.w(joints[b].parent), uJ = u - at.u(joints[b].parent);
    B.c = {cross(w, wJ), cross(w, uJ) + cross(u, wJ)};
  }
  for (const ExternalWrench<T>& given : wrenches) {
    const Wrench<T> F = at_origin(at, given);
    ws.articulated[given.frame->body].p -= V6<T>{V3<T>(F.moment), V3<T>(F.force)};
  }
}

/// Whether a joint leaves its body free, so that nothing but its own torques passes through it. Other
/// scalars than the plain ones take it for six joints of one degree of freedom.
template <Scalar T>
bool is_free(const Plant<T>& plant, const Joint& j) {
  if constexpr (lanes::Plain<T>)
    return j.type == JointType::floating && plant.armature.template segment<6>(j.v).isZero(T(0));
  else
    return false;
}

/// A free body: its acceleration, whatever its parent does, and as bias force what the parent meets.
template <lanes::Plain T>
bool release_free(const Plant<T>& plant, const Kinematics<T>& at, const T* tau, int b,
                  typename Workspace<T>::Articulated& B) {
  const int first = at.directions(b)[0].dof;
  const auto along = [&](int i) {
    return tau[first + i] - friction_torque<T>(plant, first + i, at.v()(first + i));
  };
  const V3<T>* R = at.R(b).c;
  V6<T> F{R[0] * along(0) + R[1] * along(1) + R[2] * along(2),
          R[0] * along(3) + R[1] * along(4) + R[2] * along(5)};
  F.angular += cross(at.p(b), F.linear);
  V6<T> needed = F;
  needed -= B.p;
  B.p = F;
  return B.I.solve(needed, B.A);
}

template <lanes::Plain T>
void accelerate_free(const Kinematics<T>& at, int b, const V6<T>& above, const V6<T>& A, T* a) {
  const V3<T> angular = A.angular - above.angular;
  const V3<T> linear = A.linear - above.linear - cross(at.p(b), angular);
  T* const to = a + at.directions(b)[0].dof;
  for (int k = 0; k < 3; ++k) {
    to[k] = dot(at.R(b).c[k], angular);
    to[3 + k] = dot(at.R(b).c[k], linear);
  }
}

/// Inertia and bias force of what lies beyond direction i, which gives way.
template <class Articulated>
[[gnu::always_inline]] inline void give_way(Articulated& B, int i) {
  const auto UD = B.U[i] * B.D_inverse[i];
  B.I.subtract_outer(UD, B.U[i]);
  B.p += UD * B.u[i];
}

/// U, D and u of a body's joint. A joint of several degrees of freedom is as many joints of one, with
/// nothing between. False if one of them moves nothing that has inertia.
template <Scalar T>
[[gnu::always_inline]] inline Mask<T> release(const Plant<T>& plant, const Kinematics<T>& at,
                                              const T* tau, int b, Workspace<T>& ws) {
  auto& B = ws.articulated[b];
  if constexpr (lanes::Plain<T>)
    if (is_free(plant, plant.model().joint(b))) return release_free(plant, at, tau, b, B);
  Mask<T> possible = T(0) < T(1);
  const auto own = at.directions(b);
  for (int i = static_cast<int>(own.size()) - 1; i >= 0; --i) {
    const V6<T> S = own[i].axis();
    const int dof = own[i].dof;
    B.U[i] = B.I * S;
    const T D = dot(S, B.U[i]) + plant.armature(dof);
    possible = possible && D > T(0);
    B.D_inverse[i] = T(1) / D;
    B.u[i] = tau[dof] - friction_torque<T>(plant, dof, at.v()(dof)) - dot(S, B.p);
    if (i > 0) give_way(B, i);
  }
  return possible;
}

/// Adds what the parent of a body meets, whose joint is released, to the parent.
template <Scalar T>
[[gnu::always_inline]] inline void pass_on(const Plant<T>& plant, int b, Workspace<T>& ws) {
  const Joint& joint = plant.model().joint(b);
  if (joint.parent == 0) return;  // nothing moves the ground
  auto &B = ws.articulated[b], &P = ws.articulated[joint.parent];
  if (is_free(plant, joint)) {
    P.p += B.p;
    return;
  }
  give_way(B, 0);
  P.I += B.I;
  P.p += B.p + B.I * B.c;
}

/// The recursion, from bodies alone. In the order of depth, neighbours hang on different bodies wherever the tree has
/// branches: the processor passes one on to its parent while it waits for the next one's division.
template <Scalar T>
[[gnu::always_inline]] inline bool release_and_accelerate(const Plant<T>& plant,
                                                          const Kinematics<T>& at, const T* tau,
                                                          Workspace<T>& ws, T* a) {
  const std::span<const Joint> joints = plant.model().joints();
  const std::span<const int> order = plant.model().bodies_by_depth();

  // inward: inertia and bias force that the parent meets, the joint being free to move
  Mask<T> possible = T(0) < T(1);
  int last = 0;  // released, but not passed on yet
  for (std::size_t k = order.size(); k-- > 0; last = order[k]) {
    const bool needed = joints[last].parent == order[k];
    if (needed) pass_on(plant, last, ws);
    possible = possible && release(plant, at, tau, order[k], ws);
    if (!needed) pass_on(plant, last, ws);
  }
  if (!all(possible)) return false;

  // outward: accelerations
  ws.articulated[0].A = world_acceleration<T>(plant.gravity);
  for (const int b : order) {
    auto& B = ws.articulated[b];
    V6<T> A = ws.articulated[joints[b].parent].A + B.c;
    if constexpr (lanes::Plain<T>)
      if (is_free(plant, joints[b])) {
        accelerate_free(at, b, A, B.A, a);
        continue;
      }
    for (int i = 0; const auto& S : at.directions(b)) {
      a[S.dof] = B.D_inverse[i] * (B.u[i] - dot(B.U[i], A));
      A += S.axis() * a[S.dof], ++i;
    }
    B.A = A;
  }
  return true;
}

template <Scalar T>
bool articulated_bodies(const Plant<T>& plant, const Kinematics<T>& at, const T* tau,
                        Workspace<T>& ws, ExternalWrenches<T> wrenches, T* a) {
  set_rigid_bodies(plant, at, ws, wrenches);
  return release_and_accelerate(plant, at, tau, ws, a);
}

template <Scalar T>
void require_forward(const Plant<T>& plant, const Kinematics<T>& at, In<T> tau, Eigen::Index a_size,
                     ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  require_same_robot<T>(plant, at);
  require<T>("tau", tau, model.nv(), model);
  require_size("a", a_size, model.nv(), model);
  check_wrenches(wrenches, model);
}

}  // namespace detail

template <Scalar T>
bool articulated_body_dynamics(const Plant<T>& plant, const Kinematics<T>& at, In<T> tau,
                               Workspace<T>& ws, Out<T> a, ExternalWrenches<T> wrenches) {
  detail::require_forward<T>(plant, at, tau, a.size(), wrenches);
  if (plant.model().has_mimics())
    throw std::invalid_argument(
        "articulated bodies cannot have mimicking joints; use forward_dynamics");
  return detail::articulated_bodies(plant, at, tau.data(), ws, wrenches, a.data());
}

template <Scalar T>
bool mass_matrix_dynamics(const Plant<T>& plant, const Kinematics<T>& at, In<T> tau,
                          MassFactor<T>& factor, Workspace<T>& ws, Out<T> a,
                          ExternalWrenches<T> wrenches) {
  detail::require_forward<T>(plant, at, tau, a.size(), wrenches);
  if (!factor.factor(plant, at, ws)) return false;
  detail::newton_euler_torque<T>(plant, at, at.motion().tree_v(), nullptr, ws, wrenches,
                                 ws.bias.data());
  for (Eigen::Index i = 0; i < a.size(); ++i)
    a(i) = tau(i) - ws.bias(i) - detail::friction_torque<T>(plant, i, at.v()(i));
  factor.solve(a);
  return true;
}

template <Scalar T>
bool forward_dynamics(const Plant<T>& plant, const Kinematics<T>& at, In<T> tau, Workspace<T>& ws,
                      Out<T> a, ExternalWrenches<T> wrenches) {
  return plant.model().has_mimics()
             ? mass_matrix_dynamics<T>(plant, at, tau, ws.factor, ws, a, wrenches)
             : articulated_body_dynamics<T>(plant, at, tau, ws, a, wrenches);
}

template <Scalar T>
void impulse_response(const MassFactor<T>& factor, const Kinematics<T>& at,
                      const ExternalWrench<T>& impulse, Out<T> change) {
  detail::require_size("change", change.size(), at.model().nv(), at.model());
  change.setZero();
  add_wrench_torque<T>(at, impulse, change);
  factor.solve(change);
}

}  // namespace ulna
