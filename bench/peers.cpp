#include <dlfcn.h>

#include <Eigen/Core>
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

double difference(const Task& task, const std::vector<Task>& ulna, const States& states) {
  const auto ulna_task = [&](int algorithm) -> const Task& {
    return *std::find_if(ulna.begin(), ulna.end(), [&](const Task& t) {
      return t.algorithm == algorithm && t.variant.empty();
    });
  };
  const int algorithm = task.algorithm, nv = states.nv, size = result_size(algorithm, states);
  // differences of long chains take their time
  const int looked_at = !is_derivative(algorithm) ? state_count : nv <= 14 ? 8 : 2;
  std::vector<double> mine(size), theirs(size), needed(size);
  using Matrix = Eigen::Map<Eigen::MatrixXd>;
  double worst = 0.0;
  for (int i = 0; i < looked_at; ++i) {
    const double* q = states.q_of(i);
    const double* v = states.v_of(i);
    const double* x = states.x_of(algorithm, i);
    // garbage, so that a result that is not written shows
    std::fill(theirs.begin(), theirs.end(), 1e300);
    task(q, v, x, theirs.data());
    if (algorithm == BENCH_FORWARD_DYNAMICS) {
      ulna_task(BENCH_INVERSE_DYNAMICS)(q, v, theirs.data(), needed.data());
      theirs = needed;
      std::copy_n(x, size, mine.data());
    } else {
      ulna_task(algorithm)(q, v, x, mine.data());
    }
    if (algorithm == BENCH_FORWARD_DYNAMICS_DERIVATIVES) {
      Eigen::MatrixXd M(nv, nv);
      ulna_task(BENCH_MASS_MATRIX)(q, v, x, M.data());
      for (double* all : {mine.data(), theirs.data()})
        Matrix(all, nv, 3 * nv) = (M * Matrix(all, nv, 3 * nv)).eval();
    }
    if (task.by_columns) {
      const Eigen::MatrixXd rows = Matrix(theirs.data(), nv, size / nv).transpose();
      std::copy_n(rows.data(), size, theirs.data());
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
