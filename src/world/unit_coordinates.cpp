#include "world/unit_coordinates.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/dynamics/mass_factor.hpp"

namespace ulna::detail {

UnitCoordinates::UnitCoordinates(const Model& model, bool dense)
    : n_(model.nv()),
      dense_(dense || model.has_mimics()),
      root_(static_cast<std::size_t>(n_)),
      inverse_root_(root_),
      first_(1, 0) {
  const MassFactor<double> tree(model);
  for (int k = 0; k < n_; ++k) {
    const std::size_t begin = paths_.size();
    for (int i = k; i >= 0; i = dense_ ? i - 1 : tree.parent(i)) paths_.push_back(i);
    std::reverse(paths_.begin() + static_cast<std::ptrdiff_t>(begin), paths_.end());
    first_.push_back(static_cast<int>(paths_.size()));
  }
  L_.resize(paths_.size());
}

bool UnitCoordinates::factor(const Eigen::MatrixXd& M) {
  for (int k = 0; k < n_; ++k) {
    double* to = row(k);
    for (const int i : path(k)) *to++ = M(i, k);
  }
  for (int k = n_ - 1; k >= 0; --k) {
    double* const row_k = row(k);
    const std::span<const int> above = this->above(k);
    const double diagonal = row_k[above.size()];
    if (!(diagonal > 0.0)) return false;
    const double inverse = 1.0 / diagonal;
    root_[k] = std::sqrt(diagonal), inverse_root_[k] = 1.0 / root_[k];
    for (std::size_t p = above.size(); p-- > 0;) {
      double* const __restrict row_i = row(above[p]);
      const double a = row_k[p] * inverse;
      for (std::size_t q = 0; q <= p; ++q) row_i[q] -= a * row_k[q];
      row_k[p] = a;
    }
  }
  return true;
}

void UnitCoordinates::velocity_to_unit(const double* v, double* u) const {
  for (int k = 0; k < n_; ++k) {
    const double* L = row(k);
    double sum = v[k];
    for (const int i : above(k)) sum += *L++ * v[i];
    u[k] = root_[k] * sum;
  }
}

void UnitCoordinates::velocity_from_unit(const double* u, double* v) const {
  for (int k = 0; k < n_; ++k) {
    const double* L = row(k);
    double sum = inverse_root_[k] * u[k];
    for (const int i : above(k)) sum -= *L++ * v[i];
    v[k] = sum;
  }
}

void UnitCoordinates::force_to_unit(double* f) const {
  for (int k = n_ - 1; k >= 0; --k) {
    const double* L = row(k);
    const double own = f[k];
    for (const int i : above(k)) f[i] -= *L++ * own;
    f[k] *= inverse_root_[k];
  }
}

void UnitCoordinates::row_to_unit(std::span<const int> path, double* f) const {
  for (std::size_t p = path.size(); p-- > 0;) {
    const double* const __restrict L = row(path[p]);
    const double own = f[p];
    for (std::size_t q = 0; q < p; ++q) f[q] -= L[q] * own;
    f[p] = own * inverse_root_[path[p]];
  }
}

void UnitCoordinates::rows_to_unit(std::span<const int> path, double* f) const {
  double *const second = f + path.size(), *const third = second + path.size();
  for (std::size_t p = path.size(); p-- > 0;) {
    const double* const __restrict L = row(path[p]);
    const double a = f[p], b = second[p], c = third[p], scale = inverse_root_[path[p]];
    for (std::size_t q = 0; q < p; ++q) {
      const double l = L[q];
      f[q] -= l * a, second[q] -= l * b, third[q] -= l * c;
    }
    f[p] = a * scale, second[p] = b * scale, third[p] = c * scale;
  }
}

void UnitCoordinates::solve(Eigen::VectorXd& x) const {
  force_to_unit(x.data());
  velocity_from_unit(x.data(), x.data());
}

}  // namespace ulna::detail
