#pragma once

#include "ulna/derivatives/regressor.hpp"
#include "ulna/identify/refine/refine.hpp"
#include "ulna/simulate/step.hpp"

/// Simulations of measured motion, and how they change with all numbers.
namespace ulna::identify {

/// Where the numbers of a simulation stand: z of the model, then Stribeck friction of each degree of
/// freedom, level and velocity, then the delay.
struct ShootingNumbers {
  int unknowns, nv;
  bool stribeck, delay;
  bool measured_velocity = false;  ///< viscous friction goes by it, as dry friction does

  int size() const { return unknowns + (stribeck ? 2 * nv : 0) + (delay ? 1 : 0); }
  int extra() const { return size() - unknowns; }
  int level(int dof) const { return unknowns + dof; }
  int velocity(int dof) const { return unknowns + nv + dof; }
  int delay_at() const { return size() - 1; }
};

/// Samples first, first + stride, ... of a piece, `steps` of them and the end.
struct Window {
  const Piece* piece;
  Index first;
  int stride, steps;
  int substeps = 1;        ///< of each step: stiff joints need them
  bool continues = false;  ///< the next window begins where this one ends

  double step_seconds() const { return stride / piece->rate_hz; }
  Index sample(int k) const { return first + Index(k) * stride; }
  /// (q, v) as measured.
  Vector state(int k) const {
    Vector state(2 * piece->q.rows());
    state << piece->q.col(sample(k)), piece->v.col(sample(k));
    return state;
  }
};

/// Measured torques less friction, and what nobody measured; slopes by numbers, then by the latter.
class MeasuredDrive : public Drive {
 public:
  MeasuredDrive(const TorqueModel& model, const ShootingNumbers& layout);

  void set(const Vector& numbers) { x_ = numbers; }
  /// A torque beside the measured one.
  void push(const Eigen::Ref<const Vector>& torque) { push_ = torque; }
  /// Of all the window's substeps, this one.
  void begin(const Window& window, int substep) { window_ = &window, substep_ = substep; }

  void torque(double share, In<double> q, In<double> v, Out<double> tau,
              Out<double> tau_by_v) override;
  void surplus_by_numbers(double share, In<double> q, In<double> v, In<double> a,
                          OutMatrix<double> D) override;

 private:
  void measure(double share);

  const TorqueModel& model_;
  ShootingNumbers layout_;
  Vector x_, push_;
  const Window* window_ = nullptr;
  int substep_ = 0;
  // at the share of the last call:
  Vector tau_, tau_rate_, direction_, velocity_;
  /// exp(-(v / w)²) sign(v), and its slope by w.
  Vector bump_ = Vector::Zero(layout_.nv), bump_by_velocity_ = bump_;
  Kinematics<double> at_;
  RegressorWorkspace<double> ws_;
  RowMatX<double> Y_;
};

class Shooting {
 public:
  Shooting(const TorqueModel& model, const ShootingNumbers& layout);

  void set(const Vector& numbers);
  /// How many substeps of so many seconds the friction of the numbers needs, in a few of the states.
  int substeps(const Piece& piece, double seconds);
  /// From a state (q, v) and a torque that pushes all along the window, as one vector; with slopes or
  /// without. False if the motion runs away.
  bool operator()(const Window& window, const Vector& state, bool with_slopes);

  std::vector<Vector> states;  ///< (q, v), steps + 1
  std::vector<Matrix> slopes;  ///< of each by (q, v, push, numbers)

 private:
  const TorqueModel& model_;
  ShootingNumbers layout_;
  Plant<double> plant_;
  MeasuredDrive drive_;
  StepSensitivities step_;
  Vector viscous_;
};

/// Throws std::invalid_argument if refine() cannot work with these.
void require_refinable(const TorqueModel& model, const Estimate& start, const Prepared& prepared,
                       const RefineOptions& options);

}  // namespace ulna::identify
