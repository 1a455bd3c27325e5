#pragma once

#include <semaphore.h>

#include <atomic>
#include <functional>
#include <thread>

namespace ulna::ros2 {

/// A thread that sends what another one, which must not wait, has put aside.
class Outbox {
 public:
  /// `send` after each wake(), or once for several; `now_and_then` once a second, too.
  Outbox(std::function<void()> send, std::function<void()> now_and_then);
  ~Outbox();
  Outbox(const Outbox&) = delete;

  void wake() noexcept { sem_post(&pending_); }

 private:
  void run(const std::function<void()>& send, const std::function<void()>& now_and_then);

  sem_t pending_;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

}  // namespace ulna::ros2
