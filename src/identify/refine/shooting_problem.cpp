#if ULNA_WITH_CERES
#include "identify/refine/shooting_problem.hpp"

#include <ceres/ceres.h>

#include <Eigen/Sparse>
#include <algorithm>
#include <stdexcept>

#include "identify/estimate/uncertainty.hpp"

namespace ulna::identify {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Root mean square of rows, over all pieces.
Vector typical(const Prepared& prepared, const Matrix Piece::*what, int nv) {
  Vector sum = Vector::Zero(nv);
  for (const Piece& piece : prepared.pieces) sum += (piece.*what).rowwise().squaredNorm();
  return (sum / double(std::max<Index>(1, prepared.size()))).cwiseSqrt();
}

/// That of the estimate, and of Stribeck friction that it is about half of the dry friction known, at a
/// tenth of the usual velocity.
PhysicalPrior prior_of(const TorqueModel& model, const Estimate& start, const Prepared& prepared,
                       const RefineOptions& options, const ShootingNumbers& layout) {
  const Vector torque = typical(prepared, &Piece::tau, layout.nv),
               velocity = typical(prepared, &Piece::v, layout.nv);
  PhysicalPrior prior = make_prior(model, torque, options.prior).extended(layout.extra());
  if (layout.stribeck)
    for (int i = 0; i < layout.nv; ++i) {
      double dry = 0.02 * torque(i);
      for (int k = 0; k < model.feature_count(); ++k) {
        const Feature f = model.features()[k];
        if (f == Feature::coulomb || f == Feature::coulomb_positive ||
            f == Feature::coulomb_negative)
          dry = std::max(dry, start.z(model.at(i, k)));
      }
      prior.add_positive(layout.level(i), std::max(0.5 * dry, 1e-9), 0.1);
      prior.add_positive(layout.velocity(i), std::max(0.1 * velocity(i), 1e-6), 0.5);
    }
  if (layout.delay) prior.add_around(layout.delay_at(), 0.0, options.delay_deviation);
  return prior;
}

}  // namespace

ShootingProblem::ShootingProblem(const TorqueModel& model, const BaseParameters& base,
                                 const Estimate& start, const Prepared& prepared,
                                 const RefineOptions& options)
    : model_(model),
      base_(base),
      prepared_(prepared),
      options_(options),
      nv_(model.model().nv()),
      velocities_(prepared.velocity_measured),
      layout_{model.unknowns(), nv_, options.stribeck, options.delay, options.torques_noisy},
      free_(base.free()),
      coordinates_(PhysicalPrior(0)),
      shooting_(model, layout_) {
  for (int k = layout_.unknowns; k < layout_.size(); ++k) free_.push_back(k);
  const PhysicalPrior prior = prior_of(model, start, prepared, options, layout_);
  coordinates_ = PhysicalCoordinates(prior.restricted(free_));
  known_ = prior.center();
  known_.head(layout_.unknowns) = start.z;
  theta_ = coordinates_.of(known_(free_));
  // a start that runs away is looked at in shorter windows
  double seconds = options.window;
  for (int i = 0;; ++i, seconds *= 0.5) {
    if (!cut(seconds))
      throw std::invalid_argument("refine: no piece of motion holds a window of " +
                                  std::to_string(options.window) + " s");
    if (possible() || i == 6) break;
  }
}

