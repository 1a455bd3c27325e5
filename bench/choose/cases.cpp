#include "cases.hpp"

#include <cmath>
#include <functional>
#include <random>
#include <sstream>

#include "ulna/dynamics/drive_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/edit.hpp"
#include "ulna/simulate/simulation.hpp"

namespace bench {
namespace {

using namespace ulna;
using identify::Feature;
using identify::Matrix;
using identify::TorqueModel;
using identify::Vector;

/// Sums of slow sines in each joint, with two derivatives.
class Motion {
 public:
  Motion(const Model& robot, std::mt19937_64& random, double share, double speed) {
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    for (int i = 0; i < robot.nv(); ++i) {
      const double low = std::max(robot.lower_limit()(i), -2.0),
                   high = std::min(robot.upper_limit()(i), 2.0);
      middle_.push_back(0.5 * (low + high));
      sines_.emplace_back();
      for (int k = 1; k <= 4; ++k)
        sines_.back().push_back({share * (high - low) / 4.0,
                                 2.0 * M_PI * speed * (0.1 * k + 0.08 * unit(random)),
                                 2.0 * M_PI * unit(random)});
    }
  }
  Vector at(double t, int derivative) const {
    Vector x(Eigen::Index(sines_.size()));
    for (std::size_t i = 0; i < sines_.size(); ++i) {
      double sum = derivative == 0 ? middle_[i] : 0.0;
      for (const auto& [size, w, phase] : sines_[i])
        sum += size * std::pow(w, derivative) * std::sin(w * t + phase + 0.5 * M_PI * derivative);
      x(Eigen::Index(i)) = sum;
    }
    return x;
  }

