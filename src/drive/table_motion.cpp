#include <algorithm>

#include "num/message.hpp"
#include "ulna/drive/controller.hpp"

namespace ulna::drive {

TableMotion::TableMotion(Eigen::VectorXd times, Eigen::MatrixXd q, Eigen::MatrixXd v)
    : times_(std::move(times)), q_(std::move(q)), v_(std::move(v)) {
  using messages::require;
  const Eigen::Index n = times_.size();
  require(n >= 2 && q_.cols() == n && q_.rows() >= 1,
          "motion: it needs at least two moments, a column of q for each");
  require(times_.allFinite() && q_.allFinite() && v_.allFinite(), "motion: a number is not finite");
  for (Eigen::Index k = 1; k < n; ++k)
    require(times_(k) > times_(k - 1), "motion: time does not grow at row ", k + 1);
  if (v_.size() == 0) {
    v_ = Eigen::MatrixXd::Zero(q_.rows(), n);
    for (Eigen::Index k = 1; k + 1 < n; ++k)
      v_.col(k) = (q_.col(k + 1) - q_.col(k - 1)) / (times_(k + 1) - times_(k - 1));
  }
  require(v_.rows() == q_.rows() && v_.cols() == n,
          "motion: velocities are not as many as positions");
}

void TableMotion::operator()(double time, Eigen::VectorXd& q, Eigen::VectorXd& v) const {
  const Eigen::Index n = times_.size();
  const double t = times_(0) + time;
  if (t <= times_(0) || t >= times_(n - 1)) {
    q = q_.col(t <= times_(0) ? 0 : n - 1);
    v.setZero(q.size());
    return;
  }
  const double* after = std::upper_bound(times_.data(), times_.data() + n, t);
  const Eigen::Index k = after - times_.data() - 1;
  // the cubic of Hermite
  const double h = times_(k + 1) - times_(k), s = (t - times_(k)) / h, r = 1.0 - s;
  q = r * r * (1.0 + 2.0 * s) * q_.col(k) + s * s * (1.0 + 2.0 * r) * q_.col(k + 1) +
      h * (r * r * s * v_.col(k) - s * s * r * v_.col(k + 1));
  v = 6.0 * r * s / h * (q_.col(k + 1) - q_.col(k)) + r * (1.0 - 3.0 * s) * v_.col(k) +
      s * (1.0 - 3.0 * r) * v_.col(k + 1);
}

Eigen::VectorXd TableMotion::fastest() const {
  Eigen::VectorXd fastest = v_.cwiseAbs().rowwise().maxCoeff();
  for (Eigen::Index k = 1; k < times_.size(); ++k)
    fastest =
        fastest.cwiseMax((q_.col(k) - q_.col(k - 1)).cwiseAbs() / (times_(k) - times_(k - 1)));
  return fastest;
}

TableMotion TableMotion::slower(double factor) const { return {times_ * factor, q_, v_ / factor}; }

}  // namespace ulna::drive