bool ShootingProblem::cut(double seconds) {
  windows_.clear(), states_.clear();
  shooting_.set(numbers(theta_));
  for (const Piece& piece : prepared_.pieces) {
    const int stride = std::max(1, int(std::lround(piece.rate_hz / options_.rate_hz)));
    const int steps = std::max(2, int(std::lround(seconds * piece.rate_hz / stride)));
    const Index length = Index(steps) * stride;
    const int substeps = shooting_.substeps(piece, stride / piece.rate_hz);
    // torques are needed later or sooner than motion
    const Index margin =
        options_.delay ? Index(std::ceil(3.0 * options_.delay_deviation * piece.rate_hz)) : 0;
    for (Index first = margin; first + length + margin < piece.size() && piece.size() >= 4;
         first += length)
      windows_.push_back({&piece, first, stride, steps, substeps});
  }
  if (windows_.empty()) return false;
  leave_out();
  for (std::size_t w = 0; w < windows_.size(); ++w) {
    windows_[w].continues = w + 1 < windows_.size() && windows_[w].piece == windows_[w + 1].piece &&
                            windows_[w].sample(windows_[w].steps) == windows_[w + 1].first;
    states_.push_back(Vector::Zero(state_size()));
    states_.back().head(2 * nv_) = measured(windows_[w], 0);
  }
  return true;
}

/// Stretches of windows that continue each other are worth most: half a second of each is kept, or left out.
void ShootingProblem::leave_out() {
  Index steps = 0;
  for (const Window& w : windows_) steps += w.steps;
  const double share = double(options_.most_steps) / double(steps);
  if (share >= 1.0) return;
  std::vector<Window> kept;
  const Piece* piece = nullptr;
  Index stretch = -1;
  double begin = 0.0;
  for (const Window& w : windows_) {
    const double t = double(w.first) / w.piece->rate_hz;
    if (w.piece != piece || t >= begin + 0.5) piece = w.piece, begin = t, ++stretch;
    if (std::floor(double(stretch + 1) * share) > std::floor(double(stretch) * share))
      kept.push_back(w);
  }
  if (kept.empty()) kept.push_back(windows_.front());
  windows_ = std::move(kept);
}

bool ShootingProblem::possible() {
  shooting_.set(numbers(theta_));
  for (std::size_t w = 0; w < windows_.size(); ++w)
    if (!shooting_(windows_[w], states_[w], false)) return false;
  return true;
}

double ShootingProblem::window() const {
  return windows_.front().steps * windows_.front().step_seconds();
}
int ShootingProblem::samples() const {
  int sum = 0;
  for (const Window& w : windows_) sum += w.steps + (w.continues ? 0 : 1);
  return sum;
}

Vector ShootingProblem::measured(const Window& window, int sample) const {
  const Index k = window.sample(sample);
  Vector state(2 * nv_);
  state << window.piece->q.col(k), window.piece->v.col(k);
  return state;
}

Vector ShootingProblem::numbers(const Vector& theta) const {
  Vector free, all = known_;
  coordinates_.numbers(theta, free);
  all(free_) = free;
  return all;
}

// --- weights ---

void ShootingProblem::settle() {
  if (!options_.torques_noisy) return;
  const int n = 2 * nv_;
  shooting_.set(numbers(theta_));
  for (std::size_t w = 0; w < windows_.size(); ++w) {
    const Window& window = windows_[w];
    if (!shooting_(window, states_[w], true)) continue;
    // velocities count by how far they lead in the window
    Vector weight = Vector::Ones(n);
    weight.tail(nv_).setConstant(window.steps * window.step_seconds());
    Matrix J(n * (window.steps + 1), state_size());
    Vector off(J.rows());
    for (int k = 0; k <= window.steps; ++k) {
      const auto at = std::size_t(k);
      J.middleRows(n * k, n) = weight.asDiagonal() * shooting_.slopes[at].leftCols(state_size());
      off.segment(n * k, n) = weight.cwiseProduct(measured(window, k) - shooting_.states[at]);
    }
    const Vector settled = states_[w] + J.colPivHouseholderQr().solve(off);
    if (shooting_(window, settled, false)) states_[w] = settled;
  }
}

Matrix ShootingProblem::errors(std::vector<Index>& breaks) {
  Matrix all = Matrix::Zero(2 * nv_, samples());
  Index at = 0;
  breaks = {0};
  shooting_.set(numbers(theta_));
  for (std::size_t w = 0; w < windows_.size(); ++w) {
    const Window& window = windows_[w];
    const bool done = shooting_(window, states_[w], false);
    for (int k = 0; done && k < window.steps + (window.continues ? 0 : 1); ++k)
      all.col(at++) = shooting_.states[k] - measured(window, k);
    if (!window.continues && w + 1 < windows_.size()) breaks.push_back(at);
  }
  all.conservativeResize(Eigen::NoChange, std::max<Index>(1, at));
  return all;
}

