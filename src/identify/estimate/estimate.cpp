#include "ulna/identify/estimate/estimate.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <functional>

#include "identify/estimate/measurements.hpp"
#include "identify/estimate/outside.hpp"
#include "identify/messages.hpp"
#include "ulna/identify/estimate/consistent.hpp"
#include "ulna/spatial/consistency.hpp"

namespace ulna::identify {
namespace {

/// In the order of the enumerators.
constexpr std::string_view method_names[] = {"ols", "wls", "irls", "tls", "ridge", "consistent"};

/// Robust weights of all equations, by their error over the joint's own [Huber 1964].
Matrix robust_weights(const Matrix& errors) {
  Matrix W(errors.rows(), errors.cols());
  for (Index r = 0; r < errors.rows(); ++r) {
    Vector size = errors.row(r).cwiseAbs();
    double* const middle = size.data() + size.size() / 2;
    std::nth_element(size.data(), middle, size.data() + size.size());
    const double bound = std::max(1.345 * 1.4826 * *middle, 1e-300);
    W.row(r) = (bound / errors.row(r).array().abs().max(bound)).matrix();
  }
  return W;
}

/// What all methods start from: the equations of the unknowns that are not known, and their prior.
class Problem {
 public:
  Problem(const TorqueModel& model, const BaseParameters& base, Measurements& data,
          const Vector& typical_torques, const EstimateOptions& options)
      : free(base.free()),
        prior(make_prior(model, typical_torques, options.prior).restricted(free)),
        base_(base),
        data_(data),
        correlation_(data.motion(), data.breaks, 20.0 * data.correlated),
        groups_(groups_of(model, free, prior)),
        joint_weights_(options.joint_weights.size() ? options.joint_weights
                                                    : Vector(Vector::Ones(data.typical.size()))),
        least_noise_(options.least_noise.size() ? options.least_noise
                                                : Vector(Vector::Zero(data.typical.size()))),
        known_(model.nominal()),
        map_(base.map()(Eigen::all, free)) {
    known_(free).setZero();
  }

  const std::vector<int> free;
  PhysicalPrior prior;

  Sums sums(const Vector& weights) const {
    Sums all = data_.sums(weights);
    all.size += known_.dot(all.G * known_) - 2.0 * all.g.dot(known_);
    all.g -= all.G * known_;
    return {all.G(free, free), all.g(free), all.size};
  }
  /// With joints alike, but for those that do not count at all.
  Sums unweighted() const { return sums((joint_weights_.array() > 0.0).cast<double>().matrix()); }
  /// Weighs equations from now on by how far off z leaves them.
  void weigh_robustly(const Vector& z) {
    robust_ = robust_weights(data_.errors(whole(z)));
    weigh();
  }

  /// Of base parameters only.
  Sums of_base(const Sums& sums) const {
    std::vector<int> at;
    for (const int k : base_.independent)
      at.push_back(int(std::lower_bound(free.begin(), free.end(), k) - free.begin()));
    return {sums.G(at, at), sums.g(at), sums.size};
  }

  Vector whole(const Vector& z) const {
    Vector all = known_;
    all(free) = z;
    return all;
  }

