// A pendulum that is too heavy for its motor is swung up: the example of docs/control.md.
#include <cmath>
#include <cstdio>
#include <ulna/control/differentiated.hpp>
#include <ulna/control/sqp.hpp>

// docs/control.md shows what follows
using namespace ulna::control;

struct SwingUp {
  static constexpr int steps = 40, states = 2, inputs = 1;

  template <class T>
  Numbers<T, 2> next(int, const Numbers<T, 2>& x, const Numbers<T, 1>& u) const {
    const T rate = x[1] + 0.075 * (u[0] - 9.81 * sin(x[0]));
    return {x[0] + 0.075 * rate, rate};
  }
  template <class T>
  Numbers<T, 3> residual(int k, const Numbers<T, 2>& x, const Numbers<T, 1>& u) const {
    const double weight = k == steps ? 10.0 : 0.1;
    return {weight * (x[0] - 3.14159265358979), 0.3 * weight * x[1], 0.1 * u[0]};
  }
};

int main() {
  Differentiated<SwingUp> problem;
  for (int k = 0; k < SwingUp::steps; ++k)
    problem.bounds(k).lower(0) = -4.0, problem.bounds(k).upper(0) = 4.0;
  Sqp sqp(problem, {.exact_hessian = true});
  const SqpReport& report = sqp.solve(Eigen::Vector2d::Zero());
  // to here

  std::printf("%s\n\n  %6s %10s %10s %10s\n", report.str().c_str(), "time", "angle", "rate",
              "torque");
  for (std::size_t k = 0; k <= SwingUp::steps; ++k) {
    const Eigen::VectorXd &x = sqp.trajectory.x[k], &u = sqp.trajectory.u[k];
    std::printf("  %6.3f %10.4f %10.4f", 0.075 * static_cast<double>(k), x(0), x(1));
    if (u.size() > 0) std::printf(" %10.4f", u(0));
    std::printf("\n");
  }
  const bool up = std::abs(sqp.trajectory.x.back()(0) - 3.14159265358979) < 0.1;
  return report.status == SqpStatus::solved && up ? 0 : 1;
}
