#include "world/unit_coordinates.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/dynamics/mass_factor.hpp"

namespace ulna::detail {

UnitCoordinates::UnitCoordinates(const Model& model)
    : n_(model.nv()),
      L_(static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_)),
      root_(static_cast<std::size_t>(n_)),
      inverse_root_(root_),
      first_(1, 0) {
  const MassFactor<double> tree(model);
  for (int k = 0; k < n_; ++k) {
    const std::size_t begin = paths_.size();
    for (int i = k; i >= 0; i = tree.parent(i)) paths_.push_back(i);
    std::reverse(paths_.begin() + static_cast<std::ptrdiff_t>(begin), paths_.end());
    first_.push_back(static_cast<int>(paths_.size()));
  }
}

bool UnitCoordinates::factor(const Eigen::MatrixXd& M) {
  std::copy_n(M.data(), L_.size(), L_.data());
  for (int k = n_ - 1; k >= 0; --k) {
    double* const row_k = row(k);
    if (!(row_k[k] > 0.0)) return false;
    const double inverse = 1.0 / row_k[k];
    root_[k] = std::sqrt(row_k[k]), inverse_root_[k] = 1.0 / root_[k];
    const std::span<const int> above = path(k).first(path(k).size() - 1);
    for (std::size_t p = above.size(); p-- > 0;) {
      double* const row_i = row(above[p]);
      const double a = row_k[above[p]] * inverse;
      for (std::size_t q = 0; q <= p; ++q) row_i[above[q]] -= a * row_k[above[q]];
      row_k[above[p]] = a;
    }
  }
  return true;
}

void UnitCoordinates::velocity_to_unit(const double* v, double* u) const {
  for (int k = 0; k < n_; ++k) {
    const double* const L = row(k);
    double sum = v[k];
    for (const int i : path(k).first(path(k).size() - 1)) sum += L[i] * v[i];
    u[k] = root_[k] * sum;
  }
}

void UnitCoordinates::velocity_from_unit(const double* u, double* v) const {
  for (int k = 0; k < n_; ++k) {
    const double* const L = row(k);
    double sum = inverse_root_[k] * u[k];
    for (const int i : path(k).first(path(k).size() - 1)) sum -= L[i] * v[i];
    v[k] = sum;
  }
}

void UnitCoordinates::force_to_unit(double* f) const {
  for (int k = n_ - 1; k >= 0; --k) {
    const double* const L = row(k);
    for (const int i : path(k).first(path(k).size() - 1)) f[i] -= L[i] * f[k];
    f[k] *= inverse_root_[k];
  }
}

void UnitCoordinates::row_to_unit(std::span<const int> path, double* f) const {
  for (std::size_t p = path.size(); p-- > 0;) {
    const double* const L = row(path[p]);
    for (std::size_t q = 0; q < p; ++q) f[q] -= L[path[q]] * f[p];
    f[p] *= inverse_root_[path[p]];
  }
}

void UnitCoordinates::solve(Eigen::VectorXd& x) const {
  force_to_unit(x.data());
  velocity_from_unit(x.data(), x.data());
}

}  // namespace ulna::detail
