#include "ulna/ros2/dds_rig.hpp"

#include <chrono>
#include <cmath>
#include <thread>

#include "ros2/counts.hpp"
#include "ros2/effort_message.hpp"
#include "ros2/latest.hpp"
#include "ros2/outbox.hpp"

namespace ulna::ros2 {
namespace {

using Vector = Eigen::VectorXd;
using Clock = std::chrono::steady_clock;

/// Whether time stamps are of this machine's clock, as the youngest of the first messages shows.
class StampJudge {
 public:
  static constexpr int messages = 20;
  static constexpr double close = 5e-3;  ///< s

  void begin() { seen_ = 0, least_ = infinity; }
  /// age: what the system's clock says, less the stamp.
  bool same_clock(double age) {
    if (seen_ < messages) ++seen_, least_ = std::min(least_, std::abs(age));
    return seen_ == messages && least_ < close;
  }

 private:
  int seen_ = 0;
  double least_ = infinity;
};

struct State {
  explicit State(int n) : q(Vector::Zero(n)), v(q), tau(q) {}
  double time = 0.0;
  Vector q, v, tau;
};

}  // namespace

struct DdsRig::Parts {
  Parts(const Model& m, const RigOptions& o)
      : model(m),
        options(o),
        joints(m),
        order(order_of(o.joints, joints.names())),
        states(State(m.nv())),
        commands(Vector::Zero(m.nv())),
        joint_message(joints.names()),
        raised(std::in_place, o.network.priority),
        participant(o.network) {
    messages::require(o.late_after > 0.0 && o.silent_after > 0.0 && o.watchdog >= 0.0,
                      "DDS rig: times must be above 0, and the watchdog 0 where there is none");
    command_writer = participant.writer(descriptor_of(o.command), o.commands, Delivery::sure);
    parameter_writer =
        participant.writer(std_msgs_msg_dds__Float64MultiArray__desc, o.parameters, Delivery::kept);
    diagnostic_writer = participant.writer(diagnostic_msgs_msg_dds__DiagnosticArray__desc,
                                           o.diagnostics, Delivery::sure);
    array_message.data.resize(joints.size()), joint_message.effort.resize(joints.size());
    outbox.emplace([this] { send(); }, [this] { report(); });
    state_reader = participant.reader(
        sensor_msgs_msg_dds__JointState__desc, o.states, this,
        [](dds_entity_t reader, void* self) { static_cast<Parts*>(self)->arrived(reader); },
        [](dds_entity_t, dds_sample_lost_status_t status, void* self) {
          static_cast<Parts*>(self)->counts.add(Fault::lost,
                                                std::uint64_t(status.total_count_change));
        });
    raised.reset();
  }
  ~Parts() {
    outbox.reset();
    participant.close();
  }

  double now() const { return steady_time() - begun; }

  // --- threads of Cyclone ---

  void arrived(dds_entity_t reader) {
    const std::lock_guard lock(mutex);
    take_all<JointState>(reader, [&](const JointState& message) {
      const Fault found = take(message);
      last_fault = found;
      if (found != Fault::none) counts.add(found);
    });
  }

  Fault take(const JointState& m) {
    const std::size_t count = m.name._length;
    const auto fits = [&](std::uint32_t length) { return length == count; };
    if (!fits(m.position._length) || !fits(m.velocity._length) ||
        !(m.effort._length == 0 || fits(m.effort._length)))
      return Fault::garbled;
    const Fault found =
        joints.find(count, [&](std::size_t i) { return std::string_view(m.name._buffer[i]); });
    if (found != Fault::none) return found;
    const double arrival = now(), stamp = time_of(m.header.stamp), age = system_time() - stamp;
    const bool stamped = stamp != 0.0;
    if (stamped && stamp <= last_stamp && stamp > last_stamp - restarted) return Fault::reordered;
    // the robot was started again, or its clock was set
    if (stamped && (stamp < last_stamp || stamp > last_stamp + restarted)) judge.begin();
    last_stamp = stamp;
    uses_stamps = stamped && judge.same_clock(age);
    State& state = states.next();
    // a stamp of the future is of a clock that is a little ahead
    state.time = uses_stamps ? std::min(arrival - age, arrival) : arrival;
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const std::size_t i = joints[k];
      const auto to = Eigen::Index(k);
      state.q(to) = m.position._buffer[i], state.v(to) = m.velocity._buffer[i];
      state.tau(to) = m.effort._length > 0 ? m.effort._buffer[i] : std::nan("");
    }
    if (states.publish()) ++counts.superseded;
    return Fault::none;
  }

