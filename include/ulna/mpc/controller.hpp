#pragma once

#include <functional>

#include "ulna/control/robot/robot_problem.hpp"
#include "ulna/control/sqp.hpp"
#include "ulna/identify/online/online_estimator.hpp"

/// System identification during model predictive control (Cărămizaru 2023, chapter 5).
namespace ulna::mpc {

/// Where the robot is to be at a time: writes q and v, which have the right sizes already. What it throws, and
/// numbers that are too few, too many or not finite, are a fault of the controller's action.
using MotionReference = std::function<void(double time, Eigen::VectorXd& q, Eigen::VectorXd& v)>;

/// Where a frame is to be at a time. What it throws, and poses that are not finite, are a fault of the action too.
using FrameReference = std::function<Transform<double>(double time)>;

/// Of a motion to a goal, nv each; empty: half of the model's velocities, 1 rad/s or m/s where it has none, and a quarter
/// of the accelerations that the drives can give beyond gravity.
struct GoalLimits {
  Eigen::VectorXd velocity = {}, acceleration = {};
};

/// Of a frame's motion to a pose; m and rad, per second.
struct PoseLimits {
  double linear_velocity = 0.25, linear_acceleration = 1.0;
  double angular_velocity = 1.0, angular_acceleration = 4.0;
};

/// Of the torques that the robot is identified from.
enum class TorqueSource { commanded, measured };

struct ControllerOptions {
  double rate_hz = 1000.0;  ///< how often it acts
  /// By inverse dynamics, which light links with much friction do not make stiff. Weights and limits that are
  /// not given follow from the robot.
  control::RobotProblemOptions problem = {.transcription = control::Transcription::inverse_dynamics,
                                          .steps = 15};

  bool identify = true;  ///< false: the model stays what it was
  /// Offset-free MPC: the torque that the model does not explain, from readings and the torques that were
  /// sent, is added to those planned.
  bool observe_disturbance = true;
  /// By which share of a joint's effort that torque may change in a second, as a random walk; with the noise of
  /// the readings, which is learned, it sets how fast the observer is.
  double disturbance_rate = 0.3;
  /// The torques that the robot is identified from: those that were sent, which no sensor can spoil, or those
  /// that were measured.
  TorqueSource torques = TorqueSource::commanded;
  /// Which torques of joints are estimated; by default viscous and dry friction, the latter by direction
  /// where the model's is.
  std::optional<std::vector<identify::Feature>> features = {};
  /// Below which measured motion and torques are compared.
  double filter_hz = 20.0;
  /// Standard deviation of torques from what the true parameters predict; empty: 0.5 % of the
  /// drives' efforts.
  Eigen::VectorXd torque_noise = {};
  /// Its rate, correlation and patience follow from the other options; thresholds that are 0, from the robot.
  /// Where motion does not show inertia or friction, too much of them would make the loop too fast: rotors are expected to be light, and friction
  /// to be little for links that give way.
  identify::OnlineOptions online = {.prior = {.deviation = 0.3, .rotors = 0.3, .friction = 20.0}};
  int payload_body = 0;  ///< that carries what is picked up; 0: the last
  /// For how long torques must stay far off before the robot counts as changed, in seconds.
  double change_after = 0.01;

  /// Of the solver, per action, in seconds.
  std::optional<double> deadline = {};
  /// For how long an old plan is followed when no new one is found, and the expected state is taken when none is
  /// measured, in seconds.
  double patience = 0.1;
  double safe_damping = 10.0;  ///< Nm s/rad, of joints of full effort, when there is no plan at all
};

/// As the controller chooses them where none are given: torques count by the squares of what the drives can do, or of
/// what gravity and the usual accelerations of the robot need.
control::MotionWeights motion_weights(const Model& model);

/// Where an action comes from.
enum class ActionKind {
  planned,  ///< from a plan of now
  older,    ///< from the last plan, at the time that has passed since
  safe,     ///< held against gravity and slowed down
};
const char* to_string(ActionKind kind);

/// What was wrong with an action.
enum class ActionFault {
  none,
  not_measured,  ///< a number of the state was not finite: the expected state was taken instead
  stale,         ///< the reading before came again from a robot that moves: the same
  not_prepared,  ///< the problem has no derivatives where the plan is
  late,        ///< the deadline came first: the plan, if there is one, is the best found until then
  not_solved,  ///< the solver found none
  no_reference,  ///< the reference threw, or was of a wrong size or not finite
};
const char* to_string(ActionFault fault);

/// What a body was found to carry, in the axes of its frame.
struct Payload {
  double mass = 0.0, deviation = infinity;                 ///< kg; the standard deviation
  Eigen::Vector3d first_moment = Eigen::Vector3d::Zero();  ///< mass times its centre, kg m
  /// False: the mass may as well be nothing.
  bool known() const { return mass > 2.0 * deviation; }
  Eigen::Vector3d com() const { return first_moment / mass; }
};

/// A nonlinear model predictive controller that keeps identifying the robot it drives. Made once, it
/// allocates no more; it throws nothing while it acts, and its torques are finite and within the limits
/// whatever is measured and whatever its reference does.
///
///     IdentifyingController controller(model, {});
///     controller.follow(reference);
///     loop:
///       tau = controller.act(time, q, v);            // as soon as the state is measured
///       drive(tau);
///       controller.update(time, q, v, tau_measured); // in the time that is left
///
/// It plans for a robot whose dry friction is compensated for: the estimated friction, in the direction of
/// the planned velocity, is added to the planned torques. A joint that rests all the same is pushed harder
/// and harder until it moves, from which its friction is estimated.
class IdentifyingController {
 public:
  using Vector = Eigen::VectorXd;
  using In = const Eigen::Ref<const Vector>&;

