#pragma once

#include "ulna/derivatives/derivatives.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"

/// Steps of a robot's motion in time, and their exact derivatives.
namespace ulna {

/// Explicit methods of a fixed step h. On joints that turn freely they integrate the displacement
/// from where the step began, so that they keep their order [Munthe-Kaas 1998].
enum class Integrator {
  euler,                ///< order 1
  semi_implicit_euler,  ///< order 1: q goes by the new v, and energy hardly drifts
  midpoint,             ///< order 2
  rk4,                  ///< order 4
};

/// A step of forward dynamics under constant torques. Made once, it allocates no more:
///
///     Step<double> step(model, Integrator::rk4);
///     if (step(plant, q, v, tau, 0.001)) q = step.q_next, v = step.v_next;
template <Scalar T>
class Step {
 public:
  Step(const Model& model, Integrator integrator);

  /// False, and nothing changed, if the mass matrix is not positive definite or the motion leaves the
  /// finite numbers.
  [[nodiscard]] bool operator()(const Plant<T>& plant, In<T> q, In<T> v, In<T> tau, double h,
                                ExternalWrenches<T> wrenches = {});

  VecX<T> q_next, v_next;

 private:
  friend class StepDerivatives;
  /// The step, where accelerate(stage, a) yields the acceleration at (q_, v_), which is x_ away from q.
  template <class Accelerate>
  bool take(const Model& model, In<T> q, In<T> v, double h, Accelerate accelerate);

  Integrator integrator_;
  ForwardDynamics<T> dynamics_;
  VecX<T> x_, q_, v_, a_;         ///< of the stage
  VecX<T> rate_, x_sum_, v_sum_;  ///< dx/dt, and what the step adds up to
};

/// How the end of a step changes with its beginning and with the torques: the discrete A and B,
///
///     (δq_next, δv_next) = A (δq, δv) + B δtau,
///
/// displacements being taken along the tangent spaces. Friction counts with its slope.
class StepDerivatives {
 public:
  StepDerivatives(const Model& model, Integrator integrator);

  /// As of Step.
  [[nodiscard]] bool operator()(const Plant<double>& plant, In<double> q, In<double> v,
                                In<double> tau, double h, ExternalWrenches<double> wrenches = {});

  Step<double> step;     ///< with q_next and v_next
  Eigen::MatrixXd A, B;  ///< 2 nv x 2 nv, 2 nv x nv

 private:
  using Matrix = Eigen::MatrixXd;

  void differentiate_stage(const Model& model, In<double> q, int stage, double h);
  void displace(const Model& model, In<double> q, In<double> x, const Matrix& dx, Matrix& dq);
  void turn_rates(const Model& model);

  ForwardDynamicsDerivatives<double> dynamics_;
  // by (q, v, tau) of the beginning, of the stage:
  Matrix dx_, dq_, dv_, da_, drate_;
  Matrix dx_sum_, dv_sum_;
};

}  // namespace ulna
