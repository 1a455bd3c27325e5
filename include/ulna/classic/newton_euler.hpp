#pragma once

#include "ulna/classic/chain.hpp"

namespace ulna::classic {

/// What the hand exerts on what it holds, f_{n+1} and n_{n+1} of 002, at the origin of frame n and in
/// its axes; and whether the joints' viscous damping counts (eq. 3.3-45).
template <Scalar T>
struct Load {
  Wrench<T> hand;
  bool damping = false;
};

/// The recursive Newton-Euler equations with all vectors in base coordinates (002, Table 3.2, with the
/// sign of gravity and the Coriolis term of sliding joints that it lacks in print). The inertia of each
/// link changes with its orientation.
template <Scalar T>
class NewtonEulerBase {
 public:
  explicit NewtonEulerBase(Chain<T> chain) : chain_(std::move(chain)) {}
  const Chain<T>& chain() const { return chain_; }
  void set_gravity(const Vec3<T>& gravity) { chain_.gravity = gravity; }
  void require_size(const char* what, Eigen::Index given) const {
    chain_.require_size(what, given);
  }

  VecX<T> inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a,
                           const Load<T>& load = {}) const;

 private:
  Chain<T> chain_;
};

/// The same with each link's vectors in its own coordinates, where its inertia and its centre of mass
/// stand still [Luh, Walker, Paul 1980] (002, Table 3.3 and Alg. 3.1). 004, sec. 2 is this recursion
/// with the frames at the near ends of the links.
template <Scalar T>
class NewtonEulerLink {
 public:
  explicit NewtonEulerLink(Chain<T> chain) : chain_(std::move(chain)) {}
  const Chain<T>& chain() const { return chain_; }
  void set_gravity(const Vec3<T>& gravity) { chain_.gravity = gravity; }
  void require_size(const char* what, Eigen::Index given) const {
    chain_.require_size(what, given);
  }

  VecX<T> inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a,
                           const Load<T>& load = {}) const;

 private:
  Chain<T> chain_;
};

}  // namespace ulna::classic
