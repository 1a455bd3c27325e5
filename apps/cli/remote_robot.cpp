#include "remote_robot.hpp"

#include "ulna/ros2/dds_rig.hpp"
#include "ulna/ros2/dds_robot.hpp"

namespace ulna::cli {
namespace {

bool is_dds(const std::string& address) { return address.starts_with("dds:"); }

ros2::RigOptions dds_options(const std::string& address) {
  try {
    // threads of DDS that wait for a core make late what the loop is quick with
    return ros2::rig_options(address.find("priority=") == std::string::npos
                                 ? address + (address == "dds:" ? "" : ",") + "priority=60"
                                 : address);
  } catch (const std::invalid_argument& e) {
    throw UsageError("{}", e.what());
  }
}

class LinkedRobot final : public RemoteRobot {
 public:
  LinkedRobot(const Model& model, const std::string& address, double seconds)
      : rig_(model, address) {
    rig_.connect(seconds);
  }
  rig::Rig& rig() override { return rig_; }
  std::optional<link::TorqueSensors> sensors() const override { return rig_.about().sensors; }
  Json traffic() const override { return traffic_json(rig_.traffic()); }
  std::string faults() const override { return rig_.traffic().report(); }

 private:
  link::RemoteRig rig_;
};

class DdsRobotElsewhere final : public RemoteRobot {
 public:
  DdsRobotElsewhere(const Model& model, const std::string& address, double seconds)
      : rig_(model, dds_options(address)) {
    rig_.connect(seconds);
  }
  rig::Rig& rig() override { return rig_; }
  std::optional<link::TorqueSensors> sensors() const override { return {}; }
  Json traffic() const override {
    const ros2::Traffic t = rig_.traffic();
    Json faults = Json::object();
    for (int f = 1; f < ros2::fault_count; ++f)
      faults[to_string(ros2::Fault(f))] = t.faults[std::size_t(f)];
    return {{"states", t.states},
            {"commands", t.commands},
            {"superseded", t.superseded},
            {"stamped", rig_.stamped()},
            {"faults", faults}};
  }
  std::string faults() const override { return rig_.traffic().report(); }
  bool publishes() const override { return true; }
  void publish(std::span<const std::string> names, const Eigen::VectorXd& values,
               supervise::State state, supervise::Cause cause) override {
    using Level = ros2::Status::Level;
    rig_.publish_parameters(names, values, Eigen::VectorXd());
    const ros2::Status status{state == supervise::State::run     ? Level::ok
                              : state == supervise::State::fault ? Level::error
                                                                 : Level::warn,
                              "ulna: supervisor",
                              to_string(state),
                              rig_.model().name(),
                              {{"cause", to_string(cause)}}};
    rig_.publish_diagnostics({&status, 1});
  }

 private:
  ros2::DdsRig rig_;
};

std::string sentence(std::uint64_t states, std::uint64_t commands, const std::string& rest) {
  return fmt::format("{} states sent, {} commands acted on{}", states, commands, rest);
}

class LinkServer final : public OfferedRobot {
 public:
  LinkServer(rig::Rig& rig, const std::string& address, const link::ServerOptions& options)
      : server_(rig, address, options) {}
  void take() override { server_.take(); }
  void send() override { server_.send(); }
  void set_overrun(bool overrun) override { server_.set_health(overrun, false); }
  std::string report() const override {
    const link::Traffic t = server_.traffic();
    return sentence(t.states, t.commands,
                    fmt::format(", {} sessions; faults: {}", t.sessions, t.report()));
  }

 private:
  link::RigServer server_;
};

class DdsServer final : public OfferedRobot {
 public:
  DdsServer(rig::Rig& rig, const std::string& address, const link::ServerOptions& options)
      : server_(rig, options_of(address, options)) {}
  void take() override { server_.take(); }
  void send() override { server_.send(); }
  void set_overrun(bool) override {}  // no message of ROS 2 says so
  std::string report() const override {
    const ros2::Traffic t = server_.traffic();
    return sentence(t.states, t.commands, "; faults: " + t.report());
  }

 private:
  static ros2::RobotOptions options_of(const std::string& address,
                                       const link::ServerOptions& options) {
    const ros2::RigOptions o = dds_options(address);
    return {.network = o.network,
            .states = o.states,
            .commands = o.commands,
            .diagnostics = o.diagnostics,
            .command = o.command,
            .joints = o.joints,
            .watchdog = options.watchdog};
  }
  ros2::DdsRobot server_;
};

/// What is wrong with an address, or with who is there, is no fault of the program.
template <class F>
auto guarded(const std::string& address, F f) {
  try {
    return f();
  } catch (const link::LinkError& e) {
    throw Failure("{}", e.what());
  } catch (const ros2::DdsError& e) {
    throw Failure("{}: {}", address, e.what());
  } catch (const std::invalid_argument& e) {
    throw UsageError("{}", e.what());
  }
}

}  // namespace

std::unique_ptr<RemoteRobot> connect_robot(const Model& model, const std::string& address,
                                           double seconds) {
  return guarded(address, [&]() -> std::unique_ptr<RemoteRobot> {
    if (is_dds(address)) return std::make_unique<DdsRobotElsewhere>(model, address, seconds);
    return std::make_unique<LinkedRobot>(model, address, seconds);
  });
}

std::unique_ptr<OfferedRobot> offer_robot(rig::Rig& rig, const std::string& address,
                                          const link::ServerOptions& options) {
  return guarded(address, [&]() -> std::unique_ptr<OfferedRobot> {
    if (is_dds(address)) return std::make_unique<DdsServer>(rig, address, options);
    return std::make_unique<LinkServer>(rig, address, options);
  });
}

}  // namespace ulna::cli
