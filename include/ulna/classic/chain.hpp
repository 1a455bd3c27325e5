#pragma once

#include "ulna/classic/arm.hpp"

/// Frames as 002 lays them (its ch. 2, after Denavit and Hartenberg): frame i is fixed in link i, and
/// joint i moves link i about or along z_{i-1}, the z axis of the frame before it.
namespace ulna::classic {

/// A row of a Denavit-Hartenberg table, the standard one: the joint's coordinate adds to theta, or to
/// d if the joint slides.
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
  Rotation<T> R(const T& q) const;
  /// ⁱ⁻¹A_i, frame i in frame i-1 (eqs. 3.2-5 and 3.2-6, there for DH frames).
  Transform<T> A(const T& q) const;
};

/// A serial arm in these frames. Frame 0 is where joint 1 turns; all vectors of "the base" are in it.
template <Scalar T>
class Chain {
 public:
  /// Frame n is the last link's own frame, moved by X_tip: where the hand is. Throws
  /// std::invalid_argument if a link carries more than one other.
  explicit Chain(const Arm<T>& arm, const Transform<T>& X_tip = {});
  /// From a Denavit-Hartenberg table; frame n is that of the last row.
  Chain(const std::vector<DhRow<T>>& table, const Vec3<T>& gravity);

  int joint_count() const { return static_cast<int>(links_.size()) - 1; }
  const ChainLink<T>& link(int i) const { return links_[i]; }

  Vec3<T> gravity;  ///< in frame 0

  void require_size(const char* what, Eigen::Index given) const {
    if (given != joint_count()) detail::refuse_size(what, given, joint_count());
  }

 private:
  /// Fills in mass, s, I and p.
  void add(ChainLink<T> link);

  std::vector<ChainLink<T>> links_;
};

namespace detail {
[[noreturn]] void refuse_tree();
}

}  // namespace ulna::classic