void ShootingProblem::rms(Vector& position, Vector& velocity) {
  std::vector<Index> breaks;
  const Matrix all = errors(breaks);
  const Vector size = (all.rowwise().squaredNorm() / double(all.cols())).cwiseSqrt();
  position = size.head(nv_), velocity = size.tail(nv_);
}

/// With noisy torques, as wide as gaps are.
Vector ShootingProblem::gap_noise(const Vector& noise) {
  const Vector least = options_.continuity * noise;
  if (!options_.torques_noisy) return least;
  Vector sum = Vector::Zero(2 * nv_);
  double count = 0.0;
  shooting_.set(numbers(theta_));
  for (std::size_t w = 0; w + 1 < windows_.size(); ++w)
    if (windows_[w].continues && shooting_(windows_[w], states_[w], false)) {
      const auto end = std::size_t(windows_[w].steps);
      sum += (shooting_.states[end] - states_[w + 1].head(2 * nv_)).cwiseAbs2();
      count += 1.0;
    }
  return (sum / std::max(1.0, count)).cwiseSqrt().cwiseMax(least);
}

double ShootingProblem::weigh_by_noise() {
  std::vector<Index> breaks;
  const Matrix all = errors(breaks);
  // what was fitted away was noise too
  const double count = double(all.cols()),
               fitted = options_.torques_noisy
                            ? 1.5 * double(windows())
                            : double(windows()) + double(coordinates()) / double(2 * nv_);
  Matrix pushes(nv_, windows());
  for (std::size_t w = 0; w < windows_.size(); ++w) pushes.col(Index(w)) = states_[w].tail(nv_);
  const double by_numbers = double(coordinates()) / double(nv_);
  Vector noise(3 * nv_);
  noise << all.rowwise().squaredNorm() / std::max(1.0, count - fitted),
      pushes.rowwise().squaredNorm() / std::max(1.0, double(windows()) - by_numbers);
  noise = noise.cwiseSqrt();
  // no sensor is better than a millionth
  Vector usual(3 * nv_);
  usual << typical(prepared_, &Piece::q, nv_), typical(prepared_, &Piece::v, nv_),
      typical(prepared_, &Piece::tau, nv_);
  noise = noise.cwiseMax(1e-6 * usual).cwiseMax(1e-12);

  const double rate = 1.0 / windows_.front().step_seconds();
  const double reach = prepared_.filter_hz > 0.0 ? 5.0 * rate / prepared_.filter_hz : 0.0;
  const Vector alike = correlation(all, breaks, reach);
  const double change =
      noise_.size() ? (noise - noise_).cwiseQuotient(noise_).cwiseAbs().maxCoeff() : infinity;
  noise_ = noise;
  weight_ = noise.head(2 * nv_).cwiseProduct(alike.cwiseSqrt()).cwiseInverse();
  gap_weight_ = gap_noise(noise.head(2 * nv_)).cwiseInverse();
  if (!options_.torques_noisy) {
    push_weight_ = noise.tail(nv_).cwiseInverse();
    if (!velocities_) weight_.tail(nv_).setZero();
    return change;
  }
  std::vector<Index> apart{0};
  for (std::size_t w = 0; w + 1 < windows_.size(); ++w)
    if (!windows_[w].continues) apart.push_back(Index(w) + 1);
  const Vector pushed_alike = correlation(pushes, apart, reach / windows_.front().steps);
  push_weight_ = noise.tail(nv_).cwiseProduct(pushed_alike.cwiseSqrt()).cwiseInverse();
  if (!velocities_) weight_.tail(nv_).setZero();
  return change;
}

