#include "ulna/constraints/closed_dynamics.hpp"

#include "num/message.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

const Loops& require_one_coordinate_each(const Loops& loops) {
  const Model& model = loops.model();
  const int compound = compound_joint(model);
  messages::require(compound == 0, "robot '", model.name(), "', joint '",
                    model.joint_name(compound),
                    "': it has several degrees of freedom; closed dynamics supports only joints "
                    "with one: lock it, or use constrained_forward_dynamics");
  return loops;
}

}  // namespace

ClosedDynamics::Slopes::Slopes(int size)
    : tau(VectorXd::Zero(size)), dy(MatrixXd::Zero(size, size)), dv(dy), da(dy) {}

ClosedDynamics::ClosedDynamics(const Loops& loops)
    : at_(require_one_coordinate_each(loops)),
      ws_(loops.model()),
      derivative_ws_(loops.model()),
      tree_(loops.model()),
      q_(loops.closed_at()),
      v_(VectorXd::Zero(loops.model().nv())),
      lambda_(VectorXd::Zero(loops.size())),
      none_(VectorXd::Zero(at_.size())),
      y_(none_),
      rate_(none_),
      M_(MatrixXd::Zero(v_.size(), v_.size())),
      MN_(MatrixXd::Zero(v_.size(), at_.size())),
      reduced_(MatrixXd::Zero(at_.size(), at_.size())),
      by_q_(MatrixXd::Zero(loops.size(), v_.size())),
      by_v_(by_q_),
      rate_slope_(by_q_),
      curve_(M_),
      rows_(MatrixXd::Zero(loops.size(), at_.size())),
      dependent_(rows_),
      v_dy_(MN_),
      factor_(at_.size()) {}

bool ClosedDynamics::start(In<double> q) {
  constexpr double nearly = 0.01;
  if (q.size() != q_.size() || !q.allFinite()) return false;
  at_.loops().set(q);
  to_ = q;
  const bool closes =
      at_.loops().gap().cwiseAbs().maxCoeff() < nearly && at_.follow(q, to_) && to_.allFinite();
  if (closes)
    q_ = to_, v_.setZero(), a_.setZero();
  else
    at_.set(q_);
  return closes;
}

bool ClosedDynamics::set(In<double> y) { return set(y, none_, none_); }
bool ClosedDynamics::set(In<double> y, In<double> rate) { return set(y, rate, none_); }

bool ClosedDynamics::set(In<double> y, In<double> rate, In<double> acceleration) {
  to_ = q_;
  at_.scatter(y, to_);
  return at_.follow(to_, q_) && move(rate, acceleration);
}

bool ClosedDynamics::move(In<double> rate, In<double> acceleration) {
  at_.move(rate, acceleration, v_, a_);
  return v_.allFinite() && a_.allFinite();
}

void ClosedDynamics::inverse_dynamics(const Plant<double>& plant, Out<double> tau) {
  ulna::inverse_dynamics<double>(plant, at_.loops().at(), ws_, tau_);
  tau.noalias() = N().transpose().lazyProduct(tau_);
}

void ClosedDynamics::mass_matrix(const Plant<double>& plant, OutMatrix<double> M) {
  ulna::mass_matrix<double>(plant, at_.loops().at(), ws_, M_);
  MN_.noalias() = M_.lazyProduct(N());
  M.noalias() = N().transpose().lazyProduct(MN_);
}

bool ClosedDynamics::forward_dynamics(const Plant<double>& plant, In<double> tau,
                                      Out<double> acceleration) {
  at_.gather(v_, rate_);
  at_.move(rate_, none_, v_, a_);
  inverse_dynamics(plant, y_);
  mass_matrix(plant, reduced_);
  factor_.compute(reduced_);
  y_ = tau - y_;
  if (factor_.info() != Eigen::Success) return false;
  factor_.solveInPlace(y_);
  if (!y_.allFinite()) return false;
  at_.move(rate_, y_, v_, a_);
  acceleration = y_;
  return true;
}

void ClosedDynamics::resume(In<double> q) { q_ = q; }

void ClosedDynamics::differentiate(const Plant<double>& plant, Slopes& slopes) {
  Loops& loops = at_.loops();
  inverse_dynamics_derivatives(plant, loops.at(), derivative_ws_, tree_);
  slopes.tau.noalias() = N().transpose().lazyProduct(tree_.tau);
  at_.carry(tree_.tau, lambda_);
  loops.torque_slope(lambda_, curve_);
  loops.rate_slope(v_, rate_slope_);
  loops.acceleration_slopes(by_q_, by_v_);

  // how v and a of dependent joints change with y, and a with y'
  const auto fill = [&](MatrixXd& all) {
    at_.answer(rows_, dependent_);
    for (std::size_t k = 0; k < at_.dependent().size(); ++k)
      all.row(at_.dependent()[k]) = dependent_.row(Index(k));
  };
  rows_.noalias() = rate_slope_.lazyProduct(N());
  fill(v_dy_);
  rows_.noalias() = by_q_.lazyProduct(N());
  rows_.noalias() += by_v_.lazyProduct(v_dy_);
  fill(a_dy_);
  rows_.noalias() = by_v_.lazyProduct(N());
  fill(a_dv_);

  f_.noalias() = tree_.dq.lazyProduct(N());
  f_.noalias() += tree_.dv.lazyProduct(v_dy_);
  f_.noalias() += tree_.da.lazyProduct(a_dy_);
  f_.noalias() -= curve_.lazyProduct(N());
  slopes.dy.noalias() = N().transpose().lazyProduct(f_);
  f_.noalias() = tree_.dv.lazyProduct(N());
  f_.noalias() += tree_.da.lazyProduct(a_dv_);
  slopes.dv.noalias() = N().transpose().lazyProduct(f_);
  f_.noalias() = tree_.da.lazyProduct(N());
  slopes.da.noalias() = N().transpose().lazyProduct(f_);
}

}  // namespace ulna
