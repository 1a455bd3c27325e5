#pragma once

#include <optional>
#include <type_traits>

#include "ulna/dynamics/arguments.hpp"
#include "ulna/num/sincos.hpp"

namespace ulna {

namespace detail {

inline bool turns_only(JointType t) {
  return t == JointType::revolute || t == JointType::continuous;
}
inline bool turns_about_z(JointType t) { return turns_only(t) || t == JointType::helical; }

template <Scalar T>
Transform<T> cast(const Transform<double>& X) {
  return {Rotation<T>::from_matrix(X.rotation().matrix().template cast<T>()),
          X.translation().template cast<T>()};
}

/// How a body is placed in its parent, apart from its joint's coordinates: what never changes, ready
/// for the inner loops.
template <Scalar T>
struct Place {
  lanes::TurnAboutZ<T> turn;
  lanes::V3<T> p;
};

/// The places of all bodies, and sines and cosines of the joints' angles, at Joint::tree_q. Angles that
/// follow each other are taken at once, which packs and registers of four numbers make use of. Plain
/// numbers are computed eight at a time from the first angle on, so that none is left over; coordinates
/// that are no angles are taken along.
template <Scalar T>
struct Skeleton {
  std::vector<Place<T>> places;
  std::vector<T> angle, sine, cosine;
  static constexpr int block = lanes::Plain<T> ? 8 : 1;

  explicit Skeleton(const Model& model)
      : places(model.body_count()),
        angle(model.tree_nq() + block, T(0)),
        sine(angle.size()),
        cosine(angle.size()) {
    for (int b = 0; b < model.body_count(); ++b) {
      const Joint& j = model.joint(b);
      places[b] = {lanes::TurnAboutZ<T>(j.X_PJ.rotation().matrix()),
                   lanes::V3<T>(Vec3<T>(j.X_PJ.translation().template cast<T>()))};
      if (b == 0 || !turns_about_z(j.type)) continue;
      if (runs_.empty() || runs_.back().end != j.tree_q) runs_.push_back({j.tree_q, j.tree_q});
      ++runs_.back().end;
    }
  }

  /// Sines and cosines at q, that of the tree.
  void set(const T* q) {
    if (runs_.empty()) return;
    if constexpr (block > 1) {
      const int first = runs_.front().begin, end = runs_.back().end;
      for (int i = first; i < end; ++i) angle[i] = q[i];
      sin_cos(angle.data() + first, sine.data() + first, cosine.data() + first,
              (end - first + block - 1) / block * block);
    } else {
      for (const auto [begin, end] : runs_)
        sin_cos(q + begin, sine.data() + begin, cosine.data() + begin, end - begin);
    }
  }

