#include "control/robot/stage_motion.hpp"

namespace ulna::control::detail {
namespace {

/// q_next = q ⊞ (h v + h²/2 a), v_next = v + h a [Katayama, Ohtsuka 2021, sec. III].
class Inverse : public StageMotion {
 public:
  Inverse(const Model& model, bool by_duration)
      : StageMotion(model),
        by_duration_(by_duration),
        motion_(model),
        at_(model),
        ws_(model),
        slopes_(model),
        along_(Vector::Zero(model.nv())),
        along_slope_(Eigen::MatrixXd::Zero(model.nv(), 3 * model.nv() + (by_duration ? 1 : 0))),
        q_slope_(along_slope_),
        tau_slope_(Eigen::MatrixXd::Zero(model.nv(), 3 * model.nv())) {}

  bool step(const Plant<double>& plant, int, In<double> q, In<double> v, In<double> u, double h,
            OutMatrix<double>* slopes) override {
    const Model& model = plant.model();
    if (!slopes) {
      motion_.set(q, v, u);
      inverse_dynamics<double>(plant, motion_, ws_.dynamics, tau);
      return advance(model, q, v, u, h);
    }
    OutMatrix<double>& F = *slopes;
    const int n = model.nv();
    at_.set(q, v, u);
    inverse_dynamics_derivatives(plant, at_, ws_, slopes_);
    tau = slopes_.tau;
    tau_slope_ << slopes_.da, slopes_.dq, slopes_.dv;
    if (!advance(model, q, v, u, h)) return false;

    // by (q, v, a, h), then in the order (a, q, v, h)
    along_slope_.middleCols(n, n).diagonal().setConstant(h);
    along_slope_.middleCols(2 * n, n).diagonal().setConstant(0.5 * h * h);
    if (by_duration_) along_slope_.col(3 * n) = v_next;
    StepSlopes::displace(model, q, along_, along_slope_, q_slope_);
    F.topLeftCorner(n, n) = q_slope_.middleCols(2 * n, n);
    F.block(0, n, n, 2 * n) = q_slope_.leftCols(2 * n);
    auto v_rows = F.bottomRows(n);
    v_rows.setZero();
    v_rows.leftCols(n).diagonal().setConstant(h);
    v_rows.middleCols(2 * n, n).diagonal().setOnes();
    if (by_duration_) F.col(3 * n) << q_slope_.col(3 * n), u;
    return true;
  }

  void rest(In<double>, In<double>, Out<double> u) const override { u.setZero(); }

  const Eigen::MatrixXd* tau_slope() const override { return &tau_slope_; }

 private:
  bool advance(const Model& model, In<double> q, In<double> v, In<double> a, double h) {
    along_ = h * v + (0.5 * h * h) * a;
    v_next = v + h * a;
    if (!along_.allFinite() || !v_next.allFinite() || !tau.allFinite()) return false;
    integrate<double>(model, q, along_, q_next);
    return q_next.allFinite();
  }

  bool by_duration_;
  Motion<double> motion_;
  Kinematics<double> at_;
  DerivativeWorkspace<double> ws_;
  InverseDynamicsDerivatives<double> slopes_;
  Vector along_;
  Eigen::MatrixXd along_slope_, q_slope_, tau_slope_;
};

}  // namespace

std::unique_ptr<StageMotion> inverse_motion(const Model& model, bool by_duration) {
  return std::make_unique<Inverse>(model, by_duration);
}

}  // namespace ulna::control::detail
