#include "ulna/derivatives/frame_derivatives.hpp"

#include "support/varied.hpp"

// How frames move, differentiated by dual numbers.
namespace ulna::test {
namespace {

Eigen::MatrixXd gradient_of(const Twist<Dual1>& V) { return gradient(V.vector()); }

/// Calls law(rig, frame, axes) with random robots, all frames of them, and all axes.
template <class Law>
void for_each_frame(Law law) {
  for_each_robot(
      [&](const Model& model, Random& random) {
        Rig<double> rig(model, random);
        for (const Frame& frame : model.frames())
          for (const Axes axes : all_axes) {
            SCOPED_TRACE(std::string(frame.name) + ", axes " +
                         std::to_string(static_cast<int>(axes)));
            law(rig, frame, axes);
          }
      },
      5);
}

TEST(FrameDerivatives, of_velocity_and_acceleration_are_those_of_dual_numbers) {
  for_each_frame([](const Rig<double>& rig, const Frame& frame, Axes axes) {
    const int n = rig.nv();
    Eigen::MatrixXd V_q(6, n), A_q(6, n), A_v(6, n);
    frame_motion_derivatives<double>(rig.motion(), frame, axes, V_q, A_q, A_v);
    for (int k = 0; k < n; ++k) {
      const Kinematics<Dual1> by_q = varied(rig, k, By::q).motion(),
                              by_v = varied(rig, k, By::v).motion();
      expect_close(Eigen::MatrixXd(V_q.col(k)),
                   gradient_of(frame_velocity<Dual1>(by_q, frame, axes)), 1e-11);
      expect_close(Eigen::MatrixXd(A_q.col(k)),
                   gradient_of(frame_acceleration<Dual1>(by_q, frame, axes)), 1e-11);
      expect_close(Eigen::MatrixXd(A_v.col(k)),
                   gradient_of(frame_acceleration<Dual1>(by_v, frame, axes)), 1e-11);
    }
  });
}

TEST(FrameDerivatives, of_jacobians_are_those_of_dual_numbers) {
  for_each_frame([](const Rig<double>& rig, const Frame& frame, Axes axes) {
    const int n = rig.nv();
    Eigen::MatrixXd H(6, n * n), J_rate(6, n);
    frame_hessian<double>(rig.at(), frame, axes, H);
    Eigen::MatrixXd along = Eigen::MatrixXd::Zero(6, n);
    for (int k = 0; k < n; ++k) {
      const Eigen::MatrixXd slice = H.middleCols(k * n, n);
      expect_close(slice, gradient(varied(rig, k, By::q).jacobian(frame, axes)), 1e-12);
      along += slice * rig.v(k);
    }
    // the rate is the slope along v, and gives what velocity adds to the acceleration
    frame_jacobian_rate<double>(rig.state(), frame, axes, J_rate);
    expect_close(J_rate, along, 1e-11);
    expect_close(Eigen::VectorXd(J_rate * rig.v),
                 Eigen::VectorXd(frame_drift<double>(rig.state(), frame, axes).vector()), 1e-11);
  });
}

}  // namespace
}  // namespace ulna::test
