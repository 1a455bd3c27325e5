#include "callback.hpp"
#include "parts.hpp"
#include "simulate_fields.hpp"
#include "ulna/simulate/step_batch.hpp"

/// Single steps of a motion, of one state or many, and their derivatives.
namespace ulna::python {
namespace {

using Stack = py::array_t<double>;

/// (states, rows, columns), or (rows, columns) of one state; with columns = 0 of vectors.
Stack stack(Index states, Index rows, Index columns = 0) {
  std::vector<py::ssize_t> shape;
  if (states >= 0) shape.push_back(states);
  shape.push_back(rows);
  if (columns > 0) shape.push_back(columns);
  return Stack(shape);
}

class Steps {
 public:
  Steps(py::object robot, const py::object& integrator)
      : owner_(std::move(robot)), engine_(owner_.cast<Engine&>()) {
    read(integrator, integrator_, "integrator");
  }

  /// (q, v) at the end of a step, and A and B of (δq, δv)_next = A (δq, δv) + B δtau if they are wanted.
  py::tuple take(const py::object& q, const py::object& v, const py::object& tau, const VectorXd& h,
                 bool slopes) {
    static const Spec spec{
        "step",
        {{"q", Role::configuration}, {"v", Role::velocity}, {"tau", Role::velocity}},
        {},
        nullptr};
    const Model& model = engine_.model;
    std::vector<VectorArgument> x;
    Index states = -1;
    for (std::size_t i = 0; i < 3; ++i) {
      x.emplace_back(spec.parameters[i], (i == 0 ? q : i == 1 ? v : tau).ptr(), engine_);
      if (!x[i].is_many()) continue;
      if (states >= 0 && states != x[i].states())
        throw std::invalid_argument(std::string(x[i].name()) + " has " +
                                    std::to_string(x[i].states()) + " states, others have " +
                                    std::to_string(states));
      states = x[i].states();
    }
    if (!h.allFinite()) throw std::invalid_argument("h is not finite");
    const Index count = std::max<Index>(states, 0) + (states < 0);
    if (h.size() != 1 && h.size() != states)
      throw std::invalid_argument("h has " + std::to_string(h.size()) + " numbers, there are " +
                                  std::to_string(count) + " states");
    Call call;
    call.spec = &spec;
    for (std::size_t i = 0; i < 3; ++i) call.x[i] = x[i].numbers(count);
    refuse_if_not_finite(spec, call, count, model);

    Results r{stack(states, model.nq()), stack(states, model.nv()), {}, {}};
    if (slopes) {
      r.A = stack(states, 2 * model.nv(), 2 * model.nv());
      r.B = stack(states, 2 * model.nv(), model.nv());
    }
    const Out out{r.q.mutable_data(), r.v.mutable_data(), slopes ? r.A.mutable_data() : nullptr,
                  slopes ? r.B.mutable_data() : nullptr};
    const VectorXd durations = h.size() == count ? h : VectorXd::Constant(count, h(0));
    std::unique_ptr<Worker> worker =
        workers_.take([&] { return std::make_unique<Worker>(model, integrator_); });
    Index failed = -1;
    {
      const py::gil_scoped_release free;
      failed = count > 1 && StepBatch::serves(model) ? many(*worker, call, durations, out)
                                                     : one_by_one(*worker, call, durations, out, 0);
    }
    workers_.give_back(std::move(worker));
    if (failed >= 0)
      throw std::domain_error("step of robot '" + model.name() + "'" +
                              (states < 0 ? "" : ", state " + std::to_string(failed)) +
                              ": the mass matrix is not positive definite, or the motion is too "
                              "fast for a step of " +
                              std::to_string(durations(failed)) + " s");
    return slopes ? py::make_tuple(r.q, r.v, r.A, r.B) : py::make_tuple(r.q, r.v);
  }

 private:
  struct Results {
    Stack q, v, A, B;
  };
  /// Where a state's numbers go, one after the other; A and B row by row.
  struct Out {
    double *q, *v, *A, *B;
  };
  /// What one call works with.
  struct Worker {
    Worker(const Model& model, Integrator integrator) : step(model, integrator) {}
    Step<double> step;
    std::optional<StepDerivatives> slopes;
    std::optional<StepBatch> batch;
    int threads = -1;
  };

  /// From state `first` on. The first that cannot be, or -1.
  Index one_by_one(Worker& w, const Call& call, const VectorXd& h, const Out& out, Index first) {
    const Index nq = engine_.model.nq(), nv = engine_.model.nv();
    if (out.A && !w.slopes) w.slopes.emplace(engine_.model, integrator_);
    for (Index i = first; i < h.size(); ++i) {
      const auto q = call.x[0].row(i).vec(), v = call.x[1].row(i).vec(),
                 tau = call.x[2].row(i).vec();
      Step<double>& step = out.A ? w.slopes->step : w.step;
      if (!(out.A ? (*w.slopes)(engine_.plant, q, v, tau, h(i))
                  : step(engine_.plant, q, v, tau, h(i))))
        return i;
      Eigen::Map<VectorXd>(out.q + i * nq, nq) = step.q_next;
      Eigen::Map<VectorXd>(out.v + i * nv, nv) = step.v_next;
      if (!out.A) continue;
      RowMap(out.A + i * 4 * nv * nv, 2 * nv, 2 * nv) = w.slopes->A;
      RowMap(out.B + i * 2 * nv * nv, 2 * nv, nv) = w.slopes->B;
    }
    return -1;
  }

  Index many(Worker& w, const Call& call, const VectorXd& h, const Out& out) {
    const Index nq = engine_.model.nq(), nv = engine_.model.nv();
    if (w.threads != engine_.threads()) w.batch.reset(), w.threads = engine_.threads();
    if (!w.batch) w.batch.emplace(engine_.model, integrator_, w.threads);
    constexpr Index piece = 2048;  // matrices of so many states fit into the cache
    MatrixXd F(out.A ? 6 * nv * nv : 0, out.A ? std::min(piece, h.size()) : 0);
    for (Index i = 0; i < h.size(); i += out.A ? piece : h.size()) {
      const Index n = out.A ? std::min(piece, h.size() - i) : h.size();
      const auto part = [&](int k) {
        return call.x[static_cast<std::size_t>(k)].row(i).columns(n);
      };
      Eigen::Map<MatrixXd> q(out.q + i * nq, nq, n), v(out.v + i * nv, nv, n);
      const bool possible =
          out.A ? w.batch->differentiate(engine_.plant, part(0), part(1), part(2), h.segment(i, n),
                                         q, v, F.leftCols(n))
                : w.batch->step(engine_.plant, part(0), part(1), part(2), h.segment(i, n), q, v);
      if (!possible) return one_by_one(w, call, h, out, i);  // which of them
      for (Index k = 0; out.A && k < n; ++k) {
        const Eigen::Map<const MatrixXd> f(F.col(k).data(), 2 * nv, 3 * nv);
        RowMap(out.B + (i + k) * 2 * nv * nv, 2 * nv, nv) = f.leftCols(nv);
        RowMap(out.A + (i + k) * 4 * nv * nv, 2 * nv, 2 * nv) = f.rightCols(2 * nv);
      }
    }
    return -1;
  }

  py::object owner_;
  Engine& engine_;
  Integrator integrator_{};
  Pool<Worker> workers_;
};

}  // namespace

void register_steps(py::module_& module) {
  py::class_<Steps>(module, "Steps")
      .def(py::init<py::object, py::object>())
      .def("take", &Steps::take);
}

}  // namespace ulna::python
