#pragma once

#include <vector>

#include "ulna/model/configuration.hpp"
#include "ulna/model/plant.hpp"

/// The textbook formulations of robot dynamics, written as the books have them, for any arm of
/// revolute and prismatic joints. They know nothing of the fast algorithms, so that each can bear
/// witness for the other. Not for control loops: they return their results and allocate.
///
/// All are of rigid bodies alone; rotor inertia and friction belong to the drives and are added by
/// who needs them.
namespace ulna::classic {

template <class T>
using MatX = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

/// One link with the joint that carries it. Its frame lies on the joint's axis, which is its z.
template <Scalar T>
struct Link {
  int parent = 0;       ///< the link it hangs on; 0 is the base
  bool slides = false;  ///< prismatic, else revolute
  Transform<T> X_PJ;    ///< its frame in its parent's at q = 0
  Inertia<T> inertia;   ///< in its frame: ten numbers
  T damping{0.0};       ///< viscous, of the joint; only Newton-Euler looks at it (002, eq. 3.3-45)

  /// The twist of the link in its own frame, per unit velocity of its joint: the screw axis A_i of
  /// 000, the z of 002.
  Twist<T> axis() const {
    const Vec3<T> zero = Vec3<T>::Zero(), z(T(0), T(0), T(1));
    return slides ? Twist<T>{zero, z} : Twist<T>{z, zero};
  }
  /// Its frame in its parent's at q.
  Transform<T> pose(const T& q) const;
};

/// An arm as the books number it: link 0 is the base, joint i carries link i, and q(i-1) is its
/// coordinate. All numbers may be replaced, by symbols too. A link may carry several others.
template <Scalar T>
class Arm {
 public:
  /// Throws std::invalid_argument if the robot has other joints than revolute and prismatic ones,
  /// mimicking joints or closed loops.
  explicit Arm(const Plant<T>& plant);
  /// links[0] stands for the base; a link's parent comes before it.
  Arm(std::vector<Link<T>> links, const Vec3<T>& gravity);

  int joint_count() const { return static_cast<int>(links_.size()) - 1; }
  const Link<T>& link(int i) const { return links_[i]; }
  Link<T>& link(int i) { return links_[i]; }
  /// The joints that move link i, from the base outward; i is the last.
  const std::vector<int>& path(int i) const { return paths_[i]; }
  bool is_chain() const;

  Vec3<T> gravity;  ///< the acceleration of free fall

  /// Throws std::invalid_argument that names both sizes.
  void require_size(const char* what, Eigen::Index given) const;

 private:
  void find_paths();

  std::vector<Link<T>> links_;
  std::vector<std::vector<int>> paths_;
};

/// The frames of all links in the base, ⁰A_i; [0] is the base's own.
template <Scalar T>
std::vector<Transform<T>> link_poses(const Arm<T>& arm, const VecX<T>& q);

namespace detail {
/// Throws if the robot is no arm of revolute and prismatic joints.
void require_arm(const Model& model);
[[noreturn]] void refuse_size(const char* what, Eigen::Index given, int wanted);
}  // namespace detail

}  // namespace ulna::classic
