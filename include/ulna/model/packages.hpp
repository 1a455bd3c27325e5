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

/// The folder of a ROS package: as given; a folder of ROS_PACKAGE_PATH or in one, or below one if it has a package.xml; in `share` of a folder of
/// AMENT_PREFIX_PATH; or of this name above a file or beside one above it. Looks at some 20,000 folders below ROS_PACKAGE_PATH at most.
std::optional<std::filesystem::path> find_package(std::string_view name,
                                                  const std::filesystem::path& file,
                                                  const PackageFolders& given = {});

/// A file of a package, in the first of these folders that has it.
std::optional<std::filesystem::path> find_in_package(std::string_view name,
                                                     const std::filesystem::path& inside,
                                                     const std::filesystem::path& file,
                                                     const PackageFolders& given = {});

}  // namespace ulna
