#pragma once

#include <functional>

#include "ulna/control/robot/robot_problem.hpp"
#include "ulna/control/sqp.hpp"
#include "ulna/identify/filter.hpp"
#include "ulna/identify/online.hpp"

/// System identification during model predictive control (001, chapter 5).
namespace ulna {

/// Where the robot is to be at a time: writes q and v, which have the right sizes already. What it throws, and
/// numbers that are too few, too many or not finite, are a fault of the controller's action.
using MotionReference = std::function<void(double time, Eigen::VectorXd& q, Eigen::VectorXd& v)>;

struct ControllerOptions {
  double rate_hz = 1000.0;  ///< how often it acts
  /// By inverse dynamics, which light links with much friction do not make stiff.
  RobotProblemOptions problem = {.transcription = Transcription::inverse_dynamics};

  bool identify = true;  ///< false: the model stays what it was
  /// What joints are found to resist with; by default viscous and dry friction, the latter by direction
  /// where the model's is.
  std::optional<std::vector<Feature>> features = {};
  /// Below which measured motion and torques are compared.
  double filter_hz = 20.0;
  /// What torques are off by that the right numbers predict; empty: 0.5 % of the drives' efforts.
  Eigen::VectorXd torque_noise = {};
  OnlineOptions online = {};  ///< its rate and correlation follow from the above

  /// Of the solver, per action, in seconds.
  std::optional<double> deadline = {};
  /// For how long an old plan is gone on with when no new one is found, in seconds.
  double patience = 0.1;
  double safe_damping = 10.0;  ///< Nm s/rad, of joints of full effort, when there is no plan at all
};

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
  not_measured,  ///< a number of the state was not finite: what was expected was taken instead
  not_prepared,  ///< the problem has no derivatives where the plan is
  late,          ///< the deadline came before a plan
  not_solved,    ///< the solver found none
  no_reference,  ///< the reference threw, or was of a wrong size or not finite
};
const char* to_string(ActionFault fault);

/// A nonlinear model predictive controller that keeps identifying the robot it drives. Made once, it
/// allocates no more; it throws nothing while it acts, and its torques are finite and within the limits
/// whatever is measured and whatever its reference does.
///
///     IdentifyingController controller(model, {});
///     controller.follow(reference);
///     loop:
///       tau = controller.act(time, q, v);           // as soon as the state is measured
///       drive(tau);
///       controller.think(time, q, v, tau_measured); // in the time that is left
///
/// It plans for a robot whose dry friction is compensated for: what friction is estimated to be, in the
/// direction of the planned velocity, is added to the planned torques. A joint that rests all the same is
/// pushed harder and harder until it moves, from which its friction is learned.
class IdentifyingController {
 public:
  using Vector = Eigen::VectorXd;
  using In = const Eigen::Ref<const Vector>&;
  using Clock = Sqp::Clock;

  explicit IdentifyingController(const Model& model, const ControllerOptions& options = {});

  void follow(MotionReference reference) { reference_ = std::move(reference); }

  /// The torques of now. The first call plans until it is satisfied.
  const Vector& act(double time, In q, In v) noexcept;
  /// Learns from what was measured while `act`'s torques acted, and gets ready for the next action.
  void think(double time, In q, In v, In tau) noexcept;
  /// Learns from a six-axis sensor in the joint of a body, where there is one, and from accelerations:
  /// before `think`. `noise`: how far moment and force are off, six numbers.
  void feel(int body, In q, In v, In a, In wrench, In noise) noexcept;
  /// What it computes with from now on, if it is told so rather than identifies.
  void set_plant(const Plant<double>& plant);
  /// As if the deadline had come before the next plan: for trials.
  void miss_next_deadline() { missed_ = true; }
  /// As if the solver found nothing.
  void fail_next_plan() { failing_ = true; }

  ActionKind kind() const { return kind_; }
  ActionFault fault() const { return fault_; }
  OnlineEstimator::Outcome learned() const { return outcome_; }
  const SqpReport& report() const { return sqp_.report(); }
  /// What it takes the robot for.
  const Plant<double>& plant() const { return plant_; }
  const OnlineEstimator& estimator() const { return estimator_; }
  /// The plan of now, from the time of the last action that was planned.
  const Trajectory& plan() const { return sqp_.trajectory; }
  double planned_at() const { return planned_at_; }
  /// Of the last feedback and of the last preparation, identification included.
  double act_us() const { return act_us_; }
  double think_us() const { return think_us_; }
  double identify_us() const { return identify_us_; }

 private:
  bool set_references(double time) noexcept;
  bool plan(double time);
  void take_torque(std::size_t node);
  void take_older(double time);
  void take_safe();
  void compensate_friction();
  void push_what_is_stuck();
  void keep_limits();

  Model model_;
  ControllerOptions options_;
  Plant<double> plant_;    ///< with its dry friction
  Plant<double> planned_;  ///< without
  RobotProblem problem_;
  Sqp sqp_;
  TorqueModel torques_;
  OnlineEstimator estimator_;
  MotionFilter filter_;
  MotionReference reference_;
  Workspace<double> ws_;

  std::vector<double> times_;  ///< of the nodes after now
  Vector q_, v_;               ///< the state, measured or expected
  Vector x_, tau_, gravity_, q_reference_, v_reference_;
  Eigen::MatrixXd q_references_, v_references_;  ///< a column for each node
  Vector noise_, stuck_for_, push_;              ///< s, Nm
  ActionKind kind_ = ActionKind::safe;
  ActionFault fault_ = ActionFault::none;
  OnlineEstimator::Outcome outcome_ = OnlineEstimator::Outcome::ignored;
  bool begun_ = false, prepared_ = false, missed_ = false, failing_ = false;
  bool reference_failed_ = false;  ///< since the last action
  double planned_at_ = 0.0;
  double act_us_ = 0.0, think_us_ = 0.0, identify_us_ = 0.0;
};

}  // namespace ulna
