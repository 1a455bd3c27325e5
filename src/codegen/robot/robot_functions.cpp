#include "ulna/codegen/robot/robot_functions.hpp"

#include <stdexcept>

#include "codegen/robot/light_plant.hpp"
#include "codegen/robot/link_axes_derivatives.hpp"
#include "codegen/robot/link_axes_mass_matrix.hpp"
#include "ulna/derivatives/derivatives_impl.hpp"

namespace ulna {
namespace {

using E = Expression;

constexpr std::string_view names[] = {"id", "M", "Minv", "fd", "did", "dfd"};

MatX<E> minus_product(const MatX<E>& A, const MatX<E>& B) {
  MatX<E> C = MatX<E>::Constant(A.rows(), B.cols(), E(0));
  for (Eigen::Index c = 0; c < C.cols(); ++c)
    for (Eigen::Index r = 0; r < C.rows(); ++r)
      for (Eigen::Index k = 0; k < A.cols(); ++k) C(r, c) -= A(r, k) * B(k, c);
  return C;
}

/// The functions of a robot at q.
class RobotTracing {
 public:
  RobotTracing(const Model& model, Tracer& tracer)
      : model_(model),
        nv_(model.nv()),
        light_(detail::light_plant(model)),
        tracer_(tracer),
        q_(tracer.input("q", model.nq())) {
    if (detail::turns_with_gravity(model)) q_(0) = E(0);
  }

  void trace(RobotFunction function) {
    switch (function) {
      case RobotFunction::id:
        return inverse_dynamics();
      case RobotFunction::M:
        return tracer_.output("M", mass_matrix());
      case RobotFunction::Minv:
        return tracer_.output("Minv", inverse(factored()));
      case RobotFunction::fd:
        return forward_dynamics();
      case RobotFunction::did:
        return inverse_derivatives();
      case RobotFunction::dfd:
        return forward_derivatives();
    }
  }

 private:
  VecX<E> in(const char* name) { return tracer_.input(name, nv_); }

  VecX<E> torque(const VecX<E>& v, const VecX<E>& a) {
    VecX<E> tau(nv_);
    Workspace<E> ws(model_);
    detail::place_exactly(model_, ws.skeleton);
    ulna::inverse_dynamics<E>(light_, q_, v, a, ws, tau);
    return tau;
  }

  MatX<E> mass_matrix() {
    if (!detail::has_mimics(model_)) return detail::link_axes_mass_matrix(light_, q_);
    MatX<E> M(nv_, nv_);
    Workspace<E> ws(model_);
    Configuration<E> at(model_);
    at.set(q_);
    ulna::mass_matrix<E>(Plant<E>(model_), at, ws, M);
    return M;
  }

  MassFactor<E> factored() {
    MassFactor<E> factor(model_);
    // nothing is known to fail before there are numbers
    (void)factor.factor(mass_matrix());
    return factor;
  }

  MatX<E> inverse(const MassFactor<E>& factor) {
    MatX<E> Minv(nv_, nv_);
    factor.inverse(Minv);
    return Minv;
  }

  void inverse_dynamics() {
    const VecX<E> v = in("v"), a = in("a");
    tracer_.output("tau", torque(v, a));
  }

  void forward_dynamics() {
    const VecX<E> v = in("v"), tau = in("tau");
    VecX<E> a = tau - torque(v, VecX<E>::Constant(nv_, E(0)));
    factored().solve(a);
    tracer_.output("a", a);
  }

  void inverse_derivatives() {
    const VecX<E> v = in("v"), a = in("a");
    const auto put = [&](const VecX<E>& tau, const auto& slope) {
      tracer_.output("tau", tau);
      tracer_.output("dtau_dq", slope.dq);
      tracer_.output("dtau_dv", slope.dv);
      tracer_.output("M", slope.da);
    };
    if (detail::has_mimics(model_)) {
      InverseDynamicsDerivatives<E> slope(model_);
      slope(Plant<E>(model_), q_, v, a);
      return put(slope.tau, slope);
    }
    detail::LinkAxesDerivatives<E> slope(light_, q_, v);
    const VecX<E> tau = slope.torque(a);
    slope.differentiate();
    put(tau, slope);
  }

  void forward_derivatives() {
    const VecX<E> v = in("v"), tau = in("tau");
    const auto put = [&](const VecX<E>& a, const MatX<E>& dq, const MatX<E>& dv,
                         const MatX<E>& Minv) {
      tracer_.output("a", a);
      tracer_.output("da_dq", dq);
      tracer_.output("da_dv", dv);
      tracer_.output("Minv", Minv);
    };
    if (detail::has_mimics(model_)) {
      ForwardDynamicsDerivatives<E> slope(model_);
      (void)slope(Plant<E>(model_), q_, v, tau);
      return put(slope.a, slope.dq, slope.dv, slope.dtau);
    }
    // da = M^-1 (d tau - dID)
    detail::LinkAxesDerivatives<E> slope(light_, q_, v);
    const MassFactor<E> factor = factored();
    VecX<E> a = tau - slope.torque(VecX<E>::Constant(nv_, E(0)));
    factor.solve(a);
    slope.torque(a);
    slope.differentiate();
    const MatX<E> Minv = inverse(factor);
    put(a, minus_product(Minv, slope.dq), minus_product(Minv, slope.dv), Minv);
  }

  const Model& model_;
  int nv_;
  Plant<E> light_;
  Tracer& tracer_;
  VecX<E> q_;
};

}  // namespace

std::string_view name_of(RobotFunction function) { return names[static_cast<int>(function)]; }

std::optional<RobotFunction> robot_function_named(std::string_view name) {
  for (const RobotFunction f : robot_functions)
    if (name_of(f) == name) return f;
  return std::nullopt;
}

Traced trace(const Model& model, RobotFunction function) {
  constexpr int most = 64;
  if (model.nv() > most)
    throw std::invalid_argument("robot '" + model.name() + "' has " + std::to_string(model.nv()) +
                                " degrees of freedom; code is generated for up to " +
                                std::to_string(most) + ": lock joints, or take a sub-chain");
  Tracer tracer(to_identifier(model.name() + "_" + std::string(name_of(function))));
  RobotTracing(model, tracer).trace(function);
  return tracer.finish();
}

}  // namespace ulna
