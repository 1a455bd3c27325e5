#pragma once

#include <ulna/ulna.h>

#include <cmath>
#include <vector>

/// The robot behind the vendors' names: it moves as its description says, without friction.
struct SimulatedArm {
  explicit SimulatedArm(const char* name) {
    if (ulna_robot_load(name, nullptr, &robot) != ULNA_OK) return;
    n = ulna_robot_nv(robot);
    for (auto* x : {&q, &v, &a, &tau, &gravity}) x->assign(std::size_t(n), 0.0);
    ulna_neutral(robot, n, q.data());
    for (double& x : q) x += 0.3 * std::fabs(std::sin(double(&x - q.data())));
    q[3] -= 0.5;  // away from its limit
    ulna_gravity_torque(robot, n, q.data(), tau.data());
  }
  ~SimulatedArm() { ulna_robot_destroy(robot); }
  SimulatedArm(const SimulatedArm&) = delete;

  /// Under torques, and those against gravity where the vendor adds them.
  void move(const double* commanded, double h, bool adds_gravity) {
    ulna_gravity_torque(robot, n, q.data(), gravity.data());
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double next = commanded[i] + (adds_gravity ? gravity[i] : 0.0);
      fastest_change = std::fmax(fastest_change, std::fabs(next - tau[i]) / h);
      tau[i] = next;
    }
    if (ulna_forward_dynamics(robot, n, q.data(), v.data(), tau.data(), a.data()) != ULNA_OK)
      return;
    for (std::size_t i = 0; i < q.size(); ++i) v[i] += h * a[i], q[i] += h * v[i];
    time += h;
  }

  ulna_robot* robot = nullptr;
  int n = 0;
  double time = 0.0, fastest_change = 0.0;
  std::vector<double> q, v, a, tau, gravity;
};
