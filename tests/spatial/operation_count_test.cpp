#include <gtest/gtest.h>

#include "support/spatial.hpp"
#include "ulna/num/counted.hpp"

namespace ulna {
namespace {

using T = Counted;

/// Fails unless the algorithm makes exactly these operations.
template <class F>
void expect_count(F algorithm, OperationCount expected, int line = __builtin_LINE()) {
  const OperationCount n = count_operations(algorithm);
  if (!(n == expected))
    ADD_FAILURE_AT(__FILE__, line)
        << n.multiplications << " mul, " << n.additions << " add, " << n.divisions << " div, "
        << n.square_roots << " sqrt, " << n.trigonometric
        << " trig; by hand: " << expected.multiplications << ", " << expected.additions << ", "
        << expected.divisions << ", " << expected.square_roots << ", " << expected.trigonometric;
}

const Vec3<T> a(T(1), T(2), T(3)), b(T(0.5), T(-1), T(2));
const Twist<T> V{a, b};
const Wrench<T> F{b, a};

TEST(OperationCount, a_cross_product_is_6_multiplications_and_3_additions) {
  expect_count([] { cross(a, b); }, {6, 3, 0, 0, 0});
}

TEST(OperationCount, a_product_of_quaternions_is_16_multiplications_and_12_additions) {
  const Quaternion<T> q{T(0.5), T(0.5), T(0.5), T(0.5)};
  expect_count([&] { q* q; }, {16, 12, 0, 0, 0});
}

// 3 doublings, 9 products; each of the 9 elements then is one or two additions
TEST(OperationCount, a_rotation_from_a_quaternion_is_9_multiplications_and_15_additions) {
  const Quaternion<T> q{T(0.5), T(0.5), T(0.5), T(0.5)};
  expect_count([&] { Rotation<T>::from_quaternion(q); }, {9, 15, 0, 0, 0});
}

TEST(OperationCount, an_elementary_rotation_is_one_sine_and_one_cosine) {
  expect_count([] { Rotation<T>::about_z(T(0.3)); }, {0, 0, 0, 0, 2});
}

// skew: none. W W: 27 mul, 18 add; scaled: 9 mul. sin(angle) W: 9 mul, 1 trig. 2 sin²(angle/2): 3
// mul, 1 trig. The sum of three matrices: 18 add
TEST(OperationCount, rodrigues_formula_is_48_multiplications_and_36_additions) {
  expect_count([] { Rotation<T>::about(Vec3<T>(T(0), T(0.6), T(0.8)), T(0.3)); },
               {48, 36, 0, 0, 2});
}

TEST(OperationCount, moving_a_point_is_9_multiplications_and_9_additions) {
  const Transform<T> X(Rotation<T>::about_z(T(0.3)), a);
  expect_count([&] { X* b; }, {9, 9, 0, 0, 0});
}

TEST(OperationCount, composing_transforms_is_36_multiplications_and_27_additions) {
  const Transform<T> X(Rotation<T>::about_z(T(0.3)), a);
  expect_count([&] { X* X; }, {36, 27, 0, 0, 0});
}

// two rotated vectors, 9 and 6 each; a cross product, 6 and 3; one sum of vectors, 3. A product
// with the 6x6 matrix would take 36 and 30
TEST(OperationCount, moving_a_twist_or_a_wrench_is_24_multiplications_and_18_additions) {
  const Transform<T> X(Rotation<T>::about_z(T(0.3)), a);
  expect_count([&] { X* V; }, {24, 18, 0, 0, 0});
  expect_count([&] { X* F; }, {24, 18, 0, 0, 0});
  expect_count([&] { X.inverse_apply(V); }, {24, 18, 0, 0, 0});
  expect_count([&] { X.inverse_apply(F); }, {24, 18, 0, 0, 0});
}

TEST(OperationCount, a_cross_product_of_twists_is_18_multiplications_and_12_additions) {
  expect_count([] { cross(V, V); }, {18, 12, 0, 0, 0});
  expect_count([] { cross(V, F); }, {18, 12, 0, 0, 0});
}

TEST(OperationCount, power_is_6_multiplications_and_5_additions) {
  expect_count([] { dot(V, F); }, {6, 5, 0, 0, 0});
}

// I w: 9 and 6; two cross products: 12 and 6; m v: 3; two sums of vectors: 6
TEST(OperationCount, momentum_is_24_multiplications_and_18_additions) {
  const auto I = Inertia<T>::point_mass(T(2), a);
  expect_count([&] { I* V; }, {24, 18, 0, 0, 0});
}

}  // namespace
}  // namespace ulna
