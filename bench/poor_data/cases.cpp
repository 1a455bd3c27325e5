#include "cases.hpp"

#include <cmath>
#include <functional>
#include <random>
#include <sstream>
#include <stdexcept>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/inverse_mass_matrix.hpp"
#include "ulna/io/import.hpp"
#include "ulna/simulate/changes.hpp"

namespace poor_data {
namespace {

using namespace ulna;
using namespace ulna::identify;

constexpr double log_hz = 500.0;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  int below(int n) { return int(engine_() % std::uint64_t(n)); }
  double normal() { return normal_(engine_); }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

/// Sums of four sines in each joint, within its limits.
struct Sines {
  struct Sine {
    double size, w, phase;
  };
  Vector middle;
  std::vector<std::vector<Sine>> of;

  Sines(const Model& robot, Random& random, double speed, double share = 0.12)
      : middle(robot.nv()), of(std::size_t(robot.nv())) {
    for (int i = 0; i < robot.nv(); ++i) {
      const double low = std::max(robot.lower_limit()(i), -2.0),
                   high = std::min(robot.upper_limit()(i), 2.0);
      middle(i) = 0.5 * (low + high);
      for (int k = 1; k <= 4; ++k)
        of[std::size_t(i)].push_back({share * (high - low),
                                      2.0 * M_PI * speed * (0.1 * k + random.real(0.0, 0.05)),
                                      random.real(-M_PI, M_PI)});
    }
  }
  Vector at(double t, int derivative) const {
    Vector x = derivative == 0 ? middle : Vector::Zero(middle.size());
    for (std::size_t i = 0; i < of.size(); ++i)
      for (const Sine& s : of[i])
        x(Eigen::Index(i)) += s.size * std::pow(s.w, derivative) *
                              std::sin(s.w * t + s.phase + 0.5 * M_PI * derivative);
    return x;
  }
};

struct States {
  Matrix q, v, a;
};
States states_of(const Sines& sines, double seconds, double rate_hz) {
  const auto count = Eigen::Index(seconds * rate_hz);
  States s{Matrix(sines.middle.size(), count), {}, {}};
  s.v = s.a = s.q;
  for (Eigen::Index k = 0; k < count; ++k) {
    const double t = double(k) / rate_hz;
    s.q.col(k) = sines.at(t, 0), s.v.col(k) = sines.at(t, 1), s.a.col(k) = sines.at(t, 2);
  }
  return s;
}

Vector rms(const Matrix& rows) { return rows.rowwise().norm() / std::sqrt(double(rows.cols())); }

/// Links that differ from the description by up to 30 %, and friction that is not described at all. `usual` is its torque
/// on lively motion.
struct Truth {
  Plant<double> plant;
  Vector usual;

