#pragma once

#include "ulna/classic/arm_impl.hpp"
#include "ulna/classic/screw_form.hpp"

namespace ulna::classic {

template <Scalar T>
Transform<T> screw_motion(const Twist<T>& A, bool slides, const T& angle) {
  if (slides) return Transform<T>::from_translation(A.linear * angle);
  // Rodrigues' formula; the axis passes through w x v, which stays where it is
  const Mat3<T> W = skew(A.angular);
  const Mat3<T> turn = sin(angle) * W + (T(1) - cos(angle)) * (W * W);
  const Vec3<T> on_axis = cross(A.angular, A.linear);
  return {Rotation<T>::from_matrix(Mat3<T>::Identity() + turn), -(turn * on_axis)};
}

template <Scalar T>
Transform<T> ScrewLink<T>::pose(const T& q) const {
  return screw_motion(A, slides, T(-q)) * M;
}

template <Scalar T>
ScrewForm<T>::ScrewForm(const Arm<T>& arm, const Transform<T>& X_tip)
    : gravity(arm.gravity), links_(arm.joint_count() + 1) {
  const int n = arm.joint_count();
  std::vector<Transform<T>> com(n + 1);  // {i} in the link's frame
  for (int i = 1; i <= n; ++i) {
    const Link<T>& link = arm.link(i);
    const Inertia<T>& body = link.inertia;
    com[i] = Transform<T>::from_translation(body.com());
    ScrewLink<T>& here = links_[i];
    here.parent = link.parent;
    here.slides = link.slides;
    here.A = com[i].inverse_apply(link.axis());
    here.M = (com[link.parent].inverse() * link.X_PJ * com[i]).inverse();
    here.G = Mat6<T>::Zero();
    here.G.template topLeftCorner<3, 3>() =
        body.rotational() - Inertia<T>::steiner(body.mass(), body.com());
    here.G.template bottomRightCorner<3, 3>() = body.mass() * Mat3<T>::Identity();
  }
  T_tip_ = X_tip.inverse() * com[n];
}

template <Scalar T>
VecX<T> ScrewForm<T>::inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a,
                                       const Wrench<T>& F_tip) const {
  require_size("q", q.size());
  require_size("v", v.size());
  require_size("a", a.size());
  const int n = joint_count();
  std::vector<Transform<T>> X(n + 1);
  std::vector<Twist<T>> V(n + 1), V_rate(n + 1);
  std::vector<Wrench<T>> F(n + 1);
  V_rate[0].linear = -gravity;

  for (int i = 1; i <= n; ++i) {
    const ScrewLink<T>& link = links_[i];
    X[i] = link.pose(q(i - 1));
    const Twist<T> own = link.A * v(i - 1);
    V[i] = X[i] * V[link.parent] + own;
    V_rate[i] = X[i] * V_rate[link.parent] + cross(V[i], own) + link.A * a(i - 1);
    // G = diag(I, m 1): F = G V̇ - [ad_V]'G V
    const Mat3<T> I = link.G.template topLeftCorner<3, 3>();
    const T& m = link.G(5, 5);
    const Wrench<T> momentum{I * V[i].angular, m * V[i].linear};
    F[i] = Wrench<T>{I * V_rate[i].angular, m * V_rate[i].linear} + cross(V[i], momentum);
  }
  F[n] += T_tip_.inverse_apply(F_tip);

  VecX<T> tau(n);
  for (int i = n; i >= 1; --i) {
    tau(i - 1) = dot(links_[i].A, F[i]);
    const int p = links_[i].parent;
    if (p != 0) F[p] += X[i].inverse_apply(F[i]);
  }
  return tau;
}

// --- stacked ---

template <Scalar T>
MatX<T> StackedScrewForm<T>::A() const {
  const int n = arm_.joint_count();
  MatX<T> A = MatX<T>::Zero(6 * n, n);
  for (int i = 0; i < n; ++i) A.template block<6, 1>(6 * i, i) = arm_.link(i + 1).A.vector();
  return A;
}

template <Scalar T>
MatX<T> StackedScrewForm<T>::G() const {
  const int n = arm_.joint_count();
  MatX<T> G = MatX<T>::Zero(6 * n, 6 * n);
  for (int i = 0; i < n; ++i) G.template block<6, 6>(6 * i, 6 * i) = arm_.link(i + 1).G;
  return G;
}

template <Scalar T>
MatX<T> StackedScrewForm<T>::W(const VecX<T>& q) const {
  arm_.require_size("q", q.size());
  const int n = arm_.joint_count();
  MatX<T> W = MatX<T>::Zero(6 * n, 6 * n);
  for (int i = 0; i < n; ++i) {
    const ScrewLink<T>& link = arm_.link(i + 1);
    if (link.parent != 0)
      W.template block<6, 6>(6 * i, 6 * (link.parent - 1)) = link.pose(q(i)).motion_matrix();
  }
  return W;
}