// --- residuals ---

int ShootingProblem::rows(std::size_t w) const { return 2 * nv_ * (windows_[w].steps + 1) + nv_; }

bool ShootingProblem::set(const double* theta, bool with_slopes) {
  const Vector at = Vector::Map(theta, coordinates());
  const Vector all = numbers(at);
  if (!all.allFinite()) return false;
  shooting_.set(all);
  if (with_slopes) coordinates_.slopes(at, slopes_);
  return true;
}

void ShootingProblem::chain(const Eigen::Ref<const Matrix>& by_numbers, Matrix& by_theta) const {
  by_theta.resize(by_numbers.rows(), coordinates());
  for (int k = 0; k < coordinates();) {
    const int at = free_[k];
    if (at < model_.inertial_size()) {
      by_theta.middleCols<10>(k).noalias() =
          by_numbers.middleCols<10>(at) * slopes_.block<10, 10>(k, k);
      k += 10;
    } else {
      by_theta.col(k) = slopes_(k, k) * by_numbers.col(at);
      ++k;
    }
  }
}

bool ShootingProblem::evaluate(std::size_t w, const double* state, const double* next,
                               double* residuals, double* by_theta, double* by_state,
                               double* by_next) {
  const Window& window = windows_[w];
  const int n = 2 * nv_, m = state_size();
  if (!shooting_(window, Vector::Map(state, m), by_theta || by_state)) return false;
  Matrix chained;
  for (int k = 0; k <= window.steps; ++k) {
    const bool gap = window.continues && k == window.steps;
    const Vector& weight = gap ? gap_weight_ : weight_;
    const Vector goal = gap ? Vector(Vector::Map(next, n)) : measured(window, k);
    const auto at = std::size_t(k);
    Vector::Map(residuals + n * k, n) = weight.cwiseProduct(shooting_.states[at] - goal);
    if (by_state)
      Eigen::Map<Rows>(by_state + n * m * k, n, m) =
          weight.asDiagonal() * shooting_.slopes[at].leftCols(m);
    if (by_theta) {
      chain(shooting_.slopes[at].rightCols(layout_.size()), chained);
      Eigen::Map<Rows>(by_theta + n * coordinates() * k, n, coordinates()) =
          weight.asDiagonal() * chained;
    }
    if (by_next) {
      Eigen::Map<Rows> rows(by_next + n * m * k, n, m);
      rows.setZero();
      if (gap) rows.diagonal() = -weight;
    }
  }
  const int end = n * (window.steps + 1);
  Vector::Map(residuals + end, nv_) = push_weight_.cwiseProduct(Vector::Map(state + n, nv_));
  if (by_state) {
    Eigen::Map<Rows> rows(by_state + end * m, nv_, m);
    rows.setZero();
    rows.rightCols(nv_).diagonal() = push_weight_;
  }
  if (by_theta) Eigen::Map<Rows>(by_theta + end * coordinates(), nv_, coordinates()).setZero();
  if (by_next) Eigen::Map<Rows>(by_next + end * m, nv_, m).setZero();
  return Vector::Map(residuals, rows(w)).allFinite();
}

void ShootingProblem::prior(const double* theta, double* residuals, double* by_theta) const {
  Vector r, slope;
  coordinates_.residuals(Vector::Map(theta, coordinates()), r, slope);
  Vector::Map(residuals, coordinates()) = r;
  if (by_theta) Eigen::Map<Rows>(by_theta, coordinates(), coordinates()) = slope.asDiagonal();
}

// --- Ceres ---

namespace {

/// The numbers are the same for all windows.
class NewPoint : public ceres::EvaluationCallback {
 public:
  NewPoint(ShootingProblem& problem, const double* theta) : problem_(problem), theta_(theta) {}
  void PrepareForEvaluation(bool with_slopes, bool) override {
    valid = problem_.set(theta_, with_slopes);
  }
  bool valid = false;

