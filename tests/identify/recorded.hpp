#pragma once

#include <sstream>

#include "excited.hpp"
#include "ulna/dynamics/kinematics.hpp"

/// Logs of robots that are not quite as they are described.
namespace ulna::test {

inline Eigen::VectorXd rms_of(const Eigen::MatrixXd& rows) {
  return rows.rowwise().norm() / std::sqrt(double(rows.cols()));
}

/// A robot that is 10 to 30 % heavier than described, with friction and noise, and its log of a random motion.
struct Recorded {
  static constexpr double rate_hz = 200.0;

  Model robot;
  Eigen::VectorXd truth, usual;
  Log log;
  TorqueModel model;
  BaseParameters base;
  TorqueData other;  ///< motion that is not in the log, without noise

  Recorded(const char* name, std::uint64_t seed, double seconds)
      : robot(load_robot(name).model),
        model(robot, plain_friction),
        base(find_base_parameters(model)) {
    Random random(seed);
    truth = model.nominal();
    truth.head(model.inertial_size()) *= random.real(1.1, 1.3);
    const int count = int(seconds * rate_hz);
    usual = rms_of(Excited(robot, plain_friction, truth, 400, 20.0, random).data.tau);
    for (int i = 0; i < robot.nv(); ++i) {
      truth(model.at(i, 0)) = 0.05 * usual(i), truth(model.at(i, 1)) = 0.1 * usual(i);
      truth(model.at(i, 2)) = random.real(-0.02, 0.02) * usual(i);
    }
    other = Excited(robot, plain_friction, truth, 400, 20.0, random).data;
    const Excited run(robot, plain_friction, truth, count, rate_hz, random);
    log.file = "simulated", log.joints = robot.velocity_names(), log.rows = count;
    log.t.resize(count);
    for (int k = 0; k < count; ++k) log.t(k) = k / rate_hz, log.line.push_back(k + 2);
    log.q = run.data.q, log.v = run.data.v, log.tau = run.data.tau;
    std::mt19937_64 noise(seed);
    add_noise(log.tau, 0.02 * usual, noise);
  }

  /// The hand is pushed by `force` newtons for a second, along x of the world; drives keep the motion.
  void push(double from, double force) {
    Kinematics<double> at(robot);
    Eigen::MatrixXd J(6, robot.nv());
    for (Eigen::Index k = Eigen::Index(from * rate_hz); k < Eigen::Index((from + 1.0) * rate_hz);
         ++k) {
      at.set(log.q.col(k));
      frame_jacobian<double>(at, robot.frames().back(), Axes::aligned, J);
      const double swell = std::sin(M_PI * (log.t(k) - from));
      log.tau.col(k) -= swell * force * J.row(3).transpose();
    }
  }
  /// Springs behind the encoders bend by a milliradian under twice the usual torque, and dry friction grows by half towards rest.
  void add_what_the_model_has_not() {
    const Eigen::MatrixXd bent = (2000.0 * usual).cwiseInverse().asDiagonal() * log.tau;
    for (Eigen::Index k = 0; k < log.tau.cols(); ++k)
      for (int i = 0; i < robot.nv(); ++i) {
        const double v = log.v(i, k);
        log.tau(i, k) +=
            0.5 * truth(model.at(i, 1)) * std::exp(-std::pow(v / 0.1, 2)) * ((v > 0.0) - (v < 0.0));
      }
    log.q += bent;
  }
  std::string table() const {
    std::ostringstream text;
    text.precision(12);
    text << "t";
    for (const char* name : {"q", "qd", "tau"})
      for (int i = 1; i <= robot.nv(); ++i) text << "," << name << i;
    for (Eigen::Index k = 0; k < log.size(); ++k) {
      text << "\n" << log.t(k);
      for (const Eigen::MatrixXd* x : {&log.q, &log.v, &log.tau})
        for (int i = 0; i < robot.nv(); ++i) text << "," << (*x)(i, k);
    }
    return text.str() + "\n";
  }
  Prepared samples() const {
    Diagnostics found;
    return prepare({&log, 1}, {.filter_hz = 10.0, .decimation = 2}, found);
  }
  double error(const Prepared& fitted) const {
    const Estimate found = estimate(model, base, gather(model, fitted));
    return fit_of(model, found.z, other).total_percent;
  }
};

}  // namespace ulna::test
