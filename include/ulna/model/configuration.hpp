#pragma once

#include <random>

#include "ulna/model/joint_motion.hpp"
#include "ulna/model/model.hpp"

/// Configurations live on a curved space where q + v makes no sense: integrate and difference are
/// the ways to move in it. For chains of 1-DOF joints they are + and -.
namespace ulna {

template <class T>
using VecX = Eigen::Matrix<T, Eigen::Dynamic, 1>;

namespace detail {
/// Throws std::invalid_argument that names both sizes.
void require_size(const char* what, Eigen::Index given, Eigen::Index wanted, const Model& model);
}  // namespace detail

/// q moved by the displacement v: a velocity times a duration. Writes `result`, which may be q.
template <Scalar T>
void integrate(const Model& model, const Eigen::Ref<const VecX<T>>& q,
               const Eigen::Ref<const VecX<T>>& v, Eigen::Ref<VecX<T>> result) {
  detail::require_size("q", q.size(), model.nq(), model);
  detail::require_size("v", v.size(), model.nv(), model);
  detail::require_size("result", result.size(), model.nq(), model);
  for (const Joint& j : model.joints())
    if (!j.mimics) joint_integrate(j.type, q.data() + j.q, v.data() + j.v, result.data() + j.q);
}

/// The displacement v with integrate(q0, v) = q1.
template <Scalar T>
void difference(const Model& model, const Eigen::Ref<const VecX<T>>& q0,
                const Eigen::Ref<const VecX<T>>& q1, Eigen::Ref<VecX<T>> v) {
  detail::require_size("q0", q0.size(), model.nq(), model);
  detail::require_size("q1", q1.size(), model.nq(), model);
  detail::require_size("v", v.size(), model.nv(), model);
  for (const Joint& j : model.joints())
    if (!j.mimics) joint_difference(j.type, q0.data() + j.q, q1.data() + j.q, v.data() + j.v);
}

Eigen::VectorXd integrate(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v);
Eigen::VectorXd difference(const Model& model, const Eigen::VectorXd& q0,
                           const Eigen::VectorXd& q1);

/// Zero, with identity quaternions, moved into the limits where zero lies outside.
Eigen::VectorXd neutral(const Model& model);

/// Uniform between the limits; within ±pi or ±1 m where there are none; orientations uniform.
Eigen::VectorXd random_configuration(const Model& model, std::mt19937_64& random);

/// Quaternions scaled to unit length.
void normalize(const Model& model, Eigen::Ref<Eigen::VectorXd> q);

}  // namespace ulna
