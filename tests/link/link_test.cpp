#include "support/allocations.hpp"

#include <gtest/gtest.h>

#include <random>

#include "link/ulna_link.h"
#include "rig/hold_law.hpp"
#include "support/run_cli.hpp"
#include "ulna/io/import.hpp"
#include "ulna/link/remote_rig.hpp"
#include "ulna/link/rig_server.hpp"
#include "ulna/rig/simulated_robot.hpp"

namespace ulna::link {
namespace {

using Eigen::VectorXd;
using Bytes = std::vector<std::uint8_t>;

ulna_link_about about_of(int joints) {
  ulna_link_about about{};
  about.joints = joints, about.period = 1e-3, about.watchdog = 0.05,
  about.torque_side = ULNA_LINK_MOTOR_SIDE;
  for (int i = 0; i < joints; ++i)
    std::snprintf(about.name[i], sizeof about.name[i], "joint%d", i + 1);
  return about;
}

/// Both sides without anything between them: packets are carried by hand, time is a number.
struct Pair {
  ulna_link_robot robot;
  ulna_link_controller controller;
  double now = 100.0;
  const double q[2] = {0.1, 0.2}, v[2] = {0.3, 0.4}, measured[2] = {5.0, 6.0};

  Pair() {
    const ulna_link_about about = about_of(2);
    ulna_link_robot_init(&robot, &about);
    ulna_link_controller_init(&controller);
  }
  Bytes hello() {
    const std::size_t size = ulna_link_controller_hello(&controller, now);
    return {controller.out, controller.out + size};
  }
  Bytes command(const double* tau) {
    const std::size_t size = ulna_link_controller_command(&controller, now, tau);
    return {controller.out, controller.out + size};
  }
  Bytes state() {
    const std::size_t size = ulna_link_robot_state(&robot, now, now, q, v, measured, 0);
    return {robot.out, robot.out + size};
  }
  /// To the robot, and its answer.
  std::pair<ulna_link_fault, Bytes> to_robot(const Bytes& packet) {
    std::size_t reply = 0;
    const ulna_link_fault fault =
        ulna_link_robot_take(&robot, now, packet.data(), packet.size(), &reply);
    return {fault, {robot.out, robot.out + reply}};
  }
  ulna_link_fault to_controller(const Bytes& packet, int* fresh = nullptr) {
    int ignored = 0;
    return ulna_link_controller_take(&controller, now, packet.data(), packet.size(),
                                     fresh ? fresh : &ignored);
  }
  void connect() {
    const auto [fault, welcome] = to_robot(hello());
    ASSERT_EQ(fault, ULNA_LINK_FINE);
    ASSERT_EQ(to_controller(welcome), ULNA_LINK_FINE);
    ASSERT_EQ(to_controller(state()), ULNA_LINK_FINE);
  }
  /// Torques that are in force.
  bool driven() { return ulna_link_robot_watch(&robot, now) != 0; }
};

TEST(Link, states_and_torques_arrive_as_they_were) {
  Pair p;
  p.connect();
  EXPECT_STREQ(p.controller.about.name[1], "joint2");
  EXPECT_EQ(p.controller.about.watchdog, 0.05);
  EXPECT_EQ(p.controller.q[1], 0.2);
  EXPECT_EQ(p.controller.v[0], 0.3);
  EXPECT_EQ(p.controller.tau[1], 6.0);
  EXPECT_FALSE(p.driven());
  const double tau[2] = {-1.25, 3e-7};
  EXPECT_EQ(p.to_robot(p.command(tau)).first, ULNA_LINK_FINE);
  EXPECT_TRUE(p.driven());
  EXPECT_EQ(p.robot.tau[0], tau[0]);
  EXPECT_EQ(p.robot.tau[1], tau[1]);
  p.now += 0.002;
  EXPECT_EQ(p.to_controller(p.state()), ULNA_LINK_FINE);
  EXPECT_NEAR(p.controller.round_trip, 0.002, 1e-12);
  EXPECT_EQ(p.controller.status, 0u);
  // and a hold
  EXPECT_EQ(p.to_robot(p.command(nullptr)).first, ULNA_LINK_FINE);
  EXPECT_FALSE(p.driven());
}

TEST(Link, the_checksum_is_that_of_zlib) {
  // CRC-32 of "12345678", which ends before the four bytes that count as 0
  const char* text = "12345678";
  EXPECT_EQ(ulna_link_checksum(reinterpret_cast<const std::uint8_t*>(text), 8), 0x9ae0daafu);
}

TEST(Link, every_bad_packet_has_a_name_and_changes_nothing) {
  Pair p;
  p.connect();
  const double tau[2] = {1.0, 2.0}, other[2] = {7.0, 8.0};
  ASSERT_EQ(p.to_robot(p.command(tau)).first, ULNA_LINK_FINE);
  const auto refused = [&](ulna_link_fault expected, const Bytes& packet, const char* what) {
    const std::uint64_t before = p.robot.count[expected];
    EXPECT_EQ(p.to_robot(packet).first, expected) << what;
    EXPECT_EQ(p.robot.count[expected], before + 1) << what;
    EXPECT_EQ(p.robot.tau[0], 1.0) << what;
    EXPECT_TRUE(p.robot.driven) << what;
  };
  const Bytes good = p.command(other);
  refused(ULNA_LINK_TRUNCATED, {}, "nothing");
  refused(ULNA_LINK_TRUNCATED, Bytes(good.begin(), good.end() - 1), "a byte less");
  refused(ULNA_LINK_TRUNCATED, Bytes(good.begin(), good.begin() + 20), "half a header");
  Bytes longer = good;
  longer.push_back(0);
  refused(ULNA_LINK_TRUNCATED, longer, "a byte more");
  Bytes garbage(good.size(), 0x5a);
  refused(ULNA_LINK_GARBAGE, garbage, "garbage");
  Bytes version = good;
  version[4] = 2;
  refused(ULNA_LINK_OTHER_VERSION, version, "version 2");
  for (std::size_t i = 8; i < good.size(); ++i) {
    Bytes flipped = good;
    flipped[i] ^= 0x10;
    refused(ULNA_LINK_CHECKSUM, flipped, "a flipped bit");
  }
  // what follows has a right checksum
  const auto forged = [&](auto change, int kind = ULNA_LINK_COMMAND, std::uint32_t session = 0,
                          std::uint32_t sequence = 0) {
    Bytes packet = p.command(other);
    change(packet);
    ulna_link_finish(packet.data(), packet.size(), kind, session ? session : p.robot.session,
                     sequence ? sequence : p.controller.sequence, 0, p.now);
    return packet;
  };
  const auto nothing = [](Bytes&) {};
  refused(ULNA_LINK_FOREIGN, forged(nothing, ULNA_LINK_COMMAND, p.robot.session + 1),
          "another session");
  refused(ULNA_LINK_GARBAGE, forged(nothing, ULNA_LINK_STATE), "a state to a robot");
  refused(ULNA_LINK_MALFORMED, forged([](Bytes& b) { b.resize(b.size() - 8); }), "a torque less");
  refused(ULNA_LINK_MALFORMED, forged([](Bytes& b) { ulna_link_put(&b[ULNA_LINK_HEADER], 7, 4); }),
          "mode 7");
  refused(ULNA_LINK_MALFORMED,
          forged([&](Bytes& b) { ulna_link_put_number(&b[ULNA_LINK_HEADER + 8], p.now + 1.0); }),
          "answers what was not sent");
  refused(ULNA_LINK_MALFORMED,
          forged([&](Bytes& b) { ulna_link_put_number(&b[ULNA_LINK_HEADER + 8], std::nan("")); }),
          "answers no time");
  refused(ULNA_LINK_NOT_FINITE,
          forged([](Bytes& b) { ulna_link_put_number(&b[ULNA_LINK_HEADER + 16], std::nan("")); }),
          "NaN");
  refused(ULNA_LINK_NOT_FINITE,
          forged([](Bytes& b) { ulna_link_put_number(&b[ULNA_LINK_HEADER + 24], 1.0 / 0.0); }),
          "infinity");
  refused(ULNA_LINK_LATE,
          forged([&](Bytes& b) { ulna_link_put_number(&b[ULNA_LINK_HEADER + 8], p.now - 0.021); }),
          "late");
}

TEST(Link, replayed_and_reordered_commands_are_not_acted_on) {
  Pair p;
  p.connect();
  const double one[2] = {1.0, 1.0}, two[2] = {2.0, 2.0}, three[2] = {3.0, 3.0};
  const Bytes first = p.command(one), second = p.command(two), third = p.command(three);
  EXPECT_EQ(p.to_robot(first).first, ULNA_LINK_FINE);
  EXPECT_EQ(p.to_robot(third).first, ULNA_LINK_FINE);
  EXPECT_EQ(p.robot.count[ULNA_LINK_LOST], 1u);
  EXPECT_EQ(p.to_robot(second).first, ULNA_LINK_REORDERED);
  EXPECT_EQ(p.robot.count[ULNA_LINK_LOST], 0u);
  for (const Bytes& again : {first, second, third})
    EXPECT_EQ(p.to_robot(again).first, ULNA_LINK_REPLAYED);
  EXPECT_EQ(p.robot.tau[0], 3.0);
  // a hello that was heard before begins no session either
  const Bytes hello = p.hello();
  const std::uint32_t session = p.robot.session;
  EXPECT_EQ(p.to_robot(hello).first,
            ULNA_LINK_FINE);  // of the session of now: its welcome is sent again
  EXPECT_EQ(p.robot.session, session);
  EXPECT_EQ(p.to_robot(p.command(nullptr)).first, ULNA_LINK_FINE);
  p.controller.session = p.controller.nonce = 0;
  const Bytes fresh = p.hello();
  EXPECT_EQ(p.to_robot(fresh).first, ULNA_LINK_FINE);
  EXPECT_NE(p.robot.session, session);
  EXPECT_EQ(p.to_robot(hello).first, ULNA_LINK_REPLAYED);
}

TEST(Link,
     a_robot_without_commands_holds_itself_within_its_watchdogs_time_until_a_hold_is_commanded) {
  Pair p;
  p.connect();
  const double tau[2] = {1.0, 1.0};
  ASSERT_EQ(p.to_robot(p.command(tau)).first, ULNA_LINK_FINE);
  p.now += 0.0499;
  EXPECT_TRUE(p.driven());
  p.now += 0.0002;
  EXPECT_FALSE(p.driven());
  EXPECT_EQ(p.robot.count[ULNA_LINK_SILENT], 1u);
  ASSERT_EQ(p.to_controller(p.state()), ULNA_LINK_FINE);
  EXPECT_EQ(p.controller.status, unsigned(ULNA_LINK_HOLDS | ULNA_LINK_SILENCED));
  // who comes back late does not go on where it was
  EXPECT_EQ(p.to_robot(p.command(tau)).first, ULNA_LINK_UNREADY);
  EXPECT_FALSE(p.driven());
  EXPECT_EQ(p.to_robot(p.command(nullptr)).first, ULNA_LINK_FINE);
  EXPECT_EQ(p.to_robot(p.command(tau)).first, ULNA_LINK_FINE);
  EXPECT_TRUE(p.driven());
}

TEST(Link, a_second_controller_is_refused_while_one_drives) {
  Pair p, second;
  p.connect();
  const double tau[2] = {1.0, 1.0};
  ASSERT_EQ(p.to_robot(p.command(tau)).first, ULNA_LINK_FINE);
  const auto [fault, answer] = p.to_robot(second.hello());
  EXPECT_EQ(fault, ULNA_LINK_BUSY);
  EXPECT_EQ(second.to_controller(answer), ULNA_LINK_BUSY);
  EXPECT_TRUE(second.controller.refused);
  EXPECT_TRUE(p.driven());
  // once the first is gone, the second gets through
  p.now = second.now = p.now + 0.06;
  EXPECT_FALSE(p.driven());
  const auto [later, welcome] = p.to_robot(second.hello());
  EXPECT_EQ(later, ULNA_LINK_FINE);
  EXPECT_EQ(second.to_controller(welcome), ULNA_LINK_FINE);
  // and the first's packets are of another session
  EXPECT_EQ(p.to_robot(p.command(tau)).first, ULNA_LINK_FOREIGN);
}

TEST(Link, old_states_are_not_used_by_a_clock_that_is_not_the_robots) {
  Pair p;
  p.connect();
  for (int k = 0; k < 50; ++k) {
    p.now += 0.001;
    // the robot's clock is 1000 s behind
    const Bytes state = p.state();
    Bytes shifted = state;
    ulna_link_put_number(&shifted[ULNA_LINK_HEADER + 8], p.now - 1000.0);
    ulna_link_finish(shifted.data(), shifted.size(), ULNA_LINK_STATE, p.robot.session,
                     p.robot.sequence, 0, p.now - 1000.0);
    // the first two seconds' clock is that of the welcome: begin anew
    if (k == 0) p.controller.ahead[0] = p.controller.ahead[1] = -1e300;
    EXPECT_EQ(p.to_controller(shifted), ULNA_LINK_FINE) << k;
  }
  EXPECT_NEAR(ulna_link_controller_clock(&p.controller, p.now), p.now - 1000.0, 1e-9);
  // one that was on its way for 30 ms
  Bytes late = p.state();
  ulna_link_put_number(&late[ULNA_LINK_HEADER + 8], p.now - 1000.0);
  ulna_link_finish(late.data(), late.size(), ULNA_LINK_STATE, p.robot.session, p.robot.sequence, 0,
                   p.now - 1000.0);
  p.now += 0.03;
  int fresh = 0;
  EXPECT_EQ(p.to_controller(late, &fresh), ULNA_LINK_LATE);
  EXPECT_EQ(fresh, 0);
}

/// Random bytes, packets with bits flipped, cut, lengthened, repeated, and forged ones with right checksums.
TEST(Link, a_million_bad_packets_are_ignored_and_counted) {
  const char* asked = std::getenv("ULNA_FUZZ_PACKETS");
  const long count = asked ? std::atol(asked) : 1'000'000;
  const std::uint64_t seed = 20261119;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  Pair p;
  p.connect();
  const double tau[2] = {1.0, 2.0};
  ASSERT_EQ(p.to_robot(p.command(tau)).first, ULNA_LINK_FINE);
  std::vector<Bytes> samples = {p.hello(), p.command(tau), p.state(), p.to_robot(p.hello()).second};
  ASSERT_EQ(p.to_robot(samples[1]).first, ULNA_LINK_FINE);
  ASSERT_EQ(p.to_controller(samples[2]), ULNA_LINK_FINE);
  long faults[2] = {0, 0}, counted[2] = {0, 0}, forged_fine = 0;
  const auto sum = [](const auto& side) {
    long n = 0;
    for (int f = 1; f < ULNA_LINK_FAULTS; ++f)
      if (f != ULNA_LINK_LOST && f != ULNA_LINK_SILENT) n += long(side.count[f]);
    return n;
  };
  const long before[2] = {sum(p.robot), sum(p.controller)};
  for (long k = 0; k < count; ++k) {
    Bytes packet;
    bool forged = false;
    const std::uint64_t r = random();
    switch (r % 6) {
      case 0:
        packet.resize(random() % 200);
        for (std::uint8_t& b : packet) b = std::uint8_t(random());
        break;
      case 1:
        packet = samples[random() % 4];
        for (int flips = 1 + int(random() % 8); flips > 0; --flips)
          packet[random() % packet.size()] ^= std::uint8_t(1u << (random() % 8));
        break;
      case 2:
        packet = samples[random() % 4];
        packet.resize(random() % (packet.size() + 50));
        break;
      case 3:
        packet = samples[1 + random() % 2];  // again
        break;
      default: {
        // the body of chance, the header as it should be
        forged = true;
        const int sample = int(random() % 4), kinds[] = {ULNA_LINK_HELLO, ULNA_LINK_COMMAND,
                                                         ULNA_LINK_STATE, ULNA_LINK_WELCOME};
        packet = samples[std::size_t(sample)];
        // in half of the cases of the right size and kind, with some numbers of chance
        const bool alike = random() % 2;
        if (!alike) packet.resize(ULNA_LINK_HEADER + random() % 200);
        for (std::size_t i = ULNA_LINK_HEADER + (alike ? 8 : 0); i < packet.size(); ++i)
          if (alike ? random() % 32 == 0 : random() % 3) packet[i] = std::uint8_t(random());
        if (alike && packet.size() >= ULNA_LINK_HEADER + 24 && random() % 8 == 0)
          ulna_link_put_number(&packet[ULNA_LINK_HEADER + 16], std::nan(""));
        ulna_link_finish(packet.data(), packet.size(), alike ? kinds[sample] : int(random() % 7),
                         random() % 4 ? p.robot.session : std::uint32_t(random()),
                         std::uint32_t(random() % 1000), std::uint32_t(random()),
                         random() % 50 ? p.now : std::nan(""));
      }
    }
    const bool to_robot = random() % 2;
    const ulna_link_fault fault = to_robot ? p.to_robot(packet).first : p.to_controller(packet);
    if (fault != ULNA_LINK_FINE)
      ++faults[to_robot ? 0 : 1];
    else if (forged)
      ++forged_fine;
    else
      // only a mutation that changed nothing may pass: the hello of the session, which is answered again
      ASSERT_TRUE(to_robot && packet == samples[0]) << k;
    if (!forged) {
      ASSERT_EQ(p.robot.tau[0], 1.0) << k;
      ASSERT_EQ(p.controller.q[0], 0.1) << k;
    }
    // a forged packet that is right in every respect is a packet
    p.robot.tau[0] = 1.0, p.controller.q[0] = 0.1, p.robot.driven = 1, p.robot.silenced = 0;
    if (forged) {
      p.robot.session = p.controller.session = 77, p.robot.nonce = p.controller.nonce = 78;
      p.robot.driven = random() % 2, p.robot.silenced = random() % 8 == 0;
      p.robot.window = p.controller.window = {};
      p.robot.sequence = p.controller.sequence = std::uint32_t(random() % 1000);
      p.controller.about = p.robot.about;
      p.controller.ahead[0] = p.controller.ahead[1] = -1e300;
      // samples of this session, which both sides have seen
      const Bytes state = p.state();
      ASSERT_EQ(p.to_controller(state), ULNA_LINK_FINE);
      samples = {p.hello(), p.command(tau), state, p.to_robot(p.hello()).second};
      const int silenced = std::exchange(p.robot.silenced, 0);
      ASSERT_EQ(p.to_robot(samples[1]).first, ULNA_LINK_FINE);
      p.robot.silenced = silenced;
      // and which are late, in a quarter of the cases
      p.now += random() % 4 ? 0.0 : 0.03;
    }
  }
  counted[0] = sum(p.robot) - before[0], counted[1] = sum(p.controller) - before[1];
  EXPECT_EQ(counted[0], faults[0]);
  EXPECT_EQ(counted[1], faults[1]);
  EXPECT_GT(faults[0] + faults[1], count * 3 / 4);
  EXPECT_GT(forged_fine, count / 1000);
  for (const int f :
       {ULNA_LINK_TRUNCATED, ULNA_LINK_GARBAGE, ULNA_LINK_OTHER_VERSION, ULNA_LINK_CHECKSUM,
        ULNA_LINK_FOREIGN, ULNA_LINK_REPLAYED, ULNA_LINK_REORDERED, ULNA_LINK_LATE,
        ULNA_LINK_MALFORMED, ULNA_LINK_NOT_FINITE, ULNA_LINK_UNREADY, ULNA_LINK_BUSY})
    EXPECT_GT(p.robot.count[f] + p.controller.count[f], 0u) << ulna_link_fault_name(f);
}

TEST(Link, addresses_beyond_this_machine_are_refused) {
  const Model model = load_robot("double_pendulum").model;
  for (const char* address : {"udp:0.0.0.0:7001", "udp:192.168.1.5:7001", "udp:8.8.8.8:7001"}) {
    try {
      RemoteRig rig(model, address);
      ADD_FAILURE() << address;
    } catch (const LinkError& e) {
      EXPECT_NE(std::string(e.what()).find("beyond this machine"), std::string::npos) << e.what();
    }
    rig::SimulatedRobot robot(model);
    EXPECT_THROW(RigServer(robot, address), LinkError);
  }
  for (const char* address :
       {"", "unix:", "udp:127.0.0.1", "udp:127.0.0.1:0", "udp:127.0.0.1:70000",
        "udp:localhost:7001", "tcp:127.0.0.1:7001", "shm:name", "/tmp/x"})
    EXPECT_THROW(RemoteRig(model, address), LinkError) << address;
}

/// Both sides over a way, by a clock that is a number.
struct Way {
  ulna_link_robot robot;
  ulna_link_controller controller;
  double now = 100.0, tau[2] = {0.0, 0.0};
  const double q[2] = {0.1, 0.2};
  bool in_force = false;

