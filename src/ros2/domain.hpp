#pragma once

#include <dds/dds.h>

#include <memory>
#include <mutex>

#include "ros2_messages.h"
#include "ulna/ros2/dds.hpp"

/// Cyclone DDS, as far as it is used here.
namespace ulna::ros2 {

/// How messages are kept and repeated.
enum class Delivery {
  newest,  ///< read: whatever comes, never again what was lost, from writers of all kinds
  sure,  ///< written: for readers of all kinds; read: again what was lost, from writers that are reliable
  kept,  ///< written: and for those who come later
};

/// As newer versions of ROS 2 announce types, "RIHS01_..."; of those in messages.idl.
const char* type_hash(const dds_topic_descriptor_t& type);

/// While it lives, the calling thread, and what threads it makes, have a priority of SCHED_FIFO, where the system allows.
class RaisedPriority {
 public:
  explicit RaisedPriority(int priority);
  ~RaisedPriority();
  RaisedPriority(const RaisedPriority&) = delete;

 private:
  int policy_ = 0, priority_ = 0;  ///< of before
  bool raised_ = false;
};

/// A participant of a domain, and what it reads and writes. When it is destroyed no listener runs any more.
class Participant {
 public:
  explicit Participant(const Network& network);
  ~Participant();
  Participant(const Participant&) = delete;

  /// Topics by their names in ROS.
  dds_entity_t writer(const dds_topic_descriptor_t& type, const std::string& topic,
                      Delivery delivery);
  /// The callbacks come from threads of Cyclone, one at a time.
  dds_entity_t reader(const dds_topic_descriptor_t& type, const std::string& topic,
                      Delivery delivery, void* user, dds_on_data_available_fn arrived,
                      dds_on_sample_lost_fn lost);
  /// No callbacks any more.
  void close();

  /// "domain 3, interface lo"
  const std::string& place() const { return place_; }

 private:
  class Domain;
  dds_entity_t topic(const dds_topic_descriptor_t& type, const std::string& name);

  std::string place_;
  std::shared_ptr<Domain> domain_;
  dds_entity_t participant_ = 0;
};

/// How many there are that read what a writer writes, or write what a reader reads.
int readers_of(dds_entity_t writer);
int writers_of(dds_entity_t reader);

/// Takes all that has come, of type T, and hands each message to f.
template <class T, class F>
void take_all(dds_entity_t reader, F f) {
  constexpr std::size_t most = 8;
  for (;;) {
    void* samples[most] = {nullptr};
    dds_sample_info_t info[most];
    const dds_return_t n = dds_take(reader, samples, info, most, most);
    if (n <= 0) return;
    for (int i = 0; i < n; ++i)
      if (info[i].valid_data) f(*static_cast<const T*>(samples[i]));
    (void)dds_return_loan(reader, samples, n);
  }
}

// A message's sequences and texts are borrowed: those that write own the memory.
template <class Sequence, class T>
void borrow(Sequence& to, std::vector<T>& from) {
  to._maximum = to._length = std::uint32_t(from.size());
  to._buffer = from.data();
  to._release = false;
}
inline char* borrow(const std::string& text) { return const_cast<char*>(text.c_str()); }

using JointState = sensor_msgs_msg_dds__JointState_;
using Float64MultiArray = std_msgs_msg_dds__Float64MultiArray_;

/// A clock that nobody sets, s.
double steady_time();
/// The system's clock, as time stamps have it, s and as a stamp.
double system_time();
builtin_interfaces_msg_dds__Time_ stamp_of(double time);
inline double time_of(const builtin_interfaces_msg_dds__Time_& stamp) {
  return double(stamp.sec) + 1e-9 * double(stamp.nanosec);
}

}  // namespace ulna::ros2
