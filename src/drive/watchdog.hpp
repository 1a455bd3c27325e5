#pragma once

#include <atomic>
#include <ctime>
#include <functional>
#include <thread>

#include "ulna/drive/realtime.hpp"

namespace ulna::drive {

/// A thread that finds a loop which does not beat for too long. It runs before the loop, where the system allows.
class Watchdog {
 public:
  Watchdog(double seconds, int priority, std::function<void()> hangs)
      : thread_([this, seconds, priority, hangs = std::move(hangs)](const std::stop_token& stop) {
          watch(stop, seconds, priority, hangs);
        }) {}
  void beat() noexcept { beats_.fetch_add(1, std::memory_order_relaxed); }
  bool barked() const noexcept { return barked_.load(std::memory_order_relaxed); }

 private:
  void watch(const std::stop_token& stop, double seconds, int priority,
             const std::function<void()>& hangs) {
    const Realtime above(
        {.priority = priority > 0 && priority < 99 ? priority + 1 : 0, .lock_memory = false});
    constexpr int looks = 8;
    const double nap = seconds / looks;
    const timespec pause{time_t(nap), long((nap - double(time_t(nap))) * 1e9)};
    long before = 0;
    for (int quiet = 0; !stop.stop_requested();) {
      nanosleep(&pause, nullptr);
      const long beats = beats_.load(std::memory_order_relaxed);
      quiet = beats == before ? quiet + 1 : 0;
      before = beats;
      // before the first beat nothing hangs
      if (quiet < looks || beats == 0 || barked_) continue;
      barked_ = true;
      if (hangs) hangs();
    }
  }

  std::atomic<long> beats_ = 0;
  std::atomic<bool> barked_ = false;
  std::jthread thread_;
};

}  // namespace ulna::drive
