#pragma once

#include <CLI/CLI.hpp>

#include "console.hpp"
#include "ulna/ulna.hpp"

namespace ulna::cli {

/// The argument ROBOT and the options for reading it: the same for every verb.
struct RobotArgument {
  std::string name;
  ImportOptions options;

  void add_to(CLI::App& app, const char* argument = "ROBOT");

  /// Throws ModelError.
  Imported load() const { return load_robot(name, options); }
  /// The file's name, "<stdin>", "panda.urdf (embedded)" or "chain:7 (generated)".
  std::string source() const;
  /// Name, source and degrees of freedom.
  Json json(const Model& model) const;
};

/// One line on standard error if the importer had to assume anything: nothing is guessed silently.
void mention_warnings(Console& console, const RobotArgument& robot, const Diagnostics& diagnostics);

}  // namespace ulna::cli
