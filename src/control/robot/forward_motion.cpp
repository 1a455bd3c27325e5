#include <optional>

#include "control/robot/stage_motion.hpp"
#include "ulna/simulate/step_batch.hpp"

namespace ulna::detail {
namespace {

class Forward : public StageMotion {
 public:
  Forward(const Model& model, Integrator integrator, bool by_duration, int nodes, int threads)
      : StageMotion(model), slopes_(model, integrator, by_duration) {
    if (by_duration || !StepBatch::serves(model)) return;
    batch_.emplace(model, integrator, threads);
    const int n = model.nv();
    Q_next_.setZero(n, nodes), V_next_.setZero(n, nodes), Tau_.setZero(n, nodes);
    F_.setZero(6 * n * n, nodes);
  }

  bool go(const Plant<double>& plant, In<double> q, In<double> v, In<double> u, double h) override {
    return slopes_.step(plant, q, v, u, h) && take_over(u);
  }

  bool differentiate(const Plant<double>& plant, In<double> q, In<double> v, In<double> u, double h,
                     Eigen::Ref<Eigen::MatrixXd> F) override {
    if (!slopes_(plant, q, v, u, h)) return false;
    const Eigen::Index n = u.size();
    F.leftCols(n) = slopes_.B.leftCols(n);
    F.middleCols(n, 2 * n) = slopes_.A;
    if (slopes_.B.cols() > n) F.col(3 * n) = slopes_.B.col(n);
    return take_over(u);
  }

  bool prepares() const override { return batch_.has_value(); }
  bool prepare(const Plant<double>& plant, const Eigen::MatrixXd& Q, const Eigen::MatrixXd& V,
               const Eigen::MatrixXd& U, const Vector& h, bool slopes) override {
    Tau_ = U;
    return slopes ? batch_->differentiate(plant, Q, V, U, h, Q_next_, V_next_, F_)
                  : batch_->step(plant, Q, V, U, h, Q_next_, V_next_);
  }
  void recall(int node) override {
    q_next = Q_next_.col(node), v_next = V_next_.col(node), tau = Tau_.col(node);
  }
  void recall(int node, Eigen::Ref<Eigen::MatrixXd> F) override {
    recall(node);
    const Eigen::Index n = tau.size();
    F = Eigen::Map<const Eigen::MatrixXd>(F_.col(node).data(), 2 * n, 3 * n);
  }

  void rest(In<double> torque, In<double>, Out<double> u) const override { u = torque; }

  const Eigen::MatrixXd* tau_slope() const override { return nullptr; }

 private:
  bool take_over(In<double> u) {
    q_next = slopes_.step.q_next, v_next = slopes_.step.v_next, tau = u;
    return true;
  }

  StepDerivatives slopes_;
  std::optional<StepBatch> batch_;
  Eigen::MatrixXd Q_next_, V_next_, Tau_, F_;
};

}  // namespace

std::unique_ptr<StageMotion> forward_motion(const Model& model, Integrator integrator,
                                            bool by_duration, int nodes, int threads) {
  return std::make_unique<Forward>(model, integrator, by_duration, nodes, threads);
}

}  // namespace ulna::detail
