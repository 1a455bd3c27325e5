// What bench.py compares with: the same calls in C++, on the same numbers of states.
//
//   reference STATES ROUNDS      prints, a round per line, ns per call on one state, ns per state of a batch, and ns of CPU of all its threads
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

#include "ulna/dynamics/batch.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/io/import.hpp"

namespace {

/// Of this thread or all of them, so that other work on the machine counts less.
template <class Work>
double cpu_nanoseconds(clockid_t clock, Work work) {
  const auto now = [clock] {
    timespec t{};
    clock_gettime(clock, &t);
    return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
  };
  const double begin = now();
  work();
  return now() - begin;
}

template <class Work>
double nanoseconds(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  const Eigen::Index states = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  const ulna::Model model = ulna::load_robot("panda").model;
  const ulna::Plant<double> plant(model);
  std::mt19937_64 random(1);
  Eigen::MatrixXd Q(model.nq(), states), V = Eigen::MatrixXd::Random(model.nv(), states), A = V,
                                         Tau = V;
  for (Eigen::Index i = 0; i < states; ++i) Q.col(i) = ulna::random_configuration(model, random);

  ulna::Batch batch(model);
  ulna::Workspace<double> ws(model);
  ulna::Motion<double> motion(model);
  const Eigen::VectorXd q = Q.col(0), v = V.col(0), a = A.col(0);
  Eigen::VectorXd tau(model.nv());
  constexpr int calls = 200'000;
  for (int round = 0; round < rounds; ++round) {
    const double one = cpu_nanoseconds(CLOCK_THREAD_CPUTIME_ID, [&] {
      for (int i = 0; i < calls; ++i) {
        motion.set(q, v, a);
        ulna::inverse_dynamics<double>(plant, motion, ws, tau);
      }
    });
    double many = 0.0;
    const double cpu = cpu_nanoseconds(CLOCK_PROCESS_CPUTIME_ID, [&] {
      many = nanoseconds([&] { batch.inverse_dynamics(plant, Q, V, A, Tau); });
    });
    const auto count = static_cast<double>(states);
    std::printf("%.1f %.1f %.1f\n", one / calls, many / count, cpu / count);
  }
}
