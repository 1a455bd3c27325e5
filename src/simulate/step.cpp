#include "ulna/simulate/step.hpp"

#include "simulate/step_impl.hpp"
#include "ulna/num/dual.hpp"

namespace ulna {

using namespace detail;

template class Step<double>;
template class Step<Dual<double, 1>>;

namespace {

/// d result / d(y, z) of a map of two tangent vectors of one joint, around (y, z): n x 2n.
template <class Map>
Eigen::Matrix<double, 6, 12> joint_jacobian(const Joint& joint, const double* y, const double* z,
                                            Map map) {
  using D = Dual<double, 12>;
  const int n = velocity_size(joint.type);
  std::array<D, 6> Y, Z, result;
  for (int i = 0; i < n; ++i) {
    Y[i] = y ? D(y[i]) : D(0.0), Y[i].gradient[i] = 1.0;
    Z[i] = D::variable(z[i], n + i);
  }
  map(Y.data(), Z.data(), result.data());
  Eigen::Matrix<double, 6, 12> J;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < 2 * n; ++c) J(r, c) = result[r].gradient[c];
  return J;
}

}  // namespace

StepSlopes::StepSlopes(const Model& model, Integrator integrator, int inputs, bool by_duration)
    : step(model, integrator),
      A(Matrix::Zero(2 * model.nv(), 2 * model.nv())),
      B(Matrix::Zero(2 * model.nv(), inputs + (by_duration ? 1 : 0))),
      ws_(model),
      dynamics_(model),
      by_duration_(by_duration),
      v_(Eigen::VectorXd::Zero(model.nv())),
      dx_(Matrix::Zero(model.nv(), A.cols() + B.cols())) {}

template <class Differentiate>
bool StepSlopes::take(const Model& model, In<double> q, In<double> v, double h,
                      const Matrix& da_dinputs, Differentiate differentiate) {
  dx_sum_.setZero(), dv_sum_.setZero();
  const bool possible = step.take(model, q, v, h, [&](int stage, Eigen::VectorXd& a) {
    step.at_.set(step.q_, step.v_);
    if (!differentiate(stage)) return false;
    a = dynamics_.a;
    add_stage(model, q, stage, h, da_dinputs);
    return true;
  });
  if (possible) end(model, q, h);
  return possible;
}

void StepSlopes::add_stage(const Model& model, In<double> q, int stage, double h,
                           const Matrix& da_dinputs) {
  const int n = model.nv();
  const Tableau& method = tableau(step.integrator_);
  if (stage == 0) {
    dx_.setZero(), dv_.setZero();
    dv_.middleCols(n, n).setIdentity();
    da_.leftCols(n) = dynamics_.dq, da_.middleCols(n, n) = dynamics_.dv;
    da_.middleCols(2 * n, da_dinputs.cols()) = da_dinputs;
    if (by_duration_) da_.rightCols(1).setZero(), v_ = step.v_;
  } else {
    const double reach = method.reach[stage] * h;
    dx_ = reach * drate_;
    dv_ = reach * da_;
    dv_.middleCols(n, n).diagonal().array() += 1.0;
    if (by_duration_) dx_.rightCols(1) += step.x_ / h, dv_.rightCols(1) += (step.v_ - v_) / h;
    displace(model, q, step.x_, dx_, dq_);
    da_.noalias() = dynamics_.dq.lazyProduct(dq_);
    da_.noalias() += dynamics_.dv.lazyProduct(dv_);
    da_.middleCols(2 * n, da_dinputs.cols()) += da_dinputs;
  }
  drate_ = dv_;
  turn_rates(model);
  const double weight = method.weight[stage] * h;
  dx_sum_ += weight * drate_;
  dv_sum_ += weight * da_;
}

void StepSlopes::end(const Model& model, In<double> q, double h) {
  const int n = model.nv();
  dv_sum_.middleCols(n, n).diagonal().array() += 1.0;
  if (by_duration_) dv_sum_.rightCols(1) += step.v_sum_ / h;
  if (step.integrator_ == Integrator::semi_implicit_euler) dx_sum_ = h * dv_sum_;
  if (by_duration_) dx_sum_.rightCols(1) += step.x_sum_ / h;
  displace(model, q, step.x_sum_, dx_sum_, dq_);
  A << dq_.leftCols(2 * n), dv_sum_.leftCols(2 * n);
  B << dq_.rightCols(B.cols()), dv_sum_.rightCols(B.cols());
}

