#include <gtest/gtest.h>

#include "ulna/io/import.hpp"
#include "ulna/rig/test_rig.hpp"
#include "ulna/ros2/dds_rig.hpp"
#include "ulna/ros2/dds_robot.hpp"

#if !ULNA_WITH_CYCLONEDDS

namespace ulna::ros2 {
namespace {

TEST(Dds, is_refused_where_it_was_not_there_when_ulna_was_built) {
  EXPECT_FALSE(has_dds());
  const Model model = load_robot("panda").model;
  EXPECT_THROW(DdsRig(model, {}), DdsError);
  rig::TestRig rig(model);
  EXPECT_THROW(DdsRobot(rig, {}), DdsError);
}

}  // namespace
}  // namespace ulna::ros2

#else

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <fstream>

#include "ros2/latest.hpp"
#include "ros2_support.hpp"

namespace ulna::ros2 {
namespace {

TEST(Addresses, have_all_options_of_a_rig) {
  const RigOptions o = rig_options(
      "dds:domain=3,interface=eth0,states=arm/"
      "joint_states,commands=c,command=joint_effort,joints=a+b,parameters=p,diagnostics=d,"
      "late_after=0.5,silent_after=0.25,watchdog=0.125,priority=7");
  EXPECT_EQ(o.network.domain, 3);
  EXPECT_EQ(o.network.interface, "eth0");
  EXPECT_EQ(o.states, "arm/joint_states");
  EXPECT_EQ(o.commands, "c");
  EXPECT_EQ(o.command, CommandType::joint_effort);
  EXPECT_EQ(o.joints, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(o.parameters + o.diagnostics, "pd");
  EXPECT_EQ(o.late_after, 0.5);
  EXPECT_EQ(o.silent_after, 0.25);
  EXPECT_EQ(o.watchdog, 0.125);
  EXPECT_EQ(o.network.priority, 7);
  EXPECT_EQ(rig_options("dds:").states, "joint_states");
  EXPECT_EQ(rig_options("dds:").network.interface, "lo");
  for (const char* bad : {"", "udp:1", "dds:3", "dds:domian=3", "dds:domain=", "dds:domain=3x",
                          "dds:domain=3,,", "dds:watchdog=1s", "dds:command=torques"})
    EXPECT_THROW((void)rig_options(bad), std::invalid_argument) << bad;
  try {
    (void)rig_options("dds:domian=3");
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'domain'"), std::string::npos) << e.what();
  }
}

TEST(Latest, hands_over_whole_values_in_order_and_ends_with_the_last) {
  Latest<std::array<long, 64>> latest({});
  constexpr long last = 200000;
  std::thread writer([&] {
    for (long k = 1; k <= last; ++k) latest.next().fill(k), latest.publish();
  });
  long before = 0, taken = 0;
  while (before < last) {
    if (!latest.take()) continue;
    const auto& now = latest.now();
    ASSERT_GT(now[0], before);
    for (const long x : now) ASSERT_EQ(x, now[0]);
    before = now[0], ++taken;
  }
  writer.join();
  EXPECT_FALSE(latest.take());
  EXPECT_GT(taken, 0);
}

// --- both sides in one process ---

void expect_round_trip(const RigOptions& options, const RobotOptions& others) {
  Served robot(others);
  DdsRig rig(panda(), options);
  Reading reading(panda());
  ASSERT_TRUE(stepping(robot, [&] { return rig.read(reading); }));
  EXPECT_FALSE(robot.server->driven());
  const VectorXd wanted = gravity(robot.start) + VectorXd::LinSpaced(7, 0.1, 0.7);
  ASSERT_TRUE(stepping(robot, [&] { return rig.write(wanted) && robot.server->driven(); }));
  EXPECT_EQ(robot.rig.tau(), wanted);
  // bit for bit, and at the right joints: they all move now
  ASSERT_TRUE(stepping(robot, [&] { return robot.rig.v().cwiseAbs().minCoeff() > 1e-4; }));
  std::vector<std::pair<VectorXd, VectorXd>> sent;
  const auto is_read = [&](const auto& state) {
    return reading.q == state.first && reading.v == state.second;
  };
  ASSERT_TRUE(stepping(robot,
                       [&] {
                         sent.emplace_back(robot.rig.q(), robot.rig.v());
                         return rig.read(reading) &&
                                std::any_of(sent.rbegin(), sent.rend(), is_read);
                       }))
      << reading.q.transpose() << "\n"
      << robot.rig.q().transpose();
  EXPECT_EQ(rig.traffic().report(), "none");
  EXPECT_EQ(rig.fault(), Fault::none);
  EXPECT_GT(rig.traffic().states, 0u);
}

TEST(DdsRig, drives_a_robot_by_arrays) { expect_round_trip(for_rig(), for_robot()); }

TEST(DdsRig, drives_a_robot_by_arrays_in_another_order) {
  RigOptions mine = for_rig();
  RobotOptions its = for_robot();
  mine.joints = panda().velocity_names();
  std::rotate(mine.joints.begin(), mine.joints.begin() + 3, mine.joints.end());
  its.joints = mine.joints;
  expect_round_trip(mine, its);
}

TEST(DdsRig, drives_a_robot_by_joint_states_with_efforts) {
  RigOptions mine = for_rig();
  RobotOptions its = for_robot();
  mine.command = its.command = CommandType::joint_effort;
  expect_round_trip(mine, its);
}

TEST(DdsRobot, holds_itself_until_it_is_driven_and_again_when_torques_end) {
  Served robot;
  DdsRig rig(panda(), for_rig());
  Reading reading(panda());
  ASSERT_TRUE(stepping(robot, [&] { return rig.read(reading) && robot.rig.now() > 1.0; }));
  EXPECT_LT((robot.rig.q() - robot.start).norm(), 1e-3);
  const VectorXd falling = VectorXd::Zero(7);
  ASSERT_TRUE(stepping(robot, [&] { return rig.write(falling) && robot.server->driven(); }));
  ASSERT_TRUE(stepping(robot, [&] { return !robot.server->driven(); }));
  EXPECT_EQ(robot.server->traffic().count(Fault::silent), 1u);
  for (int k = 0; k < 1000; ++k) robot.step();
  const VectorXd held = robot.rig.q();
  for (int k = 0; k < 500; ++k) robot.step();
  EXPECT_LT((robot.rig.q() - held).norm(), 1e-4);
  EXPECT_LT(robot.rig.v().norm(), 1e-3);
  ASSERT_TRUE(
      stepping(robot, [&] { return rig.write(gravity(robot.rig.q())) && robot.server->driven(); }));
}

TEST(DdsRobot, does_not_use_torques_that_have_waited_while_it_was_stopped) {
  Served robot;
  DdsRig rig(panda(), for_rig());
  const VectorXd falling = VectorXd::Zero(7);
  ASSERT_TRUE(stepping(robot, [&] { return rig.write(falling) && robot.server->driven(); }));
  ASSERT_TRUE(stepping(robot, [&] { return !robot.server->driven(); }));
  const auto late = robot.server->traffic().count(Fault::late);
  const auto sent = rig.traffic().commands;
  ASSERT_TRUE(rig.write(falling));
  ASSERT_TRUE(becomes([&] { return rig.traffic().commands > sent; }));
  std::this_thread::sleep_for(500ms);  // longer than its watchdog
  robot.step();
  EXPECT_FALSE(robot.server->driven());
  EXPECT_EQ(robot.server->traffic().count(Fault::late), late + 1);
  ASSERT_TRUE(stepping(robot, [&] { return rig.write(falling) && robot.server->driven(); }));
}

/// Takes no torques above 50 Nm, and knows how to hold itself.
struct WeakRig final : rig::Rig {
  const Model& model() const noexcept override { return panda(); }
  bool read(Reading& reading) noexcept override {
    return reading.time = now(), reading.fresh = true;
  }
  bool write(const Eigen::Ref<const VectorXd>& tau) noexcept override {
    if (tau.cwiseAbs().maxCoeff() > 50.0) return false;
    return held = false, true;
  }
  bool hold() noexcept override { return held = true; }
  double now() const noexcept override { return steady_time(); }
  bool held = false;
};

TEST(DdsRobot, holds_itself_where_it_does_not_take_the_torques) {
  WeakRig weak;
  DdsRobot robot(weak, for_robot());
  DdsRig rig(panda(), for_rig());
  const auto sends = [&](double torque, auto condition) {
    return becomes([&] {
      (void)rig.write(VectorXd::Constant(7, torque));
      robot.take();
      return condition();
    });
  };
  ASSERT_TRUE(sends(1.0, [&] { return robot.driven() && !weak.held; }));
  ASSERT_TRUE(sends(100.0, [&] { return robot.traffic().count(Fault::refused) > 0; }));
  EXPECT_FALSE(robot.driven());
  EXPECT_TRUE(weak.held);
  EXPECT_EQ(robot.traffic().count(Fault::silent), 0u);
  EXPECT_TRUE(sends(1.0, [&] { return robot.driven() && !weak.held; }));
}

TEST(DdsRig, is_held_only_by_a_robot_with_a_watchdog) {
  RigOptions options = for_rig();
  EXPECT_FALSE(DdsRig(panda(), options).hold());
  options.watchdog = 0.1;
  EXPECT_TRUE(DdsRig(panda(), options).hold());
}

TEST(DdsRig, knows_whether_the_robot_holds_itself_as_the_robot_says_so) {
  for (const CommandType type : {CommandType::multi_array, CommandType::joint_effort}) {
    RigOptions mine = for_rig();
    RobotOptions its = for_robot();
    mine.command = its.command = type;
    its.watchdog = 60.0;  // that of the hold is not this
    Served robot(its);
    DdsRig rig(panda(), mine);
    EXPECT_FALSE(rig.holds());
    EXPECT_FALSE(rig.hold());  // nothing is known of it yet
    Reading reading(panda());
    ASSERT_TRUE(stepping(robot, [&] { return rig.read(reading) && rig.holds(); }));
    EXPECT_TRUE(rig.hold());
    const VectorXd tau = gravity(robot.start);
    for (int k = 0; k < 3; ++k) {
      ASSERT_TRUE(stepping(robot, [&] { return rig.write(tau) && robot.server->driven(); }));
      // what was said before these torques does not count
      EXPECT_FALSE(rig.holds());
      EXPECT_TRUE(rig.hold());
      ASSERT_TRUE(stepping(robot, [&] { return rig.holds(); }));
      EXPECT_FALSE(robot.server->driven());
    }
    EXPECT_EQ(robot.server->traffic().report(), "none");
  }
}

TEST(DdsRig, hears_of_torques_that_the_robot_refuses) {
  WeakRig weak;
  DdsRobot robot(weak, for_robot());
  DdsRig rig(panda(), for_rig());
  Reading reading(panda());
  const auto sends = [&](double torque, auto condition) {
    return becomes([&] {
      const bool taken = rig.write(VectorXd::Constant(7, torque));
      robot.take(), robot.send(), (void)rig.read(reading);
      return condition(taken);
    });
  };
  ASSERT_TRUE(sends(1.0, [&](bool taken) { return taken && robot.driven(); }));
  ASSERT_TRUE(sends(100.0, [&](bool taken) { return !taken; }));
  EXPECT_EQ(rig.fault(), Fault::refused);
  EXPECT_TRUE(weak.held);
  // those that it takes come through, and are in force
  EXPECT_TRUE(sends(1.0, [&](bool taken) { return taken && robot.driven(); }));
  EXPECT_EQ(rig.fault(), Fault::none);
}

TEST(DdsRig, refuses_torques_that_are_no_numbers_or_too_few) {
  DdsRig rig(panda(), for_rig());
  VectorXd tau = VectorXd::Zero(7);
  tau(2) = std::nan("");
  EXPECT_FALSE(rig.write(tau));
  EXPECT_FALSE(rig.write(VectorXd::Zero(6)));
  EXPECT_EQ(rig.traffic().count(Fault::not_finite), 1u);
}

TEST(DdsRig, refuses_options_that_make_no_sense) {
  const auto refuses = [](auto change) {
    RigOptions options = for_rig();
    change(options);
    EXPECT_THROW(DdsRig(panda(), options), std::invalid_argument);
  };
  refuses([](RigOptions& o) { o.network.domain = 300; });
  refuses([](RigOptions& o) { o.network.interface = "e\"/><x"; });
  refuses([](RigOptions& o) { o.states = "not a topic"; });
  refuses([](RigOptions& o) { o.late_after = 0.0; });
  refuses([](RigOptions& o) { o.network.priority = 100; });
  refuses([](RigOptions& o) { o.joints = {"panda_joint1"}; });
  RigOptions other = for_rig();
  DdsRig first(panda(), other);
  other.network.interface = "auto";  // of a domain that is in use
  EXPECT_THROW(DdsRig(panda(), other), DdsError);
  other.network = {.domain = here().domain + 1, .interface = "no_such_interface"};
  try {
    DdsRig nowhere(panda(), other);
    ADD_FAILURE();
  } catch (const DdsError& e) {
    EXPECT_NE(std::string(e.what()).find("no_such_interface"), std::string::npos) << e.what();
  }
  const Model floating = load_robot("panda", {.floating_base = true}).model;
  EXPECT_THROW(DdsRig(floating, for_rig()), std::invalid_argument);
}

// --- what it does to a machine ---

TEST(DdsRig, allocates_nothing_in_the_thread_of_a_loop) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  Served robot;
  DdsRig rig(panda(), for_rig());
  Reading reading(panda());
  const VectorXd tau = gravity(robot.start);
  ASSERT_TRUE(stepping(
      robot, [&] { return rig.read(reading) && rig.write(tau) && robot.server->driven(); }));
  int fresh = 0;
  const long count = test::allocations_of_this_thread([&] {
    for (int k = 0; k < 200; ++k) {
      robot.step();
      if (rig.read(reading)) (void)rig.write(tau);
      fresh += reading.fresh;
      std::this_thread::sleep_for(1ms);
    }
    (void)rig.hold(), (void)rig.traffic(), (void)rig.now();
  });
  EXPECT_EQ(count, 0);
  EXPECT_GT(fresh, 20);
}

TEST(DdsRig, leaves_sockets_of_others_alone) {
  const int other = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET, at.sin_addr.s_addr = htonl(INADDR_ANY);
  at.sin_port = htons(std::uint16_t(7400 + 250 * here().domain + 240));
  ASSERT_EQ(bind(other, reinterpret_cast<sockaddr*>(&at), sizeof at), 0) << std::strerror(errno);
  const DdsRig rig(panda(), for_rig());
  char device[16] = "";
  socklen_t size = sizeof device;
  ASSERT_EQ(getsockopt(other, SOL_SOCKET, SO_BINDTODEVICE, device, &size), 0);
  EXPECT_STREQ(device, "");
  close(other);
}

TEST(DdsRig, receives_from_this_machine_only_unless_an_interface_is_given) {
  const DdsRig rig(panda(), for_rig());
  const int first = 7400 + 250 * here().domain;
  std::ifstream udp("/proc/net/udp");
  std::string line;
  int found = 0;
  for (std::getline(udp, line); std::getline(udp, line);) {
    unsigned slot, address, port;
    if (std::sscanf(line.c_str(), " %u: %8X:%4X", &slot, &address, &port) != 3) continue;
    found += int(port) >= first && int(port) < first + 250;
  }
  EXPECT_GE(found, 2);
  // what is sent to another address of this machine goes by the loopback device, too: so the device is asked for
  int kept = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int fd = std::atoi(entry.path().filename().c_str());
    sockaddr_in at{};
    socklen_t size = sizeof at;
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size) != 0 || at.sin_family != AF_INET)
      continue;
    char device[16] = "";
    size = sizeof device;
    (void)getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, &size);
    const bool local = at.sin_addr.s_addr == htonl(INADDR_LOOPBACK) || std::string(device) == "lo";
    EXPECT_TRUE(local) << "port " << ntohs(at.sin_port);
    ++kept;
  }
  EXPECT_GE(kept, 2);
}

