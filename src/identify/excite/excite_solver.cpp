#include "identify/excite/excite_solver.hpp"

#include <cmath>

#if ULNA_WITH_IPOPT
#include <IpIpoptApplication.hpp>
#include <IpTNLP.hpp>
#endif

namespace ulna::identify {

bool excite_has_solver() { return ULNA_WITH_IPOPT; }

#if ULNA_WITH_IPOPT
namespace {

using Ipopt::Index;
using Ipopt::Number;

/// Least of -log det with every use of a limit at most 1, for Ipopt [Wächter, Biegler 2006].
class Program : public Ipopt::TNLP {
 public:
  Program(ExcitationProblem& problem, const Vector& start, BestPoint& best,
          const std::function<bool(int)>& go_on)
      : problem_(problem), start_(start), best_(best), go_on_(go_on) {}

  int iterations = 0;
  bool stopped = false, settled = false;
  /// When to leave it: so many iterations bring less than that. A tenth is 0.2 % of the deviation
  /// of each of fifty parameters.
  static constexpr int patience = 12;
  static constexpr double noticed = 0.1;

  bool get_nlp_info(Index& n, Index& m, Index& jacobian, Index& hessian,
                    IndexStyleEnum& style) override {
    n = problem_.variables(), m = problem_.constraints();
    for (Index i = 0; i < m; ++i)
      for (Index k = 0; k < n; ++k) {
        const int joint = problem_.joint_of(i);
        if (joint < 0 || k % problem_.joints() == joint) entries_.push_back({i, k});
      }
    jacobian = Index(entries_.size()), hessian = 0;
    style = C_STYLE;
    return true;
  }
  bool get_bounds_info(Index n, Number* x_l, Number* x_u, Index m, Number* g_l,
                       Number* g_u) override {
    Matrix low, high;
    problem_.bounds(low, high);
    std::copy_n(low.data(), n, x_l), std::copy_n(high.data(), n, x_u);
    std::fill_n(g_l, m, -1e20), std::fill_n(g_u, m, 1.0);
    return true;
  }
  bool get_starting_point(Index n, bool, Number* x, bool, Number*, Number*, Index, bool,
                          Number*) override {
    std::copy_n(start_.data(), n, x);
    return true;
  }
  bool eval_f(Index, const Number* x, bool, Number& f) override {
    look_at(x);
    f = -problem_.log_det;
    return std::isfinite(f);
  }
  bool eval_grad_f(Index n, const Number* x, bool, Number* gradient) override {
    differentiate_at(x);
    Eigen::Map<Vector>(gradient, n) = -problem_.log_det_slope;
    return true;
  }
  bool eval_g(Index, const Number* x, bool, Index m, Number* g) override {
    look_at(x);
    Eigen::Map<Vector>(g, m) = problem_.use;
    return problem_.use.allFinite();
  }
  bool eval_jac_g(Index, const Number* x, bool, Index, Index, Index* row, Index* column,
                  Number* values) override {
    if (values) differentiate_at(x);
    for (const auto& [i, k] : entries_) {
      if (values)
        *values++ = problem_.use_slope(i, k);
      else
        *row++ = i, *column++ = k;
    }
    return true;
  }
  void finalize_solution(Ipopt::SolverReturn, Index, const Number*, const Number*, const Number*,
                         Index, const Number*, const Number*, Number, const Ipopt::IpoptData*,
                         Ipopt::IpoptCalculatedQuantities*) override {}
  bool intermediate_callback(Ipopt::AlgorithmMode, Index iteration, Number, Number broken, Number,
                             Number, Number, Number, Number, Number, Index, const Ipopt::IpoptData*,
                             Ipopt::IpoptCalculatedQuantities*) override {
    iterations = iteration;
    best_.approach(point_);
    point_.resize(0);
    stopped = !go_on_(iteration);
    if (best_.log_det() > log_det_ + noticed) log_det_ = best_.log_det(), improved_ = iteration;
    settled = iteration - improved_ >= patience && broken < 0.01;
    return !stopped && !settled;
  }

 private:
  /// Ipopt evaluates one thing after another at the same point.
  void look_at(const Number* x) {
    const Eigen::Map<const Vector> point(x, problem_.variables());
    if (point_.size() == point.size() && point_ == point) return;
    point_ = point;
    differentiated_ = false;
    best_.visit(point_);
  }
  void differentiate_at(const Number* x) {
    look_at(x);
    if (!differentiated_) problem_.differentiate();
    differentiated_ = true;
  }

  ExcitationProblem& problem_;
  Vector start_, point_;
  bool differentiated_ = false;
  std::vector<std::pair<Index, Index>> entries_;  ///< of the Jacobian that are not always zero
  double log_det_ = -1.0;
  int improved_ = 0;
  BestPoint& best_;
  const std::function<bool(int)>& go_on_;
};

}  // namespace

ExciteStatus solve_excitation(ExcitationProblem& problem, const Vector& x, int iterations,
                              BestPoint& best, const std::function<bool(int)>& go_on, int& done) {
  Ipopt::SmartPtr<Ipopt::IpoptApplication> solver = new Ipopt::IpoptApplication(false);
  const auto options = solver->Options();
  options->SetIntegerValue("print_level", 0);
  options->SetStringValue("sb", "yes");
  options->SetStringValue("hessian_approximation", "limited-memory");
  options->SetIntegerValue("limited_memory_max_history", 20);
  options->SetIntegerValue("max_iter", iterations);
  options->SetNumericValue("tol", 1e-4);
  options->SetNumericValue("acceptable_tol", 1e-2);
  options->SetStringValue("mu_strategy", "adaptive");
  Ipopt::SmartPtr<Program> program = new Program(problem, x, best, go_on);
  if (solver->Initialize("") != Ipopt::Solve_Succeeded) return ExciteStatus::stalled;
  const Ipopt::ApplicationReturnStatus status = solver->OptimizeTNLP(GetRawPtr(program));
  done = program->iterations;
  if (program->stopped) return ExciteStatus::time_limit;
  if (program->settled || status == Ipopt::Solve_Succeeded ||
      status == Ipopt::Solved_To_Acceptable_Level)
    return ExciteStatus::converged;
  return status == Ipopt::Maximum_Iterations_Exceeded ? ExciteStatus::iteration_limit
                                                      : ExciteStatus::stalled;
}

#else

/// Random changes, kept where they are better: steps grow with success and shrink with failure
/// [Rechenberg 1973]. An iteration is ten of them.
ExciteStatus solve_excitation(ExcitationProblem& problem, const Vector& x, int iterations,
                              BestPoint& best, const std::function<bool(int)>& go_on, int& done) {
  std::mt19937_64 random(1);
  BestPoint here(problem);
  if (!here.visit(x)) return ExciteStatus::random_search;
  double step = 0.1;
  bool in_time = true;
  for (done = 0; done < iterations && (in_time = go_on(done)); ++done)
    for (int k = 0; k < 10; ++k) {
      Vector next = here.x();
      for (double& value : next) value += step * uniform(random, -1.0, 1.0);
      step *= here.visit(next) ? 1.5 : 0.9;
    }
  best.visit(here.x());
  return in_time ? ExciteStatus::random_search : ExciteStatus::time_limit;
}

#endif

}  // namespace ulna::identify