  struct Noise {
    Vector deviation, correlated;
    /// How much each channel counts: one over the variance of an independent sample. No
    /// sensor is better than a millionth.
    Vector weights;
    /// The variance that it has for parameters, over that.
    Vector for_parameters;
  };
  /// What z leaves unexplained: its size by the sums, its correlation by some of the samples. `covariance` is of z.
  Noise noise(const Vector& z, const Matrix& covariance, const Vector& weights) const {
    const Vector& typical = data_.typical;
    const Index n = typical.size();
    Vector counts = Vector::Constant(n, double(data_.size)), left(n),
           fitted = Vector::Constant(n, base_.size() / double(n));
    if (rests_.size() > 0) counts = rests_.rowwise().sum();
    for (Index i = 0; i < n; ++i) {
      const Sums own = sums(Vector::Unit(n, i));
      left(i) = std::max(0.0, own.size + z.dot(own.G * z) - 2.0 * own.g.dot(z));
      if (covariance.size() > 0) fitted(i) = weights(i) * covariance.cwiseProduct(own.G).sum();
    }
    Matrix errors = data_.some_errors(whole(z));
    if (rests_.size() > 0) errors = errors.cwiseProduct(data_.some_of(rests_).cwiseSqrt());
    const Vector alike = correlation(errors, data_.breaks, 5.0 * data_.correlated);
    // what was fitted away was noise too
    const Vector deviation =
        left.cwiseQuotient((counts - fitted.cwiseProduct(alike)).cwiseMax(0.1 * counts))
            .cwiseSqrt()
            .cwiseMax(least_noise_);
    const Vector variance = deviation.cwiseAbs2().cwiseMax(1e-12 * typical.cwiseAbs2());
    return {
        deviation, alike,
        variance.cwiseProduct(alike).cwiseMax(1e-300).cwiseInverse().cwiseProduct(joint_weights_),
        // noise that no filter made alike is the same everywhere
        data_.correlated < 2.0
            ? Vector(Vector::Ones(n))
            : Vector(correlation_.of(errors, counts, fitted).cwiseQuotient(alike))};
  }

  /// Joints that rest count from now on by what they show. `covariance` is of z, and empty where that is not known.
  void weigh_rests(const Vector& z, const Matrix& covariance, const Noise& noise) {
    if (data_.at_rest.size() == 0) return;
    const Matrix dry = data_.dry_friction(Eigen::all, free);
    Vector level = (data_.dry_friction * whole(z)).cwiseAbs2();
    if (covariance.size() > 0) level += (dry * covariance).cwiseProduct(dry).rowwise().sum();
    const Vector independent =
        noise.deviation.cwiseAbs2().cwiseProduct(noise.correlated).cwiseMax(1e-300);
    rests_ =
        (1.0 + (level.cwiseQuotient(independent).asDiagonal() * data_.at_rest).array()).inverse();
    weigh();
  }

  /// The prior's curvature, for what is known. A positive number that is less than expected may well be what was expected: towards 0 the
  /// prior bends ever more, which says nothing of larger numbers.
  Matrix believed(const Vector& z) const {
    Vector at = z;
    for (const PhysicalPrior::Number& x : prior.numbers())
      if (x.deviation == 0.0) at(x.at) = std::max(at(x.at), x.expected);
    return prior.information(at);
  }

  /// Of single equations; empty: 1.
  const Matrix& rests() const { return rests_; }

  /// How far what was believed is off, by how far the data show it to be: of bodies, of friction and of offsets, that weight of the prior
  /// which makes the data likeliest [MacKay 1992], at least what it was at first.
  void weigh_prior(const Vector& z, const Matrix& covariance) {
    constexpr double at_first = 0.2;    // parameters that what was believed at first is worth
    constexpr double strongest = 25.0;  // no description is right to better than a fifth
    for (Group& group : groups_) {
      if (group.at.empty()) continue;
      const PhysicalPrior own = prior.restricted(group.at);
      const double off = own.value(z(group.at)) / group.factor;
      const double learned =
          double(group.at.size()) -
          covariance(group.at, group.at).cwiseProduct(believed(z)(group.at, group.at)).sum();
      const double found = std::clamp((std::max(0.0, learned) + at_first) / (2.0 * off + at_first),
                                      1.0, std::max(1.0, strongest / group.weight));
      prior.weigh(group.at, found / group.factor);
      group.factor = found;
    }
  }

  /// The numbers nearest to the prior's, by its own measure, among those with these base parameters.
  Vector spread(const Vector& beta) const {
    const Vector& center = prior.center();
    const Matrix C = prior.information(center).llt().solve(map_.transpose());
    return center + C * (map_ * C).ldlt().solve(beta - map_ * center);
  }