  // --- the thread that sends ---

  void send() {
    if (!commands.take() || !sends) return;
    const Vector& tau = commands.now();
    dds_return_t written;
    if (options.command == CommandType::multi_array) {
      for (std::size_t k = 0; k < order.size(); ++k)
        array_message.data[order[k]] = tau(Eigen::Index(k));
      written = array_message.write(command_writer);
    } else {
      std::copy(tau.begin(), tau.end(), joint_message.effort.begin());
      written = joint_message.write(command_writer, system_time());
    }
    written == DDS_RETCODE_OK ? void(++counts.commands) : counts.add(Fault::unsent);
  }

  /// What the link does, for whoever looks at diagnostics.
  void report() {
    const Traffic t = counts.traffic();
    Status status{.name = "ulna: link", .hardware_id = model.name()};
    const Fault fault = now_wrong;
    status.level = fault == Fault::silent ? Status::Level::stale
                   : fault != Fault::none ? Status::Level::warn
                                          : Status::Level::ok;
    status.message = to_string(fault);
    status.values = {{"states", std::to_string(t.states)},
                     {"commands", std::to_string(t.commands)}};
    for (int i = 1; i < fault_count; ++i)
      status.values.emplace_back(to_string(Fault(i)), std::to_string(t.count(Fault(i))));
    publish({&status, 1});
  }

  void publish(std::span<const Status> all) {
    std::vector<diagnostic_msgs_msg_dds__DiagnosticStatus_> statuses;
    std::vector<std::vector<diagnostic_msgs_msg_dds__KeyValue_>> values;
    for (const Status& s : all) {
      auto& pairs = values.emplace_back();
      for (const auto& [key, value] : s.values) pairs.push_back({borrow(key), borrow(value)});
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto& to = statuses.emplace_back();
      to.level = std::uint8_t(all[i].level), to.name = borrow(all[i].name),
      to.message = borrow(all[i].message);
      to.hardware_id = borrow(all[i].hardware_id);
      borrow(to.values, values[i]);
    }
    const std::string frame;
    diagnostic_msgs_msg_dds__DiagnosticArray_ message{};
    message.header = {stamp_of(system_time()), borrow(frame)};
    borrow(message.status, statuses);
    if (dds_write(diagnostic_writer, &message) != DDS_RETCODE_OK) counts.add(Fault::unsent);
  }

  static constexpr double restarted =
      1.0;  ///< s that stamps may jump without being another clock's

  Model model;
  RigOptions options;
  double begun = steady_time();
  std::mutex
      mutex;  ///< of Cyclone's threads, and of those that ask what is missing: never of the loop
  JointTable joints;
  std::vector<std::size_t> order;
  StampJudge judge;
  double last_stamp = 0.0;
  std::atomic<bool> uses_stamps = false, sends = false;
  std::atomic<Fault> last_fault = Fault::none;  ///< of messages
  std::atomic<Fault> now_wrong = Fault::none;   ///< as the loop saw it last
  Latest<State> states;
  Latest<Vector> commands;
  Counts counts;
  ArrayMessage array_message;
  JointMessage joint_message;
  bool any = false, gone = false;  ///< of the loop
  double last_time = 0.0, last_fresh = 0.0;

  std::optional<RaisedPriority> raised;  ///< until all threads are made
  Participant participant;
  dds_entity_t state_reader = 0, command_writer = 0, parameter_writer = 0, diagnostic_writer = 0;
  std::optional<Outbox> outbox;
};

DdsRig::DdsRig(const Model& model, const RigOptions& options)
    : parts_(std::make_unique<Parts>(model, options)) {}
DdsRig::~DdsRig() = default;

