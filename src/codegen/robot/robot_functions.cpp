#include "ulna/codegen/robot/robot_functions.hpp"

#include "codegen/robot/link_axes.hpp"
#include "num/message.hpp"
#include "ulna/codegen/differentiate.hpp"
#include "ulna/derivatives/forward_derivatives_impl.hpp"
#include "ulna/dynamics/drive_dynamics_impl.hpp"

namespace ulna::codegen {
namespace {

constexpr std::string_view names[] = {"id",  "M", "Minv",     "fd",      "did",
                                      "dfd", "Y", "drive_id", "drive_fd"};

/// The functions of a robot at q: the algorithms of the library run on expressions, inverse dynamics
/// as it is and the others in link axes, which takes fewer operations. Mimicking joints are left to the
/// library's own text of all of them.
class RobotTracing {
 public:
  RobotTracing(const Model& model, RobotFunction function, const TraceOptions& options,
               Tracer& tracer)
      : model_(model), nv_(model.nv()), tracer_(tracer), plant_(model), light_(model) {
    q_ = tracer.input("q", model.nq());
    // motors turn with the first joint all the same
    if (turns_with_gravity(model) && !std::ranges::count(drive_functions, function)) q_(0) = E(0);
    if (function != RobotFunction::M && function != RobotFunction::Minv) {
      const bool forward = function == RobotFunction::fd || function == RobotFunction::dfd ||
                           function == RobotFunction::drive_fd;
      v_ = tracer.input("v", nv_);
      if (function == RobotFunction::drive_fd)
        theta_ = tracer.input("theta", nv_), omega_ = tracer.input("omega", nv_);
      (forward ? tau_ : a_) = tracer.input(forward ? "tau" : "a", nv_);
      if (function == RobotFunction::drive_id)
        jerk_ = tracer.input("jerk", nv_), snap_ = tracer.input("snap", nv_);
    }
    if (options.symbolic_inertias && function != RobotFunction::Y)
      plant_ = plant_with(model, tracer.input("pi", plant_.inertial_size()));
    light_ = light_plant(plant_);
  }

  void trace(RobotFunction function) {
    switch (function) {
      case RobotFunction::id:
        return put({{"tau", torque(a_)}});
      case RobotFunction::M:
        return put({{"M", mass_matrix()}});
      case RobotFunction::Minv:
        return put({{"Minv", inverse(factored())}});
      case RobotFunction::fd:
        return forward_dynamics();
      case RobotFunction::did:
        return inverse_derivatives();
      case RobotFunction::dfd:
        return forward_derivatives();
      case RobotFunction::Y:
        return regressor();
      case RobotFunction::drive_id:
        return motor_torques();
      case RobotFunction::drive_fd:
        return motor_accelerations();
    }
  }

 private:
  VecX<E> torque(const VecX<E>& a) {
    VecX<E> tau(nv_);
    Motion<E> motion(model_);
    Workspace<E> ws(model_);
    place_exactly(model_, motion.skeleton());
    motion.set(q_, v_, a);
    ulna::inverse_dynamics<E>(light_, motion, ws, tau);
    return tau;
  }

  MatX<E> mass_matrix() {
    if (!model_.has_mimics()) return LinkAxes(light_, q_).mass_matrix();
    MatX<E> M(nv_, nv_);
    Workspace<E> ws(model_);
    Kinematics<E> at(model_);
    at.set(q_);
    ulna::mass_matrix<E>(plant_, at, ws, M);
    return M;
  }

  MassFactor<E> factored() {
    MassFactor<E> factor(model_);
    // nothing can fail before there are numbers
    (void)factor.factor(mass_matrix());
    return factor;
  }

  MatX<E> inverse(MassFactor<E> factor) {
    MatX<E> Minv(nv_, nv_);
    factor.inverse(Minv);
    return Minv;
  }

  void forward_dynamics() {
    VecX<E> a = tau_ - torque(VecX<E>::Constant(nv_, E(0)));
    factored().solve(a);
    put({{"a", a}});
  }

  void put(std::initializer_list<std::pair<const char*, MatX<E>>> outputs) {
    for (const auto& [name, numbers] : outputs) tracer_.output(name, numbers);
  }

