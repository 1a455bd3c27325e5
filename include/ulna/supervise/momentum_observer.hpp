#pragma once

#include <vector>

#include "ulna/dynamics/kinematics.hpp"
#include "ulna/dynamics/workspace.hpp"

namespace ulna::supervise {

/// Where joint torques are measured.
enum class TorqueSide {
  motor,  ///< before the gear: friction and the rotor's inertia are part of what is measured
  link,   ///< behind it: they are not
};
const char* to_string(TorqueSide side);

struct MomentumObserverOptions {
  double gain = 50.0;  ///< 1/s: estimates follow with the time constant 1 / gain
  /// rad/s or m/s: a joint that is not faster rests, and dry friction holds it with what is needed.
  double rest_speed = 1e-3;
  TorqueSide side = TorqueSide::motor;
};

/// Estimates the torque that the surroundings exert on each joint, without accelerations: what the generalized
/// momentum p = M(q) v gains beyond what drives, gravity and friction account for [De Luca, Mattone 2005; Haddadin,
/// De Luca, Albu-Schäffer 2017, eq. 30]. With dM/dt = C + C',
///
///   dp/dt = tau + C'v - g - friction + tau_external,     dr/dt = gain (tau_external - r).
///
/// In discrete time the mean of tau_external over a period follows from the difference of p, the torque that acted, and
/// the trapezoidal rule for the rest; r follows it exactly as its differential equation does, whatever the period. What
/// dry friction can explain of a joint that rests or turns round is not taken for external.
///
///     MomentumObserver observer(model, {.gain = 50.0});
///     observer.update(plant, q, v, tau, dt);    // tau: what acted since the last update
///     observer.torque();                        // positive: the joint is pushed in its positive direction
///
/// For joints of any kind. Made once, it allocates no more. The plant may be another one in each call.
class MomentumObserver {
 public:
  /// Throws std::invalid_argument for options that make no sense.
  explicit MomentumObserver(const Model& model, MomentumObserverOptions options = {});

  /// The first update, and the first after reset(), only takes the state. Throws std::invalid_argument for numbers
  /// that are not finite, wrong sizes, and dt <= 0.
  void update(const Plant<double>& plant, In<double> q, In<double> v, In<double> tau, double dt);
  /// Nm or N, nv.
  const Eigen::VectorXd& torque() const { return r_; }
  /// What the estimate follows: the mean of the last period, with all its noise.
  const Eigen::VectorXd& torque_of_period() const { return external_; }
  /// Which side the torque of coordinate i is from, from the next update on.
  void set_side(int i, TorqueSide side) { side_[static_cast<std::size_t>(i)] = side; }
  /// Forgets the state, and the estimate if it is not to be kept.
  void reset(bool keep_estimate = false);

 private:
  /// The state at one end of a period, and what follows from it for a plant.
  struct End {
    explicit End(const Model& model);
    void compute(const Plant<double>& plant, Workspace<double>& ws);

    Kinematics<double> at;
    Eigen::MatrixXd matrix;       ///< M, then C
    Eigen::VectorXd p, rate, Cv;  ///< momentum, and its rate C'v - g without drives and friction
  };
  /// What friction can have been on average over the period, from the least to the most.
  struct Range {
    double least, most;
  };
  Range friction(const Plant<double>& plant, int i) const;
  Range dry_friction(const Plant<double>& plant, int i, double v) const;

  MomentumObserverOptions options_;
  std::vector<TorqueSide> side_;
  Workspace<double> ws_;
  End before_, now_;
  bool started_ = false;
  Eigen::VectorXd r_, external_;
};

}  // namespace ulna::supervise
