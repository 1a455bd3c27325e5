#include "callback.hpp"
#include "count_fields.hpp"
#include "parts.hpp"
#include "ulna/classic/dominance.hpp"

/// Which terms of the equations of motion matter along a motion, and a model without the others.
namespace ulna::python {

ULNA_PYTHON_WORDS(classic::TermKind, D_tran, D_rot, h_tran, h_rot, gravity)

namespace {

using classic::DAlembert;

constexpr int most_joints = 30;

template <Scalar T>
DAlembert<T> arm_of(const Model& model) {
  return DAlembert<T>{classic::Chain<T>{classic::Arm<T>{Plant<T>{model}}}};
}

classic::SetPoints points_of(const MatrixXd& q, const MatrixXd& v, const MatrixXd& a) {
  return {{}, q.transpose(), v.transpose(), a.transpose()};
}

struct Simplified {
  Simplified(const Engine& e, const MatrixXd& q, const MatrixXd& v, const MatrixXd& a,
             double tolerance)
      : model(checked(e.model)),
        arm(arm_of<double>(model)),
        dominance(arm, points_of(q, v, a)),
        terms(dominance.rank(tolerance)),
        kept(classic::kept_of(terms, dominance.joint_count())) {}

  static const Model& checked(const Model& model) {
    if (model.nv() > most_joints)
      throw std::invalid_argument("robot '" + model.name() + "' has " + std::to_string(model.nv()) +
                                  " degrees of freedom; " + std::to_string(most_joints) +
                                  " are the most");
    return model;
  }

  Model model;
  DAlembert<double> arm;
  classic::Dominance dominance;
  std::vector<classic::TermWeight> terms;
  classic::KeptTerms kept;
};

py::list terms(const Simplified& s) {
  py::list list;
  for (const classic::TermWeight& w : s.terms)
    list.append(py::make_tuple(w.term.element(), written(w.term.kind), w.share, !w.dropped));
  return list;
}

/// Operations of the full model and of the reduced one.
py::tuple operations(const Simplified& s) {
  const DAlembert<Counted> counted = arm_of<Counted>(s.model);
  const VecX<Counted> q = s.dominance.points().q.col(0).cast<Counted>();
  return py::make_tuple(
      written(count_operations([&] { (void)counted.inverse_dynamics(q, q, q); })),
      written(count_operations(
          [&] { (void)classic::reduced_inverse_dynamics<Counted>(counted, s.kept, q, q, q); })));
}

VectorXd reduced(const Simplified& s, const VectorXd& q, const VectorXd& v, const VectorXd& a) {
  return classic::reduced_inverse_dynamics<double>(s.arm, s.kept, q, v, a);
}

}  // namespace

void register_simplified(py::module_& module) {
  py::class_<Simplified>(module, "SimplifiedModel")
      .def(py::init<const Engine&, const MatrixXd&, const MatrixXd&, const MatrixXd&, double>())
      .def("inverse_dynamics", &reduced)
      .def("error",
           [](const Simplified& s, const MatrixXd& q, const MatrixXd& v, const MatrixXd& a) {
             return classic::relative_error(s.arm, s.kept, points_of(q, v, a));
           })
      .def_property_readonly("terms", &terms)
      .def_property_readonly("operations", &operations)
      .def_property_readonly("torque",
                             [](const Simplified& s) { return rows_of(s.dominance.torque()); });
}

}  // namespace ulna::python