 private:
  ShootingProblem& problem_;
  const double* theta_;
};

class WindowCost : public ceres::CostFunction {
 public:
  WindowCost(ShootingProblem& problem, std::size_t w, const NewPoint& point)
      : problem_(problem), w_(w), point_(point) {
    set_num_residuals(problem.rows(w));
    *mutable_parameter_block_sizes() = {problem.coordinates(), problem.state_size()};
    if (problem.window(w).continues)
      mutable_parameter_block_sizes()->push_back(problem.state_size());
  }
  bool Evaluate(double const* const* x, double* residuals, double** J) const override {
    const bool next = problem_.window(w_).continues;
    return point_.valid &&
           problem_.evaluate(w_, x[1], next ? x[2] : nullptr, residuals, J ? J[0] : nullptr,
                             J ? J[1] : nullptr, J && next ? J[2] : nullptr);
  }

 private:
  ShootingProblem& problem_;
  std::size_t w_;
  const NewPoint& point_;
};

class PriorCost : public ceres::CostFunction {
 public:
  explicit PriorCost(const ShootingProblem& problem) : problem_(problem) {
    set_num_residuals(problem.coordinates());
    *mutable_parameter_block_sizes() = {problem.coordinates()};
  }
  bool Evaluate(double const* const* x, double* residuals, double** J) const override {
    problem_.prior(x[0], residuals, J ? J[0] : nullptr);
    return Vector::Map(residuals, problem_.coordinates()).allFinite();
  }

 private:
  const ShootingProblem& problem_;
};

class ProgressCallback : public ceres::IterationCallback {
 public:
  explicit ProgressCallback(const std::function<bool(int, double)>& progress)
      : progress_(progress) {}
  ceres::CallbackReturnType operator()(const ceres::IterationSummary& summary) override {
    return progress_(summary.iteration, summary.cost) ? ceres::SOLVER_CONTINUE
                                                      : ceres::SOLVER_TERMINATE_SUCCESSFULLY;
  }

 private:
  const std::function<bool(int, double)>& progress_;
};

}  // namespace

RefineStatus ShootingProblem::solve(int most_iterations, double most_seconds,
                                    const std::function<bool(int, double)>& progress) {
  iterations_ = 0;
  if (most_iterations <= 0) return RefineStatus::iteration_limit;
  if (!(most_seconds > 0.0)) return RefineStatus::time_limit;
  NewPoint point(*this, theta_.data());
  ceres::Problem::Options problem_options;
  problem_options.evaluation_callback = &point;
  ceres::Problem problem(problem_options);
  for (std::size_t w = 0; w < windows_.size(); ++w) {
    std::vector<double*> blocks{theta_.data(), states_[w].data()};
    if (windows_[w].continues) blocks.push_back(states_[w + 1].data());
    problem.AddResidualBlock(new WindowCost(*this, w, point), nullptr, blocks);
  }
  problem.AddResidualBlock(new PriorCost(*this), nullptr, theta_.data());

  ceres::Solver::Options options;
  options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  options.num_threads = 1;  // the same numbers whatever the machine does besides
  options.max_num_iterations = most_iterations;
  options.max_solver_time_in_seconds = most_seconds;
  options.max_num_consecutive_invalid_steps = 30;
  options.function_tolerance = 1e-7;
  if (options_.torques_noisy) {
    options.function_tolerance = 1e-5;           // less than a deviation of a number is worth
    options.initial_trust_region_radius = 10.0;  // light links run away in longer steps
  }
  options.logging_type = ceres::SILENT;
  ProgressCallback callback(progress);
  options.callbacks.push_back(&callback);
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);

  iterations_ = std::max(0, int(summary.iterations.size()) - 1);
  reason_ = summary.message;
  switch (summary.termination_type) {
    case ceres::CONVERGENCE:
      return RefineStatus::converged;
    case ceres::USER_SUCCESS:
    case ceres::USER_FAILURE:
      return RefineStatus::stopped;
    case ceres::NO_CONVERGENCE:
      return iterations_ >= most_iterations ? RefineStatus::iteration_limit
                                            : RefineStatus::time_limit;
    case ceres::FAILURE:
      break;
  }
  return RefineStatus::failed;
}

