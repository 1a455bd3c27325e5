#include "ulna/num/counted.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "num/functions.hpp"

namespace ulna {
namespace {

/// Multiplications, additions, divisions, square roots, trigonometric calls.
OperationCount count(int multiplications, int additions, int divisions = 0, int square_roots = 0,
                     int trigonometric = 0) {
  return {multiplications, additions, divisions, square_roots, trigonometric};
}

std::ostream& operator<<(std::ostream& out, const OperationCount& n) {
  return out << n.multiplications << " mul " << n.additions << " add " << n.divisions << " div "
             << n.square_roots << " sqrt " << n.trigonometric << " trig";
}

/// Compares as text, so that a failure reads.
void expect_count(const OperationCount& actual, const OperationCount& expected, int line) {
  if (!(actual == expected)) {
    std::ostringstream text;
    text << actual << ", expected " << expected;
    ADD_FAILURE_AT(__FILE__, line) << text.str();
  }
}

TEST(Counted, each_operation_counts_as_one_of_its_kind) {
  const Counted x = 2.0, y = 3.0;
  Counted z = 1.0;
  expect_count(count_operations([&] { z = x * y; }), count(1, 0), __LINE__);
  expect_count(count_operations([&] { z = x + y; }), count(0, 1), __LINE__);
  expect_count(count_operations([&] { z = x - y; }), count(0, 1), __LINE__);
  expect_count(count_operations([&] { z = x / y; }), count(0, 0, 1), __LINE__);
  expect_count(count_operations([&] { z *= y; }), count(1, 0), __LINE__);
  expect_count(count_operations([&] { z += y; }), count(0, 1), __LINE__);
  expect_count(count_operations([&] { z -= y; }), count(0, 1), __LINE__);
  expect_count(count_operations([&] { z /= y; }), count(0, 0, 1), __LINE__);
  expect_count(count_operations([&] { z = sqrt(x); }), count(0, 0, 0, 1), __LINE__);
  expect_count(count_operations([&] { z = atan2(x, y); }), count(0, 0, 0, 0, 1), __LINE__);
}

TEST(Counted, each_transcendental_function_counts_as_one_trigonometric_call) {
  const Counted x = 0.5;
  Counted z;
  const OperationCount n = count_operations([&] {
    for (Counted (*f)(Counted) :
         {+[](Counted a) { return sin(a); }, +[](Counted a) { return cos(a); },
          +[](Counted a) { return tan(a); }, +[](Counted a) { return asin(a); },
          +[](Counted a) { return acos(a); }, +[](Counted a) { return atan(a); },
          +[](Counted a) { return exp(a); }, +[](Counted a) { return log(a); },
          +[](Counted a) { return tanh(a); }})
      z = f(x);
  });
  expect_count(n, count(0, 0, 0, 0, 9), __LINE__);
}

TEST(Counted, changes_of_sign_comparisons_and_choices_are_free) {
  const Counted x = 2.0, y = 3.0;
  Counted z;
  bool b = false;
  const OperationCount n = count_operations([&] {
    z = -x;
    z = abs(x);
    z = select(x < y, x, y);
    z = min(x, y);
    z = clamp(x, Counted(0.0), y);
    z = sign(x);
    b = x == y || x <= y || is_finite(x);
  });
  expect_count(n, count(0, 0), __LINE__);
  EXPECT_TRUE(b);
}

TEST(Counted, a_product_of_3x3_matrices_is_27_multiplications_and_18_additions) {
  using Matrix = Eigen::Matrix<Counted, 3, 3>;
  const Matrix A = Matrix::Constant(2.0), B = Matrix::Constant(3.0);
  Matrix C;
  expect_count(count_operations([&] { C = A * B; }), count(27, 18), __LINE__);
  EXPECT_EQ(C(1, 2).value, 18.0);
}

TEST(Counted, a_product_of_matrix_and_vector_is_9_multiplications_and_6_additions) {
  const Eigen::Matrix<Counted, 3, 3> A = Eigen::Matrix<Counted, 3, 3>::Constant(2.0);
  const Eigen::Matrix<Counted, 3, 1> x = Eigen::Matrix<Counted, 3, 1>::Constant(1.0);
  Eigen::Matrix<Counted, 3, 1> y;
  expect_count(count_operations([&] { y = A * x; }), count(9, 6), __LINE__);
  EXPECT_EQ(y(0).value, 6.0);
}

// the four distinct products of the sines and cosines of two angles, and what is made of them
TEST(Counted, two_rotations_written_out_by_hand_count_as_by_hand) {
  const Counted a = 0.3, b = 0.4;
  Counted trace;
  const OperationCount n = count_operations([&] {
    const Counted ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b);  // 4 trig
    const Counted c = ca * cb - sa * sb;                               // 2 mul, 1 add
    const Counted s = sa * cb + ca * sb;                               // 2 mul, 1 add
    trace = (c * c + s * s) / sqrt(c * c + s * s);  // 4 mul, 2 add, 1 div, 1 sqrt
  });
  expect_count(n, count(8, 4, 1, 1, 4), __LINE__);
  EXPECT_NEAR(trace.value, 1.0, 1e-15);
}

TEST(Counted, the_value_is_that_of_double) {
  test::for_each_function([](const char* name, auto f, auto, auto, const auto& points) {
    for (const double x : points) EXPECT_EQ(f(Counted(x)).value, f(x)) << name << " at " << x;
  });
}

TEST(Counted, counts_may_be_nested) {
  Counted x = 2.0;
  OperationCount inner;
  const OperationCount outer = count_operations([&] {
    x = x * x;
    inner = count_operations([&] { x = x + x; });
  });
  expect_count(inner, count(0, 1), __LINE__);
  expect_count(outer, count(1, 1), __LINE__);
}

TEST(Counted, each_thread_counts_for_itself) {
  const auto multiply = [](int times) {
    Counted x = 1.0;
    for (int i = 0; i < times; ++i) x *= Counted(1.0);
  };
  OperationCount theirs;
  const OperationCount ours = count_operations([&] {
    std::thread other([&] { theirs = count_operations([&] { multiply(1000); }); });
    multiply(10);
    other.join();
  });
  expect_count(ours, count(10, 0), __LINE__);
  expect_count(theirs, count(1000, 0), __LINE__);
}

}  // namespace
}  // namespace ulna
