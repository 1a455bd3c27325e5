#include "callback.hpp"
#include "parts.hpp"
#include "ulna/constraints/closed_dynamics.hpp"
#include "ulna/constraints/loop_dynamics.hpp"
#include "ulna/model/inspect.hpp"

/// Dynamics of robots whose loops are closed.
namespace ulna::python {
namespace {

constexpr Parameter q_parameter{"q", Role::configuration}, v_parameter{"v", Role::velocity},
    a_parameter{"a", Role::velocity}, tau_parameter{"tau", Role::velocity};

/// m or rad: as measured states are.
constexpr double nearly_closed = 1e-3;

struct Closed {
  Closed(py::object robot, const py::object& near)
      : owner(std::move(robot)),
        engine(owner.cast<const Engine&>()),
        loops(engine.model, engine.model.description().loops,
              near.is_none() ? neutral(engine.model) : vector_of(q_parameter, near, engine)),
        coordinates(loops),
        ws(loops),
        lambda(VectorXd::Zero(loops.size())),
        strength((engine.model.effort_limit().array() > 0.0).cast<double>()) {}

  VectorXd closed(const py::object& q) const {
    VectorXd at = vector_of(q_parameter, q, engine);
    loops.require_closed(at, nearly_closed);
    return at;
  }
  void require(const ConstraintReport& report, const char* what) const {
    if (report.status == ConstraintReport::Status::not_physical)
      throw std::domain_error("robot '" + engine.model.name() +
                              "': the mass matrix is not positive definite");
    if (report.status == ConstraintReport::Status::contradictory)
      throw std::invalid_argument("robot '" + engine.model.name() + "': " + what + ", " +
                                  std::to_string(report.residual) + " are left");
  }

