#pragma once

#include <algorithm>
#include <cmath>

#include "num/message.hpp"
#include "ulna/mpc/trial.hpp"

namespace ulna::mpc {

/// Whether a fault of a kind is on at a time.
inline bool is_on(const std::vector<TrialFault>& faults, TrialFault::Kind kind, double time) {
  return std::any_of(faults.begin(), faults.end(), [&](const TrialFault& fault) {
    return fault.kind == kind && time >= fault.from && time < fault.to;
  });
}

/// What a controller receives of a simulated robot: all sensors are read once a period, and spoilt by faults.
class TrialSensors {
 public:
  using Vector = Eigen::VectorXd;

  /// Throws std::invalid_argument for wrench sensors that cannot be.
  TrialSensors(const Model& model, const TrialOptions& options)
      : q(model.nq()),
        v(model.nv()),
        faults_(options.faults),
        reading_(model),
        at_(model),
        ws_(model),
        W_(6, 10 * model.joint_count()),
        random_(options.sensors.seed + 1) {
    for (const WrenchSensor& sensor : options.wrench_sensors) {
      messages::require(sensor.body >= 1 && sensor.body < model.body_count() &&
                            sensor.moment_noise > 0.0 && sensor.force_noise > 0.0,
                        "a wrench sensor needs a moving body, 1 .. ", model.body_count() - 1,
                        ", and noise above 0");
      WrenchReading& reading = wrenches_.emplace_back(WrenchReading{sensor.body});
      reading.noise << Eigen::Vector3d::Constant(sensor.moment_noise),
          Eigen::Vector3d::Constant(sensor.force_noise);
    }
  }

  /// The reading of a period, before its torque acts.
  void read(rig::TestRig& robot, double now) {
    robot.read(reading_);
    dropped_ = readings_ > 0 && is_on(faults_, TrialFault::Kind::sensor_dropped, now);
    if (!dropped_) {
      q = reading_.q, v = reading_.v, tau = reading_.tau, time = reading_.time;
      if (is_on(faults_, TrialFault::Kind::sensor_nan, now)) q(readings_ % q.size()) = std::nan("");
    }
    ++readings_;
    if (wrenches_.empty() || dropped_) return;
    robot.plant().get_inertial(inertial_);
    at_.set(robot.q(), robot.v(), robot.acceleration());
    for (WrenchReading& reading : wrenches_) {
      wrench_regressor<double>(at_, reading.body, ws_, W_);
      reading.wrench.noalias() = W_ * inertial_;
      for (int row = 0; row < 6; ++row)
        reading.wrench(row) += reading.noise(row) * normal_(random_);
    }
  }

  /// Hands the wrenches of the reading to a controller.
  void update_wrenches(IdentifyingController& controller) {
    if (dropped_) return;
    for (const WrenchReading& reading : wrenches_)
      controller.update_wrench(reading.body, q, v, reading_.a, reading.wrench, reading.noise);
  }

  double time = 0.0;     ///< s, of the reading
  Vector q, v, tau = v;  ///< as received; those of before where a reading is dropped

 private:
  struct WrenchReading {
    int body;
    Vector noise = Vector::Zero(6), wrench = Vector::Zero(6);  ///< moment and force
  };

  std::vector<TrialFault> faults_;
  rig::Reading reading_;
  Kinematics<double> at_;
  RegressorWorkspace<double> ws_;
  RowMatX<double> W_;
  Vector inertial_ = Vector::Zero(W_.cols());
  std::vector<WrenchReading> wrenches_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  long readings_ = 0;
  bool dropped_ = false;
};

}  // namespace ulna::mpc
