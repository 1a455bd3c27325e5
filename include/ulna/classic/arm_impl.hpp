#pragma once

#include "ulna/classic/arm.hpp"

namespace ulna::classic {

template <Scalar T>
Transform<T> Link<T>::pose(const T& q) const {
  const Mat3<T>& E = X_PJ.rotation().matrix();
  if (slides) return {X_PJ.rotation(), X_PJ.translation() + E.col(2) * q};
  const T c = cos(q), s = sin(q);
  Mat3<T> R;
  R.col(0) = E.col(0) * c + E.col(1) * s;
  R.col(1) = E.col(1) * c - E.col(0) * s;
  R.col(2) = E.col(2);
  return {Rotation<T>::from_matrix(R), X_PJ.translation()};
}

template <Scalar T>
Arm<T>::Arm(const Plant<T>& plant)
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

template <Scalar T>
Arm<T>::Arm(std::vector<Link<T>> links, const Vec3<T>& free_fall)
    : gravity(free_fall), links_(std::move(links)) {
  if (links_.empty()) throw std::invalid_argument("an arm needs links[0], its base");
  for (int i = 1; i <= joint_count(); ++i)
    if (links_[i].parent < 0 || links_[i].parent >= i)
      throw std::invalid_argument("link " + std::to_string(i) + ": its parent is link " +
                                  std::to_string(links_[i].parent) +
                                  "; parents must come before their children");
  find_paths();
}

template <Scalar T>
void Arm<T>::find_paths() {
  paths_.resize(links_.size());
  for (int i = 1; i <= joint_count(); ++i) {
    paths_[i] = paths_[links_[i].parent];
    paths_[i].push_back(i);
  }
}

template <Scalar T>
bool Arm<T>::is_chain() const {
  for (int i = 1; i <= joint_count(); ++i)
    if (links_[i].parent != i - 1) return false;
  return true;
}

template <Scalar T>
void Arm<T>::require_size(const char* what, Eigen::Index given) const {
  if (given != joint_count()) detail::refuse_size(what, given, joint_count());
}

template <Scalar T>
std::vector<Transform<T>> link_poses(const Arm<T>& arm, const VecX<T>& q) {
  arm.require_size("q", q.size());
  std::vector<Transform<T>> X(arm.joint_count() + 1);
  for (int i = 1; i <= arm.joint_count(); ++i) {
    const Transform<T> X_PL = arm.link(i).pose(q(i - 1));
    const int p = arm.link(i).parent;
    X[i] = p == 0 ? X_PL : X[p] * X_PL;
  }
  return X;
}

}  // namespace ulna::classic
