#pragma once

#include "ulna/world/posture.hpp"
#include "ulna/world/scene.hpp"

namespace ulna::cli {

/// What drives the robots of a scene, each as the scene says.
class SceneDrives {
 public:
  SceneDrives(const Scene& scene, const BuiltScene& built, double bandwidth, double period) {
    for (std::size_t i = 0; i < scene.robots.size(); ++i) {
      const std::string& torque = scene.robots[i].torque;
      if (torque == "zero") continue;
      const World& world = built.world;
      const int robot = built.robots[i];
      // gravity is a posture that nothing returns to
      drives_.push_back(
          {robot,
           ulna::Posture(world, robot, world.q(robot), {torque == "pd" ? bandwidth : 0.0, period}),
           {}});
    }
  }
  void act(World& world) {
    for (Drive& d : drives_) {
      d.posture.torque(world, d.tau);
      world.set_torque(d.robot, d.tau);
    }
  }

 private:
  struct Drive {
    int robot;
    ulna::Posture posture;
    Eigen::VectorXd tau;
  };
  std::vector<Drive> drives_;
};

}  // namespace ulna::cli
