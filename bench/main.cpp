#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "bench.hpp"

namespace bench {
namespace {

const char* const usage =
    "Measures ulna and its peers.\n\n"
    "  ulna_bench [option]...\n\n"
    "  --out FILE           where the figures go (default bench.json)\n"
    "  --instructions FILE  counts to put beside the times, from tools/bench-instructions\n"
    "  --only NAME[,NAME]   these libraries, ulna always\n"
    "  --robots NAME[,NAME] these robots\n"
    "  --seconds S          for one library, robot and algorithm (default 0.2)\n"
    "  --count NAME         run one library for callgrind, without timing\n"
    "  --list               name the libraries that there are\n";

/// Results may differ from ulna's by so much, relative to the largest number; finite differences by more.
double tolerance(const Task& task) { return task.variant == "finite differences" ? 1e-5 : 1e-9; }

struct Options {
  std::string out = "bench.json", instructions, count;
  std::vector<std::string> only,
      robots{"double_pendulum", "panda",    "chain:2",  "chain:4",   "chain:7",
             "chain:14",        "chain:28", "chain:56", "chain:112", "quadruped"};
  double seconds = 0.2;
  bool list = false;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--list") {
      options.list = true;
      continue;
    }
    if (i + 1 == argc) throw std::invalid_argument(usage);
    const std::string value = argv[++i];
    if (name == "--out")
      options.out = value;
    else if (name == "--instructions")
      options.instructions = value;
    else if (name == "--count")
      options.count = value;
    else if (name == "--only")
      options.only = split(value);
    else if (name == "--robots")
      options.robots = split(value);
    else if (name == "--seconds")
      options.seconds = std::stod(value);
    else
      throw std::invalid_argument(usage);
  }
  return options;
}

/// Lines "library|robot|algorithm|instructions per call".
std::map<std::string, long long> read_instructions(const std::string& path) {
  std::map<std::string, long long> counts;
  if (path.empty()) return counts;
  std::ifstream in(path);
  if (!in) throw std::runtime_error(path + " cannot be read");
  for (std::string line; std::getline(in, line);) {
    const std::size_t bar = line.rfind('|');
    if (bar != std::string::npos) counts[line.substr(0, bar)] = std::stoll(line.substr(bar + 1));
  }
  return counts;
}

/// A library and one of the things it can do with a robot.
struct Contestant {
  const BenchPeer* peer;
  Task task;
};

void measure_robot(const std::string& name, const std::vector<const BenchPeer*>& peers,
                   double seconds, const std::map<std::string, long long>& counts,
                   Entries& entries) {
  const Robot robot = make_robot(name);
  const States& states = robot.states;
  const std::vector<Task> ulna = tasks_of(*peers.front(), robot);
  std::vector<Contestant> contestants;
  for (const Task& task : ulna) contestants.push_back({peers.front(), task});
  for (const Task& task : more_tasks_of_ulna(robot)) contestants.push_back({peers.front(), task});
  for (std::size_t p = 1; p < peers.size(); ++p)
    for (const Task& task : tasks_of(*peers[p], robot)) contestants.push_back({peers[p], task});

  for (int k = 0; k < BENCH_ALGORITHMS; ++k) {
    show_progress(name + ", " + algorithm_name(k));
    std::vector<double> out(result_size(k, states));
    std::vector<std::function<void(long)>> runs;
    std::vector<std::size_t> timed;
    for (const auto& [peer, task] : contestants) {
      if (task.algorithm != k) continue;
      Entry entry;
      entry.library = peer->name;
      entry.version = peer->version;
      entry.robot = name;
      entry.nv = states.nv;
      entry.algorithm = algorithm_name(k);
      entry.variant = task.variant;
      entry.difference = difference(task, ulna, states);
      if (*entry.difference > tolerance(task)) {
        show_progress("");
        const std::string variant = task.variant.empty() ? "" : " by " + task.variant;
        std::fprintf(stderr, "%s does not agree with ulna on %s%s of %s (%.1e) and is not timed\n",
                     peer->name, algorithm_name(k), variant.c_str(), name.c_str(),
                     *entry.difference);
      } else {
        const auto count = counts.find(count_label(peer->name, name, task));
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
    // there are more ways to derivatives than to anything else
    const std::vector<Times> times = race(runs, is_derivative(k) ? seconds / 2 : seconds);
    for (std::size_t i = 0; i < timed.size(); ++i) entries[timed[i]].times = times[i];
  }
}

void run(const Options& options) {
  std::vector<const BenchPeer*> peers{&ulna_peer()};
  const auto folder = std::filesystem::canonical("/proc/self/exe").parent_path() / "peers";
  for (const BenchPeer* peer : load_peers(folder))
    if (options.only.empty() || std::count(options.only.begin(), options.only.end(), peer->name))
      peers.push_back(peer);

  if (options.list) {
    for (const BenchPeer* peer : peers) std::printf("%s %s\n", peer->name, peer->version);
    return;
  }
  if (!options.count.empty()) {
    for (const BenchPeer* peer : peers)
      if (peer->name == options.count) count_instructions(*peer, options.robots);
    return;
  }
  const std::map<std::string, long long> counts = read_instructions(options.instructions);
  Entries entries;
  for (const std::string& robot : options.robots)
    measure_robot(robot, peers, options.seconds, counts, entries);
  measure_derivative_batches(2.0 * options.seconds, entries);
  measure_generated(options.seconds, counts, entries);
  measure_ulna_alone(2.0 * options.seconds, entries);
  measure_identification(2.0 * options.seconds, entries);
  measure_control(2.0 * options.seconds, entries);
  show_progress("");
  write_json(options.out, entries);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    bench::run(bench::parse(argc, argv));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
