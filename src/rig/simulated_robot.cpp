#include "ulna/rig/simulated_robot.hpp"

#include <algorithm>
#include <cmath>

#include "num/message.hpp"
#include "rig/hold_law.hpp"

namespace ulna::rig {

struct SimulatedRobot::Parts {
  Parts(const Model& model, const TestRigOptions& options) : rig(model, options), law(model) {}

  TestRig rig;
  HoldLaw law;
  bool holds = true;
};

SimulatedRobot::SimulatedRobot(const Model& model, const TestRigOptions& options) {
  messages::require(
      model.nq() == model.nv(), "robot '", model.name(),
      "' has joints of several coordinates, which a simulated robot's electronics does not hold");
  parts_ = std::make_unique<Parts>(model, options);
}
SimulatedRobot::~SimulatedRobot() = default;

void SimulatedRobot::start(const Vector& q) {
  Parts& p = *parts_;
  p.rig.start(q);
  p.holds = true, p.law.begin();
  (void)p.rig.preload(p.law.torque(p.rig.plant(), p.rig.q(), p.rig.v()));
}

SimulationStatus SimulatedRobot::advance(double seconds) noexcept {
  constexpr double period = 1e-3;
  Parts& p = *parts_;
  const double count = std::max(1.0, std::ceil(seconds / period - 1e-9));
  for (double i = 0.0; i < count; i += 1.0) {
    // its own electronics is neither late nor does it lag
    if (p.holds) (void)p.rig.preload(p.law.torque(p.rig.plant(), p.rig.q(), p.rig.v()));
    const SimulationStatus status = p.rig.advance(seconds / count);
    if (status != SimulationStatus::moved) return status;
  }
  return SimulationStatus::moved;
}

const Model& SimulatedRobot::model() const noexcept { return parts_->rig.model(); }
bool SimulatedRobot::read(Reading& reading) noexcept { return parts_->rig.read(reading); }
bool SimulatedRobot::write(const Eigen::Ref<const Vector>& tau) noexcept {
  if (!parts_->rig.write(tau)) return false;
  parts_->holds = false;
  return true;
}
bool SimulatedRobot::hold() noexcept {
  if (!parts_->holds) parts_->law.begin();
  return parts_->holds = true;
}
double SimulatedRobot::now() const noexcept { return parts_->rig.now(); }
bool SimulatedRobot::holds() const noexcept { return parts_->holds; }
TestRig& SimulatedRobot::truth() noexcept { return parts_->rig; }

}  // namespace ulna::rig
