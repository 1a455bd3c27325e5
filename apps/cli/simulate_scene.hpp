#pragma once

#include "ulna/world/scene.hpp"
#include "verb.hpp"

/// Simulation of what touches: a scene, or a robot on the ground.
namespace ulna::cli {

struct SceneOptions {
  double duration = 5.0, period = 1e-3, bandwidth = 10.0;
  std::string out, plot, picture;
  bool force = false;
  std::optional<AdaptiveOptions> adaptive{};  ///< instead of steps of one length
};

/// The scene in a file if that is one; else none. Throws ModelError.
std::optional<Scene> scene_in(const std::string& file, Diagnostics& diagnostics);

/// Throws UsageError for options of simulation in free space, and for `more`, which a scene has itself.
void refuse_without_contact(const Parser& app, bool adaptive,
                            std::initializer_list<const char*> more);

/// A robot on a plane. With a floating base it is set down on it unless its configuration was given.
Scene robot_on_ground(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                      bool set_down, const std::string& torque, double friction, double step);

/// Runs it and reports: the exit status.
int run_scene(const SceneOptions& options, const Scene& scene, Diagnostics diagnostics,
              Console& console);

}  // namespace ulna::cli
