#pragma once

#include <memory>

#include "ulna/control/problem.hpp"
#include "ulna/control/robot/robot_problem_options.hpp"
#include "ulna/derivatives/loops.hpp"
#include "ulna/derivatives/second_derivatives.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/kinematics.hpp"

namespace ulna {

namespace detail {
class StageMotion;
class Holding;
}  // namespace detail

/// How a robot is to move: an optimal control problem over steps between nodes k = 0..N. The state is
/// (q, v), the input the torques or the accelerations, as the transcription has it. The cost is
///
///     Σ_{k<N} ½ dt (|q ⊟ q_r|² + |v - v_r|² + |tau - tau_r|² + frames) + ½ terminal (the same but tau)
///
/// with weighted squares and a reference of its own at each node; tau_r is what holds the robot still
/// at q_r unless it is given.
///
///     RobotProblem problem(Plant<double>(model), {.steps = 20, .duration = 0.02});
///     problem.set_goal(q_goal);
///     Trajectory guess = problem.guess(q, v);
///
/// If the final time is free, it is one more number of the state. If it is, or something of the first
/// state is, a stage without a state comes before the nodes: its inputs are by how much the first state
/// leaves what was set, in the directions that are free, and then the final time.
///
/// Loops add two inputs per row to each step, the first of which is the force λ through it, and to each
/// node the rows that they are closed and stay so: see docs/control.md.
///
/// What changes between solves, the plant, references and limits, is replaced without allocation.
class RobotProblem : public OptimalControlProblem {
 public:
  explicit RobotProblem(Plant<double> plant, const RobotProblemOptions& options = {});
  ~RobotProblem() override;

  const Model& model() const { return plant_.model(); }
  const Plant<double>& plant() const { return plant_; }
  int steps() const { return steps_; }
  /// The stage of a node.
  int stage(int node) const { return node + leading_; }

  /// Other parameters of the same robot. Torque references that hold against gravity follow.
  void set_plant(const Plant<double>& plant);
  void set_weights(const MotionWeights& weights);
  void set_limits(const MotionLimits& limits);
  const MotionWeights& weights() const { return weights_; }
  const MotionLimits& limits() const { return limits_; }

  /// What is given of the first state, where not all is; elsewhere the solver is told.
  void set_initial(In q, In v);
  /// To be there at rest, from now on.
  void set_goal(In q);
  void set_reference(int node, In q, In v);
  /// After set_reference, which sets it to the torques against gravity.
  void set_torque_reference(int node, In tau);
  /// Where the frame of a task is to be, at a node or from now on. Without one the task rests.
  void set_target(int task, int node, const Transform<double>& X_WF);
  void set_target(int task, const Transform<double>& X_WF);
  void clear_target(int task, int node);

  /// The joints that close loops; null: there are none.
  const Loops* loops() const { return loops_ ? &*loops_ : nullptr; }
  /// Of an input: the forces through them at its node.
  Vector loop_forces(In u) const { return u.segment(model().nv(), loops_ ? loops_->size() : 0); }

  void set_obstacle(int i, const Rod& obstacle);
  /// What is kept from what, in the order of the rows; null: nothing is.
  const Capsules* capsules() const { return capsules_ ? &*capsules_ : nullptr; }

  /// (q, v) as one state, and the final time if it is free.
  Vector state(In q, In v) const;
  Vector state(In q, In v, double final_time) const;
  /// What the steps take altogether, or did at first if that is free.
  double final_time() const { return whole_; }
  /// From (q, v) straight to the last reference, held against gravity all the way. Loops are closed on the
  /// way; throws std::invalid_argument if one is open at (q, v) by more than a millimetre.
  Trajectory guess(In q, In v) const;

  [[nodiscard]] bool evaluate(const Trajectory& at, std::vector<StageValue>& values) override;
  [[nodiscard]] bool linearise(const Trajectory& at, const Multipliers* multipliers,
                               std::vector<StageValue>& values,
                               std::vector<QpStage>& stages) override;
  /// In inverse dynamics, where q is a plain vector and neither frames, collisions nor times count.
  bool has_exact_hessian() const override { return curve_.has_value(); }
  int numbers(int k) const override;
  void move(int k, In x, In dx, Out moved) const override;
  void difference(int k, In from, In to, Out dx) const override;

 protected:
  bool evaluate(int k, In x, In u, StageValue& value) override;
  bool linearise(int k, In x, In u, const Vector* next, const Vector* rows, StageValue& value,
                 QpStage& stage) override;

 private:
  struct Reference {
    Vector q, v, tau;
    bool against_gravity = true;
    std::vector<std::optional<Transform<double>>> frames;  ///< by task
  };
  bool prepare(const Trajectory& at, bool slopes);
  bool step(int k, In x, In u, double h, QpStage* slopes);
  bool lead(In u, StageValue& value, QpStage* slopes);
  bool stage(int k, In x, In u, StageValue& value, QpStage* slopes);
  // each adds to the cost, unscaled, and where `slopes` is given, to H and h
  void add_joint_cost(int k, In x, double& cost, QpStage* slopes);
  void add_torque_cost(int k, double& cost, QpStage* slopes);
  void add_frame_costs(int k, In x, double& cost, QpStage* slopes);
  void constrain(int k, In x, StageValue& value, QpStage* slopes);
  /// Rows of loops from `row` on, and how many they are.
  int close_loops(int k, In x, int row, StageValue& value, QpStage* slopes);
  /// How cost and curvature change with the final time, once they are scaled by the duration h.
  void add_time_slopes(int k, double h, double cost, QpStage& slopes) const;
  /// What the curvature of torques adds to H, of their cost and of their constraints.
  void add_torque_curvature(int k, In x, In u, const Vector& rows, QpStage& slopes);
  void set_gravity_torque(Reference& reference);
  void set_gravity_torques();
  void bind_end();
  void bind_loops();
  int node(int k) const { return k - leading_; }
  void require_node(int node, int last) const;
  Reference& reference(int node) { return references_[static_cast<std::size_t>(node)]; }
  auto q_of(In x) const { return x.head(model().nq()); }
  auto v_of(In x) const { return x.segment(model().nq(), model().nv()); }

  Plant<double> plant_;
  std::vector<double> durations_;
  double whole_;  ///< their sum
  int steps_;
  bool timed_;             ///< the final time is free
  std::vector<int> free_;  ///< degrees of freedom of the first state that are,
  std::vector<int> end_;   ///< and those of the last that are not
  int leading_;            ///< stages before the nodes
  std::optional<Loops> loops_;
  bool flat_;  ///< states are plain vectors
  Vector initial_;
  MotionWeights weights_;
  MotionLimits limits_;
  std::vector<FrameTask> tasks_;
  std::vector<const Frame*> frames_;  ///< of the tasks
  std::vector<Reference> references_;
  std::unique_ptr<detail::StageMotion> motion_;
  std::optional<Capsules> capsules_;
  std::optional<InverseDynamicsSecondDerivatives<double>> curve_;

  // scratch
  bool prepared_ = false;  ///< motion_ knows the steps of all stages
  Eigen::MatrixXd Q_, V_, U_;
  Vector h_;
  std::unique_ptr<detail::Holding> hold_;
  Configuration<double> at_;
  Vector error_, along_;
  Eigen::MatrixXd J_, slope_, weighted_, along_slope_, q_slope_;
};

}  // namespace ulna
