#pragma once

#include "states.hpp"

/// Where the torques of a simulation come from. The robot is known as its file describes it, not what
/// happens to it.
namespace ulna::cli {

using TorqueSource = std::function<void(const Simulation& now, Eigen::VectorXd& tau)>;

/// "zero", "gravity", "pd" or the name of a table. `target` and `bandwidth` (rad/s) are those of "pd". Mentions a
/// table that does not last from the beginning to the end.
TorqueSource torque_source(Console& console, const std::string& name, const Plant<double>& believed,
                           const Eigen::VectorXd& target, double bandwidth, double duration);

/// Rows of a table in the order of their times.
struct TimeTable {
  /// The columns of these quantities, one after the other. Throws CsvError if one of them is missing. Behind them, if the
  /// table has them all and the robot has springs: tau of all joints, theta and thetad of elastic ones, as `simulate` and `excite` write them.
  TimeTable(InputFile in, const Model& model, std::initializer_list<const char*> quantities,
            bool motors = false);

  std::vector<double> times, values;
  std::size_t width = 0;  ///< numbers a row
  bool has_motors = false;
  Eigen::Map<const Eigen::VectorXd> row(std::size_t i) const {
    return {values.data() + i * width, static_cast<Eigen::Index>(width)};
  }
};

/// A motion in a table, straight between its rows. It begins with the first of them at time 0.
class FollowedMotion {
 public:
  /// Throws CsvError; UsageError for joints of several coordinates.
  FollowedMotion(InputFile in, const Model& model);

  double duration() const { return table_.times.back() - table_.times.front(); }
  Eigen::VectorXd q(double t) const { return at(t).head(n_); }
  Eigen::VectorXd v(double t) const { return at(t).segment(n_, n_); }

  /// Inverse dynamics of a = qdd + 2 w (qd - v) + w² (q - q now), with w the bandwidth; dry friction is that of qd, as a joint
  /// that friction holds would never move by its own velocity. If the table has motors' torques and positions, of a robot with springs, those
  /// torques, and M (w² (theta - theta now) + 2 w (thetad - omega)) of the rigid robot.
  TorqueSource law(const Plant<double>& believed, double bandwidth) const;

 private:
  Eigen::VectorXd at(double t) const;
  TorqueSource motor_law(const Plant<double>& believed, double bandwidth) const;

  Eigen::Index n_;
  TimeTable table_;
};

/// How well a motion is followed, joint by joint.
class Tracking {
 public:
  explicit Tracking(const FollowedMotion& motion) : motion_(motion) {}

  void add(const Simulation& now);
  /// Root mean squares of the error, rad or m.
  Eigen::VectorXd error() const { return (errors_ / count_).cwiseSqrt(); }
  /// The joints, by their number, that are off by more than half of their motion.
  std::vector<int> lost() const;

 private:
  const FollowedMotion& motion_;
  Eigen::VectorXd first_ = motion_.q(0.0);
  Eigen::VectorXd errors_ = 0.0 * first_, sum_ = errors_,
                  squares_ = errors_;  ///< from the first row on
  double count_ = 0.0;
};

}  // namespace ulna::cli
