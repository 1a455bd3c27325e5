#pragma once

#include "ulna/classic/arm.hpp"

/// Frames as Fu 1987 lays them (its ch. 2, after Denavit and Hartenberg): frame i is fixed in link i, and
/// joint i moves link i about or along z_{i-1}, the z axis of the frame before it.
namespace ulna::classic {

/// A row of a standard Denavit-Hartenberg table: the coordinate adds to theta or d.
template <Scalar T>
struct DhRow {
  T theta{0.0}, d{0.0}, a{0.0}, alpha{0.0};
  bool slides = false;
  Inertia<T> inertia;  ///< of the link, in frame i
};

template <Scalar T>
struct ChainLink {
  bool slides = false;
  Transform<T> beyond;  ///< what follows the joint's motion: A_i(q) = Rz(q) or Tz(q), then this
  Inertia<T> inertia;   ///< in frame i
  T damping{0.0};       ///< b_i
  T mass{0.0};          ///< m_i
  Vec3<T> s = Vec3<T>::Zero();  ///< ⁱs̄_i: the centre of mass from the origin of frame i
  Mat3<T> I = Mat3<T>::Zero();  ///< ⁱI_i: about the centre of mass, in the axes of frame i
  Vec3<T> p = Vec3<T>::Zero();  ///< ⁱp_i* at q = 0, from the origin of frame i-1 (eq. 3.3-59)

  /// ⁱ⁻¹R_i, the axes of frame i in those of frame i-1 (eq. 3.3-48).
  Rotation<T> R(const T& q) const { return slides ? beyond.rotation() : turned(cos(q), sin(q)); }
  /// ⁱ⁻¹A_i, frame i in frame i-1 (eqs. 3.2-5 and 3.2-6, there for DH frames).
  Transform<T> A(const T& q) const {
    const Vec3<T>& to = beyond.translation();
    if (slides) return {beyond.rotation(), Vec3<T>(to.x(), to.y(), to.z() + q)};
    const T c = cos(q), s_q = sin(q);
    return {turned(c, s_q), Vec3<T>(c * to.x() - s_q * to.y(), s_q * to.x() + c * to.y(), to.z())};
  }

 private:
  /// Rz(q) and then `beyond`, from the cosine and the sine: the first two rows are mixed.
  Rotation<T> turned(const T& c, const T& s_q) const {
    const Mat3<T>& E = beyond.rotation().matrix();
    Mat3<T> R;
    R.row(0) = E.row(0) * c - E.row(1) * s_q;
    R.row(1) = E.row(0) * s_q + E.row(1) * c;
    R.row(2) = E.row(2);
    return Rotation<T>::from_matrix(R);
  }
};

namespace detail {
[[noreturn]] void refuse_tree();
}

/// A serial arm in these frames. Frame 0 is where joint 1 turns; all vectors of "the base" are in it.
template <Scalar T>
class Chain {
 public:
  /// Frame n is the last link's own frame, moved by X_tip: where the hand is. Throws
  /// std::invalid_argument if a link carries more than one other.
  explicit Chain(const Arm<T>& arm, const Transform<T>& X_tip = {}) {
    if (!arm.is_chain()) detail::refuse_tree();
    const int n = arm.joint_count();
    add({});
    for (int i = 1; i <= n; ++i) {
      ChainLink<T> link;
      link.slides = arm.link(i).slides;
      link.beyond = i < n ? arm.link(i + 1).X_PJ : X_tip;
      link.inertia = link.beyond.inverse() * arm.link(i).inertia;
      link.damping = arm.link(i).damping;
      add(link);
    }
    gravity = n > 0 ? arm.link(1).X_PJ.rotation().inverse_apply(arm.gravity) : arm.gravity;
  }
  /// From a Denavit-Hartenberg table; frame n is that of the last row.
  Chain(const std::vector<DhRow<T>>& table, const Vec3<T>& free_fall) : gravity(free_fall) {
    add({});
    for (const DhRow<T>& row : table) {
      ChainLink<T> link;
      link.slides = row.slides;
      link.beyond = Transform<T>(Rotation<T>::about_z(row.theta), {T(0), T(0), row.d}) *
                    Transform<T>(Rotation<T>::about_x(row.alpha), {row.a, T(0), T(0)});
      link.inertia = row.inertia;
      add(link);
    }
  }

  int joint_count() const { return int(links_.size()) - 1; }
  const ChainLink<T>& link(int i) const { return links_[i]; }

  Vec3<T> gravity;  ///< in frame 0

 private:
  /// Fills in mass, s, I and p.
  void add(ChainLink<T> link) {
    link.mass = link.inertia.mass();
    link.s = link.inertia.com();
    link.I = link.inertia.rotational_about_com();
    link.p = link.beyond.rotation().inverse_apply(link.beyond.translation());
    links_.push_back(std::move(link));
  }

  std::vector<ChainLink<T>> links_;
};

namespace detail {

/// The frames of a chain at q, with vectors in base axes.
template <Scalar T>
struct ChainFrames {
  ChainFrames(const Chain<T>& chain, const VecX<T>& q)
      : A(chain.joint_count() + 1), R(A.size()), z(A.size()), p(A.size(), Vec3<T>::Zero()), s(p) {
    require_size("q", q.size(), chain.joint_count());
    z[0] = Vec3<T>(T(0), T(0), T(1));
    for (int i = 1; i <= chain.joint_count(); ++i) {
      A[i] = chain.link(i).A(q(i - 1));
      R[i] = i == 1 ? A[i].rotation() : R[i - 1] * A[i].rotation();
      p[i] = i == 1 ? A[i].translation() : R[i - 1] * A[i].translation();
      s[i] = R[i] * chain.link(i).s;
      z[i] = R[i].matrix().col(2);
    }
  }

  std::vector<Transform<T>> A;   ///< ⁱ⁻¹A_i
  std::vector<Rotation<T>> R;    ///< ⁰R_i
  std::vector<Vec3<T>> z, p, s;  ///< z_i, p_i* and s̄_i
};

}  // namespace detail

}  // namespace ulna::classic
