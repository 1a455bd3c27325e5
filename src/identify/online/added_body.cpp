#include <algorithm>
#include <cmath>

#include "identify/dense.hpp"
#include "ulna/identify/online/online_estimator.hpp"

namespace ulna::identify {

void TorqueEvidence::forget(double share) {
  const double kept = 1.0 - share;
  R *= kept, r *= kept, square *= kept, count *= kept;
}

double TorqueEvidence::left(const Vector& z) const {
  double sum = square - 2.0 * z.dot(r);
  for (Index c = 0; c < z.size(); ++c) {
    const Index below = z.size() - c - 1;
    sum += z(c) * (R(c, c) * z(c) + 2.0 * R.col(c).tail(below).dot(z.tail(below)));
  }
  return sum;
}

AddedBody::AddedBody(Index unknowns, int body)
    : at_(10 * (body - 1)),
      A_(Matrix::Zero(detail::filled_up(unknowns + 10), unknowns + 10)),
      scale_(Vector::Zero(unknowns + 10)),
      solution_(scale_),
      now_(Vector::Zero(unknowns)),
      rest_(now_),
      first_(Eigen::VectorXi::Zero(unknowns + 10)) {}

/// With z = before.z + y, torques are rows (y + x of the body): x is where the body's own rows are a second time.
void AddedBody::find(const Belief& before, const TorqueEvidence& since, double correlated) {
  x_.setZero(), mass_deviation_ = infinity;
  if (!(since.R(at_, at_) > 0.0)) return;
  const Index n = before.z.size();
  rest_ = since.r;
  rest_.noalias() -= since.R.selfadjointView<Eigen::Lower>() * before.z;
  // how much is left unexplained decides how much the samples count, and the other way round; noise at least
  double left = 1.0;
  for (int pass = 0; pass < 2; ++pass) {
    const double weight = 1.0 / (correlated * left);
    if (!factorise(before, since, weight)) return;
    solution_.head(n) = weight * rest_;
    solution_.tail<10>() = weight * rest_.segment<10>(at_);
    solution_.array() *= scale_.array();
    const auto L = A_.topRows(n + 10).triangularView<Eigen::Lower>();
    L.solveInPlace(solution_);
    L.transpose().solveInPlace(solution_);
    solution_.array() *= scale_.array();
    now_ = before.z + solution_.head(n);
    now_.segment<10>(at_) += solution_.tail<10>();
    left = std::max(1.0, since.left(now_) / since.count);
  }
  // the inverse of what is left of the information once z is eliminated
  const Vector10 first =
      A_.block<10, 10>(n, n).triangularView<Eigen::Lower>().solve(Vector10(Vector10::Unit(0)));
  const double deviation = scale_(n) * first.norm();
  if (!solution_.allFinite() || !std::isfinite(deviation)) return;
  x_ = solution_.tail<10>(), mass_deviation_ = deviation;
}

/// Of the information, scaled, as masses and inertias are of very different sizes; what never shows, as the inertia of a body that
/// does not turn, is left out.
bool AddedBody::factorise(const Belief& before, const TorqueEvidence& since, double weight) {
  const Index n = before.z.size();
  const auto shown = [&](Index row, Index column) {
    return weight * (row < column ? since.R(column, row) : since.R(row, column));
  };
  for (Index c = 0; c < n; ++c) {
    A_.col(c).segment(c, n - c) =
        before.information.col(c).tail(n - c) + weight * since.R.col(c).tail(n - c);
    for (Index k = 0; k < 10; ++k) A_(n + k, c) = shown(at_ + k, c);
  }
  for (Index k = 0; k < 10; ++k)
    for (Index l = 0; l <= k; ++l) A_(n + k, n + l) = shown(at_ + k, at_ + l);
  const double least = 1e-16 * A_.diagonal().tail<10>().maxCoeff();
  for (Index i = 0; i < n + 10; ++i)
    scale_(i) = A_(i, i) > (i < n ? 0.0 : least) ? 1.0 / std::sqrt(A_(i, i)) : 0.0;
  for (Index c = 0; c < n + 10; ++c) {
    A_.col(c).segment(c, n + 10 - c).array() *= scale_(c) * scale_.tail(n + 10 - c).array();
    A_(c, c) += c < n ? 1e-13 : 1e-9;
  }
  return detail::factor(A_, first_);
}

}  // namespace ulna::identify
