#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ulna/constraints/capsules.hpp"
#include "ulna/constraints/closed_dynamics.hpp"
#include "ulna/control/problem.hpp"
#include "ulna/simulate/step.hpp"

namespace ulna::control {

namespace detail {
class RobotStages;
}

/// How a robot's motion becomes stages.
enum class Transcription {
  forward_dynamics,  ///< inputs are torques, constant in a step of forward dynamics
  /// inputs are accelerations, constant in a step; the torques that they need are constraints
  /// [Katayama, Ohtsuka 2021]. No mass matrix is inverted.
  inverse_dynamics,
};
const char* to_string(Transcription transcription);

/// How loops are kept closed.
enum class LoopForm {
  /// by rows: the state has all joints, and each node the equations that loops are closed and stay so
  rows,
  /// by coordinates: the state has the independent joints alone (LoopCoordinates), and the others follow. Smaller and faster; of
  /// inverse dynamics, where joints have one coordinate each. Torques are those of the independent joints.
  coordinates,
};

/// Of squares of what a motion misses: see RobotProblem.
struct MotionWeights {
  Eigen::VectorXd position, velocity, torque;  ///< nv each
  double terminal = 10.0;                      ///< of the last stage, in seconds
  double time = 0.0;                           ///< price of a second, where the final time is free

  /// 10, 0.1, and 1 per square of the largest torque; 1e-4 where that is unlimited or there is no drive.
  explicit MotionWeights(const Model& model);
};

/// nv each; infinite where there is none.
struct MotionLimits {
  Eigen::VectorXd lower, upper;      ///< of positions; only of joints of one coordinate
  Eigen::VectorXd velocity, torque;  ///< of their magnitudes
  /// Of torques, per second: how far a node may be from the torque before the first, `set_torque_before`.
  Eigen::VectorXd torque_rate;
  /// What a unit beyond a limit of position or velocity costs, and its square; infinity: they are
  /// hard. Torques are always kept.
  double price = infinity, price_squared = 0.0;

  /// The model's own, and none of rates.
  explicit MotionLimits(const Model& model);
  /// Closer by a share of their range: 0.05 leaves 90 % of it.
  MotionLimits& tighten(double share);
};

/// A frame that has somewhere to be, and the weights of squares of metres and radians.
struct FrameTask {
  std::string frame;
  double position = 100.0, orientation = 10.0;
};

/// A frame whose origin is pressed against a wall, and slides along it with friction.
struct ContactTask {
  std::string frame;
  Vec3<double> normal = Vec3<double>::UnitX();  ///< out of the wall, unit, in the world
  double friction = 0.0;                        ///< coefficient
  double weight = 1.0;                          ///< of squares of newtons that are missing
  double most = infinity;                       ///< N, along the normal
};

struct RobotProblemOptions {
  Transcription transcription = Transcription::forward_dynamics;
  Integrator integrator = Integrator::rk4;  ///< of forward dynamics

  int threads = 1;  ///< that stages are evaluated on; 0: as many as there are cores

  int steps = 20;                      ///< the horizon: N steps between N + 1 nodes
  double duration = 0.02;              ///< of each, in seconds,
  std::vector<double> durations = {};  ///< unless they are given one by one

  /// At least and at most, in seconds, where the final time is free: steps keep their shares of it.
  std::optional<std::pair<double, double>> final_time = {};
  /// Which numbers of (q, v), by degree of freedom (2 nv), are given at the first node, and which must
  /// be those of the reference at the last. Empty: all at the first, none at the last.
  std::vector<bool> initial_given = {}, final_given = {};

  std::optional<MotionWeights> weights = {};  ///< none: as they come
  std::optional<MotionLimits> limits = {};
  /// Torques of motors that move several joints, by the torques of the joints, nv x nv: limits of torques are of these then. Of inverse
  /// dynamics, without loops. Empty: each joint has a motor of its own.
  Eigen::MatrixXd motors = {};
  std::vector<FrameTask> frames = {};

  /// Joints that close loops of the tree: `model.description().loops` are those of the robot's file.
  std::vector<LoopDescription> loops = {};
  Eigen::VectorXd closed_at = {};  ///< near which they are closed; empty: where all is neutral
  LoopForm loop_form = LoopForm::rows;

