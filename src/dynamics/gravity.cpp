#include "ulna/dynamics/gravity.hpp"

#include "ulna/num/dual.hpp"

namespace ulna {
namespace {

template <Scalar T>
Transform<T> cast(const Transform<double>& X) {
  return {Rotation<T>::from_matrix(X.rotation().matrix().cast<T>()), X.translation().cast<T>()};
}

/// The pose of a body in its parent's frame, both canonical.
template <Scalar T>
Transform<T> pose_in_parent(const Joint& j, const VecX<T>& q) {
  if (!j.mimics) return cast<T>(j.X_PJ) * joint_pose(j.type, j.pitch, q.data() + j.q);
  const T followed = T(j.multiplier) * q(j.q) + T(j.offset);
  return cast<T>(j.X_PJ) * joint_pose(j.type, j.pitch, &followed);
}

template <Scalar T>
Inertia<T> inertia_of(const Model& model, int body) {
  return Inertia<T>(model.canonical_inertias()[body].parameters().cast<T>());
}

}  // namespace

template <Scalar T>
VecX<T> gravity_torque(const Model& model, const VecX<T>& q) {
  detail::require_size("q", q.size(), model.nq(), model);
  const int n = model.body_count();
  std::vector<Transform<T>> X_PB(n);
  std::vector<Wrench<T>> F(n);

  // outward: a world that accelerates upwards is felt by every body as its weight
  std::vector<Twist<T>> A(n);
  A[0].linear = -model.gravity().cast<T>();
  for (int b = 1; b < n; ++b) {
    const Joint& j = model.joint(b);
    X_PB[b] = pose_in_parent(j, q);
    A[b] = X_PB[b].inverse_apply(A[j.parent]);
    F[b] = inertia_of<T>(model, b) * A[b];
  }

  // inward: what a joint must hold is the part along its motion; the rest goes to the parent
  VecX<T> tau = VecX<T>::Zero(model.nv());
  for (int b = n - 1; b > 0; --b) {
    const Joint& j = model.joint(b);
    for (int k = 0; k < velocity_size(j.type); ++k) {
      Vec6<T> unit = Vec6<T>::Zero();
      unit(k) = T(1);
      tau(j.v + k) += T(j.multiplier) * dot(joint_twist(j.type, j.pitch, unit.data()), F[b]);
    }
    F[j.parent] += X_PB[b] * F[b];
  }
  return tau;
}

template <Scalar T>
T potential_energy(const Model& model, const VecX<T>& q) {
  detail::require_size("q", q.size(), model.nq(), model);
  const int n = model.body_count();
  std::vector<Transform<T>> X_WB(n);
  const Vec3<T> g = model.gravity().cast<T>();
  T energy(0);
  for (int b = 0; b < n; ++b) {
    const Joint& j = model.joint(b);
    if (b > 0) X_WB[b] = X_WB[j.parent] * pose_in_parent(j, q);
    energy -= g.dot((X_WB[b] * inertia_of<T>(model, b)).first_moment());
  }
  return energy;
}

template VecX<double> gravity_torque(const Model&, const VecX<double>&);
template double potential_energy(const Model&, const VecX<double>&);
template VecX<Dual<double, 1>> gravity_torque(const Model&, const VecX<Dual<double, 1>>&);
template Dual<double, 1> potential_energy(const Model&, const VecX<Dual<double, 1>>&);

}  // namespace ulna
