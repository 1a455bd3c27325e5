#pragma once

#include <type_traits>

#include "ulna/dynamics/external_wrench.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/model/plant.hpp"

/// How arguments come in and results go out. Public entries check them always and name what is
/// wrong; past them, nothing throws, allocates or prints.
namespace ulna {

template <class T>
using MatX = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

// T comes from the plant or the motion, so that any expression of Eigen can be given here.
template <class T>
using In = const std::type_identity_t<Eigen::Ref<const VecX<T>>>&;
template <class T>
using Out = std::type_identity_t<Eigen::Ref<VecX<T>>>;
template <class T>
using OutMatrix = std::type_identity_t<Eigen::Ref<MatX<T>>>;

template <Scalar T>
class Workspace;

namespace detail {

/// Throws std::invalid_argument: "v holds a number that is not finite, at joint 'elbow'".
[[noreturn]] void refuse_not_finite(const char* what, Eigen::Index at, const Model& model);
[[noreturn]] void refuse_shape(const char* what, Eigen::Index rows, Eigen::Index cols,
                               Eigen::Index wanted_rows, Eigen::Index wanted_cols,
                               const Model& model);
/// "the motion is of robot 'ur5e', the plant of robot 'panda'"
[[noreturn]] void refuse_other_robot(const Model& of_motion, const Model& of_plant);

inline void require_shape(const char* what, Eigen::Index rows, Eigen::Index cols,
                          Eigen::Index wanted_rows, Eigen::Index wanted_cols, const Model& model) {
  if (rows != wanted_rows || cols != wanted_cols)
    refuse_shape(what, rows, cols, wanted_rows, wanted_cols, model);
}

/// "M is 3 x 4, the robot needs 7 x 7"
[[noreturn]] void refuse_shape(const char* what, Eigen::Index rows, Eigen::Index cols,
                               Eigen::Index wanted);

inline void require_square(const char* what, Eigen::Index rows, Eigen::Index cols,
                           Eigen::Index wanted) {
  if (rows != wanted || cols != wanted) refuse_shape(what, rows, cols, wanted);
}

template <Scalar T>
void require(const char* what, In<T> x, Eigen::Index size, const Model& model) {
  require_size(what, x.size(), size, model);
  // a finite number times zero is zero: the sum shows whether all are
  T sum(0);
  for (Eigen::Index i = 0; i < size; ++i) sum += T(0) * x(i);
  if (all(is_finite(sum))) return;
  for (Eigen::Index i = 0; i < size; ++i)
    if (!all(is_finite(x(i)))) refuse_not_finite(what, i, model);
}

template <Scalar T>
void check_wrenches(std::span<const ExternalWrench<T>> wrenches, const Model& model) {
  for (const ExternalWrench<T>& w : wrenches) {
    if (!w.frame)
      throw std::invalid_argument("external wrench: no frame is given; take one from Model::frame");
    if (w.frame->body >= model.body_count())
      throw std::invalid_argument("external wrench: the frame belongs to another robot");
    const T sum = T(0) * (w.wrench.moment.sum() + w.wrench.force.sum());
    if (!all(is_finite(sum)))
      throw std::invalid_argument("external wrench: a number is not finite");
  }
}

}  // namespace detail
}  // namespace ulna