  py::object owner;
  const Engine& engine;
  Loops loops;
  LoopCoordinates coordinates;
  LoopWorkspace ws;
  VectorXd lambda, strength;
  std::optional<LoopDerivativeWorkspace> derivative_ws;
  std::optional<ClosedDynamics>
      reduced;  ///< made when first needed: joints must have one coordinate each
};

py::tuple forward(Closed& c, const py::object& q, const py::object& v, const py::object& tau) {
  c.loops.set(c.closed(q), vector_of(v_parameter, v, c.engine));
  VectorXd a(c.engine.model.nv());
  c.require(
      constrained_forward_dynamics(c.engine.plant, c.loops, vector_of(tau_parameter, tau, c.engine),
                                   c.ws, a, c.lambda),
      "no accelerations keep the loops closed");
  return py::make_tuple(a, c.lambda);
}

py::tuple forward_derivatives(Closed& c, const py::object& q, const py::object& v,
                              const py::object& tau) {
  c.loops.set(c.closed(q), vector_of(v_parameter, v, c.engine));
  if (!c.derivative_ws) c.derivative_ws.emplace(c.loops);
  ConstrainedDynamicsDerivatives d(c.loops);
  c.require(
      constrained_dynamics_derivatives(
          c.engine.plant, c.loops, vector_of(tau_parameter, tau, c.engine), *c.derivative_ws, d),
      "no accelerations keep the loops closed");
  return py::make_tuple(d.a, d.lambda, d.dq, d.dv, d.dtau, d.lambda_dq, d.lambda_dv, d.lambda_dtau);
}

/// The dynamics of independent coordinates, at `y` near q.
ClosedDynamics& reduced_at(Closed& c, const py::object& q, const VectorXd& y, const VectorXd& rate,
                           const VectorXd& acceleration) {
  if (!c.reduced) c.reduced.emplace(c.loops);
  const Index n = c.reduced->size();
  for (const VectorXd* x : {&y, &rate, &acceleration})
    if (x->size() != n || !x->allFinite())
      throw std::invalid_argument(std::to_string(n) +
                                  " finite numbers are needed for independent "
                                  "coordinates and their rates");
  c.reduced->resume(c.closed(q));
  if (!c.reduced->set(y, rate, acceleration))
    throw std::invalid_argument("robot '" + c.engine.model.name() +
                                "': the loops do not reach so far");
  return *c.reduced;
}

/// tau_y, what all joints do, and the derivatives of tau_y.
py::tuple reduced_inverse(Closed& c, const py::object& q, const VectorXd& y, const VectorXd& rate,
                          const VectorXd& acceleration) {
  ClosedDynamics& at = reduced_at(c, q, y, rate, acceleration);
  MatrixXd M(at.size(), at.size());
  at.mass_matrix(c.engine.plant, M);
  ClosedDynamics::Slopes slopes(at.size());
  at.differentiate(c.engine.plant, slopes);
  return py::make_tuple(slopes.tau, M, at.q(), at.v(), at.a(), slopes.dy, slopes.dv, slopes.da);
}

VectorXd reduced_forward(Closed& c, const py::object& q, const VectorXd& y, const VectorXd& rate,
                         const VectorXd& tau) {
  ClosedDynamics& at = reduced_at(c, q, y, rate, VectorXd::Zero(y.size()));
  if (tau.size() != at.size()) throw std::invalid_argument("tau has a wrong size");
  VectorXd acceleration(at.size());
  if (!at.forward_dynamics(c.engine.plant, tau, acceleration))
    throw std::domain_error("robot '" + c.engine.model.name() +
                            "': the mass matrix is not positive definite");
  return acceleration;
}

py::tuple inverse(Closed& c, const py::object& q, const py::object& v, const py::object& a) {
  c.loops.set(c.closed(q), vector_of(v_parameter, v, c.engine),
              vector_of(a_parameter, a, c.engine));
  VectorXd tau(c.engine.model.nv());
  c.require(
      constrained_inverse_dynamics(c.engine.plant, c.loops, c.strength, c.ws, tau, c.lambda),
      "the joints that have a drive cannot make this motion; joints whose effort limit is 0 have "
      "none; of the torques");
  return py::make_tuple(tau, c.lambda);
}

py::tuple impact(Closed& c, const py::object& q, const py::object& v, double restitution) {
  c.loops.set(c.closed(q));
  VectorXd next(c.engine.model.nv());
  c.require(loop_impact(c.engine.plant, c.loops, vector_of(v_parameter, v, c.engine), restitution,
                        c.ws, next, c.lambda),
            "no impulses close the loops");
  return py::make_tuple(next, c.lambda);
}

VectorXd close(const Closed& c, const py::object& q) {
  VectorXd at = vector_of(q_parameter, q, c.engine);
  if (!c.loops.close(at))
    throw std::invalid_argument("robot '" + c.engine.model.name() +
                                "': the loops cannot be closed near this q");
  return at;
}

/// Moves q along the loops to where independent coordinates have values.
VectorXd follow(Closed& c, const py::object& q, const VectorXd& y) {
  VectorXd at = c.closed(q), to = at;
  if (y.size() != c.coordinates.size())
    throw std::invalid_argument("y has " + std::to_string(y.size()) + " numbers, " +
                                std::to_string(c.coordinates.size()) + " are needed");
  c.coordinates.scatter(y, to);
  if (!to.allFinite() || !c.coordinates.follow(to, at))
    throw std::invalid_argument("robot '" + c.engine.model.name() +
                                "': the loops do not reach so far");
  return at;
}

std::vector<std::string> names(const Closed& c) {
  std::vector<std::string> list;
  for (int i = 0; i < c.loops.size(); ++i) list.push_back(c.loops.name(i));
  return list;
}

}  // namespace

void register_loops(py::module_& module) {
  py::class_<Closed>(module, "Loops")
      .def(py::init<py::object, py::object>())
      .def("forward_dynamics", &forward)
      .def("forward_dynamics_derivatives", &forward_derivatives)
      .def("reduced_inverse_dynamics", &reduced_inverse)
      .def("reduced_forward_dynamics", &reduced_forward)
      .def("inverse_dynamics", &inverse)
      .def("impact", &impact)
      .def("close", &close)
      .def("follow", &follow)
      .def("gap",
           [](Closed& c, const py::object& q) {
             c.loops.set(vector_of(q_parameter, q, c.engine));
             return c.loops.gap();
           })
      .def("J",
           [](Closed& c, const py::object& q) {
             c.loops.set(vector_of(q_parameter, q, c.engine));
             return c.loops.J();
           })
      .def("N",
           [](Closed& c, const py::object& q) {
             c.coordinates.set(c.closed(q));
             return c.coordinates.N();
           })
      .def_property_readonly("rows", &names)
      .def_property_readonly("ignored", [](const Closed& c) { return c.loops.ignored(); })
      .def_property_readonly("closed_at", [](const Closed& c) { return c.loops.closed_at(); })
      .def_property_readonly("independent",
                             [](const Closed& c) { return c.coordinates.independent(); });
}

}  // namespace ulna::python
