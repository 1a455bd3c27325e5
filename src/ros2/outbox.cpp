#include "ros2/outbox.hpp"

#include <ctime>

namespace ulna::ros2 {

Outbox::Outbox(std::function<void()> send, std::function<void()> now_and_then) {
  sem_init(&pending_, 0, 0);
  thread_ = std::thread(
      [this, send = std::move(send), then = std::move(now_and_then)] { run(send, then); });
}

Outbox::~Outbox() {
  ending_ = true;
  wake();
  thread_.join();
  sem_destroy(&pending_);
}

void Outbox::run(const std::function<void()>& send, const std::function<void()>& now_and_then) {
  std::timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  while (!ending_) {
    if (sem_clockwait(&pending_, CLOCK_MONOTONIC, &next) == 0) {
      // several at once are one: only the newest counts
      while (sem_trywait(&pending_) == 0) {
      }
      if (!ending_) send();
    }
    std::timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec < next.tv_sec || (now.tv_sec == next.tv_sec && now.tv_nsec < next.tv_nsec))
      continue;
    if (now_and_then) now_and_then();
    next = now, ++next.tv_sec;
  }
}

}  // namespace ulna::ros2
