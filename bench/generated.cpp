// Code generated for one robot: how long it takes to compile, and how fast it is.

#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "bench.hpp"
#include "ulna/codegen/compiled.hpp"
#include "ulna/codegen/robot/robot_functions.hpp"

namespace bench {
namespace {

using namespace ulna;
using namespace ulna::codegen;

/// An empty folder, gone when the process ends.
class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "ulna-bench-XXXXXX";
    if (!mkdtemp(name.data())) throw std::runtime_error(name + " cannot be made");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

int algorithm_of(RobotFunction function) {
  switch (function) {
    case RobotFunction::id:
      return BENCH_INVERSE_DYNAMICS;
    case RobotFunction::M:
      return BENCH_MASS_MATRIX;
    case RobotFunction::Minv:
      return BENCH_INVERSE_MASS;
    case RobotFunction::fd:
      return BENCH_FORWARD_DYNAMICS;
    case RobotFunction::did:
      return BENCH_INVERSE_DYNAMICS_DERIVATIVES;
    case RobotFunction::dfd:
      return BENCH_FORWARD_DYNAMICS_DERIVATIVES;
    case RobotFunction::Y:
      return BENCH_REGRESSOR;
    case RobotFunction::drive_id:
    case RobotFunction::drive_fd:
      break;
  }
  return BENCH_ALGORITHMS;
}

/// For the processor that ulna itself is compiled for.
CompileOptions options(const std::filesystem::path& cache) {
  CompileOptions options;
  options.cache = cache;
  options.flags = {"-O3", "-ffp-contract=fast"};
  std::istringstream flags(BENCH_FLAGS);
  for (std::string flag; flags >> flag;)
    if (flag.starts_with("-m")) options.flags.push_back(flag);
  return options;
}

/// Where the vectors of a traced function are. Derivatives come with tau or a itself, which is dropped.
class Vectors {
 public:
  explicit Vectors(const Traced& traced) : in(traced.inputs()), out(traced.outputs()) {
    if (out.size() > 1) dropped_.resize(static_cast<std::size_t>(out.front().size));
  }
  /// Calls f(inputs, outputs).
  template <class F>
  void operator()(const double* q, const double* v, const double* x, double* to, F f) {
    const double* inputs[] = {q, v, x};
    double* outputs[4];
    for (std::size_t k = 0; k < out.size(); ++k) {
      const bool drop = k == 0 && !dropped_.empty();
      outputs[k] = drop ? dropped_.data() : to;
      if (!drop) to += out[k].size;
    }
    f(inputs, outputs);
  }

  std::vector<Traced::Vector> in, out;

 private:
  std::vector<double> dropped_;
};

struct Compiled {
  Vectors vectors;
  CompiledFunction function;

  static void call(void* self, const double* q, const double* v, const double* x, double* out) {
    auto& [vectors, function] = *static_cast<Compiled*>(self);
    vectors(q, v, x, out, [&function = function](auto* in, auto* to) { function.call(in, to); });
  }
};

struct Interpreted {
  Vectors vectors;
  Interpreter function;

  static void call(void* self, const double* q, const double* v, const double* x, double* out) {
    auto& me = *static_cast<Interpreted*>(self);
    me.vectors(q, v, x, out, [&me](auto* in, auto* to) {
      const auto &ins = me.vectors.in, &outs = me.vectors.out;
      std::span<const double> inputs[3];
      std::span<double> outputs[4];
      for (std::size_t k = 0; k < ins.size(); ++k)
        inputs[k] = {in[k], static_cast<std::size_t>(ins[k].size)};
      for (std::size_t k = 0; k < outs.size(); ++k)
        outputs[k] = {to[k], static_cast<std::size_t>(outs[k].size)};
      me.function({inputs, ins.size()}, {outputs, outs.size()});
    });
  }
};

struct Generated {
  Task compiled, interpreted;
  int operations;
  double compile_seconds;
};

template <class Way>
Task make(int k, const char* variant, Way way) {
  return {k, variant, Way::call, std::make_shared<Way>(std::move(way)), k == BENCH_REGRESSOR};
}

Task compiled_task(int algorithm, const Traced& traced, const CompileOptions& options) {
  return make(algorithm, "generated", Compiled{Vectors(traced), CompiledFunction(traced, options)});
}

Generated generate(const Robot& robot, RobotFunction function, const CompileOptions& options) {
  const Traced traced = trace(robot.model, function);
  const int k = algorithm_of(function);
  const auto start = std::chrono::steady_clock::now();
  const Task compiled = compiled_task(k, traced, options);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {compiled, interpreted_task(k, traced), traced.operation_count(), seconds};
}

}  // namespace

Task interpreted_task(int algorithm, const Traced& traced) {
  return make(algorithm, "interpreted", Interpreted{Vectors(traced), Interpreter(traced)});
}

Task compiled_task(int algorithm, const Traced& traced) {
  const Folder cache;
  return compiled_task(algorithm, traced, options(cache.path()));
}

std::vector<Task> generated_tasks(const Robot& robot) {
  const Folder cache;
  std::vector<Task> tasks;
  for (const RobotFunction function : robot_functions)
    tasks.push_back(generate(robot, function, options(cache.path())).compiled);
  return tasks;
}

void measure_generated(double seconds_each, const std::map<std::string, long long>& counts,
                       Entries& entries) {
  const Robot robot = make_robot("panda");
  const std::vector<Task> ulna = tasks_of(ulna_peer(), robot);
  const Folder cache;
  for (const RobotFunction function : robot_functions) {
    const int k = algorithm_of(function);
    show_progress(std::string("compiling ") + algorithm_name(k));
    const Generated generated = generate(robot, function, options(cache.path()));
    const Task& generic = *std::find_if(ulna.begin(), ulna.end(), [&](const Task& t) {
      return t.algorithm == k && t.variant.empty();
    });
    std::vector<double> out(result_size(k, robot.states));
    std::vector<Measured> group;
    for (Task task : {generated.compiled, generated.interpreted, generic}) {
      const double apart = difference(task, ulna, robot.states);
      if (!(apart < 1e-9))
        throw std::runtime_error("generated code differs: " + std::string(algorithm_name(k)));
      // the generic call again, so that all meet the same noise
      group.push_back({robot.name,
                       robot.states.nv,
                       algorithm_name(k),
                       task.variant.empty() ? "generic" : task.variant,
                       [&out, &robot, task, k, s = 0](long n) mutable {
                         for (long i = 0; i < n; ++i, s = (s + 1) % state_count)
                           bench_call(task.function, task.instance.get(), robot.states.q_of(s),
                                      robot.states.v_of(s), robot.states.x_of(k, s), out.data());
                       },
                       1.0,
                       {},
                       apart});
    }
    const std::size_t first = entries.size();
    measure(group, seconds_each, entries);
    Entry& entry = entries[first];
    entry.operations = generated.operations;
    entry.compile_seconds = generated.compile_seconds;
    const auto count = counts.find(count_label("ulna", robot.name, generated.compiled));
    if (count != counts.end()) entry.instructions = count->second;
  }
}

}  // namespace bench
