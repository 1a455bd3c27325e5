#pragma once

#include <functional>
#include <memory>

#include "ulna/mpc/controller.hpp"
#include "ulna/rig/rig.hpp"
#include "ulna/supervise/supervisor.hpp"

namespace ulna::drive {

/// A control law that a loop drives a robot by. All but the constructor and `begin` runs in the loop and should not
/// allocate.
class Controller {
 public:
  using Vector = Eigen::VectorXd;

  virtual ~Controller() = default;

  /// Once before the loop, while the robot still holds itself. What it throws, run() throws.
  virtual void begin(double /*time*/, const rig::Reading& /*reading*/) {}
  /// The torques that it wants now, into `tau`. A reading that is not fresh is the last one. What it throws, and torques that are
  /// not finite, end the run in a safe stop.
  virtual void act(double time, const rig::Reading& reading, Vector& tau) = 0;
  /// In the time that is left: `tau` is what the supervisor made of the torques. Left out in steps that are late.
  virtual void update(double /*time*/, const rig::Reading& /*reading*/, const Vector& /*tau*/) {}
  /// After every act: what is sent, and the supervisor, which says whether it lets the robot run and where the robot is.
  virtual void sent(double /*time*/, const Vector& /*tau*/,
                    const supervise::Supervisor& /*supervisor*/) {}
  /// The robot as it is known now, for the supervisor; null: the model's own numbers.
  virtual const Plant<double>* plant() const { return nullptr; }
  /// Whether the motion is over: the run then ends.
  virtual bool is_done(double /*time*/) const { return false; }
};

/// A law that is a function.
class Law final : public Controller {
 public:
  using Function = std::function<void(double time, const rig::Reading& reading, Vector& tau)>;
  explicit Law(Function function) : function_(std::move(function)) {}
  void act(double time, const rig::Reading& reading, Vector& tau) override {
    function_(time, reading, tau);
  }

 private:
  Function function_;
};

/// A motion from tables: q, and v or its differences, at times; in between cubic. It rests at the last place.
class TableMotion {
 public:
  /// Columns of q and v are moments. v may be empty. Throws std::invalid_argument for times that do not grow, sizes, and
  /// numbers that are not finite.
  TableMotion(Eigen::VectorXd times, Eigen::MatrixXd q, Eigen::MatrixXd v = {});

  void operator()(double time, Eigen::VectorXd& q, Eigen::VectorXd& v) const;
  double duration() const { return times_(times_.size() - 1) - times_(0); }
  Eigen::VectorXd first() const { return q_.col(0); }
  /// The largest speed of each joint.
  Eigen::VectorXd fastest() const;
  /// The same motion, slower by this factor.
  TableMotion slower(double factor) const;

 private:
  Eigen::VectorXd times_;
  Eigen::MatrixXd q_, v_;
};

struct IdentifyingOptions {
  mpc::ControllerOptions control = {};
  /// By which it comes to the motion, and back to it after a stop; nv each.
  Eigen::VectorXd speed, acceleration;
  double duration =
      infinity;  ///< s of the motion, after which the run ends; from when it has come to it
};

/// Predictive control that identifies the robot, along a motion. From where the robot is it comes to the motion smoothly, which
/// then begins; and back to it after the supervisor has stopped the robot.
class IdentifyingLaw final : public Controller {
 public:
  /// Throws as mpc::IdentifyingController does.
  IdentifyingLaw(const Model& model, mpc::MotionReference motion,
                 const IdentifyingOptions& options);
  ~IdentifyingLaw() override;

  void begin(double time, const rig::Reading& reading) override;
  void act(double time, const rig::Reading& reading, Vector& tau) override;
  void update(double time, const rig::Reading& reading, const Vector& sent) override;
  void sent(double time, const Vector& tau, const supervise::Supervisor& supervisor) override;
  const Plant<double>* plant() const override;
  bool is_done(double time) const override;

  mpc::IdentifyingController& controller();
  /// Root mean square and largest distance of a joint's readings from the motion, rad, while it followed.
  double tracking_rms() const;
  double largest_error() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna::drive
