#pragma once

#include "names.hpp"
#include "ulna/model/model.hpp"

namespace ulna {

/// The state that copies of a Model share. Names are views into the description, so a Data is
/// never moved once it is made.
struct Model::Data {
  Description description;

  int nq = 0, nv = 0;
  bool has_mimics = false;
  std::vector<Joint> joints;
  std::vector<int> body_of_coordinate;  ///< nv
  std::vector<int> joint_of_body;       ///< in description.joints; -1 for the base
  std::vector<int> link_of_body;        ///< in description.links
  std::vector<Inertia<double>> inertias, canonical_inertias;
  std::vector<Frame> frames;
  detail::Names joint_names, frame_names;

  Eigen::VectorXd lower, upper, velocity, effort;
  Eigen::VectorXd damping, friction, friction_negative, armature;

  Data() = default;
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
};

}  // namespace ulna
