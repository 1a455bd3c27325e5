#pragma once

#include <csignal>
#include <thread>

#include "ros2/diagnostics.hpp"
#include "support/allocations.hpp"
#include "support/run_cli.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/rig/test_rig.hpp"
#include "ulna/ros2/dds_rig.hpp"
#include "ulna/ros2/dds_robot.hpp"

// Robots over DDS. Each test has topics of its own, and each process that runs tests most likely a domain of its own.
namespace ulna::ros2 {

using Clock = std::chrono::steady_clock;
using Eigen::VectorXd;
using rig::Reading;
using namespace std::chrono_literals;

inline const Model& panda() {
  static const Model model = load_robot("panda").model;
  return model;
}

// Up to 48 with the one after it: ports of domains above are where the system takes ports from by itself.
inline Network here() { return {.domain = 1 + int(getpid()) % 47}; }

/// "t7/states"
inline std::string topic(const std::string& name) {
  return std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + "/" + name;
}

inline RigOptions for_rig() {
  return {.network = here(),
          .states = topic("states"),
          .commands = topic("commands"),
          .parameters = topic("parameters"),
          .diagnostics = topic("diagnostics"),
          .late_after = 0.5,
          .silent_after = 1.0};
}
inline RobotOptions for_robot() {
  return {.network = here(),
          .states = topic("states"),
          .commands = topic("commands"),
          .diagnostics = topic("diagnostics"),
          .watchdog = 0.3};
}

template <class F>
bool becomes(F condition, std::chrono::milliseconds within = 5s) {
  const auto end = Clock::now() + within;
  while (!condition()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

/// A simulated Panda behind DDS, whose clock goes as fast as it is stepped.
struct Served {
  explicit Served(const RobotOptions& options = for_robot())
      : rig(panda()), start(neutral(panda())) {
    rig.start(start);
    server.emplace(rig, options);
  }
  void step(double h = 2e-3) {
    server->take();
    (void)rig.advance(h);
    server->send();
  }
  rig::TestRig rig;
  VectorXd start;
  std::optional<DdsRobot> server;
};

inline VectorXd gravity(const VectorXd& q) {
  Motion<double> motion(panda());
  Workspace<double> ws(panda());
  VectorXd tau(7);
  motion.set(q);
  gravity_torque<double>(Plant<double>(panda()), motion, ws, tau);
  return tau;
}

/// Steps the robot meanwhile.
template <class F>
bool stepping(Served& robot, F condition) {
  return becomes([&] { return robot.step(), condition(); });
}

// --- a peer that sends what a test wants ---

class Peer {
 public:
  Peer() : participant_(here()) {
    writer_ =
        participant_.writer(sensor_msgs_msg_dds__JointState__desc, topic("states"), Delivery::sure);
  }
  struct Message {
    std::vector<std::string> names = panda().velocity_names();
    std::vector<double> position = {1, 2, 3, 4, 5, 6, 7}, velocity = {11, 12, 13, 14, 15, 16, 17},
                        effort = {21, 22, 23, 24, 25, 26, 27};
    double stamp = system_time();
  };
  void send(Message m) {
    std::vector<char*> names;
    for (const std::string& name : m.names) names.push_back(borrow(name));
    const std::string frame;
    JointState state{};
    state.header = {stamp_of(m.stamp), borrow(frame)};
    borrow(state.name, names), borrow(state.position, m.position);
    borrow(state.velocity, m.velocity), borrow(state.effort, m.effort);
    ASSERT_EQ(dds_write(writer_, &state), DDS_RETCODE_OK);
  }
  /// Sends until a rig has it.
  bool arrives(DdsRig& rig, Reading& reading, Message m) {
    return becomes([&] {
      m.stamp = system_time();
      send(m);
      std::this_thread::sleep_for(2ms);
      return rig.read(reading) && reading.fresh;
    });
  }

 private:
  Participant participant_;
  dds_entity_t writer_;
};

template <class T>
struct Listener {
  explicit Listener(const dds_topic_descriptor_t& type, const std::string& name)
      : participant(here()) {
    reader = participant.reader(type, name, Delivery::newest, nullptr, nullptr, nullptr);
  }
  template <class F>
  bool gets(F check) {
    return becomes([&] {
      bool good = false;
      take_all<T>(reader, [&](const T& message) { good = check(message); });
      return good;
    });
  }
  Participant participant;
  dds_entity_t reader;
};

}  // namespace ulna::ros2
