#include "ulna/ros2/dds_rig.hpp"

#include <chrono>
#include <cmath>
#include <thread>

#include "ros2/diagnostics.hpp"
#include "ros2/effort_message.hpp"
#include "ros2/inbox.hpp"
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

/// What the robot said of itself last, as several threads see it.
class SaidHealth {
 public:
  void say(const RobotHealth& health, double time) {
    holds_ = health.holds, refuses_ = health.refuses, watchdog_ = health.watchdog;
    said_at_ = time;
  }
  /// What was said before the last torques were sent, at `sent_at`, does not count: these may be in force.
  bool holds(double time, double sent_at) const {
    const double said_at = said_at_;
    return holds_ && said_at > sent_at && time - said_at < patience;
  }
  bool refuses(double time) const { return refuses_ && time - said_at_ < patience; }
  bool known() const { return said_at_ > -infinity; }
  double watchdog() const { return watchdog_; }

 private:
  static constexpr double patience = 2.5;  ///< s; it is said once a second
  std::atomic<bool> holds_ = false, refuses_ = false;
  std::atomic<double> watchdog_ = 0.0, said_at_ = -infinity;
};

}  // namespace

struct DdsRig::Parts {
  Parts(const Model& m, const RigOptions& o)
      : model(m),
        options(o),
        joints(m),
        order(order_of(o.joints, joints.names())),
        states(JointSample(m.nv())),
        commands({.tau = Vector::Zero(m.nv())}),
        joint_message(joints.names()),
        hold_message(std::vector<std::string>()),
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
    health_inbox.emplace(
        participant, diagnostic_msgs_msg_dds__DiagnosticArray__desc, o.diagnostics, Delivery::sure,
        diagnostic_counts,
        each<diagnostic_msgs_msg_dds__DiagnosticArray_>(
            diagnostic_counts, [this](const auto& message) { return take(message); }));
    state_inbox.emplace(
        participant, sensor_msgs_msg_dds__JointState__desc, o.states, Delivery::newest, counts,
        each<JointState>(counts,
                         [this](const auto& message) { return last_fault = take(message); }));
    raised.reset();
  }
  ~Parts() {
    outbox.reset();
    participant.close();
  }

  double now() const { return steady_time() - begun; }

  // --- threads of Cyclone ---

  Fault take(const diagnostic_msgs_msg_dds__DiagnosticArray_& m) {
    if (const auto found = find_health(m, model.name())) health.say(*found, now());
    return Fault::none;
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
    if (stamps.is_older(stamp)) return Fault::reordered;
    // the robot was started again, or its clock was set
    if (stamps.jumps(stamp)) judge.begin();
    stamps.take(stamp);
    uses_stamps = stamp != 0.0 && judge.same_clock(age);
    JointSample& state = states.next();
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
    if (!commands.take()) return;
    const Command& command = commands.now();
    dds_return_t written;
    if (options.command == CommandType::multi_array) {
      for (std::size_t k = 0; k < order.size(); ++k)
        array_message.data[order[k]] = command.tau(Eigen::Index(k));
      written = (command.hold ? hold_array : array_message).write(command_writer);
    } else {
      std::copy(command.tau.begin(), command.tau.end(), joint_message.effort.begin());
      written = (command.hold ? hold_message : joint_message).write(command_writer, system_time());
    }
    if (written != DDS_RETCODE_OK) return counts.add(Fault::unsent);
    if (!command.hold) ++counts.commands;
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
    if (write_diagnostics(diagnostic_writer, all) != DDS_RETCODE_OK) counts.add(Fault::unsent);
  }

  // --- the loop ---

  void command(const Eigen::Ref<const Vector>& tau, bool hold) {
    Command& next = commands.next();
    next.tau = tau, next.hold = hold;
    if (commands.publish() && !hold) ++counts.superseded;
    outbox->wake();
  }

  /// Torques, or none, which says that the robot shall hold itself.
  struct Command {
    Vector tau;
    bool hold = false;
  };

  Model model;
  RigOptions options;
  double begun = steady_time();
  JointTable joints;
  std::vector<std::size_t> order;
  StampJudge judge;
  StampOrder stamps;
  std::atomic<bool> uses_stamps = false;
  std::atomic<Fault> last_fault = Fault::none;  ///< of messages
  std::atomic<Fault> now_wrong = Fault::none;   ///< as the loop saw it last
  Latest<JointSample> states;
  Latest<Command> commands;
  Counts counts, diagnostic_counts;  ///< the latter of others' messages, too
  SaidHealth health;
  ArrayMessage array_message, hold_array;
  JointMessage joint_message, hold_message;
  bool any = false, gone = false;  ///< of the loop
  double last_fresh = 0.0, sent_at = -infinity;

  std::optional<RaisedPriority> raised;  ///< until all threads are made
  Participant participant;
  dds_entity_t command_writer = 0, parameter_writer = 0, diagnostic_writer = 0;
  std::optional<Outbox> outbox;
  std::optional<Inbox> health_inbox, state_inbox;
};

DdsRig::DdsRig(const Model& model, const RigOptions& options)
    : parts_(std::make_unique<Parts>(model, options)) {}
DdsRig::~DdsRig() = default;

void DdsRig::connect(double seconds) {
  Parts& p = *parts_;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds));
  // who says of itself whether it holds itself does so once a second
  constexpr auto patience = std::chrono::milliseconds(1300);
  std::optional<Clock::time_point> there;
  rig::Reading reading(p.model);
  for (;;) {
    const auto now = Clock::now();
    if (!there && read(reading) && readers_of(p.command_writer) > 0) there = now;
    const bool heard = p.health.known() || p.options.watchdog > 0.0;
    if (there && (heard || now - *there > patience)) return;
    if (there || now < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      continue;
    }
    const std::string place = " (" + p.participant.place() + ")";
    if (writers_of(p.state_inbox->reader()) == 0)
      throw DdsError("nobody publishes sensor_msgs/msg/JointState on '" + p.options.states + "'" +
                     place);
    const std::lock_guard lock(p.state_inbox->mutex());
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
  const JointSample& state = p.states.now();
  const bool late = came && time - state.time > p.options.late_after;
  if (late) p.counts.add(Fault::late);
  if (came && !late) p.any = true, p.last_fresh = time, ++p.counts.states;
  const bool gone = p.any && time - p.last_fresh > p.options.silent_after;
  if (gone && !p.gone) p.counts.add(Fault::silent);
  p.gone = gone;
  p.now_wrong = gone                     ? Fault::silent
                : late                   ? Fault::late
                : p.health.refuses(time) ? Fault::refused
                                         : p.last_fault.load();
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
  p.sent_at = p.now();
  p.command(tau, false);
  // it may take others: they are sent all the same
  return !p.health.refuses(p.sent_at);
}

bool DdsRig::hold() noexcept {
  Parts& p = *parts_;
  p.command(p.commands.next().tau, true);
  return p.options.watchdog > 0.0 || p.health.watchdog() > 0.0;
}

bool DdsRig::holds() const noexcept { return parts_->health.holds(parts_->now(), parts_->sent_at); }

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