void StepSlopes::displace(const Model& model, In<double> q, In<double> x, const Matrix& dx,
                          Matrix& dq) {
  const int n = model.nv();
  dq = dx;
  dq.leftCols(n).diagonal().array() += 1.0;
  for (const Joint& j : model.joints()) {
    if (!curved(j)) continue;
    using D = Dual<double, 12>;
    const int nj = velocity_size(j.type), nq = configuration_size(j.type);
    const auto J = joint_jacobian(
        j, nullptr, x.data() + j.v, [&](const D* moved, const D* displacement, D* result) {
          std::array<D, 7> from, beside, there, to;
          for (int i = 0; i < nq; ++i) from[i] = D(q(j.q + i));
          joint_integrate<D>(j.type, from.data(), moved, beside.data());
          joint_integrate<D>(j.type, beside.data(), displacement, to.data());
          for (int i = 0; i < nq; ++i) there[i] = D(to[i].value);
          joint_difference<D>(j.type, there.data(), to.data(), result);
        });
    auto rows = dq.middleRows(j.v, nj);
    rows.setZero();
    rows.middleCols(j.v, nj) = J.topLeftCorner(nj, nj);
    rows.noalias() += J.block(0, nj, nj, nj).lazyProduct(dx.middleRows(j.v, nj));
  }
}

/// From d(x, v) to d(dx/dt) where joints are curved.
void StepSlopes::turn_rates(const Model& model) {
  for (const Joint& j : model.joints()) {
    if (!curved(j)) continue;
    using D = Dual<double, 12>;
    const int nj = velocity_size(j.type);
    const auto J = joint_jacobian(
        j, step.x_.data() + j.v, step.v_.data() + j.v,
        [&](const D* x, const D* v, D* result) { displacement_rate<D>(j, x, v, result); });
    auto rows = drate_.middleRows(j.v, nj);
    rows.noalias() = J.topLeftCorner(nj, nj).lazyProduct(dx_.middleRows(j.v, nj));
    rows.noalias() += J.block(0, nj, nj, nj).lazyProduct(dv_.middleRows(j.v, nj));
  }
}

bool StepDerivatives::operator()(const Plant<double>& plant, In<double> q, In<double> v,
                                 In<double> tau, double h, ExternalWrenches<double> wrenches) {
  return take(plant.model(), q, v, h, dynamics_.dtau, [&](int) {
    return forward_dynamics_derivatives<double>(plant, step.at_, tau, ws_, dynamics_, wrenches);
  });
}

StepSensitivities::StepSensitivities(const Model& model, Integrator integrator, int numbers,
                                     bool by_duration)
    : StepSlopes(model, integrator, numbers, by_duration),
      tau_(Eigen::VectorXd::Zero(model.nv())),
      D_(Matrix::Zero(model.nv(), numbers)),
      tau_by_q_(Matrix::Zero(model.nv(), model.nv())) {}

bool StepSensitivities::operator()(const Plant<double>& plant, In<double> q, In<double> v,
                                   Drive& drive, double h, bool slopes) {
  const Tableau& method = tableau(step.integrator_);
  const auto push = [&](int stage) {
    drive.torque(method.reach[stage], step.q_, step.v_, tau_, tau_by_v_);
    return finite<double>(tau_);
  };
  if (!slopes)
    return step.take(plant.model(), q, v, h, [&](int stage, Eigen::VectorXd& a) {
      return push(stage) && step.accelerate(plant, tau_, a);
    });
  return take(plant.model(), q, v, h, da_dnumbers_, [&](int stage) {
    if (!push(stage) ||
        !forward_dynamics_derivatives<double>(plant, step.at_, tau_, ws_, dynamics_))
      return false;
    drive.surplus_by_numbers(method.reach[stage], step.q_, step.v_, dynamics_.a, D_);
    const Matrix& dtau = dynamics_.dtau;
    da_dnumbers_.noalias() = dtau.lazyProduct(D_);
    for (Eigen::Index i = 0; i < tau_.size(); ++i)
      dynamics_.dv.col(i) += tau_by_v_(i) * dtau.col(i);
    if (drive.torque_by_q(step.q_, tau_by_q_))
      dynamics_.dq.noalias() += dtau.lazyProduct(tau_by_q_);
    return true;
  });
}

}  // namespace ulna
