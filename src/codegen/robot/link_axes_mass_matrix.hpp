#pragma once

#include "codegen/robot/link_axes.hpp"

namespace ulna::detail {

/// M(q) by composite bodies [Walker, Orin 1982; Featherstone 2008, ch. 6] in the axes of the links.
/// Joints must not mimic others.
template <Scalar T>
MatX<T> link_axes_mass_matrix(const Plant<T>& plant, const VecX<T>& q) {
  using Composite = typename Workspace<T>::Composite;
  const Model& model = plant.model();
  const int n = model.body_count(), nv = model.nv();
  MatX<T> M = MatX<T>::Constant(nv, nv, T(0));
  const LinkAxes<T> links(model, q);
  std::vector<Composite> composites;
  for (int b = 0; b < n; ++b)
    composites.push_back({plant.body(b).mass, plant.body(b).first, plant.body(b).second});
  for (int b = n - 1; b > 0; --b) {
    const Joint& j = model.joint(b);
    const Composite& C = composites[static_cast<std::size_t>(b)];
    int column = j.v;
    for (const V6<T>& S : joint_twists<T>(j)) {
      // the momentum of all that the joint moves, as felt by itself and by each joint above it
      V6<T> felt = momentum<T>(C, S);
      VecX<T> rows = VecX<T>::Constant(nv, T(0));
      for (int i = b; i > 0; i = model.joint(i).parent) {
        project(model.joint(i), felt.angular, felt.linear, rows.data());
        felt = links.wrench_in(i, felt);
      }
      for (int r = 0; r <= column; ++r) M(r, column) = M(column, r) = rows(r);
      M(column, column) += plant.armature(column);
      ++column;
    }
    links.hand_over(b, C, composites[static_cast<std::size_t>(j.parent)]);
  }
  return M;
}

}  // namespace ulna::detail
