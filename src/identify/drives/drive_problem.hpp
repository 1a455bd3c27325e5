#pragma once

#include "identify/drives/drive_signals.hpp"
#include "identify/estimate/measurements.hpp"

namespace ulna::identify {

/// The equations of motors, links and springs, linearised. As unknowns, drives have their compliance 1/K, D/K² and H/K⁴
/// in place of K, D and H, in which deflections are linear but for small terms, and ratios through a motor's own gear: x in place of z.
///
/// Channels are the motors' torques; behind them those of the links where sensors measure them, and the deflections of the springs where links
/// have encoders.
class DriveProblem {
 public:
  /// Refers to both.
  DriveProblem(const TorqueModel& model, const DriveData& data);

  Vector inner(const Vector& z) const;
  Vector outer(const Vector& x) const;
  /// d outer / d x.
  Matrix slopes(const Vector& x) const;

  Index channels() const { return Index(rows_.size()); }

  /// What x leaves unexplained (channels x samples), and sums of the equations J x' = J x + error, channel by channel, of the
  /// unknowns that it depends on.
  struct Linear {
    Matrix errors;
    std::vector<Sums> sums;
  };
  Linear at(const Vector& x) const;
  /// All channels together.
  Sums weighted(const Linear& linear, const Vector& weights) const;

  /// Slopes of the weighted squares that x leaves, sample by sample (unknowns x samples).
  Matrix scores(const Vector& x, const Vector& weights) const;

  Matrix motor_torques(const Vector& x) const;
  /// Root mean square of the channels' measurements.
  Vector typical() const;

 private:
  enum class Of { motor, link, spring };
  struct Row {
    Of of;
    int at;                    ///< motor, or coordinate
    std::vector<int> columns;  ///< unknowns that it depends on
  };
  /// What x says of motors and springs.
  struct Numbers {
    Vector compliance, lag, hardening, deflection;  ///< per coordinate
    Vector rotor, viscous, coulomb, offset;         ///< per motor
    Matrix T;
  };
  /// Signals that depend on x, all samples.
  struct Signals {
    Matrix T, to_motors;
    Matrix phi1, phi2;  ///< rates of the motors, through their own gears
    Matrix direction;   ///< signs of those, filtered
    Matrix own;         ///< torques that they need for themselves
    Matrix s[6];        ///< torques of the springs, and derivatives
    Matrix q, v, a;     ///< of the links
    Matrix e;           ///< of the springs
  };
  class Writer;

  Numbers numbers(const Vector& x) const;
  Signals signals(const Numbers& numbers) const;
  bool depends(const Row& row, const DriveUnknown& unknown) const;
  void use_rows();
  double measured(const Row& row, Index sample) const;
  int place(DriveUnknown::Kind kind, int at) const;

  const TorqueModel& model_;
  const DriveData& data_;
  const DriveTrain& train_;
  std::vector<Row> rows_;
  std::vector<char> sensed_;  ///< coordinates whose torque is measured behind the spring
  bool by_motors_;            ///< links are where springs leave them
  Vector known_rotor_;        ///< at joints, of coupled motors
  Matrix places_;             ///< kinds x nv: where in x, -1: not unknown
};

}  // namespace ulna::identify
