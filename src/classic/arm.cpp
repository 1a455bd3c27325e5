#include "ulna/classic/chain.hpp"

#include "ulna/model/description.hpp"

namespace ulna::classic {

void require_size(const char* what, Eigen::Index given, Eigen::Index joints) {
  if (given != joints)
    throw std::invalid_argument(std::string(what) + " has " + std::to_string(given) +
                                " numbers, the arm has " + std::to_string(joints) + " joints");
}

namespace detail {
namespace {

[[noreturn]] void refuse(const Model& model, std::initializer_list<std::string_view> why) {
  std::string text = "robot '" + model.name() + "': ";
  for (const std::string_view part : why) text += part;
  throw std::invalid_argument(text);
}

bool is_suitable(JointType type) {
  return type == JointType::revolute || type == JointType::continuous ||
         type == JointType::prismatic;
}

}  // namespace

void require_arm(const Model& model) {
  const char* for_what =
      "; the classical formulations are for revolute and prismatic joints: use the functions of "
      "ulna/dynamics, or lock or cut off the joint";
  const char* own_coordinates =
      "'; the classical formulations need joints of their own coordinates: set mimicking joints "
      "free or lock them";
  for (int b = 1; b < model.body_count(); ++b) {
    const Joint& j = model.joint(b);
    if (!is_suitable(j.type))
      refuse(model, {"joint '", model.joint_name(b), "' is ", to_string(j.type), for_what});
    if (j.mimics)
      refuse(model, {"joint '", model.joint_name(b), "' mimics joint '", model.joint_name(j.mimics),
                     own_coordinates});
  }
  if (!model.description().loops.empty())
    refuse(model, {"joint '", model.description().loops.front().name,
                   "' closes a loop; the classical formulations are for open arms"});
  if (model.joint_count() == 0)
    refuse(model, {"no joint moves, so there are no equations of motion"});
}

void require_order(int link, int parent) {
  if (parent < 0 || parent >= link)
    throw std::invalid_argument("link " + std::to_string(link) + ": its parent is link " +
                                std::to_string(parent) +
                                "; parents must come before their children");
}

void refuse_tree() {
  throw std::invalid_argument(
      "the arm branches; this formulation is for a single chain, where link i carries link i+1 "
      "only: cut the other branches off, or take a formulation by screws or body Jacobians");
}

}  // namespace detail
}  // namespace ulna::classic
