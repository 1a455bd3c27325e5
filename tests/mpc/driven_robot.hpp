#pragma once

#include <gtest/gtest.h>

#include <random>

#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/edit.hpp"
#include "ulna/mpc/controller.hpp"

namespace ulna::test {

/// A robot with noisy sensors, and viscous friction that its controller does not know.
struct DrivenRobot {
  using Vector = Eigen::VectorXd;

  Model model;
  double rate_hz;
  mpc::IdentifyingController controller;
  Vector q, v, tau, q_read, v_read;
  double largest_jump = 0.0;  ///< of torques from one action to the next
  long actions = 0, planned = 0, late = 0, safe = 0, qp_iterations = 0;
  int most_iterations = 0;

  DrivenRobot(const Model& m, const Vector& at, mpc::ControllerOptions options)
      : model(m),
        rate_hz(options.rate_hz),
        controller(m, options),
        q(at),
        v(Vector::Zero(m.nv())),
        tau(v),
        q_read(v),
        v_read(v),
        truth_(m),
        at_(m),
        ws_(m),
        a_(v) {
    truth_.damping.setConstant(0.2);
    controller.follow([at](double, Vector& q_to, Vector& v_to) { q_to = at, v_to.setZero(); });
  }

  double time() const { return double(actions) / rate_hz; }

  /// An action and the period that it acts for.
  void step() {
    read();
    act();
    move();
  }
  void run(double seconds) {
    for (const double end = time() + seconds - 0.5 / rate_hz; time() < end;) step();
  }

  void read() {
    for (Eigen::Index i = 0; i < q.size(); ++i)
      q_read(i) = q(i) + 1e-5 * noise_(random_), v_read(i) = v(i) + 1e-3 * noise_(random_);
  }
  void act() {
    a_ = tau;
    tau = controller.act(time(), q_read, v_read);
    controller.update(time(), q_read, v_read, tau);
    if (actions++ > 0) largest_jump = std::max(largest_jump, (tau - a_).lpNorm<Eigen::Infinity>());
    planned += controller.kind() == mpc::ActionKind::planned;
    safe += controller.kind() == mpc::ActionKind::safe;
    late += controller.fault() == mpc::ActionFault::late;
    qp_iterations += controller.report().qp_iterations;
    most_iterations = std::max(most_iterations, controller.report().qp_iterations);
  }
  void move() {
    constexpr int parts = 4;
    const double h = 1.0 / rate_hz / parts;
    for (int k = 0; k < parts; ++k) {
      at_.set(q, v);
      truth_.armature += h * truth_.damping;
      ASSERT_TRUE(forward_dynamics<double>(truth_, at_, tau, ws_, a_));
      truth_.armature -= h * truth_.damping;
      v += h * a_, q += h * v;
    }
  }

 private:
  Plant<double> truth_;
  Kinematics<double> at_;
  Workspace<double> ws_;
  Vector a_;
  std::mt19937_64 random_{1};
  std::normal_distribution<double> noise_;
};

}  // namespace ulna::test
