#pragma once

#include "ulna/control/stages.hpp"

namespace ulna::control {

/// States of stages 0..N and inputs of stages 0..N-1 (of N: empty).
struct Trajectory {
  std::vector<Eigen::VectorXd> x, u;
};

/// What a stage comes to at (x, u).
struct StageValue {
  double cost = 0.0;
  Eigen::VectorXd next;  ///< the state it leads to
  Eigen::VectorXd g;     ///< what its constraints are
};

/// Multipliers of a trajectory, in the signs of the Lagrangian
/// Σ cost + next multiplier · (next ⊟ x_next) + row multiplier · (u, x, g).
struct Multipliers {
  std::vector<Eigen::VectorXd> next, rows;
};

/// An optimal control problem by direct multiple shooting [Bock, Plitt 1984]: stages with costs,
/// constraints and a step to the next state each. Solvers need values and derivatives, of all
/// stages at once, so that a problem may evaluate them together.
///
/// The state of stage 0 is given; what of it is free becomes the input of a stage before, which has
/// no state. States may lie on manifolds: then `move` and `difference` are not plus and minus, and
/// bounds of states do not apply (write them as g).
class OptimalControlProblem {
 public:
  using Vector = Eigen::VectorXd;
  using In = const Eigen::Ref<const Vector>&;
  using Out = Eigen::Ref<Vector>;

  explicit OptimalControlProblem(std::vector<StageSize> sizes);
  virtual ~OptimalControlProblem();

  int stage_count() const { return int(sizes_.size()); }
  const std::vector<StageSize>& sizes() const { return sizes_; }
  const StageSize& size(int k) const { return sizes_[k]; }
  const Bounds& bounds(int k) const { return bounds_[k]; }
  /// To be changed between solves, not within.
  Bounds& bounds(int k) { return bounds_[k]; }

  /// How many numbers a state has.
  virtual int numbers(int k) const { return size(k).x; }
  /// x ⊞ dx, and the dx with from ⊞ dx = to.
  virtual void move(int /*k*/, In x, In dx, Out moved) const;
  virtual void difference(int /*k*/, In from, In to, Out dx) const;

  /// False if a stage has no finite value there.
  [[nodiscard]] virtual bool evaluate(const Trajectory& at, std::vector<StageValue>& values) = 0;
  /// The values, and of each stage H, h, F and G at a trajectory; f and bounds are set by the solver.
  /// Without multipliers H is positive semidefinite (Gauss-Newton); with them it is that of the
  /// Lagrangian, as far as `has_exact_hessian`.
  [[nodiscard]] virtual bool linearise(const Trajectory& at, const Multipliers* multipliers,
                                       std::vector<StageValue>& values,
                                       std::vector<QpStage>& stages) = 0;
  virtual bool has_exact_hessian() const { return false; }

 private:
  std::vector<StageSize> sizes_;
  std::vector<Bounds> bounds_;
};

/// A problem that is stated stage by stage, as most are.
class StagewiseProblem : public OptimalControlProblem {
 public:
  using OptimalControlProblem::OptimalControlProblem;

  [[nodiscard]] bool evaluate(const Trajectory& at, std::vector<StageValue>& values) override;
  [[nodiscard]] bool linearise(const Trajectory& at, const Multipliers* multipliers,
                               std::vector<StageValue>& values,
                               std::vector<QpStage>& stages) override;

 protected:
  virtual bool evaluate(int k, In x, In u, StageValue& value) = 0;
  /// `next`, `rows`: multipliers, or null.
  virtual bool linearise(int k, In x, In u, const Vector* next, const Vector* rows,
                         StageValue& value, QpStage& stage) = 0;
};

/// Room for all stages of a problem.
std::vector<StageValue> stage_values(const OptimalControlProblem& problem);
/// Zero everywhere (on manifolds, to be replaced).
Trajectory trajectory_of(const OptimalControlProblem& problem);

}  // namespace ulna::control
