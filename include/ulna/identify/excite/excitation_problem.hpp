#pragma once

#include "ulna/constraints/capsules.hpp"
#include "ulna/derivatives/derivatives.hpp"
#include "ulna/derivatives/regressor.hpp"
#include "ulna/identify/estimate/base_parameters.hpp"
#include "ulna/identify/excite/exciting_motion.hpp"

/// How much information a motion holds, and what it costs, with exact slopes: what excite()
/// searches.
namespace ulna::identify {

/// What joints may do; infinite where there is no limit.
struct ExcitationLimits {
  Vector lower, upper, velocity, acceleration, effort;
  std::vector<std::string> notes;  ///< what had to be assumed
};
/// A share of what the robot can do: of the range about its middle, of velocity and of effort.
/// Joints without limits of position or velocity turn by ±pi at 2 rad/s, or slide by ±0.5 m at 0.5 m/s.
ExcitationLimits excitation_limits(const Model& model, double share);

/// What a motion tells of the base parameters, in units of what was believed before:
///
///     log det(1 + L' Y'W Y L),    L L' the prior covariance of the base parameters
///
/// which is twice the information gained, in nats [Chaloner, Verdinelli 1995]. No choice of units
/// changes it, and it stays finite where a motion does not excite a parameter. Torques are taken to be
/// as good as a hundredth of what the joint can do. Where a joint turns about, its direction is
/// tanh(v / v0): near standstill, friction adds little.
///
/// Everything that has a limit is given as the share of it that is used: of each joint position,
/// velocity, acceleration and effort, then of each pair of capsules, where 1 is the distance they must
/// keep. `use` is a smooth bound from above of the largest within each of many short spans of time
/// [Kreisselmeier, Steinhauser 1979]: few enough for a solver, and each with one peak to look after.
///
/// The slope of the information is 2 Σ <W Y A, dY>, A = (prior + Y'W Y)^-1 being held: for each
/// torque the slope of inverse dynamics whose inertial parameters are a row of W Y A.
class ExcitationProblem {
 public:
  /// `parameters` are those that efforts are computed with. Throws std::invalid_argument for robots whose
  /// joints have several coordinates, and for friction by load.
  ExcitationProblem(const TorqueModel& model, const BaseParameters& base, const Vector& parameters,
                    const ExcitationLimits& limits, const Capsules::Options& capsules,
                    const MotionBasis& basis);

  const MotionBasis& basis() const { return basis_; }
  const ExcitationLimits& limits() const { return limits_; }
  const Capsules& capsules() const { return capsules_; }
  int joints() const { return int(limits_.lower.size()); }
  /// A motion's coefficients in one piece, those of the first function first.
  int variables() const { return joints() * basis_.size(); }
  /// What has a limit: four quantities of joints, then pairs of capsules.
  int quantities() const { return 4 * joints() + capsules_.size(); }
  /// In each span of time those whose limits are finite, all pairs of capsules together being one.
  int constraints() const { return per_span() * spans_; }
  /// The one joint whose coefficients a constraint depends on, or -1: all.
  int joint_of(int constraint) const;
  Index samples() const { return grid_.t.size(); }

  /// Coefficients beyond these break a limit for certain (joints x functions).
  void bounds(Matrix& low, Matrix& high) const;

  /// Sets log_det, use and peak.
  void evaluate(const Vector& coefficients);
  /// Sets their slopes at the point of the last evaluate().
  void differentiate();

  double log_det = 0.0;
  Vector use;   ///< of each constraint: those of one span of time, then of the next
  Vector peak;  ///< of each quantity, the largest of all samples
  Vector log_det_slope;
  Matrix use_slope;  ///< constraints x variables

  /// The largest shares on a grid that is four times finer.
  Vector fine_peak(const Vector& coefficients);
  /// Y'W Y of base parameters at the last evaluate().
  const Matrix& information() const { return G_; }
  /// The torques of a motion, friction included (joints x N).
  Matrix torques(const Matrix& Q, const Matrix& V, const Matrix& A);
  ExcitingMotion motion(const Vector& coefficients) const;

 private:
  struct Grid {
    Vector t;
    Matrix value, rate, curve;  ///< functions x times
  };
  Grid grid_of(Index count) const;
  /// Shares of limits along a grid: quantities x times, signed where both signs have a limit.
  Matrix shares(const Grid& grid, const Matrix& C);
  Vector peaks(const Matrix& shares) const;

  /// How often a sample counts: a motion is measured a hundred times a second, whatever the grid.
  double each() const { return 100.0 * basis_.duration() / double(samples()); }
  /// 1 + L' Y'W Y L
  Matrix scaled_information() const;
  void gather_information();
  void differentiate_information();
  void differentiate_use();
  int per_span() const { return int(watched_.size()) + (capsules_.size() > 0); }
  /// Where the samples of a span begin.
  Index span(int i) const { return i * samples() / spans_; }
  /// Of all joints: tanh(v / v0).
  Matrix directions(const Matrix& V) const;
  /// What a joint's features with z change by per unit of velocity and acceleration, at a sample.
  struct FrictionSlope {
    double v = 0.0, a = 0.0;
  };
  FrictionSlope friction_slope(const Vector& z, int joint, Index sample) const;

  TorqueModel model_;
  BaseParameters base_;
  Vector parameters_;
  ExcitationLimits limits_;
  Capsules capsules_;
  MotionBasis basis_;
  Grid grid_, fine_;
  int spans_ = 1;
  std::vector<int> watched_;  ///< quantities of joints with limits
  Vector weight_;             ///< of a joint's torque: one over its deviation
  Vector turn_;               ///< v0
  Matrix prior_;              ///< L
  Plant<double> plant_, probe_;
  Kinematics<double> at_;
  RegressorWorkspace<double> regressor_ws_;
  DerivativeWorkspace<double> slope_ws_;
  InverseDynamicsDerivatives<double> slope_;
  RowMatX<double> Y_;

  Matrix Q_, V_, A_, directions_;  ///< at the last evaluate()
  Matrix shares_;
  RowMatX<double> rows_;  ///< weighted rows of the base regressor, joints x samples of them
  Matrix G_;
};

}  // namespace ulna::identify
