#include "identify/payload/scaled.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

namespace ulna::identify {

Stretches::Stretches(const TorqueModel& model, const TorqueData& all) {
  constexpr Index most = 10;
  const Index count = std::min(most, all.size());
  for (Index k = 0; k < count; ++k)
    data.push_back(taken(all, {{k * all.size() / count, (k + 1) * all.size() / count}}));
  for (const TorqueData& part : data) measured.push_back(measurements_of(model, part));
}

namespace {

Vector dry_friction(const TorqueModel& model, const Vector& z) {
  Vector dry = Vector::Zero(model.model().nv());
  for (int i = 0; i < dry.size(); ++i)
    for (int k = 0; k < model.feature_count(); ++k)
      if (terms_of(model.features()[std::size_t(k)]).direction != 0.0)
        dry(i) = std::max(dry(i), std::abs(z(model.at(i, k))));
  return dry;
}

}  // namespace

Matrix weights_at_rest(const TorqueModel& model, const Vector& z, const TorqueData& data,
                       const Vector& weights) {
  constexpr double slow = 0.005, slow_share = 0.01;  // rad/s or m/s; of the fastest
  const Vector dry = dry_friction(model, z);
  Matrix W = Matrix::Ones(data.v.rows(), data.v.cols());
  for (Index i = 0; i < W.rows(); ++i) {
    const double bound = std::max(slow, slow_share * data.v.row(i).cwiseAbs().maxCoeff());
    const auto rests = data.v.row(i).array().abs() < bound;
    const double variance = weights(i) > 0.0 ? 1.0 / weights(i) : infinity,
                 held = dry(i) * dry(i) * double(rests.count());
    W.row(i) = rests.select(variance < infinity ? variance / (variance + held) : 1.0, W.row(i));
  }
  return W;
}

Matrix inverse_scaled(const Matrix& S) {
  const Vector scale = S.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Matrix unit = scale.asDiagonal() * S * scale.asDiagonal();
  return scale.asDiagonal() * unit.ldlt().solve(Matrix::Identity(S.rows(), S.cols())) *
         scale.asDiagonal();
}

std::vector<int> features_that_change(const TorqueModel& model) {
  std::vector<int> changing;
  for (int i = 0; i < model.model().nv(); ++i)
    for (int k = 0; k < model.feature_count(); ++k)
      if (model.features()[std::size_t(k)] != Feature::armature) changing.push_back(model.at(i, k));
  return changing;
}

Vector feature_changes(const TorqueModel& model, const Vector& z, const Vector& typical,
                       double share) {
  constexpr double little = 1e-3;
  const Vector dry = dry_friction(model, z);
  std::vector<double> changes;
  for (int i = 0; i < model.model().nv(); ++i) {
    for (int k = 0; k < model.feature_count(); ++k) {
      const Feature feature = model.features()[std::size_t(k)];
      if (feature == Feature::armature) continue;
      const double level = feature == Feature::offset ? dry(i) : std::abs(z(model.at(i, k)));
      changes.push_back(std::max(share * std::max(level, little * typical(i)), 1e-12));
    }
  }
  return Vector::Map(changes.data(), Index(changes.size()));
}

}  // namespace ulna::identify
