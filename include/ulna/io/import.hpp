#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ulna/model/diagnostic.hpp"
#include "ulna/model/model.hpp"
#include "ulna/model/packages.hpp"

/// From a robot's description to a Model.
namespace ulna {

struct ImportOptions {
  bool strict = false;              ///< refuse what would be repaired
  bool floating_base = false;       ///< put a floating joint under the base link
  bool independent_mimics = false;  ///< let mimicking joints move on their own
  std::size_t max_bytes = 32u << 20;
  std::size_t max_elements = 1'000'000;  ///< XML elements and attributes
  std::size_t max_links = 20'000;
  std::vector<std::pair<std::string, std::string>> arguments = {};  ///< of a xacro file, by name
  PackageFolders packages =
      {};  ///< where packages are that xacro files name, besides those that are found
};

struct Imported {
  Model model;
  Diagnostics diagnostics;  ///< notes and warnings, in the order of the file
};

/// A robot by name: a file (.urdf, .xacro, .mjcf, .sdf, .xml, .yaml, .yml), "-" for standard input, an embedded robot
/// ("panda"), or "chain:N", a generated chain of N revolute joints. Throws ModelError.
Imported load_robot(std::string_view name, const ImportOptions& options = {});

/// A description as text; its content decides what it is. `file` is used in messages.
Imported import_robot(std::string_view text, std::string file, const ImportOptions& options = {});

/// URDF 1.0 with what docs/formats.md lists beyond it.
Imported import_urdf(std::string_view text, std::string file, const ImportOptions& options = {});

/// URDF in the macro language xacro. Opens the files that it includes.
Imported import_xacro(std::string_view text, std::string file, const ImportOptions& options = {});

/// The part of MJCF, MuJoCo's format, that docs/formats.md lists. Opens the files that it includes.
Imported import_mjcf(std::string_view text, std::string file, const ImportOptions& options = {});

/// The part of SDF, Gazebo's format, that docs/formats.md lists. Opens the files that it includes.
Imported import_sdf(std::string_view text, std::string file, const ImportOptions& options = {});

/// A table in YAML: standard or modified Denavit-Hartenberg, or a product of exponentials.
Imported import_table(std::string_view text, std::string file, const ImportOptions& options = {});

/// The model as URDF. Read back, it is the same model.
std::string to_urdf(const Model& model);
/// The model as MJCF and as SDF. What these cannot express is reported (dynamics-lost) and left out.
std::string to_mjcf(const Model& model, Diagnostics& lost);
std::string to_sdf(const Model& model, Diagnostics& lost);

/// A chain of n revolute joints about y and z in turn, each carrying a rod: for measurements.
Model chain(int n);

/// A file of robots/, compiled into the library.
struct EmbeddedRobot {
  std::string_view name;       ///< "panda"
  std::string_view file_name;  ///< "panda.urdf"
  std::string_view text;
};
/// All of them, in the order of their file names.
std::span<const EmbeddedRobot> embedded_robots();

}  // namespace ulna
