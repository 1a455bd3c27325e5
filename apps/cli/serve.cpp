#include "serve.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

namespace ulna::cli {
namespace {

/// Whether the desktop's program for addresses was found.
bool open_in_browser(const std::string& url) {
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&quiet, stream, "/dev/null", O_RDWR, 0);
  std::string program = "xdg-open", address = url;
  char* arguments[] = {program.data(), address.data(), nullptr};
  pid_t process = 0;
  const int error = posix_spawnp(&process, "xdg-open", &quiet, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&quiet);
  return error == 0;
}

}  // namespace

void serve(Console& console, const std::string& url, bool open, const Json& about,
           const std::function<bool()>& goes_on) {
  const Interrupt interrupt;
  console.show(
      [&] {
        return merged({{{"url", url}}, about});
      },
      [&] { return fmt::format("{}\n", url); });
  console.out.flush();
  if (console.err.is_terminal())
    console.err.print(console.err.paint(Style::dim, "Ctrl-C ends the server") + "\n");
  if (open && !open_in_browser(url))
    console.complain("no browser was started: there is no xdg-open; open the address above",
                     Style::yellow);
  Heartbeat::rest();
  while (!Interrupt::requested() && (!goes_on || goes_on()))
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

}  // namespace ulna::cli
