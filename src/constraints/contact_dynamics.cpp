#include "ulna/constraints/contact_dynamics.hpp"

#include "constraints/not_physical.hpp"
#include "num/message.hpp"
#include "ulna/derivatives/frame_derivatives.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"

namespace ulna {
namespace {

using Status = ConstraintReport::Status;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using V3 = Vec3<double>;

/// m/s along the plane, below which a point has no direction to slide in.
constexpr double slowest = 1e-9;

int count_rows(std::span<const FrameContact> contacts) {
  int rows = 0;
  for (const FrameContact& c : contacts) rows += c.rows();
  return rows;
}

void require_room(std::span<const FrameContact> contacts, int most) {
  messages::require(std::ssize(contacts) <= most, "contact dynamics: ", contacts.size(),
                    " contacts, the workspace was made for ", most);
}

V3 along(const V3& normal, const V3& u) { return u - normal.dot(u) * normal; }

/// Rows of what is to be zero and of what acts, and drifts. False if a point that slides does not.
bool set_rows(const Kinematics<double>& at, std::span<const FrameContact> contacts,
              ContactWorkspace& ws) {
  int row = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const FrameContact& c = contacts[i];
    frame_jacobian<double>(at, *c.frame, Axes::aligned, ws.frame_J);
    const auto J = ws.frame_J.bottomRows<3>();
    const V3 drift = frame_drift<double>(at, *c.frame, Axes::aligned).linear;
    if (c.mode == ContactMode::stick) {
      ws.J.middleRows<3>(row) = J, ws.F.middleRows<3>(row) = J;
      ws.drift.segment<3>(row) = drift;
    } else {
      const V3 u = along(c.normal, frame_velocity<double>(at, *c.frame, Axes::aligned).linear);
      if (!(u.norm() > slowest)) return false;
      ws.slides[i] = u.normalized();
      const V3 f = c.normal - c.friction * ws.slides[i];
      ws.J.row(row).noalias() = c.normal.transpose().lazyProduct(J);
      ws.F.row(row).noalias() = f.transpose().lazyProduct(J);
      ws.drift(row) = c.normal.dot(drift);
    }
    row += c.rows();
  }
  return true;
}

/// The force of a contact whose unknowns begin at a row.
V3 force_of(const FrameContact& c, const V3& slides, const VectorXd& lambda, int row) {
  if (c.mode == ContactMode::stick) return lambda.segment<3>(row);
  return lambda(row) * (c.normal - c.friction * slides);
}

}  // namespace

ContactWorkspace::ContactWorkspace(const Model& model, int most)
    : dynamics(model),
      factor(model),
      J(MatrixXd::Zero(3 * most, model.nv())),
      F(J),
      X(MatrixXd::Zero(model.nv(), 3 * most)),
      W(MatrixXd::Zero(3 * most, 3 * most)),
      frame_J(MatrixXd::Zero(6, model.nv())),
      lambda(VectorXd::Zero(3 * most)),
      drift(lambda),
      left(lambda),
      slides(static_cast<std::size_t>(most), V3::Zero()) {
  for (int rows = 0; rows <= 3 * most; ++rows) {
    factors_.emplace_back(rows);
    regular_.emplace_back(MatrixXd::Zero(rows, rows));
    step_.emplace_back(VectorXd::Zero(rows)), sum_.emplace_back(VectorXd::Zero(rows));
  }
}

bool ContactWorkspace::factor_rows(int rows) {
  for (int i = 0; i < rows; ++i) {
    X.col(i) = F.row(i).transpose();
    factor.solve(X.col(i));
  }
  W.topLeftCorner(rows, rows).noalias() = J.topRows(rows).lazyProduct(X.leftCols(rows));
  MatrixXd& regular = regular_[static_cast<std::size_t>(rows)];
  regular = W.topLeftCorner(rows, rows);
  if (!regular.allFinite()) return false;
  const double most = rows > 0 ? regular.diagonal().cwiseAbs().maxCoeff() : 0.0;
  for (int i = 0; i < rows; ++i)
    regular(i, i) += ProximalFactor::mu * std::max(std::abs(W(i, i)), 1e-6 * most);
  if (rows > 0) factors_[static_cast<std::size_t>(rows)].compute(regular);
  return true;
}

