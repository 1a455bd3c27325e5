#include "identification.hpp"

#include <cmath>
#include <random>

#include "ulna/simulate/changes.hpp"

namespace thesis {
namespace {

using namespace ulna;
using namespace ulna::identify;

constexpr double rate_hz = 100.0, seconds = 10.0;

/// Four sines in each joint, within its limits.
TorqueData exciting_motion(const Model& robot, std::mt19937_64& random) {
  const int n = robot.nv(), count = static_cast<int>(rate_hz * seconds);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  TorqueData data;
  data.q = Eigen::MatrixXd::Zero(n, count), data.v = data.q, data.a = data.q;
  data.x.resize(0, count);
  data.breaks = {0};
  for (int i = 0; i < n; ++i) {
    const double low = robot.lower_limit()(i), high = robot.upper_limit()(i);
    data.q.row(i).setConstant(0.5 * (low + high));
    for (int k = 1; k <= 4; ++k) {
      const double w = 2.0 * M_PI * (0.2 * k + 0.1 * unit(random)),
                   phase = 2.0 * M_PI * unit(random), size = 0.1 * (high - low);
      for (int s = 0; s < count; ++s) {
        const double u = w * s / rate_hz + phase;
        data.q(i, s) += size * std::sin(u);
        data.v(i, s) += size * w * std::cos(u);
        data.a(i, s) -= size * w * w * std::sin(u);
      }
    }
  }
  return data;
}

void add_noise(Eigen::MatrixXd& rows, const Eigen::VectorXd& deviations, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  for (Eigen::Index s = 0; s < rows.cols(); ++s)
    for (Eigen::Index i = 0; i < rows.rows(); ++i) rows(i, s) += deviations(i) * normal(random);
}

/// What sensors and the filter make of a motion. Accelerations are not measured.
Prepared measured(const TorqueData& motion, std::mt19937_64& random) {
  const Eigen::Index n = motion.q.rows(), count = motion.size();
  const Eigen::VectorXd typical = motion.tau.rowwise().norm() / std::sqrt(double(count));
  Log log;
  log.t = Eigen::VectorXd::LinSpaced(count, 0.0, double(count - 1) / rate_hz);
  log.q = motion.q, log.v = motion.v, log.tau = motion.tau;
  add_noise(log.q, Eigen::VectorXd::Constant(n, 1e-4), random);
  add_noise(log.v, Eigen::VectorXd::Constant(n, 5e-3), random);
  add_noise(log.tau, 0.01 * typical, random);
  Diagnostics found;
  Prepared prepared = prepare({&log, 1}, {.filter_hz = 10.0}, found);
  if (found.has_errors()) throw LogError(found);
  return prepared;
}

Eigen::VectorXd changed(const Model& robot, std::uint64_t seed) {
  Plant<double> plant(robot);
  change_at_random(plant, {.inertia = 0.3}, seed);
  Eigen::VectorXd z(plant.inertial_size());
  plant.get_inertial(z);
  return z;
}

}  // namespace

Experiment::Experiment(const Model& robot, std::uint64_t seed)
    : model_(robot, {}), base_(find_base_parameters(model_)), truth_(changed(robot, seed)) {
  std::mt19937_64 random(seed);
  const auto moved = [&] {
    TorqueData motion = exciting_motion(robot, random);
    motion.tau = model_.torques(truth_, motion.q, motion.v, motion.a, motion.x);
    return motion;
  };
  held_out_ = moved();
  log_ = measured(moved(), random);
}

Errors Experiment::errors(const Eigen::VectorXd& z) const {
  const Eigen::VectorXd beta = base_.of(truth_);
  return {fit_of(model_, z, held_out_).total_percent,
          100.0 * (base_.of(z) - beta).norm() / beta.norm()};
}

Estimate Experiment::linear() const {
  return estimate(model_, base_, gather(model_, log_), {.method = Method::ols});
}

Refinement Experiment::shooting(const RefineOptions& options) const {
  Estimate start;
  start.z = model_.nominal();
  return refine(model_, base_, start, log_, options);
}

}  // namespace thesis
