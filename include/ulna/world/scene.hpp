#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ulna/io/import.hpp"
#include "ulna/world/world.hpp"

/// Scenes: robots, loose bodies, ground and obstacles in one file. docs/contact.md has the keys.
namespace ulna {

struct SceneFixed {
  std::string name;
  CollisionShape shape;
  Transform<double> X_WS = {};
  ContactMaterial material = {};
  int line = 0;
};

struct SceneBody {
  LooseBody body;
  Transform<double> X_WB = {};
  Vec3<double> velocity = Vec3<double>::Zero();  ///< of its origin, in world axes
  Vec3<double> spin = Vec3<double>::Zero();      ///< rad/s, in world axes
  int line = 0;
};

struct SceneRobot {
  std::string name;
  Model model;
  Eigen::VectorXd q, v;
  RobotOptions options = {};
  std::string torque = "zero";  ///< zero, gravity or pd
  int line = 0;
};

struct Scene {
  std::string name = "scene", file;
  WorldOptions options = {};
  std::vector<SceneFixed> fixed = {};
  std::vector<SceneBody> bodies = {};
  std::vector<SceneRobot> robots = {};
};

/// Whether a text is a scene: YAML that begins with ulna: scene.
bool is_scene(std::string_view text);

/// Reads a scene. Robots are named as load_robot does it; files first relative to the scene's. What is
/// repaired goes to the diagnostics; throws ModelError for what is refused.
Scene import_scene(std::string_view text, const std::string& file, Diagnostics& diagnostics);

/// A scene in which everything stands; `objects` are the numbers of its robots and bodies.
struct BuiltScene {
  World world;
  std::vector<int> fixed = {}, bodies = {}, robots = {};
};

/// Builds it, and reports what is inside each other at the beginning, masses that differ by more than 1e6 and
/// shapes that could not be read. Throws ModelError.
BuiltScene build_scene(const Scene& scene, Diagnostics& diagnostics);

}  // namespace ulna
