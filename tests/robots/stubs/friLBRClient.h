#pragma once
// Stand-in with the names of KUKA's FRI that docs/robots.md uses.
#include "simulated_arm.hpp"

namespace KUKA::FRI {

enum EClientCommandMode { NO_COMMAND_MODE, POSITION, WRENCH, TORQUE };

struct LBRState {
  SimulatedArm* arm = nullptr;
  double period = 0.002;
  EClientCommandMode getClientCommandMode() const { return TORQUE; }
  double getSampleTime() const { return period; }
  const double* getMeasuredJointPosition() const { return arm->q.data(); }
  const double* getIpoJointPosition() const { return arm->q.data(); }
  const double* getMeasuredTorque() const { return arm->tau.data(); }
};
struct LBRCommand {
  double torques[7] = {};
  bool has_position = false, has_torque = false;
  void setJointPosition(const double*) { has_position = true; }
  void setTorque(const double* values) {
    for (int i = 0; i < 7; ++i) torques[i] = values[i];
    has_torque = true;
  }
};
class LBRClient {
 public:
  virtual ~LBRClient() = default;
  virtual void waitForCommand() { answer.setJointPosition(state.getIpoJointPosition()); }
  virtual void command() = 0;
  const LBRState& robotState() const { return state; }
  LBRCommand& robotCommand() { return answer; }

  LBRState state;
  LBRCommand answer;
};

}  // namespace KUKA::FRI
