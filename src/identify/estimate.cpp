#include "ulna/identify/estimate.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "identify/correlation.hpp"
#include "identify/measurements.hpp"
#include "identify/ranges.hpp"
#include "ulna/identify/consistent.hpp"
#include "ulna/spatial/consistency.hpp"

namespace ulna {
namespace {

using detail::correlation;
using detail::deviations;
using detail::inverse_of;
using detail::Measurements;
using detail::Sums;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr std::pair<Method, std::string_view> method_table[] = {
    {Method::ols, "ols"}, {Method::wls, "wls"},     {Method::irls, "irls"},
    {Method::tls, "tls"}, {Method::ridge, "ridge"}, {Method::consistent, "consistent"},
};

Vector pick(const Vector& x, const std::vector<int>& at) { return x(at); }
Matrix pick(const Matrix& m, const std::vector<int>& at) { return m(at, at); }

/// What all methods start from.
class Problem {
 public:
  Problem(const TorqueModel& model, const BaseParameters& base, Measurements& data,
          const Vector& typical_torques, const EstimateOptions& options)
      : model_(model),
        base_(base),
        data_(data),
        typical_(data.typical()),
        known_(model.known()),
        prior_(0) {
    std::vector<bool> asked(static_cast<std::size_t>(model.unknowns()), true);
    for (const int k : base.known) asked[k] = false;
    for (int k = 0; k < model.unknowns(); ++k)
      if (asked[k]) free_.push_back(k), known_(k) = 0.0;
    prior_ = make_prior(model, typical_torques, options.prior).restricted(free_);
    map_ = base.map()(Eigen::all, free_);
    unweighted_ = sums(Vector::Ones(typical_.size()));
  }

  const PhysicalPrior& prior() const { return prior_; }
  const Sums& unweighted() const { return unweighted_; }
  const Matrix& map() const { return map_; }

  Sums sums(const Vector& weights) const {
    Sums all;
    data_.assemble(weights, all);
    all.size += known_.dot(all.G * known_) - 2.0 * all.g.dot(known_);
    all.g -= all.G * known_;
    return {pick(all.G, free_), pick(all.g, free_), all.size};
  }
  /// The same with each equation weighed too.
  void weigh(const Matrix& W) { data_.weigh(W); }

  /// Of base parameters only.
  Sums of_base(const Sums& sums) const {
    std::vector<int> at;
    for (const int k : base_.independent)
      at.push_back(
          static_cast<int>(std::lower_bound(free_.begin(), free_.end(), k) - free_.begin()));
    return {pick(sums.G, at), pick(sums.g, at), sums.size};
  }

  Vector whole(const Vector& z) const {
    Vector all = known_;
    all(free_) = z;
    return all;
  }
  /// Deviations and shares of all from those asked for, given `rest` for the others.
  Vector whole(const Vector& x, double rest) const {
    Vector all = Vector::Constant(model_.unknowns(), rest);
    all(free_) = x;
    return all;
  }

  Matrix errors(const Vector& z) const { return data_.errors(whole(z)); }

  struct Noise {
    Vector deviation, correlated;
    /// How much each channel counts: one over the variance of a sample that tells something new. No
    /// sensor is better than a millionth.
    Vector weights(const Vector& typical) const {
      const Vector variance = deviation.cwiseAbs2().cwiseMax(1e-12 * typical.cwiseAbs2());
      return variance.cwiseProduct(correlated).cwiseMax(1e-300).cwiseInverse();
    }
  };
  /// What z leaves unexplained: its size by the sums, its correlation by some of the samples.
  Noise noise(const Vector& z) const {
    const Eigen::Index channels = typical_.size();
    const Vector alike =
        correlation(data_.some_errors(whole(z)), data_.some_breaks(), 5.0 * data_.correlated());
    const double count = static_cast<double>(data_.size()),
                 fitted = static_cast<double>(base_.size()) / static_cast<double>(channels);
    Vector deviation(channels);
    for (Eigen::Index i = 0; i < channels; ++i) {
      const Sums own = sums(Vector::Unit(channels, i));
      const double left = std::max(0.0, own.size + z.dot(own.G * z) - 2.0 * own.g.dot(z));
      // what was fitted away was noise too
      deviation(i) = std::sqrt(left / std::max(count - fitted * alike(i), 0.1 * count));
    }
    return {deviation, alike};
  }
  const Vector& typical() const { return typical_; }

  /// The curvature of the prior at z.
  Matrix prior_information(const Vector& z) const {
    Matrix H = Matrix::Zero(prior_.size(), prior_.size());
    Vector slope = Vector::Zero(prior_.size());
    prior_.add_derivatives(z, slope, H);
    return H.selfadjointView<Eigen::Lower>();
  }

  /// The numbers nearest to the prior's, by its own measure, among those with these base parameters.
  Vector spread(const Vector& beta) const {
    const Vector& center = prior_.center();
    const Matrix C = prior_information(center).llt().solve(map_.transpose());
    return center + C * (map_ * C).ldlt().solve(beta - map_ * center);
  }

