#include "ulna/identify/drives/drive_estimate.hpp"

#include <algorithm>

#include "identify/data/ranges.hpp"
#include "identify/drives/drive_problem.hpp"
#include "identify/messages.hpp"
#include "ulna/identify/estimate/consistent.hpp"

namespace ulna::identify {
namespace {

/// Beside that of bodies and joints: drives about as the robot has them. Where it has nothing, a small share of what is usual. Damping and hardening
/// are those that the robot has with the compliances of x.
PhysicalPrior drive_prior(const TorqueModel& model, const DriveProblem& problem,
                          const Vector& typical, const PriorOptions& options, double weight,
                          const Vector& x) {
  using Kind = DriveUnknown::Kind;
  PhysicalPrior prior = make_prior(model, typical, options);
  const Vector known = problem.inner(model.nominal());
  double compliance = 0.0, share = 1.0;  // of the spring whose other numbers follow
  for (std::size_t k = 0; k < model.drives().size(); ++k) {
    const DriveUnknown& u = model.drives()[k];
    const int at = model.drive_at(int(k));
    const double torque = std::max(typical(u.at), 1e-6), value = known(at);
    switch (u.kind) {
      case Kind::rotor:
        prior.add_positive(at, value > 0.0 ? value : 0.01 * torque, weight);
        break;
      case Kind::viscous:
      case Kind::coulomb:
        prior.add_positive(at, value > 0.0 ? std::max(value, 0.005 * torque) : 0.05 * torque,
                           weight);
        break;
      case Kind::offset:
        prior.add_around(at, 0.0, torque);
        break;
      case Kind::stiffness:
        compliance = value, share = x(at) / value;
        prior.add_positive(at, value, weight);
        break;
      case Kind::damping: {
        constexpr double lag = 1e-4;  // s, D/K
        prior.add_positive(at, value > 0.0 ? value * share * share : lag * compliance * share,
                           weight);
        break;
      }
      case Kind::hardening:
        prior.add_positive(at, value * std::pow(share, 4), weight);
        break;
      case Kind::deflection:
        prior.add_around(at, 0.0, 0.01);
        break;
      case Kind::ratio:
        prior.add_around(at, value, std::max(1.0, std::abs(value)));
        break;
    }
  }
  return prior;
}

/// The covariance that sums of a signal have whose samples are alike, up to `reach` of them, tapered [Parzen 1961; Newey, West 1987].
Matrix long_run(const Matrix& x, const std::vector<Index>& breaks, Index reach) {
  Matrix sum = x * x.transpose();
  for (Index lag = 1; lag <= reach; ++lag) {
    const double u = double(lag) / double(reach + 1);
    const double taper = u < 0.5 ? 1.0 - 6.0 * u * u * (1.0 - u) : 2.0 * std::pow(1.0 - u, 3);
    Matrix products = Matrix::Zero(x.rows(), x.rows());
    for (const Range& piece : pieces_of(breaks, x.cols()))
      if (const Index count = piece.size() - lag; count > 0)
        products.noalias() +=
            x.middleCols(piece.begin, count) * x.middleCols(piece.begin + lag, count).transpose();
    sum += taper * (products + products.transpose());
  }
  return sum;
}

/// Linearised, solved with the noise that the step before left, until nothing changes any more.
class DriveEstimation {
 public:
  DriveEstimation(const TorqueModel& model, const BaseParameters& base, const DriveData& data,
                  const PriorOptions& options)
      : model_(model),
        base_(base),
        data_(data),
        problem_(model, data),
        free_(base.free()),
        typical_(problem_.typical()),
        options_(options),
        prior_(prior(believed, problem_.inner(model.nominal()))) {}

  Estimate run() {
    x_ = start();
    linear_ = problem_.at(x_);
    weigh(linear_.errors);
    // what a robot with other springs leaves unexplained is no noise: until that is known, drives are hardly believed
    free_prior_ = prior(hardly_believed, prior_.center()).restricted(free_);
    settle();
    free_prior_ = prior(believed, x_).restricted(free_);
    converged_ = settle() && converged_;
    widen();
    return result();
  }

