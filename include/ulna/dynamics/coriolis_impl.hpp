#pragma once

#include "ulna/dynamics/coriolis.hpp"
#include "ulna/dynamics/mass_matrix_impl.hpp"

namespace ulna {
namespace detail {

/// A body's Coriolis matrix when it moves with V, from N = v h' + [w] Σ.
template <Scalar T, class Composite, class Coriolis>
[[gnu::always_inline]] inline void set_coriolis(const Composite& body, const lanes::V6<T>& V,
                                                Coriolis& C) {
  const V3<T>&w = V.angular, &v = V.linear;
  const V3<T> x = v * body.first[0] + cross(w, V3<T>(body.second.template column<0>())),
              y = v * body.first[1] + cross(w, V3<T>(body.second.template column<1>())),
              z = v * body.first[2] + cross(w, V3<T>(body.second.template column<2>()));
  const T trace = x[0] + y[1] + z[2], zero(0);
  C.B.c[0] = V3<T>(trace, zero, zero) - x;
  C.B.c[1] = V3<T>(zero, trace, zero) - y;
  C.B.c[2] = V3<T>(zero, zero, trace) - z;
  C.p = v * body.mass + cross(w, body.first);
}

}  // namespace detail

template <Scalar T>
void coriolis_matrix(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws,
                     OutMatrix<T> C) {
  using lanes::V3;
  using lanes::V6;
  const Model& model = plant.model();
  const int n = model.body_count();
  detail::require_same_robot<T>(plant, at);
  detail::require_shape("C", C.rows(), C.cols(), model.nv(), model.nv(), model);
  C.setZero();

  // each body, then with all that hangs on it
  for (int b = 1; b < n; ++b) {
    detail::carry_to_world(plant.body(b), at.R(b), at.p(b), ws.composites[b]);
    detail::set_coriolis<T>(ws.composites[b], at.velocity(b), ws.coriolis[b]);
  }
  for (int b = n - 1; b > 0; --b) {
    const int parent = model.joint(b).parent;
    if (parent == 0) continue;
    detail::add_body(ws.composites[b], ws.composites[parent]);
    ws.coriolis[parent].B += ws.coriolis[b].B;
    ws.coriolis[parent].p += ws.coriolis[b].p;
  }

  const auto directions = at.directions();
  for (int k = static_cast<int>(directions.size()) - 1; k >= 0; --k) {
    const auto& d = directions[k];
    const auto& I = ws.composites[d.body];
    const auto& [B, p] = ws.coriolis[d.body];
    const V6<T> S = d.axis();
    const V6<T> down =
        detail::momentum<T>(I, cross(at.velocity(d.body), S)) + V6<T>{B * d.w, cross(d.w, p)};
    const V6<T> up = detail::momentum<T>(I, S);
    const V3<T> up_turning = B.transposed() * d.w + cross(p, d.v);
    C(d.dof, d.dof) += dot(S, down);
    for (int o = d.above; o >= 0; o = directions[o].above) {
      const auto& other = directions[o];
      C(other.dof, d.dof) += dot(other.axis(), down);
      C(d.dof, other.dof) +=
          dot(cross(at.velocity(other.body), other.axis()), up) + dot(up_turning, other.w);
    }
  }
}

template <Scalar T>
void mass_matrix_rate(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws,
                      OutMatrix<T> M_rate) {
  coriolis_matrix<T>(plant, at, ws, M_rate);
  for (Eigen::Index c = 0; c < M_rate.cols(); ++c)
    for (Eigen::Index r = 0; r <= c; ++r) M_rate(r, c) = M_rate(c, r) = M_rate(r, c) + M_rate(c, r);
}

}  // namespace ulna
