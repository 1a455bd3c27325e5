#include "ulna/constraints/contact_inverse_dynamics.hpp"

#include <cmath>

namespace ulna {

namespace {

using V3 = Vec3<double>;

/// Of an undriven row, against one of a drive at its limit.
constexpr double undriven_weight = 1e3;

/// Multiplications after which forces that are not found count as none: some 50 ms, of robots deep inside others.
constexpr double most_effort = 2e7;

}  // namespace

ContactInverseDynamics::ContactInverseDynamics(const Model& model)
    : driven_(static_cast<std::size_t>(model.nv()), 1),
      weight_(Eigen::VectorXd::Ones(model.nv())),
      needed_(weight_),
      multiplier_(weight_),
      solver_({.method = ConeMethod::admm, .sweeps = 200, .effort = most_effort}) {
  for (const Joint& j : model.joints())
    for (int k = 0; j.type == JointType::floating && k < 6; ++k) driven_[j.v + k] = 0;
  // limits are compared with each other; where there are none, all drives are alike
  double largest = 0.0;
  for (int i = 0; i < model.nv(); ++i) {
    const double limit = model.effort_limit()(i);
    if (limit == 0.0) driven_[i] = 0;
    if (driven_[i] && std::isfinite(limit)) largest = std::max(largest, limit);
  }
  for (int i = 0; i < model.nv(); ++i) {
    const double limit = model.effort_limit()(i);
    if (driven_[i] && largest > 0.0 && std::isfinite(limit)) weight_(i) = square(largest / limit);
    if (!driven_[i]) weight_(i) = undriven_weight;
  }
}

void ContactInverseDynamics::add_supports(const Kinematics<double>& at,
                                          std::span<const Support> supports) {
  const int nv = at.model().nv();
  const auto all = at.directions();
  problem_.clear();
  problem_.associated = true;
  problem_.add_segment(nv);
  axes_.clear();
  for (const Support& s : supports) {
    int least;
    s.normal.cwiseAbs().minCoeff(&least);
    const V3 t = cross(s.normal, V3(V3::Unit(least))).normalized();
    const V3 axes[] = {s.normal, t, cross(s.normal, t)};
    axes_.insert(axes_.end(), axes, axes + 3);
    problem_.add_cone(s.friction);
    const ConeProblem::Columns to = problem_.add_piece(0);
    const auto own = at.directions(s.body);
    double diagonal = 0.0;
    for (int i = 0; i < 3; ++i) {
      double *J = to.J + i * nv, *K = to.K + i * nv;
      const V3 moment = cross(V3(s.point - at.origin()), axes[i]);
      for (int k = own.empty() ? -1 : static_cast<int>(&own.back() - all.data()); k >= 0;
           k = all[k].above)
        J[all[k].dof] += all[k].w.vec().dot(moment) + all[k].v.vec().dot(axes[i]);
      for (int k = 0; k < nv; ++k) K[k] = weight_(k) * J[k], diagonal += J[k] * K[k];
    }
    for (int i = 1; i <= 3; ++i) problem_.compliance.end()[-i] = 1e-10 * diagonal;
  }
}

bool ContactInverseDynamics::operator()(const Plant<double>& plant, const Kinematics<double>& at,
                                        Workspace<double>& ws, std::span<const Support> supports,
                                        Out<double> tau, std::span<V3> forces) {
  const int nv = at.model().nv();
  inverse_dynamics<double>(plant, at, ws, needed_);
  add_supports(at, supports);
  multiplier_.setZero();
  double weight = 0.0;
  for (int b = 1; b < at.model().body_count(); ++b) weight += plant.body(b).mass;
  weight *= std::max(plant.gravity.norm(), 1e-3);
  solver_.options.tolerance = 0.01 * tolerance * weight;
  Eigen::Map<Eigen::VectorXd> v(problem_.velocity.data(), nv);
  // augmented Lagrangian: the gradient of ½|J'λ - needed|² by weights, and multipliers
  for (int round = 0; round < 20; ++round) {
    v = -weight_.cwiseProduct(needed_) + multiplier_;
    solver_.solve(problem_);
    residual_ = 0.0;
    for (int i = 0; i < nv; ++i) {
      const double lacking = (v(i) - multiplier_(i)) / weight_(i);
      tau(i) = driven_[i] ? -lacking : 0.0;
      if (driven_[i]) continue;
      residual_ = std::max(residual_, std::abs(lacking));
      multiplier_(i) += weight_(i) * lacking;
    }
    if (residual_ <= tolerance * weight) break;
  }
  for (std::size_t i = 0; i < supports.size(); ++i) {
    const double* l = problem_.lambda.data() + 3 * i;
    forces[i] = l[0] * axes_[3 * i] + l[1] * axes_[3 * i + 1] + l[2] * axes_[3 * i + 2];
  }
  return residual_ <= tolerance * weight;
}

}  // namespace ulna
