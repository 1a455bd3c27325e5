#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "mpc/goal_motion.hpp"
#include "ulna/mpc/controller.hpp"

namespace ulna::mpc {

/// Where the frames of tasks are to be: nowhere, at a pose, along a function of time, or on the way to a goal.
class FrameTargets {
 public:
  explicit FrameTargets(std::size_t tasks) : targets_(tasks) {}

  int size() const { return int(targets_.size()); }
  bool is_set(int task) const { return targets_.at(std::size_t(task)).kind != Kind::none; }

  void clear(int task) { target(task).kind = Kind::none; }
  void set(int task, const Transform<double>& X_WF) {
    target(task).goal = X_WF, target(task).kind = Kind::fixed;
  }
  void follow(int task, FrameReference reference) {
    messages::require(reference != nullptr, "task ", task, ": no function is given to follow");
    target(task).reference = std::move(reference), target(task).kind = Kind::followed;
  }

  /// To a pose and at rest there: from where the target is and was a moment ago.
  void go_to(int task, double time, double moment, const Transform<double>& now,
             const Transform<double>& before, const Transform<double>& goal,
             const PoseLimits& limits) {
    Target& to = target(task);
    const Offset at = offset(goal, now), rate = (at - offset(goal, before)) / moment;
    const Offset none = Offset::Zero();
    Offset velocity, acceleration;
    velocity << Offset::Constant(limits.angular_velocity).head<3>(),
        Offset::Constant(limits.linear_velocity).head<3>();
    acceleration << Offset::Constant(limits.angular_acceleration).head<3>(),
        Offset::Constant(limits.linear_acceleration).head<3>();
    to.motion.set(time, at, rate, none, none, velocity, acceleration);
    to.goal = goal, to.kind = Kind::going;
  }

  /// Of a task that is set; what its function throws is thrown.
  Transform<double> at(int task, double time) {
    Target& to = target(task);
    if (to.kind == Kind::followed) return to.reference(time);
    if (to.kind == Kind::fixed) return to.goal;
    to.motion.at(time, offset_, rate_);
    return {to.goal.rotation() * Rotation<double>::exp(offset_.head<3>()),
            to.goal.translation() + offset_.tail<3>()};
  }

 private:
  using Offset =
      Eigen::Matrix<double, 6, 1>;  ///< rotation vector in the goal's frame, way in world axes
  enum class Kind { none, fixed, followed, going };
  struct Target {
    Kind kind = Kind::none;
    Transform<double> goal;
    FrameReference reference;
    GoalMotion motion{6};
  };

  static Offset offset(const Transform<double>& goal, const Transform<double>& X) {
    Offset o;
    o << (goal.rotation().inverse() * X.rotation()).log(), X.translation() - goal.translation();
    return o;
  }
  Target& target(int task) {
    messages::require(task >= 0 && task < size(), "there is no task ", task, " of a frame, only ",
                      size(), "; give them in options.problem.frames");
    return targets_[std::size_t(task)];
  }

  std::vector<Target> targets_;
  Offset offset_, rate_;
};

}  // namespace ulna::mpc