  Way(const std::string& address, double period, double watchdog) {
    ulna_link_about about = about_of(2);
    about.period = period, about.watchdog = watchdog;
    EXPECT_EQ(ulna_link_robot_open(&robot, address.c_str(), &about), 0);
    EXPECT_EQ(ulna_link_controller_open(&controller, address.c_str()), 0);
  }
  ~Way() {
    ulna_link_controller_close(&controller);
    ulna_link_robot_close(&robot);
  }
  void robot_period() {
    in_force = ulna_link_robot_step(&robot, now, tau) != 0;
    ulna_link_robot_send(&robot, now, now, q, q, q, 0);
  }
  /// For so many ms; a controller that drives sends torques for every new state.
  void go(int ms, bool controls, bool drives) {
    const long every = std::lround(1e3 * robot.about.period);
    const double torques[2] = {1.0, 2.0};
    for (int k = 0; k < ms; ++k, now += 1e-3) {
      if (k % every == 0) robot_period();
      if (controls && ulna_link_controller_step(&controller, now) && drives)
        ulna_link_controller_send(&controller, now, torques);
    }
  }
};

std::vector<std::string> ways() {
  const std::string id = std::to_string(getpid());
  return {"unix:/tmp/ulna-way-" + id, "shm:/ulna-way-" + id};
}

TEST(Link, a_controller_that_stalled_drives_again_only_after_it_commands_a_hold) {
  for (const std::string& address : ways())
    for (const int gap : {100, 500, 1500, 5000}) {
      Way w(address, 1e-3, 0.05);
      w.go(300, true, true);
      ASSERT_TRUE(w.in_force) << address;
      w.go(gap, false, false);
      EXPECT_FALSE(w.in_force);
      // it goes on as if nothing had happened
      for (int k = 0; k < 1000; ++k) {
        w.go(1, true, true);
        ASSERT_FALSE(w.in_force) << address << ' ' << gap << ' ' << k;
      }
      EXPECT_GT(w.robot.count[ULNA_LINK_UNREADY], 0u);
      EXPECT_TRUE(w.controller.status & ULNA_LINK_SILENCED);
      ulna_link_controller_send(&w.controller, w.now, nullptr);
      w.go(20, true, true);
      EXPECT_TRUE(w.in_force) << address << ' ' << gap;
    }
}

TEST(Link, a_controller_that_only_reads_keeps_its_session) {
  for (const std::string& address : ways()) {
    Way w(address, 1e-3, 0.05);
    w.go(5000, true, false);
    EXPECT_EQ(w.robot.sessions, 1u);
    w.go(50, true, true);
    EXPECT_TRUE(w.in_force);
  }
}

TEST(Link, a_robot_of_8_periods_a_second_is_driven) {
  for (const std::string& address : ways()) {
    Way w(address, 0.125, 0.5);
    w.go(4000, true, true);
    EXPECT_TRUE(w.in_force) << address;
    EXPECT_EQ(w.robot.sessions, 1u) << address;
    EXPECT_GT(w.robot.commands, 20u) << address;
    EXPECT_EQ(w.controller.count[ULNA_LINK_SILENT], 0u) << address;
  }
}

TEST(Link, a_file_that_is_no_socket_stays) {
  const test::Folder folder;
  const std::string file = folder.write("arm", "mine");
  const Model model = load_robot("double_pendulum").model;
  rig::SimulatedRobot robot(model);
  try {
    RigServer server(robot, "unix:" + file);
    ADD_FAILURE();
  } catch (const LinkError& e) {
    EXPECT_NE(std::string(e.what()).find("no socket"), std::string::npos) << e.what();
  }
  EXPECT_EQ(test::read_file(file), "mine");
}

TEST(Link, a_robot_whose_memory_was_replaced_leaves_that_of_the_next) {
  const std::string address = "shm:/ulna-next-" + std::to_string(getpid());
  const ulna_link_about about = about_of(2);
  ulna_link_robot first, second;
  ASSERT_EQ(ulna_link_robot_open(&first, address.c_str(), &about), 0);
  ASSERT_EQ(ulna_link_robot_open(&second, address.c_str(), &about), 0);
  EXPECT_TRUE(ulna_link_displaced(&first.way));
  ulna_link_robot_close(&first);
  EXPECT_FALSE(ulna_link_displaced(&second.way));
  ulna_link_robot_close(&second);
}

TEST(Link, numbers_of_packets_may_wrap) {
  ulna_link_window window = {0xfffffffeu, 1u};
  std::uint64_t lost = 0;
  EXPECT_EQ(ulna_link_window_take(&window, 0xffffffffu, &lost), ULNA_LINK_FINE);
  EXPECT_EQ(ulna_link_window_take(&window, 1u, &lost), ULNA_LINK_FINE);
  EXPECT_EQ(ulna_link_window_take(&window, 0xffffffffu, &lost), ULNA_LINK_REPLAYED);
  EXPECT_EQ(ulna_link_window_take(&window, 2u, &lost), ULNA_LINK_FINE);
}

/// A robot that takes no torques.
class RefusingRig final : public rig::Rig {
 public:
  explicit RefusingRig(rig::SimulatedRobot& robot) : robot_(robot) {}
  const Model& model() const noexcept override { return robot_.model(); }
  bool read(rig::Reading& reading) noexcept override { return robot_.read(reading); }
  bool write(const Eigen::Ref<const VectorXd>& tau) noexcept override {
    return !refuses && robot_.write(tau);
  }
  bool hold() noexcept override { return robot_.hold(); }
  double now() const noexcept override { return robot_.now(); }
  bool refuses = false;