 private:
  struct Sine {
    double size, w, phase;
  };
  std::vector<double> middle_;
  std::vector<std::vector<Sine>> sines_;
};

/// How a log is written.
struct Recorder {
  double rate_hz = 500.0, jitter = 0.0;   ///< of its clock, as a share of a step
  double q_noise = 2e-5, v_noise = 1e-3;  ///< rad, rad/s
  double tau_share = 0.01, late = 0.0;    ///< noise of the effort limit, and delay in s
  bool velocities = true;
  /// More friction near rest, as a share of the effort limit; it fades at 0.1 rad/s.
  double stribeck = 0.0;
};

using Torques = std::function<Vector(double t)>;
using Positions = std::function<Vector(double t, int derivative)>;

std::string table(const Model& robot, const Recorder& how, double seconds, const Positions& q,
                  const Torques& tau, const Vector& tau_noise, std::mt19937_64& random,
                  bool noisy) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const int n = robot.nv();
  std::ostringstream text;
  text.precision(10);
  text << "t";
  for (const char* name : {"q", "qd", "tau"})
    for (int i = 1; i <= n && (how.velocities || name != std::string("qd")); ++i)
      text << "," << name << i;
  text << "\n";
  const auto noise = [&](double deviation) { return noisy ? deviation * normal(random) : 0.0; };
  for (int k = 0; k < int(seconds * how.rate_hz); ++k) {
    const double t = 0.5 + k / how.rate_hz, logged = t + how.jitter / how.rate_hz * unit(random);
    text << (noisy ? logged : t);
    const Vector position = q(t, 0), velocity = q(t, 1), torque = tau(t - how.late);
    for (int i = 0; i < n; ++i) text << "," << position(i) + noise(how.q_noise);
    for (int i = 0; i < n && how.velocities; ++i) text << "," << velocity(i) + noise(how.v_noise);
    for (int i = 0; i < n; ++i) text << "," << torque(i) + noise(tau_noise(i));
    text << "\n";
  }
  return text.str();
}

/// Links of other masses than described, by up to 30 %.
void vary_links(const TorqueModel& model, Vector& z, std::mt19937_64& random) {
  std::uniform_real_distribution<double> share(0.7, 1.3);
  for (int b = 0; b < model.model().joint_count(); ++b) z.segment<10>(10 * b) *= share(random);
}

Vector efforts(const Model& robot) {
  Vector e = robot.effort_limit();
  for (double& x : e)
    if (!(x > 0.0) || !std::isfinite(x)) x = 50.0;
  return e;
}

/// A robot of rigid joints with numbers of features, as shares of the joints' efforts (of rotors, of a kg m²).
ChooseCase rigid(ChooseCase made, const std::vector<std::pair<Feature, double>>& with,
                 const Recorder& how, double seconds, double speed, std::mt19937_64& random) {
  std::vector<Feature> features;
  for (const auto& [feature, size] : with) features.push_back(feature);
  const Model& robot = made.described;
  const TorqueModel model(robot, features);
  Vector z = model.nominal();
  vary_links(model, z, random);
  std::uniform_real_distribution<double> share(0.6, 1.4);
  const Vector strong = efforts(robot);
  for (int i = 0; i < robot.nv(); ++i)
    for (std::size_t k = 0; k < with.size(); ++k) {
      const auto [feature, size] = with[k];
      z(model.at(i, int(k))) = size * share(random) * (feature == Feature::load ? 1.0 : strong(i));
    }
  const auto record = [&](double duration, bool noisy) {
    const Motion motion(robot, random, 0.8, speed);
    const auto tau = [&](double t) -> Vector {
      const Matrix v = motion.at(t, 1), q = motion.at(t, 0), a = motion.at(t, 2);
      // friction by load is of the torque itself: two rounds settle it
      Matrix torque =
          model.torques(z, q, v, a, model.features_of(v, a, Matrix::Zero(robot.nv(), 1)));
      for (int round = 0; round < 20; ++round)
        torque = model.torques(z, q, v, a, model.features_of(v, a, torque));
      constexpr double fades = 0.1;
      for (int i = 0; i < robot.nv(); ++i)
        torque(i, 0) += how.stribeck * strong(i) * std::exp(-std::pow(v(i, 0) / fades, 2)) *
                        identify::sign_of(v(i, 0));
      return torque;
    };
    return table(
        robot, how, duration, [&](double t, int d) { return motion.at(t, d); }, tau,
        how.tau_share * strong, random, noisy);
  };
  made.late = how.late;
  made.log = record(seconds, true);
  made.fresh = record(12.0, false);
  return made;
}

/// Torque sensors behind springs, positions of the motors, and a description of rigid joints.
ChooseCase elastic(ChooseCase made, double seconds, std::mt19937_64& random) {
  const Model truth = load_robot("iiwa14_elastic").model;
  made.described = with_plain_drives(truth);
  const Vector stiffness = truth.drives().stiffness;
  const TorqueModel model(made.described, {});
  Vector z = model.nominal();
  vary_links(model, z, random);
  z.segment<10>(10 * 6) =
      Inertia<double>::about_com(4.0, Vec3<double>(0.03, 0.02, 0.1),
                                 Vec3<double>(0.03, 0.03, 0.02).asDiagonal().toDenseMatrix())
          .parameters();
  const Recorder how{.rate_hz = 250.0, .tau_share = 0.002};
  const auto record = [&](double duration, bool noisy) {
    const Motion motion(made.described, random, 0.8, 1.0);
    // links move as the sines do, motors are ahead by what springs give way
    const auto tau = [&](double t) -> Vector {
      return model.torques(z, motion.at(t, 0), motion.at(t, 1), motion.at(t, 2), Matrix());
    };
    const auto theta = [&](double t, int derivative) -> Vector {
      constexpr double h = 1e-3;
      const Vector torque =
          derivative == 0 ? tau(t) : Vector((tau(t + h) - tau(t - h)) / (2.0 * h));
      return motion.at(t, derivative) + 3.0 * torque.cwiseQuotient(stiffness);
    };
    return table(made.described, how, duration, theta, tau, how.tau_share * efforts(made.described),
                 random, noisy);
  };
  made.log = record(seconds, true);
  made.fresh = record(12.0, false);
  for (int i = 0; i < stiffness.size(); ++i)
    made.effects.compliance.push_back({3.0 / stiffness(i), 0.0});
  return made;
}

/// A wrist whose last motor turns with the joint before, described without.
ChooseCase coupled(ChooseCase made, double seconds, std::mt19937_64& random) {
  const Model truth = load_robot("tx40_like").model;
  made.described = with_plain_drives(truth);
  const Recorder how{.rate_hz = 500.0, .tau_share = 0.01};
  const Plant<double> plant(truth);
  const auto record = [&](double duration, bool noisy) {
    const Motion motion(made.described, random, 0.8, 2.0);
    DriveMotion<double> at(truth);
    DriveWorkspace<double> ws(truth);
    DriveTorques<double> out(truth);
    const auto tau = [&](double t) -> Vector {
      at.set(motion.at(t, 0), motion.at(t, 1), motion.at(t, 2), motion.at(t, 3), motion.at(t, 4));
      drive_inverse_dynamics<double>(plant, at, ws, out);
      Vector joint = Vector::Zero(truth.nv());
      for (const auto& [motor, coordinate, ratio] : truth.drives().gears)
        joint(coordinate) += ratio * out.motor(motor);
      return joint;
    };
    return table(
        made.described, how, duration, [&](double t, int d) { return motion.at(t, d); }, tau,
        how.tau_share * efforts(made.described), random, noisy);
  };
  made.log = record(seconds, true);
  made.fresh = record(12.0, false);
  made.effects.couplings.push_back({.motor = 5,
                                    .joint = 4,
                                    .sign = 1,
                                    .rotor = {0.0096, 0.0},
                                    .viscous = {0.62, 0.0},
                                    .coulomb = {1.95, 0.0}});
  return made;
}

}  // namespace

