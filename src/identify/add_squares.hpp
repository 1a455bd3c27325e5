#pragma once

#include <Eigen/Core>

namespace ulna::identify::detail {

/// The lower half of sum (rows x rows) += Z Z', Z rows x count.
inline void add_squares_of(const double* Z, int rows, int count, double* sum) {
  Eigen::Map<Eigen::MatrixXd> total(sum, rows, rows);
  total.selfadjointView<Eigen::Lower>().rankUpdate(
      Eigen::Map<const Eigen::MatrixXd>(Z, rows, count));
}

}  // namespace ulna::identify::detail

extern "C" void ulna_add_squares_avx2(const double* Z, int rows, int count, double* sum);
