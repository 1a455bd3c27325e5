// Identification of a Panda: from a million samples, and sample by sample.

#include <cmath>
#include <random>
#include <stdexcept>

#include "bench.hpp"
#include "ulna/identify/estimate/estimate.hpp"
#include "ulna/identify/estimate/normal_equations.hpp"
#include "ulna/identify/online/online_estimator.hpp"
#include "ulna/io/import.hpp"
#include "ulna/simulate/step.hpp"

namespace bench {
namespace {

using namespace ulna;
using namespace ulna::identify;

/// Sums of sines at 1 kHz, and the torques they need with friction and noise.
TorqueData excited(const TorqueModel& model, int count) {
  const Model& robot = model.model();
  const int n = robot.nv();
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::normal_distribution<double> normal;
  TorqueData data;
  data.q = Eigen::MatrixXd::Zero(n, count), data.v = data.q, data.a = data.q, data.tau = data.q;
  data.breaks = {0};
  for (int i = 0; i < n; ++i)
    for (int k = 1; k <= 3; ++k) {
      const double w = 2.0 * M_PI * (0.1 * k + 0.05 * unit(random)), phase = 6.0 * unit(random);
      for (int s = 0; s < count; ++s) {
        const double u = w * 1e-3 * s + phase;
        data.q(i, s) += 0.4 * std::sin(u);
        data.v(i, s) += 0.4 * w * std::cos(u);
        data.a(i, s) -= 0.4 * w * w * std::sin(u);
      }
    }
  Eigen::VectorXd z = model.nominal();
  z.tail(model.feature_count() * n).setConstant(0.3);
  data.x = model.features_of(data.v, data.a, data.tau);
  data.tau = model.torques(z, data.q, data.v, data.a, data.x);
  for (double& x : data.tau.reshaped()) x += 0.1 * normal(random);
  return data;
}

}  // namespace

void measure_identification(double seconds_each, Entries& entries) {
  constexpr int count = 1'000'000;
  const Model robot = load_robot("panda").model;
  const TorqueModel model(robot, {Feature::viscous, Feature::coulomb, Feature::offset});
  const BaseParameters base = find_base_parameters(model);
  const TorqueData data = excited(model, count);
  const int nv = robot.nv();

  NormalEquations bare(robot), one(robot, 0, 1);
  const auto by = [&](Method method) {
    return [&, method](long runs) {
      for (; runs > 0; --runs)
        if (!estimate(model, base, data, {.method = method}).z.allFinite())
          throw std::runtime_error("an estimate is not finite");
    };
  };
  const auto sum = [&](NormalEquations& sums) {
    return [&](long runs) {
      for (; runs > 0; --runs) sums.clear(), sums.add(data.q, data.v, data.a, data.tau);
    };
  };
  for (const Measured& m :
       std::vector<Measured>{{"panda", nv, "normal_equations", "1 thread", sum(one)},
                             {"panda", nv, "normal_equations", "", sum(bare)},
                             {"panda", nv, "least_squares", "", by(Method::wls)},
                             {"panda", nv, "consistent_estimate", "", by(Method::consistent)}})
    measure({m}, seconds_each, entries);

  OnlineEstimator online(model, Eigen::VectorXd::Constant(nv, 0.1));
  Plant<double> plant(robot);
  StepDerivatives step(robot, Integrator::rk4);
  Eigen::Index s = 0;
  measure({{"panda", nv, "online_update", "",
            [&](long runs) {
              for (; runs > 0; --runs, s = (s + 1) % count)
                online.update(data.q.col(s), data.v.col(s), data.a.col(s), data.tau.col(s));
            }}},
          seconds_each, entries);
  measure({{"panda", nv, "rk4_step_derivatives", "",
            [&](long runs) {
              bool possible = true;
              for (; runs > 0; --runs, s = (s + 1) % count)
                possible &= step(plant, data.q.col(s), data.v.col(s), data.tau.col(s), 1e-3);
              if (!possible) throw std::runtime_error("a step is impossible");
            }}},
          seconds_each, entries);
}

}  // namespace bench