  /// Deviations of all unknowns, of numbers as they are described, with this noise.
  Vector expected(const Vector& noise) {
    x_ = problem_.inner(model_.nominal());
    // what is described as 0, such as friction, is where the prior has it: at 0 itself it would be known
    for (const int k : free_)
      if (x_(k) == 0.0) x_(k) = prior_.center()(k);
    linear_ = problem_.at(x_);
    weights_ = noise.cwiseAbs2().cwiseInverse();
    free_prior_ = prior(hardly_believed, x_).restricted(free_);
    after_ = inverse_of(free_sums().G + free_prior_.information(x_(free_)));
    const Matrix slopes = problem_.slopes(x_)(free_, free_);
    Vector all = Vector::Zero(model_.unknowns());
    all(free_) = deviations(slopes * after_ * slopes.transpose());
    return all;
  }

 private:
  /// How much the robot's drives count: with the first, they may well be wrong by 300 %.
  static constexpr double believed = 0.1, hardly_believed = 1e-4;
  PhysicalPrior prior(double weight, const Vector& x) const {
    return drive_prior(model_, problem_, typical_.head(model_.model().nv()), options_, weight, x);
  }

  /// Steps until no unknown moves any more; false if some still do.
  bool settle() {
    constexpr int most = 20;
    for (int i = 0; i < most; ++i) {
      const Vector before = x_;
      const double cost = this->cost();
      solve();
      linear_ = problem_.at(x_);
      // where equations are far from linear, a shorter step the same way explains more
      for (int k = 0; k < 6 && !(this->cost() <= cost); ++k) {
        x_ = 0.5 * (before + x_);
        linear_ = problem_.at(x_);
      }
      weigh(linear_.errors);
      ++steps_;
      if (is_settled(before)) return true;
    }
    return false;
  }

  /// What is least where the estimate is, by the noise of now.
  double cost() const {
    return 0.5 * weights_.dot(linear_.errors.rowwise().squaredNorm()) +
           free_prior_.value(x_(free_));
  }

  /// As the prior has it, with springs that hardly give way: links are nearly where the motors are.
  Vector start() const {
    Vector x = prior_.center();
    const Vector described = problem_.inner(model_.nominal());
    for (const int k : base_.known) x(k) = described(k);
    for (std::size_t k = 0; k < model_.drives().size(); ++k)
      if (const auto kind = model_.drives()[k].kind; kind == DriveUnknown::Kind::stiffness ||
                                                     kind == DriveUnknown::Kind::damping ||
                                                     kind == DriveUnknown::Kind::hardening)
        x(model_.drive_at(int(k))) *= 1e-3;
    return x;
  }

  void weigh(const Matrix& errors) {
    alike_ = correlation(errors, data_.used_breaks, 5.0 * data_.correlated);
    const double count = double(data_.size()), fitted = base_.size() / double(errors.rows());
    noise_.resize(errors.rows());
    for (Index r = 0; r < errors.rows(); ++r)
      noise_(r) = std::sqrt(errors.row(r).squaredNorm() /
                            std::max(count - fitted * alike_(r), 0.1 * count));
    const Vector variance = noise_.cwiseAbs2().cwiseMax(1e-12 * typical_.cwiseAbs2());
    weights_ = variance.cwiseProduct(alike_).cwiseMax(1e-300).cwiseInverse();
  }

  Sums free_sums() const {
    Vector known = x_;
    known(free_).setZero();
    Sums all = problem_.weighted(linear_, weights_);
    all.g -= all.G * known;
    return {all.G(free_, free_), all.g(free_), all.size};
  }

  void solve() {
    const Sums sums = free_sums();
    ConsistentSolver solver(free_prior_.size());
    Vector x;
    converged_ = solver.solve(sums.G, sums.g, free_prior_, x);
    x_(free_) = x;
  }

