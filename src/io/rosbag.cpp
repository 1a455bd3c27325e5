#include <algorithm>
#include <numeric>
#include <optional>

#include "io/joint_states.hpp"

/// Bags of ROS: version 2.0 of ROS 1 [wiki.ros.org, "Bags/Format/2.0"], MCAP [mcap.dev, "Format specification"], and messages
/// in CDR [OMG, "DDS-XTypes", plain CDR].
namespace ulna::detail {

namespace {

constexpr std::size_t most_joints = 10'000, most_devices = 1000;

/// Numbers in the order of a CDR stream, aligned to their size.
class Cdr {
 public:
  explicit Cdr(std::string_view message) : in_(message) {
    const std::string_view head = in_.take(4);
    swapped_ = head[1] % 2 == 0;
    if (head[0] != 0 || head[1] > 1) throw BadBytes("a message is not in plain CDR");
  }
  template <class T>
  T number() {
    const std::size_t at = in_.at() - 4;
    in_.take((sizeof(T) - at % sizeof(T)) % sizeof(T));
    char b[sizeof(T)];
    std::memcpy(b, in_.take(sizeof b).data(), sizeof b);
    if (swapped_) std::reverse(b, b + sizeof b);
    T x;
    std::memcpy(&x, b, sizeof x);
    return x;
  }
  std::string text() {
    const std::string_view s = in_.take(number<std::uint32_t>());
    return std::string(s.substr(0, s.find('\0')));
  }
  std::vector<double> numbers() {
    const auto n = number<std::uint32_t>();
    if (n > most_joints) throw BadBytes("a message has more than 10000 joints");
    std::vector<double> list(n);
    for (double& x : list) x = number<double>();
    return list;
  }
  std::vector<std::string> texts() {
    const auto n = number<std::uint32_t>();
    if (n > most_joints) throw BadBytes("a message has more than 10000 joints");
    std::vector<std::string> list(n);
    for (std::string& s : list) s = text();
    return list;
  }

