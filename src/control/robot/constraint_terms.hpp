#pragma once

#include <algorithm>

#include "control/robot/motion_cost.hpp"

// What a robot's motion keeps to. Derivatives are in the order (u, q, v).
namespace ulna::control::detail {

class ConstraintTerm {
 public:
  explicit ConstraintTerm(Task& task) : task_(task), n_(task.nv()) {}
  virtual ~ConstraintTerm() = default;

  /// Of g that it has at a node; none where it bounds u or x themselves.
  virtual int rows(int node) const = 0;
  /// Sets its rows, if it has any, and where G is given, their slopes, which are zero before.
  virtual void evaluate(const Point& at, Out<double> g, OutMatrix<double>* G) = 0;
  /// Bounds its rows, or u or x themselves. `first`: of its own among all rows (u, x, g) of the stage.
  virtual void bound(int node, int first, Bounds& bounds) const = 0;

 protected:
  Task& task_;
  int n_;
};

/// Bounds of inputs where these are the torques, otherwise constraints.
class TorqueLimits : public ConstraintTerm {
 public:
  TorqueLimits(Task& task, bool torque_is_input)
      : ConstraintTerm(task), torque_is_input_(torque_is_input) {}

  int rows(int node) const override { return node < task_.steps && !torque_is_input_ ? n_ : 0; }

  void evaluate(const Point& at, Out<double> g, OutMatrix<double>* G) override {
    const Eigen::MatrixXd& slope = at.motion.tau_slope;
    if (task_.motors.size() == 0) {
      g = at.motion.tau;
      if (G) G->leftCols(slope.cols()) = slope;
    } else {
      g.noalias() = task_.motors.lazyProduct(at.motion.tau);
      if (G) G->leftCols(slope.cols()).noalias() = task_.motors.lazyProduct(slope);
    }
  }

  void bound(int node, int first, Bounds& b) const override {
    if (node == task_.steps) return;
    const int row = torque_is_input_ ? 0 : first;
    auto lower = b.lower.segment(row, n_), upper = b.upper.segment(row, n_);
    lower = -task_.limits.torque, upper = task_.limits.torque;
    double time = task_.until_first;
    for (int k = 0; k < node; ++k) time += task_.duration(k);
    for (int i = 0; i < n_; ++i) {
      // from within the limits, as what acted may not have been
      const double before = task_.motors.size() == 0 ? task_.torque_before(i)
                                                     : task_.motors.row(i).dot(task_.torque_before);
      const double from = std::clamp(before, lower(i), upper(i)),
                   way = task_.limits.torque_rate(i) * time;
      lower(i) = std::max(lower(i), from - way), upper(i) = std::min(upper(i), from + way);
    }
  }

 private:
  bool torque_is_input_;
};

/// Of positions and velocities: bounds of the state where it is a plain vector, otherwise constraints. What is
/// given at the start is not limited.
class StateLimits : public ConstraintTerm {
 public:
  using ConstraintTerm::ConstraintTerm;

  int rows(int node) const override {
    return task_.has_free_states(node) && !task_.flat ? 2 * n_ : 0;
  }

  void evaluate(const Point& at, Out<double> g, OutMatrix<double>* G) override {
    const int at_q = task_.inputs(at.node);
    // joints of several coordinates have no limits of position
    g.head(n_).setZero();
    for (const Joint& j : task_.model().joints()) {
      if (j.mimics || velocity_size(j.type) != 1) continue;
      g(j.v) = at.q(j.q);
      if (G) (*G)(j.v, at_q + j.v) = 1.0;
    }
    g.tail(n_) = at.v;
    if (G) G->block(n_, at_q + n_, n_, n_).diagonal().setOnes();
  }

  void bound(int node, int first, Bounds& b) const override {
    const int states = task_.flat ? task_.inputs(node) : first;
    const MotionLimits& limits = task_.limits;
    const auto limit = [&](int dof) {
      const int row = states + dof, at = dof % n_;
      b.lower(row) = dof < n_ ? limits.lower(at) : -limits.velocity(at);
      b.upper(row) = dof < n_ ? limits.upper(at) : limits.velocity(at);
      b.price(row) = limits.price, b.price_squared(row) = limits.price_squared;
    };
    if (node == 0)
      for (const int dof : task_.free) limit(dof);
    else
      for (int dof = 0; dof < 2 * n_; ++dof) limit(dof);
  }
};

/// Loops are closed and stay so: φ(q) = 0 and J v = 0, but where positions or velocities are given.
class LoopClosure : public ConstraintTerm {
 public:
  using ConstraintTerm::ConstraintTerm;

  int rows(int node) const override {
    return (task_.has_free_velocities(node) ? 2 : 1) * task_.loop_rows();
  }

  void evaluate(const Point& at, Out<double> g, OutMatrix<double>* G) override {
    Loops& loops = *task_.loops;
    const int m = loops.size(), at_q = task_.inputs(at.node);
    loops.set(at.q);
    g.head(m) = loops.gap();
    if (G) G->block(0, at_q, m, n_) = loops.J();
    if (!task_.has_free_velocities(at.node)) return;
    g.tail(m).noalias() = loops.J().lazyProduct(at.v);
    if (!G) return;
    loops.rate_slope(at.v, G->block(m, at_q, m, n_));
    G->block(m, at_q + n_, m, n_) = loops.J();
  }

