#if ULNA_WITH_CERES
#include <ceres/ceres.h>
#if __has_include(<glog/log_severity.h>)
#include <glog/logging.h>
#define ULNA_HAS_GLOG 1
#endif

#include <Eigen/Sparse>
#include <algorithm>
#include <chrono>

#include "identify/estimate/uncertainty.hpp"
#include "identify/messages.hpp"
#include "identify/refine/shooting.hpp"
#include "ulna/identify/refine/physical_coordinates.hpp"

namespace ulna::identify {
namespace {

/// While there is one, Ceres writes nothing to standard error: its status says what happened, also where it is stopped in
/// an evaluation, which it reports as an error.
class SilentCeres {
#if ULNA_HAS_GLOG
 public:
  SilentCeres() { FLAGS_minloglevel = google::GLOG_FATAL; }
  ~SilentCeres() { FLAGS_minloglevel = before_; }
  SilentCeres(const SilentCeres&) = delete;
  SilentCeres& operator=(const SilentCeres&) = delete;

 private:
  const int before_ = FLAGS_minloglevel;
#endif
};

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
      for (int k = 0; k < model.feature_count(); ++k)
        if (terms_of(model.features()[k]).direction != 0.0)
          dry = std::max(dry, start.z(model.at(i, k)));
      prior.add_positive(layout.level(i), std::max(0.5 * dry, 1e-9), 0.1);
      prior.add_positive(layout.velocity(i), std::max(0.1 * velocity(i), 1e-6), 0.5);
    }
  if (layout.delay) prior.add_around(layout.delay_at(), 0.0, options.delay_deviation);
  return prior;
}

/// Stretches of windows that continue each other are worth most: half a second of each is kept, or left out.
std::vector<Window> kept_evenly(const std::vector<Window>& windows, int most_steps) {
  Index steps = 0;
  for (const Window& w : windows) steps += w.steps;
  const double share = double(most_steps) / double(steps);
  if (share >= 1.0) return windows;
  std::vector<Window> kept;
  const Piece* piece = nullptr;
  Index stretch = -1;
  double begin = 0.0;
  for (const Window& w : windows) {
    const double t = double(w.first) / w.piece->rate_hz;
    if (w.piece != piece || t >= begin + 0.5) piece = w.piece, begin = t, ++stretch;
    if (std::floor(double(stretch + 1) * share) > std::floor(double(stretch) * share))
      kept.push_back(w);
  }
  if (kept.empty()) kept.push_back(windows.front());
  return kept;
}

/// Pieces cut into windows no longer than this, as many as there may be; none if none fits.
std::vector<Window> cut_into_windows(const Prepared& prepared, double seconds,
                                     const RefineOptions& options, Shooting& shooting) {
  std::vector<Window> windows;
  for (const Piece& piece : prepared.pieces) {
    const int stride = std::max(1, int(std::lround(piece.rate_hz / options.rate_hz)));
    const int steps = std::max(2, int(std::lround(seconds * piece.rate_hz / stride)));
    const Index length = Index(steps) * stride;
    const int substeps = shooting.substeps(piece, stride / piece.rate_hz);
    // torques are needed later or sooner than motion
    const Index margin =
        options.delay ? Index(std::ceil(3.0 * options.delay_deviation * piece.rate_hz)) : 0;
    for (Index first = margin; first + length + margin < piece.size() && piece.size() >= 4;
         first += length)
      windows.push_back({&piece, first, stride, steps, substeps});
  }
  windows = kept_evenly(windows, options.most_steps);
  for (std::size_t w = 0; w + 1 < windows.size(); ++w)
    windows[w].continues = windows[w].piece == windows[w + 1].piece &&
                           windows[w].sample(windows[w].steps) == windows[w + 1].first;
  return windows;
}

/// A function of Ceres.
class Cost : public ceres::CostFunction {
 public:
  using Function = std::function<bool(double const* const* x, double* residuals, double** J)>;

  Cost(int rows, const std::vector<int>& sizes, Function function)
      : function_(std::move(function)) {
    set_num_residuals(rows);
    *mutable_parameter_block_sizes() = sizes;
  }
  bool Evaluate(double const* const* x, double* residuals, double** J) const override {
    return function_(x, residuals, J);
  }

 private:
  Function function_;
};

