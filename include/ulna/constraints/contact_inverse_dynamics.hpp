#pragma once

#include <span>
#include <vector>

#include "ulna/constraints/cones.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna {

/// A point of a robot that stands on something, in the axes of its base, where gravity is Plant::gravity.
struct Support {
  int body = 0;
  Vec3<double> point = Vec3<double>::Zero();
  Vec3<double> normal = Vec3<double>::UnitZ();  ///< out of what it stands on, unit
  double friction = 0.8;
};

/// The torques and contact forces of a motion that is given, for robots that stand or hold something: of all
/// forces F within the friction cones that make
///
///     M(q) a + c(q, v) + friction = tau + Σ J'F
///
/// true without drives where there are none (the six coordinates of a floating base), those with the least effort
/// Σ (tau/limit)²; of forces that need the same effort, the smallest. A convex problem, solved by ADMM with a
/// multiplier for the undriven rows [Boyd et al. 2011]. Made once, it allocates no more, up to as many supports as it has seen.
///
///     ContactInverseDynamics stand(model);
///     at.set(q, v, a);
///     if (stand(plant, at, ws, feet, tau, forces)) ...
class ContactInverseDynamics {
 public:
  /// Without drives are floating joints, and coordinates whose effort limit is zero.
  explicit ContactInverseDynamics(const Model& model);

  /// Writes tau (nv; zero where there are no drives) and the forces on the robot, one for each support. False if no forces
  /// within the cones are enough: then tau and forces are those that come closest.
  [[nodiscard]] bool operator()(const Plant<double>& plant, const Kinematics<double>& at,
                                Workspace<double>& ws, std::span<const Support> supports,
                                Out<double> tau, std::span<Vec3<double>> forces);

  /// What undriven rows lack at the end, N or Nm.
  double residual() const { return residual_; }
  /// Below this share of the robot's weight the residual counts as none.
  double tolerance = 1e-8;

 private:
  void add_supports(const Kinematics<double>& at, std::span<const Support> supports);

  std::vector<char> driven_;
  Eigen::VectorXd weight_, needed_, multiplier_;
  ConeProblem problem_;
  ConeSolver solver_;
  std::vector<Vec3<double>> axes_;
  double residual_ = 0.0;
};

}  // namespace ulna
