#include "ulna/ros2/dds_robot.hpp"

#include "rig/hold_law.hpp"
#include "ros2/diagnostics.hpp"
#include "ros2/effort_message.hpp"
#include "ros2/inbox.hpp"
#include "ros2/latest.hpp"
#include "ros2/outbox.hpp"

namespace ulna::ros2 {
namespace {

using Vector = Eigen::VectorXd;

/// Torques, or none: the robot shall hold itself.
struct Command {
  Vector tau;
  bool hold = false;
  double arrival = 0.0;  ///< by steady_time()
};

}  // namespace

struct DdsRobot::Parts {
  Parts(rig::Rig& r, const RobotOptions& o)
      : rig(r),
        options(o),
        joints(r.model()),
        order(order_of(o.joints, joints.names())),
        states(JointSample(r.model().nv())),
        commands({.tau = Vector::Zero(r.model().nv())}),
        reading(r.model()),
        law(r.model()),
        plant(r.model()),
        message(joints.names()),
        raised(std::in_place, o.network.priority),
        participant(o.network) {
    messages::require(o.watchdog > 0.0, "DDS robot: the watchdog must be above 0");
    const std::size_t n = joints.size();
    message.position.resize(n), message.velocity.resize(n),
        message.effort.resize(o.efforts ? n : 0);
    state_writer =
        participant.writer(sensor_msgs_msg_dds__JointState__desc, o.states, Delivery::sure);
    diagnostic_writer = participant.writer(diagnostic_msgs_msg_dds__DiagnosticArray__desc,
                                           o.diagnostics, Delivery::sure);
    outbox.emplace([this] { send(); }, [this] { report(); });
    const auto judge = [this](const auto& m) { return take(m); };
    command_inbox.emplace(
        participant, descriptor_of(o.command), o.commands, Delivery::newest, counts,
        o.command == CommandType::multi_array ? each<Float64MultiArray>(counts, judge)
                                              : each<JointState>(counts, judge));
    raised.reset();
  }
  ~Parts() {
    outbox.reset();
    participant.close();
    (void)rig.hold();
  }

  // --- threads of Cyclone ---

  Fault take(const Float64MultiArray& m) {
    if (m.data._length == 0) return take_hold();
    if (m.layout.data_offset > m.data._length ||
        m.data._length - m.layout.data_offset != order.size())
      return Fault::garbled;
    const double* data = m.data._buffer + m.layout.data_offset;
    return take([&](std::size_t k) { return data[order[k]]; });
  }
  Fault take(const JointState& m) {
    if (m.name._length == 0 && m.effort._length == 0) return take_hold();
    if (m.effort._length != m.name._length) return Fault::garbled;
    const Fault found = joints.find(
        m.name._length, [&](std::size_t i) { return std::string_view(m.name._buffer[i]); });
    if (found != Fault::none) return found;
    const double stamp = time_of(m.header.stamp);
    if (stamps.is_older(stamp)) return Fault::reordered;
    stamps.take(stamp);
    return take([&](std::size_t k) { return m.effort._buffer[joints[k]]; });
  }
  Fault take(const auto& torque) {
    auto& [tau, hold, arrival] = commands.next();
    arrival = steady_time(), hold = false;
    for (Eigen::Index k = 0; k < tau.size(); ++k) tau(k) = torque(std::size_t(k));
    if (!tau.allFinite()) return Fault::not_finite;
    if (commands.publish()) ++counts.superseded;
    return Fault::none;
  }

  Fault take_hold() {
    commands.next().hold = true;
    (void)commands.publish();
    return Fault::none;
  }

  // --- the thread that sends ---

  void send() {
    // a change is said at once
    if (const RobotHealth now = health(); now != said) report();
    if (!states.take()) return;
    const JointSample& s = states.now();
    std::copy(s.q.begin(), s.q.end(), message.position.begin());
    std::copy(s.v.begin(), s.v.end(), message.velocity.begin());
    if (options.efforts) std::copy(s.tau.begin(), s.tau.end(), message.effort.begin());
    message.write(state_writer, s.time) == DDS_RETCODE_OK ? void(++counts.states)
                                                          : counts.add(Fault::unsent);
  }

  RobotHealth health() const { return {!driven, refuses, options.watchdog}; }

  void report() {
    said = health();
    const Status status = status_of(said, rig.model().name());
    if (write_diagnostics(diagnostic_writer, {&status, 1}) != DDS_RETCODE_OK)
      counts.add(Fault::unsent);
  }

  // --- the robot's thread ---

  void hold() {
    if (!holds) can_hold = rig.hold(), law.begin();
    holds = true;
    if (!can_hold && any) (void)rig.write(law.torque(plant, reading.q, reading.v));
  }

  /// Torques that have waited for so long, as where this thread was stopped, are of a controller that may be gone.
  void act(const Command& command) {
    const double age = steady_time() - command.arrival;
    if (command.hold) return void(driven = refuses = false);
    if (age > options.watchdog) return counts.add(Fault::late);
    last_command = rig.now() - age;
    refuses = !rig.write(command.tau), driven = !refuses;
    if (refuses) return counts.add(Fault::refused);
    holds = false;
    ++counts.commands;
  }

  /// A controller that is silent no longer drives, nor is it refused.
  void watch() {
    if (!(driven || refuses) || rig.now() - last_command <= options.watchdog) return;
    if (driven) counts.add(Fault::silent);
    driven = refuses = false;
  }

  rig::Rig& rig;
  RobotOptions options;
  JointTable joints;
  std::vector<std::size_t> order;
  StampOrder stamps;
  Latest<JointSample> states;
  Latest<Command> commands;
  Counts counts;
  rig::Reading reading;
  rig::HoldLaw law;
  Plant<double> plant;
  bool any = false, holds = false, can_hold = false;
  std::atomic<bool> driven = false, refuses = false;
  double last_command = 0.0;
  RobotHealth said;  ///< of the thread that sends
  JointMessage message;
  std::optional<RaisedPriority> raised;  ///< until all threads are made
  Participant participant;
  dds_entity_t state_writer = 0, diagnostic_writer = 0;
  std::optional<Outbox> outbox;
  std::optional<Inbox> command_inbox;
};

DdsRobot::DdsRobot(rig::Rig& rig, const RobotOptions& options)
    : parts_(std::make_unique<Parts>(rig, options)) {}
DdsRobot::~DdsRobot() = default;

void DdsRobot::take() noexcept {
  Parts& p = *parts_;
  if (!p.any) p.any = p.rig.read(p.reading);
  if (p.commands.take()) p.act(p.commands.now());
  p.watch();
  if (!p.driven) p.hold();
}

void DdsRobot::send() noexcept {
  Parts& p = *parts_;
  if (!p.rig.read(p.reading)) return;
  p.any = true;
  if (!p.reading.fresh) return;
  JointSample& state = p.states.next();
  state.time = system_time() - (p.rig.now() - p.reading.time);
  state.q = p.reading.q, state.v = p.reading.v, state.tau = p.reading.tau;
  if (p.states.publish()) ++p.counts.superseded;
  p.outbox->wake();
}

bool DdsRobot::driven() const noexcept { return parts_->driven; }
Traffic DdsRobot::traffic() const noexcept { return parts_->counts.traffic(); }

}  // namespace ulna::ros2
