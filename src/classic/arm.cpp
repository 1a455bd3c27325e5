#include "num/message.hpp"
#include "ulna/classic/chain.hpp"
#include "ulna/model/description.hpp"

namespace ulna::classic {

void require_size(const char* what, Eigen::Index given, Eigen::Index joints) {
  messages::require(given == joints, what, " has ", given, " numbers, the arm has ", joints,
                    " joints");
}

namespace detail {
namespace {

bool is_suitable(JointType type) {
  return type == JointType::revolute || type == JointType::continuous ||
         type == JointType::prismatic;
}

}  // namespace

void require_arm(const Model& model) {
  const auto require = [&](bool right, const auto&... otherwise) {
    messages::require(right, "robot '", model.name(), "': ", otherwise...);
  };
  const char* for_what =
      "; the classical formulations are for revolute and prismatic joints: lock or cut off the "
      "joint, or compute without them (ulna/dynamics; ulna id, ulna terms)";
  const char* own_coordinates =
      "'; the classical formulations do not support mimic joints: make them independent or lock "
      "them";
  for (int b = 1; b < model.body_count(); ++b) {
    const Joint& j = model.joint(b);
    require(is_suitable(j.type), "joint '", model.joint_name(b), "' is ", to_string(j.type),
            for_what);
    require(!j.mimics, "joint '", model.joint_name(b), "' mimics joint '",
            model.joint_name(j.mimics), own_coordinates);
  }
  for (const LoopDescription& loop : model.description().loops)
    require(false, "joint '", loop.name,
            "' closes a loop; the classical formulations are for open arms");
  require(model.joint_count() > 0, "no joint moves, so there are no equations of motion");
}

void require_order(int link, int parent) {
  messages::require(parent >= 0 && parent < link, "link ", link, ": its parent is link ", parent,
                    "; parents must come before their children");
}

void refuse_tree() {
  throw std::invalid_argument(
      "the arm has branches; this formulation is for a single chain: remove the other branches, "
      "or use a formulation by screws or body Jacobians");
}

}  // namespace detail
}  // namespace ulna::classic