/// Calls a function after each iteration.
class AfterIteration : public ceres::IterationCallback {
 public:
  using Function = std::function<bool(const ceres::IterationSummary&)>;  ///< false: stop

  explicit AfterIteration(Function function) : function_(std::move(function)) {}
  ceres::CallbackReturnType operator()(const ceres::IterationSummary& summary) override {
    return function_(summary) ? ceres::SOLVER_CONTINUE : ceres::SOLVER_TERMINATE_SUCCESSFULLY;
  }

 private:
  Function function_;
};

/// The least squares of refine(): parameters, a state and a push for each window, and all weights.
class ShootingProblem : ceres::EvaluationCallback {
 public:
  ShootingProblem(const TorqueModel& model, const BaseParameters& base, const Estimate& start,
                  const Prepared& prepared, const RefineOptions& options)
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
    shooting_.set(numbers());
    // a start that runs away is looked at in shorter windows
    double seconds = options.window;
    for (int i = 0;; ++i, seconds *= 0.5) {
      windows_ = cut_into_windows(prepared, seconds, options, shooting_);
      require(!windows_.empty(), "refine: no piece of motion is as long as a window of ",
              options.window, " s");
      states_.assign(windows_.size(), Vector::Zero(state_size()));
      bool possible = true;
      for (std::size_t w = 0; w < windows_.size(); ++w) {
        states_[w].head(2 * nv_) = windows_[w].state(0);
        possible = possible && shooting_(windows_[w], states_[w], false);
      }
      if (possible || i == 6) break;
    }
  }

  /// Each window by itself: the state and push that lead best along it, by one Gauss-Newton step. False if it was stopped.
  bool settle() {
    if (!options_.torques_noisy) return true;
    const int n = 2 * nv_;
    shooting_.set(numbers());
    for (std::size_t w = 0; w < windows_.size(); ++w) {
      if (stop(w)) return false;
      const Window& window = windows_[w];
      if (!shooting_(window, states_[w], true)) continue;
      // velocities count by how far they lead in the window
      Vector weight = Vector::Ones(n);
      weight.tail(nv_).setConstant(window.steps * window.step_seconds());
      Matrix J(n * (window.steps + 1), state_size());
      Vector off(J.rows());
      for (int k = 0; k <= window.steps; ++k) {
        J.middleRows(n * k, n) = weight.asDiagonal() * shooting_.slopes[k].leftCols(state_size());
        off.segment(n * k, n) = weight.cwiseProduct(window.state(k) - shooting_.states[k]);
      }
      const Vector settled = states_[w] + J.colPivHouseholderQr().solve(off);
      if (shooting_(window, settled, false)) states_[w] = settled;
    }
    return true;
  }

  /// Sets weights by what is left between simulated and measured, and by the pushes; the largest
  /// relative change of a deviation.
  double weigh_by_noise() {
    std::vector<Index> breaks;
    const Matrix all = errors(breaks);
    // what was fitted away was noise too
    const double windows = double(windows_.size()),
                 by_numbers = double(coordinates()) / double(nv_),
                 fitted = options_.torques_noisy ? 1.5 * windows : windows + 0.5 * by_numbers;
    Matrix pushes(nv_, windows_.size());
    for (std::size_t w = 0; w < windows_.size(); ++w) pushes.col(Index(w)) = states_[w].tail(nv_);
    Vector noise(3 * nv_);
    noise << all.rowwise().squaredNorm() / std::max(1.0, double(all.cols()) - fitted),
        pushes.rowwise().squaredNorm() / std::max(1.0, windows - by_numbers);
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
    push_weight_ = noise.tail(nv_).cwiseInverse();
    if (options_.torques_noisy) {
      std::vector<Index> apart{0};
      for (std::size_t w = 0; w + 1 < windows_.size(); ++w)
        if (!windows_[w].continues) apart.push_back(Index(w) + 1);
      const Vector pushed_alike = correlation(pushes, apart, reach / windows_.front().steps);
      push_weight_ = push_weight_.cwiseQuotient(pushed_alike.cwiseSqrt());
    }
    if (!velocities_) weight_.tail(nv_).setZero();
    return change;
  }

  /// Adds the iterations, sets status and reason.
  void solve(Refinement& result, double most_seconds,
             const std::function<bool(int, double)>& progress) {
    const int most_iterations = options_.most_iterations - result.iterations;
    if (most_iterations <= 0 || !(most_seconds > 0.0)) {
      result.status =
          most_iterations <= 0 ? RefineStatus::iteration_limit : RefineStatus::time_limit;
      return;
    }
    ceres::Problem problem = whole_problem();
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
    // Ceres evaluates in place: if it fails, or is stopped in the middle of an iteration, what is there is not the best
    options.update_state_every_iteration = true;
    Vector best_theta = theta_;
    std::vector<Vector> best_states = states_;
    double cost = infinity;
    AfterIteration callback([&](const ceres::IterationSummary& done) {
      if (done.cost < cost) cost = done.cost, best_theta = theta_, best_states = states_;
      return progress(done.iteration, done.cost);
    });
    options.callbacks.push_back(&callback);
    [[maybe_unused]] const SilentCeres silent;
    ceres::Solver::Summary summary;
    ceres::Solve(options, &problem, &summary);
    if (!summary.IsSolutionUsable()) {
      theta_ = best_theta;
      for (std::size_t w = 0; w < states_.size(); ++w) states_[w] = best_states[w];
    }

    const int iterations = std::max(0, int(summary.iterations.size()) - 1);
    result.iterations += iterations;
    result.reason = summary.message;
    const auto ended = summary.termination_type;
    result.status = stopped_                         ? RefineStatus::stopped
                    : ended == ceres::CONVERGENCE    ? RefineStatus::converged
                    : ended == ceres::FAILURE        ? RefineStatus::failed
                    : ended != ceres::NO_CONVERGENCE ? RefineStatus::stopped
                    : iterations >= most_iterations  ? RefineStatus::iteration_limit
                                                     : RefineStatus::time_limit;
  }

  /// Root mean squares of simulated less measured, q above v.
  Vector rms() {
    std::vector<Index> breaks;
    return identify::rms(errors(breaks));
  }

  /// Sets parameters and their deviations, and figures of the windows. The deviations of one that was stopped are left out: whoever
  /// stops it does not want to wait for them.
  void report(Refinement& result) {
    const Vector all = numbers();
    Estimate& estimate = result.estimate;
    estimate.z = all.head(layout_.unknowns);
    estimate.base = base_.of(estimate.z);
    estimate.consistent = is_consistent(model_, estimate.z);
    Vector deviation = Vector::Constant(layout_.size(), not_a_number);
    result.has_deviations = result.status != RefineStatus::stopped && renew(deviation, result);
    if (!result.has_deviations) result.status = RefineStatus::stopped;
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
    result.window = windows_.front().steps * windows_.front().step_seconds();
    result.windows = int(windows_.size());
    result.samples = samples();
  }

 private:
  static constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

  /// The deviations of all numbers, those of the estimate, and the covariance. False, and nothing changed, if it was stopped.
  bool renew(Vector& deviation, Refinement& result) {
    Vector r, slope;
    coordinates_.residuals(theta_, r, slope);
    const Vector prior = slope.cwiseAbs2();
    const Matrix known = information(prior.asDiagonal());
    if (stopped_) return false;
    const Matrix slopes = coordinates_.slopes(theta_),
                 before = slopes * prior.cwiseInverse().asDiagonal() * slopes.transpose(),
                 after = slopes * inverse_of(known) * slopes.transpose();
    const std::vector<int> free = base_.free();
    const auto of_model = [n = Index(free.size())](const Matrix& m) {
      return m.topLeftCorner(n, n);
    };
    set_uncertainty(base_, free, of_model(before), of_model(after), result.estimate);
    result.covariance = Matrix::Zero(layout_.unknowns, layout_.unknowns);
    result.covariance(free, free) = of_model(after);
    deviation.setZero();
    deviation(free_) = deviations(after);
    return true;
  }

  int coordinates() const { return coordinates_.size(); }
  int state_size() const { return 3 * nv_; }
  /// Rows of a window: its samples, the gap to the next or its end, and the push.
  int rows(std::size_t w) const { return 2 * nv_ * (windows_[w].steps + 1) + nv_; }
  int samples() const {
    int sum = 0;
    for (const Window& w : windows_) sum += w.steps + (w.continues ? 0 : 1);
    return sum;
  }
  Vector numbers() const {
    Vector all = known_;
    all(free_) = coordinates_.numbers(theta_);
    return all;
  }

  /// Residuals without weights, q above v, a column per sample; and where windows do not continue.
  Matrix errors(std::vector<Index>& breaks) {
    Matrix all = Matrix::Zero(2 * nv_, samples());
    Index at = 0;
    breaks = {0};
    shooting_.set(numbers());
    for (std::size_t w = 0; w < windows_.size(); ++w) {
      const Window& window = windows_[w];
      const bool done = shooting_(window, states_[w], false);
      for (int k = 0; done && k < window.steps + (window.continues ? 0 : 1); ++k)
        all.col(at++) = shooting_.states[k] - window.state(k);
      if (!window.continues && w + 1 < windows_.size()) breaks.push_back(at);
    }
    all.conservativeResize(Eigen::NoChange, std::max<Index>(1, at));
    return all;
  }

  /// With noisy torques, as wide as gaps are.
  Vector gap_noise(const Vector& noise) {
    const Vector least = options_.continuity * noise;
    if (!options_.torques_noisy) return least;
    Vector sum = Vector::Zero(2 * nv_);
    double count = 0.0;
    shooting_.set(numbers());
    for (std::size_t w = 0; w + 1 < windows_.size(); ++w)
      if (windows_[w].continues && shooting_(windows_[w], states_[w], false)) {
        const Vector& end = shooting_.states[windows_[w].steps];
        sum += (end - states_[w + 1].head(2 * nv_)).cwiseAbs2();
        count += 1.0;
      }
    return (sum / std::max(1.0, count)).cwiseSqrt().cwiseMax(least);
  }

  /// Row-major Jacobians by theta and by the states of this window and the next; null if not wanted.
  bool evaluate(std::size_t w, const double* state, const double* next, double* residuals,
                double* by_theta, double* by_state, double* by_next) {
    const Window& window = windows_[w];
    const int n = 2 * nv_, m = state_size();
    if (!shooting_(window, Vector::Map(state, m), by_theta || by_state)) return false;
    const auto zero = [&](double* J, int columns) {
      Eigen::Map<RowMatX<double>> zeros(J, J ? rows(w) : 0, columns);
      zeros.setZero();
      return zeros;
    };
    auto J_theta = zero(by_theta, coordinates()), J_state = zero(by_state, m),
         J_next = zero(by_next, m);
    for (int k = 0; k <= window.steps; ++k) {
      const bool gap = window.continues && k == window.steps;
      const Vector& weight = gap ? gap_weight_ : weight_;
      const Vector goal = gap ? Vector(Vector::Map(next, n)) : window.state(k);
      Vector::Map(residuals + n * k, n) = weight.cwiseProduct(shooting_.states[k] - goal);
      if (by_state)
        J_state.middleRows(n * k, n) = weight.asDiagonal() * shooting_.slopes[k].leftCols(m);
      if (by_theta) {
        const Matrix by_free =
            weight.asDiagonal() * shooting_.slopes[k].rightCols(layout_.size())(Eigen::all, free_);
        J_theta.middleRows(n * k, n) = by_free * slopes_;
      }
      if (by_next && gap) J_next.middleRows(n * k, n).diagonal() = -weight;
    }
    Vector::Map(residuals + n * (window.steps + 1), nv_) =
        push_weight_.cwiseProduct(Vector::Map(state + n, nv_));
    if (by_state) J_state.bottomRightCorner(nv_, nv_).diagonal() = push_weight_;
    return Vector::Map(residuals, rows(w)).allFinite();
  }

  /// Between windows, whether to stop: an iteration may take seconds.
  bool stop(std::size_t w) {
    constexpr std::size_t seldom = 32;
    if (options_.go_on && !stopped_ && w % seldom == 0) stopped_ = !options_.go_on();
    return stopped_;
  }

  /// Takes the numbers of theta for all windows.
  void PrepareForEvaluation(bool with_slopes, bool) override {
    const Vector all = numbers();
    valid_ = all.allFinite();
    if (!valid_) return;
    shooting_.set(all);
    if (with_slopes) slopes_ = coordinates_.slopes(theta_).sparseView();
  }

  ceres::Problem whole_problem() {
    ceres::Problem::Options options;
    options.evaluation_callback = this;
    ceres::Problem problem(options);
    const int p = coordinates();
    for (std::size_t w = 0; w < windows_.size(); ++w) {
      const bool next = windows_[w].continues;
      std::vector<double*> blocks{theta_.data(), states_[w].data()};
      if (next) blocks.push_back(states_[w + 1].data());
      std::vector<int> sizes(blocks.size(), state_size());
      sizes[0] = p;
      const auto window = [this, w, next](double const* const* x, double* residuals, double** J) {
        return valid_ && !stop(w) &&
               evaluate(w, x[1], next ? x[2] : nullptr, residuals, J ? J[0] : nullptr,
                        J ? J[1] : nullptr, J && next ? J[2] : nullptr);
      };
      problem.AddResidualBlock(new Cost(rows(w), sizes, window), nullptr, blocks);
    }
    const auto prior = [this, p](double const* const* x, double* residuals, double** J) {
      Vector r, slope;
      coordinates_.residuals(Vector::Map(x[0], p), r, slope);
      Vector::Map(residuals, p) = r;
      if (J && J[0]) Eigen::Map<RowMatX<double>>(J[0], p, p) = slope.asDiagonal();
      return r.allFinite();
    };
    problem.AddResidualBlock(new Cost(p, {p}, prior), nullptr, theta_.data());
    return problem;
  }

  /// Of theta, states being whatever they may be: the Schur complement of their part, which is a chain.
  Matrix information(const Matrix& prior) {
    using Sparse = Eigen::SparseMatrix<double>;
    ceres::Problem problem = whole_problem();
    ceres::CRSMatrix crs;
    if (!problem.Evaluate({}, nullptr, nullptr, nullptr, &crs)) return prior;
    const Sparse J = Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor>>(
        crs.num_rows, crs.num_cols, Index(crs.values.size()), crs.rows.data(), crs.cols.data(),
        crs.values.data());
    const Matrix by_theta = J.leftCols(coordinates());
    const Sparse by_states = J.rightCols(J.cols() - coordinates());
    const Eigen::SimplicialLDLT<Sparse> factor(by_states.transpose() * by_states);
    if (factor.info() != Eigen::Success) return prior;
    const Matrix mixed = by_states.transpose() * by_theta;
    return by_theta.transpose() * by_theta - mixed.transpose() * factor.solve(mixed);
  }

  const TorqueModel& model_;
  const BaseParameters& base_;
  const Prepared& prepared_;
  const RefineOptions& options_;
  int nv_;
  bool velocities_;
  ShootingNumbers layout_;
  std::vector<int> free_;  ///< numbers that are not known
  Vector known_;
  PhysicalCoordinates coordinates_;
  Shooting shooting_;
  Vector theta_;
  bool valid_ = false;                  ///< the numbers of theta are finite
  bool stopped_ = false;                ///< in the middle of an iteration
  Eigen::SparseMatrix<double> slopes_;  ///< of free numbers by theta
  std::vector<Window> windows_;
  std::vector<Vector> states_;  ///< (q, v, push)
  Vector noise_, weight_, gap_weight_, push_weight_;
};

}  // namespace

