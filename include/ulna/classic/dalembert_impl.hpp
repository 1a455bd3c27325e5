#pragma once

#include "ulna/classic/chain_impl.hpp"
#include "ulna/classic/dalembert.hpp"

namespace ulna::classic {

template <Scalar T>
DAlembert<T>::At::At(const DAlembert& arm, const VecX<T>& q) : arm_(arm) {
  const Chain<T>& chain = arm.chain();
  chain.require_size("q", q.size());
  const int n = chain.joint_count();
  const Vec3<T> zero = Vec3<T>::Zero();
  z_.assign(n + 1, Vec3<T>(T(0), T(0), T(1)));
  p_.assign(n + 1, zero);
  com_.assign(n + 1, zero);
  velocity_.assign(n + 1, std::vector<Vec3<T>>(n + 1, zero));
  turning_ = velocity_;

  Rotation<T> R;                           // ⁰R_{s-1}, then ⁰R_s
  std::vector<Vec3<T>> from(n + 1, zero);  // p_{s-1} - p_{i-1}, then r̄_s - p_{i-1}
  for (int s = 1; s <= n; ++s) {
    const ChainLink<T>& link = chain.link(s);
    const Transform<T> A = link.A(q(s - 1));
    p_[s] = s == 1 ? A.translation() : R * A.translation();
    R = s == 1 ? A.rotation() : R * A.rotation();
    z_[s] = R.matrix().col(2);
    com_[s] = p_[s] + R * link.s;

    for (int i = 1; i <= s; ++i) {
      const bool slides = chain.link(i).slides;
      const Vec3<T> arm_of = i == s ? com_[s] : Vec3<T>(from[i] + com_[s]);
      from[i] = i == s ? p_[s] : Vec3<T>(from[i] + p_[s]);
      velocity_[s][i] = slides ? z_[i - 1] : cross(z_[i - 1], arm_of);
      if (slides) continue;
      // z_{s-1} is the third row of ˢ⁻¹R_s; the others come from the link before
      turning_[s][i] = i == s ? Vec3<T>(A.rotation().matrix().row(2).transpose())
                              : A.rotation().inverse_apply(turning_[s - 1][i]);
    }
  }
}

template <Scalar T>
MatX<T> DAlembert<T>::At::D_tran() const {
  const Chain<T>& chain = arm_.chain();
  const int n = chain.joint_count();
  MatX<T> D = MatX<T>::Zero(n, n);
  for (int s = 1; s <= n; ++s)
    for (int j = 1; j <= s; ++j) {
      const Vec3<T> momentum = chain.link(s).mass * velocity_[s][j];
      for (int i = 1; i <= j; ++i) D(i - 1, j - 1) += velocity_[s][i].dot(momentum);
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i) D(j, i) = D(i, j);
  return D;
}

template <Scalar T>
MatX<T> DAlembert<T>::At::D_rot() const {
  const Chain<T>& chain = arm_.chain();
  const int n = chain.joint_count();
  MatX<T> D = MatX<T>::Zero(n, n);
  for (int s = 1; s <= n; ++s)
    for (int j = 1; j <= s; ++j) {
      if (chain.link(j).slides) continue;
      const Vec3<T> momentum = chain.link(s).I * turning_[s][j];
      for (int i = 1; i <= j; ++i)
        if (!chain.link(i).slides) D(i - 1, j - 1) += turning_[s][i].dot(momentum);
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i) D(j, i) = D(i, j);
  return D;
}

template <Scalar T>
VecX<T> DAlembert<T>::At::h_tran(const VecX<T>& v) const {
  const Chain<T>& chain = arm_.chain();
  chain.require_size("v", v.size());
  const int n = chain.joint_count();
  VecX<T> h = VecX<T>::Zero(n);
  Vec3<T> w = Vec3<T>::Zero();     // ω_s = Σ q̇_j z_{j-1}
  Vec3<T> turn = Vec3<T>::Zero();  // Σ_p (Σ_{q<p} q̇_q z_{q-1}) x q̇_p z_{p-1}: how the axes turn
  Vec3<T> below = Vec3<T>::Zero();  // the acceleration of frame s-1, of velocities alone
  for (int s = 1; s <= n; ++s) {
    const Vec3<T> zv = z_[s - 1] * v(s - 1);
    if (chain.link(s).slides) {
      below += T(2) * cross(w, zv);
    } else {
      turn += cross(w, zv);
      w += zv;
    }
    const auto carried = [&](const Vec3<T>& r) {
      return Vec3<T>(cross(w, cross(w, r)) + cross(turn, r));
    };
    const Vec3<T> force = chain.link(s).mass * Vec3<T>(below + carried(com_[s]));
    for (int i = 1; i <= s; ++i) h(i - 1) += velocity_[s][i].dot(force);
    below += carried(p_[s]);
  }
  return h;
}

template <Scalar T>
VecX<T> DAlembert<T>::At::h_rot(const VecX<T>& v) const {
  const Chain<T>& chain = arm_.chain();
  chain.require_size("v", v.size());
  const int n = chain.joint_count();
  VecX<T> h = VecX<T>::Zero(n);
  for (int s = 1; s <= n; ++s) {
    const Mat3<T>& I = chain.link(s).I;
    // in link s's axes: ω_s, and Σ_j q̇_j z_{j-1} x (Σ_{k>j} q̇_k z_{k-1}), both from the tip inward
    Vec3<T> w = Vec3<T>::Zero(), turn = Vec3<T>::Zero();
    for (int j = s; j >= 1; --j) {
      if (chain.link(j).slides) continue;
      const Vec3<T> zv = turning_[s][j] * v(j - 1);
      turn += cross(zv, w);
      w += zv;
    }
    // [z x ω]'I ω = z'(ω x I ω)
    const Vec3<T> moment = I * turn + cross(w, Vec3<T>(I * w));
    for (int i = 1; i <= s; ++i)
      if (!chain.link(i).slides) h(i - 1) += turning_[s][i].dot(moment);
  }
  return h;
}

template <Scalar T>
VecX<T> DAlembert<T>::At::c() const {
  const Chain<T>& chain = arm_.chain();
  const int n = chain.joint_count();
  VecX<T> c = VecX<T>::Zero(n);
  for (int s = 1; s <= n; ++s) {
    const Vec3<T> weight = chain.link(s).mass * chain.gravity;
    for (int i = 1; i <= s; ++i) c(i - 1) -= velocity_[s][i].dot(weight);
  }
  return c;
}

template <Scalar T>
typename DAlembert<T>::VelocityTerms DAlembert<T>::velocity_terms(const VecX<T>& q,
                                                                  const VecX<T>& v) const {
  chain_.require_size("v", v.size());
  const At here = at(q);
  VelocityTerms terms;
  terms.tran_centrifugal = terms.rot_centrifugal = VecX<T>::Zero(v.size());
  // h is quadratic in q̇: the squares are what each velocity does alone
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

template <Scalar T>
MatX<T> DAlembert<T>::mass_matrix(const VecX<T>& q) const {
  const At here = at(q);
  return here.D_tran() + here.D_rot();
}

template <Scalar T>
VecX<T> DAlembert<T>::bias(const VecX<T>& q, const VecX<T>& v) const {
  const At here = at(q);
  return here.h_tran(v) + here.h_rot(v) + here.c();
}

template <Scalar T>
VecX<T> DAlembert<T>::inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) const {
  chain_.require_size("a", a.size());
  const At here = at(q);
  const MatX<T> D = here.D_tran() + here.D_rot();
  return D.lazyProduct(a) + here.h_tran(v) + here.h_rot(v) + here.c();
}

}  // namespace ulna::classic