 private:
  /// Unknowns of which one thing is believed.
  struct Group {
    std::vector<int> at;
    double weight = 1.0;  ///< of the prior, at first
    double factor = 1.0;
  };
  static std::vector<Group> groups_of(const TorqueModel& model, const std::vector<int>& free,
                                      const PhysicalPrior& prior) {
    Group bodies, friction, offsets;
    for (const PhysicalPrior::Body& body : prior.bodies()) {
      bodies.weight = body.weight;
      for (int k = 0; k < 10; ++k) bodies.at.push_back(body.at + k);
    }
    for (const PhysicalPrior::Number& x : prior.numbers()) {
      const int own = free[std::size_t(x.at)] - model.inertial_size();
      if (own < 0 || own >= model.feature_count() * model.model().nv()) continue;
      const Feature feature = model.features()[std::size_t(own % model.feature_count())];
      if (feature == Feature::armature || feature == Feature::load) continue;
      Group& group = feature == Feature::offset ? offsets : friction;
      group.weight = x.weight;
      group.at.push_back(x.at);
    }
    return {bodies, friction, offsets};
  }
  void weigh() {
    if (robust_.size() > 0 && rests_.size() > 0)
      data_.weigh(robust_.cwiseProduct(rests_));
    else if (robust_.size() > 0 || rests_.size() > 0)
      data_.weigh(robust_.size() > 0 ? robust_ : rests_);
  }