  Truth(const Model& described, Random& random, std::uint64_t seed) : plant(described) {
    change_at_random(plant, {.inertia = 0.3}, seed);
    plant.remove_friction();
    const States lively = states_of(Sines(described, random, 1.0), 10.0, 20.0);
    Matrix tau(described.nv(), lively.q.cols());
    Batch(described, 1).inverse_dynamics(plant, lively.q, lively.v, lively.a, tau);
    usual = rms(tau).cwiseMax(0.02 * rms(tau).maxCoeff());
    const Vector fast = rms(lively.v);
    for (int i = 0; i < described.nv(); ++i) {
      plant.damping(i) = random.real(0.02, 0.1) * usual(i) / fast(i);
      plant.friction(i) = plant.friction_negative(i) = random.real(0.03, 0.15) * usual(i);
    }
  }
  Vector numbers(const TorqueModel& model) const {
    Vector z = Vector::Zero(model.unknowns());
    Vector inertial(model.inertial_size());
    plant.get_inertial(inertial);
    z.head(inertial.size()) = inertial;
    for (int i = 0; i < model.model().nv(); ++i)
      z(model.at(i, 0)) = plant.damping(i), z(model.at(i, 1)) = plant.friction(i);
    return z;
  }
};

const std::vector<Feature> features{Feature::viscous, Feature::coulomb, Feature::offset};

/// Another motion, wide and lively.
TorqueData fresh_motion(const TorqueModel& model, const Vector& truth, std::uint64_t seed) {
  Random random(1000 + seed);
  const States s = states_of(Sines(model.model(), random, 1.3, 0.16), 20.0, 25.0);
  TorqueData data{s.q, s.v, s.a, {}, {}, {0}};
  data.x = model.features_of(s.v, s.a, Matrix::Zero(s.v.rows(), s.v.cols()));
  data.tau = model.torques(truth, data.q, data.v, data.a, data.x);
  return data;
}

void add_noise(Log& log, const Vector& usual, Random& random) {
  for (Eigen::Index k = 0; k < log.size(); ++k)
    for (Eigen::Index i = 0; i < log.q.rows(); ++i) {
      log.q(i, k) += 2e-5 * random.normal();
      log.v(i, k) += 1e-3 * random.normal();
      log.tau(i, k) += 0.02 * usual(i) * random.normal();
    }
}

Log empty_log(const Model& robot, Eigen::Index count) {
  Log log;
  log.file = "simulated", log.joints = robot.velocity_names(), log.rows = count;
  log.t.resize(count), log.q.resize(robot.nv(), count), log.v = log.tau = log.q;
  for (Eigen::Index k = 0; k < count; ++k) {
    log.t(k) = double(k) / log_hz;
    log.line.push_back(int(k) + 2);
  }
  return log;
}

/// Where a robot is to be: its position and two derivatives.
using Target = std::function<std::array<Vector, 3>(double t)>;
struct Plan {
  double seconds;
  Target target;
  double bandwidth = 15.0;  ///< of the feedback, rad/s
};

Plan held_targets(std::vector<Vector> targets, double each) {
  const Vector still = Vector::Zero(targets.front().size());
  return {each * double(targets.size() - 1), [=](double t) -> std::array<Vector, 3> {
            const auto k = std::min(std::size_t(t / each) + 1, targets.size() - 1);
            // from one to the next in 0.8 s, and then there
            const double u = std::min(1.0, (t - each * double(k - 1)) / 0.8);
            const double share = u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
            return {targets[k - 1] + share * (targets[k] - targets[k - 1]), still, still};
          }};
}

Plan plan_of(const Model& robot, Motion motion, Random& random) {
  const Sines sines(robot, random, 1.0);
  const Vector still = Vector::Zero(robot.nv());
  const auto along = [=](double t) -> std::array<Vector, 3> {
    return {sines.at(t, 0), sines.at(t, 1), sines.at(t, 2)};
  };
  const auto place = [&] {
    Vector q = sines.middle;
    for (double& x : q) x += random.real(-0.8, 0.8);
    return q;
  };
  switch (motion) {
    case Motion::pd_move: {
      const Vector from = place(), to = place();
      return {4.0,
              [=](double t) -> std::array<Vector, 3> {
                return {t < 0.5 ? from : to, still, still};
              },
              6.0};
    }
    case Motion::rest_added:
      return {20.0, [=](double t) -> std::array<Vector, 3> {
                if (t < 10.0) return along(t);
                return {sines.at(10.0, 0), still, still};
              }};
    case Motion::one_joint: {
      const int moves = random.below(robot.nv());
      return {10.0, [=](double t) -> std::array<Vector, 3> {
                std::array<Vector, 3> x{sines.at(0.0, 0), still, still};
                for (int d = 0; d < 3; ++d) x[std::size_t(d)](moves) = sines.at(t, d)(moves);
                return x;
              }};
    }
    case Motion::moves_and_rests: {
      std::vector<Vector> places;
      for (int k = 0; k < 7; ++k) places.push_back(place());
      return held_targets(std::move(places), 2.0);
    }
    case Motion::two_seconds:
      return {2.0, along};
    case Motion::exciting:
      return {20.0, along};
  }
  throw std::logic_error("no such motion");
}

/// Of the robot under feedback at 500 Hz, and the torques that its description asks for. A step of the target is not followed as
/// quickly as a motion.
Log driven(const Model& described, const Truth& truth, const Plan& plan, Random& random) {
  const auto count = Eigen::Index(plan.seconds * log_hz);
  Log log = empty_log(described, count);
  Simulation robot(described, {.torque_limits = false, .stops = false});
  robot.plant = truth.plant;
  const auto begin = plan.target(0.0);
  robot.set_state(begin[0], begin[1]);

  const Plant<double> plant(described);
  Workspace<double> ws(described);
  ulna::Motion<double> at(described);
  Matrix inverse(described.nv(), described.nv());
  Kinematics<double> place(described);
  place.set(begin[0]);
  if (!inverse_mass_matrix<double>(plant, place, ws, inverse)) throw std::runtime_error("no mass");
  const Vector inertia = inverse.diagonal().cwiseInverse();
  Vector tau(described.nv());
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto want = plan.target(double(k) / log_hz);
    at.set(robot.q(), want[1], want[2]);
    inverse_dynamics<double>(plant, at, ws, tau);
    const Vector off = want[0] - robot.q(), slow = want[1] - robot.v();
    tau +=
        inertia.cwiseProduct(plan.bandwidth * plan.bandwidth * off + 1.4 * plan.bandwidth * slow);
    log.q.col(k) = robot.q(), log.v.col(k) = robot.v(), log.tau.col(k) = tau;
    if (robot.step(tau, 1.0 / log_hz) != SimulationStatus::moved)
      throw std::runtime_error("the simulated robot does not move on");
  }
  add_noise(log, truth.usual, random);
  return log;
}

/// Torques that the model does not know of.
Matrix effect_torques(Effect effect, const States& s, const Truth& truth) {
  Matrix tau = Matrix::Zero(s.q.rows(), s.q.cols());
  const bool all = effect == Effect::all;
  for (Eigen::Index k = 0; k < tau.cols(); ++k)
    for (Eigen::Index i = 0; i < tau.rows(); ++i) {
      const double v = s.v(i, k), dry = truth.plant.friction(i);
      if (all || effect == Effect::stribeck)
        tau(i, k) += 0.5 * dry * std::exp(-std::pow(v / 0.1, 2)) * ((v > 0.0) - (v < 0.0));
      if (all || effect == Effect::ripple)
        tau(i, k) += 0.02 * truth.usual(i) * std::sin(40.0 * s.q(i, k) + double(i));
    }
  return tau;
}

}  // namespace

