#pragma once

#include "ulna/identify/estimate/physical_prior.hpp"

namespace ulna::identify {

/// Minimises z'G z / 2 - g'z + prior(z): least squares in information form, that is divided by the
/// variance of the noise, beside what was believed before. As the prior is a barrier, every point on
/// the way is physical; as all is convex and the barrier self-concordant, Newton's method gets there
/// from anywhere inside [Nesterov, Nemirovskii 1994]. Made once, it allocates no more.
class ConsistentSolver {
 public:
  explicit ConsistentSolver(int unknowns);

  /// One damped Newton step of z, which must be inside. Yields half the square of the Newton
  /// decrement, about how far the minimum was below z; negative, and z as it was, if no step helps.
  /// Where data pull much harder than the prior, Newton's direction runs into the boundary: steps are
  /// held back there by as much of the prior's curvature as was found to be needed, which is
  /// remembered from step to step.
  /// `pull` multiplies the prior.
  double step(const Matrix& G, const Vector& g, const PhysicalPrior& prior, Vector& z,
              double pull = 1.0);

  /// Steps from the prior's centre until the rest is below the tolerance, the prior being stronger at
  /// first. False after `most` steps.
  [[nodiscard]] bool solve(const Matrix& G, const Vector& g, const PhysicalPrior& prior, Vector& z,
                           int most = 400, double tolerance = 1e-9);

  int steps() const { return steps_; }

  /// The variance that y'z had, for each column y of `rows`, at the last step. Overwrites rows.
  void variances(Eigen::Ref<Matrix> rows, Eigen::Ref<Vector> variances);

 private:
  bool factorise(const Matrix& G, double held);
  Index beside(Index column) const;

  Matrix H_;       ///< of the prior, lower half: blocks of a body's ten numbers along the diagonal
  Matrix factor_;  ///< of all, scaled, rows filled up
  Matrix coming_;  ///< the next one; if it fails, the last one stays
  Eigen::VectorXi first_;  ///< of each row of that: before which column it is zero
  Eigen::Matrix<double, 8, Eigen::Dynamic> solved_;  ///< rows of `variances`
  Vector gradient_, step_ = gradient_, scale_ = gradient_, coming_scale_ = gradient_,
                    next_ = gradient_;
  double damping_ = 0.0;
  int steps_ = 0;
};

}  // namespace ulna::identify
