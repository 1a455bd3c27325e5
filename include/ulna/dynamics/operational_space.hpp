#pragma once

#include <memory>

#include "ulna/dynamics/mass_factor.hpp"

namespace ulna {

/// The robot as felt at a task [Khatib 1987], given the task's Jacobian J (m x nv, m at most nv) and
/// the factored mass matrix.
class OperationalSpace {
 public:
  OperationalSpace(const Model& model, int task_size);
  ~OperationalSpace();
  OperationalSpace(OperationalSpace&&) noexcept;
  OperationalSpace& operator=(OperationalSpace&&) noexcept;

  /// False if the task is singular: J M^-1 J' has a condition number above `most`. Then nothing below
  /// is meaningful. Allocates nothing.
  [[nodiscard]] bool set(const MassFactor<double>& M, const Eigen::Ref<const Eigen::MatrixXd>& J,
                         double most = 1e10);

  /// (J M^-1 J')^-1
  const Eigen::MatrixXd& inertia() const { return inertia_; }
  /// M^-1 J' (J M^-1 J')^-1: the inverse of J that moves nothing it need not (nv x m).
  const Eigen::MatrixXd& pseudo_inverse() const { return pseudo_inverse_; }

 private:
  Eigen::MatrixXd M_inverse_Jt_, inverse_inertia_, inertia_, pseudo_inverse_;
  struct Solvers;
  std::unique_ptr<Solvers> solvers_;
};

}  // namespace ulna
