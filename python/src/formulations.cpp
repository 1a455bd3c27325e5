#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "count_fields.hpp"
#include "engine.hpp"
#include "parts.hpp"
#include "ulna/classic/formulation.hpp"
#include "ulna/classic/polynomial.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"

namespace ulna::python {

namespace {

using classic::Formulation;
using CountedVector = VecX<Counted>;

constexpr int most_joints = 64;  // some take O(n^4) operations

/// Rigid bodies alone, as the books have them.
template <Scalar T>
Plant<T> rigid_plant(const Model& model) {
  Plant<T> plant(model);
  plant.remove_friction();
  plant.armature.setZero();
  return plant;
}

/// What a formulation costs: its operations do not depend on where the robot is.
struct State {
  explicit State(const Model& model)
      : q(random_configuration(model, random).cast<Counted>()),
        v(CountedVector::Constant(model.nv(), Counted(0.5))) {}
  std::mt19937_64 random{1};
  CountedVector q, v;
};

py::dict costs(const Formulation<Counted>& f, const State& at) {
  py::dict dict;
  dict["inverse_dynamics"] =
      written(count_operations([&] { (void)f.inverse_dynamics(at.q, at.v, at.v); }));
  dict["mass_matrix"] = written(count_operations([&] { (void)f.mass_matrix(at.q); }));
  dict["bias"] = written(count_operations([&] { (void)f.bias(at.q, at.v); }));
  return dict;
}

/// The textbook formulations that take the robot, each with its operations.
py::list formulations(const Engine& e) {
  if (e.model.joint_count() > most_joints)
    throw std::invalid_argument("robot '" + e.model.name() + "' has " +
                                std::to_string(e.model.joint_count()) +
                                " joints; formulations take at most " +
                                std::to_string(most_joints) + ": lock joints or cut off branches");
  const auto all = classic::formulations<double>(rigid_plant<double>(e.model));
  const auto counting = classic::formulations<Counted>(rigid_plant<Counted>(e.model));
  const State at(e.model);
  py::list list;
  for (std::size_t i = 0; i < all.size(); ++i)
    list.append(py::make_tuple(all[i], costs(counting[i], at)));
  return list;
}

/// What ulna's own algorithms cost, of rigid bodies alone.
py::dict fast_costs(const Engine& e) {
  const Plant<Counted> plant = rigid_plant<Counted>(e.model);
  const State state(e.model);
  const Index n = e.model.nv();
  Workspace<Counted> ws(e.model);
  Motion<Counted> motion(e.model);
  Kinematics<Counted> at(e.model);
  CountedVector tau(n), a(n);
  MatX<Counted> M(n, n);
  py::dict dict;
  dict["inverse_dynamics"] = written(count_operations([&] {
    motion.set(state.q, state.v, state.v);
    inverse_dynamics<Counted>(plant, motion, ws, tau);
  }));
  dict["mass_matrix"] = written(count_operations([&] {
    at.set(state.q);
    mass_matrix<Counted>(plant, at, ws, M);
  }));
  dict["forward_dynamics"] = written(count_operations([&] {
    at.set(state.q, state.v);
    (void)forward_dynamics<Counted>(plant, at, tau, ws, a);
  }));
  return dict;
}

/// What the books count for arms of so many joints: name, source, multiplications, additions.
py::list book_counts(const std::vector<int>& joints) {
  py::list list;
  for (const classic::BookCount& b : classic::book_counts()) {
    std::vector<double> multiplications, additions;
    for (const int n : joints)
      multiplications.push_back(b.multiplications.at(n)), additions.push_back(b.additions.at(n));
    list.append(py::make_tuple(std::string(b.formulation), std::string(b.source), multiplications,
                               additions));
  }
  return list;
}

}  // namespace

void register_formulations(py::module_& module) {
  using F = Formulation<double>;
  py::class_<F>(module, "Formulation")
      .def_property_readonly("name", [](const F& f) { return std::string(f.name); })
      .def_property_readonly("source", [](const F& f) { return std::string(f.source); })
      .def("mass_matrix", [](const F& f, const VectorXd& q) { return MatrixXd(f.mass_matrix(q)); })
      .def("bias",
           [](const F& f, const VectorXd& q, const VectorXd& v) { return VectorXd(f.bias(q, v)); })
      .def("inverse_dynamics",
           [](const F& f, const VectorXd& q, const VectorXd& v, const VectorXd& a) {
             return VectorXd(f.inverse_dynamics(q, v, a));
           });
  module.def("book_counts", &book_counts);
  module.def("formulations", &formulations);
  module.def("fast_costs", &fast_costs);
}

}  // namespace ulna::python
