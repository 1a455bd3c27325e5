#pragma once

#include "ulna/dynamics/coriolis.hpp"
#include "ulna/dynamics/mass_matrix_impl.hpp"

namespace ulna {
namespace detail {

template <Scalar T, class Composite>
Inertia<T> inertia_of(const Composite& C) {
  const Mat3<T> S = C.second.mat();
  return Inertia<T>::about_origin(C.mass, C.first.vec(), S.trace() * Mat3<T>::Identity() - S);
}

/// The matrix of W -> W x* F.
template <Scalar T>
Mat6<T> cross_by(const Wrench<T>& F) {
  Mat6<T> m;
  m << -skew(F.moment), -skew(F.force), -skew(F.force), Mat3<T>::Zero();
  return m;
}

}  // namespace detail

template <Scalar T>
void coriolis_matrix(const Plant<T>& plant, const State<T>& state, Workspace<T>& ws,
                     OutMatrix<T> C) {
  const Model& model = plant.model();
  const int n = model.body_count();
  detail::require_shape("C", C.rows(), C.cols(), model.nv(), model.nv(), model);
  C.setZero();

  // each body's B with B V = V x* I V and its rate of inertia shared evenly, then of all that hangs on it
  for (int b = 1; b < n; ++b) {
    detail::carry_to_world(plant.body(b), state.R(b), state.p(b), ws.composites[b]);
    const Twist<T> V = state.V(b);
    const Inertia<T> I = detail::inertia_of<T>(ws.composites[b]);
    const Mat6<T> G = I.matrix(), X = cross_matrix(V);
    ws.coriolis[b] = T(0.5) * (-X.transpose() * G - G * X + detail::cross_by<T>(I * V));
  }
  detail::compose_bodies(plant, state, ws);
  for (int b = n - 1; b > 0; --b) ws.coriolis[model.joint(b).parent] += ws.coriolis[b];

  const auto directions = state.directions();
  for (int k = static_cast<int>(directions.size()) - 1; k >= 0; --k) {
    const auto& d = directions[k];
    const Inertia<T> I = detail::inertia_of<T>(ws.composites[d.body]);
    const Mat6<T>& B = ws.coriolis[d.body];
    const Twist<T> S = d.twist();
    const Twist<T> S_rate = cross(state.V(d.body), S);
    const Wrench<T> down = Wrench<T>::from_vector((I * S_rate).vector() + B * S.vector());
    const Wrench<T> up = I * S, up_rate = Wrench<T>::from_vector(B.transpose() * S.vector());
    C(d.dof, d.dof) += dot(S, down);
    for (int o = d.above; o >= 0; o = directions[o].above) {
      const auto& other = directions[o];
      const Twist<T> W = other.twist();
      C(other.dof, d.dof) += dot(W, down);
      C(d.dof, other.dof) += dot(cross(state.V(other.body), W), up) + dot(W, up_rate);
    }
  }
}

template <Scalar T>
void mass_matrix_rate(const Plant<T>& plant, const State<T>& state, Workspace<T>& ws,
                      OutMatrix<T> M_rate) {
  coriolis_matrix<T>(plant, state, ws, M_rate);
  for (Eigen::Index c = 0; c < M_rate.cols(); ++c)
    for (Eigen::Index r = 0; r <= c; ++r) M_rate(r, c) = M_rate(c, r) = M_rate(r, c) + M_rate(c, r);
}

}  // namespace ulna
