#include "ulna/identify/select.hpp"

#include <Eigen/Cholesky>
#include <numeric>
#include <stdexcept>

namespace ulna {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// The samples of [begin, end), or all others.
TorqueData part_of(const TorqueData& data, Eigen::Index begin, Eigen::Index end, bool others) {
  std::vector<Eigen::Index> kept;
  std::vector<Eigen::Index> breaks;
  for (Eigen::Index s = 0; s < data.size(); ++s) {
    if ((s >= begin && s < end) == others) continue;
    const bool starts = kept.empty() || s != kept.back() + 1 ||
                        std::count(data.breaks.begin(), data.breaks.end(), s) > 0;
    if (starts) breaks.push_back(static_cast<Eigen::Index>(kept.size()));
    kept.push_back(s);
  }
  const auto pick = [&](const Matrix& m) { return Matrix(m(Eigen::all, kept)); };
  return {pick(data.q), pick(data.v), pick(data.a),   pick(data.tau),
          pick(data.x), breaks,       data.correlated};
}

}  // namespace

Essential essential_parameters(const TorqueModel& model, const BaseParameters& base,
                               const TorqueData& data) {
  // the weights of joints, and from them the information about base parameters
  const Estimate all = estimate(model, base, data, {.method = Method::wls});
  NormalEquations equations(model.model(), model.feature_count());
  equations.add(data.q, data.v, data.a, data.tau, data.x);
  Matrix G;
  Vector g;
  double size = 0.0;
  const Vector variance = all.noise.cwiseAbs2().cwiseProduct(all.correlated).cwiseMax(1e-300);
  equations.assemble(variance.cwiseInverse(), G, g, size);
  const Matrix information = G(base.independent, base.independent);
  const Vector scale = information.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Matrix scaled = scale.asDiagonal() * information * scale.asDiagonal();
  const Eigen::LDLT<Matrix> factor(scaled + 1e-14 * Matrix::Identity(base.size(), base.size()));
  Matrix C = scale.asDiagonal() * factor.solve(Matrix::Identity(base.size(), base.size())) *
             scale.asDiagonal();
  Vector beta = C * Vector(g(base.independent));

  const double equations_that_tell =
      static_cast<double>(data.size()) * all.correlated.cwiseInverse().sum();
  const double worth = std::log(std::max(equations_that_tell, 2.0));
  Essential result;
  std::vector<bool> kept(static_cast<std::size_t>(base.size()), true);
  for (;;) {
    int least = -1;
    double gain = worth;
    for (int i = 0; i < base.size(); ++i) {
      if (!kept[i]) continue;
      const double explained = beta(i) * beta(i) / C(i, i);
      if (explained < gain) least = i, gain = explained;
    }
    if (least < 0) break;
    // the others, with this one at zero
    const Vector column = C.col(least);
    beta -= column * (beta(least) / C(least, least));
    C -= column * column.transpose() / C(least, least);
    kept[least] = false;
    result.dropped.push_back(least);
  }
  for (int i = 0; i < base.size(); ++i)
    if (kept[i]) result.kept.push_back(i);
  result.values = beta(result.kept);
  result.deviation = C.diagonal()(result.kept).cwiseMax(0.0).cwiseSqrt();
  return result;
}

Fit cross_validate(const TorqueModel& model, const BaseParameters& base, const TorqueData& data,
                   const EstimateOptions& options, int parts) {
  if (parts < 2 || parts > data.size())
    throw std::invalid_argument("cross validation: data of " + std::to_string(data.size()) +
                                " samples cannot be cut into " + std::to_string(parts) + " parts");
  Matrix errors(data.tau.rows(), data.size());
  for (int k = 0; k < parts; ++k) {
    const Eigen::Index begin = data.size() * k / parts, end = data.size() * (k + 1) / parts;
    const Vector z = estimate(model, base, part_of(data, begin, end, true), options).z;
    const TorqueData left = part_of(data, begin, end, false);
    errors.middleCols(begin, end - begin) =
        left.tau - model.torques(z, left.q, left.v, left.a, left.x);
  }
  return fit_of(errors, data.tau);
}

}  // namespace ulna
