#pragma once

#include "ulna/mpc/reentry.hpp"
#include "ulna/supervise/supervisor.hpp"
#include "ulna/view/live/playground.hpp"
#include "view/page/json.hpp"
#include "view/live/smooth_motion.hpp"

namespace ulna::view {

/// A robot of a playground with all that drives it, period by period, and what can be done to it meanwhile.
class PlayedRobot {
 public:
  using Vector = Eigen::VectorXd;

  explicit PlayedRobot(Player player);

  /// A period; false: the simulation cannot go on.
  bool step();

  // --- what can be done to it; throw std::invalid_argument ---

  /// A box of so many kg, in place of the one before, at the tip; 0: none.
  void carry(double mass);
  /// A spring from a point of a link to one of the world.
  void pull(int link, const Vec3<double>& point, const Vec3<double>& to);
  void release();
  void set_friction(double factor);
  /// A joint of the scene.
  void blind(int joint, bool on);
  void identify(bool on) { identify_ = on; }
  void go_to(const std::optional<Vector>& goal);

  // --- what there is to see ---

  const Model& model() const { return player_.model; }
  double period() const { return 1.0 / player_.control.rate_hz; }
  double time() const { return rig_.now(); }
  const Vector& q() const { return rig_.q(); }
  const Vector& reference() const { return q_reference_; }
  Cast cast() const;
  std::vector<SeriesGroup> channels() const;
  /// Of the channels.
  const Vector& values();
  std::optional<Arrow> pull_force() const;
  /// The points that the tip is planned to come through.
  std::span<const Vec3<double>> trail();
  /// What a message of type `live` has of the robot.
  Json report();
  double step_us() const { return step_us_; }

 private:
  void drive();
  void follow_supervisor(double time, const Vector& wanted);
  void pull_now();

  Player player_;
  Plant<double> usual_;  ///< the true robot as it began
  rig::TestRig rig_;
  mpc::IdentifyingController controller_;
  SmoothMotion motion_;
  std::optional<supervise::Supervisor> supervisor_;
  std::optional<mpc::Reentry> reentry_;
  rig::Reading reading_;
  const Frame& tip_;
  Kinematics<double> at_;

  Vector q_reference_, v_reference_, tau_, load_, hold_fast_, values_;
  std::vector<Series> joints_ = series_of_joints(player_.model);  ///< by coordinate
  std::vector<char> blinded_;
  bool identify_ = true, braked_ = false, began_ = false;
  double stopped_for_ = 0.0, friction_ = 1.0, payload_ = 0.0, step_us_ = 0.0;

  struct Pull {
    int link = -1;
    Vec3<double> point, to;
  };
  std::optional<Pull> pull_;
  Arrow force_;    ///< of the pull
  double weight_;  ///< of the moving links, N

  std::vector<double> squares_;   ///< of errors in the last second
  std::vector<float> durations_;  ///< of the last steps, us
  std::size_t steps_ = 0;
  identify::OnlineEstimator estimator_ =
      controller_.estimator();  ///< a copy, to compute deviations with
  Vector deviations_ = estimator_.z();
  std::vector<Vec3<double>> trail_;
};

}  // namespace ulna::view
