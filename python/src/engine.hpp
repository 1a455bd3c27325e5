#pragma once

#include <unistd.h>

#include <memory>
#include <optional>
#include <vector>

#include "ulna/derivatives/derivative_batch.hpp"
#include "ulna/derivatives/derivatives.hpp"
#include "ulna/derivatives/drive_derivatives.hpp"
#include "ulna/derivatives/regressor.hpp"
#include "ulna/derivatives/second_derivatives.hpp"
#include "ulna/dynamics/batch.hpp"
#include "ulna/dynamics/drive_dynamics.hpp"
#include "ulna/dynamics/kinematics.hpp"
#include "ulna/dynamics/workspace.hpp"
#include "ulna/io/import.hpp"

/// What a Python Robot is made of: the model, its parameters, and scratch for one state or many.
namespace ulna::python {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Scratch of robots with drives.
struct DriveScratch {
  explicit DriveScratch(const Model& model)
      : motion(model), state(model), torques(model), ws(model) {}
  DriveMotion<double> motion;
  DriveState<double> state;
  DriveTorques<double> torques;
  DriveWorkspace<double> ws;
  std::optional<DriveDerivativeWorkspace<double>> forward_ws;
  std::optional<DriveForwardDerivatives<double>> forward;
  std::optional<DriveInverseDerivativeWorkspace> inverse_ws;
  std::optional<DriveInverseDerivatives> inverse;
};

/// Scratch of one caller. The larger parts are made when a function first needs them.
struct Scratch {
  explicit Scratch(const Model& model)
      : ws(model), motion(model), at(model), square(model.nv(), model.nv()), wide(6, model.nv()) {}

  template <class T>
  static T& made(std::optional<T>& part, const Model& model) {
    if (!part) part.emplace(model);
    return *part;
  }

  Workspace<double> ws;
  Motion<double> motion;
  Kinematics<double> at;
  MatrixXd square, wide;
  std::optional<DerivativeWorkspace<double>> first_ws;
  std::optional<InverseDynamicsDerivatives<double>> inverse;
  std::optional<ForwardDynamicsDerivatives<double>> forward;
  std::optional<SecondDerivativeWorkspace<double>> second_ws;
  std::optional<InverseDynamicsSecondDerivatives<double>> inverse_second;
  std::optional<ForwardDynamicsSecondDerivatives<double>> forward_second;
  std::optional<RegressorWorkspace<double>> regressor;
  std::optional<DriveScratch> drives;
};

/// Things that serve one caller at a time, kept between calls. All its functions are called with the GIL held, which
/// makes a mutex unnecessary. Threads do not survive fork(), as multiprocessing calls it: a child process makes its own
/// and leaves those of its parent alone, whose destructors would wait for ever.
template <class T>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    if (process_ != getpid()) abandon();
  }

  template <class Make>
  std::unique_ptr<T> take(Make make) {
    if (process_ != getpid()) abandon();
    if (idle_.empty()) return make();
    std::unique_ptr<T> taken = std::move(idle_.back());
    idle_.pop_back();
    return taken;
  }
  void give_back(std::unique_ptr<T> item) { idle_.push_back(std::move(item)); }
  void clear() { idle_.clear(); }

 private:
  void abandon() {
    for (std::unique_ptr<T>& item : idle_) item.release();
    idle_.clear();
    process_ = getpid();
  }

  std::vector<std::unique_ptr<T>> idle_;
  pid_t process_ = getpid();
};

/// What a call on many states works with.
struct Crew {
  Crew(const Model& model, int threads) : scratch(model), threads_(threads), model_(model) {}
  Batch& batch() {
    if (!batch_) batch_.emplace(model_, threads_);
    return *batch_;
  }
  DerivativeBatch& derivatives() {
    if (!derivatives_) derivatives_.emplace(model_, threads_);
    return *derivatives_;
  }
  int threads() const { return threads_; }

  Scratch scratch;

 private:
  int threads_;
  Model model_;
  std::optional<Batch> batch_;
  std::optional<DerivativeBatch> derivatives_;
};

/// Immutable but for scratch and the number of threads, so that any number of Python threads may share it.
class Engine {
 public:
  explicit Engine(Imported imported)
      : diagnostics(std::move(imported.diagnostics)),
        model(std::move(imported.model)),
        plant(model),
        scratch(model) {}
  explicit Engine(const Model& robot) : Engine(Imported{robot, Diagnostics()}) {}

  int threads() const { return threads_; }
  void set_threads(int threads) {
    threads_ = threads;
    crews.clear();
  }

  const Diagnostics diagnostics;
  const Model model;
  const Plant<double> plant;
  Scratch scratch;  ///< of calls on one state, which hold the GIL
  Pool<Crew> crews;

 private:
  int threads_ = 0;
};

}  // namespace ulna::python
