#include "drive/contact_push.hpp"

#include <algorithm>
#include <utility>

namespace ulna::drive {

using Vector = Eigen::VectorXd;

namespace {

/// Slope of the best line, and where it is 0.
std::pair<double, double> line(const Vector& x, const Vector& y) {
  const double mx = x.mean(), my = y.mean();
  const Vector dx = x.array() - mx;
  const double slope = dx.dot(y) / std::max(dx.squaredNorm(), 1e-18);
  return {slope, slope == 0.0 ? 0.0 : mx - my / slope};
}

}  // namespace

Push difference(const Push& there, const Push& back, const Vector& noise, double period) {
  const Eigen::Index m = std::min(there.count, back.count);
  Push d(there.q.rows(), m);
  d.count = m, d.ended = there.ended || back.ended;
  if (m < Push::enough) return d;
  d.time = there.time.head(m);
  d.q = 0.5 * (there.q.leftCols(m) - back.q.leftCols(m));
  d.v = 0.5 * (there.v.leftCols(m) - back.v.leftCols(m));
  d.tau = 0.5 * (there.tau.leftCols(m) - back.tau.leftCols(m));
  Eigen::Index fastest = 0;
  (void)(d.v.col(m - 1).array().abs() / (noise.array() + 1e-6)).maxCoeff(&fastest);
  // from where a straight line through the second half of the fastest velocity comes
  const Eigen::Index half = m / 2;
  const double start =
      line(d.time.tail(m - half), d.v.row(fastest).tail(m - half).transpose()).second;
  d.onset = std::clamp(start, 0.0, d.time(m - 1));
  Eigen::Index from = 0;
  while (from < m - 4 && d.time(from) < d.onset + 0.5 * period) ++from;
  for (Eigen::Index j = 0; j < d.v.rows(); ++j)
    d.acceleration(j) = line(d.time.tail(m - from), d.v.row(j).tail(m - from).transpose()).first;
  d.velocity = d.v.rightCols(m - from).rowwise().mean();
  d.sensed = d.tau.rightCols(m - from).rowwise().mean();
  return d;
}

}  // namespace ulna::drive