  /// Whether no unknown moved by more than a small share of its deviation.
  bool is_settled(const Vector& before) {
    const Vector x = x_(free_);
    information_ = free_sums().G;
    after_ = inverse_of(information_ + free_prior_.information(x));
    const Vector moved = (x_ - before)(free_);
    // with ratios, signs of velocities jump: a part in a thousand is as near as it comes
    const bool ratios = std::ranges::any_of(
        model_.drives(), [](const DriveUnknown& u) { return u.kind == DriveUnknown::Kind::ratio; });
    const double share = ratios ? 0.5 : 0.02, relative = ratios ? 2e-3 : 1e-9;
    return (moved.array().abs() <= share * deviations(after_).array() + relative * x.array().abs())
        .all();
  }

  /// Noise of one sensor is in the equations of several channels where it moves links, and not white: deviations grow to those of the errors as
  /// they are, by the covariance of their slopes ("sandwich").
  void widen() {
    const auto reach = Index(std::ceil(5.0 * data_.correlated));
    const Matrix scores = problem_.scores(x_, weights_)(free_, Eigen::all);
    const double count = double(data_.size()), fitted = base_.size() / double(noise_.size());
    const double lost = count / std::max(count - fitted * alike_.maxCoeff(), 0.1 * count);
    const Matrix noise =
        after_ *
        (lost * long_run(scores, data_.used_breaks, reach) + free_prior_.information(x_(free_))) *
        after_;
    const Vector wider =
        deviations(noise).cwiseQuotient(deviations(after_).cwiseMax(1e-300)).cwiseMax(1.0);
    after_ = wider.asDiagonal() * after_ * wider.asDiagonal();
  }

  Estimate result() const {
    const Vector x = x_(free_);
    const Matrix slopes = problem_.slopes(x_)(free_, free_);
    const Matrix before = inverse_of(free_prior_.information(x));
    Estimate found;
    found.z = problem_.outer(x_);
    found.prior = problem_.outer(prior_.center());
    found.base = base_.of(found.z);
    set_uncertainty(base_, free_, slopes * before * slopes.transpose(),
                    slopes * after_ * slopes.transpose(), found);
    const int n = model_.model().nv();
    found.noise = noise_.head(n), found.correlated = alike_.head(n);
    std::vector<int> at;
    for (const int k : base_.independent)
      at.push_back(int(std::ranges::lower_bound(free_, k) - free_.begin()));
    found.excitation = excitation(information_(at, at));
    found.consistent = is_consistent(model_, found.z);
    found.steps = steps_, found.converged = converged_;
    return found;
  }

  const TorqueModel& model_;
  const BaseParameters& base_;
  const DriveData& data_;
  DriveProblem problem_;
  std::vector<int> free_;
  Vector typical_;
  PriorOptions options_;
  PhysicalPrior prior_;          ///< as the robot is described
  PhysicalPrior free_prior_{0};  ///< in use
  DriveProblem::Linear linear_;
  Vector x_, noise_, alike_, weights_;
  Matrix information_, after_;
  int steps_ = 0;
  bool converged_ = true;
};

}  // namespace

Estimate estimate_drives(const TorqueModel& model, const BaseParameters& base,
                         const DriveData& data, const PriorOptions& prior) {
  require(data.size() * model.model().nv() >= base.size(), "identification: ", data.size(),
          " samples are too few for ", base.size(), " base parameters");
  return DriveEstimation(model, base, data, prior).run();
}

Vector expected_deviations(const TorqueModel& model, const BaseParameters& base,
                           const DriveData& data, const Vector& noise) {
  return DriveEstimation(model, base, data, {}).expected(noise);
}

Matrix motor_torques(const TorqueModel& model, const Vector& z, const DriveData& data) {
  const DriveProblem problem(model, data);
  return problem.motor_torques(problem.inner(z));
}

}  // namespace ulna::identify
