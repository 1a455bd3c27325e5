#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "mpc/driven_dynamics.hpp"

namespace ulna::mpc {

/// Where the robot is, how fast it moves, and which torques its plant does not explain, from readings and the
/// torques that were sent. A Kalman filter for each joint of position, velocity and unexplained acceleration,
/// coupled by the plant's forward dynamics: between readings the state follows the torques that were sent,
/// so that a reading that is missing is no gap. The noise of readings is learned from what they differ by from
/// what was expected. [Extended state observer: Han 2009; offset-free MPC: Pannocchia, Rawlings 2003]
class StateObserver {
 public:
  using Vector = Eigen::VectorXd;
  using In = const Eigen::Ref<const Vector>&;

  /// `rate`: by which the disturbance torque of each joint may change in a second, as a random walk, Nm/√s.
  StateObserver(const Model& model, double period, const Vector& rate)
      : period_(period),
        rate_(rate),
        dynamics_(model),
        M_(model.nv(), model.nv()),
        q_(Vector::Zero(model.nv())),
        joints_(std::size_t(model.nv())) {}

  /// Begins at a reading, at rest or not, with nothing unexplained.
  void start(In q, In v) {
    q_ = q, v_ = v, disturbance_.setZero(), acceleration_.setZero();
    if (!dynamics_.begin(q_, v_)) return stop();
    q_past_.colwise() = q_, v_past_.colwise() = v_;
    for (Joint& joint : joints_) joint.P = Joint::begin(), joint.readings = 0;
    started_ = true;
  }
  bool started() const { return started_; }
  /// Until the next start, the state is not known.
  void stop() { started_ = false; }

  /// A period goes by under the torques that the plant's own motion needs: those sent, less what was added
  /// for friction that the plant does not have. Viscous friction is integrated implicitly: that of a light joint
  /// may act faster than a period. False, and nothing changed, where the plant cannot move so.
  bool predict(Plant<double>& plant, In tau) {
    const double h = period_;
    torque_ = tau - disturbance_;
    plant.armature += h * plant.damping;
    const bool moved = dynamics_.forward(plant, q_, v_, torque_, a_, M_);
    plant.armature -= h * plant.damping;
    if (!moved) return false;
    q_ += h * v_ + 0.5 * h * h * a_;
    v_ += h * a_;
    (void)dynamics_.close(q_, v_);
    acceleration_ = a_;
    now_ = (now_ + 1) % (most_late + 1);
    q_past_.col(now_) = q_, v_past_.col(now_) = v_;
    for (Eigen::Index i = 0; i < q_.size(); ++i)
      joints_[i].predict(h, rate_(i) / M_(i, i), 1.0 - h * plant.damping(i) / M_(i, i), fastest());
    return true;
  }

  /// The oldest reading that can be made use of, in periods.
  static constexpr int most_late = 63;

  /// Whether a reading is where the robot may have been: else it has to begin anew.
  bool is_near(In q, int late = 0) const {
    for (Eigen::Index i = 0; i < q_.size(); ++i)
      if (dynamics_.moves(i) && !(std::abs(q(i) - q_past_(i, past(late))) < 0.1)) return false;
    return true;
  }

  /// With a reading of now, or of `late` periods ago: then what it differs by from what was expected for its moment
  /// corrects all that was expected since.
  void correct(In q, In v, int late = 0) {
    for (Eigen::Index i = 0; i < q_.size(); ++i) {
      a_(i) = surprise_(i) = 0.0;
      if (!dynamics_.moves(i)) continue;
      const int k = past(late);
      const double e_q = q(i) - q_past_(i, k), e_v = v(i) - v_past_(i, k);
      surprise_(i) = joints_[i].surprise(e_q, e_v);
      Eigen::Vector3d more = joints_[i].correct(e_q, e_v);
      joints_[i].learn_noise(q(i), v(i), period_);
      a_(i) = more(2);
      for (int ago = late; ago >= 0; --ago) {
        q_past_(i, past(ago)) += more(0), v_past_(i, past(ago)) += more(1);
        more = joints_[i].F * more;
      }
    }
    q_ = q_past_.col(past(0)), v_ = v_past_.col(past(0));
    (void)dynamics_.close(q_, v_);
    // M a = tau - disturbance
    if (!frozen_) disturbance_.noalias() -= M_ * a_;
  }

  /// By joint, how far the last reading was from what was expected: mean of the squares of position and velocity in
  /// deviations of their noise.
  const Vector& surprise() const { return surprise_; }

  /// Goes on from where another observer of the same robot has it.
  void take_over(const StateObserver& other) {
    q_ = other.q_, v_ = other.v_, disturbance_ = other.disturbance_;
    acceleration_ = other.acceleration_, M_ = other.M_;
    q_past_ = other.q_past_, v_past_ = other.v_past_, now_ = other.now_;
    joints_ = other.joints_;
    started_ = other.started_;
  }

