#pragma once

#include "ulna/control/problem.hpp"
#include "ulna/control/qp.hpp"

namespace ulna::control {

namespace detail {
struct Merit;

/// What was added to a program to make it convex.
struct Convexification {
  std::vector<Eigen::MatrixXd> states;  ///< M: ½ x' M x of a state went to the stage before
  std::vector<Eigen::VectorXd> rows;    ///< w: ½ w (row - bound)² was added to active rows
};
}  // namespace detail

enum class SqpStatus {
  solved,
  limited,     ///< by iterations or by the deadline
  stalled,     ///< no step makes progress: what is left stands in the report
  infeasible,  ///< the hard constraints contradict each other, as far as can be seen from here
  failed,      ///< the problem has no finite value at the guess
};

const char* to_string(SqpStatus status);

struct SqpOptions {
  double tolerance = 1e-6;  ///< of the slope of the Lagrangian, of defects and of breaches
  int iterations = 200;
  bool exact_hessian = false;  ///< of the Lagrangian, where the problem has it; else Gauss-Newton
  /// Price per square of breaking hard rows, where a step that keeps them all does not exist.
  double elastic = 1e4;
  QpOptions qp = {};
};

struct SqpReport {
  SqpStatus status = SqpStatus::failed;
  int iterations = 0, qp_iterations = 0;
  double cost = 0.0;                               ///< with what soft rows pay
  double slope = 0.0, defect = 0.0, breach = 0.0;  ///< what is left, the largest of each
  QpStatus qp = QpStatus::failed;                  ///< of the last program

  std::string str() const;
};

/// Sequential quadratic programming with a filter [Wächter, Biegler 2006], and its real-time iteration
/// [Diehl et al. 2005]. Made once for its problem, it allocates no more.
///
///     Sqp sqp(problem);
///     sqp.trajectory = guess;
///     if (sqp.solve(x0).status == SqpStatus::solved) use(sqp.trajectory);
///
/// In a control loop, one step of it per sample:
///
///     sqp.prepare();              // before the state is known
///     sqp.feedback(x0);           // as soon as it is
///     apply(sqp.trajectory.u[0]);
///     sqp.shift();
class Sqp {
 public:
  using Vector = Eigen::VectorXd;
  using Clock = QpSolver::Clock;
  using Deadline = std::optional<Clock::time_point>;

  explicit Sqp(OptimalControlProblem& problem, const SqpOptions& options = {});

  SqpOptions options;
  Trajectory trajectory;    ///< in: where to begin; out: the best found
  Multipliers multipliers;  ///< of the last step

  const SqpReport& solve(const Eigen::Ref<const Vector>& x0, Deadline deadline = {});

  /// Derivatives at the trajectory. False, and nothing is to be hoped of feedback, if there are none.
  [[nodiscard]] bool prepare();
  /// One whole step from there for the state x0: `limited`, and the best found, where the deadline comes first. The
  /// trajectory stays as it was where none is found until then (`stalled`), or x0 is of another size or not finite
  /// (`failed`): a control loop cannot do with exceptions.
  const SqpReport& feedback(const Eigen::Ref<const Vector>& x0, Deadline deadline = {});
  /// For a horizon that has moved on by a stage. Problems whose stages are of several sizes keep those.
  void shift();

  const SqpReport& report() const { return report_; }
  const OptimalControlProblem& problem() const { return *problem_; }

 private:
  /// What a step would come to if everything were linear.
  struct Promise {
    double change = 0.0;      ///< of the cost, with what soft rows pay
    double infeasible = 0.0;  ///< breaches of hard rows that remain
  };
  bool linearise(bool exact);
  void set_program();
  QpStatus solve_program(const Deadline& deadline, QpStart start);
  QpStatus solve_or_yield(const Deadline& deadline);
  bool find_step(bool exact, double damping, const Deadline& deadline);
  void take_step();
  void take_multipliers();
  double slope();
  double gap() const;
  bool settled() const;
  void step_to(double length, Trajectory& to);
  Promise promise() const;
  double noise() const;
  bool search(const detail::Merit& here, const Deadline& deadline);
  bool correct(const Deadline& deadline);
  bool passes_filter(const detail::Merit& here, const detail::Merit& there, double length,
                     const Promise& promised, bool descent) const;
  bool lowers_merit(const detail::Merit& here, const detail::Merit& there, double length,
                    const Promise& promised) const;

  OptimalControlProblem* problem_;
  QpSolver solver_;
  std::vector<QpStage> stages_;
  std::vector<StageValue> values_, trial_values_;
  Trajectory trial_;
  std::vector<Vector> step_;    ///< (u, x) of each stage
  std::vector<Vector> kept_;    ///< the step, while a corrected one is tried
  std::vector<Vector> slopes_;  ///< of the cost: h, where a program made convex has another
  std::vector<Vector> scratch_;
  std::vector<Vector> defects_;                    ///< of the trajectory looked at last
  std::vector<std::pair<double, double>> filter_;  ///< (infeasible, cost)
  bool filtering_ = true;                          ///< else the merit must fall
  double length_ = 0.0;                            ///< the part of the last step that was taken
  double penalty_ = 1.0;                           ///< of what is infeasible, in the merit
  detail::Convexification added_;
  Vector dx0_;
  SqpReport report_;
  bool begun_ = false;                          ///< whether the solver holds multipliers
  bool prepared_ = false;                       ///< and the program of `prepare`
  bool convexified_ = false, elastic_ = false;  ///< the last program
};

}  // namespace ulna::control