  const BaseParameters& base_;
  Measurements& data_;
  MotionCorrelation correlation_;
  Matrix robust_, rests_;  ///< weights of equations; empty: 1
  std::vector<Group> groups_;
  Vector joint_weights_, least_noise_;
  Vector known_;  ///< zero where free
  Matrix map_;
};

// Each method yields the free unknowns; those without a prior the covariance of base parameters too.
struct Solution {
  Vector z;
  Matrix base_covariance = {};
  int steps = 1;
  bool converged = true;
};

Solution least_squares(const Problem& problem, const Sums& sums) {
  const Sums base = problem.of_base(sums);
  const Matrix covariance = inverse_of(base.G);
  return {problem.spread(covariance * base.g), covariance};
}

/// The direction in which (Y, -tau) is smallest, columns scaled to the same length.
Solution total_least_squares(const Problem& problem, const Sums& sums) {
  const Sums base = problem.of_base(sums);
  const Index n = base.g.size();
  Matrix all(n + 1, n + 1);
  all << base.G, -base.g, -base.g.transpose(), base.size;
  const Vector scale = all.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(scale.asDiagonal() * all * scale.asDiagonal());
  const Vector smallest = scale.cwiseProduct(eigen.eigenvectors().col(0));
  return {problem.spread(smallest.head(n) / smallest(n)), inverse_of(base.G)};
}

Solution ridge(const Problem& problem, const Sums& sums) {
  const Vector& center = problem.prior.center();
  const Matrix covariance = inverse_of(sums.G + problem.prior.information(center));
  return {center + covariance * (sums.g - sums.G * center)};
}

Solution consistent(const Problem& problem, const Sums& sums) {
  ConsistentSolver solver(problem.prior.size());
  Vector z;
  const bool converged = solver.solve(sums.G, sums.g, problem.prior, z);
  return {z, {}, solver.steps(), converged};
}

/// Passes over the data, each with the noise that the one before left.
Solution solve(Problem& problem, const EstimateOptions& options, Problem::Noise& noise,
               Sums& sums) {
  const Method method = options.method;
  // where all begin: joints alike
  Solution solution = least_squares(problem, problem.unweighted());
  Matrix covariance;  // of methods with a prior
  noise = problem.noise(solution.z, {}, {});
  if (method == Method::ols) {
    sums = problem.sums(noise.weights);
    // with the noise that each joint turned out to have
    const Matrix spread = problem.of_base(problem.sums(noise.weights.cwiseInverse())).G;
    solution.base_covariance = solution.base_covariance * spread * solution.base_covariance;
    return solution;
  }
  const bool has_prior = method == Method::ridge || method == Method::consistent;
  const int passes = method == Method::irls ? 10 : has_prior ? 8 : 3;
  for (int pass = 0; pass < passes; ++pass) {
    const Vector before = solution.z;
    const int steps = solution.steps;
    problem.weigh_rests(solution.z, covariance, noise);
    if (method == Method::irls) problem.weigh_robustly(solution.z);
    sums = problem.sums(noise.weights);
    solution = method == Method::tls          ? total_least_squares(problem, sums)
               : method == Method::ridge      ? ridge(problem, sums)
               : method == Method::consistent ? consistent(problem, sums)
                                              : least_squares(problem, sums);
    solution.steps += steps;
    if (has_prior)
      covariance = inverse_of(
          sums.G + problem.believed(method == Method::ridge ? problem.prior.center() : solution.z));
    if (method == Method::consistent && options.weigh_prior)
      problem.weigh_prior(solution.z, covariance);
    noise = problem.noise(solution.z, covariance, noise.weights);
    if ((solution.z - before).norm() < 1e-9 * before.norm()) break;
  }
  sums = problem.sums(noise.weights);
  return solution;
}

/// Without a prior, an unknown is determined by itself if no other comes with it.
void set_uncertainty(const BaseParameters& base, const Matrix& base_covariance,
                     Estimate& estimate) {
  estimate.base_deviation = deviations(base_covariance);
  estimate.deviation = Vector::Constant(base.unknowns, infinity);
  estimate.deviation(base.known).setZero();
  estimate.learned = Vector::Zero(base.unknowns);
  for (int i = 0; i < base.size(); ++i) {
    if (!base.shares.row(i).isZero(0.0)) continue;
    estimate.deviation(base.independent[i]) = estimate.base_deviation(i);
    estimate.learned(base.independent[i]) = 1.0;
  }
}

/// `systematic` is how far off parameters may be beside noise, as a covariance.
Estimate estimate_from(const TorqueModel& model, const BaseParameters& base, Measurements& data,
                       const Vector& typical_torques, const EstimateOptions& options,
                       const std::function<Matrix(const Weighted&)>& systematic = {}) {
  const Index equations = data.typical.size() * data.size;
  require(equations >= base.size(), "identification: ", data.size, " samples give ", equations,
          " equations, too few for ", base.size(), " base parameters");
  require(options.joint_weights.size() == 0 ||
              (options.joint_weights.size() == data.typical.size() &&
               options.joint_weights.minCoeff() >= 0.0 && options.joint_weights.maxCoeff() <= 1.0),
          "identification: joint_weights must be a number from 0 to 1 for each joint");
  require(options.least_noise.size() == 0 || options.least_noise.size() == data.typical.size(),
          "identification: least_noise must be a number for each joint");
  Problem problem(model, base, data, typical_torques, options);
  Problem::Noise noise;
  Sums sums;
  const Solution solution = solve(problem, options, noise, sums);

  Estimate result;
  result.z = problem.whole(solution.z);
  result.prior = problem.whole(problem.prior.center());
  result.base = base.of(result.z);
  result.noise = noise.deviation;
  result.correlated = noise.correlated;
  result.excitation = excitation(problem.of_base(sums).G);
  result.consistent = is_consistent(model, result.z);
  result.steps = solution.steps;
  result.converged = solution.converged;
  if (solution.base_covariance.size() > 0) {
    set_uncertainty(base, solution.base_covariance, result);
  } else {
    const Matrix prior =
        problem.believed(options.method == Method::ridge ? problem.prior.center() : solution.z);
    // what was weighed as noise may vary more where the motion is
    const Matrix inverse = inverse_of(sums.G + prior);
    Matrix covariance = inverse *
                        (problem.sums(noise.weights.cwiseProduct(noise.for_parameters)).G + prior) *
                        inverse;
    if (systematic)
      covariance += systematic({result.z, noise.weights, problem.rests(), problem.free, inverse});
    set_uncertainty(base, problem.free, inverse_of(prior), covariance, result);
  }
  return result;
}

}  // namespace

std::string_view to_string(Method method) { return method_names[int(method)]; }
std::optional<Method> method_from_string(std::string_view name) {
  const auto at = std::ranges::find(method_names, name) - std::begin(method_names);
  return at < std::ssize(method_names) ? std::optional(Method(at)) : std::nullopt;
}

TorqueData gather(const TorqueModel& model, const Prepared& prepared) {
  const int nv = model.model().nv();
  TorqueData data;
  data.q.resize(model.model().nq(), prepared.size());
  data.v.resize(nv, prepared.size()), data.a = data.tau = data.v;
  data.x.resize(model.feature_count() * nv, prepared.size());
  data.sliding = Matrix::Ones(nv, prepared.size());
  Index to = 0;
  for (const Piece& piece : prepared.pieces) {
    const auto part = [&](Matrix& m) { return m.middleCols(to, piece.size()); };
    data.breaks.push_back(to);
    part(data.q) = piece.q, part(data.v) = piece.v, part(data.a) = piece.a;
    part(data.tau) = piece.tau;
    part(data.x) = model.features_of(piece.v, piece.a, piece.tau, piece.direction);
    if (piece.sliding.size() > 0) part(data.sliding) = piece.sliding;
    data.correlated = std::max(data.correlated, piece.rate_hz / prepared.filter_hz);
    to += piece.size();
  }
  const auto other_rate = [&](const Piece& p) { return p.rate_hz != prepared.pieces[0].rate_hz; };
  if (!prepared.pieces.empty() && std::ranges::none_of(prepared.pieces, other_rate))
    data.rate_hz = prepared.pieces[0].rate_hz;
  data.tau = model.reduced(data.q, std::move(data.tau));
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

Matrix errors_of(const TorqueModel& model, const Vector& z, const TorqueData& data) {
  return data.tau - model.torques(z, data.q, data.v, data.a, data.x);
}

Fit fit_of(const Matrix& errors, const Matrix& tau) {
  return {100.0 * rms(errors).cwiseQuotient(rms(tau)), 100.0 * errors.norm() / tau.norm(),
          rms(errors)};
}

Estimate estimate(const TorqueModel& model, const BaseParameters& base, const TorqueData& data,
                  const EstimateOptions& options) {
  const auto measurements = measurements_of(model, data);
  Vector typical = measurements->typical;
  // joints that loops move have no torque of their own, and friction like the others
  if (model.loops()) typical = (typical.array() > 0.0).select(typical, typical.maxCoeff());
  // friction and sensors of a joint that hardly has to do anything are still those of its drive
  constexpr double weakest = 0.05;
  typical = typical.cwiseMax(weakest * typical.maxCoeff());
  return estimate_from(model, base, *measurements, typical, options, [&](const Weighted& found) {
    return outside_the_model(model, data, found);
  });
}

Estimate estimate(const TorqueModel& model, const BaseParameters& base, const WrenchData& data,
                  const EstimateOptions& options) {
  require(model.feature_count() == 0,
          "identification: wrenches do not depend on friction and rotors; leave the features out");
  const auto rows = 6 * Index(data.sensors.size());
  ulna::detail::require_shape("wrench", data.wrench.rows(), data.wrench.cols(), rows, data.size(),
                              model.model());
  const auto measurements = measurements_of(model.model(), data);
  return estimate_from(model, base, *measurements, Vector::Ones(model.model().nv()), options);
}

}  // namespace ulna::identify
