#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "bench.hpp"

namespace bench {

std::vector<const BenchPeer*> load_peers(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".so") files.push_back(entry.path());
  std::sort(files.begin(), files.end());

  std::vector<const BenchPeer*> peers;
  for (const std::string& file : files) {
    void* object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    const auto entry =
        object ? reinterpret_cast<const BenchPeer* (*)()>(dlsym(object, "bench_peer")) : nullptr;
    if (entry)
      peers.push_back(entry());
    else
      std::fprintf(stderr, "%s is left out: %s\n", file.c_str(), dlerror());
  }
  return peers;
}

double difference(const BenchPeer& peer, void* robot, const BenchPeer& reference_peer,
                  void* reference_robot, int algorithm, const States& states) {
  const BenchFunction f = peer.functions[algorithm];
  const BenchFunction reference =
      reference_peer
          .functions[algorithm == BENCH_FORWARD_DYNAMICS ? BENCH_INVERSE_DYNAMICS : algorithm];
  const int size = result_size(algorithm, states.nv);
  std::vector<double> mine(size), theirs(size), needed(size);
  double worst = 0.0;
  for (int i = 0; i < state_count; ++i) {
    const double* q = states.q_of(i);
    const double* v = states.v_of(i);
    const double* x = states.x_of(algorithm, i);
    // garbage, so that a result that is not written shows
    std::fill(theirs.begin(), theirs.end(), 1e300);
    f(robot, q, v, x, theirs.data());
    if (algorithm == BENCH_FORWARD_DYNAMICS) {
      reference(reference_robot, q, v, theirs.data(), needed.data());
      theirs = needed;
      std::copy_n(x, size, mine.data());
    } else {
      reference(reference_robot, q, v, x, mine.data());
    }
    double largest = 0.0, apart = 0.0;
    for (int k = 0; k < size; ++k) {
      largest = std::max(largest, std::abs(mine[k]));
      const double d = std::abs(mine[k] - theirs[k]);
      apart = std::isnan(d) ? INFINITY : std::max(apart, d);
    }
    worst = std::max(worst, apart / largest);
  }
  return worst;
}

}  // namespace bench
