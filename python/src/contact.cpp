#include "callback.hpp"
#include "fields.hpp"
#include "parts.hpp"
#include "ulna/constraints/contact_dynamics.hpp"
#include "ulna/constraints/contact_inverse_dynamics.hpp"

/// Dynamics of robots that stand on something or hold it, without a world: contacts are given.
namespace ulna::python {

/// A frame whose origin touches a plane.
struct GivenContact {
  std::string frame;
  Vec3<double> normal = Vec3<double>::UnitZ();
  double friction = 0.8;
  ContactMode mode = ContactMode::stick;
};
ULNA_PYTHON_WORDS(ContactMode, stick, slide)
ULNA_PYTHON_FIELDS(GivenContact, frame, normal, friction, mode)

namespace {

constexpr Parameter q_parameter{"q", Role::configuration}, v_parameter{"v", Role::velocity},
    a_parameter{"a", Role::velocity}, tau_parameter{"tau", Role::velocity};

std::vector<FrameContact> contacts_of(const Engine& e, const py::list& given) {
  std::vector<GivenContact> list;
  read(given, list, "contacts");
  std::vector<FrameContact> contacts;
  for (const GivenContact& c : list) {
    const double length = c.normal.norm();
    if (!(length > 1e-9) || !std::isfinite(length))
      throw std::invalid_argument("contact at '" + c.frame + "': the normal has no direction");
    if (!(c.friction >= 0.0) || !std::isfinite(c.friction))
      throw std::invalid_argument("contact at '" + c.frame + "': friction is " +
                                  std::to_string(c.friction) + "; it must not be negative");
    contacts.push_back({&e.model.frame(c.frame), c.normal / length, c.friction, c.mode});
  }
  return contacts;
}

void require(const Engine& e, const ConstraintReport& report) {
  if (report.status == ConstraintReport::Status::not_physical)
    throw std::domain_error("robot '" + e.model.name() +
                            "': the mass matrix is not positive definite, or a contact that slides "
                            "does not move along its plane");
  if (report.status == ConstraintReport::Status::contradictory)
    throw std::invalid_argument("robot '" + e.model.name() +
                                "': no accelerations keep all contacts; " +
                                std::to_string(report.residual) + " are left");
}

py::object forces_of(const std::vector<Vec3<double>>& forces) {
  Rows list(3);
  for (const Vec3<double>& f : forces) list.add(f);
  return list.array();
}

py::tuple forward(const Engine& e, const py::object& q, const py::object& v, const py::object& tau,
                  const py::list& given) {
  const std::vector<FrameContact> contacts = contacts_of(e, given);
  ContactWorkspace ws(e.model, static_cast<int>(contacts.size()));
  Kinematics<double> at(e.model);
  at.set(vector_of(q_parameter, q, e), vector_of(v_parameter, v, e));
  VectorXd a(e.model.nv());
  std::vector<Vec3<double>> forces(contacts.size());
  require(e, contact_forward_dynamics(e.plant, at, vector_of(tau_parameter, tau, e), contacts, ws,
                                      a, forces));
  return py::make_tuple(a, forces_of(forces));
}

/// a, λ, and their derivatives by q, v, tau and friction coefficients.
py::tuple derivatives(const Engine& e, const py::object& q, const py::object& v,
                      const py::object& tau, const py::list& given) {
  const std::vector<FrameContact> contacts = contacts_of(e, given);
  const int count = static_cast<int>(contacts.size());
  ContactDerivativeWorkspace ws(e.model, count);
  ContactDynamicsDerivatives d(e.model, count);
  Kinematics<double> at(e.model);
  at.set(vector_of(q_parameter, q, e), vector_of(v_parameter, v, e));
  require(e, contact_dynamics_derivatives(e.plant, at, vector_of(tau_parameter, tau, e), contacts,
                                          ws, d));
  const auto used = [&](const MatrixXd& x) { return MatrixXd(x.topRows(d.rows)); };
  return py::make_tuple(d.a, VectorXd(d.lambda.head(d.rows)), d.dq, d.dv, d.dtau,
                        MatrixXd(d.dfriction.leftCols(count)), used(d.lambda_dq), used(d.lambda_dv),
                        used(d.lambda_dtau),
                        MatrixXd(d.lambda_dfriction.topLeftCorner(d.rows, count)));
}

/// Torques with the least effort, forces, what undriven rows lack, and whether that is nothing.
py::tuple inverse(const Engine& e, const py::object& q, const py::object& v, const py::object& a,
                  const py::list& given) {
  Kinematics<double> at(e.model);
  at.set(vector_of(q_parameter, q, e), vector_of(v_parameter, v, e), vector_of(a_parameter, a, e));
  std::vector<Support> supports;
  for (const FrameContact& c : contacts_of(e, given))
    supports.push_back({c.frame->body, at.pose(*c.frame).translation(), c.normal, c.friction});
  ContactInverseDynamics stand(e.model);
  Workspace<double> ws(e.model);
  VectorXd tau(e.model.nv());
  std::vector<Vec3<double>> forces(supports.size());
  bool enough = false;
  {
    const py::gil_scoped_release free;
    enough = stand(e.plant, at, ws, supports, tau, forces);
  }
  return py::make_tuple(tau, forces_of(forces), stand.residual(), enough);
}

}  // namespace

void register_contact(py::module_& module) {
  module.def("contact_forward_dynamics", &forward);
  module.def("contact_dynamics_derivatives", &derivatives);
  module.def("contact_inverse_dynamics", &inverse);
}

}  // namespace ulna::python