double ContactWorkspace::solve(int rows, Out<double> x) {
  constexpr int most_rounds = 10;
  if (rows == 0) return 0.0;
  const auto k = static_cast<std::size_t>(rows);
  const auto w = W.topLeftCorner(rows, rows);
  VectorXd &step = step_[k], &sum = sum_[k];
  auto rest = left.head(rows);
  rest = x;
  sum.setZero();
  double before = infinity;
  for (int round = 0; round < most_rounds; ++round) {
    step = factors_[k].solve(rest);
    sum += step;
    rest = x;
    rest.noalias() -= w.lazyProduct(sum);
    const double now = rest.lpNorm<Eigen::Infinity>();
    if (!(now < 0.5 * before)) break;
    before = now;
  }
  x = sum;
  return rest.lpNorm<Eigen::Infinity>();
}

ConstraintReport contact_forward_dynamics(const Plant<double>& plant, const Kinematics<double>& at,
                                          In<double> tau, std::span<const FrameContact> contacts,
                                          ContactWorkspace& ws, Out<double> a, std::span<V3> forces,
                                          ExternalWrenches<double> wrenches) {
  require_room(contacts, ws.most_contacts());
  messages::require(forces.size() == contacts.size(), "contact dynamics: ", contacts.size(),
                    " contacts, but room for ", forces.size(), " forces");
  const int rows = count_rows(contacts);
  if (!mass_matrix_dynamics<double>(plant, at, tau, ws.factor, ws.dynamics, a, wrenches) ||
      !set_rows(at, contacts, ws) || !ws.factor_rows(rows))
    return detail::not_physical;
  auto lambda = ws.lambda.head(rows);
  const auto J = ws.J.topRows(rows);
  lambda = -ws.drift.head(rows);
  lambda.noalias() -= J.lazyProduct(a);
  const double size =
      ws.drift.head(rows).lpNorm<Eigen::Infinity>() + lambda.lpNorm<Eigen::Infinity>();
  ws.solve(rows, lambda);
  a.noalias() += ws.X.leftCols(rows).lazyProduct(lambda);
  auto left = ws.left.head(rows);
  left = ws.drift.head(rows);
  left.noalias() += J.lazyProduct(a);
  int row = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    forces[i] = force_of(contacts[i], ws.slides[i], ws.lambda, row);
    row += contacts[i].rows();
  }
  const double residual = left.lpNorm<Eigen::Infinity>();
  if (!std::isfinite(residual) || !a.allFinite()) return detail::not_physical;
  return {residual <= 1e-8 * size ? Status::solved : Status::contradictory, residual, 1};
}

ContactDynamicsDerivatives::ContactDynamicsDerivatives(const Model& model, int most)
    : a(VectorXd::Zero(model.nv())),
      lambda(VectorXd::Zero(3 * most)),
      dq(MatrixXd::Zero(model.nv(), model.nv())),
      dv(dq),
      dtau(dq),
      dfriction(MatrixXd::Zero(model.nv(), most)),
      lambda_dq(MatrixXd::Zero(3 * most, model.nv())),
      lambda_dv(lambda_dq),
      lambda_dtau(lambda_dq),
      lambda_dfriction(MatrixXd::Zero(3 * most, most)),
      tree(model) {}

ContactDerivativeWorkspace::ContactDerivativeWorkspace(const Model& model, int most)
    : contacts(model, most),
      derivatives(model),
      forces(static_cast<std::size_t>(most), V3::Zero()),
      V_dq(MatrixXd::Zero(6, model.nv())),
      A_dq(V_dq),
      A_dv(V_dq),
      by_q(MatrixXd::Zero(3 * most, model.nv())),
      by_v(by_q),
      f_dq(MatrixXd::Zero(model.nv(), model.nv())),
      f_dv(f_dq),
      f_dmu(MatrixXd::Zero(model.nv(), most)) {
  wrenches.reserve(static_cast<std::size_t>(most) + 16);
}

