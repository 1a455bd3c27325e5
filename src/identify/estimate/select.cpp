#include "ulna/identify/estimate/select.hpp"

#include <stdexcept>

#include "identify/estimate/measurements.hpp"
#include "identify/estimate/uncertainty.hpp"

namespace ulna::identify {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// The samples of [begin, end), and all others, pieces being cut where these begin and end.
std::pair<TorqueData, TorqueData> cut(const TorqueData& data, Eigen::Index begin,
                                      Eigen::Index end) {
  std::vector<Range> inside, outside;
  for (const auto& [first, last] : pieces_of(data.breaks, data.size())) {
    outside.push_back({first, std::min(last, begin)});
    inside.push_back({std::max(first, begin), std::min(last, end)});
    outside.push_back({std::max(first, end), last});
  }
  return {taken(data, inside), taken(data, outside)};
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
  Matrix C = inverse_of(G(base.independent, base.independent));
  Vector beta = C * Vector(g(base.independent));

  const double independent_equations = double(data.size()) * all.correlated.cwiseInverse().sum();
  const double worth = std::log(std::max(independent_equations, 2.0));
  Essential result;
  std::vector<bool> kept(std::size_t(base.size()), true);
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
    const auto [left, others] = cut(data, begin, end);
    const Vector z = estimate(model, base, others, options).z;
    errors.middleCols(begin, end - begin) =
        left.tau - model.torques(z, left.q, left.v, left.a, left.x);
  }
  return fit_of(errors, data.tau);
}

}  // namespace ulna::identify
