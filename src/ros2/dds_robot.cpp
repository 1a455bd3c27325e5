#include "ulna/ros2/dds_robot.hpp"

#include "rig/hold_law.hpp"
#include "ros2/counts.hpp"
#include "ros2/effort_message.hpp"
#include "ros2/latest.hpp"
#include "ros2/outbox.hpp"

namespace ulna::ros2 {
namespace {

using Vector = Eigen::VectorXd;

struct State {
  explicit State(int n) : q(Vector::Zero(n)), v(q), tau(q) {}
  double measured_at = 0.0;  ///< by the system's clock
  Vector q, v, tau;
};

struct Command {
  Vector tau;
  double arrival = 0.0;  ///< by steady_time()
};

}  // namespace

struct DdsRobot::Parts {
  Parts(rig::Rig& r, const RobotOptions& o)
      : rig(r),
        options(o),
        joints(r.model()),
        order(order_of(o.joints, joints.names())),
        states(State(r.model().nv())),
        commands({Vector::Zero(r.model().nv())}),
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
    outbox.emplace([this] { send(); }, nullptr);
    (void)participant.reader(
        descriptor_of(o.command), o.commands, this,
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
    (void)rig.hold();
  }

  // --- threads of Cyclone ---

  void arrived(dds_entity_t reader) {
    const std::lock_guard lock(mutex);
    const auto judged = [&](const auto& m) {
      const Fault found = take(m);
      if (found != Fault::none) counts.add(found);
    };
    if (options.command == CommandType::multi_array)
      take_all<Float64MultiArray>(reader, judged);
    else
      take_all<JointState>(reader, judged);
  }

  Fault take(const Float64MultiArray& m) {
    if (m.layout.data_offset > m.data._length ||
        m.data._length - m.layout.data_offset != order.size())
      return Fault::garbled;
    const double* data = m.data._buffer + m.layout.data_offset;
    return take([&](std::size_t k) { return data[order[k]]; });
  }
  Fault take(const JointState& m) {
    if (m.effort._length != m.name._length) return Fault::garbled;
    const Fault found = joints.find(
        m.name._length, [&](std::size_t i) { return std::string_view(m.name._buffer[i]); });
    if (found != Fault::none) return found;
    const double stamp = time_of(m.header.stamp);
    if (stamp != 0.0 && stamp <= last_stamp && stamp > last_stamp - 1.0) return Fault::reordered;
    last_stamp = stamp;
    return take([&](std::size_t k) { return m.effort._buffer[joints[k]]; });
  }
  Fault take(const auto& torque) {
    auto& [tau, arrival] = commands.next();
    arrival = steady_time();
    for (Eigen::Index k = 0; k < tau.size(); ++k) tau(k) = torque(std::size_t(k));
    if (!tau.allFinite()) return Fault::not_finite;
    if (commands.publish()) ++counts.superseded;
    return Fault::none;
  }

  // --- the thread that sends ---

  void send() {
    if (!states.take()) return;
    const State& s = states.now();
    std::copy(s.q.begin(), s.q.end(), message.position.begin());
    std::copy(s.v.begin(), s.v.end(), message.velocity.begin());
    if (options.efforts) std::copy(s.tau.begin(), s.tau.end(), message.effort.begin());
    message.write(state_writer, s.measured_at) == DDS_RETCODE_OK ? void(++counts.states)
                                                                 : counts.add(Fault::unsent);
  }

  // --- the robot's thread ---

  void hold() {
    if (!holds) can_hold = rig.hold(), law.begin();
    holds = true, driven = false;
    if (!can_hold && any) (void)rig.write(law.torque(plant, reading.q, reading.v));
  }

  /// Torques that have waited for so long, as where this thread was stopped, are of a controller that may be gone.
  void act(const Command& command) {
    const double age = steady_time() - command.arrival;
    if (age > options.watchdog) return counts.add(Fault::late);
    if (!rig.write(command.tau)) return counts.add(Fault::refused), void(driven = false);
    last_command = rig.now() - age, driven = true, holds = false;
    ++counts.commands;
  }

  rig::Rig& rig;
  RobotOptions options;
  std::mutex mutex;
  JointTable joints;
  std::vector<std::size_t> order;
  double last_stamp = 0.0;
  Latest<State> states;
  Latest<Command> commands;
  Counts counts;
  rig::Reading reading;
  rig::HoldLaw law;
  Plant<double> plant;
  bool any = false, holds = false, can_hold = false, driven = false;
  double last_command = 0.0;
  JointMessage message;
  std::optional<RaisedPriority> raised;  ///< until all threads are made
  Participant participant;
  dds_entity_t state_writer = 0;
  std::optional<Outbox> outbox;
};

DdsRobot::DdsRobot(rig::Rig& rig, const RobotOptions& options)
    : parts_(std::make_unique<Parts>(rig, options)) {}
DdsRobot::~DdsRobot() = default;

void DdsRobot::take() noexcept {
  Parts& p = *parts_;
  if (!p.any) p.any = p.rig.read(p.reading);
  if (p.commands.take()) p.act(p.commands.now());
  if (p.driven && p.rig.now() - p.last_command <= p.options.watchdog) return;
  if (p.driven) p.counts.add(Fault::silent);
  p.hold();
}

void DdsRobot::send() noexcept {
  Parts& p = *parts_;
  if (!p.rig.read(p.reading)) return;
  p.any = true;
  if (!p.reading.fresh) return;
  State& state = p.states.next();
  state.measured_at = system_time() - (p.rig.now() - p.reading.time);
  state.q = p.reading.q, state.v = p.reading.v, state.tau = p.reading.tau;
  if (p.states.publish()) ++p.counts.superseded;
  p.outbox->wake();
}

bool DdsRobot::driven() const noexcept { return parts_->driven; }
Traffic DdsRobot::traffic() const noexcept { return parts_->counts.traffic(); }

}  // namespace ulna::ros2
