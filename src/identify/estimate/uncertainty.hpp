#pragma once

#include "identify/data/ranges.hpp"
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

/// The same by what it means for parameters: the noise's spectral density where the motion has its own. Products of noise with a motion
/// add up as the sum of both autocorrelations' product [Newey, West 1987].
class MotionCorrelation {
 public:
  /// Up to `reach` samples; row by row, signals that the regressor is alike to.
  MotionCorrelation(const std::vector<const Matrix*>& motion, const std::vector<Index>& breaks,
                    double reach);
  /// Of the residual of `counts` samples that `fitted` parameters of each row left: where motion is, these took most from it.
  Vector of(const Matrix& residual, const Vector& counts, const Vector& fitted) const;

 private:
  std::vector<Range> pieces_;
  Index stride_ = 1, lags_ = 0;
  Matrix motion_;  ///< rows x lags
};

}  // namespace ulna::identify
