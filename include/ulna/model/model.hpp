#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>

#include "ulna/model/description.hpp"
#include "ulna/model/drives.hpp"

namespace ulna {

namespace detail {
using Index = std::unordered_map<std::string_view, int>;  ///< of names
}

/// A joint as algorithms see it, in frames turned so that its axis is +z (a *canonical* frame; what
/// users see are their own frames). Joint i moves body i; body 0 is the base and has none.
struct Joint {
  JointType type = JointType::fixed;
  int parent = 0;  ///< the body it hangs on; parents come before children
  int q = 0;       ///< where its numbers begin in q, and in the velocity
  int v = 0;
  int tree_q = 0;  ///< the same in the coordinates of the tree, in which no joint mimics another
  int tree_v = 0;
  double pitch = 0.0;
  /// This joint moves as multiplier * q + offset of the joint it mimics; otherwise as its own q.
  int mimics = 0;  ///< 0: none
  double multiplier = 1.0;
  double offset = 0.0;
  Transform<double>
      X_PJ;               ///< canonical frame of the body at q = 0, in the parent's canonical frame
  Rotation<double> R_BC;  ///< canonical frame in the user's frame of this body
};

/// A frame fixed to a body: each link has one, and each named frame.
struct Frame {
  std::string_view name;
  int body = 0;
  Transform<double> X_BF;  ///< in the user's frame of the body
};

/// What the robot is: the tree of its moving bodies and everything fixed about them. Made by Builder,
/// immutable, and cheap to copy: copies share one state, and any number of threads may read it.
///
/// Order: bodies, joints and coordinates are numbered depth-first, children in the order of the
/// description, fixed joints left out (their links are lumped into the body that carries them).
/// Joints that mimic another have no coordinates of their own.
class Model {
 public:
  const std::string& name() const { return data_->description.name; }
  const Vec3<double>& gravity() const { return data_->description.gravity; }

  int nq() const { return data_->nq; }  ///< numbers in a configuration
  int nv() const { return data_->nv; }  ///< numbers in a velocity: the degrees of freedom
  /// Whether a joint mimics another. Otherwise every moving joint has coordinates of its own.
  bool has_mimics() const { return data_->has_mimics; }
  /// Coordinates of the tree alone, with those that mimicking joints would have: nq and nv without them.
  int tree_nq() const { return data_->tree_nq; }
  int tree_nv() const { return data_->tree_nv; }
  /// Bodies including the base, so that bodies are 0 .. body_count() - 1.
  int body_count() const { return static_cast<int>(data_->joints.size()); }
  /// Moving bodies, which is also the number of joints that move: 1 .. joint_count().
  int joint_count() const { return body_count() - 1; }

  /// joints()[i] moves body i; joints()[0] stands for the base and is fixed.
  std::span<const Joint> joints() const { return data_->joints; }
  const Joint& joint(int body) const { return joints()[body]; }
  /// The moving bodies, those with fewer joints between them and the base first.
  std::span<const int> bodies_by_depth() const { return data_->bodies_by_depth; }
  /// The joint that owns coordinate i of the velocity, not one that mimics it.
  const Joint& joint_of_coordinate(int i) const;
  std::string_view joint_name(int body) const;
  /// The link that the joint carries and whose frame is the body's frame.
  std::string_view body_name(int body) const;

  /// Inertias of the bodies in the users' frames, fixed links lumped in.
  std::span<const Inertia<double>> inertias() const { return data_->inertias; }
  /// The same in canonical frames.
  std::span<const Inertia<double>> canonical_inertias() const { return data_->canonical_inertias; }

  std::span<const Frame> frames() const { return data_->frames; }
  const Frame& frame(std::string_view name) const;  ///< throws std::out_of_range, with advice

  /// The body that a joint's name moves. Throws std::out_of_range, with advice.
  int joint_index(std::string_view name) const;
  std::optional<int> find_joint(std::string_view name) const;
  std::optional<int> find_frame(std::string_view name) const;

  /// Per coordinate; infinite where there is none.
  const Eigen::VectorXd& lower_limit() const { return data_->lower; }        ///< nq
  const Eigen::VectorXd& upper_limit() const { return data_->upper; }        ///< nq
  const Eigen::VectorXd& velocity_limit() const { return data_->velocity; }  ///< nv
  const Eigen::VectorXd& effort_limit() const { return data_->effort; }      ///< nv
  /// What the joints resist with, per degree of freedom, nv.
  const Eigen::VectorXd& damping() const { return data_->damping; }
  const Eigen::VectorXd& friction() const { return data_->friction; }
  const Eigen::VectorXd& friction_negative() const { return data_->friction_negative; }
  const Eigen::VectorXd& armature() const { return data_->armature; }
  /// Motors, gears and springs.
  const DriveTrain& drives() const { return data_->drives; }

  /// Names of the coordinates: the joint's, with _qw, _x, ... behind it if it has several.
  std::vector<std::string> configuration_names() const;
  std::vector<std::string> velocity_names() const;

  /// The description it was built from, repairs included.
  const Description& description() const { return data_->description; }

  /// The same robot elsewhere.
  Model with_gravity(const Vec3<double>& gravity) const;

 private:
  friend class Builder;
  friend class Assembler;
  /// The state that copies share. Names are views into the description, so it is never moved once it
  /// is made.
  struct Data {
    Description description;
    int nq = 0, nv = 0, tree_nq = 0, tree_nv = 0;
    bool has_mimics = false;
    std::vector<Joint> joints;
    std::vector<int> bodies_by_depth;
    std::vector<int> body_of_coordinate;  ///< nv
    std::vector<int> joint_of_body;       ///< in description.joints; -1 for the base
    std::vector<int> link_of_body;        ///< in description.links
    std::vector<Inertia<double>> inertias, canonical_inertias;
    std::vector<Frame> frames;
    detail::Index joint_names, frame_names;
    Eigen::VectorXd lower, upper, velocity, effort;
    Eigen::VectorXd damping, friction, friction_negative, armature;
    DriveTrain drives;

    Data() = default;
    Data(const Data&) = delete;
  };
  explicit Model(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

namespace detail {
bool same_joints(std::span<const Joint> a, std::span<const Joint> b);
}
/// Whether two robots are made of the same joints in the same order, so that coordinates of one are
/// coordinates of the other. Masses, places and gravity may differ.
inline bool same_tree(const Model& a, const Model& b) {
  return a.joints().data() == b.joints().data() || detail::same_joints(a.joints(), b.joints());
}

}  // namespace ulna
