#pragma once

#include <functional>
#include <mutex>

#include "ros2/counts.hpp"
#include "ros2/domain.hpp"

namespace ulna::ros2 {

/// Takes what comes on a topic, from threads of Cyclone, one message at a time, and counts what was lost.
class Inbox {
 public:
  /// `drain` takes all that a reader has.
  using Drain = std::function<void(dds_entity_t reader)>;

  Inbox(Participant& participant, const dds_topic_descriptor_t& type, const std::string& topic,
        Delivery delivery, Counts& counts, Drain drain)
      : counts_(counts), drain_(std::move(drain)) {
    reader_ = participant.reader(
        type, topic, delivery, this,
        [](dds_entity_t reader, void* self) { static_cast<Inbox*>(self)->arrived(reader); },
        [](dds_entity_t, dds_sample_lost_status_t status, void* self) {
          static_cast<Inbox*>(self)->counts_.add(Fault::lost,
                                                 std::uint64_t(status.total_count_change));
        });
  }
  Inbox(const Inbox&) = delete;

  dds_entity_t reader() const { return reader_; }
  /// Held while a message is taken: for those who ask what was wrong with it, never for a loop.
  std::mutex& mutex() { return mutex_; }

 private:
  void arrived(dds_entity_t reader) {
    const std::lock_guard lock(mutex_);
    drain_(reader);
  }

  Counts& counts_;
  Drain drain_;
  std::mutex mutex_;
  dds_entity_t reader_ = 0;
};

/// Judges messages of type T: what is wrong with one is counted.
template <class T, class Judge>
Inbox::Drain each(Counts& counts, Judge judge) {
  return [&counts, judge](dds_entity_t reader) {
    take_all<T>(reader, [&](const T& message) {
      if (const Fault found = judge(message); found != Fault::none) counts.add(found);
    });
  };
}

/// Whether messages come in the order of their time stamps; 0 is none. A jump by more than a second is that of a clock that
/// was set, or of a program that was started again.
class StampOrder {
 public:
  bool is_older(double stamp) const {
    return stamp != 0.0 && stamp <= last_ && stamp > last_ - restarted;
  }
  bool jumps(double stamp) const {
    return stamp != 0.0 && (stamp < last_ || stamp > last_ + restarted);
  }
  void take(double stamp) { last_ = stamp; }

 private:
  static constexpr double restarted = 1.0;  ///< s
  double last_ = 0.0;
};

}  // namespace ulna::ros2
