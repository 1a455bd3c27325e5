#include "ulna/codegen/robot/robot_functions.hpp"

#include <stdexcept>

#include "codegen/robot/expression_places.hpp"
#include "codegen/robot/light_plant.hpp"
#include "codegen/robot/link_axes_derivatives.hpp"
#include "codegen/robot/link_axes_mass_matrix.hpp"
#include "ulna/derivatives/derivatives_impl.hpp"
#include "ulna/dynamics/forward_dynamics_impl.hpp"

namespace ulna {
namespace {

using E = Expression;

MatX<E> minus_product(const MatX<E>& A, const MatX<E>& B) {
  MatX<E> C = MatX<E>::Constant(A.rows(), B.cols(), E(0));
  for (Eigen::Index c = 0; c < C.cols(); ++c)
    for (Eigen::Index r = 0; r < C.rows(); ++r)
      for (Eigen::Index k = 0; k < A.cols(); ++k) C(r, c) -= A(r, k) * B(k, c);
  return C;
}

constexpr std::string_view names[] = {"id", "M", "Minv", "fd", "did", "dfd"};

}  // namespace

std::string_view name_of(RobotFunction function) { return names[static_cast<int>(function)]; }

std::optional<RobotFunction> robot_function_named(std::string_view name) {
  for (const RobotFunction f : robot_functions)
    if (name_of(f) == name) return f;
  return std::nullopt;
}

Traced trace(const Model& model, RobotFunction function) {
  constexpr int most = 64;
  const int nv = model.nv();
  if (nv > most)
    throw std::invalid_argument("robot '" + model.name() + "' has " + std::to_string(nv) +
                                " degrees of freedom; code is generated for up to " +
                                std::to_string(most) + ": lock joints, or take a sub-chain");
  Tracer tracer(to_identifier(model.name() + "_" + std::string(name_of(function))));
  const Plant<E> plant = detail::light_plant(model);
  VecX<E> q = tracer.input("q", model.nq());
  if (detail::turns_with_gravity(model)) q(0) = E(0);

  switch (function) {
    case RobotFunction::id: {
      const VecX<E> v = tracer.input("v", nv), a = tracer.input("a", nv);
      VecX<E> tau(nv);
      Workspace<E> ws(model);
      inverse_dynamics<E>(plant, q, v, a, ws, tau);
      tracer.output("tau", tau);
      break;
    }
    case RobotFunction::M:
    case RobotFunction::Minv: {
      MatX<E> M = detail::link_axes_mass_matrix(plant, q);
      if (function == RobotFunction::Minv) {
        MassFactor<E> factor(model);
        (void)factor.factor(M);
        factor.inverse(M);
      }
      tracer.output(std::string(name_of(function)), M);
      break;
    }
    case RobotFunction::fd: {
      const VecX<E> v = tracer.input("v", nv), tau = tracer.input("tau", nv);
      VecX<E> a(nv), bias(nv);
      Workspace<E> ws(model);
      inverse_dynamics<E>(plant, q, v, VecX<E>::Constant(nv, E(0)), ws, bias);
      a = tau - bias;
      MassFactor<E> factor(model);
      (void)factor.factor(detail::link_axes_mass_matrix(plant, q));
      factor.solve(a);
      tracer.output("a", a);
      break;
    }
    case RobotFunction::did: {
      const VecX<E> v = tracer.input("v", nv), a = tracer.input("a", nv);
      if (!detail::has_mimics(model)) {
        detail::LinkAxesDerivatives<E> slope(plant, q, v);
        tracer.output("tau", slope.torque(a));
        slope.differentiate();
        tracer.output("dtau_dq", slope.dq);
        tracer.output("dtau_dv", slope.dv);
        tracer.output("M", slope.da);
        break;
      }
      InverseDynamicsDerivatives<E> slope(model);
      slope(plant, q, v, a);
      tracer.output("tau", slope.tau);
      tracer.output("dtau_dq", slope.dq);
      tracer.output("dtau_dv", slope.dv);
      tracer.output("M", slope.da);
      break;
    }
    case RobotFunction::dfd: {
      const VecX<E> v = tracer.input("v", nv), tau = tracer.input("tau", nv);
      if (!detail::has_mimics(model)) {
        detail::LinkAxesDerivatives<E> slope(plant, q, v);
        VecX<E> a = tau - slope.torque(VecX<E>::Constant(nv, E(0)));
        MassFactor<E> factor(model);
        (void)factor.factor(detail::link_axes_mass_matrix(plant, q));
        factor.solve(a);
        slope.torque(a);
        slope.differentiate();
        MatX<E> Minv(nv, nv);
        factor.inverse(Minv);
        tracer.output("a", a);
        tracer.output("da_dq", minus_product(Minv, slope.dq));
        tracer.output("da_dv", minus_product(Minv, slope.dv));
        tracer.output("Minv", Minv);
        break;
      }
      ForwardDynamicsDerivatives<E> slope(model);
      (void)slope(plant, q, v, tau);
      tracer.output("a", slope.a);
      tracer.output("da_dq", slope.dq);
      tracer.output("da_dv", slope.dv);
      tracer.output("Minv", slope.dtau);
      break;
    }
  }
  return tracer.finish();
}

}  // namespace ulna
