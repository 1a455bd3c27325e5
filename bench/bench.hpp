#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "peer.h"
#include "ulna/model/model.hpp"

/// Measures ulna and its peers. A peer that does not agree with ulna is not timed.
namespace bench {

// --- robots ---

inline constexpr int state_count = 32;

/// Random states, one after the other.
struct States {
  int nq, nv;
  std::vector<double> q, v, a, tau;

  const double* q_of(int i) const { return q.data() + i * nq; }
  const double* v_of(int i) const { return v.data() + i * nv; }
  /// The third argument of an algorithm.
  const double* x_of(int algorithm, int i) const {
    return (algorithm == BENCH_FORWARD_DYNAMICS ? tau : a).data() + i * nv;
  }
};

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
int result_size(int algorithm, int nv);

// --- peers ---

const BenchPeer& ulna_peer();
/// The shared objects of a folder, each loaded apart from the others.
std::vector<const BenchPeer*> load_peers(const std::string& folder);

/// The largest difference between two peers' results over all states, relative to the largest number
/// in the result of the state. Accelerations are compared by the torques they ask for: those of long
/// chains are ill-conditioned, and all libraries differ.
double difference(const BenchPeer& peer, void* robot, const BenchPeer& reference,
                  void* reference_robot, int algorithm, const States& states);

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
};
using Entries = std::vector<Entry>;

void write_json(const std::string& path, const Entries& entries);

// --- measuring ---

/// One line on stderr that is written again and again, if somebody looks.
void show_progress(const std::string& what);

/// One call of what is measured, by a name that callgrind can be told.
extern "C" void bench_call(BenchFunction f, void* robot, const double* q, const double* v,
                           const double* x, double* out);

/// Runs of several things take turns, so that all meet the same noise; a run lasts at least 0.1 ms and
/// is long enough for the clock, short enough to fall between two interruptions now and then.
/// run(n) does the thing n times.
std::vector<Times> race(const std::vector<std::function<void(long)>>& runs, double seconds_each);

/// What only ulna has: batches, other scalars, loading, tables.
void measure_ulna_alone(double seconds_each, Entries& entries);

/// Counts instructions, under callgrind: a dump for each algorithm, see tools/bench-instructions.
void count_instructions(const BenchPeer& peer, const std::vector<std::string>& robots);

}  // namespace bench
