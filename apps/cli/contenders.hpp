#pragma once

#include <functional>

#include "ulna/classic/formulation.hpp"
#include "ulna/ulna.hpp"

/// The classical formulations beside the fast algorithms, for rigid bodies alone.
namespace ulna::cli {

template <Scalar T>
struct Contender {
  std::string_view name, source;

  /// Where the robot is and how it moves; not part of the work.
  std::function<void(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a)> set;
  /// The work: from motion to torques, or from torques to motion.
  std::function<void()> run;
  /// The torques of the motion, after run().
  std::function<VecX<T>()> torque;

  /// These terms by themselves; empty if it does not compute them.
  std::function<MatX<T>()> mass_matrix = {};
  std::function<VecX<T>()> bias = {};
};

/// Classical ones first. For double and Counted. Throws std::invalid_argument if the robot is no arm
/// of revolute and prismatic joints, or has too many of them to be counted in reasonable time.
template <Scalar T>
std::vector<Contender<T>> contenders(const Model& model);

inline constexpr int most_joints = 64;

}  // namespace ulna::cli
