#include "control/robot/stage_motion.hpp"

// Steps of a tree whose loops are closed. Gaps and their rates are to be zero at the end of each, and so each
// has two numbers per row that see to it: none is left for rows to contradict each other.
namespace ulna::control::detail {
namespace {

/// u = (tau, λ, λ_end): a step of a = FD(q, v, tau + J'λ) with forces that change linearly in it. With λ
/// constant gaps could only be mended by moving q, and a motion would be planned that lives on that.
class LoopedForward : public StageMotion {
 public:
  LoopedForward(const Model& model, const Loops& loops, Integrator integrator, bool by_duration)
      : StageMotion(model),
        push_(loops),
        step_(model, integrator, model.nv() + 2 * loops.size(), by_duration) {}

  bool step(const Plant<double>& plant, int, In<double> q, In<double> v, In<double> u, double h,
            OutMatrix<double>* F) override {
    push_.u = u;
    if (!(F ? step_(plant, q, v, push_, h) : step_.advance(plant, q, v, push_, h))) return false;
    q_next = step_.step.q_next, v_next = step_.step.v_next, tau = u.head(tau.size());
    if (!F) return true;
    const Eigen::Index inputs = u.size(), rest = step_.P.cols() - inputs;
    F->leftCols(inputs) = step_.P.leftCols(inputs);
    F->middleCols(inputs, step_.A.cols()) = step_.A;
    F->rightCols(rest) = step_.P.rightCols(rest);
    return true;
  }

  void rest(In<double> torque, In<double> forces, Out<double> u) const override {
    u << torque, forces, forces;
  }
  const Eigen::MatrixXd* tau_slope() const override { return nullptr; }

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

/// u = (a, λ, μ): tau = ID(q, v, a) - J'λ, and after the tree's step q_next is moved along J'μ to where the
/// loops are closed, as a decides on rates already [Gear, Leimkuhler, Gupta 1985].
class LoopedInverse : public StageMotion {
 public:
  LoopedInverse(const Model& model, const Loops& loops, bool by_duration)
      : StageMotion(model),
        tree_(inverse_motion(model, by_duration)),
        loops_(loops),
        mend_(Vector::Zero(model.nv())) {
    const int n = model.nv(), m = loops.size(), time = by_duration ? 1 : 0, all = 3 * n + 2 * m;
    curve_.setZero(n, n), tree_slope_.setZero(2 * n, 3 * n + time), tau_slope_.setZero(n, all);
    mend_slope_.setZero(n, n + all + time), next_slope_ = mend_slope_;
    q_slope_.setZero(n, all + time);
  }

  bool step(const Plant<double>& plant, int node, In<double> q, In<double> v, In<double> u,
            double h, OutMatrix<double>* slopes) override {
    const Eigen::Index n = tau.size(), m = loops_.size(), states = tree_slope_.cols() - n;
    if (!slopes)
      return tree_->step(plant, node, q, v, u.head(n), h, nullptr) && push(q, u) && mend(u);
    OutMatrix<double>& F = *slopes;
    OutMatrix<double> tree_slope = tree_slope_;
    if (!tree_->step(plant, node, q, v, u.head(n), h, &tree_slope) || !push(q, u)) return false;
    const Eigen::MatrixXd& by = *tree_->tau_slope();
    loops_.torque_slope(u.segment(n, m), curve_);
    tau_slope_.leftCols(n) = by.leftCols(n);
    tau_slope_.middleCols(n, m) = -loops_.J().transpose();
    tau_slope_.middleCols(n + 2 * m, n) = by.middleCols(n, n) - curve_;
    tau_slope_.rightCols(n) = by.rightCols(n);

    F.leftCols(n) = tree_slope_.leftCols(n);
    F.middleCols(n, 2 * m).setZero();
    F.rightCols(states) = tree_slope_.rightCols(states);
    if (!mend(u)) return false;
    // by where the tree comes to, then by all variables through J'μ
    loops_.torque_slope(u.tail(m), curve_);
    mend_slope_.rightCols(F.cols()).noalias() = curve_.lazyProduct(F.topRows(n));
    mend_slope_.middleCols(2 * n + m, m) += loops_.J().transpose();
    StepSlopes::displace(loops_.model(), tree_->q_next, mend_, mend_slope_, next_slope_);
    q_slope_.noalias() = next_slope_.leftCols(n).lazyProduct(F.topRows(n));
    F.topRows(n) = q_slope_ + next_slope_.rightCols(F.cols());
    return true;
  }

  void rest(In<double>, In<double> forces, Out<double> u) const override {
    u.setZero();
    u.segment(tau.size(), forces.size()) = forces;
  }
  const Eigen::MatrixXd* tau_slope() const override { return &tau_slope_; }

 private:
  bool push(In<double> q, In<double> u) {
    loops_.set(q);
    tau = tree_->tau;
    tau.noalias() -= loops_.J().transpose().lazyProduct(u.segment(tau.size(), loops_.size()));
    return tau.allFinite();
  }

  bool mend(In<double> u) {
    loops_.set(tree_->q_next);
    mend_.noalias() = loops_.J().transpose().lazyProduct(u.tail(loops_.size()));
    if (!mend_.allFinite()) return false;
    integrate<double>(loops_.model(), tree_->q_next, mend_, q_next);
    v_next = tree_->v_next;
    return q_next.allFinite();
  }

  std::unique_ptr<StageMotion> tree_;
  Loops loops_;
  Vector mend_;
  Eigen::MatrixXd curve_, tree_slope_, tau_slope_, mend_slope_, next_slope_, q_slope_;
};

}  // namespace

std::unique_ptr<StageMotion> looped_forward_motion(const Model& model, const Loops& loops,
                                                   Integrator integrator, bool by_duration) {
  if (integrator == Integrator::euler || integrator == Integrator::semi_implicit_euler)
    throw std::invalid_argument(
        "robot problem: in a step of Euler's, forces have no say in both position and velocity, "
        "and loops do not stay closed; take Integrator::midpoint or rk4");
  return std::make_unique<LoopedForward>(model, loops, integrator, by_duration);
}

std::unique_ptr<StageMotion> looped_inverse_motion(const Model& model, const Loops& loops,
                                                   bool by_duration) {
  return std::make_unique<LoopedInverse>(model, loops, by_duration);
}

}  // namespace ulna::control::detail
