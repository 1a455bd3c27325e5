#pragma once

#include <string>

/// Where the project lies. Not macros of each file: their objects can then be shared between clones.
namespace ulna::test {

/// A path below the project's folder: project_path("docs/cli.md").
std::string project_path(const std::string& below);
/// The command `ulna`, or "" where it is not built.
const char* command_path();
/// The program that writes bags by the libraries of ROS 1, or "" where these are not installed.
const char* rosbag_writer_path();

}  // namespace ulna::test
