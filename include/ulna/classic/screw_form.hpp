#pragma once

#include "ulna/classic/arm.hpp"

namespace ulna::classic {

/// e^{[A]θ} of a unit screw axis without pitch: a turn about a line, or a slide. Closed, so that no
/// series has to be cut off and symbols may be used.
template <Scalar T>
Transform<T> screw_motion(const Twist<T>& A, bool slides, const T& angle) {
  if (slides) return Transform<T>::from_translation(A.linear * angle);
  // Rodrigues' formula; the axis passes through w x v, which stays where it is
  const Mat3<T> W = skew(A.angular);
  const Mat3<T> turn = sin(angle) * W + (T(1) - cos(angle)) * (W * W);
  const Vec3<T> on_axis = cross(A.angular, A.linear);
  return {Rotation<T>::from_matrix(Mat3<T>::Identity() + turn), -(turn * on_axis)};
}

/// Twists and wrenches with a frame {i} at the centre of mass of each link (Fakhari 2024): screw axes A_i,
/// homes M_{i,i-1} and spatial inertias G_i, all constant.
template <Scalar T>
struct ScrewLink {
  int parent = 0;
  bool slides = false;
  Twist<T> A;      ///< screw axis of joint i in {i}
  Transform<T> M;  ///< M_{i,p}: the parent's frame in {i} at home
  Mat6<T> G;       ///< [I_i, 0; 0, m 1]

  /// T_{i,p} = e^{-[A_i] q} M_{i,p}
  Transform<T> pose(const T& q) const { return screw_motion(A, slides, T(-q)) * M; }
};

/// The recursive Newton-Euler algorithm in screw form (Fakhari 2024; Cărămizaru 2023, Alg. 1).
template <Scalar T>
class ScrewForm {
 public:
  /// Frame {n+1} lies at X_tip in the last link's frame.
  explicit ScrewForm(const Arm<T>& arm, const Transform<T>& X_tip = {})
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
      here.G.template topLeftCorner<3, 3>() = body.rotational_about_com();
      here.G.template bottomRightCorner<3, 3>() = body.mass() * Mat3<T>::Identity();
    }
    T_tip_ = X_tip.inverse() * com[n];
  }
  int joint_count() const { return int(links_.size()) - 1; }
  const ScrewLink<T>& link(int i) const { return links_[i]; }
  const Transform<T>& tip() const { return T_tip_; }  ///< T_{n+1,n}
  Vec3<T> gravity;

  /// F_tip is the wrench that the tip exerts on the surroundings, in {n+1}.
  VecX<T> inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a,
                           const Wrench<T>& F_tip = {}) const {
    const int n = joint_count();
    detail::require_sizes(n, q, v, a);
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

 private:
  std::vector<ScrewLink<T>> links_;
  Transform<T> T_tip_;
};

/// The same for all links at once, in closed form (Fakhari 2024): with stacked twists,
///
///   𝒱 = 𝒲𝒱 + 𝒜q̇,   ℒ = (1 - 𝒲)^-1 = 1 + 𝒲 + ... + 𝒲^{n-1}, since 𝒲^n = 0
///   M = 𝒜'ℒ'𝒢ℒ𝒜,   c = -𝒜'ℒ'(𝒢ℒ[ad_𝒜q̇]𝒲 + [ad_𝒱]'𝒢)ℒ𝒜q̇,   g = 𝒜'ℒ'𝒢ℒ𝒱̇_base
///
/// In a tree 𝒲 has its blocks at (i, parent of i), and nothing else changes.
template <Scalar T>
class StackedScrewForm : public ClosedForm<T, StackedScrewForm<T>, ScrewForm<T>> {
 public:
  explicit StackedScrewForm(const Arm<T>& arm, const Transform<T>& X_tip = {})
      : ClosedForm<T, StackedScrewForm<T>, ScrewForm<T>>(ScrewForm<T>(arm, X_tip)) {}

