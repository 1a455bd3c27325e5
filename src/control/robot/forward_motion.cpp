#include <optional>

#include "control/robot/stage_motion.hpp"
#include "ulna/simulate/step_batch.hpp"

namespace ulna::control::detail {
namespace {

class Forward : public StageMotion {
 public:
  Forward(const Model& model, Integrator integrator, bool by_duration,
          const std::vector<double>& durations, int threads)
      : StageMotion(model), slopes_(model, integrator, by_duration) {
    if (by_duration || !StepBatch::serves(model)) return;
    batch_.emplace(model, integrator, threads);
    const auto n = model.nv(), nodes = static_cast<int>(durations.size());
    for (Eigen::MatrixXd* m : {&Q_, &V_, &U_, &Q_next_, &V_next_}) m->setZero(n, nodes);
    F_.setZero(6 * n * n, nodes);
    h_ = Eigen::Map<const Vector>(durations.data(), nodes);
  }

  bool prepare(const Plant<double>& plant, std::span<const Vector> x, std::span<const Vector> u,
               bool slopes) override {
    if (!batch_) return true;
    const Eigen::Index n = Q_.rows();
    for (Eigen::Index i = 0; i < Q_.cols(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (!x[k].allFinite() || !u[k].allFinite()) return false;
      Q_.col(i) = x[k].head(n), V_.col(i) = x[k].segment(n, n), U_.col(i) = u[k];
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
    if (!F) return true;
    F->leftCols(n) = slopes_.B.leftCols(n);
    F->middleCols(n, 2 * n) = slopes_.A;
    if (slopes_.B.cols() > n) F->col(3 * n) = slopes_.B.col(n);
    return true;
  }

  void rest(In<double> torque, In<double>, Out<double> u) const override { u = torque; }

  const Eigen::MatrixXd* tau_slope() const override { return nullptr; }

 private:
  StepDerivatives slopes_;
  std::optional<StepBatch> batch_;
  Eigen::MatrixXd Q_, V_, U_, Q_next_, V_next_, F_;
  Vector h_;
};

}  // namespace

std::unique_ptr<StageMotion> forward_motion(const Model& model, Integrator integrator,
                                            bool by_duration, const std::vector<double>& durations,
                                            int threads) {
  return std::make_unique<Forward>(model, integrator, by_duration, durations, threads);
}

}  // namespace ulna::control::detail
