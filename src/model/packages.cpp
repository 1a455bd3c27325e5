#include "ulna/model/packages.hpp"

#include <cstdlib>
#include <functional>

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

using Accepts = std::function<bool(const fs::path&)>;

/// Below a root of ROS_PACKAGE_PATH: packages are not within packages, nor in hidden folders.
std::optional<fs::path> below(const fs::path& root, const fs::path& name, const Accepts& accepts) {
  constexpr int deepest = 5, most = 20'000;
  std::error_code error;
  int seen = 0;
  fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator() && seen < most; at.increment(error)) {
    if (!at->is_directory(error)) continue;
    ++seen;
    const bool package = fs::is_regular_file(at->path() / "package.xml", error);
    if (package && at->path().filename() == name && accepts(at->path())) return at->path();
    if (package || at.depth() >= deepest || at->path().filename().string().starts_with("."))
      at.disable_recursion_pending();
  }
  return {};
}

std::optional<fs::path> search(std::string_view name, const fs::path& file,
                               const PackageFolders& given, const Accepts& accepts) {
  for (const auto& [package, folder] : given)
    if (package == name && accepts(folder)) return folder;
  const fs::path part(name);
  // a name, not a way out of the folders
  if (name.empty() || part.has_parent_path() || name == "." || name == "..") return {};
  for (const fs::path& root : folders_of("ROS_PACKAGE_PATH")) {
    if (accepts(root / part)) return root / part;
    if (root.filename() == part && accepts(root)) return root;
    if (auto found = below(root, part, accepts)) return found;
  }
  for (const fs::path& prefix : folders_of("AMENT_PREFIX_PATH"))
    if (accepts(prefix / "share" / part)) return prefix / "share" / part;
  std::error_code none;
  for (fs::path folder = fs::absolute(file, none).lexically_normal().parent_path();;
       folder = folder.parent_path()) {
    if (folder.filename() == part && accepts(folder)) return folder;
    if (accepts(folder / part)) return folder / part;
    if (folder == folder.parent_path()) return {};
  }
}

}  // namespace

std::optional<fs::path> find_package(std::string_view name, const fs::path& file,
                                     const PackageFolders& given) {
  return search(name, file, given, is_folder);
}

std::optional<fs::path> find_in_package(std::string_view name, const fs::path& inside,
                                        const fs::path& file, const PackageFolders& given) {
  const auto has_it = [&](const fs::path& folder) {
    std::error_code none;
    return fs::is_regular_file(folder / inside, none);
  };
  const auto folder = search(name, file, given, has_it);
  return folder ? std::optional(*folder / inside) : std::nullopt;
}

}  // namespace ulna
