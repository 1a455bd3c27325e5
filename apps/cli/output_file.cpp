#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "verb.hpp"

namespace ulna::cli {
namespace {

[[noreturn]] void refuse(const std::string& path, std::string_view why) {
  throw Failure("cannot write '{}': {}", path, why);
}

[[noreturn]] void refuse_existing(const std::string& path) {
  throw Failure("'{}' exists; --force overwrites it", path);
}

/// errno of what failed, or 0.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    text.remove_prefix(n);
  }
  return 0;
}

/// A file beside another, gone again unless it takes that one's name.
class Beside {
 public:
  static constexpr const char* ending = ".XXXXXX";
  explicit Beside(const std::string& target) : name_(target + ending) {
    fd_ = mkostemp(name_.data(), O_CLOEXEC);
    if (fd_ < 0) refuse(target, std::strerror(errno));
  }
  ~Beside() {
    if (fd_ >= 0) close(fd_);
    if (!name_.empty()) unlink(name_.c_str());
  }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  /// errno of what failed, or 0.
  int fill(std::string_view text, mode_t mode) {
    if (const int error = write_all(fd_, text)) return error;
    if (fchmod(fd_, mode) != 0 || fsync(fd_) != 0) return errno;
    return close(std::exchange(fd_, -1)) == 0 ? 0 : errno;
  }

  int take_name(const std::string& target, bool replace) {
    // link, unlike rename, never replaces a file that has come into being meanwhile
    if (!replace && ::link(name_.c_str(), target.c_str()) == 0) return 0;
    if (!replace && errno == EEXIST) return EEXIST;
    if (rename(name_.c_str(), target.c_str()) != 0) return errno;
    name_.clear();
    return 0;
  }

 private:
  std::string name_;
  int fd_ = -1;
};

/// Throws if no file can be made in the folder, as in /proc, whatever its permissions are.
void require_room(const std::string& path, const std::string& folder) {
  std::string trial = (std::filesystem::path(folder) / "ulna").string() + Beside::ending;
  const int fd = mkostemp(trial.data(), O_CLOEXEC);
  if (fd < 0)
    refuse(path,
           fmt::format("no file can be made in folder '{}': {}", folder, std::strerror(errno)));
  close(fd);
  unlink(trial.c_str());
}

mode_t usual_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

void refuse_overwriting(const std::vector<std::string>& files, bool force) {
  for (const std::string& path : files) {
    struct stat found {};
    if (path.empty() || path == "-" || stat(path.c_str(), &found) != 0) continue;
    if (S_ISDIR(found.st_mode)) refuse(path, "this is a folder");
    if (S_ISREG(found.st_mode) && !force) refuse_existing(path);
  }
}

void require_writable(const std::vector<std::string>& files, bool force) {
  refuse_overwriting(files, force);
  std::set<std::string> taken;
  for (const std::string& path : files) {
    struct stat found {};
    if (path.empty() || path == "-") continue;
    const bool exists = stat(path.c_str(), &found) == 0;
    if (exists && !S_ISREG(found.st_mode)) {
      if (access(path.c_str(), W_OK) != 0) refuse(path, std::strerror(errno));
      continue;  // a device or a pipe, which is written to as it is
    }
    std::error_code ignored;
    const std::filesystem::path whole = std::filesystem::weakly_canonical(path, ignored);
    if (!taken.insert(ignored ? path : whole.string()).second)
      throw UsageError("'{}' is named for two outputs", path);
    // a file is written beside the one it replaces, under a longer name
    const std::size_t longest = NAME_MAX - std::strlen(Beside::ending);
    if (std::filesystem::path(path).filename().native().size() > longest)
      refuse(path, fmt::format("its name has more than {} bytes", longest));
    // what a symbolic link points to is replaced, not the link
    const std::filesystem::path target = exists && !ignored ? whole : std::filesystem::path(path);
    const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
    if (access(folder.c_str(), W_OK | X_OK) != 0)
      refuse(path, errno == ENOENT ? fmt::format("there is no folder '{}'", folder)
                                   : fmt::format("folder '{}': {}", folder, std::strerror(errno)));
    require_room(path, folder);
  }
}

void require_folder(const std::string& folder) {
  std::filesystem::path there = folder;
  std::error_code error;
  while (there.has_relative_path() && !std::filesystem::exists(there, error))
    there = there.parent_path();
  if (there.empty()) there = ".";
  if (!std::filesystem::is_directory(there, error))
    refuse(folder, fmt::format("'{}' is no folder", there.string()));
  require_room(folder, there.string());
}

void require_others(const std::vector<std::string>& outputs,
                    const std::vector<std::string>& inputs) {
  for (const std::string& out : outputs)
    for (const std::string& in : inputs) {
      std::error_code missing;  // what does not exist is not the same file
      if (!out.empty() && std::filesystem::is_regular_file(out, missing) &&
          std::filesystem::equivalent(out, in, missing) && !missing)
        throw UsageError("'{}' is read and would be overwritten", out);
    }
}

void write_file(const std::string& path, std::string_view text, bool force) {
  struct stat found {};
  const bool exists = stat(path.c_str(), &found) == 0;
  if (exists && !S_ISREG(found.st_mode)) {
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    int error = fd < 0 ? errno : write_all(fd, text);
    if (fd >= 0 && close(fd) != 0 && !error) error = errno;
    if (error) refuse(path, std::strerror(error));
    return;
  }
  // what a symbolic link points to is replaced, not the link
  std::error_code ignored;
  std::string target = exists ? std::filesystem::canonical(path, ignored).string() : path;
  if (ignored) target = path;
  Beside file(target);
  if (const int error = file.fill(text, exists ? found.st_mode & 07777 : usual_mode()))
    refuse(path, std::strerror(error));
  const int error = file.take_name(target, force);
  if (error == EEXIST) refuse_existing(path);
  if (error) refuse(path, std::strerror(error));
}

void ResultFiles::write(const std::string& path, std::string_view text) try {
  if (!path.empty()) write_or_print(console_, path, text, force_);
} catch (const Failure& e) {
  if (error_.empty()) error_ = e.what();
}

Json ResultFiles::json() const {
  return error_.empty() ? Json::object() : Json{{"error", error_}, {"diagnostics", Json::array()}};
}

int ResultFiles::finish(int status) const {
  if (error_.empty()) return status;
  console_.complain(error_);
  return failure;
}

void write_or_print(Console& console, const std::string& path, std::string_view text, bool force) {
  if (path == "-")
    console.out.print(text);
  else
    write_file(path, text, force);
}

}  // namespace ulna::cli
