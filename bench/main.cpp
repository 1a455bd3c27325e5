#include <cstdio>
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

struct Options {
  std::string out = "bench.json", instructions, count;
  std::vector<std::string> only,
      robots{"double_pendulum", "panda",    "chain:2",   "chain:4",   "chain:7", "chain:14",
             "chain:28",        "chain:56", "chain:112", "quadruped", "humanoid"};
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

void measure_robot(const std::string& name, const std::vector<const BenchPeer*>& peers,
                   double seconds, const std::map<std::string, long long>& counts,
                   Entries& entries) {
  const Robot robot = make_robot(name);
  std::vector<Contestant> contestants;
  for (const BenchPeer* peer : peers)
    for (const Task& task : tasks_of(*peer, robot)) contestants.push_back({peer, task});
  for (const Task& task : more_tasks_of_ulna(robot)) contestants.push_back({peers.front(), task});
  // there are more ways to derivatives than to anything else
  for (int k = 0; k < BENCH_ALGORITHMS; ++k)
    compete(robot, contestants, k, {is_derivative(k) ? seconds / 2 : seconds}, counts, entries);
}

void run(const Options& options) {
  const std::vector<const BenchPeer*> peers = all_peers(options.only);
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
