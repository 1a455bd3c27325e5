#include "ulna/identify/estimate/exchange.hpp"

namespace ulna::identify {

namespace {

using Eigen::Index;

/// Samples evenly from all of them.
TorqueData thinned(const TorqueData& data, Index most) {
  const Index stride = (data.size() + most - 1) / most;
  const auto some = Eigen::seqN(0, data.size() / stride, stride);
  const auto columns = [&](const Eigen::MatrixXd& x) {
    return Eigen::MatrixXd(x(Eigen::all, some));
  };
  TorqueData few;
  few.q = columns(data.q), few.v = columns(data.v), few.a = columns(data.a);
  few.tau = columns(data.tau), few.x = columns(data.x);
  few.breaks = {0};
  return few;
}

/// A joint counts as much as any other, however small its torques.
double unexplained_percent(const TorqueModel& model, const BaseParameters& base,
                           const TorqueData& data) {
  const Estimate plain = estimate(model, base, data, {.method = Method::ols});
  return fit_of(model, plain.z, data).per_joint_percent.mean();
}

}  // namespace

std::optional<Exchange> find_exchange(const TorqueModel& model, const BaseParameters& base,
                                      const TorqueData& data) {
  constexpr Index most_samples = 1000;
  constexpr int most_joints = 16;
  const int n = model.model().nv();
  if (model.model().nq() != n || n > most_joints || data.size() * n < 2 * base.size()) return {};
  const TorqueData as_is = thinned(data, most_samples);
  Exchange best;
  best.before_percent = best.after_percent = unexplained_percent(model, base, as_is);
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      TorqueData other = as_is;
      for (Eigen::MatrixXd* x : {&other.q, &other.v, &other.a, &other.tau})
        x->row(i).swap(x->row(j));
      other.x = model.features_of(other.v, other.a, other.tau);
      const double percent = unexplained_percent(model, base, other);
      if (percent < best.after_percent) best = {i, j, best.before_percent, percent};
    }
  if (best.after_percent > 0.5 * best.before_percent) return {};
  return best;
}

}  // namespace ulna::identify