  explicit IdentifyingController(const Model& model, const ControllerOptions& options = {});
  ~IdentifyingController();
  IdentifyingController(IdentifyingController&&) noexcept;
  IdentifyingController& operator=(IdentifyingController&&) noexcept;

  void follow(MotionReference reference);
  /// To a goal and at rest there, from the reference of now (without one, from where the robot is), whose velocity and
  /// acceleration the motion begins with: torques do not jump, also if the robot moves. Yields when it arrives.
  /// Before the first act the robot's state is not known: then it throws std::logic_error.
  double go_to(In q_goal, const GoalLimits& limits = {});

  // What follows may be changed while the robot moves; it counts from the next update on. Nothing is allocated.
  // What is of a wrong size or out of range throws std::invalid_argument or std::out_of_range.

  /// By joint.
  void set_weights(const control::MotionWeights& weights);
  void set_limits(const control::MotionLimits& limits);
  const control::MotionWeights& weights() const;
  const control::MotionLimits& limits() const;
  /// Where the frame of a task of `problem.frames` is to be: there, where a function says, there but smoothly from
  /// its target of now (without one, from where it is), or no matter. At first it is no matter.
  void set_target(int task, const Transform<double>& X_WF);
  void follow_target(int task, FrameReference reference);
  void go_to_target(int task, const Transform<double>& X_WF, const PoseLimits& limits = {});
  void clear_target(int task);
  /// Presses the frame of `problem.contact` against its wall with so many newtons; 0: no more. Where it touches is found by
  /// pressing: along the normal the robot goes where the force takes it. Meanwhile nothing is learned, and the disturbance stays what
  /// it was, as what the wall does cannot be told from it.
  void press(double force);
  /// The force of the plan of now.
  double pressed() const;
  /// Moves an obstacle of `problem.collisions`.
  void set_obstacle(int i, const PlacedCapsule& obstacle);

  /// The torques of now. The first call solves its problem to convergence.
  const Vector& act(double time, In q, In v) noexcept;
  /// The same by a reading of an earlier moment, as its time stamp says: the state of now is predicted from it. A time
  /// stamp that comes again is no reading.
  const Vector& act(double time, double measured_at, In q, In v) noexcept;
  /// Estimates from what was measured, tau with the state, and prepares the next action.
  void update(double time, In q, In v, In tau) noexcept;
  /// Estimates from a six-axis sensor in the joint of a body, where there is one, and from accelerations:
  /// before `update`. `noise`: standard deviations of moment and force, six numbers.
  void update_wrench(int body, In q, In v, In a, In wrench, In noise) noexcept;
  /// The torques that were sent instead of those of the last act, by a supervisor say: before the next act.
  void sent(In tau) noexcept;
  /// Whether it learns, from now on; at first it does.
  void learn(bool on) noexcept;
  /// Something is about to be grasped or released: what the tip carries is learned anew.
  void expect_change() noexcept;
  /// For a robot that stood still for a while or was moved: state and plan begin anew with the next reading, what was
  /// identified stays.
  void reset() noexcept;
  /// The parameters it computes with from now on, where it does not identify them.
  void set_plant(const Plant<double>& plant);
  /// Of the solver, per action, in seconds.
  void set_deadline(std::optional<double> seconds);

  ActionKind kind() const;
  ActionFault fault() const;
  /// Of the last sample.
  identify::OnlineEstimator::Outcome outcome() const;
  const control::SqpReport& report() const;
  /// With the parameters of now.
  const Plant<double>& plant() const;
  const identify::OnlineEstimator& estimator() const;
  /// What ControllerOptions::payload_body carries beyond what it did before the robot first changed, noticed or found by its weight;
  /// until then it is not known.
  Payload payload() const;
  /// By how many periods readings are late beyond what their time stamps say, and the lag of the drives, s: as estimated.
  int reading_delay() const;
  double drive_lag() const;
  /// The torques that the plant does not explain, Nm or N: those sent, less what the motion needs by the plant.
  const Vector& disturbance() const;
  /// The torques of the last action as planned: those sent have friction and disturbance added, and are limited.
  const Vector& planned_torque() const;
  /// The plan of now, from the time of the last action that was planned.
  const control::Trajectory& plan() const;
  double planned_at() const;
  /// Durations of the last act and of the last update, identification included.
  double act_us() const;
  double update_us() const;
  double identify_us() const;

 private:
  friend class Trial;
  /// The next plan fails as if the solver had.
  void fail_next_plan();

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna::mpc
