#pragma once

#include "ulna/model/model.hpp"

/// What a robot must offer to be driven.
namespace ulna::rig {

/// A measurement of a robot's joints.
struct Reading {
  explicit Reading(const Model& model)
      : q(Eigen::VectorXd::Zero(model.nq())), v(Eigen::VectorXd::Zero(model.nv())), tau(v) {}

  double time = 0.0;       ///< when it was measured, on the clock of the rig, s
  Eigen::VectorXd q, v;    ///< may hold NaN where a sensor fails
  Eigen::VectorXd tau;     ///< of the joints' torque sensors
  Eigen::VectorXd a = {};  ///< empty where accelerations are not measured
  /// Of the motors behind springs, seen at the joints; empty where there are none.
  Eigen::VectorXd theta = {}, omega = {};
  bool fresh = false;  ///< false: nothing was measured since; the numbers are those of before
};

/// A robot with torque-driven joints, real or simulated. All calls return at once, allocate nothing and
/// throw nothing, so that they suit a control loop:
///
///     Reading reading(rig.model());
///     every period:
///       if (rig.read(reading)) rig.write(controller.act(rig.now(), reading.q, reading.v));
class Rig {
 public:
  virtual ~Rig() = default;

  /// As its maker describes it, which need not be true.
  virtual const Model& model() const noexcept = 0;
  /// The last measurement. False: there is none, and `reading` is as it was.
  virtual bool read(Reading& reading) noexcept = 0;
  /// Torques from now on, one per degree of freedom. False: they are refused, because a number is not finite or their
  /// count is wrong, and the old ones stay.
  virtual bool write(const Eigen::Ref<const Eigen::VectorXd>& tau) noexcept = 0;
  /// The robot holds itself where it is, by its own means, until the next write: control ends. False: it cannot,
  /// and the torques of the last write stay.
  virtual bool hold() noexcept { return false; }
  /// Whether it does so, once hold() was accepted. A robot behind a link says it later, in what is read.
  virtual bool holds() const noexcept { return true; }
  /// Seconds since a moment of the rig's own.
  virtual double now() const noexcept = 0;
};

}  // namespace ulna::rig
