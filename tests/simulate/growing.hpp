#pragma once

#include "support/dynamics.hpp"
#include "ulna/derivatives/regressor.hpp"
#include "ulna/simulate/step.hpp"

namespace ulna::test {

inline constexpr Integrator all_integrators[] = {Integrator::euler, Integrator::semi_implicit_euler,
                                                 Integrator::midpoint, Integrator::rk4};

/// Torques that grow with time and are braked, by numbers: inertial parameters, dampings, and how fast
/// they grow.
class Growing : public Drive {
 public:
  Growing(const Rig<double>& rig, double h)
      : tau(rig.a),
        growth(0.3 * rig.a.reverse()),
        damping(rig.v.cwiseAbs()),
        h_(h),
        at_(rig.model()),
        ws_(rig.model()),
        Y_(rig.nv(), 10 * rig.model().joint_count()) {}

  int size() const { return static_cast<int>(Y_.cols() + damping.size() + 1); }
  void torque(double share, In<double>, In<double> v, Out<double> out, Out<double> by_v) override {
    out = tau + (speed * share * h_) * growth - damping.cwiseProduct(v);
    by_v = -damping;
  }
  void surplus_by_numbers(double share, In<double> q, In<double> v, In<double> a,
                          OutMatrix<double> D) override {
    at_.set(q, v, a);
    torque_regressor<double>(at_, ws_, Y_);
    D.leftCols(Y_.cols()) = -Y_;
    D.middleCols(Y_.cols(), v.size()).setZero();
    D.middleCols(Y_.cols(), v.size()).diagonal() = -v;
    D.rightCols(1) = (share * h_) * growth;
  }

  Eigen::VectorXd tau, growth, damping;
  double speed = 1.0;

 private:
  double h_;
  Kinematics<double> at_;
  RegressorWorkspace<double> ws_;
  RowMatX<double> Y_;
};

}  // namespace ulna::test
