#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "support/paths.hpp"

/// Runs programs, as a rule the command `ulna`, and tells all that they did.
namespace ulna::test {

/// A folder for a test's files, gone when the test is over.
class Folder {
 public:
  Folder() {
    std::string pattern = testing::TempDir() + "/ulna-XXXXXX";
    if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a folder: " + pattern);
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name = "") const { return path_ / name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      list.push_back(entry.path().filename());
    return list;
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct RunOptions {
  std::string input{};
  std::map<std::string, std::string> environment{};  ///< beside PATH and LC_ALL=C.UTF-8
  std::string folder{};                              ///< to run in
  std::string output{};           ///< a file that takes standard output; "closed": none does
  bool terminal = false;          ///< both outputs go to one terminal of 80 columns, told in `out`
  std::size_t read_at_most = -1;  ///< of standard output, which then is closed
  std::optional<rlim_t> largest_file{};  ///< bytes
  std::optional<std::chrono::microseconds> killed_after{};
  std::optional<std::chrono::milliseconds> interrupted_after{};  ///< by Ctrl-C, or
  int interrupted_by = SIGINT;
  double seconds = 60.0;  ///< after which it is killed and the test fails
};

struct RunResult {
  std::string out, err;
  int status = -1;  ///< exit status, or -1 if a signal ended it
  int signal = 0;
  long kilobytes = 0;  ///< the most memory it had
  double cpu_seconds = 0.0;
  double seconds_to_end = 0.0;  ///< of computing, since it was interrupted
};

namespace detail {

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) == 0) read = ends[0], write = ends[1];
  }
};

inline void close_fd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

inline int open_terminal(std::string& other_end) {
  const int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (fd < 0 || grantpt(fd) != 0 || unlockpt(fd) != 0) return -1;
  const winsize size{24, 80, 0, 0};
  ioctl(fd, TIOCSWINSZ, &size);
  other_end = ptsname(fd);
  return fd;
}

}  // namespace detail

inline RunResult run(const std::vector<std::string>& command, const RunOptions& options = {}) {
  using Clock = std::chrono::steady_clock;
  std::signal(SIGPIPE, SIG_IGN);

  std::vector<std::string> variables{"LC_ALL=C.UTF-8"};
  if (options.environment.contains("LC_ALL")) variables.clear();
  // PATH, and what sanitizers and coverage are told by
  for (const char* name : {"PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"})
    if (const char* value = std::getenv(name)) variables.push_back(std::string(name) + "=" + value);
  for (const auto& [name, value] : options.environment) variables.push_back(name + "=" + value);
  std::vector<char*> argv, envp;
  for (const std::string& s : command) argv.push_back(const_cast<char*>(s.c_str()));
  for (const std::string& s : variables) envp.push_back(const_cast<char*>(s.c_str()));
  argv.push_back(nullptr), envp.push_back(nullptr);

  detail::Pipe in, out, err;
  std::string terminal_name;
  if (options.terminal) {
    detail::close_fd(out.read);
    out.read = detail::open_terminal(terminal_name);
    if (out.read < 0) {
      ADD_FAILURE() << "there is no pseudo terminal";
      return {};
    }
  }
  const Clock::time_point begin = Clock::now();
  double signalled = 0.0;  // s of computing until then
  const pid_t child = fork();
  if (child == 0) {
    int to = options.terminal             ? open(terminal_name.c_str(), O_RDWR | O_NOCTTY)
             : options.output.empty()     ? out.write
             : options.output == "closed" ? -1
                                          : open(options.output.c_str(), O_WRONLY | O_CREAT, 0666);
    dup2(in.read, 0);
    if (to >= 0)
      dup2(to, 1);
    else
      close(1);
    dup2(options.terminal ? to : err.write, 2);
    if (options.largest_file) {
      const rlimit limit{*options.largest_file, *options.largest_file};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    std::signal(SIGPIPE, SIG_DFL);
    if (!options.folder.empty() && chdir(options.folder.c_str()) != 0) _exit(126);
    execvpe(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  detail::close_fd(in.read), detail::close_fd(out.write), detail::close_fd(err.write);
  fcntl(in.write, F_SETFL, O_NONBLOCK);

  RunResult result;
  std::string_view input = options.input;
  bool late = false, killed = false, interrupted = false;
  const auto passed = [&] { return Clock::now() - begin; };
  const auto receive = [](int& fd, std::string& text) {
    char block[1 << 16];
    const ssize_t n = read(fd, block, sizeof block);
    if (n > 0)
      text.append(block, static_cast<std::size_t>(n));
    else
      detail::close_fd(fd);
  };
  while (out.read >= 0 || err.read >= 0) {
    if (result.out.size() >= options.read_at_most) detail::close_fd(out.read);
    if (input.empty()) detail::close_fd(in.write);
    pollfd fds[] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}, {in.write, POLLOUT, 0}};
    poll(fds, 3, options.killed_after && !killed ? 0 : 20);
    if (fds[0].revents) receive(out.read, result.out);
    if (fds[1].revents) receive(err.read, result.err);
    if (fds[2].revents) {
      const ssize_t n = write(in.write, input.data(), input.size());
      if (n > 0)
        input.remove_prefix(static_cast<std::size_t>(n));
      else if (errno != EAGAIN)
        input = {};
    }
    if (!interrupted && options.interrupted_after && passed() > *options.interrupted_after) {
      interrupted = true;
      clockid_t clock{};
      timespec used_so_far{};
      if (clock_getcpuclockid(child, &clock) == 0) clock_gettime(clock, &used_so_far);
      signalled = double(used_so_far.tv_sec) + 1e-9 * double(used_so_far.tv_nsec);
      kill(child, options.interrupted_by);
    }
    late = passed() > std::chrono::duration<double>(options.seconds);
    if (!killed && (late || (options.killed_after && passed() > *options.killed_after))) {
      killed = true;
      kill(child, SIGKILL);
    }
  }
  detail::close_fd(in.write);

  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.kilobytes = used.ru_maxrss;
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
  result.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  if (interrupted) result.seconds_to_end = result.cpu_seconds - signalled;
  EXPECT_FALSE(late) << command[0] << " took more than " << options.seconds << " s";
  return result;
}

inline RunResult run_cli(std::vector<std::string> arguments, const RunOptions& options = {}) {
  arguments.insert(arguments.begin(), command_path());
  RunResult result = run(arguments, options);
  EXPECT_TRUE(result.signal == 0 || options.killed_after) << "ended by signal " << result.signal;
  return result;
}

/// The widest line, in characters of UTF-8.
inline std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0, width = 0;
  for (const char c : text) {
    if (c == '\n')
      width = 0;
    else if ((c & 0xC0) != 0x80)
      widest = std::max(widest, ++width);
  }
  return widest;
}

}  // namespace ulna::test