 private:
  const TorqueModel& model_;
  const BaseParameters& base_;
  Measurements& data_;
  Vector typical_;
  Vector known_;  ///< zero where asked for
  std::vector<int> free_;
  PhysicalPrior prior_;
  Matrix map_;
  Sums unweighted_;
};

// Each method yields the numbers asked for and the covariance of base parameters.
struct Answer {
  Vector z;
  Matrix base_covariance;
  int steps = 1;
};

Answer least_squares(const Problem& problem, const Sums& sums) {
  const Sums base = problem.of_base(sums);
  const Matrix covariance = inverse_of(base.G);
  return {problem.spread(covariance * base.g), covariance};
}

/// Robust weights of all equations, by their error over the joint's own [Huber 1964].
Matrix robust_weights(const Matrix& errors) {
  Matrix W(errors.rows(), errors.cols());
  for (Eigen::Index r = 0; r < errors.rows(); ++r) {
    Vector size = errors.row(r).cwiseAbs();
    double* const middle = size.data() + size.size() / 2;
    std::nth_element(size.data(), middle, size.data() + size.size());
    const double bound = std::max(1.345 * 1.4826 * *middle, 1e-300);
    W.row(r) = (bound / errors.row(r).array().abs().max(bound)).matrix();
  }
  return W;
}

/// The direction in which (Y, -tau) is smallest, columns scaled to the same length.
Answer total_least_squares(const Problem& problem, const Sums& sums) {
  const Sums base = problem.of_base(sums);
  const Eigen::Index n = base.g.size();
  Matrix all(n + 1, n + 1);
  all << base.G, -base.g, -base.g.transpose(), base.size;
  const Vector scale = all.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(scale.asDiagonal() * all * scale.asDiagonal());
  const Vector smallest = scale.cwiseProduct(eigen.eigenvectors().col(0));
  return {problem.spread(smallest.head(n) / smallest(n)), inverse_of(base.G)};
}

Answer ridge(const Problem& problem, const Sums& sums) {
  const Vector& center = problem.prior().center();
  const Matrix covariance = inverse_of(sums.G + problem.prior_information(center));
  return {center + covariance * (sums.g - sums.G * center),
          problem.map() * covariance * problem.map().transpose()};
}

Answer consistent(const Problem& problem, const Sums& sums) {
  ConsistentSolver solver(problem.prior().size());
  Answer answer{problem.prior().center(), {}};
  if (!solver.solve(sums.G, sums.g, problem.prior(), answer.z))
    throw std::runtime_error("identification: Newton's method did not settle");
  const Matrix covariance = inverse_of(sums.G + problem.prior_information(answer.z));
  answer.base_covariance = problem.map() * covariance * problem.map().transpose();
  answer.steps = solver.steps();
  return answer;
}

}  // namespace

std::string_view to_string(Method method) {
  for (const auto& [m, name] : method_table)
    if (m == method) return name;
  return "";
}
std::optional<Method> method_named(std::string_view name) {
  for (const auto& [m, n] : method_table)
    if (n == name) return m;
  return {};
}

TorqueData gather(const TorqueModel& model, const Prepared& prepared, double begin, double end) {
  struct Part {
    const Piece* piece;
    Eigen::Index first, count;
  };
  std::vector<Part> parts;
  Eigen::Index total = 0;
  for (const Piece& piece : prepared.pieces) {
    const auto [first, last] = detail::share_of(piece, begin, end);
    if (first == last) continue;
    parts.push_back({&piece, first, last - first});
    total += parts.back().count;
  }
  const int nv = model.model().nv();
  TorqueData data;
  data.q.resize(nv, total), data.v = data.q, data.a = data.q, data.tau = data.q;
  data.x.resize(model.feature_count() * nv, total);
  Eigen::Index to = 0;
  for (const auto& [piece, first, count] : parts) {
    const auto part = [&, f = first, c = count](const Matrix& m) { return m.middleCols(f, c); };
    data.breaks.push_back(to);
    data.q.middleCols(to, count) = part(piece->q);
    data.v.middleCols(to, count) = part(piece->v);
    data.a.middleCols(to, count) = part(piece->a);
    data.tau.middleCols(to, count) = part(piece->tau);
    data.x.middleCols(to, count) =
        model.features_of(part(piece->v), part(piece->a), part(piece->tau), part(piece->direction));
    data.correlated = std::max(data.correlated, piece->rate_hz / prepared.filter_hz);
    to += count;
  }
  return data;
}

bool is_consistent(const TorqueModel& model, const Vector& z) {
  if (!z.allFinite()) return false;
  for (int b = 0; b < model.model().joint_count(); ++b)
    if (!check_consistency(Inertia<double>(z.segment<10>(10 * b))).ok()) return false;
  for (int i = 0; i < model.model().nv(); ++i)
    for (int k = 0; k < model.feature_count(); ++k)
      if (model.features()[k] != Feature::offset && z(model.at(i, k)) < 0.0) return false;
  return true;
}

Fit fit_of(const TorqueModel& model, const Vector& z, const TorqueData& data) {
  return fit_of(data.tau - model.torques(z, data.q, data.v, data.a, data.x), data.tau);
}

Fit fit_of(const Matrix& errors, const Matrix& tau) {
  const double count = static_cast<double>(std::max<Eigen::Index>(1, tau.cols()));
  const auto rms = [&](const Matrix& x) {
    return Vector((x.rowwise().squaredNorm() / count).cwiseSqrt());
  };
  return {100.0 * rms(errors).cwiseQuotient(rms(tau)), 100.0 * errors.norm() / tau.norm(),
          rms(errors)};
}

namespace {

Estimate estimate_from(const TorqueModel& model, const BaseParameters& base, Measurements& data,
                       const Vector& typical_torques, const EstimateOptions& options) {
  const Vector typical = data.typical();
  const Eigen::Index equations = typical.size() * data.size();
  if (equations < base.size())
    throw std::invalid_argument("identification: " + std::to_string(data.size()) + " samples are " +
                                std::to_string(equations) + " equations, and there are " +
                                std::to_string(base.size()) + " base parameters");
  Problem problem(model, base, data, typical_torques, options);

  // where all begin: joints alike
  Answer answer = least_squares(problem, problem.unweighted());
  Problem::Noise noise = problem.noise(answer.z);
  Vector weights = noise.weights(problem.typical());
  Sums sums = problem.sums(weights);
  if (options.method == Method::ols) {
    // with the noise that each joint turned out to have
    const Matrix spread = problem.of_base(problem.sums(weights.cwiseInverse())).G;
    answer.base_covariance = answer.base_covariance * spread * answer.base_covariance;
  } else {
    const int passes = options.method == Method::irls ? 10 : 3;
    for (int pass = 0; pass < passes; ++pass) {
      const Vector before = answer.z;
      const int steps = answer.steps;
      switch (options.method) {
        case Method::irls:
          problem.weigh(robust_weights(problem.errors(answer.z)));
          sums = problem.sums(weights);
          [[fallthrough]];
        case Method::wls:
          answer = least_squares(problem, sums);
          break;
        case Method::tls:
          answer = total_least_squares(problem, sums);
          break;
        case Method::ridge:
          answer = ridge(problem, sums);
          break;
        default:
          answer = consistent(problem, sums);
      }
      answer.steps += steps;
      noise = problem.noise(answer.z);
      weights = noise.weights(problem.typical());
      sums = problem.sums(weights);
      if ((answer.z - before).norm() < 1e-9 * before.norm()) break;
    }
  }

  Estimate result;
  result.z = problem.whole(answer.z);
  result.base = base.of(result.z);
  result.base_deviation = deviations(answer.base_covariance);
  result.noise = noise.deviation;
  result.correlated = noise.correlated;
  result.excitation = excitation(problem.of_base(sums).G);
  result.consistent = is_consistent(model, result.z);
  result.steps = answer.steps;

  const bool with_prior = options.method == Method::ridge || options.method == Method::consistent;
  if (with_prior) {
    const Matrix before = problem.prior_information(
        options.method == Method::ridge ? problem.prior().center() : answer.z);
    const Vector prior = deviations(inverse_of(before)),
                 after = deviations(inverse_of(before + sums.G));
    result.deviation = problem.whole(after, 0.0);
    result.learned =
        problem.whole((1.0 - (after.array() / prior.array()).square()).max(0.0).matrix(), 0.0);
  } else {
    // an unknown is known by itself if no other comes with it
    result.deviation = Vector::Constant(model.unknowns(), std::numeric_limits<double>::infinity());
    for (const int k : base.known) result.deviation(k) = 0.0;
    for (int i = 0; i < base.size(); ++i)
      if (base.shares.row(i).isZero(0.0))
        result.deviation(base.independent[i]) = result.base_deviation(i);
    result.learned = Vector::Zero(model.unknowns());
    for (int i = 0; i < base.size(); ++i)
      if (base.shares.row(i).isZero(0.0)) result.learned(base.independent[i]) = 1.0;
  }
  return result;
}

}  // namespace

Estimate estimate(const TorqueModel& model, const BaseParameters& base, const TorqueData& data,
                  const EstimateOptions& options) {
  const auto measurements = detail::measurements_of(model, data);
  return estimate_from(model, base, *measurements, measurements->typical(), options);
}

Estimate estimate(const TorqueModel& model, const BaseParameters& base, const WrenchData& data,
                  const EstimateOptions& options) {
  if (model.feature_count() > 0)
    throw std::invalid_argument(
        "identification: wrenches tell nothing of friction and rotors; leave the features out");
  const auto rows = 6 * static_cast<Eigen::Index>(data.sensors.size());
  detail::require_shape("wrench", data.wrench.rows(), data.wrench.cols(), rows, data.size(),
                        model.model());
  const auto measurements = detail::measurements_of(model.model(), data);
  return estimate_from(model, base, *measurements, Vector::Ones(model.model().nv()), options);
}

}  // namespace ulna
