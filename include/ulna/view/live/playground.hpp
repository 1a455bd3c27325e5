#pragma once

#include "ulna/mpc/controller.hpp"
#include "ulna/rig/test_rig.hpp"
#include "ulna/view/viewer.hpp"

namespace ulna::view {

/// A robot to play with, and how it is driven.
struct Player {
  Model model;
  mpc::MotionReference motion = {};
  Eigen::VectorXd q0 = {};  ///< where it begins at rest; empty: where the motion does
  mpc::ControllerOptions control = {};
  rig::TestRigOptions rig = {};
  /// In what the true robot differs from its model, from the beginning on.
  std::function<void(Plant<double>&)> differs = {};
  bool supervise = true;  ///< if the supervisor knows such robots
};

struct PlaygroundOptions {
  /// By the name that a page gives, or the first. What it throws is shown on the page, and the robot before stays.
  std::function<Player(const std::string& name)> player;
  std::string first;
  ViewerOptions viewer = {};
};

/// A simulated robot that moves at real time, driven by a predictive controller that identifies it, in a browser where one
/// hangs weights on it, pulls it, blinds its sensors: docs/viewer.md. It moves in a thread of its own.
class Playground {
 public:
  /// Throws what `player` throws, and what the controller does not know.
  explicit Playground(const PlaygroundOptions& options);
  ~Playground();
  Playground(const Playground&) = delete;
  Playground& operator=(const Playground&) = delete;

  std::string url() const;
  int clients() const;

  /// Durations of the controller's steps since the last call, of up to a million.
  struct StepTimes {
    long steps = 0;
    double p50 = 0.0, p99 = 0.0, max = 0.0;  ///< us
  };
  StepTimes step_times();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna::view
