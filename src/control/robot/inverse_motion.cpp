#include "control/robot/stage_motion.hpp"

namespace ulna::control::detail {
namespace {

/// q_next = q ⊞ (h v + h²/2 a), v_next = v + h a [Katayama, Ohtsuka 2021, sec. III]. With a contact, u = (a, λ).
class Inverse : public StageMotion {
 public:
  Inverse(const Model& model, bool by_duration, Task* pressed = nullptr)
      : StageMotion(model),
        by_duration_(by_duration),
        pressed_(pressed),
        motion_(model),
        at_(model),
        ws_(model),
        slopes_(model),
        along_(Vector::Zero(model.nv())),
        along_slope_(Eigen::MatrixXd::Zero(model.nv(), 3 * model.nv() + (by_duration ? 1 : 0))) {
    tau_slope.setZero(model.nv(), 3 * model.nv() + (pressed ? 1 : 0));
    if (pressed) wrenches_.push_back({&pressed->contact->frame, {}, Axes::aligned});
  }

  bool step(const Plant<double>& plant, int node, In<double> q, In<double> v, In<double> u,
            double h, OutMatrix<double>* slopes) override {
    const Model& model = plant.model();
    const int n = model.nv();
    if (pressed_) {
      wrenches_[0].wrench.moment.setZero();
      wrenches_[0].wrench.force = u(n) * pressed_->reference(node).push;
    }
    const auto a = u.head(n);
    if (!slopes && !pressed_) {
      motion_.set(q, v, a);
      inverse_dynamics<double>(plant, motion_, ws_.dynamics, tau);
      return advance(model, q, v, a, h);
    }
    at_.set(q, v, a);
    if (!slopes) {
      inverse_dynamics<double>(plant, at_, ws_.dynamics, tau, wrenches_);
      return advance(model, q, v, a, h);
    }
    OutMatrix<double>& F = *slopes;
    const Eigen::Index at_q = u.size();
    inverse_dynamics_derivatives(plant, at_, ws_, slopes_, wrenches_);
    tau = slopes_.tau;
    tau_slope.leftCols(n) = slopes_.da;
    tau_slope.middleCols(at_q, n) = slopes_.dq, tau_slope.rightCols(n) = slopes_.dv;
    if (pressed_) {
      tau_slope.col(n).setZero();
      wrenches_[0].wrench.force = -pressed_->reference(node).push;
      add_wrench_torque<double>(at_, wrenches_[0], tau_slope.col(n));
      F.col(n).setZero();
    }
    if (!advance(model, q, v, a, h)) return false;

    // by (q, v, a, h), then in the order (a, q, v, h)
    along_slope_.middleCols(n, n).diagonal().setConstant(h);
    along_slope_.middleCols(2 * n, n).diagonal().setConstant(0.5 * h * h);
    if (by_duration_) along_slope_.col(3 * n) = v_next;
    StepSlopes::displace(model, q, along_, along_slope_, q_slope_);
    F.topLeftCorner(n, n) = q_slope_.middleCols(2 * n, n);
    F.block(0, at_q, n, 2 * n) = q_slope_.leftCols(2 * n);
    auto v_rows = F.bottomRows(n);
    v_rows.setZero();
    v_rows.leftCols(n).diagonal().setConstant(h);
    v_rows.middleCols(at_q + n, n).diagonal().setOnes();
    if (by_duration_) F.col(at_q + 2 * n) << q_slope_.col(3 * n), a;
    return true;
  }

 private:
  bool advance(const Model& model, In<double> q, In<double> v, In<double> a, double h) {
    along_ = h * v + (0.5 * h * h) * a;
    v_next = v + h * a;
    if (!along_.allFinite() || !v_next.allFinite() || !tau.allFinite()) return false;
    integrate<double>(model, q, along_, q_next);
    return q_next.allFinite();
  }

  bool by_duration_;
  Task* pressed_;  ///< null: nothing touches
  std::vector<ExternalWrench<double>> wrenches_;
  Motion<double> motion_;
  Kinematics<double> at_;
  DerivativeWorkspace<double> ws_;
  InverseDynamicsDerivatives<double> slopes_;
  Vector along_;
  Eigen::MatrixXd along_slope_, q_slope_ = along_slope_;
};

/// u = (a, λ, μ): tau = ID(q, v, a) - J'λ, and after the tree's step q_next is moved along J'μ to where the
/// loops are closed, as a decides on rates already [Gear, Leimkuhler, Gupta 1985].
class LoopedInverse : public StageMotion {
 public:
  explicit LoopedInverse(const Task& task)
      : StageMotion(task.model()),
        tree_(task.model(), task.timed),
        loops_(*task.loops),
        mend_(Vector::Zero(task.nv())) {
    const int n = task.nv(), time = task.timed ? 1 : 0, all = task.inputs(0) + 2 * n;
    curve_.setZero(n, n), tree_slope_.setZero(2 * n, 3 * n + time), tau_slope.setZero(n, all);
    mend_slope_.setZero(n, n + all + time), next_slope_ = mend_slope_;
    q_slope_.setZero(n, all + time);
  }

