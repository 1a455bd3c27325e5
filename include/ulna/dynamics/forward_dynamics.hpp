#pragma once

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"

namespace ulna {

/// a with inverse_dynamics(q, v, a) = tau: how the robot accelerates under its torques, gravity,
/// friction and the wrenches. False, and a untouched, if a joint moves nothing that has inertia.
///
/// By articulated bodies [Featherstone 1983; 2008, ch. 7], O(n). Robots with mimicking joints are no
/// trees to it: for them, ForwardDynamics goes by the mass matrix.
template <Scalar T>
[[nodiscard]] bool articulated_body_dynamics(const Plant<T>& plant, const State<T>& state,
                                             In<T> tau, Workspace<T>& ws, Out<T> a,
                                             ExternalWrenches<T> wrenches = {});

/// The same by M^-1 (tau - bias).
template <Scalar T>
[[nodiscard]] bool mass_matrix_dynamics(const Plant<T>& plant, const Configuration<T>& at, In<T> v,
                                        In<T> tau, MassFactor<T>& factor, Workspace<T>& ws,
                                        Out<T> a, ExternalWrenches<T> wrenches = {});

/// The change of velocity that an impulse at a frame causes, M^-1 J'F, with the mass matrix factored.
template <Scalar T>
void impulse_response(const MassFactor<T>& factor, const Configuration<T>& at,
                      const ExternalWrench<T>& impulse, Out<T> change);

/// Forward dynamics for every robot: by articulated bodies, or with the mass matrix where joints mimic
/// others. Made once, it allocates no more.
template <Scalar T>
class ForwardDynamics {
 public:
  explicit ForwardDynamics(const Model& model);

  [[nodiscard]] bool operator()(const Plant<T>& plant, In<T> q, In<T> v, In<T> tau, Out<T> a,
                                ExternalWrenches<T> wrenches = {});

 private:
  State<T> state_;
  Workspace<T> ws_;
  std::optional<MassFactor<T>> factor_;  ///< only where joints mimic others
};

}  // namespace ulna
