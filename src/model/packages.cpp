#include "ulna/model/packages.hpp"

#include <cstdlib>

namespace ulna {
namespace {
namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code none;
  return fs::is_directory(path, none);
}

/// The folders of a variable as PATH is one.
std::vector<fs::path> folders_of(const char* variable) {
  std::vector<fs::path> folders;
  const char* const value = std::getenv(variable);
  std::string_view rest = value ? value : "";
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    if (!folder.empty()) folders.emplace_back(folder);
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
  }
  return folders;
}

}  // namespace

std::optional<fs::path> find_package(std::string_view name, const fs::path& file,
                                     const PackageFolders& given) {
  for (const auto& [package, folder] : given)
    if (package == name) return folder;
  const fs::path part(name);
  // a name, not a way out of the folders
  if (name.empty() || part.has_parent_path() || name == "." || name == "..") return {};
  for (const fs::path& folder : folders_of("ROS_PACKAGE_PATH")) {
    if (is_folder(folder / part)) return folder / part;
    if (folder.filename() == part && is_folder(folder)) return folder;
  }
  for (const fs::path& prefix : folders_of("AMENT_PREFIX_PATH"))
    if (is_folder(prefix / "share" / part)) return prefix / "share" / part;
  std::error_code none;
  for (fs::path folder = fs::absolute(file, none).lexically_normal().parent_path();;
       folder = folder.parent_path()) {
    if (folder.filename() == part) return folder;
    if (is_folder(folder / part)) return folder / part;
    if (folder == folder.parent_path()) return {};
  }
}

}  // namespace ulna
