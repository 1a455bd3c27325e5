#pragma once

#include "control/robot/state_space.hpp"
#include "control/robot/terms.hpp"

namespace ulna::control::detail {

/// ½ |q ⊟ q_r|² + ½ |v - v_r|².
class JointCost : public CostTerm {
 public:
  explicit JointCost(Task& task)
      : CostTerm(task), error_(Eigen::VectorXd::Zero(nv())), slope_(nv(), nv()) {}

  void add(const Point& at, double& cost, QpStage* slopes) override {
    const int n = nv(), at_q = task_.inputs(at.node), at_v = at_q + n;
    const Task::Reference& r = task_.reference(at.node);
    const Eigen::VectorXd &w_q = task_.weights.position, &w_v = task_.weights.velocity;
    difference<double>(task_.model(), r.q, at.q, error_);
    cost += 0.5 * error_.cwiseAbs2().dot(w_q);
    if (slopes) add_position_slopes(at, w_q, *slopes);

    error_ = at.v - r.v;
    cost += 0.5 * error_.cwiseAbs2().dot(w_v);
    if (!slopes) return;
    slopes->h.segment(at_v, n) += w_v.cwiseProduct(error_);
    slopes->H.diagonal().segment(at_v, n) += w_v;
  }

 private:
  void add_position_slopes(const Point& at, const Eigen::VectorXd& w, QpStage& slopes) {
    const int at_q = task_.inputs(at.node);
    if (!task_.flat) difference_slope(task_.model(), task_.reference(at.node).q, at.q, slope_);
    for (const Joint& j : task_.model().joints()) {
      if (j.mimics || j.type == JointType::fixed) continue;
      const int m = velocity_size(j.type), first = at_q + j.v;
      if (m == 1) {
        slopes.h(first) += w(j.v) * error_(j.v);
        slopes.H(first, first) += w(j.v);
        continue;
      }
      const auto D = slope_.block(j.v, j.v, m, m);
      for (int i = 0; i < m; ++i)
        for (int a = 0; a < m; ++a) {
          slopes.h(first + a) += w(j.v + i) * error_(j.v + i) * D(i, a);
          for (int b = 0; b < m; ++b)
            slopes.H(first + a, first + b) += w(j.v + i) * D(i, a) * D(i, b);
        }
    }
  }

  Eigen::VectorXd error_;
  Eigen::MatrixXd slope_;
};

/// Of positions and velocities: bounds of the state where it is a plain vector, otherwise constraints. What is
/// given at the start is not limited.
class StateLimits : public ConstraintTerm {
 public:
  using ConstraintTerm::ConstraintTerm;

  int rows(int node) const override {
    return task_.has_free_states(node) && !task_.flat ? 2 * nv() : 0;
  }

  void evaluate(const Point& at, StageValue& value, QpStage* slopes) override {
    if (rows(at.node) == 0) return;
    const int n = nv(), row = first(at.node), at_q = task_.inputs(at.node);
    // joints of several coordinates have no limits of position
    value.g.segment(row, n).setZero();
    for (const Joint& j : task_.model().joints()) {
      if (j.mimics || velocity_size(j.type) != 1) continue;
      value.g(row + j.v) = at.q(j.q);
      if (slopes) slopes->G(row + j.v, at_q + j.v) = 1.0;
    }
    value.g.segment(row + n, n) = at.v;
    if (slopes) slopes->G.block(row + n, at_q + n, n, n).diagonal().setOnes();
  }

  void bound(int node, Bounds& b) const override {
    const int n = nv(), states = task_.flat ? task_.inputs(node) : first_bound(node);
    const MotionLimits& limits = task_.limits;
    const auto limit = [&](int dof) {
      const int row = states + dof, at = dof % n;
      b.lower(row) = dof < n ? limits.lower(at) : -limits.velocity(at);
      b.upper(row) = dof < n ? limits.upper(at) : limits.velocity(at);
      b.price(row) = limits.price, b.price_squared(row) = limits.price_squared;
    };
    if (node == 0)
      for (const int dof : task_.free) limit(dof);
    else
      for (int dof = 0; dof < 2 * n; ++dof) limit(dof);
  }
};

/// What is given of the last state: equations, of the state where it is a plain vector.
class GivenEnd : public ConstraintTerm {
 public:
  explicit GivenEnd(Task& task)
      : ConstraintTerm(task),
        error_(Eigen::VectorXd::Zero(nv())),
        slope_(Eigen::MatrixXd::Identity(nv(), nv())) {}

  int rows(int node) const override {
    return node == task_.steps && !task_.flat ? static_cast<int>(task_.given.size()) : 0;
  }

  void evaluate(const Point& at, StageValue& value, QpStage* slopes) override {
    if (rows(at.node) == 0) return;
    const int n = nv();
    const Task::Reference& r = task_.reference(at.node);
    difference<double>(task_.model(), r.q, at.q, error_);
    if (slopes) difference_slope(task_.model(), r.q, at.q, slope_);
    int row = first(at.node);
    for (const int dof : task_.given) {
      value.g(row) = dof < n ? error_(dof) : at.v(dof - n) - r.v(dof - n);
      if (slopes && dof < n) slopes->G.row(row).head(n) = slope_.row(dof);
      if (slopes && dof >= n) slopes->G(row, dof) = 1.0;
      ++row;
    }
  }

  void bound(int node, Bounds& b) const override {
    if (node != task_.steps) return;
    const int n = nv();
    const Task::Reference& r = task_.references.back();
    int row = first_bound(node);
    for (const int dof : task_.given) {
      const int at = task_.flat ? dof : row++;
      b.lower(at) = b.upper(at) = !task_.flat ? 0.0 : dof < n ? r.q(dof) : r.v(dof - n);
      b.price(at) = infinity;
    }
  }

 private:
  Eigen::VectorXd error_;
  Eigen::MatrixXd slope_;
};

}  // namespace ulna::control::detail
