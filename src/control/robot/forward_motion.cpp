#include "control/robot/stage_motion.hpp"
#include "ulna/simulate/step_batch.hpp"

namespace ulna::control::detail {
namespace {

/// F from the slopes of a step by (q, v) and by its inputs, behind which its duration may stand.
void set_slopes(const StepSlopes& step, Eigen::Index inputs, OutMatrix<double>& F) {
  F.leftCols(inputs) = step.B.leftCols(inputs);
  F.middleCols(inputs, step.A.cols()) = step.A;
  F.rightCols(step.B.cols() - inputs) = step.B.rightCols(step.B.cols() - inputs);
}

class Forward : public StageMotion {
 public:
  Forward(const Task& task, const RobotProblemOptions& options)
      : StageMotion(task.model()), slopes_(task.model(), options.integrator, task.timed) {
    if (task.timed || !StepBatch::serves(task.model())) return;
    batch_.emplace(task.model(), options.integrator, options.threads);
    const int n = task.nv();
    for (Eigen::MatrixXd* m : {&Q_, &V_, &U_, &Q_next_, &V_next_}) m->setZero(n, task.steps);
    F_.setZero(6 * n * n, task.steps);
    h_ = Eigen::Map<const Vector>(task.durations.data(), task.steps);
  }

  bool prepare(const Plant<double>& plant, std::span<const Vector> x, std::span<const Vector> u,
               bool slopes) override {
    if (!batch_) return true;
    const Eigen::Index n = Q_.rows();
    for (Eigen::Index k = 0; k < Q_.cols(); ++k) {
      if (!x[k].allFinite() || !u[k].allFinite()) return false;
      Q_.col(k) = x[k].head(n), V_.col(k) = x[k].segment(n, n), U_.col(k) = u[k];
    }
    return slopes ? batch_->differentiate(plant, Q_, V_, U_, h_, Q_next_, V_next_, F_)
                  : batch_->step(plant, Q_, V_, U_, h_, Q_next_, V_next_);
  }

  bool step(const Plant<double>& plant, int node, In<double> q, In<double> v, In<double> u,
            double h, OutMatrix<double>* F) override {
    const Eigen::Index n = u.size();
    tau = u;
    if (batch_) {
      q_next = Q_next_.col(node), v_next = V_next_.col(node);
      if (F) *F = Eigen::Map<const Eigen::MatrixXd>(F_.col(node).data(), 2 * n, 3 * n);
      return true;
    }
    if (!(F ? slopes_(plant, q, v, u, h) : slopes_.step(plant, q, v, u, h))) return false;
    q_next = slopes_.step.q_next, v_next = slopes_.step.v_next;
    if (F) set_slopes(slopes_, n, *F);
    return true;
  }

 private:
  StepDerivatives slopes_;
  std::optional<StepBatch> batch_;
  Eigen::MatrixXd Q_, V_, U_, Q_next_, V_next_, F_;
  Vector h_;
};

/// u = (tau, λ, λ_end): a step of a = FD(q, v, tau + J'λ) with forces that change linearly in it. With λ
/// constant gaps could only be mended by moving q, and a motion would be planned that lives on that.
class LoopedForward : public StageMotion {
 public:
  LoopedForward(const Task& task, Integrator integrator)
      : StageMotion(task.model()),
        push_(*task.loops),
        step_(task.model(), integrator, task.inputs(0), task.timed) {}

  bool step(const Plant<double>& plant, int, In<double> q, In<double> v, In<double> u, double h,
            OutMatrix<double>* F) override {
    push_.u = u;
    if (!step_(plant, q, v, push_, h, F != nullptr)) return false;
    q_next = step_.step.q_next, v_next = step_.step.v_next, tau = u.head(tau.size());
    if (F) set_slopes(step_, u.size(), *F);
    return true;
  }

 private:
  /// What acts on the tree's joints.
  class Push : public Drive {
   public:
    explicit Push(const Loops& loops)
        : u(Vector::Zero(loops.model().nv() + 2 * loops.size())),
          lambda_(Vector::Zero(loops.size())),
          loops_(loops) {}

    void torque(double share, In<double> q, In<double>, Out<double> tau,
                Out<double> tau_by_v) override {
      const Eigen::Index n = tau.size(), m = lambda_.size();
      loops_.set(q);
      lambda_ = (1.0 - share) * u.segment(n, m) + share * u.tail(m);
      tau = u.head(n);
      tau.noalias() += loops_.J().transpose().lazyProduct(lambda_);
      tau_by_v.setZero();
    }
    bool torque_by_q(In<double>, OutMatrix<double> slope) override {
      loops_.torque_slope(lambda_, slope);
      return true;
    }
    void surplus_by_numbers(double share, In<double>, In<double>, In<double>,
                            OutMatrix<double> D) override {
      const Eigen::Index n = D.rows(), m = lambda_.size();
      D.leftCols(n).setIdentity();
      D.middleCols(n, m) = (1.0 - share) * loops_.J().transpose();
      D.rightCols(m) = share * loops_.J().transpose();
    }

    Vector u;

   private:
    Vector lambda_;
    Loops loops_;  ///< where the torque was computed last
  };

  Push push_;
  StepSensitivities step_;
};

}  // namespace

std::unique_ptr<StageMotion> forward_motion(const Task& task, const RobotProblemOptions& options) {
  if (!task.loops) return std::make_unique<Forward>(task, options);
  if (options.integrator == Integrator::euler ||
      options.integrator == Integrator::semi_implicit_euler)
    throw std::invalid_argument(
        "robot problem: in an Euler step, loop forces cannot correct both position and velocity, "
        "so loops do not stay closed; use Integrator::midpoint or rk4");
  return std::make_unique<LoopedForward>(task, options.integrator);
}

}  // namespace ulna::control::detail