  void bound(int node, int first, Bounds& b) const override {
    const int m = task_.loop_rows();
    const double give = task_.has_free_positions(node) ? 0.0 : nearly_closed;
    b.lower.segment(first, rows(node)).setZero(), b.upper.segment(first, rows(node)).setZero();
    b.lower.segment(first, m).setConstant(-give), b.upper.segment(first, m).setConstant(give);
  }
};

/// Of positions of joints that follow others where loops are closed.
class FollowerLimits : public ConstraintTerm {
 public:
  explicit FollowerLimits(Task& task) : ConstraintTerm(task) {}

  int rows(int node) const override {
    return task_.has_free_states(node) ? int(followers().size()) : 0;
  }

  void evaluate(const Point& at, Out<double> g, OutMatrix<double>* G) override {
    const ClosedDynamics& closed = *task_.closed;
    for (std::size_t k = 0; k < followers().size(); ++k) {
      g(Eigen::Index(k)) = closed.q()(followers()[k]);
      if (G)
        G->row(Eigen::Index(k)).segment(task_.inputs(at.node), n_) = closed.N().row(followers()[k]);
    }
  }

  void bound(int node, int first, Bounds& b) const override {
    const MotionLimits& limits = task_.all_limits;
    if (rows(node) == 0) return;
    for (const int joint : followers()) {
      b.lower(first) = limits.lower(joint), b.upper(first) = limits.upper(joint);
      b.price(first) = limits.price, b.price_squared(first) = limits.price_squared;
      ++first;
    }
  }

 private:
  const std::vector<int>& followers() const { return task_.closed->coordinates().dependent(); }
};

/// Where a contact is planned, the frame does not accelerate along the normal, and the force is not negative; elsewhere there is none. Its
/// acceleration is that of the references' places and velocities: linear in a. With those of the plan, a reference that is off the wall
/// would curve the problem so much that Gauss-Newton steps oscillate.
class WallContact : public ConstraintTerm {
 public:
  using ConstraintTerm::ConstraintTerm;

  int rows(int node) const override { return node < task_.steps ? 1 : 0; }

  void evaluate(const Point& at, Out<double> g, OutMatrix<double>* G) override {
    const Task::Reference& r = task_.reference(at.node);
    g(0) = r.along.dot(at.u.head(n_)) + r.drift;
    if (G) G->row(0).head(n_) = r.along.transpose();
  }

  void bound(int node, int first, Bounds& b) const override {
    if (node == task_.steps) return;
    const bool touches = task_.references[std::size_t(node)].press > 0.0;
    b.lower(n_) = 0.0, b.upper(n_) = touches ? task_.contact->task.most : 0.0;
    b.lower(first) = touches ? 0.0 : -infinity, b.upper(first) = -b.lower(first);
  }
};

/// Capsules keep their distances, at every node but a first one that is given.
class Clearances : public ConstraintTerm {
 public:
  Clearances(Task& task, const RobotProblemOptions& options)
      : ConstraintTerm(task),
        price_(options.collision_price),
        price_squared_(options.collision_price_squared),
        by_all_(Eigen::MatrixXd::Zero(task.capsules->size(), task.model().nv())) {}

  int rows(int node) const override {
    return task_.has_free_states(node) ? task_.capsules->size() : 0;
  }

  void evaluate(const Point& at, Out<double> g, OutMatrix<double>* G) override {
    const int at_q = task_.inputs(at.node);
    if (!G) {
      task_.closed ? task_.capsules->distances(task_.closed->q(), g)
                   : task_.capsules->distances(at.q, g);
    } else if (task_.closed) {
      task_.capsules->distances(task_.closed->q(), g, by_all_);
      G->middleCols(at_q, n_).noalias() = by_all_.lazyProduct(task_.closed->N());
    } else {
      task_.capsules->distances(at.q, g, G->middleCols(at_q, n_));
    }
  }

  void bound(int node, int first, Bounds& b) const override {
    const int pairs = rows(node);
    b.lower.segment(first, pairs).setConstant(task_.capsules->required());
    b.price.segment(first, pairs).setConstant(price_);
    b.price_squared.segment(first, pairs).setConstant(price_squared_);
  }

 private:
  double price_, price_squared_;
  Eigen::MatrixXd by_all_;  ///< slopes by all joints, of the closed robot
};

/// What is given of the last state: equations, of the state where it is a plain vector.
class GivenEnd : public ConstraintTerm {
 public:
  explicit GivenEnd(Task& task)
      : ConstraintTerm(task),
        error_(Eigen::VectorXd::Zero(n_)),
        slope_(Eigen::MatrixXd::Identity(n_, n_)) {}

  int rows(int node) const override {
    return node == task_.steps && !task_.flat ? int(task_.given.size()) : 0;
  }

  void evaluate(const Point& at, Out<double> g, OutMatrix<double>* G) override {
    task_.position_error(at.node, at.q, error_, G ? &slope_ : nullptr);
    const Eigen::VectorXd& v = task_.reference(at.node).v;
    int row = 0;
    for (const int dof : task_.given) {
      g(row) = dof < n_ ? error_(dof) : at.v(dof - n_) - v(dof - n_);
      if (G && dof < n_) G->row(row).head(n_) = slope_.row(dof);
      if (G && dof >= n_) (*G)(row, dof) = 1.0;
      ++row;
    }
  }

  void bound(int node, int first, Bounds& b) const override {
    if (node != task_.steps) return;
    const Task::Reference& r = task_.references.back();
    for (const int dof : task_.given) {
      const int row = task_.flat ? dof : first++;
      b.lower(row) = b.upper(row) = !task_.flat ? 0.0 : dof < n_ ? r.q(dof) : r.v(dof - n_);
      b.price(row) = infinity;
    }
  }

 private:
  Eigen::VectorXd error_;
  Eigen::MatrixXd slope_;
};

}  // namespace ulna::control::detail
