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

std::vector<Times> race(const std::vector<std::function<void(long)>>& runs,
                        const Repeats& repeats) {
  constexpr double long_enough = 1e-4;
  const double seconds = repeats.seconds_each * static_cast<double>(runs.size());

  std::vector<long> calls(runs.size(), 1);
  for (std::size_t k = 0; k < runs.size(); ++k)
    while (timed(runs[k], calls[k]) < long_enough) calls[k] *= 2;

  std::vector<std::vector<double>> ns(runs.size());
  const Clock::time_point start = Clock::now();
  for (int round = 0; round < repeats.most; ++round) {
    if (round >= repeats.fewest && seconds_since(start) > seconds) break;
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

void measure(const std::vector<Measured>& group, double seconds_each, Entries& entries) {
  const Measured& first = group.front();
  show_progress("ulna, " + first.robot + ", " + first.algorithm + ", " + first.variant);
  std::vector<std::function<void(long)>> runs;
  for (const Measured& m : group) runs.push_back(m.run);
  const std::vector<Times> times = race(runs, {seconds_each});
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Measured& m = group[i];
    Entry entry;
    entry.library = "ulna";
    entry.version = ULNA_VERSION;
    entry.robot = m.robot;
    entry.nv = m.nv;
    entry.algorithm = m.algorithm;
    entry.variant = m.variant;
    entry.times = Times{times[i].min / m.calls_per_run, times[i].median / m.calls_per_run};
    entry.difference = m.difference;
    entry.bytes = m.bytes;
    entries.push_back(entry);
  }
}

std::string count_label(const std::string& library, const std::string& robot, const Task& task) {
  const std::string variant = task.variant.empty() ? "" : " by " + task.variant;
  return library + "|" + robot + "|" + algorithm_name(task.algorithm) + variant;
}

void count_instructions(const BenchPeer& peer, const std::vector<std::string>& robots) {
  constexpr int calls = 8;
  const auto count = [](const std::string& label, const Task& task, const States& s, double* out) {
    const auto at = [&](int i) { return s.x_of(task.algorithm, i); };
    for (int i = 0; i < calls; ++i)  // what the first call sets up does not count
      task(s.q_of(i), s.v_of(i), at(i), out);
    CALLGRIND_ZERO_STATS;
    for (int i = 0; i < calls; ++i)
      bench_call(task.function, task.instance.get(), s.q_of(i), s.v_of(i), at(i), out);
    const std::string told = label + "|" + std::to_string(calls);
    CALLGRIND_DUMP_STATS_AT(told.c_str());
  };
  for (const std::string& name : robots) {
    const Robot robot = make_robot(name);
    std::vector<Task> tasks = tasks_of(peer, robot);
    const bool all = name == "panda";  // of the others, derivatives would take long
    if (all && peer.exact_derivatives)
      for (const auto& more : {more_tasks_of_ulna(robot), generated_tasks(robot)})
        tasks.insert(tasks.end(), more.begin(), more.end());

    std::size_t largest = 0;
    for (const Task& task : tasks)
      largest =
          std::max(largest, static_cast<std::size_t>(result_size(task.algorithm, robot.states)));
    std::vector<double> out(largest);
    const auto nothing = [](void*, const double*, const double*, const double*, double*) {};
    count(std::string(peer.name) + "|" + name + "|nothing", {0, "", nothing, nullptr}, robot.states,
          out.data());
    for (const Task& task : tasks)
      if (all || !is_derivative(task.algorithm))
        count(count_label(peer.name, name, task), task, robot.states, out.data());
  }
}

}  // namespace bench
