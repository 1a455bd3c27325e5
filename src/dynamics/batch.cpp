#include "ulna/dynamics/batch.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "batch_kernel.hpp"

namespace ulna {
namespace {

using detail::BatchKernel;
using detail::Columns;

struct Instructions {
  std::string_view name;
  BatchKernel* (*make)(const Model&);
};

Instructions widest() {
#if ULNA_WIDE_KERNELS
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {"avx2", ulna_batch_kernel_avx2};
#endif
  return {"baseline", ulna_batch_kernel_baseline};
}

/// Threads that wait for work, are given the same task, and are waited for.
class Crew {
 public:
  explicit Crew(int hands) {
    for (int i = 1; i < hands; ++i) threads_.emplace_back([this, i] { serve(i); });
  }
  ~Crew() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    begin_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  int hands() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls task(i) for each i below hands(), the caller's own hand being 0.
  void run(const std::function<void(int)>& task) {
    if (threads_.empty()) return task(0);
    {
      const std::lock_guard lock(mutex_);
      task_ = &task;
      busy_ = static_cast<int>(threads_.size());
      ++round_;
    }
    begin_.notify_all();
    task(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return busy_ == 0; });
  }

 private:
  void serve(int hand) {
    int seen = 0;
    std::unique_lock lock(mutex_);
    while (true) {
      begin_.wait(lock, [&] { return stop_ || round_ != seen; });
      if (stop_) return;
      seen = round_;
      const auto* task = task_;
      lock.unlock();
      (*task)(hand);
      lock.lock();
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable begin_, done_;
  const std::function<void(int)>* task_ = nullptr;
  int busy_ = 0, round_ = 0;
  bool stop_ = false;
};

}  // namespace

struct Batch::State {
  Model model;
  Instructions instructions = widest();
  Crew crew;
  std::vector<std::unique_ptr<BatchKernel>> kernels;  ///< one per hand

  State(Model robot, int threads)
      : model(std::move(robot)),
        crew(threads > 0 ? threads
                         : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {
    for (int i = 0; i < crew.hands(); ++i) kernels.emplace_back(instructions.make(model));
  }

  void require_columns(const char* what, const In& m, Eigen::Index rows,
                       Eigen::Index states) const {
    detail::require_shape(what, m.rows(), m.cols(), rows, states, model);
  }
  /// And that all is finite, naming the state that is not.
  void require_numbers(const char* what, const In& m, Eigen::Index rows,
                       Eigen::Index states) const {
    require_columns(what, m, rows, states);
    for (Eigen::Index s = 0; s < states; ++s)
      for (Eigen::Index i = 0; i < rows; ++i)
        if (!std::isfinite(m(i, s)))
          throw std::invalid_argument(std::string(what) + " is not finite in state " +
                                      std::to_string(s + 1) + " of " + std::to_string(states) +
                                      ", row " + std::to_string(i + 1));
  }

  /// Deals whole packs out to the hands, in order.
  void each_run(Eigen::Index states, const std::function<void(BatchKernel&, int, int)>& work) {
    const int lanes = kernels[0]->lanes();
    const int n = static_cast<int>(states), packs = (n + lanes - 1) / lanes, hands = crew.hands();
    crew.run([&](int hand) {
      const int begin = static_cast<int>(static_cast<long long>(packs) * hand / hands) * lanes;
      const int end =
          std::min(n, static_cast<int>(static_cast<long long>(packs) * (hand + 1) / hands) * lanes);
      if (begin < end) work(*kernels[hand], begin, end);
    });
  }

  void set_plant(const Plant<double>& plant) {
    if (plant.model().body_count() != model.body_count() || plant.model().nv() != model.nv())
      throw std::invalid_argument("batch: made for robot '" + model.name() +
                                  "', called with robot '" + plant.model().name() + "'");
    for (auto& kernel : kernels) kernel->set_plant(plant);
  }
};

namespace {

Columns columns(const Batch::In& m) { return {const_cast<double*>(m.data()), m.outerStride()}; }
Columns columns(Batch::Out& m) { return {m.data(), m.outerStride()}; }

}  // namespace

Batch::Batch(const Model& model, int threads) : state_(std::make_unique<State>(model, threads)) {}
Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;

int Batch::threads() const { return state_->crew.hands(); }
int Batch::lanes() const { return state_->kernels[0]->lanes(); }
std::string_view Batch::instructions() const { return state_->instructions.name; }

void Batch::inverse_dynamics(const Plant<double>& plant, In Q, In V, In A, Out Tau) {
  const int nv = state_->model.nv();
  state_->require_numbers("Q", Q, state_->model.nq(), Q.cols());
  state_->require_numbers("V", V, nv, Q.cols());
  state_->require_numbers("A", A, nv, Q.cols());
  state_->require_columns("Tau", Tau, nv, Q.cols());
  state_->set_plant(plant);
  state_->each_run(Q.cols(), [&](BatchKernel& kernel, int begin, int end) {
    kernel.inverse_dynamics(begin, end, columns(Q), columns(V), columns(A), columns(Tau));
  });
}

bool Batch::forward_dynamics(const Plant<double>& plant, In Q, In V, In Tau, Out A) {
  const int nv = state_->model.nv();
  state_->require_numbers("Q", Q, state_->model.nq(), Q.cols());
  state_->require_numbers("V", V, nv, Q.cols());
  state_->require_numbers("Tau", Tau, nv, Q.cols());
  state_->require_columns("A", A, nv, Q.cols());
  state_->set_plant(plant);
  std::vector<char> good(state_->kernels.size(), 1);
  state_->each_run(Q.cols(), [&](BatchKernel& kernel, int begin, int end) {
    const auto hand = std::find_if(state_->kernels.begin(), state_->kernels.end(),
                                   [&](const auto& k) { return k.get() == &kernel; });
    good[hand - state_->kernels.begin()] =
        kernel.forward_dynamics(begin, end, columns(Q), columns(V), columns(Tau), columns(A));
  });
  return std::find(good.begin(), good.end(), 0) == good.end();
}

void Batch::mass_matrix(const Plant<double>& plant, In Q, Out M) {
  const int nv = state_->model.nv();
  state_->require_numbers("Q", Q, state_->model.nq(), Q.cols());
  state_->require_columns("M", M, nv * nv, Q.cols());
  state_->set_plant(plant);
  state_->each_run(Q.cols(), [&](BatchKernel& kernel, int begin, int end) {
    kernel.mass_matrix(begin, end, columns(Q), columns(M));
  });
}

void Batch::pose(const Frame& frame, In Q, Out X) {
  state_->require_numbers("Q", Q, state_->model.nq(), Q.cols());
  state_->require_columns("X", X, 7, Q.cols());
  state_->each_run(Q.cols(), [&](BatchKernel& kernel, int begin, int end) {
    kernel.pose(begin, end, frame, columns(Q), columns(X));
  });
}

void Batch::jacobian(const Frame& frame, In Q, Out J) {
  state_->require_numbers("Q", Q, state_->model.nq(), Q.cols());
  state_->require_columns("J", J, 6 * state_->model.nv(), Q.cols());
  state_->each_run(Q.cols(), [&](BatchKernel& kernel, int begin, int end) {
    kernel.jacobian(begin, end, frame, columns(Q), columns(J));
  });
}

}  // namespace ulna
