#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ulna {

/// Folders of packages by name.
using PackageFolders = std::vector<std::pair<std::string, std::filesystem::path>>;

/// The folder of a ROS package: as given, or found by ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, or as a folder of this name
/// above a file or beside one above it.
std::optional<std::filesystem::path> find_package(std::string_view name,
                                                  const std::filesystem::path& file,
                                                  const PackageFolders& given = {});

}  // namespace ulna
