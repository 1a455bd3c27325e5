#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "num/message.hpp"
#include "ulna/model/inspect.hpp"
#include "ulna/ros2/dds.hpp"

namespace ulna::ros2 {

/// Which number of a message belongs to which joint. Robots rarely change the order of their names, so that of the last message
/// is tried first.
class JointTable {
 public:
  explicit JointTable(const Model& model) : names_(model.velocity_names()), at_(names_.size(), 0) {
    const int compound = compound_joint(model);
    messages::require(model.nv() > 0 && compound == 0, "robot '", model.name(), "', joint '",
                      model.joint_name(compound),
                      "': over DDS joints have one degree of freedom each");
  }

  /// name(i) is that of number i, of `count`. Fault::joint_missing and Fault::garbled are about joint `amiss()`.
  template <class Name>
  Fault find(std::size_t count, Name name) {
    if (count > 0 && count == count_ && is_as_before(name)) return Fault::none;
    count_ = 0;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      amiss_ = k, at_[k] = count;
      for (std::size_t i = 0; i < count; ++i) {
        if (name(i) != names_[k]) continue;
        if (at_[k] < count) return Fault::garbled;  // twice
        at_[k] = i;
      }
      if (at_[k] == count) return Fault::joint_missing;
    }
    count_ = count;
    return Fault::none;
  }
  /// Of joint k.
  std::size_t operator[](std::size_t k) const { return at_[k]; }
  std::size_t size() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  const std::string& amiss() const { return names_[amiss_]; }

 private:
  template <class Name>
  bool is_as_before(Name name) const {
    for (std::size_t k = 0; k < names_.size(); ++k)
      if (name(at_[k]) != names_[k]) return false;
    return true;
  }

  std::vector<std::string> names_;
  std::vector<std::size_t> at_;
  std::size_t count_ = 0;  ///< of the last message; 0: at_ is not known
  std::size_t amiss_ = 0;
};

/// What is measured of a robot's joints.
struct JointSample {
  explicit JointSample(int n) : q(Eigen::VectorXd::Zero(n)), v(q), tau(q) {}
  double time = 0.0;  ///< when, by a clock that who uses it says
  Eigen::VectorXd q, v, tau;
};

/// Where each joint of the model is in a message without names: by the names that its numbers have, in order; none: as in the model.
inline std::vector<std::size_t> order_of(const std::vector<std::string>& joints,
                                         const std::vector<std::string>& model) {
  std::vector<std::size_t> at;
  for (std::size_t k = 0; k < model.size(); ++k) {
    const auto& names = joints.empty() ? model : joints;
    const auto i = std::size_t(std::find(names.begin(), names.end(), model[k]) - names.begin());
    messages::require(i < names.size(), "the joints of the commands lack '", model[k], "'");
    at.push_back(i);
  }
  messages::require(joints.empty() || joints.size() == model.size(),
                    "the joints of the commands are ", joints.size(), ", the robot has ",
                    model.size());
  return at;
}

}  // namespace ulna::ros2
