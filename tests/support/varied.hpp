#pragma once

#include "support/dynamics.hpp"

/// Robots in dual numbers: what an algorithm's results change by when one of its arguments does.
namespace ulna::test {

using Dual1 = Dual<double, 1>;

enum class By { q, v, a };

/// The rig with dual numbers, displaced along q_k, faster along v_k, or accelerating more along a_k.
inline Rig<Dual1> varied(const Rig<double>& rig, int k, By by) {
  const Model& model = rig.model();
  Rig<Dual1> dual(model, rig.q.cast<Dual1>(), rig.v.cast<Dual1>(), rig.a.cast<Dual1>());
  if (by == By::q) {
    VecX<Dual1> along = VecX<Dual1>::Constant(model.nv(), Dual1(0.0));
    along(k) = Dual1::variable(0.0, 0);
    const VecX<Dual1> from = dual.q;
    integrate<Dual1>(model, from, along, dual.q);
  } else {
    Dual1& x = by == By::v ? dual.v(k) : dual.a(k);
    x = Dual1::variable(x.value, 0);
  }
  return dual;
}

inline Eigen::MatrixXd gradient(const MatX<Dual1>& m) {
  Eigen::MatrixXd g(m.rows(), m.cols());
  for (Eigen::Index i = 0; i < m.size(); ++i) g(i) = m(i).gradient[0];
  return g;
}

}  // namespace ulna::test
