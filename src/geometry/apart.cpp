#include "geometry/apart.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <stdexcept>

namespace ulna::detail {
namespace {

constexpr int patience_ms = 60'000;  // without a word
constexpr rlim_t most_cpu_seconds = 60;
constexpr rlim_t most_bytes = rlim_t(8) << 30;  // of addresses, beyond what sanitizers need

struct Silence : std::runtime_error {
  using runtime_error::runtime_error;
};

void limit(decltype(RLIMIT_CPU) what, rlim_t most) {
  rlimit now{};
  if (getrlimit(what, &now) != 0) return;
  now.rlim_cur = std::min(most, now.rlim_max);
  (void)setrlimit(what, &now);
}

/// The part of the other process, which never returns.
[[noreturn]] void work_apart(int to, const std::function<void(Sender&)>& work) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGINT, SIGTERM, SIGPIPE})
    (void)std::signal(signal, SIG_DFL);
  limit(RLIMIT_CORE, 0), limit(RLIMIT_CPU, most_cpu_seconds);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  limit(RLIMIT_AS, most_bytes);
#endif
  int status = 0;
  try {
    Sender sender(to);
    work(sender);
  } catch (...) {
    status = 1;  // as when memory is used up
  }
  _exit(status);
}

std::string ending_of(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return {};  // somebody else has waited for it
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGXCPU ? "took too long" : "crashed";
  return WEXITSTATUS(status) == 0 ? "" : "ran out of memory";
}

}  // namespace

void Sender::write(const void* bytes, std::size_t count) {
  for (const char* at = static_cast<const char*>(bytes); count > 0;) {
    const ssize_t n = ::write(to_, at, count);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw std::runtime_error("nobody listens");
    at += n, count -= std::size_t(n);
  }
}

void Receiver::read(void* bytes, std::size_t count) {
  for (char* at = static_cast<char*>(bytes); count > 0;) {
    pollfd wait{from_, POLLIN, 0};
    const int ready = poll(&wait, 1, patience_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) throw Silence("took too long");
    const ssize_t n = ::read(from_, at, count);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw std::runtime_error("it ended");
    at += n, count -= std::size_t(n);
  }
}

std::string apart(const std::function<void(Sender&)>& work,
                  const std::function<void(Receiver&)>& result) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "could not be started";
  const pid_t process = fork();
  if (process < 0) {
    close(ends[0]), close(ends[1]);
    return "could not be started";
  }
  if (process == 0) work_apart(ends[1], work);
  close(ends[1]);
  std::string failure;
  try {
    Receiver receiver(ends[0]);
    result(receiver);
  } catch (const Silence& silence) {
    failure = silence.what();
  } catch (const std::exception&) {
    failure = "ended early";
  }
  close(ends[0]);
  if (!failure.empty()) (void)kill(process, SIGKILL);
  // one that ended by itself says more than that it did
  const std::string ending = ending_of(process);
  return failure == "ended early" && !ending.empty() ? ending : failure;
}

}  // namespace ulna::detail