 private:
  Bytes in_;
  bool swapped_;
};

std::uint64_t nanoseconds(std::int64_t seconds, std::uint64_t more) {
  return seconds < 0 ? 0 : static_cast<std::uint64_t>(seconds) * 1'000'000'000u + more;
}

}  // namespace

void JointStates::add_cdr(const std::string& topic, std::string_view message,
                          std::uint64_t received_ns) {
  Cdr in(message);
  Message m;
  const auto seconds = in.number<std::int32_t>();
  m.ns = nanoseconds(seconds, in.number<std::uint32_t>());
  in.text();
  m.joints = in.texts();
  m.position = in.numbers(), m.velocity = in.numbers(), m.effort = in.numbers();
  add(topic, std::move(m), received_ns);
}

void JointStates::add_ros1(const std::string& topic, std::string_view message,
                           std::uint64_t received_ns) {
  Bytes in(message);
  Message m;
  in.take(4);
  const auto seconds = in.number<std::uint32_t>();
  m.ns = nanoseconds(seconds, in.number<std::uint32_t>());
  in.text();
  const auto count = [&] {
    const auto n = in.number<std::uint32_t>();
    if (n > most_joints) throw BadBytes("a message has more than 10000 joints");
    return n;
  };
  for (auto n = count(); n > 0; --n) m.joints.emplace_back(in.text());
  for (auto* list : {&m.position, &m.velocity, &m.effort})
    for (auto n = count(); n > 0; --n) list->push_back(in.number<double>());
  add(topic, std::move(m), received_ns);
}

void JointStates::add(const std::string& topic, Message m, std::uint64_t received_ns) {
  const std::size_t n = m.joints.size();
  const auto given = [&](const std::vector<double>& list, const char* what) {
    if (!list.empty() && list.size() != n)
      throw BadBytes("a message on " + topic + " has " + std::to_string(n) + " joints and " +
                     std::to_string(list.size()) + " " + what);
    return !list.empty();
  };
  const bool position = given(m.position, "positions"), velocity = given(m.velocity, "velocities"),
             effort = given(m.effort, "efforts");
  State state{m.ns ? m.ns : received_ns, std::move(m.position)};
  state.values.insert(state.values.end(), m.velocity.begin(), m.velocity.end());
  state.values.insert(state.values.end(), m.effort.begin(), m.effort.end());
  if ((numbers_ += state.values.size() + 1) > most_table_numbers)
    throw BadBytes("it has more than 100000000 numbers");
  const auto [device, is_new] =
      topics_[topic].try_emplace({std::move(m.joints), position, velocity, effort});
  // their names would take much more memory than the file has bytes
  if (is_new && ++devices_ > most_devices)
    throw BadBytes("its messages have more than " + std::to_string(most_devices) +
                   " different lists of joints");
  device->second.push_back(std::move(state));
}

BinaryTable JointStates::table() const {
  if (topics_.empty())
    throw BadBytes(topics_seen_ ? "its topic of type sensor_msgs/JointState has no message"
                                : "it has no topic of type sensor_msgs/JointState");
  const auto count = [](const auto& devices) {
    return std::accumulate(devices.begin(), devices.end(), std::size_t{0},
                           [](std::size_t n, const auto& d) { return n + d.second.size(); });
  };
  const auto chosen = [&] {
    auto best = topics_.begin();
    for (auto t = topics_.begin(); t != topics_.end(); ++t) {
      const bool usual = t->first == "/joint_states", best_usual = best->first == "/joint_states";
      if (usual > best_usual || (usual == best_usual && count(t->second) > count(best->second)))
        best = t;
    }
    return best;
  }();
  // several devices may publish on one topic
  auto device = chosen->second.begin();
  for (auto d = chosen->second.begin(); d != chosen->second.end(); ++d)
    if (d->first.joints.size() * d->second.size() >
        device->first.joints.size() * device->second.size())
      device = d;

  BinaryTable made;
  if (topics_.size() > 1 || chosen->second.size() > 1)
    made.remark =
        std::to_string(device->second.size()) + " messages on " + chosen->first + " with " +
        std::to_string(device->first.joints.size()) + " joints are used, and not " +
        std::to_string(count(chosen->second) - device->second.size()) + " others there" +
        (topics_.size() > 1 ? " or on " + std::to_string(topics_.size() - 1) + " other topics"
                            : "");
  made.names.push_back("t");
  for (const auto& [has, quantity] : {std::pair{device->first.position, "q_"},
                                      {device->first.velocity, "qd_"},
                                      {device->first.effort, "tau_"}})
    if (has)
      for (const std::string& joint : device->first.joints) made.names.push_back(quantity + joint);
  std::uint64_t first = ~std::uint64_t{0};
  for (const State& s : device->second) first = std::min(first, s.ns);
  for (const State& s : device->second) {
    made.numbers.push_back(static_cast<double>(s.ns - first) * 1e-9);
    made.numbers.insert(made.numbers.end(), s.values.begin(), s.values.end());
  }
  return made;
}

namespace {

/// The fields of a record's header in a bag of ROS 1: "name=value".
class BagHeader {
 public:
  explicit BagHeader(std::string_view bytes) {
    Bytes in(bytes);
    while (!in.empty()) {
      const std::string_view field = in.text();
      const std::size_t equals = field.find('=');
      if (equals == field.npos) throw BadBytes("a record of the bag is broken");
      fields_[std::string(field.substr(0, equals))] = field.substr(equals + 1);
    }
  }
  std::string_view operator[](const char* name) const {
    const auto found = fields_.find(name);
    if (found == fields_.end())
      throw BadBytes(std::string("a record of the bag has no field '") + name + "'");
    return found->second;
  }
  template <class T>
  T number(const char* name) const {
    return Bytes((*this)[name]).number<T>();
  }

 private:
  std::map<std::string, std::string_view, std::less<>> fields_;
};

class Ros1Bag {
 public:
  JointStates states;

