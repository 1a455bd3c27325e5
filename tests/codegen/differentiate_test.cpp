#include "ulna/codegen/differentiate.hpp"

#include "support/close.hpp"
#include "support/operations.hpp"
#include "support/random.hpp"
#include "support/told.hpp"
#include "support/traced.hpp"
#include "ulna/num/dual.hpp"

namespace ulna::test {
namespace {

using E = Expression;
using Column = Tracer::Column;
using Eigen::MatrixXd;

constexpr Differentiation ways[] = {Differentiation::forward, Differentiation::reverse,
                                    Differentiation::shorter};

MatrixXd matrix(const std::vector<double>& numbers, Eigen::Index rows) {
  return Eigen::Map<const MatrixXd>(numbers.data(), rows, std::ssize(numbers) / rows);
}

/// A function y of the vector x, traced.
template <class F>
Traced traced(int size, F f) {
  Tracer tracer("f");
  const Column x = tracer.input("x", size);
  const std::vector<E> y = f(x);
  tracer.output("y", Eigen::Map<const Column>(y.data(), std::ssize(y)));
  return tracer.finish();
}

Traced every_operation_traced() {
  return traced(3, [](const Column& x) { return every_operation<E>(x(0), x(1), x(2)); });
}

std::vector<double> random_point(Random& random) {
  return {random.real(-0.9, 0.9), random.real(-0.9, 0.9), random.real(-0.9, 0.9)};
}

TEST(Jacobian, of_every_operation_is_that_of_dual_numbers) {
  using D = Dual<double, 3>;
  const Traced f = every_operation_traced();
  for (const Differentiation how : ways) {
    const Traced J = jacobian(f, "y", {"x"}, {.how = how});
    for_each_seed([&](Random& random) {
      const std::vector<double> x = random_point(random);
      const std::vector<D> exact =
          every_operation<D>(D::variable(x[0], 0), D::variable(x[1], 1), D::variable(x[2], 2));
      MatrixXd slope(std::ssize(exact), 3);
      for (Eigen::Index r = 0; r < slope.rows(); ++r)
        slope.row(r) = Eigen::Map<const Eigen::RowVector3d>(
            exact[static_cast<std::size_t>(r)].gradient.data());
      const Vectors got = interpret(J, {x});
      EXPECT_EQ(got[0], interpret(f, {x})[0]);
      expect_close(matrix(got[1], slope.rows()), slope, 1e-13);
    });
  }
}

TEST(Hessian, of_every_operation_is_that_of_dual_numbers_of_dual_numbers) {
  using D = Dual<double, 3>;
  using DD = Dual<D, 3>;
  const Traced f = weighted_sum(every_operation_traced(), "y");
  for (const Differentiation how : ways) {
    const Traced H = hessian(f, "y_sum", {"x"}, {.how = how});
    for_each_seed([&](Random& random) {
      const std::vector<double> x = random_point(random);
      const auto variable = [&](int k) {
        return DD::variable(D::variable(x[static_cast<std::size_t>(k)], k), k);
      };
      std::vector<double> weights;
      MatrixXd exact = MatrixXd::Zero(3, 3);
      for (const DD& y : every_operation<DD>(variable(0), variable(1), variable(2))) {
        weights.push_back(random.real(-1.0, 1.0));
        for (std::size_t r = 0; r < 3; ++r)
          for (std::size_t c = 0; c < 3; ++c)
            exact(static_cast<int>(r), static_cast<int>(c)) +=
                weights.back() * y.gradient[r].gradient[c];
      }
      const Vectors got = interpret(H, {x, weights});
      expect_close(matrix(got[2], 3), exact, 1e-12);
      EXPECT_EQ(got[1], interpret(gradient(f, "y_sum", {"x"}, {.how = how}), {x, weights})[1]);
    });
  }
}

TEST(Jacobian, does_not_see_the_way_that_was_not_taken) {
  // the root has no slope at 0, where it is not taken
  const Traced f = traced(2, [](const Column& x) {
    return std::vector<E>{select(x(0) > E(0), x(1) * sqrt(x(0)), x(0))};
  });
  for (const Differentiation how : ways) {
    const Traced J = jacobian(f, "y", {"x"}, {.how = how});
    EXPECT_EQ(interpret(J, {{0.0, 3.0}})[1], (std::vector<double>{1.0, 0.0}));
    EXPECT_EQ(interpret(J, {{4.0, 3.0}})[1], (std::vector<double>{0.75, 2.0}));
  }
}

TEST(Jacobian, takes_the_shorter_way) {
  const auto count = [](const Traced& f, Differentiation how) {
    return jacobian(f, "y", {"x"}, {.how = how}).operation_count();
  };
  const auto product = [](const Column& x) {
    E y(1);
    for (const E& number : x) y = sin(y * number);
    return y;
  };
  const Traced funnel = traced(12, [&](const Column& x) { return std::vector<E>{product(x)}; });
  const Traced fan = traced(1, [](const Column& x) {
    std::vector<E> y{x(0)};
    while (y.size() < 12) y.push_back(sin(y.back() * x(0)));
    return y;
  });
  EXPECT_LT(count(funnel, Differentiation::reverse), count(funnel, Differentiation::forward) / 2);
  EXPECT_LT(count(fan, Differentiation::forward), count(fan, Differentiation::reverse) / 2);
  for (const Traced& f : {funnel, fan})
    EXPECT_LE(count(f, Differentiation::shorter),
              std::min(count(f, Differentiation::forward), count(f, Differentiation::reverse)));
}

/// y_i depends on x_i and x_(i-1), except that the last is a constant.
Traced chain() {
  return traced(5, [](const Column& x) {
    std::vector<E> y{sin(x(0))};
    for (int i = 1; i < 5; ++i) y.push_back(x(i) * x(i) * exp(x(i - 1)));
    y.push_back(E(7));
    return y;
  });
}

TEST(Dependence, of_a_chain_is_its_band) {
  const Sparsity pattern = dependence(chain(), "y", {"x"});
  EXPECT_EQ(pattern.rows, 6);
  EXPECT_EQ(pattern.columns, 5);
  EXPECT_EQ(pattern.nonzeros(), 9);
  for (int c = 0; c < 5; ++c)
    for (int r = 0; r < 6; ++r)
      EXPECT_EQ(pattern.contains(r, c), r < 5 && (r == c || r == c + 1)) << r << " " << c;
}

TEST(Dependence, does_not_see_what_a_choice_is_made_by) {
  const Traced f = traced(
      3, [](const Column& x) { return std::vector<E>{select(x(0) < E(0), x(1) * x(1), x(2))}; });
  const Sparsity pattern = dependence(f, "y", {"x"});
  EXPECT_FALSE(pattern.contains(0, 0));
  EXPECT_TRUE(pattern.contains(0, 1));
  EXPECT_TRUE(pattern.contains(0, 2));
}

TEST(Jacobian, compressed_holds_the_elements_of_its_pattern) {
  const std::vector<double> x{0.3, -1.2, 0.7, 2.0, 0.4};
  for (const Differentiation how : ways) {
    const Traced dense = jacobian(chain(), "y", {"x"}, {.how = how}),
                 sparse = jacobian(chain(), "y", {"x"}, {.how = how, .compressed = true});
    const Traced::Vector& out = sparse.outputs()[1];
    ASSERT_TRUE(out.sparsity);
    EXPECT_EQ(*out.sparsity, dependence(chain(), "y", {"x"}));
    EXPECT_EQ(out.rows(), 6);
    EXPECT_EQ(out.columns, 5);
    EXPECT_EQ(sparse.operation_count(), dense.operation_count());
    const MatrixXd full = matrix(interpret(dense, {x})[1], 6);
    std::vector<double> kept;
    for_each(*out.sparsity, [&](int r, int c) { kept.push_back(full(r, c)); });
    EXPECT_EQ(interpret(sparse, {x})[1], kept);
    EXPECT_EQ((full.array() != 0.0).count(), out.size);
  }
}

TEST(Hessian, of_a_chain_is_its_band) {
  const Traced f = weighted_sum(chain(), "y");
  const Traced dense = hessian(f, "y_sum", {"x"}),
               sparse = hessian(f, "y_sum", {"x"}, {.compressed = true});
  const Vectors in{{0.3, -1.2, 0.7, 2.0, 0.4}, {1.0, 2.0, -1.0, 0.5, 3.0, 1.0}};
  const MatrixXd full = matrix(interpret(dense, in)[2], 5);
  EXPECT_EQ(full, full.transpose());
  const Sparsity& pattern = *sparse.outputs()[2].sparsity;
  for (int c = 0; c < 5; ++c)
    for (int r = 0; r < 5; ++r) {
      EXPECT_EQ(pattern.contains(r, c), std::abs(r - c) <= 1);
      EXPECT_EQ(full(r, c) != 0.0, std::abs(r - c) <= 1);
    }
}

TEST(Hessian, stacks_its_inputs) {
  Tracer tracer("f");
  const Column p = tracer.input("p", 1), q = tracer.input("q", 1), r = tracer.input("r", 1);
  tracer.output("y", Column::Constant(1, p(0) * p(0) * q(0) * r(0)));
  const Vectors got = interpret(hessian(tracer.finish(), "y", {"r", "p"}), {{3.0}, {5.0}, {7.0}});
  EXPECT_EQ(got, (Vectors{{315.0}, {45.0, 210.0}, {0.0, 30.0, 30.0, 70.0}}));
}

TEST(Derivatives, can_be_used_in_the_tracing_that_goes_on) {
  // Newton's step for y = 0
  Tracer tracer("newton");
  const Column x = tracer.input("x", 1);
  const E y = x(0) * x(0) - E(2);
  tracer.output("next", Column::Constant(1, x(0) - y / gradient(y, x)(0)));
  EXPECT_DOUBLE_EQ(interpret(tracer.finish(), {{1.5}})[0][0], 1.5 - 0.25 / 3.0);
}

TEST(Derivatives, of_what_does_not_change_are_zero) {
  const Traced f = traced(2, [](const Column&) { return std::vector<E>{E(3), E(4)}; });
  for (const Differentiation how : ways) {
    const Traced J = jacobian(f, "y", {"x"}, {.how = how});
    EXPECT_EQ(interpret(J, {{1.0, 2.0}})[1], std::vector<double>(4, 0.0));
    EXPECT_EQ(J.operation_count(), 0);
  }
}

TEST(Derivatives, say_what_is_wrong) {
  const Traced f = chain();
  EXPECT_NE(told([&] { jacobian(f, "z", {"x"}); }).find("no output 'z'; it has 'y'"),
            std::string::npos);
  EXPECT_NE(told([&] { jacobian(f, "y", {"q"}); }).find("no input 'q'; it has 'x'"),
            std::string::npos);
  EXPECT_NE(told([&] { gradient(f, "y", {"x"}); }).find("weighted_sum"), std::string::npos);
  Tracer tracer("f");
  const Column x = tracer.input("x", 1);
  EXPECT_NE(told([&] { gradient(x(0), Column::Constant(1, sin(x(0)))); }).find("inputs"),
            std::string::npos);
}

TEST(Tracer, calls_functions_inside_another) {
  const Traced f = every_operation_traced();
  Tracer tracer("twice");
  const Column x = tracer.input("x", 3);
  tracer.output("same", tracer.call(f, {x})[0]);
  tracer.output("at_a_point", tracer.call(f, {Column::Constant(3, E(0.25))})[0]);
  EXPECT_THROW(tracer.call(f, {Column(2)}), std::invalid_argument);
  const Traced twice = tracer.finish();
  EXPECT_EQ(twice.operation_count(), f.operation_count());
  const std::vector<double> at{0.1, -0.5, 0.3};
  const Vectors got = interpret(twice, {at});
  EXPECT_EQ(got[0], interpret(f, {at})[0]);
  EXPECT_EQ(got[1], interpret(f, {std::vector<double>(3, 0.25)})[0]);
}

TEST(Graph, refuses_to_grow_without_end) {
  Graph graph;
  std::int32_t node = graph.input(0, 0);
  EXPECT_THROW(for (;;) node = graph.make(Operation::sine, node), std::length_error);
  EXPECT_EQ(graph.size(), Graph::most_nodes);
}

}  // namespace
}  // namespace ulna::test