  /// Of inverse dynamics, without loops. At first it does not touch: RobotProblem::set_contact.
  std::optional<ContactTask> contact = {};

  /// What not to hit, at every node but a given first one. There are never more than at first.
  std::optional<Capsules::Options> collisions = {};
  /// What a metre too close costs, and its square; infinity: distances are hard.
  double collision_price = infinity, collision_price_squared = 0.0;
};

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
/// node the rows that they are closed and stay so: see docs/control.md. With LoopForm::coordinates states and inputs are of the
/// independent joints instead; arguments still have all joints, of which those that follow are not used.
///
/// A contact adds an input to each step, the last: the force λ along the normal. Where it is planned, the frame does not accelerate
/// along the normal, whatever its distance, and tau = ID(q, v, a) - J'f with f = λ (n - mu t), t being the direction in which the
/// reference slides, and weight (λ - λ_r)² is a cost.
///
/// What changes between solves, the plant, references and limits, is replaced without allocation.
class RobotProblem : public OptimalControlProblem {
 public:
  explicit RobotProblem(Plant<double> plant, const RobotProblemOptions& options = {});
  ~RobotProblem() override;

  const Model& model() const { return plant().model(); }
  const Plant<double>& plant() const;
  int steps() const { return int(durations().size()); }
  /// Of the steps, in seconds; where the final time is free, their shares of it.
  const std::vector<double>& durations() const;
  /// The stage of a node.
  int stage(int node) const { return node + leading_; }

  /// Other parameters of the same robot. Torque references that hold against gravity follow.
  void set_plant(const Plant<double>& plant);
  void set_weights(const MotionWeights& weights);
  void set_limits(const MotionLimits& limits);
  const MotionWeights& weights() const;
  const MotionLimits& limits() const;
  /// The torque that acts before the first node, and for how long it has to change until then, where limits have
  /// a torque rate: the torque of a node is then at most as far from it as the rate allows for its time.
  void set_torque_before(In tau, double until_first);

  /// What is given of the first state, where not all is; elsewhere it is an argument of the solver.
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
  const Loops* loops() const;
  /// Of an input: the forces through them at its node. With LoopForm::coordinates they are no input: none.
  Vector loop_forces(In u) const;
  /// The joints that move all the others; null: all are in the state.
  const LoopCoordinates* coordinates() const;
  /// q and v of all joints at a node in a state. False if the loops do not reach so far. Allocates nothing.
  [[nodiscard]] bool joints(int node, In x, Out q, Out v);

  /// The force along the normal that a node presses with, N; 0: it does not touch. At a node, or from now on at all.
  void set_contact(int node, double force);
  void set_contact(double force);
  /// Of an input: the force along the normal. 0 without a contact.
  double contact_force(In u) const;
  /// J'f of that force on the robot at q, with the direction of friction of a node: nv. 0 without a contact.
  void contact_torque(int node, In q, In u, Out torque);

  void set_obstacle(int i, const PlacedCapsule& obstacle);
  /// What is kept from what, in the order of the rows; null: nothing is.
  const Capsules* capsules() const;

  /// (q, v) as one state, and the final time if it is free.
  Vector state(In q, In v) const;
  Vector state(In q, In v, double final_time) const;
  /// What the steps take altogether, or did at first if that is free.
  double final_time() const;
  /// From (q, v) straight to the last reference, held against gravity all the way. Loops are closed on the
  /// way; throws std::invalid_argument if one is open at (q, v) by more than a millimetre.
  Trajectory guess(In q, In v) const;

  [[nodiscard]] bool evaluate(const Trajectory& at, std::vector<StageValue>& values) override;
  [[nodiscard]] bool linearise(const Trajectory& at, const Multipliers* multipliers,
                               std::vector<StageValue>& values,
                               std::vector<QpStage>& stages) override;
  /// In inverse dynamics, where q is a plain vector and neither frames, collisions nor times count.
  bool has_exact_hessian() const override;
  int numbers(int k) const override;
  void move(int k, In x, In dx, Out moved) const override;
  void difference(int k, In from, In to, Out dx) const override;

 private:
  explicit RobotProblem(std::unique_ptr<detail::RobotStages> stages);
  void require_node(int node, int last) const;

  std::unique_ptr<detail::RobotStages> stages_;
  int leading_;  ///< stages before the nodes
};

}  // namespace ulna::control
