#include <unistd.h>

#include <cstdio>
#include <stdexcept>

#include "bench.hpp"
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name) (void)(name)
#endif

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double timed(const std::function<void(long)>& run, long calls) {
  const Clock::time_point start = Clock::now();
  run(calls);
  return seconds_since(start);
}

}  // namespace

void show_progress(const std::string& what) {
  static const bool watched = isatty(STDERR_FILENO);
  if (watched) std::fprintf(stderr, "\r\033[K%s", what.c_str());
}

extern "C" [[gnu::noinline]] void bench_call(BenchFunction f, void* robot, const double* q,
                                             const double* v, const double* x, double* out) {
  f(robot, q, v, x, out);
  asm volatile("" ::: "memory");  // no jump: the return belongs to this function
}

std::vector<Times> race(const std::vector<std::function<void(long)>>& runs, double seconds_each) {
  constexpr double long_enough = 1e-4;
  constexpr int fewest = 5, most = 2000;

  std::vector<long> calls(runs.size(), 1);
  for (std::size_t k = 0; k < runs.size(); ++k)
    while (timed(runs[k], calls[k]) < long_enough) calls[k] *= 2;

  std::vector<std::vector<double>> ns(runs.size());
  const Clock::time_point start = Clock::now();
  for (int round = 0; round < most; ++round) {
    if (round >= fewest && seconds_since(start) > seconds_each * static_cast<double>(runs.size()))
      break;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      runs[k](std::min(calls[k], 8L));  // brings code and data back to the caches
      ns[k].push_back(1e9 * timed(runs[k], calls[k]) / static_cast<double>(calls[k]));
    }
  }

  std::vector<Times> times;
  for (std::vector<double>& t : ns) {
    std::sort(t.begin(), t.end());
    times.push_back({t.front(), t[t.size() / 2]});
  }
  return times;
}

void count_instructions(const BenchPeer& peer, const std::vector<std::string>& robots) {
  const auto count = [&](const std::string& what, BenchFunction f, void* instance, const States& s,
                         int algorithm, double* out) {
    constexpr int calls = 8;
    for (int i = 0; i < calls; ++i)  // what the first call sets up does not count
      f(instance, s.q_of(i), s.v_of(i), s.x_of(algorithm, i), out);
    CALLGRIND_ZERO_STATS;
    for (int i = 0; i < calls; ++i)
      bench_call(f, instance, s.q_of(i), s.v_of(i), s.x_of(algorithm, i), out);
    const std::string label = std::string(peer.name) + "|" + what + "|" + std::to_string(calls);
    CALLGRIND_DUMP_STATS_AT(label.c_str());
  };
  for (const std::string& name : robots) {
    const Robot robot = make_robot(name);
    const BenchRobot table = robot.table();
    const int nv = robot.states.nv;
    std::vector<double> out(std::max({12, 6 * nv, nv * nv}));
    const auto nothing = [](void*, const double*, const double*, const double*, double*) {};
    count(name + "|nothing", nothing, nullptr, robot.states, 0, out.data());

    void* instance = peer.load(&table);
    if (!instance) continue;
    for (int k = 0; k < BENCH_ALGORITHMS; ++k)
      if (peer.functions[k])
        count(name + "|" + algorithm_name(k), peer.functions[k], instance, robot.states, k,
              out.data());
    peer.unload(instance);
  }
}

}  // namespace bench