// --- what is known in the end ---

/// Of theta, states being whatever they may be: the Schur complement of their part, which is a chain.
Matrix ShootingProblem::information() {
  const int n = state_size(), p = coordinates();
  const Index all = n * Index(windows_.size());
  Matrix of_theta = Matrix::Zero(p, p), mixed = Matrix::Zero(all, p);
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](Index row, Index col, const Matrix& block) {
    for (int c = 0; c < n; ++c)
      for (int r = 0; r < n; ++r) entries.emplace_back(row + r, col + c, block(r, c));
  };
  Vector r, slope;
  coordinates_.residuals(theta_, r, slope);
  of_theta.diagonal() = slope.cwiseAbs2();
  if (!set(theta_.data(), true)) return of_theta;
  for (std::size_t w = 0; w < windows_.size(); ++w) {
    const bool continues = windows_[w].continues;
    const Index at = n * Index(w);
    Vector residuals(rows(w));
    Rows T(rows(w), p), S(rows(w), n), N = Rows::Zero(rows(w), n);
    const bool done =
        evaluate(w, states_[w].data(), continues ? states_[w + 1].data() : nullptr,
                 residuals.data(), T.data(), S.data(), continues ? N.data() : nullptr);
    if (!done) {
      add(at, at, Matrix::Identity(n, n));
      continue;
    }
    of_theta.noalias() += T.transpose() * T;
    mixed.middleRows(at, n).noalias() += S.transpose() * T;
    add(at, at, S.transpose() * S);
    if (!continues) continue;
    mixed.middleRows(at + n, n).noalias() += N.transpose() * T;
    add(at + n, at + n, N.transpose() * N);
    add(at + n, at, N.transpose() * S);
    add(at, at + n, S.transpose() * N);
  }
  Eigen::SparseMatrix<double> of_states(all, all);
  of_states.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(of_states);
  if (factor.info() != Eigen::Success) return Matrix(slope.cwiseAbs2().asDiagonal());
  return of_theta - mixed.transpose() * factor.solve(mixed);
}

void ShootingProblem::report(Refinement& result) {
  const Vector all = numbers(theta_);
  const Matrix by_theta = inverse_of(information());
  Vector r, slope;
  coordinates_.residuals(theta_, r, slope);
  coordinates_.slopes(theta_, slopes_);
  const Matrix after = slopes_ * by_theta * slopes_.transpose(),
               before =
                   slopes_ * slope.cwiseAbs2().cwiseInverse().asDiagonal() * slopes_.transpose();

  const std::vector<int> free = base_.free();
  const auto of_model = [n = Index(free.size())](const Matrix& m) { return m.topLeftCorner(n, n); };
  Estimate& estimate = result.estimate;
  estimate.z = all.head(layout_.unknowns);
  estimate.base = base_.of(estimate.z);
  set_uncertainty(base_, free, of_model(before), of_model(after), estimate);
  result.covariance = Matrix::Zero(layout_.unknowns, layout_.unknowns);
  result.covariance(free, free) = of_model(after);
  Vector deviation = Vector::Zero(layout_.size());
  deviation(free_) = deviations(after);
  if (layout_.stribeck) {
    result.stribeck_level = all.segment(layout_.level(0), nv_);
    result.stribeck_level_deviation = deviation.segment(layout_.level(0), nv_);
    result.stribeck_velocity = all.segment(layout_.velocity(0), nv_);
    result.stribeck_velocity_deviation = deviation.segment(layout_.velocity(0), nv_);
  }
  if (layout_.delay) {
    result.delay = all(layout_.delay_at());
    result.delay_deviation = deviation(layout_.delay_at());
  }
}

}  // namespace ulna::identify
#endif
