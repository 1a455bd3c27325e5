#pragma once

#include <functional>
#include <string>

#include "ulna/dynamics/kinematics.hpp"

namespace ulna {

struct IkOptions {
  double position_tolerance = 1e-6;     ///< metres
  double orientation_tolerance = 1e-6;  ///< radians
  bool position_only = false;
  int iterations = 200;  ///< per start
  int restarts = 20;     ///< from random configurations, after the one given
  std::uint64_t seed = 1;
  /// Called in each iteration, with how many starts are over; false: the search ends with the best so far.
  std::function<bool(int starts)> go_on = {};
};

struct IkResult {
  bool found = false;
  Eigen::VectorXd q;               ///< the best there was
  double position_error = 0.0;     ///< metres
  double orientation_error = 0.0;  ///< radians
  int iterations = 0, starts = 0;
  bool stopped = false;  ///< by IkOptions::go_on

  /// One line: "found in 12 iterations (1 start): 3.1e-09 m, 2.0e-08 rad".
  std::string report() const;
};

/// What all configurations of a search have to meet, such as loops that stay closed.
struct IkConstraint {
  /// The rows that are zero along all motions from q: J v = 0.
  std::function<Eigen::MatrixXd(const Eigen::VectorXd& q)> jacobian;
  /// Moves `to` to where it is met, on a way from a configuration where it is. False if there is none.
  std::function<bool(const Eigen::VectorXd& from, Eigen::VectorXd& to)> reach;
};

/// q with a frame at a pose: Levenberg-Marquardt on the error twist, within the joint limits, started
/// again from random configurations when it is stuck [Nakamura, Hanafusa 1986; Sugihara 2011]. Joints that
/// do not move the frame stay as they are in `start`. With a constraint, which `start` has to meet, it is met by all
/// configurations. Throws std::invalid_argument if the target or the start is not finite or of the wrong size.
IkResult inverse_kinematics(const Model& model, const Frame& frame, const Transform<double>& target,
                            const Eigen::VectorXd& start, const IkOptions& options = {},
                            const IkConstraint& constraint = {});

}  // namespace ulna