  void records(std::string_view bytes, bool in_chunk) {
    Bytes in(bytes);
    while (!in.empty()) {
      const BagHeader header(in.text());
      const std::string_view data = in.text();
      const auto op = header.number<std::uint8_t>("op");
      if (op == 0x07) {
        connection(header, data);
      } else if (op == 0x02) {
        const auto found = topics_.find(header.number<std::uint32_t>("conn"));
        if (found == topics_.end()) continue;
        Bytes time(header["time"]);
        const auto seconds = time.number<std::uint32_t>();
        states.add_ros1(found->second, data, nanoseconds(seconds, time.number<std::uint32_t>()));
      } else if (op == 0x05 && !in_chunk) {
        const std::string_view how = header["compression"];
        const std::size_t size = header.number<std::uint32_t>("size");
        if ((unpacked_ += size) > most_table_bytes) throw BadBytes("it unpacks to more than 1 GiB");
        if (how == "none")
          records(data, true);
        else if (how == "bz2")
          records(unpack_bzip2(data, size), true);
        else if (how == "lz4")
          records(unpack_lz4(data, size), true);
        else
          throw BadBytes("a chunk is compressed in a way that is not known: '" +
                         std::string(how.substr(0, 20)) + "'");
      }
    }
  }

 private:
  void connection(const BagHeader& header, std::string_view data) {
    const BagHeader about(data);
    if (!JointStates::is_type(about["type"])) return;
    if (topics_.emplace(header.number<std::uint32_t>("conn"), std::string(header["topic"])).second)
      states.saw_topic();
  }

  std::map<std::uint32_t, std::string> topics_;
  std::size_t unpacked_ = 0;
};

class Mcap {
 public:
  JointStates states;

  void records(std::string_view bytes, bool in_chunk) {
    Bytes in(bytes);
    while (!in.empty()) {
      // the magic stands at the end again
      if (!in_chunk && in.rest() == "\x89MCAP0\r\n") return;
      const auto op = in.number<std::uint8_t>();
      Bytes record(in.take(in.number<std::uint64_t>()));
      if (op == 0x03) {
        const auto id = record.number<std::uint16_t>();
        joint_state_[id] = JointStates::is_type(record.text());
      } else if (op == 0x04) {
        const auto id = record.number<std::uint16_t>(), schema = record.number<std::uint16_t>();
        const std::string topic(record.text());
        const std::string_view encoding = record.text();
        if (!joint_state_[schema]) continue;
        if (encoding != "cdr" && encoding != "ros1")
          throw BadBytes("messages on " + topic + " are encoded in a way that is not known: '" +
                         std::string(encoding.substr(0, 20)) + "'");
        if (channels_.emplace(id, Channel{topic, encoding == "cdr"}).second) states.saw_topic();
      } else if (op == 0x05) {
        const auto channel = channels_.find(record.number<std::uint16_t>());
        record.take(4);
        const auto received = record.number<std::uint64_t>();
        record.take(8);
        if (channel == channels_.end()) continue;
        channel->second.cdr ? states.add_cdr(channel->second.topic, record.rest(), received)
                            : states.add_ros1(channel->second.topic, record.rest(), received);
      } else if (op == 0x06 && !in_chunk) {
        record.take(16);
        const auto size = record.number<std::uint64_t>();
        record.take(4);
        const std::string how(record.text());
        const std::string_view data = record.take(record.number<std::uint64_t>());
        if (size > most_table_bytes || (unpacked_ += size) > most_table_bytes)
          throw BadBytes("it unpacks to more than 1 GiB");
        if (how.empty())
          records(data, true);
        else if (how == "zstd")
          records(unpack_zstd(data, size), true);
        else if (how == "lz4")
          records(unpack_lz4(data, size), true);
        else
          throw BadBytes("a chunk is compressed in a way that is not known: '" + how.substr(0, 20) +
                         "'");
      } else if (op == 0x0f && !in_chunk) {
        return;
      }
    }
    // what was not closed has no end of data, and was cut off between two records
    if (!in_chunk) throw BadBytes("it is cut off: the end of its data is missing");
  }

 private:
  struct Channel {
    std::string topic;
    bool cdr;
  };
  std::map<std::uint16_t, bool> joint_state_;
  std::map<std::uint16_t, Channel> channels_;
  std::uint64_t unpacked_ = 0;
};

}  // namespace

BinaryTable read_ros1_bag(std::string_view bytes) {
  Ros1Bag bag;
  bag.records(bytes.substr(bytes.find('\n') + 1), false);
  return bag.states.table();
}

BinaryTable read_mcap(std::string_view bytes) {
  Mcap file;
  file.records(bytes.substr(8), false);
  return file.states.table();
}

}  // namespace ulna::detail
