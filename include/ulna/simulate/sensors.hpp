#pragma once

#include <cstdint>
#include <random>

#include "ulna/simulate/simulation.hpp"

/// What a controller sees of a robot: not its state, but what sensors make of it.
namespace ulna {

/// One kind of sensor, at every joint. In the order in which they act:
struct SensorOptions {
  double noise = 0.0;         ///< standard deviation, of normal distribution, in the sensor's unit
  double bias = 0.0;          ///< standard deviation of what each joint's sensor is off by for good
  double quantum = 0.0;       ///< the sensor's resolution: readings are multiples of it
  int delay = 0;              ///< how many readings late they are
  double dropout = 0.0;       ///< chance that a reading is lost: then the one before is seen again
  double not_a_number = 0.0;  ///< chance that a reading holds a NaN, at one joint
};

struct SensorsOptions {
  SensorOptions position{}, velocity{}, torque{}, acceleration{};
  /// Velocities from positions as they are read, by differences: what drives with encoders do. Noise, bias and quantum of
  /// velocity come on top.
  bool velocity_by_difference = false;
  bool accelerations = false;  ///< whether accelerations are read at all
  std::uint64_t seed = 1;
};

/// Sensors of a robot. Made once, reading allocates nothing; the same seed gives the same bits:
///
///     Sensors sensors(model, {.position = {.noise = 1e-4}, .seed = 7});
///     sensors.read(robot);            // once a period; then sensors.q, v, tau
///
/// Each kind of trouble has random numbers of its own: switching one on does not change the others.
/// Noise and bias of joints with quaternions are small turns. Quanta are for joints of one coordinate.
class Sensors {
 public:
  /// Throws std::invalid_argument for options that make no sense.
  Sensors(const Model& model, SensorsOptions options);

  /// Of robots with springs the motors too.
  void read(Simulation& robot);
  void read(double time, In<double> true_q, In<double> true_v, In<double> true_tau,
            In<double> true_a = Eigen::VectorXd());

  Eigen::VectorXd q, v, tau = v, a = v;  ///< as read; may hold NaN if the options say so
  /// Of robots with springs: encoders of the motors, seen at the joints, with errors as those of positions and velocities, and
  /// torque sensors behind the springs, with those of torques.
  Eigen::VectorXd theta = v, omega = v, link_torque = v;

  /// Whether the last reading was lost, so that an older one is seen.
  bool lost_position() const { return position_.lost; }
  bool lost_velocity() const { return velocity_.lost; }
  bool lost_torque() const { return torque_.lost; }
  bool lost_acceleration() const { return acceleration_.lost; }
  /// Whether a number of the last reading is none.
  bool has_nan() const;

  /// As new, with the same seed.
  void reset();

 private:
  struct Channel {
    Channel(const SensorOptions& options, Eigen::Index size, Eigen::Index tangent);
    void reset(std::uint64_t seed, int number);
    /// Late, lost or spoilt: what of a reading is seen.
    void pass(const Eigen::VectorXd& reading, Eigen::VectorXd& seen);

    SensorOptions options;
    std::mt19937_64 noise, dropout, spoiling;
    Eigen::VectorXd bias, error = bias;
    Eigen::MatrixXd ring;  ///< readings on their way
    int next = 0, filled = 0;
    Eigen::VectorXd last;  ///< that was not lost
    bool lost = false, started = false;
  };
  /// Noise and bias of the next reading.
  void draw(Channel& channel);
  void disturb(Channel& channel, In<double> truth, Eigen::VectorXd& seen);
  void read_motors(double time, In<double> true_theta, In<double> true_omega,
                   In<double> true_torque);
  /// From two readings, over the time between them; 0 at first.
  void differ(double time, const Eigen::VectorXd& reading, Eigen::VectorXd& before);

  Model model_;
  SensorsOptions options_;
  Channel position_, velocity_, torque_, acceleration_, theta_, omega_, link_torque_;
  Eigen::VectorXd q_read_ = q, q_before_ = q, read_ = v, theta_before_ = v, difference_ = v;
  double time_before_ = 0.0;
  bool first_ = true;
};

}  // namespace ulna
