#include <stdexcept>
#include <thread>

#include "bench.hpp"
#include "ulna/ulna.hpp"

namespace bench {
namespace {

using namespace ulna;

/// Up to 1,024 states, as many as have results of 4 MB: what stays in the cache. More than that is as fast
/// as memory is.
int state_count_of(int numbers) { return std::clamp(4'000'000 / 8 / numbers / 64 * 64, 64, 1024); }

/// Derivatives or regressors one state after the other, in batches, and in batches on two threads.
void measure_one(const Robot& robot, int k, double seconds_each, Entries& entries) {
  const int count = state_count_of(result_size(k, robot.states));
  const States& s = robot.states;
  Plant<double> plant(robot.model);
  plant.remove_friction();
  plant.armature.setZero();
  const Eigen::MatrixXd Q = spread(s.q, s.nq, count), V = spread(s.v, s.nv, count),
                        A = spread(s.a, s.nv, count), Tau = spread(s.tau, s.nv, count);

  std::vector<DerivativeBatch> batches;
  batches.emplace_back(robot.model, 1);
  if (std::thread::hardware_concurrency() > 1) batches.emplace_back(robot.model, 2);
  const std::vector<Task> tasks = tasks_of(ulna_peer(), robot);
  const Task& task = *std::find_if(tasks.begin(), tasks.end(), [&](const Task& t) {
    return t.algorithm == k && t.variant.empty();
  });
  // a batch puts each matrix of three into columns of its own
  const int parts = k == BENCH_REGRESSOR ? 1 : 3, rows = result_size(k, s) / parts;
  std::vector<Eigen::MatrixXd> out(3, Eigen::MatrixXd(rows, count));
  Eigen::MatrixXd one_by_one(parts * rows, count);
  const auto each = [&] {
    for (int i = 0; i < count; ++i)
      bench_call(task.function, task.instance.get(), Q.col(i).data(), V.col(i).data(),
                 s.x_of(k, i % state_count), one_by_one.col(i).data());
  };
  const auto call = [&](DerivativeBatch& batch) {
    if (k == BENCH_INVERSE_DYNAMICS_DERIVATIVES)
      batch.inverse_dynamics(plant, Q, V, A, out[0], out[1], out[2]);
    else if (k == BENCH_FORWARD_DYNAMICS_DERIVATIVES)
      use(batch.forward_dynamics(plant, Q, V, Tau, out[0], out[1], out[2]));
    else
      batch.torque_regressor(Q, V, A, out[0]);
  };
  each();
  std::vector<Measured> group{{robot.name, s.nv, algorithm_name(k), "one by one",
                               [&](long n) {
                                 for (; n > 0; --n) each();
                               },
                               static_cast<double>(count)}};
  for (DerivativeBatch& batch : batches) {
    call(batch);
    double apart = 0.0;
    for (int p = 0; p < parts; ++p)
      apart =
          std::max(apart, (out[p] - one_by_one.middleRows(p * rows, rows)).cwiseAbs().maxCoeff());
    apart /= one_by_one.cwiseAbs().maxCoeff();
    if (!(apart < 1e-9))
      throw std::runtime_error(std::string("a batch differs: ") + algorithm_name(k) + ", " +
                               robot.name);
    group.push_back({robot.name,
                     s.nv,
                     algorithm_name(k),
                     "batch, " + std::to_string(batch.threads()) +
                         (batch.threads() > 1 ? " threads" : " thread"),
                     [&](long n) {
                       for (; n > 0; --n) call(batch);
                     },
                     static_cast<double>(count),
                     {},
                     apart});
  }
  measure(group, seconds_each, entries);
}

}  // namespace

void measure_derivative_batches(double seconds_each, Entries& entries) {
  for (const char* name : {"panda", "quadruped", "chain:28"}) {
    const Robot robot = make_robot(name);
    for (const int k :
         {BENCH_INVERSE_DYNAMICS_DERIVATIVES, BENCH_FORWARD_DYNAMICS_DERIVATIVES, BENCH_REGRESSOR})
      measure_one(robot, k, seconds_each, entries);
  }
}

}  // namespace bench
