#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "ulna/identify/online/online_estimator.hpp"

namespace ulna::identify {

using Vector10 = Eigen::Matrix<double, 10, 1>;
using Matrix10 = Eigen::Matrix<double, 10, 10>;

void BodyEvidence::forget(double share) {
  const double kept = 1.0 - share;
  square *= kept, count *= kept;
  R *= kept, r *= kept;
  for (JointEvidence& joint : joints) joint.common *= kept, joint.R *= kept, joint.r *= kept;
}

void OnlineEstimator::add_evidence(const Vector& z, int body, BodyEvidence& evidence) const {
  const int features = std::min(model_.feature_count(), BodyEvidence::most_features);
  for (Index i = 0; i < measured_.size(); ++i) {
    if (!slides(i)) continue;
    const double weight = 1.0 / torques_.noise(i);
    const auto all = torques_.rows.col(i);
    const Vector10 row = weight * all.segment<10>(10 * (body - 1));
    const double error = weight * (measured_(i) - all.dot(z));
    evidence.R.noalias() += row * row.transpose();
    evidence.r += error * row;
    evidence.square += error * error, evidence.count += 1.0;
    BodyEvidence::JointEvidence& joint = evidence.joints[static_cast<std::size_t>(i)];
    for (int f = 0; f < features; ++f) {
      const double x = weight * all(model_.at(int(i), f));
      joint.common.col(f) += x * row;
      joint.r(f) += x * error;
      joint.center(f) = z(model_.at(int(i), f));
      for (int g = 0; g < features; ++g) joint.R(f, g) += x * weight * all(model_.at(int(i), g));
    }
  }
}

namespace {

/// The evidence once the features of all joints are eliminated, of which each is known as if by samples with a
/// deviation of `left` and the correlation.
struct Reduced {
  Matrix10 R;
  Vector10 r;
  double square;

  Reduced(const BodyEvidence& evidence, double noise, double share)
      : R(evidence.R), r(evidence.r), square(evidence.square) {
    const double count = evidence.count / static_cast<double>(evidence.joints.size());
    for (const BodyEvidence::JointEvidence& joint : evidence.joints) {
      auto D = joint.R;
      for (int f = 0; f < BodyEvidence::most_features; ++f) {
        const double moved = D(f, f);
        const double variance =
            moved > 0.0 ? share * share * joint.center(f) * joint.center(f) + count / moved : 1.0;
        D(f, f) += noise / variance;
      }
      const Eigen::LLT<
          BodyEvidence::Fixed<BodyEvidence::most_features, BodyEvidence::most_features>>
          factor(D);
      if (factor.info() != Eigen::Success) continue;
      const auto eliminated = factor.solve(joint.common.transpose()).eval();
      R.noalias() -= joint.common * eliminated;
      r.noalias() -= eliminated.transpose() * joint.r;
      square -= joint.r.dot(factor.solve(joint.r));
    }
  }
};

}  // namespace

BodyEstimate::BodyEstimate(const BodyEvidence& evidence, double correlated, double feature_share) {
  if (!(evidence.R(0, 0) > 0.0)) return;
  // scaled, as masses and inertias are of very different sizes; what never shows, as the inertia of a body that does not turn, is
  // left out
  const Vector10 scale = (evidence.R.diagonal().array() > 1e-16 * evidence.R.diagonal().maxCoeff())
                             .select(evidence.R.diagonal().cwiseSqrt().cwiseInverse(), 0.0);
  // how much is left unexplained decides how well features are known, and the other way round
  double left = evidence.square / evidence.count;
  for (int pass = 0; pass < 3; ++pass) {
    const Reduced reduced(evidence, correlated * left, feature_share);
    Matrix10 scaled = scale.asDiagonal() * reduced.R * scale.asDiagonal();
    scaled.diagonal().array() += 1e-9;
    const Eigen::LLT<Matrix10> factor(scaled);
    if (factor.info() != Eigen::Success) return;
    x = scale.cwiseProduct(factor.solve(scale.cwiseProduct(reduced.r)));
    left = std::max(0.0, reduced.square - x.dot(reduced.r)) / evidence.count;
    const Vector10 first = factor.matrixL().solve(Vector10::Unit(0));
    mass_deviation = scale(0) * first.norm() * std::sqrt(left * correlated);
  }
  if (!x.allFinite() || !std::isfinite(mass_deviation)) x.setZero(), mass_deviation = infinity;
}

}  // namespace ulna::identify