namespace {

/// How rows change with q and v, and the torques of friction that turns with them or grows with its coefficient.
void set_slopes(const Kinematics<double>& at, std::span<const FrameContact> contacts,
                const VectorXd& lambda, ContactDerivativeWorkspace& ws) {
  ws.f_dq.setZero(), ws.f_dv.setZero(), ws.f_dmu.setZero();
  int row = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const FrameContact& c = contacts[i];
    frame_motion_derivatives<double>(at, *c.frame, Axes::aligned, ws.V_dq, ws.A_dq, ws.A_dv);
    const auto A_dq = ws.A_dq.bottomRows<3>(), A_dv = ws.A_dv.bottomRows<3>();
    if (c.mode == ContactMode::stick) {
      ws.by_q.middleRows<3>(row) = A_dq, ws.by_v.middleRows<3>(row) = A_dv;
      row += 3;
      continue;
    }
    ws.by_q.row(row).noalias() = c.normal.transpose().lazyProduct(A_dq);
    ws.by_v.row(row).noalias() = c.normal.transpose().lazyProduct(A_dv);
    // f = λ (n - mu t), dt = (1 - t t') (1 - n n') du / |u|
    frame_jacobian<double>(at, *c.frame, Axes::aligned, ws.contacts.frame_J);
    const auto J = ws.contacts.frame_J.bottomRows<3>();
    const V3 t = ws.contacts.slides[i];
    const double speed =
        along(c.normal, frame_velocity<double>(at, *c.frame, Axes::aligned).linear).norm();
    const Mat3<double> turn =
        (-lambda(row) * c.friction / speed) *
        (Mat3<double>::Identity() - t * t.transpose() - c.normal * c.normal.transpose());
    for (Index k = 0; k < ws.f_dq.cols(); ++k) {
      const V3 by_q = turn * ws.V_dq.col(k).tail<3>(), by_v = turn * J.col(k);
      ws.f_dq.col(k).noalias() += J.transpose().lazyProduct(by_q);
      ws.f_dv.col(k).noalias() += J.transpose().lazyProduct(by_v);
    }
    ws.f_dmu.col(Index(i)).noalias() = -lambda(row) * J.transpose().lazyProduct(t);
    ++row;
  }
}

}  // namespace

ConstraintReport contact_dynamics_derivatives(const Plant<double>& plant, Kinematics<double>& at,
                                              In<double> tau,
                                              std::span<const FrameContact> contacts,
                                              ContactDerivativeWorkspace& ws,
                                              ContactDynamicsDerivatives& out,
                                              ExternalWrenches<double> wrenches) {
  require_room(contacts, ws.contacts.most_contacts());
  const auto forces = std::span(ws.forces).first(contacts.size());
  const ConstraintReport found =
      contact_forward_dynamics(plant, at, tau, contacts, ws.contacts, out.a, forces, wrenches);
  if (found.status == Status::not_physical) return found;
  const int rows = out.rows = count_rows(contacts);
  out.lambda.head(rows) = ws.contacts.lambda.head(rows);
  // with forces held, whose points move with the robot
  ws.wrenches.assign(wrenches.begin(), wrenches.end());
  for (std::size_t i = 0; i < contacts.size(); ++i)
    ws.wrenches.push_back({contacts[i].frame, {V3::Zero(), forces[i]}, Axes::aligned});
  if (!forward_dynamics_derivatives<double>(plant, at, tau, ws.derivatives, out.tree, ws.wrenches))
    return detail::not_physical;
  at.set(at.q(), at.v(), out.a);
  set_slopes(at, contacts, out.lambda, ws);
  const MatrixXd& M_inverse = out.tree.dtau;
  out.dq = out.tree.dq, out.dv = out.tree.dv, out.dtau = M_inverse;
  out.dq.noalias() += M_inverse.lazyProduct(ws.f_dq);
  out.dv.noalias() += M_inverse.lazyProduct(ws.f_dv);
  out.dfriction.noalias() = M_inverse.lazyProduct(ws.f_dmu);
  // and what λ does so that rows stay met
  const auto J = ws.contacts.J.topRows(rows);
  const auto X = ws.contacts.X.leftCols(rows);
  const auto meet = [&](const MatrixXd* moved, MatrixXd& slope, MatrixXd& all) {
    auto by = all.topRows(rows);
    by.noalias() = -J.lazyProduct(slope);
    if (moved) by -= moved->topRows(rows);
    for (Index k = 0; k < by.cols(); ++k) ws.contacts.solve(rows, by.col(k));
    slope.noalias() += X.lazyProduct(by);
  };
  meet(&ws.by_q, out.dq, out.lambda_dq);
  meet(&ws.by_v, out.dv, out.lambda_dv);
  meet(nullptr, out.dtau, out.lambda_dtau);
  meet(nullptr, out.dfriction, out.lambda_dfriction);
  return found;
}

}  // namespace ulna
