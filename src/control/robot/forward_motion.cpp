#include "control/robot/stage_motion.hpp"

namespace ulna::detail {
namespace {

class Forward : public StageMotion {
 public:
  Forward(const Model& model, Integrator integrator, bool by_duration)
      : StageMotion(model), slopes_(model, integrator, by_duration) {}

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

  void rest(const Plant<double>& plant, In<double> q, Workspace<double>& ws,
            Out<double> u) const override {
    static_torque<double>(plant, q, ws, u);
  }

  const Eigen::MatrixXd* tau_slope() const override { return nullptr; }

 private:
  bool take_over(In<double> u) {
    q_next = slopes_.step.q_next, v_next = slopes_.step.v_next, tau = u;
    return true;
  }

  StepDerivatives slopes_;
};

}  // namespace

std::unique_ptr<StageMotion> forward_motion(const Model& model, Integrator integrator,
                                            bool by_duration) {
  return std::make_unique<Forward>(model, integrator, by_duration);
}

}  // namespace ulna::detail
