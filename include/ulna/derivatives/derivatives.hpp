#pragma once

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/mass_factor.hpp"

/// Exact first derivatives of the dynamics, in one pass over the tree each.
///
/// Derivatives by q are taken along the tangent space: column k is the change per unit displacement
/// v_k of integrate(q, v), which for hinges and slides is plain d/dq_k.
namespace ulna {

/// d tau / d(q, v, a) of inverse dynamics, and tau itself; da is the mass matrix.
template <Scalar T>
struct InverseDynamicsDerivatives {
  explicit InverseDynamicsDerivatives(const Model& model)
      : tau(VecX<T>::Zero(model.nv())), dq(MatX<T>::Zero(model.nv(), model.nv())), dv(dq), da(dq) {}

  VecX<T> tau;
  MatX<T> dq, dv, da;
};

/// d a / d(q, v, tau) of forward dynamics, and a itself; dtau is the inverse of the mass matrix.
template <Scalar T>
struct ForwardDynamicsDerivatives {
  explicit ForwardDynamicsDerivatives(const Model& model)
      : a(VecX<T>::Zero(model.nv())),
        dq(MatX<T>::Zero(model.nv(), model.nv())),
        dv(dq),
        dtau(dq),
        inverse(model) {}

  VecX<T> a;
  MatX<T> dq, dv, dtau;
  InverseDynamicsDerivatives<T> inverse;  ///< those of inverse dynamics at the same motion
};

namespace detail {

/// Numbers of directions in blocks: each number of four directions side by side, for products with four at
/// a time. Only where four numbers make a register.
template <class T>
struct RateBlocks {
  explicit RateBlocks(int) {}
};

template <lanes::Plain T>
struct RateBlocks<T> {
  static constexpr int S = 0, both = 6, second = 12, first_angular = 18, count = 21;
  explicit RateBlocks(int directions) : data(VecX<T>::Zero((directions + 3) / 4 * 4 * count)) {}
  const T* block(int b) const { return data.data() + 4 * count * b; }
  VecX<T> data;
};

}  // namespace detail

/// Scratch for derivatives, as Workspace is for dynamics.
template <Scalar T>
class DerivativeWorkspace {
 public:
  explicit DerivativeWorkspace(const Model& model);

  /// A body, then with all that hangs on it, in world axes at the motion's `origin`.
  struct Body {
    lanes::V6<T> A;  ///< spatial acceleration, against gravity
    lanes::V6<T> F;  ///< the wrench it needs
    T mass;
    lanes::V3<T> first;
    lanes::S3<T> second;
    lanes::M3<T> B;  ///< 2 (tr N 1 - N): with it, a twist's angular part w makes the moment B w
    lanes::V3<T> p;  ///< twice the momentum: and the force w x p
  };
  /// Rates of a direction S as its parent and as its body carries it.
  struct Rates {
    lanes::V6<T> first;   ///< V_parent x S
    lanes::V6<T> second;  ///< A_parent x S + V_parent x (V_parent x S)
    lanes::V6<T> both;    ///< V_parent x S + V_body x S
  };

  std::vector<Body> bodies;
  std::vector<Rates> rates;      ///< of all directions
  detail::RateBlocks<T> blocks;  ///< the same, and the directions
  std::array<MatX<T>, 3>
      tree;  ///< dq, dv and da of directions, where a coordinate may have several
  Workspace<T> dynamics;
  /// Right-hand sides of forward dynamics, a column for each coordinate: M^-1 by the factor of M, or those
  /// that articulated bodies solve for.
  MatX<T> columns;
  MatX<T> articulated;  ///< empty unless they do: their forces and accelerations, and zeros
  /// For each coordinate k, in order, those that carry it, itself and those that it carries: they begin at
  /// related_begin[2 k], it stands at related_begin[2 k + 1].
  std::vector<int> related, related_begin;
  std::vector<int>
      series;  ///< where runs of coordinates begin that are related to the same, and nv
};

/// The derivatives of inverse_dynamics(plant, at, ws, tau).
///
///     at.set(q, v, a);
///     inverse_dynamics_derivatives(plant, at, ws, out);      // out.tau, .dq, .dv and .da
///
/// Friction counts with its slope: viscous friction in dv, dry friction not at all, as it has none.
///
/// In world axes [Carpentier, Mansard 2018; Singh, Russell, Wensing 2022]. What is ours: a body's
/// Coriolis matrix is written by the moments of momentum, N = ∫ (dr/dt) r' dm: three of its six columns
/// are zero, and the others are twelve numbers.
template <Scalar T>
void inverse_dynamics_derivatives(const Plant<T>& plant, const Kinematics<T>& at,
                                  DerivativeWorkspace<T>& ws, InverseDynamicsDerivatives<T>& out,
                                  ExternalWrenches<T> wrenches = {});

/// The derivatives of forward_dynamics(plant, at, tau, ws, a), from those of inverse dynamics:
/// da = M^-1 (d tau - dID). False, and nothing of use in out, if the mass matrix is not positive
/// definite.
template <Scalar T>
[[nodiscard]] bool forward_dynamics_derivatives(const Plant<T>& plant, const Kinematics<T>& at,
                                                In<T> tau, DerivativeWorkspace<T>& ws,
                                                ForwardDynamicsDerivatives<T>& out,
                                                ExternalWrenches<T> wrenches = {});

}  // namespace ulna
