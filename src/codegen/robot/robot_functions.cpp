#include "ulna/codegen/robot/robot_functions.hpp"

#include <stdexcept>

#include "codegen/robot/light_plant.hpp"
#include "codegen/robot/link_axes_derivatives.hpp"
#include "codegen/robot/link_axes_mass_matrix.hpp"
#include "ulna/codegen/differentiate.hpp"
#include "ulna/derivatives/derivatives_impl.hpp"

namespace ulna {
namespace {

using E = Expression;

constexpr std::string_view names[] = {"id", "M", "Minv", "fd", "did", "dfd", "Y"};

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
  RobotTracing(const Model& model, RobotFunction function, const TraceOptions& options,
               Tracer& tracer)
      : model_(model), nv_(model.nv()), tracer_(tracer), plant_(model), light_(model) {
    q_ = tracer.input("q", model.nq());
    if (detail::turns_with_gravity(model)) q_(0) = E(0);
    if (function != RobotFunction::M && function != RobotFunction::Minv) {
      const bool forward = function == RobotFunction::fd || function == RobotFunction::dfd;
      v_ = tracer.input("v", nv_);
      (forward ? tau_ : a_) = tracer.input(forward ? "tau" : "a", nv_);
    }
    if (options.symbolic_inertias && function != RobotFunction::Y)
      plant_ = detail::plant_with(model, tracer.input("pi", plant_.inertial_size()));
    light_ = detail::light_plant(plant_);
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
      case RobotFunction::Y:
        return regressor();
    }
  }

 private:
  VecX<E> torque(const VecX<E>& a) {
    VecX<E> tau(nv_);
    Workspace<E> ws(model_);
    detail::place_exactly(model_, ws.skeleton);
    ulna::inverse_dynamics<E>(light_, q_, v_, a, ws, tau);
    return tau;
  }

  MatX<E> mass_matrix() {
    if (!model_.has_mimics()) return detail::link_axes_mass_matrix(light_, q_);
    MatX<E> M(nv_, nv_);
    Workspace<E> ws(model_);
    Configuration<E> at(model_);
    at.set(q_);
    ulna::mass_matrix<E>(plant_, at, ws, M);
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

  void inverse_dynamics() { tracer_.output("tau", torque(a_)); }

  void forward_dynamics() {
    VecX<E> a = tau_ - torque(VecX<E>::Constant(nv_, E(0)));
    factored().solve(a);
    tracer_.output("a", a);
  }

  void inverse_derivatives() {
    const auto put = [&](const VecX<E>& tau, const auto& slope) {
      tracer_.output("tau", tau);
      tracer_.output("dtau_dq", slope.dq);
      tracer_.output("dtau_dv", slope.dv);
      tracer_.output("M", slope.da);
    };
    if (model_.has_mimics()) {
      InverseDynamicsDerivatives<E> slope(model_);
      slope(plant_, q_, v_, a_);
      return put(slope.tau, slope);
    }
    detail::LinkAxesDerivatives<E> slope(light_, q_, v_);
    const VecX<E> tau = slope.torque(a_);
    slope.differentiate();
    put(tau, slope);
  }

  void forward_derivatives() {
    const auto put = [&](const VecX<E>& a, const MatX<E>& dq, const MatX<E>& dv,
                         const MatX<E>& Minv) {
      tracer_.output("a", a);
      tracer_.output("da_dq", dq);
      tracer_.output("da_dv", dv);
      tracer_.output("Minv", Minv);
    };
    if (model_.has_mimics()) {
      ForwardDynamicsDerivatives<E> slope(model_);
      (void)slope(plant_, q_, v_, tau_);
      return put(slope.a, slope.dq, slope.dv, slope.dtau);
    }
    // da = M^-1 (d tau - dID)
    detail::LinkAxesDerivatives<E> slope(light_, q_, v_);
    const MassFactor<E> factor = factored();
    VecX<E> a = tau_ - slope.torque(VecX<E>::Constant(nv_, E(0)));
    factor.solve(a);
    slope.torque(a);
    slope.differentiate();
    const MatX<E> Minv = inverse(factor);
    put(a, minus_product(Minv, slope.dq), minus_product(Minv, slope.dv), Minv);
  }

  /// Torques are linear in the inertias: their slope by them is the same everywhere.
  void regressor() {
    const Traced slope = jacobian(
        ulna::trace(model_, RobotFunction::id, {.symbolic_inertias = true}), "tau", {"pi"});
    const VecX<E> anywhere = VecX<E>::Constant(slope.inputs().back().size, E(0));
    const VecX<E> Y = tracer_.call(slope, {q_, v_, a_, anywhere})[1];
    tracer_.output("Y", Eigen::Map<const MatX<E>>(Y.data(), nv_, anywhere.size()));
  }

  const Model& model_;
  int nv_;
  Tracer& tracer_;
  Plant<E> plant_, light_;  ///< as described, and with what it need not carry handed over
  VecX<E> q_, v_, a_, tau_;
};

}  // namespace

std::string_view name_of(RobotFunction function) { return names[static_cast<int>(function)]; }

std::optional<RobotFunction> robot_function_named(std::string_view name) {
  for (const RobotFunction f : robot_functions)
    if (name_of(f) == name) return f;
  return std::nullopt;
}

Traced trace(const Model& model, RobotFunction function, const TraceOptions& options) {
  constexpr int most = 64;
  if (model.nv() > most)
    throw std::invalid_argument("robot '" + model.name() + "' has " + std::to_string(model.nv()) +
                                " degrees of freedom; code is generated for up to " +
                                std::to_string(most) + ": lock joints, or take a sub-chain");
  Tracer tracer(to_identifier(model.name() + "_" + std::string(name_of(function))));
  RobotTracing(model, function, options, tracer).trace(function);
  return tracer.finish();
}

}  // namespace ulna
