#include <memory>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "bench.hpp"
#include "ulna/num/dual.hpp"
#include "ulna/ulna.hpp"

namespace bench {
namespace {

using namespace ulna;

// --- batches ---

/// Each algorithm one state after the other, in batches, and in batches on two threads.
void measure_batches(const bench::Robot& robot, double seconds_each, Entries& entries) {
  constexpr int count = 16384;
  const States& s = robot.states;
  const BenchRobot table = robot.table();
  const BenchPeer& peer = ulna_peer();
  const std::unique_ptr<void, void (*)(void*)> instance(peer.load(&table), peer.unload);
  Plant<double> plant(robot.model);
  plant.remove_friction();
  plant.armature.setZero();
  const Frame& tip = robot.model.frame(robot.model.body_name(robot.model.body_count() - 1));
  const Eigen::MatrixXd Q = spread(s.q, s.nq, count), V = spread(s.v, s.nv, count),
                        A = spread(s.a, s.nv, count), Tau = spread(s.tau, s.nv, count);
  const auto call = [&](Batch& batch, int algorithm, Eigen::MatrixXd& out) {
    switch (algorithm) {
      case BENCH_INVERSE_DYNAMICS:
        return batch.inverse_dynamics(plant, Q, V, A, out);
      case BENCH_FORWARD_DYNAMICS:
        return use(batch.forward_dynamics(plant, Q, V, Tau, out));
      case BENCH_MASS_MATRIX:
        return batch.mass_matrix(plant, Q, out);
      case BENCH_JACOBIAN:
        return batch.jacobian(Q, tip, out);
    }
  };

  std::vector<Batch> batches;
  batches.emplace_back(robot.model, 1);
  if (std::thread::hardware_concurrency() > 1) batches.emplace_back(robot.model, 2);
  for (const int k :
       {BENCH_INVERSE_DYNAMICS, BENCH_FORWARD_DYNAMICS, BENCH_MASS_MATRIX, BENCH_JACOBIAN}) {
    Eigen::MatrixXd out(result_size(k, s), count);
    Eigen::MatrixXd one_by_one(out.rows(), count);
    const auto each = [&, k](long) {
      for (int i = 0; i < count; ++i)
        bench_call(peer.functions[k], instance.get(), Q.col(i).data(), V.col(i).data(),
                   s.x_of(k, i % state_count), one_by_one.col(i).data());
    };
    std::vector<Measured> group{{robot.name, s.nv, algorithm_name(k), "one by one",
                                 [&](long n) {
                                   for (; n > 0; --n) each(n);
                                 },
                                 count}};
    each(1);
    for (Batch& batch : batches) {
      call(batch, k, out);
      const double apart =
          (out - one_by_one).cwiseAbs().maxCoeff() / one_by_one.cwiseAbs().maxCoeff();
      if (!(apart < 1e-9))
        throw std::runtime_error(std::string("a batch differs: ") + algorithm_name(k) + ", " +
                                 robot.name);
      group.push_back({robot.name,
                       s.nv,
                       algorithm_name(k),
                       "batch, " + std::to_string(batch.threads()) +
                           (batch.threads() > 1 ? " threads" : " thread"),
                       [&, k](long n) {
                         for (; n > 0; --n) call(batch, k, out);
                       },
                       count,
                       {},
                       apart});
    }
    measure(group, seconds_each, entries);
  }
}

// --- other scalars ---

template <class T>
void measure_scalar(const std::string& variant, const bench::Robot& robot, double seconds_each,
                    Entries& entries) {
  const States& s = robot.states;
  Plant<T> plant(robot.model);
  plant.remove_friction();
  plant.armature.setZero();
  Workspace<T> ws(robot.model);
  Motion<T> motion(robot.model);
  Kinematics<T> at(robot.model);

  const auto cast = [](const std::vector<double>& from, int rows) {
    return MatX<T>(
        Eigen::Map<const Eigen::MatrixXd>(from.data(), rows, state_count).template cast<T>());
  };
  const MatX<T> Q = cast(s.q, s.nq), V = cast(s.v, s.nv), A = cast(s.a, s.nv),
                Tau = cast(s.tau, s.nv);
  VecX<T> out = VecX<T>::Zero(s.nv);
  MatX<T> M = MatX<T>::Zero(s.nv, s.nv);

  const auto each_state = [](long n, const auto& call) {
    for (long i = 0; i < n; ++i) call(i % state_count);
  };
  measure({{robot.name, s.nv, "inverse_dynamics", variant,
            [&](long n) {
              each_state(n, [&](long i) {
                motion.set(Q.col(i), V.col(i), A.col(i));
                inverse_dynamics<T>(plant, motion, ws, out);
              });
            }},
           {robot.name, s.nv, "mass_matrix", variant,
            [&](long n) {
              each_state(n, [&](long i) { at.set(Q.col(i)), mass_matrix<T>(plant, at, ws, M); });
            }},
           {robot.name, s.nv, "forward_dynamics", variant,
            [&](long n) {
              each_state(n, [&](long i) {
                at.set(Q.col(i), V.col(i));
                use(forward_dynamics<T>(plant, at, Tau.col(i), ws, out));
              });
            }}},
          seconds_each, entries);
}

// --- loading ---

void measure_loading(double seconds_each, Entries& entries) {
  const std::string chain5000 = to_urdf(chain(5000));
  measure({{"panda", 7, "load", "",
            [](long n) {
              for (long i = 0; i < n; ++i) use(load_robot("panda"));
            }},
           {"chain:5000", 5000, "load", "",
            [&](long n) {
              for (long i = 0; i < n; ++i) use(import_urdf(chain5000, "chain5000.urdf"));
            }}},
          seconds_each, entries);
}

// --- tables ---

void measure_csv(const bench::Robot& robot, double seconds_each, Entries& entries) {
  constexpr int row_count = 5000;
  const int nv = robot.states.nv;
  std::vector<std::string> names{"t"};
  for (const char* quantity : {"q", "qd", "qdd"})
    for (std::string& name : trajectory_names(robot.model, quantity))
      names.push_back(std::move(name));
  std::vector<double> row(names.size());

  const auto write = [&] {
    std::ostringstream out;
    CsvWriter writer(out, names);
    for (int i = 0; i < row_count; ++i) {
      const int s = i % state_count;
      row[0] = 0.001 * i;
      std::copy_n(robot.states.q_of(s), nv, row.begin() + 1);
      std::copy_n(robot.states.v_of(s), nv, row.begin() + 1 + nv);
      std::copy_n(robot.states.a.data() + s * nv, nv, row.begin() + 1 + 2 * nv);
      writer.write(row);
    }
    writer.flush();
    return out.str();
  };
  const std::string text = write();
  const auto bytes = static_cast<double>(text.size());
  measure({{robot.name, nv, "csv_read", "",
            [&](long n) {
              for (long i = 0; i < n; ++i) {
                std::istringstream in(text);
                CsvReader reader(in, "log.csv");
                while (reader.next(row)) use(row);
              }
            },
            1.0, bytes},
           {robot.name, nv, "csv_write", "",
            [&](long n) {
              for (long i = 0; i < n; ++i) use(write());
            },
            1.0, bytes}},
          seconds_each, entries);
}

}  // namespace

void measure_ulna_alone(double seconds_each, Entries& entries) {
  const bench::Robot panda = make_robot("panda");
  for (const char* name : {"panda", "quadruped", "chain:28"})
    measure_batches(make_robot(name), seconds_each, entries);
  measure_scalar<float>("float", panda, seconds_each, entries);
  measure_scalar<Dual<double, 1>>("dual, 1 direction", panda, seconds_each, entries);
  measure_scalar<Dual<double, 4>>("dual, 4 directions", panda, seconds_each, entries);
  measure_loading(seconds_each, entries);
  measure_csv(panda, seconds_each, entries);
}

}  // namespace bench
