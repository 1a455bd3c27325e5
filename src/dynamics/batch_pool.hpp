#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "batch_parts.hpp"
#include "num/processor.hpp"
#include "ulna/dynamics/batch.hpp"

/// Many states on many threads, whatever is computed of them.
namespace ulna::detail {

/// Threads that wait for work, are given the same task, and are waited for.
class ThreadPool {
 public:
  explicit ThreadPool(int threads) {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this, i] { serve(i); });
  }
  ~ThreadPool() {
    begin(nullptr, nullptr);
    for (std::thread& t : threads_) t.join();
  }

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls task(i) for each i below size(), 0 being the caller's own thread.
  template <class Task>
  void run(Task task) {
    busy_ = static_cast<int>(threads_.size());
    begin([](void* given, int thread) { (*static_cast<Task*>(given))(thread); }, &task);
    task(0);
    for (int busy; (busy = busy_) != 0;) busy_.wait(busy);
  }

 private:
  using Call = void(void* task, int thread);

  void begin(Call* call, void* task) {
    call_ = call, task_ = task;
    ++round_;
    round_.notify_all();
  }
  void serve(int thread) {
    for (int round = 0;; ++round) {
      round_.wait(round);
      if (!call_) return;
      call_(task_, thread);
      if (--busy_ == 0) busy_.notify_one();
    }
  }

  std::vector<std::thread> threads_;
  Call* call_ = nullptr;  ///< of this round; none: end
  void* task_ = nullptr;
  std::atomic<int> round_ = 0, busy_ = 0;
};

/// Threads with a kernel each, and what is checked before they start.
template <class Kernel>
struct KernelPool {
  using In = Batch::In;

  Model model;
  ThreadPool pool;
  std::vector<std::unique_ptr<Kernel>> kernels;

  KernelPool(Model robot, int threads, Kernel* (*make)(const Model&))
      : model(std::move(robot)),
        pool(threads > 0 ? threads
                         : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {
    for (int i = 0; i < pool.size(); ++i) kernels.emplace_back(make(model));
  }

  /// A matrix by its name, with so many rows.
  struct Named {
    const char* name;
    In m;
    Eigen::Index rows;
  };
  /// Throws unless all have the right shapes and the arguments are finite.
  void require(Eigen::Index states, std::initializer_list<Named> arguments,
               std::initializer_list<Named> results = {}) const {
    for (const auto& all : {arguments, results})
      for (const Named& x : all)
        require_shape(x.name, x.m.rows(), x.m.cols(), x.rows, states, model);
    for (const Named& x : arguments) require_finite(x.name, x.m);
  }
  /// Names the state that is not.
  static void require_finite(const char* what, const In& m) {
    // a finite number times zero is zero: the sum shows whether all are
    if (m.outerStride() == m.rows()) {
      if ((Eigen::Map<const Eigen::ArrayXd>(m.data(), m.size()) * 0.0).sum() == 0.0) return;
    } else {
      if ((m.array() * 0.0).sum() == 0.0) return;
    }
    for (Eigen::Index s = 0; s < m.cols(); ++s)
      for (Eigen::Index i = 0; i < m.rows(); ++i)
        if (!std::isfinite(m(i, s)))
          throw std::invalid_argument(std::string(what) + " is not finite in state " +
                                      std::to_string(s + 1) + " of " + std::to_string(m.cols()) +
                                      ", row " + std::to_string(i + 1));
  }

  /// Deals runs of whole packs out to the threads: whichever is done takes the next. False if any work(kernel, begin,
  /// end) that returns something returns false.
  template <class Work>
  bool each_run(Eigen::Index states, Work work, int packs = 32) {
    const int n = static_cast<int>(states), run = packs * kernels[0]->lanes();
    std::atomic<int> next = 0;
    std::atomic<bool> good = true;
    pool.run([&](int thread) {
      for (int begin; (begin = next.fetch_add(run)) < n;) {
        const auto here = [&] { return work(*kernels[thread], begin, std::min(n, begin + run)); };
        if constexpr (std::is_void_v<decltype(here())>)
          here();
        else if (!here())
          good = false;
      }
    });
    return good;
  }

  void set_plant(const Plant<double>& plant) {
    if (plant.model().body_count() != model.body_count() || plant.model().nv() != model.nv())
      throw std::invalid_argument("batch: made for robot '" + model.name() +
                                  "', called with robot '" + plant.model().name() + "'");
    for (auto& kernel : kernels) kernel->set_plant(plant);
  }
};

inline Columns columns(const Batch::In& m) {
  return {const_cast<double*>(m.data()), m.outerStride()};
}
inline Columns columns(Batch::Out& m) { return {m.data(), m.outerStride()}; }

}  // namespace ulna::detail
