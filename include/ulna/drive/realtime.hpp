#pragma once

#include <memory>
#include <string>

namespace ulna::drive {

/// What a loop asks the system for.
struct RealtimeOptions {
  int priority = 80;        ///< of SCHED_FIFO; 0: the usual scheduling
  bool lock_memory = true;  ///< mlockall, so that nothing is paged out
  int core = -1;            ///< to run on alone; -1: any
};

/// The calling thread with what the system gave it, until this is destroyed. What it refuses is no error.
class Realtime {
 public:
  explicit Realtime(const RealtimeOptions& options);
  ~Realtime();
  Realtime(const Realtime&) = delete;
  Realtime& operator=(const Realtime&) = delete;

  bool fifo() const;
  bool memory_locked() const;
  bool pinned() const;
  /// "SCHED_FIFO 80, memory locked, core 1", with the reason for what was refused.
  std::string report() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna::drive
