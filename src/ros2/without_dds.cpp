#include "ulna/ros2/dds_rig.hpp"
#include "ulna/ros2/dds_robot.hpp"

// In place of all that needs Cyclone DDS, where it was not there when ulna was built.
namespace ulna::ros2 {
namespace {

[[noreturn]] void refuse() {
  throw DdsError("ulna was built without Cyclone DDS (Debian: cyclonedds-dev, cyclonedds-tools)");
}

}  // namespace

struct DdsRig::Parts {};
struct DdsRobot::Parts {};

bool has_dds() noexcept { return false; }

// nothing below the constructors is ever called
DdsRig::DdsRig(const Model&, const RigOptions&) { refuse(); }
DdsRig::~DdsRig() = default;
void DdsRig::connect(double) { refuse(); }
const Model& DdsRig::model() const noexcept { std::terminate(); }
bool DdsRig::read(rig::Reading&) noexcept { return false; }
bool DdsRig::write(const Eigen::Ref<const Eigen::VectorXd>&) noexcept { return false; }
bool DdsRig::hold() noexcept { return false; }
bool DdsRig::holds() const noexcept { return false; }
double DdsRig::now() const noexcept { return 0.0; }
Traffic DdsRig::traffic() const noexcept { return {}; }
Fault DdsRig::fault() const noexcept { return Fault::none; }
bool DdsRig::stamped() const noexcept { return false; }
void DdsRig::publish_parameters(std::span<const std::string>,
                                const Eigen::Ref<const Eigen::VectorXd>&,
                                const Eigen::Ref<const Eigen::VectorXd>&) {
  refuse();
}
void DdsRig::publish_diagnostics(std::span<const Status>) { refuse(); }

DdsRobot::DdsRobot(rig::Rig&, const RobotOptions&) { refuse(); }
DdsRobot::~DdsRobot() = default;
void DdsRobot::take() noexcept {}
void DdsRobot::send() noexcept {}
bool DdsRobot::driven() const noexcept { return false; }
Traffic DdsRobot::traffic() const noexcept { return {}; }

}  // namespace ulna::ros2
