#include "ulna/drive/realtime.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <cstring>

namespace ulna::drive {

struct Realtime::Parts {
  bool fifo = false, locked = false, pinned = false;
  int priority = 0, core = -1, policy_before = SCHED_OTHER;
  sched_param before{};
  cpu_set_t cores_before{};
  std::string refused;
};

namespace {

/// Touches the stack that a loop may need, so that none of it is paged in later.
void touch_stack() {
  volatile char pages[256 * 1024];
  for (std::size_t i = 0; i < sizeof pages; i += 1024) pages[i] = 0;
}

}  // namespace

Realtime::Realtime(const RealtimeOptions& o) : parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
  p.priority = o.priority, p.core = o.core;
  const auto refuse = [&](const std::string& what, int error, const char* remedy) {
    p.refused +=
        (p.refused.empty() ? "" : "; ") + what + " (" + std::strerror(error) + remedy + ")";
  };
  pthread_getschedparam(pthread_self(), &p.policy_before, &p.before);
  if (o.core >= 0) {
    pthread_getaffinity_np(pthread_self(), sizeof p.cores_before, &p.cores_before);
    cpu_set_t one;
    CPU_ZERO(&one);
    if (o.core < CPU_SETSIZE) CPU_SET(std::size_t(o.core), &one);
    const int error = pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    p.pinned = error == 0;
    if (error) refuse("no core " + std::to_string(o.core), error, "");
  }
  if (o.lock_memory) {
    p.locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    if (!p.locked) refuse("memory is not locked", errno, ": raise `ulimit -l`");
    touch_stack();
  }
  if (o.priority > 0) {
    sched_param wanted{};
    wanted.sched_priority = o.priority;
    const int error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &wanted);
    p.fifo = error == 0;
    if (error) refuse("no SCHED_FIFO", error, ": raise `ulimit -r`");
  }
}

Realtime::~Realtime() {
  Parts& p = *parts_;
  if (p.fifo) pthread_setschedparam(pthread_self(), p.policy_before, &p.before);
  if (p.locked) munlockall();
  if (p.pinned) pthread_setaffinity_np(pthread_self(), sizeof p.cores_before, &p.cores_before);
}

bool Realtime::fifo() const { return parts_->fifo; }
bool Realtime::memory_locked() const { return parts_->locked; }
bool Realtime::pinned() const { return parts_->pinned; }

std::string Realtime::report() const {
  const Parts& p = *parts_;
  std::string text = p.fifo ? "SCHED_FIFO " + std::to_string(p.priority) : "usual scheduling";
  if (p.locked) text += ", memory locked";
  if (p.pinned) text += ", core " + std::to_string(p.core);
  if (!p.refused.empty()) text += "; refused: " + p.refused;
  return text;
}

}  // namespace ulna::drive