  /// 𝒜, 6n x n, constant
  MatX<T> A() const {
    const int n = this->links().joint_count();
    MatX<T> A = MatX<T>::Zero(6 * n, n);
    for (int i = 0; i < n; ++i)
      A.template block<6, 1>(6 * i, i) = this->links().link(i + 1).A.vector();
    return A;
  }
  /// 𝒢, 6n x 6n, constant
  MatX<T> G() const {
    const int n = this->links().joint_count();
    MatX<T> G = MatX<T>::Zero(6 * n, 6 * n);
    for (int i = 0; i < n; ++i) G.template block<6, 6>(6 * i, 6 * i) = this->links().link(i + 1).G;
    return G;
  }
  /// 𝒲, 6n x 6n, strictly lower triangular
  MatX<T> W(const VecX<T>& q) const {
    const ScrewForm<T>& arm = this->links();
    const int n = arm.joint_count();
    require_size("q", q.size(), n);
    MatX<T> W = MatX<T>::Zero(6 * n, 6 * n);
    for (int i = 0; i < n; ++i) {
      const ScrewLink<T>& link = arm.link(i + 1);
      if (link.parent != 0)
        W.template block<6, 6>(6 * i, 6 * (link.parent - 1)) = link.pose(q(i)).motion_matrix();
    }
    return W;
  }
  MatX<T> L(const VecX<T>& q) const { return this->at(q).L; }  ///< ℒ, 6n x 6n

  struct At {
    At(const StackedScrewForm& form, const VecX<T>& at_q)
        : arm(form.links()), q(at_q), W(form.W(q)), G(form.G()) {
      // each link's row of (1 - 𝒲)^-1 is its parent's, carried to it, and itself
      const int n = arm.joint_count();
      L = MatX<T>::Identity(6 * n, 6 * n);
      for (int i = 0; i < n; ++i) {
        const int p = arm.link(i + 1).parent - 1;
        for (int j = 0; j <= p; ++j)
          L.template block<6, 6>(6 * i, 6 * j) =
              W.template block<6, 6>(6 * i, 6 * p)
                  .lazyProduct(L.template block<6, 6>(6 * p, 6 * j));
      }
      LA = L.lazyProduct(form.A());
    }

    MatX<T> D() const { return LA.transpose().lazyProduct(MatX<T>(G.lazyProduct(LA))); }
    VecX<T> h(const VecX<T>& v) const {
      const int n = arm.joint_count();
      const VecX<T> V = LA.lazyProduct(v);
      const VecX<T> WV = W.lazyProduct(V), GV = G.lazyProduct(V);
      VecX<T> ad_Av_WV(6 * n), ad_V_GV(6 * n);
      for (int i = 0; i < n; ++i) {
        const auto at = [&](const VecX<T>& x) { return Vec6<T>(x.template segment<6>(6 * i)); };
        const Twist<T> own = arm.link(i + 1).A * v(i);
        ad_Av_WV.template segment<6>(6 * i) = cross(own, Twist<T>::from_vector(at(WV))).vector();
        // [ad_V]'F = -V x* F
        ad_V_GV.template segment<6>(6 * i) =
            -cross(Twist<T>::from_vector(at(V)), Wrench<T>::from_vector(at(GV))).vector();
      }
      const VecX<T> drift = L.lazyProduct(ad_Av_WV);
      const VecX<T> F = VecX<T>(G.lazyProduct(drift)) + ad_V_GV;
      return -LA.transpose().lazyProduct(F);
    }
    VecX<T> c() const {
      const int n = arm.joint_count();
      VecX<T> base = VecX<T>::Zero(6 * n);  // 𝒱̇_base: links that hang on the base
      const Twist<T> up{Vec3<T>::Zero(), -arm.gravity};
      for (int i = 0; i < n; ++i)
        if (arm.link(i + 1).parent == 0)
          base.template segment<6>(6 * i) = (arm.link(i + 1).pose(q(i)) * up).vector();
      const VecX<T> rate = L.lazyProduct(base);
      const VecX<T> F = G.lazyProduct(rate);
      return LA.transpose().lazyProduct(F);
    }

    const ScrewForm<T>& arm;
    VecX<T> q;
    MatX<T> W, G, L, LA;
  };

  /// 𝒜'ℒ'𝓕_tip
  VecX<T> tip_torque(const VecX<T>& q, const Wrench<T>& F_tip) const {
    VecX<T> F = VecX<T>::Zero(6 * this->links().joint_count());
    F.template tail<6>() = this->links().tip().inverse_apply(F_tip).vector();
    return this->at(q).LA.transpose().lazyProduct(F);
  }
};

}  // namespace ulna::classic
