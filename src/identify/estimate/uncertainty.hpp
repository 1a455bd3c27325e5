#pragma once

#include "ulna/identify/estimate/estimate.hpp"

/// What is known from sums of squares whose noise is not white.
namespace ulna::identify {

/// Root mean square of each row.
Vector rms(const Matrix& rows);

/// The inverse of a symmetric matrix that may be singular: in columns scaled alike, by its eigenvectors,
/// those left out of which there is no information.
Matrix inverse_of(const Matrix& G);
/// Square roots of the diagonal.
Vector deviations(const Matrix& covariance);

/// Sets the deviations of z and of the base parameters, and what was learned, from the covariances of
/// the `free` unknowns before and after the data. All other unknowns are known.
void set_uncertainty(const BaseParameters& base, const std::vector<int>& free, const Matrix& before,
                     const Matrix& after, Estimate& estimate);

/// How many samples in a row count as one: the sum of the autocorrelation up to `reach`, tapered
/// [Parzen 1961], the noise's spectral density at low frequencies over its variance.
Vector correlation(const Matrix& residual, const std::vector<Index>& breaks, double reach);

}  // namespace ulna::identify