  /// Whether the disturbance stays as it is: what holds the robot in a direction would be taken for one.
  void freeze(bool on) { frozen_ = on; }

  /// The plant explains more than before, by so much less.
  void shift(In torque) { disturbance_ += torque; }

  /// Where it will be some seconds from now, if it accelerates as it did last.
  void look_ahead(double seconds, Vector& q, Vector& v) const {
    q = q_ + seconds * v_ + 0.5 * seconds * seconds * acceleration_;
    v = v_ + seconds * acceleration_;
  }

  const Vector& q() const { return q_; }
  const Vector& v() const { return v_; }
  /// What the robot's motion needs beyond what the plant explains, Nm.
  const Vector& disturbance() const { return disturbance_; }
  double position_noise(Eigen::Index i) const { return joints_[i].noise_q; }
  double velocity_noise(Eigen::Index i) const { return joints_[i].noise_v; }

 private:
  /// One joint: the covariance of position, velocity and unexplained acceleration.
  struct Joint {
    static Eigen::Matrix3d begin() { return Eigen::Vector3d(1e-8, 1e-4, 1.0).asDiagonal(); }
    Eigen::Matrix3d P = begin();
    Eigen::Matrix3d F = Eigen::Matrix3d::Identity();   ///< from one period to the next
    double noise_q = 1e-4, noise_v = 1e-2;             ///< standard deviations
    std::array<double, 4> q_readings{}, v_readings{};  ///< the last ones
    long readings = 0;                                 ///< in a row

    /// `kept`: the share of a velocity that viscous friction leaves after a period.
    void predict(double h, double rate, double kept, double fastest) {
      rate =
          std::min(rate, std::sqrt(h) * fastest * fastest * std::min(fastest * noise_q, noise_v));
      F(0, 1) = 0.5 * h * (1.0 + kept), F(0, 2) = 0.5 * h * h, F(1, 1) = kept, F(1, 2) = h;
      P = (F * P * F.transpose()).eval();
      P(2, 2) += rate * rate * h;
    }

    double surprise(double e_q, double e_v) const {
      const double off_q = e_q / noise_q, off_v = e_v / noise_v;
      return 0.5 * (off_q * off_q + off_v * off_v);
    }

    /// By how much the three numbers change for a position and a velocity that are off by so much.
    Eigen::Vector3d correct(double e_q, double e_v) {
      Eigen::Vector3d more = Eigen::Vector3d::Zero();
      take(0, e_q, noise_q, more);
      take(1, e_v - more(1), noise_v, more);
      return more;
    }

    void take(int row, double error, double noise, Eigen::Vector3d& more) {
      const Eigen::Vector3d gain = P.col(row) / (P(row, row) + noise * noise);
      more += gain * error;
      P -= (gain * P.row(row)).eval();
    }

    /// From third differences of readings in a row, in which a motion without jumps hardly shows.
    void learn_noise(double q, double v, double h) {
      q_readings = {q, q_readings[0], q_readings[1], q_readings[2]};
      v_readings = {v, v_readings[0], v_readings[1], v_readings[2]};
      if (++readings < 4) return;
      learn(q_readings, 1e-6, h, noise_q);
      learn(v_readings, 1e-4, h, noise_v);
    }
    static void learn(const std::array<double, 4>& x, double least, double h, double& noise) {
      constexpr double memory = 0.5, of_white_noise = 20.0;  // s, 1 + 9 + 9 + 1
      const double jump = x[0] - 3.0 * x[1] + 3.0 * x[2] - x[3], variance = noise * noise,
                   seen = std::min(jump * jump / of_white_noise, 9.0 * variance);
      noise = std::max(least, std::sqrt(variance + h / memory * (seen - variance)));
    }
  };

  /// rad/s, of what it observes: no faster than half a radian a period, as an inertia that is estimated too large would be unstable.
  double fastest() const { return 0.5 / period_; }

  int past(int ago) const { return (now_ + most_late + 1 - ago) % (most_late + 1); }

  double period_;
  Vector rate_;
  DrivenDynamics dynamics_;
  Eigen::MatrixXd M_;
  Vector q_, v_ = q_, a_ = q_, acceleration_ = q_, torque_ = q_, disturbance_ = q_, surprise_ = q_;
  Eigen::MatrixXd q_past_ = Eigen::MatrixXd::Zero(q_.size(), most_late + 1), v_past_ = q_past_;
  int now_ = 0;  ///< column of the past that is of now
  std::vector<Joint> joints_;
  bool started_ = false, frozen_ = false;
};

}  // namespace ulna::mpc
