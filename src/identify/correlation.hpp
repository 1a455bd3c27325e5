#pragma once

#include <Eigen/Core>
#include <vector>

/// What is known from sums of squares whose noise is not white.
namespace ulna::detail {

/// The inverse of a symmetric matrix that may be singular: in columns scaled alike, by its eigenvectors,
/// those left out of which there is no information.
Eigen::MatrixXd inverse_of(const Eigen::MatrixXd& G);
/// Square roots of the diagonal.
Eigen::VectorXd deviations(const Eigen::MatrixXd& covariance);

/// How many samples in a row tell as much as one: the sum of the autocorrelation over all lags up to
/// `reach`, tapered [Parzen 1961], which is the noise's spectral density at low frequencies over its
/// variance.
Eigen::VectorXd correlation(const Eigen::MatrixXd& residual,
                            const std::vector<Eigen::Index>& breaks, double reach);

}  // namespace ulna::detail
