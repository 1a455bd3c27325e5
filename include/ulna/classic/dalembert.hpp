#pragma once

#include "ulna/classic/chain.hpp"

namespace ulna::classic {

/// The generalised d'Alembert equations (Fu 1987, sec. 3.4), in which the parts that come of the links'
/// translation and of their rotation stand apart:
///
///   (D^tran + D^rot) q̈ + h^tran + h^rot + c = τ
///
/// Fu 1987 has rotary joints only. A sliding joint moves the centres of mass beyond it along z_{i-1}, turns
/// nothing, and adds the acceleration 2ω x z q̇ to all that is beyond it.
template <Scalar T>
class DAlembert : public ClosedForm<T, DAlembert<T>, Chain<T>> {
 public:
  using ClosedForm<T, DAlembert<T>, Chain<T>>::ClosedForm;

  /// The terms of the equations at one q.
  class At {
   public:
    At(const DAlembert& arm, const VecX<T>& q)
        : chain_(arm.links()), n_(chain_.joint_count()), frames_(chain_, q), com_(frames_.p) {
      const Vec3<T> zero = Vec3<T>::Zero();
      velocity_.assign(n_ + 1, std::vector<Vec3<T>>(n_ + 1, zero));
      turning_ = velocity_;
      std::vector<Vec3<T>> from(n_ + 1, zero);  // p_{s-1} - p_{i-1}, then r̄_s - p_{i-1}
      for (int s = 1; s <= n_; ++s) {
        const Vec3<T>& p = frames_.p[s];
        const Rotation<T>& R = frames_.A[s].rotation();
        com_[s] += frames_.s[s];
        for (int i = 1; i <= s; ++i) {
          const Vec3<T>& z = frames_.z[i - 1];
          const Vec3<T> arm_of = i == s ? com_[s] : Vec3<T>(from[i] + com_[s]);
          from[i] = i == s ? p : Vec3<T>(from[i] + p);
          velocity_[s][i] = slides(i) ? z : cross(z, arm_of);
          if (slides(i)) continue;
          // z_{s-1} is the third row of ˢ⁻¹R_s; the others come from the link before
          turning_[s][i] =
              i == s ? Vec3<T>(R.matrix().row(2).transpose()) : R.inverse_apply(turning_[s - 1][i]);
        }
      }
    }