  bool step(const Plant<double>& plant, int node, In<double> q, In<double> v, In<double> u,
            double h, OutMatrix<double>* slopes) override {
    const Eigen::Index n = tau.size(), m = loops_.size(), states = tree_slope_.cols() - n;
    if (!slopes)
      return tree_.step(plant, node, q, v, u.head(n), h, nullptr) && push(q, u) && mend(u);
    OutMatrix<double>& F = *slopes;
    OutMatrix<double> tree_slope = tree_slope_;
    if (!tree_.step(plant, node, q, v, u.head(n), h, &tree_slope) || !push(q, u)) return false;
    const Eigen::MatrixXd& by = tree_.tau_slope;
    loops_.torque_slope(u.segment(n, m), curve_);
    tau_slope.leftCols(n) = by.leftCols(n);
    tau_slope.middleCols(n, m) = -loops_.J().transpose();
    tau_slope.middleCols(n + 2 * m, n) = by.middleCols(n, n) - curve_;
    tau_slope.rightCols(n) = by.rightCols(n);

    F.leftCols(n) = tree_slope_.leftCols(n);
    F.middleCols(n, 2 * m).setZero();
    F.rightCols(states) = tree_slope_.rightCols(states);
    if (!mend(u)) return false;
    // by where the tree comes to, then by all variables through J'μ
    loops_.torque_slope(u.tail(m), curve_);
    mend_slope_.rightCols(F.cols()).noalias() = curve_.lazyProduct(F.topRows(n));
    mend_slope_.middleCols(2 * n + m, m) += loops_.J().transpose();
    StepSlopes::displace(loops_.model(), tree_.q_next, mend_, mend_slope_, next_slope_);
    q_slope_.noalias() = next_slope_.leftCols(n).lazyProduct(F.topRows(n));
    F.topRows(n) = q_slope_ + next_slope_.rightCols(F.cols());
    return true;
  }

 private:
  bool push(In<double> q, In<double> u) {
    loops_.set(q);
    tau = tree_.tau;
    tau.noalias() -= loops_.J().transpose().lazyProduct(u.segment(tau.size(), loops_.size()));
    return tau.allFinite();
  }

  bool mend(In<double> u) {
    loops_.set(tree_.q_next);
    mend_.noalias() = loops_.J().transpose().lazyProduct(u.tail(loops_.size()));
    if (!mend_.allFinite()) return false;
    integrate<double>(loops_.model(), tree_.q_next, mend_, q_next);
    v_next = tree_.v_next;
    return q_next.allFinite();
  }

  Inverse tree_;
  Loops loops_;
  Vector mend_;
  Eigen::MatrixXd curve_, tree_slope_, mend_slope_, next_slope_, q_slope_;
};

/// u = the accelerations of the joints that move the others: steps are those of a robot of these alone.
class ClosedInverse : public StageMotion {
 public:
  explicit ClosedInverse(Task& task)
      : StageMotion(task.nv(), task.nv()), task_(task), slopes_(task.nv()) {
    tau_slope.setZero(task.nv(), 3 * task.nv());
  }

  bool step(const Plant<double>& plant, int, In<double> q, In<double> v, In<double> u, double h,
            OutMatrix<double>* slopes) override {
    ClosedDynamics& closed = *task_.closed;
    if (!closed.move(v, u)) return false;
    if (slopes) {
      closed.differentiate(plant, slopes_);
      tau = slopes_.tau;
      tau_slope << slopes_.da, slopes_.dy, slopes_.dv;
    } else {
      closed.inverse_dynamics(plant, tau);
    }
    q_next = q + h * v + (0.5 * h * h) * u;
    v_next = v + h * u;
    if (slopes) set_slopes(u, h, *slopes);
    return q_next.allFinite() && v_next.allFinite() && tau.allFinite();
  }

 private:
  /// By (u, q, v), and by h if the final time is free.
  void set_slopes(In<double> u, double h, OutMatrix<double>& F) const {
    const Eigen::Index n = u.size();
    F.setZero();
    F.topLeftCorner(n, n).diagonal().setConstant(0.5 * h * h);
    F.block(0, n, n, n).diagonal().setOnes();
    F.block(0, 2 * n, n, n).diagonal().setConstant(h);
    F.bottomLeftCorner(n, n).diagonal().setConstant(h);
    F.block(n, 2 * n, n, n).diagonal().setOnes();
    if (task_.timed) F.col(3 * n) << v_next, u;
  }

  Task& task_;
  ClosedDynamics::Slopes slopes_;
};

}  // namespace

std::unique_ptr<StageMotion> inverse_motion(Task& task) {
  if (task.closed) return std::make_unique<ClosedInverse>(task);
  if (task.loops) return std::make_unique<LoopedInverse>(task);
  return std::make_unique<Inverse>(task.model(), task.timed, task.contact ? &task : nullptr);
}

}  // namespace ulna::control::detail