TEST(DdsRig, survives_garbage_at_its_ports) {
  Served robot;
  DdsRig rig(panda(), for_rig());
  Reading reading(panda());
  ASSERT_TRUE(stepping(robot, [&] { return rig.read(reading); }));
  const int sender = socket(AF_INET, SOCK_DGRAM, 0);
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  std::string packet;
  for (int k = 0; k < 3000; ++k) {
    packet.resize(random() % 300);
    for (char& c : packet) c = char(random());
    // some look like RTPS
    if (k % 2 && packet.size() > 24)
      packet.replace(0, 8, std::string("RTPS\2\1\1\x10", 8)), packet[20] = char(random() % 0x18);
    sockaddr_in to{};
    to.sin_family = AF_INET, to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(std::uint16_t(7400 + 250 * here().domain + 10 + random() % 4));
    (void)sendto(sender, packet.data(), packet.size(), 0, reinterpret_cast<sockaddr*>(&to),
                 sizeof to);
  }
  close(sender);
  const auto before = rig.traffic().states;
  EXPECT_TRUE(
      stepping(robot, [&] { return rig.read(reading) && rig.traffic().states > before + 5; }))
      << "seed " << seed;
}

// --- two processes ---

/// The process that has the robot; it ends with this object.
class RobotProcess {
 public:
  RobotProcess(const std::string& prefix, double hz, const char* plant, double seconds) {
    const std::string domain = std::to_string(here().domain), rate = std::to_string(hz),
                      time = std::to_string(seconds);
    id_ = fork();
    if (id_ == 0) {
      execl(ROBOT_PROCESS, ROBOT_PROCESS, domain.c_str(), prefix.c_str(), rate.c_str(), plant,
            time.c_str(), nullptr);
      _exit(127);
    }
  }
  ~RobotProcess() { kill(); }
  void kill() {
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    waitpid(std::exchange(id_, 0), nullptr, 0);
  }

