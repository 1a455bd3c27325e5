#pragma once

#include "control/robot/holding.hpp"
#include "ulna/control/problem.hpp"

namespace ulna::control::detail {

/// By how much loops may be open at the start, in m or rad, as measured states are.
inline constexpr double nearly_closed = 1e-3;

/// What a robot's problem is about: what its terms have in common.
struct Task {
  struct Reference {
    Eigen::VectorXd q, v, tau;
    bool holds = true;     ///< tau is what holds the robot still at q,
    bool current = false;  ///< and has been computed
    std::vector<std::optional<Transform<double>>> frames;  ///< by task
  };

  /// Throws std::invalid_argument for options that contradict each other.
  Task(Plant<double> p, const RobotProblemOptions& options);

  const Model& model() const { return plant.model(); }
  int inputs(int node) const { return node < steps ? model().nv() + 2 * loop_rows() : 0; }
  int states() const { return 2 * model().nv() + (timed ? 1 : 0); }
  int variables(int node) const { return inputs(node) + states(); }
  int loop_rows() const { return loops ? loops->size() : 0; }
  /// Whether some position, or some velocity, of a node is not given.
  bool has_free_positions(int node) const { return node > 0 || free_positions > 0; }
  bool has_free_velocities(int node) const {
    return node > 0 || static_cast<int>(free.size()) > free_positions;
  }
  bool has_free_states(int node) const { return node > 0 || !free.empty(); }
  double duration(int node) const { return durations[static_cast<std::size_t>(node)]; }
  Reference& reference(int node) { return references[static_cast<std::size_t>(node)]; }

  /// The torques of references follow plant, weights and limits when they are used next.
  void outdate_torques();
  void update_torques();

  Plant<double> plant;
  std::vector<double> durations;
  double total;  ///< their sum
  int steps;
  bool timed;              ///< the final time is free
  bool flat;               ///< states are plain vectors
  std::vector<int> free;   ///< degrees of freedom of the first state that are,
  std::vector<int> given;  ///< and those of the last that are not
  int free_positions;
  std::optional<Loops> loops;
  std::optional<Capsules> capsules;
  MotionWeights weights;
  MotionLimits limits;
  Holding holding;
  Eigen::VectorXd at_rest;  ///< v = 0
  std::vector<Reference> references;
};

}  // namespace ulna::control::detail
