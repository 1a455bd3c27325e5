#include "ulna/num/pack.hpp"

#include <gtest/gtest.h>

#include <array>

#include "num/functions.hpp"
#include "support/random.hpp"

namespace ulna {
namespace {

using test::for_each_function;
using test::for_each_seed;
using test::Random;

using P = Pack<double, 4>;
using Numbers = std::array<double, 4>;

P pack(const Numbers& x) { return P::load(x.data()); }

Numbers random_numbers(Random& random, double low, double high) {
  Numbers x;
  for (double& number : x) number = random.real(low, high);
  return x;
}

TEST(Pack, load_and_store_keep_every_lane) {
  const Numbers in{1.5, -2.0, 3.25, 1e300};
  const P x = pack(in);
  for (int lane = 0; lane < 4; ++lane) EXPECT_EQ(x[lane], in[static_cast<std::size_t>(lane)]);
  Numbers out{};
  x.store(out.data());
  EXPECT_EQ(out, in);
}

TEST(Pack, load_and_store_need_no_alignment) {
  alignas(64) std::array<double, 6> in{0.0, 1.0, 2.0, 3.0, 4.0, 5.0}, out{};
  P::load(in.data() + 1).store(out.data() + 2);
  EXPECT_EQ(out, (std::array<double, 6>{0.0, 0.0, 1.0, 2.0, 3.0, 4.0}));
}

TEST(Pack, set_changes_one_lane) {
  P x = 7.0;
  x.set(2, -1.0);
  for (int lane = 0; lane < 4; ++lane) EXPECT_EQ(x[lane], lane == 2 ? -1.0 : 7.0);
}

TEST(Pack, a_constant_is_the_same_in_every_lane_and_nothing_is_zero) {
  for (int lane = 0; lane < 4; ++lane) {
    EXPECT_EQ(P(2.5)[lane], 2.5);
    EXPECT_EQ(P()[lane], 0.0);
  }
}

TEST(Pack, arithmetic_is_that_of_doubles_to_the_last_bit) {
  for_each_seed([](Random& random) {
    const Numbers x = random_numbers(random, -3.0, 3.0), y = random_numbers(random, 0.5, 3.0);
    const P sum = pack(x) + pack(y), difference = pack(x) - pack(y), product = pack(x) * pack(y),
            quotient = pack(x) / pack(y), minus = -pack(x);
    P added = pack(x), subtracted = pack(x), multiplied = pack(x), divided = pack(x);
    added += pack(y), subtracted -= pack(y), multiplied *= pack(y), divided /= pack(y);
    for (int lane = 0; lane < 4; ++lane) {
      const double a = x[static_cast<std::size_t>(lane)], b = y[static_cast<std::size_t>(lane)];
      EXPECT_EQ(sum[lane], a + b);
      EXPECT_EQ(difference[lane], a - b);
      EXPECT_EQ(product[lane], a * b);
      EXPECT_EQ(quotient[lane], a / b);
      EXPECT_EQ(minus[lane], -a);
      EXPECT_EQ(added[lane], a + b);
      EXPECT_EQ(subtracted[lane], a - b);
      EXPECT_EQ(multiplied[lane], a * b);
      EXPECT_EQ(divided[lane], a / b);
    }
  });
}

TEST(Pack, each_function_is_that_of_doubles_lane_by_lane) {
  for_each_function([](const char* name, auto f, auto, auto, const auto& points) {
    SCOPED_TRACE(name);
    for (std::size_t first = 0; first + 4 <= points.size(); ++first) {
      const P y = f(P::load(&points[first]));
      for (int lane = 0; lane < 4; ++lane) {
        const double x = points[first + static_cast<std::size_t>(lane)];
        EXPECT_NEAR(y[lane], f(x), 4.0 * epsilon<double>() * std::abs(f(x))) << "at " << x;
      }
    }
  });
}

// beyond 2^31 quarter turns the standard library's packs lose count of the quadrant
TEST(Pack, sines_and_cosines_are_those_of_doubles_up_to_a_thousand_million_radians) {
  for_each_seed([](Random& random) {
    for (const double size : {1.0, 10.0, 1e3, 1e6, 1e9}) {
      const Numbers x = random_numbers(random, -size, size);
      const P s = sin(pack(x)), c = cos(pack(x));
      for (int lane = 0; lane < 4; ++lane) {
        const double angle = x[static_cast<std::size_t>(lane)];
        EXPECT_NEAR(s[lane], std::sin(angle), 4.0 * epsilon<double>()) << "at " << angle;
        EXPECT_NEAR(c[lane], std::cos(angle), 4.0 * epsilon<double>()) << "at " << angle;
      }
    }
  });
}

TEST(Pack, atan2_is_that_of_doubles_in_every_quadrant_and_on_the_axes) {
  const Numbers y[] = {{1.0, 1.0, -1.0, -1.0}, {0.0, 0.0, 2.0, -2.0}, {0.3, -0.3, 1e-9, -1e-9}};
  const Numbers x[] = {{2.0, -2.0, 2.0, -2.0}, {1.0, -1.0, 0.0, 0.0}, {1e-3, -1e-3, -1.0, -1.0}};
  for (std::size_t k = 0; k < 3; ++k) {
    const P angle = atan2(pack(y[k]), pack(x[k]));
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const double expected = std::atan2(y[k][lane], x[k][lane]);
      EXPECT_NEAR(angle[static_cast<int>(lane)], expected,
                  4.0 * epsilon<double>() * std::abs(expected));
    }
  }
}

TEST(Pack, comparisons_answer_lane_by_lane) {
  const P x = pack({1.0, 2.0, 3.0, std::numeric_limits<double>::quiet_NaN()}), y(2.0);
  const auto expect = [](const PackMask<double, 4>& mask, std::array<bool, 4> lanes) {
    for (int lane = 0; lane < 4; ++lane)
      EXPECT_EQ(mask[lane], lanes[static_cast<std::size_t>(lane)]);
  };
  expect(x < y, {true, false, false, false});
  expect(x > y, {false, false, true, false});
  expect(x <= y, {true, true, false, false});
  expect(x >= y, {false, true, true, false});
  expect(x == y, {false, true, false, false});
  expect(x != y, {true, false, true, true});
  expect(!(x < y), {false, true, true, true});
  expect(x < y || x > y, {true, false, true, false});
  expect(x <= y && x >= y, {false, true, false, false});
  expect(is_finite(x), {true, true, true, false});
}

TEST(Pack, select_chooses_lane_by_lane) {
  const P x = pack({-1.0, 2.0, -3.0, 4.0});
  const P y = select(x < P(0.0), P(10.0), x);
  for (int lane = 0; lane < 4; ++lane) EXPECT_EQ(y[lane], x[lane] < 0.0 ? 10.0 : x[lane]);
}

TEST(Pack, a_nan_in_one_lane_stays_there) {
  const P x = pack({4.0, -1.0, 9.0, 0.0});
  const P root = sqrt(x);
  EXPECT_TRUE(std::isnan(root[1]));
  const P guarded = select(x >= P(0.0), root, P(-7.0));
  EXPECT_EQ(guarded[0], 2.0);
  EXPECT_EQ(guarded[1], -7.0);
  EXPECT_EQ(guarded[2], 3.0);
  EXPECT_EQ(guarded[3], 0.0);
}

TEST(Pack, any_and_all_gather_the_lanes) {
  const P x = pack({1.0, 2.0, 3.0, 4.0});
  EXPECT_TRUE(any(x > P(3.5)));
  EXPECT_FALSE(all(x > P(3.5)));
  EXPECT_TRUE(all(x > P(0.5)));
  EXPECT_FALSE(any(x > P(4.5)));
}

TEST(Pack, clamp_and_sign_work_lane_by_lane) {
  const P x = pack({-5.0, -0.5, 0.0, 5.0});
  const P clamped = clamp(x, P(-1.0), P(1.0)), signs = sign(x);
  for (int lane = 0; lane < 4; ++lane) {
    EXPECT_EQ(clamped[lane], clamp(x[lane], -1.0, 1.0));
    EXPECT_EQ(signs[lane], sign(x[lane]));
  }
}

TEST(Pack, floats_and_other_widths_keep_their_lanes) {
  using Wide = Pack<float, 8>;
  float in[8], out[8];
  for (int i = 0; i < 8; ++i) in[i] = 0.25f * static_cast<float>(i + 1);
  const Wide root = sqrt(Wide::load(in));
  root.store(out);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(out[i], std::sqrt(in[i]));

  Pack<double, 2> two = 1.0;
  two.set(1, 3.0);
  EXPECT_EQ((two * two)[0], 1.0);
  EXPECT_EQ((two * two)[1], 9.0);
}

TEST(Pack, square_is_mirrored) {
  Pack<double, 4> square[4];
  for (int k = 0; k < 4; ++k)
    square[k] = Pack<double, 4>::each([&](int lane) { return 10.0 * k + lane; });
  transpose(square);
  for (int k = 0; k < 4; ++k)
    for (int lane = 0; lane < 4; ++lane) EXPECT_EQ(square[k][lane], 10.0 * lane + k);
}

TEST(Pack, lanes_lie_in_memory_one_behind_the_other) {
  Pack<double, 4> two[2] = {Pack<double, 4>(1.0), Pack<double, 4>(2.0)};
  two[0].data()[3] = 5.0;
  EXPECT_EQ(two[0][3], 5.0);
  EXPECT_EQ(two[0].data()[4], 2.0);
}

}  // namespace
}  // namespace ulna
