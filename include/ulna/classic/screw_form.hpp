#pragma once

#include "ulna/classic/arm.hpp"

namespace ulna::classic {

/// Twists and wrenches with a frame {i} at the centre of mass of each link (000): screw axes A_i,
/// homes M_{i,i-1} and spatial inertias G_i, all constant.
template <Scalar T>
struct ScrewLink {
  int parent = 0;
  bool slides = false;
  Twist<T> A;      ///< screw axis of joint i in {i}
  Transform<T> M;  ///< M_{i,p}: the parent's frame in {i} at home
  Mat6<T> G;       ///< [I_i, 0; 0, m 1]

  /// T_{i,p} = e^{-[A_i] q} M_{i,p}
  Transform<T> pose(const T& q) const;
};

/// e^{[A]θ} of a unit screw axis without pitch: a turn about a line, or a slide. Closed, so that no
/// series has to be cut off and symbols may be used.
template <Scalar T>
Transform<T> screw_motion(const Twist<T>& A, bool slides, const T& angle);

/// The recursive Newton-Euler algorithm in screw form (000; 001, Alg. 1).
template <Scalar T>
class ScrewForm {
 public:
  /// Frame {n+1} lies at X_tip in the last link's frame.
  explicit ScrewForm(const Arm<T>& arm, const Transform<T>& X_tip = {});
  int joint_count() const { return static_cast<int>(links_.size()) - 1; }
  const ScrewLink<T>& link(int i) const { return links_[i]; }
  const Transform<T>& tip() const { return T_tip_; }  ///< T_{n+1,n}
  Vec3<T> gravity;
  void set_gravity(const Vec3<T>& g) { gravity = g; }
  void require_size(const char* what, Eigen::Index given) const {
    if (given != joint_count()) detail::refuse_size(what, given, joint_count());
  }

  /// F_tip is what the tip exerts on the surroundings, in {n+1}.
  VecX<T> inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a,
                           const Wrench<T>& F_tip = {}) const;

 private:
  std::vector<ScrewLink<T>> links_;
  Transform<T> T_tip_;
};

/// The same for all links at once, in closed form (000): with stacked twists,
///
///   𝒱 = 𝒲𝒱 + 𝒜q̇,   ℒ = (1 - 𝒲)^-1 = 1 + 𝒲 + ... + 𝒲^{n-1}, since 𝒲^n = 0
///   M = 𝒜'ℒ'𝒢ℒ𝒜,   c = -𝒜'ℒ'(𝒢ℒ[ad_𝒜q̇]𝒲 + [ad_𝒱]'𝒢)ℒ𝒜q̇,   g = 𝒜'ℒ'𝒢ℒ𝒱̇_base
///
/// In a tree 𝒲 has its blocks at (i, parent of i), and nothing else changes.
template <Scalar T>
class StackedScrewForm {
 public:
  explicit StackedScrewForm(const Arm<T>& arm, const Transform<T>& X_tip = {}) : arm_(arm, X_tip) {}
  const ScrewForm<T>& links() const { return arm_; }

  MatX<T> A() const;                  ///< 𝒜, 6n x n, constant
  MatX<T> G() const;                  ///< 𝒢, 6n x 6n, constant
  MatX<T> W(const VecX<T>& q) const;  ///< 𝒲, 6n x 6n, strictly lower triangular
  MatX<T> L(const VecX<T>& q) const;  ///< ℒ, 6n x 6n, block by block from the base outward

  MatX<T> mass_matrix(const VecX<T>& q) const;
  VecX<T> velocity_torque(const VecX<T>& q, const VecX<T>& v) const;  ///< c(q, q̇)
  VecX<T> gravity(const VecX<T>& q) const;
  VecX<T> tip_torque(const VecX<T>& q, const Wrench<T>& F_tip) const;  ///< 𝒜'ℒ'𝓕_tip
  VecX<T> bias(const VecX<T>& q, const VecX<T>& v) const;
  VecX<T> inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) const;

 private:
  struct At;  ///< 𝒲, ℒ and ℒ𝒜 at one q
  At at(const VecX<T>& q) const;
  VecX<T> velocity_torque(const At& here, const VecX<T>& v) const;
  VecX<T> gravity(const At& here, const VecX<T>& q) const;

  ScrewForm<T> arm_;
};

}  // namespace ulna::classic
