#pragma once

#include "ulna/world/scene.hpp"
#include "verb.hpp"

/// Simulation of what touches: a scene, or a robot on the ground.
namespace ulna::cli {

struct SceneOptions {
  double duration = 5.0, period = 1e-3, bandwidth = 10.0;
  std::string out, plot, picture;
  bool force = false, joint_friction = true;
  std::optional<AdaptiveOptions> adaptive{};  ///< instead of steps of one length
  Json robot{};                               ///< of the document, if there is one
};

/// The scene that a file or standard input holds, if it is one; else none. Throws ModelError, Failure.
std::optional<Scene> scene_in(RobotArgument& argument, Diagnostics& diagnostics);

/// Throws UsageError for options of simulation in free space.
void refuse_without_contact(const Parser& app, bool adaptive);
/// The same for those whose place is in a scene.
void refuse_with_scene(const Parser& app);

/// A robot on a plane. A floating base that is where the neutral configuration has it is set down on it.
Scene robot_on_ground(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                      const std::string& torque, double friction, double step);

/// Runs it and reports: the exit status. Steps are as long as the scene has them, or shorter: a period has a whole
/// number of them.
int run_scene(SceneOptions options, Scene scene, Diagnostics diagnostics, Console& console);

}  // namespace ulna::cli