    /// eq. 3.4-25, second sum
    MatX<T> D_tran() const {
      MatX<T> D = MatX<T>::Zero(n_, n_);
      for (int s = 1; s <= n_; ++s)
        for (int j = 1; j <= s; ++j) {
          const Vec3<T> momentum = chain_.link(s).mass * velocity_[s][j];
          for (int i = 1; i <= j; ++i) D(i - 1, j - 1) += velocity_[s][i].dot(momentum);
        }
      detail::make_symmetric(D);
      return D;
    }
    /// eq. 3.4-25, first sum
    MatX<T> D_rot() const {
      MatX<T> D = MatX<T>::Zero(n_, n_);
      for (int s = 1; s <= n_; ++s)
        for (int j = 1; j <= s; ++j) {
          if (slides(j)) continue;
          const Vec3<T> momentum = chain_.link(s).I * turning_[s][j];
          for (int i = 1; i <= j; ++i)
            if (!slides(i)) D(i - 1, j - 1) += turning_[s][i].dot(momentum);
        }
      detail::make_symmetric(D);
      return D;
    }
    /// eq. 3.4-26
    VecX<T> h_tran(const VecX<T>& v) const {
      require_size("v", v.size(), n_);
      VecX<T> h = VecX<T>::Zero(n_);
      Vec3<T> w = Vec3<T>::Zero();  // ω_s = Σ q̇_j z_{j-1}
      Vec3<T> turn = Vec3<T>::Zero();  // Σ_p (Σ_{q<p} q̇_q z_{q-1}) x q̇_p z_{p-1}: how the axes turn
      Vec3<T> below = Vec3<T>::Zero();  // the acceleration of frame s-1, of velocities alone
      for (int s = 1; s <= n_; ++s) {
        const Vec3<T> zv = frames_.z[s - 1] * v(s - 1);
        if (slides(s)) {
          below += T(2) * cross(w, zv);
        } else {
          turn += cross(w, zv);
          w += zv;
        }
        const auto carried = [&](const Vec3<T>& r) {
          return Vec3<T>(cross(w, cross(w, r)) + cross(turn, r));
        };
        const Vec3<T> force = chain_.link(s).mass * Vec3<T>(below + carried(com_[s]));
        for (int i = 1; i <= s; ++i) h(i - 1) += velocity_[s][i].dot(force);
        below += carried(frames_.p[s]);
      }
      return h;
    }
    /// eq. 3.4-27
    VecX<T> h_rot(const VecX<T>& v) const {
      require_size("v", v.size(), n_);
      VecX<T> h = VecX<T>::Zero(n_);
      for (int s = 1; s <= n_; ++s) {
        const Mat3<T>& I = chain_.link(s).I;
        // in link s's axes: ω_s, and Σ_j q̇_j z_{j-1} x (Σ_{k>j} q̇_k z_{k-1}), both from the tip inward
        Vec3<T> w = Vec3<T>::Zero(), turn = Vec3<T>::Zero();
        for (int j = s; j >= 1; --j) {
          if (slides(j)) continue;
          const Vec3<T> zv = turning_[s][j] * v(j - 1);
          turn += cross(zv, w);
          w += zv;
        }
        // [z x ω]'I ω = z'(ω x I ω)
        const Vec3<T> moment = I * turn + cross(w, Vec3<T>(I * w));
        for (int i = 1; i <= s; ++i)
          if (!slides(i)) h(i - 1) += turning_[s][i].dot(moment);
      }
      return h;
    }
    /// eq. 3.4-28
    VecX<T> c() const {
      VecX<T> c = VecX<T>::Zero(n_);
      for (int s = 1; s <= n_; ++s) {
        const Vec3<T> weight = chain_.link(s).mass * chain_.gravity;
        for (int i = 1; i <= s; ++i) c(i - 1) -= velocity_[s][i].dot(weight);
      }
      return c;
    }
    MatX<T> D() const { return D_tran() + D_rot(); }
    VecX<T> h(const VecX<T>& v) const { return h_tran(v) + h_rot(v); }

    /// ∂v_s/∂q̇_i, the velocity of link s's centre of mass per unit of joint i (eq. 3.4-7).
    const Vec3<T>& velocity(int s, int i) const { return velocity_[s][i]; }
    /// ˢR_0 z_{i-1}, its angular velocity in its own axes; zero if joint i slides.
    const Vec3<T>& turning(int s, int i) const { return turning_[s][i]; }

   private:
    bool slides(int i) const { return chain_.link(i).slides; }

    const Chain<T>& chain_;
    int n_;
    detail::ChainFrames<T> frames_;
    std::vector<Vec3<T>> com_;  ///< c̄_s from frame s-1, in base axes
    std::vector<std::vector<Vec3<T>>> velocity_, turning_;
  };
  /// h in four parts, by what moves (translation, rotation) and by whose velocities: of one joint
  /// alone (centrifugal), or of two at once (Coriolis).
  struct VelocityTerms {
    VecX<T> tran_centrifugal, tran_coriolis, rot_centrifugal, rot_coriolis;
  };
  VelocityTerms velocity_terms(const VecX<T>& q, const VecX<T>& v) const {
    const At here = this->at(q, v);
    VelocityTerms terms;
    terms.tran_centrifugal = terms.rot_centrifugal = VecX<T>::Zero(v.size());
    // h is quadratic in q̇: the squares are the terms of each velocity alone
    for (int k = 0; k < v.size(); ++k) {
      VecX<T> alone = VecX<T>::Zero(v.size());
      alone(k) = v(k);
      terms.tran_centrifugal += here.h_tran(alone);
      terms.rot_centrifugal += here.h_rot(alone);
    }
    terms.tran_coriolis = here.h_tran(v) - terms.tran_centrifugal;
    terms.rot_coriolis = here.h_rot(v) - terms.rot_centrifugal;
    return terms;
  }
};

}  // namespace ulna::classic