  void inverse_derivatives() {
    const auto put_all = [&](const VecX<E>& tau, const auto& d) {
      put({{"tau", tau}, {"dtau_dq", d.dq}, {"dtau_dv", d.dv}, {"M", d.da}});
    };
    if (model_.has_mimics()) {
      Kinematics<E> at(model_);
      DerivativeWorkspace<E> ws(model_);
      InverseDynamicsDerivatives<E> slope(model_);
      at.set(q_, v_, a_);
      inverse_dynamics_derivatives(plant_, at, ws, slope);
      return put_all(slope.tau, slope);
    }
    LinkAxes links(light_, q_);
    links.set_velocity(v_);
    const VecX<E> tau = links.torque(a_);
    links.differentiate();
    put_all(tau, links);
  }

  void forward_derivatives() {
    if (model_.has_mimics()) {
      Kinematics<E> at(model_);
      DerivativeWorkspace<E> ws(model_);
      ForwardDynamicsDerivatives<E> slope(model_);
      at.set(q_, v_);
      (void)forward_dynamics_derivatives<E>(plant_, at, tau_, ws, slope);
      return put({{"a", slope.a}, {"da_dq", slope.dq}, {"da_dv", slope.dv}, {"Minv", slope.dtau}});
    }
    // da = M^-1 (d tau - dID)
    LinkAxes links(light_, q_);
    links.set_velocity(v_);
    MassFactor<E> factor = factored();
    VecX<E> a = tau_ - links.torque(VecX<E>::Constant(nv_, E(0)));
    factor.solve(a);
    links.torque(a);
    links.differentiate();
    const MatX<E> Minv = inverse(factor);
    put({{"a", a},
         {"da_dq", -Minv.lazyProduct(links.dq)},
         {"da_dv", -Minv.lazyProduct(links.dv)},
         {"Minv", Minv}});
  }

  /// Torques are linear in the inertias: their slope by them is the same everywhere.
  void regressor() {
    const Traced slope = jacobian(
        codegen::trace(model_, RobotFunction::id, {.symbolic_inertias = true}), "tau", {"pi"});
    const VecX<E> anywhere = VecX<E>::Constant(slope.inputs().back().size, E(0));
    const VecX<E> Y = tracer_.call(slope, {q_, v_, a_, anywhere})[1];
    tracer_.output("Y", Eigen::Map<const MatX<E>>(Y.data(), nv_, anywhere.size()));
  }

  void motor_torques() {
    DriveMotion<E> motion(model_);
    DriveWorkspace<E> ws(model_);
    DriveTorques<E> out(model_);
    place_exactly(model_, motion.skeleton());
    motion.set(q_, v_, a_, jerk_, snap_);
    drive_inverse_dynamics<E>(light_, motion, ws, out);
    put({{"tau", out.motor}, {"theta", out.theta}, {"omega", out.omega}});
  }

  void motor_accelerations() {
    Kinematics<E> at(model_);
    DriveState<E> drives(model_);
    DriveWorkspace<E> ws(model_);
    VecX<E> a(nv_), alpha(nv_);
    at.set(q_, v_);
    drives.theta = theta_, drives.omega = omega_;
    (void)drive_forward_dynamics<E>(plant_, at, drives, tau_, ws, a, alpha);
    put({{"a", a}, {"alpha", alpha}});
  }

  const Model& model_;
  int nv_;
  Tracer& tracer_;
  Plant<E> plant_, light_;  ///< as described, and with what it need not carry handed over
  VecX<E> q_, v_, a_, tau_, theta_, omega_, jerk_, snap_;
};

}  // namespace

std::string_view to_string(RobotFunction function) { return names[int(function)]; }

std::optional<RobotFunction> robot_function_from_string(std::string_view name) {
  const auto at = std::ranges::find(names, name);
  if (at == std::end(names)) return std::nullopt;
  return RobotFunction(at - std::begin(names));
}

Traced trace(const Model& model, RobotFunction function, const TraceOptions& options) {
  constexpr int most = 64;
  messages::require(model.nv() <= most, "robot '", model.name(), "' has ", model.nv(),
                    " degrees of freedom; code is generated for up to ", most,
                    ": lock joints, or take a sub-chain");
  Tracer tracer(to_identifier(model.name() + "_" + std::string(to_string(function))));
  RobotTracing(model, function, options, tracer).trace(function);
  return tracer.finish();
}

}  // namespace ulna::codegen
