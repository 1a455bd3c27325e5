#pragma once

#include "control/robot/stage_motion.hpp"
#include "control/robot/task.hpp"

// What a robot's problem is made of: costs, and constraints that own rows of g. Derivatives are in the order
// (u, q, v).
namespace ulna::control::detail {

/// A node at which terms are evaluated.
struct Point {
  int node;
  Eigen::Ref<const Eigen::VectorXd> q, v, u;
  const StageMotion& motion;  ///< from here to the next node; of the last node, nothing
};

class CostTerm {
 public:
  explicit CostTerm(Task& task) : task_(task) {}
  virtual ~CostTerm() = default;
  /// Adds to the cost, before it is scaled by a duration, and where `slopes` is given, to H and h.
  virtual void add(const Point& at, double& cost, QpStage* slopes) = 0;

 protected:
  int nv() const { return task_.model().nv(); }
  Task& task_;
};

class ConstraintTerm {
 public:
  explicit ConstraintTerm(Task& task) : task_(task) {}
  virtual ~ConstraintTerm() = default;

  /// Of g that it has at a node; none where it bounds u or x themselves.
  virtual int rows(int node) const = 0;
  /// Sets them in g, and where `slopes` is given, in G, which is zero before.
  virtual void evaluate(const Point& at, StageValue& value, QpStage* slopes) = 0;
  /// Bounds its rows, or u or x themselves.
  virtual void bound(int node, Bounds& bounds) const = 0;

  /// Its first row is this one of g at the next node.
  void place(int first) { first_.push_back(first); }

 protected:
  int nv() const { return task_.model().nv(); }
  int first(int node) const { return first_[static_cast<std::size_t>(node)]; }
  /// The first among all rows (u, x, g) of a stage.
  int first_bound(int node) const { return task_.variables(node) + first(node); }

  Task& task_;

 private:
  std::vector<int> first_;  ///< by node
};

}  // namespace ulna::control::detail
