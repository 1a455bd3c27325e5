#include "ulna/dynamics/batch.hpp"

#include <atomic>
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
    begin(nullptr, nullptr);
    for (std::thread& t : threads_) t.join();
  }

  int hands() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls task(i) for each i below hands(), the caller's own hand being 0.
  template <class Task>
  void run(Task task) {
    busy_ = static_cast<int>(threads_.size());
    begin([](void* given, int hand) { (*static_cast<Task*>(given))(hand); }, &task);
    task(0);
    for (int busy; (busy = busy_) != 0;) busy_.wait(busy);
  }

 private:
  using Call = void(void* task, int hand);

  void begin(Call* call, void* task) {
    call_ = call, task_ = task;
    ++round_;
    round_.notify_all();
  }
  void serve(int hand) {
    for (int round = 0;; ++round) {
      round_.wait(round);
      if (!call_) return;
      call_(task_, hand);
      if (--busy_ == 0) busy_.notify_one();
    }
  }

  std::vector<std::thread> threads_;
  Call* call_ = nullptr;  ///< of this round; none: go home
  void* task_ = nullptr;
  std::atomic<int> round_ = 0, busy_ = 0;
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
    // a finite number times zero is zero: one look at the sum tells of all
    if (m.outerStride() == rows) {
      if ((Eigen::Map<const Eigen::ArrayXd>(m.data(), m.size()) * 0.0).sum() == 0.0) return;
    } else {
      if ((m.array() * 0.0).sum() == 0.0) return;
    }
    for (Eigen::Index s = 0; s < states; ++s)
      for (Eigen::Index i = 0; i < rows; ++i)
        if (!std::isfinite(m(i, s)))
          throw std::invalid_argument(std::string(what) + " is not finite in state " +
                                      std::to_string(s + 1) + " of " + std::to_string(states) +
                                      ", row " + std::to_string(i + 1));
  }

  /// Deals runs of whole packs out to the hands: whoever is done takes the next.
  template <class Work>
  void each_run(Eigen::Index states, Work work) {
    const int n = static_cast<int>(states), run = 32 * kernels[0]->lanes();
    std::atomic<int> next = 0;
    crew.run([&](int hand) {
      for (int begin; (begin = next.fetch_add(run)) < n;)
        work(*kernels[hand], begin, std::min(n, begin + run));
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
  std::atomic<bool> good = true;
  state_->each_run(Q.cols(), [&](BatchKernel& kernel, int begin, int end) {
    if (!kernel.forward_dynamics(begin, end, columns(Q), columns(V), columns(Tau), columns(A)))
      good = false;
  });
  return good;
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
