#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "ulna/control/stages.hpp"

namespace ulna::control {

namespace detail {
struct QpState;
}

enum class QpStatus {
  solved,
  limited,     ///< by iterations or by the deadline: the best point so far
  infeasible,  ///< the hard rows contradict each other: the point that breaks them least
  failed,      ///< a number is not finite, or the cost has no least: the point says nothing
};
const char* to_string(QpStatus status);

struct QpOptions {
  double tolerance = 1e-6;  ///< of slopes, equations, bounds, and multiplier times distance
  int iterations = 50;
  double start = 1.0;  ///< the barrier at a cold start: about the size of the largest multipliers
  double warm_start = 1e-3;  ///< the same where the last solution is near
  /// Where a solution nearby is known and which rows are active is not found soon: false, a point that keeps the bounds will do, `limited`.
  bool exact = true;
};

/// Where a solver begins.
enum class QpStart {
  cold,
  point,        ///< at the solution that it holds, which may have been shifted
  multipliers,  ///< at z = 0 with the multipliers that it holds: where z is a step
};

struct QpReport {
  QpStatus status = QpStatus::failed;
  int iterations = 0;
  bool interior = false;  ///< the interior point method was needed
  double slope = 0.0, defect = 0.0, breach = 0.0, gap = 0.0;  ///< what is left, the largest of each

  std::string str() const;
};

/// Solves quadratic programs in stages by a primal-dual interior point method with predictor and
/// corrector [Mehrotra 1992], whose steps come from a Riccati recursion [Rao, Wright, Rawlings 1998]: linear in the number of stages. Where the multipliers of a program nearby are known, a
/// primal-dual active set method is tried first [Hintermüller, Ito, Kunisch 2002]: one step of it is enough where the
/// same rows are active. Allocates when made only.
///
///     QpSolver solver(sizes);
///     if (solver.solve(stages, x0).status == QpStatus::solved) apply(solver.u(0));
class QpSolver {
 public:
  using Vector = Eigen::VectorXd;
  using Segment = Eigen::Map<const Vector>;
  using Clock = std::chrono::steady_clock;

  explicit QpSolver(const std::vector<StageSize>& sizes, const QpOptions& options = {});
  ~QpSolver();
  QpSolver(QpSolver&&) noexcept;
  QpSolver& operator=(QpSolver&&) noexcept;

  QpOptions options;

  /// x0: the state of stage 0, whose bounds do not count. No iteration begins after the deadline.
  const QpReport& solve(const std::vector<QpStage>& stages, const Eigen::Ref<const Vector>& x0,
                        QpStart start = QpStart::cold,
                        std::optional<Clock::time_point> deadline = {});

  /// The same in two parts: all that does not depend on x0, then the rest.
  void prepare(const std::vector<QpStage>& stages, QpStart start);
  const QpReport& solve(const Eigen::Ref<const Vector>& x0,
                        std::optional<Clock::time_point> deadline = {});

  const QpReport& report() const;
  /// (u, x) of a stage.
  Segment z(int k) const;
  Segment u(int k) const;
  Segment x(int k) const;
  /// Of the equation that yields the state of stage k + 1.
  Segment multiplier(int k) const;
  /// Of the rows (u, x, g): below 0 where the lower bound holds, above 0 where the upper does.
  const Vector& row_multiplier(int k) const;

  /// Every stage takes what the next one holds, for a horizon that moves on; the last keeps its own.
  void shift();

 private:
  std::unique_ptr<detail::QpState> state_;
};

}  // namespace ulna::control
