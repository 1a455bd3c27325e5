#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "ulna/classic/formulation.hpp"
#include "ulna/ulna.hpp"

/// The classical formulations and the fast algorithms side by side, for `count` and `compare`: rigid
/// bodies alone, without friction and rotor inertia.
namespace ulna::cli {

template <Scalar T>
class Contender {
 public:
  virtual ~Contender() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view source() const = 0;

  /// Where the robot is and how it moves; not part of the work.
  virtual void set(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) = 0;
  /// The work: from motion to torques, or from torques to motion.
  virtual void run() = 0;
  /// The torques of the motion, after run().
  virtual VecX<T> torque() const = 0;

  /// Whether it also computes these terms by themselves.
  virtual bool has_terms() const = 0;
  virtual MatX<T> mass_matrix() = 0;
  virtual VecX<T> bias() = 0;
};

/// Classical ones first. For double and Counted. Throws std::invalid_argument if the robot is no arm
/// of revolute and prismatic joints, or has too many of them to be counted in reasonable time.
template <Scalar T>
std::vector<std::unique_ptr<Contender<T>>> contenders(const Model& model);

inline constexpr int most_joints = 64;

}  // namespace ulna::cli
