#pragma once

#include "simulate/held_dynamics.hpp"

namespace ulna::detail {

/// Motion from one event to the next by fixed steps.
class Flow {
 public:
  Flow(const Model& model, Integrator integrator, int events);

  /// Goes on for h, or to the first event before, and returns how far it came in `gone`. Events are made exact. With
  /// `locate` off, it goes on for all of h, and events are made exact at its end.
  SimulationStatus go(HeldDynamics& dynamics, Eigen::VectorXd& q, Eigen::VectorXd& v, double h,
                      bool locate, double& gone, SimulationWork& work, long& events);

 private:
  SimulationStatus take(HeldDynamics& dynamics, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                        double h);
  bool measure(const HeldDynamics& dynamics, Eigen::VectorXd& distance) const;

  Step<double> step_;
  SimulationWork done_;  ///< work of the step just tried
  /// How far each event is where the first one is sought.
  Eigen::VectorXd near_, far_ = near_, middle_ = near_;
  std::vector<char> expected_;
};

/// The same with steps that follow the motion.
class AdaptiveFlow {
 public:
  virtual ~AdaptiveFlow() = default;
  virtual SimulationStatus go(HeldDynamics& dynamics, Eigen::VectorXd& q, Eigen::VectorXd& v,
                              double h, double& gone, SimulationWork& work, long& events) = 0;
  /// Whether go() ended early because its steps were too short for so many of them.
  virtual bool tired() const = 0;
};
/// By SUNDIALS. Throws std::runtime_error if it is not there.
std::unique_ptr<AdaptiveFlow> adaptive_flow(const Model& model, const AdaptiveOptions& options,
                                            int events);

}  // namespace ulna::detail
