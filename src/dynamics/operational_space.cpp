#include "ulna/dynamics/operational_space.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace ulna {

struct OperationalSpace::Solvers {
  explicit Solvers(int size) : eigen(size), factor(size) {}
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen;
  Eigen::LLT<Eigen::MatrixXd> factor;
};

OperationalSpace::OperationalSpace(const Model& model, int task_size)
    : M_inverse_Jt_(model.nv(), task_size),
      inverse_inertia_(task_size, task_size),
      inertia_(task_size, task_size),
      pseudo_inverse_(model.nv(), task_size),
      solvers_(std::make_unique<Solvers>(task_size)) {}

OperationalSpace::~OperationalSpace() = default;
OperationalSpace::OperationalSpace(OperationalSpace&&) noexcept = default;
OperationalSpace& OperationalSpace::operator=(OperationalSpace&&) noexcept = default;

bool OperationalSpace::set(const MassFactor<double>& M, const Eigen::Ref<const Eigen::MatrixXd>& J,
                           double most) {
  if (J.rows() != inertia_.rows() || J.cols() != M_inverse_Jt_.rows())
    throw std::invalid_argument("J is " + std::to_string(J.rows()) + " x " +
                                std::to_string(J.cols()) + ", the task needs " +
                                std::to_string(inertia_.rows()) + " x " +
                                std::to_string(M_inverse_Jt_.rows()));
  for (Eigen::Index c = 0; c < J.rows(); ++c) {
    M_inverse_Jt_.col(c) = J.row(c).transpose();
    M.solve(M_inverse_Jt_.col(c));
  }
  inverse_inertia_.noalias() = J.lazyProduct(M_inverse_Jt_);
  // eigenvalues alone: eigenvectors would cost an allocation
  auto& [eigen, factor] = *solvers_;
  eigen.compute(inverse_inertia_, Eigen::EigenvaluesOnly);
  const Eigen::VectorXd& values = eigen.eigenvalues();
  if (!(values(0) > 0.0) || values(values.size() - 1) > most * values(0)) return false;
  factor.compute(inverse_inertia_);
  inertia_.setIdentity();
  factor.solveInPlace(inertia_);
  for (Eigen::Index c = 0; c < inertia_.cols(); ++c)
    for (Eigen::Index r = 0; r < c; ++r) inertia_(r, c) = inertia_(c, r);
  pseudo_inverse_.noalias() = M_inverse_Jt_.lazyProduct(inertia_);
  return true;
}

}  // namespace ulna
