#include "callback.hpp"
#include "control_fields.hpp"
#include "parts.hpp"
#include "ulna/control/ipopt.hpp"

/// Optimal control of a robot.
namespace ulna::python {

using control::MotionLimits;
using control::MotionWeights;
using control::RobotProblem;
using control::RobotProblemOptions;
using control::Sqp;
using control::Trajectory;

ULNA_PYTHON_FIELDS(control::IpoptOptions, tolerance, iterations, seconds, exact_hessian)

void read_problem(const py::dict& given, const Engine& engine, RobotProblemOptions& options) {
  py::dict rest;
  for (const auto& [key, value] : items_of(given, "problem")) {
    if (key == "weights") {
      if (!options.weights) options.weights.emplace(engine.model);
      read_fields(value, *options.weights, key);
    } else if (key == "limits") {
      if (!options.limits) options.limits.emplace(engine.model);
      read_fields(value, *options.limits, key);
    } else if (key == "loops") {
      bool closed = false;
      read(value, closed, key);
      if (closed) options.loops = engine.model.description().loops;
    } else {
      rest[key.c_str()] = value;
    }
  }
  read_fields(rest, options);
}

Sqp::Deadline deadline_in(const std::optional<double>& seconds) {
  if (!seconds) return {};
  return Sqp::Clock::now() +
         std::chrono::duration_cast<Sqp::Clock::duration>(std::chrono::duration<double>(*seconds));
}

namespace {

constexpr Parameter q_parameter{"q", Role::configuration}, v_parameter{"v", Role::velocity},
    tau_parameter{"tau", Role::velocity};

RobotProblemOptions options_for(const Engine& e, const py::dict& given) {
  RobotProblemOptions options;
  read_problem(given, e, options);
  return options;
}

/// A problem with its solver, which stays warm from one solution to the next.
struct Planned {
  Planned(py::object robot, const py::dict& given, const py::dict& solver)
      : owner(std::move(robot)),
        engine(owner.cast<const Engine&>()),
        transcription(options_for(engine, given).transcription),
        problem(engine.plant, options_for(engine, given)),
        sqp(problem, options_of<control::SqpOptions>(solver)) {}

  VectorXd q(const py::object& x) const { return vector_of(q_parameter, x, engine); }
  VectorXd v(const py::object& x) const {
    return x.is_none() ? VectorXd(VectorXd::Zero(engine.model.nv()))
                       : vector_of(v_parameter, x, engine);
  }