std::vector<std::string> choose_cases() {
  return {"harmonic", "sensors", "elastic", "coupled", "slow", "jitter", "late", "stribeck"};
}

ChooseCase choose_case(const std::string& name, unsigned seed, double seconds) {
  std::mt19937_64 random(seed);
  const auto robot = [&](const char* which, const char* what) {
    return ChooseCase{name, what, load_robot(which).model, "", ""};
  };
  if (name == "harmonic")
    return rigid(robot("ur5e", "ur5e with harmonic drives: rotors, friction that grows with load"),
                 {{Feature::viscous, 0.05},
                  {Feature::coulomb, 0.04},
                  {Feature::load, 0.1},
                  {Feature::armature, 0.01}},
                 {.rate_hz = 125.0, .tau_share = 0.01}, seconds, 1.5, random);
  if (name == "sensors")
    return rigid(robot("panda", "panda with torque sensors: little friction, offsets"),
                 {{Feature::viscous, 0.002}, {Feature::coulomb, 0.003}, {Feature::offset, 0.02}},
                 {.rate_hz = 250.0, .tau_share = 0.004}, seconds, 1.0, random);
  if (name == "slow")
    return rigid(robot("puma560", "puma560 at 40 Hz, no velocities"),
                 {{Feature::viscous, 0.02}, {Feature::coulomb, 0.05}, {Feature::armature, 0.01}},
                 {.rate_hz = 40.0, .q_noise = 1e-4, .tau_share = 0.01, .velocities = false},
                 seconds, 1.0, random);
  if (name == "jitter")
    return rigid(robot("iiwa14", "iiwa14, clock with jitter of 40 % of a step"),
                 {{Feature::viscous, 0.02}, {Feature::coulomb, 0.02}, {Feature::offset, 0.01}},
                 {.rate_hz = 250.0, .jitter = 0.4, .tau_share = 0.01}, seconds, 1.0, random);
  if (name == "stribeck")
    return rigid(robot("ur5e", "ur5e with Stribeck friction, which no model here has"),
                 {{Feature::viscous, 0.03}, {Feature::coulomb, 0.03}, {Feature::armature, 0.01}},
                 {.rate_hz = 250.0, .tau_share = 0.005, .stribeck = 0.05}, seconds, 0.5, random);
  if (name == "late")
    return rigid(robot("ur5e", "ur5e, torques 8 ms late, rotors"),
                 {{Feature::viscous, 0.05}, {Feature::coulomb, 0.05}, {Feature::armature, 0.01}},
                 {.rate_hz = 125.0, .tau_share = 0.005, .late = 0.008}, seconds, 1.5, random);
  if (name == "elastic")
    return elastic(robot("iiwa14", "iiwa14 with torque sensors behind springs, described as rigid"),
                   seconds, random);
  if (name == "coupled")
    return coupled(robot("iiwa14", "tx40_like whose motor 6 turns with joint 5, described without"),
                   seconds, random);
  throw std::invalid_argument("there is no case '" + name + "'");
}

}  // namespace bench
