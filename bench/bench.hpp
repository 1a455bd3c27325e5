#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "peer.h"
#include "ulna/model/model.hpp"

namespace ulna::codegen {
class Traced;
}

/// Measures ulna and its peers. A peer that does not agree with ulna is not timed.
namespace bench {

// --- robots ---

inline constexpr int state_count = 32;

/// Random states, one after the other.
struct States {
  int nq, nv, bodies;
  std::vector<double> q, v, a, tau;

  const double* q_of(int i) const { return q.data() + i * nq; }
  const double* v_of(int i) const { return v.data() + i * nv; }
  /// The third argument of an algorithm.
  const double* x_of(int algorithm, int i) const {
    const bool forward =
        algorithm == BENCH_FORWARD_DYNAMICS || algorithm == BENCH_FORWARD_DYNAMICS_DERIVATIVES;
    return (forward ? tau : a).data() + i * nv;
  }
};

/// Columns of `rows` numbers that stand one after the other, over and over.
Eigen::MatrixXd spread(const std::vector<double>& from, int rows, int count);

struct Robot {
  std::string name;
  ulna::Model model;
  std::vector<BenchBody> bodies;
  States states;  ///< tau is what a asks for: accelerations stay of a natural size

  BenchRobot table() const;
};

/// What ulna calls the robot by that name, with seeded states.
Robot make_robot(const std::string& name);

const char* algorithm_name(int algorithm);
int result_size(int algorithm, const States& states);
inline bool is_derivative(int algorithm) { return algorithm >= BENCH_INVERSE_DYNAMICS_DERIVATIVES; }

// --- peers ---

const BenchPeer& ulna_peer();
/// The shared objects of a folder, each loaded apart from the others.
std::vector<const BenchPeer*> load_peers(const std::string& folder);

/// One way to compute something: what is compared and measured.
struct Task {
  int algorithm;
  std::string variant;  ///< "", "finite differences", "dual, 4 directions", ...
  BenchFunction function;
  std::shared_ptr<void> instance;
  bool by_columns = false;  ///< of a regressor, which others give row by row

  void operator()(const double* q, const double* v, const double* x, double* out) const {
    function(instance.get(), q, v, x, out);
  }
};

/// What a peer can do with a robot, nothing if it cannot represent it: its functions, and derivatives by
/// central differences of them, which is what its users do.
std::vector<Task> tasks_of(const BenchPeer& peer, const Robot& robot);
/// Other ways to derivatives with ulna: dual numbers, and one inverse dynamics per parameter.
std::vector<Task> more_tasks_of_ulna(const Robot& robot);
/// Code generated for the robot, compiled into a folder that is gone when the process ends.
std::vector<Task> generated_tasks(const Robot& robot);
/// What was traced of an algorithm: walked operation by operation, and compiled. Where it has several
/// outputs, the first is dropped: derivatives come with the function itself.
Task interpreted_task(int algorithm, const ulna::codegen::Traced& traced);
Task compiled_task(int algorithm, const ulna::codegen::Traced& traced);

/// The largest difference of a result from ulna's over some states, relative to the largest number
/// in the result of the state. Accelerations and their derivatives are compared by the torques they ask
/// for: those of long chains are ill-conditioned, and all libraries differ.
double difference(const Task& task, const std::vector<Task>& ulna, const States& states);

// --- results ---

struct Times {
  double min = 0.0, median = 0.0;  ///< ns per call
};

struct Entry {
  std::string library, version, robot;
  int nv = 0;
  std::string algorithm;
  std::string variant;                    ///< "", or "float", "batch, 2 threads", ...
  std::optional<Times> times;             ///< none: the peer disagrees
  std::optional<double> difference;       ///< from ulna
  std::optional<double> bytes;            ///< that one call passes through
  std::optional<long long> instructions;  ///< per call
  std::optional<int> operations;          ///< elementary, of what was traced
  std::optional<double> compile_seconds;
  std::map<std::string, double> more = {};  ///< other figures by their names
};
using Entries = std::vector<Entry>;

void write_json(const std::string& path, const Entries& entries);

// --- measuring ---

/// One line on stderr that is written again and again, if somebody looks.
void show_progress(const std::string& what);

/// One call of what is measured, by a name that callgrind can be told.
extern "C" void bench_call(BenchFunction f, void* robot, const double* q, const double* v,
                           const double* x, double* out);

/// How often runs are repeated: until their time is over, within limits.
struct Repeats {
  double seconds_each = 0.0;
  int fewest = 5, most = 2000;
};

/// Runs of several things take turns, so that all meet the same noise; a run lasts at least 0.1 ms and
/// is long enough for the clock, short enough to fall between two interruptions now and then.
/// run(n) does the thing n times.
std::vector<Times> race(const std::vector<std::function<void(long)>>& runs, const Repeats& repeats);

/// A library and one of the things it can do with a robot.
struct Contestant {
  const BenchPeer* peer;
  Task task;
  std::optional<int> operations = {};  ///< elementary, of what was traced
};
/// ulna, then the peers beside this program; of these, only some if some are named.
std::vector<const BenchPeer*> all_peers(const std::vector<std::string>& only = {});
/// Those of one algorithm, in turns; who does not agree with ulna is told and not timed.
void compete(const Robot& robot, const std::vector<Contestant>& contestants, int algorithm,
             const Repeats& repeats, const std::map<std::string, long long>& counts,
             Entries& entries);

/// Keeps the compiler from leaving out what nobody reads.
template <class T>
void use(const T& x) {
  asm volatile("" ::"r"(&x) : "memory");
}

/// Something of ulna that is measured by itself.
struct Measured {
  std::string robot;
  int nv;
  std::string algorithm, variant;
  std::function<void(long)> run;
  double calls_per_run = 1.0;
  std::optional<double> bytes = {};
  std::optional<double> difference = {};
};
/// All of a group take turns.
void measure(const std::vector<Measured>& group, double seconds_each, Entries& entries);

/// What only ulna has: batches, other scalars, loading, tables.
void measure_ulna_alone(double seconds_each, Entries& entries);
/// Batches of derivatives and regressors.
void measure_derivative_batches(double seconds_each, Entries& entries);
/// A million samples into normal equations and estimates, and updates online.
void measure_identification(double seconds_each, Entries& entries);
/// Quadratic programs, and the Panda's problem from cold and in a closed loop.
void measure_control(double seconds_each, Entries& entries);
/// Generated code, against the generic call and against interpreting what was traced.
void measure_generated(double seconds_each, const std::map<std::string, long long>& counts,
                       Entries& entries);

/// Counts instructions, under callgrind: a dump for each task, see tools/bench-instructions.
void count_instructions(const BenchPeer& peer, const std::vector<std::string>& robots);
/// How a task is called there.
std::string count_label(const std::string& library, const std::string& robot, const Task& task);

}  // namespace bench
