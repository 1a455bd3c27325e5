#include <sstream>
#include <thread>

#include "bench.hpp"
#include "ulna/num/dual.hpp"
#include "ulna/ulna.hpp"

namespace bench {
namespace {

using namespace ulna;

/// Keeps the compiler from leaving out what nobody reads.
template <class T>
void use(const T& x) {
  asm volatile("" ::"r"(&x) : "memory");
}

struct Measured {
  std::string robot;
  int nv;
  std::string algorithm, variant;
  std::function<void(long)> run;
  double calls_per_run = 1.0;
  std::optional<double> bytes = {};
};

void measure(const std::vector<Measured>& all, double seconds_each, Entries& entries) {
  for (const Measured& m : all) {
    show_progress("ulna, " + m.robot + ", " + m.algorithm + ", " + m.variant);
    Times times = race({m.run}, seconds_each).front();
    times.min /= m.calls_per_run;
    times.median /= m.calls_per_run;
    entries.push_back(
        {"ulna", ULNA_VERSION, m.robot, m.nv, m.algorithm, m.variant, times, {}, m.bytes, {}});
  }
}

// --- batches ---

void measure_batches(const bench::Robot& robot, int threads, double seconds_each, Entries& entries) {
  constexpr int count = 4096;
  const int nv = robot.states.nv;
  Plant<double> plant(robot.model);
  plant.remove_friction();
  plant.armature.setZero();
  Batch batch(robot.model, threads);

  const auto spread = [&](const std::vector<double>& from, int rows) {
    Eigen::MatrixXd columns(rows, count);
    for (int i = 0; i < count; ++i)
      columns.col(i) = Eigen::Map<const Eigen::VectorXd>(from.data() + i % state_count * rows, rows);
    return columns;
  };
  const Eigen::MatrixXd Q = spread(robot.states.q, robot.states.nq), V = spread(robot.states.v, nv),
                        A = spread(robot.states.a, nv), Tau = spread(robot.states.tau, nv);
  Eigen::MatrixXd vectors(nv, count), matrices(nv * nv, count), jacobians(6 * nv, count);
  const Frame& tip = robot.model.frame(robot.model.body_name(robot.model.body_count() - 1));

  const auto times = [](long n, const auto& call) {
    for (long i = 0; i < n; ++i) call();
  };
  const std::string variant = threads == 1 ? "batch, 1 thread" : "batch, " + std::to_string(threads) + " threads";
  const auto measured = [&](const char* algorithm, std::function<void(long)> run) {
    return Measured{robot.name, nv, algorithm, variant, std::move(run), count};
  };
  measure({measured("inverse_dynamics",
                    [&](long n) { times(n, [&] { batch.inverse_dynamics(plant, Q, V, A, vectors); }); }),
           measured("forward_dynamics",
                    [&](long n) { times(n, [&] { use(batch.forward_dynamics(plant, Q, V, Tau, vectors)); }); }),
           measured("mass_matrix",
                    [&](long n) { times(n, [&] { batch.mass_matrix(plant, Q, matrices); }); }),
           measured("jacobian",
                    [&](long n) { times(n, [&] { batch.jacobian(tip, Q, jacobians); }); })},
          seconds_each, entries);
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
  ForwardDynamics<T> forward(robot.model);
  Configuration<T> at(robot.model);

  const auto cast = [](const std::vector<double>& from, int rows) {
    return MatX<T>(Eigen::Map<const Eigen::MatrixXd>(from.data(), rows, state_count).template cast<T>());
  };
  const MatX<T> Q = cast(s.q, s.nq), V = cast(s.v, s.nv), A = cast(s.a, s.nv), Tau = cast(s.tau, s.nv);
  VecX<T> out = VecX<T>::Zero(s.nv);
  MatX<T> M = MatX<T>::Zero(s.nv, s.nv);

  const auto each_state = [](long n, const auto& call) {
    for (long i = 0; i < n; ++i) call(i % state_count);
  };
  measure(
      {{robot.name, s.nv, "inverse_dynamics", variant, [&](long n) {
          each_state(n, [&](long i) { inverse_dynamics<T>(plant, Q.col(i), V.col(i), A.col(i), ws, out); });
        }},
       {robot.name, s.nv, "mass_matrix", variant, [&](long n) {
          each_state(n, [&](long i) { at.set(Q.col(i)), mass_matrix<T>(plant, at, ws, M); });
        }},
       {robot.name, s.nv, "forward_dynamics", variant, [&](long n) {
          each_state(n, [&](long i) { use(forward(plant, Q.col(i), V.col(i), Tau.col(i), out)); });
        }}},
      seconds_each, entries);
}

// --- loading ---

void measure_loading(double seconds_each, Entries& entries) {
  const std::string chain5000 = to_urdf(chain(5000));
  measure({{"panda", 7, "load", "", [](long n) {
              for (long i = 0; i < n; ++i) use(load_robot("panda"));
            }},
           {"chain:5000", 5000, "load", "", [&](long n) {
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
    for (std::string& name : trajectory_names(robot.model, quantity)) names.push_back(std::move(name));
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
  measure({{robot.name, nv, "csv_read", "", [&](long n) {
              for (long i = 0; i < n; ++i) {
                std::istringstream in(text);
                CsvReader reader(in, "log.csv");
                while (reader.next(row)) use(row);
              }
            }, 1.0, bytes},
           {robot.name, nv, "csv_write", "", [&](long n) {
              for (long i = 0; i < n; ++i) use(write());
            }, 1.0, bytes}},
          seconds_each, entries);
}

}  // namespace

void measure_ulna_alone(double seconds_each, Entries& entries) {
  const bench::Robot panda = make_robot("panda");
  for (const char* name : {"panda", "quadruped", "chain:28"}) {
    const bench::Robot robot = make_robot(name);
    measure_batches(robot, 1, seconds_each, entries);
    if (std::thread::hardware_concurrency() > 1) measure_batches(robot, 2, seconds_each, entries);
  }
  measure_scalar<float>("float", panda, seconds_each, entries);
  measure_scalar<Dual<double, 1>>("dual, 1 direction", panda, seconds_each, entries);
  measure_scalar<Dual<double, 4>>("dual, 4 directions", panda, seconds_each, entries);
  measure_loading(seconds_each, entries);
  measure_csv(panda, seconds_each, entries);
}

}  // namespace bench
