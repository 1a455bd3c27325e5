#pragma once

#include "ulna/classic/arm.hpp"

namespace ulna::classic {

/// The equations of motion in closed form, D(q) q̈ + h(q, q̇) + c(q) = τ, of a formulation that has
/// their terms: `at(q)` returns an object with D(), h(v) and c().
template <Scalar T, class Formulation>
class ClosedForm {
 public:
  MatX<T> mass_matrix(const VecX<T>& q) const { return self().at(q).D(); }
  VecX<T> gravity(const VecX<T>& q) const { return self().at(q).c(); }
  VecX<T> velocity_torque(const VecX<T>& q, const VecX<T>& v) const {
    const auto here = self().at(q);
    require_size("v", v.size(), q.size());
    return here.h(v);
  }
  /// The torque that velocity and gravity need.
  VecX<T> bias(const VecX<T>& q, const VecX<T>& v) const {
    const auto here = self().at(q);
    require_size("v", v.size(), q.size());
    return here.h(v) + here.c();
  }
  VecX<T> inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) const {
    const auto here = self().at(q);
    detail::require_sizes(static_cast<int>(q.size()), q, v, a);
    return VecX<T>(here.D().lazyProduct(a)) + here.h(v) + here.c();
  }

 private:
  const Formulation& self() const { return static_cast<const Formulation&>(*this); }
};

namespace detail {

/// Copies the upper triangle into the lower one.
template <class T>
void make_symmetric(MatX<T>& M) {
  M.template triangularView<Eigen::StrictlyLower>() =
      M.transpose().template triangularView<Eigen::StrictlyLower>();
}

}  // namespace detail

}  // namespace ulna::classic