Refinement refine(const TorqueModel& model, const BaseParameters& base, const Estimate& start,
                  const Prepared& prepared, const RefineOptions& options) {
  require_refinable(model, start, prepared, options);
  const auto began = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  ShootingProblem problem(model, base, start, prepared, options);
  const int nv = model.model().nv();

  Refinement result;
  result.estimate = start;
  const Vector before = problem.rms();
  result.position_before = before.head(nv), result.velocity_before = before.tail(nv);
  if (!problem.settle()) result.status = RefineStatus::stopped;
  for (int pass = 0; pass < options.passes && result.status != RefineStatus::stopped; ++pass) {
    const double change = problem.weigh_by_noise();
    // the last word is with weights that fit
    if (pass > 0 && change < 0.02) break;
    problem.solve(
        result, options.most_seconds - seconds(),
        [&, done = result.iterations](int iteration, double cost) {
          return !options.progress || options.progress({done + iteration, cost, seconds()});
        });
    if (result.status != RefineStatus::converged) break;
  }
  const Vector after = problem.rms();
  result.position_after = after.head(nv), result.velocity_after = after.tail(nv);
  problem.report(result);
  if (result.status == RefineStatus::stopped) result.reason = "stopped on request";
  result.estimate.steps = result.iterations;
  result.seconds = seconds();
  return result;
}

}  // namespace ulna::identify
#endif
