#include "ulna/classic/chain.hpp"

#include "ulna/model/description.hpp"

namespace ulna::classic::detail {

void require_arm(const Model& model) {
  const std::string robot = "robot '" + model.name() + "': ";
  const std::string remedy =
      "; the classical formulations are for revolute and prismatic joints: use the functions of "
      "ulna/dynamics, or lock or cut off the joint";
  for (int b = 1; b < model.body_count(); ++b) {
    const Joint& j = model.joint(b);
    const std::string name = "joint '" + std::string(model.joint_name(b)) + "'";
    if (j.type != JointType::revolute && j.type != JointType::continuous &&
        j.type != JointType::prismatic)
      throw std::invalid_argument(robot + name + " is " + std::string(to_string(j.type)) + remedy);
    if (j.mimics)
      throw std::invalid_argument(robot + name + " mimics joint '" +
                                  std::string(model.joint_name(j.mimics)) +
                                  "'; the classical formulations need joints of their own "
                                  "coordinates: set mimicking joints free or lock them");
  }
  if (!model.description().loops.empty())
    throw std::invalid_argument(robot + "joint '" + model.description().loops.front().name +
                                "' closes a loop; the classical formulations are for open arms");
  if (model.joint_count() == 0)
    throw std::invalid_argument(robot + "no joint moves, so there are no equations of motion");
}

void refuse_size(const char* what, Eigen::Index given, int wanted) {
  throw std::invalid_argument(std::string(what) + " has " + std::to_string(given) +
                              " numbers, the arm has " + std::to_string(wanted) + " joints");
}

void refuse_tree() {
  throw std::invalid_argument(
      "the arm branches; this formulation is for a single chain, where link i carries link i+1 "
      "only: "
      "cut the other branches off, or take a formulation by screws or body Jacobians");
}

}  // namespace ulna::classic::detail
