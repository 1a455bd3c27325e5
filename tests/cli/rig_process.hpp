#pragma once

#include <signal.h>
#include <spawn.h>

#include "cli.hpp"

namespace ulna::test {

/// `ulna rig` beside the test, until it is over.
class RigProcess {
 public:
  explicit RigProcess(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {command_path(), "rig"});
    std::vector<char*> argv;
    for (std::string& s : arguments) argv.push_back(s.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
    EXPECT_EQ(posix_spawn(&process_, command_path(), &quiet, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&quiet);
  }
  ~RigProcess() {
    kill(process_, SIGTERM);
    int status = 0;
    waitpid(process_, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  RigProcess(const RigProcess&) = delete;

 private:
  pid_t process_ = 0;
};

}  // namespace ulna::test
