#if ULNA_WITH_CYCLONEDDS

#include <gtest/gtest.h>

#include <dds/ddsi/ddsi_serdata.h>

#include "io/joint_states.hpp"
#include "ros2/effort_message.hpp"
#include "ros2_support.hpp"

// What travels: names, types and bytes as ROS 2 has them, and what is made of messages that are not as they should be.
namespace ulna::ros2 {
namespace {

TEST(Topics, are_named_as_ros_names_them) {
  EXPECT_EQ(dds_topic("joint_states"), "rt/joint_states");
  EXPECT_EQ(dds_topic("/arm_1/joint_states"), "rt/arm_1/joint_states");
  for (const char* bad : {"", "/", "a//b", "a/", "1a", "a/1b", "a b", "a-b", "~/a", "ä"})
    EXPECT_THROW((void)dds_topic(bad), std::invalid_argument) << bad;
  EXPECT_STREQ(sensor_msgs_msg_dds__JointState__desc.m_typename,
               "sensor_msgs::msg::dds_::JointState_");
  EXPECT_STREQ(std_msgs_msg_dds__Float64MultiArray__desc.m_typename,
               "std_msgs::msg::dds_::Float64MultiArray_");
  EXPECT_STREQ(diagnostic_msgs_msg_dds__DiagnosticArray__desc.m_typename,
               "diagnostic_msgs::msg::dds_::DiagnosticArray_");
}

using Bytes = std::vector<std::uint8_t>;

/// What comes next at a reader, as it was on the wire.
struct Wire {
  explicit Wire(const dds_topic_descriptor_t& type) : participant(here()) {
    writer = participant.writer(type, topic("wire"), Delivery::sure);
    reader = participant.reader(type, topic("wire"), Delivery::newest, nullptr, nullptr, nullptr);
  }
  template <class Send>
  Bytes sent_by(Send send) {
    Bytes bytes;
    EXPECT_TRUE(becomes([&] {
      EXPECT_EQ(send(writer), DDS_RETCODE_OK);
      ddsi_serdata* data = nullptr;
      dds_sample_info_t info{};
      if (dds_takecdr(reader, &data, 1, &info, DDS_ANY_STATE) < 1) return false;
      bytes.resize(ddsi_serdata_size(data));
      ddsi_serdata_to_ser(data, 0, bytes.size(), bytes.data());
      ddsi_serdata_unref(data);
      return true;
    }));
    return bytes;
  }
  Participant participant;
  dds_entity_t writer, reader;
};

// By the rules of CDR (CORBA 3.3 part 2, 9.3) and of its use in RTPS (DDSI-RTPS 2.5, 10.2): four bytes say little-endian and no options,
// numbers are aligned to their size behind these, texts have their length with the byte 0 at their end.
TEST(Wire, joint_states_are_the_bytes_of_ros) {
  Wire wire(sensor_msgs_msg_dds__JointState__desc);
  JointMessage message({"a", "bc"});
  message.position = {1.0, -2.0}, message.velocity = {0.5, 0.0};
  const Bytes bytes = wire.sent_by([&](dds_entity_t w) { return message.write(w, 1.5); });
  const Bytes expected{0, 1, 0, 0,                          // CDR, little-endian
                       1, 0, 0, 0, 0x00, 0x65, 0xcd, 0x1d,  // stamp: 1 s, 500000000 ns
                       1, 0, 0, 0, 0,    0,    0,    0,     // frame_id "", up to 4
                       2, 0, 0, 0,                          // names
                       2, 0, 0, 0, 'a',  0,    0,    0,     //
                       3, 0, 0, 0, 'b',  'c',  0,    0,     //
                       2, 0, 0, 0,                          // positions
                       0, 0, 0, 0, 0,    0,    0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0,  //
                       2, 0, 0, 0, 0,    0,    0,    0,  // velocities, up to 8
                       0, 0, 0, 0, 0,    0,    0xe0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0,  //
                       0, 0, 0, 0};                                                 // no efforts
  EXPECT_EQ(bytes, expected);
  // and what reads the bags of ROS 2 reads them
  message.effort = {3.0, 4.0};
  const Bytes full = wire.sent_by([&](dds_entity_t w) { return message.write(w, 2.5); });
  detail::JointStates states;
  states.add_cdr("joint_states", {reinterpret_cast<const char*>(full.data()), full.size()}, 0);
  const auto table = states.table();
  EXPECT_EQ(table.names,
            (std::vector<std::string>{"t", "q_a", "q_bc", "qd_a", "qd_bc", "tau_a", "tau_bc"}));
}

TEST(Wire, torques_are_the_bytes_of_ros) {
  Wire wire(std_msgs_msg_dds__Float64MultiArray__desc);
  ArrayMessage message;
  message.data = {1.0, -2.0};
  EXPECT_EQ(wire.sent_by([&](dds_entity_t w) { return message.write(w); }),
            (Bytes{0, 1, 0, 0,                    //
                   0, 0, 0, 0, 0, 0, 0,    0,     // no dimensions, offset 0
                   2, 0, 0, 0, 0, 0, 0,    0,     // two numbers, up to 8
                   0, 0, 0, 0, 0, 0, 0xf0, 0x3f,  //
                   0, 0, 0, 0, 0, 0, 0,    0xc0}));
  message.data.clear();
  EXPECT_EQ(wire.sent_by([&](dds_entity_t w) { return message.write(w); }),
            (Bytes{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Wire, types_are_announced_with_their_hashes) {
  Wire wire(sensor_msgs_msg_dds__JointState__desc);
  dds_instance_handle_t matched = 0;
  ASSERT_TRUE(becomes([&] { return dds_get_matched_publications(wire.reader, &matched, 1) == 1; }));
  dds_builtintopic_endpoint_t* about = dds_get_matched_publication_data(wire.reader, matched);
  ASSERT_NE(about, nullptr);
  void* data = nullptr;
  std::size_t size = 0;
  ASSERT_TRUE(dds_qget_userdata(about->qos, &data, &size));
  EXPECT_EQ(std::string(static_cast<const char*>(data), size),
            std::string("typehash=") + type_hash(sensor_msgs_msg_dds__JointState__desc) + ";");
  EXPECT_EQ(std::string(about->topic_name), "rt/" + topic("wire"));
  EXPECT_STREQ(about->type_name, "sensor_msgs::msg::dds_::JointState_");
  dds_free(data);
  dds_builtintopic_free_endpoint(about);
}

/// Messages of any robot, bit by bit wrong: what Cyclone lets through is used or has a fault, and nothing else happens.
TEST(Wire, damaged_messages_are_dropped_or_judged) {
  Wire wire(sensor_msgs_msg_dds__JointState__desc);
  RigOptions options = for_rig();
  options.states = topic("wire");
  DdsRig rig(panda(), options);
  Reading reading(panda());
  JointMessage message(panda().velocity_names());
  for (auto* x : {&message.position, &message.velocity, &message.effort}) x->resize(7);
  ddsi_serdata* good = nullptr;
  dds_sample_info_t info{};
  ASSERT_TRUE(becomes([&] {
    (void)message.write(wire.writer, system_time());
    return dds_takecdr(wire.reader, &good, 1, &info, DDS_ANY_STATE) == 1;
  }));
  Bytes whole(ddsi_serdata_size(good));
  ddsi_serdata_to_ser(good, 0, whole.size(), whole.data());
  const char* asked = std::getenv("ULNA_FUZZ_PACKETS");
  const long count = asked ? std::atol(asked) / 10 : 20'000;
  std::mt19937 random(20261119);
  long passed = 0;
  for (long k = 0; k < count; ++k) {
    Bytes bytes = whole;
    for (auto flips = random() % 6; flips > 0; --flips)
      bytes[4 + random() % (bytes.size() - 4)] ^= std::uint8_t(1U << random() % 8);
    if (random() % 4 == 0) bytes.resize(4 + random() % (bytes.size() - 4));
    ddsrt_iovec_t part{bytes.data(), bytes.size()};
    ddsi_serdata* data = ddsi_serdata_from_ser_iov(good->type, SDK_DATA, 1, &part, bytes.size());
    if (!data) continue;
    passed += dds_writecdr(wire.writer, data) == DDS_RETCODE_OK;
    if (k % 16 == 0) (void)rig.read(reading);
  }
  ddsi_serdata_unref(good);
  EXPECT_GT(passed, count / 100);
  const auto before = rig.traffic().states;
  EXPECT_TRUE(becomes([&] {
    (void)message.write(wire.writer, system_time());
    return rig.read(reading) && rig.traffic().states > before;
  })) << rig.traffic().report();
}

TEST(DdsRig, believes_of_a_robot_only_what_is_said_of_it) {
  DdsRig rig(panda(), for_rig());
  Participant other(here());
  const dds_entity_t writer = other.writer(diagnostic_msgs_msg_dds__DiagnosticArray__desc,
                                           topic("diagnostics"), Delivery::sure);
  const auto says = [&](Status status) {
    const std::array<Status, 2> all{Status{Status::Level::ok, "fan", "fine", "", {}}, status};
    EXPECT_EQ(write_diagnostics(writer, all), DDS_RETCODE_OK);
    std::this_thread::sleep_for(2ms);
  };
  const Status good = status_of({.holds = true, .watchdog = 0.25}, panda().name());
  ASSERT_TRUE(becomes([&] { return says(good), rig.holds(); }));
  EXPECT_TRUE(rig.hold());
  ASSERT_TRUE(becomes([&] { return says(status_of({}, panda().name())), !rig.holds(); }));
  Status wrong = good;
  for (const auto& change : std::vector<std::function<void(Status&)>>{
           [](Status& s) { s.hardware_id = "another"; }, [](Status& s) { s.name = "ulna: arm"; },
           [](Status& s) { s.values.clear(); }, [](Status& s) { s.values[0].second = "yes"; }}) {
    change(wrong = good);
    for (int k = 0; k < 20; ++k) says(wrong);
    EXPECT_FALSE(rig.holds());
  }
  // a watchdog that is no number is none
  for (const char* bad : {"", "fast", "nan", "-1", "1e99"}) {
    wrong = good, wrong.values[1].second = bad;
    ASSERT_TRUE(becomes([&] { return says(wrong), rig.holds(); })) << bad;
    EXPECT_FALSE(rig.hold()) << bad;
    ASSERT_TRUE(becomes([&] { return says(status_of({}, panda().name())), !rig.holds(); }));
  }
  // what is not said again is forgotten
  ASSERT_TRUE(becomes([&] { return says(good), rig.holds(); }));
  EXPECT_TRUE(becomes([&] { return !rig.holds(); }));
}

TEST(DdsRig, finds_joints_by_their_names) {
  DdsRig rig(panda(), for_rig());
  Reading reading(panda());
  Peer peer;
  // the robot's order, and joints that the model does not have
  Peer::Message m;
  m.names = {"gripper",      "panda_joint7", "panda_joint1", "panda_joint2", "other",
             "panda_joint6", "panda_joint5", "panda_joint4", "panda_joint3"};
  m.position = {99, 7, 1, 2, 98, 6, 5, 4, 3}, m.velocity = {99, 17, 11, 12, 98, 16, 15, 14, 13},
  m.effort = {};
  ASSERT_TRUE(peer.arrives(rig, reading, m));
  EXPECT_EQ(reading.q, VectorXd::LinSpaced(7, 1, 7));
  EXPECT_EQ(reading.v, VectorXd::LinSpaced(7, 11, 17));
  EXPECT_TRUE(reading.tau.array().isNaN().all());  // not measured
  // and the next message may have another order
  ASSERT_TRUE(peer.arrives(rig, reading, {}));
  EXPECT_EQ(reading.q, VectorXd::LinSpaced(7, 1, 7));
  EXPECT_EQ(reading.tau, VectorXd::LinSpaced(7, 21, 27));
}

TEST(DdsRig, has_a_name_for_everything_that_is_wrong_with_a_message) {
  DdsRig rig(panda(), for_rig());
  Reading reading(panda());
  Peer peer;
  ASSERT_TRUE(peer.arrives(rig, reading, {}));
  // messages of before may still be under way: the last of them has a mark
  Peer::Message last;
  last.effort[0] = 100.0;
  peer.send(last);
  ASSERT_TRUE(becomes([&] { return rig.read(reading) && reading.tau(0) == 100.0; }));
  const auto refused = [&](Peer::Message m, Fault fault) {
    const auto before = rig.traffic().count(fault);
    peer.send(m);
    EXPECT_TRUE(becomes([&] { return rig.traffic().count(fault) > before; })) << to_string(fault);
    EXPECT_TRUE(rig.read(reading));
    EXPECT_FALSE(reading.fresh);
    EXPECT_EQ(rig.fault(), fault);
    EXPECT_EQ(reading.q, VectorXd::LinSpaced(7, 1, 7));
  };
  Peer::Message m;
  m.position.pop_back();
  refused(m, Fault::garbled);
  m = {}, m.velocity.clear();
  refused(m, Fault::garbled);
  m = {}, m.effort.push_back(1.0);
  refused(m, Fault::garbled);
  m = {}, m.names.clear();
  refused(m, Fault::garbled);
  m = {}, m.names[3] = "panda_joint1";
  refused(m, Fault::garbled);
  m = {}, m.names[3] = "elbow";
  refused(m, Fault::joint_missing);
  m = {}, m.names = {}, m.position = m.velocity = m.effort = {};
  refused(m, Fault::joint_missing);
  m = {}, m.stamp = system_time() - 0.5;
  refused(m, Fault::reordered);
  // a number that is none is a sensor's affair
  m = {}, m.position[0] = std::nan("");
  ASSERT_TRUE(peer.arrives(rig, reading, m));
  EXPECT_TRUE(std::isnan(reading.q(0)));
}

TEST(DdsRig, uses_time_stamps_of_this_machine_and_no_others) {
  RigOptions options = for_rig();
  options.late_after = 0.02;
  DdsRig rig(panda(), options);
  Reading reading(panda());
  Peer peer;
  ASSERT_TRUE(peer.arrives(rig, reading, {}));
  const auto send = [&](double age) {
    peer.send({.stamp = system_time() - age});
    std::this_thread::sleep_for(2ms);
  };
  for (int k = 0; k < 30 && !rig.stamped(); ++k) send(0.0);
  ASSERT_TRUE(rig.stamped());
  const double before = rig.now();
  ASSERT_TRUE(peer.arrives(rig, reading, {}));
  EXPECT_GT(reading.time, before);
  EXPECT_LT(reading.time, rig.now());
  // too old: late; much older: the robot was started again, with a clock of its own
  send(0.0), (void)rig.read(reading);
  for (int k = 0; k < 30; ++k) send(1000.0), (void)rig.read(reading);
  EXPECT_FALSE(rig.stamped());
  EXPECT_TRUE(rig.read(reading));
  EXPECT_GT(reading.time, before);
}

TEST(DdsRig, does_not_use_what_is_late_and_knows_when_the_robot_is_gone) {
  RigOptions options = for_rig();
  options.late_after = 0.05, options.silent_after = 0.1;
  DdsRig rig(panda(), options);
  Reading reading(panda());
  Peer peer;
  ASSERT_TRUE(peer.arrives(rig, reading, {}));
  const Traffic before = rig.traffic();
  peer.send({});
  std::this_thread::sleep_for(200ms);
  EXPECT_TRUE(rig.read(reading));
  EXPECT_FALSE(reading.fresh);
  const Traffic now = rig.traffic();
  EXPECT_EQ(now.count(Fault::late), before.count(Fault::late) + 1);
  EXPECT_EQ(now.count(Fault::silent), before.count(Fault::silent) + 1);
  EXPECT_EQ(rig.fault(), Fault::silent);
  EXPECT_EQ(now.states, before.states);
  ASSERT_TRUE(peer.arrives(rig, reading, {}));
  EXPECT_EQ(rig.fault(), Fault::none);
}

TEST(DdsRig, says_what_is_missing_when_it_cannot_connect) {
  const auto reason = [](DdsRig& rig) -> std::string {
    try {
      rig.connect(0.3);
    } catch (const DdsError& e) {
      return e.what();
    }
    return "";
  };
  const auto has = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  DdsRig rig(panda(), for_rig());
  has(reason(rig),
      "nobody publishes sensor_msgs/msg/JointState on "
      "'says_what_is_missing_when_it_cannot_connect/states'");
  Peer peer;
  Reading reading(panda());
  Peer::Message m;
  m.names[3] = "elbow";
  ASSERT_TRUE(becomes([&] {
    return peer.send(m), std::this_thread::sleep_for(2ms),
           rig.traffic().count(Fault::joint_missing) > 0;
  }));
  has(reason(rig), "lack joint 'panda_joint4'");
  ASSERT_TRUE(peer.arrives(rig, reading, {}));
  has(reason(rig), "nobody subscribes to std_msgs/msg/Float64MultiArray");
}

TEST(DdsRig, publishes_what_was_identified_with_names_and_deviations) {
  DdsRig rig(panda(), for_rig());
  Listener<Float64MultiArray> listener(std_msgs_msg_dds__Float64MultiArray__desc,
                                       topic("parameters"));
  const std::vector<std::string> names{"link1.m", "joint1.viscous"};
  EXPECT_TRUE(becomes([&] {
    rig.publish_parameters(names, Eigen::Vector2d(1.5, 0.25), Eigen::Vector2d(0.1, 0.01));
    bool good = false;
    std::this_thread::sleep_for(5ms);
    take_all<Float64MultiArray>(listener.reader, [&](const Float64MultiArray& m) {
      ASSERT_EQ(m.layout.dim._length, 2u);
      EXPECT_STREQ(m.layout.dim._buffer[0].label, "value,deviation");
      EXPECT_STREQ(m.layout.dim._buffer[1].label, "link1.m,joint1.viscous");
      EXPECT_EQ(m.layout.dim._buffer[0].size, 2u);
      EXPECT_EQ(m.layout.dim._buffer[0].stride, 4u);
      EXPECT_EQ(m.layout.dim._buffer[1].size, 2u);
      EXPECT_EQ(m.layout.dim._buffer[1].stride, 2u);
      ASSERT_EQ(m.data._length, 4u);
      EXPECT_EQ(std::vector<double>(m.data._buffer, m.data._buffer + 4),
                (std::vector<double>{1.5, 0.25, 0.1, 0.01}));
      good = true;
    });
    return good;
  }));
  EXPECT_THROW(rig.publish_parameters(names, Eigen::Vector3d::Zero(), VectorXd()),
               std::invalid_argument);
}

TEST(DdsRig, publishes_diagnostics_of_the_link_and_what_it_is_given) {
  DdsRig rig(panda(), for_rig());
  Listener<diagnostic_msgs_msg_dds__DiagnosticArray_> listener(
      diagnostic_msgs_msg_dds__DiagnosticArray__desc, topic("diagnostics"));
  EXPECT_TRUE(listener.gets([](const auto& m) {
    return m.status._length == 1 && std::string(m.status._buffer[0].name) == "ulna: link" &&
           std::string(m.status._buffer[0].hardware_id) == "panda" &&
           m.status._buffer[0].values._length == 2 + fault_count - 1;
  }));
  const Status status{
      Status::Level::error, "ulna: supervisor", "collision", "panda", {{"joint", "3"}}};
  rig.publish_diagnostics({&status, 1});
  EXPECT_TRUE(listener.gets([](const auto& m) {
    const auto& s = m.status._buffer[0];
    return s.level == 2 && std::string(s.message) == "collision" && s.values._length == 1 &&
           std::string(s.values._buffer[0].key) == "joint" &&
           std::string(s.values._buffer[0].value) == "3";
  }));
}

}  // namespace
}  // namespace ulna::ros2

#endif