 private:
  rig::SimulatedRobot& robot_;
};

TEST(Link, torques_that_the_rig_refuses_are_a_fault_and_it_holds_itself) {
  const Model model = load_robot("double_pendulum").model;
  rig::SimulatedRobot robot(model);
  RefusingRig refusing(robot);
  const std::string address = "shm:/ulna-refuses-" + std::to_string(getpid());
  RigServer server(refusing, address);
  RemoteRig rig(model, address, {.late_after = 1.0, .silent_after = 1.0});
  rig::Reading reading(model);
  const auto go = [&] {
    for (int k = 0; k < 100; ++k) {
      server.take(), (void)robot.advance(1e-3), server.send();
      if (rig.read(reading)) (void)rig.write(VectorXd::Zero(2));
      usleep(200);
    }
  };
  go();
  EXPECT_FALSE(rig.health().fault || rig.health().holds || robot.holds());
  refusing.refuses = true;
  go();
  EXPECT_TRUE(rig.health().fault && rig.health().holds && robot.holds());
  refusing.refuses = false;
  go();
  EXPECT_FALSE(rig.health().fault || rig.health().holds || robot.holds());
}

TEST(HoldLaw, readings_that_are_not_finite_give_gravity_where_it_was_last_seen) {
  const Model model = load_robot("double_pendulum").model;
  const Plant<double> plant(model);
  rig::HoldLaw law(model);
  const VectorXd q = VectorXd::Constant(2, 0.4), none = VectorXd::Constant(2, std::nan("")),
                 still = VectorXd::Zero(2);
  EXPECT_EQ(law.torque(plant, none, still), still);
  const VectorXd held = law.torque(plant, q, still);
  (void)law.torque(plant, q, VectorXd::Constant(2, 3.0));
  EXPECT_TRUE(law.torque(plant, none, none).isApprox(held, 1e-12));
}

/// Every way of packets, in one process: a robot that is simulated as fast as it can be.
TEST(Link, a_rig_behind_each_way_is_driven_as_if_it_were_here) {
  const Model model = load_robot("panda").model;
  const std::string id = std::to_string(getpid());
  for (const std::string& address : {"unix:/tmp/ulna-test-" + id, "shm:/ulna-test-" + id,
                                     "udp:127.0.0.1:" + std::to_string(20000 + getpid() % 6000)}) {
    rig::SimulatedRobot robot(model);
    const VectorXd q0 = (VectorXd(7) << 0.1, -0.5, 0.2, -2.0, 0.1, 1.6, 0.5).finished();
    robot.start(q0);
    RigServer server(robot, address);
    // a second robot at the same address
    if (!address.starts_with("shm")) {
      EXPECT_THROW(RigServer(robot, address), LinkError);
    }
    RemoteRig rig(model, address, {.late_after = 1.0, .silent_after = 1.0});
    rig::Reading reading(model);
    const auto period = [&] {
      server.take(), (void)robot.advance(1e-3), server.send();
      return rig.read(reading) && reading.fresh;
    };
    for (int k = 0; k < 2000 && !period(); ++k) usleep(100);
    ASSERT_TRUE(reading.fresh) << address;
    EXPECT_TRUE(rig.health().connected && rig.health().holds);
    EXPECT_NEAR((reading.q - q0).norm(), 0.0, 1e-3);
    const VectorXd tau = VectorXd::LinSpaced(7, -0.3, 0.4) + reading.tau;
    EXPECT_FALSE(rig.write(VectorXd::Zero(6)));
    EXPECT_FALSE(rig.write(VectorXd::Constant(7, std::nan(""))));
    for (int k = 0; k < 20; ++k) {
      EXPECT_TRUE(rig.write(tau));
      (void)period();
    }
    const long allocated = test::allocations_of([&] {
      for (int k = 0; k < 20; ++k) (void)rig.write(tau), (void)period();
    });
    EXPECT_EQ(allocated, 0);
    EXPECT_TRUE(server.driven());
    EXPECT_EQ((robot.truth().tau() - tau).norm(), 0.0) << address;
    EXPECT_TRUE(rig.hold());
    (void)period();
    EXPECT_TRUE(robot.holds());
    EXPECT_FALSE(server.driven());
    EXPECT_EQ(server.traffic().count(Fault::checksum), 0u);
  }
}

TEST(Link, joints_are_known_by_their_names_and_other_robots_are_refused) {
  const Model panda = load_robot("panda").model, ur5e = load_robot("ur5e").model;
  rig::SimulatedRobot robot(ur5e);
  const std::string address = "unix:/tmp/ulna-names-" + std::to_string(getpid());
  RigServer server(robot, address);
  RemoteRig rig(panda, address);
  std::string why;
  for (int k = 0; k < 200 && why.empty(); ++k) {
    server.take(), (void)robot.advance(1e-3), server.send();
    try {
      rig.connect(0.002);
    } catch (const LinkError& e) {
      if (std::string(e.what()).find("no robot at this address") == std::string::npos)
        why = e.what();
    }
  }
  EXPECT_NE(why.find("shoulder_pan_joint"), std::string::npos) << why;
  EXPECT_NE(why.find("panda_joint1"), std::string::npos) << why;
  EXPECT_FALSE(rig.write(VectorXd::Zero(7)));
}

}  // namespace
}  // namespace ulna::link
