#include <cstdio>
#include <filesystem>

#include "bench.hpp"

namespace bench {
namespace {

/// Results may differ from ulna's by so much, relative to the largest number; finite differences by more.
double tolerance(const Task& task) { return task.variant == "finite differences" ? 1e-5 : 1e-9; }

}  // namespace

std::vector<const BenchPeer*> all_peers(const std::vector<std::string>& only) {
  std::vector<const BenchPeer*> peers{&ulna_peer()};
  const auto folder = std::filesystem::canonical("/proc/self/exe").parent_path() / "peers";
  for (const BenchPeer* peer : load_peers(folder))
    if (only.empty() || std::count(only.begin(), only.end(), peer->name)) peers.push_back(peer);
  return peers;
}

void compete(const Robot& robot, const std::vector<Contestant>& contestants, int algorithm,
             const Repeats& repeats, const std::map<std::string, long long>& counts,
             Entries& entries) {
  const int k = algorithm;
  const States& states = robot.states;
  const std::vector<Task> ulna = tasks_of(ulna_peer(), robot);
  show_progress(robot.name + ", " + algorithm_name(k));
  std::vector<double> out(result_size(k, states));
  std::vector<std::function<void(long)>> runs;
  std::vector<std::size_t> timed;
  for (const auto& [peer, task, operations] : contestants) {
    if (task.algorithm != k) continue;
    Entry entry;
    entry.library = peer->name;
    entry.version = peer->version;
    entry.robot = robot.name;
    entry.nv = states.nv;
    entry.algorithm = algorithm_name(k);
    entry.variant = task.variant;
    entry.operations = operations;
    entry.difference = difference(task, ulna, states);
    if (*entry.difference > tolerance(task)) {
      show_progress("");
      const std::string variant = task.variant.empty() ? "" : " by " + task.variant;
      std::fprintf(stderr, "%s does not agree with ulna on %s%s of %s (%.1e) and is not timed\n",
                   peer->name, algorithm_name(k), variant.c_str(), robot.name.c_str(),
                   *entry.difference);
    } else {
      const auto count = counts.find(count_label(peer->name, robot.name, task));
      if (count != counts.end()) entry.instructions = count->second;
      // goes on where the last run ended: a library that remembers its last state gains nothing
      runs.push_back([&states, &out, task = task, k, s = 0](long n) mutable {
        for (long i = 0; i < n; ++i, s = (s + 1) % state_count)
          bench_call(task.function, task.instance.get(), states.q_of(s), states.v_of(s),
                     states.x_of(k, s), out.data());
      });
      timed.push_back(entries.size());
    }
    entries.push_back(entry);
  }
  const std::vector<Times> times = race(runs, repeats);
  for (std::size_t i = 0; i < timed.size(); ++i) entries[timed[i]].times = times[i];
}

}  // namespace bench
