#include "ulna/simulate/step.hpp"

#include "simulate/step_impl.hpp"
#include "ulna/num/dual.hpp"

namespace ulna {

using namespace detail;

template class Step<double>;
template class Step<Dual<double, 1>>;

// --- derivatives ---

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
    : integrator_(integrator),
      by_duration_(by_duration),
      v_(Eigen::VectorXd::Zero(model.nv())),
      dx_(Matrix::Zero(model.nv(), 2 * model.nv() + inputs + (by_duration ? 1 : 0))),
      dq_(dx_),
      dv_(dx_),
      da_(dx_),
      drate_(dx_),
      dx_sum_(dx_),
      dv_sum_(dx_) {}

void StepSlopes::begin() { dx_sum_.setZero(), dv_sum_.setZero(); }

void StepSlopes::add_stage(const Step<double>& step, const Model& model, In<double> q, int stage,
                           double h, const Matrix& da_dq, const Matrix& da_dv,
                           const Matrix& da_dinputs) {
  const int n = model.nv();
  const Tableau& method = tableau(integrator_);
  if (stage == 0) {
    dx_.setZero(), dv_.setZero();
    dv_.middleCols(n, n).setIdentity();
    da_.leftCols(n) = da_dq, da_.middleCols(n, n) = da_dv;
    da_.middleCols(2 * n, da_dinputs.cols()) = da_dinputs;
    if (by_duration_) da_.rightCols(1).setZero(), v_ = step.v_;
  } else {
    const double reach = method.reach[stage] * h;
    dx_ = reach * drate_;
    dv_ = reach * da_;
    dv_.middleCols(n, n).diagonal().array() += 1.0;
    if (by_duration_) dx_.rightCols(1) += step.x_ / h, dv_.rightCols(1) += (step.v_ - v_) / h;
    displace(model, q, step.x_, dx_, dq_);
    da_.noalias() = da_dq.lazyProduct(dq_);
    da_.noalias() += da_dv.lazyProduct(dv_);
    da_.middleCols(2 * n, da_dinputs.cols()) += da_dinputs;
  }
  drate_ = dv_;
  turn_rates(step, model);
  const double weight = method.weight[stage] * h;
  dx_sum_ += weight * drate_;
  dv_sum_ += weight * da_;
}

void StepSlopes::end(const Step<double>& step, const Model& model, In<double> q, double h,
                     Matrix& A, Matrix& B) {
  const int n = model.nv();
  dv_sum_.middleCols(n, n).diagonal().array() += 1.0;
  if (by_duration_) dv_sum_.rightCols(1) += step.v_sum_ / h;
  if (integrator_ == Integrator::semi_implicit_euler) dx_sum_ = h * dv_sum_;
  if (by_duration_) dx_sum_.rightCols(1) += step.x_sum_ / h;
  displace(model, q, step.x_sum_, dx_sum_, dq_);
  A.topRows(n) = dq_.leftCols(2 * n), B.topRows(n) = dq_.rightCols(B.cols());
  A.bottomRows(n) = dv_sum_.leftCols(2 * n), B.bottomRows(n) = dv_sum_.rightCols(B.cols());
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
void StepSlopes::turn_rates(const Step<double>& step, const Model& model) {
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

StepDerivatives::StepDerivatives(const Model& model, Integrator integrator, bool by_duration)
    : step(model, integrator),
      A(Eigen::MatrixXd::Zero(2 * model.nv(), 2 * model.nv())),
      B(Eigen::MatrixXd::Zero(2 * model.nv(), model.nv() + (by_duration ? 1 : 0))),
      ws_(model),
      dynamics_(model),
      slopes_(model, integrator, model.nv(), by_duration) {}

bool StepDerivatives::operator()(const Plant<double>& plant, In<double> q, In<double> v,
                                 In<double> tau, double h, ExternalWrenches<double> wrenches) {
  const Model& model = plant.model();
  slopes_.begin();
  const bool possible = step.take(model, q, v, h, [&](int stage, Eigen::VectorXd& a) {
    step.at_.set(step.q_, step.v_);
    if (!forward_dynamics_derivatives<double>(plant, step.at_, tau, ws_, dynamics_, wrenches))
      return false;
    a = dynamics_.a;
    slopes_.add_stage(step, model, q, stage, h, dynamics_.dq, dynamics_.dv, dynamics_.dtau);
    return true;
  });
  if (possible) slopes_.end(step, model, q, h, A, B);
  return possible;
}

// --- by numbers ---

StepSensitivities::StepSensitivities(const Model& model, Integrator integrator, int numbers,
                                     bool by_duration)
    : step(model, integrator),
      A(Eigen::MatrixXd::Zero(2 * model.nv(), 2 * model.nv())),
      P(Eigen::MatrixXd::Zero(2 * model.nv(), numbers + (by_duration ? 1 : 0))),
      ws_(model),
      dynamics_(model),
      slopes_(model, integrator, numbers, by_duration),
      tau_(Eigen::VectorXd::Zero(model.nv())),
      tau_by_v_(tau_),
      D_(Eigen::MatrixXd::Zero(model.nv(), numbers)),
      da_dq_(Eigen::MatrixXd::Zero(model.nv(), model.nv())),
      da_dv_(da_dq_),
      da_dnumbers_(D_),
      tau_by_q_(da_dq_) {}

bool StepSensitivities::operator()(const Plant<double>& plant, In<double> q, In<double> v,
                                   Drive& drive, double h) {
  const Model& model = plant.model();
  const Tableau& method = tableau(step.integrator_);
  slopes_.begin();
  const bool possible = step.take(model, q, v, h, [&](int stage, Eigen::VectorXd& a) {
    const double share = method.reach[stage];
    drive.torque(share, step.q_, step.v_, tau_, tau_by_v_);
    if (!finite<double>(tau_)) return false;
    step.at_.set(step.q_, step.v_);
    if (!forward_dynamics_derivatives<double>(plant, step.at_, tau_, ws_, dynamics_)) return false;
    a = dynamics_.a;
    drive.surplus_by_numbers(share, step.q_, step.v_, a, D_);
    for (int i = 0; i < model.nv(); ++i)
      da_dv_.col(i) = dynamics_.dv.col(i) + tau_by_v_(i) * dynamics_.dtau.col(i);
    da_dnumbers_.noalias() = dynamics_.dtau.lazyProduct(D_);
    da_dq_ = dynamics_.dq;
    if (drive.torque_by_q(step.q_, tau_by_q_))
      da_dq_.noalias() += dynamics_.dtau.lazyProduct(tau_by_q_);
    slopes_.add_stage(step, model, q, stage, h, da_dq_, da_dv_, da_dnumbers_);
    return true;
  });
  if (possible) slopes_.end(step, model, q, h, A, P);
  return possible;
}

bool StepSensitivities::advance(const Plant<double>& plant, In<double> q, In<double> v,
                                Drive& drive, double h) {
  const Tableau& method = tableau(step.integrator_);
  return step.take(plant.model(), q, v, h, [&](int stage, Eigen::VectorXd& a) {
    drive.torque(method.reach[stage], step.q_, step.v_, tau_, tau_by_v_);
    return finite<double>(tau_) && step.accelerate(plant, tau_, a);
  });
}

}  // namespace ulna
