#pragma once

#include <map>

#include "ulna/model/diagnostic.hpp"
#include "ulna/model/model.hpp"

namespace ulna::detail {

/// Makes a DriveTrain from joints, springs and motors that were checked one by one.
class DriveAssembly {
 public:
  DriveAssembly(DriveTrain& to, int nv);

  /// The joint that a coordinate belongs to, and where it stands in q (-1: the joint has several).
  void joint(int coordinate, int position, std::string_view name) {
    joints_[coordinate] = name, to_.positions[coordinate] = position;
  }
  /// The armature of a joint with a spring is on the motor's side: it is taken from the list.
  void spring(int coordinate, const Spring& spring, Eigen::VectorXd& armature);
  void motor(const MotorDescription& motor, std::vector<DriveTrain::Entry> gears);
  /// Motors of one rigid joint are added to what the joint itself has.
  void finish(const Description& d, Diagnostics& out, Eigen::VectorXd& damping,
              Eigen::VectorXd& friction, Eigen::VectorXd& friction_negative,
              Eigen::VectorXd& armature);
  /// Of separate motors, by number.
  const std::vector<std::pair<int, RotorMount>>& mounts() const { return mounts_; }

 private:
  struct Motor {
    const MotorDescription* given;
    std::vector<DriveTrain::Entry> gears;
  };
  bool number_motors(const Description& d, Diagnostics& out);
  bool find_shares(const Description& d, Diagnostics& out);
  bool is_elastic(int coordinate) const { return to_.stiffness(coordinate) > 0.0; }
  void refuse(const Description& d, Diagnostics& out, const Motor& motor, std::string seen) const;

  DriveTrain& to_;
  std::vector<std::string_view> joints_;
  std::vector<Motor> given_;
  std::vector<const Motor*> motors_;  ///< by number; nullptr: a joint is driven directly
  std::vector<std::pair<int, RotorMount>> mounts_;
};

}  // namespace ulna::detail