 private:
  pid_t id_;
};

TEST(TwoProcesses, robot_follows_at_500_Hz_and_may_be_killed_and_started_again) {
  RigOptions options = for_rig();
  options.silent_after = 0.25;
  std::optional<RobotProcess> process(std::in_place, topic(""), 500.0,
                                      rig::has_mujoco() ? "mujoco" : "ulna", 60.0);
  DdsRig rig(panda(), options);
  rig.connect(20.0);
  Reading reading(panda());
  const VectorXd centre{{0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785}};
  Motion<double> motion(panda());
  Workspace<double> ws(panda());
  const Plant<double> plant(panda());
  VectorXd tau(7), a(7), v(7), q(7);
  std::vector<double> errors;
  const VectorXd way = VectorXd::Constant(7, 0.1);
  /// Computed torque along a wave; the error that 95 % of the readings are below.
  const auto drive = [&](double seconds) {
    const auto begin = Clock::now();
    const double from = rig.now();
    errors.clear();
    long k = 0;
    for (double t = 0.0; t < seconds; t = rig.now() - from, ++k) {
      if (rig.read(reading)) {
        const double w = 2.0;
        q = centre + (1.0 - std::cos(w * t)) * way, v = w * std::sin(w * t) * way;
        a = w * w * std::cos(w * t) * way + 100.0 * (q - reading.q) + 20.0 * (v - reading.v);
        motion.set(reading.q, reading.v, a);
        inverse_dynamics<double>(plant, motion, ws, tau);
        (void)rig.write(tau);
        if (t > 0.5) errors.push_back((q - reading.q).lpNorm<Eigen::Infinity>());
      }
      std::this_thread::sleep_until(begin + std::chrono::milliseconds(2 * (k + 1)));
    }
    // other processes may stop this one for longer than the robot's watchdog: rarely
    std::sort(errors.begin(), errors.end());
    return errors.empty() ? 1.0 : errors[errors.size() * 95 / 100];
  };
  const auto before = rig.traffic();
  const double error = drive(3.0);
  const Traffic now = rig.traffic();
  EXPECT_LT(error, 0.05);
  // most of 1500, also on a busy machine
  EXPECT_GT(now.states - before.states, 600u) << now.report();
  EXPECT_GT(now.commands - before.commands, 600u) << now.report();
  EXPECT_EQ(
      now.count(Fault::garbled) + now.count(Fault::joint_missing) + now.count(Fault::reordered), 0u)
      << now.report();
  RecordProperty("states", int(now.states - before.states));
  RecordProperty("error", std::to_string(error));

  process->kill();
  ASSERT_TRUE(becomes([&] { return (void)rig.read(reading), rig.fault() == Fault::silent; }));
  process.emplace(topic(""), 500.0, "ulna", 60.0);
  ASSERT_TRUE(becomes([&] { return rig.read(reading) && reading.fresh; }, 20s));
  EXPECT_LT(drive(1.0), 0.05);
}

}  // namespace
}  // namespace ulna::ros2

#endif
