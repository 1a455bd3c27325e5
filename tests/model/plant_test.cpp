#include "ulna/model/plant.hpp"

#include <gtest/gtest.h>

#include "support/allocations.hpp"
#include "support/finite_difference.hpp"
#include "support/random_model.hpp"
#include "ulna/num/dual.hpp"

namespace ulna::test {
namespace {

template <class T>
VecX<T> random_pi(const Model& model, Random& random) {
  VecX<T> pi(Plant<T>(model).inertial_size());
  for (int b = 0; b < model.joint_count(); ++b)
    pi.template segment<10>(10 * b) = random_inertia<T>(random).parameters();
  return pi;
}

using Dual2 = Dual<double, 2>;

template <class T>
class PlantOf : public ::testing::Test {};
using ParameterScalars = ::testing::Types<double, float, Dual2>;
TYPED_TEST_SUITE(PlantOf, ParameterScalars);

TYPED_TEST(PlantOf, what_is_set_is_what_is_got) {
  using T = TypeParam;
  for_each_model([](const Model& model, Random& random) {
    Plant<T> plant(model);
    const VecX<T> pi = random_pi<T>(model, random);
    plant.set_inertial(pi);
    VecX<T> got(pi.size());
    plant.get_inertial(got);
    expect_close(got, pi, 1e-14);
  });
}

TYPED_TEST(PlantOf, at_first_they_are_the_models_own_in_the_users_frames) {
  using T = TypeParam;
  for_each_model([](const Model& model, Random&) {
    const Plant<T> plant(model);
    VecX<T> pi(Plant<T>(model).inertial_size());
    plant.get_inertial(pi);
    for (int b = 1; b < model.body_count(); ++b) {
      const Inertia<double>::Parameters own =
          model.inertias()[static_cast<std::size_t>(b)].parameters();
      expect_close(VecX<T>(pi.template segment<10>(10 * (b - 1))), VecX<T>(own.template cast<T>()),
                   1e-14);
    }
    expect_close(plant.damping, VecX<T>(model.damping().template cast<T>()), 0.0);
    expect_close(plant.friction, VecX<T>(model.friction().template cast<T>()), 0.0);
    expect_close(plant.friction_negative, VecX<T>(model.friction_negative().template cast<T>()),
                 0.0);
    expect_close(plant.armature, VecX<T>(model.armature().template cast<T>()), 0.0);
  });
}

TYPED_TEST(PlantOf, set_inertias_are_the_users_bodies_seen_from_canonical_frames) {
  using T = TypeParam;
  for_each_model([](const Model& model, Random& random) {
    Plant<T> plant(model);
    const VecX<T> pi = random_pi<T>(model, random);
    plant.set_inertial(pi);
    for (int b = 1; b < model.body_count(); ++b) {
      const Inertia<T> I_B(typename Inertia<T>::Parameters(pi.template segment<10>(10 * (b - 1))));
      const Mat3<T> R = model.joint(b).R_BC.matrix().template cast<T>();
      const Inertia<T>& I_C = plant.canonical_inertia(b);
      expect_close(I_C.mass(), I_B.mass(), 0.0);
      expect_close(Vec3<T>(R * I_C.first_moment()), I_B.first_moment(), 1e-14);
      expect_close(Mat3<T>(R * I_C.rotational() * R.transpose()), I_B.rotational(), 1e-14);
    }
  });
}

TEST(Plant, derivatives_of_the_users_numbers_reach_the_canonical_inertias) {
  for_each_model(
      [](const Model& model, Random& random) {
        const VecX<Dual2> pi = random_pi<Dual2>(model, random);
        Plant<Dual2> plant(model);
        plant.set_inertial(pi);
        for (std::size_t direction = 0; direction < 2; ++direction) {
          const auto moved = [&](double t) -> VecX<double> {
            VecX<double> at(pi.size());
            for (Eigen::Index i = 0; i < pi.size(); ++i)
              at(i) = pi(i).value + t * pi(i).gradient[direction];
            Plant<double> plain(model);
            plain.set_inertial(at);
            VecX<double> all(10 * model.joint_count());
            for (int b = 1; b < model.body_count(); ++b)
              all.segment<10>(10 * (b - 1)) = plain.canonical_inertia(b).parameters();
            return all;
          };
          const VecX<double> expected = five_point_derivative(moved);
          for (int b = 1; b < model.body_count(); ++b)
            for (int k = 0; k < 10; ++k)
              EXPECT_NEAR(plant.canonical_inertia(b).parameters()(k).gradient[direction],
                          expected(10 * (b - 1) + k), 1e-10);
        }
      },
      {}, 5);
}

TEST(Plant, the_base_keeps_the_models_inertia) {
  const Model model = random_model(2);
  Random random(1);
  Plant<double> plant(model);
  plant.set_inertial(random_pi<double>(model, random));
  EXPECT_EQ(plant.canonical_inertia(0).parameters(), model.canonical_inertias()[0].parameters());
}

TEST(Plant, a_wrong_size_is_refused_with_both_numbers) {
  const Model model = random_model(1, {.joints = 3});
  Plant<double> plant(model);
  Eigen::VectorXd pi = Eigen::VectorXd::Zero(29);
  const std::string expected =
      "inertial parameters: 29 numbers given, robot 'random' has 30, 10 per moving body";
  const auto told = [](auto f) -> std::string {
    try {
      f();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(told([&] { plant.set_inertial(pi); }), expected);
  EXPECT_EQ(told([&] { plant.get_inertial(pi); }), expected);
}

TEST(Plant, of_a_robot_that_does_not_move_are_none) {
  const Model stone = Builder().link("base").build();
  EXPECT_EQ(Plant<double>(stone).inertial_size(), 0);
  Plant<double>(stone).set_inertial(Eigen::VectorXd(0));
}

// --- what a control loop calls allocates nothing ---

TEST(Allocations, are_counted) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  Eigen::VectorXd v;
  EXPECT_EQ(allocations_of([&] { v.resize(100); }), 1);
  std::vector<int> list;
  EXPECT_EQ(allocations_of([&] { list.resize(100); }), 1);
}

TYPED_TEST(PlantOf, setting_and_getting_allocates_nothing) {
  using T = TypeParam;
  const Model model = random_model(1);
  Random random(1);
  Plant<T> plant(model);
  VecX<T> pi = random_pi<T>(model, random);
  EXPECT_EQ(allocations_of([&] {
              plant.set_inertial(pi);
              plant.get_inertial(pi);
            }),
            0);
}

TYPED_TEST(PlantOf, moving_in_configuration_space_allocates_nothing) {
  using T = TypeParam;
  const Model model = random_model(1);
  Random random(1);
  const VecX<T> q = random_q(model, random).template cast<T>();
  VecX<T> v = random_v(model, random).template cast<T>(), to(model.nq());
  EXPECT_EQ(allocations_of([&] {
              integrate<T>(model, q, v, to);
              difference<T>(model, q, to, v);
            }),
            0);
}

}  // namespace
}  // namespace ulna::test
