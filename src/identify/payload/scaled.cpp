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
  std::vector<double> changes;
  for (int i = 0; i < model.model().nv(); ++i) {
    double dry = 0.0;
    for (int k = 0; k < model.feature_count(); ++k)
      if (terms_of(model.features()[std::size_t(k)]).direction != 0.0)
        dry = std::max(dry, std::abs(z(model.at(i, k))));
    for (int k = 0; k < model.feature_count(); ++k) {
      const Feature feature = model.features()[std::size_t(k)];
      if (feature == Feature::armature) continue;
      const double level = feature == Feature::offset ? dry : std::abs(z(model.at(i, k)));
      changes.push_back(std::max(share * std::max(level, little * typical(i)), 1e-12));
    }
  }
  return Vector::Map(changes.data(), Index(changes.size()));
}

}  // namespace ulna::identify
