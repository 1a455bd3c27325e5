#include "ulna/control/differentiated.hpp"

#include <Eigen/Eigenvalues>

#include "support/close.hpp"
#include "support/random.hpp"

namespace ulna::test {

using namespace control;
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

/// All functions there are, none of them linear.
struct Everything {
  static constexpr int steps = 2, states = 3, inputs = 2, choices = 2;

  template <class T>
  Numbers<T, 3> start(const Numbers<T, 2>& w) const {
    return {sin(w[0]) * w[1], w[0], w[1] * w[1]};
  }
  template <class T>
  Numbers<T, 3> next(int k, const Numbers<T, 3>& x, const Numbers<T, 2>& u) const {
    return {x[0] + sin(x[1]) * u[0], exp(0.1 * x[2]) + u[1] * u[1], x[2] * x[0] + double(k)};
  }
  template <class T>
  Numbers<T, 2> residual(int, const Numbers<T, 3>& x, const Numbers<T, 2>& u) const {
    return {x[0] * x[1] + u[0], cos(x[2]) * u[1]};
  }
  template <class T>
  T cost(int k, const Numbers<T, 3>& x, const Numbers<T, 2>& u) const {
    return exp(0.3 * x[0]) * (1.0 + double(k)) + sin(u[0] * x[1]);
  }
  template <class T>
  Numbers<T, 2> constraint(int, const Numbers<T, 3>& x, const Numbers<T, 2>& u) const {
    return {x[0] * x[0] + u[0] * x[2], sqrt(2.0 + x[1] * x[1])};
  }
};

struct At {
  Differentiated<Everything> problem;
  Trajectory t = trajectory_of(problem);
  Multipliers m;
  Random random{3};

  At() {
    const auto fill = [&](VectorXd& v) { v = v.unaryExpr([&](double) { return random.real(); }); };
    for (auto& x : t.x) fill(x);
    for (auto& u : t.u) fill(u);
    for (int k = 0; k < problem.stage_count(); ++k) {
      m.next.push_back(VectorXd::Zero(k + 1 < problem.stage_count() ? problem.size(k + 1).x : 0));
      m.rows.push_back(VectorXd::Zero(problem.size(k).rows()));
      fill(m.next.back()), fill(m.rows.back());
    }
  }
  std::vector<QpStage> stages(const Trajectory& at, const Multipliers* with) {
    auto values = stage_values(problem);
    auto all = qp_stages(problem.sizes());
    EXPECT_TRUE(problem.linearise(at, with, values, all));
    return all;
  }
  /// With all stages moved along one of their variables.
  Trajectory moved(int variable, double by) const {
    Trajectory to = t;
    for (std::size_t k = 0; k < t.x.size(); ++k) {
      const int u = problem.sizes()[k].u;
      if (variable < u)
        to.u[k](variable) += by;
      else if (variable < problem.sizes()[k].variables())
        to.x[k](variable - u) += by;
    }
    return to;
  }
  /// (cost, next, g) of all stages.
  std::vector<VectorXd> told(const Trajectory& at) {
    auto values = stage_values(problem);
    EXPECT_TRUE(problem.evaluate(at, values));
    std::vector<VectorXd> all;
    for (const StageValue& v : values) {
      all.emplace_back(1 + v.next.size() + v.g.size());
      all.back() << v.cost, v.next, v.g;
    }
    return all;
  }
};

TEST(Differentiated, slopes_are_those_of_values) {
  At at;
  const auto stages = at.stages(at.t, nullptr);
  for (int c = 0; c < 5; ++c) {
    const double h = 1e-3;
    const auto a = at.told(at.moved(c, h)), b = at.told(at.moved(c, -h)),
               a2 = at.told(at.moved(c, 2 * h)), b2 = at.told(at.moved(c, -2 * h));
    for (std::size_t k = 0; k < stages.size(); ++k) {
      if (c >= stages[k].size.variables()) continue;
      VectorXd given(a[k].size());
      given << stages[k].h(c), stages[k].F.col(c), stages[k].G.col(c);
      expect_close(given, VectorXd((8.0 * (a[k] - b[k]) - a2[k] + b2[k]) / (12.0 * h)), 1e-9);
    }
  }
}

TEST(Differentiated, exact_curvature_is_that_of_the_lagrangian) {
  At at;
  ASSERT_TRUE(at.problem.has_exact_hessian());
  const auto stages = at.stages(at.t, &at.m);
  const auto slope = [&](const Trajectory& t) {
    const auto all = at.stages(t, &at.m);
    std::vector<VectorXd> slopes;
    for (std::size_t k = 0; k < all.size(); ++k)
      slopes.push_back(all[k].h + all[k].F.transpose() * at.m.next[k] +
                       all[k].G.transpose() * at.m.rows[k].tail(all[k].size.g));
    return slopes;
  };
  for (int c = 0; c < 5; ++c) {
    const double h = 1e-3;
    const auto a = slope(at.moved(c, h)), b = slope(at.moved(c, -h)),
               a2 = slope(at.moved(c, 2 * h)), b2 = slope(at.moved(c, -2 * h));
    for (std::size_t k = 0; k < stages.size(); ++k)
      if (c < stages[k].size.variables())
        expect_close(VectorXd(stages[k].H.col(c)),
                     VectorXd((8.0 * (a[k] - b[k]) - a2[k] + b2[k]) / (12.0 * h)), 1e-9);
  }
}

TEST(Differentiated, curvature_without_multipliers_is_never_negative) {
  At at;
  for (const QpStage& s : at.stages(at.t, nullptr)) {
    const VectorXd values = s.H.selfadjointView<Eigen::Lower>().eigenvalues();
    EXPECT_GE(values.minCoeff(), -1e-12);
    expect_close(s.H, MatrixXd(s.H.transpose()), 1e-14);
  }
}

TEST(Differentiated, tells_where_it_has_no_value) {
  At at;
  auto values = stage_values(at.problem);
  auto stages = qp_stages(at.problem.sizes());
  at.t.x[2](1) = std::nan("");
  EXPECT_FALSE(at.problem.evaluate(at.t, values));
  EXPECT_FALSE(at.problem.linearise(at.t, nullptr, values, stages));
}

}  // namespace
}  // namespace ulna::test
