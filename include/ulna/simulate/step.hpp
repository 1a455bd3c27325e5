#pragma once

#include "ulna/derivatives/derivatives.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"

/// Steps of a robot's motion in time, and their exact derivatives.
namespace ulna {

namespace detail {
class Flow;
class PackStepKernel;
}  // namespace detail

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

  /// False, and nothing changed, if M is not positive definite or a number not finite.
  [[nodiscard]] bool operator()(const Plant<T>& plant, In<T> q, In<T> v, In<T> tau, double h,
                                ExternalWrenches<T> wrenches = {});

  VecX<T> q_next, v_next;

 private:
  friend class StepDerivatives;
  friend class StepSensitivities;
  friend class StepSlopes;
  friend class detail::Flow;
  friend class detail::PackStepKernel;
  /// The step, where accelerate(stage, a) computes the acceleration at (q_, v_), which is x_ away from q.
  template <class Accelerate>
  bool take(const Model& model, In<T> q, In<T> v, const T& h, Accelerate accelerate);
  /// Writes q_, x away from q.
  void displace(const Model& model, In<T> q, const VecX<T>& x);

  /// a at (q_, v_) under tau.
  bool accelerate(const Plant<T>& plant, In<T> tau, VecX<T>& a, ExternalWrenches<T> wrenches = {});

  Integrator integrator_;
  bool flat_;
  Kinematics<T> at_;
  Workspace<T> ws_;
  VecX<T> x_ = v_next, q_ = q_next, v_ = v_next, a_ = v_next;  ///< of the stage
  VecX<T> rate_ = v_next, x_sum_ = v_next,
          v_sum_ = v_next;  ///< dx/dt, and what the step adds up to
};

/// How the end of a step changes with its beginning and with inputs that accelerations depend on:
///
///     (δq_next, δv_next) = A (δq, δv) + B δinputs,
///
/// displacements being taken along the tangent spaces. If the duration is to count too, B has one more column, of
/// how the end changes with it. Made once, it allocates no more.
class StepSlopes {
 public:
  using Matrix = Eigen::MatrixXd;

  Step<double> step;  ///< with q_next and v_next
  Matrix A, B;        ///< 2 nv x 2 nv, 2 nv x inputs or one more

  /// How q ⊞ x is displaced, dq, when x changes by dx and q by the first nv columns.
  static void displace(const Model& model, In<double> q, In<double> x, const Matrix& dx,
                       Matrix& dq);

 protected:
  StepSlopes(const Model& model, Integrator integrator, int inputs, bool by_duration);
  /// The step, where differentiate(stage) computes dynamics_ at the stage, and in `da_dinputs` how its acceleration
  /// by itself changes with the inputs.
  template <class Differentiate>
  bool take(const Model& model, In<double> q, In<double> v, double h, const Matrix& da_dinputs,
            Differentiate differentiate);

  DerivativeWorkspace<double> ws_;
  ForwardDynamicsDerivatives<double> dynamics_;

 private:
  void add_stage(const Model& model, In<double> q, int stage, double h, const Matrix& da_dinputs);
  void turn_rates(const Model& model);
  void end(const Model& model, In<double> q, double h);

  bool by_duration_;
  Eigen::VectorXd v_;  ///< of the beginning
  // by (q, v, inputs) of the beginning, of the stage:
  Matrix dx_, dq_ = dx_, dv_ = dx_, da_ = dx_, drate_ = dx_, dx_sum_ = dx_, dv_sum_ = dx_;
};

/// The inputs are the torques: the discrete A and B. Friction counts with its slope.
class StepDerivatives : public StepSlopes {
 public:
  StepDerivatives(const Model& model, Integrator integrator, bool by_duration = false)
      : StepSlopes(model, integrator, model.nv(), by_duration) {}

  /// As of Step.
  [[nodiscard]] bool operator()(const Plant<double>& plant, In<double> q, In<double> v,
                                In<double> tau, double h, ExternalWrenches<double> wrenches = {});
};

/// What acts on the joints during a step where that is no constant torque: it changes with time and
/// velocity, and with numbers that one is after, as the accelerations may do otherwise too.
class Drive {
 public:
  virtual ~Drive() = default;
  /// The torque (nv) when a share of the step, 0 to 1, is over, and its slope by v, joint by joint.
  virtual void torque(double share, In<double> q, In<double> v, Out<double> tau,
                      Out<double> tau_by_v) = 0;
  /// How it changes with q (nv x nv). False: not at all.
  virtual bool torque_by_q(In<double> /*q*/, OutMatrix<double> /*slope*/) { return false; }
  /// How the torque minus that of inverse dynamics changes with the numbers (nv x numbers): of
  /// inertial parameters, minus their regressor.
  virtual void surplus_by_numbers(double share, In<double> q, In<double> v, In<double> a,
                                  OutMatrix<double> D) = 0;
};

/// The inputs are the numbers of a Drive: accelerations change with them by M^-1 D.
class StepSensitivities : public StepSlopes {
 public:
  StepSensitivities(const Model& model, Integrator integrator, int numbers,
                    bool by_duration = false);

  /// As of Step. Without `slopes`, A and B stay as they were.
  [[nodiscard]] bool operator()(const Plant<double>& plant, In<double> q, In<double> v,
                                Drive& drive, double h, bool slopes = true);

 private:
  Eigen::VectorXd tau_, tau_by_v_ = tau_;
  Matrix D_, da_dnumbers_ = D_, tau_by_q_;
};

}  // namespace ulna
