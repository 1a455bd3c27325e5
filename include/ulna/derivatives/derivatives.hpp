#pragma once

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"

/// Exact first derivatives of the dynamics, in one pass over the tree each.
///
/// Derivatives by q are taken along the tangent space: column k is the change per unit displacement
/// v_k of integrate(q, v), which for hinges and slides is plain d/dq_k.
namespace ulna {

/// d tau / d(q, v, a) of inverse dynamics, tau itself included. Made once, it allocates no more:
///
///     InverseDynamicsDerivatives<double> slope(model);
///     slope(plant, q, v, a);      // then read slope.tau, .dq, .dv and .da, which is the mass matrix
///
/// Friction counts with its slope: viscous friction in dv, dry friction not at all, as it has none.
///
/// In world axes [Carpentier, Mansard 2018; Singh, Russell, Wensing 2022]. What is ours: a body's
/// Coriolis matrix is written by the moments of momentum, N = ∫ (dr/dt) r' dm: three of its six columns
/// are zero, and the others are twelve numbers.
template <Scalar T>
class InverseDynamicsDerivatives {
 public:
  explicit InverseDynamicsDerivatives(const Model& model);

  void operator()(const Plant<T>& plant, In<T> q, In<T> v, In<T> a,
                  ExternalWrenches<T> wrenches = {});

  VecX<T> tau;
  MatX<T> dq, dv, da;

 private:
  template <Scalar U>
  friend class ForwardDynamicsDerivatives;
  template <Scalar U>
  friend class InverseDynamicsSecondDerivatives;

  /// A body, then with all that hangs on it, in world axes at the state's `origin`.
  struct Body {
    lanes::V6<T> A;  ///< spatial acceleration, against gravity
    lanes::V6<T> F;  ///< the wrench it needs
    T mass;
    lanes::V3<T> first;
    lanes::S3<T> second;
    lanes::M3<T> B;  ///< 2 (tr N 1 - N): with it, a twist's angular part w makes the moment B w
    lanes::V3<T> p;  ///< twice the momentum: and the force w x p
  };
  /// What a direction S of the state adds: rates of S as its parent and as its body carries it.
  struct Rates {
    lanes::V6<T> first;   ///< V_parent x S
    lanes::V6<T> second;  ///< A_parent x S + V_parent x (V_parent x S)
    lanes::V6<T> both;    ///< V_parent x S + V_body x S
  };

  void set_state(In<T> q, In<T> v);
  // of one body, parents first
  void set_inertia(const Plant<T>& plant, int body);
  void accelerate(int body, int parent, const T* a);
  void set_rates(int body, int parent);
  /// Inertias, accelerations and wrenches without a, and the torques tau they need.
  void set_bias(const Plant<T>& plant, ExternalWrenches<T> wrenches);
  /// From the inertias, into da as a scratch. False if it is not positive definite.
  bool factor_mass_matrix(const Plant<T>& plant, MassFactor<T>& factor);
  /// tau of all but the bodies themselves.
  void set_torque(const Plant<T>& plant, const T* a, ExternalWrenches<T> wrenches);
  /// tau and the derivatives, from all that.
  void differentiate(const Plant<T>& plant, const T* a, ExternalWrenches<T> wrenches);
  /// By one direction, whose joint has directions from `first` on.
  [[gnu::noinline]] void differentiate(int direction, int first);
  void differentiate(const ExternalWrench<T>& wrench);

  State<T> state_;
  Workspace<T> ws_;
  std::vector<Body> bodies_;
  std::vector<Rates> rates_;
};

/// d a / d(q, v, tau) of forward dynamics, a itself included; d a / d tau is the inverse of the mass
/// matrix. From those of inverse dynamics: da = M^-1 (d tau - dID).
template <Scalar T>
class ForwardDynamicsDerivatives {
 public:
  explicit ForwardDynamicsDerivatives(const Model& model);

  /// False, and nothing changed, if the mass matrix is not positive definite.
  [[nodiscard]] bool operator()(const Plant<T>& plant, In<T> q, In<T> v, In<T> tau,
                                ExternalWrenches<T> wrenches = {});

  VecX<T> a;
  MatX<T> dq, dv, dtau;

 private:
  InverseDynamicsDerivatives<T> inverse_;
  MassFactor<T> factor_;
  MatX<T> padded_;  ///< a column of dq and of dv, with room for whole SIMD registers
};

}  // namespace ulna