namespace detail {

/// (1 - 𝒲)^-1: each link's row is its parent's, carried to it, and itself.
template <Scalar T>
MatX<T> propagation(const ScrewForm<T>& arm, const MatX<T>& W) {
  const int n = arm.joint_count();
  MatX<T> L = MatX<T>::Identity(6 * n, 6 * n);
  for (int i = 0; i < n; ++i) {
    const int p = arm.link(i + 1).parent - 1;
    for (int j = 0; j <= p; ++j)
      L.template block<6, 6>(6 * i, 6 * j) =
          (W.template block<6, 6>(6 * i, 6 * p)).lazyProduct(L.template block<6, 6>(6 * p, 6 * j));
  }
  return L;
}

}  // namespace detail

template <Scalar T>
MatX<T> StackedScrewForm<T>::L(const VecX<T>& q) const {
  return detail::propagation(arm_, W(q));
}

template <Scalar T>
struct StackedScrewForm<T>::At {
  MatX<T> W, L, A, G, LA;
};

template <Scalar T>
typename StackedScrewForm<T>::At StackedScrewForm<T>::at(const VecX<T>& q) const {
  At here{W(q), {}, A(), G(), {}};
  here.L = detail::propagation(arm_, here.W);
  here.LA = here.L.lazyProduct(here.A);
  return here;
}

template <Scalar T>
MatX<T> StackedScrewForm<T>::mass_matrix(const VecX<T>& q) const {
  const At here = at(q);
  return here.LA.transpose().lazyProduct(MatX<T>(here.G.lazyProduct(here.LA)));
}

template <Scalar T>
VecX<T> StackedScrewForm<T>::velocity_torque(const At& here, const VecX<T>& v) const {
  const int n = arm_.joint_count();
  const VecX<T> V = here.LA.lazyProduct(v);
  const VecX<T> WV = here.W.lazyProduct(V), GV = here.G.lazyProduct(V);
  VecX<T> ad_Av_WV(6 * n), ad_V_GV(6 * n);
  for (int i = 0; i < n; ++i) {
    const auto at = [&](const VecX<T>& x) { return Vec6<T>(x.template segment<6>(6 * i)); };
    const Twist<T> own = arm_.link(i + 1).A * v(i);
    ad_Av_WV.template segment<6>(6 * i) = cross(own, Twist<T>::from_vector(at(WV))).vector();
    // [ad_V]'F = -V x* F
    ad_V_GV.template segment<6>(6 * i) =
        -cross(Twist<T>::from_vector(at(V)), Wrench<T>::from_vector(at(GV))).vector();
  }
  const VecX<T> drift = here.L.lazyProduct(ad_Av_WV);
  const VecX<T> F = VecX<T>(here.G.lazyProduct(drift)) + ad_V_GV;
  return -here.LA.transpose().lazyProduct(F);
}

template <Scalar T>
VecX<T> StackedScrewForm<T>::gravity(const At& here, const VecX<T>& q) const {
  const int n = arm_.joint_count();
  VecX<T> base = VecX<T>::Zero(6 * n);  // 𝒱̇_base: links that hang on the base
  const Twist<T> up{Vec3<T>::Zero(), -arm_.gravity};
  for (int i = 0; i < n; ++i)
    if (arm_.link(i + 1).parent == 0)
      base.template segment<6>(6 * i) = (arm_.link(i + 1).pose(q(i)) * up).vector();
  const VecX<T> rate = here.L.lazyProduct(base);
  const VecX<T> F = here.G.lazyProduct(rate);
  return here.LA.transpose().lazyProduct(F);
}

template <Scalar T>
VecX<T> StackedScrewForm<T>::velocity_torque(const VecX<T>& q, const VecX<T>& v) const {
  arm_.require_size("v", v.size());
  return velocity_torque(at(q), v);
}

template <Scalar T>
VecX<T> StackedScrewForm<T>::gravity(const VecX<T>& q) const {
  return gravity(at(q), q);
}

template <Scalar T>
VecX<T> StackedScrewForm<T>::tip_torque(const VecX<T>& q, const Wrench<T>& F_tip) const {
  const int n = arm_.joint_count();
  VecX<T> F = VecX<T>::Zero(6 * n);
  F.template tail<6>() = arm_.tip().inverse_apply(F_tip).vector();
  return at(q).LA.transpose().lazyProduct(F);
}

template <Scalar T>
VecX<T> StackedScrewForm<T>::bias(const VecX<T>& q, const VecX<T>& v) const {
  arm_.require_size("v", v.size());
  const At here = at(q);
  return velocity_torque(here, v) + gravity(here, q);
}

template <Scalar T>
VecX<T> StackedScrewForm<T>::inverse_dynamics(const VecX<T>& q, const VecX<T>& v,
                                              const VecX<T>& a) const {
  arm_.require_size("v", v.size());
  arm_.require_size("a", a.size());
  const At here = at(q);
  const MatX<T> M = here.LA.transpose().lazyProduct(MatX<T>(here.G.lazyProduct(here.LA)));
  return VecX<T>(M.lazyProduct(a)) + velocity_torque(here, v) + gravity(here, q);
}

}  // namespace ulna::classic
