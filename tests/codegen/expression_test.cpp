#include "ulna/codegen/expression.hpp"

#include "support/close.hpp"
#include "support/operations.hpp"
#include "support/random.hpp"
#include "support/traced.hpp"

namespace ulna::test {
namespace {

using E = Expression;
using Column = Tracer::Column;

static_assert(Scalar<Expression>);
static_assert(std::same_as<Mask<Expression>, ExpressionMask>);
static_assert(std::same_as<Real<Expression>, double>);

/// Three variables and what a function makes of them.
struct Trial {
  Tracer tracer{"trial"};
  Column x = tracer.input("x", 3);

  Traced of(const std::vector<E>& results) {
    tracer.output("y", Eigen::Map<const Column>(results.data(), std::ssize(results)));
    return tracer.finish();
  }
};

template <class F>
int operations(F f) {
  Trial t;
  return t.of({f(t.x(0), t.x(1), t.x(2))}).operation_count();
}

/// Whether two ways to write something are one node.
template <class F, class G>
bool same(F f, G g) {
  Trial t;
  const Traced both = t.of({f(t.x(0), t.x(1), t.x(2)), g(t.x(0), t.x(1), t.x(2))});
  return both.results()[0] == both.results()[1];
}
#define EXPECT_SAME(left, right)                                                     \
  EXPECT_TRUE(same([](E x, E y, E z) { return (void)x, (void)y, (void)z, E(left); }, \
                   [](E x, E y, E z) { return (void)x, (void)y, (void)z, E(right); }))

TEST(Expression, constants_need_no_graph_and_are_folded) {
  EXPECT_EQ((E(2.0) * E(3.0) + sqrt(E(16.0))).constant(), 10.0);
  EXPECT_EQ(select(E(1.0) < E(2.0), E(3.0), E(4.0)).constant(), 3.0);
  EXPECT_SAME(x * (E(2) + E(3)), E(5) * x);
}

TEST(Expression, zeros_and_ones_leave) {
  EXPECT_SAME(E(0) + x, x);
  EXPECT_SAME(x - E(0), x);
  EXPECT_SAME(E(0) * x, E(0));
  EXPECT_SAME(x * E(1), x);
  EXPECT_SAME(x / E(1), x);
  EXPECT_SAME(E(0) / x, E(0));
  EXPECT_SAME(x - x, E(0));
  EXPECT_SAME(x / x, E(1));
  EXPECT_SAME(E(-0.0) + x, x);
}

TEST(Expression, signs_move_outward_and_into_sums) {
  EXPECT_SAME(-(-x), x);
  EXPECT_SAME(x + (-y), x - y);
  EXPECT_SAME(x - (-y), x + y);
  EXPECT_SAME((-x) * y, -(x * y));
  EXPECT_SAME((-x) * (-y), x * y);
  EXPECT_SAME(x / (-y), -(x / y));
  EXPECT_SAME((-x) - y, -(x + y));
  EXPECT_SAME(y - x, -(x - y));
  EXPECT_SAME(sin(-x), -sin(x));
  EXPECT_SAME(cos(-x), cos(x));
  EXPECT_SAME(abs(-x), abs(x));
  EXPECT_SAME(E(-2) * x + y, y - E(2) * x);
}

TEST(Expression, operands_stand_in_order_so_that_equals_are_shared) {
  EXPECT_SAME(x + y, y + x);
  EXPECT_SAME(x * y, y * x);
  EXPECT_SAME(x * E(2), E(2) * x);
  EXPECT_SAME(select(x < y, x, y), select(y > x, x, y));
  EXPECT_SAME(select(!(x < y), x, y), select(x < y, y, x));
  EXPECT_EQ(operations([](E x, E y, E) { return (x + y) * (y + x); }), 2);
}

TEST(Expression, constant_factors_are_gathered) {
  EXPECT_SAME(E(2) * (E(3) * x), E(6) * x);
  EXPECT_SAME(E(2) * x + E(3) * x, E(5) * x);
  EXPECT_SAME(x + x, E(2) * x);
  EXPECT_SAME(E(2) * x - x, x);
  EXPECT_SAME(x / E(4), E(0.25) * x);
}

TEST(Expression, terms_with_both_signs_leave_a_sum) {
  EXPECT_SAME(x - (x + y), -y);
  EXPECT_SAME((x + y + z) - z, x + y);
  EXPECT_SAME((x + y) - (x + z), y - z);
  EXPECT_SAME((x + y) - (y + x), E(0));
}

TEST(Expression, a_choice_of_zero_stays_one) {
  EXPECT_SAME(select(x < y, z, E(0)) * x, select(x < y, z * x, E(0)));
  EXPECT_SAME(select(x < y, E(0), z) * E(2), select(x < y, E(0), E(2) * z));
  EXPECT_SAME(select(x < y, z, E(0)) + select(x < y, E(0), x), select(x < y, z, x));
  EXPECT_SAME(select(x < y, z, E(0)) - select(x < y, E(0), x), select(x < y, z, -x));
  EXPECT_SAME(select(x < y, z, E(0)) - select(x < y, z, E(0)), E(0));
}

TEST(Expression, sums_that_remain_negative_cost_no_sign) {
  EXPECT_EQ(operations([](E x, E y, E) { return -(x - y); }), 1);
  EXPECT_EQ(operations([](E x, E y, E z) { return -(x * (y - z)); }), 2);
  EXPECT_EQ(operations([](E x, E, E) { return E(-3) * x; }), 1);
}

TEST(Expression, what_no_output_needs_is_not_computed) {
  Trial t;
  const E needed = t.x(0) * t.x(1);
  (void)sin(needed);
  EXPECT_EQ(t.of({needed + t.x(2)}).operation_count(), 2);
}

TEST(Expression, masks_are_known_only_between_constants) {
  Trial t;
  EXPECT_FALSE(all(E(2) < E(1)));
  EXPECT_TRUE(all(E(1) < E(2)));
  // the way that succeeds
  EXPECT_TRUE(all(t.x(0) < t.x(1)));
  EXPECT_FALSE(all(t.x(0) < t.x(1) && E(2) < E(1)));
  EXPECT_TRUE(all(t.x(0) < t.x(1) || E(1) < E(2)));
}

TEST(Expression, of_two_tracings_do_not_mix) {
  Trial one, other;
  EXPECT_THROW(one.x(0) + other.x(0), std::invalid_argument);
}

TEST(Expression, evaluates_to_what_doubles_give) {
  Trial t;
  const Traced traced = t.of(every_operation(t.x(0), t.x(1), t.x(2)));
  for_each_seed([&](Random& random) {
    const std::vector<double> x{random.real(-0.9, 0.9), random.real(-0.9, 0.9),
                                random.real(-0.9, 0.9)};
    expect_close(column(interpret(traced, {x})[0]), column(every_operation(x[0], x[1], x[2])),
                 1e-15);
  });
}

TEST(Expression, goes_through_matrices_of_eigen) {
  Trial t;
  Eigen::Matrix<E, 3, 3> A = Eigen::Matrix<E, 3, 3>::Identity();
  A(0, 1) = t.x(0);
  const Eigen::Matrix<E, 3, 1> y = A * t.x;
  // x0 + x0 x1 only: the zeros and ones of the identity are gone
  EXPECT_EQ(t.of({y(0), y(1), y(2)}).operation_count(), 2);
}

TEST(Tracer, refuses_names_that_c_does_not_take) {
  EXPECT_THROW(Tracer("2fast"), std::invalid_argument);
  EXPECT_THROW(Tracer("double"), std::invalid_argument);
  Tracer tracer("fine");
  tracer.input("q", 1);
  EXPECT_THROW(tracer.input("q", 2), std::invalid_argument);
  EXPECT_THROW(tracer.input("x7", 2), std::invalid_argument);
  EXPECT_EQ(to_identifier("panda arm-2"), "panda_arm_2");
  EXPECT_TRUE(is_identifier(to_identifier("2fast")));
  EXPECT_TRUE(is_identifier(to_identifier("")));
}

TEST(Interpreter, refuses_vectors_of_the_wrong_size) {
  Trial t;
  const Traced traced = t.of({t.x(0)});
  EXPECT_THROW(interpret(traced, {{1.0, 2.0}}), std::invalid_argument);
  EXPECT_THROW(interpret(traced, {}), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
