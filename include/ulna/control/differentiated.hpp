#pragma once

#include <type_traits>

#include "ulna/control/problem.hpp"
#include "ulna/num/dual.hpp"

namespace ulna::control {

namespace detail {
/// Replaces negative eigenvalues by zero.
void make_convex(Eigen::Ref<Eigen::MatrixXd> H);
}  // namespace detail

template <class T, int N>
using Numbers = Eigen::Matrix<T, N, 1>;

/// An optimal control problem differentiated by dual numbers: state its functions for any scalar.
///
///     struct SwingUp {
///       static constexpr int steps = 40, states = 2, inputs = 1;
///       template <class T>
///       Numbers<T, 2> next(int, const Numbers<T, 2>& x, const Numbers<T, 1>& u) const {
///         const T rate = x[1] + 0.05 * (u[0] - 9.81 * sin(x[0]));
///         return {x[0] + 0.05 * rate, rate};
///       }
///       template <class T>
///       Numbers<T, 3> residual(int k, const Numbers<T, 2>& x, const Numbers<T, 1>& u) const {
///         return {x[0] - 3.14159265, 0.1 * x[1], 0.1 * u[0]};
///       }
///     };
///     Differentiated<SwingUp> problem;
///     for (int k = 0; k < 40; ++k) problem.bounds(k).lower(0) = -3.0, problem.bounds(k).upper(0) = 3.0;
///
/// The functions, all of (k, x, u) and most of them optional:
///
///     next         the state at k + 1, of k < steps
///     residual     Numbers of any length: the stage costs half their squares, whence Gauss-Newton
///     cost         a number, for what is not a sum of squares
///     constraint   Numbers of any length: the g of the stage
///     start(w)     the first state where it is free in part: of `static constexpr int choices` numbers w
///
/// At the last stage u is zero and does not count. With `start`, a stage without a state comes before, whose
/// inputs are w; the others follow by one, but k still begins at 0 with them.
///
/// H is J'J of the residuals and the curvature of the cost made convex; with multipliers it is exactly that of
/// the Lagrangian, by duals of duals. Nothing is allocated, but where `cost` has to be made convex.
template <class P>
class Differentiated : public StagewiseProblem {
  static constexpr int nx = P::states, nu = P::inputs, n = nu + nx;
  using Slope = Dual<double, n>;
  using Curved = Dual<Slope, n>;
  template <class T>
  using X = Numbers<T, nx>;
  template <class T>
  using U = Numbers<T, nu>;

  static constexpr bool has_residual = requires(const P& p, X<double> x, U<double> u) {
    p.residual(0, x, u);
  };
  static constexpr bool has_cost = requires(const P& p, X<double> x, U<double> u) {
    p.cost(0, x, u);
  };
  static constexpr bool has_constraint = requires(const P& p, X<double> x, U<double> u) {
    p.constraint(0, x, u);
  };
  static constexpr int choices = [] {
    if constexpr (requires { P::choices; })
      return P::choices;
    else
      return 0;
  }();
  static constexpr int constraints = [] {
    if constexpr (has_constraint)
      return decltype(std::declval<const P&>().constraint(0, X<double>(),
                                                          U<double>()))::RowsAtCompileTime;
    else
      return 0;
  }();

 public:
  explicit Differentiated(P p = {}) : StagewiseProblem(stage_sizes(p)), stated(std::move(p)) {}

  P stated;  ///< its numbers may change between solves; steps may not
  static constexpr int leading = choices > 0;  ///< stages before the first that has a state

  using StagewiseProblem::evaluate;
  using StagewiseProblem::linearise;
  bool has_exact_hessian() const override { return true; }

 protected:
  bool evaluate(int k, In x, In u, StageValue& value) override {
    if (k < leading) {
      if constexpr (choices > 0) value.next = stated.start(Numbers<double, choices>(u));
      return value.next.allFinite();
    }
    const X<double> at = x;
    U<double> by = U<double>::Zero();
    if (u.size() > 0) by = u;
    const int node = k - leading;
    value.cost = 0.0;
    if constexpr (has_residual) value.cost += 0.5 * stated.residual(node, at, by).squaredNorm();
    if constexpr (has_cost) value.cost += stated.cost(node, at, by);
    if constexpr (has_constraint) value.g = stated.constraint(node, at, by);
    if (u.size() > 0) value.next = stated.next(node, at, by);
    return std::isfinite(value.cost) && value.g.allFinite() && value.next.allFinite();
  }

