#pragma once

#include "ulna/control/differentiated.hpp"

/// Things that swing, small enough to be written down.
namespace ulna::test {

using namespace control;

constexpr double pi = 3.14159265358979323846;

/// A step of h by Runge and Kutta.
template <class State, class Rate>
State runge_kutta(const State& x, double h, Rate rate) {
  using T = typename State::Scalar;
  const State a = rate(x), b = rate(State(x + T(0.5 * h) * a)), c = rate(State(x + T(0.5 * h) * b)),
              d = rate(State(x + T(h) * c));
  return x + T(h / 6.0) * (a + T(2.0) * (b + c) + d);
}

/// (angle, rate), from hanging to standing, with a torque that cannot lift it in one go.
struct Pendulum {
  static constexpr int steps = 40, states = 2, inputs = 1;
  static Eigen::VectorXd most() { return Eigen::VectorXd::Constant(1, 4.0); }

  template <class T>
  Numbers<T, 2> next(int, const Numbers<T, 2>& x, const Numbers<T, 1>& u) const {
    return runge_kutta(x, 0.075, [&](const Numbers<T, 2>& at) {
      return Numbers<T, 2>(at[1], u[0] - 9.81 * sin(at[0]));
    });
  }
  template <class T>
  Numbers<T, 3> residual(int k, const Numbers<T, 2>& x, const Numbers<T, 1>& u) const {
    const double weight = k == steps ? 10.0 : 0.1;
    return {weight * (x[0] - pi), weight * 0.3 * x[1], 0.1 * u[0]};
  }
};

/// (way, angle, speed, rate): a cart that is pushed and a pole on it, which hangs at 0.
struct CartPole {
  static constexpr int steps = 40, states = 4, inputs = 1;
  static Eigen::VectorXd most() { return Eigen::VectorXd::Constant(1, 20.0); }

  template <class T>
  Numbers<T, 4> next(int, const Numbers<T, 4>& x, const Numbers<T, 1>& u) const {
    constexpr double cart = 1.0, pole = 0.3, length = 0.5, gravity = 9.81;
    return runge_kutta(x, 0.05, [&](const Numbers<T, 4>& at) {
      const T s = sin(at[1]), c = cos(at[1]), w = at[3];
      const T below = cart + pole * s * s;
      const T a = (u[0] + pole * s * (length * w * w + gravity * c)) / below;
      const T b = (-u[0] * c - pole * length * w * w * c * s - (cart + pole) * gravity * s) /
                  (length * below);
      return Numbers<T, 4>(at[2], w, a, b);
    });
  }
  template <class T>
  Numbers<T, 5> residual(int k, const Numbers<T, 4>& x, const Numbers<T, 1>& u) const {
    const double weight = k == steps ? 10.0 : 0.1;
    return {weight * x[0], weight * (x[1] - pi), weight * 0.1 * x[2], weight * 0.1 * x[3],
            0.05 * u[0]};
  }
};

/// (angles, rates) of two rods with a mass of 1 at the end of each, motors in both joints; the second angle is
/// relative. It hangs at 0.
struct DoublePendulum {
  static constexpr int steps = 30, states = 4, inputs = 2;
  static Eigen::VectorXd most() { return Eigen::Vector2d(16.0, 8.0); }

  template <class T>
  Numbers<T, 4> next(int, const Numbers<T, 4>& x, const Numbers<T, 2>& u) const {
    return runge_kutta(x, 0.06, [&](const Numbers<T, 4>& at) {
      constexpr double g = 9.81;
      const T c = cos(at[1]), s = sin(at[1]), v = at[2], w = at[3];
      const T m11 = 3.0 + 2.0 * c, m12 = 1.0 + c;
      const T tau1 = u[0] + s * w * (2.0 * v + w) - g * (2.0 * sin(at[0]) + sin(at[0] + at[1])),
              tau2 = u[1] - s * v * v - g * sin(at[0] + at[1]);
      const T det = m11 - m12 * m12;
      return Numbers<T, 4>(v, w, (tau1 - m12 * tau2) / det, (m11 * tau2 - m12 * tau1) / det);
    });
  }
  template <class T>
  Numbers<T, 6> residual(int k, const Numbers<T, 4>& x, const Numbers<T, 2>& u) const {
    const double weight = k == steps ? 10.0 : 0.1;
    Numbers<T, 6> r;
    r << weight * (x[0] - pi), weight * x[1], weight * 0.1 * x[2], weight * 0.1 * x[3], 0.05 * u[0],
        0.05 * u[1];
    return r;
  }
};

/// The inputs of all stages that have a state within ± most.
template <class P>
void bound_inputs(Differentiated<P>& problem, const Eigen::VectorXd& most) {
  for (int k = problem.leading; k + 1 < problem.stage_count(); ++k)
    problem.bounds(k).lower.head(P::inputs) = -most, problem.bounds(k).upper.head(P::inputs) = most;
}

/// A problem with what its inputs can do.
template <class P>
struct Swing : Differentiated<P> {
  Swing() { bound_inputs(*this, P::most()); }
  const Eigen::VectorXd x0 = Eigen::VectorXd::Zero(P::states);
};

}  // namespace ulna::test
