#include "ulna/model/configuration.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "descriptions.hpp"
#include "support/finite_difference.hpp"
#include "ulna/num/dual.hpp"

namespace ulna::test {
namespace {

constexpr double pi = std::numbers::pi;
using Dual2 = Dual<double, 2>;

Model one_joint(JointType type, const Limits& limits = {}) {
  Builder b("one");
  b.link("base").link("arm", body()).joint("j", type, "base", "arm", Pose(), {0, 0, 1});
  b.last_joint().limits = limits;
  if (type == JointType::helical) b.last_joint().pitch = 0.2;
  return b.build(true);
}

Eigen::VectorXd vector(std::initializer_list<double> numbers) {
  Eigen::VectorXd v(static_cast<Eigen::Index>(numbers.size()));
  std::copy(numbers.begin(), numbers.end(), v.data());
  return v;
}

bool has_quaternion(JointType t) { return t == JointType::ball || t == JointType::floating; }

/// The same configuration with the quaternions' signs as in another one: q and -q are one rotation.
Eigen::VectorXd with_signs_of(const Model& model, const Eigen::VectorXd& other, Eigen::VectorXd q) {
  for (const Joint& j : model.joints())
    if (has_quaternion(j.type) && q.segment<4>(j.q).dot(other.segment<4>(j.q)) < 0.0)
      q.segment<4>(j.q) *= -1.0;
  return q;
}

/// A displacement whose rotations are below half a turn.
Eigen::VectorXd short_v(const Model& model, Random& random) { return random_v(model, random, 1.8); }

// --- laws, for each kind of joint ---

class ConfigurationOf : public ::testing::TestWithParam<JointType> {
 protected:
  Model model = one_joint(GetParam());
};

TEST_P(ConfigurationOf, difference_finds_the_displacement_that_integrate_made) {
  for_each_seed([&](Random& random) {
    const Eigen::VectorXd q = random_q(model, random), v = short_v(model, random);
    expect_close(difference(model, q, integrate(model, q, v)), v, 1e-14);
  });
}

TEST_P(ConfigurationOf, integrate_arrives_where_difference_points) {
  for_each_seed([&](Random& random) {
    const Eigen::VectorXd q0 = random_q(model, random), q1 = random_q(model, random);
    const Eigen::VectorXd there = integrate(model, q0, difference(model, q0, q1));
    expect_close(with_signs_of(model, q1, there), q1, 1e-13);
  });
}

TEST_P(ConfigurationOf, integrate_follows_the_exponential) {
  const Joint& j = model.joint(1);
  for_each_seed([&](Random& random) {
    // far beyond a turn too
    for (const double size : {1e-9, 1e-3, 1.0, 20.0}) {
      const Eigen::VectorXd q = random_q(model, random), v = random_v(model, random, size);
      const Eigen::VectorXd to = integrate(model, q, v);
      const Transform<double> expected =
          joint_pose(j.type, j.pitch, q.data()) *
          Transform<double>::exp(joint_twist(j.type, j.pitch, v.data()));
      expect_close(joint_pose(j.type, j.pitch, to.data()), expected, 1e-14);
    }
  });
}

TEST_P(ConfigurationOf, no_displacement_changes_nothing) {
  for_each_seed([&](Random& random) {
    const Eigen::VectorXd q = random_q(model, random), none = Eigen::VectorXd::Zero(model.nv());
    expect_close(integrate(model, q, none), q, 3e-16);
    expect_close(difference(model, q, q), none, 3e-16);
  });
}

TEST_P(ConfigurationOf, a_displacement_is_undone_by_its_opposite) {
  for_each_seed([&](Random& random) {
    const Eigen::VectorXd q = random_q(model, random), v = random_v(model, random, 2.0);
    expect_close(integrate(model, integrate(model, q, v), -v), q, 1e-14);
  });
}

TEST_P(ConfigurationOf, two_halves_of_a_displacement_are_the_whole) {
  for_each_seed([&](Random& random) {
    const Eigen::VectorXd q = random_q(model, random), v = random_v(model, random, 2.0);
    expect_close(integrate(model, integrate(model, q, 0.5 * v), 0.5 * v), integrate(model, q, v),
                 1e-14);
  });
}

TEST_P(ConfigurationOf, the_result_may_be_the_argument) {
  for_each_seed([&](Random& random) {
    Eigen::VectorXd q = random_q(model, random);
    const Eigen::VectorXd v = random_v(model, random), expected = integrate(model, q, v);
    integrate<double>(model, q, v, q);
    EXPECT_EQ(q, expected);
  });
}

/// f on duals, along a direction of each of its two arguments, against the slope of f on doubles.
template <class F>
void expect_derivative(F f, const Eigen::VectorXd& a, const Eigen::VectorXd& b, Random& random) {
  VecX<Dual2> a_dual = a.cast<Dual2>(), b_dual = b.cast<Dual2>();
  Eigen::VectorXd da(a.size()), db(b.size());
  for (Eigen::Index i = 0; i < a.size(); ++i) a_dual(i).gradient[0] = da(i) = random.real();
  for (Eigen::Index i = 0; i < b.size(); ++i) b_dual(i).gradient[1] = db(i) = random.real();
  const VecX<Dual2> y = f(a_dual, b_dual);
  const auto along_a = [&](double t) -> Eigen::VectorXd {
    return f(Eigen::VectorXd(a + t * da), b);
  };
  const auto along_b = [&](double t) -> Eigen::VectorXd {
    return f(a, Eigen::VectorXd(b + t * db));
  };
  const Eigen::VectorXd slope_a = five_point_derivative(along_a),
                        slope_b = five_point_derivative(along_b);
  const Eigen::VectorXd value = f(a, b);
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    EXPECT_NEAR(y(i).value, value(i), 1e-14);
    EXPECT_NEAR(y(i).gradient[0], slope_a(i), 1e-10);
    EXPECT_NEAR(y(i).gradient[1], slope_b(i), 1e-10);
  }
}

TEST_P(ConfigurationOf, integrate_on_duals_gives_its_derivatives) {
  const auto moved = [&]<class T>(const VecX<T>& q, const VecX<T>& v) {
    VecX<T> to(model.nq());
    integrate<T>(model, q, v, to);
    return to;
  };
  for_each_seed([&](Random& random) {
    const Eigen::VectorXd q = random_q(model, random);
    expect_derivative(moved, q, random_v(model, random), random);
    expect_derivative(moved, q, Eigen::VectorXd::Zero(model.nv()),
                      random);  // where a norm has no slope
  });
}

TEST_P(ConfigurationOf, difference_on_duals_gives_its_derivatives) {
  const auto between = [&]<class T>(const VecX<T>& q0, const VecX<T>& q1) {
    VecX<T> v(model.nv());
    difference<T>(model, q0, q1, v);
    return v;
  };
  // derivatives along the configurations' own space: quaternions stay of unit length
  for_each_seed([&](Random& random) {
    const Eigen::VectorXd q0 = random_q(model, random), v = short_v(model, random);
    const Eigen::VectorXd dv = random_v(model, random);
    for (const double scale : {1.0, 0.0}) {
      VecX<Dual2> v_dual = (scale * v).cast<Dual2>();
      for (Eigen::Index i = 0; i < v.size(); ++i) v_dual(i).gradient[0] = dv(i);
      VecX<Dual2> q1(model.nq());
      integrate<Dual2>(model, VecX<Dual2>(q0.cast<Dual2>()), v_dual, q1);
      const VecX<Dual2> back = between(VecX<Dual2>(q0.cast<Dual2>()), q1);
      for (Eigen::Index i = 0; i < v.size(); ++i) {
        EXPECT_NEAR(back(i).value, scale * v(i), 1e-14);
        EXPECT_NEAR(back(i).gradient[0], dv(i), 1e-12);
        EXPECT_EQ(back(i).gradient[1], 0.0);
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Kind, ConfigurationOf, ::testing::ValuesIn(moving_kinds),
                         [](const auto& kind) { return std::string(to_string(kind.param)); });

// --- whole robots ---

TEST(Configuration, integrate_and_difference_are_inverse_on_random_trees) {
  for_each_model([](const Model& model, Random& random) {
    const Eigen::VectorXd q = random_q(model, random), v = short_v(model, random);
    const Eigen::VectorXd to = integrate(model, q, v);
    expect_close(difference(model, q, to), v, 1e-14);
    expect_close(integrate(model, to, difference(model, to, q)), q, 1e-13);
  });
}

TEST(Configuration, for_joints_of_one_coordinate_they_are_plus_and_minus) {
  for_each_model(
      [](const Model& model, Random& random) {
        const Eigen::VectorXd q = random_q(model, random), v = random_v(model, random, 10.0);
        EXPECT_EQ(integrate(model, q, v), q + v);
        EXPECT_EQ(difference(model, q, v), v - q);
      },
      {.kinds = single_kinds});
}

TEST(Configuration, a_planar_joint_counts_its_turns) {
  const Model model = one_joint(JointType::planar);
  const Eigen::VectorXd q = vector({0.3, 1.0, -2.0});
  for (const double turn : {5.0, -4.0, 9.0, 30.0}) {
    const Eigen::VectorXd v = vector({turn, 0.7, -0.4});
    expect_close(difference(model, q, integrate(model, q, v)), v, 1e-14);
  }
}

TEST(Configuration, difference_of_orientations_takes_the_shorter_way_around) {
  for (const JointType type : {JointType::ball, JointType::floating}) {
    const Model model = one_joint(type);
    for_each_seed([&](Random& random) {
      Eigen::VectorXd q0 = random_q(model, random), q1 = random_q(model, random);
      const Eigen::VectorXd v = difference(model, q0, q1);
      EXPECT_LE(v.head<3>().norm(), pi * (1 + 1e-15));
      q1.head<4>() *= -1.0;
      expect_close(difference(model, q0, q1), v, 1e-14);
    });
  }
}

TEST(Configuration, quaternions_stay_of_unit_length_over_many_steps) {
  const Model model = one_joint(JointType::floating);
  Eigen::VectorXd q = neutral(model);
  const Eigen::VectorXd v = vector({0.01, -0.02, 0.03, 0.001, 0.0, 0.0});
  for (int step = 0; step < 100'000; ++step) integrate<double>(model, q, v, q);
  EXPECT_NEAR(q.head<4>().norm(), 1.0, 4e-16);
}

TEST(Configuration, half_a_turn_is_found_from_both_sides) {
  const Model model = one_joint(JointType::ball);
  const Eigen::VectorXd q = neutral(model);
  for (const double angle : {pi - 1e-9, pi, -pi + 1e-9}) {
    const Eigen::VectorXd v = vector({0.0, angle, 0.0});
    const Eigen::VectorXd back = difference(model, q, integrate(model, q, v));
    EXPECT_NEAR(std::abs(back(1)), std::abs(angle), 1e-14);
    expect_close(with_signs_of(model, integrate(model, q, v), integrate(model, q, back)),
                 integrate(model, q, v), 1e-15);
  }
}

TEST(Configuration, wrong_sizes_are_refused_with_both_numbers) {
  const Model model = one_joint(JointType::ball);
  const auto told = [](auto f) -> std::string {
    try {
      f();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  Eigen::VectorXd q = neutral(model), v = Eigen::VectorXd::Zero(3);
  EXPECT_EQ(told([&] { integrate(model, v, v); }), "q has 3 numbers, robot 'one' needs 4");
  EXPECT_EQ(told([&] { integrate(model, q, q); }), "v has 4 numbers, robot 'one' needs 3");
  EXPECT_EQ(told([&] { integrate<double>(model, q, v, v); }),
            "result has 3 numbers, robot 'one' needs 4");
  EXPECT_EQ(told([&] { difference(model, v, q); }), "q0 has 3 numbers, robot 'one' needs 4");
  EXPECT_EQ(told([&] { difference(model, q, v); }), "q1 has 3 numbers, robot 'one' needs 4");
  EXPECT_EQ(told([&] { difference<double>(model, q, q, q); }),
            "v has 4 numbers, robot 'one' needs 3");
  EXPECT_EQ(told([&] { normalize(model, v); }), "q has 3 numbers, robot 'one' needs 4");
}

TEST(Configuration, normalize_scales_quaternions_and_leaves_the_rest) {
  for_each_model([](const Model& model, Random& random) {
    const Eigen::VectorXd q = random_q(model, random);
    Eigen::VectorXd scaled = q;
    for (const Joint& j : model.joints())
      if (has_quaternion(j.type)) scaled.segment<4>(j.q) *= random.real(0.1, 10.0);
    normalize(model, scaled);
    expect_close(scaled, q, 1e-15);
  });
}

// --- neutral ---

TEST(Neutral, is_zero_with_identity_quaternions) {
  EXPECT_EQ(neutral(one_joint(JointType::revolute)), vector({0}));
  EXPECT_EQ(neutral(one_joint(JointType::planar)), vector({0, 0, 0}));
  EXPECT_EQ(neutral(one_joint(JointType::ball)), vector({1, 0, 0, 0}));
  EXPECT_EQ(neutral(one_joint(JointType::floating)), vector({1, 0, 0, 0, 0, 0, 0}));
}

TEST(Neutral, is_moved_to_the_nearest_limit_where_zero_lies_outside) {
  EXPECT_EQ(neutral(one_joint(JointType::revolute, {0.3, 2.0})), vector({0.3}));
  EXPECT_EQ(neutral(one_joint(JointType::prismatic, {-2.0, -0.2})), vector({-0.2}));
  EXPECT_EQ(neutral(one_joint(JointType::prismatic, {0.5, infinity})), vector({0.5}));
}

void expect_within_limits(const Model& model, const Eigen::VectorXd& q) {
  EXPECT_TRUE((q.array() >= model.lower_limit().array()).all()) << q.transpose();
  EXPECT_TRUE((q.array() <= model.upper_limit().array()).all()) << q.transpose();
}

TEST(Neutral, is_within_the_limits_of_random_robots) {
  for_each_model([](const Model& model, Random&) { expect_within_limits(model, neutral(model)); });
}

// --- random_configuration ---

TEST(RandomConfiguration, is_within_the_limits_and_of_unit_quaternions) {
  for_each_model([](const Model& model, Random& random) {
    for (int i = 0; i < 50; ++i) {
      const Eigen::VectorXd q = random_q(model, random);
      expect_within_limits(model, q);
      for (const Joint& j : model.joints())
        if (has_quaternion(j.type)) {
          EXPECT_NEAR(q.segment<4>(j.q).norm(), 1.0, 4e-16);
        }
    }
  });
}

TEST(RandomConfiguration, is_the_same_for_the_same_seed_on_every_machine) {
  // the standard fixes the 10000th number of the engine: 9981545732273789042
  std::mt19937_64 engine;
  engine.discard(9999);
  const Model unit = one_joint(JointType::prismatic, {0.0, 1.0});
  EXPECT_EQ(random_configuration(unit, engine)(0),
            static_cast<double>(9981545732273789042ull >> 11) * 0x1p-53);

  Builder b;
  b.link("l0").link("l1", body()).link("l2", body()).link("l3", body());
  b.joint("a", JointType::revolute, "l0", "l1").last_joint().limits = {-1.0, 2.0};
  b.joint("b", JointType::continuous, "l1", "l2").joint("c", JointType::ball, "l2", "l3");
  const Model model = b.build();
  std::mt19937_64 first(2024), second(2024);
  const Eigen::VectorXd q = random_configuration(model, first);
  EXPECT_EQ(q, random_configuration(model, second));
  EXPECT_NE(q, random_configuration(model, second));
  expect_close(q,
               vector({0.83805363579057501, 1.8517556577353558, 0.10275575979294461,
                       0.23019668425946985, -0.96248616777093354, -0.10035495620517661}),
               1e-15);
}

TEST(RandomConfiguration, fills_the_range_of_each_joint) {
  const auto range = [](const Model& model) {
    std::mt19937_64 engine(1);
    double low = infinity, high = -infinity, sum = 0.0;
    constexpr int n = 4000;
    for (int i = 0; i < n; ++i) {
      const double x = random_configuration(model, engine)(0);
      low = std::min(low, x), high = std::max(high, x), sum += x;
    }
    return Vec3<double>(low, high, sum / n);
  };
  const auto expect_range = [&](const Model& model, double low, double high) {
    const Vec3<double> seen = range(model);
    const double width = high - low;
    EXPECT_GE(seen(0), low);
    EXPECT_LE(seen(1), high);
    EXPECT_NEAR(seen(0), low, 0.005 * width);
    EXPECT_NEAR(seen(1), high, 0.005 * width);
    EXPECT_NEAR(seen(2), 0.5 * (low + high), 5.0 * width / std::sqrt(12.0 * 4000));
  };
  expect_range(one_joint(JointType::revolute, {0.5, 0.75}), 0.5, 0.75);
  expect_range(one_joint(JointType::continuous), -pi, pi);
  expect_range(one_joint(JointType::helical), -pi, pi);
  expect_range(one_joint(JointType::planar), -pi, pi);
  expect_range(one_joint(JointType::prismatic), -1.0, 1.0);
  // limits on one side
  expect_range(one_joint(JointType::prismatic, {-0.5, infinity}), -0.5, 1.0);
  expect_range(one_joint(JointType::prismatic, {3.0, infinity}), 3.0, 4.0);
  expect_range(one_joint(JointType::prismatic, {-infinity, -3.0}), -4.0, -3.0);
}

TEST(RandomConfiguration, orientations_are_uniform) {
  // for a uniform quaternion the mean of q q' is 1/4, and the mean rotation matrix is zero
  const Model model = one_joint(JointType::ball);
  std::mt19937_64 engine(1);
  constexpr int n = 40'000;
  Mat4<double> second = Mat4<double>::Zero();
  Mat3<double> mean = Mat3<double>::Zero();
  for (int i = 0; i < n; ++i) {
    const Eigen::VectorXd q = random_configuration(model, engine);
    second += q * q.transpose() / n;
    mean += Rotation<double>::from_quaternion({q(0), q(1), q(2), q(3)}).matrix() / n;
  }
  const double deviation = 1.0 / std::sqrt(n);
  EXPECT_LT((second - 0.25 * Mat4<double>::Identity()).cwiseAbs().maxCoeff(), 5 * 0.25 * deviation);
  EXPECT_LT(mean.cwiseAbs().maxCoeff(), 5 * deviation / std::sqrt(3.0));
}

}  // namespace
}  // namespace ulna::test
