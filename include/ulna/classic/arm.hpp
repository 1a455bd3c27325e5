#pragma once

#include <vector>

#include "ulna/model/configuration.hpp"
#include "ulna/model/plant.hpp"

/// The textbook formulations of robot dynamics, written as the books have them, for any arm of
/// revolute and prismatic joints. They share nothing with the fast algorithms, so that each can check
/// the other. Not for control loops: they return their results and allocate.
///
/// All are of rigid bodies alone; rotor inertia and friction belong to the drives and are added by
/// the caller. The documents that are cited by number are listed in docs/notation.md.
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
  T damping{0.0};       ///< viscous, of the joint; only Newton-Euler uses it (Fu 1987, eq. 3.3-45)

  /// The twist of the link in its frame per unit velocity: the screw axis A_i of Fakhari 2024, the z of Fu 1987.
  Twist<T> axis() const {
    const Vec3<T> zero = Vec3<T>::Zero(), z(T(0), T(0), T(1));
    return slides ? Twist<T>{zero, z} : Twist<T>{z, zero};
  }
  /// Its frame in its parent's at q.
  Transform<T> pose(const T& q) const {
    const Mat3<T>& E = X_PJ.rotation().matrix();
    if (slides) return {X_PJ.rotation(), X_PJ.translation() + E.col(2) * q};
    const T c = cos(q), s = sin(q);
    Mat3<T> R;
    R.col(0) = E.col(0) * c + E.col(1) * s;
    R.col(1) = E.col(1) * c - E.col(0) * s;
    R.col(2) = E.col(2);
    return {Rotation<T>::from_matrix(R), X_PJ.translation()};
  }
};

/// Throws std::invalid_argument that names both sizes unless there is one number per joint.
void require_size(const char* what, Eigen::Index given, Eigen::Index joints);

namespace detail {
/// Throws if the robot is no arm of revolute and prismatic joints.
void require_arm(const Model& model);
/// Throws if a parent does not come before its child.
void require_order(int link, int parent);

template <class T>
void require_sizes(int joints, const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) {
  require_size("q", q.size(), joints);
  require_size("v", v.size(), joints);
  require_size("a", a.size(), joints);
}

/// Copies the upper triangle into the lower one.
template <class T>
void make_symmetric(MatX<T>& M) {
  M.template triangularView<Eigen::StrictlyLower>() =
      M.transpose().template triangularView<Eigen::StrictlyLower>();
}
}  // namespace detail

/// An arm as the books number it: link 0 is the base, joint i carries link i, and q(i-1) is its
/// coordinate. All numbers may be replaced, by symbols too. A link may carry several others.
template <Scalar T>
class Arm {
 public:
  /// Throws std::invalid_argument if the robot has other joints than revolute and prismatic ones,
  /// mimicking joints or closed loops.
  explicit Arm(const Plant<T>& plant)
      : gravity(plant.model().gravity().template cast<T>()), links_(plant.model().body_count()) {
    const Model& model = plant.model();
    detail::require_arm(model);
    for (int i = 1; i < model.body_count(); ++i) {
      const Joint& j = model.joint(i);
      links_[i].parent = j.parent;
      links_[i].slides = j.type == JointType::prismatic;
      links_[i].X_PJ = {Rotation<T>::from_matrix(j.X_PJ.rotation().matrix().template cast<T>()),
                        j.X_PJ.translation().template cast<T>()};
      links_[i].inertia = plant.canonical_inertia(i);
      links_[i].damping = plant.damping(i - 1);
    }
    find_paths();
  }
  /// links[0] stands for the base; a link's parent comes before it.
  Arm(std::vector<Link<T>> links, const Vec3<T>& free_fall)
      : gravity(free_fall), links_(std::move(links)) {
    if (links_.empty()) throw std::invalid_argument("an arm needs links[0], its base");
    for (int i = 1; i <= joint_count(); ++i) detail::require_order(i, links_[i].parent);
    find_paths();
  }

  int joint_count() const { return int(links_.size()) - 1; }
  const Link<T>& link(int i) const { return links_[i]; }
  Link<T>& link(int i) { return links_[i]; }
  /// The joints that move link i, from the base outward; i is the last.
  const std::vector<int>& path(int i) const { return paths_[i]; }
  bool is_chain() const {
    for (int i = 1; i <= joint_count(); ++i)
      if (links_[i].parent != i - 1) return false;
    return true;
  }

  Vec3<T> gravity;  ///< the acceleration of free fall

 private:
  void find_paths() {
    paths_.resize(links_.size());
    for (int i = 1; i <= joint_count(); ++i) {
      paths_[i] = paths_[links_[i].parent];
      paths_[i].push_back(i);
    }
  }

  std::vector<Link<T>> links_;
  std::vector<std::vector<int>> paths_;
};

/// The frames of all links in the base, ⁰A_i; [0] is the base's own.
template <Scalar T>
std::vector<Transform<T>> link_poses(const Arm<T>& arm, const VecX<T>& q) {
  require_size("q", q.size(), arm.joint_count());
  std::vector<Transform<T>> X(arm.joint_count() + 1);
  for (int i = 1; i <= arm.joint_count(); ++i) {
    const Transform<T> X_PL = arm.link(i).pose(q(i - 1));
    const int p = arm.link(i).parent;
    X[i] = p == 0 ? X_PL : X[p] * X_PL;
  }
  return X;
}

/// The equations of motion in closed form, D(q) q̈ + h(q, q̇) + c(q) = τ, with the terms D(), h(v)
/// and c() of Formulation::At at one q. Its links are an Arm, a Chain or a ScrewForm.
template <Scalar T, class Formulation, class Links>
class ClosedForm {
 public:
  explicit ClosedForm(Links links) : links_(std::move(links)) {}
  const Links& links() const { return links_; }

  /// The terms refer to this object, which must outlive them.
  auto at(const VecX<T>& q) const& {
    return typename Formulation::At(static_cast<const Formulation&>(*this), q);
  }
  void at(const VecX<T>& q) const&& = delete;

  MatX<T> mass_matrix(const VecX<T>& q) const { return at(q).D(); }
  VecX<T> gravity(const VecX<T>& q) const { return at(q).c(); }
  VecX<T> velocity_torque(const VecX<T>& q, const VecX<T>& v) const { return at(q, v).h(v); }
  /// The torque that velocity and gravity need.
  VecX<T> bias(const VecX<T>& q, const VecX<T>& v) const {
    const auto here = at(q, v);
    return here.h(v) + here.c();
  }
  VecX<T> inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) const {
    const auto here = at(q, v);
    require_size("a", a.size(), links_.joint_count());
    return VecX<T>(here.D().lazyProduct(a)) + here.h(v) + here.c();
  }

 protected:
  /// For as many velocities as joints.
  auto at(const VecX<T>& q, const VecX<T>& v) const {
    require_size("v", v.size(), links_.joint_count());
    return at(q);
  }

 private:
  Links links_;
};

}  // namespace ulna::classic
