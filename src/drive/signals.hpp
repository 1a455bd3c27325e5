#pragma once

#include <array>
#include <csignal>

namespace ulna::drive {

/// While there is one, Ctrl-C, SIGTERM and SIGHUP are only noted.
class Signals {
 public:
  Signals() {
    flag() = 0;
    struct sigaction note {};
    note.sa_handler = [](int) { flag() = 1; };
    sigemptyset(&note.sa_mask);
    for (std::size_t i = 0; i < kinds.size(); ++i) sigaction(kinds[i], &note, &before_[i]);
  }
  ~Signals() {
    for (std::size_t i = 0; i < kinds.size(); ++i) sigaction(kinds[i], &before_[i], nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  static bool came() { return flag() != 0; }

 private:
  static volatile std::sig_atomic_t& flag() {
    static volatile std::sig_atomic_t set = 0;
    return set;
  }
  static constexpr std::array kinds{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kinds.size()> before_{};
};

}  // namespace ulna::drive
