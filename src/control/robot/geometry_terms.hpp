#pragma once

#include "control/robot/terms.hpp"

namespace ulna::control::detail {

/// Loops are closed and stay so: φ(q) = 0 and J v = 0, but where positions or velocities are given.
class LoopClosure : public ConstraintTerm {
 public:
  using ConstraintTerm::ConstraintTerm;

  int rows(int node) const override {
    return (task_.has_free_velocities(node) ? 2 : 1) * task_.loop_rows();
  }

  void evaluate(const Point& at, StageValue& value, QpStage* slopes) override {
    Loops& loops = *task_.loops;
    const int n = nv(), m = loops.size(), row = first(at.node), at_q = task_.inputs(at.node);
    loops.set(at.q);
    value.g.segment(row, m) = loops.gap();
    if (slopes) slopes->G.block(row, at_q, m, n) = loops.J();
    if (!task_.has_free_velocities(at.node)) return;
    value.g.segment(row + m, m).noalias() = loops.J().lazyProduct(at.v);
    if (slopes) loops.rate_slope(at.v, slopes->G.block(row + m, at_q, m, n));
    if (slopes) slopes->G.block(row + m, at_q + n, m, n) = loops.J();
  }

  void bound(int node, Bounds& b) const override {
    const int row = first_bound(node), m = task_.loop_rows();
    const double give = task_.has_free_positions(node) ? 0.0 : nearly_closed;
    b.lower.segment(row, rows(node)).setZero(), b.upper.segment(row, rows(node)).setZero();
    b.lower.segment(row, m).setConstant(-give), b.upper.segment(row, m).setConstant(give);
  }
};

/// Capsules keep their distances, at every node but a first one that is given.
class Clearances : public ConstraintTerm {
 public:
  Clearances(Task& task, const RobotProblemOptions& options)
      : ConstraintTerm(task),
        price_(options.collision_price),
        price_squared_(options.collision_price_squared) {}

  int rows(int node) const override {
    return task_.has_free_states(node) ? task_.capsules->size() : 0;
  }

  void evaluate(const Point& at, StageValue& value, QpStage* slopes) override {
    const int pairs = rows(at.node), row = first(at.node);
    if (pairs == 0) return;
    if (slopes)
      task_.capsules->distances(at.q, value.g.segment(row, pairs),
                                slopes->G.block(row, task_.inputs(at.node), pairs, nv()));
    else
      task_.capsules->distances(at.q, value.g.segment(row, pairs));
  }

  void bound(int node, Bounds& b) const override {
    const int pairs = rows(node), row = first_bound(node);
    b.lower.segment(row, pairs).setConstant(task_.capsules->required());
    b.price.segment(row, pairs).setConstant(price_);
    b.price_squared.segment(row, pairs).setConstant(price_squared_);
  }

 private:
  double price_, price_squared_;
};

}  // namespace ulna::control::detail
