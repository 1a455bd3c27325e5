#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ulna/geometry/mesh_file.hpp"
#include "ulna/model/model.hpp"

namespace ulna {

/// A shape that a body carries.
struct BodyShape {
  int body = 0;
  Transform<double> X_CS;  ///< in the canonical frame of the body
  CollisionShape shape;
  std::string link;  ///< whose description it is from
};

struct ShapeOptions {
  /// Where package:// and relative paths are looked for, after the folder of the robot's file and all above it.
  std::vector<std::filesystem::path> mesh_folders = {};
  PackageFolders packages = {};  ///< where package:// of a name is looked for first
  MeshLimits limits = {};
};

struct RobotShapes {
  std::vector<BodyShape> shapes;
  Diagnostics
      diagnostics;  ///< meshes that cannot be read and are left out, hulls in place of concave meshes
};

/// The collision shapes of a robot's description; meshes as their hulls. Those that cannot be made are
/// diagnostics and left out.
RobotShapes robot_shapes(const Model& model, const ShapeOptions& options = {});

/// A pair of shapes that contact shall leave out, and why.
struct LeftOut {
  enum class Why { adjacent, overlapping };
  int first, second;  ///< in the list of shapes
  Why why;  ///< their bodies hang on each other; they overlap in the neutral configuration
};

/// Pairs of shapes of different bodies that say nothing about collisions.
std::vector<LeftOut> left_out_pairs(const Model& model, const std::vector<BodyShape>& shapes);

}  // namespace ulna
