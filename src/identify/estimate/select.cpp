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

/// Joint by joint.
Vector unexplained_percent(const TorqueModel& model, const BaseParameters& base,
                           const TorqueData& data) {
  const Estimate plain = estimate(model, base, data, {.method = Method::ols});
  return fit_of(model, plain.z, data).per_joint_percent;
}

/// Keeps a change of the data in `best` if it explains more than those before. A joint counts as much as any other,
/// however small its torques, unless neither explains them: of torques that are noise, no change can be judged.
template <class Change>
void keep_better(Change& best, Change other, const Vector& before, const Vector& after) {
  constexpr double noise_percent = 90.0;
  double count = 0.0, sum_before = 0.0, sum_after = 0.0;
  for (Index i = 0; i < before.size(); ++i)
    if (std::min(before(i), after(i)) < noise_percent)
      count += 1.0, sum_before += before(i), sum_after += after(i);
  other.before_percent = sum_before / count, other.after_percent = sum_after / count;
  const auto left = [](const Change& c) { return c.after_percent / c.before_percent; };
  if (std::isfinite(other.before_percent) && left(other) < left(best)) best = other;
}

/// Of a change that explains half of what is left without it, and half of the torques at all. What is explained as it is needs none.
template <class Change>
std::optional<Change> if_better(const Change& best) {
  constexpr double unexplained = 5.0;
  if (best.before_percent < unexplained) return {};
  if (best.after_percent <= std::min(50.0, 0.5 * best.before_percent)) return best;
  return {};
}

/// About a thousand samples.
TorqueData thinned(const TorqueData& data) {
  constexpr Index most = 1000;
  std::vector<Index> samples;
  const Index stride = (data.size() + most - 1) / most;
  for (Index k = 0; k < data.size() / stride; ++k) samples.push_back(k * stride);
  return some_of(data, samples, {0});
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
                   const EstimateOptions& options, int parts,
                   const std::function<bool(int done)>& go_on) {
  require(parts >= 2 && parts <= data.size(), "cross validation: data of ", data.size(),
          " samples cannot be cut into ", parts, " parts");
  Matrix errors(data.tau.rows(), data.size());
  Index predicted = 0;
  for (int k = 0; k < parts && (!go_on || go_on(k)); ++k) {
    const Index begin = data.size() * k / parts, end = data.size() * (k + 1) / parts;
    const auto [left, others] = cut(data, begin, end);
    const Vector z = estimate(model, base, others, options).z;
    errors.middleCols(begin, end - begin) = errors_of(model, z, left);
    predicted = end;
  }
  return fit_of(errors.leftCols(predicted), data.tau.leftCols(predicted));
}

std::optional<Exchange> find_exchange(const TorqueModel& model, const BaseParameters& base,
                                      const TorqueData& data) {
  constexpr int most_joints = 16;
  const int n = model.model().nv();
  if (model.model().nq() != n || n > most_joints || data.size() * n < 2 * base.size()) return {};
  const TorqueData as_is = thinned(data);
  Exchange best{.before_percent = 1.0, .after_percent = 1.0};
  const Vector before = unexplained_percent(model, base, as_is);
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      for (const bool torques_only : {false, true}) {
        TorqueData other = as_is;
        other.tau.row(i).swap(other.tau.row(j));
        if (!torques_only)
          for (Matrix* x : {&other.q, &other.v, &other.a}) x->row(i).swap(x->row(j));
        other.x = model.features_of(other.v, other.a, other.tau);
        keep_better(best, {i, j, torques_only}, before, unexplained_percent(model, base, other));
      }
  return if_better(best);
}

std::optional<Rescaling> find_rescaling(const TorqueModel& model, const BaseParameters& base,
                                        const TorqueData& data, const PriorOptions& prior) {
  const int n = model.model().nv();
  if (data.size() * n < 2 * base.size()) return {};
  const TorqueData as_is = thinned(data);

  // Y_j β = tau_j for all joints but i, and Y_i β = factor tau_i: linear in β and the factor
  const auto measurements = measurements_of(model, as_is);
  const Vector weights = measurements->typical.cwiseAbs2().cwiseMax(1e-300).cwiseInverse();
  const auto base_sums = [&](const Vector& w) -> Sums {
    const Sums all = measurements->sums(w);
    return {all.G(base.independent, base.independent), all.g(base.independent), all.size};
  };
  const Sums all = base_sums(weights);
  const Rescaling none{.before_percent = 1.0, .after_percent = 1.0};
  Rescaling best = none;
  const Vector before = unexplained_percent(model, base, as_is);
  for (int i = 0; n > 1 && base.known.empty() && i < n; ++i) {
    const Sums own = base_sums(Vector::Unit(n, i) * weights(i));
    if (!(own.size > 0.0)) continue;
    const Vector beta = inverse_of(all.G - own.g * own.g.transpose() / own.size) * (all.g - own.g);
    const double factor = own.g.dot(beta) / own.size;
    TorqueData other = as_is;
    other.tau.row(i) *= factor;
    other.x = model.features_of(other.v, other.a, other.tau);
    keep_better(best, {i, factor}, before, unexplained_percent(model, base, other));
  }
  if (const auto found = if_better(best)) return found;

  // plain least squares explain torques of another sign or unit as well, by bodies that cannot exist
  const auto physical_percent = [&](const TorqueData& some) {
    const Estimate found = estimate(model, base, some, {Method::consistent, prior});
    return fit_of(model, found.z, some).per_joint_percent;
  };
  best = none;
  const Vector physical = physical_percent(as_is);
  for (const double factor : {-1.0, 1e-3, 1e3}) {
    TorqueData other = as_is;
    other.tau *= factor;
    other.x = model.features_of(other.v, other.a, other.tau);
    keep_better(best, {-1, factor}, physical, physical_percent(other));
  }
  return if_better(best);
}

}  // namespace ulna::identify
