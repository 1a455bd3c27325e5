#include <algorithm>
#include <chrono>
#include <cmath>

#include "contenders.hpp"
#include "ulna/num/counted.hpp"
#include "verb.hpp"

namespace ulna::cli {
namespace {

struct CompareOptions {
  RobotArgument robot;
  int states = 100;
  std::uint64_t seed = 1;
};

struct Motion3 {
  Eigen::VectorXd q, v, a;
};

std::vector<Motion3> random_motions(const Model& model, const CompareOptions& options) {
  std::mt19937_64 random(options.seed);
  const auto uniform = [&] { return double(random() >> 11) * 0x1p-52 - 1.0; };
  std::vector<Motion3> all(options.states);
  for (Motion3& m : all) {
    m.q = random_configuration(model, random);
    m.v = m.a = Eigen::VectorXd(model.nv());
    for (double& x : m.v) x = uniform();
    for (double& x : m.a) x = uniform();
  }
  return all;
}

/// The median of each element. No result is trusted more than another.
Eigen::MatrixXd median(const std::vector<Eigen::MatrixXd>& results) {
  Eigen::MatrixXd middle = results.front();
  std::vector<double> numbers(results.size());
  for (Eigen::Index i = 0; i < middle.size(); ++i) {
    for (std::size_t k = 0; k < results.size(); ++k) numbers[k] = results[k].data()[i];
    const auto at = numbers.begin() + numbers.size() / 2;
    std::nth_element(numbers.begin(), at, numbers.end());
    middle.data()[i] = *at;
  }
  return middle;
}

double largest(const Eigen::MatrixXd& m) { return m.size() ? m.cwiseAbs().maxCoeff() : 0.0; }

struct Result {
  std::string name, source;
  double error = 0.0;
  OperationCount count;
  double ns = 0.0;
};

/// Worst disagreement with the median of all, of torques, bias and mass matrix, each relative to its
/// largest number; bias to that of the torques, since it may be nothing.
void measure_errors(const std::vector<Contender<double>>& all, const std::vector<Motion3>& motions,
                    std::vector<Result>& results) {
  for (const Motion3& m : motions) {
    std::vector<Eigen::MatrixXd> tau, bias, M;
    for (const auto& contender : all) {
      contender.set(m.q, m.v, m.a);
      contender.run();
      tau.emplace_back(contender.torque());
      if (!contender.bias) continue;
      bias.emplace_back(contender.bias());
      M.emplace_back(contender.mass_matrix());
    }
    const Eigen::MatrixXd mid_tau = median(tau), mid_bias = median(bias), mid_M = median(M);
    const double torque_size = std::max(largest(mid_tau), largest(mid_bias));
    std::size_t with_terms = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto judge = [&](double difference, double size) {
        // NaN is the worst there is
        const double error = size > 0.0 ? difference / size : difference;
        if (!(error <= results[i].error)) results[i].error = error;
      };
      judge(largest(tau[i] - mid_tau), torque_size);
      if (!all[i].bias) continue;
      judge(largest(bias[with_terms] - mid_bias), torque_size);
      judge(largest(M[with_terms] - mid_M), largest(mid_M));
      ++with_terms;
    }
  }
}

/// Nanoseconds of one run, the best of several batches.
double time_of(const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [&](int runs) {
    const auto start = Clock::now();
    for (int i = 0; i < runs; ++i) run();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  int runs = 1;
  while (seconds(runs) < 2e-3 && runs < (1 << 24)) runs *= 2;
  double best = seconds(runs);
  for (int repeat = 0; repeat < 8; ++repeat) best = std::min(best, seconds(runs));
  return 1e9 * best / runs;
}

std::vector<Result> results_of(const Model& model, const CompareOptions& options,
                               Console& console) {
  const auto all = contenders<double>(model);
  const auto counting = contenders<Counted>(model);
  const std::vector<Motion3> motions = random_motions(model, options);
  std::vector<Result> results(all.size());
  measure_errors(all, motions, results);
  const Motion3& m = motions.front();
  Progress progress(console.err, all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    results[i].name = all[i].name, results[i].source = all[i].source;
    progress.at(i, results[i].name);
    counting[i].set(m.q.cast<Counted>(), m.v.cast<Counted>(), m.a.cast<Counted>());
    results[i].count = count_operations(counting[i].run);
    all[i].set(m.q, m.v, m.a);
    results[i].ns = time_of(all[i].run);
  }
  return results;
}

/// The slowest formulations take O(n^4) operations a state: a run should end within a minute or so.
void require_reasonable(const CompareOptions& options, const Model& model) {
  const double n = std::max(1, model.nv());
  const double most = std::max(1.0, std::floor(5e9 / (n * n * n * n)));
  if (options.states > most)
    throw UsageError(
        "--states: {} states of a robot with {} joints take too long; at "
        "most {:.0f} are compared",
        options.states, model.nv(), most);
}

int show(const CompareOptions& options, Console& console) {
  const Imported robot = options.robot.load();
  const Model& model = robot.model;
  if (model.joint_count() <= most_joints) require_reasonable(options, model);
  const std::vector<Result> results = results_of(model, options, console);
  mention_warnings(console, options.robot, robot.diagnostics);
  for (const Result& r : results)
    if (!std::isfinite(r.error))
      throw Failure(
          "{}: what '{}' computes is not finite; ulna check shows whether a number of the robot is "
          "too large",
          model.name(), r.name);
  if (console.json()) {
    const Json list = list_of(results, [](const Result& r) {
      return merged({ULNA_FIELDS(r, name, source),
                     {{"max_relative_error", r.error}},
                     ULNA_FIELDS(r.count, multiplications, additions),
                     {{"ns", r.ns}}});
    });
    console.print({{"robot", options.robot.json(model)},
                   {"states", options.states},
                   {"seed", options.seed},
                   {"formulations", list}});
    return success;
  }
  Table table(1, {"formulation", "source", ">error [relative]", ">mul", ">add", ">time [ns]"});
  for (const Result& r : results)
    table.row({r.name, r.source, fmt::format("{:.1e}", r.error), r.count.multiplications,
               r.count.additions, fmt::format("{:.0f}", r.ns)});
  console.out.print(
      fmt::format("{}: {}, {}, seed {}\n\n{}", visible(model.name()), counted(model.nv(), "joint"),
                  counted(options.states, "random state"), options.seed, table.str(console.out)));
  if (results.size() < 12)
    console.out.print("\nThe arm has branches: formulations for single chains are left out.\n");
  return success;
}

}  // namespace

Action compare(Parser& app, Console& console) {
  auto options = std::make_shared<CompareOptions>();
  options->robot.add_to(app);
  options->robot.add_gravity_to(app);
  app.add_value("--states", options->states, "N", "number of random states (100)",
                whole_number(1, 10000));
  app.add_value("--seed", options->seed, "N", "seed of the random states (1)", seed_number);
  return [options, &console] { return show(*options, console); };
}

}  // namespace ulna::cli