  bool linearise(int k, In x, In u, const Vector* next, const Vector* rows, StageValue& value,
                 QpStage& stage) override {
    if (k < leading) return linearise_start(u, next, value, stage);
    const int m = stage.size.variables(), node = k - leading, skipped = n - m;
    const auto [at, by] = variables<Slope>(x, u);
    Eigen::Matrix<double, n, n> H = Eigen::Matrix<double, n, n>::Zero();
    Numbers<double, n> h = Numbers<double, n>::Zero();
    value.cost = 0.0;
    if constexpr (has_residual) {
      const auto r = stated.residual(node, at, by);
      for (const Slope& each : r) {
        const Eigen::Map<const Numbers<double, n>> J(each.gradient.data());
        value.cost += 0.5 * each.value * each.value;
        h += each.value * J;
        if (!next) H += J * J.transpose();
      }
    }
    if constexpr (has_cost) {
      const auto [there, with] = variables<Curved>(x, u);
      const Curved c = stated.cost(node, there, with);
      value.cost += c.value.value;
      for (int i = 0; i < n; ++i) h(i) += c.gradient[i].value;
      if (!next) {
        Eigen::Matrix<double, n, n> convex = curvature(c);
        detail::make_convex(convex);
        H += convex;
      }
    }
    if constexpr (has_constraint) take(stated.constraint(node, at, by), value.g, stage.G, skipped);
    if (u.size() > 0) take(stated.next(node, at, by), value.next, stage.F, skipped);
    if (next) H = curvature(lagrangian(node, x, u, *next, *rows));
    stage.H = H.bottomRightCorner(m, m), stage.h = h.tail(m);
    return std::isfinite(value.cost) && stage.H.allFinite() && stage.h.allFinite() &&
           stage.F.allFinite() && stage.G.allFinite() && value.next.allFinite() &&
           value.g.allFinite();
  }

 private:
  static std::vector<StageSize> stage_sizes(const P& p) {
    std::vector<StageSize> sizes;
    if (choices > 0) sizes.push_back({0, choices, 0});
    for (int k = 0; k < p.steps; ++k) sizes.push_back({nx, nu, constraints});
    sizes.push_back({nx, 0, constraints});
    return sizes;
  }

  /// (x, u) as independent variables, in the order (u, x). A last stage has zeros for u.
  template <class D>
  static std::pair<X<D>, U<D>> variables(In x, In u) {
    std::pair<X<D>, U<D>> at;
    for (int i = 0; i < nu; ++i) at.second[i] = variable<D>(u.size() > 0 ? u(i) : 0.0, i);
    for (int i = 0; i < nx; ++i) at.first[i] = variable<D>(x(i), nu + i);
    return at;
  }
  template <class D>
  static D variable(double at, int direction) {
    if constexpr (std::is_same_v<decltype(D::value), double>)
      return D::variable(at, direction);
    else
      return D::variable(variable<decltype(D::value)>(at, direction), direction);
  }

  /// Values of functions, and their slopes but for those by the first few variables.
  template <class F>
  static void take(const F& f, Vector& values, Eigen::MatrixXd& slopes, int skipped) {
    for (Eigen::Index row = 0; row < f.size(); ++row) {
      values(row) = f[row].value;
      for (Eigen::Index c = 0; c < slopes.cols(); ++c)
        slopes(row, c) = f[row].gradient[std::size_t(skipped + c)];
    }
  }

  template <class D>
  static auto curvature(const D& c) {
    Eigen::Matrix<double, D::directions, D::directions> H;
    for (int i = 0; i < D::directions; ++i)
      for (int j = 0; j < D::directions; ++j) H(i, j) = c.gradient[i].gradient[j];
    return H;
  }

  Curved lagrangian(int node, In x, In u, const Vector& next, const Vector& rows) const {
    const auto [at, by] = variables<Curved>(x, u);
    Curved sum(0.0);
    if constexpr (has_residual)
      for (const Curved& r : stated.residual(node, at, by)) sum += 0.5 * r * r;
    if constexpr (has_cost) sum += stated.cost(node, at, by);
    if constexpr (has_constraint) {
      const auto g = stated.constraint(node, at, by);
      for (int i = 0; i < constraints; ++i) sum += rows(rows.size() - constraints + i) * g[i];
    }
    if (u.size() > 0) {
      const auto f = stated.next(node, at, by);
      for (int i = 0; i < nx; ++i) sum += next(i) * f[i];
    }
    return sum;
  }

  bool linearise_start(In u, const Vector* next, StageValue& value, QpStage& stage) {
    stage.H.setZero(), stage.h.setZero();
    value.cost = 0.0;
    if constexpr (choices > 0) {
      using First = Dual<double, choices>;
      using Second = Dual<First, choices>;
      Numbers<First, choices> w;
      Numbers<Second, choices> ww;
      for (int i = 0; i < choices; ++i)
        w[i] = variable<First>(u(i), i), ww[i] = variable<Second>(u(i), i);
      take(stated.start(w), value.next, stage.F, 0);
      if (next) {
        const auto x = stated.start(ww);
        for (int i = 0; i < nx; ++i) stage.H += (*next)(i)*curvature(x[i]);
      }
    }
    return value.next.allFinite() && stage.F.allFinite();
  }
};

}  // namespace ulna::control
