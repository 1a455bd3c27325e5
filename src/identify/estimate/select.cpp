#include "ulna/identify/estimate/select.hpp"

#include "identify/estimate/measurements.hpp"
#include "identify/messages.hpp"

namespace ulna::identify {
namespace {

/// The samples of [begin, end), and all others, pieces being cut where these begin and end.
std::pair<TorqueData, TorqueData> cut(const TorqueData& data, Index begin, Index end) {
  std::vector<Range> inside, outside;
  for (const auto& [first, last] : pieces_of(data.breaks, data.size())) {
    outside.push_back({first, std::min(last, begin)});
    inside.push_back({std::max(first, begin), std::min(last, end)});
    outside.push_back({std::max(first, end), last});
  }
  return {taken(data, inside), taken(data, outside)};
}

/// A joint counts as much as any other, however small its torques.
double unexplained_percent(const TorqueModel& model, const BaseParameters& base,
                           const TorqueData& data) {
  const Estimate plain = estimate(model, base, data, {.method = Method::ols});
  return fit_of(model, plain.z, data).per_joint_percent.mean();
}

}  // namespace

Essential essential_parameters(const TorqueModel& model, const BaseParameters& base,
                               const TorqueData& data) {
  // the weights of joints, and from them the information about base parameters
  const Estimate all = estimate(model, base, data, {.method = Method::wls});
  const Vector variance = all.noise.cwiseAbs2().cwiseProduct(all.correlated).cwiseMax(1e-300);
  const Sums sums = measurements_of(model, data)->sums(variance.cwiseInverse());
  Matrix C = inverse_of(sums.G(base.independent, base.independent));
  Vector beta = C * Vector(sums.g(base.independent));

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
  require(parts >= 2 && parts <= data.size(), "cross validation: data of ", data.size(),
          " samples cannot be cut into ", parts, " parts");
  Matrix errors(data.tau.rows(), data.size());
  for (int k = 0; k < parts; ++k) {
    const Index begin = data.size() * k / parts, end = data.size() * (k + 1) / parts;
    const auto [left, others] = cut(data, begin, end);
    const Vector z = estimate(model, base, others, options).z;
    errors.middleCols(begin, end - begin) = errors_of(model, z, left);
  }
  return fit_of(errors, data.tau);
}

std::optional<Exchange> find_exchange(const TorqueModel& model, const BaseParameters& base,
                                      const TorqueData& data) {
  constexpr Index most_samples = 1000;
  constexpr int most_joints = 16;
  const int n = model.model().nv();
  if (model.model().nq() != n || n > most_joints || data.size() * n < 2 * base.size()) return {};
  std::vector<Index> samples;
  const Index stride = (data.size() + most_samples - 1) / most_samples;
  for (Index k = 0; k < data.size() / stride; ++k) samples.push_back(k * stride);
  const TorqueData as_is = some_of(data, samples, {0});
  Exchange best;
  best.before_percent = best.after_percent = unexplained_percent(model, base, as_is);
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      TorqueData other = as_is;
      for (Matrix* x : {&other.q, &other.v, &other.a, &other.tau}) x->row(i).swap(x->row(j));
      other.x = model.features_of(other.v, other.a, other.tau);
      const double percent = unexplained_percent(model, base, other);
      if (percent < best.after_percent) best = {i, j, best.before_percent, percent};
    }
  if (best.after_percent > 0.5 * best.before_percent) return {};
  return best;
}

}  // namespace ulna::identify