void DdsRig::connect(double seconds) {
  Parts& p = *parts_;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  rig::Reading reading(p.model);
  while (!(read(reading) && readers_of(p.command_writer) > 0)) {
    if (Clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      continue;
    }
    const std::string place = " (" + p.participant.place() + ")";
    if (writers_of(p.state_reader) == 0)
      throw DdsError("nobody publishes sensor_msgs/msg/JointState on '" + p.options.states + "'" +
                     place);
    const std::lock_guard lock(p.mutex);
    if (p.last_fault == Fault::joint_missing)
      throw DdsError("the states on '" + p.options.states + "' lack joint '" + p.joints.amiss() +
                     "' of robot '" + p.model.name() + "'");
    if (p.last_fault == Fault::garbled)
      throw DdsError("the states on '" + p.options.states +
                     "' do not have one position and one velocity for each name, or a name twice");
    if (!p.any) throw DdsError("no states come on '" + p.options.states + "'" + place);
    throw DdsError("nobody subscribes to " +
                   std::string(p.options.command == CommandType::multi_array
                                   ? "std_msgs/msg/Float64MultiArray"
                                   : "sensor_msgs/msg/JointState") +
                   " on '" + p.options.commands + "'" + place);
  }
}

const Model& DdsRig::model() const noexcept { return parts_->model; }
double DdsRig::now() const noexcept { return parts_->now(); }

bool DdsRig::read(rig::Reading& reading) noexcept {
  Parts& p = *parts_;
  const double time = p.now();
  const bool came = p.states.take();
  const State& state = p.states.now();
  const bool late = came && time - state.time > p.options.late_after;
  if (late) p.counts.add(Fault::late);
  if (came && !late) p.any = true, p.last_fresh = time, ++p.counts.states;
  const bool gone = p.any && time - p.last_fresh > p.options.silent_after;
  if (gone && !p.gone) p.counts.add(Fault::silent);
  p.gone = gone;
  p.now_wrong = gone ? Fault::silent : late ? Fault::late : p.last_fault.load();
  reading.fresh = came && !late;
  if (!p.any) return false;
  if (reading.fresh) {
    reading.time = state.time;
    reading.q = state.q, reading.v = state.v, reading.tau = state.tau;
  }
  return true;
}

bool DdsRig::write(const Eigen::Ref<const Vector>& tau) noexcept {
  Parts& p = *parts_;
  if (tau.size() != p.model.nv()) return false;
  if (!tau.allFinite()) return p.counts.add(Fault::not_finite), false;
  p.commands.next() = tau;
  p.sends = true;
  if (p.commands.publish()) ++p.counts.superseded;
  p.outbox->wake();
  return true;
}

bool DdsRig::hold() noexcept {
  parts_->sends = false;
  return parts_->options.watchdog > 0.0;
}

Traffic DdsRig::traffic() const noexcept { return parts_->counts.traffic(); }
Fault DdsRig::fault() const noexcept { return parts_->now_wrong; }
bool DdsRig::stamped() const noexcept { return parts_->uses_stamps; }

void DdsRig::publish_parameters(std::span<const std::string> names,
                                const Eigen::Ref<const Vector>& values,
                                const Eigen::Ref<const Vector>& deviations) {
  const auto n = std::uint32_t(names.size());
  messages::require(values.size() == Eigen::Index(n) &&
                        (deviations.size() == 0 || deviations.size() == values.size()),
                    "parameters: there are ", n, " names, ", values.size(), " values and ",
                    deviations.size(), " deviations");
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
  const std::string rows = deviations.size() > 0 ? "value,deviation" : "value";
  const std::uint32_t count = deviations.size() > 0 ? 2 : 1;
  std::vector<std_msgs_msg_dds__MultiArrayDimension_> dimensions{{borrow(rows), count, count * n},
                                                                 {borrow(list), n, n}};
  std::vector<double> data(values.begin(), values.end());
  data.insert(data.end(), deviations.begin(), deviations.end());
  Float64MultiArray message{};
  borrow(message.layout.dim, dimensions), borrow(message.data, data);
  if (dds_write(parts_->parameter_writer, &message) != DDS_RETCODE_OK)
    parts_->counts.add(Fault::unsent);
}

void DdsRig::publish_diagnostics(std::span<const Status> all) { parts_->publish(all); }

}  // namespace ulna::ros2
