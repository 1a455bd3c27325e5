#pragma once

#include "ulna/control/robot/elastic_problem.hpp"
#include "ulna/mpc/controller.hpp"

/// Predictive control of robots with elastic joints (docs/drives.md).
namespace ulna::mpc {

using control::SmoothMotion;
/// Where the links are to be at a time, with four derivatives, which must be those of each other and have no jumps: writes numbers of
/// the right sizes.
using SmoothReference = std::function<void(double time, SmoothMotion& motion)>;

/// From rest at one place to rest at another in some seconds, by a polynomial of ninth degree, then waving about it: joint i by
/// amplitude(i) at hz(i), which grows from nothing within a second. Four derivatives have no jumps.
SmoothReference smooth_reach_and_wave(const Eigen::VectorXd& from, const Eigen::VectorXd& to,
                                      double seconds, const Eigen::VectorXd& amplitude,
                                      const Eigen::VectorXd& hz);
/// Its position and velocity alone.
MotionReference without_derivatives(const Model& model, SmoothReference reference);

/// What a controller makes of springs.
enum class DriveControl {
  /// Plans for links and motors, from positions and speeds of both and the torques of the springs.
  plan,
  /// Plans for the rigid robot; the deflection of the springs along the reference, and what the motors need for it, is added. From
  /// positions and speeds of the motors.
  feedforward,
  /// Plans for the rigid robot, and takes positions of motors for those of the links.
  ignore,
};
const char* to_string(DriveControl drives);

struct ElasticOptions {
  ControllerOptions control = {};
  DriveControl drives = DriveControl::plan;
  double bandwidth = 40.0;  ///< rad/s, of DriveControl::plan: see control::ElasticProblem
};

/// A reading of a robot with elastic joints. Of rigid ones theta and omega are q and v.
struct DriveReading {
  explicit DriveReading(const Model& model)
      : q(Eigen::VectorXd::Zero(model.nv())), v(q), theta(q), omega(q), tau(q) {}

  Eigen::VectorXd q, v;          ///< of the links
  Eigen::VectorXd theta, omega;  ///< of the motors, seen at the joints
  Eigen::VectorXd tau;           ///< of the springs
};

/// A predictive controller for a robot with elastic joints that identifies its links, as IdentifyingController. Torques are those of the
/// motors, seen at the joints. Motors that are coupled or carried by links are refused.
///
///     ElasticController controller(model, {.drives = DriveControl::feedforward});
///     controller.follow(reference);
///     loop:
///       drive(controller.act(time, reading));
///       controller.update(time, reading);
///
/// Made once, it allocates no more, and throws nothing while it acts.
class ElasticController {
 public:
  using Vector = Eigen::VectorXd;

  explicit ElasticController(const Model& model, const ElasticOptions& options = {});
  ~ElasticController();
  ElasticController(ElasticController&&) noexcept;
  ElasticController& operator=(ElasticController&&) noexcept;

  void follow(SmoothReference reference);
  const Vector& act(double time, const DriveReading& reading) noexcept;
  void update(double time, const DriveReading& reading) noexcept;
  /// The parameters it computes with from now on, where it does not identify them: of the robot with its drives.
  void set_plant(const Plant<double>& plant);

  ActionKind kind() const;
  ActionFault fault() const;
  /// The robot with its drives, with the parameters of now.
  const Plant<double>& plant() const;
  const identify::OnlineEstimator& estimator() const;
  Payload payload() const;
  double act_us() const;
  double update_us() const;
  double identify_us() const;

 private:
  class Way;
  class Rigid;
  class Plan;
  std::unique_ptr<Way> way_;
};

}  // namespace ulna::mpc