std::string to_string(Motion motion) {
  constexpr const char* names[] = {"PD move of 4 s",    "10 s of rest added", "one joint moves",
                                   "2 s of excitation", "moves and rests",    "excitation of 20 s"};
  return names[int(motion)];
}

std::string to_string(Effect effect) {
  constexpr const char* names[] = {"none", "Stribeck", "ripple", "elasticity", "all three"};
  return names[int(effect)];
}

Case simulated(const std::string& name, Motion motion, std::uint64_t seed) {
  const Model robot = load_robot(name).model;
  Random random(seed);
  const Truth truth(robot, random, seed);
  TorqueModel model(robot, features);
  BaseParameters base = find_base_parameters(model);
  const Vector z = truth.numbers(model);
  Log log = driven(robot, truth, plan_of(robot, motion, random), random);
  TorqueData fresh = fresh_motion(model, z, seed);
  return {std::move(model), std::move(base), z, std::move(log), std::move(fresh)};
}

Case outside_the_model(const std::string& name, Effect effect, std::uint64_t seed) {
  const Model robot = load_robot(name).model;
  Random random(seed);
  const Truth truth(robot, random, seed);
  TorqueModel model(robot, features);
  BaseParameters base = find_base_parameters(model);
  const Vector z = truth.numbers(model);
  const States s = states_of(Sines(robot, random, 1.0), 20.0, log_hz);
  Log log = empty_log(robot, s.q.cols());
  Batch(robot, 1).inverse_dynamics(truth.plant, s.q, s.v, s.a, log.tau);
  log.q = s.q, log.v = s.v;
  if (effect == Effect::elasticity || effect == Effect::all) {
    // springs bend by a milliradian under twice the usual torque, and encoders are on the motors' side
    const Matrix bent = (2000.0 * truth.usual).cwiseInverse().asDiagonal() * log.tau;
    log.q += bent;
    for (Eigen::Index k = 1; k + 1 < bent.cols(); ++k)
      log.v.col(k) += 0.5 * log_hz * (bent.col(k + 1) - bent.col(k - 1));
  }
  log.tau += effect_torques(effect, s, truth);
  add_noise(log, truth.usual, random);
  TorqueData fresh = fresh_motion(model, z, seed);
  return {std::move(model), std::move(base), z, std::move(log), std::move(fresh)};
}

TorqueData prepared(const Case& c) {
  Diagnostics found;
  const Prepared samples = prepare({&c.log, 1}, {.filter_hz = 10.0, .decimation = 5}, found);
  if (found.has_errors()) throw LogError(found);
  return gather(c.model, samples);
}

Verdict judged(const Case& c, const Estimate& found) {
  Verdict v;
  v.prior_percent = fit_of(c.model, found.prior, c.fresh).total_percent;
  v.percent = fit_of(c.model, found.z, c.fresh).total_percent;
  v.converged = found.converged;
  const Vector off =
      (found.base - c.base.of(c.truth)).cwiseAbs().cwiseQuotient(found.base_deviation);
  v.base_count = int(off.size()), v.base_within = int((off.array() < 2.0).count());
  Eigen::Index farthest = 0;
  v.worst = off.maxCoeff(&farthest);
  const std::size_t leads = std::size_t(c.base.independent[std::size_t(farthest)]);
  v.farthest = c.model.names()[leads];
  for (int k = 0; k < found.z.size(); ++k) {
    if (found.learned(k) < learned_enough) continue;
    ++v.estimated, ++v.count;
    v.within += std::abs(found.z(k) - c.truth(k)) < 2.0 * found.deviation(k);
  }
  return v;
}

std::string table(const Log& log) {
  std::ostringstream text;
  text.precision(12);
  text << "t";
  for (const char* name : {"q", "qd", "tau"})
    for (Eigen::Index i = 1; i <= log.q.rows(); ++i) text << "," << name << i;
  for (Eigen::Index k = 0; k < log.size(); ++k) {
    text << "\n" << log.t(k);
    for (const Matrix* x : {&log.q, &log.v, &log.tau})
      for (Eigen::Index i = 0; i < x->rows(); ++i) text << "," << (*x)(i, k);
  }
  return text.str() + "\n";
}

}  // namespace poor_data