 private:
  struct Run {
    int begin, end;
  };
  std::vector<Run> runs_;  ///< of coordinates that are angles
};

template <Scalar T>
[[gnu::noinline]] void place_other(const Joint& j, const Skeleton<T>& skeleton, int b, const T* q,
                                   lanes::Turn<T>& R, lanes::V3<T>& p) {
  const Place<T>& at = skeleton.places[b];
  q += j.tree_q;
  if (j.type == JointType::helical) {
    R = at.turn(skeleton.sine[j.tree_q], skeleton.cosine[j.tree_q]);
    p = at.p + R.R.c[2] * (T(j.pitch) * q[0]);
  } else if (j.type == JointType::prismatic) {
    R = at.turn.still();
    p = at.p + R.R.c[2] * q[0];
  } else {
    const Transform<T> X = cast<T>(j.X_PJ) * joint_pose(j.type, j.pitch, q);
    R = lanes::Turn<T>::from(lanes::M3<T>(X.rotation().matrix()));
    p = lanes::V3<T>(X.translation());
  }
}

/// Where a body is in its parent, canonical frames.
template <Scalar T>
inline void place(const Joint& j, const Skeleton<T>& skeleton, int b, const T* q, lanes::Turn<T>& R,
                  lanes::V3<T>& p) {
  if (!turns_only(j.type)) return place_other(j, skeleton, b, q, R, p);
  R = skeleton.places[b].turn(skeleton.sine[j.tree_q], skeleton.cosine[j.tree_q]);
  p = skeleton.places[b].p;
}

/// Rates of the tree's coordinates from those of the robot.
template <Scalar T>
void spread_rates(const Model& model, const VecX<T>& v, VecX<T>& tree_v) {
  for (const Joint& j : model.joints())
    for (int k = 0; k < velocity_size(j.type); ++k)
      tree_v(j.tree_v + k) = j.mimics ? T(j.multiplier) * v(j.v) : v(j.v + k);
}

/// The torques that belong to the robot's coordinates, from those at the joints of the tree: the power
/// is the same.
template <Scalar T>
void gather_torques(const Model& model, const T* tree_tau, T* tau) {
  for (int i = 0; i < model.nv(); ++i) tau[i] = T(0);
  for (const Joint& j : model.joints())
    for (int k = 0; k < velocity_size(j.type); ++k)
      tau[j.v + k] += j.mimics ? T(j.multiplier) * tree_tau[j.tree_v] : tree_tau[j.tree_v + k];
}

}  // namespace detail

/// Where a robot is and how it moves: q, v and a, sized and checked once. What is not given is zero: a
/// robot set to q alone is at rest, one set to q and v does not accelerate. Made once, which allocates,
/// and set many times, which does not.
///
///     Motion<double> motion(model);
///     motion.set(q, v, a);
///     inverse_dynamics(plant, motion, ws, tau);
template <Scalar T>
class Motion {
 public:
  explicit Motion(Model model);

  void set(In<T> q);
  void set(In<T> q, In<T> v);
  void set(In<T> q, In<T> v, In<T> a);

  const Model& model() const { return model_; }
  const VecX<T>& q() const { return q_; }
  const VecX<T>& v() const { return v_; }
  const VecX<T>& a() const { return a_; }
  bool moves() const { return moves_; }              ///< whether v was given
  bool accelerates() const { return accelerates_; }  ///< whether a was given

  // --- for algorithms: the joints one by one ---

  /// q, v and a of the tree, where every joint has its own coordinates (Joint::tree_q, tree_v): here
  /// mimicking joints are resolved. Recursions over bodies run on these.
  const T* tree_q() const { return tree_ ? tree_->q.data() : q_.data(); }
  const T* tree_v() const { return tree_ ? tree_->v.data() : v_.data(); }
  const T* tree_a() const { return tree_ ? tree_->a.data() : a_.data(); }

  const detail::Skeleton<T>& skeleton() const { return skeleton_; }
  detail::Skeleton<T>& skeleton() { return skeleton_; }

 private:
  struct Tree {
    VecX<T> q, v, a;
  };
  /// Copies what is finite and of the right size, and refuses the rest.
  void take(const char* what, In<T> x, VecX<T>& to);
  /// Throws, the robot being neutral and at rest.
  [[noreturn, gnu::noinline]] void refuse(const char* what, In<T> x, Eigen::Index size);
  void set_joints();

  Model model_;
  VecX<T> q_, v_, a_;
  bool moves_ = false, accelerates_ = false;
  std::optional<Tree> tree_;  ///< only where joints mimic others
  detail::Skeleton<T> skeleton_;
};

namespace detail {

/// Throws std::invalid_argument where a motion belongs to another robot.
template <Scalar T>
inline void require_same_robot(const Plant<T>& plant, const Motion<T>& motion) {
  if (!same_tree(motion.model(), plant.model())) refuse_other_robot(motion.model(), plant.model());
}

}  // namespace detail

/// A motion as an argument: T comes from the plant, so that a Kinematics serves as well.
template <Scalar T>
using SameMotion = const std::type_identity_t<Motion<T>>&;

}  // namespace ulna
