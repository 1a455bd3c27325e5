#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ulna/constraints/capsules.hpp"
#include "ulna/control/stages.hpp"
#include "ulna/simulate/step.hpp"

namespace ulna::control {

/// How a robot's motion becomes stages.
enum class Transcription {
  forward_dynamics,  ///< inputs are torques, constant in a step of forward dynamics
  /// inputs are accelerations, constant in a step; the torques that they need are constraints
  /// [Katayama, Ohtsuka 2021]. No mass matrix is inverted.
  inverse_dynamics,
};
const char* to_string(Transcription transcription);

/// Of squares of what a motion misses: see RobotProblem.
struct MotionWeights {
  Eigen::VectorXd position, velocity, torque;  ///< nv each
  double terminal = 10.0;                      ///< of the last stage, in seconds
  double time = 0.0;                           ///< price of a second, where the final time is free

  /// 10, 0.1, and 1 per square of the largest torque; 1e-4 where that is unlimited.
  explicit MotionWeights(const Model& model);
};

/// nv each; infinite where there is none.
struct MotionLimits {
  Eigen::VectorXd lower, upper;      ///< of positions; only of joints of one coordinate
  Eigen::VectorXd velocity, torque;  ///< of their magnitudes
  /// What a unit beyond a limit of position or velocity costs, and its square; infinity: they are
  /// hard. Torques are always kept.
  double price = infinity, price_squared = 0.0;

  /// The model's own.
  explicit MotionLimits(const Model& model);
  /// Closer by a share of their range: 0.05 leaves 90 % of it.
  MotionLimits& tighten(double share);
};

/// A frame that has somewhere to be, and the weights of squares of metres and radians.
struct FrameTask {
  std::string frame;
  double position = 100.0, orientation = 10.0;
};

struct RobotProblemOptions {
  Transcription transcription = Transcription::forward_dynamics;
  Integrator integrator = Integrator::rk4;  ///< of forward dynamics

  int threads = 1;  ///< that stages are evaluated on; 0: as many as there are cores

  int steps = 20;                      ///< the horizon: N steps between N + 1 nodes
  double duration = 0.02;              ///< of each, in seconds,
  std::vector<double> durations = {};  ///< unless they are given one by one

  /// At least and at most, in seconds, where the final time is free: steps keep their shares of it.
  std::optional<std::pair<double, double>> final_time = {};
  /// Which numbers of (q, v), by degree of freedom (2 nv), are given at the first node, and which must
  /// be those of the reference at the last. Empty: all at the first, none at the last.
  std::vector<bool> initial_given = {}, final_given = {};

  std::optional<MotionWeights> weights = {};  ///< none: as they come
  std::optional<MotionLimits> limits = {};
  std::vector<FrameTask> frames = {};

  /// Joints that close loops of the tree: `model.description().loops` are those of the robot's file.
  std::vector<LoopDescription> loops = {};
  Eigen::VectorXd closed_at = {};  ///< near which they are closed; empty: where all is neutral

  /// What the robot must not hit, at every node but a first one that is given. There can never be more
  /// obstacles than at first.
  std::optional<Capsules::Options> collisions = {};
  /// What a metre too close costs, and its square; infinity: distances are hard.
  double collision_price = infinity, collision_price_squared = 0.0;
};

}  // namespace ulna::control
