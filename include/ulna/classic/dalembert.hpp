#pragma once

#include "ulna/classic/chain.hpp"

namespace ulna::classic {

/// The generalised d'Alembert equations (002, sec. 3.4), in which what comes of the links' translation
/// and what of their rotation stands apart:
///
///   (D^tran + D^rot) q̈ + h^tran + h^rot + c = τ
///
/// 002 has rotary joints only. A sliding joint moves the centres of mass beyond it along z_{i-1}, turns
/// nothing, and adds the acceleration 2ω x z q̇ to all that is beyond it.
template <Scalar T>
class DAlembert {
 public:
  explicit DAlembert(Chain<T> chain) : chain_(std::move(chain)) {}
  const Chain<T>& chain() const { return chain_; }

  /// Where the links are, and what each joint does to each of them: q alone.
  class At {
   public:
    At(const DAlembert& arm, const VecX<T>& q);

    MatX<T> D_tran() const;                  ///< eq. 3.4-25, second sum
    MatX<T> D_rot() const;                   ///< eq. 3.4-25, first sum
    VecX<T> h_tran(const VecX<T>& v) const;  ///< eq. 3.4-26
    VecX<T> h_rot(const VecX<T>& v) const;   ///< eq. 3.4-27
    VecX<T> c() const;                       ///< eq. 3.4-28

    /// ∂v_s/∂q̇_i, the velocity of link s's centre of mass per unit of joint i (eq. 3.4-7).
    const Vec3<T>& velocity(int s, int i) const { return velocity_[s][i]; }
    /// ˢR_0 z_{i-1}, its angular velocity in its own axes; nothing if joint i slides.
    const Vec3<T>& turning(int s, int i) const { return turning_[s][i]; }

   private:
    const DAlembert& arm_;
    std::vector<Vec3<T>> z_, p_, com_;  ///< z_i, p_i*, and c̄_s from frame s-1, in base axes
    std::vector<std::vector<Vec3<T>>> velocity_, turning_;
  };
  /// It looks back at this object, which must stay.
  At at(const VecX<T>& q) const& { return At(*this, q); }
  At at(const VecX<T>& q) const&& = delete;

  /// h in four parts, by what moves (translation, rotation) and by whose velocities: of one joint
  /// alone (centrifugal), or of two at once (Coriolis).
  struct VelocityTerms {
    VecX<T> tran_centrifugal, tran_coriolis, rot_centrifugal, rot_coriolis;
  };
  VelocityTerms velocity_terms(const VecX<T>& q, const VecX<T>& v) const;

  MatX<T> mass_matrix(const VecX<T>& q) const;
  VecX<T> gravity(const VecX<T>& q) const { return at(q).c(); }
  VecX<T> bias(const VecX<T>& q, const VecX<T>& v) const;
  VecX<T> inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) const;

 private:
  Chain<T> chain_;
};

}  // namespace ulna::classic