  py::object owner;
  const Engine& engine;
  control::Transcription transcription;
  RobotProblem problem;
  Sqp sqp;
};

int steps_of(const Planned& p) { return p.problem.steps(); }

/// The course of a trajectory: times, q and v at nodes, inputs and torques of steps.
py::dict course(Planned& p, const Trajectory& at) {
  RobotProblem& problem = p.problem;
  const Model& model = p.engine.model;
  const int n = problem.steps(), nv = model.nv(), first = problem.stage(0);
  const VectorXd& x0 = at.x[std::size_t(first)];
  const bool free_time = x0.size() == model.nq() + nv + 1;
  const double whole = problem.final_time(),
               stretch = free_time && whole > 0.0 ? x0(x0.size() - 1) / whole : 1.0;
  MatrixXd Q(model.nq(), n + 1), V(nv, n + 1), T(nv, n);
  VectorXd t = VectorXd::Zero(n + 1);
  Motion<double> motion(model);
  Workspace<double> ws(model);
  VectorXd q(model.nq()), v(nv), tau = VectorXd::Zero(nv), contact(nv);
  for (int k = 0; k <= n; ++k) {
    if (!problem.joints(k, at.x[std::size_t(problem.stage(k))], q, v))
      throw std::runtime_error("the loops do not reach as far as the trajectory goes");
    Q.col(k) = q, V.col(k) = v;
    if (k == n) break;
    t(k + 1) = t(k) + stretch * problem.durations()[std::size_t(k)];
    const VectorXd& u = at.u[std::size_t(problem.stage(k))];
    if (p.transcription == control::Transcription::forward_dynamics) {
      tau = u.head(nv);
    } else if (!problem.coordinates() && !problem.loops()) {
      motion.set(q, v, u.head(nv));
      inverse_dynamics<double>(problem.plant(), motion, ws, tau);
      contact.setZero();
      problem.contact_torque(k, q, u, contact);
      tau -= contact;
    }
    T.col(k) = tau;
  }
  // where loops are closed, torques of accelerations are those of the independent joints alone
  const bool known = p.transcription == control::Transcription::forward_dynamics ||
                     (!problem.coordinates() && !problem.loops());
  py::dict d;
  d["t"] = t, d["q"] = rows_of(Q), d["v"] = rows_of(V);
  d["tau"] = known ? rows_of(T) : py::none();
  d["x"] = at.x, d["u"] = at.u;
  return d;
}

/// `start`: the last solution (None), or q of a straight line to the goal, or states at nodes.
py::tuple solved(Planned& p, const py::object& q0, const py::object& v0, bool warm,
                 const std::optional<double>& seconds, const py::object& ipopt) {
  const VectorXd q = p.q(q0), v = p.v(v0);
  if (!warm) p.sqp.trajectory = p.problem.guess(q, v);
  const VectorXd x0 = p.problem.stage(0) == 0 ? p.problem.state(q, v) : VectorXd();
  if (p.problem.stage(0) > 0) p.problem.set_initial(q, v);
  if (!ipopt.is_none()) {
    const auto options = options_of<control::IpoptOptions>(ipopt);
    std::optional<control::IpoptResult> result;
    {
      const py::gil_scoped_release free;
      result.emplace(control::solve_with_ipopt(p.problem, p.sqp.trajectory, x0, options));
    }
    p.sqp.trajectory = result->trajectory;
    py::dict report;
    report["status"] = written(result->status), report["iterations"] = result->iterations;
    report["cost"] = result->cost, report["defect"] = result->defect;
    report["breach"] = result->breach;
    return py::make_tuple(report, result->str(), course(p, p.sqp.trajectory));
  }
  {
    const py::gil_scoped_release free;
    p.sqp.solve(x0, deadline_in(seconds));
  }
  return py::make_tuple(written(p.sqp.report()), p.sqp.report().str(), course(p, p.sqp.trajectory));
}

}  // namespace

void register_robot_problem(py::module_& module) {
  add_defaults<RobotProblemOptions>(module, "RobotProblem");
  py::class_<Planned>(module, "RobotProblem")
      .def(py::init<py::object, py::dict, py::dict>())
      .def_property_readonly("steps", &steps_of)
      .def_property_readonly("durations", [](const Planned& p) { return p.problem.durations(); })
      .def_property_readonly("weights",
                             [](const Planned& p) { return written(p.problem.weights()); })
      .def_property_readonly("limits", [](const Planned& p) { return written(p.problem.limits()); })
      .def_property_readonly("exact_hessian",
                             [](const Planned& p) { return p.problem.has_exact_hessian(); })
      .def_property_readonly("pairs",
                             [](const Planned& p) {
                               std::vector<std::string> names;
                               if (const Capsules* c = p.problem.capsules())
                                 for (int i = 0; i < c->size(); ++i) names.push_back(c->name(i));
                               return names;
                             })
      .def("set_weights",
           [](Planned& p, const py::dict& given) {
             MotionWeights weights = p.problem.weights();
             read_fields(given, weights, "weights");
             p.problem.set_weights(weights);
           })
      .def("set_limits",
           [](Planned& p, const py::dict& given) {
             MotionLimits limits = p.problem.limits();
             read_fields(given, limits, "limits");
             p.problem.set_limits(limits);
           })
      .def("set_goal", [](Planned& p, const py::object& q) { p.problem.set_goal(p.q(q)); })
      .def("set_reference",
           [](Planned& p, int node, const py::object& q, const py::object& v) {
             p.problem.set_reference(node, p.q(q), p.v(v));
           })
      .def("set_torque_reference",
           [](Planned& p, int node, const py::object& tau) {
             p.problem.set_torque_reference(node, vector_of(tau_parameter, tau, p.engine));
           })
      .def("set_target",
           [](Planned& p, int task, const std::optional<int>& node, const Eigen::Matrix4d& X) {
             const Transform<double> X_WF = transform_of(X, "target");
             node ? p.problem.set_target(task, *node, X_WF) : p.problem.set_target(task, X_WF);
           })
      .def("set_obstacle",
           [](Planned& p, int i, const Vec3<double>& from, const Vec3<double>& to, double radius) {
             p.problem.set_obstacle(i, {from, to, radius});
           })
      .def("set_contact",
           [](Planned& p, const std::optional<int>& node, double force) {
             node ? p.problem.set_contact(*node, force) : p.problem.set_contact(force);
           })
      .def("set_plant", [](Planned& p, const Engine& robot) { p.problem.set_plant(robot.plant); })
      .def("guess", [](Planned& p, const py::object& q,
                       const py::object& v) { return course(p, p.problem.guess(p.q(q), p.v(v))); })
      .def("solve", &solved);
  module.def("has_ipopt", &control::has_ipopt);
}

}  // namespace ulna::python
